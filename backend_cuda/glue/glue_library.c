/* Matrix products by cuBLASLt in model.c: for each one a function that fills in its sizes, strides and factors from
 * dimensions and scalars; what calls the library with them is the text of library.in. */
#include "glue_library.h"
#include "glue_text.h"
#include "sched/kernel/same.h"
#include "sched/library/product.h"

bool glue_has_products(const Program *const *programs, int n) {
    for (int i = 0; i < n; i++)
        if (glue_products(programs[i])) return true;
    return false;
}

int glue_products(const Program *p) {
    int n = 0;
    for (int k = 0; k < p->kernels.n; k++) n += p->kernels.at[k]->product != NULL;
    return n;
}

static void library_part(Text *out, const char *part, const char *prefix, const Text *tuned) {
    glue_part(out, GLUE_IN_LIBRARY, part,
              &(GlueWords){.prefix = prefix, .with = tuned->n > 0, .at = {{"@TUNED@", tuned->s}}});
}

void glue_library_types(Text *out, const char *prefix, const Text *tuned) { library_part(out, "types", prefix, tuned); }
void glue_library_functions(Text *out, const char *prefix, const Text *tuned) {
    library_part(out, "functions", prefix, tuned);
}

/* ---- one product ---- */

const char *glue_cuda_type(Type t) {
    switch (t) {
    case TY_F64: return "CUDA_R_64F";
    case TY_F16: return "CUDA_R_16F";
    case TY_BF16: return "CUDA_R_16BF";
    case TY_F8E4M3: return "CUDA_R_8F_E4M3";
    case TY_I8: return "CUDA_R_8I";
    case TY_I32: return "CUDA_R_32I";
    default: return "CUDA_R_32F";
    }
}

const char *glue_compute(TuneSum s) {
    static const char *const names[TUNE_SUMS] = {[TUNE_F64] = "CUBLAS_COMPUTE_64F",
                                                 [TUNE_F32] = "CUBLAS_COMPUTE_32F",
                                                 [TUNE_TF32] = "CUBLAS_COMPUTE_32F_FAST_TF32",
                                                 [TUNE_I32] = "CUBLAS_COMPUTE_32I"};
    return names[s];
}

const char *glue_epilogue(Activation act, bool bias) {
    switch (act) {
    case ACT_RELU: return bias ? "CUBLASLT_EPILOGUE_RELU_BIAS" : "CUBLASLT_EPILOGUE_RELU";
    case ACT_GELU: return bias ? "CUBLASLT_EPILOGUE_GELU_BIAS" : "CUBLASLT_EPILOGUE_GELU";
    case ACT_NONE:
    case ACT_COUNT: break;
    }
    return bias ? "CUBLASLT_EPILOGUE_BIAS" : "CUBLASLT_EPILOGUE_DEFAULT";
}

static void size(Text *out, const HostEntry *h, const char *field, const Expr *e) {
    text_fmt(out, "    td_p->%s = ", field);
    host_expr(out, h, e);
    text_put(out, ";\n");
}

static int tensor_at(const HostEntry *h, const KernelForm *f, const Tensor *t) {
    for (int i = 0; f && i < f->ntensors; i++)
        if (f->tensors[i] == t) return i;
    return f ? -1 : host_tensor_at(h, t);
}

static void matrix(Text *out, const HostEntry *h, const Kernel *k, const char *field, const Matrix *m) {
    const Product *p = k->product;
    text_fmt(out, "    td_p->%s.tensor = %d;\n", field,
             m->tensor ? tensor_at(h, k->shared ? k->form : NULL, m->tensor) : -1);
    if (!m->tensor) return;
    size(out, h, sym_fmt(h->ctx, "%s.offset", field), m->offset);
    size(out, h, sym_fmt(h->ctx, "%s.row", field), m->row);
    size(out, h, sym_fmt(h->ctx, "%s.col", field), m->col);
    for (int b = 0; b < p->nbatch; b++) size(out, h, sym_fmt(h->ctx, "%s.batch[%d]", field, b), m->batch[b]);
}

/* Dimensions and scalars that are used: of the entry's arrays, or of those in the order of the form. */
static void put_arguments(Text *out, const HostEntry *h, const Kernel *k) {
    const Graph *g = h->p->graph;
    const KernelForm *f = k->shared ? k->form : NULL;
    for (int i = 0; i < g->dims.n; i++) {
        int at = i;
        for (int j = 0; f && j < f->ndims; j++)
            if (f->dims[j] == g->dims.at[i]) at = j;
        if (h->dim_used[i]) text_fmt(out, "    const int64_t %s = td_dims[%d];\n", h->dims[i], at);
    }
    for (int i = 0; i < g->scalars.n; i++) {
        int at = i;
        for (int j = 0; f && j < f->nscalars; j++)
            if (f->scalars[j] == g->scalars.at[i]) at = j;
        if (h->scalar_used[i])
            text_fmt(out, "    const double %s = td_scalars ? td_scalars[%d] : 0;\n", h->scalars[i], at);
    }
}

/* Where the product's sizes, matrices and factors come from. */
static void put_sizes(Text *out, const HostEntry *h, const Kernel *k) {
    const Product *p = k->product;
    size(out, h, "m", p->m);
    size(out, h, "n", p->n);
    size(out, h, "k", p->k);
    for (int b = 0; b < MAX_BATCH; b++)
        size(out, h, sym_fmt(h->ctx, "batch[%d]", b), b < p->nbatch ? p->batch[b] : expr_int(h->p->graph, TY_I64, 1));
    matrix(out, h, k, "a", &p->a);
    matrix(out, h, k, "b", &p->b);
    matrix(out, h, k, "c", &p->c);
    matrix(out, h, k, "d", &p->d);
    matrix(out, h, k, "bias", &p->bias);
    size(out, h, "alpha", p->alpha);
    if (p->beta)
        size(out, h, "beta", p->beta);
    else
        text_put(out, "    td_p->beta = 0;\n");
}

void glue_product(Text *out, const HostEntry *h, const Kernel *k) {
    const Product *p = k->product;
    const Graph *g = h->p->graph;
    Type factor = p->a.tensor->type, result = p->d.tensor->type;
    Text sizes = {.ctx = h->ctx}, arguments = {.ctx = h->ctx};
    HostEntry mine = *h;
    mine.dim_used = NEW_N(h->ctx, bool, g->dims.n);
    mine.scalar_used = NEW_N(h->ctx, bool, g->scalars.n);
    put_sizes(&sizes, &mine, k);
    put_arguments(&arguments, &mine, k);
    glue_part(out, GLUE_IN_LIBRARY, "product",
              &(GlueWords){.at = {{"@PRODUCT@", kernel_symbol(h->p, k)},
                                  {"@ARGUMENTS@", arguments.s},
                                  {"@FACTOR@", glue_cuda_type(factor)},
                                  {"@RESULT@", glue_cuda_type(result)},
                                  {"@SCALE@", glue_cuda_type(p->alpha->type)},
                                  {"@COMPUTE@", glue_compute(tuning_sum(g, factor))},
                                  {"@EPILOGUE@", glue_epilogue(p->act, p->bias.tensor != NULL)},
                                  {"@FACTOR_BYTES@", sym_fmt(h->ctx, "%d", type_bits(factor) / 8)},
                                  {"@RESULT_BYTES@", sym_fmt(h->ctx, "%d", type_bits(result) / 8)},
                                  {"@SIZES@", sizes.s}}});
}

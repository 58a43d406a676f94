/* Matrix products by cuBLASLt in model.c: for each one a function that fills in its sizes, strides and factors from
 * dimensions and scalars; what calls the library with them is the text of library.in. */
#include "glue_entry.h"
#include "sched/library/product.h"
#include "sched/kernel/same.h"

#include <string.h>

extern const char *const library_text_lines[];
extern const int library_text_nlines;

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

/* A part of the text, where lines after //+ are those of a model with tuned products, after //- of one without. */
static void library_lines(Text *out, const char *prefix, bool head, const Text *tuned) {
    const bool with = tuned->n > 0;
    bool at_head = true;
    for (int i = 0; i < library_text_nlines; i++) {
        const char *s = library_text_lines[i];
        const bool marked = !strncmp(s, "//+", 3) || !strncmp(s, "//-", 3);
        if (!strcmp(s, "//@"))
            at_head = false;
        else if (at_head != head || (marked && (s[2] == '+') != with))
            continue;
        else if (!strcmp(s, "//@tuned"))
            text_put(out, with ? tuned->s : "");
        else
            glue_template(out, marked ? s + 3 : s, prefix), text_char(out, '\n');
    }
    text_char(out, '\n');
}

void glue_library_types(Text *out, const char *prefix, const Text *tuned) { library_lines(out, prefix, true, tuned); }
void glue_library_functions(Text *out, const char *prefix, const Text *tuned) {
    library_lines(out, prefix, false, tuned);
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

void glue_product(Text *out, const HostEntry *h, const Kernel *k) {
    const Product *p = k->product;
    const Graph *g = h->p->graph;
    Type factor = p->a.tensor->type, result = p->d.tensor->type;
    Text body = {.ctx = h->ctx}, factors = {.ctx = h->ctx};
    HostEntry mine = *h;
    mine.dim_used = NEW_N(h->ctx, bool, g->dims.n);
    mine.scalar_used = NEW_N(h->ctx, bool, g->scalars.n);
    size(&body, &mine, "m", p->m);
    size(&body, &mine, "n", p->n);
    size(&body, &mine, "k", p->k);
    for (int b = 0; b < MAX_BATCH; b++)
        size(&body, &mine, sym_fmt(h->ctx, "batch[%d]", b),
             b < p->nbatch ? p->batch[b] : expr_int(h->p->graph, TY_I64, 1));
    matrix(&body, &mine, k, "a", &p->a);
    matrix(&body, &mine, k, "b", &p->b);
    matrix(&body, &mine, k, "c", &p->c);
    matrix(&body, &mine, k, "d", &p->d);
    matrix(&body, &mine, k, "bias", &p->bias);
    text_put(&factors, "    td_p->alpha = ");
    host_expr(&factors, &mine, p->alpha);
    text_put(&factors, ";\n    td_p->beta = ");
    if (p->beta)
        host_expr(&factors, &mine, p->beta);
    else
        text_char(&factors, '0');
    text_fmt(out, "static void td_%s_product(const int64_t *td_dims, const double *td_scalars, td_product *td_p) {\n",
             kernel_symbol(h->p, k));
    put_arguments(out, &mine, k);
    text_put(out, "    (void)td_dims, (void)td_scalars;\n    memset(td_p, 0, sizeof *td_p);\n");
    text_fmt(out,
             "    td_p->factor = %s, td_p->result = %s, td_p->scale = %s;\n    td_p->compute = %s;\n"
             "    td_p->epilogue = %s;\n    td_p->factor_bytes = %d, td_p->result_bytes = %d;\n",
             glue_cuda_type(factor), glue_cuda_type(result), glue_cuda_type(p->alpha->type),
             glue_compute(tuning_sum(g, factor)), glue_epilogue(p->act, p->bias.tensor != NULL), type_bits(factor) / 8,
             type_bits(result) / 8);
    text_fmt(out, "%s%s;\n}\n\n", body.s, factors.s);
}

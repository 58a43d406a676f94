/* What an entry takes, as text: as td has it, as parameters in C, and as the comment in model.h that has a line for
 * each argument; and the types of elements that C has not. */
#include "glue_arguments.h"
#include "glue_text.h"

#include <string.h>

void glue_params(Text *out, const HostEntry *h, GlueParams which) {
    const Program *p = h->p;
    const char *sep = "";
    for (int i = 0; which == GLUE_CALL && i < p->params.n; i++, sep = ", ") {
        const Tensor *t = p->params.at[i];
        text_fmt(out, "%s%s%s *%s", sep, t->kind == TENSOR_INPUT ? "const " : "", host_element(t->type), h->params[i]);
    }
    for (int i = 0; i < p->graph->dims.n; i++, sep = ", ") text_fmt(out, "%sint64_t %s", sep, h->dims[i]);
    for (int i = 0; which == GLUE_CALL && i < p->graph->scalars.n; i++, sep = ", ")
        text_fmt(out, "%s%s %s", sep, host_ctype(p->graph->scalars.at[i]->type), h->scalars[i]);
}

/* ---- as td has it ---- */

static void put_tensor_type(Text *out, const Tensor *t) {
    text_fmt(out, "%s[", type_name(t->type));
    for (int d = 0; d < t->rank; d++) {
        if (d) text_put(out, ", ");
        expr_print(out, t->shape[d], NULL);
    }
    text_char(out, ']');
}

static void put_scalar_type(Text *out, const Scalar *s) {
    text_put(out, type_name(s->type));
    if (!s->has_default) return;
    text_put(out, " = ");
    if (type_is_float(s->type))
        text_double(out, s->def);
    else
        text_fmt(out, "%lld", (long long)s->def);
}

static bool names_dim(const Expr *e, const Dim *d) {
    if (e->op == OP_DIM) return e->u.dim == d;
    for (int i = 0; i < e->nargs; i++)
        if (names_dim(e->arg[i], d)) return true;
    return false;
}

static bool in_a_shape(const Program *p, const Dim *d) {
    for (int i = 0; i < p->params.n; i++)
        for (int k = 0; k < p->params.at[i]->rank; k++)
            if (names_dim(p->params.at[i]->shape[k], d)) return true;
    return false;
}

void glue_signature(Text *out, const Program *p) {
    const Graph *g = p->graph;
    const char *sep = "";
    text_fmt(out, "%s(", g->name);
    for (int i = 0; i < p->params.n; i++) {
        const Tensor *t = p->params.at[i];
        if (t->kind == TENSOR_OUTPUT) continue;
        text_fmt(out, "%s%s%s: ", sep, t->kind == TENSOR_INOUT ? "inout " : "", t->name);
        put_tensor_type(out, t);
        sep = ", ";
    }
    for (int i = 0; i < g->dims.n; i++) {
        const Dim *d = g->dims.at[i];
        if (in_a_shape(p, d)) continue;
        text_fmt(out, "%s%s: int", sep, d->name);
        if (d->has_default) text_fmt(out, " = %lld", (long long)d->def);
        sep = ", ";
    }
    for (int i = 0; i < g->scalars.n; i++, sep = ", ") {
        text_fmt(out, "%s%s: ", sep, g->scalars.at[i]->name);
        put_scalar_type(out, g->scalars.at[i]);
    }
    text_char(out, ')');
    sep = " -> (";
    for (int i = 0; i < p->params.n; i++) {
        const Tensor *t = p->params.at[i];
        if (t->kind != TENSOR_OUTPUT) continue;
        if (g->host) {
            text_fmt(out, " -> %s", type_name(t->type));
            return;
        }
        text_fmt(out, "%s%s: ", sep, t->name);
        put_tensor_type(out, t);
        sep = ", ";
    }
    if (*sep == ',') text_char(out, ')');
}

/* ---- the comment ---- */

/* A line for an argument: what it is, its name in C, its type in td. */
typedef struct Lines {
    Text *out;
    int width; /* of the longest name */
} Lines;

static void put_line(const Lines *l, const char *what, const char *name, const char *type) {
    text_fmt(l->out, "\n *   %-6s  %-*s  ", what, l->width, name);
    glue_comment(l->out, type);
}

static void tensor_line(const Lines *l, const Tensor *t, const char *name) {
    static const char *const directions[] = {"in", "inout", "out", ""};
    Text type = {.ctx = l->out->ctx};
    put_tensor_type(&type, t);
    put_line(l, directions[t->kind], name, type.s);
}

static void dim_line(const Lines *l, const Dim *d, const char *name) {
    Text type = {.ctx = l->out->ctx};
    text_put(&type, "i64");
    if (d->hi != INT64_MAX)
        text_fmt(&type, " in %lld..=%lld", (long long)d->lo, (long long)d->hi);
    else if (d->lo > 0)
        text_fmt(&type, " in %lld..", (long long)d->lo);
    if (d->divisor > 1) text_fmt(&type, ", divisible by %lld", (long long)d->divisor);
    put_line(l, "dim", name, type.s);
}

static void scalar_line(const Lines *l, const Scalar *s, const char *name) {
    Text type = {.ctx = l->out->ctx};
    put_scalar_type(&type, s);
    put_line(l, "scalar", name, type.s);
}

static int longest(const Sym *names, int n, int width) {
    for (int i = 0; i < n; i++)
        if ((int)strlen(names[i]) > width) width = (int)strlen(names[i]);
    return width;
}

void glue_argument_comment(Text *out, const HostEntry *h) {
    const Program *p = h->p;
    const Graph *g = p->graph;
    int tensors = g->host ? 0 : p->params.n;
    Text signature = {.ctx = out->ctx};
    Lines l = {.out = out, .width = longest(h->params, tensors, 0)};
    l.width = longest(h->dims, g->dims.n, l.width);
    l.width = longest(h->scalars, g->scalars.n, l.width);
    glue_signature(&signature, p);
    text_put(out, "/* ");
    glue_comment(out, signature.s);
    if (g->host) text_put(out, ": a function of the host");
    for (int i = 0; i < tensors; i++) tensor_line(&l, p->params.at[i], h->params[i]);
    for (int i = 0; i < g->dims.n; i++) dim_line(&l, g->dims.at[i], h->dims[i]);
    for (int i = 0; i < g->scalars.n; i++) scalar_line(&l, g->scalars.at[i], h->scalars[i]);
    for (int i = 0; i < p->in_place.n; i++)
        text_fmt(out, "\n *   %s may have the address of %s", p->in_place.at[i].out->name, p->in_place.at[i].in->name);
    text_put(out, " */\n");
}

/* ---- types of elements ---- */

/* Floats of 16 and 8 bits. CUDA's headers define the macro along with the type, which they have in C++ alone. */
static const struct {
    Type type;
    const char *guard, *header, *macro, *cuda;
} SMALL_FLOATS[] = {
    {TY_F16, "TD_F16_T", "cuda_fp16.h", "__CUDA_FP16_TYPES_EXIST__", "__half"},
    {TY_BF16, "TD_BF16_T", "cuda_bf16.h", "__CUDA_BF16_TYPES_EXIST__", "__nv_bfloat16"},
    {TY_F8E4M3, "TD_F8E4M3_T", "cuda_fp8.h", "__CUDA_FP8_TYPES_EXIST__", "__nv_fp8_e4m3"},
    {TY_F8E5M2, "TD_F8E5M2_T", "cuda_fp8.h", "__CUDA_FP8_TYPES_EXIST__", "__nv_fp8_e5m2"},
};

static bool has_type(const Program *const *programs, int n, Type type) {
    for (int i = 0; i < n; i++)
        for (int k = 0; !programs[i]->graph->host && k < programs[i]->params.n; k++)
            if (programs[i]->params.at[k]->type == type) return true;
    return false;
}

void glue_element_types(Text *out, const Program *const *programs, int n) {
    bool any = false;
    for (size_t i = 0; i < sizeof SMALL_FLOATS / sizeof *SMALL_FLOATS; i++) {
        Type t = SMALL_FLOATS[i].type;
        if (!has_type(programs, n, t)) continue;
        if (!any) glue_text(out, GLUE_IN_HEADER, "elements", NULL);
        any = true;
        glue_part(out, GLUE_IN_HEADER, "element",
                  &(GlueWords){.at = {{"@GUARD@", SMALL_FLOATS[i].guard},
                                      {"@MACRO@", SMALL_FLOATS[i].macro},
                                      {"@HEADER@", SMALL_FLOATS[i].header},
                                      {"@CUDA@", SMALL_FLOATS[i].cuda},
                                      {"@NAME@", host_element(t)},
                                      {"@BITS@", sym_fmt(out->ctx, "%d", type_bits(t))}}});
    }
    if (any) text_char(out, '\n');
}

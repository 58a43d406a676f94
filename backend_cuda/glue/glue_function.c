/* A function of the host in model.c: one C function of its scalars and dimensions, and the uniform entry, which puts
 * its value where a tensor of rank 0 would be. The host computes floats in double and rounds where the program does. */
#include "glue_entry.h"

#include "ir/expr_walk.h"
#include "ir/interp/interp.h"

static const Tensor *result(const Program *p) { return p->params.at[0]; }
static const Expr *value(const Program *p) { return result(p)->pieces.at[0].value; }

/* ---- parts of the value as C variables ---- */

enum { NAME_EVERY = 24 }; /* levels of an expression that are printed in one piece */

typedef struct Parts {
    HostEntry *h;
    Text *out;
    ExprMap used; /* Expr -> operands that it is */
    int n;
} Parts;

static Found count_operands(const Expr *e, void *parts) {
    Parts *p = parts;
    for (int i = 0; i < e->nargs; i++)
        expr_map_put_number(p->h->ctx, &p->used, e->arg[i], expr_map_number(&p->used, e->arg[i], 0) + 1);
    return FOUND_INSIDE;
}

static void name_part(const Expr *e, void *parts) {
    Parts *p = parts;
    if (e->nargs == 0 || (expr_map_number(&p->used, e, 0) < 2 && e->depth % NAME_EVERY != 0)) return;
    Sym name = sym_fmt(p->h->ctx, "td_%d", p->n++);
    text_fmt(p->out, "    const %s %s = ", type_is_float(e->type) ? "double" : "int64_t", name);
    host_expr(p->out, p->h, e);
    text_put(p->out, ";\n");
    expr_map_put(p->h->ctx, &p->h->named, e, name);
}

/* Names the parts of e that are used twice or lie deep, inner ones first. Everything on the host is defined for all
 * values, so that nothing is lost where only one branch of an `if` needs a part. */
static void name_parts(Text *out, HostEntry *h, const Expr *e) {
    Parts p = {.h = h, .out = out};
    expr_walk(&(ExprWalk){.temp = h->ctx, .before = count_operands, .user = &p}, e);
    expr_walk(&(ExprWalk){.temp = h->ctx, .after = name_part, .user = &p}, e);
}

/* ---- the function ---- */

static void declare(Text *out, const HostEntry *h, const char *x, bool plain) {
    const Graph *g = h->p->graph;
    const char *sep = "";
    text_fmt(out, "%s %s_%s(", host_ctype(result(h->p)->type), x, g->name);
    for (int i = 0; i < g->dims.n; i++, sep = ", ") text_fmt(out, "%sint64_t %s", sep, h->dims[i]);
    for (int i = 0; i < g->scalars.n; i++, sep = ", ") {
        bool rounds = !plain && type_is_float(g->scalars.at[i]->type) && type_bits(g->scalars.at[i]->type) < 32;
        text_fmt(out, "%s%s %s%s", sep, host_ctype(g->scalars.at[i]->type), rounds ? "td_given_" : "", h->scalars[i]);
    }
    text_put(out, *sep ? ")" : "void)");
}

void glue_function_declare(Text *out, const HostEntry *h, const char *prefix) { declare(out, h, prefix, true); }

/* Scalars of narrow types are rounded, as the launch of a kernel would. */
static void round_scalars(Text *out, const HostEntry *h) {
    const Graph *g = h->p->graph;
    for (int i = 0; i < g->scalars.n; i++) {
        Type t = g->scalars.at[i]->type;
        if (!h->scalar_used[i] || !type_is_float(t) || type_bits(t) >= 32) continue;
        text_fmt(out, "    const double %s = ", h->scalars[i]);
        host_round(out, h, t, sym_fmt(h->ctx, "td_given_%s", h->scalars[i]));
        text_put(out, ";\n");
    }
}

static void unused(Text *out, const HostEntry *h) {
    const Graph *g = h->p->graph;
    for (int i = 0; i < g->dims.n; i++)
        if (!h->dim_used[i]) text_fmt(out, "    (void)%s;\n", h->dims[i]);
    for (int i = 0; i < g->scalars.n; i++) {
        Type t = g->scalars.at[i]->type;
        bool rounds = type_is_float(t) && type_bits(t) < 32;
        if (!h->scalar_used[i]) text_fmt(out, "    (void)%s%s;\n", rounds ? "td_given_" : "", h->scalars[i]);
    }
}

static void define(Text *out, HostEntry *h, const char *x) {
    const Expr *v = value(h->p);
    Type t = result(h->p)->type;
    Text body = {.ctx = h->ctx};
    if (v->type != t) v = expr_cast(h->p->graph, t, v);
    name_parts(&body, h, v);
    text_fmt(&body, "    return (%s)", host_ctype(t));
    host_expr(&body, h, v);
    declare(out, h, x, false);
    text_put(out, " {\n");
    round_scalars(out, h);
    unused(out, h);
    text_put(out, body.s);
    text_put(out, ";\n}\n\n");
}

/* ---- the uniform entry ---- */

static void store(Text *out, const HostEntry *h) {
    Type t = result(h->p)->type;
    NumFormat f = num_format(t);
    if (type_is_float(t) && type_bits(t) < 32) {
        h->used[HOST_BITS] = *h->needs_math = true;
        text_fmt(out, "    const uint%d_t td_bytes = (uint%d_t)td_bits(td_value, %d, %d, %d);\n", type_bits(t),
                 type_bits(t), f.precision, f.emin, f.exp_bits);
    } else {
        text_fmt(out, "    const %s td_bytes = (%s)%s;\n", host_ctype(t), host_ctype(t),
                 type_bits(t) == 4 ? "(td_value & 15)" : "td_value");
    }
}

static void uniform(Text *out, const HostEntry *h, const char *x) {
    const Graph *g = h->p->graph;
    const char *e = g->name, *sep = "";
    text_fmt(out,
             "static int td_%s_bytes(const int64_t *dims, size_t *bytes) {\n"
             "    (void)dims;\n"
             "    if (!bytes) return (int)%s_error_argument;\n"
             "    *bytes = 0;\n    return (int)%s_ok;\n}\n\n",
             e, x, x);
    text_fmt(
        out,
        "static int td_%s_call(void *const *tensors, const int64_t *dims, const double *scalars, void *workspace,\n"
        "    size_t workspace_bytes, void *stream, char *message, size_t message_bytes) {\n"
        "    const %s td_value = %s_%s(",
        e, host_ctype(result(h->p)->type), x, e);
    for (int i = 0; i < g->dims.n; i++, sep = ", ") text_fmt(out, "%sdims[%d]", sep, i);
    for (int i = 0; i < g->scalars.n; i++, sep = ", ")
        text_fmt(out, "%s(%s)scalars[%d]", sep, host_ctype(g->scalars.at[i]->type), i);
    text_put(out, ");\n");
    store(out, h);
    text_fmt(out,
             "    const td_sink td_s = {\"%s\", message, message_bytes};\n"
             "    (void)dims, (void)scalars, (void)workspace, (void)workspace_bytes;\n"
             "    return (int)td_cuda(&td_s, \"storing the value\",\n"
             "                        (int)cudaMemcpyAsync(tensors[0], &td_bytes, sizeof td_bytes, "
             "cudaMemcpyHostToDevice,\n"
             "                                             (cudaStream_t)stream));\n}\n\n",
             e);
}

void glue_function(Text *out, HostEntry *h, const char *prefix) {
    text_fmt(out, "/* ---- %s: a function of the host ---- */\n\n", h->p->graph->name);
    glue_signature_tables(out, h, prefix, false);
    define(out, h, prefix);
    uniform(out, h, prefix);
}

/* A function of the host in model.c: one C function of its scalars and dimensions, and the uniform entry, which puts
 * its value where a tensor of rank 0 would be. The host computes floats in double and rounds where the program does. */
#include "glue_function.h"
#include "glue_signature.h"
#include "glue_text.h"
#include "ir/interp/interp.h"

static const Tensor *result(const Program *p) { return p->params.at[0]; }
static const Expr *value(const Program *p) { return result(p)->pieces.at[0].value; }

/* ---- parts of the value as C variables ---- */

enum { NAME_EVERY = 24 }; /* levels of an expression that are printed in one piece */

typedef struct Parts {
    HostEntry *h;
    ExprMap seen;     /* nodes met once: the node itself */
    ExprMap repeated; /* nodes met more often */
    ExprMap done;
    int n;
} Parts;

static void count(Parts *p, const Expr *e) {
    if (expr_map_get(&p->seen, e)) {
        expr_map_put(p->h->ctx, &p->repeated, e, e);
        return;
    }
    expr_map_put(p->h->ctx, &p->seen, e, e);
    for (int i = 0; i < e->nargs; i++) count(p, e->arg[i]);
}

/* Names the parts that are used twice or lie deep, inner ones first. Everything on the host is defined for all values,
 * so that nothing is lost where only one branch of an `if` needs a part. */
static void name_parts(Text *out, Parts *p, const Expr *e) {
    if (e->nargs == 0 || expr_map_get(&p->done, e)) return;
    expr_map_put(p->h->ctx, &p->done, e, e);
    for (int i = 0; i < e->nargs; i++) name_parts(out, p, e->arg[i]);
    if (!expr_map_get(&p->repeated, e) && e->depth % NAME_EVERY != 0) return;
    Sym name = sym_fmt(p->h->ctx, "td_%d", p->n++);
    text_fmt(out, "    const %s %s = ", type_is_float(e->type) ? "double" : "int64_t", name);
    host_expr(out, p->h, e);
    text_put(out, ";\n");
    expr_map_put(p->h->ctx, &p->h->named, e, name);
}

/* ---- the function ---- */

static void declare(Text *out, const HostEntry *h, const char *prefix, bool plain) {
    const Graph *g = h->p->graph;
    const char *sep = "";
    text_fmt(out, "%s %s_%s(", host_ctype(result(h->p)->type), prefix, g->name);
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

static void define(Text *out, HostEntry *h, const char *prefix) {
    const Expr *v = value(h->p);
    Type t = result(h->p)->type;
    Parts p = {.h = h};
    Text body = {.ctx = h->ctx};
    if (v->type != t) v = expr_cast(h->p->graph, t, v);
    count(&p, v);
    name_parts(&body, &p, v);
    text_fmt(&body, "    return (%s)", host_ctype(t));
    host_expr(&body, h, v);
    declare(out, h, prefix, false);
    text_put(out, " {\n");
    round_scalars(out, h);
    unused(out, h);
    text_put(out, body.s);
    text_put(out, ";\n}\n\n");
}

/* ---- the uniform entry ---- */

/* The type in which the value lies in memory, and the value in it. */
static Sym stored_type(const HostEntry *h) {
    Type t = result(h->p)->type;
    bool small = type_is_float(t) && type_bits(t) < 32;
    return small ? sym_fmt(h->ctx, "uint%d_t", type_bits(t)) : sym(h->ctx, host_ctype(t));
}

static Sym stored(const HostEntry *h) {
    Type t = result(h->p)->type;
    NumFormat f = num_format(t);
    Sym type = stored_type(h);
    if (!type_is_float(t) || type_bits(t) >= 32)
        return sym_fmt(h->ctx, "(%s)%s", type, type_bits(t) == 4 ? "(td_value & 15)" : "td_value");
    h->used[HOST_BITS] = *h->needs_math = true;
    return sym_fmt(h->ctx, "(%s)td_bits(td_value, %d, %d, %d)", type, f.precision, f.emin, f.exp_bits);
}

static void uniform(Text *out, const HostEntry *h, const char *prefix) {
    const Graph *g = h->p->graph;
    const char *sep = "";
    Text arguments = {.ctx = h->ctx};
    for (int i = 0; i < g->dims.n; i++, sep = ", ") text_fmt(&arguments, "%sdims[%d]", sep, i);
    for (int i = 0; i < g->scalars.n; i++, sep = ", ")
        text_fmt(&arguments, "%s(%s)scalars[%d]", sep, host_ctype(g->scalars.at[i]->type), i);
    glue_part(out, GLUE_IN_FUNCTION, "uniform",
              &(GlueWords){.prefix = prefix,
                           .at = {{"@ENTRY@", g->name},
                                  {"@TYPE@", host_ctype(result(h->p)->type)},
                                  {"@ARGUMENTS@", arguments.s},
                                  {"@STORED@", stored_type(h)},
                                  {"@BYTES@", stored(h)}}});
}

void glue_function(Text *out, HostEntry *h, const char *prefix) {
    text_fmt(out, "/* ---- %s: a function of the host ---- */\n\n", h->p->graph->name);
    glue_signature_tables(out, h, prefix, false);
    define(out, h, prefix);
    uniform(out, h, prefix);
}

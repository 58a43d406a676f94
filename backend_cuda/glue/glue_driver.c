/* MODEL_main.c, an example that calls each entry on random inputs at sizes from its command line (text: driver.in). */
#include "glue_arguments.h"
#include "glue_text.h"
#include "ir/poly/bound.h"
#include "ir/interp/interp.h"

#include <string.h>

/* What the functions of the example call their own. */
static const char *const LOCALS[] = {
    "a",       "accept", "ctx",          "device_memory", "done", "free_tensors", "make_tensors", "number", "number_of",
    "refused", "run",    "show_results", "status",        "t",    "value",        "whole",        "why"};

static bool is_local(const char *name) {
    for (size_t i = 0; i < sizeof LOCALS / sizeof *LOCALS; i++)
        if (!strcmp(LOCALS[i], name)) return true;
    return false;
}

static bool taken(const HostEntry *h, const char *name) {
    for (int i = 0; i < h->p->graph->dims.n; i++)
        if (!strcmp(h->dims[i], name)) return true;
    for (int i = 0; i < h->p->graph->scalars.n; i++)
        if (!strcmp(h->scalars[i], name)) return true;
    return is_local(name);
}

/* Arguments whose names are those of the example's own variables get an underscore. */
static void rename_arguments(HostEntry *h) {
    const Graph *g = h->p->graph;
    for (int i = 0; i < g->dims.n + g->scalars.n; i++) {
        Sym *name = i < g->dims.n ? &h->dims[i] : &h->scalars[i - g->dims.n];
        if (!is_local(*name)) continue;
        Sym fresh = sym_fmt(h->ctx, "%s_", *name);
        while (taken(h, fresh)) fresh = sym_fmt(h->ctx, "%s_", fresh);
        *name = fresh;
    }
}

/* What the example is made of. */
typedef struct Example {
    Text entries, elements, table;
    int rank;                    /* the largest of a tensor */
    bool whole, number, tensors; /* which of the functions of driver.in the entries call */
    bool small;                  /* floats of few bits */
} Example;

/* ---- values by default ---- */

static const Binding *given(const GlueOptions *o, Sym entry, Sym name) {
    for (int i = 0; i < o->nsizes; i++)
        for (int k = 0; o->sizes[i].entry == entry && k < o->sizes[i].n; k++)
            if (o->sizes[i].at[k].name == name) return &o->sizes[i].at[k];
    return NULL;
}

/* The size of a check, else near 128 what the declaration allows. */
static int64_t dim_default(const GlueOptions *o, Sym entry, const Dim *d) {
    const Binding *b = given(o, entry, d->name);
    int64_t v = b                ? b->ivalue
                : d->has_default ? d->def
                : d->hint        ? d->hint
                                 : 128,
            step = d->divisor > 1 ? d->divisor : 1;
    if (b || d->has_default) return v;
    if (v > d->hi) v = d->hi;
    if (v < d->lo) v = d->lo;
    int64_t up = (v + step - 1) / step * step;
    return up <= d->hi ? up : v / step * step;
}

static double scalar_default(const GlueOptions *o, Sym entry, const Scalar *s) {
    const Binding *b = given(o, entry, s->name);
    return b ? b->value : s->has_default ? s->def : 1;
}

/* ---- elements ---- */

/* The C type that an element is in memory, NULL for those that C has not. */
static const char *memory_type(Type t) {
    return type_bits(t) == 4 || (type_is_float(t) && type_bits(t) < 32) ? NULL : host_ctype(t);
}

/* How an element is read and written. */
static void element_functions(Text *out, Type t) {
    const char *name = type_name(t), *memory = memory_type(t);
    const int bits = type_bits(t);
    NumFormat f = num_format(t);
    Text get = {.ctx = out->ctx}, put = {.ctx = out->ctx};
    if (memory) {
        text_fmt(&get, "(double)((const %s *)p)[i]", memory);
        text_put(&put, "v");
    } else if (bits == 4) {
        const char *half = "((const uint8_t *)p)[i / 2] >> (i % 2 ? 4 : 0)";
        text_fmt(&get, type_class(t) == CLASS_SINT ? "(double)((((%s) & 15) ^ 8) - 8)" : "(double)((%s) & 15)", half);
    } else {
        memory = sym_fmt(out->ctx, "uint%d_t", bits);
        text_fmt(&get, "small_value(((const %s *)p)[i], %d, %d, %d)", memory, f.precision - 1, f.exp_bits,
                 t != TY_F8E4M3);
        text_fmt(&put, "small_bits(v, %d, %d)", f.precision - 1, f.exp_bits);
    }
    glue_part(out, GLUE_IN_DRIVER, "get", &(GlueWords){.at = {{"@TYPE@", name}, {"@VALUE@", get.s}}});
    glue_part(out, GLUE_IN_DRIVER, bits == 4 ? "put_half_byte" : "put",
              &(GlueWords){.at = {{"@TYPE@", name}, {"@MEMORY@", memory}, {"@VALUE@", put.s}}});
    glue_part(out, GLUE_IN_DRIVER, "type",
              &(GlueWords){.at = {{"@TYPE@", name},
                                  {"@BITS@", sym_fmt(out->ctx, "%d", bits)},
                                  {"@FLOAT@", type_is_float(t) ? "1" : "0"}}});
}

/* ---- one entry ---- */

typedef struct Draw {
    const HostEntry *h;
    Type type;
    Text least, most; /* empty: no bound */
} Draw;

/* One bound more: least is the largest of the lower ones. */
static void add_bound(Draw *d, bool lower, const char *v) {
    Text *side = lower ? &d->least : &d->most;
    Text next = {.ctx = d->h->ctx};
    if (side->n)
        text_fmt(&next, "%s(%s, %s)", lower ? "fmax" : "fmin", side->s, v);
    else
        text_put(&next, v);
    *side = next;
}

static void draw_bound(void *user, Op op, const Expr *other) {
    Draw *d = user;
    Text v = {.ctx = d->h->ctx};
    const Expr *e = other;
    while (e->op == OP_CAST && type_is_float(e->type)) e = e->arg[0];
    if (!host_can(e)) return;
    text_put(&v, "(double)");
    host_expr(&v, d->h, e);
    bool strict = (op == OP_LT || op == OP_GT) && !type_is_float(d->type);
    if (strict) text_put(&v, op == OP_LT ? " - 1" : " + 1");
    if (op != OP_LT && op != OP_LE) add_bound(d, true, v.s);
    if (op != OP_GT && op != OP_GE) add_bound(d, false, v.s);
}

/* "least, most" of an input: what is assumed of it; where that leaves a side open, something near. */
static void draw_range(Text *out, const HostEntry *h, const Tensor *t) {
    Draw d = {.h = h, .type = t->type, .least = {.ctx = h->ctx}, .most = {.ctx = h->ctx}};
    bool is_float = type_is_float(t->type), is_signed = is_float || type_class(t->type) == CLASS_SINT;
    const char *wide = t->type == TY_BOOL || is_float ? "1" : type_bits(t->type) == 4 ? "7" : "15";
    bound_each(h->p->graph, t, draw_bound, &d);
    if (!d.least.n && !d.most.n)
        text_fmt(out, "%s%s, %s", is_signed ? "-" : "", is_signed ? wide : "0", wide);
    else if (!d.least.n)
        text_fmt(out, is_signed ? "%s - %s, %s" : "0, %.0s%.0s%s", d.most.s, wide, d.most.s);
    else if (!d.most.n)
        text_fmt(out, "%s, %s + %s", d.least.s, d.least.s, wide);
    else
        text_fmt(out, "%s, %s", d.least.s, d.most.s);
}

static void tensor_row(Text *out, const HostEntry *h, const Tensor *t) {
    text_fmt(out, "        {\"%s\", &type_%s, %d, {", t->name, type_name(t->type), t->rank);
    for (int d = 0; d < t->rank; d++) {
        if (d) text_put(out, ", ");
        host_expr(out, h, t->shape[d]);
    }
    text_fmt(out, "%s}, %d, %d, ", t->rank ? "" : "0", t->kind != TENSOR_OUTPUT, t->kind != TENSOR_INPUT);
    if (t->kind == TENSOR_OUTPUT)
        text_put(out, "0, 0");
    else
        draw_range(out, h, t);
    text_put(out, ", NULL, NULL},\n");
}

static void arguments(Text *out, const HostEntry *h, const GlueOptions *o, Example *x) {
    const Graph *g = h->p->graph;
    x->whole |= g->dims.n > 0;
    for (int i = 0; i < g->dims.n; i++)
        text_fmt(out, "    const int64_t %s = whole(a, \"%s\", %lld);\n", h->dims[i], g->dims.at[i]->name,
                 (long long)dim_default(o, g->name, g->dims.at[i]));
    for (int i = 0; i < g->scalars.n; i++) {
        const char *c = host_ctype(g->scalars.at[i]->type);
        double v = scalar_default(o, g->name, g->scalars.at[i]);
        bool is_float = type_is_float(g->scalars.at[i]->type);
        *(is_float ? &x->number : &x->whole) = true;
        text_fmt(out, "    const %s %s = (%s)%s(a, \"%s\", ", c, h->scalars[i], c, is_float ? "number" : "whole",
                 g->scalars.at[i]->name);
        if (is_float)
            text_double(out, v);
        else
            text_fmt(out, "%lld", (long long)v);
        text_put(out, ");\n");
    }
}

static void pass(Text *out, const HostEntry *h, bool scalars, const char *sep) {
    const Graph *g = h->p->graph;
    for (int i = 0; i < g->dims.n; i++, sep = ", ") text_fmt(out, "%s%s", sep, h->dims[i]);
    for (int i = 0; scalars && i < g->scalars.n; i++, sep = ", ") text_fmt(out, "%s%s", sep, h->scalars[i]);
}

/* " M K eps ", or with the defaults " M=8 K=4 eps=1e-05". */
static void names(Text *out, const Graph *g, const GlueOptions *o) {
    for (int i = 0; i < g->dims.n; i++) {
        text_fmt(out, " %s", g->dims.at[i]->name);
        if (o) text_fmt(out, "=%lld", (long long)dim_default(o, g->name, g->dims.at[i]));
    }
    for (int i = 0; i < g->scalars.n; i++) {
        text_fmt(out, " %s", g->scalars.at[i]->name);
        if (!o) continue;
        double v = scalar_default(o, g->name, g->scalars.at[i]);
        text_char(out, '=');
        type_is_float(g->scalars.at[i]->type) ? text_double(out, v) : text_fmt(out, "%lld", (long long)v);
    }
}

/* The function of the example that calls the entry, or the function of the host. */
static void call(Text *out, const HostEntry *h, const GlueOptions *o, Example *x) {
    const Program *p = h->p;
    const Graph *g = p->graph;
    Ctx *ctx = h->ctx;
    Text signature = {.ctx = ctx}, comment = {.ctx = ctx}, own = {.ctx = ctx}, accepted = {.ctx = ctx};
    Text tensors = {.ctx = ctx}, dims = {.ctx = ctx}, pointers = {.ctx = ctx}, all = {.ctx = ctx};
    glue_signature(&signature, p);
    glue_comment(&comment, signature.s);
    arguments(&own, h, o, x);
    names(&accepted, g, NULL);
    pass(&dims, h, false, ", ");
    pass(&all, h, true, g->host ? "" : ", ");
    for (int i = 0; i < p->params.n && !g->host; i++) {
        const Tensor *t = p->params.at[i];
        tensor_row(&tensors, h, t);
        text_fmt(&pointers, ", (%s%s *)t[%d].device", t->kind == TENSOR_INPUT ? "const " : "", host_element(t->type),
                 i);
    }
    x->tensors |= !g->host;
    glue_part(out, GLUE_IN_DRIVER, g->host ? "run_function" : "run_entry",
              &(GlueWords){.prefix = o->prefix,
                           .at = {{"@ENTRY@", g->name},
                                  {"@SIGNATURE@", comment.s},
                                  {"@ARGUMENTS@", own.s},
                                  {"@NAMES@", accepted.s},
                                  {"@TENSORS@", tensors.s},
                                  {"@COUNT@", sym_fmt(ctx, "%d", p->params.n)},
                                  {"@DIMS@", dims.s},
                                  {"@POINTERS@", pointers.s},
                                  {"@ALL@", all.s}}});
}

/* ---- the file ---- */

static Example example(Ctx *ctx, const Program *const *programs, int n, const GlueOptions *o) {
    Example x = {.entries = {.ctx = ctx}, .elements = {.ctx = ctx}, .table = {.ctx = ctx}, .rank = 1};
    bool used[HOST_COUNT] = {0}, math = false, types[TY_COUNT] = {0};
    Text body = {.ctx = ctx};
    for (int i = 0; i < n; i++) {
        const Program *p = programs[i];
        HostEntry h = host_entry(ctx, p, used, &math);
        rename_arguments(&h);
        call(&body, &h, o, &x);
        for (int k = 0; !p->graph->host && k < p->params.n; k++) {
            types[p->params.at[k]->type] = true;
            if (p->params.at[k]->rank > x.rank) x.rank = p->params.at[k]->rank;
        }
        text_fmt(&x.table, "    {\"%s\", \"", p->graph->name);
        names(&x.table, p->graph, o);
        text_fmt(&x.table, "\", run_%s},\n", p->graph->name);
    }
    for (int t = 0; t < TY_COUNT; t++) {
        if (!types[t]) continue;
        element_functions(&x.elements, (Type)t);
        x.small |= type_is_float((Type)t) && type_bits((Type)t) < 32;
    }
    host_functions(&x.entries, used);
    if (body.n) text_put(&x.entries, body.s + (x.entries.n != 0)); /* one empty line between the two */
    return x;
}

void glue_emit_main(Text *out, const Program *const *programs, int n, const GlueOptions *o) {
    Example x = example(out->ctx, programs, n, o);
    glue_banner(out, o, "An example that calls each entry on random inputs: MODEL_main [ENTRY] [NAME=VALUE...]");
    glue_include(out, o);
    glue_text(out, GLUE_IN_DRIVER, "arguments", o->prefix);
    if (x.whole) glue_text(out, GLUE_IN_DRIVER, "whole", o->prefix);
    if (x.number) glue_text(out, GLUE_IN_DRIVER, "number", o->prefix);
    if (x.tensors) glue_text(out, GLUE_IN_DRIVER, "element", o->prefix);
    if (x.small) glue_text(out, GLUE_IN_DRIVER, "small", o->prefix);
    text_put(out, x.elements.s ? x.elements.s : "");
    if (x.tensors)
        glue_part(out, GLUE_IN_DRIVER, "tensors",
                  &(GlueWords){.prefix = o->prefix, .at = {{"@RANK@", sym_fmt(out->ctx, "%d", x.rank)}}});
    glue_part(out, GLUE_IN_DRIVER, "entries",
              &(GlueWords){.prefix = o->prefix, .at = {{"@ENTRIES@", x.entries.s}, {"@TABLE@", x.table.s}}});
}

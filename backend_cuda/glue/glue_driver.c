/* MODEL_main.c, an example that calls each entry on random inputs at sizes from its command line. What does not depend
 * on the entries is the text of driver.in: its lines "//@ NAME" begin a part that is printed where NAME is called,
 * "//@" one that always is, and "//@word" is a place that is filled in here. */
#include "glue_entry.h"
#include "ir/poly/bound.h"
#include "ir/interp/interp.h"

#include <string.h>

extern const char *const driver_text_lines[];
extern const int driver_text_nlines;

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

static void element_body(Text *out, Type t) {
    const char *e = type_name(t), *c = memory_type(t);
    NumFormat f = num_format(t);
    text_fmt(out, "\nstatic double get_%s(const void *p, int64_t i) {\n    return ", e);
    if (c)
        text_fmt(out, "(double)((const %s *)p)[i];\n}\n", c);
    else if (type_bits(t) == 4 && type_class(t) == CLASS_SINT)
        text_put(out, "(double)((((((const uint8_t *)p)[i / 2] >> (i % 2 ? 4 : 0)) & 15) ^ 8) - 8);\n}\n");
    else if (type_bits(t) == 4)
        text_put(out, "(double)((((const uint8_t *)p)[i / 2] >> (i % 2 ? 4 : 0)) & 15);\n}\n");
    else
        text_fmt(out, "small_value(((const uint%d_t *)p)[i], %d, %d, %d);\n}\n", type_bits(t), f.precision - 1,
                 f.exp_bits, t != TY_F8E4M3);
    text_fmt(out, "static void put_%s(void *p, int64_t i, double v) {\n    ", e);
    if (c)
        text_fmt(out, "((%s *)p)[i] = (%s)v;\n}\n", c, c);
    else if (type_bits(t) == 4)
        text_put(out, "uint8_t *const at = (uint8_t *)p + i / 2;\n"
                      "    const unsigned bits = (unsigned)(int)v & 15;\n"
                      "    *at = (uint8_t)(i % 2 ? (*at & 15) | bits << 4 : (*at & 240) | bits);\n}\n");
    else
        text_fmt(out, "((uint%d_t *)p)[i] = (uint%d_t)small_bits(v, %d, %d);\n}\n", type_bits(t), type_bits(t),
                 f.precision - 1, f.exp_bits);
    text_fmt(out, "static const element type_%s = {\"%s\", %d, %d, get_%s, put_%s};\n", e, e, type_bits(t),
             type_is_float(t), e, e);
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

static void arguments(Text *out, const HostEntry *h, const GlueOptions *o) {
    const Graph *g = h->p->graph;
    for (int i = 0; i < g->dims.n; i++)
        text_fmt(out, "    const int64_t %s = whole(a, \"%s\", %lld);\n", h->dims[i], g->dims.at[i]->name,
                 (long long)dim_default(o, g->name, g->dims.at[i]));
    for (int i = 0; i < g->scalars.n; i++) {
        const char *c = host_ctype(g->scalars.at[i]->type);
        double v = scalar_default(o, g->name, g->scalars.at[i]);
        bool is_float = type_is_float(g->scalars.at[i]->type);
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

static void head(Text *out, const HostEntry *h, const GlueOptions *o) {
    Text s = {.ctx = h->ctx};
    glue_signature(&s, h->p);
    text_put(out, "\n/* ");
    host_comment(out, s.s);
    text_fmt(out, " */\nstatic int run_%s(%s_context *ctx, const arguments *a) {\n", h->p->graph->name, o->prefix);
    arguments(out, h, o);
}

static void call_function(Text *out, const HostEntry *h, const GlueOptions *o) {
    const Graph *g = h->p->graph;
    head(out, h, o);
    text_put(out, "    (void)ctx;\n    if (!accept(a, \"");
    names(out, g, NULL);
    text_fmt(out, " \")) return 0;\n    printf(\"%s = %%g\\n\", (double)%s_%s(", g->name, o->prefix, g->name);
    pass(out, h, true, "");
    text_put(out, "));\n    return 1;\n}\n");
}

static void call_entry(Text *out, const HostEntry *h, const GlueOptions *o) {
    const Program *p = h->p;
    const char *x = o->prefix, *e = p->graph->name;
    head(out, h, o);
    text_put(out, "    tensor t[] = {\n");
    for (int i = 0; i < p->params.n; i++) tensor_row(out, h, p->params.at[i]);
    text_fmt(out,
             "    };\n    char why[256] = \"\";\n"
             "    %s_run run = {NULL, 0, NULL, why, sizeof why}; /* the workspace; the default stream; for a message "
             "*/\n    %s_status status;\n    int done = 0;\n    if (!accept(a, \"",
             x, x);
    names(out, p->graph, NULL);
    text_fmt(out, " \")) return 0;\n    status = %s_%s_workspace(ctx", x, e);
    pass(out, h, false, ", ");
    text_fmt(out,
             ", &run.workspace_bytes);\n    if (status != %s_ok) return refused(\"%s\", status, why);\n"
             "    if (make_tensors(t, %d) && device_memory(&run.workspace, run.workspace_bytes)) {\n"
             "        status = %s_%s_prepare(ctx",
             x, e, p->params.n, x, e);
    pass(out, h, false, ", ");
    text_fmt(out, ");\n        if (status == %s_ok) status = %s_%s(ctx, &run", x, x, e);
    for (int i = 0; i < p->params.n; i++)
        text_fmt(out, ", (%s%s *)t[%d].device", p->params.at[i]->kind == TENSOR_INPUT ? "const " : "",
                 host_element(p->params.at[i]->type), i);
    pass(out, h, true, ", ");
    text_fmt(out,
             ");\n        done = status == %s_ok ? show_results(t, %d) : refused(\"%s\", status, why);\n    }\n"
             "    free_tensors(t, %d);\n    cudaFree(run.workspace);\n    return done;\n}\n",
             x, p->params.n, e, p->params.n);
}

/* ---- the files ---- */

typedef struct Example {
    Text entries, elements, table;
    int rank;
} Example;

static Example example(Ctx *ctx, const Program *const *programs, int n, const GlueOptions *o) {
    Example x = {.entries = {.ctx = ctx}, .elements = {.ctx = ctx}, .table = {.ctx = ctx}, .rank = 1};
    bool used[HOST_COUNT] = {0}, math = false, types[TY_COUNT] = {0};
    Text body = {.ctx = ctx};
    for (int i = 0; i < n; i++) {
        const Program *p = programs[i];
        HostEntry h = host_entry(ctx, p, used, &math);
        rename_arguments(&h);
        p->graph->host ? call_function(&body, &h, o) : call_entry(&body, &h, o);
        for (int k = 0; !p->graph->host && k < p->params.n; k++) {
            types[p->params.at[k]->type] = true;
            if (p->params.at[k]->rank > x.rank) x.rank = p->params.at[k]->rank;
        }
        text_fmt(&x.table, "    {\"%s\", \"", p->graph->name);
        names(&x.table, p->graph, o);
        text_fmt(&x.table, "\", run_%s},\n", p->graph->name);
    }
    text_put(&x.elements, "");
    for (int t = 0; t < TY_COUNT; t++)
        if (types[t]) element_body(&x.elements, (Type)t);
    text_put(&x.entries, "");
    host_functions(&x.entries, used);
    text_put(&x.entries, body.s + (x.entries.n != 0)); /* one empty line between the two */
    return x;
}

/* Whether a part of the text is needed: its name is called in what was filled in. */
static bool wanted(const Example *x, const char *name) {
    Text call = {.ctx = x->entries.ctx};
    text_fmt(&call, "%s(", name);
    return !*name || strstr(x->entries.s, call.s) || strstr(x->elements.s, call.s);
}

static void line(Text *out, const char *s, const Example *x, const char *prefix) {
    const char *rank = strstr(s, "@RANK@");
    if (rank) {
        text_fmt(out, "%.*s%d%s\n", (int)(rank - s), s, x->rank, rank + 6);
        return;
    }
    glue_template(out, s, prefix);
    text_char(out, '\n');
}

void glue_emit_main(Text *out, const Program *const *programs, int n, const GlueOptions *o) {
    Example x = example(out->ctx, programs, n, o);
    bool on = true;
    glue_banner(out, o, "An example that calls each entry on random inputs: MODEL_main [ENTRY] [NAME=VALUE...]");
    text_put(out, "#include \"");
    host_quoted(out, o->header);
    text_put(out, "\"\n\n");
    for (int i = 0; i < driver_text_nlines; i++) {
        const char *s = driver_text_lines[i];
        if (!strcmp(s, "//@elements"))
            text_put(out, x.elements.s);
        else if (!strcmp(s, "//@entries"))
            text_put(out, x.entries.s);
        else if (!strcmp(s, "//@table"))
            text_put(out, x.table.s);
        else if (!strncmp(s, "//@", 3))
            on = wanted(&x, s[3] ? s + 4 : "");
        else if (on)
            line(out, s, &x, o->prefix);
    }
}

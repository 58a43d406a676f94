/* The manifest: what a program in another language must know of a model to call it, as JSON. docs/interface.md says
 * what the members mean. */
#include "glue_manifest.h"
#include "glue_arguments.h"
#include "glue_shape.h"
#include "ir/diag.h"

#include <math.h>

enum { FORMAT = 1 };

/* Of letters alone. */
static void put_key(Text *out, const char *key) {
    text_char(out, '"');
    text_put(out, key);
    text_put(out, "\": ");
}

static void put_member(Text *out, const char *key, const char *value) {
    put_key(out, key);
    if (value)
        diag_json_string(out, value);
    else
        text_put(out, "null");
}

/* JSON has no infinities and no NaN: they are strings. */
static void number(Text *out, double v) {
    if (isnan(v))
        text_put(out, "\"nan\"");
    else if (isinf(v))
        text_put(out, v < 0 ? "\"-inf\"" : "\"inf\"");
    else if (v == rint(v) && fabs(v) < 1e15)
        text_fmt(out, "%.0f", v);
    else
        text_double(out, v);
}

/* A number is itself, a dimension or scalar its name, anything else [operator, operands...]. */
static void form(Text *out, const Expr *e) {
    switch (e->op) {
    case OP_CONST:
        if (e->type == TY_BOOL)
            text_put(out, e->u.i ? "true" : "false");
        else if (type_is_float(e->type))
            number(out, e->u.f);
        else
            text_fmt(out, "%lld", (long long)e->u.i);
        return;
    case OP_DIM: diag_json_string(out, e->u.dim->name); return;
    case OP_SCALAR: diag_json_string(out, e->u.scalar->name); return;
    default: break;
    }
    text_char(out, '[');
    diag_json_string(out, e->op == OP_CAST ? "cast" : op_text(e->op));
    if (e->op == OP_CAST) text_put(out, ", "), diag_json_string(out, type_name(e->type));
    for (int i = 0; i < e->nargs; i++) text_put(out, ", "), form(out, e->arg[i]);
    text_char(out, ']');
}

static void expression(Text *out, Ctx *ctx, const char *key, const Expr *e) {
    Text s = {.ctx = ctx};
    expr_print(&s, e, NULL);
    put_member(out, key, s.s);
    text_put(out, ", \"form\": ");
    form(out, e);
}

/* `"key": [` ITEMS `]`, one item a line. */
static void list_open(Text *out, const char *key) {
    text_put(out, ",\n      ");
    put_key(out, key);
    text_char(out, '[');
}

static void list_next(Text *out, bool first) { text_put(out, first ? "\n        " : ",\n        "); }
static void list_close(Text *out, bool empty) { text_put(out, empty ? "]" : "\n      ]"); }

/* The inputs at whose address it may stand. */
static void may_alias(Text *out, const Program *p, const Tensor *t) {
    const char *sep = "";
    for (int i = 0; i < p->in_place.n; i++) {
        if (p->in_place.at[i].out != t) continue;
        text_put(out, sep), diag_json_string(out, p->in_place.at[i].in->name);
        sep = ", ";
    }
}

static void tensors(Text *out, const Program *p) {
    static const char *const directions[] = {"in", "inout", "out", ""};
    list_open(out, "tensors");
    for (int i = 0; i < p->params.n; i++) {
        const Tensor *t = p->params.at[i];
        list_next(out, !i);
        text_char(out, '{');
        put_member(out, "name", t->name), text_put(out, ", ");
        put_member(out, "direction", directions[t->kind]), text_put(out, ", ");
        put_member(out, "type", type_name(t->type)), text_put(out, ", ");
        put_member(out, "c_type", host_element(t->type)), text_put(out, ", ");
        text_fmt(out, "\"alignment\": %d, \"may_alias\": [", type_bits(t->type) < 8 ? 1 : type_bits(t->type) / 8);
        may_alias(out, p, t);
        text_put(out, "], \"shape\": [");
        for (int d = 0; d < t->rank; d++) {
            text_put(out, d ? ", {" : "{");
            expression(out, out->ctx, "text", t->shape[d]);
            text_char(out, '}');
        }
        text_put(out, "]}");
    }
    list_close(out, !p->params.n);
}

static void dimensions(Text *out, const Program *p) {
    static const char *const sources[] = {"argument", "inputs", "outputs"};
    const ShapeSource *from = shape_sources(out->ctx, p);
    list_open(out, "dimensions");
    for (int i = 0; i < p->graph->dims.n; i++) {
        const Dim *d = p->graph->dims.at[i];
        list_next(out, !i);
        text_char(out, '{');
        put_member(out, "name", d->name);
        text_fmt(out, ", \"least\": %lld, \"most\": ", (long long)(d->lo > 0 ? d->lo : 0));
        text_fmt(out, d->hi == INT64_MAX ? "null" : "%lld", (long long)d->hi);
        text_fmt(out, ", \"divisor\": %lld, \"hint\": ", (long long)(d->divisor > 1 ? d->divisor : 1));
        text_fmt(out, d->hint ? "%lld" : "null", (long long)d->hint);
        text_put(out, ", \"default\": ");
        text_fmt(out, d->has_default ? "%lld, " : "null, ", (long long)d->def);
        put_member(out, "from", sources[from[i]]);
        text_char(out, '}');
    }
    list_close(out, !p->graph->dims.n);
}

static void scalars(Text *out, const Graph *g) {
    list_open(out, "scalars");
    for (int i = 0; i < g->scalars.n; i++) {
        const Scalar *s = g->scalars.at[i];
        list_next(out, !i);
        text_char(out, '{');
        put_member(out, "name", s->name), text_put(out, ", ");
        put_member(out, "type", type_name(s->type)), text_put(out, ", ");
        put_member(out, "c_type", host_ctype(s->type)), text_put(out, ", \"default\": ");
        if (s->has_default)
            number(out, s->def);
        else
            text_put(out, "null");
        text_char(out, '}');
    }
    list_close(out, !g->scalars.n);
}

static void requires(Text *out, const Graph *g, Ctx *ctx) {
    int n = 0;
    list_open(out, "requires");
    for (int i = 0; i < g->facts.n; i++) {
        const Fact *f = &g->facts.at[i];
        if (!f->require || f->nvars || !host_can(f->cond)) continue;
        list_next(out, !n++);
        text_char(out, '{');
        put_member(out, "text", f->text), text_put(out, ", ");
        expression(out, ctx, "condition", f->cond);
        text_char(out, '}');
    }
    list_close(out, !n);
}

/* Names of C need no escapes. */
static void symbols(Text *out, const Program *p, const char *prefix) {
    static const char *const functions[] = {"workspace", "prepare"};
    const char *e = p->graph->name;
    text_fmt(out, ",\n      \"symbols\": {\"run\": \"%s_%s\"", prefix, e);
    for (int i = 0; i < 2 && !p->graph->host; i++)
        text_fmt(out, ", \"%s\": \"%s_%s_%s\"", functions[i], prefix, e, functions[i]);
    text_char(out, '}');
}

static void condition(Text *out, const Expr *e) {
    text_char(out, '{');
    expression(out, out->ctx, "text", e);
    text_char(out, '}');
}

/* A name; of a choice, which sizes run which kernel. */
static void launched(Text *out, const Step *s) {
    if (s->kind != STEP_CHOICE) {
        diag_json_string(out, step_name(s));
        return;
    }
    text_char(out, '[');
    for (int i = 0; i < s->choice->cases.n; i++) {
        const ChoiceCase *c = s->choice->cases.at[i];
        text_put(out, i ? ", {\"when\": [" : "{\"when\": [");
        if (c->when) condition(out, c->when);
        text_put(out, "], \"launch\": ");
        diag_json_string(out, step_name(&c->steps.at[0]));
        text_char(out, '}');
    }
    text_char(out, ']');
}

static bool has_choices(const Way *w) {
    bool any = false;
    for (int i = 0; i < w->steps.n; i++) any |= w->steps.at[i].kind == STEP_CHOICE;
    return any;
}

/* Of a program with choices: what it launches for which sizes. A caller need not know. */
static void ways(Text *out, const Program *p) {
    if (p->ways.n == 1 && !has_choices(&p->ways.at[0])) return;
    list_open(out, "ways");
    for (int i = 0; i < p->ways.n; i++) {
        const Way *w = &p->ways.at[i];
        list_next(out, !i);
        text_put(out, "{\"when\": [");
        for (int k = 0; k < w->when.n; k++) {
            if (k) text_put(out, ", ");
            condition(out, w->when.at[k]);
        }
        text_put(out, "], \"launches\": [");
        for (int k = 0; k < w->steps.n; k++) {
            if (k) text_put(out, ", ");
            launched(out, &w->steps.at[k]);
        }
        text_put(out, "]}");
    }
    list_close(out, false);
}

/* What a caller must know; `whole`: and what it may. */
static void entry(Text *out, const Program *p, const char *prefix, bool whole) {
    const Graph *g = p->graph;
    text_put(out, "    {\n      ");
    put_member(out, "name", g->name), text_put(out, ", ");
    put_member(out, "kind", g->host ? "host" : "device"), text_put(out, ",\n      ");
    put_member(out, "doc", g->doc), text_put(out, ",\n      ");
    Text s = {.ctx = out->ctx};
    glue_signature(&s, p);
    put_member(out, "signature", s.s);
    symbols(out, p, prefix);
    tensors(out, p);
    dimensions(out, p);
    scalars(out, g);
    requires(out, g, out->ctx);
    if (whole) ways(out, p);
    text_put(out, "\n    }");
}

/* What stands before entry i, or after all n. */
static const char *between(int i, int n) { return i == n ? "\n  ]\n" : i ? ",\n" : "  \"entries\": [\n"; }

static void entries(Text *out, const Program *const *programs, int n, const char *prefix) {
    for (int i = 0; i <= n; i++) {
        text_put(out, between(i, n));
        if (i < n) entry(out, programs[i], prefix, true);
    }
}

/* Words after spaces, as strings of a list. */
static void put_words(Text *out, const char *s) {
    for (const char *sep = ""; *s; sep = ", ") {
        const size_t n = strcspn(++s, " ");
        text_fmt(out, "%s\"%.*s\"", sep, (int)n, s);
        s += n;
    }
}

uint64_t glue_fingerprint(const Program *const *programs, int n, const GlueOptions *o) {
    uint64_t h = 1469598103934665603u; /* FNV-1a */
    for (int i = -1; i <= n; i++) {
        Ctx *temp = ctx_temp(programs[0]->ctx);
        Text s = {.ctx = temp};
        if (i < 0)
            text_fmt(&s, "%d", FORMAT);
        else
            text_put(&s, between(i, n));
        if (i >= 0 && i < n) entry(&s, programs[i], o->prefix, false);
        for (size_t k = 0; k < s.n; k++) h = (h ^ (unsigned char)s.s[k]) * 1099511628211u;
        ctx_temp_end(temp);
    }
    return h;
}

void glue_emit_manifest(Text *out, const Program *const *programs, int n, const GlueOptions *o) {
    static const char *const functions[] = {"open",   "open_message", "close",      "status_text",
                                            "invoke", "invoke_query", "fingerprint"};
    Ctx *ctx = out->ctx;
    Text gencode = {.ctx = ctx};
    targets_gencode(&gencode, o->targets, false);
    text_fmt(out, "{\n  \"format\": %d,\n  ", FORMAT);
    put_member(out, "tdc", o->version), text_put(out, ",\n  ");
    if (o->comment) put_member(out, "made_by", o->comment), text_put(out, ",\n  ");
    put_member(out, "prefix", o->prefix), text_put(out, ",\n  ");
    put_member(out, "header", o->header), text_put(out, ",\n  ");
    text_put(out, "\"targets\": [");
    for (int i = 0; i < targets_count(o->targets); i++)
        text_fmt(out, "%s\"%s\"", i ? ", " : "", targets_get(o->targets, i)->arch);
    text_put(out, "],\n  \"gencode\": [");
    put_words(out, gencode.s);
    text_fmt(out, "],\n  \"fingerprint\": \"%016llx\",\n  \"symbols\": {",
             (unsigned long long)glue_fingerprint(programs, n, o));
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (i) text_put(out, ", ");
        put_member(out, functions[i], sym_fmt(ctx, "%s_%s", o->prefix, functions[i]));
    }
    text_put(out, "},\n  \"statuses\": [");
    const char *sep = "";
#define STATUS(name, meaning)                                                                                          \
    text_put(out, sep), diag_json_string(out, #name);                                                                  \
    sep = ", ";
#include "statuses.def"
#undef STATUS
    text_put(out, "],\n");
    entries(out, programs, n, o->prefix);
    text_put(out, "}\n");
}

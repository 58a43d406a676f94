/* What an entry takes, as tables that the functions of entry.in and invoke.in read, and what its launches need first.
 */
#include "glue_signature.h"
#include "glue_launch.h"
#include "glue_shape.h"
#include "glue_text.h"
#include "ir/interp/interp.h"

#include <string.h>

/* Type codes of DLPack 1.1. */
static int dlpack_code(Type t) {
    switch (t) {
    case TY_BF16: return 4;
    case TY_F8E4M3: return 10;
    case TY_F8E5M2: return 12;
    default: break;
    }
    switch (type_class(t)) {
    case CLASS_SINT: return 0;
    case CLASS_UINT: return 1;
    case CLASS_FLOAT: return 2;
    case CLASS_BOOL: return 6;
    }
    return 3;
}

/* Where the name of the entry goes: tables that differ in nothing else are those of the first entry that has them. */
#define OWNER "\1"
enum { MANY = 1000 }; /* kinds of tables that are remembered */

static void extents(Text *out, const HostEntry *h) {
    const Program *p = h->p;
    Text cases = {.ctx = h->ctx}, texts = {.ctx = h->ctx};
    int n = 0;
    for (int i = 0; i < p->params.n; i++)
        for (int d = 0; d < p->params.at[i]->rank; d++) {
            Text s = {.ctx = h->ctx};
            text_fmt(&cases, "    case %d: return ", n);
            host_expr(&cases, h, p->params.at[i]->shape[d]);
            text_put(&cases, ";\n");
            expr_print(&s, p->params.at[i]->shape[d], NULL);
            text_put(&texts, n++ ? ", \"" : "\"");
            glue_quoted(&texts, s.s);
            text_char(&texts, '"');
        }
    text_put(out, "static int64_t td_" OWNER "_extent(const int64_t *td_dims, int td_i) {\n");
    for (int i = 0; i < p->graph->dims.n; i++)
        if (h->dim_used[i]) text_fmt(out, "    const int64_t %s = td_dims[%d];\n", h->dims[i], i);
    text_fmt(out, "    (void)td_dims;\n    switch (td_i) {\n%s    default: return 0;\n    }\n}\n",
             cases.s ? cases.s : "");
    text_fmt(out, "static const char *const td_" OWNER "_texts[] = {%s};\n", n ? texts.s : "NULL");
}

/* Their number. */
static int ways(Text *out, Ctx *ctx, const Program *p) {
    ShapeWays w = shape_ways(ctx, p);
    Text needs = {.ctx = ctx};
    int n = 1;
    text_put(&needs, "-1");
    text_put(out, "static const td_way td_" OWNER "_ways[] = {");
    for (int i = 0; i < w.v.n; i++) {
        const ShapeWay *way = &w.v.at[i];
        int start = 0;
        for (int k = 0; k < p->graph->dims.n; k++) {
            if (!way->needs[k]) continue;
            if (!start) start = n;
            text_fmt(&needs, ", %d", k), n++;
        }
        if (start) text_put(&needs, ", -1"), n++;
        text_fmt(out, "%s{%d, %d, %d, %d}", i ? ", " : "", way->tensor, way->extent, way->dim, start);
    }
    text_fmt(out, "%s};\nstatic const int td_" OWNER "_needs[] = {%s};\n", w.v.n ? "" : "{0, 0, 0, 0}", needs.s);
    return w.v.n;
}

static void numbers(Text *out, const Graph *g) {
    text_put(out, "static const td_number td_" OWNER "_numbers[] = {");
    for (int i = 0; i < g->scalars.n; i++) {
        const Scalar *s = g->scalars.at[i];
        int64_t least = 0, most = 0;
        if (i) text_put(out, ", ");
        if (type_int_range(s->type, &least, &most)) {
            const int64_t limit = (int64_t)1 << 53; /* of double */
            text_fmt(out, "{\"%s\", 'i', %lld.0, %lld.0}", s->name, (long long)(least < -limit ? -limit : least),
                     (long long)(most > limit ? limit : most));
        } else {
            text_fmt(out, "{\"%s\", '%c', 0, 0}", s->name, s->type == TY_F64 ? 'd' : 'f');
        }
    }
    text_put(out, g->scalars.n ? "};\n" : "{NULL, 0, 0, 0}};\n");
}

/* The inputs at whose address the output may stand, as bits. */
static uint64_t in_place(const HostEntry *h, const Tensor *t) {
    const Program *p = h->p;
    uint64_t set = 0;
    for (int i = 0; i < p->in_place.n; i++) {
        int at = host_tensor_at(h, p->in_place.at[i].in);
        if (p->in_place.at[i].out == t && at < 64) set |= (uint64_t)1 << at;
    }
    return set;
}

static void arguments(Text *out, const HostEntry *h) {
    const Program *p = h->p;
    int first = 0;
    text_put(out, "static const td_argument td_" OWNER "_tensors[] = {");
    for (int i = 0; i < p->params.n; i++) {
        const Tensor *t = p->params.at[i];
        uint64_t shared = in_place(h, t);
        text_fmt(out, "%s{\"%s\", \"%s\", %d, %d, %d, %d, %d, ", i ? ",\n    " : "", t->name, type_name(t->type),
                 dlpack_code(t->type), type_bits(t->type), t->rank, first, t->kind != TENSOR_INPUT);
        text_fmt(out, shared ? "0x%llx}" : "%llu}", (unsigned long long)shared);
        first += t->rank;
    }
    text_put(out, "};\n");
}

static void dimensions(Text *out, const Graph *g) {
    text_put(out, "static const td_dimension td_" OWNER "_dims[] = {");
    for (int i = 0; i < g->dims.n; i++) {
        const Dim *d = g->dims.at[i];
        text_fmt(out, "%s{\"%s\", %lld, ", i ? ", " : "", d->name, (long long)(d->lo > 0 ? d->lo : 0));
        if (d->hi == INT64_MAX)
            text_put(out, "INT64_MAX");
        else
            text_fmt(out, "%lld", (long long)d->hi);
        text_fmt(out, ", %lld}", (long long)(d->divisor > 1 ? d->divisor : 1));
    }
    text_put(out, g->dims.n ? "};\n" : "{NULL, 0, 0, 1}};\n");
}

static void signature(Text *out, const HostEntry *h) {
    const Program *p = h->p;
    extents(out, h);
    arguments(out, h);
    dimensions(out, p->graph);
    int nways = ways(out, h->ctx, p);
    numbers(out, p->graph);
    text_fmt(out,
             "static const td_signature td_" OWNER "_signature = {%d, %d, %d, td_" OWNER "_tensors, td_" OWNER
             "_dims, td_" OWNER "_ways,\n    td_" OWNER "_needs, td_" OWNER "_numbers, td_" OWNER "_texts, td_" OWNER
             "_extent};\n",
             p->params.n, p->graph->dims.n, nways);
    for (int i = 0; i < p->graph->dims.n; i++) h->dim_used[i] = false;
}

/* What launches need first. */
static void ready(Text *out, const HostEntry *h, const char *prefix) {
    text_fmt(out, "static %s_status td_" OWNER "_ready(const td_sink *td_s) {\n    (void)td_s;\n", prefix);
    glue_prepare_kernels(out, h->p, prefix, "td_s", false);
    text_fmt(out, "    return %s_ok;\n}\n", prefix);
}

void glue_signature_tables(Text *out, HostEntry *h, const char *prefix, bool prepares) {
    GlueKnown *known = h->known;
    Text t = {.ctx = h->ctx};
    signature(&t, h);
    if (prepares) ready(&t, h, prefix);
    h->of = h->p->graph->name;
    if (known->of.n < MANY) {
        Sym key = sym_n(h->ctx, t.s, t.n), owner = expr_map_get(&known->of, key);
        if (owner) {
            h->of = owner;
            return;
        }
        expr_map_put(known->ctx, &known->of, key, h->of);
    }
    for (const char *s = t.s, *at; *s; s = at + 1) {
        at = strchr(s, *OWNER);
        text_put_n(out, s, at ? (size_t)(at - s) : strlen(s));
        if (!at) break;
        text_put(out, h->of);
    }
    text_char(out, '\n');
}

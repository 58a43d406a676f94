/* The uniform call by name with DLPack's tensors, PREFIX_invoke: a table an entry of what it takes; the functions that
 * read the tables are the text of invoke.in. */
#include "glue_entry.h"
#include "glue_shape.h"
#include "ir/interp.h"

#include <string.h>

extern const char *const invoke_text_lines[];
extern const int invoke_text_nlines;

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

static void put_text(Text *out, const char *prefix, bool head) {
    glue_lines(out, invoke_text_lines, invoke_text_nlines, prefix, head);
}

void glue_invoke_head(Text *out, const char *prefix) { put_text(out, prefix, true); }

void glue_invoke_declare(Text *out, const char *x) {
    text_fmt(
        out,
        "\n/* The same with the tensors of DLPack: pointers to DLTensor, dense, on the context's device, in the order\n"
        " * of the entry's own function. A dimension is what the shapes say; those that no shape determines are "
        "given:\n"
        " * `dims` holds all dimensions in order, a negative one is to be found, and may be NULL for all to be. "
        "Scalars\n"
        " * are in order. invoke_query finds the dimensions from the tensors there are (others are NULL), and the "
        "bytes\n"
        " * of workspace. */\n"
        "%s_status %s_invoke(%s_context *ctx, const %s_run *run, const char *entry, const void *const *tensors, int "
        "ntensors,\n    const int64_t *dims, int ndims, const double *scalars, int nscalars);\n",
        x, x, x, x);
    text_fmt(
        out,
        "%s_status %s_invoke_query(%s_context *ctx, const %s_run *run, const char *entry, const void *const *tensors, "
        "int ntensors,\n    int64_t *dims, int ndims, size_t *workspace_bytes);\n",
        x, x, x, x);
    text_fmt(out, "/* That of the manifest which belongs to this model. */\nextern const uint64_t %s_fingerprint;\n",
             x);
}

/* ---- the tables of one entry ---- */

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
            host_quoted(&texts, s.s);
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

static int tables(Text *out, const HostEntry *h) {
    const Program *p = h->p;
    extents(out, h);
    int first = 0;
    text_put(out, "static const td_argument td_" OWNER "_arguments[] = {");
    for (int i = 0; i < p->params.n; i++) {
        const Tensor *t = p->params.at[i];
        text_fmt(out, "%s{\"%s\", \"%s\", %d, %d, %d, %d}", i ? ", " : "", t->name, type_name(t->type),
                 dlpack_code(t->type), type_bits(t->type), t->rank, first);
        first += t->rank;
    }
    text_fmt(out, "%s};\nstatic const char *const td_" OWNER "_dims[] = {",
             p->params.n ? "" : "{NULL, NULL, 0, 0, 0, 0}");
    for (int i = 0; i < p->graph->dims.n; i++) text_fmt(out, "%s\"%s\"", i ? ", " : "", p->graph->dims.at[i]->name);
    text_put(out, p->graph->dims.n ? "};\n" : "NULL};\n");
    int n = ways(out, h->ctx, p);
    numbers(out, p->graph);
    return n;
}

GlueTables glue_signature_tables(Text *out, const HostEntry *h, GlueKnown *known) {
    Text t = {.ctx = h->ctx};
    GlueTables r = {.owner = h->p->graph->name};
    r.nways = tables(&t, h);
    if (known->of.n < MANY) {
        Sym key = sym_n(h->ctx, t.s, t.n), owner = expr_map_get(&known->of, key);
        if (owner) {
            r.owner = owner;
            return r;
        }
        expr_map_put(known->ctx, &known->of, key, r.owner);
    }
    for (const char *s = t.s, *at; *s; s = at + 1) {
        at = strchr(s, *OWNER);
        text_put_n(out, s, at ? (size_t)(at - s) : strlen(s));
        if (!at) break;
        text_put(out, r.owner);
    }
    text_char(out, '\n');
    return r;
}

/* ---- what reads them ---- */

static int most(int a, int b) { return a > b ? a : b; }

void glue_invoke(Text *out, const Program *const *programs, const GlueTables *tables, int n, const char *prefix) {
    int dims = 1, tensors = 1, scalars = 1;
    text_put(out, "static const td_signature td_signatures[] = {\n");
    for (int i = 0; i < n; i++) {
        const Graph *g = programs[i]->graph;
        const char *e = tables[i].owner;
        dims = most(dims, g->dims.n), tensors = most(tensors, programs[i]->params.n),
        scalars = most(scalars, g->scalars.n);
        text_fmt(
            out,
            "    {td_%s_arguments, td_%s_extent, td_%s_texts, td_%s_dims, td_%s_ways, td_%s_needs, %d, td_%s_numbers,\n"
            "     td_%s_need, ",
            e, e, e, e, e, e, tables[i].nways, e, g->name);
        if (g->host)
            text_put(out, "NULL},\n");
        else
            text_fmt(out, "td_%s_run},\n", g->name);
    }
    text_fmt(out, "};\nenum { TD_MOST_DIMS = %d, TD_MOST_TENSORS = %d, TD_MOST_SCALARS = %d };\n\n", dims, tensors,
             scalars);
    put_text(out, prefix, false);
}

/* What cannot have the C interface: names that two symbols would have, and conditions and shapes that the host does not
 * know. */
#include "glue.h"

#include "glue_host.h"
#include "ir/expr_map.h"
#include "sched/same.h"

/* Names are interned: one is there already where its pointer is. */
static bool add_symbol(Ctx *ctx, ExprMap *all, Sym s, Text *why) {
    if (expr_map_get(all, s)) {
        text_fmt(why, "two symbols of the C interface have the name '%s'", s);
        return false;
    }
    expr_map_put(ctx, all, s, s);
    return true;
}

/* Those of the launchers that no program before has. */
static bool add_kernels(Ctx *ctx, ExprMap *all, const Program *p, const char *prefix, Text *why) {
    bool ok = true;
    for (int i = 0; ok && i < p->kernels.n; i++) {
        const Kernel *k = p->kernels.at[i];
        if (k->same) continue;
        const char *symbol = kernel_symbol(p, k);
        ok = add_symbol(ctx, all, sym_fmt(ctx, "%s_%s_launch", prefix, symbol), why) &&
             add_symbol(ctx, all, sym_fmt(ctx, "%s_%s_prepare", prefix, symbol), why);
    }
    return ok;
}

static bool verify_conditions(const Program *p, Text *why) {
    for (int i = 0; i < p->graph->facts.n; i++) {
        const Fact *f = &p->graph->facts.at[i];
        if (!f->require || (!f->nvars && host_can(f->cond))) continue;
        text_fmt(why, "%s: a condition of `require` depends on more than dimensions and scalars: ", p->graph->name);
        expr_print(why, f->cond, NULL);
        return false;
    }
    for (int k = 0; k < p->kernels.n; k++)
        for (int i = 0; i < p->kernels.at[k]->where.n; i++) {
            const Expr *c = p->kernels.at[k]->where.at[i];
            if (host_can(c) && !host_uses_scalars(c)) continue;
            text_fmt(why, "%s: a condition of kernel %s depends on more than dimensions", p->graph->name,
                     p->kernels.at[k]->name);
            return false;
        }
    return true;
}

bool glue_verify(const Program *const *programs, int n, const GlueOptions *o, Text *why) {
    Ctx *ctx = why->ctx;
    ExprMap all = {0};
    static const char *const FIXED[] = {"context", "run",          "status",     "status_text", "status_count",
                                        "open",    "close",        "entry",      "entries",     "nentries",
                                        "invoke",  "invoke_query", "fingerprint"};
    for (size_t i = 0; i < sizeof FIXED / sizeof *FIXED; i++)
        if (!add_symbol(ctx, &all, sym_fmt(ctx, "%s_%s", o->prefix, FIXED[i]), why)) return false;
#define STATUS(name, meaning)                                                                                          \
    if (!add_symbol(ctx, &all, sym_fmt(ctx, "%s_" #name, o->prefix), why)) return false;
#include "statuses.def"
#undef STATUS
    for (int i = 0; i < n; i++) {
        const Program *p = programs[i];
        Sym e = sym_fmt(ctx, "%s_%s", o->prefix, p->graph->name);
        bool ok = add_symbol(ctx, &all, e, why) && add_symbol(ctx, &all, sym_fmt(ctx, "%s_workspace", e), why) &&
                  add_symbol(ctx, &all, sym_fmt(ctx, "%s_prepare", e), why);
        ok = ok && add_kernels(ctx, &all, p, o->prefix, why) &&
             (!p->assumed || add_kernels(ctx, &all, p->assumed, o->prefix, why));
        if (!ok || !verify_conditions(p, why)) return false;
        for (int t = 0; t < p->params.n + p->temps.n; t++) {
            const Tensor *x = t < p->params.n ? p->params.at[t] : p->temps.at[t - p->params.n];
            for (int d = 0; d < x->rank; d++)
                if (!host_can(x->shape[d]) || host_uses_scalars(x->shape[d])) {
                    text_fmt(why, "%s: the shape of %s depends on more than dimensions", p->graph->name, x->name);
                    return false;
                }
        }
    }
    return true;
}

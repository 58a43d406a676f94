/* What cannot have the C interface: names that two symbols would have, and conditions and shapes that the host does not
 * know. */
#include "glue.h"

#include "glue_host.h"
#include "ir/expr_map.h"
#include "sched/kernel/same.h"
#include "sched/kernel/sort.h"

#include <string.h>

/* What a name after the prefix belongs to. An entry's is a symbol, and so it is with "_workspace" and "_prepare" after
 * it; a kernel's is one with "_launch" and "_prepare" after it. */
enum { FIXED = 1, ENTRY = 2, KERNEL = 4, TWICE = 8 };

typedef struct Names {
    Ctx *ctx;
    ExprMap roles; /* by name: they are interned */
    Sym prefix;
    Text *why;
} Names;

static int roles(const Names *x, Sym name) { return (int)expr_map_number(&x->roles, name, 0); }

static void add_name(Names *x, Sym name, int role) {
    int before = roles(x, name), both = before | role;
    if (before & role || (before | role) == (FIXED | ENTRY)) both |= TWICE;
    expr_map_put_number(x->ctx, &x->roles, name, both);
}

static bool two(const Names *x, Sym name, const char *end) {
    text_fmt(x->why, "two symbols of the C interface have the name '%s_%s%s': choose another name for this export",
             x->prefix, name, end);
    return false;
}

/* Whether the name is one that has a role, and this end. */
static bool made_of(const Names *x, Sym name, int role, const char *end) {
    size_t n = strlen(name), tail = strlen(end);
    return n > tail && !strcmp(name + n - tail, end) && roles(x, sym_n(x->ctx, name, n - tail)) & role;
}

static bool verify_name(const Names *x, Sym name, int role) {
    int all = roles(x, name);
    if (all & TWICE) return two(x, name, role == KERNEL ? "_launch" : "");
    if (all & ENTRY && all & KERNEL) return two(x, name, "_prepare");
    if (role != KERNEL && (made_of(x, name, ENTRY, "_workspace") || made_of(x, name, ENTRY | KERNEL, "_prepare") ||
                           made_of(x, name, KERNEL, "_launch")))
        return two(x, name, "");
    return true;
}

/* Of a program and of the one that tests what is assumed of the data; `add`: or they are taken up. The launchers are
 * those that no program before has. */
static bool kernel_names(Names *x, const Program *p, bool add) {
    for (int i = 0; p && i < p->kernels.n; i++) {
        const Kernel *k = p->kernels.at[i];
        if (k->same) continue;
        Sym name = kernel_symbol(p, k);
        if (add)
            add_name(x, name, KERNEL);
        else if (!verify_name(x, name, KERNEL))
            return false;
    }
    for (int i = 0; p && i < p->sorts.n; i++) {
        Sym name = sort_symbol(p, p->sorts.at[i]);
        if (add)
            add_name(x, name, KERNEL);
        else if (!verify_name(x, name, KERNEL))
            return false;
    }
    return !p || kernel_names(x, p->assumed, add);
}

static const char *const FIXED_NAMES[] = {
    "context", "run",   "status",  "status_text", "status_count", "open",         "open_message",
    "close",   "entry", "entries", "nentries",    "invoke",       "invoke_query", "fingerprint",
#define STATUS(name, meaning) #name,
#include "statuses.def"
#undef STATUS
};

static bool may_decide(const Program *p, const Expr *when, Text *why) {
    if (host_can(when) && !host_uses_scalars(when)) return true;
    text_fmt(why, "%s: the host cannot decide the condition of a choice: ", p->graph->name);
    expr_print(why, when, NULL);
    return false;
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
    for (int w = 0; w < p->ways.n; w++) {
        const Way *way = &p->ways.at[w];
        for (int i = 0; i < way->when.n; i++)
            if (!may_decide(p, way->when.at[i], why)) return false;
        for (int i = 0; i < way->steps.n; i++) {
            const Choice *c = way->steps.at[i].choice;
            for (int k = 0; c && k < c->cases.n; k++)
                if (c->cases.at[k]->when && !may_decide(p, c->cases.at[k]->when, why)) return false;
        }
    }
    return true;
}

/* A function of the host: it has no loads and no reductions (graph_verify), so what is left is an operator. */
static bool verify_function(const Program *p, Text *why) {
    const Graph *g = p->graph;
    if (!g->host || host_can(p->params.at[0]->pieces.at[0].value)) return true;
    text_fmt(why, "%s: an operator of the function has no form on the host (ir/ops.def): ", g->name);
    expr_print(why, p->params.at[0]->pieces.at[0].value, NULL);
    return false;
}

static bool verify_program(const Names *x, const Program *p) {
    if (!verify_conditions(p, x->why) || !verify_function(p, x->why)) return false;
    for (int t = 0; t < p->params.n + p->temps.n; t++) {
        const Tensor *tensor = t < p->params.n ? p->params.at[t] : p->temps.at[t - p->params.n];
        for (int d = 0; d < tensor->rank; d++)
            if (!host_can(tensor->shape[d]) || host_uses_scalars(tensor->shape[d])) {
                text_fmt(x->why, "%s: the shape of %s depends on more than dimensions", p->graph->name, tensor->name);
                return false;
            }
    }
    return true;
}

bool glue_verify(const Program *const *programs, int n, const GlueOptions *o, const Graph **at, Text *why) {
    *at = NULL;
    if (!strcmp(o->prefix, "td")) {
        text_put(why, "the prefix 'td' is that of names which every emitted file has: choose another, --prefix=NAME");
        return false;
    }
    const int nfixed = (int)(sizeof FIXED_NAMES / sizeof *FIXED_NAMES);
    Ctx *temp = ctx_temp(why->ctx);
    Names x = {.ctx = temp, .prefix = o->prefix, .why = why};
    bool ok = true;
    for (int i = 0; i < nfixed; i++) add_name(&x, sym(temp, FIXED_NAMES[i]), FIXED);
    for (int i = 0; i < n; i++) {
        add_name(&x, programs[i]->graph->name, ENTRY);
        kernel_names(&x, programs[i], true);
    }
    for (int i = 0; i < n && ok; i++) {
        *at = programs[i]->graph;
        ok = verify_name(&x, programs[i]->graph->name, ENTRY) && kernel_names(&x, programs[i], false) &&
             verify_program(&x, programs[i]);
    }
    if (ok) *at = NULL;
    for (int i = 0; i < nfixed && ok; i++) ok = verify_name(&x, sym(temp, FIXED_NAMES[i]), FIXED);
    ctx_temp_end(temp);
    return ok;
}

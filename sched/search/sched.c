/* From a Graph to a Program: partitions, chooses (or is told) a schedule for each group, and applies it. */
#include "sched.h"

#include "ir/diag.h"
#include "ir/poly/hull.h"
#include "sched/library/product.h"

Program *sched_empty(Graph *g, const Plan *plan) {
    Program *p = program_new(g->ctx, g);
    for (int i = 0; i < g->params.n; i++) vec_push(g->ctx, &p->params, g->params.at[i]);
    for (int i = 0; i < plan->temps.n; i++) {
        graph_take_name(g, plan->temps.at[i]->name);
        vec_push(g->ctx, &p->temps, plan->temps.at[i]);
    }
    return p;
}

bool sched_in_place(const Group *gr) { return gr->product && gr->product->c.tensor == gr->product->d.tensor; }

static bool choose(const SchedOptions *o, SchedMemo *memo, Group *gr, int i, uint64_t *state, Schedule *s, Text *why) {
    const char *fixed = o->fixed && i < o->nfixed ? o->fixed[i] : NULL;
    if (fixed) {
        if (!schedule_read(fixed, gr, s, why)) return false;
    } else if (o->fallback || sched_in_place(gr)) {
        schedule_fallback(gr, s);
    } else if (o->random) {
        schedule_random(gr, state, s);
    } else {
        sched_choose(memo, gr, o->targets, s);
    }
    return schedule_legal(gr, s, why);
}

/* ---- temporaries read for the last time ---- */

typedef struct Reads {
    Stage *load; /* the only one, or NULL */
    Part *part;
    int kernel, n;
} Reads;

/* In *of: Tensor -> the reads of it in the last kernel that has any; kernels come from the last on. */
static void find_reads(ExprMap *of, Ctx *ctx, int kernel, Part *part, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        Stage *s = at[i];
        if (s->tensor && s->tensor->kind == TENSOR_LET && s->kind != STAGE_STORE) {
            Reads *r = (Reads *)expr_map_get(of, s->tensor);
            if (!r) {
                r = NEW(ctx, Reads);
                *r = (Reads){.part = part, .kernel = kernel};
                expr_map_put(ctx, of, s->tensor, r);
            }
            if (r->kernel == kernel) {
                r->n++;
                r->load = s->kind == STAGE_LOAD ? s : NULL;
            }
        }
        find_reads(of, ctx, kernel, part, s->body.at, s->body.n);
    }
}

/* An axis's index, or one moved by what is the same for all elements. */
static bool is_index(const Expr *e) {
    while ((e->op == OP_ADD || e->op == OP_SUB) && e->arg[1]->op != OP_VAR && expr_over_dims(e->arg[1])) e = e->arg[0];
    return e->op == OP_VAR;
}

/* e / n beside e % n: together an index. */
static bool is_digits(const Expr *high, const Expr *low) {
    return high->op == OP_DIV && low->op == OP_MOD && high->arg[0] == low->arg[0] && high->arg[1] == low->arg[1];
}

/* No thread, block or iteration but one reads an element. */
static bool reads_once(const Reads *r) {
    const Layout *l = r->part->layouts.at[0];
    FactorSet all = 0, have = 0;
    for (int i = 0; i < r->part->factors.n; i++)
        if (r->part->factors.at[i]->size != 1) all |= (FactorSet)1 << i;
    for (int d = 0, rank = r->load->tensor->rank; d < rank; d++) {
        const Expr *e = r->load->subs[d];
        while (d + 1 < rank && is_digits(e, r->load->subs[d + 1])) e = r->load->subs[++d]->arg[0];
        if (is_index(e)) have |= expr_domain(r->part, l, e);
    }
    return !(all & l->all & ~have);
}

/* What is dead once it is read need not push out of the cache what is not. */
static void stream_last_reads(Program *p) {
    ExprMap of = {0};
    Ctx *temp = ctx_temp(p->ctx);
    for (int k = p->kernels.n - 1; k >= 0; k--)
        for (int j = 0; j < p->kernels.at[k]->parts.n; j++) {
            Part *part = p->kernels.at[k]->parts.at[j];
            find_reads(&of, temp, k, part, part->body.at, part->body.n);
        }
    for (int i = 0; i < p->temps.n; i++) {
        const Reads *r = expr_map_get(&of, p->temps.at[i]);
        if (r && r->n == 1 && r->load && reads_once(r)) r->load->cache = CACHE_STREAM;
    }
    ctx_temp_end(temp);
}

Program *sched_program(Ctx *ctx, Graph *g, const SchedOptions *o) {
    const SchedOptions none = {0};
    if (!o) o = &none;
    Text why = {.ctx = ctx};
    text_put(&why, "");
    if (g->host) return sched_empty(g, &(Plan){0});
    Reasons *reasons = o->reasons ? NEW(ctx, Reasons) : NULL;
    if (reasons) reasons->ctx = ctx;
    Plan *plan = plan_new(g, o->library, reasons, &why);
    if (!plan) {
        diag_report(ctx, DIAG_NOT_YET, g->span, "%s", why.s);
        return NULL;
    }
    Program *p = sched_empty(g, plan);
    p->reasons = reasons;
    uint64_t state = o->seed;
    SchedMemo own = {0}, *memo = o->memo ? o->memo : &own;
    for (int i = 0; i < plan->groups.n; i++) {
        Group *gr = plan->groups.at[i];
        Schedule s;
        group_flatten(gr);
        group_guess_line(gr);
        if (!choose(o, memo, gr, i, &state, &s, &why)) {
            diag_report(ctx, DIAG_INTERNAL, g->span, "`%s`: a schedule is not legal: %s", gr->name, why.s);
            return NULL;
        }
        if (!sched_apply(p, gr, &s, &why)) {
            diag_report(ctx, DIAG_INTERNAL, g->span, "`%s`: a schedule cannot be applied: %s", gr->name, why.s);
            return NULL;
        }
        if (!reasons && !o->keep) continue;
        Kernel *k = p->kernels.at[p->kernels.n - 1];
        Schedule *kept = NEW(ctx, Schedule);
        *kept = s;
        k->group = gr;
        k->schedule = kept;
    }
    stream_last_reads(p);
    program_find_ways(p);
    return p;
}

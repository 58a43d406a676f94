/* Temporaries that are read for the last time: see sched_stream. */
#include "sched.h"

#include "ir/expr_is.h"

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
            Reads *r = expr_map_object(of, s->tensor);
            if (!r) {
                r = NEW(ctx, Reads);
                *r = (Reads){.part = part, .kernel = kernel};
                expr_map_put_object(ctx, of, s->tensor, r);
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
void sched_stream(Program *p) {
    ExprMap of = {0};
    Ctx *temp = ctx_temp(p->ctx);
    for (int k = p->kernels.n - 1; k >= 0; k--)
        for (int j = 0; j < p->kernels.at[k]->parts.n; j++) {
            Part *part = p->kernels.at[k]->parts.at[j];
            find_reads(&of, temp, k, part, part->body.at, part->body.n);
        }
    for (int i = 0; i < p->temps.n; i++) {
        const Reads *r = expr_map_get(&of, p->temps.at[i]);
        if (r && r->n == 1 && r->load && r->load->cache == CACHE_DEFAULT && reads_once(r))
            r->load->cache = CACHE_STREAM; /* a schedule may say otherwise */
    }
    ctx_temp_end(temp);
}

/* What would put a subscript in range if it were stated: each proposal is tried, by the proof that failed without
 * it. */
#include "sema_int.h"

typedef struct Constants {
    int n;
    int64_t at[8];
} Constants;

/* The constants by which e divides. */
static void divisors_in(const Expr *e, Constants *out, int *left) {
    int64_t c;
    if (--*left < 0) return;
    bool divides = (e->op == OP_DIV || e->op == OP_MOD) && !type_is_float(e->type) && expr_is_int(e->arg[1], &c);
    bool known = !divides || c < 2 || out->n == 8;
    for (int i = 0; i < out->n && !known; i++) known = out->at[i] == c;
    if (!known) out->at[out->n++] = c;
    for (int i = 0; i < e->nargs; i++) divisors_in(e->arg[i], out, left);
}

static bool in_range(Sema *s, const Expr *sub, const Expr *extent) {
    return sema_nonneg(s, sub) && sema_nonneg(s, sema_room_above(s, sub, extent));
}

const Expr *sema_suggest_multiple(Sema *s, const Expr *sub, const Expr *extent) {
    Constants by = {0};
    int left = 500;
    divisors_in(sub, &by, &left);
    for (int i = 0; i < s->path.n; i++) divisors_in(s->path.at[i], &by, &left);
    if (extent->op != OP_DIM) return NULL;
    for (int i = 0; i < by.n; i++) {
        const Expr *rest = expr2(s->g, OP_MOD, extent, expr_int(s->g, TY_I64, by.at[i]));
        const Expr *whole = expr2(s->g, OP_EQ, rest, expr_int(s->g, TY_I64, 0));
        int mark = sema_path_push(s, whole, true);
        bool in = in_range(s, sub, extent);
        sema_path_pop(s, mark);
        if (in) return whole;
    }
    return NULL;
}

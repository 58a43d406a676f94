/* Lowering, cells: the pieces of shared memory through which threads exchange the states of folds and scans. */
#include "lower_fold.h"

Exchange cells_open(Lower *l, const Stage *s, const Layout *layout, FactorSet group, int64_t regs, int64_t members,
                    ExchangeId id) {
    const Monoid *m = s->monoid;
    Exchange x = {.members = members, .apart = members, .twice = axis_in_loop(l), .regs = regs};
    x.group = digits_code(l, layout, group, &x.groups);
    if (id.lanes && members % 2 == 0) x.apart++;
    if (x.twice) fold_turn(l, x.turn = value_name_with(l, s->out[0], sym_fmt(l->ctx, "_%sturn", id.what)));
    int64_t cells = x.apart * x.groups * x.regs;
    for (int i = 0; i < m->n; i++) {
        const char *T = fold_cell(m->type[i]);
        x.region[i] = region_new(l, s, id.purpose + i, cells * cell_bytes(m->type[i]) * (x.twice ? 2 : 1));
        x.base[i] = i < s->nout ? value_name_with(l, s->out[i], sym_fmt(l->ctx, "_%sparts", id.what))
                                : value_name_with(l, s->out[0], sym_fmt(l->ctx, "_%sparts%d", id.what, i));
        if (!x.twice) put_write(l, x.region[i]);
        const Code *at = code(l->ctx, "td_shared<%s>(%d)", T, l->needs.regions.at[x.region[i]].offset);
        if (x.twice) at = code(l->ctx, "%c + %n * %l", at, x.turn, cells);
        put_declare(l, sym_fmt(l->ctx, "const td_sp<%s>", T), x.base[i], " = %c", at);
    }
    return x;
}

void cells_put(Lower *l, const Monoid *m, const Exchange *x, const Code *const *state, const Code *cell) {
    for (int i = 0; i < m->n; i++) {
        const char *T = fold_cell(m->type[i]);
        put_declare(l, sym_fmt(l->ctx, "const %s", T), sym_fmt(l->ctx, "p%d_", i), "[1] = {%c}", state[i]);
        put_do(l, "td_sts<%s, 1>(%n + (%c), p%d_)", T, x->base[i], cell, i);
    }
}

void cells_get(Lower *l, const Monoid *m, const Exchange *x, const Code *cell, const Code **part) {
    for (int i = 0; i < m->n; i++) {
        const char *T = fold_cell(m->type[i]);
        put_declare(l, sym_fmt(l->ctx, "td_word<%s>", T), sym_fmt(l->ctx, "q%d_", i), "[1]");
        put_do(l, "td_lds<%s, 1>(q%d_, %n + (%c))", T, i, x->base[i], cell);
        part[i] = code(l->ctx, m->type[i] == TY_BOOL ? "(q%d_[0] != 0)" : "q%d_[0]", i);
    }
}

void cells_meet(Lower *l, const Monoid *m, const Exchange *x) {
    for (int i = 0; i < m->n; i++) put_touch(l, x->region[i], 0, TOUCHED_WRITTEN, 0);
    put_read(l, x->region[0]);
    /* with two copies, the next exchange writes the one that nobody reads now */
    for (int i = 0; i < m->n; i++)
        put_touch(l, x->region[i], 0, x->twice ? 0 : TOUCHED_READ, x->twice ? TOUCHED_READ : 0);
}

void cells_turn(Lower *l, const Exchange *x) {
    if (x->twice) put_do(l, "%n ^= 1", x->turn);
}

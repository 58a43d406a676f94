/* Facts: what require and assume state, at the top and in functions. */
#include "frontend/ast/ast_walk.h"
#include "sema_int.h"

static bool bind_free(Sema *s, Env *env, const AstExpr *e, Fact *f) {
    FreeNames free = {.hides = true};
    VEC(Var *) vars = {0};
    sema_free_names(s, *env, e, false, &free);
    for (int i = 0; i < free.n; i++) {
        sema_warn_hidden(s, env->inst, free.at[i].name, free.at[i].span);
        RangeQuery q = {.env = *env, .name = free.at[i].name, .pack = free.at[i].pack, .span = free.at[i].span};
        q.shifted = !q.pack;
        ExprVec his = {0};
        const Expr *zero = expr_int(s->g, TY_I64, 0), *hi = NULL;
        vec_push(s->ctx, &q.roots, e);
        if (q.pack ? !sema_infer_pack(s, &q, &his) : !sema_infer_var(s, &q, &hi)) return false;
        if (!q.pack) vec_push(s->ctx, &his, hi);
        int from = vars.n;
        for (int k = 0; k < his.n; k++) {
            Sym name = q.pack ? sym_fmt(s->ctx, "%s%d", q.name, k) : q.name;
            vec_push(s->ctx, &vars, graph_var(s->g, name, zero, his.at[k]));
        }
        env->scope = q.pack ? sema_scope_pack(s, env->scope, q.name, vars.at + from, his.n)
                            : sema_scope_var(s, env->scope, q.name, vars.at[from]);
    }
    f->nvars = vars.n;
    f->vars = vars.at;
    return true;
}

/* A require with index variables is meant for data. Reports it. */
static bool is_about_data(Sema *s, Env env, const AstExpr *e) {
    FreeNames free = {0};
    sema_free_names(s, env, e, false, &free);
    if (!free.n) return false;
    Diag *d =
        SEMA_REPORT(s, NOT_CONSTANT, e->span, "require is checked on the host at entry: it cannot depend on data");
    diag_help(s->ctx, d, "state it of the data: assume %s;", sema_quote(s, e->span));
    return true;
}

/* An assumption: each of the conditions that && joins holds where its loads are in range. */
static const Expr *assumed(Sema *s, Env env, const AstExpr *e) {
    if (e->kind == AST_BINARY && e->u.op == OP_AND) {
        const Expr *a = assumed(s, env, e->a);
        int mark = known_push(s->known, a, true);
        const Expr *b = assumed(s, env, e->b);
        known_pop(s->known, mark);
        return a && b ? expr2(s->g, OP_AND, a, b) : NULL;
    }
    ExprVec where = {0}, parts = {0};
    s->speaks_where = &where;
    const Expr *c = sema_cond(s, env, e);
    s->speaks_where = NULL;
    for (int i = 0; i < where.n; i++)
        if (known_truth(s->known, where.at[i]) != 1) known_conjuncts(s->known, where.at[i], false, &parts, 0);
    for (int i = parts.n - 1; i >= 0 && c; i--) c = expr2(s->g, OP_OR, parts.at[i], c);
    return c;
}

/* One fact, of the condition e of the statement. */
static bool state(Sema *s, Inst *inst, const AstStmt *st, const AstExpr *e) {
    Env env = {inst, NULL};
    Fact f = {.require = st->kind == STMT_REQUIRE, .text = st->text, .span = st->span};
    if (!f.require && !bind_free(s, &env, e, &f)) return false;
    if (f.require && is_about_data(s, env, e)) return false;
    f.cond = f.require ? sema_cond(s, env, e) : assumed(s, env, e);
    if (!f.cond) return false;
    int64_t v;
    Over over = over_used(s->g, &inst->over, &(Piece){.value = f.cond}, 1, 0);
    if (f.require && (known_uses_data(f.cond) || over.vars.n)) {
        Diag *d =
            SEMA_REPORT(s, NOT_CONSTANT, e->span, "require is checked on the host at entry: it cannot depend on %s",
                        over.vars.n ? over.vars.at[0]->name : "data");
        diag_help(s->ctx, d, "state it of the data with assume");
        return false;
    }
    if (sema_const_int(f.cond, &v)) {
        if (v) return true;
        SEMA_REPORT(s, REQUIRE_FALSE, st->span, "this does not hold%s%s", st->text ? ": " : "",
                    st->text ? st->text : "");
        return false;
    }
    bool again = expr_map_get(&s->required, f.cond) != NULL;
    if (f.require) expr_map_put(s->ctx, &s->required, f.cond, f.cond);
    for (int i = 0; again && i < s->g->facts.n && f.require; i++) { /* a callee's, stated by each of its calls */
        const Fact *known = &s->g->facts.at[i];
        if (known->require && known->cond == f.cond && known->text == f.text) return true;
    }
    Piece bound = over_piece(s->g, &over, (Piece){.vars = f.vars, .nvars = f.nvars, .value = f.cond}, 0);
    f.vars = bound.vars;
    f.nvars = bound.nvars;
    f.cond = bound.value;
    if (f.require) sema_no_zero_divisor(s, e, f.cond, st->span);
    vec_push(s->ctx, &s->g->facts, f);
    return true;
}

enum { MAX_PIECES = 16 };

/* The conditions that e joins by &&, and the index variables of each; false where there are too many. */
static bool parts_of(Sema *s, Env env, const AstExpr *e, const AstExpr **part, FreeNames *names, int *n) {
    if (e->kind == AST_BINARY && e->u.op == OP_AND)
        return parts_of(s, env, e->a, part, names, n) && parts_of(s, env, e->b, part, names, n);
    if (*n == MAX_PIECES) return false;
    part[*n] = e;
    names[*n] = (FreeNames){.hides = true};
    sema_free_names(s, env, e, false, &names[(*n)++]);
    return true;
}

static bool share(const FreeNames *a, const FreeNames *b) {
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < b->n; k++)
            if (a->at[i].name == b->at[k].name) return true;
    return false;
}

/* An assumption of several conditions says each of them whatever the others' variables are: one fact for those that
 * have variables in common, over these alone. */
static bool state_all(Sema *s, Inst *inst, const AstStmt *st) {
    const AstExpr *part[MAX_PIECES];
    FreeNames names[MAX_PIECES];
    int n = 0, with[MAX_PIECES];
    bool ok = true;
    if (st->kind != STMT_ASSUME || !parts_of(s, (Env){inst, NULL}, st->value, part, names, &n)) n = 0;
    for (int i = 0; i < n; i++) {
        with[i] = i;
        for (int k = 0; k < i; k++) {
            if (with[k] == with[i] || !share(&names[i], &names[k])) continue;
            int old = with[i], to = with[k];
            for (int m = 0; m <= i; m++)
                if (with[m] == old) with[m] = to;
        }
    }
    bool one = true;
    for (int i = 1; i < n; i++) one &= with[i] == with[0];
    if (one) return state(s, inst, st, st->value);
    for (int i = 0; i < n; i++) {
        const AstExpr *e = NULL;
        for (int k = 0; k < n; k++) {
            if (with[k] != i) continue;
            AstExpr *both = NEW(s->ctx, AstExpr);
            *both = *st->value;
            both->a = (AstExpr *)e;
            both->b = (AstExpr *)part[k];
            e = e ? both : part[k];
        }
        if (e) ok &= state(s, inst, st, e);
    }
    return ok;
}

static AstStep is_unknown(void *user, const AstExpr *e) {
    Inst *inst = user;
    if (e->kind == AST_CALL) return ast_walk_items(e->items, is_unknown, user) ? AST_END : AST_PAST;
    return e->kind == AST_NAME && !sema_name(inst, e->name) ? AST_END : AST_INTO;
}

/* A require at the top holds for the functions that have all its names. */
static bool names_known(Inst *inst, const AstExpr *e) { return !ast_walk(e, is_unknown, inst); }

bool sema_facts(Sema *s, Inst *inst) {
    bool ok = true;
    for (int i = 0; i < inst->file->facts.n; i++) {
        AstDecl *d = inst->file->facts.at[i];
        if (names_known(inst, d->stmt->value)) ok &= state_all(s, inst, d->stmt);
    }
    for (int i = 0; inst->fn->body && i < inst->fn->body->v.n; i++) {
        AstStmt *st = inst->fn->body->v.at[i];
        if (st->kind == STMT_REQUIRE || st->kind == STMT_ASSUME) ok &= state_all(s, inst, st);
    }
    return ok;
}

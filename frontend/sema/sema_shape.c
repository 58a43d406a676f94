/* Dimensions: shapes of the header as expressions, the constraints of `dim`, and binding a callee's dimensions from the
 * shapes of its arguments. */
#include "frontend/ast/ast_walk.h"
#include "sema_int.h"

/* ---- names in a dimension ---- */

typedef struct Unknown {
    Inst *inst;
    int n;
    const AstExpr *first;
} Unknown;

static AstStep is_unknown(void *user, const AstExpr *e) {
    Unknown *u = user;
    if (e->kind == AST_INDEX) return ast_walk(e->a, is_unknown, user), AST_PAST; /* that there are any is the mistake */
    if (e->kind == AST_CALL) return ast_walk_items(e->items, is_unknown, user), AST_PAST; /* a function's name */
    if (e->kind == AST_NAME && !sema_name(u->inst, e->name)) {
        if (!u->first) u->first = e;
        u->n++;
    }
    return AST_INTO;
}

/* How many unknown names e has; the first of them goes to *one, which is NULL before. */
static int count_unknown(Inst *inst, const AstExpr *e, const AstExpr **one) {
    Unknown u = {.inst = inst, .first = *one};
    ast_walk(e, is_unknown, &u);
    *one = u.first;
    return u.n;
}

const AstExpr *sema_unknown_dim(Inst *inst, const AstItems *dims) {
    const AstExpr *one = NULL;
    for (int i = 0; i < dims->v.n; i++)
        if (dims->v.at[i].kind == ITEM_EXPR) count_unknown(inst, dims->v.at[i].value, &one);
    return one;
}

/* ---- dim statements ---- */

void sema_require(Sema *s, const Expr *cond, Sym text, Span span) {
    int64_t v;
    if (sema_const_int(cond, &v) ? v != 0 : known_truth(s->known, cond) == 1) return;
    vec_push(s->ctx, &s->g->facts, ((Fact){.cond = cond, .require = true, .text = text, .span = span}));
}

static void no_zero_divisor(Sema *s, const Expr *e, Span span, int *left) {
    if (--*left < 0 || e->op == OP_LOAD || e->op == OP_REDUCE) return;
    int n = e->op == OP_OR || e->op == OP_IF ? 1 : e->nargs; /* what is always evaluated where e is to hold */
    for (int i = 0; i < n; i++) no_zero_divisor(s, e->arg[i], span, left);
    if ((e->op != OP_DIV && e->op != OP_MOD) || type_is_float(e->type)) return;
    const Expr *some = expr2(s->g, OP_NE, e->arg[1], expr_int(s->g, e->arg[1]->type, 0));
    sema_require(s, some, sym_fmt(s->ctx, "%s is 0: %s has no value", sema_show(s, e->arg[1]), sema_show(s, e)), span);
}

/* A quotient may be written there, or in a function that is called. */
static bool may_divide(const AstExpr *e) {
    if (e->kind == AST_NAME || e->kind == AST_INT) return false;
    if (e->kind == AST_UNARY) return may_divide(e->a);
    if (e->kind != AST_BINARY) return true;
    return e->u.op == OP_DIV || e->u.op == OP_MOD || may_divide(e->a) || may_divide(e->b);
}

void sema_no_zero_divisor(Sema *s, const AstExpr *written, const Expr *e, Span span) {
    int left = 2000;
    VarVec vars = {0};
    if (!may_divide(written)) return; /* R = M/G in G*R: nothing but M = 0 goes with G = 0 */
    sema_free_vars(s, e, &vars);
    if (!vars.n && !known_uses_data(e)) no_zero_divisor(s, e, span, &left);
}

static const Expr *bound(Sema *s, Inst *inst, const AstExpr *e) { return e ? sema_int(s, (Env){inst, NULL}, e) : NULL; }

/* What the dim lines of the file say of the name, whose value this is. A hint that is there already stays. */
static bool constrain_by(Sema *s, const FileScope *file, Inst *inst, Sym name, const Expr *value) {
    if (!expr_map_object(&file->decls[DECL_DIM], name)) return true;
    for (int i = 0; i < file->ast->decls.n; i++) {
        AstDecl *d = file->ast->decls.at[i];
        if (d->kind != DECL_DIM || d->name != name) continue;
        expr_map_put(s->ctx, &s->dims_used, d, d);
        Dim *dim = value->op == OP_DIM ? value->u.dim : NULL;
        const Expr *lo = bound(s, inst, d->lo), *hi = bound(s, inst, d->hi);
        const Expr *hint = bound(s, inst, d->hint), *div = bound(s, inst, d->divisible);
        if ((d->lo && !lo) || (d->hi && !hi) || (d->hint && !hint) || (d->divisible && !div)) return false;
        int64_t v;
        if (dim && lo && sema_const_int(lo, &v))
            dim->lo = v > dim->lo ? v : dim->lo;
        else if (lo)
            sema_require(s, expr2(s->g, OP_LE, lo, value), sym_fmt(s->ctx, "%s is too small", name), d->span);
        if (dim && hi && sema_const_int(hi, &v)) {
            v -= d->hi_closed ? 0 : 1;
            dim->hi = v < dim->hi ? v : dim->hi;
            if (dim->hi < dim->lo) {
                SEMA_REPORT(s, EMPTY_DIM, d->span, "no value of %s is in this range", name);
                return false;
            }
        } else if (hi) {
            sema_require(s, expr2(s->g, d->hi_closed ? OP_LE : OP_LT, value, hi),
                         sym_fmt(s->ctx, "%s is too large", name), d->span);
        }
        if (dim && hint && !dim->hint && sema_const_int(hint, &v)) dim->hint = v;
        if (div && (!sema_const_int(div, &v) || v < 1)) {
            SEMA_REPORT(s, NOT_CONSTANT, d->divisible->span, "a divisor is a positive constant");
            return false;
        }
        if (dim && div) {
            if (!mul_ok(dim->divisor / gcd64(dim->divisor, v), v, &dim->divisor)) dim->divisor = v;
        } else if (div) {
            const Expr *zero = expr_int(s->g, TY_I64, 0);
            sema_require(s, expr2(s->g, OP_EQ, expr2(s->g, OP_MOD, value, div), zero),
                         sym_fmt(s->ctx, "%s is not divisible by %lld", name, (long long)v), d->span);
        }
    }
    return true;
}

/* A dimension that an export takes from an imported function is also a name of the exporting file, whose hint wins. */
bool sema_constrain_dim(Sema *s, Inst *inst, Sym name, const Expr *value) {
    bool exported = inst == s->entry && value->op == OP_DIM && value->u.dim->name == name;
    return (!exported || inst->file == s->root || constrain_by(s, s->root, inst, name, value)) &&
           constrain_by(s, inst->file, inst, name, value);
}

const Expr *sema_new_dim(Sema *s, Inst *inst, Sym name, Span span) {
    const Expr *e = expr_dim(s->g, graph_dim(s->g, name));
    Name *n = sema_bind(s, inst, name, NAME_VALUE, span);
    if (!n) return NULL;
    n->value = e;
    return sema_constrain_dim(s, inst, name, e) ? e : NULL;
}

/* ---- an export's shapes ---- */

static bool declare_in(Sema *s, Inst *inst, const AstExpr *e) {
    for (const AstExpr *one = NULL; count_unknown(inst, e, &one) > 0; one = NULL)
        if (!sema_new_dim(s, inst, one->name, one->span)) return false;
    return true;
}

bool sema_declare_dims(Sema *s, Inst *inst, const AstItems *dims) {
    bool ok = true;
    for (int i = 0; i < dims->v.n; i++) {
        const AstItem *it = &dims->v.at[i];
        if (it->kind == ITEM_EXPR) ok &= declare_in(s, inst, it->value);
    }
    return ok;
}

/* e with its constant parts as numbers: what static parameters leave of a dimension. */
static const Expr *folded(Sema *s, const Expr *e, int depth) {
    int64_t v;
    if (sema_const_int(e, &v)) return expr_int(s->g, TY_I64, v);
    if (depth > MAX_DEPTH || e->type != TY_I64 || op_rule(e->op) != RULE_ARITH || e->nargs < 1 || e->nargs > 2)
        return e;
    const Expr *arg[2];
    for (int i = 0; i < e->nargs; i++) arg[i] = folded(s, e->arg[i], depth + 1);
    if (e->nargs == 1) return expr1(s->g, e->op, arg[0]);
    bool zero = expr_is_int(arg[1], &v) && v == 0, one = expr_is_int(arg[1], &v) && v == 1;
    if ((zero && (e->op == OP_ADD || e->op == OP_SUB)) || (one && (e->op == OP_MUL || e->op == OP_DIV))) return arg[0];
    if (e->op == OP_MUL && expr_is_int(arg[0], &v) && v == 1) return arg[1];
    return expr2(s->g, e->op, arg[0], arg[1]);
}

static Found is_name(const Expr *e, const void *unused) {
    (void)unused;
    return e->op == OP_DIM || e->op == OP_SCALAR ? FOUND : FOUND_INSIDE;
}

static bool one_pack(Sema *s, const AstItems *dims) {
    int packs = 0;
    for (int i = 0; i < dims->v.n; i++) {
        if (dims->v.at[i].kind != ITEM_PACK || ++packs < 2) continue;
        Diag *d = SEMA_REPORT(s, TWO_PACKS, dims->v.at[i].span, "a tensor has at most one pack of dimensions");
        diag_help(s->ctx, d, "write the dimensions of one side out, or bring the axis to the end: [%s..., N]",
                  dims->v.at[i].name);
        return false;
    }
    return true;
}

static bool shape_item(Sema *s, Inst *inst, const AstItem *it, ExprVec *out) {
    if (it->kind == ITEM_PACK) {
        Name *n = sema_name(inst, it->name);
        if (!n || n->kind != NAME_PACK) {
            bool here = inst->fn->is_export || inst->caller;
            Diag *d = SEMA_REPORT(s, EXPORT_NOT_CONCRETE, here ? it->span : s->g->span,
                                  "the dimensions %s... are not known here", it->name);
            if (!here) diag_note(s->ctx, d, it->span, "declared here");
            if (here && !inst->caller)
                diag_help(
                    s->ctx, d,
                    "leave out `export` before fn, and behind the function write an instance for each rank: export "
                    "%s2 = %s(%s = [M]);",
                    inst->fn->name, inst->fn->name, it->name);
            else if (!inst->caller)
                diag_help(s->ctx, d, "give them in the instance: %s(%s = [M])", inst->fn->name, it->name);
            return false;
        }
        for (int k = 0; k < n->pack.n; k++) vec_push(s->ctx, out, n->pack.at[k]);
        return true;
    }
    if (it->kind != ITEM_EXPR) {
        SEMA_REPORT(s, BAD_DIM, it->span, "a shape has dimensions here");
        return false;
    }
    const Expr *e = sema_int(s, (Env){inst, NULL}, it->value);
    if (!e) return false;
    e = folded(s, e, 0);
    VarVec vars = {0};
    sema_free_vars(s, e, &vars);
    if (known_uses_data(e) || vars.n) {
        SEMA_REPORT(s, DATA_DIM, it->span, "a dimension cannot depend on %s", vars.n ? vars.at[0]->name : "data");
        return false;
    }
    int64_t v;
    if (sema_const_int(e, &v) && v < 0) {
        SEMA_REPORT(s, NEGATIVE_DIM, it->span, "this dimension is negative: %lld", (long long)v);
        return false;
    }
    if (e->op != OP_CONST && !expr_has(e, is_name, NULL)) {
        SEMA_REPORT(s, BAD_DIM, it->span, "this dimension does not fit in 64 bits");
        return false;
    }
    sema_no_zero_divisor(s, it->value, e, it->span);
    if (e->op != OP_CONST && e->op != OP_DIM)
        vec_push(s->ctx, &s->known->shapes, expr2(s->g, OP_GE, e, expr_int(s->g, TY_I64, 0)));
    vec_push(s->ctx, out, e);
    return true;
}

bool sema_shape(Sema *s, Inst *inst, const AstItems *dims, ExprVec *out) {
    bool ok = one_pack(s, dims);
    for (int i = 0; i < dims->v.n && ok; i++) ok &= shape_item(s, inst, &dims->v.at[i], out);
    if (ok && out->n > MAX_RANK) {
        SEMA_REPORT(s, LIMIT, dims->span, "a tensor has at most %d dimensions", MAX_RANK);
        return false;
    }
    return ok;
}

/* ---- a callee's shapes against its arguments ---- */

static void add_pair(Sema *s, Unify *u, const AstExpr *ast, const Expr *actual, Span span, Sym what) {
    vec_push(s->ctx, &u->pairs, ((DimPair){ast, actual, span, what}));
}

/* The dimension, which the callee inst declares at `origin`, is not the one wanted; p->ast is as it writes it, or NULL.
 */
static bool mismatch(Sema *s, const DimPair *p, const Expr *want, Span origin, Inst *inst) {
    const Expr *got = p->actual;
    Diag *d = SEMA_REPORT(s, SHAPE_MISMATCH, p->span, "%s must be %s, but is %s", p->what, sema_show(s, want),
                          sema_show(s, got));
    if (origin.file >= 0) diag_note(s->ctx, d, origin, "it is declared here");
    const Name *n = p->ast && p->ast->kind == AST_NAME ? sema_name(inst, p->ast->name) : NULL;
    if (n && n->from)
        diag_note(s->ctx, d, n->given, "%s of %s is %s: %s is", n->name, inst->fn->name, sema_show(s, want), n->from);
    Text why = {.ctx = s->ctx};
    bool differ = known_refute(s->known, expr2(s->g, OP_SUB, want, got), &why) ||
                  known_refute(s->known, expr2(s->g, OP_SUB, got, want), &why);
    if (differ && why.n) diag_note(s->ctx, d, SPAN_NONE, "they differ for %s", why.s);
    PolyEnv env = {.g = s->g};
    int64_t by;
    bool never = poly_is_const(poly_sub(s->ctx, poly_of(&env, want), poly_of(&env, got)), &by);
    bool names = want->op == OP_DIM && got->op == OP_DIM;
    if (never)
        diag_advise(s->ctx, d, "pass a tensor whose length there is %s", sema_show(s, want));
    else
        diag_advise(s->ctx, d, "if both are always the same, %sstate it: require %s == %s;",
                    names ? "use one name for both, or " : "", sema_show(s, want), sema_show(s, got));
    return false;
}

static bool unify_pack(Sema *s, Unify *u, const AstItem *it, const Expr *const *actual, int n, Span span, Sym what) {
    Name *name = sema_name(u->inst, it->name);
    if (!name) {
        if (!(name = sema_bind(s, u->inst, it->name, NAME_PACK, it->span))) return false;
        for (int i = 0; i < n; i++) vec_push(s->ctx, &name->pack, actual[i]);
        return true;
    }
    if (name->kind != NAME_PACK || name->pack.n != n) {
        SEMA_REPORT(s, ARGUMENT_RANK, span, "%s: the pack %s... has %d dimensions elsewhere and %d here", what,
                    it->name, name->pack.n, n);
        return false;
    }
    for (int i = 0; i < n; i++)
        if (!known_equal(s->known, name->pack.at[i], actual[i]))
            return mismatch(s, &(DimPair){NULL, actual[i], span, what}, name->pack.at[i], it->span, u->inst);
    return true;
}

bool sema_unify_add(Sema *s, Unify *u, const AstType *type, const TensorVal *val, Span span, Sym what) {
    int n = type->dims->v.n, packs = 0;
    for (int i = 0; i < n; i++) packs += type->dims->v.at[i].kind == ITEM_PACK;
    int extra = val->rank - (n - packs);
    if (packs > 1) return one_pack(s, type->dims);
    if (packs ? extra < 0 : extra != 0) {
        Diag *d = SEMA_REPORT(s, ARGUMENT_RANK, span, "%s has %s%d dimensions, the argument has %d", what,
                              packs ? "at least " : "", n - packs, val->rank);
        diag_note(s->ctx, d, type->span, "declared here");
        return false;
    }
    bool ok = true;
    for (int i = 0, at = 0; i < n; i++) {
        const AstItem *it = &type->dims->v.at[i];
        if (it->kind == ITEM_PACK) {
            ok &= unify_pack(s, u, it, val->shape + at, extra, span, what);
            at += extra;
            continue;
        }
        if (it->kind == ITEM_EXPR)
            add_pair(s, u, it->value, val->shape[at], span, sym_fmt(s->ctx, "dimension %d of %s", at, what));
        at++;
    }
    return ok;
}

static bool bind_dim(Sema *s, Inst *inst, const AstExpr *at, const Expr *value, const DimPair *by) {
    PolyEnv env = {.g = s->g};
    Poly p = poly_of(&env, value);
    if (!p.failed) value = poly_expr(s->g, p);
    Name *n = sema_bind(s, inst, at->name, NAME_VALUE, at->span);
    if (!n) return false;
    n->value = value;
    n->from = by->what;
    n->given = by->span;
    return sema_constrain_dim(s, inst, at->name, value);
}

/* Solves ast = target for its one unknown name, through sums and products. False without a report: not of that form. */
static bool solve(Sema *s, Inst *inst, const AstExpr *ast, const Expr *target, const DimPair *by, bool *failed) {
    if (ast->kind == AST_NAME) {
        *failed |= !bind_dim(s, inst, ast, target, by);
        return true;
    }
    if (ast->kind != AST_BINARY) return false;
    const AstExpr *one = NULL;
    bool left = count_unknown(inst, ast->a, &one) == 1;
    const AstExpr *in = left ? ast->a : ast->b, *out = left ? ast->b : ast->a;
    const Expr *k = sema_int(s, (Env){inst, NULL}, out);
    if (!k) return *failed = true;
    switch (ast->u.op) {
    case OP_ADD: return solve(s, inst, in, expr2(s->g, OP_SUB, target, k), by, failed);
    case OP_SUB:
        target = left ? expr2(s->g, OP_ADD, target, k) : expr2(s->g, OP_SUB, k, target);
        return solve(s, inst, in, target, by, failed);
    case OP_MUL: {
        const Expr *zero = expr_int(s->g, TY_I64, 0), *rest = expr2(s->g, OP_EQ, expr2(s->g, OP_MOD, target, k), zero);
        PolyEnv env = {.g = s->g};
        if (cond_truth(&env, expr2(s->g, OP_NE, k, zero)) < 0) /* 0 divides only 0 */
            rest = expr2(s->g, OP_AND, rest,
                         expr2(s->g, OP_OR, expr2(s->g, OP_NE, k, zero), expr2(s->g, OP_EQ, target, zero)));
        sema_require(s, rest, sym_fmt(s->ctx, "%s is not divisible by %s", sema_show(s, target), sema_show(s, k)),
                     by->span);
        return solve(s, inst, in, expr2(s->g, OP_DIV, target, k), by, failed);
    }
    default: return false;
    }
}

/* One step for each pair: whether it is done, by binding its unknown or by a comparison. */
static bool unify_step(Sema *s, Unify *u, const DimPair *p, bool plain, bool *failed) {
    const AstExpr *one = NULL;
    int unknown = count_unknown(u->inst, p->ast, &one);
    if (unknown > 1) return false;
    if (unknown == 1) return (!plain || p->ast->kind == AST_NAME) && solve(s, u->inst, p->ast, p->actual, p, failed);
    const Expr *want = sema_int(s, (Env){u->inst, NULL}, p->ast);
    if (!want)
        *failed = true;
    else if (!known_equal(s->known, want, p->actual))
        *failed |= !mismatch(s, p, want, p->ast->span, u->inst);
    return true;
}

bool sema_unify(Sema *s, Unify *u) {
    bool failed = false;
    for (bool plain = true, moved = true; moved || plain;) {
        if (!moved) plain = false;
        moved = false;
        int kept = 0;
        for (int i = 0; i < u->pairs.n; i++) {
            DimPair p = u->pairs.at[i];
            if (unify_step(s, u, &p, plain, &failed))
                moved = true;
            else
                u->pairs.at[kept++] = p;
        }
        u->pairs.n = kept;
    }
    for (int i = 0; i < u->pairs.n && !failed; i++) {
        const AstExpr *one = NULL;
        count_unknown(u->inst, u->pairs.at[i].ast, &one);
        Diag *d = SEMA_REPORT(s, UNBOUND_DIM, u->call, "%s cannot be found from the arguments", one->name);
        diag_note(s->ctx, d, u->pairs.at[i].ast->span, "it would have to follow from this");
        diag_help(s->ctx, d, "give it by name: %s = ...", one->name);
        failed = true;
    }
    return !failed;
}

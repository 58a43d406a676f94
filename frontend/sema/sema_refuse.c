/* What is said of a subscript that is out of range, or not proved to be in it: the values for which it is outside,
 * where the ranges of its variables come from, and what to write. */
#include "sema_int.h"

#include "ir/expr_is.h"

typedef struct Refusal {
    Sema *s;
    const Expr *sub;
    bool low;
    const SubPlace *at;
    Diag *d;
} Refusal;

/* ---- where the ranges come from ---- */

typedef VEC(const Var *) ConstVars;

typedef struct Variables {
    Ctx *ctx;
    ConstVars found;
} Variables;

static Found note_variable(const Expr *e, void *variables) {
    Variables *x = variables;
    if (e->op == OP_VAR) vec_push(x->ctx, &x->found, e->u.var);
    return FOUND_INSIDE;
}

/* The variables of e and those that their ranges use, each before those of its range. */
static ConstVars variables(Ctx *ctx, const Expr *e) {
    Variables x = {.ctx = ctx};
    ExprWalk w = {.temp = ctx, .before = note_variable, .user = &x, .depends = true};
    expr_walk(&w, e);
    return x.found;
}

static void note_ranges(const Refusal *r) {
    Sema *s = r->s;
    ConstVars vars = variables(s->ctx, r->sub);
    for (int i = 0; i < vars.n && i < 3; i++) {
        const Var *v = vars.at[i];
        if (v->span.file >= 0 && v->lo && v->hi)
            diag_note(s->ctx, r->d, v->span, "%s runs over %s..%s because of this", v->name, sema_show(s, v->lo),
                      sema_show(s, v->hi));
    }
    for (int i = 0; i < s->known->path.n && i < 3; i++)
        diag_note(s->ctx, r->d, SPAN_NONE, "known here: %s", sema_show(s, s->known->path.at[i]));
    if (r->at->declared.file >= 0 && r->at->name)
        diag_note(s->ctx, r->d, r->at->declared, "dimension %d of %s is %s", r->at->axis, r->at->name,
                  sema_show(s, r->at->extent));
}

/* ---- what to write ---- */

static Sym source_text(const Refusal *r, Span span) {
    size_t n;
    const char *text = diag_file_text(r->s->ctx, span.file, &n);
    if (!text || span.end > n || span.start > span.end) return sym(r->s->ctx, "");
    return sym_n(r->s->ctx, text + span.start, span.end - span.start);
}

static const char *zero_of(Type t) { return t == TY_BOOL ? "false" : type_is_float(t) ? "0.0" : "0"; }

/* The condition on dimensions alone under which the subscript stays inside: each variable at the end of its range.
 * *excess: by how much it is always outside there, or 0. */
static const Expr *dimension_condition(const Refusal *r, int64_t *excess) {
    Sema *s = r->s;
    ConstVars vars = variables(s->ctx, r->sub);
    ExprVec from = {0}, to = {0};
    const Expr *one = expr_int(s->g, TY_I64, 1);
    PolyEnv env = {.g = s->g};
    Poly p = poly_of(&env, r->sub);
    if (p.failed) return NULL;
    for (int i = 0; i < vars.n; i++) {
        Poly coef, rest;
        int64_t c;
        const Expr *v = expr_var(s->g, (Var *)vars.at[i]);
        if (!poly_linear(s->ctx, p, v, &coef, &rest) || !poly_is_const(coef, &c)) return NULL;
        bool end = (c > 0) != r->low;
        vec_push(s->ctx, &from, v);
        vec_push(s->ctx, &to, end ? expr2(s->g, OP_SUB, vars.at[i]->hi, one) : vars.at[i]->lo);
    }
    const Expr *most = expr_replace(s->g, r->sub, from.at, to.at, from.n);
    if (expr_has_op(most, OP_VAR)) return NULL;
    const Expr *cond = r->low ? expr2(s->g, OP_LE, expr_int(s->g, TY_I64, 0), most)
                              : expr2(s->g, OP_LE, expr2(s->g, OP_ADD, most, one), r->at->extent);
    int64_t v;
    Poly beyond = poly_of(&env, r->low ? cond->arg[1] : expr2(s->g, OP_SUB, cond->arg[0], cond->arg[1]));
    if (!beyond.failed && poly_is_const(beyond, &v)) *excess = v < 0 ? -v : v;
    return sema_const_int(cond, &v) || known_truth(s->known, cond) == 0 ? NULL : cond;
}

typedef struct Dimensions {
    Ctx *ctx;
    ExprVec found;
} Dimensions;

static Found note_dimension(const Expr *e, void *dimensions) {
    Dimensions *x = dimensions;
    if (e->op == OP_DIM) vec_push(x->ctx, &x->found, e);
    return FOUND_INSIDE;
}

/* The dimensions of a and of b, which may be NULL. */
static ExprVec dimensions(Ctx *ctx, const Expr *a, const Expr *b) {
    Dimensions x = {.ctx = ctx};
    ExprWalk w = {.temp = ctx, .before = note_dimension, .user = &x};
    expr_walk(&w, a);
    expr_walk(&w, b);
    return x.found;
}

/* Whether cond fails unless a dimension is 0: nobody requires that. */
static bool only_at_zero(Sema *s, const Expr *cond) {
    ExprVec dims = dimensions(s->ctx, cond, NULL);
    int mark = s->known->path.n;
    for (int i = 0; i < dims.n; i++)
        known_push(s->known, expr2(s->g, OP_GT, dims.at[i], expr_int(s->g, TY_I64, 0)), true);
    bool fails = known_truth(s->known, cond) == 0;
    known_pop(s->known, mark);
    return fails;
}

static Sym show_condition(Sema *s, const Expr *cond) {
    return sym_fmt(s->ctx, "%s <= %s", sema_show(s, cond->arg[0]), sema_show(s, cond->arg[1]));
}

/* No value that meets the conditions around it puts the subscript in range. */
static bool never_in_range(const Refusal *r) {
    Sema *s = r->s;
    const Expr *one = expr_int(s->g, TY_I64, 1);
    const Expr *out =
        r->low ? expr1(s->g, OP_NEG, r->sub) : expr2(s->g, OP_ADD, expr2(s->g, OP_SUB, r->sub, r->at->extent), one);
    return known_nonneg(s->known, expr2(s->g, OP_SUB, out, one));
}

/* Whether the opposite of a condition around the load would put it in range, where it never is in range now: the
 * branches of an if are swapped. */
static const Expr *swapped(const Refusal *r) {
    Sema *s = r->s;
    if (s->known->path.n == 0 || !never_in_range(r)) return NULL;
    for (int i = s->known->path.n - 1; i >= 0; i--) {
        const Expr *c = s->known->path.at[i];
        int n = s->known->path.n;
        s->known->path.n = i;
        known_push(s->known, c, false);
        bool in = known_nonneg(s->known, r->sub) && known_nonneg(s->known, sema_room_above(s, r->sub, r->at->extent));
        s->known->path.at[i] = c;
        s->known->path.n = n;
        if (in) return c;
    }
    return NULL;
}

/* sub is a variable plus a constant, and the variable runs over the whole dimension. */
static const Var *shifted(const Refusal *r, int64_t *by) {
    PolyEnv env = {.g = r->s->g};
    ConstVars vars = variables(r->s->ctx, r->sub);
    if (vars.n == 0) return NULL;
    const Expr *v = expr_var(r->s->g, (Var *)vars.at[0]);
    Poly rest = poly_sub(r->s->ctx, poly_of(&env, r->sub), poly_of(&env, v));
    if (!poly_is_const(rest, by) || *by == 0) return NULL;
    return known_equal(r->s->known, vars.at[0]->hi, r->at->extent) ? vars.at[0] : NULL;
}

/* The dimensions, scalars and data by which e divides. */
static void divisor_names(Sema *s, const Expr *e, bool inside, ExprVec *out, int *left) {
    if (--*left < 0) return;
    if (inside && (e->op == OP_DIM || e->op == OP_SCALAR || e->op == OP_LOAD)) vec_push(s->ctx, out, e);
    if (e->op == OP_LOAD || e->op == OP_REDUCE) return;
    bool divides = (e->op == OP_DIV || e->op == OP_MOD) && !type_is_float(e->type);
    for (int i = 0; i < e->nargs; i++) divisor_names(s, e->arg[i], inside || (divides && i == 1), out, left);
}

/* Where it is only a length that is 0 which takes the subscript outside, as in clamp(e, 0, H - 1): there is no element
 * then. */
static const Expr *empty_length(const Refusal *r) {
    Sema *s = r->s;
    if (!known_is_small(r->sub) || !known_is_small(r->at->extent)) return NULL;
    ExprVec names = dimensions(s->ctx, r->at->extent, r->sub);
    for (int i = 0; i < names.n; i++) {
        const Expr *some = expr2(s->g, OP_GT, names.at[i], expr_int(s->g, TY_I64, 0));
        if (known_truth(s->known, some) == 1) continue;
        int mark = known_push(s->known, some, true);
        bool in = known_nonneg(s->known, r->sub) && known_nonneg(s->known, sema_room_above(s, r->sub, r->at->extent));
        known_pop(s->known, mark);
        if (in) return names.at[i];
    }
    return NULL;
}

static void help_length(const Refusal *r, const Expr *length) {
    Sym name = sema_show(r->s, length);
    diag_note(r->s->ctx, r->d, SPAN_NONE, "%s may be 0: then there is no element that it could be", name);
    diag_advise(r->s->ctx, r->d, "if %s is never 0, state it: dim %s in 1..; or in the function require %s > 0;", name,
                name, name);
}

/* Where it is only a divisor that is 0 which takes the subscript outside: says how to exclude that. */
static bool help_divisor(const Refusal *r) {
    Sema *s = r->s;
    ExprVec names = {0};
    int left = 500;
    divisor_names(s, r->sub, false, &names, &left);
    divisor_names(s, r->at->extent, false, &names, &left);
    for (int i = 0; i < names.n; i++) {
        const Expr *n = names.at[i];
        int mark = known_push(s->known, expr2(s->g, OP_GT, n, expr_int(s->g, n->type, 0)), true);
        bool in = known_nonneg(s->known, r->sub) && known_nonneg(s->known, sema_room_above(s, r->sub, r->at->extent));
        known_pop(s->known, mark);
        if (!in) continue;
        Sym name = sema_show(s, n);
        diag_note(s->ctx, r->d, SPAN_NONE, "a quotient or remainder by 0 is 0, and %s may be 0", name);
        if (n->op == OP_DIM)
            diag_advise(s->ctx, r->d, "if %s is never 0, state it: dim %s in 1..; or in the function require %s > 0;",
                        name, name, name);
        else
            diag_help(s->ctx, r->d, "if %s is never 0, state it: %s %s > 0;", name,
                      n->op == OP_LOAD ? "assume" : "require", name);
        return true;
    }
    return false;
}

static const Expr *unwrapped(const Expr *e) {
    while (e->op == OP_CAST && !type_is_float(e->arg[0]->type)) e = e->arg[0];
    return e;
}

/* To take the element only where it is. `excess`: how far outside it is at most, where that is known, else 0. */
static void help_guard(const Refusal *r, int64_t excess) {
    Sema *s = r->s;
    int64_t by;
    const Var *v = shifted(r, &by);
    if (!r->at->load) {
        diag_help(s->ctx, r->d, "define only what exists: add where 0 <= e && e < %s at the end of the equation",
                  sema_show(s, r->at->extent));
        return;
    }
    Sym load = source_text(r, r->at->load->span);
    if (v)
        diag_help(s->ctx, r->d, "let %s run over fewer values, %s in %s..%s, or give a value for outside: pad(%s, %s)",
                  v->name, v->name, by < 0 ? sym_fmt(s->ctx, "%lld", (long long)-by) : sym(s->ctx, "0"),
                  sema_show(s, by < 0 ? r->at->extent : expr2(s->g, OP_SUB, r->at->extent, expr_int(s->g, TY_I64, by))),
                  load, zero_of(r->at->type));
    else
        diag_help(s->ctx, r->d, "guard it with if or where, or give a value for outside: pad(%s, %s)", load,
                  zero_of(r->at->type));
    if (!v && excess && s->known->path.n == 0)
        diag_help(s->ctx, r->d, "at its %s it is %lld too %s: is %lld to be %s, or a range to be shorter?",
                  r->low ? "least" : "largest", (long long)excess, r->low ? "small" : "large", (long long)excess,
                  r->low ? "added" : "subtracted");
}

static void help_indices(const Refusal *r) {
    Sema *s = r->s;
    int64_t by, excess = 0, fixed;
    const Expr *length = NULL;
    if (r->low && sema_const_int(r->sub, &fixed) && fixed < 0 && r->at->load) {
        Sym extent = sema_show(s, r->at->extent);
        diag_help(s->ctx, r->d,
                  "subscripts count from 0: the last one is %s - %lld, where dim %s in %lld..; says that there is one",
                  extent, (long long)-fixed, extent, (long long)-fixed);
        return;
    }
    Sym assume = sema_suggest_assume(s, r->sub, r->at->extent); /* a range may be data */
    if (assume) {
        diag_help(s->ctx, r->d, "state what is known of the data: assume %s;", assume);
        return;
    }
    if (help_divisor(r)) return;
    if ((length = empty_length(r)) && !shifted(r, &by)) {
        help_length(r, length);
        return;
    }
    const Expr *other = swapped(r), *cond = dimension_condition(r, &excess);
    Sym near = r->sub->op == OP_VAR ? sema_var_over(s, r->at->scope, r->at->extent, NULL) : NULL;
    if (near) {
        diag_help(s->ctx, r->d, "%s runs over 0..%s: did you mean %s here?", near, sema_show(s, r->at->extent), near);
        return;
    }
    if (other) {
        diag_help(s->ctx, r->d, "it would be in range where %s does not hold: swap the branches of the if",
                  sema_show(s, other));
        return;
    }
    bool never = cond && only_at_zero(s, cond);
    const Expr *multiple = sema_suggest_multiple(s, r->sub, r->at->extent);
    if (multiple) {
        diag_advise(s->ctx, r->d, "if %s is always a multiple of %s, state it: require %s;",
                    sema_show(s, r->at->extent), sema_show(s, multiple->arg[0]->arg[1]), sema_show(s, multiple));
        return;
    }
    if (cond && !never) diag_advise(s->ctx, r->d, "if it always holds, state it: require %s;", show_condition(s, cond));
    if (never && r->sub->op == OP_VAR) {
        diag_help(s->ctx, r->d, "let %s run over fewer values where it is bound: %s in %s", r->sub->u.var->name,
                  r->sub->u.var->name, sema_show(s, r->at->extent));
        return;
    }
    help_guard(r, excess);
}

/* A cast of dimensions to a type that not all of them have room in, outside of data. */
static Found is_narrowed(const Expr *e, const void *unused) {
    (void)unused;
    if (e->op == OP_LOAD || e->op == OP_REDUCE) return FOUND_NOT;
    bool narrow = e->op == OP_CAST && type_class(e->type) != CLASS_FLOAT && type_bits(e->type) < 64;
    return narrow && e->arg[0]->type == TY_I64 && expr_over_dims(e) ? FOUND : FOUND_INSIDE;
}

static void help_data(const Refusal *r) {
    Sema *s = r->s;
    ExprSet seen = {0};
    const Expr *cast = expr_find(s->ctx, &seen, known_written_in(s->known, r->sub), is_narrowed, NULL);
    if (help_divisor(r)) return;
    if (cast)
        diag_help(s->ctx, r->d, "%s is another number where %s does not fit in %s: write %s", sema_show(s, cast),
                  sema_show(s, cast->arg[0]), type_name(cast->type), sema_show(s, cast->arg[0]));
    Sym extent = sema_show(s, r->at->extent);
    Sym sub = r->at->load ? source_text(r, r->at->span) : sema_show(s, unwrapped(r->sub));
    Sym assume = sema_suggest_assume(s, r->sub, r->at->extent);
    const Expr *from = unwrapped(r->sub);
    if (assume) diag_help(s->ctx, r->d, "state what is known of the data: assume %s;", assume);
    bool clamps = !assume && from->op != OP_MIN && from->op != OP_MAX;
    if (clamps) diag_help(s->ctx, r->d, "clamp it: clamp(%s, 0, %s - 1)", sub, extent);
    if (r->at->load)
        diag_help(s->ctx, r->d, "%sgive a value for outside: pad(%s, %s)", assume || clamps ? "or " : "",
                  source_text(r, r->at->load->span), zero_of(r->at->type));
    else
        diag_help(s->ctx, r->d, "%sleave out the others: ... where 0 <= %s && %s < %s;", assume || clamps ? "or " : "",
                  sub, sub, extent);
}

/* ---- reports ---- */

/* "x[i + 1]", or of a left-hand side "y[i + 1]". */
static Sym what(const Refusal *r) { return source_text(r, r->at->load ? r->at->load->span : r->at->span); }

/* One subscript that stands in several places of an equation is one mistake. */
static bool said_before(const Refusal *r) {
    Sema *s = r->s;
    Sym key =
        sym_fmt(s->ctx, "%s %s %d %s", s->defining ? s->defining : "", what(r), r->at->axis, sema_show(s, r->sub));
    if (expr_map_get(&s->refused_subs, key)) return true;
    expr_map_put(s->ctx, &s->refused_subs, key, key);
    return false;
}

void sema_refuse_sub(Sema *s, const Expr *sub, bool low, const SubPlace *at) {
    Refusal r = {.s = s, .sub = sub, .low = low, .at = at};
    if (s->unguarded > 0 || said_before(&r)) return;
    if (swapped(&r)) { /* both branches are wrong by one mistake */
        if (s->said_swapped) return;
        s->said_swapped = true;
    }
    const Expr *room = low ? sub : sema_room_above(s, sub, at->extent), *values[] = {sub, at->extent};
    Text why = {.ctx = s->ctx};
    int64_t is[2];
    text_put(&why, "");
    Sym shown = sema_show(s, sub->op == OP_CAST ? sub->arg[0] : sub), extent = sema_show(s, at->extent);
    const Expr *length = known_uses_data(sub) ? empty_length(&r) : NULL;
    if (length) {
        const char *form = "%s is out of range where %s is 0: subscript %d";
        Sym name = sema_show(s, length);
        r.d = at->load ? SEMA_REPORT(s, DATA_SUBSCRIPT, at->span, form, what(&r), name, at->axis)
                       : SEMA_REPORT(s, STORE_RANGE, at->span, form, what(&r), name, at->axis);
        note_ranges(&r);
        help_length(&r, length);
        return;
    }
    if (known_uses_data(sub)) {
        const char *form = "%s may be out of range: subscript %d, %s, is data and could be anything";
        r.d = at->load ? SEMA_REPORT(s, DATA_SUBSCRIPT, at->span, form, what(&r), at->axis, source_text(&r, at->span))
                       : SEMA_REPORT(s, STORE_RANGE, at->span, form, what(&r), at->axis, shown);
        note_ranges(&r);
        help_data(&r);
        return;
    }
    if (known_refute_with(s->known, room, &why, values, is, 2)) {
        const char *form = "%s is out of range: subscript %d, %s, is %s%s%s%s";
        const char *side = low ? "negative" : "beyond ", *end = low ? "" : extent, *of = why.n ? " for " : "";
        r.d = at->load ? SEMA_REPORT(s, OUT_OF_RANGE, at->span, form, what(&r), at->axis, shown, side, end, of, why.s)
                       : SEMA_REPORT(s, STORE_RANGE, at->span, form, what(&r), at->axis, shown, side, end, of, why.s);
        diag_note(s->ctx, r.d, SPAN_NONE, "with these values the subscript is %lld; inside is 0..%lld",
                  (long long)is[0], (long long)is[1]);
    } else {
        const char *form = "cannot prove that %s is in range: subscript %d, %s, must be %s%s";
        const char *side = low ? ">= 0" : "< ", *end = low ? "" : extent;
        r.d = at->load ? SEMA_REPORT(s, NOT_PROVED, at->span, form, what(&r), at->axis, shown, side, end)
                       : SEMA_REPORT(s, STORE_RANGE, at->span, form, what(&r), at->axis, shown, side, end);
    }
    note_ranges(&r);
    help_indices(&r);
}

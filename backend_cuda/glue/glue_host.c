/* C names of an entry's arguments and C text of host expressions. See glue_host.h. Emits no statements. */
#include "glue_host.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"

#include "backend_cuda/names.h"
#include "glue_text.h"
#include "ir/interp/interp.h"

#include <math.h>
#include <string.h>

typedef VEC(Sym) Names;

/* The C names of the helpers. */
static const char *const FNS[HOST_COUNT] = {
#define HOST_FN(name, function) #function,
#include "host_fns.def"
#undef HOST_FN
};

/* `name`, or with underscores after it where that is taken. A leading underscore is C's, so such a name gets a letter.
 */
static Sym fresh(Ctx *ctx, Names *taken, const char *name) {
    Sym s = name[0] == '_' || !strncmp(name, "td_", 3) ? sym_fmt(ctx, "v%s%s", name[0] == '_' ? "" : "_", name)
                                                       : sym(ctx, name);
    for (bool again = true; again;) {
        again = name_reserved(s);
        for (int i = 0; i < taken->n; i++) again |= taken->at[i] == s;
        if (again) s = sym_fmt(ctx, "%s_", s);
    }
    vec_push(ctx, taken, s);
    return s;
}

HostEntry host_entry(Ctx *ctx, const Program *p, bool *used, bool *needs_math) {
    const Graph *g = p->graph;
    HostEntry h = {.p = p, .ctx = ctx, .used = used, .needs_math = needs_math};
    Names taken = {0};
    h.params = NEW_N(ctx, Sym, p->params.n + 1);
    h.dims = NEW_N(ctx, Sym, g->dims.n + 1);
    h.scalars = NEW_N(ctx, Sym, g->scalars.n + 1);
    h.dim_used = NEW_N(ctx, bool, g->dims.n + 1);
    h.scalar_used = NEW_N(ctx, bool, g->scalars.n + 1);
    for (int i = 0; i < p->params.n; i++) h.params[i] = fresh(ctx, &taken, p->params.at[i]->name);
    for (int i = 0; i < g->dims.n; i++) h.dims[i] = fresh(ctx, &taken, g->dims.at[i]->name);
    for (int i = 0; i < g->scalars.n; i++) h.scalars[i] = fresh(ctx, &taken, g->scalars.at[i]->name);
    for (int i = 0; i < p->params.n + p->temps.n; i++) {
        const Tensor *t = i < p->params.n ? p->params.at[i] : p->temps.at[i - p->params.n];
        expr_map_put_number(ctx, &h.tensor_at, t, i);
    }
    return h;
}

int host_tensor_at(const HostEntry *h, const Tensor *t) { return (int)expr_map_number(&h->tensor_at, t, -1); }

static Found is_of_device(const Expr *e, const void *unused) {
    (void)unused;
    return op_host(e->op) == HOST_NONE ? FOUND : FOUND_INSIDE;
}

/* The host computes floats in double, whatever their type: only conditions read them. */
bool host_can(const Expr *e) { return e->depth <= MAX_NEST && !expr_has(e, is_of_device, NULL); }

bool host_uses_scalars(const Expr *e) { return expr_has_op(e, OP_SCALAR); }

static void host_const(Text *out, const Expr *e) {
    if (type_is_float(e->type)) {
        if (isnan(e->u.f))
            text_put(out, "NAN");
        else if (isinf(e->u.f))
            text_put(out, e->u.f < 0 ? "(-INFINITY)" : "INFINITY");
        else if (e->u.f < 0)
            text_put(out, "("), text_double(out, e->u.f), text_put(out, ")");
        else
            text_double(out, e->u.f);
    } else if (e->u.i == INT64_MIN) {
        text_put(out, "INT64_MIN");
    } else {
        text_fmt(out, e->u.i < 0 ? "(%lld)" : "%lld", (long long)e->u.i);
    }
}

static void call(Text *out, const HostEntry *h, const char *name, const Expr *e) {
    text_fmt(out, "%s(", name);
    for (int i = 0; i < e->nargs; i++) {
        if (i) text_put(out, ", ");
        host_expr(out, h, e->arg[i]);
    }
    text_char(out, ')');
}

static void helper(Text *out, const HostEntry *h, HostFn fn, const Expr *e) {
    h->used[fn] = true;
    call(out, h, FNS[fn], e);
}

static void infix(Text *out, const HostEntry *h, const char *op, const Expr *e) {
    text_char(out, '(');
    host_expr(out, h, e->arg[0]);
    text_fmt(out, " %s ", op);
    host_expr(out, h, e->arg[1]);
    text_char(out, ')');
}

const char *host_ctype(Type t) { return type_row(t)->host; }
const char *host_element(Type t) { return type_row(t)->element; }

void host_round(Text *out, const HostEntry *h, Type t, const char *open) {
    NumFormat f = num_format(t);
    *h->needs_math = h->used[HOST_ROUND] = true;
    text_put(out, "td_round(");
    text_put(out, open);
    text_fmt(out, ", %d, %d, ", f.precision, f.emin);
    text_double(out, f.max);
    text_fmt(out, ", %d)", f.saturates);
}

static void int_limit(Text *out, int64_t v) {
    if (v == INT64_MIN)
        text_put(out, "INT64_MIN");
    else
        text_fmt(out, "%lld", (long long)v);
}

static void host_cast(Text *out, const HostEntry *h, const Expr *e) {
    Text x = {.ctx = h->ctx};
    bool from_float = type_is_float(e->arg[0]->type);
    host_expr(&x, h, e->arg[0]);
    if (e->type == TY_BOOL) {
        text_fmt(out, "(%s != 0)", x.s);
    } else if (type_is_float(e->type)) {
        if (type_bits(e->type) < 32)
            host_round(out, h, e->type, x.s);
        else
            text_fmt(out, "(%s)%s", host_ctype(e->type), x.s);
    } else if (from_float) {
        h->used[HOST_INT] = true;
        text_fmt(out, "td_int(%s, ", x.s);
        int_limit(out, num_int_min(e->type));
        text_put(out, ", ");
        int_limit(out, num_int_max(e->type));
        text_char(out, ')');
    } else if (e->type == TY_U4) {
        text_fmt(out, "(%s & 15)", x.s);
    } else if (e->type == TY_I4) {
        text_fmt(out, "(((%s & 15) ^ 8) - 8)", x.s);
    } else {
        text_fmt(out, "(%s)%s", host_ctype(e->type), x.s);
    }
}

/* Arithmetic that integers and floats share; integers of 64 bits saturate, so that no size overflows unseen. */
static void host_arith(Text *out, const HostEntry *h, const Expr *e) {
    bool f = type_is_float(e->type);
    switch (e->op) {
    case OP_ADD: f ? infix(out, h, "+", e) : helper(out, h, HOST_ADD, e); break;
    case OP_SUB: f ? infix(out, h, "-", e) : helper(out, h, HOST_SUB, e); break;
    case OP_MUL: f ? infix(out, h, "*", e) : helper(out, h, HOST_MUL, e); break;
    case OP_DIV: f ? infix(out, h, "/", e) : helper(out, h, HOST_DIV, e); break;
    case OP_MOD:
        if (f)
            *h->needs_math = true, helper(out, h, HOST_FMOD, e);
        else
            helper(out, h, HOST_MOD, e);
        break;
    case OP_MIN: f ? helper(out, h, HOST_FMIN, e) : helper(out, h, HOST_MIN, e); break;
    case OP_MAX: f ? helper(out, h, HOST_FMAX, e) : helper(out, h, HOST_MAX, e); break;
    case OP_NEG:
        if (f)
            text_put(out, "(-"), host_expr(out, h, e->arg[0]), text_char(out, ')');
        else
            h->used[HOST_SUB] = true, text_put(out, "td_sub(0, "), host_expr(out, h, e->arg[0]), text_char(out, ')');
        break;
    case OP_ABS:
        if (f) {
            *h->needs_math = true;
            call(out, h, "fabs", e);
        } else {
            h->used[HOST_MAX] = h->used[HOST_SUB] = true;
            text_put(out, "td_max("), host_expr(out, h, e->arg[0]), text_put(out, ", td_sub(0, ");
            host_expr(out, h, e->arg[0]), text_put(out, "))");
        }
        break;
    default: /* OP_SIGN */
        if (f) {
            helper(out, h, HOST_FSIGN, e);
            break;
        }
        text_put(out, "(("), host_expr(out, h, e->arg[0]), text_put(out, " > 0) - (");
        host_expr(out, h, e->arg[0]), text_put(out, " < 0))");
        break;
    }
}

static void host_unary(Text *out, const HostEntry *h, const char *before, const Expr *e, const char *after) {
    text_put(out, before);
    host_expr(out, h, e->arg[0]);
    text_put(out, after);
}

/* Arithmetic of 32 bits, done in 64, wraps. */
static void put_wrap(Text *out, const Expr *e) {
    if (e->type == TY_I32 || e->type == TY_U32) text_fmt(out, "(%s)", host_ctype(e->type));
}

/* A constant, a dimension, a scalar, or what the function that compares dimensions is told of addresses. */
static void host_leaf(Text *out, const HostEntry *h, const Expr *e) {
    const Graph *g = h->p->graph;
    if (e->op == OP_CONST) {
        if (type_is_float(e->type) && !isfinite(e->u.f)) *h->needs_math = true;
        host_const(out, e);
    }
    for (int i = 0; e->op == OP_DIM && i < g->dims.n; i++)
        if (g->dims.at[i] == e->u.dim) text_put(out, h->dims[i]), h->dim_used[i] = true;
    for (int i = 0; e->op == OP_SCALAR && i < g->scalars.n; i++)
        if (g->scalars.at[i] == e->u.scalar) text_put(out, h->scalars[i]), h->scalar_used[i] = true;
    if (e->op == OP_ALIGNED) text_put(out, "td_aligned");
}

void host_expr(Text *out, const HostEntry *h, const Expr *e) {
    Sym name = expr_map_get(&h->named, e);
    if (name) {
        text_put(out, name);
        return;
    }
    if (op_libm(e->op)) {
        *h->needs_math = true;
        call(out, h, op_libm(e->op), e);
        return;
    }
    switch (e->op) {
    case OP_CONST:
    case OP_DIM:
    case OP_SCALAR:
    case OP_ALIGNED: host_leaf(out, h, e); break;
    case OP_CAST: host_cast(out, h, e); break;
    case OP_IF:
        text_char(out, '('), host_expr(out, h, e->arg[0]), text_put(out, " ? "), host_expr(out, h, e->arg[1]);
        text_put(out, " : "), host_expr(out, h, e->arg[2]), text_char(out, ')');
        break;
    case OP_NOT: host_unary(out, h, "!", e, ""); break;
    case OP_RSQRT: *h->needs_math = true, host_unary(out, h, "(1 / sqrt(", e, "))"); break;
    case OP_SIGMOID: *h->needs_math = true, helper(out, h, HOST_SIGMOID, e); break;
    case OP_DIGAMMA: *h->needs_math = true, helper(out, h, HOST_DIGAMMA, e); break;
    case OP_RANDOM: helper(out, h, HOST_RANDOM, e); break;
    case OP_ISNAN: *h->needs_math = true, host_unary(out, h, "(isnan(", e, ") != 0)"); break;
    case OP_ISINF: *h->needs_math = true, host_unary(out, h, "(isinf(", e, ") != 0)"); break;
    case OP_ISFINITE: *h->needs_math = true, host_unary(out, h, "(isfinite(", e, ") != 0)"); break;
    case OP_SHL: put_wrap(out, e), helper(out, h, HOST_SHL, e); break;
    case OP_SHR: helper(out, h, HOST_SHR, e); break;
    case OP_ROUND: *h->needs_math = true, call(out, h, "nearbyint", e); break; /* half to even, its default */
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_DIV:
    case OP_MOD:
    case OP_NEG:
    case OP_MIN:
    case OP_MAX:
    case OP_ABS:
    case OP_SIGN: put_wrap(out, e), host_arith(out, h, e); break;
    case OP_BITAND:
    case OP_BITOR:
    case OP_BITXOR:
    case OP_AND:
    case OP_OR:
    case OP_EQ:
    case OP_NE:
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE:
        infix(out, h, op_text(e->op), e);
        break;
/* Those that math.h has stand above, and of those that the host has not there is none here (host_can). An operator that
 * is GLUE in ops.def and has no case does not compile. */
#define CASE_GLUE(e)
#define CASE_NONE(e) case OP_##e:
#define CASE_LIBM(fn) CASE_NONE
#define OP(e, text, arity, form, rule, device, host, d) CASE_##host(e)
#include "ir/ops.def"
#undef OP
    case OP_COUNT: break;
    }
}

void host_functions(Text *out, const bool *used) {
    bool any = false;
    for (int f = 0; f < HOST_COUNT; f++) {
        if (!used[f]) continue;
        if (!any) text_put(out, "/* Integer arithmetic of the language; sums and products saturate. */\n");
        glue_text(out, GLUE_IN_HOST, FNS[f], NULL);
        any = true;
    }
    if (any) text_char(out, '\n');
}

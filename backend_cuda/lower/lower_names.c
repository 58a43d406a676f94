/* Lowering, what text is made of: lines, C types, names that clash with nothing, and the register tiles behind values.
 */
#include "lower_internal.h"

#include "backend_cuda/names.h"

#include <string.h>

/* ---- types ---- */

const char *lower_storage_type(Type t) { return type_row(t)->memory; }
const char *c_type(Type t) { return type_row(t)->value; }

/* ---- lines ---- */

Sym fmt(Lower *l, const char *f, ...) {
    va_list ap;
    va_start(ap, f);
    Sym s = ctx_vfmt(l->ctx, f, ap);
    va_end(ap);
    return s;
}

void put(Lower *l, const char *f, ...) {
    if (l->dry) return;
    if (f[0] == '#') {
        text_put(&l->body, "#");
        f++;
    } else {
        for (int i = 0; i < l->indent; i++) text_put(&l->body, "    ");
    }
    va_list ap;
    va_start(ap, f);
    text_vfmt(&l->body, f, ap);
    va_end(ap);
    text_char(&l->body, '\n');
}

void fail(Lower *l, const char *f, ...) {
    if (l->failed) return;
    l->failed = true;
    va_list ap;
    va_start(ap, f);
    text_fmt(l->why, "kernel %s: ", l->k->name);
    text_vfmt(l->why, f, ap);
    va_end(ap);
}

/* ---- names ---- */

static const char *const reserved[] = {"arg",      "auto",
                                       "bool",     "break",
                                       "case",     "char",
                                       "class",    "const",
                                       "do",       "double",
                                       "else",     "enum",
                                       "float",    "for",
                                       "if",       "int",
                                       "long",     "new",
                                       "short",    "signed",
                                       "static",   "struct",
                                       "switch",   "this",
                                       "template", "union",
                                       "unsigned", "void",
                                       "while",    "block",
                                       "thread",   "lane",
                                       "warp",     "exp",
                                       "log",      "max",
                                       "min",      "A",
                                       "t",        "v",
                                       "w",        "o",
                                       "some",     "words",
                                       "first",    "last",
                                       "from",     "to",
                                       "d",        "at",
                                       "i",        "I",
                                       "args",     "stream",
                                       "tensors",  "dims",
                                       "scalars",  "blocks_before",
                                       "and",      "or",
                                       "not",      "xor",
                                       "delete",   "default",
                                       "return",   "true",
                                       "false",    "using",
                                       "private",  "public"};

Sym name_of(Lower *l, const void *object, const char *wanted) {
    for (int i = 0; i < l->names.n; i++)
        if (l->names.at[i].object == object) return l->names.at[i].name;
    Text t = {.ctx = l->ctx};
    text_put(&t, wanted);
    for (char *c = t.s; c && *c; c++)
        if (*c == '\'' || *c == '.' || *c == '#') *c = '_';
    bool clash = strncmp(t.s, "td_", 3) == 0 || strncmp(t.s, "__", 2) == 0;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        clash = clash || (reserved[i][0] == t.s[0] && !strcmp(reserved[i], t.s));
    for (int tries = 0;; tries++) {
        Sym s = clash || tries ? sym_fmt(l->ctx, "%s_%d", t.s, tries + 1) : sym(l->ctx, t.s);
        bool taken = false;
        for (int i = 0; i < l->names.n; i++) taken = taken || l->names.at[i].name == s;
        if (!taken) {
            NameRow row = {object, s};
            vec_push(l->ctx, &l->names, row);
            return s;
        }
    }
}

Sym axis_name(Lower *l, const Axis *a, const Layout *layout) {
    /* Layouts after the first have thread digits of their own, and so an index of their own. */
    if (!layout || layout == l->part->layouts.at[0]) return name_of(l, a, a->name);
    FactorSet first = thread_factors(l, layout_axis_factors(l->part->layouts.at[0], a));
    FactorSet here = thread_factors(l, layout_axis_factors(layout, a));
    if (first == here) return name_of(l, a, a->name);
    return name_of(l, sym_fmt(l->ctx, "axis %d in layout %d", a->id, layout->id),
                   fmt(l, "%s_%s", a->name, layout->name));
}

Sym factor_text(Lower *l, const Factor *f) {
    if (f->size == 1) return "0";
    int nth = 0;
    for (int i = 0; i < f->id; i++)
        if (l->part->factors.at[i]->axis == f->axis && l->part->factors.at[i]->bind == f->bind) nth++;
    return name_of(l, f,
                   nth ? fmt(l, "%s_%s%d", f->axis->name, bind_text(f->bind), nth + 1)
                       : fmt(l, "%s_%s", f->axis->name, bind_text(f->bind)));
}

Sym value_name(Lower *l, const Value *v) { return name_of(l, v, v->name); }

/* Whether a parameter of the entry has this name. */
static bool is_param(const Graph *g, Sym name) {
    bool is = false;
    for (int i = 0; i < g->tensors.n; i++) is = is || g->tensors.at[i]->name == name;
    for (int i = 0; i < g->dims.n; i++) is = is || g->dims.at[i]->name == name;
    for (int i = 0; i < g->scalars.n; i++) is = is || g->scalars.at[i]->name == name;
    return is;
}

Sym param_name(Lower *l, Sym name) {
    if (!name_reserved(name)) return name;
    const char *before = name[0] == '_' || !strncmp(name, "td_", 3) ? "v" : ""; /* no end makes these free */
    name = sym_fmt(l->ctx, *before ? "%s%s" : "%s%s_", before, name);
    while (name_reserved(name) || is_param(l->g, name)) name = sym_fmt(l->ctx, "%s_", name);
    return name;
}

Sym tensor_text(Lower *l, Tensor *t) {
    bool have = false;
    for (int i = 0; i < l->tensors.n; i++) have = have || l->tensors.at[i] == t;
    if (!have) vec_push(l->ctx, &l->tensors, t);
    return fmt(l, "arg.%s", param_name(l, t->name));
}

/* ---- register tiles ---- */

bool value_packed(const Value *v) {
    if (v->def && (v->def->kind == STAGE_LOAD || v->def->kind == STAGE_READ)) return true;
    return type_bits(v->type) < 32 && v->type != TY_BOOL;
}

static FactorSet scope_of(const Lower *l, FactorSet s, BindScope scope) {
    FactorSet r = 0;
    for (int i = 0; i < l->part->factors.n; i++)
        if (s >> i & 1 && bind_scope(l->part->factors.at[i]->bind) == scope) r |= (FactorSet)1 << i;
    return r;
}
FactorSet reg_factors(const Lower *l, FactorSet s) { return scope_of(l, s, SCOPE_REG); }
FactorSet thread_factors(const Lower *l, FactorSet s) { return scope_of(l, s, SCOPE_THREAD); }

int64_t reg_count(const Lower *l, FactorSet s) {
    int64_t n = 1;
    for (int i = 0; i < l->part->factors.n; i++)
        if (reg_factors(l, s) >> i & 1) n *= l->part->factors.at[i]->size;
    return n;
}

/* Register factors stand before vector factors, so that one access fills neighbouring elements of the array. */
int list_reg_factors(const Lower *l, const Layout *layout, FactorSet s, Factor **f) {
    int n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; layout && i < layout->factors.n; i++) {
            Factor *x = layout->factors.at[i];
            if (bind_scope(x->bind) == SCOPE_REG && (s >> x->id & 1) && (x->bind == BIND_REG) == (pass == 0) &&
                x->size != 1)
                f[n++] = x;
        }
    (void)l;
    return n;
}

static bool reads_var(const Expr *e, const Var *v) {
    if (e->op == OP_VAR) return e->u.var == v;
    for (int i = 0; i < e->nargs; i++)
        if (reads_var(e->arg[i], v)) return true;
    return false;
}

/* Of several vector factors the innermost is the one along which what was loaded lies together. */
static void put_vector_last(const Value *v, Factor **f, int n) {
    const Stage *s = v->def;
    if (!s || s->kind != STAGE_LOAD || s->tensor->rank == 0) return;
    for (int i = 0; i < n; i++) {
        Factor *x = f[i];
        if (x->bind != BIND_VEC || !reads_var(s->subs[s->tensor->rank - 1], x->axis->var)) continue;
        for (; i + 1 < n; i++) f[i] = f[i + 1];
        f[n - 1] = x;
    }
}

int value_order(const Lower *l, const Value *v, Factor **f, int64_t *stride) {
    int n = list_reg_factors(l, v->layout, v->domain, f);
    int64_t s = 1;
    put_vector_last(v, f, n);
    for (int i = n - 1; i >= 0; i--) {
        stride[i] = s;
        s *= f[i]->size;
    }
    return n;
}

Sym value_index(Lower *l, const Value *v) {
    Factor *f[MAX_FACTORS];
    int64_t stride[MAX_FACTORS];
    int n = value_order(l, v, f, stride);
    Text t = {.ctx = l->ctx};
    for (int i = 0; i < n; i++) {
        if (i) text_put(&t, " + ");
        text_put(&t, factor_text(l, f[i]));
        if (stride[i] != 1) text_fmt(&t, " * %lld", (long long)stride[i]);
    }
    return n ? t.s : "0";
}

int open_reg_loops(Lower *l, Factor *const *f, int n) {
    for (int i = 0; i < n; i++) {
        put(l, "#pragma unroll");
        Sym v = factor_text(l, f[i]);
        put(l, "for (int %s = 0; %s < %lld; %s++)%s", v, v, (long long)f[i]->size, v, i == n - 1 ? " {" : "");
        l->indent++;
    }
    return n;
}

void close_reg_loops(Lower *l, int n) {
    if (!n) return;
    l->indent--;
    put(l, "}");
    l->indent -= n - 1;
}

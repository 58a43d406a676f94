/* Lowering, names: C types, and names that clash with nothing. */
#include "lower_internal.h"

#include "backend_cuda/names.h"

#include <string.h>

/* ---- types ---- */

const char *lower_storage_type(Type t) { return type_row(t)->memory; }
const char *lower_value_type(Type t) { return type_row(t)->value; }

/* ---- names ---- */

static const char *const reserved[] = {
    "arg",     "auto",   "bool",   "break", "case",      "char",    "class",    "const", "do",      "double",
    "else",    "enum",   "float",  "for",   "if",        "int",     "long",     "new",   "short",   "signed",
    "static",  "struct", "switch", "this",  "template",  "union",   "unsigned", "void",  "while",   "block",
    "thread",  "lane",   "warp",   "exp",   "log",       "max",     "min",      "A",     "t",       "v",
    "w",       "o",      "some",   "words", "lane_bits", "first",   "last",     "from",  "to",      "d",
    "at",      "i",      "I",      "F",     "args",      "stream",  "tensors",  "dims",  "scalars", "blocks_before",
    "and",     "or",     "not",    "xor",   "delete",    "default", "return",   "true",  "false",   "using",
    "private", "public"};

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

bool name_made(const Lower *l, const void *object) {
    for (int i = 0; i < l->names.n; i++)
        if (l->names.at[i].object == object) return true;
    return false;
}

Sym lower_lane_bits(Lower *l) { return sym(l->ctx, "lane_bits"); }

Sym axis_name(Lower *l, const Axis *a, const Layout *layout) {
    /* Layouts after the first have thread digits of their own, and so an index of their own. */
    if (!layout || layout == l->part->layouts.at[0]) return name_of(l, a, a->name);
    FactorSet first = thread_factors(l, layout_axis_factors(l->part->layouts.at[0], a));
    FactorSet here = thread_factors(l, layout_axis_factors(layout, a));
    if (first == here) return name_of(l, a, a->name);
    return name_of(l, sym_fmt(l->ctx, "axis %d in layout %d", a->id, layout->id),
                   sym_fmt(l->ctx, "%s_%s", a->name, layout->name));
}

Sym factor_name(Lower *l, const Factor *f) {
    if (f->size == 1) return "0";
    int nth = 0;
    for (int i = 0; i < f->id; i++)
        if (l->part->factors.at[i]->axis == f->axis && l->part->factors.at[i]->bind == f->bind) nth++;
    return name_of(l, f,
                   nth ? sym_fmt(l->ctx, "%s_%s%d", f->axis->name, bind_text(f->bind), nth + 1)
                       : sym_fmt(l->ctx, "%s_%s", f->axis->name, bind_text(f->bind)));
}

bool factor_is_first(const Lower *l, const Factor *f) {
    for (int i = 0; l->open.first && i < l->open.first->nv; i++)
        if (l->open.first->f[i] == f) return l->open.first->part[i] == f->size;
    return false;
}

const Code *factor_code(Lower *l, const Factor *f) {
    return f->size == 1 || factor_is_first(l, f) ? code(l->ctx, "0") : code_name(l->ctx, factor_name(l, f));
}

Sym value_name(Lower *l, const Value *v) { return name_of(l, v, v->name); }

Sym value_name_with(Lower *l, const Value *v, const char *ending) {
    return sym_fmt(l->ctx, "%s%s", value_name(l, v), ending);
}

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

const Code *tensor_code(Lower *l, Tensor *t) {
    bool have = false;
    for (int i = 0; i < l->needs.tensors.n; i++) have = have || l->needs.tensors.at[i] == t;
    if (!have) vec_push(l->ctx, &l->needs.tensors, t);
    return code(l->ctx, "arg.%p", param_name(l, t->name));
}

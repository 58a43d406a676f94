/* The form of kernels, and which kernels have the same: see same.h. The form holds everything that the lowering reads
 * of a kernel, and what the host side reads of its product; what is left out are names, places in the source and
 * hints. */
#include "same.h"

#include "ir/expr_walk.h"
#include "kernel_text.h"
#include "sched/library/product.h"

#include <math.h>
#include <string.h>

enum { MOST_BYTES = 10 /* of a number */ };

typedef struct Former {
    Text out; /* and after it: */
    char bytes[512];
    size_t nbytes;
    Ctx *temp;
    ExprMap number; /* of expressions, tensors, dimensions, scalars and variables that were met: plus 1 */
    int nexprs;
    bool failed;
    bool literal; /* constants are of the form */
    VEC(Tensor *) tensors;
    VEC(Dim *) dims;
    VEC(Scalar *) scalars;
    VEC(const Expr *) constants;
} Former;

static void flush(Former *x) {
    text_put_n(&x->out, x->bytes, x->nbytes);
    x->nbytes = 0;
}

/* Small numbers take a byte. */
static void put(Former *x, int64_t v) {
    uint64_t u = (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
    if (x->nbytes + MOST_BYTES > sizeof x->bytes) flush(x);
    for (; u >= 128; u >>= 7) x->bytes[x->nbytes++] = (char)(u | 128);
    x->bytes[x->nbytes++] = (char)u;
}

/* Its number, plus 1, where it was met before; else 0, after noting that it is number n. */
static int64_t met(Former *x, const void *what, int n) {
    intptr_t known = expr_map_number(&x->number, what, 0);
    if (!known) expr_map_put_number(x->temp, &x->number, what, n + 1);
    return known;
}

static void put_expr(Former *x, const Expr *e);

static void put_dim(Former *x, Dim *d) {
    int64_t known = met(x, d, x->dims.n);
    put(x, known);
    if (known) return;
    vec_push(x->temp, &x->dims, d);
    put(x, d->lo);
    put(x, d->hi);
    put(x, d->divisor);
}

static void put_scalar(Former *x, Scalar *s) {
    int64_t known = met(x, s, x->scalars.n);
    put(x, known);
    if (known) return;
    vec_push(x->temp, &x->scalars, s);
    put(x, s->type);
}

static void put_tensor(Former *x, Tensor *t) {
    int64_t known = t ? met(x, t, x->tensors.n) : 0;
    put(x, known);
    put(x, t != NULL);
    if (known || !t) return;
    vec_push(x->temp, &x->tensors, t);
    put(x, t->type);
    put(x, t->rank);
    for (int d = 0; d < t->rank; d++) put_expr(x, t->shape[d]);
}

/* A variable is that of an axis of the part. */
static void put_var(Former *x, const Var *v) {
    intptr_t known = expr_map_number(&x->number, v, 0);
    x->failed |= !known;
    put(x, known);
}

static void put_key(Former *x, const Expr *e) {
    switch (e->op) {
    case OP_VAR: put_var(x, e->u.var); break;
    case OP_DIM: put_dim(x, e->u.dim); break;
    case OP_SCALAR: put_scalar(x, e->u.scalar); break;
    case OP_VALUE: put(x, e->u.value->id); break;
    case OP_FACTOR: put(x, e->u.factor->id); break;
    case OP_LOAD:
    case OP_REDUCE: x->failed = true; break;
    default: put(x, e->u.i); break; /* the bits of a float too */
    }
}

static bool can_be_passed(const Expr *e) {
    return e->op == OP_CONST && (e->type == TY_F32 || e->type == TY_F64) && isfinite(e->u.f);
}

/* Division by a constant, or a power of one, is compiled to something better. */
static bool is_literal(const Expr *e, int arg) { return arg == 1 && (e->op == OP_DIV || e->op == OP_POW); }

static void put_expr(Former *x, const Expr *e) {
    int64_t known = e ? met(x, e, x->nexprs) : 0;
    put(x, known);
    put(x, e != NULL);
    if (!e) return;
    bool constant = can_be_passed(e);
    if (constant && x->literal) put(x, e->u.i); /* also where it was met as one that is not of the form */
    if (known) return;
    x->nexprs++;
    put(x, e->op);
    put(x, e->type);
    put(x, e->nargs);
    if (constant && !x->literal)
        vec_push(x->temp, &x->constants, e);
    else
        put_key(x, e);
    bool literal = x->literal;
    for (int i = 0; i < e->nargs; i++) {
        x->literal = literal || is_literal(e, i);
        put_expr(x, e->arg[i]);
    }
    x->literal = literal;
}

static void put_exprs(Former *x, const Expr *const *e, int n) {
    for (int i = 0; i < n; i++) put_expr(x, e[i]);
}

/* Of MAX_PARTS, up to the last that is there. */
static void put_parts(Former *x, const Expr *const *e) {
    int n = MAX_PARTS;
    while (n && !e[n - 1]) n--;
    put(x, n);
    put_exprs(x, e, n);
}

/* ---- stages ---- */

static void put_monoid(Former *x, const Monoid *m) {
    put(x, m ? m->n : 0);
    for (int i = 0; m && i < m->n; i++) {
        put(x, m->type[i]);
        put_expr(x, m->identity[i]);
        put_expr(x, m->combine[i]);
    }
}

static void put_value(Former *x, const Value *v) { put(x, v ? v->id + 1 : 0); }

/* The expressions in which constants are passed: program_pass_constants puts the scalars there. */
static void put_stage_exprs(Former *x, const Stage *s, bool literal) {
    x->literal = literal;
    if (s->tensor) put_exprs(x, s->subs, s->tensor->rank);
    put_parts(x, s->expr);
    put_expr(x, s->cond);
    put_expr(x, s->other);
    x->literal = true;
}

static void put_stages(Former *x, Stage *const *at, int n, bool literal) {
    put(x, n);
    for (int i = 0; i < n; i++) {
        const Stage *s = at[i];
        put(x, s->kind);
        put(x, s->layout ? s->layout->id + 1 : 0);
        put(x, s->nout);
        for (int k = 0; k < s->nout; k++) put_value(x, s->out[k]);
        put_tensor(x, s->tensor);
        put_stage_exprs(x, s, literal);
        put_value(x, s->source);
        put(x, s->path);
        put(x, s->cache);
        put(x, s->depth);
        put(x, s->pad);
        put(x, s->swizzle | s->packed << 1 | s->exclusive << 2 | s->reverse << 3 | s->meet << 4);
        put_monoid(x, s->monoid);
        put(x, (int64_t)s->over);
        put(x, s->axis ? s->axis->id + 1 : 0);
        for (int k = 0; s->monoid && k < s->monoid->n; k++) put_value(x, s->carry[k]);
        put_tensor(x, s->counter);
        put_stages(x, s->body.at, s->body.n, literal);
    }
}

/* ---- parts ---- */

static void put_part(Former *x, const Part *part, bool literal) {
    put(x, part->axes.n);
    for (int i = 0; i < part->axes.n; i++) met(x, part->axes.at[i]->var, i);
    for (int i = 0; i < part->axes.n; i++) {
        const Axis *a = part->axes.at[i];
        put_expr(x, a->lo);
        put_expr(x, a->hi);
        put_tensor(x, a->peel);
        put(x, a->shares);
    }
    put(x, part->factors.n);
    for (int i = 0; i < part->factors.n; i++) {
        const Factor *f = part->factors.at[i];
        put(x, f->axis->id);
        put(x, f->bind);
        put(x, f->size);
    }
    put(x, part->layouts.n);
    for (int i = 0; i < part->layouts.n; i++) {
        const Layout *l = part->layouts.at[i];
        put(x, l->factors.n);
        for (int k = 0; k < l->factors.n; k++) put(x, l->factors.at[k]->id);
    }
    put(x, part->values.n);
    for (int i = 0; i < part->values.n; i++) {
        const Value *v = part->values.at[i];
        put(x, v->kind);
        put(x, v->type);
        put(x, v->layout ? v->layout->id + 1 : 0);
        put(x, (int64_t)v->domain);
    }
    put_stages(x, part->body.at, part->body.n, literal);
}

/* ---- products ---- */

static void put_matrix(Former *x, const Product *p, const Matrix *m) {
    put_tensor(x, m->tensor);
    if (!m->tensor) return;
    put_expr(x, m->offset);
    put_expr(x, m->row);
    put_expr(x, m->col);
    put_exprs(x, m->batch, p->nbatch);
}

static void put_product(Former *x, const Product *p) {
    put(x, p != NULL);
    if (!p) return;
    put_expr(x, p->m);
    put_expr(x, p->n);
    put_expr(x, p->k);
    put(x, p->nbatch);
    put_exprs(x, p->batch, p->nbatch);
    put_matrix(x, p, &p->a);
    put_matrix(x, p, &p->b);
    put_matrix(x, p, &p->c);
    put_matrix(x, p, &p->d);
    put_matrix(x, p, &p->bias);
    put_expr(x, p->alpha);
    put_expr(x, p->beta);
    put(x, p->act);
}

/* ---- the form ---- */

static void *kept(Ctx *ctx, const void *at, int n, size_t size) {
    void *r = ctx_alloc(ctx, ((size_t)n + 1) * size);
    if (n) memcpy(r, at, (size_t)n * size);
    return r;
}

static Sym form_of(Ctx *ctx, const Program *p, const Kernel *k, bool literal, KernelForm *f) {
    Ctx *temp = ctx_temp(ctx);
    Former *x = NEW(temp, Former);
    Sym form = NULL;
    x->out.ctx = x->temp = temp;
    x->literal = true;
    for (int i = 0; i < OPTION_COUNT; i++) put(x, p->graph->options.value[i]);
    put(x, k->threads);
    put(x, k->cluster);
    put(x, k->blocks_per_sm);
    put(x, k->parts.n);
    for (int i = 0; i < k->parts.n; i++) put_part(x, k->parts.at[i], literal);
    put(x, k->where.n);
    put_exprs(x, k->where.at, k->where.n);
    put_product(x, k->product);
    flush(x);
    if (!x->failed) {
        form = sym_n(ctx, x->out.s, x->out.n);
        f->tensors = kept(ctx, x->tensors.at, f->ntensors = x->tensors.n, sizeof *f->tensors);
        f->dims = kept(ctx, x->dims.at, f->ndims = x->dims.n, sizeof *f->dims);
        f->scalars = kept(ctx, x->scalars.at, f->nscalars = x->scalars.n, sizeof *f->scalars);
        f->constants = kept(ctx, x->constants.at, f->nconstants = x->constants.n, sizeof *f->constants);
    }
    ctx_temp_end(temp);
    return form;
}

Sym kernel_form(Ctx *ctx, const Program *p, const Kernel *k, KernelForm *f) {
    enum { WORD = 8, MOST_ARGUMENTS = 4096 /* bytes of a launch */ };
    Sym form = form_of(ctx, p, k, k->product != NULL, f); /* the library's constants are told */
    /* Each part has a row of arguments of its own, and all of them room for constants in none. */
    const int more = WORD * k->parts.n * (form ? f->nconstants : 0);
    const bool room = k->parts.n == 1 || (k->argument_bytes && k->argument_bytes + more <= MOST_ARGUMENTS);
    return room ? form : form_of(ctx, p, k, true, f);
}

static Found is_other_dim(const Expr *e, const void *form) {
    const KernelForm *f = form;
    for (int i = 0; e->op == OP_DIM && i < f->ndims; i++)
        if (f->dims[i] == e->u.dim) return FOUND_NOT;
    return e->op == OP_DIM ? FOUND : FOUND_INSIDE;
}

Kernel *kernel_of_part(Ctx *ctx, const Program *p, const Kernel *k, int part, KernelForm *f, Sym *form) {
    Kernel *one = NEW(ctx, Kernel);
    *one = *k;
    memset(&one->parts, 0, sizeof one->parts);
    memset(&one->where, 0, sizeof one->where);
    vec_push(ctx, &one->parts, k->parts.at[part]);
    *form = form_of(ctx, p, one, true, f);
    if (!*form) return one;
    for (int i = 0; i < k->where.n; i++)
        if (!expr_has(k->where.at[i], is_other_dim, f)) vec_push(ctx, &one->where, k->where.at[i]);
    if (one->where.n) *form = form_of(ctx, p, one, true, f);
    return one;
}

bool form_same_dims(const KernelForm *a, const KernelForm *b) {
    for (int i = 0; i < a->ndims; i++)
        if (a->dims[i] != b->dims[i]) return false;
    return true;
}

Sym kernel_symbol(const Program *p, const Kernel *k) {
    return k->symbol ? k->symbol : sym_fmt(p->ctx, "%s_%s", p->graph->name, k->name);
}

/* ---- which kernels are the same ---- */

static void note_constants(Ctx *ctx, KernelForm *first, const KernelForm *f) {
    if (!first->differs) first->differs = NEW_N(ctx, bool, first->nconstants + 1);
    for (int i = 0; i < first->nconstants; i++) {
        if (first->differs[i] || first->constants[i]->u.i == f->constants[i]->u.i) continue;
        first->differs[i] = true;
        first->npassed++;
    }
}

void program_same(SameMemo *memo, Program *p) {
    Ctx *temp = ctx_temp(p->ctx);
    ExprMap here = {0}; /* the first kernel of a form -> the first of this program */
    for (int i = 0; i < p->kernels.n; i++) {
        Kernel *k = p->kernels.at[i];
        KernelForm *f = NEW(p->ctx, KernelForm);
        Sym form = kernel_form(p->ctx, p, k, f);
        if (!form) continue;
        k->form = f;
        k->same = expr_map_object(&memo->first, form);
        Kernel *first = k->same ? k->same : k;
        k->here = expr_map_object(&here, first);
        if (!k->here) expr_map_put_object(temp, &here, first, k);
        first->places++;
        first->follows |= k->follows;
        first->leads |= k->leads;
        if (k->same) {
            k->symbol = first->symbol;
            first->shared = k->shared = true;
            note_constants(p->ctx, first->form, f);
        } else {
            k->symbol = kernel_symbol(p, k);
            expr_map_put_object(p->ctx, &memo->first, form, k);
        }
    }
    ctx_temp_end(temp);
}

/* ---- constants that are passed ---- */

typedef struct Passing {
    Graph *g;
    const Expr **from, **to;
    int n;
} Passing;

static void pass(const Passing *x, const Expr **e) {
    if (*e) *e = expr_replace(x->g, *e, x->from, x->to, x->n);
}

static void pass_in_stages(const Passing *x, Stage *const *at, int n) {
    for (int i = 0; i < n; i++) {
        Stage *s = at[i];
        for (int d = 0; s->tensor && d < s->tensor->rank; d++) pass(x, &s->subs[d]);
        for (int k = 0; k < MAX_PARTS; k++) pass(x, &s->expr[k]);
        pass(x, &s->cond);
        pass(x, &s->other);
        pass_in_stages(x, s->body.at, s->body.n);
    }
}

static Scalar *new_scalar(Graph *g, Type type, int *number) {
    for (;; ++*number) {
        Sym name = sym_fmt(g->ctx, "c%d", *number);
        if (graph_name_taken(g, name) || kernel_name_reserved(name)) continue;
        Scalar *s = NEW(g->ctx, Scalar);
        *s = (Scalar){.name = name, .type = type};
        ++*number;
        return s;
    }
}

static void pass_constants(Program *p, Kernel *k, KernelForm *f) {
    Graph *g = p->graph;
    Passing x = {
        .g = g, .from = NEW_N(g->ctx, const Expr *, f->npassed), .to = NEW_N(g->ctx, const Expr *, f->npassed)};
    Scalar **scalars = NEW_N(g->ctx, Scalar *, f->nscalars + f->npassed);
    int number = 0;
    if (f->nscalars) memcpy(scalars, f->scalars, sizeof *scalars * (size_t)f->nscalars);
    for (int i = 0; i < f->nconstants; i++) {
        if (!f->differs[i]) continue;
        Scalar *s = scalars[f->nscalars + x.n] = new_scalar(g, f->constants[i]->type, &number);
        x.from[x.n] = f->constants[i];
        x.to[x.n++] = expr_scalar(g, s);
    }
    f->scalars = scalars;
    for (int i = 0; i < k->parts.n; i++) pass_in_stages(&x, k->parts.at[i]->body.at, k->parts.at[i]->body.n);
}

void program_pass_constants(Program *p) {
    for (int i = 0; i < p->kernels.n; i++) {
        Kernel *k = p->kernels.at[i];
        if (!k->same && k->form && k->form->npassed) pass_constants(p, k, k->form);
    }
}

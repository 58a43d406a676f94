/* Lowering, statements: appends them to the list that is open, and opens and closes lists. */
#include "lower_internal.h"

void lower_fail(Lower *l, const char *f, ...) {
    if (l->failed) return;
    l->failed = true;
    va_list ap;
    va_start(ap, f);
    text_fmt(l->why, "kernel %s: ", l->k->name);
    text_vfmt(l->why, f, ap);
    va_end(ap);
}

static Stmt *put(Lower *l, StmtKind kind) {
    Stmt *s = stmt_new(l->ctx, kind);
    vec_push(l->ctx, l->open.list, s);
    return s;
}

/* ---- single ones ---- */

void put_do(Lower *l, const char *pattern, ...) {
    va_list ap;
    va_start(ap, pattern);
    put(l, STMT_DO)->code = code_list(l->ctx, pattern, ap);
    va_end(ap);
}

void put_note(Lower *l, const char *note, const char *pattern, ...) {
    Stmt *s = put(l, STMT_DO);
    s->note = note;
    if (!pattern) return;
    va_list ap;
    va_start(ap, pattern);
    s->code = code_list(l->ctx, pattern, ap);
    va_end(ap);
}

void put_declare(Lower *l, const char *type, Sym name, const char *pattern, ...) {
    Stmt *s = put(l, STMT_DECLARE);
    s->type = code(l->ctx, "%s", type);
    s->name = name;
    va_list ap;
    va_start(ap, pattern);
    s->code = code_list(l->ctx, pattern, ap);
    va_end(ap);
}

void put_number(Lower *l, const char *type, Sym name, const Code *value) {
    put_declare(l, sym_fmt(l->ctx, "const %s", type), name, " = %c", value);
    l->open.list->at[l->open.list->n - 1]->optional = true;
}

/* ---- lists ---- */

void put_into(Lower *l, StmtList *list) {
    vec_push(l->ctx, &l->open.up, l->open.list);
    l->open.list = list;
}

void put_back(Lower *l) { l->open.list = l->open.up.at[--l->open.up.n]; }

void put_all(Lower *l, const StmtList *list) {
    for (int i = 0; i < list->n; i++) vec_push(l->ctx, l->open.list, list->at[i]);
}

void put_end(Lower *l) { put_back(l); }

void put_ends(Lower *l, int n) {
    for (int i = 0; i < n; i++) put_end(l);
}

static Stmt *open_body(Lower *l, StmtKind kind, const Code *c) {
    Stmt *s = put(l, kind);
    s->code = c;
    put_into(l, &s->body);
    return s;
}

Stmt *put_block(Lower *l) { return open_body(l, STMT_BLOCK, NULL); }

Stmt *put_if(Lower *l, const Code *cond) { return cond ? open_body(l, STMT_IF, cond) : put_block(l); }

void put_else(Lower *l) {
    put_back(l);
    put_into(l, &l->open.list->at[l->open.list->n - 1]->other);
}

Stmt *put_loop(Lower *l, bool unroll, const char *pattern, ...) {
    va_list ap;
    va_start(ap, pattern);
    Stmt *s = open_body(l, STMT_LOOP, code_list(l->ctx, pattern, ap));
    va_end(ap);
    s->unroll = unroll;
    return s;
}

Stmt *put_digit_loop(Lower *l, Sym digit, int64_t size, int64_t step, bool reverse) {
    if (reverse) return put_loop(l, true, "int %n = %l; %n >= 0; %n--", digit, size - 1, digit, digit);
    if (step == 1) return put_loop(l, true, "int %n = 0; %n < %l; %n++", digit, digit, size, digit);
    return put_loop(l, true, "int %n = 0; %n < %l; %n += %l", digit, digit, size, digit, step);
}

Stmt *put_lambda(Lower *l, Sym name, Sym parameter) {
    Stmt *s = open_body(l, STMT_LAMBDA, code(l->ctx, "I %n", parameter));
    s->name = name;
    return s;
}

/* ---- shared memory ---- */

BarrierScope lower_barrier_scope(const Lower *l) {
    enum { WARP = 32 };
    return l->k->threads == WARP ? BARRIER_WARP : BARRIER_BLOCK; /* a part of a warp has no barrier of its own */
}

Stmt *put_barrier(Lower *l) {
    Stmt *s = put(l, STMT_BARRIER);
    s->scope = lower_barrier_scope(l);
    return s;
}

void put_clear(Lower *l) { put(l, STMT_CLEAR); }

void put_touch(Lower *l, int region, int needs, int adds, int removes) {
    put(l, STMT_TOUCH)->touch = (Touch){region, needs, adds, removes};
}

void put_write(Lower *l, int region) { put_touch(l, region, TOUCHED_READ | TOUCHED_WRITTEN, TOUCHED_WRITTEN, 0); }

void put_read(Lower *l, int region) { put_touch(l, region, TOUCHED_WRITTEN, TOUCHED_READ, 0); }

/* Lowering, barriers: the one place where it is decided that the threads of a block must wait for one another.
 * Whoever makes statements that touch shared memory says so by a STMT_TOUCH; here the finished tree is walked in the
 * order in which threads run it, with what each region has seen since the last barrier, and a barrier is put where a
 * touch needs one.
 *
 * What the end of a loop's body leaves pending stands at its beginning too, where the next iteration starts. The
 * body is walked until that no longer grows; only then barriers are put into it. */
#include "lower_form.h"

#include <string.h>

typedef struct Sync {
    Ctx *ctx;
    int n;                /* regions */
    unsigned char *state; /* of each, TOUCHED_ bits */
    BarrierScope scope;
    bool insert;
} Sync;

static void clear(Sync *x) { memset(x->state, 0, (size_t)x->n); }

static unsigned char *saved(const Sync *x) {
    unsigned char *s = ctx_alloc(x->ctx, (size_t)x->n + 1);
    memcpy(s, x->state, (size_t)x->n);
    return s;
}

/* Both ways may have been taken. True where the state grew by that. */
static bool join(unsigned char *state, const unsigned char *other, int n) {
    bool grew = false;
    for (int i = 0; i < n; i++) {
        grew |= (other[i] & ~state[i]) != 0;
        state[i] |= other[i];
    }
    return grew;
}

static void sync_list(Sync *x, StmtList *list);

/* The state at the body's beginning is what came before the loop and what an iteration leaves, until neither adds.
 * After the loop it is what the last iteration leaves, or, where none has run, what came before. */
static void sync_loop(Sync *x, StmtList *body) {
    bool insert = x->insert;
    unsigned char *before = saved(x), *entry = saved(x);
    x->insert = false;
    do {
        memcpy(x->state, entry, (size_t)x->n);
        sync_list(x, body);
    } while (join(entry, x->state, x->n));
    x->insert = insert;
    memcpy(x->state, entry, (size_t)x->n);
    sync_list(x, body);
    join(x->state, before, x->n);
}

static void sync_if(Sync *x, Stmt *s) {
    unsigned char *entry = saved(x);
    sync_list(x, &s->body);
    unsigned char *then = saved(x);
    memcpy(x->state, entry, (size_t)x->n);
    sync_list(x, &s->other);
    join(x->state, then, x->n);
}

static void sync_list(Sync *x, StmtList *list) {
    StmtList out = {0};
    for (int i = 0; i < list->n; i++) {
        Stmt *s = list->at[i];
        switch (s->kind) {
        case STMT_BARRIER:
        case STMT_CLEAR: clear(x); break;
        case STMT_TOUCH:
            if (x->state[s->touch.region] & s->touch.needs) {
                clear(x);
                Stmt *barrier = stmt_new(x->ctx, STMT_BARRIER);
                barrier->scope = x->scope;
                if (x->insert) vec_push(x->ctx, &out, barrier);
            }
            x->state[s->touch.region] =
                (unsigned char)((x->state[s->touch.region] | s->touch.adds) & ~s->touch.removes);
            break;
        case STMT_LOOP: sync_loop(x, &s->body); break;
        case STMT_IF: sync_if(x, s); break;
        default: sync_list(x, &s->body); break;
        }
        bool silent = s->kind == STMT_TOUCH || s->kind == STMT_CLEAR;
        if (x->insert && !silent) vec_push(x->ctx, &out, s);
    }
    if (x->insert) *list = out;
}

void stmt_sync(Ctx *ctx, StmtList *list, int regions, BarrierScope scope) {
    Sync x = {.ctx = ctx, .n = regions, .state = ctx_alloc(ctx, (size_t)regions + 1), .scope = scope, .insert = true};
    sync_list(&x, list);
}

/* Memory, interned names, growing arrays and text: what every other file of tdc stands on.
 * One arena a compilation; everything hangs off one Ctx; there are no globals, so two
 * compilations may run in two threads. Nothing here prints, exits or aborts. */
#ifndef TDC_BASE_H
#define TDC_BASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct Arena Arena;
typedef struct Ctx Ctx;

/* A name that was interned: equal names are equal pointers. */
typedef const char *Sym;

/* A place in a source file: bytes [start, end) of file number `file` (see diag.h); file < 0 is nowhere. */
typedef struct Span {
    int file;
    uint32_t start, end;
} Span;

#define SPAN_NONE ((Span){-1, 0, 0})

struct Diags; /* diag.h */

/* One compilation. `oom` is where running out of memory unwinds to: the entry that created the context
 * must have called setjmp on it (ctx_guard) before anything allocates. */
struct Ctx {
    Arena *arena;
    struct Diags *diags;
    struct SymTable *syms;
    struct RuleSet *rules; /* rewrite.c's, made when first used */
    jmp_buf oom;
    void *user;        /* the driver's */
    Ctx *root;         /* itself; of a temporary one, what it was made for */
    Ctx *temps, *next; /* all temporary ones; the next of them */
    Ctx *idle, *under; /* those that nobody uses; the next of them */
};

/* Creates a context, or NULL when out of memory. ctx_free releases everything that was allocated from it. */
Ctx *ctx_new(void);
void ctx_free(Ctx *ctx);
/* if (CTX_GUARD(ctx)) { ...out of memory: report and return... } */
#define CTX_GUARD(ctx) (setjmp((ctx)->oom) != 0)

/* Zeroed memory, aligned to 16 bytes, that lives as long as the context. Never NULL: unwinds instead. */
void *ctx_alloc(Ctx *ctx, size_t bytes);
/* The same with anything in it: for what is filled at once. */
void *ctx_alloc_raw(Ctx *ctx, size_t bytes);
/* What ctx_alloc gave for `bytes`, and nobody reads any more: goes at once where it is large, else with the context. */
void ctx_give_back(Ctx *ctx, const void *block, size_t bytes);
/* Memory of work that is soon done: what is allocated from it (texts, vectors and maps too) lives until ctx_temp_end,
 * which takes all of it back and nothing else. Names and reports made with it are the root's and stay. Those in use
 * when memory runs out go with the root. */
Ctx *ctx_temp(Ctx *ctx);
void ctx_temp_end(Ctx *temp);
/* Testing: before each chunk that is asked of the system it is asked whether that is refused. NULL: none is. */
typedef bool RefuseChunk(void *user);
void ctx_refuse_chunks(Ctx *ctx, RefuseChunk *refuse, void *user);
/* Testing: chunks of this size from now on, so that more places run out of memory. */
void ctx_chunk_bytes(Ctx *ctx, size_t bytes);

#define NEW(ctx, T) ((T *)ctx_alloc((ctx), sizeof(T)))
#define NEW_RAW(ctx, T, n) ((T *)ctx_alloc_raw((ctx), sizeof(T) * (size_t)(n)))
#define NEW_N(ctx, T, n) ((T *)ctx_alloc((ctx), sizeof(T) * (size_t)(n)))

/* The one pointer of all names with this text, which it copies. */
Sym sym(Ctx *ctx, const char *text);
Sym sym_n(Ctx *ctx, const char *text, size_t n);
Sym sym_fmt(Ctx *ctx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

char *ctx_vfmt(Ctx *ctx, const char *fmt, va_list ap); /* the text, in the arena */

/* A growing array in the arena: VEC(int) v = {0}; vec_push(ctx, &v, 3); v.at[0], v.n */
#define VEC(T)                                                                                                         \
    struct {                                                                                                           \
        T *at;                                                                                                         \
        int n, cap;                                                                                                    \
    }
void *vec_grow(Ctx *ctx, void *at, int n, int *cap, size_t size);
#define vec_push(ctx, v, x)                                                                                            \
    do {                                                                                                               \
        if ((v)->n == (v)->cap) (v)->at = vec_grow((ctx), (v)->at, (v)->n, &(v)->cap, sizeof *(v)->at);                \
        (v)->at[(v)->n++] = (x);                                                                                       \
    } while (0)

/* Growing text in the arena; always NUL-terminated once anything was put. */
typedef struct Text {
    Ctx *ctx;
    char *s;
    size_t n, cap;
} Text;
void text_put_n(Text *t, const char *s, size_t n);
static inline void text_put(Text *t, const char *s) { text_put_n(t, s, strlen(s)); }
void text_char(Text *t, char c);
void text_fmt(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Says in *why, where that is not NULL, what is wrong. Always false. */
bool text_fail(Text *why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vfmt(Text *t, const char *fmt, va_list ap);
/* A double so that it reads back to the same bits: shortest decimal, always with a '.', an exponent, inf or nan. */
void text_double(Text *t, double v);

/* A letter, a digit or '_', whatever the locale; a name has some, and no digit first. */
bool text_is_word(char c);
bool text_is_name(const char *s, size_t n);

/* Takes the long middle of a text away in pieces, as it is made; `at`: how much of the text stands before it. */
typedef struct TextSink {
    void (*take)(struct TextSink *sink, const char *s, size_t n);
    size_t at;
} TextSink;

/* 64-bit arithmetic that says when it overflowed instead of doing so. */
static inline bool add_ok(int64_t a, int64_t b, int64_t *r) { return !__builtin_add_overflow(a, b, r); }
static inline bool mul_ok(int64_t a, int64_t b, int64_t *r) { return !__builtin_mul_overflow(a, b, r); }
/* The next of a sequence of numbers that look drawn (splitmix64); *state, where it stands, may begin as anything. */
uint64_t random_next(uint64_t *state);
int64_t floor_div(int64_t a, int64_t b); /* toward minus infinity; b != 0; INT64_MIN / -1 wraps */
int64_t floor_mod(int64_t a, int64_t b); /* the sign of b */
int64_t gcd64(int64_t a, int64_t b);

#endif

/* Memory, interned names, growing arrays and text. See base.h. */
#define _DEFAULT_SOURCE
#include "base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK_BYTES = 1 << 16, CHUNK_MOST = 1 << 22, TEMP_BYTES = 1 << 12, TEMP_KEPT = 1 << 20 };

typedef struct Chunk {
    struct Chunk *next;
    size_t size, used;
    size_t dirty; /* bytes from the first on that are not clear, among those that are not in use */
    bool mapped;
    _Alignas(16) unsigned char bytes[];
} Chunk;

struct Arena {
    Chunk *head;
    size_t total;
    size_t chunk;        /* bytes of a chunk; 0: they grow */
    RefuseChunk *refuse; /* NULL: none */
    void *user;          /* its own */
};

typedef struct SymEntry {
    size_t n;
    char text[];
} SymEntry;

/* The hash stands with the place: most names that are no match, and those that a larger table takes over, are not
 * touched. */
typedef struct SymSlot {
    uint64_t hash;
    SymEntry *entry;
} SymSlot;

struct SymTable {
    SymSlot *slots;
    size_t nslots, n;
};

/* The size of a chunk for many blocks: the more there are, the larger, as fresh pages come cleared. */
static size_t chunk_size(const Ctx *ctx) {
    const Arena *a = ctx->arena;
    bool temp = ctx != ctx->root;
    size_t size = temp ? TEMP_BYTES : CHUNK_BYTES, share = temp ? 1 : 8;
    while (size < CHUNK_MOST && size * share < a->total) size *= 2;
    return size < CHUNK_MOST ? size : CHUNK_MOST - sizeof(Chunk);
}

/* Clear memory. Much of it comes in large pages, where there are such: it is walked from end to end again and again. */
static Chunk *chunk_take(size_t bytes) {
#if defined MADV_HUGEPAGE && defined MAP_ANONYMOUS && !defined __SANITIZE_ADDRESS__
    if (bytes >= CHUNK_MOST) {
        void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) return NULL;
        (void)madvise(at, bytes, MADV_HUGEPAGE); /* advice: no matter where it is not taken */
        ((Chunk *)at)->mapped = true;
        return at;
    }
#endif
    return calloc(1, bytes);
}

static void chunk_free(Chunk *c) {
    if (c && c->mapped)
        munmap(c, sizeof *c + c->size);
    else
        free(c);
}

static Chunk *chunk_new(Ctx *ctx, size_t need) {
    Arena *a = ctx->arena, *root = ctx->root->arena;
    if (root->refuse && root->refuse(root->user)) return NULL;
    size_t size = need, many = root->chunk ? root->chunk : chunk_size(ctx);
    if (root->chunk || need <= many / 4) size = need > many ? need : many;
    Chunk *c = chunk_take(sizeof(Chunk) + size);
    if (!c) return NULL;
    c->size = size;
    a->total += sizeof(Chunk) + size;
    return c;
}

/* A block of clear memory where the current chunk has no room for it. */
static void *block_new(Ctx *ctx, size_t bytes, size_t need) {
    Arena *a = ctx->arena;
    Chunk *c = bytes > SIZE_MAX / 2 ? NULL : chunk_new(ctx, need);
    if (!c) longjmp(ctx->root->oom, 1);
    c->used = need;
    if (a->head && c->size == need) { /* a large block of its own: keep filling the current one */
        c->next = a->head->next;
        a->head->next = c;
    } else {
        c->next = a->head;
        a->head = c;
    }
    return c->bytes;
}

static size_t rounded(size_t bytes) { return (bytes + 15) & ~(size_t)15; }

void *ctx_alloc_raw(Ctx *ctx, size_t bytes) {
    Chunk *c = ctx->arena->head;
    const size_t need = rounded(bytes);
    if (!c || bytes > SIZE_MAX / 2 || c->size - c->used < need) return block_new(ctx, bytes, need);
    void *p = c->bytes + c->used;
    c->used += need;
    return p;
}

void *ctx_alloc(Ctx *ctx, size_t bytes) {
    Chunk *c = ctx->arena->head;
    const size_t need = rounded(bytes);
    if (!c || bytes > SIZE_MAX / 2 || c->size - c->used < need) return block_new(ctx, bytes, need);
    const size_t at = c->used;
    void *p = c->bytes + at;
    c->used += need;
    if (at < c->dirty) memset(p, 0, bytes < c->dirty - at ? bytes : c->dirty - at);
    return p;
}

void ctx_give_back(Ctx *ctx, const void *block, size_t bytes) {
    if (bytes <= CHUNK_BYTES / 4) return;
    for (Chunk **at = &ctx->arena->head; *at; at = &(*at)->next) {
        Chunk *c = *at;
        if (c->bytes != block || c->size != ((bytes + 15) & ~(size_t)15) || c == ctx->arena->head) continue;
        *at = c->next;
        ctx->arena->total -= sizeof(Chunk) + c->size;
        chunk_free(c);
        return;
    }
}

static void ctx_release(Ctx *ctx) {
    for (Chunk *c = ctx->arena ? ctx->arena->head : NULL, *next; c; c = next) {
        next = c->next;
        chunk_free(c);
    }
    free(ctx->arena);
    free(ctx);
}

static Ctx *ctx_make(void) {
    Ctx *ctx = calloc(1, sizeof *ctx);
    if (!ctx) return NULL;
    ctx->root = ctx;
    ctx->arena = calloc(1, sizeof *ctx->arena);
    if (ctx->arena) return ctx;
    free(ctx);
    return NULL;
}

Ctx *ctx_new(void) {
    Ctx *ctx = ctx_make();
    if (!ctx) return NULL;
    ctx->syms = calloc(1, sizeof *ctx->syms);
    if (ctx->syms) return ctx;
    ctx_release(ctx);
    return NULL;
}

void ctx_free(Ctx *ctx) {
    if (!ctx) return;
    for (Ctx *t = ctx->temps, *next; t; t = next) {
        next = t->next;
        ctx_release(t);
    }
    free(ctx->syms);
    ctx_release(ctx);
}

Ctx *ctx_temp(Ctx *ctx) {
    Ctx *root = ctx->root, *t = root->idle;
    if (t) {
        root->idle = t->under;
        return t;
    }
    t = ctx_make();
    if (!t) longjmp(root->oom, 1);
    t->root = root;
    t->syms = root->syms;
    t->next = root->temps;
    root->temps = t;
    return t;
}

/* The largest chunk is kept for the next user, unless an address sanitizer is to see every use of what has gone. */
void ctx_temp_end(Ctx *temp) {
    Chunk *kept = NULL;
    for (Chunk *c = temp->arena->head, *next; c; c = next) {
        next = c->next;
        Chunk *gone = c;
        if (c->size <= TEMP_KEPT && (!kept || c->size > kept->size)) {
            gone = kept;
            kept = c;
        }
        chunk_free(gone);
    }
#ifdef __SANITIZE_ADDRESS__
    chunk_free(kept);
    kept = NULL;
#endif
    temp->arena->head = kept;
    temp->arena->total = kept ? sizeof(Chunk) + kept->size : 0;
    if (kept) {
        if (kept->used > kept->dirty) kept->dirty = kept->used;
        kept->used = 0;
        kept->next = NULL;
    }
    temp->rules = NULL; /* made in it, where Graphs were */
    temp->under = temp->root->idle;
    temp->root->idle = temp;
}

void ctx_refuse_chunks(Ctx *ctx, RefuseChunk *refuse, void *user) {
    ctx->arena->refuse = refuse;
    ctx->arena->user = user;
}
void ctx_chunk_bytes(Ctx *ctx, size_t bytes) { ctx->arena->chunk = bytes; }

static uint64_t hash_bytes(const char *s, size_t n) {
    uint64_t h = n, w;
    for (; n; s += sizeof w) {
        size_t k = n < sizeof w ? n : sizeof w;
        w = 0;
        memcpy(&w, s, k);
        h = (h ^ w) * 0x9E3779B97F4A7C15u;
        h ^= h >> 32;
        n -= k;
    }
    return h;
}

static void syms_resize(Ctx *ctx) {
    struct SymTable *t = ctx->syms;
    size_t n = t->nslots ? t->nslots * 2 : 256;
    SymSlot *slots = NEW_N(ctx, SymSlot, n);
    for (size_t i = 0; i < t->nslots; i++) {
        if (!t->slots[i].entry) continue;
        size_t at = t->slots[i].hash & (n - 1);
        while (slots[at].entry) at = (at + 1) & (n - 1);
        slots[at] = t->slots[i];
    }
    ctx_give_back(ctx, t->slots, t->nslots * sizeof *t->slots);
    t->slots = slots;
    t->nslots = n;
}

Sym sym_n(Ctx *ctx, const char *text, size_t n) {
    struct SymTable *t = ctx->syms;
    ctx = ctx->root;
    if (t->n >= t->nslots / 2) syms_resize(ctx);
    uint64_t h = hash_bytes(text, n);
    size_t at = h & (t->nslots - 1);
    for (; t->slots[at].entry; at = (at + 1) & (t->nslots - 1)) {
        const SymEntry *e = t->slots[at].entry;
        if (t->slots[at].hash == h && e->n == n && !memcmp(e->text, text, n)) return e->text;
    }
    SymEntry *e = ctx_alloc_raw(ctx, sizeof *e + n + 1);
    e->n = n;
    memcpy(e->text, text, n);
    e->text[n] = 0;
    t->slots[at] = (SymSlot){h, e};
    t->n++;
    return e->text;
}

Sym sym(Ctx *ctx, const char *text) { return sym_n(ctx, text, strlen(text)); }

/* ---- formats ---- */

typedef struct Piece {
    char *at;
    size_t n, room;
} Piece;

static void piece_put(Piece *p, const char *s, size_t n) {
    if (p->n < p->room) memcpy(p->at + p->n, s, n < p->room - p->n ? n : p->room - p->n);
    p->n += n;
}

static void piece_number(Piece *p, uint64_t v, bool minus) {
    char digits[24], *d = digits + sizeof digits;
    do *--d = (char)('0' + v % 10);
    while (v /= 10);
    if (minus) *--d = '-';
    piece_put(p, d, (size_t)(digits + sizeof digits - d));
}

/* What stands after a "%" and has no flags, widths or floats; its end, or NULL for any other. */
static const char *piece_conversion(Piece *p, const char *f, va_list *ap) {
    bool wide = f[0] == 'l' && f[1] == 'l', most = !strncmp(f, ".*s", 3);
    int length = most ? va_arg(*ap, int) : -1;
    f += wide || most ? 2 : 0;
    if (*f == '%') {
        piece_put(p, "%", 1);
    } else if (*f == 's' && !wide) {
        const char *s = va_arg(*ap, const char *), *end;
        if (!s) s = "(null)";
        end = length < 0 ? NULL : memchr(s, 0, (size_t)length);
        piece_put(p, s, end ? (size_t)(end - s) : length < 0 ? strlen(s) : (size_t)length);
    } else if (*f == 'd') {
        int64_t v = wide ? va_arg(*ap, long long) : va_arg(*ap, int);
        piece_number(p, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, v < 0);
    } else if (*f == 'u') {
        piece_number(p, wide ? va_arg(*ap, unsigned long long) : va_arg(*ap, unsigned), false);
    } else if (*f == 'c' && !wide) {
        char c = (char)va_arg(*ap, int);
        piece_put(p, &c, 1);
    } else {
        return NULL;
    }
    return f + 1;
}

/* vsnprintf; a third of a compilation is spent here where that does what nearly all formats need. */
static int format(char *to, size_t room, const char *fmt, va_list ap) {
    Piece p = {to, 0, room - 1};
    va_list own, again;
    va_copy(own, ap);
    va_copy(again, ap);
    const char *f = fmt, *mark;
    while ((mark = strchr(f, '%')) != NULL) {
        piece_put(&p, f, (size_t)(mark - f));
        f = piece_conversion(&p, mark + 1, &own);
        if (!f) break;
    }
    if (f) piece_put(&p, f, strlen(f));
    if (f) to[p.n < p.room ? p.n : p.room] = 0;
    int n = f ? (int)p.n : vsnprintf(to, room, fmt, again);
    va_end(own);
    va_end(again);
    return n;
}

/* Most names are short: they leave nothing else behind in the arena. */
Sym sym_fmt(Ctx *ctx, const char *fmt, ...) {
    char few[128];
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = format(few, sizeof few, fmt, ap);
    char *s = few;
    if (n >= (int)sizeof few) {
        s = ctx_alloc(ctx, (size_t)n + 1);
        format(s, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    va_end(ap);
    return sym_n(ctx, s, n > 0 ? (size_t)n : 0);
}

char *ctx_vfmt(Ctx *ctx, const char *fmt, va_list ap) {
    char few[256], *s;
    va_list again;
    va_copy(again, ap);
    int n = format(few, sizeof few, fmt, ap);
    if (n < 0) n = few[0] = 0;
    s = ctx_alloc_raw(ctx, (size_t)n + 1);
    if (n < (int)sizeof few)
        memcpy(s, few, (size_t)n + 1);
    else
        format(s, (size_t)n + 1, fmt, again);
    va_end(again);
    return s;
}

void *vec_grow(Ctx *ctx, void *at, int n, int *cap, size_t size) {
    if (*cap > INT32_MAX / 2) longjmp(ctx->root->oom, 1);
    int few = size < 32 ? (int)(32 / size) : 1, c = *cap ? *cap * 2 : few < 8 ? few : 8;
    void *p = ctx_alloc(ctx, (size_t)c * size);
    if (n) memcpy(p, at, (size_t)n * size);
    *cap = c;
    return p;
}

static void text_reserve(Text *t, size_t extra) {
    if (t->n + extra + 1 <= t->cap) return;
    size_t cap = t->cap ? t->cap * 2 : 64;
    while (cap < t->n + extra + 1) cap *= 2;
    char *s = ctx_alloc_raw(t->ctx, cap);
    if (t->n) memcpy(s, t->s, t->n);
    ctx_give_back(t->ctx, t->s, t->cap);
    t->s = s;
    t->cap = cap;
}

void text_put_n(Text *t, const char *s, size_t n) {
    text_reserve(t, n);
    memcpy(t->s + t->n, s, n);
    t->n += n;
    t->s[t->n] = 0;
}

void text_char(Text *t, char c) { text_put_n(t, &c, 1); }

void text_vfmt(Text *t, const char *fmt, va_list ap) {
    enum { USUAL = 120 }; /* most pieces fit: they are formatted once */
    va_list again;
    va_copy(again, ap);
    text_reserve(t, USUAL);
    int n = format(t->s + t->n, USUAL + 1, fmt, ap);
    if (n > USUAL) {
        text_reserve(t, (size_t)n);
        format(t->s + t->n, (size_t)n + 1, fmt, again);
    }
    if (n > 0) t->n += (size_t)n;
    t->s[t->n] = 0;
    va_end(again);
}

void text_fmt(Text *t, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    text_vfmt(t, fmt, ap);
    va_end(ap);
}

bool text_is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool text_is_name(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!text_is_word(s[i])) return false;
    return n > 0 && !(*s >= '0' && *s <= '9');
}

bool text_fail(Text *why, const char *fmt, ...) {
    if (!why) return false;
    va_list ap;
    va_start(ap, fmt);
    text_vfmt(why, fmt, ap);
    va_end(ap);
    return false;
}

/* How many digits say a whole number exactly, up to the last that is not 0; of any other number, 1. */
static int whole_digits(double v) {
    static const double MOST = 1e15; /* of so many digits each is exact */
    int n = 0;
    if (!(fabs(v) < MOST) || v != floor(v)) return 1;
    int64_t whole = (int64_t)fabs(v);
    while (whole && whole % 10 == 0) whole /= 10;
    for (; whole; whole /= 10) n++;
    return n ? n : 1;
}

void text_double(Text *t, double v) {
    if (isnan(v)) {
        text_put(t, "nan");
    } else if (isinf(v)) {
        text_put(t, v < 0 ? "-inf" : "inf");
    } else {
        char b[40];
        for (int p = whole_digits(v); p <= 17; p++) {
            snprintf(b, sizeof b, "%.*g", p, v);
            if (strtod(b, NULL) == v) break;
        }
        text_put(t, b);
        if (!strpbrk(b, ".e")) text_put(t, ".0");
    }
}

uint64_t random_next(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

int64_t floor_div(int64_t a, int64_t b) {
    if (b == -1) return (int64_t)(0 - (uint64_t)a);
    return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}

int64_t floor_mod(int64_t a, int64_t b) {
    if (b == -1) return 0;
    int64_t m = a % b;
    return m && ((m < 0) != (b < 0)) ? m + b : m;
}

int64_t gcd64(int64_t a, int64_t b) {
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    while (y) {
        uint64_t m = x % y;
        x = y;
        y = m;
    }
    return (int64_t)x;
}

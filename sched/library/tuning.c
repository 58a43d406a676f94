/* The text of tuning files: reading, printing, and the table that they are in memory. A line is
 *   product WORD=VALUE ... : WORD=VALUE ... [# comment]
 * with the words of tuning.def in any order, or one for a schedule (tuning_schedule.c). */
#include "tuning.h"

#include "ir/diag.h"

#include <stdlib.h>
#include <string.h>

enum { MUST = -1, DENSE = -1, MOST_SIZE_BITS = 40, FIRST_BYTES = 11 };
static const char FIRST[] = "tdc tuning ";

typedef enum WordKind { W_TARGET, W_TYPE, W_SUM, W_SIZE, W_ALIGN, W_FACTOR, W_ADDED, W_RESULT, W_BIAS, W_ACT } WordKind;

typedef struct ProductWord {
    const char *name;
    WordKind kind;
    int field;
    int64_t fallback;
} ProductWord;
static const ProductWord PRODUCT_WORDS[] = {
#define PRODUCT(name, kind, field, fallback) {#name, W_##kind, field, fallback},
#define CHOICE(name, field, most, fallback)
#include "tuning.def"
#undef PRODUCT
#undef CHOICE
};

typedef struct ChoiceWord {
    const char *name;
    int field;
    int64_t most, fallback;
} ChoiceWord;
static const ChoiceWord CHOICE_WORDS[] = {
#define PRODUCT(name, kind, field, fallback)
#define CHOICE(name, field, most, fallback) {#name, field, most, fallback},
#include "tuning.def"
#undef PRODUCT
#undef CHOICE
};
enum {
    NPRODUCT = sizeof PRODUCT_WORDS / sizeof *PRODUCT_WORDS,
    NCHOICE = sizeof CHOICE_WORDS / sizeof *CHOICE_WORDS,
    NWORDS = NPRODUCT + NCHOICE
};

static const char *const SUMS[] = {[TUNE_F64] = "f64", [TUNE_F32] = "f32", [TUNE_TF32] = "tf32", [TUNE_I32] = "i32"};
static const char *const LIES[] = {[TUNE_ROW] = "row", [TUNE_COL] = "col", [TUNE_NONE] = "none", [TUNE_SELF] = "d"};
static const char *const ACTS[] = {
    "none",
#define EPILOGUE(e, text, types) #e,
#include "epilogues.def"
#undef EPILOGUE
};

/* The name of a word's value, of those that have names. */
static const char *value_name(Ctx *ctx, WordKind kind, int64_t v) {
    char *s;
    switch (kind) {
    case W_TARGET: return v == TUNE_EMU ? TUNE_EMU_NAME : target_table[v].arch;
    case W_TYPE: return type_name((Type)v);
    case W_SUM: return SUMS[v];
    case W_ACT:
        s = ctx_alloc(ctx, strlen(ACTS[v]) + 1);
        for (size_t i = 0; ACTS[v][i]; i++) s[i] = (char)(ACTS[v][i] | 32);
        return s;
    default: return LIES[v];
    }
}

/* How many values a kind has, all of which have names. */
static int value_count(WordKind kind) {
    switch (kind) {
    case W_TARGET: return TUNE_EMU + 1;
    case W_TYPE: return TY_COUNT;
    case W_SUM: return TUNE_SUMS;
    case W_ACT: return ACT_COUNT;
    default: return TUNE_SELF + 1;
    }
}

static bool lie_allowed(WordKind kind, int64_t lie) {
    switch (kind) {
    case W_FACTOR: return lie == TUNE_ROW || lie == TUNE_COL;
    case W_ADDED: return lie != TUNE_COL;
    case W_BIAS: return lie == TUNE_ROW || lie == TUNE_NONE;
    case W_RESULT: return lie == TUNE_ROW;
    default: return true;
    }
}

static bool is_matrix(WordKind kind) { return kind == W_FACTOR || kind == W_ADDED || kind == W_RESULT; }

/* The leading dimension, and the step between batches, of a matrix whose elements leave nothing out. */
static int64_t dense_lead(const TuneProduct *p, const ProductWord *w) {
    bool col = p->v[w->field] == TUNE_COL;
    if (w->field == TUNE_A) return p->v[col ? TUNE_M : TUNE_K];
    if (w->field == TUNE_B && col) return p->v[TUNE_K];
    return p->v[TUNE_N];
}

static int64_t dense_step(const TuneProduct *p, const ProductWord *w) {
    bool col = p->v[w->field] == TUNE_COL;
    int64_t lines = w->field == TUNE_A   ? p->v[col ? TUNE_K : TUNE_M]
                    : w->field == TUNE_B ? p->v[col ? TUNE_N : TUNE_K]
                                         : p->v[TUNE_M];
    int64_t step = 0;
    return p->v[TUNE_BATCH] > 1 && mul_ok(lines, p->v[w->field + 1], &step) ? step : 0;
}

/* ---- printing ---- */

static void print_lie(Text *out, const TuneProduct *p, const ProductWord *w) {
    const int64_t *v = &p->v[w->field];
    text_put(out, LIES[v[0]]);
    if (v[0] == TUNE_NONE) return;
    if (w->kind == W_BIAS) {
        if (v[1]) text_fmt(out, ":%lld", (long long)v[1]);
        return;
    }
    bool step = v[2] != dense_step(p, w);
    if (step || v[1] != dense_lead(p, w)) text_fmt(out, ":%lld", (long long)v[1]);
    if (step) text_fmt(out, ":%lld", (long long)v[2]);
}

static bool is_fallback(const TuneProduct *p, const ProductWord *w) {
    const int64_t *v = &p->v[w->field];
    if (v[0] != w->fallback) return false;
    if (w->kind == W_RESULT) return v[1] == dense_lead(p, w) && v[2] == dense_step(p, w);
    return true;
}

void tuning_print_product(Text *out, const TuneProduct *p) {
    for (int i = 0, n = 0; i < NPRODUCT; i++) {
        const ProductWord *w = &PRODUCT_WORDS[i];
        if (is_fallback(p, w)) continue;
        text_fmt(out, "%s%s=", n++ ? " " : "", w->name);
        if (w->kind == W_SIZE || w->kind == W_ALIGN)
            text_fmt(out, "%lld", (long long)p->v[w->field]);
        else if (is_matrix(w->kind) || w->kind == W_BIAS)
            print_lie(out, p, w);
        else
            text_put(out, value_name(out->ctx, w->kind, p->v[w->field]));
    }
}

void tuning_print_choice(Text *out, const int64_t *choice) {
    for (int i = 0, n = 0; i < NCHOICE; i++) {
        const ChoiceWord *w = &CHOICE_WORDS[i];
        int64_t v = choice[w->field];
        if (v == w->fallback) continue;
        text_fmt(out, "%s%s=", n++ ? " " : "", w->name);
        if (w->field == TUNE_REDUCTION)
            text_put(out, "compute");
        else
            text_fmt(out, "%lld", (long long)v);
    }
}

void tuning_print(Text *out, const Tuning *t) {
    text_fmt(out, "%s%d\n%s", FIRST, TUNING_FORMAT, t->head ? t->head : "");
    for (int i = 0; i < t->entries.n; i++) {
        const TuneEntry *e = &t->entries.at[i];
        text_fmt(out, "%sproduct ", e->before ? e->before : "");
        tuning_print_product(out, &e->product);
        text_put(out, " : ");
        tuning_print_choice(out, e->choice);
        if (e->after) text_fmt(out, " %s", e->after);
        text_char(out, '\n');
    }
    for (int i = 0; i < t->schedules.n; i++) {
        const TuneSchedule *e = &t->schedules.at[i];
        text_put(out, e->before ? e->before : "");
        tuning_print_schedule(out, e);
        if (e->after) text_fmt(out, " %s", e->after);
        text_char(out, '\n');
    }
    text_put(out, t->tail ? t->tail : "");
}

/* ---- the table ---- */

Tuning *tuning_new(Ctx *ctx) {
    Tuning *t = NEW(ctx, Tuning);
    t->ctx = ctx;
    t->file = -1;
    return t;
}

int tuning_compare(const TuneProduct *a, const TuneProduct *b) {
    for (int i = 0; i < TUNE_FIELDS; i++)
        if (a->v[i] != b->v[i]) return a->v[i] < b->v[i] ? -1 : 1;
    return 0;
}

static int by_product(const void *a, const void *b) {
    const TuneEntry *x = a, *y = b;
    int c = tuning_compare(&x->product, &y->product);
    return c ? c : x->span.start < y->span.start ? -1 : x->span.start > y->span.start;
}

/* The first entry that is not less. */
static int place_of(const Tuning *t, const TuneProduct *p) {
    int lo = 0, hi = t->entries.n;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (tuning_compare(&t->entries.at[mid].product, p) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

const TuneEntry *tuning_find(const Tuning *t, const TuneProduct *p) {
    int at = place_of(t, p);
    return at < t->entries.n && !tuning_compare(&t->entries.at[at].product, p) ? &t->entries.at[at] : NULL;
}

void tuning_set(Tuning *t, const TuneEntry *e) {
    int at = place_of(t, &e->product);
    if (tuning_find(t, &e->product)) {
        Sym before = t->entries.at[at].before;
        t->entries.at[at] = *e;
        t->entries.at[at].before = before;
        return;
    }
    vec_push(t->ctx, &t->entries, *e);
    memmove(&t->entries.at[at + 1], &t->entries.at[at], sizeof *t->entries.at * (size_t)(t->entries.n - 1 - at));
    t->entries.at[at] = *e;
}

static Sym joined(Ctx *ctx, Sym a, Sym b) { return !a ? b : !b ? a : sym_fmt(ctx, "%s%s", a, b); }

void tuning_remove(Tuning *t, const TuneProduct *p) {
    int at = place_of(t, p);
    if (!tuning_find(t, p)) return;
    Sym *next = at + 1 < t->entries.n ? &t->entries.at[at + 1].before
                : t->schedules.n      ? &t->schedules.at[0].before
                                      : &t->tail;
    *next = joined(t->ctx, t->entries.at[at].before, *next);
    memmove(&t->entries.at[at], &t->entries.at[at + 1], sizeof *t->entries.at * (size_t)(t->entries.n - 1 - at));
    t->entries.n--;
}

/* ---- reading ---- */

typedef struct Reader {
    Ctx *ctx;
    int file;
    const char *text;
    bool given[NWORDS];
} Reader;

static Span span_of(const Reader *r, const char *s, size_t n) {
    uint32_t at = (uint32_t)(s - r->text);
    return (Span){r->file, at, at + (uint32_t)n};
}

/* A number of digits alone at s; false where there is none, or it is larger than `most`. */
static bool number(const char *s, size_t n, int64_t most, int64_t *v) {
    *v = 0;
    for (size_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9') return false;
        *v = *v * 10 + (s[i] - '0');
        if (*v > most) return false;
    }
    return n > 0;
}

static bool is_word(const char *s, size_t n, const char *word) { return strlen(word) == n && !strncmp(s, word, n); }

static bool bad_value(Reader *r, const char *word, const char *s, size_t n, const char *wanted) {
    diag_report(r->ctx, DIAG_TUNING_VALUE, span_of(r, s, n), "%s is %s, not '%.*s'", word, wanted, (int)n, s);
    return false;
}

/* The names that a value may have, as a list. */
static const char *names_of(Ctx *ctx, WordKind kind) {
    Text t = {.ctx = ctx};
    for (int v = 0; v < value_count(kind); v++)
        if (lie_allowed(kind, v)) text_fmt(&t, "%s%s", t.n ? ", " : "one of ", value_name(ctx, kind, v));
    if (is_matrix(kind)) text_put(&t, ", with :LEAD or :LEAD:STEP behind it");
    if (kind == W_BIAS) text_put(&t, ", with :STEP behind it");
    return t.s;
}

static bool read_product_value(Reader *r, const ProductWord *w, const char *s, size_t n, TuneProduct *p) {
    const int64_t most = (int64_t)1 << MOST_SIZE_BITS;
    int64_t *v = &p->v[w->field];
    if (w->kind == W_SIZE) {
        if (number(s, n, most, v) && *v > 0) return true;
        return bad_value(r, w->name, s, n, "a whole number from 1 to 2^40");
    }
    if (w->kind == W_ALIGN) {
        if (number(s, n, 256, v) && *v > 0 && (*v & (*v - 1)) == 0) return true;
        return bad_value(r, w->name, s, n, "a power of two from 1 to 256");
    }
    const bool parts = is_matrix(w->kind) || w->kind == W_BIAS;
    size_t name = 0;
    while (name < n && !(parts && s[name] == ':')) name++;
    *v = -1;
    for (int i = 0; i < value_count(w->kind); i++)
        if (is_word(s, name, value_name(r->ctx, w->kind, i)) && lie_allowed(w->kind, i)) *v = i;
    if (*v < 0 || (*v == TUNE_NONE && parts && name < n)) return bad_value(r, w->name, s, n, names_of(r->ctx, w->kind));
    int nparts = 0, may = !parts ? 0 : w->kind == W_BIAS ? 1 : 2;
    for (size_t at = name; at < n;) {
        size_t end = at + 1;
        while (end < n && s[end] != ':') end++;
        if (nparts == may || !number(s + at + 1, end - at - 1, (int64_t)1 << 57, &v[1 + nparts++]))
            return bad_value(r, w->name, s, n, names_of(r->ctx, w->kind));
        at = end;
    }
    return true;
}

static bool read_choice_value(Reader *r, const ChoiceWord *w, const char *s, size_t n, int64_t *choice) {
    int64_t *v = &choice[w->field];
    if (w->field == TUNE_REDUCTION) {
        *v = is_word(s, n, "compute") ? 2 : 0;
        if (*v || is_word(s, n, "none")) return true;
        Diag *d = diag_report(r->ctx, DIAG_TUNING_CHOICE, span_of(r, s, n), "reduction is none or compute, not '%.*s'",
                              (int)n, s);
        diag_note(r->ctx, d, SPAN_NONE,
                  "partial sums stay in the type of the sum: results do not depend on a tuning file beyond the order "
                  "of a sum");
        return false;
    }
    if (number(s, n, w->most, v)) return true;
    return bad_value(r, w->name, s, n, sym_fmt(r->ctx, "a whole number from 0 to %lld", (long long)w->most));
}

static const char *word_name(int i) { return i < NPRODUCT ? PRODUCT_WORDS[i].name : CHOICE_WORDS[i - NPRODUCT].name; }

/* One WORD=VALUE on its side of the colon. */
static bool read_word(Reader *r, bool choice, const char *s, size_t n, TuneEntry *e) {
    const char *eq = memchr(s, '=', n);
    size_t len = eq ? (size_t)(eq - s) : n;
    int at = -1;
    for (int i = 0; i < NWORDS; i++)
        if (is_word(s, len, word_name(i))) at = i;
    if (at < 0) {
        const char *names[NWORDS];
        for (int i = 0; i < NWORDS; i++) names[i] = word_name(i);
        Diag *d = diag_report(r->ctx, DIAG_TUNING_TEXT, span_of(r, s, len), "no word of a tuning file is '%.*s'",
                              (int)len, s);
        const char *near = diag_near(sym_n(r->ctx, s, len), names, NWORDS);
        if (near) diag_suggest(r->ctx, d, span_of(r, s, len), near);
        return false;
    }
    const char *what = !eq ? "needs a value, %s=..." : r->given[at] ? "%s is given twice" : NULL;
    if (!what && (at >= NPRODUCT) != choice)
        what = choice ? "%s says what the product is: it stands before the colon"
                      : "%s is of the choice: it stands behind the colon";
    if (what) {
        diag_report(r->ctx, DIAG_TUNING_TEXT, span_of(r, s, n), what, word_name(at));
        return false;
    }
    r->given[at] = true;
    size_t rest = n - len - 1;
    return choice ? read_choice_value(r, &CHOICE_WORDS[at - NPRODUCT], eq + 1, rest, e->choice)
                  : read_product_value(r, &PRODUCT_WORDS[at], eq + 1, rest, &e->product);
}

/* Values of words that were left out, and of what depends on others. */
static void complete(TuneProduct *p) {
    for (int i = 0; i < NPRODUCT; i++) {
        const ProductWord *w = &PRODUCT_WORDS[i];
        int64_t *v = &p->v[w->field];
        if (!is_matrix(w->kind)) continue;
        if (v[0] == TUNE_NONE) {
            v[1] = v[2] = 0;
            continue;
        }
        if (v[1] == DENSE) v[1] = dense_lead(p, w);
        if (v[2] == DENSE || p->v[TUNE_BATCH] == 1) v[2] = dense_step(p, w);
    }
    if (p->v[TUNE_BIAS] == TUNE_NONE || p->v[TUNE_BATCH] == 1) p->v[TUNE_BIAS + 1] = 0;
}

static void start_entry(TuneEntry *e) {
    for (int i = 0; i < NPRODUCT; i++) {
        const ProductWord *w = &PRODUCT_WORDS[i];
        e->product.v[w->field] = w->fallback;
        if (is_matrix(w->kind)) e->product.v[w->field + 1] = e->product.v[w->field + 2] = DENSE;
    }
    for (int i = 0; i < NCHOICE; i++) e->choice[CHOICE_WORDS[i].field] = CHOICE_WORDS[i].fallback;
}

static bool multiplied(const TuneProduct *p) {
    static const struct {
        Type factors, result;
    } pairs[] = {
#define PRODUCT_TYPES(f, r) {TY_##f, TY_##r},
#include "products.def"
#undef PRODUCT_TYPES
    };
    Type f = (Type)p->v[TUNE_FACTORS];
    TuneSum s = (TuneSum)p->v[TUNE_SUM];
    bool sum = f == TY_F64  ? s == TUNE_F64
               : f == TY_I8 ? s == TUNE_I32
                            : s == TUNE_F32 || (s == TUNE_TF32 && f == TY_F32);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && sum; i++)
        if (pairs[i].factors == f && pairs[i].result == (Type)p->v[TUNE_RESULT]) return true;
    return false;
}

static bool finish_entry(Reader *r, TuneEntry *e) {
    for (int i = 0; i < NWORDS; i++) {
        int64_t fallback = i < NPRODUCT ? PRODUCT_WORDS[i].fallback : CHOICE_WORDS[i - NPRODUCT].fallback;
        if (r->given[i] || fallback != MUST) continue;
        diag_report(r->ctx, DIAG_TUNING_TEXT, e->span, "the line lacks %s=...%s", word_name(i),
                    i < NPRODUCT ? "" : " behind the colon");
        return false;
    }
    complete(&e->product);
    if (!multiplied(&e->product)) {
        const int64_t *v = e->product.v;
        diag_report(r->ctx, DIAG_TUNING_VALUE, e->span, "no library multiplies %s to %s with sums in %s",
                    type_name((Type)v[TUNE_FACTORS]), type_name((Type)v[TUNE_RESULT]), SUMS[v[TUNE_SUM]]);
        return false;
    }
    if (e->choice[TUNE_SPLITK] > 1 && !e->choice[TUNE_REDUCTION]) {
        Diag *d = diag_report(r->ctx, DIAG_TUNING_CHOICE, e->span, "splitk=%lld needs reduction=compute",
                              (long long)e->choice[TUNE_SPLITK]);
        diag_help(r->ctx, d, "add reduction=compute behind the colon, or leave splitk out");
        return false;
    }
    return true;
}

/* A line without its comment, which does not begin in [s, s + n). */
static bool read_line(Reader *r, const char *s, size_t n, TuneEntry *e) {
    bool choice = false, first = true, ok = true;
    memset(r->given, 0, sizeof r->given);
    start_entry(e);
    e->span = span_of(r, s, n);
    for (size_t at = 0; at < n && ok;) {
        size_t end = at;
        while (end < n && s[end] != ' ' && s[end] != '\t') end++;
        const char *w = s + at;
        if (end == at) {
            at++;
            continue;
        }
        if (first && !is_word(w, end - at, "product")) {
            diag_report(r->ctx, DIAG_TUNING_TEXT, span_of(r, w, end - at),
                        "a line begins with `product` or `schedule`, not with '%.*s'", (int)(end - at), w);
            return false;
        }
        if (!first && !choice && is_word(w, end - at, ":"))
            choice = true;
        else if (!first)
            ok = read_word(r, choice, w, end - at, e);
        first = false;
        at = end;
    }
    return ok && finish_entry(r, e);
}

static const char *line_end(const char *s, const char *end) {
    while (s < end && *s != '\n') s++;
    return s;
}

static bool read_first(Reader *r, size_t n) {
    size_t len = (size_t)(line_end(r->text, r->text + n) - r->text);
    int64_t version = 0;
    if (len && r->text[len - 1] == '\r') len--;
    bool ours = len > FIRST_BYTES && !strncmp(r->text, FIRST, FIRST_BYTES) &&
                number(r->text + FIRST_BYTES, len - FIRST_BYTES, INT32_MAX, &version);
    if (ours && version == TUNING_FORMAT) return true;
    Diag *d = ours ? diag_report(r->ctx, DIAG_TUNING_FIRST, span_of(r, r->text, len),
                                 "a tuning file of format %lld; this tdc reads %d", (long long)version, TUNING_FORMAT)
                   : diag_report(r->ctx, DIAG_TUNING_FIRST, span_of(r, r->text, len),
                                 "no tuning file: its first line is not `%s%d`", FIRST, TUNING_FORMAT);
    diag_help(r->ctx, d, "`tdc tune FILE.td -o NEW` writes one");
    return false;
}

/* Entries in their order; false where two are of one product. */
static bool sorted(Tuning *t) {
    bool ok = true;
    if (t->entries.n) qsort(t->entries.at, (size_t)t->entries.n, sizeof *t->entries.at, by_product);
    for (int i = 1; i < t->entries.n; i++) {
        const TuneEntry *a = &t->entries.at[i - 1], *b = &t->entries.at[i];
        if (tuning_compare(&a->product, &b->product) != 0) continue;
        Diag *d = diag_report(t->ctx, DIAG_TUNING_TWICE, b->span, "a second line for the same product");
        diag_note(t->ctx, d, a->span, "the first one");
        ok = false;
    }
    return ok;
}

static bool is_schedule(const char *s, size_t n) {
    size_t word = 0;
    while (word < n && s[word] != ' ' && s[word] != '\t') word++;
    return is_word(s, word, "schedule");
}

/* One line of the file: words, or a comment that waits in *before for the words after it. */
static bool take_line(Reader *r, Tuning *t, const char *line, const char *stop, Text *before) {
    const char *hash = line;
    while (hash < stop && *hash != '#') hash++;
    const char *text = line, *last = hash;
    while (text < last && (*text == ' ' || *text == '\t')) text++;
    while (last > text && (last[-1] == ' ' || last[-1] == '\t')) last--;
    if (text == last) {
        text_put_n(before, line, (size_t)(stop - line));
        text_char(before, '\n');
        if (hash < stop || t->head || t->entries.n || t->schedules.n) return true;
        t->head = before->s; /* what an empty line ends before the first line belongs to the file */
        *before = (Text){.ctx = r->ctx};
        return true;
    }
    const Sym own = before->s, after = hash < stop ? sym_n(r->ctx, hash, (size_t)(stop - hash)) : NULL;
    const size_t n = (size_t)(last - text);
    *before = (Text){.ctx = r->ctx};
    if (is_schedule(text, n)) {
        TuneSchedule s = {.before = own, .after = after};
        const bool read = tuning_read_schedule(r->ctx, span_of(r, text, n), text, n, &s);
        vec_push(r->ctx, &t->schedules, s);
        return read;
    }
    TuneEntry e = {.before = own, .after = after};
    const bool ok = read_line(r, text, n, &e);
    vec_push(r->ctx, &t->entries, e);
    return ok;
}

Tuning *tuning_read(Ctx *ctx, int file) {
    size_t n = 0;
    Reader r = {.ctx = ctx, .file = file};
    Tuning *t = tuning_new(ctx);
    Text before = {.ctx = ctx};
    bool ok = true;
    r.text = diag_file_text(ctx, file, &n);
    const char *path = diag_file_name(ctx, file), *slash = strrchr(path, '/');
    t->name = slash ? sym(ctx, slash + 1) : path;
    t->file = file;
    const char *nul = memchr(r.text, 0, n);
    if (nul) return diag_report(ctx, DIAG_NUL_BYTE, span_of(&r, nul, 1), "a NUL byte in a tuning file"), NULL;
    if (!read_first(&r, n)) return NULL;
    const char *end = r.text + n;
    for (const char *line = line_end(r.text, end); line < end;) {
        const char *stop = line_end(++line, end);
        if (line == end) break;
        ok &= take_line(&r, t, line, stop > line && stop[-1] == '\r' ? stop - 1 : stop, &before);
        line = stop;
    }
    t->tail = before.s;
    ok = ok && sorted(t);
    return ok && tuning_sort_schedules(t) ? t : NULL;
}

/* The text of machines: see machine_text.h. A line is one of
 *   machine NAME
 *   like NAME                                  a built-in machine, whose figures the file need not repeat
 *   target NAME
 *   FIGURE NUMBER UNIT "SOURCE"                a row of machine.def
 *   product TYPE M N K NUMBER seconds "SOURCE"
 * and # begins a comment. */
#include "machine_text.h"

#include "ir/diag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 12, MOST_NUMBER = 63 /* characters */ };
static const char FIRST[] = "tdc machine ", SECONDS[] = "seconds";
static const double MOST_SIZE = 1099511627776.0; /* of a product: 2^40 */
static const double LEAST_TIME = 1e-8, MOST_TIME = 1e5;

void machine_names(Text *out) {
    for (int i = 0; i < MACHINE_BUILT_IN; i++) text_fmt(out, "%s%s", i ? ", " : "", machine_table[i]->name);
}

/* ---- printing ---- */

static bool is_own(const Machine *m, int figure) { return !m->like || m->source[figure] != m->like->source[figure]; }

void machine_print(Text *out, const Machine *m) {
    text_fmt(out, "%s%d\nmachine %s\n", FIRST, MACHINE_FORMAT, m->name);
    if (m->like) text_fmt(out, "like %s\n", m->like->name);
    if (!m->like || m->target != m->like->target) text_fmt(out, "target %s\n", m->target->arch);
    for (int i = 0; i < MACHINE_FIGURES; i++) {
        const FigureRow *row = machine_row((Figure)i);
        if (!is_own(m, i)) continue;
        text_fmt(out, "# %s\n%s %.9g %s \"%s\"\n", row->what, row->name, machine_value(m, (Figure)i), row->unit,
                 m->source[i]);
    }
    if (m->ntimes) text_put(out, "# the library's products without their launch: type, m, n, k\n");
    for (int i = 0; i < m->ntimes; i++) {
        const ProductTime *t = &m->times[i];
        text_fmt(out, "product %s %lld %lld %lld %.9g %s \"%s\"\n", type_name(t->type), (long long)t->m,
                 (long long)t->n, (long long)t->k, t->seconds, SECONDS, t->source);
    }
}

/* ---- reading ---- */

typedef VEC(ProductTime) Times;

typedef struct Reader {
    Ctx *ctx;
    int file;
    const char *text, *s, *end; /* the file; what is left of the line */
    Machine *m;
    bool named, like, target, given[MACHINE_FIGURES];
    Times times;
} Reader;

/* A part of the line. */
typedef struct Part {
    const char *s;
    size_t n;
} Part;

static Span span_of(const Reader *r, Part p) {
    const uint32_t at = (uint32_t)(p.s - r->text);
    return (Span){r->file, at, at + (uint32_t)p.n};
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static void skip_blanks(Reader *r) {
    while (r->s < r->end && is_blank(*r->s)) r->s++;
}

/* The next word; of no characters at the end of the line, before a comment and before a text in quotes. */
static Part next_word(Reader *r) {
    skip_blanks(r);
    Part p = {r->s, 0};
    while (r->s < r->end && !is_blank(*r->s) && *r->s != '"' && *r->s != '#') r->s++;
    p.n = (size_t)(r->s - p.s);
    return p;
}

static bool is_word(Part p, const char *word) { return strlen(word) == p.n && !strncmp(p.s, word, p.n); }

static bool malformed(Reader *r, Part at, const char *why) {
    diag_report(r->ctx, DIAG_MACHINE_TEXT, span_of(r, at), "%s", why);
    return false;
}

/* Nothing but a comment may follow. */
static bool line_ends(Reader *r) {
    skip_blanks(r);
    return r->s == r->end || *r->s == '#' ||
           malformed(r, (Part){r->s, (size_t)(r->end - r->s)}, "nothing may follow here but a comment");
}

/* What stands in quotes at the line's end. */
static bool read_source(Reader *r, const char **source) {
    skip_blanks(r);
    const Part rest = {r->s, (size_t)(r->end - r->s)};
    const char *close = rest.n && *r->s == '"' ? memchr(r->s + 1, '"', rest.n - 1) : NULL;
    if (!close || close == r->s + 1)
        return malformed(r, rest, "the line must say in quotes where its number comes from");
    *source = sym_n(r->ctx, r->s + 1, (size_t)(close - r->s - 1));
    r->s = close + 1;
    return line_ends(r);
}

/* A number within a range. `name` and `unit` are for the message. */
static bool read_number(Reader *r, const char *name, const char *unit, double least, double most, double *v) {
    const Part p = next_word(r);
    char digits[MOST_NUMBER + 1] = "", *end = digits;
    if (p.n <= MOST_NUMBER) memcpy(digits, p.s, p.n);
    *v = strtod(digits, &end);
    if (!p.n || strspn(digits, "0123456789.eE+-") != p.n || *end) {
        diag_report(r->ctx, DIAG_MACHINE_VALUE, span_of(r, p), "%s needs a number, not '%.*s'", name, (int)p.n, p.s);
        return false;
    }
    if (*v >= least && *v <= most) return true;
    diag_report(r->ctx, DIAG_MACHINE_VALUE, span_of(r, p), "%s is from %g to %g %s, not %.*s", name, least, most, unit,
                (int)p.n, p.s);
    return false;
}

static bool read_unit(Reader *r, const char *name, const char *unit) {
    skip_blanks(r);
    Part p = {r->s, 0};
    while (r->s < r->end && *r->s != '"' && *r->s != '#') r->s++;
    p.n = (size_t)(r->s - p.s);
    while (p.n && is_blank(p.s[p.n - 1])) p.n--;
    if (is_word(p, unit)) return true;
    return malformed(r, p, sym_fmt(r->ctx, "%s is in %s: those words stand behind its number", name, unit));
}

static bool is_given_twice(Reader *r, Part name, bool *given) {
    const bool twice = *given;
    *given = true;
    if (twice) malformed(r, name, sym_fmt(r->ctx, "%.*s is given twice", (int)name.n, name.s));
    return twice;
}

static bool read_figure(Reader *r, Part name, Figure f) {
    const FigureRow *row = machine_row(f);
    const char *source;
    double v;
    return !is_given_twice(r, name, &r->given[f]) && read_number(r, row->name, row->unit, row->least, row->most, &v) &&
           read_unit(r, row->name, row->unit) && read_source(r, &source) && machine_set(r->m, f, v, source);
}

static bool same_product(const ProductTime *a, const ProductTime *b) {
    return a->type == b->type && a->m == b->m && a->n == b->n && a->k == b->k;
}

static bool read_product(Reader *r, Part name) {
    static const char *const sizes[] = {"m", "n", "k"};
    double v[sizeof sizes / sizeof *sizes];
    ProductTime t = {.type = TY_COUNT};
    const Part type = next_word(r);
    for (int i = 0; i < MACHINE_PRODUCT_TYPES; i++)
        if (is_word(type, type_name(machine_product_types[i]))) t.type = machine_product_types[i];
    if (t.type == TY_COUNT) return malformed(r, type, "a product is of bf16 or f32");
    for (int i = 0; i < 3; i++) {
        if (!read_number(r, sizes[i], "elements", 1, MOST_SIZE, &v[i])) return false;
        if (v[i] != floor(v[i])) return malformed(r, name, "the sizes of a product are whole numbers");
    }
    t.m = (int64_t)v[0], t.n = (int64_t)v[1], t.k = (int64_t)v[2];
    if (!read_number(r, "a product", SECONDS, LEAST_TIME, MOST_TIME, &t.seconds) || !read_unit(r, "it", SECONDS) ||
        !read_source(r, &t.source))
        return false;
    for (int i = 0; i < r->times.n; i++)
        if (same_product(&r->times.at[i], &t)) return malformed(r, name, "this product is given twice");
    vec_push(r->ctx, &r->times, t);
    return true;
}

static bool read_name(Reader *r, Part word) {
    const Part p = next_word(r);
    bool good = p.n > 0;
    if (is_given_twice(r, word, &r->named)) return false;
    for (size_t i = 0; i < p.n; i++)
        good &= (p.s[i] >= '0' && p.s[i] <= '9') || ((p.s[i] | 32) >= 'a' && (p.s[i] | 32) <= 'z') ||
                strchr("-_.", p.s[i]) != NULL;
    if (!good) return malformed(r, p, "a machine's name has letters, digits, - . and _");
    r->m->name = sym_n(r->ctx, p.s, p.n);
    return line_ends(r);
}

/* Comes before figures: it gives all of them. */
static bool read_like(Reader *r, Part word) {
    const Part p = next_word(r);
    bool late = r->target;
    for (int i = 0; i < MACHINE_FIGURES; i++) late |= r->given[i];
    if (late) return malformed(r, word, "`like` stands before what the file has of its own");
    Text known = {.ctx = r->ctx};
    const Machine *like = machine_find(sym_n(r->ctx, p.s, p.n));
    if (is_given_twice(r, word, &r->like)) return false;
    machine_names(&known);
    if (!like) return malformed(r, p, sym_fmt(r->ctx, "a machine is like a built-in one: %s", known.s));
    const char *name = r->m->name;
    *r->m = *like;
    r->m->name = name;
    r->m->like = like;
    return line_ends(r);
}

static bool read_target(Reader *r, Part word) {
    const Part p = next_word(r);
    const Target *t = target_find(p.s, p.n);
    if (is_given_twice(r, word, &r->target)) return false;
    if (!t) return malformed(r, p, sym_fmt(r->ctx, "no target is named '%.*s'", (int)p.n, p.s));
    r->m->target = t;
    return line_ends(r);
}

static bool unknown(Reader *r, Part word) {
    const char *names[MACHINE_FIGURES];
    for (int i = 0; i < MACHINE_FIGURES; i++) names[i] = machine_row((Figure)i)->name;
    Diag *d = diag_report(r->ctx, DIAG_MACHINE_TEXT, span_of(r, word), "no row of a machine is named '%.*s'",
                          (int)word.n, word.s);
    const char *near = diag_near(sym_n(r->ctx, word.s, word.n), names, MACHINE_FIGURES);
    if (near) diag_suggest(r->ctx, d, span_of(r, word), near);
    return false;
}

static bool read_line(Reader *r) {
    const Part word = next_word(r);
    if (!word.n) return line_ends(r);
    if (is_word(word, "machine")) return read_name(r, word);
    if (is_word(word, "like")) return read_like(r, word);
    if (is_word(word, "target")) return read_target(r, word);
    if (is_word(word, "product")) return read_product(r, word);
    for (int i = 0; i < MACHINE_FIGURES; i++)
        if (is_word(word, machine_row((Figure)i)->name)) return read_figure(r, word, (Figure)i);
    return unknown(r, word);
}

static bool is_whole(Reader *r) {
    const Part first = {r->text, FIRST_BYTES};
    if (!r->named) return malformed(r, first, "the file lacks a line `machine NAME`");
    for (int i = 0; i < MACHINE_FIGURES && !r->like; i++)
        if (!r->given[i])
            return malformed(r, first,
                             sym_fmt(r->ctx, "the file lacks %s; a line `like h200` gives what a file has not",
                                     machine_row((Figure)i)->name));
    return r->like || r->target || malformed(r, first, "the file lacks a line `target NAME` or `like NAME`");
}

Machine *machine_read(Ctx *ctx, int file) {
    size_t n;
    Reader r = {.ctx = ctx, .file = file, .text = diag_file_text(ctx, file, &n), .m = NEW(ctx, Machine)};
    const char *end = r.text + n;
    bool right = true;
    int line = 0;
    for (const char *s = r.text; s < end || !line; s = r.end + 1) {
        const char *newline = s < end ? memchr(s, '\n', (size_t)(end - s)) : NULL;
        r.s = s;
        r.end = newline ? newline : end;
        if (line++) {
            right = read_line(&r) && right;
            continue;
        }
        const Part first = {s, (size_t)(r.end - s)};
        if (is_word(first, sym_fmt(ctx, "%s%d", FIRST, MACHINE_FORMAT))) continue;
        diag_report(ctx, DIAG_MACHINE_FIRST, span_of(&r, first), "the first line must be `%s%d`", FIRST,
                    MACHINE_FORMAT);
        return NULL;
    }
    right = right && is_whole(&r);
    r.m->measured = false;
    r.m->times = r.times.at;
    r.m->ntimes = r.times.n;
    return right ? r.m : NULL;
}

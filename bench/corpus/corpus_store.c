/* What was measured: FAMILY.tsv, written by `make.py store`. A line of a case, then one a kernel. */
#include "corpus.h"

#include <stdlib.h>

enum { COLUMNS = 5 };

/* Cuts a line at its tabs. */
static int columns(char *line, char **at) {
    int n = 0;
    for (char *s = line; n < COLUMNS && s; n++) {
        at[n] = s;
        s = strchr(s, '\t');
        if (s) *s++ = 0;
    }
    return n;
}

bool corpus_stored(Ctx *ctx, const char *path, StoredCases *out, Text *why) {
    size_t size;
    char *text = corpus_file(ctx, path, &size), *w[COLUMNS];
    if (!text) return text_fail(why, "%s cannot be read", path);
    for (char *line = text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = 0;
        if (*line == '#' || !*line) continue;
        int n = columns(line, w);
        if (n == 4 && !strcmp(w[0], "case")) {
            StoredCase c = {.name = sym(ctx, w[1]), .sizes = sym(ctx, w[2]), .floor = strtod(w[3], NULL)};
            vec_push(ctx, out, c);
        } else if (n == COLUMNS && out->n) {
            Stored s = {sym(ctx, w[0]), strtod(w[1], NULL), sym(ctx, w[2]), sym(ctx, w[3]), sym(ctx, w[4])};
            vec_push(ctx, &out->at[out->n - 1].kernels, s);
        } else {
            return text_fail(why, "%s: a line is neither a case nor a kernel: %s", path, line);
        }
    }
    return true;
}

const StoredCase *corpus_stored_case(const StoredCases *all, const char *name, const char *sizes) {
    for (int i = 0; i < all->n; i++)
        if (!strcmp(all->at[i].name, name) && !strcmp(all->at[i].sizes, sizes)) return &all->at[i];
    return NULL;
}

bool corpus_by_hand(const Stored *s) { return !strcmp(s->packed, "by hand"); }

/* `g w4 p:x` is grid warp(4) peel x: bindings by their first letters. */
static void unpack_axis(Text *out, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int b = 0;
        if (s[i] == 'p' && i + 1 < n && s[i + 1] == ':') {
            text_put(out, " peel ");
            text_put_n(out, s + i + 2, n - i - 2);
            return;
        }
        while (b < BIND_COUNT && bind_text((Bind)b)[0] != s[i]) b++;
        if (b == BIND_COUNT) continue;
        size_t digits = strspn(s + i + 1, "0123456789");
        text_fmt(out, " %s", bind_text((Bind)b));
        if (digits) text_fmt(out, "(%.*s)", (int)digits, s + i + 1);
        i += digits;
    }
}

/* Items are the group's axes in their order, then what a schedule has beside, as it is. */
static const char *unpack_group(Text *out, const Group *gr, const char *s) {
    for (int i = 0; *s && *s != '|'; i++) {
        size_t n = strcspn(s, ";|");
        if (i) text_put(out, "; ");
        if (i < gr->axes.n) {
            text_fmt(out, "%s =", gr->axes.at[i].name);
            unpack_axis(out, s, n);
        } else {
            text_put_n(out, s, n);
        }
        s += n + (s[n] == ';');
    }
    return s;
}

Sym corpus_unpack(const Case *c, const char *packed) {
    Text out = {.ctx = c->ctx};
    text_put(&out, "");
    for (int i = 0; i < c->groups.n; i++) {
        if (i) text_put(&out, " | ");
        packed = unpack_group(&out, c->groups.at[i], packed);
        packed += *packed == '|';
    }
    return sym(c->ctx, out.s);
}

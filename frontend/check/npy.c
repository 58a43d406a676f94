/* Reads and writes .npy files. The format: magic "\x93NUMPY", version, length of the header, a Python dictionary with
 * descr, fortran_order and shape, then the data. */
#include "npy.h"
#include "check_process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct Header {
    char kind; /* f i u b */
    int size;  /* bytes of an element */
    int rank;
    int64_t shape[MAX_RANK];
    size_t data; /* offset of the elements */
} Header;

static bool refuse(Text *why, const char *path, const char *what) {
    text_fmt(why, "%s: %s", path, what);
    return false;
}

/* The text after 'key': in the header's dictionary. */
static const char *entry(const char *dict, const char *key) {
    const char *p = strstr(dict, key);
    if (!p) return NULL;
    p += strlen(key);
    return p + strspn(p, " :");
}

static bool read_shape(const char *p, Header *h) {
    if (*p++ != '(') return false;
    for (;;) {
        p += strspn(p, " ,");
        if (*p == ')') return true;
        char *end;
        errno = 0;
        long long v = strtoll(p, &end, 10);
        if (end == p || errno || v < 0 || h->rank == MAX_RANK) return false;
        h->shape[h->rank++] = v;
        p = end;
    }
}

static bool read_header(Ctx *ctx, const char *path, const unsigned char *b, size_t n, Header *h, Text *why) {
    if (n < 12 || memcmp(b, "\x93NUMPY", 6)) return refuse(why, path, "not a .npy file");
    size_t at = b[6] >= 2 ? 12 : 10, len = b[8] | (size_t)b[9] << 8;
    if (b[6] >= 2) len |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (len > n - at) return refuse(why, path, "the header is cut off");
    const char *dict = sym_n(ctx, (const char *)b + at, len);
    const char *descr = entry(dict, "'descr'"), *order = entry(dict, "'fortran_order'"),
               *shape = entry(dict, "'shape'");
    if (!descr || !order || !shape || *descr++ != '\'') return refuse(why, path, "the header cannot be read");
    if (strncmp(order, "False", 5)) return refuse(why, path, "not in C order");
    if (*descr == '>') return refuse(why, path, "not little-endian");
    descr += strspn(descr, "<|=");
    *h = (Header){.kind = *descr, .size = atoi(descr + 1), .data = at + len};
    if (!strchr("fiub", h->kind) || !strchr("\1\2\4\10", h->size) || !h->size)
        return refuse(why, path, "elements of another kind than numbers and bool");
    if (!read_shape(shape, h)) return refuse(why, path, "the shape cannot be read");
    return true;
}

/* The type whose values the file's elements are, where there is one: not one that NumPy keeps as its bits. */
static bool stored_type(const Header *h, Type *t) {
    static const char kinds[] = {[CLASS_FLOAT] = 'f', [CLASS_SINT] = 'i', [CLASS_UINT] = 'u', [CLASS_BOOL] = 'b'};
    for (int i = 0; i < TY_COUNT; i++) {
        const TypeRow *r = type_row((Type)i);
        if (r->bits != 8 * h->size || kinds[r->cls] != h->kind || r->npy[1] != h->kind) continue;
        return *t = (Type)i, true;
    }
    return false;
}

/* Whether elements of the type are files of `from`, bit by bit. */
static bool is_bits(Type t, Type from) { return type_is_float(t) && !strcmp(type_row(t)->npy, type_row(from)->npy); }

/* *at: the element that the type has no value for, where only some do not fit. */
static bool convert(HostTensor *out, const HostTensor *in, int64_t *at) {
    *at = -1;
    bool to_float = type_is_float(out->type), from_float = type_is_float(in->type);
    if (out->type == in->type || is_bits(out->type, in->type)) {
        memcpy(out->data, in->data, out->bytes);
        return true;
    }
    if (to_float != from_float) return false;
    for (int64_t i = 0; i < out->n; i++) {
        if (to_float) {
            host_put_float(out, i, num_round(out->type, host_float(in, i)));
        } else {
            int64_t v = host_int(in, i);
            if (v < num_int_min(out->type) || v > num_int_max(out->type)) return *at = i, false;
            host_put_int(out, i, v);
        }
    }
    return true;
}

bool npy_read(Ctx *ctx, const char *path, Type t, HostTensor *out, Text *why) {
    size_t n;
    Header h;
    Type from;
    unsigned char *b = (unsigned char *)file_read(ctx, path, &n);
    if (!b) return refuse(why, path, "cannot be read");
    if (!read_header(ctx, path, b, n, &h, why)) return false;
    HostTensor in;
    if (!stored_type(&h, &from) || !host_tensor(ctx, &in, from, h.rank, h.shape))
        return refuse(why, path, "too large, or of a type that td has not");
    if (in.bytes > n - h.data) return refuse(why, path, "the data is cut off");
    if (in.bytes) memcpy(in.data, b + h.data, in.bytes);
    host_tensor(ctx, out, t, h.rank, h.shape);
    int64_t at;
    if (convert(out, &in, &at)) return true;
    if (at >= 0)
        text_fmt(why, "%s: it holds %lld, which %s has not: that is %lld..%lld", path, (long long)host_int(&in, at),
                 type_name(t), (long long)num_int_min(t), (long long)num_int_max(t));
    else
        text_fmt(why, "%s: its elements are NumPy's %s, where %s is needed: save them as x.astype(\"%s\")", path,
                 type_row(from)->numpy, type_name(t), type_row(t)->numpy);
    return false;
}

bool npy_write(Ctx *ctx, const char *path, const HostTensor *h, Text *why) {
    Text t = {.ctx = ctx}, dict = {.ctx = ctx};
    text_fmt(&dict, "{'descr': '%s', 'fortran_order': False, 'shape': (", type_row(h->type)->npy);
    for (int d = 0; d < h->rank; d++) text_fmt(&dict, "%lld,%s", (long long)h->shape[d], d + 1 < h->rank ? " " : "");
    text_put(&dict, "), }");
    while ((10 + dict.n + 1) % 64) text_char(&dict, ' ');
    text_char(&dict, '\n');
    text_put_n(&t, "\x93NUMPY\1\0", 8);
    text_char(&t, (char)(dict.n & 255));
    text_char(&t, (char)(dict.n >> 8));
    text_put_n(&t, dict.s, dict.n);
    if (type_bits(h->type) >= 8) {
        text_put_n(&t, h->data, h->bytes);
    } else { /* i4 and u4 one a byte */
        for (int64_t i = 0; i < h->n; i++) text_char(&t, (char)host_int(h, i));
    }
    return file_write(path, t.s, t.n) || refuse(why, path, "cannot be written");
}

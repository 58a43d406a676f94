/* Lowering, kernels of several parts: each part has blocks of its own, and those of one form have one body: what
 * differs, addresses, lengths and scalars, stands in a table among the kernel's arguments, a row a part, and a block
 * finds its row by its number. So n equations alike are one launch and one text. */
#include "lower_internal.h"

#include "sched/kernel/same.h"

enum { MOST_ARGUMENTS = 4096 /* bytes, of every target */ };

/* Parts with one text. */
typedef struct Body {
    Lower *l;  /* of the first */
    int first; /* its row among those of all bodies */
    VEC(const KernelForm *) rows;
    Sym key; /* the form; NULL: it has none */
    StmtList text;
    Dispatch dispatch;
} Body;

typedef struct Together {
    const Lowering *x;
    Ctx *ctx;
    Kernel *k;
    Sym full;
    VEC(Body) bodies;
    Dispatch all;
    int shared;
} Together;

/* ---- bodies ---- */

static void find_bodies(Together *t) {
    KernelForm *forms = NEW_N(t->ctx, KernelForm, t->k->parts.n);
    for (int i = 0; i < t->k->parts.n; i++) {
        Sym key;
        Kernel *one = kernel_of_part(t->ctx, t->x->p, t->k, i, &forms[i], &key);
        int at = 0;
        while (at < t->bodies.n && (!key || t->bodies.at[at].key != key)) at++;
        if (at == t->bodies.n) {
            Body b = {.key = key, .l = lower_new(t->x, t->ctx, one, t->k)};
            vec_push(t->ctx, &t->bodies, b);
        }
        vec_push(t->ctx, &t->bodies.at[at].rows, &forms[i]);
    }
    for (int i = 1; i < t->bodies.n; i++)
        t->bodies.at[i].first = t->bodies.at[i - 1].first + t->bodies.at[i - 1].rows.n;
}

static int find(const void *const *at, int n, const void *what) {
    int i = 0;
    while (i < n && at[i] != what) i++;
    return i < n ? i : -1;
}

#define AT(list) ((const void *const *)(list))

/* What part i of the body has where the first one has this. */
static Tensor *tensor_of(const Body *b, int i, const Tensor *t) {
    const int at = find(AT(b->rows.at[0]->tensors), b->rows.at[0]->ntensors, t);
    return at < 0 ? NULL : b->rows.at[i]->tensors[at];
}

static Dim *dim_of(const Body *b, int i, const Dim *d) {
    const int at = find(AT(b->rows.at[0]->dims), b->rows.at[0]->ndims, d);
    return at < 0 ? NULL : b->rows.at[i]->dims[at];
}

static Scalar *scalar_of(const Body *b, int i, const Scalar *s) {
    const int at = find(AT(b->rows.at[0]->scalars), b->rows.at[0]->nscalars, s);
    return at < 0 ? NULL : b->rows.at[i]->scalars[at];
}

static int argument_bytes(const Body *b) {
    enum { WORD = 8, DIVISOR = 16 };
    const Needs *n = &b->l->needs;
    return b->rows.n * (WORD * (n->tensors.n + n->own_dims.n + n->scalars.n) + DIVISOR * n->divmods.n);
}

/* What all bodies ask of their launch: the first instances run where they may for all of them. */
static bool lower_bodies(Together *t) {
    int bytes = 4 * (t->k->parts.n + 1);
    Lower *whole = lower_new(t->x, t->ctx, t->k, t->k);
    for (int i = 0; i < t->bodies.n; i++) {
        Body *b = &t->bodies.at[i];
        lower_statements(b->l, &b->text);
        if (b->l->failed) return false;
        b->dispatch = lower_dispatch(b->l);
        if (b->dispatch.fits) t->all.fits = b->dispatch.fits;
        if (b->dispatch.wide) t->all.wide = b->dispatch.wide;
        t->all.often_narrow |= b->dispatch.often_narrow;
        if (b->dispatch.filled) t->all.filled = b->dispatch.filled;
        if (b->l->needs.shared_bytes > t->shared) t->shared = b->l->needs.shared_bytes;
        bytes += argument_bytes(b);
        whole->needs.wide |= b->l->needs.wide;
        whole->needs.always64 |= b->l->needs.always64;
        for (int k = 0; k < b->l->needs.conds.n; k++) vec_push(t->ctx, &whole->needs.conds, b->l->needs.conds.at[k]);
        for (int k = 0; k < b->l->needs.fits.n; k++) vec_push(t->ctx, &whole->needs.fits, b->l->needs.fits.at[k]);
        for (int k = 0; k < b->rows.n * b->l->needs.tensors.n; k++) {
            Tensor *own = tensor_of(b, k / b->l->needs.tensors.n, b->l->needs.tensors.at[k % b->l->needs.tensors.n]);
            if (own) vec_push(t->ctx, &whole->needs.tensors, own);
        }
    }
    if (bytes > MOST_ARGUMENTS) {
        lower_fail(whole, "its arguments take %d bytes, where a launch has %d", bytes, MOST_ARGUMENTS);
        return false;
    }
    if (t->all.fits || t->all.wide) lower_general(whole, &t->all);
    t->all.blocks = code(t->ctx, "td_blocks");
    return true;
}

/* ---- the kernel ---- */

static Sym struct_of(const Together *t, int body) { return sym_fmt(t->ctx, "td_%s_%d", t->full, body + 1); }

static void print_structs(const Together *t, const Printing *p) {
    for (int i = 0; i < t->bodies.n; i++) print_struct(p, t->bodies.at[i].l, struct_of(t, i));
    print_line(p, t->ctx, "struct %s_args {\n", t->full);
    for (int i = 0; i < t->bodies.n; i++)
        print_line(p, t->ctx, "    %s_args of_%d[%d];\n", struct_of(t, i), i + 1, t->bodies.at[i].rows.n);
    print_line(p, t->ctx, "    unsigned before[%d]; // each part: the blocks of those before it\n};\n",
               t->k->parts.n + 1);
}

/* A part's body between braces, in which `arg` and `blocks_before` are its own. */
static void print_body(const Together *t, const Printing *p, int i) {
    const Body *b = &t->bodies.at[i];
    const Printing own = {.out = p->out, .index = index_type(b->l), .prelude = p->prelude};
    if (b->rows.n > 1) {
        print_line(p, t->ctx, "        const int td_part = td_part_of(td_all.before + %d, %d);\n", b->first, b->rows.n);
        print_line(p, t->ctx, "        const %s_args &arg = td_all.of_%d[td_part];\n", struct_of(t, i), i + 1);
        print_line(p, t->ctx, "        const unsigned blocks_before = td_all.before[%d + td_part];\n", b->first);
    } else {
        print_line(p, t->ctx, "        const %s_args &arg = td_all.of_%d[0];\n", struct_of(t, i), i + 1);
        print_line(p, t->ctx, "        const unsigned blocks_before = td_all.before[%d];\n", b->first);
    }
    print_line(p, t->ctx, "        (void)arg, (void)blocks_before;\n");
    print_list(&own, &b->text, 2);
}

static void print_bodies(const Together *t, const Printing *p) {
    bool narrow = false;
    for (int i = 0; i < t->bodies.n; i++) narrow |= t->bodies.at[i].l->needs.wide;
    if (narrow && !t->all.wide) print_line(p, t->ctx, "    constexpr int A = 1; // peeling aligns every access\n");
    for (int i = 0; i < t->bodies.n; i++) {
        const Body *b = &t->bodies.at[i];
        print_line(p, t->ctx, i ? "    } else " : "    ");
        if (i + 1 < t->bodies.n)
            print_line(p, t->ctx, "if ((unsigned)td_block() < td_all.before[%d]) {\n", b->first + b->rows.n);
        else
            print_line(p, t->ctx, "{\n");
        print_body(t, p, i);
    }
    print_line(p, t->ctx, "    }\n}\n");
}

/* ---- the launcher ---- */

/* Fills in a part's row and says how many blocks it has; -1: a length is negative. */
static void print_row(const Together *t, const Printing *p, int i) {
    const Body *b = &t->bodies.at[i];
    Lower *l = b->l;
    print_line(p, t->ctx,
               "static int64_t %s(const short *td_at, void *const *tensors, const int64_t *dims, const double "
               "*scalars, %s_args &args, bool &td_small, bool &td_wide, bool &td_filled) {\n"
               "    (void)td_at, (void)tensors, (void)dims, (void)scalars, (void)td_small, (void)td_wide, "
               "(void)td_filled;\n",
               struct_of(t, i), struct_of(t, i));
    for (int d = 0; d < l->needs.dims.n; d++) {
        Sym name = param_name(l, l->needs.dims.at[d]->name);
        print_line(p, t->ctx, "    const int64_t %p = dims[td_at[%d]];\n    if (%p < 0) return -1;\n", name,
                   l->needs.tensors.n + d, name);
    }
    print_line(p, t->ctx, "    args = {");
    print_arguments(p, l, "td_at");
    print_line(p, t->ctx, "};\n");
    if (b->dispatch.fits) print_line(p, t->ctx, "    td_small = td_small && %c;\n", b->dispatch.fits);
    if (b->dispatch.wide) print_line(p, t->ctx, "    td_wide = td_wide && %c;\n", b->dispatch.wide);
    if (b->dispatch.filled) print_line(p, t->ctx, "    td_filled = td_filled && %c;\n", b->dispatch.filled);
    print_line(p, t->ctx, "    return %c;\n}\n", b->dispatch.blocks);
}

/* Where the launcher finds what the rows of a body have, a line a part. False: a part has none of something. */
static bool print_places(const Together *t, const Printing *p, int i) {
    const Body *b = &t->bodies.at[i];
    const Needs *n = &b->l->needs;
    const int all = n->tensors.n + n->dims.n + n->scalars.n;
    bool ok = true;
    print_line(p, t->ctx, "    static const short td_at_%d[][%d] = {", i + 1, all ? all : 1);
    for (int part = 0; part < b->rows.n; part++) {
        print_line(p, t->ctx, part ? ", {" : "{");
        for (int k = 0; k < all; k++) {
            const int dim = k - n->tensors.n, scalar = dim - n->dims.n;
            const void *own = dim < 0      ? (const void *)tensor_of(b, part, n->tensors.at[k])
                              : scalar < 0 ? (const void *)dim_of(b, part, n->dims.at[dim])
                                           : (const void *)scalar_of(b, part, n->scalars.at[scalar]);
            const int at = !own         ? -1
                           : dim < 0    ? lower_tensor_at(b->l, b->l->k, own)
                           : scalar < 0 ? lower_dim_at(b->l, b->l->k, own)
                                        : lower_scalar_at(b->l, b->l->k, own);
            ok &= at >= 0;
            text_fmt(p->out, "%s%d", k ? ", " : "", at);
        }
        print_line(p, t->ctx, all ? "}" : "0}");
    }
    print_line(p, t->ctx, "};\n");
    return ok;
}

static bool print_launcher(const Together *t, const Printing *p) {
    bool ok = true;
    for (int i = 0; i < t->bodies.n; i++) print_row(t, p, i);
    print_launcher_head(p, t->ctx, t->full, &t->all);
    for (int i = 0; i < t->bodies.n; i++) ok &= print_places(t, p, i);
    print_line(p, t->ctx,
               "    bool td_small = true;\n    bool td_wide = true;\n    bool td_filled = true;\n    int64_t "
               "td_of[%d], td_blocks = 0;\n"
               "    %s_args args;\n",
               t->k->parts.n, t->full);
    for (int i = 0; i < t->bodies.n; i++)
        print_line(p, t->ctx,
                   "    for (int i = 0; i < %d; i++) td_of[%d + i] = %s(td_at_%d[i], tensors, dims, scalars, "
                   "args.of_%d[i], td_small, td_wide, td_filled);\n",
                   t->bodies.at[i].rows.n, t->bodies.at[i].first, struct_of(t, i), i + 1, i + 1);
    print_line(p, t->ctx,
               "    for (int i = 0; i < %d; i++) {\n        if (td_of[i] < 0) return (int)cudaErrorInvalidValue;\n"
               "        args.before[i] = (unsigned)td_blocks;\n        td_blocks += td_of[i];\n    }\n"
               "    args.before[%d] = (unsigned)td_blocks;\n",
               t->k->parts.n, t->k->parts.n);
    print_launch(p, t->ctx, t->k, t->full, &t->all, t->shared);
    return ok;
}

bool lower_together(const Lowering *x, Ctx *ctx, Kernel *k) {
    Together *t = NEW(ctx, Together);
    *t = (Together){.x = x, .ctx = ctx, .k = k, .full = sym_fmt(ctx, "%s_%s", x->o->prefix, kernel_symbol(x->p, k))};
    find_bodies(t);
    if (!lower_bodies(t)) return false;
    const Part **parts = NEW_N(ctx, const Part *, t->bodies.n);
    for (int i = 0; i < t->bodies.n; i++) parts[i] = t->bodies.at[i].l->part;
    const Printing print = {.out = x->out, .index = "I", .prelude = x->o->prelude};
    print_comment(ctx, x->out, k, parts, t->bodies.n, t->full);
    print_structs(t, &print);
    print_head(&print, ctx, k, t->full, &t->all);
    print_bodies(t, &print);
    if (!print_launcher(t, &print)) lower_fail(t->bodies.at[0].l, "a part has no row in the table of its text");
    bool ok = true;
    for (int i = 0; i < t->bodies.n; i++) {
        lower_report_perf(t->bodies.at[i].l);
        ok &= !t->bodies.at[i].l->failed;
    }
    return ok;
}

/* corpus emit SEED MOST HEAD [FAMILY=]FILE.td... [+STORED.tsv...]: for each bench statement of the files a description
 * and the emitted kernels of so many schedules, on stdout, which make.py reads; the prelude that they use goes to HEAD.
 * Of cases that are stored: the fastest again, some of the others, and what is near the fastest.
 * corpus replay [--every | --cases] STORED.tsv...: what today's cost predicts of what is stored (corpus_replay.c).
 * corpus stamp STORED.tsv: the file with the hashes of what is emitted now. */
#include "corpus.h"

#include "ir/diag.h"
#include "ir/interp/interp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const InputSpec *spec_of(const Case *c, const Tensor *t) {
    for (int i = 0; i < c->bench->inputs.n; i++)
        if (c->bench->inputs.at[i].name == t->name) return &c->bench->inputs.at[i];
    return NULL;
}

static bool print_tensor(const Case *c, const Program *p, const Tensor *t, const int64_t *dims, Text *why) {
    static const char *const KINDS[] = {"in", "inout", "out", "temp"};
    int64_t shape[MAX_RANK], n;
    const InputSpec *spec = spec_of(c, t);
    bool zeroed = false, offsets = t->kind == TENSOR_INPUT && type_is_int(t->type) && corpus_is_offsets(c, t);
    double lo = -1, hi = 1;
    if (!interp_shape(p->graph, t, dims, shape, &n, why)) return false;
    for (int i = 0; i < p->zeroed.n; i++) zeroed |= p->zeroed.at[i] == t;
    if (type_is_int(t->type)) lo = 0, hi = t->type == TY_BOOL ? 2 : 8;
    if (spec && spec->uniform) lo = spec->lo, hi = spec->hi;
    printf("tensor %s %s %s %lld %lld %s %.9g %.9g\n", t->name, KINDS[t->kind], type_name(t->type), (long long)n,
           (long long)host_bytes(t->type, n),
           zeroed    ? "zeroed"
           : offsets ? "offsets"
                     : "drawn",
           lo, hi);
    return true;
}

static bool print_tensors(const Case *c, const Program *p, bool params, const int64_t *dims, Text *why) {
    for (int i = params ? 0 : p->params.n; i < p->params.n + p->temps.n; i++)
        if (!print_tensor(c, p, i < p->params.n ? p->params.at[i] : p->temps.at[i - p->params.n], dims, why))
            return false;
    return true;
}

static void print_emitted(const char *origin, int number, double us, const Text *schedule, const Text *out) {
    printf("schedule %d %s %.6g %016llx %zu\n%s\n", number, origin, us, (unsigned long long)corpus_hash(out), out->n,
           schedule->s);
    fwrite(out->s, 1, out->n, stdout);
    putchar('\n');
}

typedef struct Seen {
    VEC(uint64_t) hashes; /* of what is printed */
    const StoredCase *known;
} Seen;

/* A move to what was measured already. */
static bool is_known(const Case *c, const Seen *seen, const Sample *x, uint64_t hash) {
    Sym text = sym_fmt(c->ctx, "%016llx", (unsigned long long)hash);
    for (int i = 0; seen->known && !strcmp(x->origin, "move") && i < seen->known->kernels.n; i++)
        if (!strncmp(text, seen->known->kernels.at[i].hash, strlen(seen->known->kernels.at[i].hash))) return true;
    return false;
}

/* 1: printed; 0: an equal text was; -1: it cannot be made. */
static int print_sample(const Case *c, const Sample *x, Seen *seen, Prelude *prelude, Text *why) {
    Text text = {.ctx = c->ctx}, out = {.ctx = c->ctx};
    Program *p = corpus_program(x->c, x->s, why);
    if (!p || !corpus_emit(&out, p, prelude, why)) return -1;
    uint64_t hash = corpus_hash(&out);
    for (int i = 0; i < seen->hashes.n; i++)
        if (seen->hashes.at[i] == hash) return 0;
    if (is_known(c, seen, x, hash)) return 0;
    if (!seen->hashes.n && !print_tensors(c, p, true, c->dims, why)) return -1;
    vec_push(c->ctx, &seen->hashes, hash);
    corpus_print(&text, x->c, x->s);
    print_emitted(x->origin, seen->hashes.n - 1, x->predicted * 1e6, &text, &out);
    return 1;
}

/* The kernels that were written by hand for the program, where tests/kernels has some. */
static void print_hand(const Case *c, int number, const char *home, Prelude *prelude) {
    Text out = {.ctx = c->ctx}, why = {.ctx = c->ctx}, by = {.ctx = c->ctx};
    Program *p = corpus_hand(c, home, &why);
    int64_t *dims = p ? corpus_dims(c, p) : NULL;
    text_put(&by, "by hand");
    if (!dims || p->ways.n != 1 || p->graph->scalars.n) return;
    printf("hand\n");
    if (!print_tensors(c, p, false, dims, &why) || !corpus_emit(&out, p, prelude, &why)) return;
    print_emitted("hand", number, 0, &by, &out);
}

/* `rows=bench/suite/softmax_1k.td` names it; else it is the file's name. */
static Sym family_of(Ctx *ctx, const char *named) {
    const char *eq = strchr(named, '='), *slash = strrchr(named, '/'), *base = slash ? slash + 1 : named;
    return eq ? sym_n(ctx, named, (size_t)(eq - named)) : sym_n(ctx, base, strcspn(base, "."));
}

typedef struct Emit {
    Prelude *prelude;
    const char *home;
    uint64_t seed;
    int most;
    StoredCases known;
} Emit;

static void emit_samples(const Emit *e, Case *c) {
    Text why = {.ctx = c->ctx};
    Samples all = {0};
    Seen seen = {.known = corpus_stored_case(&e->known, c->graph->name, c->sizes)};
    text_put(&why, "");
    if (seen.known)
        corpus_draw_more(c, seen.known, e->seed, e->most, &all);
    else
        corpus_draw(c, e->seed, e->most, &all);
    for (int i = 0; i < all.n && seen.hashes.n < e->most; i++) {
        why.n = 0;
        if (print_sample(c, &all.at[i], &seen, e->prelude, &why) < 0)
            fprintf(stderr, "corpus: %s, schedule %d: %s\n", c->graph->name, i, why.s);
    }
    print_hand(c, seen.hashes.n, e->home, e->prelude);
}

/* 1: done; 0: there is no nth; -1: failed, said on stderr; -2: so did the file. */
static int emit_case(const Emit *e, const char *named, int nth) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return fputs("corpus: out of memory\n", stderr), -1;
    Case c;
    Text why = {.ctx = ctx};
    const char *eq = strchr(named, '='), *path = eq ? eq + 1 : named;
    int result = 1;
    text_put(&why, "");
    Sym family = family_of(ctx, named);
    if (corpus_open(ctx, &c, e->home, family, path, nth, &why)) {
        printf("case %s %s %s %d\n", c.graph->name, family, c.sizes, c.groups.n);
        emit_samples(e, &c);
    } else {
        result = !c.module ? -2 : why.n ? -1 : 0;
        if (why.n) fprintf(stderr, "corpus: %s, bench %d: %s\n", path, nth, why.s);
    }
    ctx_free(ctx);
    return result;
}

static int emit(const char *home, int argc, char **argv) {
    Ctx *ctx = ctx_new();
    if (argc < 5 || !ctx || CTX_GUARD(ctx)) return 2;
    Emit e = {prelude_new(ctx), home, strtoull(argv[1], NULL, 10), atoi(argv[2]), {0}};
    Text head = {.ctx = ctx}, why = {.ctx = ctx};
    bool failed = false;
    for (int i = 4; i < argc; i++)
        if (argv[i][0] == '+' && !corpus_stored(ctx, argv[i] + 1, &e.known, &why))
            return fprintf(stderr, "corpus: %s\n", why.s), 1;
    for (int i = 4; i < argc; i++)
        for (int nth = 0, r = 1; r && r > -2 && argv[i][0] != '+'; nth++) {
            r = emit_case(&e, argv[i], nth);
            failed |= r < 0;
        }
    FILE *f = fopen(argv[3], "wb");
    lower_head(&head, &(LowerOptions){.prefix = "k", .prelude = e.prelude});
    if (!f || fwrite(head.s, 1, head.n, f) != head.n || fclose(f)) failed = true;
    ctx_free(ctx);
    return failed;
}

int main(int argc, char **argv) {
    const char *home = getenv("TDC_HOME");
    if (!home) home = ".";
    if (argc > 1 && !strcmp(argv[1], "emit")) return emit(home, argc - 1, argv + 1);
    if (argc > 2 && !strcmp(argv[1], "replay")) {
        const bool every = !strcmp(argv[2], "--every"), cases = !strcmp(argv[2], "--cases"), any = every || cases;
        return corpus_replay(home, every, cases, argv + 2 + any, argc - 2 - any);
    }
    if (argc == 3 && !strcmp(argv[1], "stamp")) return corpus_stamp(home, argv[2]);
    fputs("usage: corpus emit SEED MOST HEAD [FAMILY=]FILE.td... [+STORED.tsv...]\n"
          "       corpus replay [--every | --cases] STORED.tsv...\n       corpus stamp STORED.tsv\n",
          stderr);
    return 2;
}

/* Lowering, files: a kernel's head and launcher around the body that lower_kernel.c prints, and the whole file. */
#include "lower_internal.h"

#include "ir/diag.h"
#include "sched/kernel/perf.h"
#include "sched/kernel/same.h"

static bool factor_range(void *user, const Expr *atom, const Expr **lo, const Expr **hi) {
    Lower *l = user;
    if (atom->op == OP_FACTOR) {
        const Factor *f = atom->u.factor;
        *lo = expr_int(l->g, TY_I64, 0);
        *hi = f->count ? expr_map_get(&l->lasts, f) : NULL;
        if (!f->count || *hi) return true;
        *hi = expr2(l->g, OP_SUB, expr_cast(l->g, TY_I64, f->count), expr_int(l->g, TY_I64, 1));
        expr_map_put(l->ctx, &l->lasts, f, *hi);
        return true;
    }
    return false;
}

/* What the kernel's stores define, as the program says it. */
static void put_equations(Lower *l, Text *out, Stage *const *s, int n) {
    enum { LONGEST = 400 };
    for (int i = 0; i < n; i++) {
        put_equations(l, out, s[i]->body.at, s[i]->body.n);
        const Tensor *t = s[i]->kind == STAGE_STORE || s[i]->kind == STAGE_ATOMIC ? s[i]->tensor : NULL;
        for (int k = 0; t && k < t->pieces.n; k++) {
            const Piece *p = &t->pieces.at[k];
            Text e = {.ctx = l->ctx};
            text_fmt(&e, "%s[", t->name);
            for (int d = 0; d < t->rank; d++) {
                if (d) text_put(&e, ", ");
                expr_print(&e, p->subs[d], NULL);
            }
            text_put(&e, "] = ");
            expr_print(&e, p->value, NULL);
            if (p->guard) {
                text_put(&e, " where ");
                expr_print(&e, p->guard, NULL);
            }
            text_fmt(out, "// %.*s%s\n", LONGEST, e.s, e.n > LONGEST ? " ..." : "");
        }
    }
}

static void put_layout_comment(Lower *l, Text *out, const Part *part) {
    for (int k = 0; k < part->layouts.n; k++) {
        const Layout *layout = part->layouts.at[k];
        text_fmt(out, "//   %s%s%s:", part->name ? part->name : "", part->name ? " " : "", layout->name);
        const Axis *last = NULL;
        for (int i = 0; i < layout->factors.n; i++) {
            const Factor *f = layout->factors.at[i];
            if (f->axis != last) text_fmt(out, "%s %s =", last ? ";" : "", f->axis->name);
            last = f->axis;
            text_fmt(out, " %s", bind_text(f->bind));
            if (f->size) text_fmt(out, "(%lld)", (long long)f->size);
        }
        text_char(out, '\n');
    }
    (void)l;
}

/* Of `dims` % mod == 0 what is left to ask of it without its constant factors: their product, and in *mod what the rest
 * must be a multiple of. */
static const Expr *without_constants(const Expr *dims, int64_t *mod) {
    int64_t c;
    while (dims->op == OP_MUL && (expr_is_int(dims->arg[0], &c) || expr_is_int(dims->arg[1], &c))) {
        dims = dims->arg[expr_is_int(dims->arg[0], &c)];
        *mod /= gcd64(*mod, c);
    }
    return dims;
}

static bool has_factor(const Expr *product, const Expr *e) {
    if (product == e) return true;
    return product->op == OP_MUL && (has_factor(product->arg[0], e) || has_factor(product->arg[1], e));
}

/* Whether another condition of the kernel that is reported says this one too. */
static bool is_implied(const Lower *l, int at, const Expr *dims, int64_t mod) {
    for (int i = 0; i < l->conds.n; i++) {
        const AlignCond *c = &l->conds.at[i];
        if (i == at || !c->dims || c->whole) continue;
        int64_t other = c->mod;
        const Expr *e = without_constants(c->dims, &other);
        if (other % mod || !has_factor(dims, e)) continue;
        if (i < at || other != mod || e != dims) return true;
    }
    return false;
}

/* Whether the condition, part of a require, says that mod divides the product: K % 128 == 0. */
static bool says_divisible(const Expr *c, const Expr *dims, int64_t mod) {
    int64_t by, rest;
    if (c->op == OP_AND) return says_divisible(c->arg[0], dims, mod) || says_divisible(c->arg[1], dims, mod);
    if (c->op != OP_EQ || c->arg[0]->op != OP_MOD || !expr_is_int(c->arg[1], &rest) || rest != 0) return false;
    return expr_is_int(c->arg[0]->arg[1], &by) && by % mod == 0 && has_factor(dims, c->arg[0]->arg[0]);
}

static bool is_required(const Lower *l, const Expr *dims, int64_t mod) {
    const Graph *g = l->p->graph;
    for (int i = 0; i < g->facts.n; i++)
        if (g->facts.at[i].require && says_divisible(g->facts.at[i].cond, dims, mod)) return true;
    return false;
}

/* -Wperf: what the kernel could be spared if the source said more of its dimensions. */
static void report_perf(Lower *l) {
    Ctx *ctx = l->p->ctx;
    if (!diag_wants_perf(ctx) || l->k->product) return; /* a library's product runs as a kernel now and then only */
    Span span = perf_place(l->p, l->k);
    for (int i = 0; i < l->conds.n && l->wide; i++) {
        const AlignCond *c = &l->conds.at[i];
        if (!c->dims || c->whole) continue; /* addresses are as the caller allocates them */
        int64_t mod = c->mod;
        const Expr *dims = without_constants(c->dims, &mod);
        if (mod < 2 || is_implied(l, i, dims, mod) || is_required(l, dims, mod)) continue;
        Sym size = dim_text(l, dims, true);
        Diag *d =
            diag_report(ctx, DIAG_PERF_UNALIGNED, span,
                        "a slower variant runs where %s is no multiple of %lld: its rows do not all begin where a "
                        "wide access may",
                        size, (long long)mod);
        if (dims->op == OP_DIM)
            diag_help(ctx, d, "if it always is, say so: dim %s divisible %lld;", dims->u.dim->name, (long long)mod);
        else
            diag_help(ctx, d, "if it always is, say so: require %s %% %lld == 0;", size, (long long)mod);
    }
    if (!l->always64) return;
    Diag *d = diag_report(ctx, DIAG_PERF_WIDE_INDEX, span, "the indices of this kernel take 64 bits");
    diag_help(ctx, d,
              "an index passes 2147483647: with the dimension divided in two, x: f32[M, N], 32 bits are enough");
}

static int place(const void *const *at, int n, const void *what) {
    for (int i = 0; i < n; i++)
        if (at[i] == what) return i;
    return -1;
}

/* Where the launcher finds its arguments: a kernel that several places run has its own order, any other the entry's. */
static int dim_at(const Lower *l, const Dim *d) {
    const KernelForm *f = l->k->shared ? l->k->form : NULL;
    if (f) return place((const void *const *)f->dims, f->ndims, d);
    return place((const void *const *)l->g->dims.at, l->g->dims.n, d);
}

static int scalar_at(const Lower *l, const Scalar *s) {
    const KernelForm *f = l->k->shared ? l->k->form : NULL;
    if (f) return place((const void *const *)f->scalars, f->nscalars + f->npassed, s);
    return place((const void *const *)l->g->scalars.at, l->g->scalars.n, s);
}

static int tensor_at(const Lower *l, const Tensor *t) {
    const KernelForm *f = l->k->shared ? l->k->form : NULL;
    if (f) return place((const void *const *)f->tensors, f->ntensors, t);
    return (int)(intptr_t)expr_map_get(l->tensor_at, t) - 1;
}

static bool writes(Stage *const *at, int n, const Tensor *t) {
    for (int i = 0; i < n; i++) {
        const Stage *s = at[i];
        if (s->counter == t || (s->tensor == t && (s->kind == STAGE_STORE || s->kind == STAGE_ATOMIC))) return true;
        if (writes(s->body.at, s->body.n, t)) return true;
    }
    return false;
}

static bool is_written(const Lower *l, const Tensor *t) {
    for (int i = 0; i < l->k->parts.n; i++)
        if (writes(l->k->parts.at[i]->body.at, l->k->parts.at[i]->body.n, t)) return true;
    return false;
}

/* All conditions of whole vectors alone, or all others; NULL where there are none. */
static Sym wide_text(Lower *l, bool whole) {
    Text t = {.ctx = l->ctx};
    for (int i = 0; i < l->conds.n; i++) {
        const AlignCond *c = &l->conds.at[i];
        if (c->whole != whole) continue;
        if (t.n) text_put(&t, " && ");
        if (c->dims)
            text_fmt(&t, "%s %% %lld == 0", dim_text(l, c->dims, true), (long long)c->mod);
        else if (c->other)
            text_fmt(&t, "((uintptr_t)args.%s - (uintptr_t)args.%s) %% %lld == 0", param_name(l, c->tensor->name),
                     param_name(l, c->other->name), (long long)c->mod);
        else
            text_fmt(&t, "(uintptr_t)args.%s %% %lld == 0", param_name(l, c->tensor->name), (long long)c->mod);
    }
    return t.n ? t.s : NULL;
}

/* The instances of the kernel's text: a row for indices of 32 bits before that of 64, where both are needed; in a row
 * `variants` ones, whole vectors, then cut ones, then narrow accesses. */
static void put_instances(Text *out, Sym full, bool both, int variants) {
    static const int variant[][3] = {{0}, {0}, {1, 0}, {1, 2, 0}};
    text_fmt(out, "static void (*const td_%s_of[])(%s_args) = {\n", full, full);
    for (int big = 0; big <= both; big++)
        for (int i = 0; i < variants; i++) {
            const char *index = big ? "int64_t" : "int", *sep = i ? " " : "    ", *end = i + 1 < variants ? "," : ",\n";
            if (both && variants > 1)
                text_fmt(out, "%s%s<%d, %s>%s", sep, full, variant[variants][i], index, end);
            else if (variants > 1)
                text_fmt(out, "%s%s<%d>%s", sep, full, variant[variants][i], end);
            else
                text_fmt(out, both ? "%s%s<%s>%s" : "%s%s%.0s%s", sep, full, index, end);
        }
    text_put(out, "};\n");
}

static void put_launcher(Lower *l, Text *out, Sym full) {
    bool conds = l->wide && l->conds.n, both = index_dispatched(l);
    Sym fits = both ? index_condition(l) : NULL;
    Sym wide = conds ? wide_text(l, false) : NULL, whole = conds ? wide_text(l, true) : NULL;
    int variants = !conds ? 1 : whole ? 3 : 2;
    put_instances(out, full, both, variants);
    text_fmt(out, "extern \"C\" td_launcher %s_launch;\nextern \"C\" td_preparer %s_prepare;\n", full, full);
    text_fmt(out,
             "extern \"C\" int %s_launch(void *stream, void *const *tensors, const int64_t *dims, const double "
             "*scalars, int *launched) {\n",
             full);
    text_put(out, "    (void)tensors, (void)dims, (void)scalars;\n");
    Text blocks = {.ctx = l->ctx};
    for (int i = 0; i < l->k->parts.n; i++)
        text_fmt(&blocks, "%s%s", i ? " + " : "", dim_text(l, l->k->parts.at[i]->blocks, true));
    for (int i = 0; i < l->dims.n; i++) {
        Dim *d = l->dims.at[i];
        text_fmt(out, "    const int64_t %s = dims[%d];\n    if (%s < 0) return (int)cudaErrorInvalidValue;\n",
                 param_name(l, d->name), dim_at(l, d), param_name(l, d->name));
    }
    text_fmt(out, "    const %s_args args = {", full);
    bool first = true;
    for (int i = 0; i < l->tensors.n; i++, first = false) {
        Tensor *t = l->tensors.at[i];
        text_fmt(out, "%s(%s%s *)tensors[%d]", first ? "" : ", ", is_written(l, t) ? "" : "const ",
                 lower_storage_type(t->type), tensor_at(l, t));
    }
    for (int i = 0; i < l->own_dims.n; i++, first = false)
        text_fmt(out, "%s%s", first ? "" : ", ", param_name(l, l->own_dims.at[i]->name));
    for (int i = 0; i < l->scalars.n; i++, first = false) {
        const Scalar *s = l->scalars.at[i];
        text_fmt(out, "%s(%s)scalars[%d]", first ? "" : ", ", c_type(s->type), scalar_at(l, s));
    }
    text_put(out, "};\n");
    if (fits) text_fmt(out, "    const bool td_small = %s;\n", fits);
    if (conds) text_fmt(out, "    const bool td_wide = %s;\n", wide ? wide : "true");
    if (whole) text_fmt(out, "    const bool td_whole = %s;\n", whole);
    Sym row = !fits ? "" : variants > 1 ? fmt(l, "(td_small ? 0 : %d) + ", variants) : "td_small ? 0 : 1";
    Sym variant = !conds ? fits ? "" : "0" : whole ? "(!td_wide ? 2 : td_whole ? 0 : 1)" : "(td_wide ? 0 : 1)";
    text_fmt(out,
             "    return (int)td_launch(td_%s_of[%s%s], args, %s, %d, %d, %d, launched, (cudaStream_t)stream);\n}\n"
             "extern \"C\" int %s_prepare(void) { return (int)td_prepare(td_%s_of, %d, %d); }\n\n",
             full, row, variant, blocks.s, l->k->threads, l->k->cluster, l->shared_bytes, full, full, l->shared_bytes,
             l->k->cluster);
}

static bool lower_kernel(Text *out, Ctx *ctx, Program *p, int number, const ExprMap *tensor_at, const LowerOptions *o,
                         Text *why) {
    Kernel *k = p->kernels.at[number];
    Lower *l = NEW(ctx, Lower);
    l->ctx = ctx;
    l->p = p;
    l->tensor_at = tensor_at;
    l->g = p->graph;
    l->k = k;
    l->follows = k->follows;
    l->leads = k->leads;
    l->o = o;
    l->why = why;
    l->body.ctx = ctx;
    l->env = (PolyEnv){.g = p->graph, .range = factor_range, .user = l, .ctx = ctx, .made = &l->polys};
    Sym full = fmt(l, "%s_%s", o->prefix, kernel_symbol(p, k));
    l->indent = 1;
    if (k->parts.n > 1) put(l, "int blocks_before = 0;");
    for (int i = 0; i < k->parts.n && !l->failed; i++) {
        l->part = k->parts.at[i];
        if (k->parts.n > 1) {
            Sym blocks = dim_text(l, l->part->blocks, false);
            put(l,
                i == 0               ? "if (td_block() < blocks_before + %s) {"
                : i + 1 < k->parts.n ? "else if (td_block() < blocks_before + %s) {"
                                     : "else {",
                blocks);
            if (i && i + 1 < k->parts.n) fail(l, "more than two parts have no lowering yet");
            l->indent++;
            if (i) {
                Sym before = dim_text(l, k->parts.at[0]->blocks, false);
                put(l, "blocks_before = %s;", before);
            }
        }
        lower_part(l, l->part);
        if (k->parts.n > 1) {
            l->indent--;
            put(l, "}");
        }
    }
    if (l->failed) return false;
    /* the head needs to know what the body used; host counts may use more dimensions */
    Text tail = {.ctx = ctx};
    put_launcher(l, &tail, full);
    size_t before = out->n;
    if (k->comment)
        text_fmt(out, "// %s\n", k->comment);
    else
        for (int i = 0; i < k->parts.n; i++) put_equations(l, out, k->parts.at[i]->body.at, k->parts.at[i]->body.n);
    if (out->n == before) text_fmt(out, "// %s\n", full);
    if (k->shared) text_fmt(out, "// and the same in %d other place%s\n", k->places - 1, k->places > 2 ? "s" : "");
    for (int i = 0; i < k->parts.n; i++) put_layout_comment(l, out, k->parts.at[i]);
    text_fmt(out, "struct %s_args {\n", full);
    for (int i = 0; i < l->tensors.n; i++)
        text_fmt(out, "    %s%s *%s;\n", is_written(l, l->tensors.at[i]) ? "" : "const ",
                 lower_storage_type(l->tensors.at[i]->type), param_name(l, l->tensors.at[i]->name));
    for (int i = 0; i < l->own_dims.n; i++) text_fmt(out, "    int64_t %s;\n", param_name(l, l->own_dims.at[i]->name));
    for (int i = 0; i < l->scalars.n; i++)
        text_fmt(out, "    %s %s;\n", c_type(l->scalars.at[i]->type), param_name(l, l->scalars.at[i]->name));
    text_put(out, "};\n");
    bool variants = l->wide && l->conds.n;
    if (index_dispatched(l))
        text_fmt(out, "template <%sclass I> // %sI: of indices\n", variants ? "int A, " : "",
                 variants ? "A: accesses are 0 narrow, 1 wide, 2 wide with cut ends; " : "");
    else if (variants)
        text_put(out, "template <int A> // accesses are 0 narrow, 1 wide, 2 wide with cut ends\n");
    if (k->blocks_per_sm)
        text_fmt(out,
                 variants ? "__global__ void __launch_bounds__(%d, A ? %d : 1) "
                          : "__global__ void __launch_bounds__(%d, %d) ",
                 k->threads, k->blocks_per_sm);
    else
        text_fmt(out, "__global__ void __launch_bounds__(%d) ", k->threads);
    text_fmt(out, "%s(const __grid_constant__ %s_args arg) {\n", full, full);
    if (l->wide && !l->conds.n) text_put(out, "    constexpr int A = 1; // peeling aligns every access\n");
    Text own = {.ctx = ctx};
    for (int i = 0; i < l->own_dims.n; i++) {
        Dim *d = l->own_dims.at[i];
        text_fmt(&own, "    const I %s = (I)arg.%s;\n", name_of(l, d, d->name), param_name(l, d->name));
    }
    for (int i = 0; i < l->randoms.n; i++) text_fmt(&own, "    td_philox_last %s;\n", l->randoms.at[i]);
    text_put(&own, l->body.s ? l->body.s : "");
    l->body = own;
    prune_unused(l, 0);
    text_put(out, own.s ? index_settle(l, own.s) : "");
    text_put(out, "}\n");
    text_put(out, tail.s);
    report_perf(l);
    return !l->failed;
}

bool lower_program(Text *out, Program *p, const LowerOptions *o, Text *why) {
    bool ok = true;
    Ctx *own = ctx_temp(p->ctx);
    ExprMap tensor_at = {0};
    program_pass_constants(p);
    for (int i = 0; i < p->params.n + p->temps.n; i++) {
        const Tensor *t = i < p->params.n ? p->params.at[i] : p->temps.at[i - p->params.n];
        expr_map_put(own, &tensor_at, t, (const void *)(intptr_t)(i + 1));
    }
    for (int i = 0; i < p->kernels.n && ok; i++) {
        if (p->kernels.at[i]->same) continue;
        Ctx *temp = ctx_temp(p->ctx);
        GraphScratch before = graph_scratch(p->graph, temp);
        ok = lower_kernel(out, temp, p, i, &tensor_at, o, why);
        graph_scratch_end(p->graph, before);
        ctx_temp_end(temp);
    }
    ctx_temp_end(own);
    return ok;
}

void lower_head(Text *out, const Prelude *x, const LowerOptions *o) {
    text_put(out, "// Written by tdc; edit the .td file instead.\n");
    if (o->command) text_fmt(out, "// %s\n", o->command);
    text_put(out, "#include <cuda_runtime.h>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include "
                  "<math.h>\n#include <stdint.h>\n#include <string.h>\n#include <type_traits>\n\n");
    prelude_print(out, x);
    text_char(out, '\n');
}

void lower_file(Text *out, Ctx *ctx, const Text *kernels, const LowerOptions *o) {
    Prelude *x = prelude_new(ctx);
    prelude_uses(x, kernels);
    lower_head(out, x, o);
    text_put_n(out, kernels->s ? kernels->s : "", kernels->n);
}

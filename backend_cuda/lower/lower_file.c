/* Lowering, files: a kernel's statements are made, its barriers put, and all of it printed: comments, arguments, head,
 * body and launcher. What a body turns out to need (Needs) decides its head and its launcher. */
#include "lower_internal.h"

#include "sched/kernel/same.h"
#include "sched/kernel/settled.h"
#include "sched/kernel/sort.h"

static bool factor_range(void *user, const Expr *atom, const Expr **lo, const Expr **hi) {
    Lower *l = user;
    if (atom->op == OP_FACTOR) {
        const Factor *f = atom->u.factor;
        *lo = expr_int(l->g, TY_I64, 0);
        *hi = f->count ? expr_map_get(&l->lasts, f) : NULL;
        if (!f->count || *hi) return true;
        const int64_t beyond = l->lanes && f == kernel_settled_open(l->k) ? SETTLED_BEYOND : 0;
        *hi = expr2(l->g, OP_SUB, expr_cast(l->g, TY_I64, f->count), expr_int(l->g, TY_I64, 1 - beyond));
        expr_map_put(l->ctx, &l->lasts, f, *hi);
        return true;
    }
    return false;
}

/* What the kernel's stores define, as the program says it. */
static void print_equations(Ctx *ctx, Text *out, Stage *const *s, int n) {
    enum { LONGEST = 400 };
    for (int i = 0; i < n; i++) {
        print_equations(ctx, out, s[i]->body.at, s[i]->body.n);
        const Tensor *t = s[i]->kind == STAGE_STORE || s[i]->kind == STAGE_ATOMIC ? s[i]->tensor : NULL;
        for (int k = 0; t && k < t->pieces.n; k++) {
            const Piece *p = &t->pieces.at[k];
            Text e = {.ctx = ctx};
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

static void print_layouts(Text *out, const Part *part) {
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
}

static int index_of(const void *const *at, int n, const void *what) {
    for (int i = 0; i < n; i++)
        if (at[i] == what) return i;
    return -1;
}

/* A kernel that several places run has its own order of arguments, any other the entry's. */
int lower_dim_at(const Lower *l, const Kernel *k, const Dim *d) {
    const KernelForm *f = k->shared ? k->form : NULL;
    if (f) return index_of((const void *const *)f->dims, f->ndims, d);
    return index_of((const void *const *)l->g->dims.at, l->g->dims.n, d);
}

int lower_scalar_at(const Lower *l, const Kernel *k, const Scalar *s) {
    const KernelForm *f = k->shared ? k->form : NULL;
    if (f) return index_of((const void *const *)f->scalars, f->nscalars + f->npassed, s);
    return index_of((const void *const *)l->g->scalars.at, l->g->scalars.n, s);
}

int lower_tensor_at(const Lower *l, const Kernel *k, const Tensor *t) {
    const KernelForm *f = k->shared ? k->form : NULL;
    if (f) return index_of((const void *const *)f->tensors, f->ntensors, t);
    return (int)expr_map_number(l->tensor_at, t, -1);
}

static bool writes(Stage *const *at, int n, const Tensor *t) {
    for (int i = 0; i < n; i++) {
        const Stage *s = at[i];
        if (s->counter == t || (s->tensor == t && (s->kind == STAGE_STORE || s->kind == STAGE_ATOMIC))) return true;
        if (writes(s->body.at, s->body.n, t)) return true;
    }
    return false;
}

bool lower_writes(const Kernel *k, const Tensor *t) {
    for (int i = 0; i < k->parts.n; i++)
        if (writes(k->parts.at[i]->body.at, k->parts.at[i]->body.n, t)) return true;
    return false;
}

/* ---- the launcher ---- */

/* All conditions under which accesses are wide and no vector is cut. */
static const Code *wide_condition(Lower *l) {
    const Code *r = NULL;
    for (int i = 0; i < l->needs.conds.n; i++) {
        const AlignCond *c = &l->needs.conds.at[i];
        const Code *what;
        if (c->dims)
            what = dim_code(l, c->dims, true);
        else if (c->other)
            what = code(l->ctx, "((uintptr_t)args.%p - (uintptr_t)args.%p)", param_name(l, c->tensor->name),
                        param_name(l, c->other->name));
        else
            what = code(l->ctx, "(uintptr_t)args.%p", param_name(l, c->tensor->name));
        r = code_join(l->ctx, r, " && ", code(l->ctx, "%c %% %l == 0", what, c->mod));
    }
    return r;
}

Dispatch lower_dispatch(Lower *l) {
    Dispatch d = {.fits = index_dispatched(l) ? index_condition(l) : NULL,
                  .wide = l->needs.wide ? wide_condition(l) : NULL,
                  .filled = l->needs.filled,
                  .often_narrow = l->needs.divmods.n > 0};
    for (int i = 0; i < l->needs.conds.n && d.wide; i++) d.often_narrow |= l->needs.conds.at[i].dims != NULL;
    d.only_last = l->k->product && (d.fits || d.wide);
    if (d.fits || d.wide) lower_general(l, &d);
    d.blocks = dim_code(l, l->part->blocks, true);
    if (l->settled) {
        const Code *count = dim_code(l, kernel_settled_count(l->p, l->settled), true);
        d.threads = code(l->ctx, "(int)(%c) * %d", count, l->settled->tid_stride);
    }
    if (l->lanes)
        d.blocks =
            code(l->ctx, "td_lane_blocks(%c, %c)", d.blocks, dim_code(l, kernel_settled_needs(l->p, l->lanes), true));
    return d;
}

/* Instances beside the first: for indices that are too large for an int, which are rare, and for lengths and addresses
 * that are not those of vectors; one for both where it is addresses alone that are odd, and where there are no
 * quotients, which take long of 64 bits (a layer norm of short rows, element by element, is compiled to 504
 * instructions for ints and to 640 for 64 bits). */
static bool has_large(const Dispatch *d) { return d->fits && !d->general; }
static bool has_narrow(const Dispatch *d) { return d->wide && !d->instead && (d->often_narrow || !has_large(d)); }

static void print_instance(const Printing *p, Ctx *ctx, Sym full, const Dispatch *d, bool wide, bool fits,
                           bool filled) {
    const char *before = "";
    print_line(p, ctx, " %s", full);
    if (d->fits || d->wide || d->filled) text_char(p->out, '<');
    if (d->wide) print_line(p, ctx, "%d", wide), before = ", ";
    if (d->fits) print_line(p, ctx, "%s%s", before, fits ? "int" : "int64_t"), before = ", ";
    if (d->filled) print_line(p, ctx, "%s%s", before, filled ? "true" : "false");
    text_put(p->out, d->fits || d->wide || d->filled ? ">," : ",");
}

/* The instances of the kernel's text: that for lengths that fill the registers, that for what is common, those for all
 * else. One where nothing is left to be settled, or all but the last are for what a library runs. */
static void print_instances(const Printing *p, Ctx *ctx, Sym full, const Dispatch *d) {
    print_line(p, ctx, "static void (*const td_%s_of[])(%s_args) = {\n   ", full, full);
    if (d->filled && !d->only_last) print_instance(p, ctx, full, d, true, true, true);
    if (!d->only_last) print_instance(p, ctx, full, d, true, true, false);
    if (has_narrow(d) && !(d->only_last && has_large(d))) print_instance(p, ctx, full, d, false, true, false);
    if (has_large(d)) print_instance(p, ctx, full, d, false, false, false);
    text_put(p->out, "\n};\n");
}

/* What holds unless another kernel runs instead. */
const char *lower_common_case(const Dispatch *d) {
    return !d->instead || !d->wide ? "td_small" : d->fits ? "td_small && td_wide" : "td_wide";
}

/* Which of them is launched. */
static void print_choice(const Printing *p, const Dispatch *d) {
    const int last = d->filled ? 2 : 1;
    const bool large = has_large(d), narrow = has_narrow(d);
    const char *common = narrow ? "td_wide" : d->wide && !d->instead ? "td_small && td_wide" : "td_small";
    if (d->only_last) {
        text_put(p->out, "0");
        return;
    }
    if (large && narrow)
        text_fmt(p->out, "(!td_small ? %d : !td_wide ? %d : ", last + 1, last);
    else if ((large || narrow) && d->filled)
        text_fmt(p->out, "(!(%s) ? %d : ", common, last);
    else if (large || narrow)
        text_fmt(p->out, "(%s ? 0 : 1)", common);
    if (d->filled)
        text_put(p->out, large || narrow ? "td_filled ? 0 : 1)" : "(td_filled ? 0 : 1)");
    else if (large && narrow)
        text_put(p->out, "0)");
    else if (!large && !narrow)
        text_put(p->out, "0");
}

/* The elements of the arguments' struct. at: a table that says where each is among the launcher's; NULL: l does. */
void print_arguments(const Printing *p, Lower *l, const char *at) {
    const char *sep = "";
    int n = 0;
    for (int i = 0; i < l->needs.tensors.n; i++, sep = ", ") {
        Tensor *t = l->needs.tensors.at[i];
        print_line(p, l->ctx, "%s(%s%s *)tensors[", sep, lower_writes(l->whole, t) ? "" : "const ",
                   lower_storage_type(t->type));
        if (at)
            text_fmt(p->out, "%s[%d]]", at, n++);
        else
            text_fmt(p->out, "%d]", lower_tensor_at(l, l->k, t));
    }
    n += l->needs.dims.n;
    for (int i = 0; i < l->needs.own_dims.n; i++, sep = ", ")
        print_line(p, l->ctx, "%s%p", sep, param_name(l, l->needs.own_dims.at[i]->name));
    for (int i = 0; i < l->needs.scalars.n; i++, sep = ", ") {
        const Scalar *s = l->needs.scalars.at[i];
        print_line(p, l->ctx, "%s(%s)scalars[", sep, lower_value_type(s->type));
        if (at)
            text_fmt(p->out, "%s[%d]]", at, n++);
        else
            text_fmt(p->out, "%d]", lower_scalar_at(l, l->k, s));
    }
    for (int i = 0; i < l->needs.divmods.n; i++, sep = ", ")
        print_line(p, l->ctx, "%std_divmod_of(%c)", sep, l->needs.divmods.at[i].host);
    if (l->lanes)
        print_line(p, l->ctx, "%std_lane_bits(%c)", sep, dim_code(l, kernel_settled_needs(l->p, l->lanes), true));
}

/* The head of a launcher, and what says that there is one. */
void print_launcher_head(const Printing *p, Ctx *ctx, Sym full, const Dispatch *d) {
    print_instances(p, ctx, full, d);
    if (d->general) print_line(p, ctx, "extern \"C\" td_launcher %s_launch;\n", d->general);
    print_line(p, ctx, "extern \"C\" td_launcher %s_launch;\nextern \"C\" td_preparer %s_prepare;\n", full, full);
    print_line(p, ctx,
               "extern \"C\" int %s_launch(void *stream, void *const *tensors, const int64_t *dims, const double "
               "*scalars, int *launched) {\n    (void)tensors, (void)dims, (void)scalars;\n",
               full);
}

/* And its end, where all arguments are there. */
void print_launch(const Printing *p, Ctx *ctx, const Kernel *k, Sym full, const Dispatch *d, int shared) {
    if (d->general) print_line(p, ctx, "    if (!(%s)) %s\n", lower_common_case(d), d->general_call);
    print_line(p, ctx, "    return (int)td_launch(td_%s_of[", full);
    print_choice(p, d);
    const Code *threads = d->threads ? d->threads : code(ctx, "%d", k->threads);
    print_line(p, ctx, "], args, %c, %c, %d, %d, launched, (cudaStream_t)stream);\n}\n", d->blocks, threads, k->cluster,
               shared);
    print_line(p, ctx, "extern \"C\" int %s_prepare(void) { return (int)td_prepare(td_%s_of, %d, %d); }\n\n", full,
               full, shared, k->cluster);
}

static void print_launcher(const Printing *p, Lower *l, Sym full, const Dispatch *d) {
    print_launcher_head(p, l->ctx, full, d);
    for (int i = 0; i < l->needs.dims.n; i++) {
        Sym name = param_name(l, l->needs.dims.at[i]->name);
        print_line(p, l->ctx, "    const int64_t %p = dims[%d];\n    if (%p < 0) return (int)cudaErrorInvalidValue;\n",
                   name, lower_dim_at(l, l->k, l->needs.dims.at[i]), name);
    }
    print_line(p, l->ctx, "    const %s_args args = {", full);
    print_arguments(p, l, NULL);
    print_line(p, l->ctx, "};\n");
    if (d->fits && !d->only_last) print_line(p, l->ctx, "    const bool td_small = %c;\n", d->fits);
    if (d->wide && !d->only_last) print_line(p, l->ctx, "    const bool td_wide = %c;\n", d->wide);
    if (d->filled && !d->only_last) print_line(p, l->ctx, "    const bool td_filled = %c;\n", d->filled);
    print_launch(p, l->ctx, l->k, full, d, l->needs.shared_bytes);
}

/* ---- the kernel ---- */

/* What stands above a kernel: what it computes, and how its axes are divided. */
void print_comment(Ctx *ctx, Text *out, const Kernel *k, const Part *const *parts, int n, Sym full) {
    size_t before = out->n;
    if (k->comment)
        text_fmt(out, "// %s\n", k->comment);
    else
        for (int i = 0; i < n; i++) print_equations(ctx, out, parts[i]->body.at, parts[i]->body.n);
    if (out->n == before) text_fmt(out, "// %s\n", full);
    if (k->parts.n > n)
        text_fmt(out, "// and the same of other tensors in %d part%s\n", k->parts.n - n, k->parts.n - n > 1 ? "s" : "");
    if (k->shared) text_fmt(out, "// and the same in %d other place%s\n", k->places - 1, k->places > 2 ? "s" : "");
    for (int i = 0; i < n; i++) print_layouts(out, parts[i]);
}

void print_struct(const Printing *p, Lower *l, Sym full) {
    print_line(p, l->ctx, "struct %s_args {\n", full);
    for (int i = 0; i < l->needs.tensors.n; i++) {
        const Tensor *t = l->needs.tensors.at[i];
        print_line(p, l->ctx, "    %s%s *%p;\n", lower_writes(l->whole, t) ? "" : "const ", lower_storage_type(t->type),
                   param_name(l, t->name));
    }
    for (int i = 0; i < l->needs.own_dims.n; i++)
        print_line(p, l->ctx, "    int64_t %p;\n", param_name(l, l->needs.own_dims.at[i]->name));
    for (int i = 0; i < l->needs.scalars.n; i++)
        print_line(p, l->ctx, "    %s %p;\n", lower_value_type(l->needs.scalars.at[i]->type),
                   param_name(l, l->needs.scalars.at[i]->name));
    for (int i = 0; i < l->needs.divmods.n; i++) print_line(p, l->ctx, "    td_divmod td_by_%d;\n", i + 1);
    if (l->lanes)
        print_line(p, l->ctx,
                   "    int td_lane_bits; // a row has 1 << so many lanes, and a warp's others have other rows\n");
    print_line(p, l->ctx, "};\n");
}

void print_head(const Printing *p, Ctx *ctx, const Kernel *k, Sym full, const Dispatch *d) {
    const char *filled = d->filled ? ", bool F" : "",
               *what = d->filled ? "; F: all registers but the last are inside" : "";
    if (d->fits && d->wide)
        print_line(p, ctx,
                   "template <int A, class I%s> // A: accesses are 1 wide, 0 as addresses allow; I: of indices%s\n",
                   filled, what);
    else if (d->fits)
        print_line(p, ctx, "template <class I%s> // I: of indices%s\n", filled, what);
    else if (d->wide)
        print_line(p, ctx, "template <int A%s> // accesses are 1 wide, 0 as addresses allow%s\n", filled, what);
    else if (d->filled)
        text_put(p->out, "template <bool F> // all registers but the last are inside\n");
    if (k->blocks_per_sm)
        print_line(p, ctx,
                   d->wide ? "__global__ void __launch_bounds__(%d, A ? %d : 1) "
                           : "__global__ void __launch_bounds__(%d, %d) ",
                   k->threads, k->blocks_per_sm);
    else
        print_line(p, ctx, "__global__ void __launch_bounds__(%d) ", k->threads);
    print_line(p, ctx, "%s(const __grid_constant__ %s_args %s) {\n", full, full, k->parts.n > 1 ? "td_all" : "arg");
}

/* ---- bodies ---- */

/* The body with what its own needs put before it. */
void lower_statements(Lower *l, StmtList *body) {
    StmtList parts = {0};
    l->open.list = &parts;
    lower_part(l, l->k->parts.at[0]);
    if (l->failed) return;
    stmt_sync(l->ctx, &parts, l->needs.regions.n, lower_barrier_scope(l));
    l->open.list = body;
    for (int i = 0; i < l->needs.own_dims.n; i++) {
        Dim *d = l->needs.own_dims.at[i];
        put_number(l, "I", name_of(l, d, d->name), code(l->ctx, "(I)arg.%p", param_name(l, d->name)));
    }
    for (int i = 0; i < l->needs.randoms.n; i++) put_declare(l, "td_philox_last", l->needs.randoms.at[i].name, "");
    put_all(l, &parts);
    stmt_prune(l->ctx, body);
}

Lower *lower_new(const Lowering *x, Ctx *ctx, Kernel *k, Kernel *whole) {
    Lower *l = NEW(ctx, Lower);
    *l = (Lower){.ctx = ctx, .p = x->p, .tensor_at = x->tensor_at, .g = x->p->graph, .o = x->o, .why = x->why};
    l->k = k;
    l->whole = whole;
    l->part = k->parts.at[0];
    l->settled = whole == k ? kernel_settled(k) : NULL; /* parts have all the threads of their kernel */
    l->lanes = whole == k ? kernel_settled_lanes(k) : NULL;
    l->follows = whole->follows;
    l->leads = whole->leads;
    l->env = (PolyEnv){.g = l->g, .range = factor_range, .user = l, .ctx = ctx, .made = &l->polys};
    return l;
}

static bool lower_kernel(const Lowering *x, Ctx *ctx, Kernel *k) {
    Lower *l = lower_new(x, ctx, k, k);
    Sym full = sym_fmt(ctx, "%s_%s", x->o->prefix, kernel_symbol(x->p, k));
    StmtList body = {0};
    lower_statements(l, &body);
    if (l->failed) return false;
    Dispatch dispatch = lower_dispatch(l);
    const Printing print = {.out = x->out, .index = index_type(l), .prelude = x->o->prelude};
    print_comment(ctx, x->out, k, (const Part *const *)k->parts.at, 1, full);
    print_struct(&print, l, full);
    print_head(&print, ctx, k, full, &dispatch);
    if (l->needs.wide && !dispatch.wide) text_put(x->out, "    constexpr int A = 1; // peeling aligns every access\n");
    print_list(&print, &body, 1);
    text_put(x->out, "}\n");
    print_launcher(&print, l, full, &dispatch);
    lower_report_perf(l);
    return !l->failed;
}

/* ---- sorts ---- */

/* The function of a rank: the prelude's, for keys of this type. */
static void lower_rank(Text *out, Program *p, const SortStep *s, const LowerOptions *o) {
    const Printing print = {.out = out, .prelude = o->prelude};
    const char *keys = lower_storage_type(s->sort.keys->type);
    Sym full = sym_fmt(out->ctx, "%s_%s", o->prefix, sort_symbol(p, s));
    print_line(&print, out->ctx, "// %s: the order of the rows of %s, %s\n", s->sort.order->name, s->sort.keys->name,
               sort_direction(&s->sort));
    print_line(&print, out->ctx, "extern \"C\" td_ranker %s_launch;\n", full);
    print_line(&print, out->ctx,
               "extern \"C\" int %s_launch(void *stream, const void *keys, int64_t rows, int64_t n, int64_t kept, void "
               "*order, void *scratch, int *launched) {\n",
               full);
    print_line(
        &print, out->ctx,
        "    return (int)td_rank<%s, %d, %d, %d, %d, %d, %d, %d, %d>((const %s *)keys, rows, n, kept, %s, (int32_t "
        "*)order, (uint32_t *)scratch, launched, (cudaStream_t)stream);\n}\n\n",
        keys, RANK_ROW, RANK_KEPT, RANK_PART, RANK_BLOCKS, RANK_MERGED, RANK_TILE, RANK_WARPS,
        rank_may_find(&s->sort) ? RANK_FEW : 0, keys, s->sort.descending ? "true" : "false");
}

/* The one function of a sort: the prelude's, for keys of this type. */
static void lower_sort(Text *out, Program *p, const SortStep *s, const LowerOptions *o) {
    const Printing print = {.out = out, .prelude = o->prelude};
    const char *keys = lower_storage_type(s->sort.keys->type);
    Sym full = sym_fmt(out->ctx, "%s_%s", o->prefix, sort_symbol(p, s));
    if (s->sort.ascends)
        print_line(&print, out->ctx, "// %s: where each number begins in %s, which ascends\n", s->sort.starts->name,
                   s->sort.keys->name);
    else
        print_line(&print, out->ctx, "// %s, %s: the order of %s\n", s->sort.order ? s->sort.order->name : "no order",
                   s->sort.starts->name, s->sort.keys->name);
    print_line(&print, out->ctx, "extern \"C\" td_sorter %s_launch;\n", full);
    print_line(&print, out->ctx,
               "extern \"C\" int %s_launch(void *stream, const void *keys, int64_t n, int64_t below, void *order, "
               "void *starts, void *scratch, int *launched) {\n",
               full);
    const SortFew *f = sort_few_of_all(o->targets);
    if (s->sort.ascends)
        print_line(&print, out->ctx,
                   "    (void)order, (void)scratch;\n    return (int)td_find((const %s *)keys, n, below, (int32_t "
                   "*)starts, launched, (cudaStream_t)stream);\n}\n\n",
                   keys);
    else if (s->sort.order)
        print_line(&print, out->ctx,
                   "    return (int)td_sort<%s, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d>((const %s *)keys, n, below, "
                   "(int32_t *)order, (int32_t *)starts, (uint32_t *)scratch, launched, (cudaStream_t)stream);\n}\n\n",
                   keys, SORT_DIGIT, SORT_TILE, SORT_WARPS, SORT_COUNTERS, f->digit, f->keys, f->warps, f->blocks,
                   f->found, SORT_GAPS, keys);
    else
        print_line(
            &print, out->ctx,
            "    (void)order;\n    return (int)td_counts<%s, %d, %d>((const %s *)keys, n, below, (int32_t *)starts, "
            "(uint32_t *)scratch, launched, (cudaStream_t)stream);\n}\n\n",
            keys, SORT_COUNTERS, SORT_SUMS, keys);
}

bool lower_program(Text *out, Program *p, const LowerOptions *o, Text *why) {
    bool ok = true;
    Ctx *own = ctx_temp(p->ctx);
    ExprMap tensor_at = {0};
    program_pass_constants(p);
    for (int i = 0; i < p->params.n + p->temps.n; i++) {
        const Tensor *t = i < p->params.n ? p->params.at[i] : p->temps.at[i - p->params.n];
        expr_map_put_number(own, &tensor_at, t, i);
    }
    const Lowering x = {.out = out, .p = p, .tensor_at = &tensor_at, .o = o, .why = why};
    for (int i = 0; i < p->sorts.n; i++)
        (sort_ranks(&p->sorts.at[i]->sort) ? lower_rank : lower_sort)(out, p, p->sorts.at[i], o);
    for (int i = 0; i < p->kernels.n && ok; i++) {
        if (p->kernels.at[i]->same) continue;
        Ctx *temp = ctx_temp(p->ctx);
        GraphScratch before = graph_scratch(p->graph, temp);
        ok = (p->kernels.at[i]->parts.n > 1 ? lower_together : lower_kernel)(&x, temp, p->kernels.at[i]);
        graph_scratch_end(p->graph, before);
        ctx_temp_end(temp);
    }
    ctx_temp_end(own);
    return ok;
}

void lower_head(Text *out, const LowerOptions *o) {
    text_put(out, "// Written by tdc; edit the .td file instead.\n");
    if (o->command) text_fmt(out, "// %s\n", o->command);
    text_put(out, "#include <cuda_runtime.h>\n#include <math.h>\n#include <stdint.h>\n#include <string.h>\n#include "
                  "<type_traits>\n\n");
    prelude_print(out, o->prelude);
    text_char(out, '\n');
}

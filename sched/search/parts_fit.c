/* Where it is quicker that kernels are parts of one launch: see parts.h.
 *
 * A launch is spared, and blocks of one part fill what is left of the last wave of another. What that costs is that all
 * parts have the registers, the shared memory and the number of threads of one kernel: the largest, and the same. The
 * judge weighs both at some sizes, but not at those that a condition or a kernel excludes. */
#include "parts.h"

#include "apply.h"
#include "climb.h"
#include "ir/interp/interp.h"
#include "ir/expr_is.h"
#include "ir/expr_walk.h"
#include "judge.h"
#include "sched/kernel/same.h"
#include "sched/kernel/settled.h"

#include <math.h>
#include <string.h>

static const double UNSEEN = 1e-9;
static const double MOST_LOST = 1.25; /* at any size: times what the launches take by themselves */
enum {
    MOST_SIZES = MAX_POINTS, /* of a group */
    MOST_ARGUMENTS = 4000,   /* bytes: a launch has 4096 */
    LEAST_ARGUMENTS = 4
};

static Found count_quotients(const Expr *e, void *n) {
    int64_t by;
    if ((e->op == OP_DIV || e->op == OP_MOD) && e->type == TY_I64 && !expr_is_int(e->arg[1], &by)) ++*(int *)n;
    return FOUND_INSIDE;
}

static void find_quotients(Stage *const *at, int n, int *count) {
    for (int i = 0; i < n; i++) {
        for (int d = 0; at[i]->tensor && d < at[i]->tensor->rank; d++)
            expr_visit(at[i]->subs[d], count_quotients, count);
        for (int k = 0; k < MAX_PARTS; k++)
            if (at[i]->expr[k]) expr_visit(at[i]->expr[k], count_quotients, count);
        if (at[i]->cond) expr_visit(at[i]->cond, count_quotients, count);
        find_quotients(at[i]->body.at, at[i]->body.n, count);
    }
}

/* What it is given: addresses, lengths, scalars, and of divisors what dividing by them takes, those of its blocks'
 * numbers, too. */
static int argument_bytes(const Uniting *x, const Kernel *k, Work *w) {
    enum { WORD = 8, DIVISOR = 16, NUMBER = 4 };
    KernelForm f = {0};
    const Part *part = k->parts.at[0];
    int divisors = part->axes.n - 1;
    w->form = kernel_form(x->temp, x->p, k, &f);
    if (!w->form) return MOST_ARGUMENTS;
    kernel_of_part(x->temp, x->p, k, 0, &f, &w->text);
    find_quotients(part->body.at, part->body.n, &divisors);
    if (!f.ndims) divisors = 0;
    return WORD * (f.ntensors + f.ndims + f.nscalars) + DIVISOR * divisors + NUMBER;
}

/* What it is as a part; false: that is not known, or nothing is. */
static bool find_part(const Uniting *x, Work *w) {
    w->part = w->features;
    if (w->features && w->features->lanes >= 0)
        w->part = climb_part_features(program_new(x->temp, x->p->graph), w->group, w->schedule, x->temp);
    return w->part != NULL;
}

bool parts_work(const Uniting *x, Kernel *k, Work *w) {
    const Part *part = k->parts.n == 1 ? k->parts.at[0] : NULL;
    if (!part || !part->group || !part->schedule || k->product || k->cluster > 1) return false;
    if (kernel_settled(k)) return false; /* beside others it would have all of its threads */
    *w = (Work){.group = (Group *)part->group,
                .schedule = (Schedule *)part->schedule,
                .threads = k->threads,
                .from = k,
                .fixed = k->span.file >= 0};
    w->features = climb_features(program_new(x->temp, x->p->graph), w->group, w->schedule, x->temp);
    if (!find_part(x, w)) return false;
    w->judged = NEW(x->temp, ExprMap);
    w->arguments = argument_bytes(x, k, w);
    return true;
}

/* ---- sizes ---- */

static bool same_sizes(const Graph *g, const Sizes *a, const Sizes *b) {
    bool same = a->n == b->n;
    for (int i = 0; i < a->n && same; i++)
        same = a->weight[i] == b->weight[i] && !memcmp(a->dims[i], b->dims[i], sizeof(int64_t) * (size_t)g->dims.n);
    return same;
}

static const Sizes *sizes_of(Uniting *x, const Group *gr) {
    Sizes *s = expr_map_object(&x->points, gr);
    if (s) return s;
    const Points *all = points_of(gr, x->temp);
    s = NEW(x->temp, Sizes);
    s->dims = NEW_N(x->temp, int64_t *, MOST_SIZES + 1);
    s->weight = NEW_N(x->temp, double, MOST_SIZES + 1);
    for (int i = 0; i < all->nlikely && s->n < MOST_SIZES; i++) {
        s->dims[s->n] = all->dims[i];
        s->weight[s->n++] = all->weight[i];
    }
    int known = 0;
    while (known < x->sizes.n && !same_sizes(x->p->graph, s, x->sizes.at[known])) known++;
    if (known == x->sizes.n) vec_push(x->temp, &x->sizes, s);
    s = x->sizes.at[known];
    expr_map_put_object(x->temp, &x->points, gr, s);
    return s;
}

static bool holds(const Uniting *x, const Expr *cond, const int64_t *dims) {
    int64_t v = 0;
    return !cond || (interp_int(x->p->graph, cond, dims, NULL, &v) && v);
}

/* The case that is taken there; NULL: the sizes do not come to it, or its kernel is not for them. */
static const Bundle *taken(const Uniting *x, const Item *a, const int64_t *dims) {
    for (int i = 0; i < x->around.n; i++)
        if (holds(x, x->around.at[i].cond, dims) != x->around.at[i].holds) return NULL;
    const Bundle *b = NULL;
    for (int i = 0; i < a->cases.n && !b; i++)
        if (holds(x, a->cases.at[i].when, dims)) b = &a->cases.at[i];
    for (int i = 0; b && i < b->works.n; i++) {
        const Kernel *k = b->works.at[i].from;
        for (int w = 0; w < k->where.n; w++)
            if (!holds(x, k->where.at[w], dims)) return NULL;
    }
    return b;
}

/* What a work takes at some sizes, as long as its kernel has so much. */
typedef struct Judged {
    double registers, shared;
    const Features *of;
    JudgeTaken taken;
} Judged;

static const JudgeTaken *taken_of(const Uniting *x, const Work *w, Features *f, const int64_t *dims, double registers,
                                  double shared) {
    Judged *j = expr_map_object(w->judged, dims);
    if (j && j->of == f && j->registers == registers && j->shared == shared) return &j->taken;
    if (!j) expr_map_put_object(x->temp, w->judged, dims, j = NEW(x->temp, Judged));
    j->registers = registers;
    j->shared = shared;
    j->of = f;
    judge_part(f, x->machine, dims, registers, shared, &j->taken);
    return &j->taken;
}

static double seconds_of(const Uniting *x, const Bundle *b, const int64_t *dims, JudgeParts *parts) {
    const JudgeTaken *few[MOST_ARGUMENTS / LEAST_ARGUMENTS];
    double registers = 0, shared = 0;
    Features *as[MOST_ARGUMENTS / LEAST_ARGUMENTS];
    for (int i = 0; i < b->works.n; i++) {
        Features *f = as[i] = b->works.n > 1 ? b->works.at[i].part : b->works.at[i].features;
        registers = fmax(registers, judge_registers(f, x->machine));
        shared = fmax(shared, f->shared);
    }
    for (int i = 0; i < b->works.n; i++) few[i] = taken_of(x, &b->works.at[i], as[i], dims, registers, shared);
    return judge_together(few, b->works.n, x->machine, parts);
}

double parts_tensor_bytes(Uniting *x, const Item *of, const Tensor *t) {
    const Sizes *s = sizes_of(x, of->cases.at[0].works.at[0].group);
    int64_t shape[MAX_RANK], n;
    Text why = {.ctx = x->temp};
    if (!interp_shape(x->p->graph, t, s->dims[0], shape, &n, &why)) return INFINITY;
    return (double)n * type_bits(t->type) / 8;
}

double parts_moved(Uniting *x, const Item *a) {
    const Sizes *s = sizes_of(x, a->cases.at[0].works.at[0].group);
    const Bundle *b = taken(x, a, s->dims[0]);
    JudgeParts p;
    if (!b) return 0;
    seconds_of(x, b, s->dims[0], &p);
    return p.bytes;
}

/* ---- what is gained ---- */

typedef struct Gain {
    double sum, weight, worst; /* of logarithms of what the launches take by themselves to what they take together */
} Gain;

static void weigh(Uniting *x, Gain *g, const Sizes *at, const Item *a, const Item *b, const Item *both) {
    const double chained = x->machine->launch - x->machine->chained; /* of the second launch */
    for (int i = 0; i < at->n; i++) {
        const Bundle *one = taken(x, a, at->dims[i]), *two = taken(x, b, at->dims[i]),
                     *all = taken(x, both, at->dims[i]);
        if (!one || !two || !all) continue;
        const double apart = seconds_of(x, one, at->dims[i], NULL) + seconds_of(x, two, at->dims[i], NULL) - chained;
        const double gain = log(apart / seconds_of(x, all, at->dims[i], NULL));
        g->sum += at->weight[i] * gain;
        g->weight += at->weight[i];
        if (gain < g->worst) g->worst = gain;
    }
}

/* As a mean over the sizes; at most 0: nothing. Where none of them come a launch is spared that nobody may see. */
static double gain_of(Uniting *x, const Item *a, const Item *b, const Item *both) {
    Gain g = {0};
    const Sizes *one = sizes_of(x, a->cases.at[0].works.at[0].group);
    const Sizes *two = sizes_of(x, b->cases.at[0].works.at[0].group);
    if (x->random) return 1;
    weigh(x, &g, one, a, b, both);
    if (two != one) weigh(x, &g, two, a, b, both);
    if (!(g.weight > 0)) return UNSEEN;
    return g.worst < -log(MOST_LOST) || isnan(g.sum) ? 0 : g.sum / g.weight;
}

/* ---- threads ---- */

/* One more schedule of the same group with that many threads, if it is legal as far as the first one is. */
typedef struct Threads {
    Uniting *x;
    const Work *of;
    int want;
    Work best;
    double seconds; /* the mean of logarithms, of the best */
} Threads;

static void consider(Threads *t, const Schedule *s) {
    Uniting *x = t->x;
    Group *gr = t->of->group;
    int64_t most[MAX_GROUP_AXES], old[MAX_GROUP_AXES];
    const SchedLimits limits = versions_limits(x->targets);
    if (!sched_legal(gr, s, &limits, most, NULL) || !schedule_legal_within(gr, t->of->schedule, old, NULL)) return;
    for (int a = 0; a < gr->axes.n; a++)
        if (most[a] < old[a]) return;
    Features *f = climb_features(program_new(x->temp, x->p->graph), gr, s, x->temp);
    if (!f || f->threads != t->want) return;
    const Sizes *at = sizes_of(x, gr);
    double sum = 0;
    for (int i = 0; i < at->n; i++) sum += at->weight[i] * log(judge_seconds(f, x->machine, at->dims[i], NULL, NULL));
    if (!(sum < t->seconds)) return;
    Work best = {.group = gr, .features = f, .schedule = (Schedule *)s};
    if (!find_part(x, &best)) return;
    t->seconds = sum;
    t->best = (Work){.group = gr,
                     .features = f,
                     .part = best.part,
                     .judged = NEW(x->temp, ExprMap),
                     .threads = t->want,
                     .schedule = schedule_keep(x->p->ctx, s),
                     .arguments = t->of->arguments,
                     .form = t->of->form,
                     .text = t->of->text,
                     .from = t->of->from,
                     .made = true};
}

static bool is_warps(const Schedule *s) {
    for (int a = 0; a < s->naxes; a++)
        for (int i = 0; i < s->axis[a].n; i++)
            if (s->axis[a].f[i].bind == BIND_WARP || s->axis[a].f[i].bind == BIND_LANE) return true;
    return false;
}

static int find_factor(const SAxis *a, Bind bind) {
    int i = 0;
    while (i < a->n && a->f[i].bind != bind) i++;
    return i;
}

/* An axis whose blocks take what remains: more or fewer threads leave fewer or more of them. */
static bool is_open(const SAxis *a) { return a->n && a->f[0].bind == BIND_GRID && !a->f[0].size; }

/* The threads along an axis become `times` as many, or a `share` of them. */
static bool scale_axis(Schedule *s, int axis, int times, int share) {
    SAxis *a = &s->axis[axis];
    const Bind bind = is_warps(s) ? BIND_WARP : BIND_THREAD;
    const int at = find_factor(a, bind);
    if (!is_open(a)) return false;
    if (at < a->n && a->f[at].size * times % share == 0) {
        a->f[at].size = a->f[at].size * times / share;
        return true;
    }
    if (at < a->n || share > 1 || a->n == MAX_AXIS_FACTORS) return false;
    int to = a->n; /* outside of vectors, inside of what a thread goes through */
    while (to > 0 && a->f[to - 1].bind == BIND_VEC) to--;
    memmove(&a->f[to + 1], &a->f[to], sizeof *a->f * (size_t)(a->n - to));
    a->f[to] = (SFactor){bind, times};
    a->n++;
    return true;
}

/* One thread an element of a map, all threads of a block along one axis. */
static void plain_maps(Threads *t) {
    const Group *gr = t->of->group;
    for (int a = 0; a < gr->axes.n && !gr->steps.n; a++) {
        Schedule s;
        schedule_clear(&s, gr->axes.n);
        s.ahead = s.occupancy = s.nsteps = s.nother = 0;
        s.again = false;
        memset(s.shift, 0, sizeof s.shift);
        for (int i = 0; i < gr->axes.n; i++) schedule_factor(&s, i, BIND_GRID, 0);
        schedule_factor(&s, a, BIND_THREAD, t->want);
        consider(t, &s);
    }
}

/* The same work with so many threads a block, as quick as that can be. */
static bool with_threads(Uniting *x, const Work *w, int want, Work *out) {
    *out = *w;
    if (w->threads == want) return true;
    if (w->fixed || w->schedule->nother || w->schedule->occupancy) return false;
    Threads t = {.x = x, .of = w, .want = want, .seconds = INFINITY};
    for (int a = 0; a < w->schedule->naxes; a++) {
        Schedule s;
        schedule_copy(&s, w->schedule);
        if (want % w->threads == 0 && scale_axis(&s, a, want / w->threads, 1)) consider(&t, &s);
        schedule_copy(&s, w->schedule);
        if (w->threads % want == 0 && scale_axis(&s, a, 1, w->threads / want)) consider(&t, &s);
    }
    plain_maps(&t);
    *out = t.best;
    return t.best.features != NULL;
}

/* ---- together ---- */

int parts_arguments(const Bundle *b) {
    int bytes = 0;
    for (int i = 0; i < b->works.n; i++) bytes += b->works.at[i].arguments;
    return bytes;
}

/* A text for each form of its parts is what nvcc compiles. Those that differ in constants alone would be one text as
 * kernels of their own, so that few of them are worth a launch. */
static bool few_texts(const Bundle *b) {
    enum { MOST_TEXTS = 12, MOST_ALIKE = 4 };
    int texts = 0;
    for (int i = 0; i < b->works.n; i++) {
        const Work *w = &b->works.at[i];
        int alike = 1;
        bool new = true;
        for (int k = 0; k < i && new; k++) new = b->works.at[k].text != w->text;
        for (int k = 0; k < i && new; k++) {
            const Work *o = &b->works.at[k];
            bool first = o->form == w->form;
            for (int j = 0; j < k && first; j++) first = b->works.at[j].text != o->text;
            alike += first;
        }
        texts += new;
        if (alike > MOST_ALIKE) return false;
    }
    return texts <= MOST_TEXTS;
}

static bool add_works(Uniting *x, const Bundle *from, int threads, Bundle *to) {
    for (int i = 0; i < from->works.n; i++) {
        Work w;
        if (!with_threads(x, &from->works.at[i], threads, &w)) return false;
        vec_push(x->temp, &to->works, w);
    }
    return true;
}

static int occupancy_of(const Bundle *b) { return b->works.at[0].schedule->occupancy; }

static Item item_of(Ctx *ctx, Bundle b) {
    Item a = {.changed = true};
    vec_push(ctx, &a.cases, b);
    return a;
}

/* The two in a kernel with the threads of either, whichever is predicted to be quicker. */
static bool unite_bundles(Uniting *x, const Bundle *a, const Bundle *b, Bundle *both) {
    double best = 0;
    if (occupancy_of(a) != occupancy_of(b)) return false;
    if (parts_arguments(a) + parts_arguments(b) > MOST_ARGUMENTS) return false;
    Bundle one = *a, two = *b;
    one.when = two.when = NULL;
    const Item first = item_of(x->temp, one), second = item_of(x->temp, two);
    const int threads[] = {a->works.at[0].threads, b->works.at[0].threads};
    for (int k = 0; k < 2 && (!k || threads[0] != threads[1]); k++) {
        Bundle u = {.when = b->when ? b->when : a->when};
        if (!add_works(x, a, threads[k], &u) || !add_works(x, b, threads[k], &u) || !few_texts(&u)) continue;
        const Bundle alone = {.works = u.works};
        const Item all = item_of(x->temp, alone);
        const double gain = gain_of(x, &first, &second, &all);
        if (gain > best) best = gain, *both = u;
    }
    return best > 0;
}

static bool same_cases(const Item *a, const Item *b) {
    bool same = a->cases.n == b->cases.n;
    for (int i = 0; i < a->cases.n && same; i++) same = a->cases.at[i].when == b->cases.at[i].when;
    return same;
}

/* Case by case; a has one for each case of b, or one for all. after: a's parts stand behind b's. */
static bool unite_each(Uniting *x, const Item *a, const Item *b, bool after, Item *both) {
    const int before = x->around.n;
    bool ok = true;
    *both = (Item){.changed = true};
    for (int i = 0; i < b->cases.n && ok; i++) {
        const Bundle *here = &b->cases.at[i];
        Bundle u;
        if (here->when) vec_push(x->temp, &x->around, ((Around){here->when, true}));
        const Bundle *one = &a->cases.at[a->cases.n > 1 ? i : 0];
        ok = unite_bundles(x, after ? here : one, after ? one : here, &u);
        u.when = here->when;
        if (ok) vec_push(x->temp, &both->cases, u);
        if (here->when) x->around.at[x->around.n - 1].holds = false;
    }
    x->around.n = before;
    return ok;
}

/* Whether a case's kernel is for all sizes. */
static bool is_for_all(const Bundle *b) {
    for (int i = 0; i < b->works.n; i++)
        if (b->works.at[i].from->where.n) return false;
    return true;
}

/* The mean of the logarithms of its seconds, over the sizes of both; of one case alone where that is for all sizes. */
static double mean_of(Uniting *x, const Item *a, const Item *b, const Item *of) {
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        const Sizes *at = sizes_of(x, (k ? b : a)->cases.at[0].works.at[0].group);
        for (int i = 0; i < at->n; i++) {
            const Bundle *t = taken(x, of, at->dims[i]);
            if (t) sum += at->weight[i] * log(seconds_of(x, t, at->dims[i], NULL));
        }
    }
    return sum;
}

/* Of the kernels of a choice the one that is best if it is for all sizes. */
static bool best_for_all(Uniting *x, const Item *a, const Item *b, const Item *of, Item *all) {
    double best = INFINITY;
    for (int i = 0; i < of->cases.n; i++) {
        if (!is_for_all(&of->cases.at[i])) continue;
        const Item one = item_of(x->temp, (Bundle){.works = of->cases.at[i].works});
        const double mean = mean_of(x, a, b, &one);
        if (mean < best) best = mean, *all = one;
    }
    return best < INFINITY;
}

/* Whether b takes less time than a, or about as much: of pieces that are alike the first keeps its cases, as what is
 * appended to is longer than what is appended. */
static bool is_no_slower(Uniting *x, const Item *a, const Item *b) {
    static const double ALIKE = 0.001; /* of a mean of logarithms of seconds: about a hundredth of the time */
    const double first = mean_of(x, a, b, a);
    return mean_of(x, a, b, b) < first + ALIKE * fabs(first);
}

/* One kernel of the quicker one goes into each case of the other. */
bool parts_unite(Uniting *x, const Item *a, const Item *b, Item *both) {
    if (same_cases(a, b)) return unite_each(x, a, b, false, both);
    const bool second = b->cases.n == 1 || (a->cases.n > 1 && is_no_slower(x, a, b));
    Item all;
    return best_for_all(x, a, b, second ? b : a, &all) && unite_each(x, &all, second ? a : b, second, both) &&
           gain_of(x, a, b, both) > 0;
}

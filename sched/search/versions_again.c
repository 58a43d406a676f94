/* Cases once more, at points that the first ones are not of: at more sizes of groups with many free lengths, and at
 * addresses that are not aligned. See versions.h. */
#include "versions_form.h"

#include <math.h>

static bool is_taken(const Chosen *c, int candidate) {
    for (int k = 0; k < c->n[MAX_VERSIONS - 1]; k++)
        if (c->cases[MAX_VERSIONS - 1][k].candidate == candidate) return true;
    return false;
}

/* A map, or what folds so many elements wherever it is, as the windows of a pooling. */
static bool folds_known(const Group *gr) {
    for (int i = 0; i < gr->steps.n; i++)
        for (int a = 0; a < gr->axes.n; a++)
            if (gr->steps.at[i].over >> a & 1 && gr->axes.at[a].extent < 0) return false;
    return true;
}

/* Candidates that cases take; and of folds of any length, whose kernels differ more, the quickest at each point. */
static bool *worth_keeping(const Choosing *x) {
    const Chosen *c = x->chosen;
    bool *keep = NEW_N(x->temp, bool, c->candidates.n + 1);
    for (int i = 0; i < x->points->n && !folds_known(x->gr); i++) {
        int best = 0;
        for (int k = 1; k < c->candidates.n; k++)
            if (c->candidates.at[k]->seconds[i] < c->candidates.at[best]->seconds[i]) best = k;
        keep[best] = true;
    }
    for (int k = 0; k < c->candidates.n; k++) keep[k] |= is_taken(c, k);
    return keep;
}

static bool *taken_of(const Choosing *x) {
    bool *taken = NEW_N(x->temp, bool, x->chosen->candidates.n + 1);
    for (int k = 0; k < x->chosen->candidates.n; k++) taken[k] = is_taken(x->chosen, k);
    return taken;
}

/* Candidates that stay, compared where there are so many drawn points. */
static Choosing begin_again(const Choosing *x, int drawn, const bool *keep) {
    const Chosen *had = x->chosen;
    Choosing y = versions_begin(x->gr, x->limits, x->machine, points_with_drawn(x->gr, drawn, x->temp), x->temp);
    y.judged = true;
    y.room = had->candidates.n;
    versions_begin_search(&y);
    versions_begin_choosing(&y);
    for (int k = 0; k < had->candidates.n; k++) {
        const Candidate *c = had->candidates.at[k];
        if (keep[k]) versions_add(&y, c->division, (const Schedule *const *)c->schedule, c->n, c->most);
    }
    return y;
}

/* The cases of candidates that the judge knows; false: it does not know all of them. */
static bool find_anew(Choosing *y) {
    if (!versions_compare_alike(y)) return false;
    versions_find_losses(y);
    versions_find_cases(y);
    return true;
}

/* At how many of a group's points candidates are looked for once more. All groups of a compilation share these: the
 * first have many, the others a few each, but of folds of any length none, since a file of many entries has to be
 * compiled, too. */
static int slow_points(Choosing *x) {
    enum { OF_MAP = 24, OF_FOLD = 8 /* its kernels take longer to be judged */, ALL = 72, FOLDS = 48, FEW = 4 };
    const int most = x->gr->steps.n ? OF_FOLD : OF_MAP, left = ALL - *x->slow;
    if (*x->slow >= FOLDS && !folds_known(x->gr)) return 0;
    const int n = left > most ? most : left > FEW ? left : FEW;
    *x->slow += n;
    return n;
}

/* Of a group with many free lengths, points are few for conditions that tell them apart. What is worth it is compared
 * at more points, beside candidates for those of them that take long, and the cases are found anew. */
static void part_again(Choosing *x) {
    enum {
        MOVES = 48,       /* kernels that are judged at each point that takes long */
        DRAWN = 400,      /* points beside the others at which candidates are compared, */
        MORE_DRAWN = 1600 /* and those that are left */
    };
    const int slow = slow_points(x);
    Choosing y = begin_again(x, DRAWN, worth_keeping(x));
    versions_add_for_slow(&y, slow, MOVES);
    if (!find_anew(&y)) return;
    x->chosen = y.chosen;
    if (!slow) return;
    /* Cases overfit what was drawn for the candidates: those of the kernels that are left are told from more. */
    Choosing z = begin_again(&y, MORE_DRAWN, taken_of(&y));
    z.last = true;
    if (find_anew(&z)) x->chosen = z.chosen;
}

/* Of a group with two free lengths the points are a grid, between whose lengths a case may take what is slow there:
 * what is worth it is compared at drawn points, too, beside what the templates propose for those of them that take
 * long, and the cases are found anew. */
static void tell_again(Choosing *x) {
    enum { DRAWN = 240, KEPT = 2 * MOST_SCHEDULES };
    bool *keep = taken_of(x);
    versions_find_losses(x);
    versions_keep_together(x, KEPT);
    for (int k = 0; k < x->nrivals; k++) keep[x->rival[k]] = true;
    Choosing y = begin_again(x, DRAWN, keep);
    versions_add_for_slow(&y, slow_points(x), 0);
    if (find_anew(&y)) x->chosen = y.chosen;
}

/* ---- addresses that are not aligned ---- */

enum {
    DISPLACED_POINTS = 12, /* of the likely ones */
    DISPLACED_CASES = 3    /* for all calls at such addresses, which are few */
};

static const Points *displaced_points(const Points *all, Ctx *temp) {
    const int n = all->nlikely < DISPLACED_POINTS ? all->nlikely : DISPLACED_POINTS, step = versions_step(all->nlikely);
    Points *p = NEW(temp, Points);
    *p = (Points){.n = n, .nlikely = n, .few = true, .hinted = true, .displaced = true};
    p->dims = NEW_N(temp, int64_t *, n);
    p->weight = NEW_N(temp, double, n);
    for (int i = 0; i < n; i++) {
        p->dims[i] = all->dims[i * step % all->nlikely];
        p->weight[i] = all->weight[i * step % all->nlikely];
    }
    return p;
}

/* The first case that a call takes whose tensors begin elsewhere than at aligned addresses. */
static const Case *displaced_case(const Choosing *at, const Case *cases, int n, int point) {
    for (int k = 0; k < n; k++) {
        bool holds = true;
        for (int i = 0; i < cases[k].ntests && holds; i++)
            holds = !cases[k].test[i].divisor && versions_holds(at, &cases[k].test[i], point);
        if (holds) return &cases[k];
    }
    return NULL;
}

/* log(time / best) of the cases there are, as a mean over points at such addresses. Nothing is known of it where a
 * candidate is not judged: 0. */
static double displaced_loss(const Choosing *x, const Choosing *at, const Chosen *other) {
    const Chosen *c = x->chosen;
    const int n = c->n[MAX_VERSIONS - 1], points = at->points->n;
    Candidate *had = NEW_N(x->temp, Candidate, c->candidates.n);
    double lost = 0, all = 0;
    for (int i = 0; i < points; i++) {
        const Case *taken = displaced_case(at, c->cases[MAX_VERSIONS - 1], n, i);
        const Case *best = displaced_case(at, other->cases[DISPLACED_CASES - 1], other->n[DISPLACED_CASES - 1], i);
        if (!taken || !best) return 0;
        const Candidate *quick = other->candidates.at[best->candidate];
        Candidate *slow = &had[taken->candidate];
        if (!slow->seconds) {
            *slow = *c->candidates.at[taken->candidate];
            slow->seconds = NEW_N(x->temp, double, points);
            if (!versions_judge(at, slow, points, (double)INFINITY)) return 0;
        }
        if (!quick->judged || !isfinite(slow->seconds[i]) || !isfinite(quick->seconds[i])) return 0;
        lost += at->points->weight[i] * log(slow->seconds[i] / quick->seconds[i]);
        all += at->points->weight[i];
    }
    return all > 0 ? lost / all : 0;
}

/* Whether each case has room for one more test. */
static bool have_room(const Chosen *c) {
    for (int most = 0; most < MAX_VERSIONS; most++)
        for (int k = 0; k < c->n[most]; k++)
            if (c->cases[most][k].ntests == MAX_TESTS) return false;
    return true;
}

/* Cases of calls at aligned addresses, then those of all others. */
static void join_cases(Choosing *x, const Case *had, int n, const Case *others, int nothers, int first, int k) {
    Chosen *c = x->chosen;
    Case *cases = NEW_N(x->ctx, Case, n + nothers);
    for (int i = 0; i < n; i++) {
        Case *one = &cases[i];
        bool aligned = false;
        *one = had[i];
        for (int t = 0; t < one->ntests; t++) aligned |= one->test[t].divisor > 0;
        if (!aligned) one->test[one->ntests++] = (SizeTest){.divisor = 1};
    }
    for (int i = 0; i < nothers; i++) {
        cases[n + i] = others[i];
        cases[n + i].candidate += first;
    }
    c->n[k] = n + nothers;
    c->cases[k] = cases;
}

/* Where tensors begin elsewhere than at aligned addresses, vectors are loaded element by element: what is much quicker
 * there has such calls, if there are versions left for it. */
static void add_displaced(Choosing *x, const int *moved) {
    enum { PART = 4 /* of the candidates that there would be time for */ };
    static const double LONG = 1.25; /* times what is best there */
    Chosen *c = x->chosen;
    if ((x->points->n > 1 && !folds_known(x->gr) && !x->gr->neighbours) || !have_room(c)) return;
    Choosing y = versions_begin(x->gr, x->limits, x->machine, displaced_points(x->points, x->temp), x->temp);
    y.considered = x->considered / PART;
    versions_begin_search(&y);
    int spent = *moved; /* calls at such addresses are few: the moves of other groups are not theirs */
    const Chosen *other = versions_look(&y, &spent);
    if (displaced_loss(x, &y, other) <= log(LONG)) return;
    const int first = c->candidates.n;
    for (int i = 0; i < other->candidates.n; i++) vec_push(x->ctx, &c->candidates, other->candidates.at[i]);
    for (int k = MAX_VERSIONS - 1; k > 0; k--) {
        const int others = other->kernels[DISPLACED_CASES - 1] < k ? DISPLACED_CASES : 1;
        const int more = other->kernels[others - 1], from = c->kernels[k] + more <= k + 1 ? k : k > more ? k - more : 0;
        join_cases(x, c->cases[from], c->n[from], other->cases[others - 1], other->n[others - 1], first, k);
        c->kernels[k] = c->kernels[from] + more;
    }
}

static void count_ways(Chosen *c) {
    for (int most = 0; most < MAX_VERSIONS; most++) {
        int several = 0;
        for (int k = 0; k < c->n[most]; k++) several += c->candidates.at[c->cases[most][k].candidate]->n > 1;
        c->ways[most] = several + (several < c->n[most]);
    }
}

/* The first look, then at what its points are not of. */
static Chosen *choose(Choosing *x, int *moved) {
    versions_look(x, moved);
    if (!x->compared || group_any_kernel(x->gr)) return x->chosen;
    /* Of rows that are held whole there are few kernels, and what tells them apart the judge knows too little of. */
    const bool spread = (x->points->many && !x->gr->across) || folds_known(x->gr);
    if (spread && x->points->n > x->points->nlikely) part_again(x);
    if (!spread && !x->gr->across && x->points->n > x->points->nlikely) tell_again(x);
    add_displaced(x, moved);
    return x->chosen;
}

void versions_choose(SchedMemo *memo, Group *gr, Targets t, const Machine *m, int most, Versions *v) {
    Ctx *ctx = gr->graph->ctx, *temp = ctx_temp(ctx);
    Points *points = points_with_extremes(gr, temp);
    Choosing x = versions_begin(gr, versions_limits(t), m, points, temp);
    x.considered = memo->considered;
    x.slow = &memo->slow;
    Chosen *c = expr_map_object(&memo->best, x.form[0]->key);
    if (!c) {
        versions_begin_search(&x);
        c = choose(&x, &memo->moved);
        count_ways(c);
        expr_map_put_object(ctx, &memo->best, x.form[0]->key, c);
    }
    *v = versions_room(ctx, c->n[most - 1]);
    v->n = c->n[most - 1];
    v->counts = c->kernels;
    v->ways = c->ways;
    v->lost = c->lost;
    v->usual = c->usual;
    for (int i = 0; i < v->n; i++) {
        const Case *from = &c->cases[most - 1][i];
        v->at[i] = versions_version(gr, c->candidates.at[from->candidate]);
        v->at[i].when = versions_condition(gr, from);
    }
    ctx_temp_end(temp);
}

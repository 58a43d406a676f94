/* Cases of sizes: which candidate is taken where. A set of points is parted by the test that gains most, and its two
 * sides are parted again, as long as that gains enough; of too many cases those that gain least are united. See
 * versions.h. */
#include "versions_form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cases, of which those that gain least are given up again; to spare what takes long, more of them. */
enum {
    MORE_CASES = 3,          /* beside hints, to spare what takes long */
    MORE_KERNELS = 3,        /* than the likely cases have; as many again, where each is worth it */
    MAX_GROWN = 40,          /* cases, of which those that gain least are given up again */
    LIKELY = MOST_SCHEDULES, /* that are for likely sizes alone */
    MAX_LIKELY = LIKELY + 4
};
/* Of the time, as a mean over the points: what another version gains at least, where one length is not known and where
 * several are, each of whose values is a smaller part of the points. */
static const double GAIN = 0.008, GAIN_OF_SEVERAL = 0.005;
static const double ROUNDING = 1e-9; /* of sums of losses, which depends on their order */
static const double ENOUGH = 1.03;   /* times the best at every point: then there are versions enough */

enum { MOST_TOGETHER = 2 /* rows that are aligned all at once: what is relaid has vectors on both sides */ };

/* A case's points are parted by a test, or by several that hold together; what its two sides take, and lose. */
typedef struct Parting {
    int ntests;
    SizeTest test[MOST_TOGETHER];
    Case left, right;
    double loss[2], gain;
    double worth; /* the gain of one more case, if a test is made behind it, too. 0: nothing is gained */
} Parting;

/* The points that come to a case, and what its candidate loses there: the sum of log(time / best), weighted. */
typedef struct Leaf {
    Case c;
    bool *here; /* of each point */
    bool *near; /* points that say what is good where none comes */
    double loss;
    bool tried;                         /* best is known */
    Parting best;                       /* the test that is worth most */
    int nparted, parted[MAX_GROWN + 1]; /* the numbers of the partings that it comes from */
} Leaf;

/* ---- lengths ---- */

static int64_t length_of(const Choosing *x, AxisSet axes, int point) {
    int64_t n = 1;
    for (int a = 0; a < x->gr->axes.n; a++)
        if (axes >> a & 1 && !mul_ok(n, x->form[0]->lengths[point][a], &n)) return INT64_MAX;
    return n;
}

/* A power of 2 near the middle between a length and the next longer one there is. */
static int64_t between(int64_t length, int64_t next) {
    double middle = sqrt((double)(length < 1 ? 1 : length) * (double)next);
    int64_t power = 1;
    while (power <= INT64_MAX / 4 && (double)power * 2 <= middle) power *= 2;
    return power >= length ? power : length;
}

/* Asked for again and again, it is made once. */
static const Ruler *ruler_of(const Choosing *x, AxisSet axes) {
    const int n = x->points->n;
    for (int i = 0; i < x->rulers->n; i++)
        if (x->rulers->at[i]->axes == axes) return x->rulers->at[i];
    Ruler *r = NEW_RAW(x->temp, Ruler, 1);
    r->axes = axes;
    for (int i = 0; i < n; i++) {
        int at = i;
        r->length[i] = length_of(x, axes, i);
        for (; at > 0 && r->length[r->order[at - 1]] > r->length[i]; at--) r->order[at] = r->order[at - 1];
        r->order[at] = i;
    }
    int64_t next = INT64_MAX;
    for (int i = n - 1; i >= 0; i--) {
        const int point = r->order[i];
        const bool last = i + 1 == n || r->length[r->order[i + 1]] > r->length[point];
        if (last && i + 1 < n) next = r->length[r->order[i + 1]];
        r->end[point] = last ? between(r->length[point], next) : r->end[r->order[i + 1]];
    }
    x->rulers->at[x->rulers->n++] = r;
    return r;
}

/* Axes that may be longer, in a case, than a candidate is legal for. */
static AxisSet too_long(const Choosing *x, const Candidate *c, const Case *in) {
    AxisSet set = 0;
    for (int a = 0; a < x->gr->axes.n; a++) {
        bool ok = c->most[a] == INT64_MAX;
        for (int i = 0; i < in->ntests; i++) {
            const SizeTest *t = &in->test[i];
            ok |= t->axes == (AxisSet)1 << a && !t->divisor && t->most <= c->most[a];
        }
        if (!ok) set |= (AxisSet)1 << a;
    }
    return set;
}

bool versions_legal_in(const Choosing *x, const Candidate *c, const Case *in) { return !too_long(x, c, in); }

double versions_settle(const Choosing *x, Case *c, const bool *here) {
    double least = INFINITY;
    bool any = false;
    for (int i = 0; i < x->points->n; i++) any |= here[i];
    if (!any) return 0;
    for (int k = 0; k < x->nrivals; k++) {
        const Candidate *y = x->chosen->candidates.at[x->rival[k]];
        double loss = 0;
        if (!versions_legal_in(x, y, c)) continue;
        for (int i = 0; i < x->points->n && loss < least; i++)
            if (here[i]) loss += y->loss[i];
        if (!(loss < least - ROUNDING)) continue;
        least = loss;
        c->candidate = x->rival[k];
    }
    return least;
}

bool versions_holds(const Choosing *x, const SizeTest *t, int point) {
    const int64_t n =
        t->tensor ? expr_guess_at(versions_row(x->gr, t), x->points->dims[point]) : ruler_of(x, t->axes)->length[point];
    return t->divisor ? n % t->divisor == 0 : n <= t->most;
}

static bool is_enough(const Choosing *x, const Leaf *l) {
    const Candidate *c = x->chosen->candidates.at[l->c.candidate];
    const int n = x->sparing ? x->points->n : x->points->nlikely;
    for (int i = 0; i < n; i++)
        if (l->here[i] && c->seconds[i] > ENOUGH * x->best[i]) return false;
    return true;
}

static bool same_rows(const SizeTest *a, const SizeTest *b) {
    return a->axes == b->axes && a->divisor == b->divisor && a->tensor == b->tensor;
}

/* Of two tests of the same axes the one that more sizes fail is enough. */
static void add_test(Case *c, SizeTest test) {
    for (int i = 0; i < c->ntests; i++)
        if (same_rows(&c->test[i], &test)) {
            if (test.most < c->test[i].most) c->test[i].most = test.most;
            return;
        }
    c->test[c->ntests++] = test;
}

typedef struct Leaves {
    int n;
    Leaf at[MAX_GROWN];
} Leaves;

/* The points of a leaf in the order of the lengths of some axes, multiplied, and the lengths that are worth a test. */
typedef struct Sweep {
    int n, ntests;
    int point[MAX_POINTS];
    int64_t length[MAX_POINTS], most[MAX_CANDIDATES + MAX_POINTS];
} Sweep;

/* A test's two sides: what they lose by the best candidates there. */
typedef struct Sides {
    int nleft, candidate[2];
    double loss[2];
    double within; /* what a candidate gains that only the last points of the left are for */
} Sides;

static void order_points(const Choosing *x, const Leaf *l, const Ruler *r, Sweep *s) {
    s->n = 0;
    for (int i = 0; i < x->points->n; i++) {
        const int point = r->order[i];
        if (!l->here[point]) continue;
        s->length[s->n] = r->length[point];
        s->point[s->n++] = point;
    }
}

static void add_length(Sweep *s, int64_t most) {
    for (int i = 0; i < s->ntests; i++)
        if (s->most[i] == most) return;
    s->most[s->ntests++] = most;
}

static int longer_first(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

/* Those up to which candidates are legal, the longest first, then those between points. */
static void find_lengths(const Choosing *x, AxisSet axes, const Ruler *r, Sweep *s) {
    s->ntests = 0;
    for (int k = 0; k < x->chosen->candidates.n; k++)
        for (int a = 0; a < x->gr->axes.n; a++)
            if (axes == (AxisSet)1 << a && x->chosen->candidates.at[k]->most[a] < INT64_MAX)
                add_length(s, x->chosen->candidates.at[k]->most[a]);
    qsort(s->most, (size_t)s->ntests, sizeof *s->most, longer_first);
    for (int i = 0; i < s->n; i++)
        if (!i || s->length[i] != s->length[i - 1]) add_length(s, r->end[s->point[i]]);
}

/* What a candidate loses up to each point of a sweep, and from each on. */
static void sum_losses(const Sweep *s, const Candidate *c, double *before, double *after) {
    before[0] = after[s->n] = 0;
    for (int i = 0; i < s->n; i++) before[i + 1] = before[i] + c->loss[s->point[i]];
    for (int i = s->n; i > 0; i--) after[i - 1] = after[i] + c->loss[s->point[i - 1]];
}

/* What a candidate gains where one more test keeps it from the shorter lengths: there it may lose. */
static void try_within(const Sweep *s, const Candidate *now, const double *before, int64_t most, Sides *sides) {
    double had[MAX_POINTS + 1], after[MAX_POINTS + 1], least[MAX_POINTS + 1];
    sum_losses(s, now, had, after);
    least[0] = INFINITY;
    for (int i = 1; i <= s->n; i++) {
        const bool may = i < s->n && s->length[i] > s->length[i - 1];
        least[i] = may ? fmin(least[i - 1], had[i] - before[i]) : least[i - 1];
    }
    for (int i = 0; i < s->ntests; i++) {
        const int end = sides[i].nleft;
        if (s->most[i] > most || !end) continue;
        const double gain = had[end] - before[end] - least[end - 1];
        if (gain > sides[i].within) sides[i].within = gain;
    }
}

static void try_candidate(const Choosing *x, const Sweep *s, const Leaf *l, AxisSet axes, int k, Sides *sides) {
    const Candidate *c = x->chosen->candidates.at[k];
    double before[MAX_POINTS + 1], after[MAX_POINTS + 1];
    const AxisSet over = too_long(x, c, &l->c);
    if (over & ~axes || (over && axes & (axes - 1))) return;
    int64_t most = INT64_MAX; /* for which it is legal on the left */
    for (int a = 0; a < x->gr->axes.n; a++)
        if (over >> a & 1) most = c->most[a];
    sum_losses(s, c, before, after);
    for (int i = 0; i < s->ntests; i++) {
        const double loss[2] = {s->most[i] <= most ? before[sides[i].nleft] : INFINITY,
                                over ? INFINITY : after[sides[i].nleft]};
        for (int side = 0; side < 2; side++)
            if (loss[side] < sides[i].loss[side] - ROUNDING) {
                sides[i].loss[side] = loss[side];
                sides[i].candidate[side] = k;
            }
    }
    if (x->sparing > 0) try_within(s, x->chosen->candidates.at[l->c.candidate], before, most, sides);
}

/* Tests of the lengths of some axes, all of them at once. */
static void try_axes(Choosing *x, const Leaf *l, AxisSet axes, Parting *best) {
    Sweep s;
    Sides sides[MAX_CANDIDATES + MAX_POINTS];
    if (l->c.ntests == MAX_TESTS) return;
    const Ruler *r = ruler_of(x, axes);
    order_points(x, l, r, &s);
    find_lengths(x, axes, r, &s);
    for (int i = 0; i < s.ntests; i++) {
        sides[i] = (Sides){.candidate = {l->c.candidate, l->c.candidate}, .loss = {INFINITY, INFINITY}};
        while (sides[i].nleft < s.n && s.length[sides[i].nleft] <= s.most[i]) sides[i].nleft++;
    }
    for (int k = 0; k < x->nrivals; k++) try_candidate(x, &s, l, axes, x->rival[k], sides);
    for (int i = 0; i < s.ntests; i++) {
        /* Where no point is longer, what was taken for all sizes is for those. */
        if (sides[i].nleft == s.n) sides[i].loss[1] = 0, sides[i].candidate[1] = l->c.candidate;
        const double gain = l->loss - sides[i].loss[0] - sides[i].loss[1];
        const double worth = fmax(gain, sides[i].within / 2); /* that takes two tests */
        if (!sides[i].nleft || !(worth > best->worth + ROUNDING)) continue;
        const SizeTest test = {axes, s.most[i], 0, 0};
        *best = (Parting){1, {test}, l->c, l->c, {sides[i].loss[0], sides[i].loss[1]}, gain, worth};
        add_test(&best->left, test);
        best->left.candidate = sides[i].candidate[0];
        best->right.candidate = sides[i].candidate[1];
    }
}

/* Sets of axes whose lengths, multiplied, are worth tests: each, those that blocks may share, all. */
typedef struct AxesList {
    int n;
    AxisSet at[MAX_GROUP_AXES + 3];
} AxesList;

/* All axes, but of loops behind each other those of the longest: their product says nothing, and may be no number. */
static AxisSet together(const Group *gr, AxisSet all) {
    for (int i = 0; i < gr->steps.n; i++)
        for (int k = 0; k < gr->steps.n; k++) {
            const GStep *p = &gr->steps.at[i], *q = &gr->steps.at[k];
            const bool behind = !(p->over & (q->over | q->under)) && !(q->over & (p->over | p->under));
            const int64_t a = group_guess(gr, p->over), b = group_guess(gr, q->over);
            if (behind && (a < b || (a == b && i > k))) all &= ~p->over;
        }
    return all;
}

/* Axes of the results of products: how long each is says how often the other factor's elements are needed. */
static AxisSet joined_axes(const Group *gr) {
    AxisSet set = 0;
    for (int i = 0; i < gr->steps.n; i++)
        if (gr->steps.at[i].joined[0]) set |= gr->steps.at[i].joined[0] ^ gr->steps.at[i].joined[1];
    return set;
}

/* Of axes that tell rows apart, and along which no elements are neighbours, only how many rows they make together: with
 * several such lengths the points are too few to see that one alone says nothing. */
static AxesList axes_to_test(const Group *gr) {
    AxesList list = {0};
    const AxisSet may = versions_testable(gr), joined = joined_axes(gr), all = gr->across ? may : together(gr, may);
    AxisSet kept = 0;
    for (int a = 0; a < gr->axes.n; a++)
        if (may >> a & 1 && axis_has_grid(&gr->axes.at[a])) kept |= (AxisSet)1 << a;
    const bool rows = gr->steps.n && kept & (kept - 1);
    for (int a = 0; a < gr->axes.n; a++)
        if (may >> a & 1 && !(rows && (kept & ~joined) >> a & 1 && !gr->axes.at[a].contiguous))
            list.at[list.n++] = (AxisSet)1 << a;
    if (kept & (kept - 1)) list.at[list.n++] = kept;
    if (gr->neighbours & may) list.at[list.n++] = kept | (gr->neighbours & may);
    if (all & (all - 1) && all != kept) list.at[list.n++] = all;
    return list;
}

/* What the best test of lengths gains for one side of a parting. */
static double gain_behind(Choosing *x, const AxesList *list, const Case *c, const bool *here, double loss) {
    Parting best = {.gain = 0};
    const Leaf side = {.c = *c, .here = (bool *)here, .loss = loss};
    for (int i = 0; i < list->n; i++) try_axes(x, &side, list->at[i], &best);
    return best.gain;
}

static bool all_hold(const Choosing *x, const SizeTest *test, int n, int point) {
    bool all = true;
    for (int i = 0; i < n && all; i++) all = versions_holds(x, &test[i], point);
    return all;
}

/* Lengths that are multiples of some and those that are not: where that gains little by itself, a test behind it may.
 * */
static void try_multiples(Choosing *x, const Leaf *l, const SizeTest *test, int ntests, Parting *best) {
    const int n = x->points->n;
    bool here[2][MAX_POINTS];
    int count[2] = {0};
    if (l->c.ntests + ntests > MAX_TESTS) return;
    for (int i = 0; i < n; i++) {
        const bool in = all_hold(x, test, ntests, i);
        count[0] += here[0][i] = l->here[i] && in;
        count[1] += here[1][i] = l->here[i] && !in;
    }
    if (!count[0] || !count[1]) return;
    const AxesList list = axes_to_test(x->gr);
    Parting p = {.ntests = ntests, .left = l->c, .right = l->c};
    for (int i = 0; i < ntests; i++) add_test(&p.left, p.test[i] = test[i]);
    p.loss[0] = versions_settle(x, &p.left, here[0]);
    p.loss[1] = versions_settle(x, &p.right, here[1]);
    p.gain = l->loss - p.loss[0] - p.loss[1];
    const double behind =
        fmax(gain_behind(x, &list, &p.left, here[0], p.loss[0]), gain_behind(x, &list, &p.right, here[1], p.loss[1]));
    p.worth = fmax(p.gain, (p.gain + behind) / 2);
    if (p.worth > best->worth + ROUNDING) *best = p;
}

static int number_of(const Group *gr, const Tensor *t) {
    int n = 0;
    while (gr->tensors.at[n].tensor != t) n++;
    return n;
}

/* Rows whose length is a multiple of the widest access are aligned, all of them or none; of tensors that begin anywhere
 * none is known to be. */
static void try_alignment(Choosing *x, const Leaf *l, Parting *best) {
    if (x->points->displaced) return;
    SizeTest tried[MAX_GROUP_AXES];
    int n = 0;
    for (int i = 0; i < x->form[0]->accesses.n; i++) {
        const CostAccess *c = &x->form[0]->accesses.at[i];
        for (int a = 0; a < x->gr->axes.n && c->tensor->rank > 1 && n < MAX_GROUP_AXES; a++) {
            SizeTest t = {(AxisSet)1 << a, 0, 8 * TARGET_ACCESS / type_bits(c->tensor->type), 0};
            bool same = t.divisor < 2 || c->moves[a] != MOVE_BY_ONE || !(versions_testable(x->gr) & t.axes);
            const Expr *row = c->tensor->shape[c->tensor->rank - 1], *length = x->gr->axes.at[a].var->hi;
            if (row != length) t.tensor = number_of(x->gr, c->tensor) + 1;
            same |= row != length && (row->op != OP_DIM || (length->op != OP_DIM && !x->gr->axes.at[a].merged));
            for (int k = 0; k < n; k++) same |= same_rows(&tried[k], &t);
            if (same) continue;
            tried[n++] = t;
            try_multiples(x, l, &t, 1, best);
        }
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (tried[i].axes != tried[k].axes) try_multiples(x, l, (SizeTest[]){tried[k], tried[i]}, 2, best);
}

static void find_best(Choosing *x, Leaf *l) {
    l->best = (Parting){.gain = 0};
    l->tried = true;
    if (is_enough(x, l)) return;
    const AxesList list = axes_to_test(x->gr);
    for (int i = 0; i < list.n; i++) try_axes(x, l, list.at[i], &l->best);
    try_alignment(x, l, &l->best);
}

/* The leaf whose best test is worth most. */
static int best_leaf(Choosing *x, Leaf *leaves, int n) {
    int best = 0;
    for (int i = 0; i < n; i++) {
        if (!leaves[i].tried) find_best(x, &leaves[i]);
        if (leaves[i].best.worth > leaves[best].best.worth) best = i;
    }
    return best;
}

/* The longest of some points, by the length that a test asks for: what is good for still longer ones, too. */
static bool *longest_of(const Choosing *x, const bool *here, const SizeTest *t) {
    enum { AS_LONG = 4 };
    const int64_t *length = ruler_of(x, t->axes)->length;
    bool *near = NEW_N(x->temp, bool, x->points->n);
    int64_t longest = 0;
    for (int i = 0; i < x->points->n; i++)
        if (here[i] && length[i] > longest) longest = length[i];
    for (int i = 0; i < x->points->n; i++) near[i] = here[i] && length[i] >= longest / AS_LONG;
    return near;
}

/* n: of the leaves so far, and the number of this parting. */
static void part(const Choosing *x, Leaf *leaves, int n, int leaf) {
    const Parting p = leaves[leaf].best;
    leaves[leaf].parted[leaves[leaf].nparted++] = n;
    memmove(&leaves[leaf + 1], &leaves[leaf], sizeof *leaves * (size_t)(n - leaf));
    Leaf *left = &leaves[leaf], *right = left + 1;
    const bool *all = right->here;
    left->tried = right->tried = false;
    left->here = left->near = NEW_N(x->temp, bool, x->points->n);
    right->here = right->near = NEW_N(x->temp, bool, x->points->n);
    bool any = false;
    for (int i = 0; i < x->points->n; i++) {
        const bool in = all_hold(x, p.test, p.ntests, i);
        left->here[i] = all[i] && in;
        any |= right->here[i] = all[i] && !in;
    }
    left->c = p.left;
    left->loss = p.loss[0];
    right->c = p.right;
    right->loss = p.loss[1];
    if (any) return;
    right->near = longest_of(x, all, p.test);
    if (x->sparing > 0) right->loss = versions_settle(x, &right->c, right->near);
}

/* Whether two leaves are the sides of one parting. */
static bool are_sides(const Leaf *a, const Leaf *b) {
    return a->nparted == b->nparted && !memcmp(a->parted, b->parted, sizeof *a->parted * (size_t)a->nparted);
}

/* Gives up the parting that gains least of those whose sides are both leaves. What is lost by that. */
static double unite(const Choosing *x, Leaf *leaves, int n) {
    double least = INFINITY;
    Leaf best = {0};
    int at = 0;
    for (int i = 0; i + 1 < n; i++) {
        if (!are_sides(&leaves[i], &leaves[i + 1])) continue;
        Leaf both = leaves[i + 1]; /* its tests are those before the parting */
        both.here = both.near = NEW_N(x->temp, bool, x->points->n);
        for (int k = 0; k < x->points->n; k++) both.here[k] = leaves[i].here[k] || leaves[i + 1].here[k];
        both.loss = versions_settle(x, &both.c, both.here);
        const double loss = both.loss - leaves[i].loss - leaves[i + 1].loss;
        if (!(loss < least)) continue;
        least = loss;
        best = both;
        at = i;
    }
    best.nparted--;
    leaves[at] = best;
    memmove(&leaves[at + 1], &leaves[at + 2], sizeof *leaves * (size_t)(n - at - 2));
    return least;
}

/* Seconds of a group where all sizes are alike: a mean of its logarithm. */
static double usual_seconds(const Choosing *x) {
    double sum = 0, all = 0;
    for (int i = 0; i < x->points->n; i++) {
        if (!(x->best[i] > 0) || !isfinite(x->best[i])) continue;
        sum += x->points->weight[i] * log(x->best[i]);
        all += x->points->weight[i];
    }
    return all > 0 ? exp(sum / all) / all : 0;
}

static void note(const Choosing *x, Chosen *c, const Leaf *leaves, int n) {
    Case *cases = NEW_N(x->ctx, Case, n);
    double loss = 0;
    for (int i = 0; i < n; i++) {
        cases[i] = leaves[i].c;
        loss += leaves[i].loss;
    }
    if (x->sparing > 0) loss = 0; /* what is spared counts otherwise: these are all there are */
    const double lost = loss * usual_seconds(x);
    for (int k = n - 1; k < MAX_VERSIONS; k++) {
        c->n[k] = n;
        c->cases[k] = cases;
        c->lost[k] = lost;
    }
}

/* Parts leaves by the best tests there are, until there are so many. Gives what that gains. */
static double part_all(Choosing *x, Leaves *l, double least, int most, Chosen *chosen) {
    double gained = 0;
    for (; l->n < most; l->n++) {
        const int leaf = best_leaf(x, l->at, l->n);
        if (l->at[leaf].best.worth <= least) break;
        gained += l->at[leaf].best.gain;
        part(x, l->at, l->n, leaf);
        if (chosen && l->n < LIKELY) note(x, chosen, l->at, l->n + 1);
    }
    return gained;
}

/* Parts leaves[0], by its best test if that was found, then by the best tests there are. What is lost in the end;
 * *chosen gets the cases on the way. */
static double grow(Choosing *x, Leaves *l, double least, Chosen *chosen) {
    double loss = l->at[0].loss;
    note(x, chosen, l->at, 1);
    l->n = 1;
    loss -= part_all(x, l, least, MAX_LIKELY, chosen);
    if (l->n <= LIKELY) return loss;
    for (; l->n > LIKELY; l->n--) loss += unite(x, l->at, l->n);
    note(x, chosen, l->at, l->n);
    return loss;
}

/* ---- what takes long anywhere ---- */

/* Whether one of the first so many rivals has the kernel that is number `kernel` of candidate c. */
static bool is_shared(const Choosing *x, int n, const Candidate *c, int kernel) {
    for (int k = 0; k < n; k++) {
        const Candidate *y = x->chosen->candidates.at[x->rival[k]];
        const bool same = y != c && y->division == c->division;
        if (same && schedule_equal(y->schedule[kernel], c->schedule[kernel])) return true;
    }
    return false;
}

static int kernels_of(const Choosing *x) {
    int kernels = 0;
    for (int k = 0; k < x->nrivals; k++) {
        const Candidate *c = x->chosen->candidates.at[x->rival[k]];
        for (int i = 0; i < c->n; i++) kernels += !is_shared(x, k, c, i);
    }
    return kernels;
}

/* Kernels that no other rival has. */
static int own_kernels(const Choosing *x, const Candidate *c) {
    int own = 0;
    for (int i = 0; i < c->n; i++) own += !is_shared(x, x->nrivals, c, i);
    return own > 1 ? own : 1;
}

/* The candidates that cases take become the rivals. How many kernels they are. */
static int keep_used(Choosing *x, const Leaves *l) {
    x->nrivals = 0;
    for (int i = 0; i < l->n; i++) {
        int k = 0;
        while (k < x->nrivals && x->rival[k] != l->at[i].c.candidate) k++;
        if (k == x->nrivals) x->rival[x->nrivals++] = l->at[i].c.candidate;
    }
    return kernels_of(x);
}

/* Settles the cases that take a candidate by others of the rivals, or asks what is lost by that. */
static double do_without(Choosing *x, Leaves *l, int rival, bool ask) {
    const int candidate = x->rival[rival];
    double lost = 0;
    x->rival[rival] = x->rival[--x->nrivals];
    for (int i = 0; i < l->n; i++) {
        Leaf *leaf = &l->at[i];
        Case c = leaf->c;
        if (c.candidate != candidate) continue;
        const double loss = versions_settle(x, &c, leaf->near);
        lost += loss - leaf->loss;
        if (ask) continue;
        leaf->c = c;
        leaf->loss = loss;
        leaf->tried = false;
    }
    if (ask) {
        x->rival[x->nrivals++] = x->rival[rival];
        x->rival[rival] = candidate;
    }
    return lost;
}

/* Gives up candidates as long as there are too many kernels, or some that are worth little. */
static void give_up(Choosing *x, Leaves *l, int few) {
    static const double WORTH = 0.5; /* logarithms of times that one of more than a few spares */
    while (keep_used(x, l) > few) {
        double least = INFINITY;
        int worst = -1;
        for (int k = 0; k < x->nrivals; k++) {
            const double lost = do_without(x, l, k, true) / own_kernels(x, x->chosen->candidates.at[x->rival[k]]);
            if (lost < least) least = lost, worst = k;
        }
        if (worst < 0 || (kernels_of(x) <= few + MORE_KERNELS && least > WORTH)) return;
        do_without(x, l, worst, false);
    }
}

/* Sizes that are rare weigh little, and may be left with what takes many times as long as the best there. Such sizes
 * get cases of their own, others are given up for them where they are worth less; and as a case whose schedule another
 * one has, too, costs no kernel, there are more of those. */
static void spare_the_worst(Choosing *x, Leaves *l) {
    static const double LONG[2] = {3, 1.25};   /* times the best: what takes longer is spared */
    static const double LEAST[2] = {0.7, 0.3}; /* logarithms of times, beyond that, that a case more spares */
    const bool extremes = x->points->n > x->points->nlikely;
    const int before = l->n, had = keep_used(x, l);
    const int most = extremes || before + MORE_CASES > LIKELY ? MAX_GROWN : before + MORE_CASES;
    x->sparing = LONG[extremes];
    versions_find_losses(x);
    for (int i = 0; i < l->n; i++) {
        l->at[i].loss = versions_settle(x, &l->at[i].c, l->at[i].near);
        l->at[i].tried = false;
    }
    part_all(x, l, LEAST[extremes], most, NULL);
    give_up(x, l, (had > MOST_SCHEDULES ? had : MOST_SCHEDULES) + MORE_KERNELS);
    keep_used(x, l);
    for (int i = 0; i < l->n; i++) l->at[i].tried = false;
    part_all(x, l, LEAST[extremes], most, NULL);
    for (; l->n > MAX_VERSIONS; l->n--) unite(x, l->at, l->n);
    for (int i = 0; i < l->n; i++) versions_settle(x, &l->at[i].c, l->at[i].near);
    note(x, x->chosen, l->at, l->n);
    keep_used(x, l);
    for (int k = 0; k < x->chosen->candidates.n; k++) x->chosen->candidates.at[k]->given_up = true;
    for (int k = 0; k < x->nrivals; k++) x->chosen->candidates.at[x->rival[k]]->given_up = false;
}

/* The first test decides about the others, and the one that gains most may be a bad start: one of each set of axes is
 * tried, and alignment. A product that a library runs is computed by the kernel only where the library refuses: one
 * version will do. */
void versions_find_cases(Choosing *x) {
    Leaf all = {.here = NEW_N(x->temp, bool, x->points->n)};
    all.near = all.here;
    enum { SEVERAL = 32 /* points: more than the values of one length */ };
    const double gain = x->points->nlikely > SEVERAL ? GAIN_OF_SEVERAL : GAIN;
    double weight = 0, least;
    x->rulers = NEW(x->temp, Rulers);
    for (int i = 0; i < x->points->n; i++) {
        all.here[i] = true;
        weight += x->points->weight[i];
    }
    all.loss = versions_settle(x, &all.c, all.here);
    Leaves *best = NEW(x->temp, Leaves), *other = NEW(x->temp, Leaves);
    best->at[0] = all;
    if (x->gr->product) {
        note(x, x->chosen, best->at, 1);
        return;
    }
    least = grow(x, best, gain * weight, x->chosen);
    const AxesList list = axes_to_test(x->gr);
    for (int i = 0; i <= list.n; i++) {
        Chosen tried = *x->chosen;
        other->at[0] = all;
        if (i < list.n)
            try_axes(x, other->at, list.at[i], &other->at[0].best);
        else
            try_alignment(x, other->at, &other->at[0].best);
        other->at[0].tried = true;
        double loss = grow(x, other, gain * weight, &tried);
        if (loss >= least) continue;
        least = loss;
        *best = *other;
        *x->chosen = tried;
    }
    spare_the_worst(x, best);
}

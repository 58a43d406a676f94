/* Cases of sizes: which candidate is taken where. A set of points is parted by the test that gains most, and its two
 * sides are parted again, as long as that gains enough; of too many cases those that gain least are united. See
 * versions.h. */
#include "versions_cases.h"

#include <math.h>
#include <string.h>

/* Cases, of which those that gain least are given up again; to spare what takes long, more of them. */
enum {
    MORE_CASES = 3,          /* beside hints, to spare what takes long */
    MORE_KERNELS = 2,        /* than the likely cases have; as many again, where each is worth it */
    LIKELY = MOST_SCHEDULES, /* that are for likely sizes alone; */
    SHARED = 2 * LIKELY,     /* of schedules that were chosen together, several of which may take the same; */
    BEYOND = 4               /* and before those that gain least are united */
};
/* Of the time, as a mean over the points: what another version gains at least, where one length is not known and where
 * several are, each of whose values is a smaller part of the points. */
static const double GAIN = 0.008, GAIN_OF_SEVERAL = 0.005;

/* The leaf whose best test is worth most, of those whose tests may be worth so much: none is worth more than its leaf
 * loses. */
static int best_leaf(Choosing *x, Leaf *leaves, int n, double least) {
    int best = 0;
    for (int i = 0; i < n; i++) {
        if (!leaves[i].tried) leaves[i].best = (Parting){.gain = 0};
        if (!leaves[i].tried && leaves[i].loss > least) versions_find_best(x, &leaves[i]);
        if (leaves[i].best.worth > leaves[best].best.worth) best = i;
    }
    return best;
}

/* The longest of some points, by the length that a test asks for: what is good for still longer ones, too. */
static bool *longest_of(const Choosing *x, const bool *here, const SizeTest *t) {
    enum { AS_LONG = 4 };
    const int64_t *length = versions_ruler(x, t->axes)->length;
    bool *near = NEW_N(x->temp, bool, x->points->n);
    int64_t longest = 0;
    for (int i = 0; i < x->points->n; i++)
        if (here[i] && length[i] > longest) longest = length[i];
    for (int i = 0; i < x->points->n; i++) near[i] = here[i] && length[i] >= longest / AS_LONG;
    return near;
}

/* The points of what a leaf was a part of last; NULL: it has all. */
static const bool *around(const Leaf *l) { return l->nparted ? l->parted[l->nparted - 1] : NULL; }

/* n: of the leaves so far. */
static void part(const Choosing *x, Leaf *leaves, int n, int leaf) {
    const Parting p = leaves[leaf].best;
    leaves[leaf].parted[leaves[leaf].nparted++] = leaves[leaf].here;
    memmove(&leaves[leaf + 1], &leaves[leaf], sizeof *leaves * (size_t)(n - leaf));
    Leaf *left = &leaves[leaf], *right = left + 1;
    const bool *all = right->here;
    left->tried = right->tried = false;
    left->here = left->near = NEW_N(x->temp, bool, x->points->n);
    right->here = right->near = NEW_N(x->temp, bool, x->points->n);
    bool any = false;
    for (int i = 0; i < x->points->n; i++) {
        const bool in = versions_all_hold(x, p.test, p.ntests, i);
        left->here[i] = all[i] && in;
        any |= right->here[i] = all[i] && !in;
    }
    left->c = p.left;
    left->loss = p.loss[0];
    right->c = p.right;
    right->loss = p.loss[1];
    if (any) return;
    right->near = longest_of(x, all, p.test);
    if (x->sparing > 0) right->loss = versions_settle(x, &right->c, right->near, NULL);
}

/* Whether two leaves are the sides of one parting. */
static bool are_sides(const Leaf *a, const Leaf *b) {
    return a->nparted == b->nparted && !memcmp(a->parted, b->parted, sizeof *a->parted * (size_t)a->nparted);
}

/* What two sides are as one case, settled. */
static Leaf united(const Choosing *x, const Leaf *sides) {
    Leaf both = sides[1]; /* its tests are those before the parting */
    both.here = both.near = NEW_N(x->temp, bool, x->points->n);
    for (int i = 0; i < x->points->n; i++) both.here[i] = sides[0].here[i] || sides[1].here[i];
    both.nparted--;
    both.tried = false;
    both.loss = versions_settle(x, &both.c, both.here, around(&both));
    return both;
}

static void take_united(Leaves *l, int at, Leaf both) {
    l->at[at] = both;
    l->n--;
    memmove(&l->at[at + 1], &l->at[at + 2], sizeof *l->at * (size_t)(l->n - at - 1));
}

static bool is_several(const Choosing *x, const Leaf *l) { return x->chosen->candidates.at[l->c.candidate]->n > 1; }

static int count_several(const Choosing *x, const Leaves *l) {
    int n = 0;
    for (int i = 0; i < l->n; i++) n += is_several(x, &l->at[i]);
    return n;
}

/* Gives up the parting that gains least of those whose sides are both leaves, and one of which takes several kernels if
 * that is asked. What is lost by that; INFINITY: there is none. */
static double unite(const Choosing *x, Leaves *l, bool several) {
    double least = INFINITY;
    Leaf best = {0};
    int at = 0;
    for (int i = 0; i + 1 < l->n; i++) {
        if (!are_sides(&l->at[i], &l->at[i + 1])) continue;
        if (several && !is_several(x, &l->at[i]) && !is_several(x, &l->at[i + 1])) continue;
        const Leaf both = united(x, &l->at[i]);
        const double loss = both.loss - l->at[i].loss - l->at[i + 1].loss;
        if (!(loss < least)) continue;
        least = loss;
        best = both;
        at = i;
    }
    if (isfinite(least)) take_united(l, at, best);
    return least;
}

/* Sides that take the same candidate are one case. */
static void unite_alike(const Choosing *x, Leaves *l) {
    for (int i = 0; i + 1 < l->n; i++) {
        const int candidate = l->at[i].c.candidate;
        if (candidate != l->at[i + 1].c.candidate || !are_sides(&l->at[i], &l->at[i + 1])) continue;
        take_united(l, i, united(x, &l->at[i]));
        i = -1; /* what is one now may be alike another one */
    }
}

/* Seconds of a group where all sizes are alike: a mean of its logarithm. *all: what all points weigh. */
static double usual_seconds(const Choosing *x, double *all) {
    double sum = 0;
    *all = 0;
    for (int i = 0; i < x->points->n; i++) {
        if (!(x->best[i] > 0) || !isfinite(x->best[i])) continue;
        sum += x->points->weight[i] * log(x->best[i]);
        *all += x->points->weight[i];
    }
    return *all > 0 ? exp(sum / *all) : 0;
}

/* These cases, of so many kernels, are what there is from some number of kernels on, up to the numbers that have cases
 * already. */
static void note(const Choosing *x, const Leaf *leaves, int n, int kernels, int from) {
    Chosen *c = x->chosen;
    Case *cases = NEW_N(x->ctx, Case, n);
    double loss = 0, weight;
    for (int i = 0; i < n; i++) {
        cases[i] = leaves[i].c;
        loss += leaves[i].loss;
    }
    c->usual = usual_seconds(x, &weight);
    const double lost = weight > 0 ? loss * c->usual / weight : 0;
    for (int k = from < MAX_VERSIONS ? from : MAX_VERSIONS - 1; k < MAX_VERSIONS && !c->cases[k]; k++) {
        c->n[k] = n;
        c->kernels[k] = kernels;
        c->cases[k] = cases;
        c->lost[k] = lost;
    }
}

/* Parts leaves by the best tests there are, until there are so many. Gives what that gains. */
static double part_all(Choosing *x, Leaves *l, double least, int most) {
    double gained = 0;
    for (; l->n < most; l->n++) {
        const int leaf = best_leaf(x, l->at, l->n, least);
        if (l->at[leaf].best.worth <= least) break;
        gained += l->at[leaf].best.gain;
        part(x, l->at, l->n, leaf);
    }
    return gained;
}

/* Parts leaves[0], by its best test if that was found, then by the best tests there are. What is lost in the end. */
static double grow(Choosing *x, Leaves *l, double least, int most) {
    double loss = l->at[0].loss;
    l->n = 1;
    loss -= part_all(x, l, least, most + BEYOND);
    while (l->n > most) loss += unite(x, l, false);
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

static void keep(Choosing *x, int candidate) {
    int k = 0;
    while (k < x->nrivals && x->rival[k] != candidate) k++;
    if (k == x->nrivals) x->rival[x->nrivals++] = candidate;
}

/* The candidates that cases take become the rivals. How many kernels they are. */
static int keep_used(Choosing *x, const Leaves *l) {
    x->nrivals = 0;
    for (int i = 0; i < l->n; i++) keep(x, l->at[i].c.candidate);
    return kernels_of(x);
}

int versions_keep_taken(Choosing *x, const Case *cases, int n) {
    x->nrivals = 0;
    for (int i = 0; i < n; i++) keep(x, cases[i].candidate);
    return kernels_of(x);
}

/* What each point loses by the best of some candidates but the one at `without`; INFINITY where there is none. */
static void loss_of_some(const Choosing *x, const int *some, int n, int without, double *loss) {
    for (int i = 0; i < x->points->n; i++) {
        loss[i] = INFINITY;
        for (int k = 0; k < n; k++)
            if (k != without) loss[i] = fmin(loss[i], x->chosen->candidates.at[some[k]]->loss[i]);
    }
}

/* The rival with which least is lost beside what points lose without it; -1: with each of them one has none. */
static int best_beside(const Choosing *x, const double *without) {
    int best = -1;
    double least = INFINITY;
    for (int k = 0; k < x->nrivals; k++) {
        const double *with = x->chosen->candidates.at[x->rival[k]]->loss;
        double loss = 0;
        for (int i = 0; i < x->points->n; i++) loss += fmin(without[i], with[i]);
        if (loss < least) least = loss, best = x->rival[k];
    }
    return best;
}

/* Each that leaves least lost beside those before it, then each is exchanged for what is better beside the others. */
void versions_keep_together(Choosing *x, int most) {
    enum { PASSES = 2 };
    double *loss = NEW_N(x->temp, double, x->points->n);
    int some[MAX_CANDIDATES], n = 0, better;
    for (loss_of_some(x, some, 0, -1, loss); n < most && (better = best_beside(x, loss)) >= 0;) {
        some[n++] = better;
        loss_of_some(x, some, n, -1, loss);
    }
    for (int k = 0; k < PASSES * n && n > 1; k++) {
        loss_of_some(x, some, n, k % n, loss);
        better = best_beside(x, loss);
        if (better >= 0) some[k % n] = better;
    }
    x->nrivals = 0;
    for (int k = 0; k < n; k++) keep(x, some[k]);
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
        const double loss = versions_settle(x, &c, leaf->near, around(leaf));
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

/* The rival without which least is lost, for each of the kernels that it alone has; -1: none can be done without. */
static int worth_least(Choosing *x, Leaves *l, double *least) {
    int worst = -1;
    *least = INFINITY;
    for (int k = 0; k < x->nrivals; k++) {
        const double lost = do_without(x, l, k, true) / own_kernels(x, x->chosen->candidates.at[x->rival[k]]);
        if (lost < *least) *least = lost, worst = k;
    }
    return worst;
}

/* Gives up candidates as long as there are too many kernels, or some that are worth little. */
static void give_up(Choosing *x, Leaves *l, int few) {
    static const double WORTH = 0.5; /* logarithms of times that one of more than a few spares */
    while (keep_used(x, l) > few) {
        double least;
        const int worst = worth_least(x, l, &least);
        if (worst < 0 || (kernels_of(x) <= few + MORE_KERNELS && least > WORTH)) return;
        do_without(x, l, worst, false);
    }
}

/* The cases, and those of fewer kernels, down to one for all sizes. */
static void note_each(Choosing *x, Leaves *l, const Leaf *all) {
    static const double FEWER = 0.1; /* of what is spared with all kernels: fewer are for likely sizes first */
    double least;
    unite_alike(x, l);
    int kernels = keep_used(x, l);
    note(x, l->at, l->n, kernels, kernels - 1);
    x->spared = FEWER;
    versions_find_losses(x);
    keep_used(x, l);
    for (int i = 0; i < l->n; i++) l->at[i].loss = versions_settle(x, &l->at[i].c, l->at[i].near, around(&l->at[i]));
    for (int worst;; kernels = keep_used(x, l)) {
        note(x, l->at, l->n, kernels, kernels - 1);
        if ((worst = worth_least(x, l, &least)) < 0) break;
        do_without(x, l, worst, false);
        unite_alike(x, l);
        while (2 * l->n > 3 * kernels && isfinite(unite(x, l, false))) continue;
        while (3 * count_several(x, l) > kernels + 2 && isfinite(unite(x, l, true))) continue;
    }
    note(x, all, 1, x->chosen->candidates.at[all->c.candidate]->n, 0);
}

/* Sizes that are rare weigh little, and may be left with what takes many times as long as the best there. Such sizes
 * get cases of their own, others are given up for them where they are worth less; and as a case whose schedule another
 * one has, too, costs no kernel, there are more of those. */
static void spare_the_worst(Choosing *x, Leaves *l, Leaf *all) {
    static const double LONG[2] = {3, 1.25};   /* times the best: what takes longer is spared */
    static const double LEAST[2] = {0.7, 0.3}; /* logarithms of times, beyond that, that a case more spares */
    const bool extremes = x->points->n > x->points->nlikely;
    const int before = l->n, had = keep_used(x, l);
    const int most = extremes || before + MORE_CASES > LIKELY ? MAX_GROWN : before + MORE_CASES;
    x->sparing = LONG[extremes];
    x->spared = 1;
    versions_find_losses(x);
    all->loss = versions_settle(x, &all->c, all->here, NULL);
    for (int i = 0; i < l->n; i++) {
        l->at[i].loss = versions_settle(x, &l->at[i].c, l->at[i].near, around(&l->at[i]));
        l->at[i].tried = false;
    }
    part_all(x, l, LEAST[extremes], most);
    give_up(x, l, (had > MOST_SCHEDULES ? had : MOST_SCHEDULES) + MORE_KERNELS);
    keep_used(x, l);
    for (int i = 0; i < l->n; i++) l->at[i].tried = false;
    part_all(x, l, LEAST[extremes], most);
    while (l->n > MAX_VERSIONS && isfinite(unite(x, l, false))) continue;
    for (int i = 0; i < l->n; i++) l->at[i].loss = versions_settle(x, &l->at[i].c, l->at[i].near, around(&l->at[i]));
    keep_used(x, l);
    for (int k = 0; k < x->chosen->candidates.n; k++) x->chosen->candidates.at[k]->given_up = true;
    for (int k = 0; k < x->nrivals; k++) x->chosen->candidates.at[x->rival[k]]->given_up = false;
    note_each(x, l, all);
}

/* The first test decides about the others, and the one that gains most may be a bad start: one of each set of axes is
 * tried, and alignment; and of one or two lengths a tree of candidates that lose least together, which no test by
 * itself finds. A product that a library runs is computed by the kernel only where the library refuses: one version
 * will do. */
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
    all.loss = versions_settle(x, &all.c, all.here, NULL);
    Leaves *best = NEW(x->temp, Leaves), *other = NEW(x->temp, Leaves);
    best->at[0] = all;
    if (group_any_kernel(x->gr)) {
        note(x, best->at, 1, 1, 0);
        return;
    }
    least = grow(x, best, gain * weight, LIKELY);
    const LengthsList list = versions_to_test(x);
    for (int i = 0; i <= list.n; i++) {
        other->at[0] = all;
        if (i < list.n && list.at[i].per) continue;
        if (i < list.n)
            versions_try_lengths(x, other->at, list.at[i], &other->at[0].best);
        else
            versions_try_alignment(x, other->at, &other->at[0].best);
        other->at[0].tried = true;
        double loss = grow(x, other, gain * weight, LIKELY);
        if (loss >= least) continue;
        least = loss;
        *best = *other;
    }
    if (!x->points->many) {
        versions_keep_together(x, LIKELY);
        other->at[0] = all;
        if (grow(x, other, gain * weight / 2, SHARED) < least) *best = *other;
    }
    spare_the_worst(x, best, &all);
}

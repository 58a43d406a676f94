/* Tests of sizes that part the points of a case: of lengths, up to which a candidate is legal or between points, and of
 * rows that begin at aligned addresses. What a test is worth is what the best candidates of its two sides gain. */
#include "versions_cases.h"

#include <math.h>
#include <stdlib.h>

static const double ROUNDING = 1e-9; /* of sums of losses, which depends on their order */
static const double ENOUGH = 1.03;   /* times the best at every point: then there are versions enough */

/* ---- lengths ---- */

/* Between how many times others some lengths are, and the next more: the number that ends in most zeros, so that it is
 * read, and multiplied with lengths, without trouble. */
static int64_t round_between(int64_t times, int64_t next) {
    enum { FAR = 4 };
    if (next / FAR > times) next = FAR * times;
    for (int bits = 62; bits > 0; bits--) {
        const int64_t rounded = (next - 1) >> bits << bits;
        if (rounded >= times) return rounded;
    }
    return next - 1;
}

static bool same_lengths(Lengths a, Lengths b) { return a.of == b.of && a.per == b.per; }

bool versions_asks(const SizeTest *t, int axis) {
    return t->axes.of == (AxisSet)1 << axis && !t->axes.per && !t->divisor;
}

static int64_t product_at(const Choosing *x, AxisSet axes, int point) {
    int64_t n = 1;
    for (int a = 0; a < x->gr->axes.n; a++)
        if (axes >> a & 1 && !mul_ok(n, x->form[0]->lengths[point][a], &n)) return INT64_MAX;
    return n;
}

static int64_t length_at(const Choosing *x, Lengths axes, int point) {
    int64_t n = product_at(x, axes.of, point), per = axes.per ? product_at(x, axes.per, point) : 1;
    if (!axes.per) return n;
    if (!mul_ok(n, LENGTHS_ONE, &n)) return INT64_MAX;
    return per > 1 ? n / per + (n % per > 0) : n;
}

/* A power of 2 near the middle between a length and the next longer one there is. */
static int64_t between(int64_t length, int64_t next) {
    double middle = sqrt((double)(length < 1 ? 1 : length) * (double)next);
    int64_t power = 1;
    while (power <= INT64_MAX / 4 && (double)power * 2 <= middle) power *= 2;
    return power >= length ? power : length;
}

/* Asked for again and again, it is made once. */
const Ruler *versions_ruler(const Choosing *x, Lengths axes) {
    const int n = x->points->n;
    for (int i = 0; i < x->rulers->n; i++)
        if (same_lengths(x->rulers->at[i]->axes, axes)) return x->rulers->at[i];
    Ruler *r = NEW_RAW(x->temp, Ruler, 1);
    r->axes = axes;
    for (int i = 0; i < n; i++) {
        int at = i;
        r->length[i] = length_at(x, axes, i);
        for (; at > 0 && r->length[r->order[at - 1]] > r->length[i]; at--) r->order[at] = r->order[at - 1];
        r->order[at] = i;
    }
    int64_t next = INT64_MAX;
    for (int i = n - 1; i >= 0; i--) {
        const int point = r->order[i];
        const bool last = i + 1 == n || r->length[r->order[i + 1]] > r->length[point];
        if (last && i + 1 < n) next = r->length[r->order[i + 1]];
        r->end[point] = !last      ? r->end[r->order[i + 1]]
                        : axes.per ? round_between(r->length[point], next)
                                   : between(r->length[point], next);
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
            ok |= versions_asks(t, a) && t->most <= c->most[a];
        }
        if (!ok) set |= (AxisSet)1 << a;
    }
    return set;
}

bool versions_legal_in(const Choosing *x, const Candidate *c, const Case *in) { return !too_long(x, c, in); }

/* Some of the points, by their numbers. */
typedef struct Some {
    int n, at[MAX_POINTS];
} Some;

static void some_of(const Choosing *x, const bool *here, Some *s) {
    s->n = 0;
    for (int i = 0; i < x->points->n; i++)
        if (here[i]) s->at[s->n++] = i;
}

/* What a candidate loses at a point around is as much again; where it is not legal at some of them nothing is said. */
static double beside(double loss, int n) { return n && isfinite(loss) ? VERSIONS_AROUND * loss / n : 0; }

/* What a candidate loses at them, or at least so much. */
static double loss_over(const Candidate *y, const Some *s, double most) {
    double loss = 0;
    for (int i = 0; i < s->n && loss < most; i++) loss += y->loss[s->at[i]];
    return loss;
}

double versions_settle(const Choosing *x, Case *c, const bool *here, const bool *around) {
    double least = INFINITY, lost = INFINITY;
    Some inside, outside = {0};
    some_of(x, here, &inside);
    if (!inside.n) return 0;
    if (around && x->points->ndrawn) some_of(x, around, &outside);
    for (int k = 0; k < x->nrivals; k++) {
        const Candidate *y = x->chosen->candidates.at[x->rival[k]];
        if (!versions_legal_in(x, y, c)) continue;
        const double loss = loss_over(y, &inside, least);
        if (!(loss < least - ROUNDING)) continue;
        const double all = loss + beside(loss_over(y, &outside, INFINITY), outside.n);
        if (!(all < least - ROUNDING)) continue;
        least = all;
        lost = loss;
        c->candidate = x->rival[k];
    }
    return lost;
}

bool versions_holds(const Choosing *x, const SizeTest *t, int point) {
    const int64_t n = t->tensor ? expr_guess_at(versions_row(x->gr, t), x->points->dims[point])
                                : versions_ruler(x, t->axes)->length[point];
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
    return same_lengths(a->axes, b->axes) && a->divisor == b->divisor && a->tensor == b->tensor;
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

/* The points of a leaf in the order of the lengths of some axes, multiplied, and the lengths that are worth a test. */
typedef struct Sweep {
    int n, ntests;
    int point[MAX_POINTS];
    int64_t length[MAX_POINTS], most[MAX_CANDIDATES + MAX_POINTS];
} Sweep;

/* A test's two sides: what they lose by the best candidates there. */
typedef struct Sides {
    int nleft, candidate[2];
    double loss[2], all[2]; /* the second with what they lose around */
    double within;          /* what a candidate gains that only the last points of the left are for */
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

/* Whether one of the first so many tests asks for the same. */
static bool is_asked(const Sweep *s, int n, int64_t most) {
    for (int i = 0; i < n; i++)
        if (s->most[i] == most) return true;
    return false;
}

/* The number of a length's quarter of an octave: of lengths that lie close a few are told apart. */
static int quarter(int64_t length) {
    int octave = 0;
    while (length >> octave > 1) octave++;
    return 4 * octave + (octave < 2 ? 0 : (int)(length >> (octave - 2)) & 3);
}

static int points_up_to(const Sweep *s, int64_t most) {
    int from = 0, to = s->n;
    while (from < to) {
        const int middle = (from + to) / 2;
        if (s->length[middle] <= most)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static int longer_first(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

/* Those up to which candidates are legal, the longest first, then those between points. */
static void find_lengths(const Choosing *x, Lengths axes, const Ruler *r, Sweep *s) {
    s->ntests = 0;
    for (int k = 0; k < x->chosen->candidates.n; k++)
        for (int a = 0; a < x->gr->axes.n; a++)
            if (axes.of == (AxisSet)1 << a && !axes.per && x->chosen->candidates.at[k]->most[a] < INT64_MAX &&
                !is_asked(s, s->ntests, x->chosen->candidates.at[k]->most[a]))
                s->most[s->ntests++] = x->chosen->candidates.at[k]->most[a];
    const int legal = s->ntests;
    qsort(s->most, (size_t)legal, sizeof *s->most, longer_first);
    for (int i = 0; i < s->n; i++) {
        const int64_t most = r->end[s->point[i]];
        if (i + 1 < s->n && quarter(s->length[i]) == quarter(s->length[i + 1])) continue;
        if (!is_asked(s, legal, most)) s->most[s->ntests++] = most;
    }
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

static void try_candidate(const Choosing *x, const Sweep *s, const Leaf *l, Lengths axes, int k, Sides *sides) {
    const Candidate *c = x->chosen->candidates.at[k];
    double before[MAX_POINTS + 1], after[MAX_POINTS + 1];
    const AxisSet over = too_long(x, c, &l->c);
    if (over && (over != axes.of || over & (over - 1) || axes.per)) return;
    int64_t most = INT64_MAX; /* for which it is legal on the left */
    for (int a = 0; a < x->gr->axes.n; a++)
        if (over >> a & 1) most = c->most[a];
    sum_losses(s, c, before, after);
    const double around = x->points->ndrawn ? beside(before[s->n], s->n) : 0;
    for (int i = 0; i < s->ntests; i++) {
        const double loss[2] = {s->most[i] <= most ? before[sides[i].nleft] : INFINITY,
                                over ? INFINITY : after[sides[i].nleft]};
        for (int side = 0; side < 2; side++)
            if (loss[side] + around < sides[i].all[side] - ROUNDING) {
                sides[i].loss[side] = loss[side];
                sides[i].all[side] = loss[side] + around;
                sides[i].candidate[side] = k;
            }
    }
    if (x->sparing > 0) try_within(s, x->chosen->candidates.at[l->c.candidate], before, most, sides);
}

/* Tests of the lengths of some axes, all of them at once. */
void versions_try_lengths(Choosing *x, const Leaf *l, Lengths axes, Parting *best) {
    Sweep s;
    Sides sides[MAX_CANDIDATES + MAX_POINTS];
    if (l->c.ntests == MAX_TESTS || l->loss <= best->worth) return; /* no test gains more than is lost */
    const Ruler *r = versions_ruler(x, axes);
    order_points(x, l, r, &s);
    find_lengths(x, axes, r, &s);
    for (int i = 0; i < s.ntests; i++) {
        sides[i] = (Sides){
            .candidate = {l->c.candidate, l->c.candidate}, .loss = {INFINITY, INFINITY}, .all = {INFINITY, INFINITY}};
        sides[i].nleft = points_up_to(&s, s.most[i]);
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

static void add_lengths(LengthsList *list, AxisSet of, AxisSet per) {
    for (int i = 0; i < list->n; i++)
        if (same_lengths(list->at[i], (Lengths){of, per})) return;
    if (of && list->n < MAX_LENGTHS) list->at[list->n++] = (Lengths){of, per};
}

static bool is_one(AxisSet axes) { return !(axes & (axes - 1)); }

/* How many elements ranges that are data have, on an average: which kernels are quick is told by that. */
static void add_ranges(LengthsList *list, Group *gr, AxisSet may) {
    for (int i = 0; i < gr->steps.n; i++) {
        AxisSet within;
        const AxisSet over = gr->steps.at[i].over;
        if (!group_ragged(gr, &gr->steps.at[i], &within) || !within || (over | within) & ~may) continue;
        add_lengths(list, over, within);
    }
}

/* Of axes that tell rows apart, and along which no elements are neighbours, only how many rows they make together: with
 * several such lengths the points are too few to see that one alone says nothing. */
LengthsList versions_to_test(const Choosing *x) {
    LengthsList list = {0};
    const Group *gr = x->gr;
    const AxisSet may = versions_testable(gr), joined = joined_axes(gr), all = gr->across ? may : together(gr, may);
    AxisSet kept = 0;
    for (int a = 0; a < gr->axes.n; a++)
        if (may >> a & 1 && axis_has_grid(&gr->axes.at[a])) kept |= (AxisSet)1 << a;
    const bool rows = gr->steps.n && kept & (kept - 1);
    for (int a = 0; a < gr->axes.n; a++)
        if (may >> a & 1 && !(rows && (kept & ~joined) >> a & 1 && !gr->axes.at[a].contiguous))
            add_lengths(&list, (AxisSet)1 << a, 0);
    add_lengths(&list, kept, 0);
    if (gr->neighbours & may) add_lengths(&list, kept | (gr->neighbours & may), 0);
    add_lengths(&list, all, 0);
    add_ranges(&list, x->gr, may);
    for (int i = 0, n = x->last ? list.n : 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (is_one(list.at[i].of) && is_one(list.at[k].of)) add_lengths(&list, list.at[i].of, list.at[k].of);
    return list;
}

/* What the best test of lengths gains for one side of a parting. */
static double gain_behind(Choosing *x, const LengthsList *list, const Case *c, const bool *here, double loss) {
    Parting best = {.gain = 0};
    const Leaf side = {.c = *c, .here = (bool *)here, .loss = loss};
    for (int i = 0; i < list->n && !list->at[i].per; i++) versions_try_lengths(x, &side, list->at[i], &best);
    return best.gain;
}

bool versions_all_hold(const Choosing *x, const SizeTest *test, int n, int point) {
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
        const bool in = versions_all_hold(x, test, ntests, i);
        count[0] += here[0][i] = l->here[i] && in;
        count[1] += here[1][i] = l->here[i] && !in;
    }
    if (!count[0] || !count[1]) return;
    const LengthsList list = versions_to_test(x);
    Parting p = {.ntests = ntests, .left = l->c, .right = l->c};
    for (int i = 0; i < ntests; i++) add_test(&p.left, p.test[i] = test[i]);
    p.loss[0] = versions_settle(x, &p.left, here[0], l->here);
    p.loss[1] = versions_settle(x, &p.right, here[1], l->here);
    p.gain = l->loss - p.loss[0] - p.loss[1];
    /* What is behind gains no more than is lost there. */
    if (fmax(p.gain, (p.gain + fmax(p.loss[0], p.loss[1])) / 2) <= best->worth + ROUNDING) return;
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
void versions_try_alignment(Choosing *x, const Leaf *l, Parting *best) {
    if (x->points->displaced) return;
    SizeTest tried[MAX_GROUP_AXES];
    int n = 0;
    for (int i = 0; i < x->form[0]->accesses.n; i++) {
        const CostAccess *c = &x->form[0]->accesses.at[i];
        for (int a = 0; a < x->gr->axes.n && c->tensor->rank > 1 && n < MAX_GROUP_AXES; a++) {
            SizeTest t = {{(AxisSet)1 << a, 0}, 0, 8 * TARGET_ACCESS / type_bits(c->tensor->type), 0};
            bool same = t.divisor < 2 || c->moves[a] != MOVE_BY_ONE || !(versions_testable(x->gr) & t.axes.of);
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
            if (!same_lengths(tried[i].axes, tried[k].axes))
                try_multiples(x, l, (SizeTest[]){tried[k], tried[i]}, 2, best);
}

void versions_find_best(Choosing *x, Leaf *l) {
    l->best = (Parting){.gain = 0};
    l->tried = true;
    if (is_enough(x, l)) return;
    const LengthsList list = versions_to_test(x);
    for (int i = 0; i < list.n; i++) versions_try_lengths(x, l, list.at[i], &l->best);
    versions_try_alignment(x, l, &l->best);
}

/* Seconds of a kernel: see judge.h.
 *
 * Blocks on a multiprocessor share what it issues and what it is given of the caches and of memory; how many there are
 * at a time, and how long one lives, says how much is under way. The time is the largest of what each of these takes,
 * rounded off where two are nearly equal, and the life of the last blocks, which nothing overlaps. */
#include "judge.h"

#include "judge_access.h"

#include <math.h>
#include <string.h>

#define ACCESS(name, value, source) static const double name = value;
#include "issue.def"

/* Where vectors are not aligned, what is made of the elements of one of them, or of the two pieces that it lies across,
 * stands behind tests of its own, and the next one waits for it: this part of what it would if nothing overlapped
 * (bench/corpus/unsaid.tsv: a cosine of rows of 777 elements in vectors of 4 took 242 us on an H200, and 102 are
 * predicted without this; where other warps have much to do, it shows less). */
static const double TURN_ELEMENTS = 0.5, TURN_PIECES = 1, TURN_ENDS = 1;
/* Vectors that each have a test of their own, which a fold asks for again: beyond so many, as there are predicates for,
 * what an access brought is folded before the next one (an RMS norm of rows of 12288 elements, 16 vectors a thread,
 * took 1.7 times a copy on an H100). Single elements are tested by predicates, and loaded together. */
static const double TURN_VECTORS = 0.35, PREDICATES = 6;
/* What a block asks for at once, outside of loops and before its threads meet, comes no faster than a multiprocessor's
 * share of what memory gives: this part of that time it waits, while what came first is used already (bench/corpus: the
 * regret's 90th percentile of unsaid lengths is 40 % with it and 62 % without). */
static const double AWAITED = 0.7;
static const double NEARLY = 0.25; /* of a block that does not fit: registers are an estimate */
static const double SURELY = 0.95; /* of a block: what does not fit by more will spill */
enum { LEAST_BESIDE = 12 /* registers of a thread beside its tiles */, BESIDE_KEPT = 4 /* beside Features.kept */ };

typedef struct Judge {
    Features *f;
    const Machine *m;
    const Target *target; /* the machine's */
    uint64_t fails;       /* bits of Features.conds that these sizes do not meet */
    double blocks, resident, warps;
    double slots;   /* blocks that may run at a time */
    double at_once; /* blocks that run at a time */
    double reached; /* the share of its registers that a thread goes through */
    double idle;    /* the share of a warp's rungs that rows of fewer lanes leave out */
    bool spills;    /* registers are more than a multiprocessor, or a launch bound, leaves */
    Touched touched[FEATURE_ACCESSES];
    DigitAt digits[FEATURE_ACCESSES][FEATURE_DIGITS];
    const DigitAt *digit[FEATURE_ACCESSES];   /* of each access: its own, or its twin's */
    bool vectors[FEATURE_ACCESSES];           /* whether an access is made by vectors */
    bool follows[FEATURE_ACCESSES];           /* an earlier load brings what this one needs */
    double wait[FEATURE_ACCESSES];            /* of each access: seconds until it is there */
    double waits[FEATURE_BODIES];             /* of an iteration, for its loads */
    double life[FEATURE_BODIES];              /* of an iteration: seconds, inner loops included */
    double moved[FEATURE_BODIES];             /* bytes that a block's loads bring from memory, in an iteration */
    double issue[FEATURE_BODIES];             /* instructions for accesses */
    double aside[FEATURE_BODIES][PIPE_COUNT]; /* and for their addresses */
    double pass[FEATURE_BODIES];              /* cycles that a warp's accesses keep the first cache busy */
    double body[FEATURE_BODIES];              /* bytes that a block touches in an iteration, inner loops included */
    double whole;                             /* and in all, on an average */
    double read, written;                     /* bytes that memory moves */
    double partly;                            /* sectors of which blocks store parts */
    double apart;                             /* pieces in which blocks ask for them */
    double cache;                             /* bytes between the multiprocessors and the second cache */
    double atomics;                           /* operations on elements in the second cache */
    double memory_cycles;                     /* that a warp keeps the first cache busy */
} Judge;

static double at(const Judge *j, int step) { return j->f->value[step]; }

/* How much of what is read again, after so many other bytes, has left a cache of that size. */
static double gone(double distance, double cache) {
    double x = cache > 0 ? distance / cache : 2;
    x *= x;
    x *= x;
    return x / (1 + x);
}

static double second_cache(const Judge *j) { return j->m->l2_share * j->m->l2; }

static double first_cache(const Judge *j) { return most_of(0, j->m->l1 - j->f->shared * j->resident); }

/* ---- how many blocks ---- */

enum { UNIT = 8 /* registers of a thread, as the compiler gives them */ };

static double registers(const Features *f, const Machine *m) {
    const double loops = f->loops ? m->register_loop : 0;
    const double r =
        (f->folds ? m->registers : m->registers_map) + (m->register_tile + loops) * f->tile_words + f->beside;
    return least_of(ceil(most_of(r, f->at_least) / UNIT) * UNIT, m->target->registers + 1);
}

int judge_resident(const Features *f, const Machine *m) {
    const double n = floor(m->target->registers_per_sm / (registers(f, m) * (double)f->threads) + NEARLY);
    return (int)most_of(1, least_of(n, (double)m->target->threads_per_sm / (double)f->threads));
}

static bool has_vectors(const Features *f) {
    for (int i = 0; i < f->accesses.n; i++)
        if (f->accesses.at[i].vector > 1) return true;
    return false;
}

static void find_resident(Judge *j) {
    enum { SHARED_OF_A_BLOCK = 1024 };
    const Target *t = j->target;
    const double threads = j->warps * TARGET_WARP, all = ceil(j->f->threads / (double)TARGET_WARP) * TARGET_WARP;
    const bool bounded = j->f->resident && !j->fails;
    /* What the compiler may use for a thread, of a block of all threads. */
    const double bound = t->registers_per_sm / (all * (bounded ? j->f->resident : 1)), used = registers(j->f, j->m);
    /* Where a launch starts a part of the threads, the compiler knows nothing of it, and for vectors takes what it may:
     * it loads many of them early. */
    const double taken = j->f->started >= 0 && has_vectors(j->f) && used > bound / 2 ? bound : least_of(used, bound);
    const double fit = t->registers_per_sm / (taken * threads);
    const bool estimated = taken < bound;
    double n = least_of(floor(t->threads_per_sm / threads), floor(fit + (estimated ? NEARLY : 0)));
    /* Beside tiles much can be computed again, or later; see lower_file.c. */
    j->spills =
        bounded ? j->m->register_tile * j->f->tile_words + j->f->beside + LEAST_BESIDE > bound : bound / used < SURELY;
    j->spills |=
        registers(j->f, j->m) > t->registers || (bounded && j->f->kept + BESIDE_KEPT > floor(bound / UNIT) * UNIT);
    n = least_of(n, floor(t->shared_per_sm / (j->f->shared + SHARED_OF_A_BLOCK)));
    j->resident = most_of(1, least_of(n, t->blocks_per_sm));
    /* A cluster's blocks run in one group of multiprocessors, whose last ones are too few for another. */
    j->slots = j->resident * j->m->sms - (j->f->cluster - 1) * j->m->cluster_idle * j->m->sms;
    j->at_once = least_of(j->blocks, j->slots);
}

/* ---- what is moved ---- */

/* Whether peeled rows begin and end inside of vectors. */
static bool are_odd(const Judge *j, const Access *a) {
    return a->row >= 0 && (j->f->displaced || !is_multiple(at(j, a->row), a->vector));
}

/* Whether an access is made by vectors at these sizes. */
static bool find_vectors(const Judge *j, const Access *a) {
    if (a->single || (a->together && j->fails)) return false;
    if (!a->peel) return a->across || !(a->aligned & j->fails);
    return a->across || !a->apart || !are_odd(j, a);
}

static bool by_vectors(const Judge *j, const Access *a) { return j->vectors[a - j->f->accesses.at]; }

/* Whether its vectors may lie across aligned pieces: they are put together then, of rows that are aligned, too. */
static bool may_be_across(const Access *a) { return a->across && a->vector > 1 && (!a->peel || a->apart); }

static bool is_across(const Judge *j, const Access *a) { return may_be_across(a) && are_odd(j, a); }

static void find_touched(Judge *j) {
    const Features *f = j->f;
    for (int i = 0; i < f->bodies.n; i++) {
        j->body[i] = j->moved[i] = j->issue[i] = j->pass[i] = 0;
        memset(j->aside[i], 0, sizeof j->aside[i]);
    }
    for (int i = 0; i < f->accesses.n; i++) {
        const Access *a = &f->accesses.at[i];
        j->vectors[i] = find_vectors(j, a);
        j->digit[i] = j->digits[i];
        if (a->twin >= 0 && j->vectors[i] == j->vectors[a->twin]) {
            j->touched[i] = j->touched[a->twin];
            j->digit[i] = j->digit[a->twin];
        } else {
            j->touched[i] = access_touched(f, a, j->digits[i], j->vectors[i], j->target);
            if (a->open) j->touched[i].instructions *= j->reached;
        }
        j->follows[i] = access_follows(f, i, j->digit[i], j->target->sector);
        if (!j->follows[i]) j->body[a->body] += j->touched[i].block * j->target->sector;
    }
    j->whole = 0;
    for (int i = f->bodies.n - 1; i >= 0; i--)
        if (f->bodies.at[i].parent < 0)
            j->whole += j->body[i] * at(j, f->bodies.at[i].blocks) / j->blocks;
        else
            j->body[f->bodies.at[i].parent] += j->body[i] * at(j, f->bodies.at[i].trips);
}

/* What a load finds in which cache: the part of its bytes that comes from the second one, of those that come from
 * there, the part that comes from memory. */
typedef struct Source {
    double second, memory, again; /* again: how often all of it is brought from memory */
} Source;

static void repeat(Source *s, double times, double first_gone, double second_gone) {
    s->second *= 1 / times + (1 - 1 / times) * first_gone;
    s->again *= 1 + (times - 1) * first_gone * second_gone;
}

/* The outermost of the loops around a Body in which another one does not stand: what ends between the two. */
static int ended_loop(const Features *f, int body, int other) {
    for (int up = f->bodies.at[body].parent; up >= 0; up = f->bodies.at[body].parent) {
        int around = other;
        while (around >= 0 && around != up) around = f->bodies.at[around].parent;
        if (around == up) break;
        body = up;
    }
    return body;
}

/* Loops and blocks along which the address stays where it is, or within a sector. */
static Source source_of(const Judge *j, const Access *a) {
    Source s = {1, 1, 1};
    const DigitAt *const digit = j->digit[a - j->f->accesses.at];
    double before = 1; /* blocks between two of a digit's */
    for (int i = a->ndigits - 1; i >= 0; i--) {
        const Digit *d = &a->digit[i];
        const double count = digit[i].count, by = digit[i].by, walked = at(j, d->count);
        double times = walked;
        if (d->data) {
            before *= d->scope == SCOPE_BLOCK ? walked : 1;
            continue;
        }
        if (by > 0)
            times = most_of(walked / count, by < j->target->sector ? least_of(walked, j->target->sector / by) : 1);
        if (times > 1 && d->scope == SCOPE_LOOP) {
            const double distance = j->body[d->weight];
            repeat(&s, times, gone(distance * j->resident, first_cache(j)),
                   gone(distance * j->at_once, second_cache(j)));
        }
        if (times > 1 && d->scope == SCOPE_BLOCK) {
            const double bytes = j->whole, own = most_of(1, least_of(times, j->blocks / j->m->sms));
            const double first = gone(before * bytes, first_cache(j)), second = gone(before * bytes, second_cache(j));
            s.second *= 1 / own + (1 - 1 / own) * first;
            s.again *= 1 + (times - 1) * second;
        }
        if (d->scope == SCOPE_BLOCK) before *= walked;
    }
    if (a->before >= 0 && a->before != a->body) {
        const int ended = ended_loop(j->f, a->before, a->body);
        const double distance = j->body[ended] * (ended ? at(j, j->f->bodies.at[ended].trips) : 1);
        const double first = gone(distance * j->resident, first_cache(j));
        s.second *= first;
        s.memory = first * gone(distance * j->at_once, second_cache(j));
    }
    if (j->follows[a - j->f->accesses.at]) {
        s.second = s.memory = 0; /* it is on its way already */
    }
    return s;
}

/* Bytes of an access to rows that data names: what is named more than once is in the cache as far as that goes. */
static double named(const Judge *j, double bytes, double tensor) {
    if (bytes <= tensor) return bytes;
    return tensor + (bytes - tensor) * (1 - least_of(1, second_cache(j) / tensor));
}

static bool wide_access(const Judge *j, const Access *a) { return a->vector > 1 && by_vectors(j, a); }

/* In how many vectors of a warp a row begins or ends that warps share which are settled at launch. */
static double settled_edges(const Judge *j) { return FEATURE_ENDS / most_of(1, j->warps); }

/* The elements of the vectors in which a row begins and ends, stored one by one; and loaded so where they are not
 * aligned with the rows of the peel. In an iteration. */
static double edge_elements(const Judge *j, const Access *a) {
    const Body *b = &j->f->bodies.at[a->body];
    const bool each = wide_access(j, a) && are_odd(j, a) && (a->store || !a->peel || a->apart);
    const double edges = j->f->started >= 0 ? settled_edges(j) : a->edges;
    return each ? edges * a->vector / (b->parent < 0 ? 1 : most_of(1, at(j, b->trips))) : 0;
}

/* Instructions for an access, and for its address. An element by itself has a test of its own, and less than a word has
 * a place in one. */
static double access_issue(const Judge *j, const Access *a, const Touched *t) {
    const bool wide = wide_access(j, a);
    const bool open = a->open && !(a->filled >= 0 && at(j, a->filled) >= 1);
    const double each = wide                          ? ADDRESS + (j->fails ? ALIGNED : 0)
                        : a->vector > 1               ? BY_ITSELF
                        : a->bytes >= TARGET_REGISTER ? ADDRESS
                        : open                        ? BY_ITSELF
                                                      : NARROW;
    const double edges = edge_elements(j, a) * OF_EDGE;
    /* Where a length is not known, each vector that it may cut compares both of its ends with it. */
    const bool compared = open && a->vector > 1 && (a->row >= 0 || !wide);
    const double ends = compared ? OPEN_ENDS * t->instructions / (wide ? 1 : a->vector) : 0;
    const double put_together = ACROSS + ACROSS_WORD * a->vector * a->bytes / TARGET_REGISTER;
    const double across = may_be_across(a) ? is_across(j, a) + put_together : 0;
    /* Registers that a length does not reach are tested as the others are. */
    const double all = a->open ? t->instructions / j->reached : t->instructions;
    return all * (1 + each + across) + edges + ends;
}

static void add_access(Judge *j, int i, const double *left) {
    const Access *a = &j->f->accesses.at[i];
    const Touched *t = &j->touched[i];
    const Body *b = &j->f->bodies.at[a->body];
    const double runs = (b->last ? 1 : at(j, b->useful) * at(j, b->blocks)) * at(j, a->some),
                 tensor = at(j, a->all) * a->bytes;
    const Source s = a->store ? (Source){1, 1, 1} : source_of(j, a);
    enum {
        EXCHANGED = 2 /* an atomic by exchange reads the element before; what others change meanwhile is left out */
    };
    static const double WHOLE = 0.95; /* and more of its sectors: a row may begin inside of one */
    const double sector = j->target->sector;
    const double some = least_of(1, at(j, b->met)) * at(j, a->some);
    double bytes = named(j, t->whole * some, tensor) * s.again * s.memory;
    if (left && !a->store) bytes *= 1 - least_of(1, left[a->number] / most_of(tensor, 1));
    if (a->path != PATH_BULK) j->issue[a->body] += access_issue(j, a, t);
    for (int p = 0; p < PIPE_COUNT; p++) j->aside[a->body][p] += a->aside[p] / (wide_access(j, a) ? a->vector : 1);
    const double passes = t->instructions * t->passes * (is_across(j, a) ? 2 : 1) + edge_elements(j, a) * a->rows;
    if (a->path != PATH_BULK) j->pass[a->body] += passes;
    if (a->path != PATH_BULK && !b->last) j->memory_cycles += passes * at(j, b->useful) * at(j, b->blocks) / j->blocks;
    if (a->store) {
        j->written += bytes;
        if (!a->atomic) j->partly += t->partly * runs;
        const double asked = t->instructions * most_of(t->sectors, j->m->l2_request * t->passes);
        const double sectors = asked * j->warps * at(j, a->inside);
        j->cache += most_of(t->block, t->filled < WHOLE ? j->m->l2_partly * sectors : sectors) * sector * runs;
        if (a->atomic) {
            j->read += bytes;
            const double each = (wide_access(j, a) ? a->vector : 1) * (a->exchanged ? EXCHANGED : 1);
            j->atomics += t->instructions * each * j->warps * TARGET_WARP * at(j, a->inside) * runs;
        }
    } else {
        j->read += bytes;
        j->moved[a->body] += bytes / most_of(1, runs);
        const double asked = most_of(1, j->m->l2_load_request * t->passes / t->sectors);
        j->cache += t->block * asked * sector * runs * s.second;
    }
    const double share = least_of(1, bytes / most_of(t->block * sector * runs, 1));
    j->apart += t->apart * runs * share;
    const double first = s.second, second = t->whole > 0 ? least_of(1, bytes / t->whole) : 0;
    j->wait[i] = a->store ? 0
                          : j->m->l1_latency + first * (j->m->l2_latency - j->m->l1_latency) +
                                first * second * (j->m->latency - j->m->l2_latency);
}

/* ---- how long a block lives ---- */

/* Rows of an exchange that each warp has more where a launch starts a part of them. */
static double more_rows(const Judge *j, const Body *b) {
    if (j->f->started < 0) return 0;
    return ceil(b->rows / j->warps) - ceil(b->rows / ceil(j->f->threads / (double)TARGET_WARP));
}

/* What is issued in an iteration; of that beside accesses, the share that is for registers that are reached. The others
 * take as much, since each statement tests for each of them, in branches. */
static double issued(const Judge *j, int body, double *share) {
    const Body *b = &j->f->bodies.at[body];
    const double trips = most_of(1, b->parent < 0 ? 1 : at(j, b->trips));
    double n = b->other + b->settled_end * settled_edges(j) + b->loop_ends / trips + b->row_issue * more_rows(j, b) +
               b->loop_tests * least_of(1, FEATURE_ENDS / trips);
    for (int p = 0; p < PIPE_COUNT; p++) n += b->issue[p];
    const double fixed = b->fixed - b->rungs * j->idle;
    *share = n > 0 ? (fixed + (n - b->fixed) * j->reached) / n : 1;
    n += j->issue[body] - b->rungs * j->idle;
    for (int p = 0; p < PIPE_COUNT; p++) n += j->aside[body][p];
    return n;
}

/* How often a thread waits for an access. */
static double turns(const Judge *j, int i) {
    const Access *a = &j->f->accesses.at[i];
    const double vectors = j->touched[i].instructions;
    const bool open = a->open && !(a->full >= 0 && at(j, a->full) >= 1), wide = wide_access(j, a);
    const double tested = open && j->f->folds && wide ? a->vector_tests * j->reached : 0;
    if (tested > PREDICATES) return 1 + TURN_VECTORS * (tested - PREDICATES);
    if (is_across(j, a) && a->open) return 1 + TURN_PIECES * (vectors - 1);
    const Body *b = &j->f->bodies.at[a->body];
    /* Vectors of several ranges have a branch for each. */
    if (wide && b->ranges > 1) return b->ranges;
    /* Of a loop's iterations over odd rows one warp's first and everybody's last test each vector. */
    if (b->parent >= 0 && a->open && are_odd(j, a)) {
        const double ends = least_of(1, (1 + 1 / j->warps) / most_of(at(j, b->trips), 1));
        return 1 + TURN_ENDS * (vectors - 1) * ends;
    }
    if (is_across(j, a)) return 1;
    const bool each = a->vector > 1 && !by_vectors(j, a) && a->bytes < TARGET_REGISTER;
    return each ? 1 + TURN_ELEMENTS * (most_of(1, vectors / a->vector) - 1) : 1;
}

/* Of each body, how long an iteration waits for its loads: those of one wait are under way together. */
static void find_waits(Judge *j) {
    int wait[FEATURE_BODIES];
    double most[FEATURE_BODIES];
    for (int i = 0; i < j->f->bodies.n; i++) j->waits[i] = most[i] = 0, wait[i] = -1;
    for (int i = 0; i < j->f->accesses.n; i++) {
        const Access *a = &j->f->accesses.at[i];
        const int body = a->body;
        if (a->store) continue;
        if (a->wait != wait[body]) j->waits[body] += most[body], most[body] = 0;
        wait[body] = a->wait;
        /* Vectors across pieces wait for each other, whatever they are of. */
        const double all = j->wait[i] * turns(j, i);
        most[body] = most_of(most[body], is_across(j, a) ? j->wait[i] : all);
        if (is_across(j, a)) j->waits[body] += all - j->wait[i];
    }
    for (int i = 0; i < j->f->bodies.n; i++) j->waits[i] += most[i];
}

/* How many times as many iterations as on an average the warp of a block has that has most: of longer ranges fewer, as
 * numbers of elements differ less that are drawn for them. */
static double slowest_warp(const Judge *j, int body) {
    const Body *b = &j->f->bodies.at[body];
    return 1 + b->slowest / sqrt(most_of(1, at(j, b->elements)));
}

/* What an iteration of a body does itself, beside the loops in it. */
static double own_work(const Judge *j, int body) {
    enum { SCHEDULERS = 4 /* of a multiprocessor: a warp each starts an instruction in a cycle */ };
    const Body *b = &j->f->bodies.at[body];
    const double cycle = 1 / j->m->clock, pace = most_of(j->m->pace, j->warps / SCHEDULERS);
    const double shuffles = b->shuffles - b->climbs * j->idle + b->row_shuffles * more_rows(j, b);
    const double meets = shuffles * j->m->shuffle + b->exchanges * j->m->exchange + b->meetings * j->m->meeting;
    double share;
    const double issue = issued(j, body, &share);
    return meets + (b->chain * share + issue * pace + j->pass[body] * j->warps) * cycle;
}

/* Of each body the seconds of an iteration, the loops in it included, which stand behind it. */
static void find_lives(Judge *j) {
    const Features *f = j->f;
    double inner[FEATURE_BODIES]; /* of the loops in it */
    find_waits(j);
    for (int i = 0; i < f->bodies.n; i++) inner[i] = 0;
    for (int i = f->bodies.n - 1; i >= 0; i--) {
        const Body *b = &f->bodies.at[i];
        const double work = own_work(j, i) + inner[i], loads = j->waits[i];
        const bool at_once = (b->parent < 0 && (b->exchanges > 0 || b->shuffles > 0)) || b->held;
        const double comes = at_once ? AWAITED * j->moved[i] / (j->m->bandwidth / j->m->sms) : 0;
        const bool alone = b->parent >= 0 && at(j, b->trips) <= 1; /* it runs ahead of nothing */
        j->life[i] = b->ahead && !alone ? most_of(work, most_of(loads / b->ahead, comes)) : work + loads + comes;
        if (b->parent >= 0 && f->bodies.at[b->parent].last == b->last)
            inner[b->parent] += j->life[i] * at(j, b->trips) * slowest_warp(j, i);
    }
}

/* Of a block of any part, on an average. */
static double mean_life(const Judge *j) {
    double sum = 0;
    for (int i = 0; i < j->f->bodies.n; i++)
        if (j->f->bodies.at[i].parent < 0) sum += j->life[i] * at(j, j->f->bodies.at[i].blocks);
    return sum / j->blocks;
}

/* Of the longest of the ranges that are data: nothing is over before a thread has gone through it. */
static double longest_range(const Judge *j) {
    double most = 0;
    for (int i = 0; i < j->f->bodies.n; i++) {
        const Body *b = &j->f->bodies.at[i];
        const double trips = b->most < 0 ? JUDGE_LONGER * at(j, b->trips) : at(j, b->most);
        if (b->ragged) most = most_of(most, j->life[i] * trips);
    }
    return most;
}

/* By how much the block that has most of them takes longer for its ranges than a block on an average. Of data: of n
 * elements about sqrt(n) more or less, and of all warps one is sqrt(2 ln(warps)) times as far off. Of conditions
 * without data, as j <= i, the last block goes through all (a causal softmax of 1024 columns whose 1024 blocks all run
 * at once, on an H200: 70 us; 50 were predicted of their mean). */
static double longest_block(const Judge *j) {
    const double warps = most_of(j->blocks * j->warps, 1);
    double more = 0;
    for (int i = 0; i < j->f->bodies.n; i++) {
        const Body *b = &j->f->bodies.at[i];
        const double all = b->ragged && b->most < 0 ? at(j, b->times) : 0;
        if (all > 0) more += j->life[i] * sqrt(all) * sqrt(2 * log(warps));
        if (!b->ragged && b->most >= 0) more += j->life[i] * at(j, b->times) * (at(j, b->most) / at(j, b->trips) - 1);
    }
    return more;
}

/* ---- the whole ---- */

/* *first_cache: what accesses keep the first cache busy. */
static double issue_seconds(const Judge *j, double *first_cache) {
    static const double lanes[] = {
#define PIPE(e, text, lanes) lanes,
        FEATURE_PIPES
#undef PIPE
    };
    const Features *f = j->f;
    double pipe[PIPE_COUNT] = {0}, all = 0;
    for (int i = 0; i < f->bodies.n; i++) {
        const Body *b = &f->bodies.at[i];
        if (b->last) continue;
        const double times = at(j, b->times) * at(j, b->blocks) / j->blocks;
        double share;
        all += issued(j, i, &share) * times;
        for (int p = 0; p < PIPE_COUNT; p++) pipe[p] += (b->issue[p] * share + j->aside[i][p]) * times;
    }
    double cycles = all * TARGET_WARP / j->target->lanes;
    for (int p = 0; p < PIPE_COUNT; p++) cycles = most_of(cycles, pipe[p] * TARGET_WARP / lanes[p]);
    const double busy = least_of(j->blocks, j->m->sms), each = j->warps * j->blocks / busy / j->m->clock;
    *first_cache = (pipe[PIPE_MEMORY] + j->memory_cycles) * each;
    return cycles / j->m->issue_share * each;
}

static double memory_seconds(const Judge *j) {
    const double bytes = j->read + j->written, reads = bytes > 0 ? 2 * j->read / bytes - 1 : 0;
    const double share = reads > 0 ? 1 - reads * (1 - j->m->read_only) : 1 + reads * (1 - j->m->write_only);
    return (bytes + j->apart * j->m->apart + j->partly * j->m->partial) / j->m->bandwidth * share;
}

static double last_life(const Judge *j) {
    double sum = 0;
    for (int i = 1; i < j->f->bodies.n; i++) {
        const Body *b = &j->f->bodies.at[i];
        if (b->last && b->parent >= 0 && !j->f->bodies.at[b->parent].last) sum += j->life[i];
    }
    return sum;
}

static uint64_t failing(const Features *f) {
    uint64_t set = 0;
    for (int i = 0; i < f->conds.n; i++)
        if ((int64_t)f->value[f->conds.at[i].step] % f->conds.at[i].of) set |= (uint64_t)1 << i;
    for (int i = 0; i < f->accesses.n && f->displaced; i++) set |= f->accesses.at[i].aligned & FEATURE_BASES;
    return set;
}

/* full: the share of windows that are full (features.h). */
static void take_part(Features *f, const Machine *m, const int64_t *dims, const double *left, double full,
                      JudgeTaken *t) {
    Judge j;
    tape_give(&f->tape, full);
    j.f = f;
    j.m = m;
    j.target = m->target;
    j.read = j.written = j.apart = j.partly = j.cache = j.atomics = j.memory_cycles = 0;
    tape_run(&f->tape, dims, f->value);
    j.fails = failing(f);
    j.reached = f->reached < 0 ? 1 : at(&j, f->reached);
    j.idle = f->lanes < 0 ? 0 : 1 - log2(at(&j, f->lanes)) / log2(TARGET_WARP);
    j.blocks = at(&j, f->blocks);
    j.warps = ceil(f->threads * (f->started < 0 ? 1 : at(&j, f->started)) / TARGET_WARP);
    *t = (JudgeTaken){.blocks = j.blocks};
    if (!(j.blocks > 0)) return;
    find_resident(&j);
    t->slots = j.slots;
    t->at_once = j.at_once;
    t->busy = least_of(j.blocks, m->sms);
    t->most = m->begin + m->l2_latency; /* a block that reads that there is nothing to do */
    t->lives = j.blocks * t->most;
    if (f->rare) return;
    find_touched(&j);
    for (int i = 0; i < f->accesses.n; i++) add_access(&j, i, left);
    JudgeParts *p = &t->p;
    find_lives(&j);
    const double clustered = f->cluster > 1 ? m->cluster_begin * (log2(f->cluster) - 1) : 0;
    const double one = m->begin + clustered + mean_life(&j);
    p->bytes = j.read + j.written;
    p->memory = memory_seconds(&j);
    p->cache = most_of(j.cache / m->l2_bandwidth, j.atomics / m->atomics);
    double first;
    p->issue = issue_seconds(&j, &first);
    p->cache = most_of(p->cache, first);
    p->longest = longest_range(&j);
    p->tail = last_life(&j);
    t->lives = j.blocks * one;
    t->most = one + longest_block(&j);
    t->spills = j.spills;
}

/* Parts run side by side: what they move and issue adds up, blocks of all take turns. */
static void add_part(JudgeTaken *all, const JudgeTaken *t, const Machine *m) {
    if (!(t->blocks > 0)) return;
    all->p.bytes += t->p.bytes;
    all->p.memory += t->p.memory;
    all->p.cache += t->p.cache;
    const double blocks = all->blocks + t->blocks, busy = least_of(blocks, m->sms);
    const double issue = (all->p.issue * all->busy + t->p.issue * t->busy) / busy;
    all->p.issue = most_of(issue, most_of(all->p.issue, t->p.issue));
    all->p.longest = most_of(all->p.longest, t->p.longest);
    all->p.tail = most_of(all->p.tail, t->p.tail);
    all->slots = least_of(all->slots, t->slots);
    all->at_once = least_of(blocks, all->slots);
    all->lives += t->lives;
    all->most = most_of(all->most, t->most);
    all->blocks = blocks;
    all->busy = busy;
    all->spills |= t->spills;
}

/* The whole of what was taken. */
static double sum_up(JudgeTaken *t, const Machine *m) {
    JudgeParts *p = &t->p;
    p->launch = m->launch;
    const double blocks = t->blocks;
    if (blocks > 0) {
        const double one = t->lives / blocks;
        p->latency = most_of(t->most, blocks / t->slots * one);
        p->latency = most_of(p->latency, blocks / m->sms * m->block);
        p->tail = (blocks > t->at_once ? m->tail * one : 0) + p->tail;
    }
    const double s = m->sharpness;
    const double flow = most_of(p->memory, p->cache); /* the same bytes, one after the other */
    const double sum = pow(pow(flow, s) + pow(p->issue, s) + pow(p->latency, s), 1 / s);
    /* Multiprocessors are not served alike. Blocks that begin when others end make up for that; the first do not. */
    if (blocks > 0) p->tail += m->uneven * sum * least_of(1, t->at_once / blocks);
    return (p->launch + sum + p->tail) * (blocks > 0 && t->spills ? m->spill : 1);
}

static double seconds_of(Features *f, const Machine *m, const int64_t *dims, const double *left, double full,
                         JudgeParts *parts) {
    JudgeTaken t;
    if (!f->known) return (double)INFINITY;
    take_part(f, m, dims, left, full, &t);
    const double seconds = sum_up(&t, m);
    if (parts) *parts = t.p;
    return seconds;
}

double judge_registers(const Features *f, const Machine *m) { return registers(f, m); }

void judge_part(Features *f, const Machine *m, const int64_t *dims, double registers, double shared, JudgeTaken *t) {
    const double own = f->shared;
    f->at_least = registers;
    f->shared = shared;
    take_part(f, m, dims, NULL, JUDGE_LIKELY_FULL, t);
    f->at_least = 0;
    f->shared = own;
}

double judge_together(const JudgeTaken *const *t, int n, const Machine *m, JudgeParts *parts) {
    JudgeTaken all = *t[0];
    for (int i = 1; i < n; i++) {
        if (all.blocks > 0)
            add_part(&all, t[i], m);
        else
            all = *t[i];
    }
    const double seconds = sum_up(&all, m);
    if (parts) *parts = all.p;
    return seconds;
}

double judge_seconds(Features *f, const Machine *m, const int64_t *dims, const double *left, JudgeParts *parts) {
    return seconds_of(f, m, dims, left, JUDGE_LIKELY_FULL, parts);
}

/* What of its tensors a kernel leaves in the second cache: all that came last. */
static void leave(const Features *f, const Machine *m, double moved, ExprMap *left, Ctx *ctx) {
    const double stays = 1 - gone(moved, m->l2_share * m->l2);
    for (size_t i = 0; i < left->cap; i++)
        if (left->slot[i].key) left->slot[i].u.number = (intptr_t)((double)left->slot[i].u.number * stays);
    for (int i = 0; i < f->accesses.n; i++) {
        const Access *a = &f->accesses.at[i];
        expr_map_put_number(ctx, left, a->tensor, (intptr_t)(f->value[a->all] * a->bytes * stays));
    }
}

static double judge_several(Features *const *f, int n, const Machine *m, const int64_t *dims, bool choice) {
    ExprMap left = {0};
    double sum = 0;
    if (!n) return 0;
    Ctx *temp = ctx_temp(f[0]->tape.ctx);
    for (int k = 0; k < n; k++) {
        double here[FEATURE_ACCESSES];
        JudgeParts parts = {.bytes = 0};
        for (int i = 0; i < f[k]->tensors.n && i < FEATURE_ACCESSES; i++)
            here[i] = (double)expr_map_number(&left, f[k]->tensors.at[i], 0);
        const double seconds = seconds_of(f[k], m, dims, here, choice ? JUDGE_FULL : JUDGE_LIKELY_FULL, &parts);
        sum += (choice && f[k]->known ? most_of(seconds, parts.launch + parts.longest) : seconds) -
               (k ? m->launch - m->chained : 0);
        if (f[k]->known) leave(f[k], m, parts.bytes, &left, temp);
    }
    ctx_temp_end(temp);
    return sum;
}

double judge_all_seconds(Features *const *f, int n, const Machine *m, const int64_t *dims) {
    return judge_several(f, n, m, dims, false);
}

double judge_choice(Features *const *f, int n, const Machine *m, const int64_t *dims) {
    JudgeParts parts;
    if (n > 1) return judge_several(f, n, m, dims, true);
    const double seconds = seconds_of(f[0], m, dims, NULL, JUDGE_FULL, &parts);
    return f[0]->known ? most_of(seconds, parts.launch + parts.longest) : seconds;
}

/* A kernel of several parts: each has the registers and the shared memory of the largest. */
static double judge_several_parts(const Program *p, const Kernel *k, const Machine *m, const int64_t *dims,
                                  JudgeParts *parts, Ctx *temp) {
    const int n = k->parts.n;
    Features **f = NEW_N(temp, Features *, n);
    const JudgeTaken **taken = NEW_N(temp, const JudgeTaken *, n);
    double most = 0;
    for (int i = 0; i < n; i++) {
        Kernel one = *k;
        memset(&one.parts, 0, sizeof one.parts);
        vec_push(temp, &one.parts, k->parts.at[i]);
        f[i] = features_of_part(p, &one, temp);
        if (!f[i]->known) return (double)INFINITY;
        most = most_of(most, registers(f[i], m));
    }
    for (int i = 0; i < n; i++) {
        JudgeTaken *t = NEW(temp, JudgeTaken);
        judge_part(f[i], m, dims, most, f[i]->shared, t);
        taken[i] = t;
    }
    return judge_together(taken, n, m, parts);
}

double judge_kernel_seconds(const Program *p, const Kernel *k, const Machine *m, const int64_t *dims,
                            JudgeParts *parts) {
    Ctx *temp = ctx_temp(p->ctx);
    const double s = k->parts.n > 1 ? judge_several_parts(p, k, m, dims, parts, temp)
                                    : judge_seconds(features_of(p, k, temp), m, dims, NULL, parts);
    ctx_temp_end(temp);
    return s;
}

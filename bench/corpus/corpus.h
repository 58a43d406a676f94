/* The corpus: kernels of many schedules for programs of a few lines at fixed sizes, so that what the cost of schedules
 * predicts can be held against what was measured (README.md). */
#ifndef TDC_CORPUS_H
#define TDC_CORPUS_H

#include "backend_cuda/lower/lower.h"
#include "sched/search/cost.h"
#include "sched/search/judge.h"
#include "sched/search/sched.h"

/* A program at the sizes of one of its bench statements, and one way to divide its groups or not. Its dimensions are
 * constants, but in the family of that name: there they are unsaid, and kernels are those of all sizes. */
#define CORPUS_UNSAID "unsaid"
typedef struct Case {
    Ctx *ctx;
    Sym file, sizes; /* as they were named; `M=4096,N=512` */
    bool unsaid;
    const Check *bench;
    int64_t *dims; /* the sizes, by Dim.id */
    Graph *graph;
    const Plan *plan;
    VEC(Group *) groups;   /* in the order of their kernels: those that schedules are for */
    VEC(CostForm *) forms; /* theirs */
    const Module *module;
    struct Case *other; /* the same with one group divided otherwise than it is chosen; NULL: there are no more */
} Case;

/* A schedule for each of a case's groups. */
typedef struct Sample {
    const Case *c;
    Schedule *s;
    Sym origin;       /* how it was found: chosen, move, near, random */
    double predicted; /* seconds of all kernels, by the cost */
} Sample;
typedef VEC(Sample) Samples;

/* corpus_case.c. The nth bench statement of a file of td, with groups divided as it is chosen. False after saying why,
 * or with *why empty where there is no nth. Imports are looked for in `home`/stdlib. */
bool corpus_open(Ctx *ctx, Case *c, const char *home, const char *family, const char *path, int nth, Text *why);
/* The one of that entry and these sizes. */
bool corpus_open_named(Ctx *ctx, Case *c, const char *home, const char *family, const char *path, const char *name,
                       const char *sizes, Text *why);
/* Of each group the schedule that is chosen, as if it could not be divided: for unsaid lengths that takes a while. */
Schedule *corpus_chosen(const Case *c);
/* Whether group i of the case may have the schedule, at its sizes. */
bool corpus_legal(const Case *c, int i, const Schedule *s);
char *corpus_file(Ctx *ctx, const char *path, size_t *n); /* all of it, with a 0 behind; NULL: it cannot be read */
/* The kernels of a case by these schedules. NULL after saying why. */
Program *corpus_program(const Case *c, const Schedule *s, Text *why);
/* The program text of tests/kernels for the case's entry; NULL where there is none. Values of the dimensions that it
 * has; NULL where the case does not give one. */
Program *corpus_hand(const Case *c, const char *home, Text *why);
int64_t *corpus_dims(const Case *c, const Program *p);
/* Whether a tensor tells from where to where reductions go: it is drawn ascending. */
bool corpus_is_offsets(const Case *c, const Tensor *t);
/* The emitted text of the kernels, and its hash, in which no name of a file is. */
bool corpus_emit(Text *out, Program *p, Prelude *prelude, Text *why);
uint64_t corpus_hash(const Text *emitted);

/* corpus_draw.c */
double corpus_predict(const Case *c, const Schedule *s); /* seconds, by the cost of schedules */
double corpus_judge(const Case *c, const Program *p);    /* by the judge of kernels; INFINITY where it does not know */
/* The schedules as one line: of several groups with ` | ` between them. */
void corpus_print(Text *out, const Case *c, const Schedule *s);
/* The case, or the one of its others, that packed schedules (corpus_unpack) are of; *s is in the memory of the case. NULL
 * where they are of none, or illegal. */
const Case *corpus_read(const Case *c, const char *packed, Schedule **s);
/* The chosen ones first, then others by moves and by chance, `most` at most, no two alike. */
void corpus_draw(const Case *c, uint64_t seed, int most, Samples *out);
/* Those one move away from the schedules, legal ones, no two alike. */
void corpus_moves(const Case *c, const Schedule *s, Samples *out);
/* The chosen ones, those that are stored, at most three quarters of `most`, the fastest and a sample, and others a move
 * away from the fastest. */
struct StoredCase;
void corpus_draw_more(const Case *c, const struct StoredCase *known, uint64_t seed, int most, Samples *out);

/* corpus_store.c: what was measured, as make.py keeps it. */
typedef struct Stored {
    Sym hash; /* the first digits of corpus_hash */
    double us;
    Sym registers, flag;
    Sym packed; /* corpus_unpack's; "by hand" */
} Stored;
typedef struct StoredCase {
    Sym name, sizes;
    double floor; /* us */
    VEC(Stored) kernels;
} StoredCase;
typedef VEC(StoredCase) StoredCases;
bool corpus_stored(Ctx *ctx, const char *path, StoredCases *out, Text *why);
const StoredCase *corpus_stored_case(const StoredCases *all, const char *name, const char *sizes); /* or NULL */
/* Schedules as corpus_print writes them. */
Sym corpus_unpack(const Case *c, const char *packed);
bool corpus_by_hand(const Stored *s);

/* corpus_replay.c: what today's cost predicts of what was measured. What main returns. */
int corpus_replay(const char *home, bool every, bool cases, char *const *files, int n);
/* Prints a file with the hashes of what is emitted now, without schedules that are none any more. */
int corpus_stamp(const char *home, const char *path);

#endif

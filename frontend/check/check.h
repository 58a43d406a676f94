/* Checks: a compiled entry against the reference interpreter, in a process of its own, on the GPU or on the CPU
 * stand-in. Also what `tdc run` and benchmarks need of it: building the model's files, calling an entry, measuring it.
 *
 * check_home, check_build once a model; then check_run, check_bench, check_call as often as needed. */
#ifndef TDC_CHECK_H
#define TDC_CHECK_H

#include "ir/graph.h"
#include "ir/interp/exact.h"
#include "ir/interp/interp.h"
#include "sched/machine/target.h"

/* What checks draw: standard normal floats, or those made special (docs/language.md, 11.7). */
typedef enum InputKind {
    INPUTS_NORMAL,
    INPUTS_OFFSET,
    INPUTS_NEGATIVE,
    INPUTS_TIES,
    INPUTS_NAN,
    INPUTS_COUNT
} InputKind;
const char *check_inputs_name(InputKind k);

typedef struct CheckOptions {
    bool gpu;         /* nvcc and the device of this machine; otherwise the stand-in */
    const char *home; /* the directory that holds backend_cuda/run and backend_cuda/emu */
    Sym cache;        /* where objects and programs are kept (check_cache); NULL: nowhere */
    Targets targets;  /* what the model was emitted for */
    int repeats;   /* three must agree bit for bit, each in its own order of threads on the stand-in; in the fourth no
                      address is aligned beyond its element; 0: the default, 4 */
    int timeout_s; /* of one process; 0: the default, 300 */
    InputKind inputs;
    Sym exemption; /* why nothing of the entry is compared in exact algebra; NULL: all is */
    Exact exact;   /* of kind EXACT_NONE: floats. Otherwise the model was built for it, on the stand-in */
    int smallest; /* 1 + 2 d: dimension d has its smallest legal value instead of the statement's; 2 + 2 d: the smallest
                     above 0, where 0 is legal; 0: none */
} CheckOptions;

/* The process that runs a model's calls, from the first to check_stop, or to one that goes wrong. */
typedef struct CheckServer {
    int pid, fd; /* pid 0: none runs */
} CheckServer;

/* A folder for temporary files. It is gone after check_remove, and also when this process ends by whatever signal: a
 * second process, the keeper, waits for that and removes it. Compilers and compiled programs run in the keeper's group
 * of processes, which it ends too. */
typedef struct CheckDir {
    Sym path;
    int keeper, fd; /* the keeper's process; a byte to it says that there is nothing left to do */
} CheckDir;

/* A model that was compiled and linked with the runner. */
typedef struct CheckModel {
    CheckDir dir;        /* holds the program, requests, replies and tensors while they are needed */
    Sym program;         /* the executable */
    CheckServer *server; /* where calls share a process; NULL: each has its own */
} CheckModel;

/* ---- folders, building and calling (check_dir.c, check_build.c, check_call.c) ---- */
/* Where tdc's own files are: $TDC_HOME, or a parent of the executable's directory. NULL: nowhere. */
Sym check_home(Ctx *ctx);
/* Where what was built is kept; NULL: nowhere. */
Sym check_cache(Ctx *ctx);
/* A fresh folder for a model's files; false after saying why there is none. check_remove deletes it with its files. */
bool check_dir(Ctx *ctx, CheckDir *dir, Text *why);
void check_remove(Ctx *ctx, const CheckDir *dir);
/* Compiles DIR/STEM.cu and DIR/STEM.c, which the caller has written beside DIR/STEM.h, with prefix PREFIX. False after
 * putting the compiler's words in *why. */
bool check_build(Ctx *ctx, const CheckOptions *o, const CheckDir *dir, const char *stem, const char *prefix,
                 CheckModel *m, Text *why);
/* Compiles DIR/STEM.c alone, a program of its own that calls CUDA and cuBLASLt. */
bool check_build_program(Ctx *ctx, const CheckOptions *o, const CheckDir *dir, const char *stem, CheckModel *m,
                         Text *why);
/* How the stand-in's own code is compiled, here and in python/tdlang. */
#define CHECK_STAND_IN_FLAGS "-std=c++17 -O2 -fPIC -fno-semantic-interposition -fno-gnu-unique"

/* How often an entry runs that is checked; in the last run no tensor's address is aligned beyond its element. */
enum { CHECK_RUNS = 4, CHECK_DISPLACED = CHECK_RUNS - 1 };

/* One call of an entry: all parameters in the order of the C interface. Data of inputs and inouts go in; data of
 * outputs and inouts, allocated by the caller, come back. A tensor whose `fill` is not 0 has only so many bytes of
 * data, which are repeated on the device, and does not come back (benchmarks). */
typedef struct CheckTensor {
    Sym name; /* for messages; may be NULL */
    TensorKind kind;
    HostTensor host;
    size_t fill;
    void *again[CHECK_RUNS]; /* an output of later runs, where it may have other bytes; NULL: it may not */
} CheckTensor;

typedef struct CheckCall {
    Sym entry;
    int ndims, nscalars, ntensors;
    const int64_t *dims;
    const double *scalars;
    CheckTensor *tensors;
    int repeats;
    bool loose;   /* sums come in any order */
    int runs;     /* not 0: the call is timed, at most so often; nothing is repeated, and no results come back */
    int64_t copy; /* bytes that the copy beside it moves, read and written together */
} CheckCall;

/* Of several runs, in microseconds: the median, and what a tenth of them is below, and above. */
typedef struct CheckSpread {
    double median, p10, p90;
} CheckSpread;

/* Of a device, in MHz and watts; sm 0: not known. */
typedef struct CheckState {
    int sm, memory;
    double watts;
} CheckState;

/* What a device says of itself. */
typedef struct CheckDevice {
    Sym name;
    int major, minor, sms, clock_khz; /* the most; 0: not known */
    int64_t l2;                       /* bytes */
} CheckDevice;

/* Of an entry, and of a copy in device memory, each run beginning with nothing of its tensors in the cache. */
typedef struct CheckTimes {
    CheckSpread call, copy;
    int runs, nodes; /* nodes: kernels, memsets and copies of one call */
    CheckState before, after;
    CheckDevice on;
} CheckTimes;

typedef struct CheckReply {
    int status; /* what the entry returned: 0 done, else it refused */
    Sym message;
    CheckTimes times; /* where runs were asked for */
} CheckReply;

void check_stop(const CheckModel *m); /* ends the model's process, if one runs */
/* False after saying what went wrong: a crash, a fault that the runner saw. A refusal is a reply. */
bool check_call(Ctx *ctx, const CheckOptions *o, const CheckModel *m, const CheckCall *call, CheckReply *r, Text *why);

/* ---- inputs (check_input.c, check_values.c, check_special.c): fixed, seeded, of libm only sqrt, so that they are the
 * same on every machine ---- */
double check_uniform(uint64_t key, uint64_t i); /* in [0, 1), a multiple of 2^-53 */
double check_normal(uint64_t key, uint64_t i);  /* standard normal, an f32 */
/* How an input is drawn. */
typedef struct InputDraw {
    const InputSpec *spec; /* what the statement says of it, or NULL */
    uint64_t seed;
} InputDraw;
/* Fills the elements that h has, the first of the input t, as the draw and the facts of the graph say. */
bool check_input(const Graph *g, const Tensor *t, InputDraw draw, const int64_t *dims, const double *scalars,
                 HostTensor *h, Text *why);
/* The integers that the facts of the graph leave to the elements of an input (check_values.c): in ascending parts that
 * do not touch, none where there is no such number. */
enum { VALUE_PARTS = 8 };
typedef struct ValueSet {
    int n;
    struct {
        int64_t lo, hi;
    } at[VALUE_PARTS];
} ValueSet;
ValueSet check_values(const Graph *g, const Tensor *t, const int64_t *dims, const double *scalars);
/* Whether a fact says that the elements of a vector ascend: t[i] <= t[i + 1]. */
bool check_ordered(const Graph *g, const Tensor *t);
/* Whether a fact of the graph bounds the elements of an input. */
bool check_bounded(const Graph *g, const Tensor *t, const int64_t *dims, const double *scalars);

/* Makes the inputs that were drawn special: tensors[k] is parameter k. `nth` chooses among the float inputs for one
 * NaN. Says in *what how they differ; false where no input may be changed. */
typedef struct CheckSpecial {
    const Graph *g;
    const Check *check;
    const int64_t *dims;
    const double *scalars;
    CheckTensor *tensors;
    uint64_t seed;
    int nth;
} CheckSpecial;
bool check_special(const CheckSpecial *s, InputKind kind, Text *what);
/* The spec that a check statement gives for an input, or NULL. */
const InputSpec *check_input_spec(const Check *c, Sym name);

/* ---- comparing (check_compare.c) ---- */
/* The default tolerance of an output: by the coarsest float type on the way to it. */
double check_tolerance(Ctx *ctx, const Graph *g, const Tensor *output);

typedef struct CheckError {
    double largest; /* |out - ref| / (|ref| + rms(ref)); infinite where special values or integers differ */
    int64_t bad;    /* elements beyond the tolerance */
    int64_t first;  /* the first of them, row-major */
    int64_t noisy;  /* elements that only rounding excuses: neither bad nor in `largest` */
} CheckError;
/* The language's rule. `near` are other references (nnear of them): an integer may equal one, a float may be further
 * off than the tolerance where they are too. */
enum { CHECK_NOISES = 8 };
/* The references under NUDGE_NOISE: out[k][p] is parameter p's of the k-th. False where one cannot be had. */
bool check_noise(Ctx *ctx, const Graph *g, const int64_t *dims, const double *scalars, const HostTensor *params,
                 InterpValue *out[CHECK_NOISES]);
/* How far element i of such references is from the reference at most; infinite where one is infinite or NaN, or it. */
double check_spread(const InterpValue *near, int nnear, int64_t i, double ref);
CheckError check_compare(const HostTensor *out, const InterpValue *ref, double tol, const InterpValue *near, int nnear);

/* ---- exact algebra (check_exact.c) ---- */
/* The algebra of that kind for a module: its codes fit the narrowest float of all graphs. */
Exact check_algebra(const Module *m, ExactKind kind);
/* Random numbers instead of the floats of an input; infinities, which are the least and the largest number, are left
 * out, since they are what maxima and minima start from. */
void check_exact_input(const Exact *x, const Tensor *t, uint64_t seed, HostTensor *h);
/* The first operator on the way to an output that the stand-in evaluates otherwise than the interpreter; NULL: all of
 * it can be compared. */
Sym check_exemption(Ctx *ctx, const Graph *g, const Tensor *output);
/* The same of a whole entry, which may not even run: where a number that was a float chooses an element, nothing bounds
 * it. */
Sym check_exempt_entry(Ctx *ctx, const Graph *g);
/* Where an output differs from the reference; noisy and largest stay 0. */
CheckError check_compare_exact(const Exact *x, const HostTensor *out, const InterpValue *ref);

/* ---- statements (check.c, check_bind.c, check_sizes.c) ---- */
typedef struct CheckResult {
    bool passed, skipped; /* skipped: no input could be made as special as was asked, no dimension be smaller */
    Sym message;          /* what failed, or why a smaller size was skipped, or NULL */
    Sym inputs;           /* how inputs differ from those of a normal check, or NULL */
    Sym sizes;            /* what a dimension is instead of what the statement says, or NULL */
    Sym worst;            /* the output with the largest error, relative to its tolerance */
    double error, tol;
    int64_t noisy;     /* elements that only rounding excuses */
    int exact, exempt; /* in exact algebra: outputs that agree in every bit, and those that were not compared */
    Sym exemption;     /* why those are exempt */
    bool uncalled;     /* the entry refuses the call, or the inputs break what it assumes: nothing was compared */
    CheckTimes times;  /* check_bench */
} CheckResult;

/* Binds the statement's dimensions and scalars, in the order of the graph; false after saying what is missing. */
bool check_bind(const Graph *g, const Check *c, int64_t *dims, double *scalars, Text *why);
/* Gives dimension d the smallest value from `least` on that is legal beside the others and below the one it has. False
 * where there is none, leaving it as it is. *why says why a value that the entry accepts was passed over: an input has
 * none. */
bool check_smallest(const Graph *g, const Check *c, int d, int64_t least, int64_t *dims, const double *scalars,
                    Text *why);
/* Finds dimensions from the shapes of tensors: given[k] is parameter k's, or NULL. known[i] says which dims have a
 * value already, and afterwards have one. False after saying which shape fits no value, or which dimension no shape
 * tells. */
bool check_match(const Graph *g, const HostTensor *const *given, int64_t *dims, bool *known, Text *why);
const Graph *check_graph(const Module *m, Sym entry);
/* Runs one check statement. False only where it could not be decided at all (no such entry, out of memory); the verdict
 * is r->passed. What the check needs is freed, but for r's strings. */
bool check_run(Ctx *ctx, const Module *m, const Check *c, const CheckModel *model, const CheckOptions *o,
               CheckResult *r);
/* Times an entry at a statement's sizes beside a copy that moves so many bytes: r->times. Results are not compared. */
bool check_bench(Ctx *ctx, const Module *m, const Check *c, const CheckModel *model, const CheckOptions *o,
                 int64_t copy, CheckResult *r);
/* Makes every dimension of a statement as small as it may be from 5 on, where that is less: for a comparison that does
 * not take long. */
void check_shrink(Ctx *ctx, const Graph *g, Check *c);
/* How many elements the parameters have at a statement's sizes; -1: a size is missing, or too large. */
int64_t check_elements(Ctx *ctx, const Graph *g, const Check *c);

#endif

/* Times kernels that were compiled elsewhere, through the driver's interface alone (README.md).
 *
 *     runner DIR [FIRST [LAST [SECONDS]]] > results
 *
 * reads DIR/plan.txt and DIR/N.cubin, and runs the kernels FIRST up to LAST of the plan, until so many seconds are
 * over. A line of results is NAME SIZES NUMBER ORIGIN MICROSECONDS LEAST REGISTERS REPETITIONS FLAG, separated by
 * tabs; before the lines of a case stands one for its floor, whose number is -1. After an error of the device, which
 * ends the process with status 3, the last line of stderr is `next N`, from where to go on. */
#define _POSIX_C_SOURCE 200809L
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_TENSORS = 32,
    MAX_LAUNCHES = 16,
    MAX_ARGS = 32,
    NAME = 200,
    FLUSH = 256 << 20,
    FEW = 3,
    MANY = 15,
    TOP = 4,
    MAX_KERNELS = 100, /* of a case */
    GUARD = 4096       /* bytes behind each tensor */
};
static const double HOPELESS = 8, SLOW = 1.3; /* times the case's best so far: one repetition, few */

typedef struct Tensor {
    char kind[8], type[8], rule[12];
    long long n, bytes;
    double lo, hi;
    CUdeviceptr at, first; /* first: an output of the case's first kernel */
} Tensor;

typedef struct Launch {
    char symbol[NAME];
    long long grid;
    int threads, cluster, shared, nargs;
    long long arg[MAX_ARGS];
    char is_tensor[MAX_ARGS];
    CUfunction function;
} Launch;

typedef struct Kernel {
    int index, number, file, nlaunches, registers, local, reps;
    char origin[12], flag;
    Launch launch[MAX_LAUNCHES];
    double median, least;
} Kernel;

typedef struct Case {
    char name[64], sizes[NAME];
    int ntensors, nkernels;
    Tensor tensor[MAX_TENSORS];
    Kernel kernel[MAX_KERNELS];
} Case;

typedef struct Runner {
    const char *dir;
    CUstream stream;
    CUevent event[2 * MANY * TOP];
    CUdeviceptr pool, flush, bad;
    size_t pool_bytes;
    CUfunction fill, differ;
    CUmodule module;
    CUfunction *functions;
    unsigned nfunctions;
    int file, next;
    int have_first, refused; /* a launch was */
    const Case *now;         /* in case of an error: what was measured of it */
    double until;
} Runner;

static Runner R;

/* What is known of a case's kernels. */
static void print_kernels(const Case *c, int from, int to) {
    for (int i = from; i < to; i++) {
        const Kernel *k = &c->kernel[i];
        if (!k->flag) continue;
        printf("%s\t%s\t%d\t%s\t%.3f\t%.3f\t%d\t%d\t%c\n", c->name, c->sizes, k->number, k->origin, k->median, k->least,
               k->registers, k->reps, k->flag);
    }
    fflush(stdout);
}

static void check(CUresult r, const char *what) {
    const char *text = "?";
    if (r == CUDA_SUCCESS) return;
    cuGetErrorString(r, &text);
    if (R.now) print_kernels(R.now, 0, R.now->nkernels);
    fprintf(stderr, "runner: %s: %s\nnext %d\n", what, text, R.next);
    _Exit(3);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the plan ---- */

static void read_launch(Kernel *k, char *line) {
    if (k->nlaunches == MAX_LAUNCHES) exit(2);
    Launch *l = &k->launch[k->nlaunches++];
    int used = 0;
    memset(l, 0, sizeof *l);
    if (sscanf(line, "l %199s %lld %d %d %d%n", l->symbol, &l->grid, &l->threads, &l->cluster, &l->shared, &used) < 5)
        exit(2);
    for (char *w = strtok(line + used, " \n"); w && l->nargs < MAX_ARGS; w = strtok(NULL, " \n")) {
        l->is_tensor[l->nargs] = w[0] == 't';
        l->arg[l->nargs++] = atoll(w + 1);
    }
}

/* The next case; 0 where there is none. *index counts kernels. */
static int read_case(FILE *f, Case *c, int *index) {
    static char line[4096];
    static int ahead;
    memset(c, 0, sizeof *c);
    while (ahead || fgets(line, sizeof line, f)) {
        Tensor *t = &c->tensor[c->ntensors];
        Kernel *k = &c->kernel[c->nkernels];
        if (line[0] == 'c') {
            if (c->name[0]) return ahead = 1;
            if (sscanf(line, "case %63s %*s %199s", c->name, c->sizes) != 2) exit(2);
        } else if (line[0] == 't') {
            c->ntensors++;
            if (c->ntensors > MAX_TENSORS || sscanf(line, "t %7s %7s %lld %lld %11s %lf %lf", t->kind, t->type, &t->n,
                                                    &t->bytes, t->rule, &t->lo, &t->hi) != 7)
                exit(2);
        } else if (line[0] == 'k') {
            c->nkernels++;
            k->index = (*index)++;
            if (c->nkernels > MAX_KERNELS || sscanf(line, "k %d %11s %d", &k->number, k->origin, &k->file) != 3)
                exit(2);
        } else if (line[0] == 'l') {
            read_launch(&c->kernel[c->nkernels - 1], line);
        }
        ahead = 0;
    }
    return c->name[0] != 0;
}

/* ---- modules ---- */

/* Some are still being compiled. */
static void wait_for(int file, const char *path) {
    char failed[1024];
    const struct timespec some = {0, 100000000};
    snprintf(failed, sizeof failed, "%s/%d.failed", R.dir, file);
    while (access(path, R_OK) && access(failed, R_OK) && now() < R.until) nanosleep(&some, NULL);
}

static void load_file(int file) {
    char path[1024];
    if (R.file == file) return;
    if (R.module) check(cuModuleUnload(R.module), "unload");
    free(R.functions);
    snprintf(path, sizeof path, "%s/%d.cubin", R.dir, file);
    R.module = NULL;
    R.functions = NULL;
    R.nfunctions = 0;
    R.file = file;
    wait_for(file, path);
    if (cuModuleLoad(&R.module, path) != CUDA_SUCCESS) {
        fprintf(stderr, "runner: %s cannot be loaded\n", path);
        return;
    }
    check(cuModuleGetFunctionCount(&R.nfunctions, R.module), "count");
    R.functions = calloc(R.nfunctions, sizeof *R.functions);
    check(cuModuleEnumerateFunctions(R.functions, R.nfunctions, R.module), "enumerate");
}

static CUfunction find(const char *symbol) {
    size_t n = strlen(symbol);
    for (unsigned i = 0; i < R.nfunctions; i++) {
        const char *name;
        check(cuFuncGetName(&name, R.functions[i]), "name");
        if (!strncmp(name, symbol, n) && (name[n] == 'I' || name[n] == 'E')) return R.functions[i];
    }
    return NULL;
}

/* False where it cannot run: its flag says why. */
static int prepare(Kernel *k) {
    load_file(k->file);
    for (int i = 0; i < k->nlaunches; i++) {
        Launch *l = &k->launch[i];
        int registers, local;
        l->function = find(l->symbol);
        k->flag = 'm'; /* missing */
        if (!l->function) return 0;
        check(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, l->function), "registers");
        check(cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, l->function), "local memory");
        if (registers > k->registers) k->registers = registers;
        k->local += local;
        if (l->shared > 48 << 10)
            check(cuFuncSetAttribute(l->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, l->shared),
                  "shared");
        if (l->cluster > 8)
            check(cuFuncSetAttribute(l->function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1), "cluster");
    }
    k->flag = 'l'; /* local memory: spills */
    return k->local == 0;
}

/* ---- memory ---- */

static int type_number(const char *name) {
    static const char *const NAMES[] = {"f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64", "u8", "bool"};
    for (int i = 0; i < 10; i++)
        if (!strcmp(NAMES[i], name)) return i;
    return -1;
}

static void launch_plain(CUfunction f, void **args) {
    check(cuLaunchKernel(f, 1024, 1, 1, 256, 1, 1, 0, R.stream, args, NULL), "own kernel");
}

/* Places the tensors of a case and draws its inputs; the bytes of its inputs and outputs. */
static long long set_up(Case *c) {
    size_t at = 0;
    long long moved = 0;
    for (int i = 0; i < c->ntensors; i++) {
        Tensor *t = &c->tensor[i];
        int out = !strcmp(t->kind, "out");
        size_t bytes = ((size_t)t->bytes + GUARD + 255) / 256 * 256;
        t->at = R.pool + at;
        if (out) t->first = R.pool + at + bytes;
        at += out ? 2 * bytes : bytes;
        if (strcmp(t->kind, "temp") != 0) moved += t->bytes;
        if (at > R.pool_bytes) return -1;
    }
    for (int i = 0; i < c->ntensors; i++) {
        Tensor *t = &c->tensor[i];
        int type = type_number(t->type), ascending = !strcmp(t->rule, "offsets");
        unsigned long long seed = (unsigned long long)i + 1;
        void *args[] = {&t->at, &t->n, &type, &t->lo, &t->hi, &seed, &ascending};
        if (!strcmp(t->kind, "in")) {
            if (type < 0) return -1;
            launch_plain(R.fill, args);
        }
    }
    check(cuStreamSynchronize(R.stream), "inputs");
    return moved;
}

/* ---- running ---- */

static void clear_zeroed(const Case *c) {
    for (int i = 0; i < c->ntensors; i++)
        if (!strcmp(c->tensor[i].rule, "zeroed"))
            check(cuMemsetD8Async(c->tensor[i].at, 0, (size_t)c->tensor[i].bytes, R.stream), "clear");
}

static void run(const Case *c, Kernel *k) {
    clear_zeroed(c);
    for (int i = 0; i < k->nlaunches; i++) {
        Launch *l = &k->launch[i];
        long long values[MAX_ARGS]; /* as the struct of arguments: pointers, then 64-bit lengths */
        size_t bytes = sizeof *values * (size_t)l->nargs;
        for (int a = 0; a < l->nargs; a++) values[a] = l->is_tensor[a] ? (long long)c->tensor[l->arg[a]].at : l->arg[a];
        CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
        cluster.value.clusterDim.x = (unsigned)l->cluster;
        cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
        CUlaunchConfig config = {.gridDimX = (unsigned)l->grid,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = (unsigned)l->threads,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .sharedMemBytes = (unsigned)l->shared,
                                 .hStream = R.stream,
                                 .attrs = &cluster,
                                 .numAttrs = l->cluster > 1};
        void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, values, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                         CU_LAUNCH_PARAM_END};
        CUresult r = l->grid > 0 ? cuLaunchKernelEx(&config, l->function, NULL, extra) : CUDA_SUCCESS;
        if (r == CUDA_ERROR_INVALID_VALUE || r == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
            R.refused = 1;
        else
            check(r, l->symbol);
    }
}

/* One repetition with nothing of it in the cache, between two events. */
static void timed(const Case *c, Kernel *k, int slot, long long copied) {
    check(cuMemsetD32Async(R.flush, 0, FLUSH / 4, R.stream), "flush");
    check(cuEventRecord(R.event[2 * slot], R.stream), "event");
    if (k)
        run(c, k);
    else
        check(cuMemcpyDtoDAsync(R.pool, R.pool + (size_t)copied, (size_t)copied, R.stream), "copy");
    check(cuEventRecord(R.event[2 * slot + 1], R.stream), "event");
}

static double took(int slot) {
    float ms;
    check(cuEventElapsedTime(&ms, R.event[2 * slot], R.event[2 * slot + 1]), "time");
    return 1e3 * ms;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n, double *least) {
    qsort(v, (size_t)n, sizeof *v, by_value);
    *least = v[0];
    return n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}

static double repeat(const Case *c, Kernel *k, int n, double *least, long long copied) {
    double v[MANY];
    for (int i = 0; i < n; i++) timed(c, k, i, copied);
    check(cuStreamSynchronize(R.stream), "kernel");
    for (int i = 0; i < n; i++) v[i] = took(i);
    return median(v, n, least);
}

/* Elements of the outputs that are not what the first kernel of the case left. */
static unsigned long long wrong(const Case *c) {
    unsigned long long bad = 0;
    check(cuMemsetD8Async(R.bad, 0, 8, R.stream), "count");
    for (int i = 0; i < c->ntensors; i++) {
        const Tensor *t = &c->tensor[i];
        int type = type_number(t->type), small = !strcmp(t->type, "f16") || !strcmp(t->type, "bf16");
        double share = small ? 0.01 : t->type[0] == 'f' ? 5e-4 : 0, least = share;
        if (!strcmp(t->type, "i8")) least = 1; /* a quotient beside a half */
        void *args[] = {(void *)&t->at, (void *)&t->first, (void *)&t->n, &type, &share, &least, &R.bad};
        if (strcmp(t->kind, "out") != 0) continue;
        if (R.have_first)
            launch_plain(R.differ, args);
        else
            check(cuMemcpyDtoDAsync(t->first, t->at, (size_t)t->bytes, R.stream), "keep");
    }
    check(cuMemcpyDtoHAsync(&bad, R.bad, 8, R.stream), "count");
    check(cuStreamSynchronize(R.stream), "compare");
    R.have_first = 1;
    return bad;
}

static void spoil(const Case *c) {
    for (int i = 0; i < c->ntensors; i++)
        if (!strcmp(c->tensor[i].kind, "out"))
            check(cuMemsetD8Async(c->tensor[i].at, 0x77, (size_t)c->tensor[i].bytes, R.stream), "spoil");
}

static void one(const Case *c, Kernel *k, double best) {
    if (!prepare(k)) return;
    R.refused = 0;
    spoil(c);
    k->median = repeat(c, k, 1, &k->least, 0);
    k->reps = 1;
    k->flag = 'e';
    if (R.refused) return;
    k->flag = 'w';
    if (wrong(c)) return;
    k->flag = 'h';
    if (best && k->median > HOPELESS * best) { /* a single repetition may wait some 4 ms for the device */
        const double again = repeat(c, k, 1, &k->least, 0);
        if (again < k->median) k->median = again;
        if (k->median > HOPELESS * best) return;
    }
    k->median = repeat(c, k, k->reps = FEW, &k->least, 0);
    k->flag = 's';
    if (best && k->median > SLOW * best) return;
    k->median = repeat(c, k, k->reps = MANY, &k->least, 0);
    k->flag = 'f';
}

/* The fastest once more, in turns. */
static void top(Case *c, int first, int last) {
    Kernel *best[TOP] = {NULL};
    double v[TOP][MANY];
    int n = 0;
    for (int i = first; i < last; i++) {
        Kernel *k = &c->kernel[i];
        if (k->flag != 'f') continue;
        int at = n < TOP ? n++ : TOP;
        while (at > 0 && best[at - 1]->median > k->median) {
            if (at < TOP) best[at] = best[at - 1];
            at--;
        }
        if (at < TOP) best[at] = k;
    }
    for (int i = 0; i < n; i++)
        if (!prepare(best[i])) return;
    for (int r = 0; r < MANY; r++)
        for (int i = 0; i < n; i++) {
            if (R.file != best[i]->file) prepare(best[i]);
            timed(c, best[i], i * MANY + r, 0);
        }
    check(cuStreamSynchronize(R.stream), "top");
    for (int i = 0; i < n; i++) {
        for (int r = 0; r < MANY; r++) v[i][r] = took(i * MANY + r);
        best[i]->median = median(v[i], MANY, &best[i]->least);
        best[i]->reps = 2 * MANY;
        best[i]->flag = 't';
    }
}

static void run_case(Case *c, int first, int last, double until) {
    int from = 0, to = 0;
    while (from < c->nkernels && c->kernel[from].index < first) from++;
    while (to < c->nkernels && c->kernel[to].index < last) to++;
    if (from >= to) return;
    long long moved = set_up(c);
    double best = 0, least;
    if (moved < 0) {
        fprintf(stderr, "runner: %s %s: no place for its tensors\n", c->name, c->sizes);
        return;
    }
    R.have_first = 0;
    R.now = c;
    if (from > 0 && prepare(&c->kernel[0])) run(c, &c->kernel[0]), wrong(c); /* what it is compared with */
    for (int i = from; i < to && now() < until; i++) {
        Kernel *k = &c->kernel[i];
        R.next = k->index + 1;
        one(c, k, best);
        if (k->flag == 'f' && (!best || k->median < best)) best = k->median;
    }
    R.next = c->kernel[to - 1].index + 1;
    top(c, from, to);
    double floor =
        repeat(c, NULL, MANY, &least, moved / 2 / 256 * 256); /* over its own inputs, which nobody needs now */
    printf("%s\t%s\t-1\tfloor\t%.3f\t%.3f\t0\t%d\tf\n", c->name, c->sizes, floor, least, MANY);
    R.now = NULL;
    print_kernels(c, from, to);
}

/* What two events around a kernel that does nothing are apart. */
static void print_empty(void) {
    double v[MANY], least;
    long long none = 0;
    int type = 0;
    double share = 0;
    void *args[] = {&R.pool, &R.pool, &none, &type, &share, &share, &R.bad};
    for (int i = 0; i < MANY; i++) {
        check(cuMemsetD32Async(R.flush, 0, FLUSH / 4, R.stream), "flush");
        check(cuEventRecord(R.event[2 * i], R.stream), "event");
        launch_plain(R.differ, args);
        check(cuEventRecord(R.event[2 * i + 1], R.stream), "event");
    }
    check(cuStreamSynchronize(R.stream), "empty");
    for (int i = 0; i < MANY; i++) v[i] = took(i);
    double middle = median(v, MANY, &least);
    printf("-\t-\t-2\tempty\t%.3f\t%.3f\t0\t%d\tf\n", middle, least, MANY);
}

static void open_device(void) {
    CUdevice device;
    CUcontext context;
    CUmodule own;
    char path[1024];
    size_t free_bytes, total;
    check(cuInit(0), "init");
    check(cuDeviceGet(&device, 0), "device");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    check(cuStreamCreate(&R.stream, CU_STREAM_NON_BLOCKING), "stream");
    for (int i = 0; i < 2 * MANY * TOP; i++) check(cuEventCreate(&R.event[i], CU_EVENT_DEFAULT), "event");
    snprintf(path, sizeof path, "%s/device.cubin", R.dir);
    check(cuModuleLoad(&own, path), path);
    check(cuModuleGetFunction(&R.fill, own, "corpus_fill"), "corpus_fill");
    check(cuModuleGetFunction(&R.differ, own, "corpus_differ"), "corpus_differ");
    check(cuMemGetInfo(&free_bytes, &total), "memory");
    R.pool_bytes = (size_t)12 << 30;
    if (R.pool_bytes > free_bytes / 2) R.pool_bytes = free_bytes / 2;
    check(cuMemAlloc(&R.pool, R.pool_bytes), "memory");
    check(cuMemAlloc(&R.flush, FLUSH), "memory");
    check(cuMemAlloc(&R.bad, 8), "memory");
    check(cuMemsetD8(R.pool, 0, R.pool_bytes), "memory");
}

int main(int argc, char **argv) {
    static Case c;
    char path[1024];
    int index = 0, first = argc > 2 ? atoi(argv[2]) : 0, last = argc > 3 ? atoi(argv[3]) : 1 << 30;
    double until = now() + (argc > 4 ? atof(argv[4]) : 1e9);
    if (argc < 2) return 2;
    R.dir = argv[1];
    R.file = -1;
    R.next = first;
    snprintf(path, sizeof path, "%s/plan.txt", R.dir);
    FILE *f = fopen(path, "r");
    if (!f) return perror(path), 2;
    open_device();
    R.until = until;
    print_empty();
    while (now() < until && read_case(f, &c, &index)) run_case(&c, first, last, until);
    fprintf(stderr, "next %d\n", R.next);
    return 0;
}

/* Runs one entry of a compiled model in a process of its own: `runner DIRECTORY`. With `serve` as second argument it
 * runs one for each byte that comes on standard input, a socket, and answers with a byte: a process on a GPU takes
 * longer to start than most calls. Linked with the model's files and the CUDA runtime or its stand-in; the
 * linker is told that td_entries is PREFIX_entries, and so of the other names that are not defined here. C99.
 *
 * DIRECTORY/request holds, a word or a number at a time:
 *   entry NAME   dims N v...   scalars N v...   repeats R   loose L   runs N   copy BYTES
 *   tensors N (in|out|inout BYTES ELEMENT CODE BITS RANK extent... NAME)...
 * and DIRECTORY/t<k>.in the bytes of input k, repeated where the file is shorter than the tensor. It leaves t<k>.out,
 * and DIRECTORY/reply with lines: `status S`, `message ...`, `fault ...` (one for each thing that is wrong whatever the
 * values are), those of a timing (below), `done`.
 *
 * Where no runs are to be timed, the entry runs R times, outputs and workspace filled beforehand with another pattern
 * each time, in another order of threads on the stand-in: all must give the same bytes. In the fourth no tensor's
 * address is aligned beyond its element, which may change the order of sums: its outputs are left in t<k>.out4. After
 * four runs each output is tried at the address of each input of its size: what is not refused gives the same bytes.
 * Where L is 1 sums come in any order: of each run up to the fourth the outputs are left, in t<k>.out2 and so on, and
 * no bytes are compared but those of inputs.
 *
 * Otherwise one call is captured as a graph, and that is timed at most N times, by turns with a copy from device memory
 * to device memory that moves BYTES, half of them read and half written. Lines of the reply: `time
 * MEDIAN P10 P90 RUNS` and `copy MEDIAN P10 P90` in microseconds; `nodes N`, what one call puts on the device; `state
 * (before|after) SM MEMORY POWER`, clocks in MHz and power in milliwatts, where that is known; `device NAME`; `has
 * MAJOR MINOR MULTIPROCESSORS KHZ L2`, its compute capability, clock and bytes of cache, 0 where it does not say. */
#define _POSIX_C_SOURCE 200112L /* clock_gettime */
#include <cuda_runtime_api.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifndef TD_EMU
#include <dlfcn.h>
#endif

typedef struct {
    const char *name;
    int ntensors, ndims, nscalars;
    int (*workspace)(const int64_t *dims, size_t *bytes);
    int (*call)(void *const *tensors, const int64_t *dims, const double *scalars, void *workspace,
                size_t workspace_bytes, void *stream, char *message, size_t message_bytes);
} model_entry;
extern const model_entry td_entries[];
extern const int td_nentries;

/* A call as programs make it, in a context that stays: model_run and DLPack's DLTensor. */
typedef struct {
    void *workspace;
    size_t workspace_bytes;
    void *stream;
    char *message;
    size_t message_bytes;
} model_run;
typedef struct {
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} dl_tensor;
typedef struct model_context model_context;
int td_open(model_context **ctx, int device);
void td_close(model_context *ctx);
const char *td_open_message(void);
int td_invoke(model_context *ctx, const model_run *run, const char *entry, const void *const *tensors, int ntensors,
              const int64_t *dims, int ndims, const double *scalars, int nscalars);

enum { MAX_ITEMS = 4096, MAX_RANK = 16, GUARD = 512, DISPLACED = 3 /* run in which addresses are unaligned */ };

typedef struct {
    char name[128];
    int in, out;
    size_t bytes, pattern; /* bytes of the tensor; of the file that fills it */
    size_t element, shift; /* bytes of an element; between base and device */
    int64_t shape[MAX_RANK];
    dl_tensor as;         /* of these */
    unsigned char *given; /* the file */
    unsigned char *first; /* what the first run wrote */
    unsigned char *base, *device;
} tensor;

typedef struct {
    const char *dir;
    FILE *reply;
    const model_entry *entry;
    int64_t dims[MAX_ITEMS];
    double scalars[MAX_ITEMS];
    tensor tensors[MAX_ITEMS];
    void *pointers[MAX_ITEMS];
    int ndims, nscalars, ntensors, repeats, loose, runs;
    size_t copy; /* bytes */
    void *workspace;
    size_t workspace_bytes;
    char message[4096];
} job;

#ifdef TD_EMU
static const size_t guard = 0; /* the stand-in sees every access outside an allocation itself */
#else
static const size_t guard = GUARD;
#endif

static int broken(job *j, const char *what) {
    fprintf(j->reply, "fault %s\n", what);
    return 0;
}

static int cuda_ok(job *j, const char *what, cudaError_t e) {
    if (e == cudaSuccess) return 1;
    fprintf(j->reply, "fault %s: %s\n", what, cudaGetErrorString(e));
    return 0;
}

static FILE *open_file(const job *j, const char *mode, int k, const char *suffix) {
    char path[4096];
    int n = k < 0 ? snprintf(path, sizeof path, "%s/%s", j->dir, suffix)
                  : snprintf(path, sizeof path, "%s/t%d.%s", j->dir, k, suffix);
    return n > 0 && (size_t)n < sizeof path ? fopen(path, mode) : NULL;
}

/* ---- the request ---- */

static int read_count(FILE *f, const char *word, int *n) {
    char w[32];
    return fscanf(f, "%31s %d", w, n) == 2 && !strcmp(w, word) && *n >= 0 && *n <= MAX_ITEMS;
}

#ifdef TD_EMU
enum { DEVICE_TYPE = 1 }; /* DLPack's kDLCPU */
#else
enum { DEVICE_TYPE = 2 }; /* kDLCUDA */
#endif

static int read_tensor(tensor *t, FILE *f) {
    char kind[8];
    int code, bits, rank;
    if (fscanf(f, "%7s %zu %zu %d %d %d", kind, &t->bytes, &t->element, &code, &bits, &rank) != 6) return 0;
    if (rank < 0 || rank > MAX_RANK) return 0;
    for (int d = 0; d < rank; d++) {
        long long n;
        if (fscanf(f, "%lld", &n) != 1) return 0;
        t->shape[d] = n;
    }
    t->as.device_type = DEVICE_TYPE, t->as.ndim = rank, t->as.shape = t->shape;
    t->as.code = (uint8_t)code, t->as.bits = (uint8_t)bits, t->as.lanes = 1;
    t->in = kind[0] == 'i';
    t->out = strcmp(kind, "in") != 0;
    return fscanf(f, "%127s", t->name) == 1;
}

static int read_tensors(job *j, FILE *f) {
    if (!read_count(f, "tensors", &j->ntensors)) return 0;
    for (int k = 0; k < j->ntensors; k++)
        if (!read_tensor(&j->tensors[k], f)) return 0;
    return 1;
}

static int read_request(job *j) {
    char name[1024];
    FILE *f = open_file(j, "r", -1, "request");
    if (!f) return 0;
    int ok = fscanf(f, " entry %1023s", name) == 1 && read_count(f, "dims", &j->ndims);
    for (int i = 0; ok && i < j->ndims; i++) {
        long long v;
        ok = fscanf(f, "%lld", &v) == 1;
        j->dims[i] = v;
    }
    ok = ok && read_count(f, "scalars", &j->nscalars);
    for (int i = 0; ok && i < j->nscalars; i++) ok = fscanf(f, "%lf", &j->scalars[i]) == 1;
    ok = ok && fscanf(f, " repeats %d loose %d", &j->repeats, &j->loose) == 2;
    ok = ok && fscanf(f, " runs %d copy %zu", &j->runs, &j->copy) == 2 && read_tensors(j, f);
    fclose(f);
    for (int i = 0; ok && i < td_nentries; i++)
        if (!strcmp(td_entries[i].name, name)) j->entry = &td_entries[i];
    return ok;
}

/* ---- memory ---- */

static int load_file(const job *j, int k) {
    tensor *t = (tensor *)&j->tensors[k];
    FILE *f = open_file(j, "rb", k, "in");
    if (!f) return 0;
    t->given = malloc(t->bytes ? t->bytes : 1);
    t->pattern = t->given ? fread(t->given, 1, t->bytes, f) : 0;
    fclose(f);
    return t->pattern || !t->bytes;
}

/* The file's bytes, and then copies of what is there already. */
static cudaError_t upload(const tensor *t) {
    unsigned char *d = t->device;
    if (!t->bytes) return cudaSuccess;
    cudaError_t e = cudaMemcpy(d, t->given, t->pattern, cudaMemcpyHostToDevice);
    for (size_t have = t->pattern; e == cudaSuccess && have < t->bytes;) {
        size_t n = have < t->bytes - have ? have : t->bytes - have;
        e = cudaMemcpy(d + have, d, n, cudaMemcpyDeviceToDevice);
        have += n;
    }
    return e;
}

static int load_files(job *j) {
    for (int k = 0; k < j->ntensors; k++)
        if (j->tensors[k].in && !load_file(j, k)) return broken(j, "an input file is missing or empty");
    return 1;
}

/* Memory that nothing has used, filled with the pattern. The stand-in reports reads of what nothing wrote: there the
 * filling, which counts as writing, is left to outputs from the second run on. */
static int fresh(job *j, void **p, size_t bytes, int fill, int pattern) {
    cudaFree(*p);
    *p = NULL;
    size_t n = bytes + guard;
    if (!cuda_ok(j, "cudaMalloc", cudaMalloc(p, n ? n : 1))) return 0;
    return !n || !fill || cuda_ok(j, "cudaMemset", cudaMemset(*p, pattern, n));
}

static int prepare(job *j, int run, int pattern) {
    for (int k = 0; k < j->ntensors; k++) {
        tensor *t = &j->tensors[k];
        void *base = t->base;
        t->shift = run == DISPLACED ? t->element : 0;
        if (!fresh(j, &base, t->bytes + t->shift, guard || (run && !t->in), pattern)) return 0;
        t->base = base;
        t->device = t->base ? t->base + t->shift : NULL;
        if (t->in && !cuda_ok(j, "cudaMemcpy", upload(t))) return 0;
        j->pointers[k] = t->device;
    }
    if (j->workspace_bytes && !fresh(j, &j->workspace, j->workspace_bytes, guard != 0, pattern)) return 0;
    return cuda_ok(j, "preparing", cudaDeviceSynchronize());
}

/* ---- running ---- */

static int front_holds(job *j, const tensor *t, int pattern) {
    unsigned char g[GUARD];
    if (t->in || !t->shift) return 1;
    if (!cuda_ok(j, "cudaMemcpy", cudaMemcpy(g, t->base, t->shift, cudaMemcpyDeviceToHost))) return 0;
    for (size_t i = 0; i < t->shift; i++)
        if (g[i] != (unsigned char)pattern) {
            fprintf(j->reply, "fault written before the start of %s\n", t->name);
            return 0;
        }
    return 1;
}

static int guards_hold(job *j, int pattern) {
    unsigned char g[GUARD];
    for (int k = 0; k < j->ntensors; k++)
        if (!front_holds(j, &j->tensors[k], pattern)) return 0;
    if (!guard) return 1;
    for (int k = 0; k <= j->ntensors; k++) {
        const unsigned char *p = k < j->ntensors ? j->tensors[k].device : j->workspace;
        size_t n = k < j->ntensors ? j->tensors[k].bytes : j->workspace_bytes;
        if (k == j->ntensors && !n) break;
        if (!cuda_ok(j, "cudaMemcpy", cudaMemcpy(g, p + n, guard, cudaMemcpyDeviceToHost))) return 0;
        for (size_t i = 0; i < guard; i++)
            if (g[i] != (unsigned char)pattern) {
                fprintf(j->reply, "fault written past the end of %s\n",
                        k < j->ntensors ? j->tensors[k].name : "the workspace");
                return 0;
            }
    }
    return 1;
}

static void compare_bytes(job *j, int k, const unsigned char *now, int run) {
    const tensor *t = &j->tensors[k];
    const unsigned char *was = t->out ? t->first : t->given;
    size_t n = t->out ? t->bytes : t->pattern;
    for (size_t i = 0; i < n; i++)
        if (now[i] != was[i]) {
            if (!t->out)
                fprintf(j->reply, "fault the input %s was written to, at byte %zu\n", t->name, i);
            else
                fprintf(j->reply,
                        "fault run %d gives other bytes in %s from byte %zu: not all is written, or an order of "
                        "threads shows\n",
                        run + 1, t->name, i);
            return;
        }
}

static int save(job *j, int k, const char *suffix, const unsigned char *data) {
    const size_t n = j->tensors[k].bytes;
    FILE *f = open_file(j, "wb", k, suffix);
    int ok = f && fwrite(data, 1, n, f) == n;
    if (f && fclose(f)) ok = 0;
    return ok || broken(j, "an output file cannot be written");
}

/* An output of a run behind the first: kept where the order of sums may differ, compared where not. */
static int keep_or_compare(job *j, int k, int run, const unsigned char *now) {
    char suffix[16];
    snprintf(suffix, sizeof suffix, "out%d", run + 1);
    if (run == DISPLACED || (j->loose && run < DISPLACED)) return save(j, k, suffix, now);
    if (!j->loose) compare_bytes(j, k, now, run);
    return 1;
}

static int collect(job *j, int run) {
    int ok = 1;
    for (int k = 0; ok && k < j->ntensors; k++) {
        tensor *t = &j->tensors[k];
        if (!t->out && run) continue;
        unsigned char *now = malloc(t->bytes ? t->bytes : 1);
        if (!now) return broken(j, "out of memory");
        if (t->bytes && !cuda_ok(j, "cudaMemcpy", cudaMemcpy(now, t->device, t->bytes, cudaMemcpyDeviceToHost)))
            return 0;
        if (!t->out)
            compare_bytes(j, k, now, run);
        else if (run)
            ok = keep_or_compare(j, k, run, now);
        else
            ok = save(j, k, "out", now);
        if (t->out && !run)
            t->first = now;
        else
            free(now);
    }
    return ok;
}

static int call(job *j) {
    return j->entry->call(j->pointers, j->dims, j->scalars, j->workspace, j->workspace_bytes, NULL, j->message,
                          sizeof j->message);
}

/* How much workspace the entry asks for. A status says that the entry refuses. */
static void workspace(job *j, int *status) {
    *status = j->entry->workspace ? j->entry->workspace(j->dims, &j->workspace_bytes) : 0;
    if (*status) call(j); /* for the message */
}

static int emulator_errors(void) {
#ifdef TD_EMU
    return td_emu_errors();
#else
    return 0;
#endif
}

static int repeat(job *j, int *status) {
    for (int run = 0; run < j->repeats; run++) {
        int pattern = run % 2 ? 0x5a : 0xff;
#ifdef TD_EMU
        td_emu_seed((unsigned long long)run);
#endif
        if (!prepare(j, run, pattern)) return 0;
        *status = call(j);
        if (emulator_errors()) return broken(j, "the stand-in reports errors");
        if (*status) return 1;
        if (!cuda_ok(j, "running", cudaDeviceSynchronize()) || !cuda_ok(j, "running", cudaGetLastError())) return 0;
        if (emulator_errors()) return broken(j, "the stand-in reports errors");
        if (!guards_hold(j, pattern) || !collect(j, run)) return 0;
    }
    return 1;
}

/* ---- in place ---- */

/* One output at an input's address, for a call that was not refused. */
static int same_in_place(job *j, int out, int in) {
    for (int k = 0; k < j->ntensors; k++) {
        const tensor *t = &j->tensors[k];
        if (k == in || !t->bytes) continue;
        unsigned char *now = malloc(t->bytes);
        if (!now) return broken(j, "out of memory");
        if (!cuda_ok(j, "cudaMemcpy", cudaMemcpy(now, j->pointers[k], t->bytes, cudaMemcpyDeviceToHost))) return 0;
        size_t n = t->out ? t->bytes : t->pattern;
        if ((!t->out || !j->loose) && memcmp(now, t->out ? t->first : t->given, n) != 0)
            fprintf(j->reply, "fault with %s at the address of %s there are other bytes in %s\n", j->tensors[out].name,
                    j->tensors[in].name, t->name);
        free(now);
    }
    return 1;
}

static int in_place(job *j) {
    int ready = 0;
    for (int out = 0; out < j->ntensors; out++)
        for (int in = 0; in < j->ntensors; in++) {
            const tensor *a = &j->tensors[out], *b = &j->tensors[in];
            if (a->in || b->out || a->bytes != b->bytes || !a->bytes || a->element != b->element) continue;
            if (!ready && !prepare(j, DISPLACED + 1, 0x5a)) return 0;
            j->pointers[out] = b->device;
            int status = call(j);
            if (emulator_errors()) return broken(j, "the stand-in reports errors of a run in place");
            if (status && !strstr(j->message, "overlaps")) return broken(j, j->message);
            ready = status != 0; /* a refusal leaves all as it was */
            if (!ready) {
                if (!cuda_ok(j, "running in place", cudaDeviceSynchronize())) return 0;
                if (emulator_errors()) return broken(j, "the stand-in reports errors of a run in place");
                if (!same_in_place(j, out, in)) return 0;
            }
            j->pointers[out] = a->device;
        }
    return 1;
}

/* ---- timing ---- */

#ifdef TD_EMU
enum { LEAST_FLUSH = 1 << 16, FLUSHES = 0 };
#else
enum { LEAST_FLUSH = 64 << 20, FLUSHES = 2 }; /* bytes; how often L2 is filled */
#endif
enum { LEAST_RUNS = 5, WARM_UPS = 3 };
static const double MOST_SECONDS = 2; /* of timed runs, after the first few */

typedef struct {
    model_context *context;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cudaGraphExec_t entry;
    size_t nodes, flush_bytes;
    void *flush, *from, *to;
    float *us[2]; /* of the entry, of the copy */
    int n;        /* timed so far */
} timing;

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A call in the context: one by the table of entries makes a context of its own, which no capture allows. */
static int call_in(job *j, timing *t) {
    const model_run run = {j->workspace, j->workspace_bytes, t->stream, j->message, sizeof j->message};
    const void *tensors[MAX_ITEMS];
    for (int k = 0; k < j->ntensors; k++) {
        j->tensors[k].as.data = j->tensors[k].device;
        tensors[k] = &j->tensors[k].as;
    }
    return td_invoke(t->context, &run, j->entry->name, tensors, j->ntensors, j->dims, j->ndims, j->scalars,
                     j->nscalars);
}

/* One call, as a graph. */
static int captured(job *j, timing *t) {
    cudaGraph_t graph = NULL;
    cudaError_t e = cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeThreadLocal);
    if (!cuda_ok(j, "capturing", e)) return 0;
    int status = call_in(j, t);
    e = cudaStreamEndCapture(t->stream, &graph);
    if (status) return broken(j, j->message);
    int ok = cuda_ok(j, "capturing", e) && cuda_ok(j, "capturing", cudaGraphGetNodes(graph, NULL, &t->nodes)) &&
             cuda_ok(j, "capturing", cudaGraphInstantiate(&t->entry, graph, 0));
    if (graph) cudaGraphDestroy(graph);
    return ok;
}

static int has(enum cudaDeviceAttr attribute) {
    int v = 0;
    return cudaDeviceGetAttribute(&v, attribute, 0) == cudaSuccess ? v : 0;
}

/* Whether the entry takes the call is known after the first one: *status. */
static int timing_open(job *j, timing *t, int *status) {
    const int l2 = has(cudaDevAttrL2CacheSize);
    t->flush_bytes = (size_t)FLUSHES * (size_t)l2 > LEAST_FLUSH ? (size_t)FLUSHES * (size_t)l2 : LEAST_FLUSH;
    if (j->copy < 2) j->copy = 2;
    for (int k = 0; k < 2; k++)
        if (!(t->us[k] = malloc(sizeof(float) * (size_t)j->runs))) return broken(j, "out of memory");
    if (!cuda_ok(j, "cudaStreamCreate", cudaStreamCreate(&t->stream)) || !prepare(j, 0, 0x5a)) return 0;
    if (td_open(&t->context, 0)) return broken(j, td_open_message());
    *status = call_in(j, t);
    if (*status) return 1;
    return cuda_ok(j, "running", cudaStreamSynchronize(t->stream)) &&
           cuda_ok(j, "cudaEventCreate", cudaEventCreate(&t->begin)) &&
           cuda_ok(j, "cudaEventCreate", cudaEventCreate(&t->end)) &&
           cuda_ok(j, "cudaMalloc", cudaMalloc(&t->flush, t->flush_bytes)) &&
           cuda_ok(j, "cudaMalloc", cudaMalloc(&t->from, j->copy / 2)) &&
           cuda_ok(j, "cudaMalloc", cudaMalloc(&t->to, j->copy / 2)) &&
           cuda_ok(j, "cudaMemset", cudaMemset(t->from, 0x5a, j->copy / 2)) && captured(j, t);
}

static void timing_close(timing *t) {
    if (t->entry) cudaGraphExecDestroy(t->entry);
    if (t->context) td_close(t->context);
    if (t->begin) cudaEventDestroy(t->begin);
    if (t->end) cudaEventDestroy(t->end);
    cudaFree(t->flush);
    cudaFree(t->from);
    cudaFree(t->to);
    if (t->stream) cudaStreamDestroy(t->stream);
    free(t->us[0]);
    free(t->us[1]);
}

/* One run. The write that flushes L2 takes longer than the host needs to ask for what follows it, so that nothing waits
 * for the host between the two events. The copy is no graph: a graph's copy of some sizes takes half as long again. */
static int timed_run(job *j, timing *t, int copy) {
    float ms = 0;
    if (!cuda_ok(j, "flushing", cudaMemsetAsync(t->flush, t->n & 255, t->flush_bytes, t->stream))) return 0;
    cudaEventRecord(t->begin, t->stream);
    cudaError_t e = copy ? cudaMemcpyAsync(t->to, t->from, j->copy / 2, cudaMemcpyDeviceToDevice, t->stream)
                         : cudaGraphLaunch(t->entry, t->stream);
    cudaEventRecord(t->end, t->stream);
    if (!cuda_ok(j, "timing", e) || !cuda_ok(j, "timing", cudaEventSynchronize(t->end))) return 0;
    if (!cuda_ok(j, "timing", cudaEventElapsedTime(&ms, t->begin, t->end))) return 0;
    t->us[copy][t->n] = ms * 1000;
    return 1;
}

/* The entry and the copy by turns, so that both see the same clocks. */
static int both_run(job *j, timing *t) { return timed_run(j, t, 0) && timed_run(j, t, 1); }

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void put_times(job *j, const char *word, float *us, int n) {
    qsort(us, (size_t)n, sizeof *us, by_value);
    fprintf(j->reply, "%s %.4f %.4f %.4f %d\n", word, us[n / 2], us[n / 10], us[n - 1 - n / 10], n);
}

/* Clocks and power, as the driver's management library says them, where there is one. */
#ifdef TD_EMU
static void put_state(job *j, const char *when) {
    fprintf(j->reply, "state %s 1000 2000 %d\n", when, strcmp(when, "after") ? 100000 : 200000);
}
#else
static void put_state(job *j, const char *when) {
    int (*init)(void), (*find)(const char *, void **), (*clock)(void *, int, unsigned *), (*watts)(void *, unsigned *);
    char bus[64];
    void *gpu = NULL, *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    unsigned sm = 0, memory = 0, power = 0;
    if (!nvml) return;
    *(void **)&init = dlsym(nvml, "nvmlInit_v2");
    *(void **)&find = dlsym(nvml, "nvmlDeviceGetHandleByPciBusId_v2");
    *(void **)&clock = dlsym(nvml, "nvmlDeviceGetClockInfo");
    *(void **)&watts = dlsym(nvml, "nvmlDeviceGetPowerUsage");
    if (init && find && clock && watts && cudaDeviceGetPCIBusId(bus, sizeof bus, 0) == cudaSuccess && !init() &&
        !find(bus, &gpu) && !clock(gpu, 1 /* SM */, &sm) && !clock(gpu, 2 /* memory */, &memory) && !watts(gpu, &power))
        fprintf(j->reply, "state %s %u %u %u\n", when, sm, memory, power);
}
#endif

/* False where something went wrong. */
static int timed_runs(job *j, timing *t) {
    struct cudaDeviceProp device;
    for (int i = 0; i < WARM_UPS; i++)
        if (!both_run(j, t)) return 0;
    put_state(j, "before");
    for (double begun = now_s(); t->n < j->runs && (t->n < LEAST_RUNS || now_s() - begun < MOST_SECONDS); t->n++)
        if (!both_run(j, t)) return 0;
    put_state(j, "after");
    put_times(j, "time", t->us[0], t->n);
    put_times(j, "copy", t->us[1], t->n);
    fprintf(j->reply, "nodes %zu\n", t->nodes);
    if (cudaGetDeviceProperties(&device, 0) == cudaSuccess) fprintf(j->reply, "device %s\n", device.name);
    fprintf(j->reply, "has %d %d %d %d %d\n", has(cudaDevAttrComputeCapabilityMajor),
            has(cudaDevAttrComputeCapabilityMinor), has(cudaDevAttrMultiProcessorCount), has(cudaDevAttrClockRate),
            has(cudaDevAttrL2CacheSize));
    return emulator_errors() ? broken(j, "the stand-in reports errors") : guards_hold(j, 0x5a);
}

static int timed(job *j, int *status) {
    timing t = {0};
#ifdef TD_EMU
    td_emu_invent(1);
#endif
    int ok = timing_open(j, &t, status) && (*status || timed_runs(j, &t));
    timing_close(&t);
    return ok;
}

static void run_job(job *j) {
    int status = 0;
    if (!read_request(j)) {
        broken(j, "the request cannot be read");
        return;
    }
    if (!j->entry || j->entry->ntensors != j->ntensors || j->entry->ndims != j->ndims ||
        j->entry->nscalars != j->nscalars) {
        broken(j, "the model has no such entry, or one of another signature");
        return;
    }
    if (!load_files(j)) return;
    workspace(j, &status);
    if (!status && !(j->runs ? timed(j, &status) : repeat(j, &status))) return;
    if (!status && !j->runs && j->repeats > DISPLACED && !in_place(j)) return;
    fprintf(j->reply, "status %d\n", status);
    for (char *p = j->message; *p; p++)
        if (*p == '\n') *p = ' ';
    if (status) fprintf(j->reply, "message %s\n", j->message);
    fprintf(j->reply, "done\n");
}

static void release(job *j) {
    for (int k = 0; k < j->ntensors; k++) {
        tensor *t = &j->tensors[k];
        free(t->given);
        free(t->first);
        cudaFree(t->base);
    }
    cudaFree(j->workspace);
}

/* The process's exit status: not 0 where it can do no more. */
static int one_job(job *j, const char *dir) {
    memset(j, 0, sizeof *j);
    j->dir = dir;
    j->reply = open_file(j, "w", -1, "reply");
    if (!j->reply) return 2;
    run_job(j);
    release(j);
    return fclose(j->reply) != 0;
}

int main(int argc, char **argv) {
    static job j;
    char byte;
    if (argc == 2) return one_job(&j, argv[1]);
    if (argc != 3) return 2;
    while (read(0, &byte, 1) == 1) {
        int status = one_job(&j, argv[1]);
        if (status) return status;
        if (write(0, &byte, 1) != 1) return 2;
    }
    return 0;
}

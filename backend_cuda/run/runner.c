/* Runs one entry of a compiled model in a process of its own: `runner DIRECTORY`. With `serve` as second argument it
 * runs one for each byte that comes on standard input, a socket, and answers with a byte: a process on a GPU takes
 * longer to start than most calls. Linked with the model's files and the CUDA runtime or its stand-in; the
 * linker is told that td_entries and td_nentries are PREFIX_entries and PREFIX_nentries. C99.
 *
 * DIRECTORY/request holds, a word or a number at a time:
 *   entry NAME   dims N v...   scalars N v...   repeats R   launches L   tensors N (in|out|inout BYTES ELEMENT NAME)...
 * and DIRECTORY/t<k>.in the bytes of input k, repeated where the file is shorter than the tensor. It leaves t<k>.out,
 * and DIRECTORY/reply with lines: `status S`, `message ...`, `fault ...` (one for each thing that is wrong whatever the
 * values are), `time MEDIAN MIN COPY` in microseconds, `done`.
 *
 * The entry runs R times, outputs and workspace filled beforehand with another pattern each time, in another order of
 * threads on the stand-in: all must give the same bytes. In the fourth no tensor's address is aligned beyond its
 * element, which may change the order of sums: its outputs are left in t<k>.moved. After four runs each output is tried
 * at the address of each input of its size: what is not refused gives the same bytes. Then L launches are timed, L2
 * flushed before each, beside device-to-device copies that move as many bytes as the tensors have. */
#include <cuda_runtime_api.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *name;
    int ntensors, ndims, nscalars;
    int (*workspace)(const int64_t *dims, size_t *bytes);
    int (*call)(void *const *tensors, const int64_t *dims, const double *scalars, void *workspace,
                size_t workspace_bytes, void *stream, char *message, size_t message_bytes);
} model_entry;
extern const model_entry td_entries[];
extern const int td_nentries;

enum { MAX_ITEMS = 4096, GUARD = 512, FLUSH = 256 << 20, DISPLACED = 3 /* run in which addresses are unaligned */ };

typedef struct {
    char name[128];
    int in, out;
    size_t bytes, pattern; /* bytes of the tensor; of the file that fills it */
    size_t element, shift; /* bytes of an element; between base and device */
    unsigned char *given;  /* the file */
    unsigned char *first;  /* what the first run wrote */
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
    int ndims, nscalars, ntensors, repeats, launches;
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

static int read_tensors(job *j, FILE *f) {
    if (!read_count(f, "tensors", &j->ntensors)) return 0;
    for (int k = 0; k < j->ntensors; k++) {
        tensor *t = &j->tensors[k];
        char kind[8];
        if (fscanf(f, "%7s %zu %zu %127s", kind, &t->bytes, &t->element, t->name) != 4) return 0;
        t->in = kind[0] == 'i';
        t->out = strcmp(kind, "in") != 0;
    }
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
    ok = ok && fscanf(f, " repeats %d launches %d", &j->repeats, &j->launches) == 2 && read_tensors(j, f);
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

static int collect(job *j, int run) {
    int ok = 1;
    for (int k = 0; ok && k < j->ntensors; k++) {
        tensor *t = &j->tensors[k];
        if (!t->out && run) continue;
        unsigned char *now = malloc(t->bytes ? t->bytes : 1);
        if (!now) return broken(j, "out of memory");
        if (t->bytes && !cuda_ok(j, "cudaMemcpy", cudaMemcpy(now, t->device, t->bytes, cudaMemcpyDeviceToHost)))
            return 0;
        if (run == DISPLACED && t->out)
            ok = save(j, k, "moved", now);
        else if (run || !t->out)
            compare_bytes(j, k, now, run);
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
        if (memcmp(now, t->out ? t->first : t->given, n) != 0)
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

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

typedef struct {
    cudaEvent_t begin, end;
    void *flush, *from, *to;
    size_t bytes; /* of one copy: half of what the tensors have */
} timing;

static int timing_open(job *j, timing *t) {
    size_t all = 0;
    for (int k = 0; k < j->ntensors; k++) all += j->tensors[k].bytes * (size_t)(j->tensors[k].in + j->tensors[k].out);
    t->bytes = all / 2 ? all / 2 : 1;
    return cuda_ok(j, "cudaEventCreate", cudaEventCreate(&t->begin)) &&
           cuda_ok(j, "cudaEventCreate", cudaEventCreate(&t->end)) &&
           cuda_ok(j, "cudaMalloc", cudaMalloc(&t->flush, FLUSH)) &&
           cuda_ok(j, "cudaMalloc", cudaMalloc(&t->from, t->bytes)) &&
           cuda_ok(j, "cudaMalloc", cudaMalloc(&t->to, t->bytes));
}

/* Median and least time of a launch (copies where `copy`) in microseconds. */
static int measure(job *j, const timing *t, int copy, float *us, double *median, double *least) {
    for (int i = -2; i < j->launches; i++) { /* two to warm up */
        float ms = 0;
        if (!cuda_ok(j, "flush", cudaMemsetAsync(t->flush, i & 255, FLUSH, NULL))) return 0;
        cudaEventRecord(t->begin, NULL);
        if (copy)
            cudaMemcpyAsync(t->to, t->from, t->bytes, cudaMemcpyDeviceToDevice, NULL);
        else if (call(j))
            return broken(j, "a timed launch was refused");
        cudaEventRecord(t->end, NULL);
        if (!cuda_ok(j, "timing", cudaEventSynchronize(t->end))) return 0;
        if (!cuda_ok(j, "timing", cudaEventElapsedTime(&ms, t->begin, t->end))) return 0;
        if (i >= 0) us[i] = ms * 1000;
    }
    qsort(us, (size_t)j->launches, sizeof *us, by_value);
    *median = us[j->launches / 2];
    *least = us[0];
    return 1;
}

static int timed(job *j) {
    timing t = {0};
    double median = 0, least = 0, copy = 0, ignored = 0;
    float *us = malloc(sizeof(float) * (size_t)j->launches);
    int ok =
        us && timing_open(j, &t) && measure(j, &t, 0, us, &median, &least) && measure(j, &t, 1, us, &copy, &ignored);
    if (ok) fprintf(j->reply, "time %.4f %.4f %.4f\n", median, least, copy);
    free(us);
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
    if (!status && !repeat(j, &status)) return;
    if (!status && j->repeats > DISPLACED && !in_place(j)) return;
    fprintf(j->reply, "status %d\n", status);
    for (char *p = j->message; *p; p++)
        if (*p == '\n') *p = ' ';
    if (status) fprintf(j->reply, "message %s\n", j->message);
    if (!status && j->launches > 0 && !timed(j)) return;
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

/* The checks of model.c, made from model.kernel, against a CUDA runtime that only counts: each refusal has its status
 * and its message, and launches nothing; a call that fits clears, launches in order and passes what it should. */
#include "model.h"

#include "counting.h"

LAUNCHER(model_rows_sums, "a", "p")
LAUNCHER(model_rows_scale, "b", "q")

/* A call that fits, to be spoilt in one place. */
typedef struct {
    model_context *ctx;
    model_run run;
    char *x, *w, *acc, *y;
    int64_t m, n, step;
    char message[256];
} arguments;

enum { MEMORY = 4 << 20 };
static char *memory; /* tensors and workspace */

static arguments good(model_context *ctx) {
    arguments a;
    memset(&a, 0, sizeof a);
    a.ctx = ctx;
    a.m = 100;
    a.n = 1024;
    a.step = 7;
    a.x = memory;
    a.w = memory + (3 << 20) + (1 << 19);
    a.acc = memory + (1 << 20);
    a.y = memory + (2 << 20);
    a.run.workspace = memory + (3 << 20);
    a.run.workspace_bytes = 512;
    a.run.stream = (struct CUstream_st *)memory;
    return a;
}

/* Addresses of bytes are what a refusal is about: they go through void pointers. */
static model_status rows(const arguments *a, const model_run *run) {
    void *x = a->x, *w = a->w, *acc = a->acc, *y = a->y;
    return model_rows(a->ctx, run, x, w, acc, y, a->m, a->n, 0.5f, a->step);
}

static model_status call(arguments *a) {
    a->run.message = a->message;
    a->run.message_bytes = sizeof a->message;
    order[0] = 0;
    return rows(a, &a->run);
}

/* clause 10.3 */
static void refused(const char *what, arguments a, model_status status, const char *message) {
    model_status got;
    memset(memory, 0x5a, MEMORY);
    got = call(&a);
    for (size_t i = 0; i < MEMORY; i++)
        if (memory[i] != 0x5a) {
            check(0, "a refusal writes nothing");
            break;
        }
    if (got != status || order[0] || !strstr(a.message, message))
        printf("%s: status %d (%s), expected %d, launched '%s', message '%s', expected '%s'\n", what, got,
               model_status_text(got), status, order, a.message, message);
    check(got == status && !order[0] && strstr(a.message, message) != NULL, what);
}

static void refusals(model_context *ctx) {
    static int64_t no_context[4]; /* as the memory of a closed one */
    model_context *closed = (model_context *)no_context;
    arguments a;
#define REFUSED(spoil, status, message)                                                                                \
    do {                                                                                                               \
        a = good(ctx);                                                                                                 \
        spoil;                                                                                                         \
        refused(#spoil, a, model_error_##status, message);                                                             \
    } while (0)
    REFUSED(a.ctx = NULL, argument, "rows: context: expected an open one, got NULL");
    REFUSED(a.ctx = closed, argument, "rows: context: expected an open one, got one that is not");
    REFUSED(a.m = -1, dimension, "dimension M: expected at least 0, got -1");
    REFUSED(a.n = 0, dimension, "dimension N: expected 1..=65536, got 0");
    REFUSED(a.n = 65544, dimension, "dimension N: expected 1..=65536, got 65544");
    REFUSED(a.n = 1025, dimension, "dimension N: expected a multiple of 8, got 1025");
    REFUSED(a.n = 8, shape, "tensor w: extent 0: expected at least 0, got -8");
    REFUSED(a.n = 1032, kernel, "kernel sums: expected N % 16 == 0");
    REFUSED(a.m = (int64_t)1 << 41, extent, "dimension M: expected at most 2^40, got 2199023255552");
    REFUSED(a.m = (int64_t)1 << 33, extent, "blocks: expected at most 2147483647, got 8589934592");
    REFUSED(a.m = INT64_MAX, extent, "dimension M");
    REFUSED(a.x = NULL, null, "tensor x: expected 204800 bytes, got NULL");
    REFUSED(a.y = NULL, null, "tensor y");
    REFUSED(a.x += 1, alignment, "tensor x: expected an address aligned to 2");
    REFUSED(a.acc += 2, alignment, "tensor acc: expected an address aligned to 4");
    REFUSED(a.y = a.x, overlap, "overlaps x");
    REFUSED(a.acc = a.x + 204796, overlap, "tensor acc");
    REFUSED(a.acc = a.y - 396, overlap, "overlaps y");
    REFUSED(a.run.workspace_bytes = 511, workspace, "workspace: expected 512 bytes, got 511");
    REFUSED(a.run.workspace = NULL, workspace, "at NULL");
    REFUSED(a.run.workspace = (char *)a.run.workspace + 128, workspace, "aligned to 256");
    REFUSED(a.run.workspace = a.x, overlap, "workspace: expected memory of its own");
    REFUSED(a.step = ((int64_t)1 << 53) + 1, scalar, "scalar step");
    REFUSED(a.acc = (char *)a.run.workspace + 100, overlap, "workspace: expected memory of its own");
    REFUSED(current = 1, device, "current device: expected the context's, 0, got 1");
    current = 0;
}

static void runs(model_context *ctx) {
    arguments a = good(ctx);
    check(call(&a) == model_ok && !strcmp(order, "0a+b"), "a call that fits clears, then launches in order");
    check(seen[0] == a.x && seen[1] == a.w && seen[2] == a.acc && seen[3] == a.y && seen[4] == a.run.workspace,
          "tensors in order, then temporaries");
    check(seen[5] == a.y && cleared == seen[5] && cleared_bytes == 800,
          "a temporary that is not needed any more when y is written lies in y");
    a.y += 4;
    check(call(&a) == model_ok && seen[3] == a.y && (char *)seen[5] == a.y + 252,
          "temporaries are aligned to 256, in a parameter too");
    a = good(ctx);
    call(&a);
    check(seen_dims[0] == 100 && seen_dims[1] == 1024, "dimensions in order");
    check(seen_scalars[0] == 0.5 && seen_scalars[1] == 7, "scalars in order");
    a.m = 0;
    a.x = a.y = a.acc = NULL;
    a.run.workspace = NULL;
    check(call(&a) == model_ok && !strcmp(order, "a+b"), "empty tensors may be NULL, and nothing is cleared");
    a = good(ctx);
    a.acc = a.x + 204800;
    check(call(&a) == model_ok, "tensors may touch");
    a = good(ctx);
    launch_error = cudaErrorLaunchFailure;
    check(call(&a) == model_error_cuda && strstr(a.message, "kernel sums: launch failure") && !strcmp(order, "0a"),
          "a failed launch ends the run");
    launch_error = 0;
    a.n = 0;
    a.run.message_bytes = 0;
    a.run.message = NULL;
    check(rows(&a, &a.run) == model_error_dimension, "a message is not required");
    check(rows(&a, NULL) == model_error_argument, "a run is");
    a.run.message = a.message;
    a.run.message_bytes = 12;
    memset(a.message, '#', sizeof a.message);
    check(rows(&a, &a.run) == model_error_dimension && !strcmp(a.message, "rows: dimen") && a.message[12] == '#',
          "a message is cut to its buffer");
}

static void others(model_context *ctx) {
    size_t bytes = 0;
    model_context *none = (model_context *)memory;
    const model_entry *e = &model_entries[0];
    const int64_t dims[] = {100, 1024};
    arguments a = good(ctx);
    void *const tensors[] = {a.x, a.w, a.acc, a.y};
    const double scalars[] = {1, 2};
    check(model_rows_workspace(ctx, 100, 1024, &bytes) == model_ok && bytes == 512, "workspace");
    check(model_rows_workspace(ctx, 100, 0, &bytes) == model_error_dimension, "the workspace query checks dimensions");
    check(model_rows_workspace(ctx, 100, 1024, NULL) == model_error_argument, "the workspace query needs a result");
    order[0] = 0;
    check(model_open(&none, 1) == model_ok && none && current == 0 && !strcmp(order, "pq"),
          "open prepares, and keeps the current device");
    model_close(none);
    none = (model_context *)memory;
    order[0] = 0;
    check(model_rows_prepare(ctx, 100, 1024) == model_ok && !strcmp(order, "pq"), "prepare");
    check(model_nentries == 1 && !strcmp(e->name, "rows") && e->ntensors == 4 && e->ndims == 2 && e->nscalars == 2,
          "table");
    bytes = 0;
    check(e->workspace(dims, &bytes) == model_ok && bytes == 512, "table: workspace");
    order[0] = 0;
    check(e->call(tensors, dims, scalars, a.run.workspace, 512, a.run.stream, NULL, 0) == model_ok &&
              !strcmp(order, "pq0a+b"),
          "table: call");
    check(e->call(tensors, dims, scalars, NULL, 0, a.run.stream, a.message, sizeof a.message) == model_error_workspace,
          "table: refusal");
}

/* What each open that fails leaves to read. */
static void opens(void) {
    model_context *none = (model_context *)memory;
#define SAYS(device, status, text)                                                                                     \
    check(model_open(&none, device) == model_##status && !none && !strcmp(model_open_message(), text), text)
    check(!*model_open_message(), "no open has failed before");
    SAYS(5, error_cuda, "model_open: cudaDeviceGetAttribute: other");
    check(model_open(NULL, 0) == model_error_argument && strstr(model_open_message(), "open: ctx: expected a place"),
          "open needs a result");
    driver = 0;
    SAYS(0, error_cuda, "model_open: cudaDriverGetVersion: no NVIDIA driver is installed");
    driver = 13000;
    get_error = cudaErrorNoDevice;
    SAYS(1, error_cuda, "model_open: cudaGetDevice: no device");
    get_error = cudaSuccess;
    set_error = cudaErrorLaunchFailure;
    SAYS(1, error_cuda, "model_open: cudaSetDevice: launch failure");
    set_error = cudaSuccess;
    prepare_error = cudaErrorLaunchFailure;
    SAYS(0, error_cuda, "model_open: kernel sums: cudaFuncSetAttribute: launch failure");
    prepare_error = cudaSuccess;
    major = 10;
    SAYS(1, error_device, "model_open: device 1: expected compute capability 9.0 (sm_90a), got 10.0");
    major = 9;
    check(model_open(&none, 1) == model_ok && strstr(model_open_message(), "got 10.0"),
          "an open that succeeds leaves the message of the last one that failed");
    model_close(none);
}

int main(void) {
    model_context *ctx = NULL;
    ntensors = 6, ndims = nscalars = 2;
    memory = aligned_alloc(256, MEMORY);
    if (!memory || model_open(&ctx, 0) != model_ok) return 1;
    refusals(ctx);
    runs(ctx);
    others(ctx);
    opens();
    model_close(ctx);
    free(memory);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

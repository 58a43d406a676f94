/* Models whose products a library runs, on the stand-in and on GPUs: eight threads with streams of their own on one
 * context give the bytes that one thread gives; a graph captured once gives at each launch what a call would; a capture
 * before anything is prepared works; each refusal has its status and its message and leaves all memory as it was;
 * contexts of two devices give the same bytes. clause 10.8 */
#include "products.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TD_EMU
enum { SCALE = 1, ROUNDS = 3, REPLAYS = 20 };
#else
enum { SCALE = 15, ROUNDS = 10, REPLAYS = 100 };
#endif
enum { THREADS = 8, SHAPES = 5, ENTRIES = 3, MOST = 2 * 33 * 24 * SCALE * SCALE /* elements of a tensor */ };

/* M, N, K, times SCALE. */
static const int64_t SIZES[SHAPES][3] = {{33, 24, 16}, {1, 12, 8}, {16, 20, 2}, {7, 24, 22}, {12, 1, 10}};
static products_context *ctx;
static int passed, failed;

static void check(int ok, const char *what) {
    if (ok)
        passed++;
    else
        failed++, printf("FAILED: %s\n", what);
}

static void must(int error, const char *what) {
    if (error) fprintf(stderr, "products: %s: error %d\n", what, error), exit(2);
}

/* What one thread works with: tensors, a workspace, a stream. */
typedef struct {
    cudaStream_t stream;
    void *t[4], *workspace;
    size_t workspace_bytes;
    unsigned char *host;
    char message[200];
} desk;

enum { TENSOR = 4 * MOST, WORKSPACE = 64 << 20 };

static void open_desk(desk *d) {
    memset(d, 0, sizeof *d);
    must((int)cudaStreamCreate(&d->stream), "stream");
    for (int i = 0; i < 4; i++) must((int)cudaMalloc(&d->t[i], TENSOR), "memory");
#ifdef TD_EMU
    d->workspace_bytes = 1 << 20;
#else
    d->workspace_bytes = WORKSPACE;
#endif
    must((int)cudaMalloc(&d->workspace, d->workspace_bytes), "memory");
    d->host = malloc(TENSOR);
    if (!d->host) exit(2);
}

static void close_desk(desk *d) {
    for (int i = 0; i < 4; i++) cudaFree(d->t[i]);
    cudaFree(d->workspace);
    cudaStreamDestroy(d->stream);
    free(d->host);
}

static products_run run_of(desk *d) {
    products_run run = {d->workspace, d->workspace_bytes, d->stream, d->message, sizeof d->message};
    return run;
}

/* Numbers of the entry's type, all exact: eighths from -1 to 1. */
static void fill(desk *d, int entry, int tensor, int round) {
    static const uint16_t bf16[] = {0xbf80, 0xbf00, 0xbe80, 0, 0x3e00, 0x3e80, 0x3f00, 0x3f80};
    static const uint16_t f16[] = {0xbc00, 0xb800, 0xb400, 0, 0x3000, 0x3400, 0x3800, 0x3c00};
    static const float f32[] = {-1, -.5f, -.25f, 0, .125f, .25f, .5f, 1};
    for (int i = 0; i < MOST; i++) {
        const uint32_t k = ((uint32_t)i * 2654435761u + (uint32_t)(tensor * 7919 + round * 104729)) >> 20 & 7;
        if (entry == 2)
            memcpy(d->host + 4 * (size_t)i, &f32[k], 4);
        else
            memcpy(d->host + 2 * (size_t)i, entry ? &f16[k] : &bf16[k], 2);
    }
    must((int)cudaMemcpyAsync(d->t[tensor], d->host, TENSOR, cudaMemcpyHostToDevice, d->stream), "copy");
    must((int)cudaStreamSynchronize(d->stream), "copy");
}

static products_status call(products_context *c, desk *d, int entry, int shape, void *result) {
    const int64_t m = SIZES[shape][0] * SCALE, n = SIZES[shape][1] * SCALE, k = SIZES[shape][2] * SCALE;
    const products_run run = run_of(d);
    if (entry == 0) return products_linear(c, &run, d->t[0], d->t[1], d->t[2], d->t[3], result, m, k, n);
    if (entry == 1) return products_mlp(c, &run, d->t[0], d->t[1], d->t[2], result, m, k, n);
    return products_update(c, &run, result, d->t[1], d->t[2], 2, m, n, k, 0.5f);
}

static size_t result_bytes(int entry, int shape) {
    const size_t m = (size_t)SIZES[shape][0] * SCALE, n = (size_t)SIZES[shape][1] * SCALE,
                 k = (size_t)SIZES[shape][2] * SCALE;
    return entry == 0 ? 2 * m * n : entry == 1 ? 2 * m * k : 8 * m * n;
}

/* Inputs of this round, one call, the result's bytes. */
static void direct(products_context *c, desk *d, int entry, int shape, int round, unsigned char *to) {
    void *result;
    must((int)cudaMalloc(&result, TENSOR), "memory");
    for (int i = 0; i < 4; i++) fill(d, entry, i, round);
    must((int)cudaMemcpyAsync(result, d->t[0], TENSOR, cudaMemcpyDeviceToDevice, d->stream), "copy");
    if (call(c, d, entry, shape, result) != products_ok) {
        printf("FAILED: entry %d at size %d: %s; %s\n", entry, shape, d->message,
               cudaGetErrorString(cudaPeekAtLastError()));
        failed++;
    }
    must((int)cudaMemcpyAsync(to, result, result_bytes(entry, shape), cudaMemcpyDeviceToHost, d->stream), "copy");
    must((int)cudaStreamSynchronize(d->stream), "run");
    cudaFree(result);
}

/* ---- threads ---- */

static unsigned char *wanted[ENTRIES][SHAPES];

typedef struct {
    int number, wrong;
} worker;

static void *work(void *user) {
    worker *w = user;
    desk d;
    unsigned char *got = malloc(TENSOR);
    if (!got) exit(2);
    open_desk(&d);
    for (int i = 0; i < ROUNDS * ENTRIES * SHAPES; i++) {
        const int at = (i * 7 + w->number * 4) % (ENTRIES * SHAPES), entry = at % ENTRIES, shape = at / ENTRIES;
        products_run run = run_of(&d);
        direct(ctx, &d, entry, shape, 0, got);
        w->wrong += memcmp(got, wanted[entry][shape], result_bytes(entry, shape)) != 0;
        d.message[0] = 0;
        w->wrong +=
            products_linear(ctx, &run, NULL, NULL, NULL, NULL, NULL, w->number + 1, 2, 1) != products_error_null ||
            !strstr(d.message, "linear: tensor x: expected");
    }
    close_desk(&d);
    free(got);
    return NULL;
}

static void threads(desk *d) {
    worker workers[THREADS] = {{0, 0}};
    pthread_t thread[THREADS];
    products_context *one = ctx;
    int differ = 0;
    for (int e = 0; e < ENTRIES; e++)
        for (int s = 0; s < SHAPES; s++) {
            wanted[e][s] = malloc(TENSOR);
            if (!wanted[e][s]) exit(2);
            direct(one, d, e, s, 0, wanted[e][s]);
            for (size_t i = 0; i < result_bytes(e, s); i++) differ |= wanted[e][s][i];
        }
    check(differ != 0, "there are results");
    must((int)products_open(&ctx, 0), "open"); /* one that knows no algorithm yet */
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        must(pthread_create(&thread[i], NULL, work, &workers[i]), "thread");
    }
    for (int i = 0; i < THREADS; i++) must(pthread_join(thread[i], NULL), "thread");
    for (int i = 0; i < THREADS; i++)
        check(!workers[i].wrong, "a thread gets what one thread alone gets, and its own messages");
    products_close(ctx);
    ctx = one;
}

/* ---- graphs ---- */

static void captured(desk *d, int entry, int shape, int prepared, enum cudaStreamCaptureMode mode) {
    const int64_t m = SIZES[shape][0] * SCALE, n = SIZES[shape][1] * SCALE, k = SIZES[shape][2] * SCALE;
    const size_t bytes = result_bytes(entry, shape);
    unsigned char *got = malloc(TENSOR), *want = malloc(TENSOR);
    products_context *fresh = NULL;
    products_status status;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec;
    void *result;
    int wrong = 0, replays = prepared ? REPLAYS : 2;
    if (!got || !want) exit(2);
    must((int)products_open(&fresh, 0), "open");
    must((int)cudaMalloc(&result, TENSOR), "memory");
    if (prepared)
        must((int)(entry == 0   ? products_linear_prepare(fresh, m, k, n)
                   : entry == 1 ? products_mlp_prepare(fresh, m, k, n)
                                : products_update_prepare(fresh, 2, m, n, k)),
             "prepare");
    for (int i = 0; i < 4; i++) fill(d, entry, i, 99);
    must((int)cudaMemset(result, 0x5a, TENSOR), "memset");
    must((int)cudaStreamBeginCapture(d->stream, mode), "begin");
    status = call(fresh, d, entry, shape, result);
    must((int)cudaStreamEndCapture(d->stream, &graph), "end");
    check(status == products_ok, prepared ? "a run in a capture" : "a run in a capture, before anything was prepared");
    must((int)cudaMemcpy(got, result, bytes, cudaMemcpyDeviceToHost), "copy");
    for (size_t i = 0; i < bytes; i++) wrong |= got[i] != 0x5a;
    check(!wrong, "a capture writes nothing");
    must((int)cudaGraphInstantiate(&exec, graph, 0), "instantiate");
    wrong = 0;
    for (int r = 0; r < replays; r++) {
        if (r % 10 == 0 || replays < 10) direct(ctx, d, entry, shape, r, want); /* leaves the inputs of this round */
        must((int)cudaMemcpyAsync(result, d->t[0], TENSOR, cudaMemcpyDeviceToDevice, d->stream), "copy");
        must((int)cudaGraphLaunch(exec, d->stream), "launch");
        must((int)cudaMemcpyAsync(got, result, bytes, cudaMemcpyDeviceToHost, d->stream), "copy");
        must((int)cudaStreamSynchronize(d->stream), "replay");
        wrong += memcmp(got, want, bytes) != 0;
    }
    check(!wrong, "each replay gives what a call gives");
    cudaGraphExecDestroy(exec), cudaGraphDestroy(graph), cudaFree(result);
    products_close(fresh);
    free(got), free(want);
}

/* ---- refusals ---- */

typedef struct {
    products_context *ctx;
    products_run run;
    char *x, *u, *v, *y;
    int64_t k, m, n;
} arguments;

static char *all;
enum { ALL = 1 << 20 };

static void refused(desk *d, arguments a, products_status status, const char *message, const char *what) {
    static unsigned char host[ALL];
    void *x = a.x, *u = a.u, *v = a.v, *y = a.y;
    int wrong = 0;
    products_status got;
    must((int)cudaMemset(all, 0x5a, ALL), "memset");
    must((int)cudaDeviceSynchronize(), "synchronize");
    d->message[0] = 0;
    got = products_mlp(a.ctx, &a.run, x, u, v, y, a.m, a.k, a.n);
    must((int)cudaDeviceSynchronize(), "synchronize");
    must((int)cudaMemcpy(host, all, ALL, cudaMemcpyDeviceToHost), "copy");
    for (int i = 0; i < ALL; i++) wrong |= host[i] != 0x5a;
    if (got != status || wrong || !strstr(d->message, message))
        printf("%s: status %d, expected %d; message '%s', expected '%s'%s\n", what, (int)got, (int)status, d->message,
               message, wrong ? "; something was written" : "");
    check(got == status && !wrong && strstr(d->message, message), what);
}

static void refusals(desk *d) {
    static int64_t no_context[64]; /* as the memory of a closed one */
    arguments a, good;
    size_t need = 0;
    must((int)cudaMalloc((void **)&all, ALL), "memory");
    must((int)products_mlp_workspace(ctx, 31, 32, 30, &need), "workspace");
    good.ctx = ctx;
    good.x = all, good.u = all + 4096, good.v = all + 8192, good.y = all + 12288;
    good.k = 32, good.m = 31, good.n = 30;
    good.run = run_of(d);
    if (need < 256) printf("the entry needs %d bytes\n", (int)need), failed++;
#define REFUSED(spoil, status, text) (a = good, spoil, refused(d, a, products_error_##status, text, #spoil))
    REFUSED(a.ctx = NULL, argument, "mlp: context: expected an open one, got NULL");
    REFUSED(a.ctx = (products_context *)no_context, argument, "context: expected an open one, got one that is not");
    REFUSED(a.k = 0, dimension, "dimension K: expected 1..=65536, got 0");
    REFUSED(a.k = 33, dimension, "dimension K: expected a multiple of 2, got 33");
    REFUSED(a.m = -1, dimension, "dimension M: expected at least 0, got -1");
    REFUSED(a.n = (int64_t)1 << 41, extent, "dimension N: expected at most 2^40");
    REFUSED(a.x = NULL, null, "tensor x: expected 1984 bytes, got NULL");
    REFUSED(a.y = NULL, null, "tensor y: expected 1984 bytes, got NULL");
    REFUSED(a.u += 1, alignment, "tensor u: expected an address aligned to 2");
    REFUSED(a.y = a.v + 2, overlap, "which overlaps v");
    REFUSED(a.y = a.x + 2, overlap, "which overlaps x");
    REFUSED((a.run.workspace_bytes = need - 1), workspace, "workspace: expected");
    REFUSED(a.run.workspace = NULL, workspace, "at NULL");
    REFUSED(a.run.workspace = (char *)a.run.workspace + 64, workspace, "aligned to 256");
    REFUSED(a.run.workspace = a.x, overlap, "workspace: expected memory of its own");
    cudaFree(all);
}

/* ---- two devices ---- */

static void devices(desk *d) {
    products_context *second = NULL;
    int count = 0;
    must((int)cudaGetDeviceCount(&count), "devices");
    check(products_open(&second, count) != products_ok && !second, "there is no such device");
    (void)cudaGetLastError();
    if (count < 2) return;
    desk other;
    unsigned char *one = malloc(TENSOR), *two = malloc(TENSOR);
    int now = -1;
    if (!one || !two) exit(2);
    must((int)products_open(&second, 1), "the second device");
    must((int)cudaGetDevice(&now), "device");
    check(now == 0, "open leaves the current device");
    check(call(second, d, 0, 0, d->t[3]) == products_error_device &&
              strstr(d->message, "current device: expected the context's, 1, got 0"),
          "another device's context");
    must((int)cudaSetDevice(1), "device");
    open_desk(&other);
    check(call(ctx, &other, 0, 0, other.t[3]) == products_error_device &&
              strstr(other.message, "expected the context's, 0, got 1"),
          "another current device");
    for (int e = 0; e < ENTRIES; e++)
        for (int s = 0; s < SHAPES; s++) {
            direct(second, &other, e, s, 0, two);
            check(!memcmp(two, wanted[e][s], result_bytes(e, s)), "two devices give the same bytes");
        }
    close_desk(&other);
    products_close(second);
    must((int)cudaSetDevice(0), "device");
    direct(ctx, d, 0, 0, 0, one);
    check(!memcmp(one, wanted[0][0], result_bytes(0, 0)), "and the first one goes on");
    free(one), free(two);
}

int main(void) {
    desk d;
    setvbuf(stdout, NULL, _IOLBF, 1 << 16);
    must((int)products_open(&ctx, 0), "open");
    open_desk(&d);
    /* the first of the process, so that the library itself has done nothing yet */
    captured(&d, 1, 0, 0, cudaStreamCaptureModeThreadLocal);
    captured(&d, 0, 3, 0, cudaStreamCaptureModeGlobal);
    threads(&d);
    for (int e = 0; e < ENTRIES; e++) captured(&d, e, 0, 1, cudaStreamCaptureModeGlobal);
    captured(&d, 1, 3, 1, cudaStreamCaptureModeRelaxed);
    refusals(&d);
    devices(&d);
    close_desk(&d);
    products_close(ctx);
    for (int e = 0; e < ENTRIES; e++)
        for (int s = 0; s < SHAPES; s++) free(wanted[e][s]);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

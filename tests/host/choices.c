/* Models whose launches depend on sizes, on the stand-in and on GPUs: tests/kernels/choose_sums.kernel, whose ways have
 * temporaries of their own, and choose_product.kernel, two of whose ways call the library. One context runs all ways;
 * each takes the workspace that is asked for, and refuses a byte less; a graph that captured every way gives at each
 * launch what calls give. */
#include "calls.h"
#include "sums.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TD_EMU
enum { REPLAYS = 4 };
#else
enum { REPLAYS = 100 };
#endif
enum { MODELS = 2, SIZES = 11, MOST = 1 << 14 /* elements of a tensor */, WORKSPACE = 64 << 20 };

/* Sizes on both sides of each condition and at it: M, N, and K of the product; the bytes of workspace of the sums. */
static const struct {
    int64_t m, n, k;
    int64_t bytes;
} AT[MODELS][SIZES] = {
    {{0, 0, 0, 0},
     {1, 1, 0, 0},
     {3, 256, 0, 0},
     {3, 257, 0, 256},
     {16, 512, 0, 256},
     {0, 512, 0, 0},
     {1, 8193, 0, 256},
     {2, 4097, 0, 256},
     {17, 512, 0, 512},
     {31, 300, 0, 512},
     {40, 257, 0, 768}},
    {{0, 5, 3, 0},
     {1, 1, 1, 0},
     {4, 40, 7, 0},
     {5, 16, 8, 0},
     {9, 4, 0, 0},
     {6, 0, 5, 0},
     {5, 17, 8, 0},
     {70, 34, 32, 0},
     {13, 16, 25, 0},
     {13, 19, 25, 0},
     {4, 16, 9, 0}},
};

static sums_context *sums;
static calls_context *calls;
static cudaStream_t stream;
static int32_t *host, *want;
static void *in[2], *workspace;
static char message[200];
static int passed, failed;

static void check(int ok, const char *what, int model, int size) {
    if (ok)
        passed++;
    else
        failed++, printf("FAILED: %s: model %d at M = %lld, N = %lld: %s\n", what, model, (long long)AT[model][size].m,
                         (long long)AT[model][size].n, message);
}

static void must(int error, const char *what) {
    if (error) fprintf(stderr, "choices: %s: error %d\n", what, error), exit(2);
}

static int need_of(int model, int size, size_t *bytes) {
    const int64_t m = AT[model][size].m, n = AT[model][size].n, k = AT[model][size].k;
    return model ? (int)calls_choose_product_workspace(calls, m, k, n, bytes)
                 : (int)sums_choose_sums_workspace(sums, m, n, bytes);
}

static int prepare(int model, int size) {
    const int64_t m = AT[model][size].m, n = AT[model][size].n, k = AT[model][size].k;
    return model ? (int)calls_choose_product_prepare(calls, m, k, n) : (int)sums_choose_sums_prepare(sums, m, n);
}

/* The results lie behind each other from `to` on. */
static int call(int model, int size, size_t bytes, void *to) {
    const int64_t m = AT[model][size].m, n = AT[model][size].n, k = AT[model][size].k;
    const sums_run run = {workspace, bytes, stream, message, sizeof message};
    const calls_run other = {workspace, bytes, stream, message, sizeof message};
    message[0] = 0;
    return model ? (int)calls_choose_product(calls, &other, in[0], in[1], to, m, k, n)
                 : (int)sums_choose_sums(sums, &run, in[0], to, (int32_t *)to + m * n, m, n);
}

static int64_t results(int model, int size) { return AT[model][size].m * (AT[model][size].n + !model); }

/* Element i of input t: small whole numbers, so that sums of floats are exact. */
static int32_t element(int t, int64_t i) { return (int32_t)((uint32_t)(i * 2654435761 + t * 7919) >> 20 & 15) - 7; }

static void expected_sums(int64_t m, int64_t n) {
    for (int64_t r = 0; r < m; r++) {
        int32_t sum = 0, most = INT32_MIN;
        for (int64_t i = 0; i < n; i++) {
            sum += element(0, r * n + i);
            if (element(0, r * n + i) > most) most = element(0, r * n + i);
        }
        for (int64_t i = 0; i < n; i++) want[r * n + i] = element(0, r * n + i) - sum;
        want[m * n + r] = most;
    }
}

static void expected_product(int64_t m, int64_t n, int64_t k) {
    for (int64_t i = 0; i < m * n; i++) {
        float v = 0;
        for (int64_t l = 0; l < k; l++)
            v += (float)element(0, i / n * k + l) * (float)(element(1, l * n + i % n) - element(1, l * n));
        memcpy(&want[i], &v, sizeof v);
    }
}

/* The inputs are of the model's type. */
static void fill(int model) {
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < MOST; i++) {
            const float v = (float)element(t, i);
            host[i] = element(t, i);
            if (model) memcpy(&host[i], &v, sizeof v);
        }
        must((int)cudaMemcpy(in[t], host, 4 * MOST, cudaMemcpyHostToDevice), "copy");
    }
}

/* Whether the results at `from` are right; -0.0 is 0.0. */
static int right(int model, int size, const void *from) {
    const int64_t n = results(model, size);
    int wrong = 0;
    if (model)
        expected_product(AT[model][size].m, AT[model][size].n, AT[model][size].k);
    else
        expected_sums(AT[model][size].m, AT[model][size].n);
    must((int)cudaStreamSynchronize(stream), "run");
    must((int)cudaMemcpy(host, from, 4 * (size_t)n, cudaMemcpyDeviceToHost), "copy");
    for (int64_t i = 0; i < n; i++) {
        float a, b;
        memcpy(&a, &host[i], 4), memcpy(&b, &want[i], 4);
        wrong += model ? !(a == b) : host[i] != want[i];
    }
    return !wrong;
}

static void direct(int model, int size, void *to) {
    size_t bytes = 0;
    must((int)cudaMemset(to, 0x5a, 8 * MOST), "memset");
    must((int)cudaMemset(workspace, 0x5a, WORKSPACE / 64), "memset");
    check(prepare(model, size) == 0, "prepare", model, size);
    check(need_of(model, size, &bytes) == 0, "the query", model, size);
    if (!model) check(bytes == (size_t)AT[model][size].bytes, "the workspace of this way", model, size);
    check(call(model, size, bytes, to) == 0 && right(model, size, to), "the least workspace", model, size);
    if (bytes)
        check(call(model, size, bytes - 1, to) == (model ? (int)calls_error_workspace : (int)sums_error_workspace),
              "a byte less is refused", model, size);
}

/* One graph of a call at every size, one after the other; calls at other sizes in between its launches. */
static void captured(int model, char *all) {
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec;
    char *to = all;
    must((int)cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin");
    for (int s = 0; s < SIZES; s++, to += 8 * MOST) check(call(model, s, WORKSPACE, to) == 0, "a capture", model, s);
    must((int)cudaStreamEndCapture(stream, &graph), "end");
    must((int)cudaGraphInstantiate(&exec, graph, 0), "instantiate");
    for (int r = 0; r < REPLAYS; r++) {
        must((int)cudaMemset(all, 0x5a, (size_t)(to - all)), "memset");
        must((int)cudaGraphLaunch(exec, stream), "launch");
        if (r % 3 == 1) must(call(model, r % SIZES, WORKSPACE, to), "a call beside the graph");
        for (int s = 0; s < SIZES; s++) check(right(model, s, all + s * 8 * MOST), "a replay", model, s);
    }
    cudaGraphExecDestroy(exec), cudaGraphDestroy(graph);
}

int main(void) {
    char *all;
    setvbuf(stdout, NULL, _IOLBF, 1 << 16);
    host = malloc(8 * MOST), want = malloc(8 * MOST);
    if (!host || !want) return 2;
    must((int)sums_open(&sums, 0), "open");
    must((int)calls_open(&calls, 0), "open");
    must((int)cudaStreamCreate(&stream), "stream");
    for (int i = 0; i < 2; i++) must((int)cudaMalloc(&in[i], 4 * MOST), "memory");
    must((int)cudaMalloc(&workspace, WORKSPACE), "memory");
    must((int)cudaMalloc((void **)&all, (SIZES + 1) * 8 * MOST), "memory");
    for (int m = 0; m < MODELS; m++) {
        fill(m);
        for (int s = 0; s < 2 * SIZES; s++) direct(m, s * 7 % SIZES, all); /* each size twice, the ways by turns */
        captured(m, all);
    }
    for (int i = 0; i < 2; i++) cudaFree(in[i]);
    cudaFree(workspace), cudaFree(all);
    cudaStreamDestroy(stream);
    sums_close(sums), calls_close(calls);
    free(host), free(want);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

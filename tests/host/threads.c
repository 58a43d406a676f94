/* Eight threads on one context, each with memory and a workspace of its own and sizes that change from call to call,
 * give the bytes that one thread gives, and each its own messages. A captured graph does nothing until it is launched,
 * and each time computes with what its tensors hold then. clause 10.8 */
#include "threads.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, CALLS = 6, MAX_M = 40, MAX_N = 33, ELEMENTS = MAX_M * MAX_N };

static threads_context *ctx;
static int failed, passed;
static float wanted[CALLS][2 * ELEMENTS + MAX_N + 1];

typedef struct {
    float got[CALLS][2 * ELEMENTS + MAX_N + 1];
    int wrong;
} worker;

static void must(int error) {
    if (error) fprintf(stderr, "threads: error %d\n", error), exit(2);
}

static void *device(size_t bytes) {
    void *p;
    must((int)cudaMalloc(&p, bytes));
    return p;
}

static void one_call(worker *w, int k, float *x, float *y, float *mu, float *s, float *z) {
    char why[200] = "";
    int64_t m = MAX_M - 3 * k, n = MAX_N - 5 * k, i;
    threads_run run = {NULL, 0, NULL, why, sizeof why};
    size_t rows_need;
    float host[ELEMENTS], *out = w->got[k];
    for (i = 0; i < m * n; i++) host[i] = (float)((i * 37 + k) % 101) / 50 - 1;
    must((int)cudaMemcpy(x, host, sizeof *x * (size_t)(m * n), cudaMemcpyHostToDevice));
    must((int)threads_normal_workspace(ctx, m, n, &run.workspace_bytes));
    must((int)threads_rows_workspace(ctx, m, n, &rows_need));
    if (rows_need > run.workspace_bytes) run.workspace_bytes = rows_need;
    run.workspace = run.workspace_bytes ? device(run.workspace_bytes) : NULL;
    must((int)threads_normal(ctx, &run, x, y, mu, s, m, n));
    must((int)threads_rows(ctx, &run, y, z, m, n));
    w->wrong +=
        threads_rows(ctx, &run, NULL, z, m, n) != threads_error_null || !strstr(why, "rows: tensor x: expected");
    must((int)cudaMemcpy(out, y, sizeof *y * (size_t)(m * n), cudaMemcpyDeviceToHost));
    must((int)cudaMemcpy(out + ELEMENTS, z, sizeof *z * (size_t)(m * n), cudaMemcpyDeviceToHost));
    must((int)cudaMemcpy(out + 2 * ELEMENTS, mu, sizeof *mu * (size_t)n, cudaMemcpyDeviceToHost));
    must((int)cudaMemcpy(out + 2 * ELEMENTS + MAX_N, s, sizeof *s, cudaMemcpyDeviceToHost));
    cudaFree(run.workspace);
}

static void *work(void *user) {
    size_t bytes = ELEMENTS * sizeof(float);
    float *x = device(bytes), *y = device(bytes), *z = device(bytes), *mu = device(MAX_N * sizeof *mu),
          *s = device(sizeof *s);
    for (int k = 0; k < CALLS; k++) one_call(user, k, x, y, mu, s, z);
    cudaFree(x), cudaFree(y), cudaFree(z), cudaFree(mu), cudaFree(s);
    return NULL;
}

static void check(int ok, const char *what) {
    if (ok)
        passed++;
    else
        failed++, printf("FAILED: %s\n", what);
}

static int is_full(const float *y, int n, float v) {
    for (int i = 0; i < n; i++)
        if (y[i] != v) return 0;
    return 1;
}

static void captured(void) {
    enum { M = 20, N = 30, BYTES = M * N * sizeof(float) };
    float *x = device(BYTES), *y = device(BYTES), *z = device(BYTES), *mu = device(N * sizeof *mu),
          *s = device(sizeof *s);
    static float host[M * N], direct[2][M * N], replayed[M * N];
    char why[200] = "";
    threads_run run = {NULL, 0, NULL, why, sizeof why};
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    must((int)cudaStreamCreate(&stream));
    must((int)threads_normal_workspace(ctx, M, N, &run.workspace_bytes));
    run.workspace_bytes += 4096; /* for both */
    run.workspace = device(run.workspace_bytes);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < M * N; i++) host[i] = (float)((i * 37 + round) % 101) / 50 - 1;
        must((int)cudaMemcpy(x, host, BYTES, cudaMemcpyHostToDevice));
        must((int)threads_normal(ctx, &run, x, y, mu, s, M, N));
        must((int)threads_rows(ctx, &run, y, z, M, N));
        must((int)cudaMemcpy(direct[round], z, BYTES, cudaMemcpyDeviceToHost));
    }
    for (int i = 0; i < M * N; i++) host[i] = -7;
    must((int)cudaMemcpy(y, host, BYTES, cudaMemcpyHostToDevice));
    must((int)cudaMemcpy(z, host, BYTES, cudaMemcpyHostToDevice));
    run.stream = stream;
    must((int)cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    must((int)threads_normal(ctx, &run, x, y, mu, s, M, N));
    must((int)threads_rows(ctx, &run, y, z, M, N));
    must((int)cudaStreamEndCapture(stream, &graph));
    must((int)cudaGraphInstantiate(&exec, graph, 0));
    must((int)cudaMemcpy(replayed, z, BYTES, cudaMemcpyDeviceToHost));
    check(is_full(replayed, M * N, -7), "a capture launches nothing");
    for (int round = 1; round >= 0; round--) {
        for (int i = 0; i < M * N; i++) host[i] = (float)((i * 37 + round) % 101) / 50 - 1;
        must((int)cudaMemcpy(x, host, BYTES, cudaMemcpyHostToDevice));
        must((int)cudaGraphLaunch(exec, stream));
        must((int)cudaStreamSynchronize(stream));
        must((int)cudaMemcpy(replayed, z, BYTES, cudaMemcpyDeviceToHost));
        check(!memcmp(replayed, direct[round], BYTES), "a graph gives what calls give");
    }
    check(memcmp(direct[0], direct[1], BYTES) != 0, "the rounds differ");
    cudaGraphExecDestroy(exec), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
    cudaFree(run.workspace), cudaFree(x), cudaFree(y), cudaFree(z), cudaFree(mu), cudaFree(s);
}

/* Opens a device that is not there, and keeps what is said of that. */
static void *fail_to_open(void *user) {
    threads_context *none = NULL;
    if (!*threads_open_message() && threads_open(&none, 99) && !none) snprintf(user, 200, "%s", threads_open_message());
    return NULL;
}

/* The message of an open that fails is its thread's. clause 10.8 */
static void own_messages(void) {
    char theirs[200] = "";
    pthread_t other;
    must(pthread_create(&other, NULL, fail_to_open, theirs));
    must(pthread_join(other, NULL));
    check(!strcmp(theirs, "threads_open: cudaDeviceGetAttribute: invalid device ordinal"),
          "an open that fails says why");
    check(!*threads_open_message(), "another thread's message is not this one's");
}

int main(void) {
    static worker workers[THREADS];
    pthread_t thread[THREADS];
    must((int)threads_open(&ctx, 0));
    work(&workers[0]);
    memcpy(wanted, workers[0].got, sizeof wanted);
    if (wanted[0][0] == 0 || wanted[CALLS - 1][2 * ELEMENTS + MAX_N] == 0) failed++, printf("FAILED: no results\n");
    memset(workers, 0, sizeof workers);
    for (int i = 0; i < THREADS; i++) must(pthread_create(&thread[i], NULL, work, &workers[i]));
    for (int i = 0; i < THREADS; i++) must(pthread_join(thread[i], NULL));
    for (int i = 0; i < THREADS; i++) {
        if (!memcmp(workers[i].got, wanted, sizeof wanted) && !workers[i].wrong)
            passed++;
        else
            failed++,
                printf("FAILED: thread %d has other results than one thread, or a message that is not its own\n", i);
    }
    captured();
    own_messages();
    threads_close(ctx);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

/* Eight threads on one context, each with memory and a workspace of its own and sizes that change from call to call, give the
 * bytes that one thread gives, and each its own messages. clause 10.8 */
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
    w->wrong += threads_rows(ctx, &run, NULL, z, m, n) != threads_error_null || !strstr(why, "rows: tensor x: expected");
    must((int)cudaMemcpy(out, y, sizeof *y * (size_t)(m * n), cudaMemcpyDeviceToHost));
    must((int)cudaMemcpy(out + ELEMENTS, z, sizeof *z * (size_t)(m * n), cudaMemcpyDeviceToHost));
    must((int)cudaMemcpy(out + 2 * ELEMENTS, mu, sizeof *mu * (size_t)n, cudaMemcpyDeviceToHost));
    must((int)cudaMemcpy(out + 2 * ELEMENTS + MAX_N, s, sizeof *s, cudaMemcpyDeviceToHost));
    cudaFree(run.workspace);
}

static void *work(void *user) {
    size_t bytes = ELEMENTS * sizeof(float);
    float *x = device(bytes), *y = device(bytes), *z = device(bytes), *mu = device(MAX_N * sizeof *mu), *s = device(sizeof *s);
    for (int k = 0; k < CALLS; k++) one_call(user, k, x, y, mu, s, z);
    cudaFree(x), cudaFree(y), cudaFree(z), cudaFree(mu), cudaFree(s);
    return NULL;
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
        if (!memcmp(workers[i].got, wanted, sizeof wanted) && !workers[i].wrong) passed++;
        else failed++, printf("FAILED: thread %d has other results than one thread, or a message that is not its own\n", i);
    }
    threads_close(ctx);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

/* Calls three models by turns and compares with values worked out by hand. C99 and C++17. */
#include "again.h"
#include "one.h"
#include "other.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

enum { M = 3, N = 37 };
static float x[M * N], y[M * N], host[M * N];
static void *dx, *dy, *work;
static int wrong;

static void expect(const char *what, const char *why, int n, int status) {
    int i;
    if (status || cudaMemcpy(host, dy, sizeof(float) * (size_t)n, cudaMemcpyDeviceToHost) != cudaSuccess) {
        printf("%s: status %d: %s\n", what, status, why);
        wrong = 1;
        return;
    }
    for (i = 0; i < n; i++)
        if (host[i] != y[i]) {
            printf("%s: element %d is %g, expected %g\n", what, i, (double)host[i], (double)y[i]);
            wrong = 1;
            return;
        }
}

int main(void) {
    one_context *a = NULL;
    second_context *b = NULL;
    other_context *c = NULL;
    char why[200] = "";
    size_t bytes = 0, most = 256;
    int turn, i, j;
    for (i = 0; i < M * N; i++) x[i] = (float)(i * i % 19);
    if (one_open(&a, 0) || second_open(&b, 0) || other_open(&c, 0)) return 1;
    if (one_centred_workspace(a, M, N, &bytes)) return 1;
    most = bytes > most ? bytes : most;
    if (second_centred_workspace(b, M, N, &bytes)) return 1;
    most = bytes > most ? bytes : most;
    if (cudaMalloc(&dx, sizeof x) || cudaMalloc(&dy, sizeof y) || cudaMalloc(&work, most)) return 1;
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    for (turn = 0; turn < 2; turn++) {
        one_run ra = {work, most, NULL, why, sizeof why};
        second_run rb = {work, most, NULL, why, sizeof why};
        other_run rc = {work, most, NULL, why, sizeof why};
        for (i = 0; i < N; i++) y[i] = 2 * x[i] + 1;
        expect("one f", why, N, (int)one_f(a, &ra, dx, dy, N));
        for (i = 0; i < N; i++) y[i] = 0.5f * (3 * x[i]);
        expect("other f", why, N, (int)other_f(c, &rc, dx, dy, N, 0.5f));
        for (i = 0; i < M; i++)
            for (j = 0; j < N; j++) y[i * N + j] = x[i * N + j] * M - (x[j] + x[N + j] + x[2 * N + j]);
        expect("second centred", why, M * N, (int)second_centred(b, &rb, dx, dy, M, N));
        expect("one centred", why, M * N, (int)one_centred(a, &ra, dx, dy, M, N));
        for (i = 0; i < N; i++) y[i] = x[i] - 10;
        expect("other centred", why, N, (int)other_centred(c, &rc, dx, dy, N));
    }
    one_close(a);
    second_close(b);
    other_close(c);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(work);
    return wrong;
}

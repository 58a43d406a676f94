/* The entries of debug_checks.td, compiled with --debug-checks, on data that are as assumed and on data that are not:
 * the second call is refused with the assumption, its place and the first values for which it does not hold, and writes
 * nothing but the workspace. The stand-in reports any access out of range. clause 3.12 */
#include "debug_checks.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed, passed;
static char message[512];
static debug_checks_context *ctx;
static debug_checks_run run = {NULL, 0, NULL, message, sizeof message};

static void check(int ok, const char *what) {
    if (ok)
        passed++;
    else
        failed++, printf("FAILED: %s (message '%s')\n", what, message);
}

static void *device(const void *from, size_t bytes) {
    void *p = NULL;
    if (cudaMalloc(&p, bytes) || cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice)) exit(2);
    return p;
}

static void workspace(debug_checks_status status) {
    cudaFree(run.workspace);
    run.workspace = NULL;
    message[0] = 0;
    if (status || cudaMalloc(&run.workspace, run.workspace_bytes)) exit(2);
}

/* Refused with this message, and y has the bytes that it had. */
static void refused(debug_checks_status status, const char *want, const float *y, int n, const char *what) {
    float now[16];
    int i, same = 1;
    if (cudaMemcpy(now, y, (size_t)n * sizeof *now, cudaMemcpyDeviceToHost)) exit(2);
    for (i = 0; i < n; i++) same &= now[i] == -7;
    check(status == debug_checks_error_assume && !strcmp(message, want), want);
    check(same, what);
}

static const float seven[16] = {-7, -7, -7, -7, -7, -7, -7, -7, -7, -7, -7, -7, -7, -7, -7, -7};
static const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static void rows(void) {
    int32_t ids[] = {3, 0, 1};
    float *w = device(x, sizeof x), *y = device(seven, sizeof seven), got[9];
    int32_t *d = device(ids, sizeof ids);
    workspace(debug_checks_rows_workspace(ctx, 4, 3, 3, &run.workspace_bytes));
    check(run.workspace_bytes >= 8, "the tests have a workspace");
    ids[1] = 4, ids[2] = -1;
    cudaMemcpy(d, ids, sizeof ids, cudaMemcpyHostToDevice);
    refused(debug_checks_rows(ctx, &run, w, d, y, 4, 3, 3),
            "rows: assume 0 <= ids[n] && ids[n] < V (debug_checks.td:6) does not hold at n = 1", y, 9,
            "rows: nothing written");
    {
        cudaStream_t stream;
        cudaGraph_t graph;
        if (cudaStreamCreate(&stream) || cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)) exit(2);
        run.stream = stream;
        check(debug_checks_rows(ctx, &run, w, d, y, 4, 3, 3) == debug_checks_ok,
              "rows: nothing is tested in a capture");
        run.stream = NULL;
        if (cudaStreamEndCapture(stream, &graph) || cudaGraphDestroy(graph) || cudaStreamDestroy(stream)) exit(2);
    }
    ids[1] = 0;
    cudaMemcpy(d, ids, sizeof ids, cudaMemcpyHostToDevice);
    refused(debug_checks_rows(ctx, &run, w, d, y, 4, 3, 3),
            "rows: assume 0 <= ids[n] && ids[n] < V (debug_checks.td:6) does not hold at n = 2", y, 9,
            "rows: nothing written");
    ids[2] = 1;
    cudaMemcpy(d, ids, sizeof ids, cudaMemcpyHostToDevice);
    check(debug_checks_rows(ctx, &run, w, d, y, 4, 3, 3) == debug_checks_ok &&
              !cudaMemcpy(got, y, sizeof got, cudaMemcpyDeviceToHost) && got[0] == 10 && got[3] == 1 && got[8] == 6,
          "rows: data as assumed");
    check(debug_checks_rows(ctx, &run, NULL, NULL, NULL, 0, 3, 0) == debug_checks_ok,
          "rows: of nothing everything holds");
    cudaFree(w), cudaFree(y), cudaFree(d);
}

static void chain(void) {
    int32_t a[] = {0, 5, 2}, b[] = {2, 0, 1, 0};
    float *dx = device(x, 5 * sizeof *x), *y = device(seven, sizeof seven);
    int32_t *da = device(a, sizeof a), *db = device(b, sizeof b);
    workspace(debug_checks_chain_workspace(ctx, 3, 4, 5, &run.workspace_bytes));
    refused(debug_checks_chain(ctx, &run, da, db, dx, y, 3, 4, 5),
            "chain: assume 0 <= a[b[i]] && a[b[i]] < M (debug_checks.td:15) does not hold at i = 2", y, 4,
            "chain: nothing written");
    b[3] = 1000000;
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    refused(debug_checks_chain(ctx, &run, da, db, dx, y, 3, 4, 5),
            "chain: assume 0 <= b[i] && b[i] < A (debug_checks.td:14) does not hold at i = 3", y, 4,
            "chain: nothing written");
    b[2] = b[3] = 0;
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    check(debug_checks_chain(ctx, &run, da, db, dx, y, 3, 4, 5) == debug_checks_ok, "chain: data as assumed");
    cudaFree(dx), cudaFree(y), cudaFree(da), cudaFree(db);
}

static void kinds(void) {
    enum { N = 6, B = 3, P = 2 };
    int32_t len[B] = {6, 0, 7}, k = 0;
    int64_t ids[P] = {5, -1};
    float p[N] = {0, 0, 0, 0, -1, 0};
    float *dx = device(x, N * sizeof *x), *y = device(seven, sizeof seven), *z = device(seven, sizeof seven),
          *dp = device(p, sizeof p);
    int32_t *dlen = device(len, sizeof len), *dk = device(&k, sizeof k);
    int64_t *dids = device(ids, sizeof ids);
    int i;
    /* Mended one after the other; the order is that of the program. The sum over 0..7 stays within x. */
    static const char *const wanted[] = {
        "assume 0 <= len[b] && len[b] <= N (debug_checks.td:21) does not hold at b = 2",
        "assume s[b] < top (debug_checks.td:23) does not hold at b = 0",
        "assume k[] > 0 (debug_checks.td:24) does not hold",
        "assume p[n] >= 0.0 (debug_checks.td:25) does not hold at n = 4", "does not hold at k = 1"};
    workspace(debug_checks_kinds_workspace(ctx, N, B, P, &run.workspace_bytes));
    for (i = 0; i < 5; i++) {
        float top = i > 1 ? 100 : 20, got[16];
        int same = 1, j;
        check(debug_checks_kinds(ctx, &run, dx, dlen, dk, dids, dp, y, z, N, B, P, top) == debug_checks_error_assume &&
                  strstr(message, wanted[i]),
              wanted[i]);
        if (cudaMemcpy(got, y, sizeof got, cudaMemcpyDeviceToHost)) exit(2);
        for (j = 0; j < 16; j++) same &= got[j] == -7;
        if (cudaMemcpy(got, dp, sizeof p, cudaMemcpyDeviceToHost)) exit(2);
        check(same && !memcmp(got, p, sizeof p), "kinds: nothing written");
        if (i == 0) len[2] = 2;
        if (i == 2) k = 1;
        if (i == 3) p[4] = 0;
        if (i == 4) ids[1] = 0;
        cudaMemcpy(dlen, len, sizeof len, cudaMemcpyHostToDevice), cudaMemcpy(dk, &k, sizeof k, cudaMemcpyHostToDevice);
        cudaMemcpy(dp, p, sizeof p, cudaMemcpyHostToDevice), cudaMemcpy(dids, ids, sizeof ids, cudaMemcpyHostToDevice);
    }
    check(debug_checks_kinds(ctx, &run, dx, dlen, dk, dids, dp, y, z, N, B, P, 100) == debug_checks_ok,
          "kinds: data as assumed");
    if (cudaMemcpy(p, dp, sizeof p, cudaMemcpyDeviceToHost)) exit(2);
    check(p[4] == 1, "kinds: the update");
    cudaFree(dx), cudaFree(y), cudaFree(z), cudaFree(dp), cudaFree(dlen), cudaFree(dk), cudaFree(dids);
}

static void lengths(void) {
    int32_t off[] = {3, 5, 4, 4}, *d = device(off, sizeof off);
    float *y = device(seven, sizeof seven);
    workspace(debug_checks_lengths_workspace(ctx, 3, &run.workspace_bytes));
    refused(debug_checks_lengths(ctx, &run, d, y, 3),
            "lengths: assume off[b] <= off[b + 1] (debug_checks.td:33) does not hold at b = 1", y, 3,
            "lengths: nothing written");
    off[2] = 5, off[3] = 6;
    cudaMemcpy(d, off, sizeof off, cudaMemcpyHostToDevice);
    check(debug_checks_lengths(ctx, &run, d, y, 3) == debug_checks_ok, "lengths: data as assumed");
    cudaFree(d), cudaFree(y);
}

int main(void) {
    if (debug_checks_open(&ctx, 0) != debug_checks_ok) return 2;
    rows();
    chain();
    kinds();
    lengths();
    cudaFree(run.workspace);
    debug_checks_close(ctx);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

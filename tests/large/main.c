/* Entries of large.td on tensors of more than 2^31 elements, of which the stand-in's take memory only where they are
 * touched. `large all` runs those too that touch everything: for a GPU with 16 GB. Prints what is wrong, then
 * "N passed, M failed". */
#include "large.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

static int passed, failed;
static void verdict(int ok, const char *what) {
    if (ok) {
        passed++;
    } else {
        failed++;
        printf("%s\n", what);
    }
}
#define CHECK(c) verdict((c) != 0, #c)

static large_context *ctx;
static char message[512];
static large_run run = {NULL, 0, NULL, message, sizeof message};

static void *device(size_t bytes, int fill) {
    void *p = NULL;
    if (cudaMalloc(&p, bytes) != cudaSuccess) printf("no memory for %zu bytes\n", bytes);
#ifdef TD_EMU
    (void)fill; /* filling would take the memory */
#else
    cudaMemset(p, fill, bytes);
#endif
    return p;
}
static void put(void *to, size_t at, const void *from, size_t n) {
    cudaMemcpy((char *)to + at, from, n, cudaMemcpyHostToDevice);
}
static void get(void *to, const void *from, size_t at, size_t n) {
    cudaMemcpy(to, (const char *)from + at, n, cudaMemcpyDeviceToHost);
}
static int called(large_status s) {
    if (s == large_ok && cudaDeviceSynchronize() == cudaSuccess) return 1;
    printf("status %d: %s\n", (int)s, message);
    return 0;
}
static void workspace(large_status (*need)(large_context *, int64_t, int64_t, size_t *), int64_t a, int64_t b) {
    size_t n = 0;
    if (need(ctx, a, b, &n) != large_ok) n = 0;
    cudaFree(run.workspace);
    run.workspace = NULL;
    run.workspace_bytes = n;
    if (n) cudaMalloc(&run.workspace, n);
}

static void gathered(void) {
    const int64_t n = 3000000007, ids[] = {0, n - 1, 2147483647, 2147483648, 2147483653, 12345, 2999999999};
    enum { M = sizeof ids / sizeof *ids };
    unsigned char *x = device((size_t)n, 0), *y = device(M, 0xff), out[M];
    int64_t *d = device(sizeof ids, 0);
    put(d, 0, ids, sizeof ids);
    for (int i = 0; i < M; i++) put(x, (size_t)ids[i], &(unsigned char){(unsigned char)(10 * i + 1)}, 1);
    CHECK(called(large_gathered(ctx, &run, x, d, y, n, M)));
    get(out, y, 0, M);
    for (int i = 0; i < M; i++) CHECK(out[i] == 10 * i + 2);
    cudaFree(x), cudaFree(y), cudaFree(d);
}

static void corner(void) {
    enum { R = 3 };
    const int64_t c = ((int64_t)1 << 30) + 12345;
    unsigned char *x = device((size_t)(R * c), 0), *y = device(R * 4, 0xff), row[100], out[R * 4];
    int *s = device(R * 4, 0xff), sums[R];
    for (int r = 0; r < R; r++) {
        for (int i = 0; i < 100; i++) row[i] = (unsigned char)(r * 50 + i);
        put(x, (size_t)((r + 1) * c - 100), row, 100);
    }
    CHECK(called(large_corner(ctx, &run, x, y, s, R, c)));
    get(out, y, 0, R * 4);
    get(sums, s, 0, sizeof sums);
    for (int r = 0; r < R; r++) {
        CHECK(sums[r] == r * 5000 + 4950);
        for (int i = 0; i < 4; i++) CHECK(out[r * 4 + i] == r * 50 + 96 + i);
    }
    cudaFree(x), cudaFree(y), cudaFree(s);
}

static void tail(void) {
    enum { K = 1000 };
    const int64_t n = 3000000007;
    unsigned char *x = device((size_t)n, 0), end[K];
    int64_t *s = device(8, 0xff), *a = device(8, 0xff), sum = 0, got;
    for (int i = 0; i < K; i++) {
        end[i] = (unsigned char)(i == 777 ? 255 : i % 200);
        sum += (int64_t)end[i] * i;
    }
    put(x, (size_t)n - K, end, K);
    workspace(large_tail_workspace, n, K);
    CHECK(called(large_tail(ctx, &run, x, s, a, n, K)));
    get(&got, s, 0, 8);
    CHECK(got == sum);
    get(&got, a, 0, 8);
    CHECK(got == n - K + 777);
    cudaFree(x), cudaFree(s), cudaFree(a);
}

static void patch(void) {
    enum { M = 77 };
    const int64_t n = 3000000001, at = 2147483700;
    signed char *p = device((size_t)n, 0), *v = device(M, 0), in[M], out[M];
    for (int i = 0; i < M; i++) in[i] = (signed char)(i - 30);
    put(v, 0, in, M);
    CHECK(called(large_patch(ctx, &run, p, v, n, M, at)));
    get(out, p, (size_t)at, M);
    CHECK(!memcmp(in, out, M));
    const int64_t n4 = 5000000001, at4 = 4294967301;
    unsigned char *q = device((size_t)(n4 + 1) / 2, 0x99), out4[M / 2 + 1];
    put(q, (size_t)at4 / 2, memset(out4, 0x99, sizeof out4), sizeof out4);
    for (int i = 0; i < M; i++) in[i] = (signed char)(i * 7 & 0x77); /* 2 M halves, of which the first M are taken */
    put(v, 0, in, M);
    CHECK(called(large_patch4(ctx, &run, q, v, n4, M, at4)));
    get(out4, q, (size_t)at4 / 2, sizeof out4);
    int bad = (out4[0] & 15) != 9; /* at4 is odd: the first half of this byte is another's */
    for (int i = 0; i < M; i++)
        bad += (out4[(i + 1) / 2] >> (i + 1) % 2 * 4 & 15) != ((unsigned char)in[i / 2] >> i % 2 * 4 & 15);
    CHECK(!bad);
    cudaFree(p), cudaFree(v), cudaFree(q);
}

static void refusals(void) {
    void *const b = &(double){0};
    const int64_t huge = (int64_t)1 << 39;
    CHECK(large_corner(ctx, &run, b, b, b, huge, huge) == large_error_shape);
    CHECK(strstr(message, "2^57 elements") != NULL);
    CHECK(large_gathered(ctx, &run, b, b, b, INT64_MAX, 1) == large_error_extent);
}

/* Everything is touched: the first, the last and some elements between are looked at. */
static void whole(void) {
    const int64_t n = ((int64_t)1 << 31) + 1000003;
    unsigned char *x = device((size_t)n, 7), *y = device((size_t)n, 0), b;
    put(x, 0, &(unsigned char){1}, 1);
    put(x, (size_t)n - 1, &(unsigned char){2}, 1);
    put(x, ((size_t)1 << 31) + 5, &(unsigned char){3}, 1);
    CHECK(called(large_flip(ctx, &run, x, y, n)));
    get(&b, y, 0, 1);
    CHECK(b == 253);
    get(&b, y, (size_t)n - 1, 1);
    CHECK(b == 254);
    get(&b, y, (size_t)n - 1 - (((size_t)1 << 31) + 5), 1);
    CHECK(b == 252);
    int bad = 0;
    for (int64_t i = 1; i < n; i += 99999989) {
        get(&b, y, (size_t)i, 1);
        bad += b != 248;
    }
    CHECK(!bad);
    cudaFree(x), cudaFree(y);
    td_f16_t *h = device((size_t)n * 2, 0), *g = device((size_t)n * 2, 0xff);
    unsigned short one = 0x3c00, two;
    float *s = device(4, 0xff), sum;
    for (int i = 0; i < 5; i++) put(h, (size_t)(n - 1 - i * (n / 5)) * 2, &one, 2);
    size_t need = 0;
    CHECK(large_halves_workspace(ctx, n, &need) == large_ok);
    run.workspace = device(need ? need : 1, 0xff);
    run.workspace_bytes = need;
    CHECK(called(large_halves(ctx, &run, h, g, s, n)));
    get(&sum, s, 0, 4);
    CHECK(sum == 5);
    get(&two, g, (size_t)(n - 1) * 2, 2);
    CHECK(two == 0x4000);
    get(&two, g, (size_t)(n - 2) * 2, 2);
    CHECK(two == 0);
    cudaFree(h), cudaFree(g), cudaFree(s);
}

int main(int argc, char **argv) {
    if (large_open(&ctx, 0) != large_ok) return 1;
    gathered();
    corner();
    tail();
    patch();
    refusals();
    if (argc > 1 && !strcmp(argv[1], "all")) whole();
    large_close(ctx);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

/* Twice four numbers by both models that have it, and their sum by a third: prints the results. */
#include "fixed.h"
#include "sum.h"
#include "twice.h"
#include <cuda_runtime_api.h>
#include <stdio.h>

int main(void) {
    const float x[4] = {1, 2, 3, 4};
    float y[4], z[4], s;
    void *dx, *dy, *dz, *ds, *work;
    twice_context *a;
    fixed_context *b;
    sum_context *c;
    if (cudaMalloc(&dx, sizeof x) || cudaMalloc(&dy, sizeof y) || cudaMalloc(&dz, sizeof z)) return 1;
    if (cudaMalloc(&ds, sizeof s) || cudaMalloc(&work, 4096)) return 1;
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    if (twice_open(&a, 0) || fixed_open(&b, 0) || sum_open(&c, 0)) return 2;
    twice_run ra = {work, 4096, NULL, NULL, 0};
    fixed_run rb = {work, 4096, NULL, NULL, 0};
    sum_run rc = {work, 4096, NULL, NULL, 0};
    if (twice_twice(a, &ra, dx, dy, 4) || fixed_twice(b, &rb, dx, dz) || sum_total(c, &rc, dx, ds, 4)) return 3;
    cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    cudaMemcpy(z, dz, sizeof z, cudaMemcpyDeviceToHost);
    cudaMemcpy(&s, ds, sizeof s, cudaMemcpyDeviceToHost);
    printf("%g %g %g\n", (double)y[3], (double)z[3], (double)s);
    twice_close(a);
    fixed_close(b);
    sum_close(c);
    return 0;
}

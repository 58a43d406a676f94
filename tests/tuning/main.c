/* Runs layer twice in one context, its tensors SHIFT elements from aligned addresses, and says which algorithms of the
 * stand-in's library ran, how many kernels, and whether the results are right. Usage: main M N K SHIFT */
#include "model.h"

#include <cublasLt.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint16_t bf16_of(int v) { /* exact: |v| <= 128 */
    float f = (float)v;
    uint32_t u;
    memcpy(&u, &f, 4);
    return (uint16_t)(u >> 16);
}

int main(int argc, char **argv) {
    int64_t m, n, k, i, j, l, size[4];
    uint16_t *host[4];
    td_bf16_t *at[4];
    void *workspace = NULL;
    size_t need = 0;
    char why[256] = "";
    model_context *ctx;
    int t, run, right = 1, shift;
    if (argc != 5) return 2;
    m = atoll(argv[1]), n = atoll(argv[2]), k = atoll(argv[3]), shift = atoi(argv[4]);
    size[0] = m * k, size[1] = k * n, size[2] = n, size[3] = m * n;
    for (t = 0; t < 4; t++) {
        void *base = NULL;
        host[t] = (uint16_t *)malloc((size_t)size[t] * 2);
        for (i = 0; i < size[t]; i++) host[t][i] = bf16_of((int)((i * 7 + t * 3) % 3) - (t != 2));
        if (cudaMalloc(&base, (size_t)(size[t] + shift) * 2)) return 3;
        at[t] = (td_bf16_t *)base + shift;
        if (t < 3 && cudaMemcpy(at[t], host[t], (size_t)size[t] * 2, cudaMemcpyHostToDevice)) return 3;
    }
    if (model_open(&ctx, 0) || model_layer_workspace(ctx, m, k, n, &need) || (need && cudaMalloc(&workspace, need)))
        return 4;
    for (run = 0; run < 2; run++) {
        const model_run how = {workspace, need, NULL, why, sizeof why};
        if (model_layer(ctx, &how, at[0], at[1], at[2], at[3], m, k, n) || cudaDeviceSynchronize())
            return fprintf(stderr, "%s\n", why), 5;
        if (cudaMemcpy(host[3], at[3], (size_t)size[3] * 2, cudaMemcpyDeviceToHost)) return 3;
        for (i = 0; i < m; i++)
            for (j = 0; j < n; j++) {
                int sum = (int)((j * 7 + 6) % 3);
                for (l = 0; l < k; l++)
                    sum += ((int)((i * k + l) * 7 % 3) - 1) * ((int)(((l * n + j) * 7 + 3) % 3) - 1);
                right &= host[3][i * n + j] == bf16_of(sum > 0 ? sum : 0);
            }
    }
    model_close(ctx);
    printf("%s:", right ? "right" : "WRONG");
    for (t = 1; t <= 5; t++) printf(" %u", td_emu_products_by(t));
    printf(", %u kernels, %llu bytes\n", td_emu_launches(), (unsigned long long)need);
    return td_emu_errors() != 0;
}

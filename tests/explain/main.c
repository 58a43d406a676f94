/* Calls the entry named with dimensions as given, on zeros, and says what a run of it takes: the bytes of workspace,
 * the kernels launched, the library's products, and those of each of its algorithms. */
#include "model.h"

#include <cublasLt.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 20 /* of every tensor */ };

int main(int argc, char **argv) {
    const model_entry *e = model_entries;
    int64_t dims[16];
    double scalars[16];
    void *tensors[64], *workspace = NULL;
    size_t need = 0;
    char why[256] = "";
    int i, status;
    while (e < model_entries + model_nentries && (argc < 2 || strcmp(e->name, argv[1]))) e++;
    if (e == model_entries + model_nentries || argc != 2 + e->ndims) return 2;
    for (i = 0; i < e->ndims; i++) dims[i] = atoll(argv[2 + i]);
    for (i = 0; i < 16; i++) scalars[i] = 1;
    for (i = 0; i < e->ntensors; i++)
        if (cudaMalloc(&tensors[i], BYTES) || cudaMemset(tensors[i], 0, BYTES)) return 3;
    if (e->workspace(dims, &need) || (need && cudaMalloc(&workspace, need))) return 4;
    status = e->call(tensors, dims, scalars, workspace, need, NULL, why, sizeof why);
    if (status || cudaDeviceSynchronize()) return fprintf(stderr, "%s\n", why), 5;
    printf("%llu %u %u", (unsigned long long)need, td_emu_launches(), td_emu_products());
    for (i = 1; i <= 5; i++) printf(" %u", td_emu_products_by(i));
    printf("\n");
    return 0;
}

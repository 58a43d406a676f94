/* The host's API from C99: what glue uses. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define CHECK(c) ((c) ? 0 : (failures++, printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #c)))

int main(void) {
    int v = -1;
    struct cudaDeviceProp prop;
    unsigned char *p = NULL, host[16];
    CHECK(cudaGetDeviceCount(&v) == cudaSuccess && v == 1);
    CHECK(cudaGetDevice(&v) == cudaSuccess && v == 0 && cudaSetDevice(0) == cudaSuccess &&
          cudaSetDevice(1) != cudaSuccess);
    CHECK(cudaDeviceGetAttribute(&v, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess && v == 9);
    CHECK(cudaDeviceGetAttribute(&v, cudaDevAttrComputeCapabilityMinor, 0) == cudaSuccess && v == 0);
    CHECK(cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess && v == 132);
    CHECK(cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0) == cudaSuccess && v == 232448);
    CHECK(cudaGetDeviceProperties(&prop, 0) == cudaSuccess && prop.major == 9 && prop.multiProcessorCount == 132);
    CHECK(td_emu_adopt(host + 4, 8, 1) == cudaSuccess && td_emu_adopt(host, 5, 1) != cudaSuccess &&
          td_emu_adopt(host + 11, 2, 1) != cudaSuccess && td_emu_adopt(host, 4, 0) == cudaSuccess);
    CHECK(cudaMemset(host + 4, 1, 8) == cudaSuccess && cudaMemset(host, 2, 4) == cudaSuccess && host[3] == 2);
    CHECK(cudaFree(host + 4) != cudaSuccess && cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(td_emu_release(host + 4) == cudaSuccess && td_emu_release(host) == cudaSuccess &&
          td_emu_release(host) != cudaSuccess && td_emu_errors() == 0);
    CHECK(cudaMemset(host + 4, 1, 8) != cudaSuccess && td_emu_errors_of("bounds") == 1);
    td_emu_reset();
    CHECK(cudaMalloc((void **)&p, 16) == cudaSuccess && p);
    CHECK(cudaMemcpy(host, p, 16, cudaMemcpyDeviceToHost) == cudaSuccess && host[0] == 0xff && host[15] == 0xff);
    CHECK(cudaMemsetAsync(p, 7, 16, NULL) == cudaSuccess);
    CHECK(cudaMemcpyAsync(host, p, 16, cudaMemcpyDeviceToHost, NULL) == cudaSuccess && host[15] == 7);
    CHECK(cudaStreamSynchronize(NULL) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess && td_emu_errors() == 0);
    CHECK(cudaMemset(p, 0, 17) != cudaSuccess && td_emu_errors_of("bounds") == 1);
    CHECK(cudaMemcpy(host, host, 16, cudaMemcpyHostToDevice) != cudaSuccess && td_emu_errors() == 2);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
    CHECK(strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
    CHECK(cudaFree(p) == cudaSuccess && cudaFree(NULL) == cudaSuccess && cudaFree(host) != cudaSuccess);
    if (!failures) puts("ok");
    return failures != 0;
}

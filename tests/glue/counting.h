/* A CUDA runtime that only counts, and what the tests on top of it share: a launch leaves its letter in `order`, with a
 * plus before it where one came before in its call. */
#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed, passed;
static int current, driver = 13000, major = 9, minor, launch_error;
static cudaError_t get_error, set_error, prepare_error; /* what these functions return */
static char order[64];
enum { SEEN_TENSORS = 8, SEEN_DIMS = 4, SEEN_SCALARS = 4 }; /* at most; the counts are set by the test */
static int ntensors, ndims, nscalars;
static void *seen[SEEN_TENSORS], *cleared;
static size_t cleared_bytes;
static int64_t seen_dims[SEEN_DIMS];
static double seen_scalars[SEEN_SCALARS];

const char *cudaGetErrorString(cudaError_t error) {
    return error == cudaErrorLaunchFailure ? "launch failure" : error == cudaErrorNoDevice ? "no device" : "other";
}
cudaError_t cudaDriverGetVersion(int *version) {
    *version = driver;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) {
    *device = current;
    return get_error;
}
cudaError_t cudaSetDevice(int device) {
    if (set_error == cudaSuccess) current = device;
    return set_error;
}
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    if (device < 0 || device > 1) return cudaErrorInvalidDevice;
    *value = attribute == cudaDevAttrComputeCapabilityMajor ? major : minor;
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream) {
    (void)stream;
    strcat(order, value ? "?" : "0");
    cleared = at;
    cleared_bytes = bytes;
    return cudaSuccess;
}
static int launched(const char *what, void *const *tensors, const int64_t *dims, const double *scalars, int *before) {
    if (before && *before) strcat(order, "+");
    strcat(order, what);
    if (before) *before = 1;
    memcpy(seen, tensors, sizeof *seen * (size_t)ntensors);
    if (ndims) memcpy(seen_dims, dims, sizeof *seen_dims * (size_t)ndims);
    if (nscalars) memcpy(seen_scalars, scalars, sizeof *seen_scalars * (size_t)nscalars);
    return launch_error;
}
/* The functions of a kernel in a model.cu: LAUNCHER(symbol, letter of a launch, letter of a preparation) */
#define LAUNCHER(symbol, launch, prepare)                                                                              \
    int symbol##_launch(void *stream, void *const *tensors, const int64_t *dims, const double *scalars, int *before);  \
    int symbol##_prepare(void);                                                                                        \
    int symbol##_launch(void *stream, void *const *tensors, const int64_t *dims, const double *scalars, int *before) { \
        return stream ? launched(launch, tensors, dims, scalars, before) : 1;                                          \
    }                                                                                                                  \
    int symbol##_prepare(void) { return strcat(order, prepare) ? (int)prepare_error : 1; }

static void check(int ok, const char *what) {
    if (ok)
        passed++;
    else
        failed++, printf("FAILED: %s\n", what);
}

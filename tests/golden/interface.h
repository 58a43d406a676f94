/* C interface: C99 or C++; link with the .c and the .cu file of the same name.
 * Made by: tdc interface.td --dump=h --stop-after=h */
#ifndef TD_interface_H
#define TD_interface_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st; /* cudaStream_t is a pointer to it */

/* Elements that C has not. In C++ they are CUDA's own types where CUDA's header for them is included before the
 * first header of a model; else they are their bits. In memory, and to the linker, both are the same. */
#ifndef TD_BF16_T
#define TD_BF16_T
#ifdef __CUDA_BF16_TYPES_EXIST__ /* cuda_bf16.h */
typedef __nv_bfloat16 td_bf16_t;
#else
typedef struct td_bf16_t {
    uint16_t bits;
} td_bf16_t;
#endif
#endif

typedef enum {
    interface_ok, /* done, or launched */
    interface_error_argument, /* the context, the run or a result pointer is NULL */
    interface_error_device, /* the device is not the context's, or none that the kernels were compiled for */
    interface_error_dimension, /* a dimension is out of its range or not divisible as declared */
    interface_error_shape, /* a tensor has a negative extent, too many bytes, or not the shape that the dimensions give */
    interface_error_require, /* a condition that the program requires does not hold */
    interface_error_scalar, /* a scalar cannot be passed exactly */
    interface_error_null, /* the pointer of a tensor that has elements is NULL */
    interface_error_alignment, /* a pointer is not aligned to its element */
    interface_error_overlap, /* an output overlaps another tensor or the workspace */
    interface_error_workspace, /* the workspace is too small, NULL or not aligned to 256 bytes */
    interface_error_kernel, /* a kernel is not legal for these dimensions */
    interface_error_extent, /* a dimension or an axis is absurdly long, or a grid has 2^31 blocks */
    interface_error_cuda, /* CUDA reported an error */
    interface_error_assume, /* the data are not as the program assumes (tested with --debug-checks) */
    interface_error_entry, /* no entry has the name, or it takes other numbers of tensors, dimensions or scalars */
    interface_error_tensor, /* a DLTensor has another type or rank than the entry's, or is strided */
    interface_error_library, /* cuBLASLt reported an error */
    interface_status_count
} interface_status;

/* One device. Serves any number of threads and streams. */
typedef struct interface_context interface_context;

/* How to run: a workspace in device memory, aligned to 256 bytes, of which nothing is kept between runs; the stream;
 * where to explain a refusal (may be NULL). */
typedef struct {
    void *workspace;
    size_t workspace_bytes;
    struct CUstream_st *stream;
    char *message;
    size_t message_bytes;
} interface_run;

interface_status interface_open(interface_context **ctx, int device);
/* Of this thread's last open that failed: the function that failed, and what CUDA says of it. */
const char *interface_open_message(void);
void interface_close(interface_context *ctx);
const char *interface_status_text(interface_status status);

/* Each entry: the bytes of workspace that a run needs; its preparation, which open has done for its device;
 * the run. Tensors are dense, row-major and in device memory. A run checks its arguments, launches on the
 * stream and returns; where a check fails nothing is launched. It allocates nothing and waits for nothing. */

/* scaled(x: bf16[M, int], double: f32, steps: i32) -> (ctx: bf16[M, int], sums: f32[M])
 *   in      x        bf16[M, int]
 *   out     ctx_     bf16[M, int]
 *   out     sums     f32[M]
 *   dim     M        i64
 *   dim     int_     i64 in 1..=4096, divisible by 4
 *   scalar  double_  f32
 *   scalar  steps    i32
 *   ctx may have the address of x */
interface_status interface_scaled_workspace(interface_context *ctx, int64_t M, int64_t int_, size_t *bytes);
interface_status interface_scaled_prepare(interface_context *ctx, int64_t M, int64_t int_);
interface_status interface_scaled(interface_context *ctx, const interface_run *run, const td_bf16_t *x, td_bf16_t *ctx_, float *sums, int64_t M, int64_t int_, float double_, int32_t steps);

/* half(x: i64[2 * K]) -> (y: i64[K])
 *   in      x  i64[2 * K]
 *   out     y  i64[K]
 *   dim     K  i64 */
interface_status interface_half_workspace(interface_context *ctx, int64_t K, size_t *bytes);
interface_status interface_half_prepare(interface_context *ctx, int64_t K);
interface_status interface_half(interface_context *ctx, const interface_run *run, const int64_t *x, int64_t *y, int64_t K);

/* The same entries, uniformly: tensors, dimensions and scalars in the order of the functions above. The results are
 * of type interface_status. */
typedef struct {
    const char *name;
    int ntensors, ndims, nscalars;
    int (*workspace)(const int64_t *dims, size_t *bytes);
    int (*call)(void *const *tensors, const int64_t *dims, const double *scalars, void *workspace,
                size_t workspace_bytes, void *stream, char *message, size_t message_bytes);
} interface_entry;
extern const interface_entry interface_entries[];
extern const int interface_nentries;

/* The same with the tensors of DLPack: pointers to DLTensor, dense, on the context's device, in the order
 * of the entry's own function. A dimension is what the shapes say; those that no shape determines are given:
 * `dims` holds all dimensions in order, a negative one is to be found, and may be NULL for all to be. Scalars
 * are in order. invoke_query finds the dimensions from the tensors there are (others are NULL), and the bytes
 * of workspace. */
interface_status interface_invoke(interface_context *ctx, const interface_run *run, const char *entry, const void *const *tensors, int ntensors,
    const int64_t *dims, int ndims, const double *scalars, int nscalars);
interface_status interface_invoke_query(interface_context *ctx, const interface_run *run, const char *entry, const void *const *tensors, int ntensors,
    int64_t *dims, int ndims, size_t *workspace_bytes);
/* That of the manifest which belongs to this model. */
extern const uint64_t interface_fingerprint;

#ifdef __cplusplus
}
#endif
#endif

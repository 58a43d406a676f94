/* C interface: C99 or C++; link with the .c and the .cu file of the same name.
 * Made by: tdc fixed.td -D N=1024 --dump=h --stop-after=h */
#ifndef TD_fixed_H
#define TD_fixed_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st; /* cudaStream_t is a pointer to it */

typedef enum {
    fixed_ok, /* done, or launched */
    fixed_error_argument, /* the context, the run or a result pointer is NULL */
    fixed_error_device, /* the device is not the context's, or none that the kernels were compiled for */
    fixed_error_dimension, /* a dimension is out of its range or not divisible as declared */
    fixed_error_shape, /* a tensor has a negative extent, too many bytes, or not the shape that the dimensions give */
    fixed_error_require, /* a condition that the program requires does not hold */
    fixed_error_scalar, /* a scalar cannot be passed exactly */
    fixed_error_null, /* the pointer of a tensor that has elements is NULL */
    fixed_error_alignment, /* a pointer is not aligned to its element */
    fixed_error_overlap, /* an output overlaps another tensor or the workspace */
    fixed_error_workspace, /* the workspace is too small, NULL or not aligned to 256 bytes */
    fixed_error_kernel, /* a kernel is not legal for these dimensions */
    fixed_error_extent, /* a dimension or an axis is absurdly long, or a grid has 2^31 blocks */
    fixed_error_cuda, /* CUDA reported an error */
    fixed_error_assume, /* the data are not as the program assumes (tested with --debug-checks) */
    fixed_error_entry, /* no entry has the name, or it takes other numbers of tensors, dimensions or scalars */
    fixed_error_tensor, /* a DLTensor has another type or rank than the entry's, or is strided */
    fixed_error_library, /* cuBLASLt reported an error */
    fixed_status_count
} fixed_status;

/* One device. Serves any number of threads and streams. */
typedef struct fixed_context fixed_context;

/* How to run: a workspace in device memory, aligned to 256 bytes, of which nothing is kept between runs; the stream;
 * where to explain a refusal (may be NULL). */
typedef struct {
    void *workspace;
    size_t workspace_bytes;
    struct CUstream_st *stream;
    char *message;
    size_t message_bytes;
} fixed_run;

fixed_status fixed_open(fixed_context **ctx, int device);
/* Of this thread's last open that failed: the function that failed, and what CUDA says of it. */
const char *fixed_open_message(void);
void fixed_close(fixed_context *ctx);
const char *fixed_status_text(fixed_status status);

/* Each entry: the bytes of workspace that a run needs; its preparation, which open has done for its device;
 * the run. Tensors are dense, row-major and in device memory. A run checks its arguments, launches on the
 * stream and returns; where a check fails nothing is launched. It allocates nothing and waits for nothing. */

/* total(x: f32[M, 1024]) -> (y: f32[M])
 *   in      x  f32[M, 1024]
 *   out     y  f32[M]
 *   dim     M  i64 */
fixed_status fixed_total_workspace(fixed_context *ctx, int64_t M, size_t *bytes);
fixed_status fixed_total_prepare(fixed_context *ctx, int64_t M);
fixed_status fixed_total(fixed_context *ctx, const fixed_run *run, const float *x, float *y, int64_t M);

/* The same entries, uniformly: tensors, dimensions and scalars in the order of the functions above. The results are
 * of type fixed_status. */
typedef struct {
    const char *name;
    int ntensors, ndims, nscalars;
    int (*workspace)(const int64_t *dims, size_t *bytes);
    int (*call)(void *const *tensors, const int64_t *dims, const double *scalars, void *workspace,
                size_t workspace_bytes, void *stream, char *message, size_t message_bytes);
} fixed_entry;
extern const fixed_entry fixed_entries[];
extern const int fixed_nentries;

/* The same with the tensors of DLPack: pointers to DLTensor, dense, on the context's device, in the order
 * of the entry's own function. A dimension is what the shapes say; those that no shape determines are given:
 * `dims` holds all dimensions in order, a negative one is to be found, and may be NULL for all to be. Scalars
 * are in order. invoke_query finds the dimensions from the tensors there are (others are NULL), and the bytes
 * of workspace. */
fixed_status fixed_invoke(fixed_context *ctx, const fixed_run *run, const char *entry, const void *const *tensors, int ntensors,
    const int64_t *dims, int ndims, const double *scalars, int nscalars);
fixed_status fixed_invoke_query(fixed_context *ctx, const fixed_run *run, const char *entry, const void *const *tensors, int ntensors,
    int64_t *dims, int ndims, size_t *workspace_bytes);
/* That of the manifest which belongs to this model. */
extern const uint64_t fixed_fingerprint;

#ifdef __cplusplus
}
#endif
#endif

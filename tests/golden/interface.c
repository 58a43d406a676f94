/* Host side: checks, workspace and launches. C99.
 * Made by: tdc tests/golden/interface.td --dump=c --stop-after=c */
#include "interface.h"

#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* In the .cu file. The results are of type cudaError_t. */
#ifdef __cplusplus
extern "C" {
#endif
int interface_scaled_ctx_prepare(void);
int interface_scaled_ctx_launch(void *stream, void *const *tensors, const int64_t *dims, const double *scalars);
int interface_scaled_sums_prepare(void);
int interface_scaled_sums_launch(void *stream, void *const *tensors, const int64_t *dims, const double *scalars);
int interface_half_y_prepare(void);
int interface_half_y_launch(void *stream, void *const *tensors, const int64_t *dims, const double *scalars);
#ifdef __cplusplus
}
#endif

struct interface_context {
    int device;
};

/* Where the message of a refusal goes. */
typedef struct {
    const char *entry;
    char *text;
    size_t bytes;
} td_sink;

typedef struct {
    const char *name;
    unsigned alignment;
    int written;
} td_tensor;

typedef struct {
    void *const *tensors;
    const int64_t *dims;
    const double *scalars;
    void *workspace;
    size_t workspace_bytes;
    void *stream;
} td_call;

#define TD_TRY(e)                        \
    do {                                 \
        interface_status td_st = (e);            \
        if (td_st != interface_ok) return td_st; \
    } while (0)

static interface_status td_refuse(const td_sink *s, interface_status status, const char *format, ...) {
    if (s->text && s->bytes) {
        va_list ap;
        int n = snprintf(s->text, s->bytes, "%s: ", s->entry);
        va_start(ap, format);
        if (n >= 0 && (size_t)n < s->bytes) vsnprintf(s->text + n, s->bytes - (size_t)n, format, ap);
        va_end(ap);
    }
    return status;
}

static interface_status td_cuda(const td_sink *s, const char *what, int error) {
    if (error == 0) return interface_ok;
    return td_refuse(s, interface_error_cuda, "%s: %s", what, cudaGetErrorString((cudaError_t)error));
}

/* The kernels are compiled for compute capability 9.0 and, being of sm_90a, for no other. */
static interface_status td_device(const td_sink *s, int device) {
    int major = 0, minor = 0;
    TD_TRY(td_cuda(s, "device", (int)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)));
    TD_TRY(td_cuda(s, "device", (int)cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device)));
    if (major == 9 && minor == 0) return interface_ok;
    return td_refuse(s, interface_error_device, "device %d: expected compute capability 9.0, got %d.%d", device, major, minor);
}

static interface_status td_dim(const td_sink *s, const char *name, int64_t v, int64_t lo, int64_t hi, int64_t divisor) {
    if (v < lo || v > hi) {
        if (hi == INT64_MAX)
            return td_refuse(s, interface_error_dimension, "dimension %s: expected at least %lld, got %lld", name, (long long)lo,
                             (long long)v);
        return td_refuse(s, interface_error_dimension, "dimension %s: expected %lld..=%lld, got %lld", name, (long long)lo,
                         (long long)hi, (long long)v);
    }
    if (v > (int64_t)1 << 40)
        return td_refuse(s, interface_error_extent, "dimension %s: expected at most 2^40, got %lld", name, (long long)v);
    if (v % divisor)
        return td_refuse(s, interface_error_dimension, "dimension %s: expected a multiple of %lld, got %lld", name,
                         (long long)divisor, (long long)v);
    return interface_ok;
}

/* The bytes of a tensor. At most 2^57 elements, so that no later sum overflows. */
static interface_status td_size(const td_sink *s, const char *name, int rank, const int64_t *shape, int bits, int64_t *bytes) {
    int64_t n = 1;
    int i, empty = 0;
    for (i = 0; i < rank; i++) {
        if (shape[i] < 0)
            return td_refuse(s, interface_error_shape, "tensor %s: extent %d: expected at least 0, got %lld", name, i,
                             (long long)shape[i]);
        empty |= shape[i] == 0;
    }
    for (i = 0; i < rank && !empty; i++) {
        if (shape[i] > ((int64_t)1 << 60) / 8 / n)
            return td_refuse(s, interface_error_shape, "tensor %s: expected at most 2^57 elements, got more", name);
        n *= shape[i];
    }
    *bytes = empty ? 0 : bits >= 8 ? n * (bits / 8) : (n * bits + 7) / 8;
    return interface_ok;
}

static interface_status td_extent(const td_sink *s, const char *kernel, const char *what, int64_t n, int64_t most) {
    if (n <= most) return interface_ok;
    return td_refuse(s, interface_error_extent, "kernel %s: %s: expected at most %lld, got %lld", kernel, what, (long long)most,
                     (long long)n);
}

static interface_status td_current(const td_sink *s, const interface_context *ctx) {
    int device = -1;
    TD_TRY(td_cuda(s, "device", (int)cudaGetDevice(&device)));
    if (device == ctx->device) return interface_ok;
    return td_refuse(s, interface_error_device, "current device: expected the context's, %d, got %d", ctx->device, device);
}

static int td_meet(const void *a, int64_t an, const void *b, int64_t bn) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return an > 0 && bn > 0 && (x < y ? y - x < (uintptr_t)an : x - y < (uintptr_t)bn);
}

static interface_status td_tensors(const td_sink *s, const td_call *c, const td_tensor *t, int n, const int64_t *bytes) {
    int i, j;
    for (i = 0; i < n; i++) {
        if (!c->tensors[i] && bytes[i])
            return td_refuse(s, interface_error_null, "tensor %s: expected %lld bytes, got NULL", t[i].name, (long long)bytes[i]);
        if ((uintptr_t)c->tensors[i] % t[i].alignment)
            return td_refuse(s, interface_error_alignment, "tensor %s: expected an address aligned to %u, got %p", t[i].name,
                             t[i].alignment, c->tensors[i]);
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            if (i != j && t[i].written && td_meet(c->tensors[i], bytes[i], c->tensors[j], bytes[j]))
                return td_refuse(s, interface_error_overlap, "tensor %s: expected memory of its own, got %p, which overlaps %s",
                                 t[i].name, c->tensors[i], t[j].name);
    return interface_ok;
}

static interface_status td_workspace(const td_sink *s, const td_call *c, size_t need, const td_tensor *t, int n,
                             const int64_t *bytes) {
    int i;
    if (!need) return interface_ok;
    if (!c->workspace || c->workspace_bytes < need)
        return td_refuse(s, interface_error_workspace, "workspace: expected %llu bytes, got %llu%s", (unsigned long long)need,
                         (unsigned long long)c->workspace_bytes, c->workspace ? "" : " at NULL");
    if ((uintptr_t)c->workspace % 256)
        return td_refuse(s, interface_error_workspace, "workspace: expected an address aligned to 256, got %p", c->workspace);
    for (i = 0; i < n; i++)
        if (td_meet(c->workspace, (int64_t)need, c->tensors[i], bytes[i]))
            return td_refuse(s, interface_error_overlap, "workspace: expected memory of its own, got %p, which overlaps %s",
                             c->workspace, t[i].name);
    return interface_ok;
}

/* Integer arithmetic of the language; sums and products saturate. */
static int64_t td_add(int64_t a, int64_t b) {
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return b > 0 ? INT64_MAX : INT64_MIN;
    return a + b;
}
static int64_t td_mul(int64_t a, int64_t b) {
    if (a == 0 || b == 0) return 0;
    if (a > 0 && b > 0 ? a > INT64_MAX / b : a < 0 && b < 0 && a < INT64_MAX / b) return INT64_MAX;
    if (a > 0 && b < 0 ? b < INT64_MIN / a : a < 0 && b > 0 && a < INT64_MIN / b) return INT64_MIN;
    return a * b;
}
/* Toward minus infinity; INT64_MIN where there is no quotient. */
static int64_t td_div(int64_t a, int64_t b) {
    if (b == 0) return INT64_MIN;
    if (b == -1) return a == INT64_MIN ? INT64_MAX : -a;
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

const char *interface_status_text(interface_status status) {
    switch (status) {
    case interface_ok: return "done, or launched";
    case interface_error_argument: return "the context, the run or a result pointer is NULL";
    case interface_error_device: return "the device is not the context's, or none that the kernels were compiled for";
    case interface_error_dimension: return "a dimension is out of its range or not divisible as declared";
    case interface_error_shape: return "a tensor has a negative extent or too many bytes";
    case interface_error_require: return "a condition that the program requires does not hold";
    case interface_error_scalar: return "a scalar cannot be passed exactly";
    case interface_error_null: return "the pointer of a tensor that has elements is NULL";
    case interface_error_alignment: return "a pointer is not aligned to its element";
    case interface_error_overlap: return "an output overlaps another tensor or the workspace";
    case interface_error_workspace: return "the workspace is too small, NULL or not aligned to 256 bytes";
    case interface_error_kernel: return "a kernel is not legal for these dimensions";
    case interface_error_extent: return "a dimension or an axis is absurdly long, or a grid has 2^31 blocks";
    case interface_error_cuda: return "CUDA reported an error";
    default: return "no status";
    }
}

static interface_status td_prepare_all(const td_sink *s) {
    TD_TRY(td_cuda(s, "kernel ctx", interface_scaled_ctx_prepare()));
    TD_TRY(td_cuda(s, "kernel sums", interface_scaled_sums_prepare()));
    TD_TRY(td_cuda(s, "kernel y", interface_half_y_prepare()));
    (void)s;
    return interface_ok;
}

interface_status interface_open(interface_context **ctx, int device) {
    const td_sink s = {"open", NULL, 0};
    interface_context *c;
    interface_status status;
    int before = 0;
    if (!ctx) return interface_error_argument;
    *ctx = NULL;
    TD_TRY(td_device(&s, device));
    TD_TRY(td_cuda(&s, "device", (int)cudaGetDevice(&before)));
    if (before != device) TD_TRY(td_cuda(&s, "device", (int)cudaSetDevice(device)));
    status = td_prepare_all(&s);
    if (before != device) TD_TRY(td_cuda(&s, "device", (int)cudaSetDevice(before)));
    if (status != interface_ok) return status;
    c = (interface_context *)malloc(sizeof *c);
    if (!c) return interface_error_argument;
    c->device = device;
    *ctx = c;
    return interface_ok;
}

void interface_close(interface_context *ctx) { free(ctx); }

/* ---- scaled(x: bf16[M, int]) -> (ctx: bf16[M, int], sums: f32[M]) ---- */

/* Bytes of each tensor. */
static interface_status td_scaled_plan(const td_sink *td_s, const int64_t *td_dims, int64_t *td_bytes) {
    const int64_t M = td_dims[0];
    const int64_t int_ = td_dims[1];
    TD_TRY(td_dim(td_s, "M", M, 0, INT64_MAX, 1));
    TD_TRY(td_dim(td_s, "int", int_, 1, 4096, 4));
    if (!(M <= td_mul(2, int_)))
        return td_refuse(td_s, interface_error_require, "%s", "at most two rows a column (expected M <= 2 * int)");
    {
        const int64_t td_shape[] = {M, int_};
        TD_TRY(td_size(td_s, "x", 2, td_shape, 16, &td_bytes[0]));
    }
    {
        const int64_t td_shape[] = {M, int_};
        TD_TRY(td_size(td_s, "ctx", 2, td_shape, 16, &td_bytes[1]));
    }
    {
        const int64_t td_shape[] = {M};
        TD_TRY(td_size(td_s, "sums", 1, td_shape, 32, &td_bytes[2]));
    }
    TD_TRY(td_extent(td_s, "ctx", "blocks", td_mul(td_div(td_add(M, 7), 8), td_div(td_add(int_, 2047), 2048)), INT32_MAX));
    TD_TRY(td_extent(td_s, "sums", "blocks", td_div(td_add(M, 3), 4), INT32_MAX));
    return interface_ok;
}

static interface_status td_scaled_run(const td_sink *td_s, const td_call *td_c) {
    static const td_tensor td_params[] = {{"x", 2, 0}, {"ctx", 2, 1}, {"sums", 4, 1}};
    int64_t td_bytes[3];
    const double double_ = td_c->scalars[0];
    const int64_t M = td_c->dims[0];
    const int64_t int_ = td_c->dims[1];
    (void)M;
    (void)int_;
    TD_TRY(td_scaled_plan(td_s, td_c->dims, td_bytes));
    if (!(double_ > 0.0))
        return td_refuse(td_s, interface_error_require, "%s", "a positive scale (expected double > 0.0)");
    TD_TRY(td_tensors(td_s, td_c, td_params, 3, td_bytes));
    TD_TRY(td_workspace(td_s, td_c, 0, td_params, 3, td_bytes));
    TD_TRY(td_cuda(td_s, "kernel ctx", interface_scaled_ctx_launch(td_c->stream, td_c->tensors, td_c->dims, td_c->scalars)));
    TD_TRY(td_cuda(td_s, "kernel sums", interface_scaled_sums_launch(td_c->stream, td_c->tensors, td_c->dims, td_c->scalars)));
    return interface_ok;
}

interface_status interface_scaled_workspace(interface_context *ctx, int64_t M, int64_t int_, size_t *bytes) {
    const td_sink td_s = {"scaled", NULL, 0};
    const int64_t td_dims[] = {M, int_};
    int64_t td_bytes[3];
    if (!ctx || !bytes) return interface_error_argument;
    TD_TRY(td_scaled_plan(&td_s, td_dims, td_bytes));
    *bytes = 0;
    return interface_ok;
}

interface_status interface_scaled_prepare(interface_context *ctx, int64_t M, int64_t int_) {
    const td_sink td_s = {"scaled", NULL, 0};
    const int64_t td_dims[] = {M, int_};
    int64_t td_bytes[3];
    if (!ctx) return interface_error_argument;
    TD_TRY(td_current(&td_s, ctx));
    TD_TRY(td_scaled_plan(&td_s, td_dims, td_bytes));
    TD_TRY(td_cuda(&td_s, "kernel ctx", interface_scaled_ctx_prepare()));
    TD_TRY(td_cuda(&td_s, "kernel sums", interface_scaled_sums_prepare()));
    return interface_ok;
}

interface_status interface_scaled(interface_context *ctx, const interface_run *run, const void *x, void *ctx_, void *sums, int64_t M, int64_t int_, float double_, int32_t steps) {
    void *const td_t[] = {(void *)x, (void *)ctx_, (void *)sums};
    const int64_t td_dims[] = {M, int_};
    const double td_scalars[] = {(double)double_, (double)steps};
    td_sink td_s = {"scaled", NULL, 0};
    td_call td_c;
    if (!run) return interface_error_argument;
    td_s.text = run->message;
    td_s.bytes = run->message_bytes;
    if (!ctx) return td_refuse(&td_s, interface_error_argument, "context: expected an open one, got NULL");
    TD_TRY(td_current(&td_s, ctx));
    td_c.tensors = td_t;
    td_c.dims = td_dims;
    td_c.scalars = td_scalars;
    td_c.workspace = run->workspace;
    td_c.workspace_bytes = run->workspace_bytes;
    td_c.stream = run->stream;
    return td_scaled_run(&td_s, &td_c);
}

static int td_scaled_bytes(const int64_t *dims, size_t *bytes) {
    const td_sink td_s = {"scaled", NULL, 0};
    int64_t td_bytes[3];
    if (!bytes) return interface_error_argument;
    TD_TRY(td_scaled_plan(&td_s, dims, td_bytes));
    *bytes = 0;
    return interface_ok;
}

static int td_scaled_call(void *const *tensors, const int64_t *dims, const double *scalars, void *workspace,
    size_t workspace_bytes, void *stream, char *message, size_t message_bytes) {
    td_sink td_s = {"scaled", NULL, 0};
    td_call td_c;
    int device = 0;
    td_s.text = message;
    td_s.bytes = message_bytes;
    TD_TRY(td_cuda(&td_s, "device", (int)cudaGetDevice(&device)));
    TD_TRY(td_device(&td_s, device));
    TD_TRY(td_cuda(&td_s, "kernel ctx", interface_scaled_ctx_prepare()));
    TD_TRY(td_cuda(&td_s, "kernel sums", interface_scaled_sums_prepare()));
    td_c.tensors = tensors;
    td_c.dims = dims;
    td_c.scalars = scalars;
    td_c.workspace = workspace;
    td_c.workspace_bytes = workspace_bytes;
    td_c.stream = stream;
    return td_scaled_run(&td_s, &td_c);
}

/* ---- half(x: i64[2 * K]) -> (y: i64[K]) ---- */

/* Bytes of each tensor. */
static interface_status td_half_plan(const td_sink *td_s, const int64_t *td_dims, int64_t *td_bytes) {
    const int64_t K = td_dims[0];
    TD_TRY(td_dim(td_s, "K", K, 0, INT64_MAX, 1));
    {
        const int64_t td_shape[] = {td_mul(2, K)};
        TD_TRY(td_size(td_s, "x", 1, td_shape, 64, &td_bytes[0]));
    }
    {
        const int64_t td_shape[] = {K};
        TD_TRY(td_size(td_s, "y", 1, td_shape, 64, &td_bytes[1]));
    }
    TD_TRY(td_extent(td_s, "y", "blocks", td_div(td_add(K, 8191), 8192), INT32_MAX));
    return interface_ok;
}

static interface_status td_half_run(const td_sink *td_s, const td_call *td_c) {
    static const td_tensor td_params[] = {{"x", 8, 0}, {"y", 8, 1}};
    int64_t td_bytes[2];
    TD_TRY(td_half_plan(td_s, td_c->dims, td_bytes));
    TD_TRY(td_tensors(td_s, td_c, td_params, 2, td_bytes));
    TD_TRY(td_workspace(td_s, td_c, 0, td_params, 2, td_bytes));
    TD_TRY(td_cuda(td_s, "kernel y", interface_half_y_launch(td_c->stream, td_c->tensors, td_c->dims, td_c->scalars)));
    return interface_ok;
}

interface_status interface_half_workspace(interface_context *ctx, int64_t K, size_t *bytes) {
    const td_sink td_s = {"half", NULL, 0};
    const int64_t td_dims[] = {K};
    int64_t td_bytes[2];
    if (!ctx || !bytes) return interface_error_argument;
    TD_TRY(td_half_plan(&td_s, td_dims, td_bytes));
    *bytes = 0;
    return interface_ok;
}

interface_status interface_half_prepare(interface_context *ctx, int64_t K) {
    const td_sink td_s = {"half", NULL, 0};
    const int64_t td_dims[] = {K};
    int64_t td_bytes[2];
    if (!ctx) return interface_error_argument;
    TD_TRY(td_current(&td_s, ctx));
    TD_TRY(td_half_plan(&td_s, td_dims, td_bytes));
    TD_TRY(td_cuda(&td_s, "kernel y", interface_half_y_prepare()));
    return interface_ok;
}

interface_status interface_half(interface_context *ctx, const interface_run *run, const void *x, void *y, int64_t K) {
    void *const td_t[] = {(void *)x, (void *)y};
    const int64_t td_dims[] = {K};
    const double td_scalars[] = {0};
    td_sink td_s = {"half", NULL, 0};
    td_call td_c;
    if (!run) return interface_error_argument;
    td_s.text = run->message;
    td_s.bytes = run->message_bytes;
    if (!ctx) return td_refuse(&td_s, interface_error_argument, "context: expected an open one, got NULL");
    TD_TRY(td_current(&td_s, ctx));
    td_c.tensors = td_t;
    td_c.dims = td_dims;
    td_c.scalars = td_scalars;
    td_c.workspace = run->workspace;
    td_c.workspace_bytes = run->workspace_bytes;
    td_c.stream = run->stream;
    return td_half_run(&td_s, &td_c);
}

static int td_half_bytes(const int64_t *dims, size_t *bytes) {
    const td_sink td_s = {"half", NULL, 0};
    int64_t td_bytes[2];
    if (!bytes) return interface_error_argument;
    TD_TRY(td_half_plan(&td_s, dims, td_bytes));
    *bytes = 0;
    return interface_ok;
}

static int td_half_call(void *const *tensors, const int64_t *dims, const double *scalars, void *workspace,
    size_t workspace_bytes, void *stream, char *message, size_t message_bytes) {
    td_sink td_s = {"half", NULL, 0};
    td_call td_c;
    int device = 0;
    td_s.text = message;
    td_s.bytes = message_bytes;
    TD_TRY(td_cuda(&td_s, "device", (int)cudaGetDevice(&device)));
    TD_TRY(td_device(&td_s, device));
    TD_TRY(td_cuda(&td_s, "kernel y", interface_half_y_prepare()));
    td_c.tensors = tensors;
    td_c.dims = dims;
    td_c.scalars = scalars;
    td_c.workspace = workspace;
    td_c.workspace_bytes = workspace_bytes;
    td_c.stream = stream;
    return td_half_run(&td_s, &td_c);
}

const interface_entry interface_entries[] = {
    {"scaled", 3, 2, 2, td_scaled_bytes, td_scaled_call},
    {"half", 2, 1, 0, td_half_bytes, td_half_call},
};
const int interface_nentries = 2;

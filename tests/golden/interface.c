/* Host side: checks, workspace and launches. C99.
 * Made by: tdc interface.td --dump=c --stop-after=c */
#include "interface.h"

#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the .cu file. The results are of type cudaError_t. */
typedef int td_preparer(void);
typedef int td_launcher(void *stream, void *const *tensors, const int64_t *dims, const double *scalars, int *launched);
#ifdef __cplusplus
extern "C" {
#endif
td_preparer interface_scaled_ctx_prepare;
td_launcher interface_scaled_ctx_launch;
td_preparer interface_scaled_ctx_2_prepare;
td_launcher interface_scaled_ctx_2_launch;
td_preparer interface_scaled_ctx_4_prepare;
td_launcher interface_scaled_ctx_4_launch;
td_preparer interface_half_y_prepare;
td_launcher interface_half_y_launch;
#ifdef __cplusplus
}
#endif

enum { TD_OPEN = 0x74646f70 };

struct interface_context {
    int open; /* TD_OPEN until it is closed */
    int device;
    int capability, early; /* of the device: see td_targets */
};

/* Where the message of a refusal goes. */
typedef struct {
    const char *entry;
    char *text;
    size_t bytes;
} td_sink;

/* A run, or, where there is a place for the bytes of its workspace, only what these depend on. */
typedef struct {
    interface_context *context;
    void *const *tensors;
    const int64_t *dims;
    const double *scalars;
    void *workspace;
    size_t workspace_bytes;
    void *stream;
    size_t *need;
} td_call;

/* Where a piece of memory lies: in the workspace (-1), in parameter home / 2, or (home odd) at the first multiple of 256 there. */
typedef struct {
    int home;
    size_t offset;
} td_spot;

#define TD_TRY_AS(type, e)                     \
    do {                                       \
        const interface_status td_st = (e);            \
        if (td_st != interface_ok) return (type)td_st; \
    } while (0)
#define TD_TRY(e) TD_TRY_AS(interface_status, e)
#define TD_TRY_INT(e) TD_TRY_AS(int, e)

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

/* What the kernels are compiled for: a compute capability, 90 is 9.0, alone or, as PTX, with all later ones. A device runs
 * the first that fits it, as CUDA chooses. early: kernels may start while those before them end. */
static const struct {
    int capability, later, early;
} td_targets[] = {
    {90, 0, 1}, /* sm_90a */
};

/* The device's compute capability, and what its code may do. */
static interface_status td_device(const td_sink *s, int device, int *capability, int *early) {
    int major = 0, minor = 0;
    size_t i;
    TD_TRY(td_cuda(s, "cudaDeviceGetAttribute", (int)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)));
    TD_TRY(td_cuda(s, "cudaDeviceGetAttribute", (int)cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device)));
    *capability = 10 * major + minor;
    for (i = 0; i < sizeof td_targets / sizeof *td_targets; i++) {
        const int least = td_targets[i].capability;
        *early = td_targets[i].early;
        if (*capability == least || (td_targets[i].later && *capability > least)) return interface_ok;
    }
    return td_refuse(s, interface_error_device,
                     "device %d: expected compute capability 9.0 (sm_90a), got %d.%d", device,
                     major, minor);
}

static interface_status td_extent(const td_sink *s, const char *kernel, const char *what, int64_t n, int64_t most) {
    if (n <= most) return interface_ok;
    return td_refuse(s, interface_error_extent, "kernel %s: %s: expected at most %lld, got %lld", kernel, what, (long long)most,
                     (long long)n);
}

static interface_status td_current(const td_sink *s, const interface_context *ctx) {
    int device = -1;
    if (ctx->open != TD_OPEN)
        return td_refuse(s, interface_error_argument, "context: expected an open one, got one that is not");
    TD_TRY(td_cuda(s, "cudaGetDevice", (int)cudaGetDevice(&device)));
    if (device == ctx->device) return interface_ok;
    return td_refuse(s, interface_error_device, "current device: expected the context's, %d, got %d", ctx->device, device);
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
/* Toward minus infinity; by 0 it is 0. */
static int64_t td_div(int64_t a, int64_t b) {
    if (b == 0) return 0;
    if (b == -1) return a == INT64_MIN ? INT64_MAX : -a;
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

const char *interface_status_text(interface_status status) {
    switch (status) {
    case interface_ok: return "done, or launched";
    case interface_error_argument: return "the context, the run or a result pointer is NULL";
    case interface_error_device: return "the device is not the context's, or none that the kernels were compiled for";
    case interface_error_dimension: return "a dimension is out of its range or not divisible as declared";
    case interface_error_shape: return "a tensor has a negative extent, too many bytes, or not the shape that the dimensions give";
    case interface_error_require: return "a condition that the program requires does not hold";
    case interface_error_scalar: return "a scalar cannot be passed exactly";
    case interface_error_null: return "the pointer of a tensor that has elements is NULL";
    case interface_error_alignment: return "a pointer is not aligned to its element";
    case interface_error_overlap: return "an output overlaps another tensor or the workspace";
    case interface_error_workspace: return "the workspace is too small, NULL or not aligned to 256 bytes";
    case interface_error_kernel: return "a kernel is not legal for these dimensions";
    case interface_error_extent: return "a dimension or an axis is absurdly long, or a grid has 2^31 blocks";
    case interface_error_cuda: return "CUDA reported an error";
    case interface_error_assume: return "the data are not as the program assumes (tested with --debug-checks)";
    case interface_error_entry: return "no entry has the name, or it takes other numbers of tensors, dimensions or scalars";
    case interface_error_tensor: return "a DLTensor has another type or rank than the entry's, or is strided";
    case interface_error_library: return "cuBLASLt reported an error";
    default: return "no status";
    }
}

static interface_status td_prepare_all(const td_sink *s) {
    TD_TRY(td_cuda(s, "kernel ctx: cudaFuncSetAttribute", interface_scaled_ctx_prepare()));
    TD_TRY(td_cuda(s, "kernel ctx_2: cudaFuncSetAttribute", interface_scaled_ctx_2_prepare()));
    TD_TRY(td_cuda(s, "kernel ctx_4: cudaFuncSetAttribute", interface_scaled_ctx_4_prepare()));
    TD_TRY(td_cuda(s, "kernel y: cudaFuncSetAttribute", interface_half_y_prepare()));
    (void)s;
    return interface_ok;
}

static interface_status td_begin(const td_sink *s, interface_context *c, int device) {
    (void)s;
    memset(c, 0, sizeof *c);
    c->device = device;
    return interface_ok;
}

static void td_end(interface_context *c) { (void)c; }

/* A variable that each thread has for itself; where the compiler knows no such thing, one for all threads. */
#if defined(_MSC_VER)
#define TD_THREAD __declspec(thread)
#elif defined(__cplusplus) && __cplusplus >= 201103L
#define TD_THREAD thread_local
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define TD_THREAD _Thread_local
#elif defined(__GNUC__)
#define TD_THREAD __thread
#else
#define TD_THREAD
#endif

static TD_THREAD char td_open_text[512];

const char *interface_open_message(void) { return td_open_text; }

interface_status interface_open(interface_context **ctx, int device) {
    const td_sink s = {"interface_open", td_open_text, sizeof td_open_text};
    interface_context *c;
    interface_status status;
    int before = 0, driver = 1, capability = 0, early = 0;
    if (!ctx) return td_refuse(&s, interface_error_argument, "ctx: expected a place for the context, got NULL");
    *ctx = NULL;
    TD_TRY(td_cuda(&s, "cudaDriverGetVersion", (int)cudaDriverGetVersion(&driver)));
    if (!driver) return td_refuse(&s, interface_error_cuda, "cudaDriverGetVersion: no NVIDIA driver is installed");
    TD_TRY(td_device(&s, device, &capability, &early));
    TD_TRY(td_cuda(&s, "cudaGetDevice", (int)cudaGetDevice(&before)));
    if (before != device) TD_TRY(td_cuda(&s, "cudaSetDevice", (int)cudaSetDevice(device)));
    status = td_prepare_all(&s);
    c = status == interface_ok ? (interface_context *)malloc(sizeof *c) : NULL;
    if (status == interface_ok)
        status = c ? td_begin(&s, c, device) : td_refuse(&s, interface_error_argument, "malloc: no memory on the host");
    if (before != device) {
        const int error = (int)cudaSetDevice(before);
        if (status == interface_ok && error) {
            td_end(c);
            status = td_cuda(&s, "cudaSetDevice", error);
        }
    }
    if (status != interface_ok) {
        free(c);
        return status;
    }
    c->capability = capability;
    c->early = early;
    c->open = TD_OPEN;
    *ctx = c;
    return interface_ok;
}

void interface_close(interface_context *ctx) {
    if (!ctx) return;
    td_end(ctx);
    *(volatile int *)&ctx->open = 0;
    free(ctx);
}

enum { TD_MOST_DIMS = 2, TD_MOST_TENSORS = 3, TD_MOST_SCALARS = 2, TD_MOST_RANK = 2 };

/* What an entry takes. Extents are numbered through all its tensors; their texts are the program's. */
typedef struct {
    const char *name, *type;
    int code, bits, rank, first; /* of DLPack; the number of its first extent */
    int written;
    uint64_t in_place; /* bit i: tensor i may have its address */
} td_argument;

typedef struct {
    const char *name;
    int64_t least, most, divisor;
} td_dimension;

/* An extent that is affine in a dimension determines it, once the dimensions at `needs`, up to a -1, are known. */
typedef struct {
    int tensor, extent, dim, needs;
} td_way;

typedef struct {
    const char *name;
    int kind; /* 'f': passed as float, 'd', 'i': an integer in least..=most */
    double least, most;
} td_number;

typedef struct {
    int ntensors, ndims, nways;
    const td_argument *tensors;
    const td_dimension *dims;
    const td_way *ways;
    const int *needs;
    const td_number *numbers;
    const char *const *texts;
    int64_t (*extent)(const int64_t *dims, int i);
} td_signature;

/* The functions of an entry: a run, or its checks alone (td_call); what its launches need first, for the current
 * device. */
typedef interface_status td_run_fn(const td_sink *s, const td_call *c);
typedef interface_status td_ready_fn(const td_sink *s);

/* The bytes of workspace, after every check that needs no pointer. */
static interface_status td_ask_need(const td_sink *s, td_run_fn *run, interface_context *ctx, const int64_t *dims, size_t *bytes) {
    const td_call c = {ctx, NULL, dims, NULL, NULL, 0, NULL, bytes};
    return run(s, &c);
}


static interface_status td_dims(const td_sink *s, const td_call *c, const td_signature *f) {
    int i;
    for (i = 0; i < f->ndims; i++) {
        const td_dimension *d = &f->dims[i];
        const long long v = c->dims[i];
        if (v < d->least && d->most == INT64_MAX)
            return td_refuse(s, interface_error_dimension, "dimension %s: expected at least %lld, got %lld", d->name,
                             (long long)d->least, v);
        if (v < d->least || v > d->most)
            return td_refuse(s, interface_error_dimension, "dimension %s: expected %lld..=%lld, got %lld", d->name,
                             (long long)d->least, (long long)d->most, v);
        if (v > (int64_t)1 << 40)
            return td_refuse(s, interface_error_extent, "dimension %s: expected at most 2^40, got %lld", d->name, v);
        if (v % d->divisor)
            return td_refuse(s, interface_error_dimension, "dimension %s: expected a multiple of %lld, got %lld", d->name,
                             (long long)d->divisor, v);
    }
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

static interface_status td_sizes(const td_sink *s, const td_call *c, const td_signature *f, int64_t *bytes) {
    int64_t shape[TD_MOST_RANK];
    int i, k;
    for (i = 0; i < f->ntensors; i++) {
        const td_argument *t = &f->tensors[i];
        for (k = 0; k < t->rank; k++) shape[k] = f->extent(c->dims, t->first + k);
        TD_TRY(td_size(s, t->name, t->rank, shape, t->bits, &bytes[i]));
    }
    return interface_ok;
}

static int td_meet(const void *a, int64_t an, const void *b, int64_t bn) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return an > 0 && bn > 0 && (x < y ? y - x < (uintptr_t)an : x - y < (uintptr_t)bn);
}

/* The pointers, of tensors of these bytes and of a workspace of which `need` bytes are used. */
static interface_status td_memory(const td_sink *s, const td_call *c, const td_signature *f, const int64_t *bytes, size_t need) {
    int i, j;
    for (i = 0; i < f->ntensors; i++) {
        const td_argument *t = &f->tensors[i];
        const unsigned alignment = t->bits < 8 ? 1 : (unsigned)t->bits / 8;
        if (!c->tensors[i] && bytes[i])
            return td_refuse(s, interface_error_null, "tensor %s: expected %lld bytes, got NULL", t->name, (long long)bytes[i]);
        if ((uintptr_t)c->tensors[i] % alignment)
            return td_refuse(s, interface_error_alignment, "tensor %s: expected an address aligned to %u, got %p", t->name,
                             alignment, c->tensors[i]);
    }
    for (i = 0; i < f->ntensors; i++)
        for (j = 0; j < f->ntensors; j++) {
            const td_argument *t = &f->tensors[i];
            if (i != j && t->written && td_meet(c->tensors[i], bytes[i], c->tensors[j], bytes[j]) &&
                !(j < 64 && t->in_place >> j & 1 && c->tensors[i] == c->tensors[j] && bytes[i] == bytes[j]))
                return td_refuse(s, interface_error_overlap, "tensor %s: expected memory of its own, got %p, which overlaps %s",
                                 t->name, c->tensors[i], f->tensors[j].name);
        }
    if (!need) return interface_ok;
    if (!c->workspace || c->workspace_bytes < need)
        return td_refuse(s, interface_error_workspace, "workspace: expected %llu bytes, got %llu%s", (unsigned long long)need,
                         (unsigned long long)c->workspace_bytes, c->workspace ? "" : " at NULL");
    if ((uintptr_t)c->workspace % 256)
        return td_refuse(s, interface_error_workspace, "workspace: expected an address aligned to 256, got %p", c->workspace);
    for (i = 0; i < f->ntensors; i++)
        if (td_meet(c->workspace, (int64_t)need, c->tensors[i], bytes[i]))
            return td_refuse(s, interface_error_overlap, "workspace: expected memory of its own, got %p, which overlaps %s",
                             c->workspace, f->tensors[i].name);
    return interface_ok;
}

static interface_status td_workspace_of(const char *entry, td_run_fn *run, interface_context *ctx, const int64_t *dims, size_t *bytes) {
    const td_sink s = {entry, NULL, 0};
    return ctx && bytes ? td_ask_need(&s, run, ctx, dims, bytes) : interface_error_argument;
}

static interface_status td_prepare_of(const char *entry, td_run_fn *run, td_ready_fn *ready, interface_context *ctx,
                              const int64_t *dims) {
    const td_sink s = {entry, NULL, 0};
    size_t bytes;
    if (!ctx) return interface_error_argument;
    TD_TRY(td_current(&s, ctx));
    TD_TRY(td_ask_need(&s, run, ctx, dims, &bytes));
    return ready(&s);
}

static interface_status td_run_of(const char *entry, td_run_fn *run, interface_context *ctx, const interface_run *with, void *const *tensors,
                          const int64_t *dims, const double *scalars) {
    td_sink s = {entry, NULL, 0};
    td_call c;
    if (!with) return interface_error_argument;
    s.text = with->message;
    s.bytes = with->message_bytes;
    if (!ctx) return td_refuse(&s, interface_error_argument, "context: expected an open one, got NULL");
    TD_TRY(td_current(&s, ctx));
    c.context = ctx;
    c.tensors = tensors;
    c.dims = dims;
    c.scalars = scalars;
    c.workspace = with->workspace;
    c.workspace_bytes = with->workspace_bytes;
    c.stream = with->stream;
    c.need = NULL;
    return run(&s, &c);
}

/* Calls by name alone have no context: one is made for each. */
static int td_bytes_of(const char *entry, td_run_fn *run, const int64_t *dims, size_t *bytes) {
    const td_sink s = {entry, NULL, 0};
    interface_context ctx;
    interface_status status;
    if (!bytes) return (int)interface_error_argument;
    TD_TRY_INT(td_begin(&s, &ctx, 0));
    (void)td_device(&s, 0, &ctx.capability, &ctx.early); /* sizes may be asked for where there is no device */
    status = td_ask_need(&s, run, &ctx, dims, bytes);
    td_end(&ctx);
    return (int)status;
}

static int td_call_of(const char *entry, td_ready_fn *ready, td_run_fn *run, td_call *c, char *message,
                      size_t message_bytes) {
    const td_sink s = {entry, message, message_bytes};
    interface_context ctx;
    interface_status status;
    int device = 0, capability = 0, early = 0;
    TD_TRY_INT(td_cuda(&s, "cudaGetDevice", (int)cudaGetDevice(&device)));
    TD_TRY_INT(td_device(&s, device, &capability, &early));
    TD_TRY_INT(ready(&s));
    TD_TRY_INT(td_begin(&s, &ctx, device));
    ctx.capability = capability;
    ctx.early = early;
    c->context = &ctx;
    status = run(&s, c);
    td_end(&ctx);
    return (int)status;
}

/* The two of an entry, whose kernels another one's function may prepare. */
#define TD_BY_NAME(td_e, td_kernels)                                                                            \
    static int td_##td_e##_bytes(const int64_t *dims, size_t *bytes) {                                          \
        return td_bytes_of(#td_e, td_##td_e##_run, dims, bytes);                                                \
    }                                                                                                           \
    static int td_##td_e##_call(void *const *tensors, const int64_t *dims, const double *scalars,               \
                                void *workspace, size_t workspace_bytes, void *stream, char *message,           \
                                size_t message_bytes) {                                                         \
        td_call c = {NULL, tensors, dims, scalars, workspace, workspace_bytes, stream, NULL};                   \
        return td_call_of(#td_e, td_##td_kernels##_ready, td_##td_e##_run, &c, message, message_bytes);         \
    }

/* ---- scaled(x: bf16[M, int], double: f32, steps: i32) -> (ctx: bf16[M, int], sums: f32[M]) ---- */

static int64_t td_scaled_extent(const int64_t *td_dims, int td_i) {
    const int64_t M = td_dims[0];
    const int64_t int_ = td_dims[1];
    (void)td_dims;
    switch (td_i) {
    case 0: return M;
    case 1: return int_;
    case 2: return M;
    case 3: return int_;
    case 4: return M;
    default: return 0;
    }
}
static const char *const td_scaled_texts[] = {"M", "int", "M", "int", "M"};
static const td_argument td_scaled_tensors[] = {{"x", "bf16", 4, 16, 2, 0, 0, 0},
    {"ctx", "bf16", 4, 16, 2, 2, 1, 0x1},
    {"sums", "f32", 2, 32, 1, 4, 1, 0}};
static const td_dimension td_scaled_dims[] = {{"M", 0, INT64_MAX, 1}, {"int", 1, 4096, 4}};
static const td_way td_scaled_ways[] = {{0, 0, 0, 0}, {0, 1, 1, 0}, {1, 0, 0, 0}, {1, 1, 1, 0}, {2, 0, 0, 0}};
static const int td_scaled_needs[] = {-1};
static const td_number td_scaled_numbers[] = {{"double", 'f', 0, 0}, {"steps", 'i', -2147483648.0, 2147483647.0}};
static const td_signature td_scaled_signature = {3, 2, 5, td_scaled_tensors, td_scaled_dims, td_scaled_ways,
    td_scaled_needs, td_scaled_numbers, td_scaled_texts, td_scaled_extent};
static interface_status td_scaled_ready(const td_sink *td_s) {
    (void)td_s;
    TD_TRY(td_cuda(td_s, "kernel ctx: cudaFuncSetAttribute", interface_scaled_ctx_prepare()));
    TD_TRY(td_cuda(td_s, "kernel ctx_2: cudaFuncSetAttribute", interface_scaled_ctx_2_prepare()));
    TD_TRY(td_cuda(td_s, "kernel ctx_4: cudaFuncSetAttribute", interface_scaled_ctx_4_prepare()));
    return interface_ok;
}

static interface_status td_scaled_run_1(const td_sink *td_s, const td_call *td_c) {
    const int64_t M = td_c->dims[0];
    const int64_t int_ = td_c->dims[1];
    int64_t td_bytes[3];
    int td_launched = 0;
    TD_TRY(td_dims(td_s, td_c, &td_scaled_signature));
    if (!(M <= td_mul(2, int_)))
        return td_refuse(td_s, interface_error_require, "%s", "at most two rows a column (expected M <= 2 * int)");
    TD_TRY(td_sizes(td_s, td_c, &td_scaled_signature, td_bytes));
    if (!(int_ <= 1024))
        return td_refuse(td_s, interface_error_kernel, "kernel ctx: %s", "expected int <= 1024");
    if (td_c->need) {
        *td_c->need = 0;
        return interface_ok;
    }
    const double double_ = td_c->scalars[0];
    if (!(double_ > 0.0))
        return td_refuse(td_s, interface_error_require, "%s", "a positive scale (expected double > 0.0)");
    TD_TRY(td_memory(td_s, td_c, &td_scaled_signature, td_bytes, 0));
    TD_TRY(td_cuda(td_s, "kernel ctx", interface_scaled_ctx_launch(td_c->stream, td_c->tensors, td_c->dims, td_c->scalars, &td_launched)));
    return interface_ok;
}

static interface_status td_scaled_run_2(const td_sink *td_s, const td_call *td_c) {
    const int64_t M = td_c->dims[0];
    const int64_t int_ = td_c->dims[1];
    int64_t td_bytes[3];
    int td_launched = 0;
    TD_TRY(td_dims(td_s, td_c, &td_scaled_signature));
    if (!(M <= td_mul(2, int_)))
        return td_refuse(td_s, interface_error_require, "%s", "at most two rows a column (expected M <= 2 * int)");
    TD_TRY(td_sizes(td_s, td_c, &td_scaled_signature, td_bytes));
    TD_TRY(td_extent(td_s, "ctx_2", "blocks", M, INT32_MAX));
    if (td_c->need) {
        *td_c->need = 0;
        return interface_ok;
    }
    const double double_ = td_c->scalars[0];
    if (!(double_ > 0.0))
        return td_refuse(td_s, interface_error_require, "%s", "a positive scale (expected double > 0.0)");
    TD_TRY(td_memory(td_s, td_c, &td_scaled_signature, td_bytes, 0));
    TD_TRY(td_cuda(td_s, "kernel ctx_2", interface_scaled_ctx_2_launch(td_c->stream, td_c->tensors, td_c->dims, td_c->scalars, &td_launched)));
    return interface_ok;
}

static interface_status td_scaled_run_3(const td_sink *td_s, const td_call *td_c) {
    const int64_t M = td_c->dims[0];
    const int64_t int_ = td_c->dims[1];
    int64_t td_bytes[3];
    int td_launched = 0;
    TD_TRY(td_dims(td_s, td_c, &td_scaled_signature));
    if (!(M <= td_mul(2, int_)))
        return td_refuse(td_s, interface_error_require, "%s", "at most two rows a column (expected M <= 2 * int)");
    TD_TRY(td_sizes(td_s, td_c, &td_scaled_signature, td_bytes));
    TD_TRY(td_extent(td_s, "ctx_3", "blocks", M, INT32_MAX));
    if (td_c->need) {
        *td_c->need = 0;
        return interface_ok;
    }
    const double double_ = td_c->scalars[0];
    if (!(double_ > 0.0))
        return td_refuse(td_s, interface_error_require, "%s", "a positive scale (expected double > 0.0)");
    TD_TRY(td_memory(td_s, td_c, &td_scaled_signature, td_bytes, 0));
    TD_TRY(td_cuda(td_s, "kernel ctx_3", interface_scaled_ctx_2_launch(td_c->stream, td_c->tensors, td_c->dims, td_c->scalars, &td_launched)));
    return interface_ok;
}

static interface_status td_scaled_run_4(const td_sink *td_s, const td_call *td_c) {
    const int64_t M = td_c->dims[0];
    const int64_t int_ = td_c->dims[1];
    int64_t td_bytes[3];
    int td_launched = 0;
    TD_TRY(td_dims(td_s, td_c, &td_scaled_signature));
    if (!(M <= td_mul(2, int_)))
        return td_refuse(td_s, interface_error_require, "%s", "at most two rows a column (expected M <= 2 * int)");
    TD_TRY(td_sizes(td_s, td_c, &td_scaled_signature, td_bytes));
    TD_TRY(td_extent(td_s, "ctx_4", "blocks", td_div(td_add(M, 7), 8), INT32_MAX));
    if (td_c->need) {
        *td_c->need = 0;
        return interface_ok;
    }
    const double double_ = td_c->scalars[0];
    if (!(double_ > 0.0))
        return td_refuse(td_s, interface_error_require, "%s", "a positive scale (expected double > 0.0)");
    TD_TRY(td_memory(td_s, td_c, &td_scaled_signature, td_bytes, 0));
    TD_TRY(td_cuda(td_s, "kernel ctx_4", interface_scaled_ctx_4_launch(td_c->stream, td_c->tensors, td_c->dims, td_c->scalars, &td_launched)));
    return interface_ok;
}

static interface_status td_scaled_run(const td_sink *td_s, const td_call *td_c) {
    const int64_t M = td_c->dims[0];
    const int64_t int_ = td_c->dims[1];
    if ((M <= 1024) && (int_ <= 1024))
        return td_scaled_run_1(td_s, td_c);
    if ((M <= 2048) && (int_ <= 1024))
        return td_scaled_run_2(td_s, td_c);
    if (M <= 2048)
        return td_scaled_run_3(td_s, td_c);
    return td_scaled_run_4(td_s, td_c);
}

interface_status interface_scaled_workspace(interface_context *ctx, int64_t M, int64_t int_, size_t *bytes) {
    const int64_t td_dims[] = {M, int_};
    return td_workspace_of("scaled", td_scaled_run, ctx, td_dims, bytes);
}

interface_status interface_scaled_prepare(interface_context *ctx, int64_t M, int64_t int_) {
    const int64_t td_dims[] = {M, int_};
    return td_prepare_of("scaled", td_scaled_run, td_scaled_ready, ctx, td_dims);
}

interface_status interface_scaled(interface_context *ctx, const interface_run *run, const td_bf16_t *x, td_bf16_t *ctx_, float *sums, int64_t M, int64_t int_, float double_, int32_t steps) {
    void *const td_t[] = {(void *)x, (void *)ctx_, (void *)sums};
    const int64_t td_dims[] = {M, int_};
    const double td_scalars[] = {(double)double_, (double)steps};
    return td_run_of("scaled", td_scaled_run, ctx, run, td_t, td_dims, td_scalars);
}

TD_BY_NAME(scaled, scaled)

/* ---- half(x: i64[2 * K]) -> (y: i64[K]) ---- */

static int64_t td_half_extent(const int64_t *td_dims, int td_i) {
    const int64_t K = td_dims[0];
    (void)td_dims;
    switch (td_i) {
    case 0: return td_mul(2, K);
    case 1: return K;
    default: return 0;
    }
}
static const char *const td_half_texts[] = {"2 * K", "K"};
static const td_argument td_half_tensors[] = {{"x", "i64", 0, 64, 1, 0, 0, 0},
    {"y", "i64", 0, 64, 1, 1, 1, 0}};
static const td_dimension td_half_dims[] = {{"K", 0, INT64_MAX, 1}};
static const td_way td_half_ways[] = {{1, 0, 0, 0}, {0, 0, 0, 0}};
static const int td_half_needs[] = {-1};
static const td_number td_half_numbers[] = {{NULL, 0, 0, 0}};
static const td_signature td_half_signature = {2, 1, 2, td_half_tensors, td_half_dims, td_half_ways,
    td_half_needs, td_half_numbers, td_half_texts, td_half_extent};
static interface_status td_half_ready(const td_sink *td_s) {
    (void)td_s;
    TD_TRY(td_cuda(td_s, "kernel y: cudaFuncSetAttribute", interface_half_y_prepare()));
    return interface_ok;
}

static interface_status td_half_run(const td_sink *td_s, const td_call *td_c) {
    const int64_t K = td_c->dims[0];
    int64_t td_bytes[2];
    int td_launched = 0;
    TD_TRY(td_dims(td_s, td_c, &td_half_signature));
    TD_TRY(td_sizes(td_s, td_c, &td_half_signature, td_bytes));
    TD_TRY(td_extent(td_s, "y", "blocks", td_div(td_add(K, 255), 256), INT32_MAX));
    if (td_c->need) {
        *td_c->need = 0;
        return interface_ok;
    }
    TD_TRY(td_memory(td_s, td_c, &td_half_signature, td_bytes, 0));
    TD_TRY(td_cuda(td_s, "kernel y", interface_half_y_launch(td_c->stream, td_c->tensors, td_c->dims, td_c->scalars, &td_launched)));
    return interface_ok;
}

interface_status interface_half_workspace(interface_context *ctx, int64_t K, size_t *bytes) {
    const int64_t td_dims[] = {K};
    return td_workspace_of("half", td_half_run, ctx, td_dims, bytes);
}

interface_status interface_half_prepare(interface_context *ctx, int64_t K) {
    const int64_t td_dims[] = {K};
    return td_prepare_of("half", td_half_run, td_half_ready, ctx, td_dims);
}

interface_status interface_half(interface_context *ctx, const interface_run *run, const int64_t *x, int64_t *y, int64_t K) {
    void *const td_t[] = {(void *)x, (void *)y};
    const int64_t td_dims[] = {K};
    return td_run_of("half", td_half_run, ctx, run, td_t, td_dims, NULL);
}

TD_BY_NAME(half, half)

const interface_entry interface_entries[] = {
    {"scaled", 3, 2, 2, td_scaled_bytes, td_scaled_call},
    {"half", 2, 1, 0, td_half_bytes, td_half_call},
};
const int interface_nentries = 2;

static const struct {
    const td_signature *of;
    td_run_fn *run; /* NULL: a function of the host */
} td_functions[] = {
    {&td_scaled_signature, td_scaled_run},
    {&td_half_signature, td_half_run},
};

/* ---- calls by name, with the tensors of DLPack ---- */

/* DLTensor of DLPack, whose layout is the same in all its versions from 0.2 to 1.x; type codes are those of 1.1. */
typedef struct {
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} td_dltensor;

#ifdef TD_EMU /* the CPU stand-in for CUDA: kDLCPU */
enum { TD_DEVICE_TYPE = 1, TD_DEVICE_TYPE_TOO = 1 };
#else /* kDLCUDA, kDLCUDAManaged */
enum { TD_DEVICE_TYPE = 2, TD_DEVICE_TYPE_TOO = 13 };
#endif

static const char *td_type_text(const td_dltensor *t, char *text, size_t bytes) {
    static const char *const codes[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool", "float8_e3m4",
        "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"};
    const char *code = t->code < sizeof codes / sizeof *codes ? codes[t->code] : "an unknown code";
    snprintf(text, bytes, "%s of %d bits, %d lane%s", code, t->bits, t->lanes, t->lanes == 1 ? "" : "s");
    return text;
}

/* One tensor without its extents' values: device, type, rank, and density. */
static interface_status td_dense(const td_sink *s, const td_argument *a, const td_dltensor *t, int device) {
    int64_t stride = 1;
    int i, empty = 0;
    char text[64];
    if (t->device_type != TD_DEVICE_TYPE && t->device_type != TD_DEVICE_TYPE_TOO)
        return td_refuse(s, interface_error_device, "tensor %s: expected DLPack's device type %d, got %d", a->name, TD_DEVICE_TYPE,
                         (int)t->device_type);
    if (t->device_type == TD_DEVICE_TYPE && t->device_id != device)
        return td_refuse(s, interface_error_device, "tensor %s: expected the context's device, %d, got %d", a->name, device,
                         (int)t->device_id);
    /* before DLPack 1.0 a bool was a uint of 8 bits */
    if ((t->code != a->code && !(a->code == 6 && t->code == 1)) || t->bits != a->bits || t->lanes != 1)
        return td_refuse(s, interface_error_tensor, "tensor %s: expected %s, got %s", a->name, a->type,
                         td_type_text(t, text, sizeof text));
    if (t->ndim != a->rank || (a->rank && !t->shape))
        return td_refuse(s, interface_error_tensor, "tensor %s: expected rank %d, got %d%s", a->name, a->rank, (int)t->ndim,
                         t->ndim == a->rank ? " without a shape" : "");
    for (i = 0; i < a->rank; i++) {
        if (t->shape[i] < 0)
            return td_refuse(s, interface_error_shape, "tensor %s: extent %d: expected at least 0, got %lld", a->name, i,
                             (long long)t->shape[i]);
        if (t->shape[i] > (int64_t)1 << 60)
            return td_refuse(s, interface_error_shape, "tensor %s: extent %d: expected at most 2^60, got %lld", a->name, i,
                             (long long)t->shape[i]);
        empty |= t->shape[i] == 0;
    }
    for (i = a->rank - 1; i >= 0 && t->strides && !empty; i--) {
        if (t->shape[i] != 1 && t->strides[i] != stride)
            return td_refuse(s, interface_error_tensor, "tensor %s: dimension %d is strided: expected stride %lld, got %lld", a->name,
                             i, (long long)stride, (long long)t->strides[i]);
        if (t->shape[i] > ((int64_t)1 << 60) / stride)
            return td_refuse(s, interface_error_shape, "tensor %s: expected at most 2^57 elements, got more", a->name);
        stride *= t->shape[i];
    }
    return interface_ok;
}

/* The dimension of a way from its extent v, or what is wrong with v. Dimensions that are not known are negative. */
static interface_status td_invert(const td_sink *s, const td_signature *f, const td_way *w, int64_t v, int64_t *dims) {
    const td_argument *a = &f->tensors[w->tensor];
    const char *text = f->texts[a->first + w->extent], *dim = f->dims[w->dim].name;
    const int64_t most = (int64_t)1 << 61;
    int64_t at0, step;
    dims[w->dim] = 0;
    at0 = f->extent(dims, a->first + w->extent);
    dims[w->dim] = 1;
    step = f->extent(dims, a->first + w->extent);
    dims[w->dim] = -1;
    if (at0 < -most || at0 > most || step < -most || step > most) return interface_ok; /* dimensions given are absurd */
    step -= at0;
    if (step == 0) return interface_ok; /* a factor is 0: this extent says nothing */
    if ((v - at0) % step == 0 && (v - at0) / step >= 0) {
        dims[w->dim] = (v - at0) / step;
        return interface_ok;
    }
    if (at0 == 0 && step > 0)
        return td_refuse(s, interface_error_shape, "tensor %s: extent %d is %s: expected a multiple of %lld, got %lld", a->name,
                         w->extent, text, (long long)step, (long long)v);
    return td_refuse(s, interface_error_shape, "tensor %s: extent %d is %s: no %s gives %lld", a->name, w->extent, text, dim,
                     (long long)v);
}

static interface_status td_solve(const td_sink *s, const interface_entry *e, const td_signature *f, const void *const *tensors, int64_t *dims) {
    int i, k, again = 1;
    while (again) {
        again = 0;
        for (i = 0; i < f->nways; i++) {
            const td_way *w = &f->ways[i];
            const td_dltensor *t = (const td_dltensor *)tensors[w->tensor];
            if (!t || dims[w->dim] >= 0) continue;
            for (k = w->needs; f->needs[k] >= 0 && dims[f->needs[k]] >= 0;) k++;
            if (f->needs[k] >= 0) continue;
            TD_TRY(td_invert(s, f, w, t->shape[w->extent], dims));
            again |= dims[w->dim] >= 0;
        }
    }
    for (i = 0; i < e->ndims; i++)
        if (dims[i] < 0)
            return td_refuse(s, interface_error_dimension, "dimension %s: expected a value, since no shape given determines it", f->dims[i].name);
    for (i = 0; i < e->ntensors; i++) {
        const td_dltensor *t = (const td_dltensor *)tensors[i];
        const td_argument *a = &f->tensors[i];
        for (k = 0; t && k < a->rank; k++) {
            const int64_t v = f->extent(dims, a->first + k);
            if (t->shape[k] != v)
                return td_refuse(s, interface_error_shape, "tensor %s: extent %d is %s: expected %lld, got %lld", a->name, k,
                                 f->texts[a->first + k], (long long)v, (long long)t->shape[k]);
        }
    }
    return interface_ok;
}

/* Finds the entry, checks what can be checked without a tensor's values, and completes dims, of which ndims were given (-1: none). */
static interface_status td_match(td_sink *s, const interface_context *ctx, const interface_run *run, const char *entry, const void *const *tensors,
                         int ntensors, int64_t *dims, int ndims, int *found) {
    int i, k;
    s->entry = "invoke";
    if (!run) return interface_error_argument;
    s->text = run->message;
    s->bytes = run->message_bytes;
    if (!ctx) return td_refuse(s, interface_error_argument, "context: expected an open one, got NULL");
    if (!entry) return td_refuse(s, interface_error_argument, "entry: expected a name, got NULL");
    for (i = 0; i < interface_nentries && strcmp(interface_entries[i].name, entry);) i++;
    if (i == interface_nentries) return td_refuse(s, interface_error_entry, "the model has no entry '%s'", entry);
    *found = i;
    s->entry = interface_entries[i].name;
    if (ntensors != interface_entries[i].ntensors)
        return td_refuse(s, interface_error_entry, "tensors: expected %d, got %d", interface_entries[i].ntensors, ntensors);
    if (ndims >= 0 && ndims != interface_entries[i].ndims)
        return td_refuse(s, interface_error_entry, "dimensions: expected %d, got %d", interface_entries[i].ndims, ndims);
    if (ntensors && !tensors) return td_refuse(s, interface_error_argument, "tensors: expected an array, got NULL");
    TD_TRY(td_current(s, ctx));
    for (k = 0; k < ntensors; k++)
        if (tensors[k])
            TD_TRY(td_dense(s, &td_functions[i].of->tensors[k], (const td_dltensor *)tensors[k], ctx->device));
    return td_solve(s, &interface_entries[i], td_functions[i].of, tensors, dims);
}

/* A scalar as the entry's own function would get it. */
static interface_status td_number_of(const td_sink *s, const td_number *n, double v, double *to) {
    *to = n->kind == 'f' ? (double)(float)v : v;
    if (n->kind == 'i' && !(v >= n->least && v <= n->most && v == (double)(int64_t)v))
        return td_refuse(s, interface_error_scalar, "scalar %s: expected an integer in %.0f..=%.0f, got %.17g", n->name, n->least, n->most, v);
    return interface_ok;
}

interface_status interface_invoke_query(interface_context *ctx, const interface_run *run, const char *entry, const void *const *tensors, int ntensors,
    int64_t *dims, int ndims, size_t *workspace_bytes) {
    td_sink s = {"invoke", NULL, 0};
    int64_t all[TD_MOST_DIMS];
    int i, found = 0;
    if (!run || (ndims > 0 && !dims)) return interface_error_argument;
    for (i = 0; i < TD_MOST_DIMS; i++) all[i] = i < ndims ? dims[i] : -1;
    TD_TRY(td_match(&s, ctx, run, entry, tensors, ntensors, all, ndims < 0 ? 0 : ndims, &found));
    for (i = 0; i < ndims; i++) dims[i] = all[i];
    if (!workspace_bytes) return interface_ok;
    *workspace_bytes = 0;
    return td_functions[found].run ? td_ask_need(&s, td_functions[found].run, ctx, all, workspace_bytes) : interface_ok;
}

interface_status interface_invoke(interface_context *ctx, const interface_run *run, const char *entry, const void *const *tensors, int ntensors,
    const int64_t *dims, int ndims, const double *scalars, int nscalars) {
    td_sink s = {"invoke", NULL, 0};
    td_call c;
    void *data[TD_MOST_TENSORS];
    int64_t all[TD_MOST_DIMS];
    double numbers[TD_MOST_SCALARS];
    int i, found = 0;
    const td_signature *f;
    td_run_fn *runs;
    for (i = 0; i < TD_MOST_DIMS; i++) all[i] = dims && i < ndims ? dims[i] : -1;
    TD_TRY(td_match(&s, ctx, run, entry, tensors, ntensors, all, dims ? (ndims < 0 ? 0 : ndims) : -1, &found));
    f = td_functions[found].of;
    runs = td_functions[found].run;
    if (nscalars != interface_entries[found].nscalars)
        return td_refuse(&s, interface_error_entry, "scalars: expected %d, got %d", interface_entries[found].nscalars, nscalars);
    if (nscalars && !scalars) return td_refuse(&s, interface_error_argument, "scalars: expected an array, got NULL");
    for (i = 0; i < nscalars; i++) TD_TRY(td_number_of(&s, &f->numbers[i], scalars[i], &numbers[i]));
    for (i = 0; i < ntensors; i++) {
        const td_dltensor *t = (const td_dltensor *)tensors[i];
        if (!t) return td_refuse(&s, interface_error_null, "tensor %s: expected a DLTensor, got NULL", f->tensors[i].name);
        data[i] = t->data ? (char *)t->data + t->byte_offset : NULL;
        if (!runs && !data[i]) return td_refuse(&s, interface_error_null, "tensor %s: expected an element, got NULL", f->tensors[i].name);
    }
    c.context = ctx;
    c.tensors = data;
    c.dims = all;
    c.scalars = numbers;
    c.workspace = run->workspace;
    c.workspace_bytes = run->workspace_bytes;
    c.stream = run->stream;
    c.need = NULL;
    if (runs) return runs(&s, &c);
    return (interface_status)interface_entries[found].call(data, all, numbers, NULL, 0, run->stream, run->message, run->message_bytes);
}

const uint64_t interface_fingerprint = UINT64_C(0x1d3164c98812715d);

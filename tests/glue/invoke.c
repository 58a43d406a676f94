/* PREFIX_invoke, made from mix.kernel, against a CUDA runtime that only counts: what it finds out from DLPack's
 * tensors, and that each refusal has its status and its message and launches nothing. */
#include "mix.h"

#include "counting.h"

LAUNCHER(mix_mix_fill, "a", "p")
LAUNCHER(mix_mix_copy, "b", "q")

/* As DLPack has it, written down here once more. */
typedef struct {
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} tensor;

enum { X, W, Q, C, FLAG, Y, TENSORS };

/* A call that fits, to be spoilt in one place. */
typedef struct {
    mix_context *ctx;
    mix_run run;
    const char *entry;
    tensor t[TENSORS];
    int64_t shape[TENSORS][3], strides[TENSORS][3];
    const void *given[TENSORS];
    int n, ndims, nscalars;
    int64_t dims[4];
    double scalars[4];
    int no_run, no_tensors, no_dims, no_scalars;
    char message[256];
} call;

static char *memory; /* never read: the runtime only counts */
static mix_context *context;

static void good(call *a) {
    static const tensor kinds[TENSORS] = {{.ndim = 2, .code = 4, .bits = 16}, {.ndim = 1, .code = 2, .bits = 32},
                                          {.ndim = 1, .code = 10, .bits = 8}, {.ndim = 1, .code = 0, .bits = 4},
                                          {.ndim = 0, .code = 6, .bits = 8},  {.ndim = 1, .code = 2, .bits = 32}};
    static const int64_t shapes[TENSORS][3] = {{5, 64}, {16}, {2}, {3}, {0}, {5}};
    memset(a, 0, sizeof *a);
    a->ctx = context;
    a->entry = "mix";
    a->n = TENSORS;
    for (int i = 0; i < TENSORS; i++) {
        a->t[i] = kinds[i];
        a->t[i].device_type = 2;
        a->t[i].lanes = 1;
        a->t[i].data = memory + 4096 * (i + 1);
        memcpy(a->shape[i], shapes[i], sizeof a->shape[i]);
        a->given[i] = &a->t[i];
    }
    a->ndims = a->nscalars = 4;
    for (int i = 0; i < 4; i++) a->dims[i] = -1;
    a->dims[3] = 6;
    a->scalars[0] = 0.1;
    a->scalars[1] = 7;
    a->scalars[2] = 1;
    a->scalars[3] = 0.1;
    a->run.workspace = memory;
    a->run.workspace_bytes = 256;
    a->run.stream = (struct CUstream_st *)memory;
}

static mix_status invoke(call *a) {
    for (int i = 0; i < TENSORS; i++) { /* strides where the first is given */
        if (a->t[i].ndim) a->t[i].shape = a->shape[i];
        a->t[i].strides = a->strides[i][0] ? a->strides[i] : NULL;
    }
    a->run.message = a->message;
    a->run.message_bytes = sizeof a->message;
    order[0] = 0;
    return mix_invoke(a->ctx, a->no_run ? NULL : &a->run, a->entry, a->no_tensors ? NULL : a->given, a->n,
                      a->no_dims ? NULL : a->dims, a->ndims, a->no_scalars ? NULL : a->scalars, a->nscalars);
}

static void refused(const char *what, call *a, mix_status status, const char *message) {
    mix_status got = invoke(a);
    int ok = got == status && !order[0] && strstr(a->message, message) != NULL;
    if (!ok)
        printf("%s: status %d (%s), expected %d, launched '%s', message '%s', expected '%s'\n", what, got,
               mix_status_text(got), status, order, a->message, message);
    check(ok, what);
}

static call a;

static void refusals(void) {
#define REFUSED(spoil, status, message)                                                                                \
    do {                                                                                                               \
        good(&a);                                                                                                      \
        spoil;                                                                                                         \
        refused(#spoil, &a, mix_error_##status, message);                                                              \
    } while (0)
    REFUSED(a.no_run = 1, argument, "");
    REFUSED(a.ctx = NULL, argument, "invoke: context: expected an open one, got NULL");
    REFUSED(a.entry = NULL, argument, "entry: expected a name");
    REFUSED(a.entry = "mixx", entry, "invoke: the model has no entry 'mixx'");
    REFUSED(a.no_tensors = 1, argument, "mix: tensors: expected an array, got NULL");
    REFUSED(a.n = 5, entry, "mix: tensors: expected 6, got 5");
    REFUSED(a.ndims = 3, entry, "dimensions: expected 4, got 3");
    REFUSED(a.nscalars = 5, entry, "scalars: expected 4, got 5");
    REFUSED(a.no_scalars = 1, argument, "scalars: expected an array, got NULL");
    REFUSED(current = 1, device, "current device: expected the context's, 0, got 1");
    current = 0;
    REFUSED(a.t[W].device_type = 1, device, "tensor w: expected DLPack's device type 2, got 1");
    REFUSED(a.t[Y].device_id = 1, device, "tensor y: expected the context's device, 0, got 1");
    REFUSED(a.t[X].code = 2, tensor, "tensor x: expected bf16, got float of 16 bits, 1 lane");
    REFUSED(a.t[X].bits = 32, tensor, "tensor x: expected bf16, got bfloat of 32 bits");
    REFUSED(a.t[X].lanes = 2, tensor, "got bfloat of 16 bits, 2 lanes");
    REFUSED(a.t[Q].code = 12, tensor, "tensor q: expected f8e4m3, got float8_e5m2 of 8 bits");
    REFUSED(a.t[C].bits = 8, tensor, "tensor c: expected i4, got int of 8 bits");
    REFUSED(a.t[FLAG].code = 200, tensor, "tensor flag: expected bool, got an unknown code");
    REFUSED(a.t[X].ndim = 1, tensor, "tensor x: expected rank 2, got 1");
    REFUSED(a.t[FLAG].ndim = 1, tensor, "tensor flag: expected rank 0, got 1");
    REFUSED(a.shape[X][1] = -8, shape, "tensor x: extent 1: expected at least 0, got -8");
    REFUSED(a.shape[X][1] = INT64_MAX, shape, "tensor x: extent 1: expected at most 2^60");
    REFUSED((a.strides[X][0] = 64, a.strides[X][1] = 2), tensor,
            "tensor x: dimension 1 is strided: expected stride 1, got 2");
    REFUSED((a.strides[X][0] = 65, a.strides[X][1] = 1), tensor,
            "tensor x: dimension 0 is strided: expected stride 64, got 65");
    REFUSED(a.strides[Y][0] = -1, tensor, "tensor y: dimension 0 is strided: expected stride 1, got -1");
    REFUSED((a.shape[X][0] = a.shape[X][1] = (int64_t)1 << 40, a.strides[X][0] = (int64_t)1 << 40, a.strides[X][1] = 1),
            shape, "tensor x: expected at most 2^57 elements");
    REFUSED(a.shape[X][1] = 60, shape, "tensor x: extent 1 is 8 * K: expected a multiple of 8, got 60");
    REFUSED(a.shape[W][0] = 17, shape, "tensor w: extent 0 is M * N + 1: no N gives 17");
    REFUSED(a.shape[W][0] = 0, shape, "tensor w: extent 0 is M * N + 1: no N gives 0");
    REFUSED(a.shape[Y][0] = 4, shape, "tensor y: extent 0 is M: expected 5, got 4");
    REFUSED(a.shape[Q][0] = 3, shape, "tensor q: extent 0 is 2: expected 2, got 3");
    REFUSED(a.dims[0] = 7, shape, "tensor x: extent 1 is 8 * K: expected 56, got 64");
    REFUSED((a.dims[1] = INT64_MAX, a.given[X] = a.given[Y] = NULL, a.dims[0] = 1), dimension,
            "dimension N: expected a value");
    REFUSED(a.dims[3] = -1, dimension, "dimension P: expected a value, since no shape given determines it");
    REFUSED(a.no_dims = 1, dimension, "dimension P: expected a value");
    REFUSED((a.shape[X][0] = a.shape[Y][0] = 0, a.shape[W][0] = 1), dimension, "dimension N: expected a value");
    REFUSED(a.dims[3] = 8, dimension, "mix: dimension P: expected 0..=7, got 8");
    REFUSED(a.shape[X][1] = 8 * 65, dimension, "dimension K: expected 1..=64, got 65");
    REFUSED(a.given[C] = NULL, null, "tensor c: expected a DLTensor, got NULL");
    REFUSED(a.given[Y] = NULL, null, "tensor y: expected a DLTensor, got NULL");
    REFUSED(a.t[Y].data = NULL, null, "tensor y: expected 20 bytes, got NULL");
    REFUSED(a.t[W].byte_offset = 2, alignment, "tensor w: expected an address aligned to 4");
    REFUSED(a.t[Y].data = a.t[X].data, overlap, "tensor y: expected memory of its own");
    REFUSED(a.run.workspace_bytes = 255, workspace, "workspace: expected 256 bytes, got 255");
    REFUSED(a.scalars[1] = 0.5, scalar,
            "scalar step: expected an integer in -9007199254740992..=9007199254740992, got 0.5");
    REFUSED(a.scalars[1] = 1e300, scalar, "scalar step");
    REFUSED(a.scalars[2] = 2, scalar, "scalar on: expected an integer in 0..=1, got 2");
    REFUSED(a.scalars[2] = 0.0 / 0.0, scalar, "scalar on");
}

static void runs(void) {
    good(&a);
    check(invoke(&a) == mix_ok && !strcmp(order, "a+b"), "a call that fits launches in order, without preparing again");
    check(seen_dims[0] == 8 && seen_dims[1] == 5 && seen_dims[2] == 3 && seen_dims[3] == 6,
          "dimensions from shapes and arguments");
    check(seen[X] == a.t[X].data && seen[Y] == a.t[Y].data && seen[TENSORS] == memory,
          "tensors in order, then temporaries");
    check(seen_scalars[0] == (double)0.1f && seen_scalars[1] == 7 && seen_scalars[2] == 1 && seen_scalars[3] == 0.1,
          "scalars as the entry's own function would get them");
    good(&a);
    a.t[W].byte_offset = 8;
    check(invoke(&a) == mix_ok && seen[W] == (char *)a.t[W].data + 8, "byte_offset counts");
    good(&a);
    a.strides[X][0] = 64, a.strides[X][1] = 1;
    check(invoke(&a) == mix_ok, "compact strides");
    good(&a);
    a.shape[X][0] = a.shape[Y][0] = 1, a.shape[W][0] = 4, a.strides[X][0] = 7777, a.strides[X][1] = 1,
    a.strides[Y][0] = 3;
    check(invoke(&a) == mix_ok && seen_dims[2] == 3, "the stride of one element says nothing");
    good(&a);
    a.shape[X][0] = a.shape[Y][0] = 0, a.shape[W][0] = 1, a.dims[2] = 9, a.strides[X][0] = 3, a.strides[X][1] = 5;
    a.t[X].data = a.t[Y].data = NULL;
    check(invoke(&a) == mix_ok && seen_dims[1] == 0 && seen_dims[2] == 9 && !seen[X],
          "empty tensors, of any stride, at NULL");
    good(&a);
    for (int i = 0; i < 4; i++) a.dims[i] = (const int64_t[]){8, 5, 3, 6}[i];
    check(invoke(&a) == mix_ok, "all dimensions given, and right");
    good(&a);
    a.t[FLAG].code = 1;
    check(invoke(&a) == mix_ok, "a bool may be a uint8");
    a.t[X].device_type = 13;
    a.t[X].device_id = 0;
    check(invoke(&a) == mix_ok, "managed memory");
}

static void queries(void) {
    size_t bytes = 0;
    good(&a);
    invoke(&a); /* sets the shapes */
    order[0] = 0;
    a.given[Y] = a.given[W] = NULL;
    a.dims[2] = 4;
    check(mix_invoke_query(context, &a.run, "mix", a.given, TENSORS, a.dims, 4, &bytes) == mix_ok && bytes == 256 &&
              a.dims[0] == 8 && a.dims[1] == 5 && a.dims[2] == 4 && a.dims[3] == 6 && !order[0],
          "a query without the outputs");
    a.dims[1] = a.dims[2] = -1;
    check(mix_invoke_query(context, &a.run, "mix", a.given, TENSORS, a.dims, 4, &bytes) == mix_error_dimension &&
              strstr(a.message, "dimension N") && a.dims[1] == -1,
          "a query leaves dims alone where it refuses");
    a.dims[2] = 4, a.dims[3] = 100;
    check(mix_invoke_query(context, &a.run, "mix", a.given, TENSORS, a.dims, 4, &bytes) == mix_error_dimension &&
              strstr(a.message, "mix: dimension P: expected 0..=7, got 100"),
          "a query checks ranges, with a message");
    a.dims[3] = 0;
    check(mix_invoke_query(context, &a.run, "mix", a.given, TENSORS, a.dims, 4, NULL) == mix_ok,
          "bytes are not required");
    check(mix_invoke_query(context, &a.run, "mix", a.given, TENSORS, a.dims, 3, &bytes) == mix_error_entry,
          "as many dimensions");
    check(mix_invoke_query(context, &a.run, "mix", a.given, TENSORS, NULL, 4, &bytes) == mix_error_argument,
          "an array for them");
    check(mix_invoke_query(context, NULL, "mix", a.given, TENSORS, a.dims, 4, &bytes) == mix_error_argument, "a run");
    check(mix_fingerprint != 0, "fingerprint");
}

int main(void) {
    ntensors = TENSORS + 1, ndims = nscalars = 4;
    memory = aligned_alloc(256, 1 << 16);
    if (!memory || mix_open(&context, 0) != mix_ok) return 1;
    refusals();
    runs();
    queries();
    mix_close(context);
    free(memory);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

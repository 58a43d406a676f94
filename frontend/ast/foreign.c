/* Names of other languages. */
#include "foreign.h"

#include <string.h>

typedef struct Pair {
    const char *name, *here;
} Pair;

static const Pair TYPES[] = {
    {"float", "f32"},    {"float32", "f32"},  {"single", "f32"},  {"double", "f64"}, {"float64", "f64"},
    {"float16", "f16"},  {"half", "f16"},     {"fp16", "f16"},    {"__half", "f16"}, {"bfloat16", "bf16"},
    {"fp32", "f32"},     {"fp8", "f8e4m3"},   {"int", "i32"},     {"int32", "i32"},  {"int32_t", "i32"},
    {"int64", "i64"},    {"int64_t", "i64"},  {"long", "i64"},    {"int16", "i16"},  {"short", "i16"},
    {"int8", "i8"},      {"char", "i8"},      {"uint8", "u8"},    {"byte", "u8"},    {"uint32", "u32"},
    {"unsigned", "u32"}, {"boolean", "bool"}, {"size_t", "i64"},  {"uint16", "u16"}, {"u64", "i64"},
    {"uint64", "i64"},   {"Float32", "f32"},  {"Float64", "f64"}, {"Int64", "i64"},  {"Int32", "i32"},
};

static const Pair NAMES[] = {
    {"fabs", "abs"},      {"fmax", "max"},     {"fmin", "min"},    {"maximum", "max"},        {"minimum", "min"},
    {"clip", "clamp"},    {"absolute", "abs"}, {"arctan", "atan"}, {"arcsin", "asin"},        {"arccos", "acos"},
    {"arctan2", "atan2"}, {"ln", "log"},       {"rint", "round"},  {"inverse_sqrt", "rsqrt"}, {"ceiling", "ceil"},
};

#define RESHAPE "elements keep their row-major number: y[i * N + j] = x[i, j]; and back, y[i, j] = x[i * N + j];"
#define SIZE "a size is the name in the type: of x: f32[M, N] the rows are M"
#define PRODUCT "a product names its sum: c[i, j] = sum[k](a[i, k] * b[k, j]);"
#define CONSTANT "a constant tensor is an equation: let t[i in N] = 0.0;"
#define CHOOSE "choose with if: if c then a else b"
#define ELEMENTS "an equation holds for all elements: y[i] = exp(x[i]); a reduction is sum[k](x[k])"
#define BROADCAST "to broadcast leave out a subscript: y[i, j] = b[j];"
#define JOIN "tensors are joined by pieces: y[i in M] = a[i]; y[M + i] = b[i];"
#define SHOW "nothing is printed: make it an output, which tdc run prints"
#define LOAD "an element is x[i], for all i: there are no pointers; outside of x pad(x[i], 0.0) is 0.0"
#define THREADS "threads and blocks belong to the compiler: y[i] = ...; is done for all i"
#define UPDATE "updates that meet are added up: y[ids[k]] += x[k];"
#define NOTHING "a tensor that may be left out has a constant as its default: b: f32[N] = 0.0"
#define VARIANCE "write it with mean: let mu[i] = mean[k](x[i, k]); v[i] = mean[k]((x[i, k] - mu[i]) ** 2);"

static const Pair FUNCTIONS[] = {
    {"where", CHOOSE},
    {"select", CHOOSE},
    {"ifelse", CHOOSE},
    {"cond", CHOOSE},
    {"reshape", RESHAPE},
    {"view", RESHAPE},
    {"flatten", RESHAPE},
    {"ravel", RESHAPE},
    {"squeeze", RESHAPE},
    {"unsqueeze", RESHAPE},
    {"len", SIZE},
    {"shape", SIZE},
    {"size", SIZE},
    {"numel", SIZE},
    {"length", SIZE},
    {"ndim", SIZE},
    {"einsum", PRODUCT},
    {"mm", PRODUCT},
    {"bmm", PRODUCT},
    {"tensordot", PRODUCT},
    {"matmul", PRODUCT},
    {"dot", PRODUCT},
    {"zeros", CONSTANT},
    {"ones", CONSTANT},
    {"zeros_like", CONSTANT},
    {"ones_like", CONSTANT},
    {"empty", CONSTANT},
    {"full_like", CONSTANT},
    {"map", ELEMENTS},
    {"filter", ELEMENTS},
    {"vectorize", ELEMENTS},
    {"apply", ELEMENTS},
    {"broadcast_to", BROADCAST},
    {"broadcast", BROADCAST},
    {"expand_as", BROADCAST},
    {"replicate", BROADCAST},
    {"cat", JOIN},
    {"concatenate", JOIN},
    {"hstack", JOIN},
    {"vstack", JOIN},
    {"print", SHOW},
    {"printf", SHOW},
    {"load", LOAD},
    {"store", LOAD},
    {"__syncthreads", THREADS},
    {"program_id", THREADS},
    {"atomicAdd", UPDATE},
    {"atomic_add", UPDATE},
    {"var", VARIANCE},
    {"std", VARIANCE},
    {"power", "a power is a ** b"},
    {"fmod", "a remainder is a % b"},
    {"mod", "a remainder is a % b"},
    {"logical_and", "write a && b"},
    {"logical_or", "write a || b"},
    {"logical_not", "write !a"},
    {"range", "a range stands after an index variable: sum[k in 0..N](...)"},
    {"rand", "random numbers are random(seed, stream, counter)"},
    {"randn", "random numbers are random(seed, stream, counter)"},
    {"iota", "an index variable is a number: y[i] = i;"},
    {"permute", "a transposed tensor has its subscripts in another order: y[j, i] = x[i, j];"},
};

static const Pair VALUES[] = {
    {"None", NOTHING}, {"null", NOTHING},      {"nullptr", NOTHING},
    {"NULL", NOTHING}, {"True", "write true"}, {"False", "write false"},
};

/* x.T, x.sum(): behind a dot alone. */
static const Pair MEMBERS[] = {
    {"T", "a transposed tensor has its subscripts in another order: y[j, i] = x[i, j];"},
    {"t", "a transposed tensor has its subscripts in another order: y[j, i] = x[i, j];"},
    {"astype", "a cast is a call of the type, for each element: f32(x[i])"},
    {"to", "a cast is a call of the type, for each element: f32(x[i])"},
    {"item", "the element of a tensor of rank 0 is s[]"},
    {"sum", "a reduction names its index: sum[k](x[i, k])"},
    {"mean", "a reduction names its index: mean[k](x[i, k])"},
    {"max", "a reduction names its index: max[k](x[i, k])"},
    {"min", "a reduction names its index: min[k](x[i, k])"},
};

static const char *find(const Pair *rows, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(rows[i].name, name)) return rows[i].here;
    return NULL;
}

const char *foreign_type(const char *name) { return find(TYPES, sizeof TYPES / sizeof *TYPES, name); }
const char *foreign_name(const char *name) { return find(NAMES, sizeof NAMES / sizeof *NAMES, name); }
const char *foreign_function(const char *name) { return find(FUNCTIONS, sizeof FUNCTIONS / sizeof *FUNCTIONS, name); }

const char *foreign_value(const char *name) { return find(VALUES, sizeof VALUES / sizeof *VALUES, name); }

bool foreign_module(const char *name) {
    static const char *const modules[] = {"np", "numpy", "torch", "jnp", "jax", "tl", "triton",
                                          "F",  "nn",    "math",  "cp",  "std", "tf"};
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (!strcmp(modules[i], name)) return true;
    return false;
}

const char *foreign_member(Ctx *ctx, const char *before, const char *after) {
    static const char *const threads[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    for (size_t i = 0; i < 4; i++)
        if (!strcmp(before, threads[i])) return THREADS;
    const char *say = find(MEMBERS, sizeof MEMBERS / sizeof *MEMBERS, after), *other = foreign_name(after);
    if (!say) say = foreign_function(after);
    if (say) return say;
    if (*after && strchr("*/+-^", *after))
        return sym_fmt(ctx, "operators work on elements: y[i] = a[i] %c b[i];", *after);
    if (foreign_module(before))
        return sym_fmt(ctx, "a function is called by its name alone: %s(...)", other ? other : after);
    return "there are no members: a size is the name in the type, x: f32[N], and functions are called as f(x)";
}

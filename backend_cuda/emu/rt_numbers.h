/* Arithmetic of the products of the stand-in's cuBLASLt: plain loops in double. In exact algebra (td_exact.h) the
 * numbers are of that: exact.cpp has these functions so, and those of runtime.cpp, which are weak, go. All else of the
 * runtime knows nothing of numbers. */

/* What factors and sums of floats are: in exact algebra (td_exact.h) numbers of that. */
#ifdef TD_EXACT_BITS
typedef td_real32 Float;
typedef td_real64 Double;
#else
typedef float Float;
typedef double Double;
#endif

static int element_bytes(cudaDataType_t t) {
    switch (t) {
    case CUDA_R_64F: return 8;
    case CUDA_R_32F:
    case CUDA_R_32I: return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    default: return 1;
    }
}
static Double element(const void *p, cudaDataType_t t, int64_t i) {
    switch (t) {
    case CUDA_R_64F: return static_cast<const Double *>(p)[i];
    case CUDA_R_32F: return Double(static_cast<const Float *>(p)[i]);
    case CUDA_R_32I: return static_cast<const int32_t *>(p)[i];
    case CUDA_R_16F: return Double(Float(static_cast<const td_f16 *>(p)[i]));
    case CUDA_R_16BF: return Double(Float(static_cast<const td_bf16 *>(p)[i]));
    case CUDA_R_8I: return static_cast<const int8_t *>(p)[i];
    case CUDA_R_8F_E4M3: return Double(Float(static_cast<const td_f8e4m3 *>(p)[i]));
    case CUDA_R_8F_E5M2: return Double(Float(static_cast<const td_f8e5m2 *>(p)[i]));
    }
    return NAN;
}
static void set_element(void *p, cudaDataType_t t, int64_t i, Double v) {
    switch (t) {
    case CUDA_R_64F: static_cast<Double *>(p)[i] = v; break;
    case CUDA_R_32F: static_cast<Float *>(p)[i] = Float(v); break;
    case CUDA_R_32I: static_cast<int32_t *>(p)[i] = int32_t(uint32_t(int64_t(v))); break;
    case CUDA_R_16F: static_cast<td_f16 *>(p)[i] = td_f16(Float(v)); break;
    case CUDA_R_16BF: static_cast<td_bf16 *>(p)[i] = td_bf16(Float(v)); break;
    default: break; // no result has another type
    }
}

static Double rounded(Double v, cudaDataType_t t) {
    uint16_t bits;
    set_element(&bits, t, 0, v);
    return element(&bits, t, 0);
}

static Double activated(Double v, cublasLtEpilogue_t e, bool aligned) {
    // Its kernels for odd addresses lose NaN.
    if (e & CUBLASLT_EPILOGUE_RELU) return v > Double(0) || (v != v && aligned) ? v : Double(0);
    if (!(e & CUBLASLT_EPILOGUE_GELU)) return v;
#ifdef TD_EXACT_BITS
    return Double(0.5) * v * (Double(1) + td_tanh(Double(0.7978845608028654) * (v + Double(0.044715) * v * v * v)));
#else
    return std::isinf(v) && v < 0 ? NAN : 0.5 * v * (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)));
#endif
}

/* The host's floats are floats. */
static Double scalar(const void *p, cudaDataType_t t) {
    if (t == CUDA_R_64F) return *static_cast<const double *>(p);
    if (t == CUDA_R_32F) return double(*static_cast<const float *>(p));
    return element(p, t, 0);
}

/* A product, as cublasLtMatmul is called. */
struct td_emu_product {
    const cublasLtMatmulDescOpaque_t *desc;
    const void *alpha, *a, *b, *beta, *c;
    void *d;
    const cublasLtMatrixLayoutOpaque_t *al, *bl, *cl, *dl;
    bool aligned; // as its quicker kernels want their matrices
};

/* The sum of one element, rounded as the compute type is. */
static Double dot(const td_emu_product &p, int64_t batch, int64_t i, int64_t j, int64_t k) {
    const int32_t *op = p.desc->op;
    const cublasLtMatrixLayoutOpaque_t *al = p.al, *bl = p.bl;
    const int64_t ai = op[0] ? al->lead : 1, ak = op[0] ? 1 : al->lead, bk = op[1] ? bl->lead : 1,
                  bj = op[1] ? 1 : bl->lead;
    const int64_t a0 = batch * al->step + i * ai, b0 = batch * bl->step + j * bj;
    Double s = 0;
    for (int64_t q = 0; q < k; q++) s += element(p.a, al->type, a0 + q * ak) * element(p.b, bl->type, b0 + q * bk);
    return s;
}

bool td_emu_nonzero(const void *p, cudaDataType_t t);
TD_EMU_NUMBERS bool td_emu_nonzero(const void *p, cudaDataType_t t) { return scalar(p, t) != Double(0); }

/* All elements of one matrix of the batch. */
void td_emu_multiply(const td_emu_product &p, int32_t batch);
TD_EMU_NUMBERS void td_emu_multiply(const td_emu_product &p, int32_t batch) {
    const cublasLtMatmulDescOpaque_t *x = p.desc;
    const int64_t m = int64_t(p.dl->rows), n = int64_t(p.dl->cols), k = int64_t(x->op[0] ? p.al->rows : p.al->cols);
    const Double by = scalar(p.alpha, x->scale), with = scalar(p.beta, x->scale);
    const bool sums = with != Double(0), bias = x->epilogue & CUBLASLT_EPILOGUE_BIAS;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            Double v = by * dot(p, batch, i, j, k);
            // As the library does.
            if (sums && p.c == p.d && element_bytes(p.dl->type) == 2) v = rounded(v, p.dl->type);
            if (sums) v += with * element(p.c, p.cl->type, batch * p.cl->step + j * p.cl->lead + i);
            if (bias) v += element(x->bias, p.dl->type, batch * x->bias_step + i);
            set_element(p.d, p.dl->type, batch * p.dl->step + j * p.dl->lead + i, activated(v, x->epilogue, p.aligned));
        }
}

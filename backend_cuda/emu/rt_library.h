/* Matrix products of the stand-in's cuBLASLt: plain loops (rt_numbers.h), over memory that is checked as kernels' is.
 * Refuses what the library refuses: 8-bit types of other sizes or alignments than it takes. Scratch is overwritten with
 * poison where the call got any, so that nothing may be kept there. */
static unsigned products_run;

/* Its algorithms (README.md): all but the ids PLAIN to LOOSE have no kernels, those from UNKNOWN on no numbers. */
enum { PLAIN = 1, WIDE = 2, LOSING = 3, ABSENT = 4, LOOSE = 5, UNKNOWN = 16, WIDE_BYTES = 16, LOOSE_BYTES = 4096 };
static unsigned products_by[UNKNOWN];

/* For what is launched next a product is a kernel: one that begins when all before it has ended, and lets the next one
 * start early. */
static void library_begins() {
    S.have_previous = true, S.previous_early = false;
    S.previous_start = ++S.tick;
}

/* Every element of a matrix, a column of rows elements at a time, was written. */
static bool library_reads(const void *p, const cublasLtMatrixLayoutOpaque_t *l, int64_t batch, const char *what) {
    const int bytes = element_bytes(l->type);
    for (uint64_t c = 0; c < (l->lead ? l->cols : 1) && l->rows; c++) {
        const char *at = static_cast<const char *>(p) + (batch * l->step + int64_t(c) * l->lead) * bytes;
        const size_t n = size_t(l->rows) * size_t(bytes);
        Alloc *a = host_range(at, n, what);
        if (!a) return false;
        bool fresh = false;
        if (S.check)
            shadow_each(a->shadow, alloc_off(a, at), n * 2, [&](Rec &r, size_t) {
                fresh |= !r.w;
                r.r = S.tick << STAMP;
            });
        if (!fresh) continue;
        report(KIND_UNINIT, __builtin_return_address(0), "%s reads memory that nothing has written", what);
        return false;
    }
    return true;
}

static bool library_writes(void *p, const cublasLtMatrixLayoutOpaque_t *l, int64_t batch) {
    const int bytes = element_bytes(l->type);
    for (uint64_t c = 0; c < l->cols && l->rows; c++) {
        char *at = static_cast<char *>(p) + (batch * l->step + int64_t(c) * l->lead) * bytes;
        const size_t n = size_t(l->rows) * size_t(bytes);
        Alloc *a = host_range(at, n, "a product's result");
        if (!a) return false;
        host_wrote(a, size_t(reinterpret_cast<u8 *>(at) - a->base), n, S.tick << STAMP);
    }
    return true;
}

static uint32_t alignment_of(const void *p) {
    uint32_t n = 256;
    while (reinterpret_cast<uintptr_t>(p) % n) n /= 2;
    return n;
}

/* What the library has no algorithm for. */
static bool library_takes(const cublasLtMatmulDescOpaque_t *x, const cublasLtMatrixLayoutOpaque_t *a,
                          const cublasLtMatrixLayoutOpaque_t *b, const cublasLtMatrixLayoutOpaque_t *d,
                          const uint32_t *alignment) {
    const uint64_t m = d->rows, k = x->op[0] ? a->rows : a->cols;
    if (a->type == CUDA_R_8I)
        return m % 4 == 0 && k % 4 == 0 && a->lead % 4 == 0 && b->lead % 4 == 0 && alignment[0] % 4 == 0 &&
               alignment[1] % 4 == 0;
    if (element_bytes(a->type) > 1) return true;
    configure();
    if (S.device.capability < 89) return false; // 8-bit floats
    return x->op[0] && !x->op[1] && m % 16 == 0 && k % 16 == 0 && a->lead % 16 == 0 && b->lead % 16 == 0 &&
           alignment[0] % 16 == 0 && alignment[1] % 16 == 0;
}

static const int32_t DEFAULT_CONFIG[9] = {PLAIN, 0, 1, 0, 0, 0, 0, 0, 0};

/* Milliseconds that the algorithm takes on the stand-in's clock: PLAIN is the best where k is small. */
static double library_takes_ms(const cublasLtMatmulAlgo_t *algo, int64_t k) {
    static const double units[UNKNOWN] = {0, 2, 1, 0.5, 1, 1.5};
    const double parts = (algo->config[CUBLASLT_ALGO_CONFIG_SPLITK_NUM] == 2 && k >= 64 ? 0.8 : 1) *
                         (algo->config[CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING] ? 1.1 : 1);
    const int id = algo->config[CUBLASLT_ALGO_CONFIG_ID];
    return 1000 * parts * (id == PLAIN && k < 16 ? 0.25 : units[id]);
}

/* Of which types and sizes there is a kernel is one question; this one is whether the numbers make sense. */
static bool library_knows(const cublasLtMatmulAlgo_t *algo) {
    const int32_t *c = algo->config, parts = c[CUBLASLT_ALGO_CONFIG_SPLITK_NUM],
                  scheme = c[CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME];
    if (c[CUBLASLT_ALGO_CONFIG_ID] < PLAIN || c[CUBLASLT_ALGO_CONFIG_ID] > LOOSE) return false;
    for (int i : {CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID,
                  CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID})
        if (c[i]) return false;
    if (parts < 1 || parts > 2 || c[CUBLASLT_ALGO_CONFIG_TILE_ID] > 8 || c[CUBLASLT_ALGO_CONFIG_STAGES_ID] > 8 ||
        c[CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING] > 1)
        return false;
    return parts == 1 ? scheme == 0
                      : scheme == CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE && c[CUBLASLT_ALGO_CONFIG_ID] == WIDE;
}

/* An algorithm as its id alone makes it. */
static cublasLtMatmulAlgo_t library_algorithm(int id) {
    cublasLtMatmulAlgo_t algo = {};
    memcpy(algo.config, DEFAULT_CONFIG, sizeof algo.config);
    algo.config[CUBLASLT_ALGO_CONFIG_ID] = id;
    algo.workspace = id == LOOSE ? size_t(LOOSE_BYTES) : 0;
    for (uint32_t &bytes : algo.alignment) bytes = id == PLAIN ? 1 : WIDE_BYTES;
    return algo;
}

} // namespace emu

extern "C" {
unsigned td_emu_products_by(int id) { return id >= 0 && id < UNKNOWN ? products_by[id] : 0; }
size_t cublasLtGetVersion(void) { return 130000; }

cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t, cudaDataType_t, cudaDataType_t,
                                      cudaDataType_t, cudaDataType_t, cudaDataType_t, int id,
                                      cublasLtMatmulAlgo_t *algo) {
    if (!handle || id < 0 || id >= UNKNOWN) return CUBLAS_STATUS_INVALID_VALUE;
    *algo = library_algorithm(id);
    return CUBLAS_STATUS_SUCCESS;
}
static size_t config_bytes(cublasLtMatmulAlgoConfigAttributes_t attribute) {
    return attribute < CUBLASLT_ALGO_CONFIG_ID || attribute > CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID ? 0
           : attribute >= CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID                                       ? 2
                                                                                                    : 4;
}
cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t *algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute, const void *value,
                                                    size_t bytes) {
    if (attribute == CUBLASLT_ALGO_CONFIG_ID || !bytes || bytes != config_bytes(attribute))
        return CUBLAS_STATUS_INVALID_VALUE;
    algo->config[attribute] = 0;
    memcpy(&algo->config[attribute], value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute, void *value,
                                                    size_t bytes, size_t *written) {
    if (!bytes || bytes != config_bytes(attribute)) return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(value, &algo->config[attribute], bytes);
    *written = bytes;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t *algo,
                                                 cublasLtMatmulAlgoCapAttributes_t attribute, void *value, size_t bytes,
                                                 size_t *written) {
    const int side = attribute - CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES;
    if (side < 0 || side > 3 || bytes != 4) return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(value, &algo->alignment[side], bytes);
    *written = bytes;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                                       cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result) {
    static const uint32_t any[4] = {256, 256, 256, 256};
    memset(result, 0, sizeof *result);
    if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
    if (!library_knows(algo) || !library_takes(desc, a, b, d, any)) return CUBLAS_STATUS_NOT_SUPPORTED;
    result->algo = *algo;
    result->workspaceSize = algo->workspace;
    return CUBLAS_STATUS_SUCCESS;
}

unsigned td_emu_products(void) { return products_run; }

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
    HOST_CALL;
    for (const auto &stream : S.streams) // it allocates, which ends a capture of this thread
        if (stream.second) return CUBLAS_STATUS_ALLOC_FAILED;
    *handle = reinterpret_cast<cublasLtHandle_t>(new char);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    delete reinterpret_cast<char *>(handle);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t desc, cublasComputeType_t compute, cudaDataType_t scale) {
    *desc = {compute, scale, {0, 0}, CUBLASLT_EPILOGUE_DEFAULT, nullptr, 0};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                                              const void *value, size_t bytes) {
    void *to = nullptr;
    size_t want = 4;
    switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA: to = &desc->op[0]; break;
    case CUBLASLT_MATMUL_DESC_TRANSB: to = &desc->op[1]; break;
    case CUBLASLT_MATMUL_DESC_EPILOGUE: to = &desc->epilogue; break;
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: to = &desc->bias, want = sizeof(void *); break;
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE: to = &desc->bias_step, want = 8; break;
    }
    if (!to || bytes != want) return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(to, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType_t type, uint64_t rows,
                                        uint64_t cols, int64_t lead) {
    *layout = {type, rows, cols, lead, 0, 1};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void *value,
                                                size_t bytes) {
    const bool count = attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT;
    if (bytes != (count ? 4u : 8u)) return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(count ? static_cast<void *>(&layout->batches) : &layout->step, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference) {
    *preference = {0, ~0u, {256, 256, 256, 256}};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void *value,
                                                    size_t bytes) {
    void *to = &preference->workspace;
    size_t want = sizeof(size_t);
    if (attribute == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK) to = &preference->reduction, want = 4;
    if (attribute >= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES)
        to = &preference->alignment[attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES], want = 4;
    if (bytes != want) return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(to, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t *results, int *found) {
    *found = 0;
    if (!handle || wanted < 1 || c->rows != d->rows || c->cols != d->cols) return CUBLAS_STATUS_INVALID_VALUE;
    if (!library_takes(desc, a, b, d, preference->alignment)) return CUBLAS_STATUS_NOT_SUPPORTED;
    for (int id = PLAIN; id <= LOOSE && *found < wanted; id++) {
        cublasLtMatmulHeuristicResult_t *r = &results[*found];
        memset(r, 0, sizeof *r);
        r->algo = library_algorithm(id);
        bool aligned = true;
        for (int i = 0; i < 4; i++) aligned &= preference->alignment[i] % r->algo.alignment[i] == 0;
        // some shapes want scratch, as the library's do
        r->workspaceSize = id == PLAIN && d->rows % 3 == 1 && preference->workspace >= 512 ? 512 : r->algo.workspace;
        if (!aligned || r->workspaceSize > preference->workspace) continue;
        memcpy(r->algo.alignment, preference->alignment, sizeof preference->alignment);
        r->algo.workspace = r->workspaceSize;
        ++*found;
    }
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
                              cublasLtMatrixLayout_t a_layout, const void *b, cublasLtMatrixLayout_t b_layout,
                              const void *beta, const void *c, cublasLtMatrixLayout_t c_layout, void *d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t *algo, void *workspace,
                              size_t workspace_bytes, cudaStream_t stream) {
    HOST_CALL;
    configure();
    const void *at[4] = {a, b, c, d};
    const int64_t m = int64_t(d_layout->rows), k = int64_t(desc->op[0] ? a_layout->rows : a_layout->cols);
    const bool sums = td_emu_nonzero(beta, desc->scale);
    const int id = algo->config[CUBLASLT_ALGO_CONFIG_ID];
    if (id == ABSENT) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!handle || algo->workspace > workspace_bytes || (algo->workspace && !workspace))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (CUgraph_st *graph = capture_of(stream)) {
        double factors[2] = {}; // as the bytes that they are
        memcpy(&factors[0], alpha, desc->scale == CUDA_R_64F ? 8 : 4);
        memcpy(&factors[1], beta, desc->scale == CUDA_R_64F ? 8 : 4);
        auto again = [=, desc = *desc, al = *a_layout, bl = *b_layout, cl = *c_layout, dl = *d_layout,
                      how = *algo]() mutable {
            return cublasLtMatmul(handle, &desc, &factors[0], a, &al, b, &bl, &factors[1], c, &cl, d, &dl, &how,
                                  workspace, workspace_bytes, nullptr) == CUBLAS_STATUS_SUCCESS
                       ? cudaSuccess
                       : cudaErrorUnknown;
        };
        graph->nodes.push_back({{}, {}, {}, nullptr, 0, 0, again});
        return CUBLAS_STATUS_SUCCESS;
    }
    for (int i = 0; i < 4; i++)
        if ((i != 2 || sums) && alignment_of(at[i]) < algo->alignment[i]) {
            report(KIND_ALIGNMENT, __builtin_return_address(0),
                   "a product's matrix at %p was promised to be aligned to %u", at[i], algo->alignment[i]);
            return CUBLAS_STATUS_INVALID_VALUE;
        }
    const bool has_bias = desc->epilogue & CUBLASLT_EPILOGUE_BIAS;
    library_begins();
    const auto odd = [](const cublasLtMatrixLayoutOpaque_t *l) { return l->lead * element_bytes(l->type) % 16 != 0; };
    const auto wide = [&](int i) { return algo->alignment[i] % 16 == 0 || (id == PLAIN && alignment_of(at[i]) >= 16); };
    const bool aligned =
        id != LOSING && wide(0) && wide(1) && wide(3) && !odd(a_layout) && !odd(b_layout) && !odd(d_layout);
    const td_emu_product product = {desc, alpha, a, b, beta, c, d, a_layout, b_layout, c_layout, d_layout, aligned};
    for (int32_t t = 0; t < d_layout->batches; t++) {
        const cublasLtMatrixLayoutOpaque_t bias = {d_layout->type, uint64_t(m), 1, m, desc->bias_step, 1};
        if (k && (!library_reads(a, a_layout, t, "a product's factor") ||
                  !library_reads(b, b_layout, t, "a product's factor")))
            return CUBLAS_STATUS_EXECUTION_FAILED;
        if (sums && !library_reads(c, c_layout, t, "a product's sum")) return CUBLAS_STATUS_EXECUTION_FAILED;
        if (has_bias && !library_reads(desc->bias, &bias, t, "a product's bias")) return CUBLAS_STATUS_EXECUTION_FAILED;
        if (!library_writes(d, d_layout, t)) return CUBLAS_STATUS_EXECUTION_FAILED;
        td_emu_multiply(product, t);
    }
    if (algo->workspace) {
        Alloc *w = host_range(workspace, algo->workspace, "a product's scratch");
        if (!w) return CUBLAS_STATUS_EXECUTION_FAILED;
        memset(workspace, 0xff, algo->workspace);
        host_wrote(w, size_t(static_cast<u8 *>(workspace) - w->base), algo->workspace, S.tick << STAMP);
    }
    products_run++;
    products_by[id]++;
    library_ms += library_takes_ms(algo, k);
    return CUBLAS_STATUS_SUCCESS;
}
}
namespace emu {

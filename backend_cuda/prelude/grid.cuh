// What the blocks of a grid and other kernels share: order, the last block, atomics; and what the host launches with.

//@ td_pdl_wait
// Before compute capability 9.0 a kernel starts when the one before it has ended.
__device__ __forceinline__ void td_pdl_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
//@ td_pdl_launch
// The next kernel begins when each block has said so or ended. A block that says so takes 80 ns of its multiprocessor's launches,
// which give one in 88 ns (H200), so that only the last blocks do, which may still run when no others are left to begin.
__device__ __forceinline__ void td_pdl_launch() {
#if __CUDA_ARCH__ >= 900
    constexpr unsigned LAST = 1024;
    if (gridDim.x - blockIdx.x <= LAST) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

//@ td_last_block
__device__ __forceinline__ bool td_last_block(int *counter, int total) {
    __shared__ int last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(counter, 1) == total - 1;
        if (last) *counter = 0;
    }
    __syncthreads();
    if (last) __threadfence();
    return last;
}
//@ td_atomic_add
template <class T> __device__ __forceinline__ void td_atomic_add(T *p, T v) { atomicAdd(p, v); }
__device__ __forceinline__ void td_atomic_add(int64_t *p, int64_t v) { atomicAdd((unsigned long long *)p, (unsigned long long)v); }
//@ td_atomic_adds
// V elements at an address that is aligned to all of them: from compute capability 9.0 on one instruction adds two or four floats.
template <class T, int V> __device__ __forceinline__ void td_atomic_adds(T *p, const td_word<T> *w) {
#if __CUDA_ARCH__ >= 900
    if constexpr (std::is_same<T, float>::value && V == 4)
        asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(w[0]), "f"(w[1]), "f"(w[2]), "f"(w[3]) : "memory");
    else if constexpr (std::is_same<T, float>::value && V == 2)
        asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};" ::"l"(p), "f"(w[0]), "f"(w[1]) : "memory");
    else
#endif
    {
#pragma unroll
        for (int e = 0; e < V; e++) td_atomic_add(p + e, (T)w[e]);
    }
}
//@ portable td_adds_each
// Elements lo <= e < hi.
template <class T, int V> __device__ __forceinline__ void td_adds_each(T *p, const td_word<T> *w, int64_t lo, int64_t hi) {
#pragma unroll
    for (int e = 0; e < V; e++)
        if (lo <= e && e < hi) td_atomic_add(p + e, (T)w[e]);
}
//@ portable td_adds
template <int A, class T, int V, int H> __device__ __forceinline__ void td_adds(T *p, const td_word<T> *w) {
    if (A || td_aligned<T, V>(p)) td_atomic_adds<T, V>(p, w);
    else td_adds_each<T, V>(p, w, 0, V);
}
//@ portable td_adds_n
template <int A, class T, int V, int H> __device__ __forceinline__ void td_adds_n(T *p, const td_word<T> *w, int64_t lo, int64_t hi) {
    if (lo <= 0 && hi >= V && (A || td_aligned<T, V>(p))) td_atomic_adds<T, V>(p, w);
    else if (lo < V && hi > 0) td_adds_each<T, V>(p, w, lo, hi);
}
//@ portable td_adds_v
// Elements e < n; n is a multiple of V where A is 1.
template <int A, class T, int V, int H> __device__ __forceinline__ void td_adds_v(T *p, const td_word<T> *w, int64_t n) {
    if constexpr (!A) td_adds_n<A, T, V, H>(p, w, 0, n);
    else if (n > 0) td_atomic_adds<T, V>(p, w);
}
//@ td_atomic_float
// Floats have no atomic maximum of their own: *p becomes td_max or td_min of itself and v by exchanges.
template <bool MAX, class T> __device__ __forceinline__ void td_atomic_float(T *p, T v) {
    typedef typename std::conditional<sizeof(T) == 8, unsigned long long, unsigned>::type U;
    U old = *(const volatile U *)p, next; // at once: of bytes read one by one some could be from before another's exchange
    T now;
    memcpy(&now, &old, sizeof(T));
    while (true) {
        const T want = MAX ? td_max(now, v) : td_min(now, v);
        memcpy(&next, &want, sizeof(T));
        if (next == old) return;
        const U seen = atomicCAS((U *)p, old, next);
        if (seen == old) return;
        old = seen;
        memcpy(&now, &old, sizeof(T));
    }
}
//@ td_atomic_max
template <class T> __device__ __forceinline__ void td_atomic_max(T *p, T v) {
    if constexpr (std::is_floating_point<T>::value) td_atomic_float<true>(p, v);
    else if constexpr (sizeof(T) == 8) atomicMax((long long *)p, (long long)v);
    else atomicMax(p, v);
}
//@ td_atomic_min
template <class T> __device__ __forceinline__ void td_atomic_min(T *p, T v) {
    if constexpr (std::is_floating_point<T>::value) td_atomic_float<false>(p, v);
    else if constexpr (sizeof(T) == 8) atomicMin((long long *)p, (long long)v);
    else atomicMin(p, v);
}

//@ td_ticket
// What *p was before it counts one more.
__device__ __forceinline__ uint32_t td_ticket(uint32_t *p) { return atomicAdd(p, 1u); }
//@ td_tell td_told
// A word that blocks of a running grid tell each other: it holds all that there is to know, so nothing else need be ordered by it.
__device__ __forceinline__ void td_tell(uint32_t *p, uint32_t v) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ __forceinline__ uint32_t td_told(uint32_t *p) {
    uint32_t v;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

//@ td_launch
// Where something was launched before, this kernel may start while that ends (td_pdl_wait). No `launched`: never.
template <class Args>
static cudaError_t td_launch(void (*kernel)(const Args), const Args &args, long long grid, int threads, int cluster, size_t shared_bytes,
                             int *launched, cudaStream_t stream) {
    if (grid == 0) return cudaSuccess;
    cudaLaunchAttribute at[2];
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3((unsigned)grid);
    c.blockDim = dim3((unsigned)threads);
    c.dynamicSmemBytes = shared_bytes;
    c.stream = stream;
    c.attrs = at;
    if (cluster > 1) {
        at[c.numAttrs].id = cudaLaunchAttributeClusterDimension;
        at[c.numAttrs].val.clusterDim.x = (unsigned)cluster;
        at[c.numAttrs].val.clusterDim.y = at[c.numAttrs].val.clusterDim.z = 1;
        c.numAttrs++;
    }
    if (launched && *launched) {
        at[c.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        at[c.numAttrs].val.programmaticStreamSerializationAllowed = 1;
        c.numAttrs++;
    }
    if (launched) *launched = 1;
    return cudaLaunchKernelEx(&c, kernel, args);
}
//@ td_prepare
template <class Args, int N> static cudaError_t td_prepare(void (*const (&kernels)[N])(Args), size_t shared_bytes, int cluster) {
    for (int i = 0; i < N; i++) {
        const void *kernel = (const void *)kernels[i];
        cudaError_t e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);
        if (e == cudaSuccess && cluster > 8) e = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        if (e != cudaSuccess) return e;
    }
    return cudaSuccess;
}
//@ portable td_launcher td_preparer
// The two functions of a kernel that the host calls: a launch, and what it needs first, for the current device.
typedef int td_launcher(void *stream, void *const *tensors, const int64_t *dims, const double *scalars, int *launched);
typedef int td_preparer(void);
//@ portable td_ranker
// The function of a rank that the host calls.
typedef int td_ranker(void *stream, const void *keys, int64_t rows, int64_t n, int64_t kept, void *order, void *scratch, int *launched);
//@ portable td_sorter
// The function of a sort that the host calls.
typedef int td_sorter(void *stream, const void *keys, int64_t n, int64_t below, void *order, void *starts, void *scratch, int *launched);

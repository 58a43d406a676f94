// The threads of a block and a cluster: who this is, shared memory, shuffles, barriers.

//@ td_tid
__device__ __forceinline__ int td_tid() { return (int)threadIdx.x; }
//@ td_threads
__device__ __forceinline__ int td_threads() { return (int)blockDim.x; }
//@ td_block
__device__ __forceinline__ int td_block() { return (int)blockIdx.x; }
//@ portable td_part_of
// Which of n parts, whose blocks begin at these numbers, this block belongs to.
__device__ __forceinline__ int td_part_of(const unsigned *before, int n) {
    int low = 0, high = n;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if ((unsigned)td_block() < before[middle]) high = middle;
        else low = middle;
    }
    return low;
}
//@ portable td_lane_bits td_lane_blocks
// Of a row that n lanes hold: the bits that number them, of 32 at most; and how many blocks there are where the other lanes
// of its warp have the rows of blocks behind.
static inline int td_lane_bits(int64_t n) { return (n > 1) + (n > 2) + (n > 4) + (n > 8) + (n > 16); }
static inline int64_t td_lane_blocks(int64_t blocks, int64_t n) {
    const int rows = 32 >> td_lane_bits(n);
    return (blocks + rows - 1) / rows;
}
//@ td_cluster_rank
__device__ __forceinline__ int td_cluster_rank() {
    uint32_t r;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return (int)r;
}

//@ td_sp td_shared
template <class T> using td_sp = T *;
template <class T> __device__ __forceinline__ T *td_shared(int byte_offset) {
    extern __shared__ __align__(1024) unsigned char td_dynamic[];
    return (T *)(td_dynamic + byte_offset);
}
//@ td_lds
template <class T, int V> __device__ __forceinline__ void td_lds(td_word<T> *w, const T *p) { td_ld<T, V, 0>(w, p); }
//@ td_sts
template <class T, int V> __device__ __forceinline__ void td_sts(T *p, const td_word<T> *w) { td_st<T, V, 0>(p, w); }
//@ td_address
__device__ __forceinline__ uint32_t td_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
//@ td_cluster_sts
template <class T, int V> __device__ __forceinline__ void td_cluster_sts(T *p, int rank, const td_word<T> *w) {
    static_assert(sizeof(T) >= 4, "whole words");
    uint32_t a;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(td_address(p)), "r"(rank));
#pragma unroll
    for (int i = 0; i < V; i++) {
        if constexpr (sizeof(T) == 8) {
            unsigned long long b;
            memcpy(&b, &w[i], 8);
            asm volatile("st.shared::cluster.b64 [%0], %1;" ::"r"(a + 8 * i), "l"(b) : "memory");
        } else {
            uint32_t b;
            memcpy(&b, &w[i], 4);
            asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(a + 4 * i), "r"(b) : "memory");
        }
    }
}

//@ td_cluster_send
// One value to block `rank` of the cluster, asynchronously; completes its bytes on the mbarrier there.
template <class T> __device__ __forceinline__ void td_cluster_send(T *p, int rank, T v, uint64_t *bar) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a word or two");
    uint32_t a, b;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(td_address(p)), "r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(b) : "r"(td_address(bar)), "r"(rank));
    if constexpr (sizeof(T) == 8) {
        unsigned long long w;
        memcpy(&w, &v, 8);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(a), "l"(w), "r"(b) : "memory");
    } else {
        uint32_t w;
        memcpy(&w, &v, 4);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(a), "r"(w), "r"(b) : "memory");
    }
}

//@ td_shfl_xor
template <class T> __device__ __forceinline__ T td_shfl_xor(T v, int mask) { return __shfl_xor_sync(0xffffffffu, v, mask); }
//@ td_shfl_up
template <class T> __device__ __forceinline__ T td_shfl_up(T v, int d) { return __shfl_up_sync(0xffffffffu, v, (unsigned)d); }
//@ td_shfl_down
template <class T> __device__ __forceinline__ T td_shfl_down(T v, int d) { return __shfl_down_sync(0xffffffffu, v, (unsigned)d); }
//@ td_shfl_idx
template <class T> __device__ __forceinline__ T td_shfl_idx(T v, int lane) { return __shfl_sync(0xffffffffu, v, lane); }
//@ td_ones
// How many bits are set.
__device__ __forceinline__ int td_ones(uint32_t v) { return __popc(v); }
//@ td_lowest
// Which is the lowest bit that is set; there is one.
__device__ __forceinline__ int td_lowest(uint64_t v) { return __ffsll((long long)v) - 1; }
//@ td_match
// The lanes of the warp whose v is this one's, of v's lowest B bits.
template <int B> __device__ __forceinline__ uint32_t td_match(uint32_t v) {
    uint32_t lanes = 0xffffffffu;
#pragma unroll
    for (int i = 0; i < B; i++) { // four instructions a bit; the compiler makes six of what tests a bit
        asm volatile("{\n\t.reg .pred p;\n\t.reg .b32 m;\n\tand.b32 m, %1, %2;\n\tsetp.ne.u32 p, m, 0;\n\t"
                     "vote.sync.ballot.b32 m, p, 0xffffffff;\n\t@!p not.b32 m, m;\n\tand.b32 %0, %0, m;\n\t}"
                     : "+r"(lanes)
                     : "r"(v), "r"(1u << i));
    }
    return lanes;
}
//@ td_shared_count
// One more in a word of shared memory. Lanes that count in one word are added up by the instruction for adding 1.
__device__ __forceinline__ void td_shared_count(uint32_t *p) { atomicAdd(p, 1u); }
//@ td_shared_ticket
// What a word of shared memory was before n more.
__device__ __forceinline__ uint32_t td_shared_ticket(uint32_t *p, uint32_t n) { return atomicAdd(p, n); }
//@ td_sync
__device__ __forceinline__ void td_sync() { __syncthreads(); }
//@ td_syncwarp
__device__ __forceinline__ void td_syncwarp() { __syncwarp(); }
//@ td_all_here
// Whether all threads of the warp that are here say so. Only for what is right whatever it answers: some may come later.
__device__ __forceinline__ bool td_all_here(bool x) { return __all_sync(__activemask(), x); }
//@ td_cluster_sync
__device__ __forceinline__ void td_cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Asynchronous copies between global and shared memory, the barriers that they complete on, and rows made of them.

//@ td_cp_async
template <class T, int V> __device__ __forceinline__ void td_cp_async(T *s, const T *p) {
    static_assert(V * sizeof(T) == 16, "16 bytes");
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(td_address(s)), "l"(p) : "memory");
}
//@ td_cp_commit
__device__ __forceinline__ void td_cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
//@ td_cp_wait
template <int N> __device__ __forceinline__ void td_cp_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
//@ td_mbar_init
__device__ __forceinline__ void td_mbar_init(uint64_t *b, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(td_address(b)), "r"(count) : "memory");
}
//@ td_mbar_fence
__device__ __forceinline__ void td_mbar_fence() {
    asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;" ::: "memory");
}
//@ td_mbar_arrive
__device__ __forceinline__ void td_mbar_arrive(uint64_t *b) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(td_address(b)) : "memory");
}
//@ td_mbar_expect
__device__ __forceinline__ void td_mbar_expect(uint64_t *b, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(td_address(b)), "r"(bytes) : "memory");
}
//@ td_mbar_wait
__device__ __forceinline__ void td_mbar_wait(uint64_t *b, int parity) {
    uint32_t done;
    do {
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(td_address(b)), "r"(parity)
                     : "memory");
    } while (!done);
}
//@ td_bulk_load
__device__ __forceinline__ void td_bulk_load(void *s, const void *p, int bytes, uint64_t *mbar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(td_address(s)), "l"(p),
                 "r"(bytes), "r"(td_address(mbar))
                 : "memory");
}
//@ td_bulk_store
__device__ __forceinline__ void td_bulk_store(void *p, const void *s, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(p), "r"(td_address(s)), "r"(bytes) : "memory");
}
//@ td_bulk_commit
__device__ __forceinline__ void td_bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
//@ td_bulk_wait_read
template <int N> __device__ __forceinline__ void td_bulk_wait_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}
//@ td_bulk_wait
template <int N> __device__ __forceinline__ void td_bulk_wait() { asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory"); }
//@ td_async_fence
__device__ __forceinline__ void td_async_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
//@ portable td_swizzle
// Where element col of a row lies in a tile of rows of W elements whose pieces of E elements are exchanged by row / E.
template <int E, int W> __device__ __forceinline__ int td_swizzle(int row, int col) {
    return row * W + ((col / E) ^ (row / E % (W / E))) * E + col % E;
}

//@ portable td_fill_whole
// One warp brings n elements, whole 16-byte pieces, to as many pieces of shared memory and arrives at `full` once: by a bulk copy where p
// is aligned too, else element by element. For rows of which all are aligned or none.
template <class T> __device__ __forceinline__ void td_fill_whole(td_sp<T> s, const T *p, int n, td_sp<uint64_t> full) {
    const int lane = td_tid() % 32;
    const bool bulk = n > 0 && (uintptr_t)p % 16 == 0;
    for (int i = lane; !bulk && i < n; i += 32) {
        td_word<T> w[1] = {td_word<T>()};
        td_ld<T, 1, 0>(w, p + i);
        td_sts<T, 1>(s + i, w);
    }
    td_syncwarp();
    if (lane == 0) {
        td_mbar_expect(full, bulk ? n * (int)sizeof(T) : 0);
        if (bulk) td_bulk_load(s, p, n * (int)sizeof(T), full);
    }
}

//@ portable td_fill_row
// One warp brings n elements to shared memory and arrives at `full` once: whole 16-byte pieces by a bulk copy, the rest (all, where the
// two addresses differ modulo 16) element by element, which takes longer and comes behind. PAD: what is left of the first and last piece
// is cleared.
template <class T, int PAD> __device__ __forceinline__ void td_fill_row(td_sp<T> s, const T *p, int n, td_sp<uint64_t> full) {
    constexpr int per = 16 / (int)sizeof(T);
    const int lane = td_tid() % 32, at = (int)((uintptr_t)p / sizeof(T) % per), low = td_shared_index(s) % per;
    int head = at == low ? (per - at) % per : n;
    if (head > n) head = n;
    const int body = n > head ? (n - head) / per * per : 0;
    if (lane == 0 && body > 0) td_bulk_load(s + head, p + head, body * (int)sizeof(T), full); // the phase waits for what says how many bytes
    for (int i = lane; i < n - body; i += 32) {
        const int e = i < head ? i : i + body;
        td_word<T> w[1] = {td_word<T>()};
        td_ld<T, 1, 0>(w, p + e);
        td_sts<T, 1>(s + e, w);
    }
    if (PAD && n >= 0 && lane < per) { // of no elements, too: the piece that they would be in is read
        const td_word<T> zero[1] = {td_word<T>()};
        if (lane < low) td_sts<T, 1>(s + (lane - low), zero);
        if ((n + low) % per && lane >= (n + low) % per) td_sts<T, 1>(s + (n - (n + low) % per + lane), zero);
    }
    if (body < n || low) td_async_fence(); // before a later bulk copy to where these elements are
    td_syncwarp();
    if (lane == 0) td_mbar_expect(full, body * (int)sizeof(T));
}

//@ portable td_fill_piece
// A vector of V elements to shared memory: asynchronously where it is 16 bytes, aligned and whole; else its elements
// lo <= e < hi one by one, and zeros for the others.
template <int A, class T, int V> __device__ __forceinline__ void td_fill_piece(td_sp<T> s, const T *p, int64_t lo, int64_t hi) {
    if constexpr (V * sizeof(T) == 16) {
        if (lo <= 0 && hi >= V && (A || td_aligned<T, V>(p))) {
            td_cp_async<T, V>(s, p);
            return;
        }
    }
#pragma unroll
    for (int e = 0; e < V; e++) {
        td_word<T> w[1] = {td_word<T>()};
        if (lo <= e && e < hi) td_ld<T, 1, 0>(w, p + e);
        td_sts<T, 1>(s + e, w);
    }
}

//@ portable td_drain_row
// One warp sends n elements of shared memory off: whole 16-byte pieces by a bulk store of its first lane, which commits it later; the
// rest (all, where the two addresses differ modulo 16) element by element.
template <class T> __device__ __forceinline__ void td_drain_row(T *p, td_sp<T> s, int n) {
    constexpr int per = 16 / (int)sizeof(T);
    const int lane = td_tid() % 32, at = (int)((uintptr_t)p / sizeof(T) % per), low = td_shared_index(s) % per;
    int head = at == low ? (per - at) % per : n;
    if (head > n) head = n;
    const int body = n > head ? (n - head) / per * per : 0;
    for (int i = lane; i < n - body; i += 32) {
        const int e = i < head ? i : i + body;
        td_word<T> w[1];
        td_lds<T, 1>(w, s + e);
        td_st<T, 1, 0>(p + e, w);
    }
    if (lane == 0 && body > 0) td_bulk_store(p + head, s + head, body * (int)sizeof(T));
}

//@ td_shared_index
// The number of the element in the block's shared memory.
template <class T> __device__ __forceinline__ int td_shared_index(const T *s) { return (int)(td_address(s) / sizeof(T)); }

// Bins: elements of shared memory that data name, and into which a block folds (the stages bins and scatter).

//@ portable td_bins_fill
// N of them become v, by all threads of the block; behind them is room up to a multiple of 16 bytes.
template <class T, int N> __device__ __forceinline__ void td_bins_fill(td_sp<T> p, T v) {
    constexpr int V = 16 / (int)sizeof(T);
    td_word<T> w[V];
#pragma unroll
    for (int e = 0; e < V; e++) w[e] = v;
    for (int i = td_tid(); i < (N + V - 1) / V; i += td_threads()) td_sts<T, V>(p + i * V, w);
}
//@ portable td_bins_own
// Where `is`, v is folded into an element that no other lane names.
template <class T, class F> __device__ __forceinline__ void td_bins_own(td_sp<T> p, bool is, T v, F fold) {
    if (!is) return;
    td_word<T> w[1];
    td_lds<T, 1>(w, p);
    w[0] = fold(w[0], v);
    td_sts<T, 1>(p, w);
}
//@ td_bins_same
// The lanes of the warp that say `is` and name the element that this one names, where it says so: all lanes call it. What
// was in the elements is lost. (An instruction that compares all lanes' numbers takes several times as long.)
template <class T> __device__ __forceinline__ uint32_t td_bins_same(T *p, bool is) {
    if (is) *(volatile uint32_t *)p = 0;
    __syncwarp();
    if (is) atomicOr((uint32_t *)p, 1u << threadIdx.x % 32);
    __syncwarp();
    return is ? *(volatile uint32_t *)p : 0;
}
//@ portable td_bins_fold
// Where `is`, v is folded into an element; all lanes call it. Of lanes of the warp that name one element every second one takes
// over what the next has, again and again, until the lowest has all of it: in an order that depends on the lanes alone.
template <class T, class F> __device__ __forceinline__ void td_bins_fold(td_sp<T> p, bool is, T v, F fold) {
    const int lane = td_tid() % 32;
    td_word<T> w[1] = {v};
    if (is) td_lds<T, 1>(w, p);
    td_syncwarp();
    const uint32_t same = td_bins_same(p, is), below = same & ((1u << lane) - 1);
    uint32_t behind = same & ~below & ~(1u << lane); // lanes whose values are still to come
    int rank = td_ones(below);                       // among those that have some
    while (true) {
        const uint32_t done = td_match<1>(behind == 0);
        if (behind == 0 && done == 0xffffffffu) break;
        const T more = td_shfl_idx(v, behind ? td_lowest(behind) : lane);
        if (behind) v = fold(v, more);
        const uint32_t alike = td_match<1>(rank & 1);
        behind &= rank & 1 ? 0 : alike;
        rank >>= 1;
    }
    if (is && !below) {
        w[0] = fold(w[0], v);
        td_sts<T, 1>(p, w);
    }
    td_syncwarp();
}

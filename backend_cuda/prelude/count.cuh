// How many keys are less than each number: keys are counted, in any order, and the counts summed up. A block has
// counters of its own in shared memory, several of each number where they are few, so that lanes meet in no bank; where a block
// cannot have all, several blocks read the same keys, each for a part of the numbers; where that would be too many, or
// there are fewer keys than numbers, keys are counted in global memory.

//@ portable td_get_word td_put_word
// A word of global memory.
template <class T> __device__ __forceinline__ T td_get_word(const T *p) {
    T w[1];
    td_ld<T, 1, 0>(w, p);
    return w[0];
}
template <class T> __device__ __forceinline__ void td_put_word(T *p, T v) {
    const T w[1] = {v};
    td_st<T, 1, 0>(p, w);
}
//@ portable td_shared_get td_shared_put
// A word of shared memory.
template <class T> __device__ __forceinline__ T td_shared_get(td_sp<T> p) {
    td_word<T> w[1];
    td_lds<T, 1>(w, p);
    return w[0];
}
template <class T, class V> __device__ __forceinline__ void td_shared_put(td_sp<T> p, V v) {
    const td_word<T> w[1] = {(T)v};
    td_sts<T, 1>(p, w);
}
//@ portable td_sum_before
// The sum of v over the threads before this one in a block of W warps, and over all of them; sums has W words.
template <int W> __device__ __forceinline__ uint32_t td_sum_before(td_sp<uint32_t> sums, uint32_t v, uint32_t &all) {
    const int warp = td_tid() / 32, lane = td_tid() % 32;
    uint32_t sum = v;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const uint32_t lower = td_shfl_up(sum, d);
        if (lane >= d) sum += lower;
    }
    td_sync();
    if (lane == 31) td_shared_put(sums + warp, sum);
    td_sync();
    sum -= v;
    all = 0;
#pragma unroll
    for (int w = 0; w < W; w++) {
        if (w == warp) sum += all;
        all += td_shared_get(sums + w);
    }
    return sum;
}

//@ portable td_each_key
// All keys of n, shared out among `blocks` blocks of TH threads: whole vectors as they lie in memory, U of them under
// way, which all threads of a warp call for (`there`: this one has one), and what is left at both ends one by one.
template <int TH, int U, class K, class Vector, class One>
__device__ __forceinline__ void td_each_key(const K *keys, uint32_t n, int block, int blocks, Vector vector, One one) {
    constexpr int V = 16 / (int)sizeof(K);
    const uint32_t cut = (uint32_t)((0 - (uintptr_t)keys) % 16 / sizeof(K)), head = cut < n ? cut : n;
    const int64_t whole = (n - head) / V;
    for (int64_t i = (int64_t)block * U * TH + td_tid(); i - td_tid() < whole; i += (int64_t)blocks * U * TH) {
        td_word<K> w[U][td_words<K>(V)];
#pragma unroll
        for (int u = 0; u < U; u++) {
            if (i + u * TH < whole)
                td_ld<K, V, 0>(w[u], keys + head + (i + u * TH) * V);
            else
                td_undef<K, V>(w[u]);
        }
#pragma unroll
        for (int u = 0; u < U; u++) vector(w[u], i + u * TH < whole);
    }
    const int64_t end = td_tid() < (int)head ? td_tid() : whole * V + td_tid();
    if (block == blocks - 1 && end < n) {
        td_word<K> w[1];
        td_ld<K, 1, 0>(w, keys + end);
        one(td_get<K>(w, 0));
    }
}

//@ portable td_count_args
template <class K> struct td_count_args {
    const K *keys;
    uint32_t *counts;         // of `bins`: numbers, or for a sort the digits of each pass
    uint32_t n, bins, window; // window: bins of a block
    int parts, copies;        // blocks that have all bins; counters of each bin in a block
    int blocks;
    uint32_t below; // of a sort: keys outside are `below`
    int bits, passes;
    int32_t *starts; // not NULL: the last block sums up
    uint32_t *done;
};
//@ portable td_count_global
// In global memory. Equal neighbours of a thread are counted together, and those of a warp that has one key alone.
template <class K> __device__ __forceinline__ void td_count_global(const td_count_args<K> &a) {
    typedef typename std::conditional<sizeof(K) == 8, uint64_t, uint32_t>::type U;
    constexpr int V = 16 / (int)sizeof(K);
    const auto add = [&](U key, uint32_t n) {
        if (key < a.bins) td_atomic_add(a.counts + key, n);
    };
    td_each_key<512, 4, K>(
        a.keys, a.n, td_block(), a.blocks,
        [&](const td_word<K> *w, bool there) {
            U key = (U)td_get<K>(w, 0);
            uint32_t n = 1;
            bool same = there;
#pragma unroll
            for (int e = 1; e < V; e++) {
                const U next = (U)td_get<K>(w, e);
                same &= next == key;
                if (next == key)
                    n++;
                else {
                    if (there) add(key, n);
                    key = next;
                    n = 1;
                }
            }
            same &= key == td_shfl_idx(key, 0);
            const bool one = td_match<1>(same) == 0xffffffffu && same;
            if (there && !one)
                add(key, n);
            else if (one && td_tid() % 32 == 0)
                add(key, 32 * V);
        },
        [&](td_arith<K> key) { add((U)key, 1); });
}
//@ portable td_count_shared
// In shared memory. DIGITS: those of all passes of a sort. Of keys of 8 bits all values have a counter, none is tested.
template <class K, bool DIGITS, int TH> __device__ __forceinline__ void td_count_shared(const td_count_args<K> &a) {
    typedef typename std::conditional<sizeof(K) == 8, uint64_t, uint32_t>::type U;
    constexpr bool bytes = sizeof(K) == 1 && !DIGITS;
    constexpr int V = 16 / (int)sizeof(K);
    const uint32_t first = bytes ? 0 : (uint32_t)(td_block() % a.parts) * a.window;
    const uint32_t bins = bytes ? 256 : a.bins - first < a.window ? a.bins - first : a.window;
    const uint32_t copies = bytes ? 32 : (uint32_t)a.copies;
    const td_sp<uint32_t> counts = td_shared<uint32_t>(0), own = counts + (td_tid() & (copies - 1));
    for (uint32_t i = (uint32_t)td_tid(); i < bins * copies; i += TH) td_shared_put(counts + i, 0);
    td_sync();
    const auto add = [&](td_arith<K> v) {
        if constexpr (bytes) {
            td_shared_count(own + 32 * (uint32_t)(uint8_t)v);
        } else if constexpr (DIGITS) {
            const uint32_t key = (U)v < a.below ? (uint32_t)v : a.below;
            for (int p = 0; p < a.passes; p++) {
                const uint32_t digit = key >> (p * a.bits) & ((1u << a.bits) - 1);
                td_shared_count(own + (((uint32_t)p << a.bits) + digit) * copies);
            }
        } else {
            const U bin = (U)v - first;
            if (bin < bins) td_shared_count(own + (uint32_t)bin * copies);
        }
    };
    td_each_key<TH, 4, K>(
        a.keys, a.n, td_block() / a.parts, a.blocks / a.parts,
        [&](const td_word<K> *w, bool there) {
            if (!there) return;
#pragma unroll
            for (int e = 0; e < V; e++) {
                if constexpr (bytes) // their place in one shift: 32 counters of 4 bytes are 1 << 7
                    td_shared_count(td_sp<uint32_t>(
                        td_sp<uint8_t>(own) + (int)((e % 4 ? w[e / 4] >> (e % 4 * 8 - 7) : w[e / 4] << 7) & 0x7f80u)));
                else
                    add(td_get<K>(w, e));
            }
        },
        add);
    td_sync();
    for (uint32_t b = (uint32_t)td_tid(); b < bins && first + b < a.bins; b += TH) {
        uint32_t sum = 0;
        for (uint32_t c = 0; c < copies; c++) // lanes begin at other banks
            sum += td_shared_get(counts + (b * copies + ((c + (b * copies >> 5)) & (copies - 1))));
        if (sum) td_atomic_add(a.counts + first + b, sum);
    }
}
//@ portable td_count_tile
// The starts of a tile of counts, which stand behind `before(sum of all of the tile)`.
template <class Before>
__device__ __forceinline__ void td_count_tile(const uint32_t *counts, int32_t *starts, uint32_t below, int64_t tile,
                                              td_sp<uint32_t> sums, Before before) {
    constexpr int V = 8;
    const int64_t first = (tile * 512 + td_tid()) * V;
    uint32_t v[V], all, sum = 0;
    int32_t w[V];
    td_load_n<0, uint32_t, V, 0>(v, counts + first, 0, (int64_t)below - first);
#pragma unroll
    for (int e = 0; e < V; e++) {
        v[e] = first + e < below ? v[e] : 0;
        sum += v[e];
    }
    sum = td_sum_before<16>(sums, sum, all);
    sum += before(all);
#pragma unroll
    for (int e = 0; e < V; e++) {
        w[e] = (int32_t)sum;
        sum += v[e];
    }
    td_store_n<0, int32_t, V, 0>(starts + first, w, 0, (int64_t)below + 1 - first);
}
//@ portable td_count
// HOW: 0 in global memory, 1 in shared memory, 2 the digits of a sort. A block whose counters leave no room for others has
// more threads.
template <class K, int HOW, int TH>
__global__ void __launch_bounds__(TH, TH > 512 ? 1 : 3) td_count(const __grid_constant__ td_count_args<K> a) {
    td_pdl_wait();
    td_pdl_launch();
    if constexpr (HOW == 0)
        td_count_global<K>(a);
    else
        td_count_shared<K, HOW == 2, TH>(a);
    if (!a.starts || !td_last_block((int *)a.done, a.blocks)) return;
    uint32_t sum = 0;
    for (int64_t tile = 0; tile * 4096 <= a.below; tile++)
        td_count_tile(a.counts, a.starts, a.below, tile, td_shared<uint32_t>(0), [&](uint32_t all) {
            const uint32_t before = sum;
            sum += all;
            return before;
        });
}

//@ portable td_count_sums_args
struct td_count_sums_args {
    const uint32_t *counts;
    int32_t *starts;
    uint32_t *ticket, *told;
    uint32_t below;
};
//@ portable td_count_earlier
// The sum over the tiles before one. A tile tells 1 more than its own sum, then 1 more than that of all up to it; lanes
// look at one each, from the nearest on.
static __device__ __forceinline__ uint32_t td_count_earlier(uint32_t *told, int64_t tile) {
    const int lane = td_tid() % 32;
    for (uint32_t sum = 0;; tile -= 32) {
        const int64_t t = tile - 1 - lane;
        uint32_t own = 0, all = t < 0;
        do {
            if (!all) own = td_told(told + 2 * t);
            if (!all) all = td_told(told + (2 * t + 1));
        } while (td_match<1>(own || all) != 0xffffffffu || !(own || all));
        const uint32_t same = td_match<1>(all != 0), known = all ? same : ~same;
        const uint32_t nearest = known & (0 - known);
        uint32_t v = nearest >> lane & 1 ? all - 1 : 1u << lane < nearest || !known ? own - 1 : 0;
#pragma unroll
        for (int d = 16; d; d /= 2) v += td_shfl_xor(v, d);
        sum += v;
        if (known) return sum;
    }
}
//@ portable td_count_sums
// The starts of many counts: each block a tile, in order.
static __global__ void __launch_bounds__(512, 3) td_count_sums(const __grid_constant__ td_count_sums_args a) {
    const td_sp<uint32_t> sums = td_shared<uint32_t>(0), tell = sums + 16;
    td_pdl_wait();
    td_pdl_launch();
    if (td_tid() == 0) td_shared_put(tell, td_ticket(a.ticket));
    td_sync();
    const int64_t tile = td_shared_get(tell);
    td_count_tile(a.counts, a.starts, a.below, tile, sums, [&](uint32_t all) {
        if (td_tid() < 32) {
            if (td_tid() == 0) td_tell(a.told + (2 * tile + !tile), all + 1);
            const uint32_t before = tile ? td_count_earlier(a.told, tile) : 0;
            if (td_tid() == 0 && tile) td_tell(a.told + (2 * tile + 1), before + all + 1);
            if (td_tid() == 0) td_shared_put(tell + 1, before);
        }
        td_sync();
        return td_shared_get(tell + 1);
    });
}

//@ portable td_count_launch
// Launches the counting of a.bins bins: how, by how many there are and what the device has. C: counters that every
// block may have.
template <class K, bool DIGITS, int C>
static cudaError_t td_count_launch(td_count_args<K> &a, int *launched, cudaStream_t stream) {
    enum { PARTS = 4 };            // blocks that read the same keys, at most
    enum { CHUNK = 4 * 512 * 16 }; // bytes that a block has under way
    static_assert(C >= 256 * 32, "keys of 8 bits have 32 counters for each value");
    int device = 0, sms = 0, most = 0;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (e != cudaSuccess) return e;
    const bool few = a.bins <= C, bytes = sizeof(K) == 1 && !DIGITS;
    const uint32_t room = few ? C : (uint32_t)(most - 1024) / 4;
    a.parts = few ? 1 : (int)((a.bins - 1) / room + 1);
    const bool shared = few || (a.parts <= PARTS && a.n >= a.bins);
    if (!shared) a.parts = 1;
    a.window = bytes ? 256 : (a.bins + (uint32_t)a.parts - 1) / (uint32_t)a.parts;
    a.copies = 1;
    while (a.copies < 32 && 2 * (uint32_t)a.copies * a.window <= C) a.copies *= 2;
    const int64_t chunks = ((int64_t)a.n * (int)sizeof(K) + CHUNK - 1) / CHUNK,
                  at_once = (few || !shared ? 3 : 1) * sms / a.parts;
    const int64_t groups = chunks < at_once ? chunks : at_once;
    a.blocks = (int)(groups < 1 ? 1 : groups) * a.parts;
    const size_t sums = 16 * 4, counters = shared ? 4 * (size_t)a.window * (size_t)a.copies : 0;
    if constexpr (!DIGITS && sizeof(K) > 1) {
        if (!shared) return td_launch(td_count<K, 0, 512>, a, (long long)a.blocks, 512, 1, sums, launched, stream);
    }
    if constexpr (!DIGITS && sizeof(K) > 1) {
        void (*const kernels[])(const td_count_args<K>) = {td_count<K, 1, 1024>};
        if (!few) e = td_prepare(kernels, counters, 1);
        if (e != cudaSuccess) return e;
        if (!few) return td_launch(kernels[0], a, (long long)a.blocks, 1024, 1, counters, launched, stream);
    }
    return td_launch(td_count<K, (DIGITS ? 2 : 1), 512>, a, (long long)a.blocks, 512, 1,
                     counters > sums ? counters : sums, launched, stream);
}
//@ portable td_counts
// `starts` receives for 0..=below how many of the keys, n of them, are less. C: counters that every block may have, and
// that the last one sums up by itself; T: counts of a tile.
template <class K, int C, int T>
static cudaError_t td_counts(const K *keys, int64_t n, int64_t below, int32_t *starts, uint32_t *scratch, int *launched,
                             cudaStream_t stream) {
    static_assert(T == 4096, "eight counts a thread");
    constexpr int bits = 8 * (int)sizeof(K) - std::is_signed<K>::value; // of keys that are not negative
    const int64_t tiles = below / T + 1;
    td_count_args<K> a = {};
    td_count_sums_args s = {};
    a.keys = keys;
    a.n = (uint32_t)n;
    a.bins = (uint32_t)(bits < 31 && below >> bits % 32 ? 1LL << bits % 32 : below);
    a.below = (uint32_t)below;
    a.counts = scratch;
    a.done = scratch + below;
    a.starts = below <= C ? starts : NULL;
    s.counts = scratch;
    s.starts = starts;
    s.ticket = a.done + 1;
    s.told = a.done + 2;
    s.below = a.below;
    cudaError_t e = cudaMemsetAsync(scratch, 0, (size_t)(below + 2 + 2 * tiles) * 4, stream);
    if (launched) *launched = 0;
    if (e == cudaSuccess) e = td_count_launch<K, false, C>(a, launched, stream);
    if (e == cudaSuccess && !a.starts)
        e = td_launch(td_count_sums, s, (long long)tiles, 512, 1, 18 * 4, launched, stream);
    return e;
}

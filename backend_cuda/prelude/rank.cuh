// Rows put in order, each by itself: which place of a row has its r-th element. An element is unsigned bits whose order
// is that of the values, and its place: no two are equal, so that the order is stable whatever sorts. One block sorts a
// short row in its registers. Where few of a long row's elements are wanted, a block goes through it (or several, each
// through a part) and keeps those that come before the last one it would keep. Other rows are sorted by digits, all of
// them at once (sort.cuh).

//@ portable td_rank_key
// Of NaN all bits, whichever way the order is; zeros are equal.
template <class T> struct td_rank_key {
    typedef T element;
    typedef typename std::conditional<(sizeof(T) > 4), uint64_t, uint32_t>::type word;
    static constexpr int bits = td_width<T>;
    static constexpr word sign = (word)1 << (bits - 1), all = sign - 1 + sign;
    word inverted; // all bits where the order is descending, else none
    static __device__ __forceinline__ word memory(const td_word<T> *w, int e) {
        word u = 0;
        if constexpr (bits < 32)
            u = (word)(w[e * bits / 32] >> (e * bits % 32)) & all;
        else
            memcpy(&u, &w[e], sizeof u);
        return u;
    }
    // The key, but for NaN, whose bits are taken as they are, and -0, which lies between +0 and the number before it:
    // less than a key of another element than zero where the key itself is.
    __device__ __forceinline__ word near(const td_word<T> *w, int e) const {
        word u = memory(w, e);
        if constexpr (!std::is_integral<T>::value)
            u ^= ((word)0 - (u >> (bits - 1)) | sign) & all;
        else if constexpr (std::is_signed<T>::value)
            u ^= sign;
        return u ^ inverted;
    }
    __device__ __forceinline__ word of(const td_word<T> *w, int e) const {
        if constexpr (!std::is_integral<T>::value) {
            const td_arith<T> v = td_get<T>(w, e);
            if (v != v) return all;
            if (memory(w, e) == sign) return sign ^ inverted;
        }
        return near(w, e);
    }
    __device__ __forceinline__ word operator()(const T *p) const {
        td_word<T> w[1];
        td_ld<T, 1, 0>(w, p);
        return of(w, 0);
    }
};
//@ portable td_ranked
// A key and its place behind it, as one number. Of narrow keys of short rows 32 bits hold both.
__extension__ typedef unsigned __int128 td_wide;
template <class T, bool LONG = true>
using td_ranked = typename std::conditional<
    (sizeof(T) > 4), td_wide, typename std::conditional<LONG || (sizeof(T) > 2), uint64_t, uint32_t>::type>::type;

//@ portable td_rank_inside td_rank_from td_rank_sort
// Puts the elements of a block of `threads` threads, a power of two, in order: thread t then has those from t * E on.
// Bitonic: each step compares elements at a distance that is a power of two, in a thread, a warp or, by way of `at`,
// which holds all of them, the block.
template <class C> __device__ __forceinline__ void td_rank_inside(C &a, C &b, bool up) {
    const C x = a, y = b;
    const bool swap = (y < x) == up;
    a = swap ? y : x;
    b = swap ? x : y;
}
template <class C> __device__ __forceinline__ C td_rank_from(C v, int lanes) {
    if constexpr (sizeof(C) <= 8) {
        return td_shfl_xor(v, lanes);
    } else {
        const uint64_t high = td_shfl_xor((uint64_t)(v >> 64), lanes), low = td_shfl_xor((uint64_t)v, lanes);
        return (C)high << 64 | low;
    }
}
template <class C, int E> __device__ __forceinline__ void td_rank_sort(C (&v)[E], td_sp<C> at, int threads) {
    const int t = td_tid();
#pragma unroll
    for (int k = 2; k < E; k *= 2) { // runs of k, up and down in turn
#pragma unroll
        for (int j = k / 2; j; j /= 2) {
#pragma unroll
            for (int i = 0; i < E; i++)
                if (!(i & j)) td_rank_inside(v[i], v[i + j], !(i & k));
        }
    }
    for (int k = 1; k <= threads; k *= 2) { // runs of k threads
        const bool up = !(t & k);
        int d = k / 2;
        for (; d >= 32; d /= 2) {
            const bool least = !(t & d) == up;
            td_sync();
#pragma unroll
            for (int i = 0; i < E; i++) td_shared_put(at + (i * threads + t), v[i]);
            td_sync();
#pragma unroll
            for (int i = 0; i < E; i++) {
                const C other = td_shared_get(at + (i * threads + (t ^ d)));
                v[i] = (other < v[i]) == least ? other : v[i];
            }
        }
        for (; d; d /= 2) {
            const bool least = !(t & d) == up;
#pragma unroll
            for (int i = 0; i < E; i++) {
                const C other = td_rank_from(v[i], d);
                v[i] = (other < v[i]) == least ? other : v[i];
            }
        }
#pragma unroll
        for (int j = E / 2; j; j /= 2) {
#pragma unroll
            for (int i = 0; i < E; i++)
                if (!(i & j)) td_rank_inside(v[i], v[i + j], up);
        }
    }
}

//@ portable td_rank_args
template <class T> struct td_rank_args {
    const T *keys;
    const td_ranked<T> *from; // what blocks of parts kept; NULL: keys are read
    td_ranked<T> *to;         // and where that goes; NULL: places go to `order`
    int32_t *order;
    uint32_t *totals;
    uint32_t n, kept; // elements of a row, and how many are wanted
    int64_t rows;
    int parts, threads; // threads: of a block, or of a row where a block has several
    td_rank_key<T> key;
};
//@ portable td_rank_element
template <class C, class T>
__device__ __forceinline__ C td_rank_element(const td_rank_args<T> &a, int64_t row, int64_t i) {
    if constexpr (std::is_same<C, td_ranked<T>>::value)
        if (a.from) return td_get_word(a.from + (row * a.n + i));
    return (C)a.key(a.keys + (row * a.n + i)) << (sizeof(C) > 4 ? 32 : 16) | (C)i;
}
//@ portable td_rank_best
// The first elements of the row up to `end`; v has them from `first` on, in order, as many as the block's registers hold.
template <class T, int E>
__device__ __forceinline__ void td_rank_best(const td_rank_args<T> &a, td_ranked<T> (&v)[E], td_sp<td_ranked<T>> at,
                                             int64_t row, int64_t first, int64_t end) {
    typedef td_ranked<T> C;
    constexpr int W = sizeof(T) > 2 ? 16 / (int)sizeof(T) : 8, U = 4; // elements of a load, loads under way
    const int t = td_tid(), all = a.threads * E;
    const td_sp<uint32_t> count = td_sp<uint32_t>(at + all);
    const T *const keys = a.keys + row * a.n;
    const int64_t begin = first + all;
    C limit = ~(C)0;
    const auto keep = [&]() {
        td_sync();
#pragma unroll
        for (int e = 0; e < E; e++)
            if ((uint32_t)(t * E + e) < a.kept) td_shared_put(at + (t * E + e), v[e]);
        if (t == 0) td_shared_put(count, a.kept);
        td_sync();
        limit = td_shared_get(at + (a.kept - 1));
    };
    const auto again = [&](uint32_t found) {
#pragma unroll
        for (int e = 0; e < E; e++) {
            const uint32_t s = (uint32_t)(e * a.threads + t);
            v[e] = s < found ? td_shared_get(at + s) : ~(C)0;
        }
        td_rank_sort<C, E>(v, at, a.threads);
    };
    if (begin >= end) return;
    keep();
    // Vectors begin where an access may.
    const int64_t cut = a.from ? 0 : (int64_t)((uintptr_t)(keys + begin) / sizeof(T) % W);
    for (int64_t i = begin - cut; i < end; i += (int64_t)a.threads * (U * W)) {
        uint64_t left = 0; // elements that may come before the limit
        td_word<T> w[U][td_words<T>(W)];
        const auto place = [&](int n) { return i + ((int64_t)(n / W) * a.threads + t) * W + n % W; };
#pragma unroll
        for (int u = 0; u < U; u++)
            if (!a.from) td_load_n<0, T, W, 0>(w[u], keys + place(u * W), begin - place(u * W), end - place(u * W));
#pragma unroll
        for (int n = 0; n < U * W; n++)
            if (a.from || a.key.near(w[n / W], n % W) < (typename td_rank_key<T>::word)(limit >> 32))
                left |= (uint64_t)1 << n;
        for (;;) {
            for (uint64_t these = left; these; these &= these - 1) {
                const int n = td_lowest(these);
                const int64_t p = place(n);
                const C c = begin <= p && p < end ? td_rank_element<C>(a, row, p) : ~(C)0;
                const uint32_t s = c < limit ? td_shared_ticket(count, 1) : 0;
                if (c < limit && s < (uint32_t)all) td_shared_put(at + s, c);
                if (!(c < limit && s >= (uint32_t)all)) left &= ~((uint64_t)1 << n);
            }
            td_sync();
            const uint32_t found = td_shared_get(count);
            td_sync();
            if (found <= (uint32_t)all) break;
            again((uint32_t)all);
            keep();
        }
    }
    again(td_shared_get(count));
}
//@ portable td_rank_rows
// A block has a part of a row: all of it in registers, E elements a thread; of a LONG one those that come first, of
// which no more are wanted than half of what the registers hold. It goes on through such a row with the last element
// that it would keep at hand, and takes in what comes before that; where there is no room it sorts what it has.
template <class T, int E, bool LONG>
__global__ void __launch_bounds__(LONG ? 256 : 512, LONG ? 3 : 2) td_rank_rows(const __grid_constant__ td_rank_args<T> a) {
    typedef td_ranked<T, LONG> C;
    const td_sp<C> at = td_shared<C>(0);
    const int64_t row = td_block() / a.parts, share = (a.n + (int64_t)a.parts - 1) / a.parts;
    const int64_t first = td_block() % a.parts * share, end = first + share < a.n ? first + share : a.n;
    const int t = td_tid();
    C v[E];
    td_pdl_wait();
    td_pdl_launch();
#pragma unroll
    for (int e = 0; e < E; e++) {
        const int64_t i = first + e * a.threads + t;
        v[e] = i < end ? td_rank_element<C>(a, row, i) : ~(C)0;
    }
    td_rank_sort<C, E>(v, at, a.threads);
    if constexpr (LONG) td_rank_best<T, E>(a, v, at, row, first, end);
#pragma unroll
    for (int e = 0; e < E; e++) {
        const uint32_t r = (uint32_t)(t * E + e);
        if (r >= a.kept) break;
        if constexpr (LONG) {
            if (a.to) {
                td_put_word(a.to + ((int64_t)td_block() * a.kept + r), v[e]);
                continue;
            }
        }
        td_put_word(a.order + (row * a.kept + r), (int32_t)(uint32_t)(v[e] & (sizeof(C) > 4 ? 0xffffffffu : 0xffffu)));
    }
}

//@ portable td_rank_few
// Rows of which few elements are wanted, each the work of some lanes of a warp, which find one after the other.
template <class T, int E>
__global__ void __launch_bounds__(256) td_rank_few(const __grid_constant__ td_rank_args<T> a) {
    typedef td_ranked<T, false> C;
    const int t = td_tid() % a.threads;
    const int64_t row = (int64_t)td_block() * (256 / a.threads) + td_tid() / a.threads;
    C v[E];
    td_pdl_wait();
    td_pdl_launch();
#pragma unroll
    for (int e = 0; e < E; e++) {
        const uint32_t i = (uint32_t)(e * a.threads + t);
        v[e] = row < a.rows && i < a.n ? td_rank_element<C>(a, row, i) : ~(C)0;
    }
    for (uint32_t r = 0; r < a.kept; r++) {
        C best = v[0];
#pragma unroll
        for (int e = 1; e < E; e++) best = v[e] < best ? v[e] : best;
        for (int d = 1; d < a.threads; d *= 2) {
            const C other = td_rank_from(best, d);
            best = other < best ? other : best;
        }
#pragma unroll
        for (int e = 0; e < E; e++) v[e] = v[e] == best ? ~(C)0 : v[e];
        if (row < a.rows && t == (int)(r % (uint32_t)a.threads))
            td_put_word(a.order + (row * a.kept + r), (int32_t)(uint32_t)(best & (sizeof(C) > 4 ? 0xffffffffu : 0xffffu)));
    }
}
//@ portable td_rank_count
// The digits of a row's keys, of all passes: a block's own in shared memory, then added to the row's.
template <class T> __global__ void __launch_bounds__(512) td_rank_count(const __grid_constant__ td_rank_args<T> a) {
    constexpr int digits = td_rank_key<T>::bits / 8 * 256;
    const td_sp<uint32_t> counts = td_shared<uint32_t>(0);
    const int64_t row = td_block() / a.parts;
    td_pdl_wait();
    td_pdl_launch();
    for (int d = td_tid(); d < digits; d += 512) td_shared_put(counts + d, 0);
    td_sync();
    for (int64_t i = (int64_t)(td_block() % a.parts) * 512 + td_tid(); i < a.n; i += (int64_t)a.parts * 512) {
        const auto key = a.key(a.keys + (row * a.n + i));
#pragma unroll
        for (int p = 0; p < td_rank_key<T>::bits; p += 8)
            td_shared_count(counts + (p * 32 + (int)((uint32_t)(key >> p) & 255u)));
    }
    td_sync();
    for (int d = td_tid(); d < digits; d += 512) {
        const uint32_t n = td_shared_get(counts + d);
        if (n) td_atomic_add(a.totals + (row * digits + d), n);
    }
}

//@ portable td_rank_in_passes
// All rows by their digits, T keys a tile of W warps. Lists of keys and places come first in `scratch`, then counts, which begin at 0.
template <class K, int T, int W>
static cudaError_t td_rank_in_passes(const td_rank_args<K> &r, int64_t rows, uint32_t *scratch, int *launched,
                                     cudaStream_t stream) {
    enum { BITS = 8, COUNTED = 16384 /* keys of a block that counts */ };
    typedef typename td_rank_key<K>::word U;
    const int passes = td_rank_key<K>::bits / BITS, lists = passes < 3 ? passes - 1 : 2;
    const int64_t all = rows * r.n;
    td_rank_args<K> c = r;
    td_sort_args<td_rank_key<K>> a = {};
    a.keys = r.keys;
    a.n = r.n;
    a.tiles = (r.n + T - 1) / T;
    a.rows = (uint32_t)rows;
    a.passes = passes;
    a.bits = BITS;
    a.key = r.key;
    U *const keys = (U *)scratch;
    int32_t *const places = (int32_t *)(keys + lists * all);
    a.totals = (uint32_t *)(places + lists * all);
    a.tickets = a.totals + (rows * passes << BITS);
    a.told = a.tickets + passes;
    const uint32_t *const end = a.told + (passes * rows * (int64_t)a.tiles << BITS);
    cudaError_t e = cudaMemsetAsync(a.totals, 0, (size_t)(end - a.totals) * 4, stream);
    if (launched) *launched = 0;
    c.totals = a.totals;
    c.parts = (int)((r.n + COUNTED - 1) / COUNTED);
    if (e == cudaSuccess)
        e = td_launch(td_rank_count<K>, c, (long long)rows * c.parts, 512, 1, (passes << BITS) * 4, launched, stream);
    for (a.pass = 0; a.pass < passes && e == cudaSuccess; a.pass++) {
        const bool last = a.pass + 1 == passes;
        a.from = a.to;
        a.from_order = a.pass ? a.order : NULL;
        a.to = last ? NULL : keys + a.pass % 2 * all;
        a.order = last ? r.order : places + a.pass % 2 * all;
        a.kept = last ? r.kept : r.n;
        e = td_sort_pass<td_rank_key<K>, BITS, T, W>(a, launched, stream);
    }
    return e;
}
//@ portable td_rank
// `order` receives, of each of `rows` rows of n keys, the places of those that come first, `kept` of them. S: elements
// of a row that one block sorts; F: how many others keep at most, P: elements of a part of a row, at least, B: parts of
// all rows, about; M: elements that parts of a row keep; T: keys of a tile, W: its warps; Q: elements that are
// found one by one at most, of short rows.
template <class K, int S, int F, int P, int B, int M, int T, int W, int Q>
static cudaError_t td_rank(const K *keys, int64_t rows, int64_t n, int64_t kept, bool descending, int32_t *order,
                           uint32_t *scratch, int *launched, cudaStream_t stream) {
    enum { E = 8, FEW = 2, L = 32 /* elements of a thread */, WARP = 32, LEAST = 256, ROOM = 32 /* of those that are kept */ };
    void (*const kernels[])(const td_rank_args<K>) = {td_rank_rows<K, E, false>, td_rank_rows<K, FEW, false>,
                                                         td_rank_rows<K, E, true>, td_rank_rows<K, FEW, true>};
    td_rank_args<K> a = {};
    a.keys = keys;
    a.order = order;
    a.n = (uint32_t)n;
    a.kept = (uint32_t)kept;
    a.rows = rows;
    a.parts = 1;
    if (descending) a.key.inverted = td_rank_key<K>::all;
    if (!rows || !kept) return cudaSuccess;
    if constexpr (Q > 0) {
        if (n <= L * WARP && kept <= Q) {
            const bool one = n <= E * WARP;
            void (*const few[])(const td_rank_args<K>) = {td_rank_few<K, E>, td_rank_few<K, L>};
            for (a.threads = 1; a.threads * (one ? E : L) < n;) a.threads *= 2;
            return td_launch(few[!one], a, (rows * a.threads + 255) / 256, 256, 1, 0, launched, stream);
        }
    }
    if (n > S && kept > F) return td_rank_in_passes<K, T, W>(a, rows, scratch, launched, stream);
    const bool longer = n > S;
    int64_t all = longer ? LEAST : FEW * WARP;
    while (longer ? all < 2 * F && all < ROOM * kept : all < n) all *= 2;
    const bool few = longer ? all == LEAST : all < LEAST;
    a.threads = (int)all / (few ? FEW : E);
    const size_t room = (size_t)all * sizeof(td_ranked<K>) + 16;
    static_assert(S <= 1 << 16, "16 bits hold a place in a row that a block sorts");
    cudaError_t e = cudaSuccess;
    if (room > 48 * 1024) e = td_prepare(kernels, room, 1);
    if (longer) {
        const int64_t parts = (n + P - 1) / P, most = (B + rows - 1) / rows, fit = M / kept;
        a.parts = (int)(parts < most ? parts < fit ? parts : fit : most < fit ? most : fit);
    }
    if (a.parts > 1) {
        a.to = (td_ranked<K> *)scratch;
        if (e == cudaSuccess)
            e = td_launch(kernels[2 * longer + few], a, (long long)rows * a.parts, a.threads, 1, room, launched, stream);
        a.from = a.to;
        a.to = NULL;
        a.n = (uint32_t)(a.parts * kept);
        a.parts = 1;
    }
    if (e != cudaSuccess) return e;
    return td_launch(kernels[2 * longer + few], a, (long long)rows, a.threads, 1, room, launched, stream);
}

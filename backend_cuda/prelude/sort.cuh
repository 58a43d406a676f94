// Keys put in order, stably: a radix sort from the lowest digit on. A pass writes each key and its number where the
// order of a digit has them. A block counts the digits of a tile of keys; where the tile's own begin it learns from the
// tiles before, each of which tells its counts first, then those of all up to it. Tiles are taken in order: those that
// are waited for run, or have run. What one block, or those of a cluster, can have in shared memory they sort in one
// launch. What a key is of an element says Key, a function whose results are Key::word; rows are sorted each by itself.

//@ portable td_sort_args
template <class Key> struct td_sort_args {
    const typename Key::element *keys;     // of the first pass
    const typename Key::word *from; // of those after it: keys, and their numbers
    const int32_t *from_order;
    typename Key::word *to; // keys and numbers go there; NULL: not wanted
    int32_t *order, *starts;
    uint32_t *totals, *tickets, *told;
    uint32_t n, kept, below, tiles; // of a row: keys, of which the first are written; tiles
    uint32_t rows;
    int pass, passes, bits;
    Key key;
};
//@ portable td_sort_key
// One outside of 0..below is `below`.
template <class K> struct td_sort_key {
    typedef K element;
    typedef uint32_t word;
    uint32_t below;
    __device__ __forceinline__ word operator()(const K *p) const {
        td_word<K> w[1];
        td_ld<K, 1, 0>(w, p);
        const uint64_t key = (uint64_t)(int64_t)td_get<K>(w, 0);
        return key < below ? (uint32_t)key : below;
    }
};
//@ portable td_sort_ranks
// How many keys of the same digit this warp has before each: in earlier rounds, which its counters have, and in lower
// lanes. What a tile lacks are the largest keys, behind all others.
template <int N, int B, class U>
__device__ __forceinline__ void td_sort_ranks(td_sp<uint32_t> counts, const U *key, uint32_t *rank, int shift,
                                              int bits, int rounds) {
    const uint32_t below = (1u << (td_tid() % 32)) - 1;
    for (int d = td_tid() % 32; d < 1 << bits; d += 32) td_shared_put(counts + d, 0);
    td_syncwarp();
#pragma unroll
    for (int i = 0; i < N; i++) // lanes of the same digit: nothing waits for another round
        if (i < rounds) rank[i] = td_match<B>((uint32_t)(key[i] >> shift) & ((1u << bits) - 1));
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (i >= rounds) break;
        const uint32_t digit = (uint32_t)(key[i] >> shift) & ((1u << bits) - 1), before = td_shared_get(counts + digit);
        const int lower = td_ones(rank[i] & below);
        td_syncwarp();
        if (!lower) td_shared_put(counts + digit, before + (uint32_t)td_ones(rank[i]));
        td_syncwarp();
        rank[i] = before + (uint32_t)lower;
    }
}
//@ portable td_sort_total
// How many keys of a digit the tile has; the warps' counters become how many those before have.
template <int W, int B> __device__ __forceinline__ uint32_t td_sort_total(td_sp<uint32_t> counts, int digit) {
    static_assert(W % 8 == 0, "eight loads under way");
    uint32_t total = 0, n[8];
    for (int first = 0; first < W; first += 8) {
        const td_sp<uint32_t> p = counts + ((first << B) + digit);
#pragma unroll
        for (int w = 0; w < 8; w++) n[w] = td_shared_get(p + (w << B));
#pragma unroll
        for (int w = 0; w < 8; w++) {
            td_shared_put(p + (w << B), total);
            total += n[w];
        }
    }
    return total;
}
//@ portable td_sort_put
// Keys of a tile to where they belong in it, which `rank` becomes; `counts` lies where they come to lie.
template <int N, class U>
__device__ __forceinline__ void td_sort_put(td_sp<U> keys, td_sp<uint32_t> counts, td_sp<uint32_t> begin, const U *key,
                                            uint32_t *rank, int shift, int bits, int rounds) {
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (i >= rounds) break;
        const uint32_t d = (uint32_t)(key[i] >> shift) & ((1u << bits) - 1);
        rank[i] += td_shared_get(begin + d) + td_shared_get(counts + d);
    }
    td_sync();
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (i >= rounds) break;
        td_shared_put(keys + rank[i], key[i]);
    }
}
//@ portable td_sort_earlier
// How many keys of a digit the tiles before this one have. A word that a tile tells is 0, its own count and 1, or that
// of all tiles up to it and T + 2.
template <int T> __device__ __forceinline__ uint32_t td_sort_earlier(uint32_t *told, uint32_t tile, int radix) {
    enum { L = 8 }; // words under way
    uint32_t sum = 0;
    for (int64_t t = (int64_t)tile - 1; t >= 0;) {
        uint32_t w[L];
#pragma unroll
        for (int i = 0; i < L; i++) w[i] = t >= i ? td_told(told + (t - i) * radix) : T + 2;
        bool waits = false;
#pragma unroll
        for (int i = 0; i < L; i++) {
            waits |= w[i] == 0;
            if (waits) continue;
            if (w[i] > T + 1) return sum + w[i] - (T + 2);
            sum += w[i] - 1;
            t--;
        }
    }
    return sum;
}

//@ portable td_sort_place
// One pass. A warp has its share of the tile of T keys, its lanes every 32nd key of that; a thread has one digit of B
// bits, or two. Numbers are loaded when keys have their places, so that a thread does not hold both; and the tiles before
// are asked after that, since most of them know more by then.
template <class Key, int B, int T, int W>
__global__ void __launch_bounds__(32 * W, (sizeof(typename Key::word) > 4 ? 16 : 32) / W) td_sort_place(const __grid_constant__ td_sort_args<Key> a) {
    typedef typename Key::word U;
    constexpr int N = T / (32 * W), D = 1 << B > 32 * W ? 2 : 1;
    static_assert(1 << B <= 2 * 32 * W && W << B <= T / 4 * ((int)sizeof(U) + 4),
                  "two digits a thread; counters lie where keys and numbers come later");
    const int warp = td_tid() / 32, lane = td_tid() % 32, radix = 1 << a.bits, shift = a.pass * a.bits;
    const td_sp<U> keys = td_shared<U>(0);
    const td_sp<uint32_t> numbers = td_sp<uint32_t>(keys + T), counts = td_sp<uint32_t>(keys), begin = numbers + T,
                          at = begin + (1 << B), sums = at + (1 << B);
    uint32_t rank[N], total[D] = {0}, of_all[D] = {0}, here = 0, whole = 0, sum;
    U key[N];
    td_pdl_wait();
    td_pdl_launch();
    if (td_tid() == 0) td_shared_put(sums + W, td_ticket(a.tickets + a.pass));
    td_sync();
    const uint32_t ticket = td_shared_get(sums + W), row = ticket / a.tiles, tile = ticket % a.tiles;
    const int64_t first = (int64_t)tile * T, mine = first + warp * (T / W) + lane, from = (int64_t)row * a.n,
                  to = (int64_t)row * a.kept;
#pragma unroll
    for (int i = 0; i < N; i++) {
        const int64_t n = mine + i * 32;
        key[i] = n >= a.n ? ~(U)0 : a.from ? td_get_word(a.from + (from + n)) : a.key(a.keys + (from + n));
    }
    td_sort_ranks<N, B>(counts + (warp << B), key, rank, shift, a.bits, N);
    td_sync();
    const int digit = D * td_tid();
    uint32_t *const told = a.told + (((int64_t)a.pass * a.rows + row) * a.tiles * radix + digit);
    const bool later = first + T < a.n; // there are tiles behind this one
#pragma unroll
    for (int h = 0; h < D; h++) {
        if (digit + h >= radix) continue;
        total[h] = td_sort_total<W, B>(counts, digit + h);
        if (later) td_tell(told + (int64_t)tile * radix + h, total[h] + (tile ? 1 : T + 2));
        of_all[h] = td_get_word(a.totals + ((((int64_t)row * a.passes + a.pass) << a.bits) + (digit + h)));
        here += total[h];
        whole += of_all[h];
    }
    here = td_sum_before<W>(sums, here, sum);
    whole = td_sum_before<W>(sums, whole, sum);
#pragma unroll
    for (int h = 0; h < D; h++) {
        const uint32_t n = of_all[h];
        if (digit + h < 1 << B) td_shared_put(begin + (digit + h), here);
        of_all[h] = whole - here;
        here += total[h];
        whole += n;
    }
    td_sync();
    td_sort_put<N>(keys, counts + (warp << B), begin, key, rank, shift, a.bits, N);
    uint32_t number[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        const int64_t n = mine + i * 32;
        number[i] = n < a.n && a.from_order ? (uint32_t)td_get_word(a.from_order + (from + n)) : (uint32_t)n;
    }
#pragma unroll
    for (int i = 0; i < N; i++) td_shared_put(numbers + rank[i], number[i]);
#pragma unroll
    for (int h = 0; h < D; h++) {
        const uint32_t d = (uint32_t)(digit + h);
        if (d >= (uint32_t)radix) continue;
        const uint32_t earlier = td_sort_earlier<T>(told + h, tile, radix);
        if (later && tile) td_tell(told + (int64_t)tile * radix + h, earlier + total[h] + (T + 2));
        if (a.starts && !tile && d <= a.below) td_put_word(a.starts + d, (int32_t)(of_all[h] + td_shared_get(begin + d)));
        td_shared_put(at + d, of_all[h] + earlier);
    }
    td_sync();
#pragma unroll
    for (int i = 0; i < N; i++) {
        const uint32_t n = (uint32_t)(i * 32 * W + td_tid());
        const U k = td_shared_get(keys + n);
        const uint32_t place = td_shared_get(at + ((uint32_t)(k >> shift) & (uint32_t)(radix - 1))) + n;
        if (first + n >= a.n) break;
        if (place >= a.kept) continue;
        if (a.to) td_put_word(a.to + (to + place), k);
        td_put_word(a.order + (to + place), (int32_t)td_shared_get(numbers + n));
    }
}

//@ portable td_sort_pass
template <class Key, int B, int T, int W>
static cudaError_t td_sort_pass(const td_sort_args<Key> &a, int *launched, cudaStream_t stream) {
    constexpr int bytes = ((int)sizeof(typename Key::word) + 4) * T + (8 << B) + 4 * W + 16;
    void (*const kernels[])(const td_sort_args<Key>) = {td_sort_place<Key, B, T, W>};
    const cudaError_t e = bytes > 48 * 1024 ? td_prepare(kernels, bytes, 1) : cudaSuccess;
    if (e != cudaSuccess) return e;
    return td_launch(kernels[0], a, (long long)a.rows * a.tiles, 32 * W, 1, bytes, launched, stream);
}
//@ portable td_sort_between
// Where each number up to `last` begins in n keys in order, of which get(i) is the i-th: the numbers between two that are
// neighbours begin at the second one, those behind the last key at n. Positions from..to, n + 1 in all, are the block's, a
// thread has every TH-th; where more numbers lie between a warp writes them, and where many do all threads, one place after the
// other: a warp waits for the two keys of a place, and others for theirs meanwhile. `wide` has room for a word more than there are
// such places.
template <int TH, class Get, class Put>
__device__ __forceinline__ void td_sort_between(uint32_t from, uint32_t to, uint32_t n, uint32_t last,
                                                td_sp<uint32_t> wide, Get get, Put put) {
    constexpr uint32_t FEW = 32, SOME = 2048; // that a thread writes by itself, and a warp
    constexpr uint32_t BY_ALL = 0x80000000u;  // of a place in `wide`
    const auto first = [&](uint32_t i) { return i ? get(i - 1) + 1 : 0; };
    const auto end = [&](uint32_t i) { return i < n ? get(i) + 1 : last + 1; };
    td_sync();
    if (td_tid() == 0) td_shared_put(wide, 0);
    td_sync();
    for (uint32_t i = from + (uint32_t)td_tid(); i < to; i += TH) {
        const uint32_t lo = first(i), hi = end(i), listed = hi > lo + FEW + SOME ? i | BY_ALL : i;
        for (uint32_t v = lo; v < hi && v < lo + FEW; v++) put(v, i);
        if (hi > lo + FEW) td_shared_put(wide + (1 + td_shared_ticket(wide, 1)), listed);
    }
    td_sync();
    const uint32_t many = td_shared_get(wide), lane = (uint32_t)td_tid() % 32;
    for (uint32_t k = (uint32_t)td_tid() / 32; k < many; k += TH / 32) {
        const uint32_t i = td_shared_get(wide + (1 + k));
        if (i & BY_ALL) continue;
        for (uint32_t v = first(i) + FEW + lane, hi = end(i); v < hi; v += 32) put(v, i);
    }
    for (uint32_t k = 0; k < many; k++) {
        const uint32_t listed = td_shared_get(wide + (1 + k)), i = listed & ~BY_ALL;
        if (!(listed & BY_ALL)) continue;
        for (uint32_t v = first(i) + FEW + (uint32_t)td_tid(), hi = end(i); v < hi; v += TH) put(v, i);
    }
}
//@ portable td_sort_starts
// How many of the keys in order are less than each number, up to `below`: a block of 256 threads has N positions.
template <class Key, int N>
__global__ void __launch_bounds__(256) td_sort_starts(const __grid_constant__ td_sort_args<Key> a) {
    const uint32_t from = (uint32_t)td_block() * N, to = a.n + 1 - from < N ? a.n + 1 : from + N;
    td_pdl_wait();
    td_pdl_launch();
    td_sort_between<256>(
        from, to, a.n, a.below, td_shared<uint32_t>(0), [&](uint32_t i) { return td_get_word(a.from + i); },
        [&](uint32_t v, uint32_t i) { td_put_word(a.starts + v, (int32_t)i); });
}

//@ portable td_sort_searched
// The same where numbers are many more than keys, or keys stand in order as they are given (GIVEN): a thread looks for one
// among them.
template <class Key, bool GIVEN>
__global__ void __launch_bounds__(256) td_sort_searched(const __grid_constant__ td_sort_args<Key> a) {
    const uint32_t v = (uint32_t)td_block() * 256 + (uint32_t)td_tid();
    td_pdl_wait();
    td_pdl_launch();
    if (v > a.below) return;
    uint32_t from = 0, to = a.n; // keys before `from` are less, those from `to` on are not
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2, key = GIVEN ? a.key(a.keys + middle) : td_get_word(a.from + middle);
        if (key < v)
            from = middle + 1;
        else
            to = middle;
    }
    td_put_word(a.starts + v, (int32_t)from);
}
//@ portable td_find
// `starts` receives for 0..=below how many of the keys, n of them that stand in order and none of which is negative, are less.
template <class K>
static cudaError_t td_find(const K *keys, int64_t n, int64_t below, int32_t *starts, int *launched, cudaStream_t stream) {
    td_sort_args<td_sort_key<K>> a = {};
    a.keys = keys;
    a.n = (uint32_t)n;
    a.key.below = a.below = (uint32_t)below;
    a.starts = starts;
    return td_launch(td_sort_searched<td_sort_key<K>, true>, a, (long long)(below / 256 + 1), 256, 1, 0, launched, stream);
}

//@ portable td_sort_few
// All passes by one block of W warps over at most T keys, or by the C blocks of a cluster at most, each with T; `to` receives the keys
// in order, or `starts` the starts, of at most S numbers. A block puts its keys in the order of a digit by itself. Those of a
// cluster then tell each other how many of each digit they have, and each sends its keys to the blocks that have them from then
// on: neighbours go to neighbours.
template <class Key, int B, int T, int W, int S, int C>
__global__ void __launch_bounds__(32 * W) td_sort_few(const __grid_constant__ td_sort_args<Key> a) {
    constexpr int TH = 32 * W, N = T / TH;
    static_assert(1 << B <= TH && N * TH == T, "a digit a thread");
    static_assert(S / 32 + 1 < T, "where many numbers lie between is listed where numbers of keys were");
    const uint32_t blocks = C > 1 ? a.tiles : 1, block = C > 1 ? (uint32_t)td_cluster_rank() : 0;
    const int rounds = (int)((a.n + TH * blocks - 1) / (TH * blocks)), radix = 1 << a.bits, warp = td_tid() / 32;
    const uint32_t share = (uint32_t)rounds * TH, first = block * share;
    const int mine = warp * rounds * 32 + td_tid() % 32;
    const td_sp<uint32_t> keys = td_shared<uint32_t>(0), numbers = keys + T, counts = numbers + T, begin = counts + (W << B);
    const td_sp<uint32_t> sums = begin + (1 << B), at = sums + W, told = at + (1 << B), edge = told + (C << B);
    uint32_t key[N], number[N], rank[N], all;
    td_pdl_wait();
    td_pdl_launch();
#pragma unroll
    for (int i = 0; i < N; i++) {
        const uint32_t n = first + (uint32_t)(mine + i * 32);
        key[i] = i < rounds && n < a.n ? a.key(a.keys + n) : 0xffffffffu;
    }
    if constexpr (C > 1) td_cluster_sync(); // all of them have begun
    for (int pass = 0; pass < a.passes; pass++) {
        const int shift = pass * a.bits;
        td_sort_ranks<N, B>(counts + (warp << B), key, rank, shift, a.bits, rounds);
        td_sync();
        const uint32_t total = td_tid() < radix ? td_sort_total<W, B>(counts, td_tid()) : 0;
        if constexpr (C > 1) {
            const td_word<uint32_t> w[1] = {total};
            for (uint32_t r = 0; r < blocks && td_tid() < radix; r++)
                td_cluster_sts<uint32_t, 1>(told + ((block << B) + td_tid()), (int)r, w);
        }
        const uint32_t before = td_sum_before<W>(sums, total, all);
        if (td_tid() < radix) td_shared_put(begin + td_tid(), before);
        td_sync();
        td_sort_put<N>(keys, counts + (warp << B), begin, key, rank, shift, a.bits, rounds);
#pragma unroll
        for (int i = 0; i < N; i++) {
            if (i >= rounds) break;
            number[i] = pass ? td_shared_get(numbers + (mine + i * 32)) : first + (uint32_t)(mine + i * 32);
        }
        td_sync();
#pragma unroll
        for (int i = 0; i < N; i++) {
            if (i >= rounds) break;
            td_shared_put(numbers + rank[i], number[i]);
        }
        td_sync();
        if constexpr (C > 1) {
#pragma unroll
            for (int i = 0; i < N; i++) {
                if (i >= rounds) break;
                key[i] = td_shared_get(keys + (i * TH + td_tid()));
                number[i] = td_shared_get(numbers + (i * TH + td_tid()));
            }
            td_cluster_sync(); // nobody has keys or numbers in shared memory
            uint32_t of_all = 0, earlier = 0;
            for (uint32_t r = 0; r < blocks && td_tid() < radix; r++) {
                const uint32_t n = td_shared_get(told + ((r << B) + td_tid()));
                if (r < block) earlier += n;
                of_all += n;
            }
            const uint32_t less = td_sum_before<W>(sums, of_all, all);
            if (td_tid() < radix) td_shared_put(at + td_tid(), less + earlier - before);
            td_sync();
#pragma unroll
            for (int i = 0; i < N; i++) {
                if (i >= rounds) break;
                const uint32_t n = td_shared_get(at + ((key[i] >> shift) & (uint32_t)(radix - 1))) +
                                   (uint32_t)(i * TH + td_tid());
                const uint32_t to = n / TH / (uint32_t)rounds, there = n - to * share;
                const td_word<uint32_t> k[1] = {key[i]}, v[1] = {number[i]};
                td_cluster_sts<uint32_t, 1>(keys + there, (int)to, k);
                td_cluster_sts<uint32_t, 1>(numbers + there, (int)to, v);
                if (there == share - 1 && to + 1 < blocks) td_cluster_sts<uint32_t, 1>(edge, (int)to + 1, k);
            }
            td_cluster_sync();
        }
        if (pass + 1 == a.passes) break;
#pragma unroll
        for (int i = 0; i < N; i++) {
            if (i >= rounds) break;
            key[i] = td_shared_get(keys + (mine + i * 32));
        }
        td_sync();
    }
    const uint32_t end = a.n - first < share ? a.n : first + share; // of the last blocks first is beyond a.n
    for (uint32_t i = first + (uint32_t)td_tid(); i < a.n && i < end; i += TH) {
        td_put_word(a.order + i, (int32_t)td_shared_get(numbers + (i - first)));
        if (a.to) td_put_word(a.to + i, td_shared_get(keys + (i - first)));
    }
    if (!a.starts || first > a.n) return;
    const uint32_t last = block + 1 < blocks && first + share <= a.n ? first + share : a.n + 1;
    td_sort_between<TH>(
        first, last, a.n, a.below, numbers,
        [&](uint32_t i) { return td_shared_get(i < first ? edge : keys + (i - first)); },
        [&](uint32_t v, uint32_t i) { td_put_word(a.starts + v, (int32_t)i); });
}

//@ portable td_sort_in_passes
// By many blocks. a.to then has the keys in order where there are several passes; a single one finds the starts.
template <class K, int B, int T, int W, int C>
static cudaError_t td_sort_in_passes(td_sort_args<td_sort_key<K>> &a, uint32_t *scratch, int *launched,
                                     cudaStream_t stream) {
    const int64_t tiles = ((int64_t)a.n + T - 1) / T, n = a.n;
    int32_t *const order = a.order;
    td_count_args<K> c = {};
    a.tiles = (uint32_t)(tiles < 1 ? 1 : tiles);
    a.totals = scratch;
    a.tickets = a.totals + (a.passes << a.bits);
    a.told = a.tickets + a.passes;
    uint32_t *const first = a.told + ((int64_t)a.passes << a.bits) * tiles, *const second = first + n;
    int32_t *const other = (int32_t *)(second + n);
    c.keys = a.keys;
    c.counts = a.totals;
    c.n = a.n;
    c.bins = (uint32_t)(a.passes << a.bits);
    c.below = a.below;
    c.bits = a.bits;
    c.passes = a.passes;
    cudaError_t e = cudaMemsetAsync(scratch, 0, (size_t)(first - scratch) * 4, stream);
    if (launched) *launched = 0;
    if (e == cudaSuccess) e = td_count_launch<K, true, C>(c, launched, stream);
    for (a.pass = 0; a.pass < a.passes && e == cudaSuccess; a.pass++) {
        a.from = a.to;
        a.from_order = a.pass ? a.order : NULL;
        a.to = a.passes == 1 ? NULL : a.pass % 2 ? second : first;
        a.order = (a.passes - 1 - a.pass) % 2 ? other : order;
        e = td_sort_pass<td_sort_key<K>, B, T, W>(a, launched, stream);
    }
    return e;
}
//@ portable td_sort
// `order` receives the numbers 0..n of the keys in their order, `starts` for 0..=below how many keys are less.
// B: bits of a digit at most, T: keys of a tile, W: its warps, C: counters that every block may have; FB, F, FW: the same of
// a block that sorts alone or in a cluster of FC, S: numbers whose starts it finds, G: how many times as many as keys these may be.
template <class K, int B, int T, int W, int C, int FB, int F, int FW, int FC, int S, int G>
static cudaError_t td_sort(const K *keys, int64_t n, int64_t below, int32_t *order, int32_t *starts, uint32_t *scratch,
                           int *launched, cudaStream_t stream) {
    const bool few = n <= (int64_t)FC * F, many = below > G * n;
    const int most = few ? FB : B;
    int bits = 1;
    while (bits < 31 && below >> bits) bits++;
    td_sort_args<td_sort_key<K>> a = {};
    cudaError_t e = cudaSuccess;
    a.keys = keys;
    a.n = a.kept = (uint32_t)n;
    a.rows = 1;
    a.key.below = a.below = (uint32_t)below;
    a.order = order;
    a.passes = (bits + most - 1) / most;
    a.bits = (bits + a.passes - 1) / a.passes;
    if (few || a.passes == 1) a.starts = few && (below > S || many) ? NULL : starts;
    if (few) {
        constexpr int bytes = 8 * F + ((4 + 4 * FW) << FB) + 4 * FW + (FC > 1 ? ((4 + 4 * FC) << FB) + 4 : 0);
        void (*const kernels[])(const td_sort_args<td_sort_key<K>>) = {td_sort_few<td_sort_key<K>, FB, F, FW, S, FC>};
        int blocks = 1;
        while (blocks < FC && n > 32 * FW * blocks) blocks *= 2;
        a.tiles = (uint32_t)blocks;
        a.to = a.starts ? NULL : scratch;
        e = td_prepare(kernels, bytes, blocks);
        if (e == cudaSuccess) e = td_launch(kernels[0], a, (long long)blocks, 32 * FW, blocks, bytes, launched, stream);
    } else
        e = td_sort_in_passes<K, B, T, W, C>(a, scratch, launched, stream);
    if (a.starts || e != cudaSuccess) return e;
    a.from = a.to;
    a.starts = starts;
    if (many) return td_launch(td_sort_searched<td_sort_key<K>, false>, a, (long long)(below / 256 + 1), 256, 1, 0, launched, stream);
    constexpr int N = 1024;
    return td_launch(td_sort_starts<td_sort_key<K>, N>, a, (long long)(n / N + 1), 256, 1, 4 * (N + 1), launched, stream);
}

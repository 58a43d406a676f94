// Keys put in order, stably: a radix sort from the lowest digit on. A pass writes each key and its number where the
// order of a digit has them. A block counts the digits of a tile of keys; where the tile's own begin it learns from the
// tiles before, each of which tells its counts first, then those of all up to it. Tiles are taken in order: those that
// are waited for run, or have run.

//@ portable td_sort_args
// B: bits of a digit at most; T: keys of a tile.
template <class K, int B, int T> struct td_sort_args {
    const K *keys;             // of the first pass
    const uint32_t *from;      // of those after it: keys, and their numbers
    const int32_t *from_order;
    uint32_t *to; // keys and numbers go there; NULL: not wanted
    int32_t *order, *starts;
    uint32_t *totals, *tickets, *told;
    uint32_t n, below;
    int pass, passes, bits, parts;
};
//@ portable td_sort_key
// One outside of 0..below is `below`.
template <class K> __device__ __forceinline__ uint32_t td_sort_key(const K *p, uint32_t below) {
    td_word<K> w[1];
    td_ld<K, 1, 0>(w, p);
    const uint64_t key = (uint64_t)(int64_t)td_get<K>(w, 0);
    return key < below ? (uint32_t)key : below;
}
//@ portable td_sort_get td_sort_put
// A word of global memory.
template <class T> __device__ __forceinline__ T td_sort_get(const T *p) {
    T w[1];
    td_ld<T, 1, 0>(w, p);
    return w[0];
}
template <class T> __device__ __forceinline__ void td_sort_put(T *p, T v) {
    const T w[1] = {v};
    td_st<T, 1, 0>(p, w);
}
//@ portable td_sort_read td_sort_write
// A word of shared memory.
static __device__ __forceinline__ uint32_t td_sort_read(td_sp<uint32_t> p) {
    uint32_t w[1];
    td_lds<uint32_t, 1>(w, p);
    return w[0];
}
static __device__ __forceinline__ void td_sort_write(td_sp<uint32_t> p, uint32_t v) {
    const uint32_t w[1] = {v};
    td_sts<uint32_t, 1>(p, w);
}
//@ portable td_sort_rank
// How many keys of this digit the warp has met before: in earlier rounds, which are counted, and in lower lanes. Lanes
// that are not `here` have no key.
static __device__ __forceinline__ uint32_t td_sort_rank(td_sp<uint32_t> counts, uint32_t digit, int bits, bool here) {
    const uint32_t peers = td_match(here ? digit : 1u << bits, bits + 1);
    const int lower = td_bits(peers & ((1u << (td_tid() % 32)) - 1));
    const uint32_t before = here ? td_sort_read(counts + digit) : 0;
    td_syncwarp();
    if (here && !lower) td_sort_write(counts + digit, before + (uint32_t)td_bits(peers));
    td_syncwarp();
    return before + (uint32_t)lower;
}
//@ portable td_sort_before
// The sum of v over the threads before this one of a block of 256; sums has 8 words.
static __device__ __forceinline__ uint32_t td_sort_before(td_sp<uint32_t> sums, uint32_t v) {
    uint32_t sum = v;
    for (int d = 1; d < 32; d *= 2) {
        const uint32_t lower = td_shfl_up(sum, d);
        if (td_tid() % 32 >= d) sum += lower;
    }
    td_sync();
    if (td_tid() % 32 == 31) td_sort_write(sums + td_tid() / 32, sum);
    td_sync();
    sum -= v;
    for (int w = 0; w < td_tid() / 32; w++) sum += td_sort_read(sums + w);
    return sum;
}

//@ portable td_sort_count
// The totals of each pass's digits. A block counts, in one pass, every so many of the keys.
template <class K, int B, int T>
__global__ void __launch_bounds__(256) td_sort_count(const __grid_constant__ td_sort_args<K, B, T> a) {
    const int warp = td_tid() / 32, lane = td_tid() % 32, pass = td_block() % a.passes, radix = 1 << a.bits;
    const td_sp<uint32_t> counts = td_shared<uint32_t>(0), own = counts + (warp << B);
    td_pdl_wait();
    for (int d = lane; d < radix; d += 32) td_sort_write(own + d, 0);
    td_syncwarp();
    for (int64_t i = (int64_t)(td_block() / a.passes) * 256 + warp * 32; i < a.n; i += (int64_t)a.parts * 256) {
        const bool here = i + lane < a.n;
        const uint32_t key = here ? td_sort_key(a.keys + i + lane, a.below) : 0;
        td_sort_rank(own, key >> (pass * a.bits) & (uint32_t)(radix - 1), a.bits, here);
    }
    td_sync();
    for (int d = td_tid(); d < radix; d += 256) {
        uint32_t sum = 0;
        for (int w = 0; w < 8; w++) sum += td_sort_read(counts + (w << B) + d);
        if (sum) td_atomic_add(a.totals + (pass << B) + d, sum);
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
// One pass. A warp has an eighth of the tile, its lanes every 32nd key of that; a thread has two digits.
template <class K, int B, int T>
__global__ void __launch_bounds__(256) td_sort_place(const __grid_constant__ td_sort_args<K, B, T> a) {
    constexpr int N = T / 256;
    static_assert(B <= 9 && (8 << B) <= 2 * T, "two digits a thread; counters lie where keys and numbers come later");
    const int warp = td_tid() / 32, lane = td_tid() % 32, radix = 1 << a.bits, shift = a.pass * a.bits;
    const td_sp<uint32_t> keys = td_shared<uint32_t>(0), numbers = keys + T, counts = keys + (warp << B);
    const td_sp<uint32_t> begin = keys + 2 * T, at = begin + (1 << B), sums = at + (1 << B);
    uint32_t key[N], number[N], rank[N], total[2];
    td_pdl_wait();
    if (td_tid() == 0) td_sort_write(sums + 8, td_ticket(a.tickets + a.pass));
    for (int d = lane; d < radix; d += 32) td_sort_write(counts + d, 0);
    td_sync();
    const uint32_t tile = td_sort_read(sums + 8);
    const int64_t first = (int64_t)tile * T, mine = first + warp * (T / 8);
#pragma unroll
    for (int i = 0; i < N; i++) {
        const int64_t n = mine + i * 32 + lane;
        key[i] = n >= a.n ? 0 : a.from ? td_sort_get(a.from + n) : td_sort_key(a.keys + n, a.below);
        number[i] = n < a.n && a.from_order ? (uint32_t)td_sort_get(a.from_order + n) : (uint32_t)n;
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        rank[i] = 0;
        if (mine + i * 32 >= a.n) continue;
        rank[i] = td_sort_rank(counts, key[i] >> shift & (uint32_t)(radix - 1), a.bits, mine + i * 32 + lane < a.n);
    }
    td_sync();
    uint32_t *const told = a.told + ((int64_t)a.pass * ((a.n + T - 1) / T) * radix + 2 * td_tid());
    const bool later = first + T < a.n; // there are tiles behind this one
#pragma unroll
    for (int h = 0; h < 2; h++) {
        total[h] = 0;
        if (2 * td_tid() + h >= radix) continue;
        for (int w = 0; w < 8; w++) {
            const td_sp<uint32_t> p = keys + (w << B) + (2 * td_tid() + h);
            const uint32_t n = td_sort_read(p);
            td_sort_write(p, total[h]);
            total[h] += n;
        }
        if (later) td_tell(told + (int64_t)tile * radix + h, total[h] + (tile ? 1 : T + 2));
    }
    const uint32_t here = td_sort_before(sums, total[0] + total[1]);
    uint32_t all[2] = {0, 0};
#pragma unroll
    for (int h = 0; h < 2; h++)
        if (2 * td_tid() + h < radix) all[h] = td_sort_get(a.totals + (a.pass << B) + (2 * td_tid() + h));
    const uint32_t whole = td_sort_before(sums, all[0] + all[1]);
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const uint32_t d = (uint32_t)(2 * td_tid() + h), of_tile = here + (h ? total[0] : 0), of_all = whole + (h ? all[0] : 0);
        if (d >= (uint32_t)radix) continue;
        if (a.starts && !tile && d <= a.below) td_sort_put(a.starts + d, (int32_t)of_all);
        const uint32_t earlier = td_sort_earlier<T>(told + h, tile, radix);
        if (later && tile) td_tell(told + (int64_t)tile * radix + h, earlier + total[h] + (T + 2));
        td_sort_write(begin + d, of_tile);
        td_sort_write(at + d, of_all + earlier - of_tile);
    }
    td_sync();
#pragma unroll
    for (int i = 0; i < N; i++) {
        const uint32_t d = key[i] >> shift & (uint32_t)(radix - 1);
        if (mine + i * 32 + lane < a.n) rank[i] += td_sort_read(begin + d) + td_sort_read(counts + d);
    }
    td_sync();
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (mine + i * 32 + lane >= a.n) continue;
        td_sort_write(keys + rank[i], key[i]);
        if (a.order) td_sort_write(numbers + rank[i], number[i]);
    }
    td_sync();
    for (int i = td_tid(); i < T && first + i < a.n; i += 256) {
        const uint32_t k = td_sort_read(keys + i);
        const uint32_t to = td_sort_read(at + (k >> shift & (uint32_t)(radix - 1))) + (uint32_t)i;
        if (a.to) td_sort_put(a.to + to, k);
        if (a.order) td_sort_put(a.order + to, (int32_t)td_sort_read(numbers + i));
    }
}

//@ portable td_sort_starts
// How many of the keys in order are less than each, and how many less than `below`.
template <class K, int B, int T>
__global__ void __launch_bounds__(256) td_sort_starts(const __grid_constant__ td_sort_args<K, B, T> a) {
    const int64_t v = (int64_t)td_block() * 256 + td_tid();
    uint32_t lo = 0, hi = a.n;
    td_pdl_wait();
    if (v > a.below) return;
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (td_sort_get(a.from + mid) < v) lo = mid + 1;
        else hi = mid;
    }
    td_sort_put(a.starts + v, (int32_t)lo);
}

//@ portable td_sort
// `order` receives the numbers 0..n of the keys in the order of the keys, `starts` for 0..=below how many keys are less.
// No order: the starts alone.
template <class K, int B, int T>
static cudaError_t td_sort(const K *keys, int64_t n, int64_t below, int32_t *order, int32_t *starts, uint32_t *scratch,
                           int *launched, cudaStream_t stream) {
    typedef td_sort_args<K, B, T> Args;
    const int64_t tiles = (n + T - 1) / T;
    int bits = 1;
    while (bits < 31 && below >> bits) bits++;
    const int passes = (bits + B - 1) / B;
    Args a = {};
    a.keys = keys;
    a.n = (uint32_t)n;
    a.below = (uint32_t)below;
    a.passes = passes;
    a.bits = (bits + passes - 1) / passes;
    a.parts = (int)(n < 256 * 256 ? (n + 255) / 256 : 256);
    a.totals = scratch;
    a.tickets = a.totals + (4 << B);
    a.told = a.tickets + 4;
    uint32_t *const first = a.told + (int64_t)(3 << B) * tiles, *const second = first + n;
    int32_t *const other = (int32_t *)(second + n);
    const int64_t cleared = (a.told - scratch) + (((int64_t)passes << a.bits) * tiles);
    cudaError_t e = cudaMemsetAsync(scratch, 0, (size_t)cleared * 4, stream);
    if (launched) *launched = 0;
    if (e == cudaSuccess)
        e = td_launch(td_sort_count<K, B, T>, a, (long long)passes * a.parts, 256, 1, 32 << B, launched, stream);
    for (a.pass = 0; a.pass < passes && e == cudaSuccess; a.pass++) {
        const bool last = a.pass + 1 == passes, even = (passes - 1 - a.pass) % 2 == 0;
        a.from = a.to;
        a.from_order = a.order;
        a.to = passes == 1 ? NULL : a.pass % 2 ? second : first;
        a.order = !order ? NULL : even ? order : other;
        a.starts = passes == 1 ? starts : NULL;
        const bool one = tiles < 1 || (last && !a.to && !order);
        e = td_launch(td_sort_place<K, B, T>, a, one ? 1LL : (long long)tiles, 256, 1, 8 * T + (8 << B) + 64, launched, stream);
    }
    a.from = a.to;
    a.starts = starts;
    if (e == cudaSuccess && passes > 1)
        e = td_launch(td_sort_starts<K, B, T>, a, (long long)(below / 256 + 1), 256, 1, 0, launched, stream);
    return e;
}

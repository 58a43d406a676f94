/* Sorts of the prelude against the host: keys of all types, at any address, uniform, equal, in and out of range; numbers
 * of keys and bounds beside every threshold at which they go about it otherwise. */
#include "test.h"
#include "portable.inc"
#include <algorithm>
#include <numeric>

/* What sched/kernel/sort.h says, but for few keys and the starts that they find: fewer, so that small sizes are beside their
 * thresholds too. */
enum { DIGIT = 9, TILE = 2048, WARPS = 8, COUNTERS = 8192, SUMS = 4096, GAPS = 8 };
enum { FEW_DIGIT = 8, FEW = 4096, FEW_WARPS = 32, FOUND = 300 };
enum { CLUSTER = 8, SHARE = 1024, SHARE_WARPS = 16, SHARE_FOUND = 2000 };
enum Way { COUNTED, ONE_BLOCK, ONE_CLUSTER }; // no order; who sorts few keys
static bool early = true;                     // kernels may start before those before them have ended

static uint64_t state = 1;
static uint64_t drawn() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state >> 33;
}

template <class K> static uint64_t place(K key, int64_t below) {
    const uint64_t v = uint64_t(int64_t(key));
    return v < uint64_t(below) ? v : uint64_t(below);
}

/* n keys from lo to hi, `off` elements behind an aligned address. */
template <class K> static void try_sort(size_t n, int64_t below, int64_t lo, int64_t hi, size_t off) {
    const size_t tiles = n / TILE + 1, counts = size_t(below);
    std::vector<K> keys(off + n);
    for (K &k : keys) k = K(lo + int64_t(drawn() % uint64_t(hi - lo + 1)));
    std::vector<int32_t> order(n), starts(counts + 1);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
        return place(keys[off + size_t(a)], below) < place(keys[off + size_t(b)], below);
    });
    for (size_t i = 0; i < n; i++)
        if (place(keys[off + i], below) < uint64_t(below)) starts[place(keys[off + i], below) + 1]++;
    for (size_t v = 0; v < counts; v++) starts[v + 1] += starts[v];
    Buf<K> k(keys);
    for (Way way : {COUNTED, ONE_BLOCK, ONE_CLUSTER}) {
        const bool ordered = way != COUNTED;
        Buf<int32_t> o(n), s(counts + 1);
        Buf<uint32_t> scratch(ordered ? 3 * n + (3u << DIGIT) * tiles + (3u << DIGIT) + 4
                                      : counts + 2 * (counts / SUMS + 1) + 2);
        int launched = 0;
        td_emu_reset();
        td_emu_seed(n % 4);
        const cudaError_t e =
            way == ONE_BLOCK
                ? td_sort<K, DIGIT, TILE, WARPS, COUNTERS, FEW_DIGIT, FEW, FEW_WARPS, 1, FOUND, GAPS>(
                      k.p + off, int64_t(n), below, o.p, s.p, scratch.p, early ? &launched : nullptr, nullptr)
            : way == ONE_CLUSTER
                ? td_sort<K, DIGIT, TILE, WARPS, COUNTERS, DIGIT, SHARE, SHARE_WARPS, CLUSTER, SHARE_FOUND, GAPS>(
                      k.p + off, int64_t(n), below, o.p, s.p, scratch.p, early ? &launched : nullptr, nullptr)
                : td_counts<K, COUNTERS, SUMS>(k.p + off, int64_t(n), below, s.p, scratch.p,
                                               early ? &launched : nullptr, nullptr);
        const bool right = e == cudaSuccess && !td_emu_errors() && s.get() == starts && (!ordered || o.get() == order);
        if (!right)
            printf("%zu keys of %zu bytes from %lld to %lld below %lld, %zu off, way %d: wrong, error %d, %d "
                   "reports\n",
                   n, sizeof(K), (long long)lo, (long long)hi, (long long)below, off, int(way), int(e),
                   td_emu_errors());
        CHECK(right);
    }
}

/* One call in five, of all types by turns; with TDC_EVERY=1 each. */
static bool turn() {
    static int turns;
    const char *every = getenv("TDC_EVERY");
    return (every && !strcmp(every, "1")) || turns++ % 5 == 0;
}

int main() {
    const size_t numbers[] = {
        0, 1, 2, 31, 33, 512, 513, 1025, FEW - 1, FEW, FEW + 1, CLUSTER * SHARE, CLUSTER * SHARE + 1};
    const int64_t bounds[] = {
        0, 1, 2, 255, 256, 257, FOUND, FOUND + 1, SHARE_FOUND, SHARE_FOUND + 1, COUNTERS, COUNTERS + 1, SUMS, SUMS + 1};
    for (size_t n : numbers) {
        if (turn()) try_sort<int32_t>(n, 700, -5, 800, n % 4);
        if (turn()) try_sort<uint8_t>(n, 256, 0, 255, n % 16);
        if (turn()) try_sort<int64_t>(n, 1 << 18, -9, 1 << 18, n % 2);
    }
    for (int64_t below : bounds) {
        if (turn()) try_sort<int16_t>(3000, below, -9, below + 9, 3);
        if (turn()) try_sort<uint32_t>(FEW + 77, below, 0, below + 9, 1);
        if (turn()) try_sort<int8_t>(300, below, -128, 127, 5);
        if (turn()) try_sort<uint8_t>(FEW + 5, below, 0, 255, 7);
    }
    for (int64_t same : {0, 77, 1000, 300000}) { // all keys equal
        if (turn()) try_sort<int32_t>(6000, 1000, same, same, 0);
        if (turn()) try_sort<uint64_t>(2500, 1000, same, same, 1);
        if (turn()) try_sort<uint16_t>(5000, 40000, same % 65536, same % 65536, 1);
        if (turn()) try_sort<int32_t>(300, 300000, same, same, 2);
    }
    if (turn()) try_sort<uint32_t>(9000, INT64_C(1) << 20, 0, UINT32_MAX, 0); // most keys are outside
    if (turn()) try_sort<int64_t>(6000, INT64_C(1) << 20, INT64_MIN / 2, INT64_MAX / 4, 0);
    early = false;
    td_emu_device(86); // less shared memory: several blocks count the same keys, each a part of the numbers
    if (turn()) try_sort<int32_t>(26000, 25088, 0, 25087, 0);
    if (turn()) try_sort<int32_t>(26000, 25089, -3, 25090, 3);
    if (turn()) try_sort<uint32_t>(60000, 60000, 0, 60100, 1);
    if (turn()) try_sort<int32_t>(20000, 25089, 0, 25089, 1); // fewer keys than numbers
    return finish();
}

/* Blocks of a cluster that send each other values with transaction barriers: right, and each with one thing wrong. */
#include "test.h"

struct args {
    float *y;
    int mode, ranks;
};
enum Mode {
    RIGHT,
    NO_WAIT,   // reads before the wait
    NO_EXPECT, // nobody expects the bytes
    ARRIVE,    // an arrival that expects none
    TOO_FEW,   // bytes expected
    TOO_MANY,
    NO_SYNC,    // nothing between the reads and the next send
    EARLY_SYNC, // the barrier comes before the reads
    NO_CLUSTER, // no barrier of the cluster at the start
    NO_FENCE,   // of the mbarriers
    LATE_INIT,  // mbarriers made after the cluster's barrier
    NO_INIT,
    LATE_EXPECT, // right: the bytes may come before they are expected
    SAME_CELLS,  // one buffer instead of two
    BAD_RANK,
    LOCAL_WRITE, // a thread of the target writes a cell
    ONE_MORE,    // a send that nobody waits for
};
static const int rows = 7;
static inline td_sp<uint64_t> bar(int i) { return td_shared<uint64_t>(8 * i); }

/* Sums of all ranks' values, a row each, in two turns. T: the type sent. WARP: blocks of one warp, ordered by its
 * barriers. */
template <class T, bool WARP> __global__ void exchange(const __grid_constant__ args a) {
    const int t = td_tid(), rank = td_cluster_rank(), bytes = a.ranks * int(sizeof(T));
    const td_sp<T> cells = td_shared<T>(64);
    const auto barrier = [] {
        if (WARP)
            td_syncwarp();
        else
            td_sync();
    };
    const auto init = [&] {
        if (t || a.mode == NO_INIT) return;
        td_mbar_init(bar(0), 1);
        td_mbar_init(bar(1), 1);
        if (a.mode != NO_FENCE) td_mbar_fence();
    };
    if (a.mode != LATE_INIT) init();
    if (a.mode == NO_CLUSTER)
        td_sync();
    else
        td_cluster_sync();
    if (a.mode == LATE_INIT) init(), td_sync();
    for (int i = 0; i < rows; i++) {
        const int turn = i & 1, parity = i >> 1 & 1;
        const td_sp<T> row = cells + (a.mode == SAME_CELLS ? 0 : turn * a.ranks);
        const auto expect = [&] {
            if (a.mode == ARRIVE)
                td_mbar_arrive(bar(turn));
            else if (a.mode != NO_EXPECT)
                td_mbar_expect(bar(turn), unsigned(bytes + (a.mode == TOO_FEW ? -4 : a.mode == TOO_MANY ? 4 : 0)));
        };
        if (t == 0 && a.mode != LATE_EXPECT) expect();
        if (t == 0)
            for (int to = 0; to < a.ranks; to++)
                td_cluster_send(row + rank, a.mode == BAD_RANK ? to + 1 : to, T(rank * 100 + i), bar(turn));
        if (t == 0 && a.mode == LATE_EXPECT) expect();
        if (a.mode != NO_WAIT) td_mbar_wait(bar(turn), unsigned(parity));
        if (a.mode == EARLY_SYNC) barrier();
        if (a.mode == LOCAL_WRITE && rank == 1 && t == 3) {
            const T zero[1] = {T(0)};
            td_sts<T, 1>(row, zero);
        }
        T sum = 0;
        for (int r = 0; r < a.ranks; r++) {
            T v;
            td_lds<T, 1>(&v, row + r);
            sum += v;
        }
        const float out[1] = {float(sum)};
        td_st<float, 1>(a.y + (rank * rows + i) * 64 + t, out);
        if (a.mode != NO_SYNC && a.mode != EARLY_SYNC) barrier();
    }
    if (a.mode == ONE_MORE && t == 0) td_cluster_send(cells, (rank + 1) % a.ranks, T(1), bar(1));
}
/* No barrier of the block: readers tell their sender through an mbarrier. mode: 1 they do so before they read */
__global__ void readers(const __grid_constant__ args a) {
    const int t = td_tid(), rank = td_cluster_rank();
    const td_sp<int> cells = td_shared<int>(64);
    if (t == 0) {
        td_mbar_init(bar(0), 1);
        td_mbar_init(bar(1), 1);
        td_mbar_init(bar(2), 64);
        td_mbar_fence();
    }
    td_cluster_sync();
    for (int i = 0; i < rows; i++) {
        const int turn = i & 1, parity = i >> 1 & 1;
        if (t == 0) {
            if (i) td_mbar_wait(bar(2), unsigned(i - 1) & 1);
            td_mbar_expect(bar(turn), unsigned(a.ranks) * 4);
            for (int to = 0; to < a.ranks; to++)
                td_cluster_send(cells + turn * a.ranks + rank, to, rank + i, bar(turn));
        }
        td_mbar_wait(bar(turn), unsigned(parity));
        if (a.mode == 1) td_mbar_arrive(bar(2));
        int v;
        td_lds<int, 1>(&v, cells + turn * a.ranks + t % a.ranks);
        CHECK(a.mode || v == t % a.ranks + i);
        if (a.mode != 1) td_mbar_arrive(bar(2));
    }
}
/* A send orders what the target overwrites, but it does not show it what the sender wrote before. mode: 1 it reads */
__global__ void handover(const __grid_constant__ args a) {
    if (td_tid() == 0) {
        td_mbar_init(bar(0), 1);
        td_mbar_fence();
    }
    td_cluster_sync();
    if (td_cluster_rank() == 0) {
        float v[1] = {1};
        if (a.mode) td_st<float, 1>(a.y + td_tid(), v);
        td_ld<float, 1>(v, a.y + td_tid());
        if (a.mode != 2) td_sync();
        if (td_tid() == 0) td_cluster_send(td_shared<float>(64), 1, v[0], bar(0));
    } else {
        if (td_tid() == 0) td_mbar_expect(bar(0), 4);
        if (td_tid() == 1) td_mbar_wait(bar(0), 0);
        td_sync();
        float v[1] = {2};
        if (a.mode == 1) td_ld<float, 1>(v, a.y + td_tid());
        td_st<float, 1>(a.y + td_tid(), v);
    }
}
/* Sends to a block whose threads have ended, or that ends with a value on the way. */
__global__ void ends(const __grid_constant__ args) {
    if (td_tid() == 0) {
        td_mbar_init(bar(0), 1);
        td_mbar_fence();
    }
    td_cluster_sync();
    if (td_cluster_rank() == 0 && td_tid() == 0) td_cluster_send(td_shared<float>(64), 1, 1.f, bar(0));
}
template <class T, bool WARP> static void sums(const char *name, int ranks, int mode) {
    Buf<float> y(size_t(ranks) * rows * 64);
    const int threads = WARP ? 32 : 64;
    right(name, [&] {
        const cudaError_t e =
            RUN((exchange<T, WARP>), (args{y.p, mode, ranks}), ranks, threads, ranks, 1024, 0)();
        const std::vector<float> v = y.get();
        for (int r = 0; r < ranks; r++)
            for (int i = 0; i < rows; i++)
                for (int t = 0; t < threads; t++)
                    CHECK(v[size_t((r * rows + i) * 64 + t)] == float(ranks * i + 50 * ranks * (ranks - 1)));
        return e;
    });
}
int main() {
    static const auto kernel = exchange<float, false>;
    CHECK(td_prepare({kernel}, 1024, 16) == cudaSuccess);
    for (int ranks : {1, 2, 4, 8, 16}) sums<float, false>("sums", ranks, RIGHT);
    for (int ranks : {1, 3, 8}) {
        sums<float, false>("sums, expected late", ranks, LATE_EXPECT);
        sums<double, false>("sums of doubles", ranks, RIGHT);
        sums<int32_t, true>("sums by one warp", ranks, RIGHT);
        sums<int64_t, true>("sums by one warp, expected late", ranks, LATE_EXPECT);
    }
    Buf<float> y(4 * rows * 64);
    y.zero();
    const auto with = [&](int mode) {
        return [&, mode] {
            return RUN((exchange<float, false>), (args{y.p, mode, 4}), 4, 64, 4, 1024, 0)();
        };
    };
    const auto warp = [&](int mode) {
        return [&, mode] {
            return RUN((exchange<float, true>), (args{y.p, mode, 4}), 4, 32, 4, 1024, 0)();
        };
    };
    wrong("reads before the wait", "async", with(NO_WAIT), "race uninitialised mbarrier cluster");
    wrong("no expect", "deadlock", with(NO_EXPECT));
    wrong("an arrival without bytes", "mbarrier", with(ARRIVE), "race uninitialised async deadlock cluster");
    wrong("too few bytes", "mbarrier", with(TOO_FEW), "race uninitialised async deadlock cluster");
    wrong("too many bytes", "deadlock", with(TOO_MANY));
    wrong("no barrier after the reads", "mbarrier", with(NO_SYNC), "race async deadlock");
    wrong("the barrier before the reads", "race", with(EARLY_SYNC), "async");
    wrong("no warp barrier after the reads", "mbarrier", warp(NO_SYNC), "race async deadlock");
    wrong("the warp barrier before the reads", "race", warp(EARLY_SYNC), "async");
    wrong("no barrier of the cluster", "cluster", with(NO_CLUSTER), "mbarrier deadlock");
    wrong("no fence of the mbarriers", "fence", with(NO_FENCE));
    wrong("mbarriers after the cluster's barrier", "mbarrier", with(LATE_INIT), "deadlock");
    wrong("no mbarriers", "mbarrier", with(NO_INIT), "uninitialised cluster");
    wrong("one buffer", "race", with(SAME_CELLS), "async");
    wrong("no such rank", "cluster", with(BAD_RANK), "deadlock");
    wrong("a local write of a cell", "race", with(LOCAL_WRITE));
    wrong("a send that nobody waits for", "async", with(ONE_MORE), "cluster race");
    const auto read = [&](int mode) {
        return [&, mode] { return RUN(readers, (args{y.p, mode, 4}), 4, 64, 4, 1024, 0)(); };
    };
    right("readers arrive", read(0));
    wrong("readers arrive before they read", "race", read(1), "async");
    const auto hand = [&](int mode) {
        return [&, mode] { return RUN(handover, (args{y.p, mode, 2}), 2, 64, 2, 1024, 0)(); };
    };
    right("overwrites what was read", hand(0));
    wrong("reads what was written", "race", hand(1));
    wrong("overwrites what may not have been read", "race", hand(2));
    const auto end = RUN(ends, (args{y.p, 0, 2}), 2, 64, 2, 1024, 0);
    for (unsigned long long seed : SEEDS) {
        td_emu_reset();
        td_emu_seed(seed);
        end();
        CHECK(td_emu_errors() == 1 && td_emu_errors_of("async") + td_emu_errors_of("cluster") == 1);
    }
    return finish();
}

/* Wrong accesses of shared and global memory, and right ones that look alike. */
#include "test.h"

struct args {
    float *x, *y;
    int *c;
    int64_t n;
};
static inline td_sp<float> sf(int i) { return td_shared<float>(0) + i; }
static inline float lds(int i) {
    float v;
    td_lds<float, 1>(&v, sf(i));
    return v;
}
static inline void sts(int i, float v) { td_sts<float, 1>(sf(i), &v); }
static inline float ld(const float *p) {
    float v;
    td_ld<float, 1>(&v, p);
    return v;
}
static inline void st(float *p, float v) { td_st<float, 1>(p, &v); }

/* OTHER: the lane or warp whose value is read; SYNC: 0 nothing, 1 warp, 2 block */
template <int OTHER, int SYNC> __global__ void exchange(const __grid_constant__ args a) {
    sts(td_tid(), float(td_tid()));
    if (SYNC == 1) td_syncwarp();
    if (SYNC == 2) td_sync();
    st(a.y + td_tid(), lds(td_tid() ^ OTHER));
}
template <bool SYNC> __global__ void read_then_write(const __grid_constant__ args a) {
    sts(td_tid(), 1);
    td_sync();
    st(a.y + td_tid(), lds(td_tid() ^ 32));
    if (SYNC) td_sync();
    sts(td_tid(), 2);
}
template <bool SYNC>
__global__ void broadcast_then_write(const __grid_constant__ args a) { // many readers, the writer is one of them
    if (td_tid() == 5) sts(0, 1);
    td_sync();
    st(a.y + td_tid(), lds(0));
    if (SYNC) td_sync();
    if (td_tid() == 5) sts(0, 2);
}
__global__ void bytes(const __grid_constant__ args a) { // neighbours in one word
    uint32_t w = uint32_t(td_tid() & 127);
    td_sts<int8_t, 1>(td_shared<int8_t>(0) + td_tid(), &w);
    td_sync();
    uint32_t v[1];
    if (td_tid() < 16) {
        td_lds<int8_t, 4>(v, td_shared<int8_t>(td_tid() * 4));
        st(a.y + td_tid(), float(td_get<int8_t>(v, 3)));
    }
}
__global__ void copies(const __grid_constant__ args a) { st(a.y + td_tid(), ld(a.x + td_tid())); }
__global__ void same_value(const __grid_constant__ args a) { st(a.y, 1); }
__global__ void blocks_overlap(const __grid_constant__ args a) { st(a.y + td_block() * 32 + td_tid(), 1); }
__global__ void neighbour_block(const __grid_constant__ args a) { // reads what another block of the launch writes
    st(a.y + td_block(), 1);
    if (td_block() == 1) st(a.x, ld(a.y));
}
__global__ void uninit_shared(const __grid_constant__ args a) {
    if (td_tid() < 32) sts(td_tid(), 1);
    td_sync();
    st(a.y + td_tid(), lds(td_tid() < 33 ? td_tid() : 0));
}
__global__ void uninit_global(const __grid_constant__ args a) { st(a.y + td_tid(), ld(a.x + td_tid())); }
__global__ void over(const __grid_constant__ args a) { st(a.y + a.n + td_tid(), 1); }
__global__ void misaligned(const __grid_constant__ args a) {
    float v[4];
    td_ld<float, 4>(v, a.x + 2);
}
__global__ void shared_misaligned(const __grid_constant__ args) {
    const float v[4] = {};
    td_sts<float, 4>(sf(2), v);
}
__global__ void shared_over(const __grid_constant__ args) { sts(td_tid() + 1, 1); }
template <bool PLAIN> __global__ void atomics(const __grid_constant__ args a) {
    if (PLAIN && td_tid() == 7) {
        const int v = 1;
        td_st<int, 1>(a.c, &v);
    } else
        td_atomic_add(a.c, 1);
}
__global__ void atomic_then_read(const __grid_constant__ args a) {
    td_atomic_max(a.c + td_block(), td_tid());
    if (a.n) td_sync();
    int v;
    td_ld<int, 1>(&v, a.c + td_block());
    st(a.y + td_block() * 64 + td_tid(), float(v));
}
/* BEFORE: the partial result is stored before td_last_block */
template <bool BEFORE, bool ALL> __global__ void split(const __grid_constant__ args a) {
    if (BEFORE && td_tid() == 3) st(a.y + td_block(), float(td_block()));
    const bool last = td_last_block(a.c, int(a.n));
    if (!BEFORE && td_tid() == 3) st(a.y + td_block(), float(td_block()));
    if ((last || (ALL && td_block() == 2)) && td_tid() == 40) {
        float s = 0;
        for (int i = 0; i < a.n; i++) s += ld(a.y + i);
        st(a.x, s);
        st(a.x + 1, float(td_block()));
    }
}
__global__ void two_stage(const __grid_constant__ args a) { // 4 groups of 3 blocks, then the 4 last ones
    st(a.y + td_block() * 64 + td_tid(), 1);
    const int g = td_block() % 4;
    if (!td_last_block(a.c + g, 3)) return;
    float s = 0;
    for (int i = 0; i < 3; i++) s += ld(a.y + (g + 4 * i) * 64 + td_tid());
    st(a.y + 1024 + g * 64 + td_tid(), s);
    if (!td_last_block(a.c + 4, 4)) return;
    for (int i = 0; i < 4; i++) s += ld(a.y + 1024 + i * 64 + (td_tid() ^ 33));
    for (int i = 0; i < 12; i++) s += ld(a.y + i * 64 + td_tid());
    st(a.x + td_tid(), s);
}
__global__ void masks(const __grid_constant__ args a) {
    float w[4];
    td_ld_n<float, 4>(w, a.x + 4 * td_tid(), -1, a.n - 4 * td_tid());
    td_st_n<float, 4>(a.y + 4 * td_tid(), w, 1, 3);
    if (td_tid() == 1) CHECK(w[0] == a.n - 2 && w[2] != w[2]);
}
/* Each thread its own half of a byte; or its neighbour's too. READ: the other half of its byte is read meanwhile. */
template <bool OWN, bool READ> __global__ void halves(const __grid_constant__ args a) {
    uint8_t *const p = reinterpret_cast<uint8_t *>(a.y);
    const int i = td_block() * 32 + td_tid();
    const uint32_t v = READ ? td_half_ld(p, i ^ 1) : 3;
    td_half_st(p, OWN ? i : i & ~1, v);
}
__global__ void half_and_byte(const __grid_constant__ args a) {
    uint8_t *const p = reinterpret_cast<uint8_t *>(a.y);
    const uint32_t v = 5;
    if (td_tid() == 9)
        td_st<uint8_t, 1>(p + 2, &v);
    else
        td_half_st(p, td_tid(), 3);
}
__global__ void half_read(const __grid_constant__ args a) {
    td_half_st(reinterpret_cast<uint8_t *>(a.x), td_tid(), td_half_ld(reinterpret_cast<uint8_t *>(a.x), td_tid()));
}
int main() {
    Buf<float> x(iota<float>(256)), y(2048), raw(64);
    Buf<int> c(std::vector<int>(8, 0));
    const args a = {x.p, y.p, c.p, 0};
    args b = a;
    right("exchange in a warp", RUN((exchange<1, 1>), a, 1, 64, 1, 256, 0));
    right("exchange in a block", RUN((exchange<32, 2>), a, 1, 64, 1, 256, 0));
    wrong("exchange in a warp, no barrier", "race", RUN((exchange<1, 0>), a, 1, 64, 1, 256, 0), "uninitialised");
    wrong("exchange in a block, no barrier", "race", RUN((exchange<32, 0>), a, 1, 64, 1, 256, 0), "uninitialised");
    wrong("exchange in a block, warp barrier", "race", RUN((exchange<32, 1>), a, 1, 64, 1, 256, 0), "uninitialised");
    right("write after read", RUN(read_then_write<true>, a, 1, 64, 1, 256, 0));
    wrong("write after read, no barrier", "race", RUN(read_then_write<false>, a, 1, 64, 1, 256, 0));
    right("write after broadcast", RUN(broadcast_then_write<true>, a, 1, 96, 1, 256, 0));
    wrong("write after broadcast, no barrier", "race", RUN(broadcast_then_write<false>, a, 1, 96, 1, 256, 0));
    wrong("the same in one warp", "race", RUN(broadcast_then_write<false>, a, 1, 32, 1, 256, 0));
    right("bytes", RUN(bytes, a, 1, 64, 1, 64, 0));
    wrong("equal values by a block", "race", RUN(same_value, a, 1, 64, 1, 0, 0));
    wrong("equal values by blocks", "race", RUN(same_value, a, 3, 1, 1, 0, 0));
    right("blocks apart", RUN(blocks_overlap, a, 8, 32, 1, 0, 0));
    wrong("blocks overlap", "race", RUN(blocks_overlap, a, 8, 33, 1, 0, 0));
    wrong("a neighbour block's result", "race", RUN(neighbour_block, a, 2, 1, 1, 0, 0));
    wrong("shared memory nobody wrote", "uninitialised", RUN(uninit_shared, a, 1, 64, 1, 256, 0));
    right("global memory the host wrote", RUN(uninit_global, a, 1, 64, 1, 0, 0));
    b.x = raw.p;
    wrong("global memory nobody wrote", "uninitialised", RUN(uninit_global, b, 1, 64, 1, 0, 0));
    b = a;
    for (int64_t n : {int64_t(2048 - 31), int64_t(-1), int64_t(1) << 40})
        b.n = n, wrong("outside an allocation", "bounds", RUN(over, b, 1, 32, 1, 0, 0));
    b.n = 2048 - 32;
    right("up to the end", RUN(over, b, 1, 32, 1, 0, 0));
    {
        float *gone;
        cudaMalloc(&gone, 4);
        cudaFree(gone);
        b.y = gone, b.n = 0;
        wrong("memory given back", "bounds", RUN(over, b, 1, 1, 1, 0, 0));
    }
    wrong("misaligned", "alignment", RUN(misaligned, a, 1, 1, 1, 0, 0));
    wrong("misaligned in shared memory", "alignment", RUN(shared_misaligned, a, 1, 1, 1, 64, 0));
    wrong("outside shared memory", "bounds", RUN(shared_over, a, 1, 32, 1, 128, 0));
    right("halves of bytes", RUN((halves<true, false>), a, 3, 32, 1, 0, 0));
    wrong("a half by two threads", "race", RUN((halves<false, false>), a, 1, 32, 1, 0, 0));
    wrong("a half that another thread writes", "race", RUN((halves<true, true>), a, 1, 32, 1, 0, 0));
    wrong("a half and its byte", "race", RUN(half_and_byte, a, 1, 32, 1, 0, 0));
    Buf<uint8_t> bytes7(7);
    b = a;
    b.x = reinterpret_cast<float *>(bytes7.p);
    wrong("a half that nobody wrote", "uninitialised", [&] {
        Buf<uint8_t> fresh(7);
        args f = a;
        f.x = reinterpret_cast<float *>(fresh.p);
        return RUN(half_read, f, 1, 14, 1, 0, 0)();
    });
    cudaMemset(bytes7.p, 0x21, 7);
    right("halves in place", RUN(half_read, b, 1, 14, 1, 0, 0));
    wrong("a half outside", "bounds", RUN(half_read, b, 1, 15, 1, 0, 0));
    for (uint8_t v : bytes7.get()) CHECK(v == 0x21);
    float host[4] = {1, 2, 3, 4}, out[4];
    td_emu_adopt(host, sizeof host, 1), td_emu_adopt(out, sizeof out, 0);
    b = {host, out, nullptr, 4};
    right("memory of the host", RUN(copies, b, 1, 4, 1, 0, 0));
    CHECK(out[3] == 4);
    td_emu_release(out), td_emu_adopt(out, sizeof out - 1, 0);
    wrong("outside memory of the host", "bounds", RUN(copies, b, 1, 4, 1, 0, 0));
    td_emu_release(host), td_emu_adopt(host, sizeof host, 0);
    wrong("memory of the host that nobody wrote", "uninitialised", RUN(copies, b, 1, 3, 1, 0, 0));
    td_emu_release(host), td_emu_release(out);
    right("atomics", RUN(atomics<false>, a, 4, 64, 1, 0, 0));
    wrong("an atomic and a store", "race", RUN(atomics<true>, a, 1, 64, 1, 0, 0));
    b = a;
    wrong("an atomic, then a read", "race", RUN(atomic_then_read, b, 2, 64, 1, 0, 0));
    b.n = 1;
    right("an atomic, a barrier, a read", RUN(atomic_then_read, b, 2, 64, 1, 0, 0));
    b.n = 9;
    int seen[9] = {};
    c.zero();
    right("the last block", [&] {
        const cudaError_t e = RUN((split<true, false>), b, 9, 64, 1, 0, 0)();
        const std::vector<float> v = x.get();
        CHECK(v[0] == 36);
        seen[int(v[1])] = 1;
        return e;
    });
    int differ = 0;
    for (int s : seen) differ += s;
    CHECK(differ >= 3); // by the seed
    c.zero();
    wrong("stored after the count", "race", RUN((split<false, false>), b, 9, 64, 1, 0, 0));
    c.zero();
    wrong("read by another block", "race", RUN((split<true, true>), b, 9, 64, 1, 0, 0));
    wrong("a counter never cleared", "counter", [&] {
        cudaMemset(c.p, 0x7f, 4);
        b.n = 4;
        return RUN((split<true, false>), b, 4, 64, 1, 0, 0)();
    });
    c.zero();
    right("two stages of last blocks", RUN(two_stage, a, 12, 64, 1, 0, 0));
    Buf<float> x2(iota<float>(7)), y2(8);
    b = {x2.p, y2.p, c.p, 7};
    b.n = 6;
    right("masks", RUN(masks, b, 1, 2, 1, 0, 0));
    CHECK(y2.get()[0] != y2.get()[0] && y2.get()[1] == 1);
    return finish();
}

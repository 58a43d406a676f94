/* Asynchronous copies: pipelines that are right, and each with one thing wrong. */
#include "test.h"

struct args {
    const float *x;
    float *y;
    int mode;
};
typedef td_sp<float> sp;
static inline td_sp<uint64_t> bar(int i) { return td_shared<uint64_t>(8 * i); }
static inline sp buf(int i) { return td_shared<float>(128 + i * 256); } // 64 floats each
static inline float lds(sp p) {
    float v;
    td_lds<float, 1>(&v, p);
    return v;
}
static inline void sts(sp p, float v) { td_sts<float, 1>(p, &v); }
static inline void st(float *p, float v) { td_st<float, 1>(p, &v); }

/* 16 threads copy, 64 read. mode: 1 no wait, 2 waits for too few, 3 no barrier, 4 overwritten too early, 5 in flight at
 * the end */
__global__ void cp_pipeline(const __grid_constant__ args a) {
    const int t = td_tid(), rows = 6;
    const auto copy = [&](int r) {
        if (r < rows && t < 16) td_cp_async<float, 4>(buf(r % 3) + 4 * t, a.x + r * 64 + 4 * t);
        td_cp_commit();
    };
    copy(0);
    copy(1);
    for (int r = 0; r < rows; r++) {
        if (a.mode == 2)
            td_cp_wait<2>();
        else if (a.mode != 1)
            td_cp_wait<1>();
        if (a.mode != 3) td_sync();
        st(a.y + r * 64 + t, lds(buf(r % 3) + (t ^ 33)));
        if (a.mode == 4 && r + 2 < rows)
            copy(r + 3);
        else
            copy(r + 2);
    }
    if (a.mode == 5 && t == 0) td_cp_async<float, 4>(buf(3), a.x);
}
/* One thread copies, all read, a block barrier a row. mode: 1 never waits, 2 wrong parity, 3 no expected bytes, 4 too
 * few, 5 no fence of the mbarrier, 6 no barrier after its init, 7 no barrier before refilling, 8 too many bytes
 * expected, 9 a misaligned copy */
__global__ void bulk_pipeline(const __grid_constant__ args a) {
    const int t = td_tid(), rows = 6;
    if (t == 0) {
        td_mbar_init(bar(0), 1);
        td_mbar_init(bar(1), 1);
        if (a.mode != 5) td_mbar_fence();
    }
    if (a.mode != 6) td_sync();
    const auto copy = [&](int r) {
        if (t || r >= rows) return;
        if (a.mode == 3)
            td_mbar_arrive(bar(r % 2));
        else
            td_mbar_expect(bar(r % 2), a.mode == 4 ? 128 : a.mode == 8 ? 272 : 256);
        if (a.mode == 9)
            td_bulk_load(buf(r % 2) + 1, a.x + r * 64, 240u, bar(r % 2));
        else
            td_bulk_load(buf(r % 2), a.x + r * 64, 256u, bar(r % 2));
    };
    copy(0);
    copy(1);
    for (int r = 0; r < rows; r++) {
        if (a.mode != 1) td_mbar_wait(bar(r % 2), unsigned(r / 2 & 1) ^ (a.mode == 2));
        st(a.y + r * 64 + t, lds(buf(r % 2) + (t ^ 33)));
        if (a.mode != 7) td_sync();
        copy(r + 2);
    }
}
/* A producer warp and two consumer warps, full and empty mbarriers, no block barrier. mode: 1 consumers do not arrive,
 * 2 the producer does not wait, 3 they arrive before they read, 4 one lane arrives for a warp without td_syncwarp */
__global__ void roles(const __grid_constant__ args a) {
    const int t = td_tid(), rows = 9, depth = 2;
    if (t == 0) {
        for (int i = 0; i < depth; i++) td_mbar_init(bar(i), 1), td_mbar_init(bar(depth + i), 2);
        td_mbar_fence();
    }
    td_sync();
    if (t >= 64) {
        if (t > 64) return;
        for (int r = 0; r < rows; r++) {
            if (r >= depth && a.mode != 2) td_mbar_wait(bar(depth + r % depth), unsigned(r / depth - 1) & 1);
            td_mbar_expect(bar(r % depth), 256);
            td_bulk_load(buf(r % depth), a.x + r * 64, 256u, bar(r % depth));
        }
        return;
    }
    for (int r = 0; r < rows; r++) {
        td_mbar_wait(bar(r % depth), unsigned(r / depth) & 1);
        if (a.mode == 3 && t % 32 == 0) td_mbar_arrive(bar(depth + r % depth));
        st(a.y + r * 64 + t, lds(buf(r % depth) + (t ^ 33)) + lds(buf(r % depth)) * 0);
        if (a.mode != 4) td_syncwarp();
        if (a.mode != 1 && a.mode != 3 && t % 32 == 0) td_mbar_arrive(bar(depth + r % depth));
    }
}
/* Results staged in two buffers. mode: 1 no fence, 2 fence after the barrier, 3 no barrier, 4 overwritten while read, 5
 * ends before it is read, 6 the result read before it is written, 7 a misaligned result */
__global__ void store_pipeline(const __grid_constant__ args a) {
    const int t = td_tid(), rows = 6;
    for (int r = 0; r < rows; r++) {
        if (t == 0 && a.mode != 4) td_bulk_wait_read<1>();
        td_sync();
        sts(buf(r % 2) + t, float(r * 64 + t));
        if (a.mode != 1 && a.mode != 2) td_async_fence();
        if (a.mode != 3) td_sync();
        if (a.mode == 2) td_async_fence();
        if (t == 0) {
            td_bulk_store(a.y + r * 64 + (a.mode == 7), buf(r % 2), 256);
            td_bulk_commit();
        }
    }
    if (t == 0 && a.mode != 5) td_bulk_wait_read<0>();
    if (a.mode == 6 && t == 0) {
        float v;
        td_ld<float, 1>(&v, a.y);
    }
}
/* Rows changed in place, each thread after its wait. mode: 1 before it; chained: only the thread that copies waits for
 * the kernel before */
__global__ void in_place(const __grid_constant__ args a) {
    const int t = td_tid();
    if (t == 0) {
        td_mbar_init(bar(0), 1);
        td_mbar_fence();
    }
    td_sync();
    if (t == 0) {
        td_pdl_wait();
        td_mbar_expect(bar(0), 256);
        td_bulk_load(buf(0), a.y, 256u, bar(0));
    }
    if (a.mode == 1 && t == 40) st(a.y + t, 1);
    td_mbar_wait(bar(0), 0);
    const float v = lds(buf(0) + t);
    td_pdl_wait();
    if (a.mode != 1 || t != 40) st(a.y + t, v + 1);
}
__global__ void no_init(const __grid_constant__ args) { td_mbar_arrive(bar(0)); }
__global__ void arrives_twice(const __grid_constant__ args) {
    td_mbar_init(bar(0), 1);
    td_mbar_fence();
    td_mbar_expect(bar(0), 256);
    td_mbar_arrive(bar(0));
}
__global__ void never_arrives(const __grid_constant__ args) {
    if (td_tid() == 0) {
        td_mbar_init(bar(0), 2);
        td_mbar_fence();
        td_mbar_arrive(bar(0));
    }
    td_sync();
    td_mbar_wait(bar(0), 0);
}
__global__ void ordinary_access(const __grid_constant__ args) {
    td_mbar_init(bar(0), 2);
    sts(td_shared<float>(4), 1);
}
__global__ void ends_in_flight(const __grid_constant__ args a) {
    td_mbar_init(bar(0), 1);
    td_mbar_fence();
    td_mbar_expect(bar(0), 256);
    td_bulk_load(buf(0), a.x, 256u, bar(0));
}
__global__ void
over_written(const __grid_constant__ args a) { // ordinary writes, then a bulk copy on top of them without a fence
    sts(buf(0) + td_tid(), 1);
    if (td_tid() == 0) {
        td_mbar_init(bar(0), 1);
        td_mbar_fence();
    }
    if (a.mode) td_async_fence();
    td_sync();
    if (td_tid() == 0) {
        td_mbar_expect(bar(0), 256);
        td_bulk_load(buf(0), a.x, 256u, bar(0));
    }
    td_mbar_wait(bar(0), 0);
}
int main() {
    Buf<float> x(iota<float>(1024)), y(1024);
    const unsigned shared = 128 + 4 * 256;
    const auto cp = [&](int mode) {
        return [&, mode] { return RUN(cp_pipeline, (args{x.p, y.p, mode}), 1, 64, 1, shared, 0)(); };
    };
    const auto bulk = [&](int mode) {
        return [&, mode] { return RUN(bulk_pipeline, (args{x.p, y.p, mode}), 1, 64, 1, shared, 0)(); };
    };
    const auto role = [&](int mode) {
        return [&, mode] { return RUN(roles, (args{x.p, y.p, mode}), 1, 96, 1, shared, 0)(); };
    };
    const auto store = [&](int mode) {
        return [&, mode] { return RUN(store_pipeline, (args{x.p, y.p, mode}), 1, 64, 1, shared, 0)(); };
    };
    const auto good = [&](int rows, int turn) {
        const std::vector<float> v = y.get();
        for (int i = 0; i < rows * 64; i++) CHECK(v[size_t(i)] == float(i ^ turn));
        cudaMemset(y.p, 0, 4096);
    };
    right("copies", cp(0));
    good(6, 33);
    wrong("copies: no wait", "async", cp(1), "race");
    wrong("copies: waits for too few", "async", cp(2), "race");
    wrong("copies: no barrier", "race", cp(3), "async uninitialised");
    wrong("copies: overwritten too early", "race", cp(4), "async uninitialised");
    wrong("copies: in flight at the end", "async", cp(5));
    right("bulk copies", bulk(0));
    good(6, 33);
    wrong("bulk copies: never waits", "async", bulk(1), "race mbarrier deadlock uninitialised");
    wrong("bulk copies: wrong parity", "async", bulk(2), "race mbarrier deadlock uninitialised");
    wrong("bulk copies: no expected bytes", "mbarrier", bulk(3), "async");
    wrong("bulk copies: too few expected bytes", "mbarrier", bulk(4));
    wrong("bulk copies: no fence of the mbarrier", "fence", bulk(5));
    wrong("bulk copies: no barrier after the mbarrier's init", "mbarrier", bulk(6),
          "race async uninitialised deadlock");
    wrong("bulk copies: refilled too early", "mbarrier", bulk(7), "race async deadlock");
    wrong("bulk copies: too many expected bytes", "deadlock", bulk(8));
    wrong("bulk copies: misaligned", "alignment", bulk(9), "deadlock");
    right("roles", role(0));
    good(9, 33);
    wrong("roles: consumers do not arrive", "deadlock", role(1));
    wrong("roles: the producer does not wait", "mbarrier", role(2), "race async deadlock");
    wrong("roles: arrives before it reads", "race", role(3), "async mbarrier");
    wrong("roles: no warp barrier before arriving", "race", role(4), "async mbarrier deadlock");
    right("bulk stores", store(0));
    good(6, 0);
    wrong("bulk stores: no fence", "fence", store(1));
    wrong("bulk stores: fence after the barrier", "fence", store(2));
    wrong("bulk stores: no barrier", "race", store(3), "fence async uninitialised");
    wrong("bulk stores: overwritten while read", "async", store(4));
    wrong("bulk stores: ends before it is read", "async", store(5));
    wrong("bulk stores: result read too early", "async", store(6));
    wrong("bulk stores: misaligned", "alignment", store(7));
    args a = {x.p, y.p, 0};
    right("in place", [&] {
        RUN(in_place, a, 1, 64, 1, shared, 0)();
        return RUN(in_place, a, 1, 64, 1, shared, 1)();
    });
    a.mode = 1;
    wrong("in place, too early", "race", RUN(in_place, a, 1, 64, 1, shared, 0));
    a.mode = 0;
    wrong("no mbarrier", "mbarrier", RUN(no_init, a, 1, 1, 1, shared, 0));
    wrong("too many arrivals", "mbarrier", RUN(arrives_twice, a, 1, 1, 1, shared, 0));
    wrong("too few arrivals", "deadlock", RUN(never_arrives, a, 1, 64, 1, shared, 0));
    wrong("ordinary access of an mbarrier", "mbarrier", RUN(ordinary_access, a, 1, 1, 1, shared, 0));
    wrong("ends with a bulk copy in flight", "async", RUN(ends_in_flight, a, 1, 1, 1, shared, 0));
    wrong("a bulk copy over ordinary writes", "fence", RUN(over_written, a, 1, 64, 1, shared, 0));
    a.mode = 1;
    right("the same with a fence", RUN(over_written, a, 1, 64, 1, shared, 0));
    return finish();
}

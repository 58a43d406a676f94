/* The prelude on the CPU: what a kernel calls. Each memory access asks the runtime (runtime.cpp) first, which checks it
 * and gives the address; a refused access reads poison and writes nothing. */
#ifndef TD_EMU_H
#define TD_EMU_H
#include <string.h>
#ifdef TD_EXACT_BITS
#include "td_exact.h" // in place of floats and of functions of them
#endif
#include "td_half.h"
#include "td_math.h"
#include "td_small.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)

/* What a kernel may know of the thread that runs. */
struct td_emu_thread {
    int tid, threads, block, rank;
};
extern td_emu_thread *td_emu_self;

bool td_emu_read(const void *p, unsigned bytes, unsigned align);
bool td_emu_write(void *p, unsigned bytes, unsigned align);
bool td_emu_atomic(void *p, unsigned bytes);
bool td_emu_half(const void *p, int high, bool write); // one half of a byte, apart from the other
const void *td_emu_shared_read(unsigned off, unsigned bytes, unsigned align);
void *td_emu_shared_write(unsigned off, unsigned bytes, unsigned align, int rank); // rank -1: this block
void *td_emu_shared_atomic(unsigned off, unsigned bytes);
uint64_t td_emu_shuffle(uint64_t v, int kind,
                        int arg); // kind 0 xor, 1 up, 2 down, 3 idx, 4: the lanes that have this value
void td_emu_cp_async(unsigned off, const void *p, unsigned bytes);
void td_emu_cp_wait(int n);
void td_emu_mbar_init(unsigned off, int count);
void td_emu_mbar_arrive(unsigned off, unsigned expected);
void td_emu_mbar_wait(unsigned off, unsigned parity);
void td_emu_bulk_load(unsigned off, const void *p, unsigned bytes, unsigned mbar);
void td_emu_cluster_send(unsigned off, int rank, uint64_t value, unsigned bytes, unsigned mbar);
void td_emu_bulk_store(void *p, unsigned off, unsigned bytes);
void td_emu_bulk_wait(int n, bool read_only);
struct td_emu_launch_args {
    const char *text, *signature; // of the launch, for reports
    const void *kernel;
    void (*run)(const void *); // runs the kernel of call in one thread
    const void *call;
    long long grid;
    int threads, cluster;
    size_t shared_bytes;
    int chained;
    cudaStream_t stream;
    size_t args_bytes; // of what call, {kernel, arguments}, points to
};
cudaError_t td_emu_launch(const td_emu_launch_args &l);

/* ---- registers ---- */
template <class T> struct td_emu_type { typedef T arith; };
template <> struct td_emu_type<td_f16> { typedef float arith; };
template <> struct td_emu_type<td_bf16> { typedef float arith; };
template <> struct td_emu_type<int8_t> { typedef int arith; };
template <> struct td_emu_type<int16_t> { typedef int arith; };
template <> struct td_emu_type<uint8_t> { typedef int arith; };
template <> struct td_emu_type<uint16_t> { typedef int arith; };
template <> struct td_emu_type<td_f8e4m3> { typedef float arith; };
template <> struct td_emu_type<td_f8e5m2> { typedef float arith; };
template <> struct td_emu_type<td_i4> { typedef int arith; };
template <> struct td_emu_type<td_u4> { typedef int arith; };
template <class T> using td_arith = typename td_emu_type<T>::arith;
template <class T> using td_word = typename std::conditional<(sizeof(T) < 4), uint32_t, T>::type;
template <class T> struct td_width_of { static constexpr int bits = 8 * int(sizeof(T)); };
template <class T> constexpr int td_width = td_width_of<T>::bits;
template <> struct td_width_of<td_i4> { static constexpr int bits = 4; };
template <> struct td_width_of<td_u4> { static constexpr int bits = 4; };
template <class T> constexpr int td_words(int n) { return sizeof(T) < 4 ? (n * td_width<T> + 31) / 32 : n; }

template <class T> inline td_arith<T> td_get(const td_word<T> *w, int i) {
    if constexpr (std::is_same<T, bool>::value)
        return reinterpret_cast<const unsigned char *>(w)[i] != 0;
    else if constexpr (td_width<T> == 4)
        return T::value(w[i / 8] >> i % 8 * 4 & 15u);
    else {
        T t;
        memcpy(&t, reinterpret_cast<const char *>(w) + i * int(sizeof(T)), sizeof(T));
        return td_arith<T>(t);
    }
}
template <class T> inline void td_put(td_word<T> *w, int i, td_arith<T> v) {
    if constexpr (td_width<T> == 4)
        w[i / 8] = (w[i / 8] & ~(15u << i % 8 * 4)) | (uint32_t(v) & 15u) << i % 8 * 4;
    else {
        const T t = T(v);
        memcpy(reinterpret_cast<char *>(w) + i * int(sizeof(T)), &t, sizeof(T));
    }
}
template <class T, int V> inline void td_pack(td_word<T> *w, const td_arith<T> *src) {
    for (int i = 0; i < V; i++) td_put<T>(w, i, src[i]);
}
template <class T> inline td_arith<T> td_round(td_arith<T> v) {
    if constexpr (td_width<T> == 4)
        return T::value(uint32_t(v) & 15u);
    else
        return td_arith<T>(T(v));
}

/* A register tile nobody has written: NaN for floats, 0x7f in each byte of integers. */
template <class T, int V> inline void td_undef(td_word<T> *w) {
    memset(w, std::is_integral<T>::value ? 0x7f : 0xff, sizeof(td_word<T>) * size_t(td_words<T>(V)));
}
/* The alignment that an access of this many bytes needs: its largest power of two, up to 16. */
constexpr unsigned td_emu_align(unsigned bytes) { return (bytes & (0u - bytes)) < 16 ? bytes & (0u - bytes) : 16; }

/* ---- global memory ---- */
template <class T, int V, int H = 0> inline void td_ld(td_word<T> *w, const T *p) {
    constexpr unsigned bytes = V * sizeof(T);
    if (bytes % 4 || sizeof(T) > 4) td_undef<T, V>(w);
    if (td_emu_read(p, bytes, td_emu_align(bytes)))
        memcpy(w, p, bytes);
    else
        td_undef<T, V>(w);
}
template <class T, int V, int H = 0> inline void td_st(T *p, const td_word<T> *w) {
    constexpr unsigned bytes = V * sizeof(T);
    if (td_emu_write(p, bytes, td_emu_align(bytes))) memcpy(p, w, bytes);
}
template <class T, int V, int H = 0> inline void td_ld_each(td_word<T> *w, const T *p, long long lo, long long hi) {
    td_undef<T, V>(w);
    if (lo < 0) lo = 0;
    if (hi > V) hi = V;
    if (lo >= hi) return;
    const unsigned bytes = unsigned(hi - lo) * unsigned(sizeof(T));
    if (td_emu_read(p + lo, bytes, sizeof(T)))
        memcpy(reinterpret_cast<char *>(w) + size_t(lo) * sizeof(T), p + lo, bytes);
}
template <class T, int V, int H = 0> inline void td_st_each(T *p, const td_word<T> *w, long long lo, long long hi) {
    if (lo < 0) lo = 0;
    if (hi > V) hi = V;
    if (lo >= hi) return;
    const unsigned bytes = unsigned(hi - lo) * unsigned(sizeof(T));
    if (td_emu_write(p + lo, bytes, sizeof(T)))
        memcpy(p + lo, reinterpret_cast<const char *>(w) + size_t(lo) * sizeof(T), bytes);
}
template <int N, int H> inline void td_ld_piece(uint32_t *w, const char *p, int from, int to) {
    memset(w, 0xff, N);
    if (from >= to) return;
    if (td_emu_read(p + from, unsigned(to - from), 1) && uintptr_t(p) % N == 0)
        memcpy(reinterpret_cast<char *>(w) + from, p + from, size_t(to - from));
}
inline uint32_t td_half_ld(const uint8_t *p, int64_t i) {
    return td_emu_half(p + (i >> 1), int(i & 1), false) ? uint32_t(p[i >> 1]) >> (4 * (i & 1)) & 15u : 15u;
}
inline void td_half_st(uint8_t *p, int64_t i, uint32_t v) {
    if (!td_emu_half(p + (i >> 1), int(i & 1), true)) return;
    const int at = 4 * int(i & 1);
    p[i >> 1] = uint8_t((p[i >> 1] & ~(15u << at)) | (v & 15u) << at);
}
template <class T, int V, int H = 0> inline void td_ld_n(td_word<T> *w, const T *p, long long lo, long long hi) {
    if (lo <= 0 && hi >= V)
        td_ld<T, V, H>(w, p);
    else
        td_ld_each<T, V, H>(w, p, lo, hi);
}
template <class T, int V, int H = 0> inline void td_st_n(T *p, const td_word<T> *w, long long lo, long long hi) {
    if (lo <= 0 && hi >= V)
        td_st<T, V, H>(p, w);
    else
        td_st_each<T, V, H>(p, w, lo, hi);
}
template <class T> inline T td_atomic_add(T *p, T v) {
    if (!td_emu_atomic(p, sizeof(T))) return v;
    const T old = *p;
    if constexpr (std::is_integral<T>::value) {
        typedef typename std::make_unsigned<T>::type U; // wraps
        *p = T(U(old) + U(v));
    } else
        *p = T(old + v);
    return old;
}
template <class T, int V> inline void td_atomic_adds(T *p, const td_word<T> *w) {
    if (!td_emu_atomic(p, V * sizeof(T))) return;
    for (int e = 0; e < V; e++) p[e] += w[e];
}
template <class T> inline T td_atomic_max(T *p, T v) {
    if (!td_emu_atomic(p, sizeof(T))) return v;
    const T old = *p;
    *p = td_max(old, v);
    return old;
}
template <class T> inline T td_atomic_min(T *p, T v) {
    if (!td_emu_atomic(p, sizeof(T))) return v;
    const T old = *p;
    *p = td_min(old, v);
    return old;
}

/* ---- shared memory ---- */
template <class T> struct td_sp {
    unsigned off;
    td_sp() = default;
    explicit td_sp(unsigned o) : off(o) {}
    template <class U> explicit td_sp(td_sp<U> o) : off(o.off) {}
    td_sp operator+(long long i) const { return td_sp(unsigned(off + i * (long long)sizeof(T))); }
    td_sp operator-(long long i) const { return *this + -i; }
    td_sp &operator+=(long long i) { return *this = *this + i; }
};
template <class T> inline td_sp<T> td_shared(long long byte_offset) { return td_sp<T>(unsigned(byte_offset)); }
template <class T> inline int td_shared_index(td_sp<T> p) { return int(p.off / sizeof(T)); }

template <class T, int V> inline void td_lds(td_word<T> *w, td_sp<T> p) {
    constexpr unsigned bytes = V * sizeof(T);
    const void *a = td_emu_shared_read(p.off, bytes, td_emu_align(bytes));
    if (bytes % 4 || !a) td_undef<T, V>(w);
    if (a) memcpy(w, a, bytes);
}
template <class T, int V> inline void td_sts(td_sp<T> p, const td_word<T> *w) {
    constexpr unsigned bytes = V * sizeof(T);
    if (void *a = td_emu_shared_write(p.off, bytes, td_emu_align(bytes), -1)) memcpy(a, w, bytes);
}
template <class T, int V> inline void td_cluster_sts(td_sp<T> p, int rank, const td_word<T> *w) {
    constexpr unsigned bytes = V * sizeof(T);
    if (void *a = td_emu_shared_write(p.off, bytes, td_emu_align(bytes), rank)) memcpy(a, w, bytes);
}
inline uint32_t td_shared_ticket(td_sp<uint32_t> p, uint32_t n) {
    uint32_t v, more;
    void *a = td_emu_shared_atomic(p.off, sizeof v);
    if (!a) return 0;
    memcpy(&v, a, sizeof v);
    more = v + n;
    memcpy(a, &more, sizeof v);
    return v;
}
inline void td_shared_count(td_sp<uint32_t> p) { td_shared_ticket(p, 1); }

/* ---- pairs of 16-bit floats ---- */
template <class T> inline uint32_t td_max2(uint32_t a, uint32_t b) {
    uint32_t r = 0;
    for (int i = 0; i < 2; i++) td_put<T>(&r, i, td_max(td_get<T>(&a, i), td_get<T>(&b, i)));
    return r;
}
template <class T> inline uint32_t td_min2(uint32_t a, uint32_t b) {
    uint32_t r = 0;
    for (int i = 0; i < 2; i++) td_put<T>(&r, i, td_min(td_get<T>(&a, i), td_get<T>(&b, i)));
    return r;
}

/* ---- threads ---- */
inline int td_tid() { return td_emu_self->tid; }
inline int td_threads() { return td_emu_self->threads; }
inline int td_block() { return td_emu_self->block; }
inline int td_cluster_rank() { return td_emu_self->rank; }
void td_sync();
void td_syncwarp();
inline bool td_all_here(bool x) { return x; }
void td_cluster_sync();
bool td_last_block(int *counter, int total);
void td_pdl_wait();
void td_pdl_launch();

template <class T> inline T td_emu_shfl(T v, int kind, int arg) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 4 or 8 bytes");
    uint64_t u = 0;
    memcpy(&u, &v, sizeof(T));
    u = td_emu_shuffle(u, kind, arg);
    memcpy(&v, &u, sizeof(T));
    return v;
}
template <class T> inline T td_shfl_xor(T v, int m) { return td_emu_shfl(v, 0, m); }
template <class T> inline T td_shfl_up(T v, int d) { return td_emu_shfl(v, 1, d); }
template <class T> inline T td_shfl_down(T v, int d) { return td_emu_shfl(v, 2, d); }
template <class T> inline T td_shfl_idx(T v, int lane) { return td_emu_shfl(v, 3, lane); }

inline int td_ones(uint32_t v) { return __builtin_popcount(v); }
inline int td_lowest(uint64_t v) { return __builtin_ctzll(v); }
template <int B> inline uint32_t td_match(uint32_t v) { return uint32_t(td_emu_shuffle(v & ((1ull << B) - 1), 4, 0)); }

/* ---- bins ---- */
template <class T, class F> inline void td_emu_bins_atomic(td_sp<T> p, F fold) {
    T v;
    void *a = td_emu_shared_atomic(p.off, sizeof v);
    if (!a) return;
    memcpy(&v, a, sizeof v);
    v = fold(v);
    memcpy(a, &v, sizeof v);
}
template <class T> inline void td_atomic_add(td_sp<T> p, T v) {
    td_emu_bins_atomic(p, [=](T old) { return T(old + v); });
}
template <class T> inline void td_atomic_max(td_sp<T> p, T v) {
    td_emu_bins_atomic(p, [=](T old) { return td_max(old, v); });
}
template <class T> inline void td_atomic_min(td_sp<T> p, T v) {
    td_emu_bins_atomic(p, [=](T old) { return td_min(old, v); });
}
template <class T> inline uint32_t td_bins_same(td_sp<T> p, bool is) {
    const uint32_t same = td_match<32>(is ? uint32_t(p.off) : ~0u);
    return is ? same : 0;
}

/* ---- between blocks of a running grid ---- */
inline uint32_t td_ticket(uint32_t *p) { return td_atomic_add(p, 1u); }
inline void td_tell(uint32_t *p, uint32_t v) {
    if (td_emu_atomic(p, sizeof *p)) *p = v;
}
inline uint32_t td_told(uint32_t *p) { return td_atomic_add(p, 0u); }

/* ---- asynchronous copies ---- */
template <class T, int V> inline void td_cp_async(td_sp<T> s, const T *p) { td_emu_cp_async(s.off, p, V * sizeof(T)); }
void td_cp_commit();
template <int N> inline void td_cp_wait() { td_emu_cp_wait(N); }
inline void td_mbar_init(td_sp<uint64_t> b, int count) { td_emu_mbar_init(b.off, count); }
void td_mbar_fence();
inline void td_mbar_arrive(td_sp<uint64_t> b) { td_emu_mbar_arrive(b.off, 0); }
inline void td_mbar_expect(td_sp<uint64_t> b, unsigned bytes) { td_emu_mbar_arrive(b.off, bytes); }
inline void td_mbar_wait(td_sp<uint64_t> b, unsigned parity) { td_emu_mbar_wait(b.off, parity); }
template <class T, class U> inline void td_bulk_load(td_sp<T> s, const U *p, unsigned bytes, td_sp<uint64_t> b) {
    td_emu_bulk_load(s.off, p, bytes, b.off);
}
template <class T, class U> inline void td_bulk_store(U *p, td_sp<T> s, unsigned bytes) {
    td_emu_bulk_store(p, s.off, bytes);
}
template <class T> inline void td_cluster_send(td_sp<T> p, int rank, T v, td_sp<uint64_t> bar) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "sends move 4 or 8 bytes");
    uint64_t u = 0;
    memcpy(&u, &v, sizeof(T));
    td_emu_cluster_send(p.off, rank, u, sizeof(T), bar.off);
}
void td_bulk_commit();
template <int N> inline void td_bulk_wait_read() { td_emu_bulk_wait(N, true); }
template <int N> inline void td_bulk_wait() { td_emu_bulk_wait(N, false); }
void td_async_fence();

/* ---- launch ---- */
template <class Args> struct td_emu_call {
    void (*kernel)(Args);
    const Args *args;
    static void run(const void *c) {
        const td_emu_call *call = static_cast<const td_emu_call *>(c);
        call->kernel(*call->args);
    }
};
template <class Args>
inline cudaError_t td_emu_launch_as(const char *text, void (*kernel)(const Args), const Args &args, long long grid,
                                    int threads, int cluster, size_t shared_bytes, int *launched, cudaStream_t stream) {
    const td_emu_call<Args> call = {kernel, &args};
    const int chained = launched && *launched;
    if (grid && launched) *launched = 1;
    return td_emu_launch({text, __PRETTY_FUNCTION__, reinterpret_cast<const void *>(kernel), td_emu_call<Args>::run,
                          &call, grid, threads, cluster, shared_bytes, chained, stream, sizeof args});
}
template <class Args, int N>
inline cudaError_t td_prepare(void (*const (&kernels)[N])(Args), size_t shared_bytes, int cluster) {
    for (int i = 0; i < N; i++) {
        cudaError_t e =
            cudaFuncSetAttribute(kernels[i], cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes));
        if (!e && cluster > 8) e = cudaFuncSetAttribute(kernels[i], cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        if (e) return e;
    }
    return cudaSuccess;
}
/* A macro, so that reports can name the kernel. */
#define td_launch(...) td_emu_launch_as(#__VA_ARGS__, __VA_ARGS__)
#endif

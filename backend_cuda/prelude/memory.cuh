// Global memory: accesses of whole vectors and of elements, of 4-bit elements too. A says of an instance of a kernel what it knows: 1, all
// addresses allow wide accesses and no vector is cut; 0, nothing, and each access looks at its address.

//@ td_access td_access_ld td_access_st
// One access of N bytes (1, 2, 4, 8 or 16). H: 0 plain, 1 streaming (evict first), 2 keep (evict last).
template <int N> struct td_access;
template <> struct td_access<1> { typedef uint8_t type; };
template <> struct td_access<2> { typedef uint16_t type; };
template <> struct td_access<4> { typedef uint32_t type; };
template <> struct td_access<8> { typedef uint2 type; };
template <> struct td_access<16> { typedef uint4 type; };
template <int N, int H> __device__ __forceinline__ typename td_access<N>::type td_access_ld(const void *p) {
    typedef typename td_access<N>::type U;
    if constexpr (H == 1 && N >= 4) return __ldcs((const U *)p);
    else if constexpr (H == 2 && N == 16) {
        U v;
        asm volatile("ld.global.L1::evict_last.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
        return v;
    } else return *(const U *)p;
}
template <int N, int H> __device__ __forceinline__ void td_access_st(void *p, typename td_access<N>::type v) {
    typedef typename td_access<N>::type U;
    if constexpr (H == 1 && N >= 4) __stcs((U *)p, v);
    else *(U *)p = v;
}

//@ td_ld
template <class T, int V, int H> __device__ __forceinline__ void td_ld(td_word<T> *w, const T *p) {
    constexpr int bytes = V * (int)sizeof(T), n = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : (int)sizeof(T);
#pragma unroll
    for (int i = 0; i < bytes / n; i++) {
        const auto v = td_access_ld<n, H>((const char *)p + i * n);
        if constexpr (n < 4) {
            if (i * n % 4 == 0) w[i * n / 4] = (td_word<T>)v;
            else w[i * n / 4] |= (td_word<T>)((uint32_t)v << (8 * (i * n % 4)));
        } else memcpy((char *)w + i * n, &v, (size_t)n);
    }
}

//@ td_st
template <class T, int V, int H> __device__ __forceinline__ void td_st(T *p, const td_word<T> *w) {
    constexpr int bytes = V * (int)sizeof(T), n = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : (int)sizeof(T);
#pragma unroll
    for (int i = 0; i < bytes / n; i++) {
        typename td_access<n>::type v;
        if constexpr (n < 4) v = (typename td_access<n>::type)(((const uint32_t *)w)[i * n / 4] >> (8 * (i * n % 4)));
        else memcpy(&v, (const char *)w + i * n, (size_t)n);
        td_access_st<n, H>((char *)p + i * n, v);
    }
}

//@ td_undef
template <class T, int V> __device__ __forceinline__ void td_undef(td_word<T> *w) {
#pragma unroll
    for (int i = 0; i < td_words<T>(V); i++) w[i] = td_word<T>();
}

//@ td_ld_each
template <class T, int V, int H> __device__ __forceinline__ void td_ld_each(td_word<T> *w, const T *p, int64_t lo, int64_t hi) {
#pragma unroll
    for (int e = 0; e < V; e++) {
        td_word<T> b[1] = {td_word<T>()};
        if (lo <= e && e < hi) td_ld<T, 1, H>(b, p + e);
        if constexpr (sizeof(T) >= 4) w[e] = b[0];
        else if (e * sizeof(T) % 4 == 0) w[e * sizeof(T) / 4] = b[0];
        else w[e * sizeof(T) / 4] |= b[0] << (8 * (e * sizeof(T) % 4));
    }
}

//@ td_st_each
template <class T, int V, int H> __device__ __forceinline__ void td_st_each(T *p, const td_word<T> *w, int64_t lo, int64_t hi) {
#pragma unroll
    for (int e = 0; e < V; e++)
        if (lo <= e && e < hi) {
            td_word<T> b[1];
            if constexpr (sizeof(T) >= 4) b[0] = w[e];
            else b[0] = w[e * sizeof(T) / 4] >> (8 * (e * sizeof(T) % 4));
            td_st<T, 1, H>(p + e, b);
        }
}

//@ portable td_aligned
// Whether a vector of V elements may be accessed at p as one.
template <class T, int V> __device__ __forceinline__ bool td_aligned(const T *p) {
    constexpr int bytes = V * (int)sizeof(T);
    return (uintptr_t)p % (bytes < 16 ? bytes : 16) == 0;
}

//@ portable td_load
template <int A, class T, int V, int H> __device__ __forceinline__ void td_load(td_word<T> *w, const T *p) {
    if (A || td_aligned<T, V>(p)) td_ld<T, V, H>(w, p);
    else td_ld_each<T, V, H>(w, p, 0, V);
}
//@ portable td_load_n
// Elements lo <= e < hi.
template <int A, class T, int V, int H> __device__ __forceinline__ void td_load_n(td_word<T> *w, const T *p, int64_t lo, int64_t hi) {
    if (lo <= 0 && hi >= V && (A || td_aligned<T, V>(p))) td_ld<T, V, H>(w, p);
    else if (lo < V && hi > 0) td_ld_each<T, V, H>(w, p, lo, hi);
    else td_undef<T, V>(w);
}
//@ td_ld_piece
// N bytes at p, which is a multiple of N; of them those from <= b < to are asked for.
template <int N, int H> __device__ __forceinline__ void td_ld_piece(uint32_t *w, const char *p, int, int) {
    const auto v = td_access_ld<N, H>(p);
    memcpy(w, &v, N);
}
//@ portable td_row_inside td_load_inside
// Whether all vectors of V elements, one of which is at p and aligned, that hold some of the elements lo <= e < hi of a row, counted from p, lie in the tensor from begin to end.
template <class T, int V> __device__ __forceinline__ bool td_row_inside(const T *p, int64_t lo, int64_t hi, const T *begin, const T *end) {
    const int64_t first = lo >= 0 ? lo / V : -((V - 1 - lo) / V), last = hi > 0 ? (hi + V - 1) / V : -(-hi / V);
    return td_aligned<T, V>(p) && first * V >= begin - p && last * V <= end - p;
}
// Elements lo <= e < hi of an aligned vector that is whole in its tensor: no branch keeps the loads of several apart.
template <class T, int V, int H> __device__ __forceinline__ void td_load_inside(td_word<T> *w, const T *p, int64_t lo, int64_t hi) {
    constexpr int E = (int)sizeof(T), all = V * E, N = all < 16 ? all : 16;
    static_assert(N % 4 == 0, "pieces are words");
    td_undef<T, V>(w);
    if (lo >= V || hi <= 0) return;
    const int from = (lo > 0 ? (int)lo : 0) * E, to = (hi < V ? (int)hi : V) * E;
#pragma unroll
    for (int i = 0; i < all; i += N) {
        uint32_t u[N / 4];
        td_ld_piece<N, H>(u, (const char *)p + i, from > i ? from - i : 0, to < i + N ? to - i : N);
        memcpy((char *)w + i, u, N);
    }
}
//@ portable td_load_pieces
// Elements lo <= e < hi, of a tensor from begin to end, at any address: the one or two aligned pieces that they lie in, and where in these
// they begin, in bytes. An element at a time, from the first on, where a piece is not all in the tensor.
template <class T, int V, int H> __device__ __forceinline__ int td_load_pieces(td_word<T> *w, const T *p, int64_t lo, int64_t hi, const T *begin, const T *end) {
    constexpr int E = (int)sizeof(T), N = V * E, W = N / 4;
    static_assert(E <= 4 && N % 4 == 0 && N <= 16, "a piece is one access of words");
    td_undef<T, 2 * V>(w);
    if (lo >= V || hi <= 0) return 0;
    const int by = (int)((uintptr_t)p % N), from = by + (lo > 0 ? (int)lo : 0) * E, to = by + (hi < V ? (int)hi : V) * E;
    const bool first = from < N, second = to > N;
    const char *const at = (const char *)p - by;
    if ((first ? at : at + N) < (const char *)begin || (second ? at + 2 * N : at + N) > (const char *)end) {
        td_ld_each<T, V, H>(w, p, lo, hi);
        return 0;
    }
    uint32_t u[2 * W];
#pragma unroll
    for (int i = 0; i < 2 * W; i++) u[i] = 0;
    if (first) td_ld_piece<N, H>(u, at, from, to < N ? to : N);
    if (second) td_ld_piece<N, H>(u + W, at + N, from > N ? from - N : 0, to - N);
    memcpy(w, u, 2 * N);
    return by;
}
//@ portable td_shift_pieces
// The V elements that begin at byte `by` of two pieces.
template <class T, int V> __device__ __forceinline__ void td_shift_pieces(td_word<T> *w, const td_word<T> *pieces, int by) {
    constexpr int E = (int)sizeof(T), N = V * E, W = N / 4;
    uint32_t u[2 * W];
    memcpy(u, pieces, 2 * N);
#pragma unroll
    for (int words = W / 2; words > 0; words >>= 1)
#pragma unroll
        for (int i = 0; i + words < 2 * W; i++) u[i] = by / 4 & words ? u[i + words] : u[i];
    if constexpr (E < 4) {
#pragma unroll
        for (int i = 0; i < W; i++) u[i] = (uint32_t)(((uint64_t)u[i + 1] << 32 | u[i]) >> (by % 4 * 8));
    }
    memcpy(w, u, N);
}
//@ portable td_load_across
// Both at once.
template <class T, int V, int H> __device__ __forceinline__ void td_load_across(td_word<T> *w, const T *p, int64_t lo, int64_t hi, const T *begin, const T *end) {
    td_word<T> pieces[2 * td_words<T>(V)];
    const int by = td_load_pieces<T, V, H>(pieces, p, lo, hi, begin, end);
    td_shift_pieces<T, V>(w, pieces, by);
}
//@ portable td_load_v
// Elements e < n; n is a multiple of V where A is 1.
template <int A, class T, int V, int H> __device__ __forceinline__ void td_load_v(td_word<T> *w, const T *p, int64_t n) {
    if constexpr (!A) td_load_n<A, T, V, H>(w, p, 0, n);
    else if (n > 0) td_ld<T, V, H>(w, p);
    else td_undef<T, V>(w);
}
//@ portable td_load_row
// Elements (first + e) % row, e < n, of the rows that begin at p and so many elements behind the one before; row, an I or a td_divmod, is
// a multiple of V, and first and n are, where A is 1. A is 2 where no row is.
template <int A, class T, int V, int H, class I, class R> __device__ __forceinline__ void td_load_row(td_word<T> *w, const T *p, int64_t jump, I first, const R &by, int64_t n) {
    const I row = td_whole<I>(by);
    if (n <= 0 || row <= 0) {
        td_undef<T, V>(w);
        return;
    }
    const I rows = td_div_by(first, by);
    I at = first - rows * row;
    p += jump * rows;
    if (A == 1 || (!A && n >= V && row - at >= V && td_aligned<T, V>(p + at))) td_ld<T, V, H>(w, p + at);
    else {
#pragma unroll
        for (int e = 0; e < V; e++) {
            td_word<T> some[1] = {};
            if (e < n) td_ld<T, 1, H>(some, p + at);
            td_move<T>(w, e, some, 0);
            at++;
            if (at == row) {
                at = 0;
                p += jump;
            }
        }
    }
}
//@ portable td_load_outer
// Elements step * ((first + e) / row), e < n, from p on; row is a multiple of V, and first is, where A is 1.
template <int A, class T, int V, int H, class I, class R> __device__ __forceinline__ void td_load_outer(td_word<T> *w, const T *p, int64_t step, I first, const R &by, int64_t n) {
    const I row = td_whole<I>(by);
    if (n <= 0 || row <= 0) {
        td_undef<T, V>(w);
        return;
    }
    I at = td_div_by(first, by), left = row - (first - at * row);
    td_word<T> some[1] = {};
    td_ld<T, 1, H>(some, p + step * at);
#pragma unroll
    for (int e = 0; e < V; e++) {
        td_move<T>(w, e, some, 0);
        if (A != 1 && --left == 0 && e + 1 < V && e + 1 < n) {
            td_ld<T, 1, H>(some, p + step * ++at);
            left = row;
        }
    }
}

//@ portable td_store
template <int A, class T, int V, int H> __device__ __forceinline__ void td_store(T *p, const td_word<T> *w) {
    if (A || td_aligned<T, V>(p)) td_st<T, V, H>(p, w);
    else td_st_each<T, V, H>(p, w, 0, V);
}
//@ portable td_store_n
// Elements lo <= e < hi.
template <int A, class T, int V, int H> __device__ __forceinline__ void td_store_n(T *p, const td_word<T> *w, int64_t lo, int64_t hi) {
    if (lo <= 0 && hi >= V && (A || td_aligned<T, V>(p))) td_st<T, V, H>(p, w);
    else if (lo < V && hi > 0) td_st_each<T, V, H>(p, w, lo, hi);
}
//@ portable td_store_v
// Elements e < n; n is a multiple of V where A is 1.
template <int A, class T, int V, int H> __device__ __forceinline__ void td_store_v(T *p, const td_word<T> *w, int64_t n) {
    if constexpr (!A) td_store_n<A, T, V, H>(p, w, 0, n);
    else if (n > 0) td_st<T, V, H>(p, w);
}

//@ td_half_ld td_half_st
// Element i of 4-bit elements at p. A store must not lose the other half of its byte, which may be another thread's: this half, which
// no other thread changes, is exchanged by an atomic operation that leaves the others of its word as they are.
__device__ __forceinline__ uint32_t td_half_ld(const uint8_t *p, int64_t i) { return (uint32_t)p[i >> 1] >> (4 * (i & 1)) & 15u; }
__device__ __forceinline__ void td_half_st(uint8_t *p, int64_t i, uint32_t v) {
    p += i >> 1;
    uint32_t *word = (uint32_t *)((uintptr_t)p & ~(uintptr_t)3);
    const int at = 8 * (int)((uintptr_t)p & 3) + 4 * (int)(i & 1);
    atomicXor(word, ((__ldcg(word) >> at ^ v) & 15u) << at);
}

//@ portable td_half
// Where a 4-bit element lies, and accesses as those above: whole vectors as bytes, others by the element.
template <class T> struct td_half_at {
    T *p;
    int64_t i;
};
template <class T> __device__ __forceinline__ td_half_at<T> td_half(T *p) { return {p, 0}; }
template <class T> __device__ __forceinline__ td_half_at<T> operator+(td_half_at<T> a, int64_t n) { return {a.p, a.i + n}; }
template <class T, int V> __device__ __forceinline__ bool td_half_aligned(td_half_at<T> at) {
    return at.i % 2 == 0 && td_aligned<uint8_t, V / 2>((const uint8_t *)at.p + (at.i >> 1));
}
template <int A, class T, int V, int H> __device__ __forceinline__ void td_load_n(td_word<T> *w, td_half_at<const T> at, int64_t lo, int64_t hi) {
    if constexpr (V % 2 == 0) {
        if (lo <= 0 && hi >= V && (A || td_half_aligned<const T, V>(at))) {
            td_ld<uint8_t, V / 2, H>(w, (const uint8_t *)at.p + (at.i >> 1));
            return;
        }
    }
    td_undef<T, V>(w);
#pragma unroll
    for (int e = 0; e < V; e++) {
        const uint32_t b[1] = {lo <= e && e < hi ? td_half_ld((const uint8_t *)at.p, at.i + e) : 0u};
        td_move<T>(w, e, b, 0);
    }
}
template <int A, class T, int V, int H> __device__ __forceinline__ void td_load(td_word<T> *w, td_half_at<const T> at) {
    td_load_n<A, T, V, H>(w, at, 0, V);
}
template <int A, class T, int V, int H> __device__ __forceinline__ void td_load_v(td_word<T> *w, td_half_at<const T> at, int64_t n) {
    td_load_n<A, T, V, H>(w, at, 0, n);
}
template <int A, class T, int V, int H> __device__ __forceinline__ void td_store_n(td_half_at<T> at, const td_word<T> *w, int64_t lo, int64_t hi) {
    if constexpr (V % 2 == 0) {
        if (lo <= 0 && hi >= V && (A || td_half_aligned<T, V>(at))) {
            td_st<uint8_t, V / 2, H>((uint8_t *)at.p + (at.i >> 1), w);
            return;
        }
    }
#pragma unroll
    for (int e = 0; e < V; e++)
        if (lo <= e && e < hi) td_half_st((uint8_t *)at.p, at.i + e, w[e / 8] >> (4 * (e % 8)) & 15u);
}
template <int A, class T, int V, int H> __device__ __forceinline__ void td_store(td_half_at<T> at, const td_word<T> *w) {
    td_store_n<A, T, V, H>(at, w, 0, V);
}
template <int A, class T, int V, int H> __device__ __forceinline__ void td_store_v(td_half_at<T> at, const td_word<T> *w, int64_t n) {
    td_store_n<A, T, V, H>(at, w, 0, n);
}

// Integers as the language defines them: quotients, shifts, wrapping; and conversions.

//@ portable td_below
// 0 <= i < n by one comparison.
template <class A, class B> __device__ __forceinline__ bool td_below(A i, B n) {
    typedef typename std::make_unsigned<typename std::common_type<A, B>::type>::type U;
    return (U)i < (U)n;
}
//@ portable td_wrap
// Words of an index's size: sums of products with lengths may pass what an index holds, and come back.
template <class I> using td_wrap = typename std::make_unsigned<I>::type;
//@ portable td_pin
// A number that is made once: for the compiler it comes from nowhere.
template <class I> __device__ __forceinline__ I td_pin(I i) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(I) > 4) asm volatile("" : "+l"(i));
    else asm volatile("" : "+r"(i));
#endif
    return i;
}
//@ portable td_moved
// p moved by so many times a length. Of a length of 32 bits nvcc makes of this one instruction; of a product that is
// written in C++, widened to 64 bits, some ten.
template <class T, class I> __device__ __forceinline__ T *td_moved(T *p, I length, int times) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(I) == 4) {
        int64_t bytes;
        asm("mul.wide.s32 %0, %1, %2;" : "=l"(bytes) : "r"((int)length), "r"(times * (int)sizeof(T)));
        return (T *)((const char *)p + bytes);
    }
#endif
    return p + (int64_t)length * times;
}
//@ portable td_near
// The nearest int that leaves room for a tile: what is farther from a thread's index is as good as that.
__device__ __forceinline__ int td_near(int64_t n) {
    constexpr int64_t far = 1 << 30;
    return (int)(n > far ? far : n < -far ? -far : n);
}
//@ portable TD_LEFT TD_BEFORE TD_INSIDE
// What is left of an axis; i + more < n; 0 <= i + more < n. Of indices of 64 bits only what a thread's elements share is made: they are
// compared in an int. Macros, since text that is the same in an instance of 32 bits shall make the same code.
#define TD_LEFT(n) (sizeof(n) > 4 ? td_near(n) : (n))
#define TD_BEFORE(i, more, n) (sizeof(i) > 4 ? (more) < td_near((int64_t)(n) - (i)) : (i) + (more) < (n))
#define TD_INSIDE(i, more, n) (sizeof(i) > 4 ? (more) >= td_near(-(i)) && TD_BEFORE(i, more, n) : td_below((i) + (more), n))
//@ portable td_floor_div
// Toward minus infinity; by 0 it is 0, and the quotient of the least integer by -1 wraps.
template <class T> __host__ __device__ __forceinline__ T td_floor_div(T a, T b) {
    if (b == 0) return 0;
    if constexpr (!std::is_signed<T>::value) return a / b;
    else {
        if (b == -1) return (T)((typename std::make_unsigned<T>::type)0 - (typename std::make_unsigned<T>::type)a);
        const T q = a / b;
        return q - (T)(a % b != 0 && (a < 0) != (b < 0));
    }
}
//@ portable td_floor_mod
// The sign of b; by 0 it is 0.
template <class T> __host__ __device__ __forceinline__ T td_floor_mod(T a, T b) {
    if (b == 0 || b == T(-1)) return std::is_signed<T>::value || b == 0 ? T(0) : a % b;
    const T m = a % b;
    if constexpr (std::is_signed<T>::value) return m + (m != 0 && (m < 0) != (b < 0) ? b : T(0));
    else return m;
}
//@ portable td_quotient td_remainder
// The same of numbers that are not negative.
template <class T> __device__ __forceinline__ T td_quotient(T a, T b) {
    typedef typename std::make_unsigned<T>::type U;
    return b == 0 ? T(0) : (T)((U)a / (U)b);
}
template <class T> __device__ __forceinline__ T td_remainder(T a, T b) {
    typedef typename std::make_unsigned<T>::type U;
    return b == 0 ? T(0) : (T)((U)a % (U)b);
}
//@ portable td_divmod td_divmod_of td_div_by td_mod_by td_whole
// Quotients of 0 <= a < 2^31 by what is known at launch: a multiplication and a shift (Granlund and Montgomery, "Division by invariant
// integers using multiplication", 1994). Of 64 bits, and by 0, which gives 0, as they are.
struct td_divmod {
    int64_t n;
    uint32_t mul, shift;
};
static inline td_divmod td_divmod_of(int64_t n) {
    td_divmod d = {n, 0, 0};
    if (n < 1 || n > INT32_MAX) return d;
    while ((int64_t)1 << d.shift < n) d.shift++;
    d.mul = (uint32_t)((((uint64_t)1 << (31 + d.shift)) + (uint64_t)n - 1) / (uint64_t)n);
    return d;
}
__device__ __forceinline__ unsigned td_div_by(unsigned a, const td_divmod &d) { return (unsigned)((uint64_t)(2 * a) * d.mul >> 32) >> d.shift; }
__device__ __forceinline__ int td_div_by(int a, const td_divmod &d) { return (int)td_div_by((unsigned)a, d); }
__device__ __forceinline__ int64_t td_div_by(int64_t a, const td_divmod &d) { return d.n ? (int64_t)((uint64_t)a / (uint64_t)d.n) : 0; }
__device__ __forceinline__ unsigned td_mod_by(unsigned a, const td_divmod &d) { return a - td_div_by(a, d) * (unsigned)d.n; } // n > 0
template <class T> __device__ __forceinline__ T td_mod_by(T a, const td_divmod &d) {
    const T m = a - td_div_by(a, d) * (T)d.n;
    return (T)d.n ? m : T(0);
}
template <class T> __device__ __forceinline__ T td_div_by(T a, const T &d) { return (T)((typename std::make_unsigned<T>::type)a / (typename std::make_unsigned<T>::type)d); }
template <class T> __device__ __forceinline__ T td_mod_by(T a, const T &d) { return (T)((typename std::make_unsigned<T>::type)a % (typename std::make_unsigned<T>::type)d); }
template <class T> __device__ __forceinline__ T td_whole(const td_divmod &d) { return (T)d.n; }
template <class T> __device__ __forceinline__ T td_whole(const T &d) { return d; }
//@ portable td_shl
// Shifts; a count outside the width shifts everything out.
template <class T> __device__ __forceinline__ T td_shl(T a, T n) {
    typedef typename std::make_unsigned<T>::type U;
    return (U)n < 8 * sizeof(T) ? (T)((U)a << (U)n) : T(0);
}
//@ portable td_shr
template <class T> __device__ __forceinline__ T td_shr(T a, T n) {
    typedef typename std::make_unsigned<T>::type U;
    if constexpr (std::is_signed<T>::value) return a >> ((U)n < 8 * sizeof(T) ? (int)n : 8 * (int)sizeof(T) - 1);
    else return (U)n < 8 * sizeof(T) ? a >> n : T(0);
}
//@ portable td_as_index
// x, or where no I is it the least one, which is no index.
template <class I> __device__ __forceinline__ I td_as_index(int64_t x) {
    const I least = (I)((I)1 << (8 * sizeof(I) - 1));
    return (int64_t)(I)x == x ? (I)x : least;
}
//@ portable td_add td_sub td_mul
// Integers that wrap.
template <class T> __device__ __forceinline__ T td_add(T a, T b) {
    typedef typename std::make_unsigned<T>::type U;
    return (T)((U)a + (U)b);
}
template <class T> __device__ __forceinline__ T td_sub(T a, T b) {
    typedef typename std::make_unsigned<T>::type U;
    return (T)((U)a - (U)b);
}
template <class T> __device__ __forceinline__ T td_mul(T a, T b) {
    typedef typename std::make_unsigned<T>::type U;
    return (T)((U)a * (U)b);
}
//@ portable td_odd
// x as a float whose last bit says that something was lost: rounding that to at most 22 bits is rounding x once.
__device__ __forceinline__ float td_odd(double x) {
    const float f = (float)x;
    if ((double)f == x || x != x) return f;
    uint32_t u;
    memcpy(&u, &f, 4);
    if (fabs((double)f) > fabs(x)) u--;
    u |= 1u;
    float r;
    memcpy(&r, &u, 4);
    return r;
}
__device__ __forceinline__ float td_odd(int64_t x) {
    const uint64_t a = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    const double d = a >> 53 ? (double)(a >> 12 | (uint64_t)((a & 4095) != 0)) * 4096.0 : (double)a;
    return td_odd(x < 0 ? -d : d);
}
__device__ __forceinline__ float td_odd(int32_t x) { return td_odd((double)x); }
__device__ __forceinline__ float td_odd(uint32_t x) { return td_odd((double)x); }
//@ portable td_to_int
// A float to an integer type: truncates, saturates, NaN gives 0. lo and hi are the type's bounds. Of f32 to 32 bits that
// is what the instruction does (PTX ISA, cvt); asked in C++ it becomes branches around it, for each element.
template <class T, class F> __device__ __forceinline__ T td_to_int(F v, T lo, T hi) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(F) == 4 && sizeof(T) == 4) {
        const T i = std::is_signed<T>::value ? (T)__float2int_rz(v) : (T)__float2uint_rz(v);
        return i < lo ? lo : i > hi ? hi : i;
    }
#endif
    return v != v ? T(0) : v <= (F)lo ? lo : v >= (F)hi ? hi : (T)v;
}

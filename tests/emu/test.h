/* Helpers of the stand-in's tests. A program runs its kernels under several seeds and prints "ok", or what is wrong. */
#ifndef TEST_H
#define TEST_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <initializer_list>
#include <vector>
#include <cuda_runtime.h>

template <class T> struct Buf { // device memory, from host values or poisoned
    T *p = nullptr;
    size_t n;
    explicit Buf(size_t count) : n(count) { cudaMalloc(&p, n * sizeof(T)); }
    explicit Buf(const std::vector<T> &v) : Buf(v.size()) {
        cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
    Buf(const Buf &) = delete;
    ~Buf() { cudaFree(p); }
    void zero() { cudaMemset(p, 0, n * sizeof(T)); }
    std::vector<T> get() const {
        std::vector<T> v(n);
        cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
        return v;
    }
};
template <class T> inline std::vector<T> iota(size_t n, int mod = 1 << 30) {
    std::vector<T> v(n);
    for (size_t i = 0; i < n; i++) v[i] = T(float(int(i) % mod));
    return v;
}
inline int failures = 0;
#define CHECK(c)                                                                                                       \
    do {                                                                                                               \
        if (!(c) && failures++ < 10) printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #c);                            \
    } while (0)
inline int finish() {
    if (!failures) printf("ok\n");
    return failures != 0;
}
#define SEEDS                                                                                                          \
    { 0ull, 1ull, 2ull, 3ull, 5ull, 8ull, 13ull, 21ull }

/* Runs f, which launches, under every seed: no report may come. */
template <class F> inline void right(const char *name, F f) {
    for (unsigned long long seed : SEEDS) {
        td_emu_reset();
        td_emu_seed(seed);
        const cudaError_t e = f();
        if (e == cudaSuccess && !td_emu_errors()) continue;
        printf("%s, seed %llu: %d false reports\n", name, seed, td_emu_errors());
        failures++;
    }
    td_emu_reset();
}
/* Runs f under every seed: each time it must be reported with the kind named, and with no other than those of also (a
 * list with spaces). */
template <class F> inline void wrong(const char *name, const char *kind, F f, const char *also = "") {
    for (unsigned long long seed : SEEDS) {
        td_emu_reset();
        td_emu_seed(seed);
        fprintf(stderr, "%s, seed %llu\n", name, seed);
        const cudaError_t e = f();
        const int of = td_emu_errors_of(kind);
        int sum = of;
        char list[200];
        snprintf(list, sizeof list, "%s", also);
        for (char *w = strtok(list, " "); w; w = strtok(nullptr, " ")) sum += td_emu_errors_of(w);
        if (of > 0 && sum == td_emu_errors() && e != cudaSuccess) continue;
        printf("%s, seed %llu: %d reports of %s, %d of other kinds, returned %d\n", name, seed, of, kind,
               td_emu_errors() - sum, int(e));
        failures++;
    }
    td_emu_reset();
}
#define RUN(kernel, a, grid, threads, cluster, shared, chained)                                                        \
    [&] {                                                                                                              \
        int launched = chained;                                                                                        \
        return td_launch(kernel, a, grid, threads, cluster, shared, &launched, nullptr);                               \
    }
#endif

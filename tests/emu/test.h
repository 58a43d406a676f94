/* Helpers of the stand-in's tests. Each program prints "ok" or says what is wrong; `expect KIND` in its first comment tells run.sh
 * which kind of report it must give, none otherwise. */
#ifndef TEST_H
#define TEST_H
#include <stdio.h>
#include <stdlib.h>
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
#endif

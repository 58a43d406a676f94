/* Barriers, shuffles, clusters, chained launches: right and wrong. */
#include "test.h"

#include <cublasLt.h>

struct args {
    float *x, *y;
    int mode;
};
static inline void st(float *p, float v) { td_st<float, 1>(p, &v); }
static inline float ld(const float *p) {
    float v;
    td_ld<float, 1>(&v, p);
    return v;
}
__global__ void shuffles(const __grid_constant__ args) {
    const int lane = td_tid() & 31;
    for (int i = 0; i < 3; i++) {
        CHECK(td_shfl_xor(lane, 5) == (lane ^ 5));
        CHECK(td_shfl_up(double(lane), 3) == (lane < 3 ? lane : lane - 3));
        CHECK(td_shfl_down(int64_t(lane), 3) == (lane > 28 ? lane : lane + 3));
        CHECK(td_shfl_idx(float(lane), 7) == 7);
        if (td_tid() < 32) td_syncwarp(); // warps need not agree
    }
}
__global__ void early_exit(const __grid_constant__ args a) {
    if (td_tid() == a.mode) return;
    td_sync();
}
__global__ void split_warp(const __grid_constant__ args) {
    if (td_tid() & 1)
        td_sync();
    else
        td_syncwarp();
}
__global__ void split_collective(const __grid_constant__ args) {
    if (td_tid() & 1)
        td_shfl_xor(1, 1);
    else
        td_syncwarp();
}
__global__ void warp_exit(const __grid_constant__ args) {
    if (td_tid() > 30) return;
    td_shfl_xor(1, 1);
}
/* FIRST, MIDDLE: cluster barriers before the writes to other blocks, and between those and the reads */
template <bool FIRST, bool MIDDLE> __global__ void cluster_sum(const __grid_constant__ args a) {
    const float v = float(td_block());
    const td_sp<float> p = td_shared<float>(0);
    if (FIRST) td_cluster_sync();
    if (td_tid() < 4) td_cluster_sts<float, 1>(p + td_cluster_rank(), td_tid(), &v);
    if (MIDDLE)
        td_cluster_sync();
    else
        td_sync();
    float q[4];
    td_lds<float, 4>(q, p);
    if (td_tid() == 40) st(a.y + td_block(), q[0] + q[1] + q[2] + q[3]);
}
__global__ void all_ranks(const __grid_constant__ args) {
    const td_sp<int> p = td_shared<int>(0);
    const int v = td_cluster_rank();
    td_cluster_sync();
    if (td_tid() % 64 == 0) td_cluster_sts<int, 1>(p + v, td_tid() / 64, &v);
    td_cluster_sync();
    int w;
    td_lds<int, 1>(&w, p + td_tid() % 16);
    CHECK(w == td_tid() % 16);
}
/* mode: 0 waits first, 1 reads first, 2 never waits, 3 reads only inputs before it waits, 4 writes first */
__global__ void produce(const __grid_constant__ args a) {
    td_pdl_wait();
    if (a.mode == 0) td_pdl_launch();
    st(a.y + td_tid(), ld(a.x + td_tid()));
}
__global__ void consume(const __grid_constant__ args a) {
    float v = 0;
    if (a.mode == 3) v = ld(a.x + 64 + td_tid());
    if (a.mode == 1) v = ld(a.y + td_tid());
    if (a.mode == 4) st(a.x + td_tid(), 1);
    if (a.mode != 2) td_pdl_wait();
    if (a.mode == 0 || a.mode == 3) v += ld(a.y + td_tid());
    st(a.y + 128 + td_tid(), v);
}
__global__ void launches_early(const __grid_constant__ args a) { // kernels after it may overlap the one before it
    td_pdl_launch();
    td_pdl_wait();
    st(a.y + 64, 1);
}
__global__ void relays(const __grid_constant__ args a) { // as every kernel of an entry
    td_pdl_wait();
    td_pdl_launch();
    st(a.y + 64, 1);
}
/* mode: 1 of the first kernel of three, 2 of the second; 3 of whatever was there before all, 4 waits in half its blocks */
__global__ void reads_first(const __grid_constant__ args a) {
    if (a.mode == 3) ld(a.x);
    if (a.mode && a.mode < 3) ld(a.y + 64 * (a.mode - 1));
    if (a.mode < 4 || td_block() % 2) td_pdl_wait();
}

/* d = a b of two rows and columns, by the library. */
static cudaError_t multiply(cublasLtHandle_t library, const float *a, const float *b, float *d, cudaStream_t stream) {
    const float one = 1, zero = 0;
    cublasLtMatmulDescOpaque_t desc;
    cublasLtMatrixLayoutOpaque_t matrix;
    cublasLtMatmulAlgo_t algo;
    cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatrixLayoutInit(&matrix, CUDA_R_32F, 2, 2, 2);
    cublasLtMatmulAlgoInit(library, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 1,
                           &algo);
    return cublasLtMatmul(library, &desc, &one, a, &matrix, b, &matrix, &zero, d, &matrix, d, &matrix, &algo, nullptr,
                          0, stream) == CUBLAS_STATUS_SUCCESS
               ? cudaSuccess
               : cudaErrorUnknown;
}
int main() {
    Buf<float> x(iota<float>(256)), y(256);
    args a = {x.p, y.p, 0};
    right("shuffles", RUN(shuffles, a, 2, 96, 1, 0, 0));
    for (int t : {0, 31, 63}) a.mode = t, wrong("a thread ends early", "exit", RUN(early_exit, a, 2, 64, 1, 0, 0));
    wrong("a warp divided between barriers", "deadlock", RUN(split_warp, a, 1, 64, 1, 0, 0));
    wrong("a warp divided between collectives", "deadlock", RUN(split_collective, a, 1, 32, 1, 0, 0));
    wrong("a lane misses a shuffle", "exit", RUN(warp_exit, a, 1, 32, 1, 0, 0));
    right("after all that", RUN(shuffles, a, 2, 96, 1, 0, 0));
    right("cluster", [&] {
        const cudaError_t e = RUN((cluster_sum<true, true>), a, 8, 64, 4, 16, 0)();
        CHECK(y.get()[3] == 0 + 1 + 2 + 3 && y.get()[7] == 4 + 5 + 6 + 7);
        return e;
    });
    wrong("a large cluster, not prepared", "launch", RUN(all_ranks, a, 16, 1024, 16, 64, 0));
    wrong("much shared memory, not prepared", "launch", RUN(all_ranks, a, 1, 32, 1, 49168, 0));
    CHECK(td_prepare({all_ranks}, 65536, 16) == cudaSuccess && td_prepare({shuffles}, 232449, 1) != cudaSuccess);
    right("the largest cluster", RUN(all_ranks, a, 16, 1024, 16, 64, 0));
    wrong("cluster not known to have started", "cluster", RUN((cluster_sum<false, true>), a, 8, 64, 4, 16, 0));
    wrong("cluster without the barrier between", "race", RUN((cluster_sum<true, false>), a, 8, 64, 4, 16, 0),
          "uninitialised cluster");
    wrong("a cluster that does not divide the grid", "launch", RUN((cluster_sum<true, true>), a, 7, 64, 4, 16, 0));
    wrong("too many threads", "launch", RUN(shuffles, a, 1, 1056, 1, 0, 0));
    const auto chain = [&](int mode) {
        return [&, mode] {
            a.mode = 0;
            RUN(produce, a, 1, 64, 1, 0, 0)();
            a.mode = mode;
            return RUN(consume, a, 1, 64, 1, 0, 1)();
        };
    };
    right("chained", chain(0));
    right("chained, inputs first", chain(3));
    wrong("chained, reads first", "pdl", chain(1));
    wrong("chained, never waits", "pdl", chain(2));
    wrong("chained, overwrites first", "pdl", chain(4));
    const auto three = [&](int mode) {
        return [&, mode] {
            a.mode = 0;
            RUN(produce, a, 1, 64, 1, 0, 0)();
            RUN(launches_early, a, 1, 1, 1, 0, 1)();
            a.mode = mode;
            return RUN(reads_first, a, 1, 1, 1, 0, 1)();
        };
    };
    right("three kernels", three(0));
    wrong("three kernels, two ahead", "pdl", three(1));
    const auto relay = [&](int mode) {
        return [&, mode] {
            int launched = 0;
            a.mode = 0;
            td_launch(produce, a, 0, 64, 1, 0, &launched, nullptr);
            CHECK(!launched); // an empty grid is no launch
            td_launch(produce, a, 1, 64, 1, 0, &launched, nullptr);
            CHECK(launched);
            td_launch(relays, a, 1, 1, 1, 0, &launched, nullptr);
            a.mode = mode;
            return td_launch(reads_first, a, 2, 1, 1, 0, &launched, nullptr);
        };
    };
    right("the one between has waited for the first", relay(1));
    wrong("the one between may be under way", "pdl", relay(2));
    right("what was there before all", relay(3));
    wrong("a block that ends without waiting", "pdl", relay(4));
    const auto over = [&](int mode, bool clears) { // what comes between is no kernel
        return [&, mode, clears] {
            a.mode = 0;
            RUN(produce, a, 1, 64, 1, 0, 0)();
            RUN(relays, a, 0, 1, 1, 0, 1)();
            if (clears) cudaMemset(y.p + 100, 0, 4);
            a.mode = mode;
            return RUN(reads_first, a, 1, 1, 1, 0, 1)();
        };
    };
    right("an empty grid between", over(0, false));
    wrong("reads over an empty grid", "pdl", over(1, false));
    right("a memset ends before the next kernel begins", over(1, true));
    const auto captured = [&](int mode) {
        return [&, mode] {
            cudaStream_t stream;
            cudaGraph_t graph;
            cudaGraphExec_t exec;
            int launched = 0;
            cudaStreamCreate(&stream);
            cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
            a.mode = 0;
            td_launch(produce, a, 1, 64, 1, 0, &launched, stream);
            a.mode = mode;
            td_launch(consume, a, 1, 64, 1, 0, &launched, stream);
            cudaStreamEndCapture(stream, &graph);
            cudaGraphInstantiate(&exec, graph, 0);
            cudaGraphDestroy(graph);
            cudaGraphLaunch(exec, stream);
            const cudaError_t e = cudaGraphLaunch(exec, stream);
            cudaGraphExecDestroy(exec);
            cudaStreamDestroy(stream);
            return e;
        };
    };
    right("captured and launched twice", captured(0));
    wrong("captured, reads first", "pdl", captured(1));
    wrong("captured, overwrites first", "pdl", captured(4));
    cublasLtHandle_t library;
    cublasLtCreate(&library);
    const auto product = [&](bool kernel, int mode) { // y = x x, or y = y y of what a kernel left
        return [&, kernel, mode] {
            a.mode = 0;
            if (kernel) RUN(produce, a, 1, 64, 1, 0, 0)();
            const cudaError_t e = multiply(library, kernel ? y.p : x.p, x.p, y.p + 64, nullptr);
            CHECK(e == cudaSuccess);
            a.mode = mode;
            return RUN(reads_first, a, 2, 1, 1, 0, 1)();
        };
    };
    for (const bool kernel : {false, true}) {
        right("after a product", product(kernel, 0));
        wrong("reads a product's result first", "pdl", product(kernel, 2));
        wrong("after a product, a block does not wait", "pdl", product(kernel, 4));
    }
    right("before the product", product(true, 1)); // the product began when that had ended
    wrong("overwrites a product's factor", "pdl", [&] {
        multiply(library, x.p, x.p + 4, y.p, nullptr);
        a.mode = 4;
        return RUN(consume, a, 1, 64, 1, 0, 1)();
    });
    cublasLtDestroy(library);
    return finish();
}

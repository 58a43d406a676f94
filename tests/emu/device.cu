/* Devices without clusters, bulk copies and early launches: each use of one is reported. */
#include "test.h"
#include "portable.inc"

struct args {
    float *x, *y;
};
__global__ void plain(const __grid_constant__ args a) {
    const td_sp<float> s = td_shared<float>(0);
    float w[4];
    td_pdl_wait();
    td_cp_async<float, 4>(s + td_tid() * 4, a.x + td_tid() * 4);
    td_cp_commit();
    td_cp_wait<0>();
    td_lds<float, 4>(w, s + td_tid() * 4);
    td_pdl_launch();
    td_st<float, 4>(a.y + td_tid() * 4, w);
}
__global__ void bulk(const __grid_constant__ args a) {
    const td_sp<uint64_t> full = td_shared<uint64_t>(1024);
    if (td_tid() == 0) {
        td_mbar_init(full, 1);
        td_mbar_fence();
        td_mbar_expect(full, 128);
        td_bulk_load(td_shared<float>(0), a.x, 128, full);
        td_mbar_wait(full, 0);
        td_bulk_store(a.y, td_shared<float>(0), 128);
        td_bulk_commit();
        td_bulk_wait<0>();
    }
}
__global__ void cluster(const __grid_constant__ args) { td_cluster_sync(); }

int main() {
    Buf<float> x(iota<float>(256)), y(256);
    const args a = {x.p, y.p};
    int v = 0;
    for (int capability : {90, 80, 86, 75}) {
        const bool all = capability == 90;
        td_emu_device(capability);
        CHECK(!cudaDeviceGetAttribute(&v, cudaDevAttrComputeCapabilityMajor, 0) && v == capability / 10);
        CHECK(!cudaDeviceGetAttribute(&v, cudaDevAttrComputeCapabilityMinor, 0) && v == capability % 10);
        CHECK(!cudaDeviceGetAttribute(&v, cudaDevAttrClusterLaunch, 0) && v == all);
        CHECK(!cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0) &&
              v == (all ? 232448 : capability == 86 ? 101376 : 166912));
        CHECK(!cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, v));
        CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, v + 1));
        right("plain", RUN(plain, a, 1, 64, 1, 1024, 0));
        const auto early = [&] { // after another kernel, or there is nothing to be early for
            const cudaError_t e = RUN(plain, a, 1, 64, 1, 1024, 0)();
            return e ? e : RUN(plain, a, 1, 64, 1, 1024, 1)();
        };
        if (all) {
            right("early", early);
            right("bulk", RUN(bulk, a, 1, 32, 1, 2048, 0));
            right("cluster", RUN(cluster, a, 2, 32, 2, 0, 0));
        } else {
            wrong("early", "device", early);
            wrong("bulk", "device", RUN(bulk, a, 1, 32, 1, 2048, 0));
            wrong("cluster", "launch", RUN(cluster, a, 2, 32, 2, 0, 0));
            wrong("barrier of a cluster", "device", RUN(cluster, a, 2, 32, 1, 0, 0));
        }
    }
    return finish();
}

/* The runtime API of the host: exact allocations with shadows; everything happens at once, for one host thread at a
 * time. */

static void host_wrote(Alloc *a, size_t off, size_t bytes, u64 stamp = HOST_WRITE) {
    off *= 2, bytes *= 2;
    const size_t whole = off % 32 ? 0 : bytes & ~size_t(31); // an odd end must not make all granules small
    const auto mark = [=](Rec &r, size_t) { r.w = stamp, r.r = 0; };
    shadow_each(a->shadow, off, whole, mark);
    shadow_each(a->shadow, off + whole, bytes - whole, mark);
}
static Alloc *alloc_add(void *p, size_t bytes) {
    Alloc *a = new Alloc();
    a->base = static_cast<u8 *>(p);
    a->bytes = bytes;
    a->number = ++S.allocs_made;
    shadow_make(&a->shadow, bytes * 2);
    return S.allocs[a->base] = a;
}
/* The allocation of a device range; null where it is none, which is reported. */
static Alloc *host_range(const void *p, size_t bytes, const char *what) {
    configure();
    Alloc *a = alloc_find(p);
    if (!a || bytes > a->bytes - size_t(static_cast<const u8 *>(p) - a->base)) {
        global_refused(p, bytes, 1, __builtin_return_address(0), what);
        return nullptr;
    }
    return a;
}

} // namespace emu

extern "C" {
void td_emu_seed(unsigned long long seed) {
    HOST_CALL;
    configure();
    S.seed = seed;
}
void td_emu_device(int capability) {
    HOST_CALL;
    configure();
    choose_device(capability);
}
void td_emu_check(int on) {
    HOST_CALL;
    configure();
    S.check = on != 0;
}
const char *cudaGetErrorName(cudaError_t error) {
    switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorStreamCaptureUnsupported: return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorUnknown: break;
    }
    return "cudaErrorUnknown";
}
const char *cudaGetErrorString(cudaError_t error) {
    switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorStreamCaptureUnsupported: return "operation not permitted when stream is capturing";
    case cudaErrorUnknown: break;
    }
    return "errors reported by the CPU stand-in";
}
cudaError_t cudaPeekAtLastError(void) {
    HOST_CALL;
    return S.last_error;
}
cudaError_t cudaGetLastError(void) {
    HOST_CALL;
    const cudaError_t e = S.last_error;
    S.last_error = cudaSuccess;
    return e;
}

cudaError_t cudaMalloc(void **ptr, size_t bytes) {
    HOST_CALL;
    configure();
    *ptr = nullptr;
    if (!bytes) return cudaSuccess;
    void *p = nullptr;
    const bool sparse = bytes >= size_t(1) << 30; // pages come as they are touched, zero
    if (sparse) {
        p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) return S.last_error = cudaErrorMemoryAllocation;
    } else {
        if (posix_memalign(&p, 256, bytes)) return S.last_error = cudaErrorMemoryAllocation;
        memset(p, 0xff, bytes);
    }
    alloc_add(p, bytes)->sparse = sparse;
    *ptr = p;
    return cudaSuccess;
}
static void alloc_remove(Alloc *a) {
    S.allocs.erase(a->base);
    shadow_free(&a->shadow);
    memset(S.recent, 0, sizeof S.recent);
    delete a;
    host_operation();
}
cudaError_t cudaFree(void *ptr) {
    if (!ptr) return cudaSuccess;
    HOST_CALL;
    auto it = S.allocs.find(static_cast<u8 *>(ptr));
    if (it == S.allocs.end()) {
        report(KIND_BOUNDS, __builtin_return_address(0), "cudaFree of %p, which is no allocation", ptr);
        return S.last_error = cudaErrorInvalidValue;
    }
    if (it->second->adopted) return S.last_error = cudaErrorInvalidValue;
    if (it->second->sparse)
        munmap(ptr, it->second->bytes);
    else
        free(ptr);
    alloc_remove(it->second);
    return cudaSuccess;
}
cudaError_t td_emu_adopt(void *ptr, size_t bytes, int written) {
    configure();
    u8 *base = static_cast<u8 *>(ptr);
    if (!bytes) return cudaSuccess;
    auto after = S.allocs.lower_bound(base);
    if (!base || alloc_find(base) || (after != S.allocs.end() && size_t(after->first - base) < bytes))
        return cudaErrorInvalidValue;
    Alloc *a = alloc_add(base, bytes);
    a->adopted = true;
    if (written) host_wrote(a, 0, bytes);
    return cudaSuccess;
}
cudaError_t td_emu_release(void *ptr) {
    auto it = S.allocs.find(static_cast<u8 *>(ptr));
    if (it == S.allocs.end() || !it->second->adopted) return cudaErrorInvalidValue;
    alloc_remove(it->second);
    return cudaSuccess;
}
cudaError_t cudaMallocHost(void **ptr, size_t bytes) {
    return (*ptr = malloc(bytes)) ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFreeHost(void *ptr) {
    free(ptr);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind) {
    if (!bytes) return cudaSuccess;
    HOST_CALL;
    const bool from = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const bool to = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    if (from && !host_range(src, bytes, "cudaMemcpy from device memory")) return S.last_error = cudaErrorInvalidValue;
    Alloc *a = to                          ? host_range(dst, bytes, "cudaMemcpy to device memory")
               : kind == cudaMemcpyDefault ? alloc_find(dst)
                                           : nullptr;
    if (to && !a) return S.last_error = cudaErrorInvalidValue;
    if (from && to) invented_ms += COPY_MS + double(bytes) * BYTE_MS;
    memmove(dst, src, bytes);
    if (a) host_wrote(a, size_t(static_cast<u8 *>(dst) - a->base), bytes);
    host_operation();
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    HOST_CALL;
    if (capture_of(stream)) return S.last_error = cudaErrorStreamCaptureUnsupported; // not modelled
    return cudaMemcpy(dst, src, bytes, kind);
}
cudaError_t cudaMemset(void *ptr, int value, size_t bytes) {
    if (!bytes) return cudaSuccess;
    HOST_CALL;
    Alloc *a = host_range(ptr, bytes, "cudaMemset");
    if (!a) return S.last_error = cudaErrorInvalidValue;
    memset(ptr, value, bytes);
    host_wrote(a, size_t(static_cast<u8 *>(ptr) - a->base), bytes);
    host_operation();
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *ptr, int value, size_t bytes, cudaStream_t stream) {
    HOST_CALL;
    if (CUgraph_st *graph = capture_of(stream)) {
        graph->nodes.push_back({{}, {}, {}, ptr, value, bytes, {}});
        return cudaSuccess;
    }
    return cudaMemset(ptr, value, bytes);
}

cudaError_t cudaDeviceSynchronize(void) {
    HOST_CALL;
    host_operation();
    return S.last_error;
}
cudaError_t cudaDeviceReset(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    HOST_CALL;
    *stream = new CUstream_st();
    S.streams[*stream] = nullptr;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    HOST_CALL;
    if (S.streams.erase(stream)) delete stream;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    HOST_CALL;
    return capture_of(stream) ? S.last_error = cudaErrorStreamCaptureUnsupported : cudaDeviceSynchronize();
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
    HOST_CALL;
    *status = capture_of(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode) {
    HOST_CALL;
    if (!S.streams.count(stream) || capture_of(stream)) return S.last_error = cudaErrorInvalidValue;
    S.streams[stream] = new CUgraph_st();
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    HOST_CALL;
    *graph = capture_of(stream);
    if (!*graph) return S.last_error = cudaErrorInvalidValue;
    S.streams[stream] = nullptr;
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long) {
    *exec = new CUgraph_st(*graph);
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t) {
    HOST_CALL;
    for (GraphNode &n : exec->nodes) {
        n.call[1] = n.args.data();
        n.launch.call = n.call;
        const cudaError_t e = n.product         ? n.product()
                              : n.launch.kernel ? td_emu_launch(n.launch)
                                                : cudaMemset(n.at, n.value, n.bytes);
        if (e) return e;
    }
    return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
    if (nodes) return cudaErrorInvalidValue; // not modelled
    *n = graph->nodes.size();
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return cudaGraphDestroy(exec); }

/* What products have taken on a clock of their own (rt_library.h), which events add to the time of day, or to the
 * invented one. */
static double library_ms;
static bool inventing;
void td_emu_invent(int on) { inventing = on != 0; }
struct CUevent_st {
    struct timespec at;
    double library, invented;
};
cudaError_t cudaEventCreate(cudaEvent_t *event) {
    *event = new CUevent_st();
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    event->library = library_ms;
    event->invented = invented_ms;
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    double passed = end->invented - start->invented;
    if (!inventing)
        passed = double(end->at.tv_sec - start->at.tv_sec) * 1e3 + double(end->at.tv_nsec - start->at.tv_nsec) * 1e-6;
    *ms = float(passed + end->library - start->library);
    return cudaSuccess;
}

/* One device, which says of itself what an H200 would, but for what its compute capability decides (devices.def). */
cudaError_t cudaGetDevice(int *device) {
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return device ? cudaErrorInvalidDevice : cudaSuccess; }
cudaError_t cudaGetDeviceCount(int *count) {
    *count = 1;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device) {
    if (device) return cudaErrorInvalidDevice;
    configure();
    switch (attr) {
    case cudaDevAttrMaxThreadsPerBlock: *value = MAX_THREADS; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = 49152; break;
    case cudaDevAttrWarpSize: *value = 32; break;
    case cudaDevAttrClockRate: *value = 1000000; break;
    case cudaDevAttrMultiProcessorCount: *value = 132; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = S.device.threads_per_sm; break;
    case cudaDevAttrL2CacheSize: *value = 62914560; break;
    case cudaDevAttrComputeCapabilityMajor: *value = S.device.capability / 10; break;
    case cudaDevAttrComputeCapabilityMinor: *value = S.device.capability % 10; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = int(S.device.shared_per_sm); break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = int(S.device.shared); break;
    case cudaDevAttrClusterLaunch: *value = S.device.cluster > 1; break;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device) {
    if (device) return cudaErrorInvalidDevice;
    configure();
    memset(prop, 0, sizeof *prop);
    strcpy(prop->name, "CPU stand-in");
    prop->totalGlobalMem = size_t(1) << 37;
    prop->sharedMemPerBlock = 49152;
    prop->sharedMemPerBlockOptin = S.device.shared;
    prop->sharedMemPerMultiprocessor = S.device.shared_per_sm;
    prop->major = S.device.capability / 10;
    prop->minor = S.device.capability % 10;
    prop->multiProcessorCount = 132;
    prop->warpSize = 32;
    prop->maxThreadsPerBlock = MAX_THREADS;
    prop->maxThreadsPerMultiProcessor = S.device.threads_per_sm;
    prop->l2CacheSize = 62914560;
    return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value) {
    HOST_CALL;
    if (attr == cudaFuncAttributeMaxDynamicSharedMemorySize) {
        configure();
        if (value < 0 || u32(value) > S.device.shared) return S.last_error = cudaErrorInvalidValue;
        S.prepared[func].shared = unsigned(value);
    } else if (attr == cudaFuncAttributeNonPortableClusterSizeAllowed)
        S.prepared[func].large_cluster = value != 0;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *version) {
    *version = 13000;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) { return cudaRuntimeGetVersion(version); }
}
namespace emu {

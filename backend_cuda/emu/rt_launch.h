/* Launches: clusters of blocks one after another in the seed's order, and what is wrong when nobody can go on. */

/* What the capability has: of the last row that is not above it. */
static void choose_device(int capability) {
    static const Device devices[] = {
#define DEVICE(...) {__VA_ARGS__},
#include "devices.def"
#undef DEVICE
    };
    S.device = devices[0];
    for (const Device &d : devices)
        if (d.capability <= capability) S.device = d;
    S.device.capability = capability;
}

static void configure() {
    if (S.configured) return;
    S.configured = true;
    if (const char *e = getenv("TD_EMU_SEED")) S.seed = strtoull(e, nullptr, 0);
    if (const char *e = getenv("TD_EMU_CHECK")) S.check = *e != '0';
    if (const char *e = getenv("TD_EMU_STRICT_SHUFFLE")) S.strict_shuffle = *e == '1';
    int major, minor;
    const char *device = getenv("TD_EMU_DEVICE");
    if (device && sscanf(device, "%d.%d", &major, &minor) == 2) choose_device(10 * major + minor);
}

static void block_start(int rank, int index) {
    if (!S.blocks[rank]) {
        S.blocks[rank] = new Block();
        S.blocks[rank]->shared = static_cast<u8 *>(aligned_alloc(1024, MAX_SHARED));
        shadow_make(&S.blocks[rank]->shadow, MAX_SHARED);
    }
    Block *b = S.blocks[rank];
    b->index = index, b->rank = rank, b->threads = S.L.threads;
    b->done = b->arrived = b->last_arrived = 0;
    b->sync = S.group_start;
    b->remote = 0;
    b->pdl_waited = false;
    b->mbars.clear();
    b->acquired.clear();
    b->heard = Heard();
    memset(b->shared, 0xff, S.L.shared);
    const int warps = (b->threads + 31) / 32;
    b->ready = 0;
    for (int i = 0; i < warps; i++) {
        Warp &w = b->warps[i];
        w.arrived = 0, w.kind = 0, w.sync = 0;
        w.full = b->threads - i * 32 < 32 ? (1u << (b->threads - i * 32)) - 1u : ~0u;
        w.ready = 0;
        warp_ready(b, i, w.full);
    }
    for (int i = 0; i < b->threads; i++) {
        Fiber *f = fiber_of(rank, i);
        f->threads = b->threads;
        f->block = index;
        f->blk = b;
        f->warp = &b->warps[i >> 5];
        f->started = f->done = f->pdl_waited = false;
        f->wait = WAIT_NONE;
        f->know = nullptr;
        memset(f->fence, 0, sizeof f->fence);
        f->copies.clear();
        f->stores.clear();
    }
    know_forget(b);
}

/* Nobody is ready and some have not ended: say what they wait for. */
static void explain_stall() {
    static const char *const names[] = {"nothing",         "td_sync",       "a collective of its warp",
                                        "td_cluster_sync", "td_last_block", "an mbarrier"};
    std::string text;
    int ended = 0, waits[6] = {};
    for (int r = 0; r < S.L.cluster; r++)
        for (int t = 0; t < S.L.threads; t++) {
            const Fiber *f = S.fibers[size_t(r) * MAX_THREADS + size_t(t)];
            if (f->done) {
                ended++;
                continue;
            }
            if (waits[f->wait]++) continue;
            char line[256];
            snprintf(line, sizeof line, "%sblock %d thread %d waits for %s", text.empty() ? "" : "; ", f->block, t,
                     names[f->wait]);
            text += line;
            if (f->wait != WAIT_MBAR) continue;
            const Mbar &m = f->blk->mbars[f->wait_mbar];
            snprintf(line, sizeof line,
                     " at shared + %u, phase %llu (%d of %d arrivals missing, %llu bytes expected, %llu in flight)",
                     m.off, (unsigned long long)m.phase, m.pending, m.count, (unsigned long long)m.expected,
                     (unsigned long long)m.flying);
            text += line;
        }
    for (int i = 1; i < 6; i++)
        if (waits[i]) text += "; " + std::to_string(waits[i]) + " for " + names[i];
    text += "; " + std::to_string(ended) + " ended";
    td_emu_self = nullptr;
    report(ended && !waits[WAIT_MBAR] ? KIND_EXIT : KIND_DEADLOCK, nullptr, "%s", text.c_str());
}

static void group_run(long long first) {
    S.group_start = S.group_sync = ++S.tick;
    S.L.group_start.push_back(S.tick);
    S.L.group_block.push_back(int(first));
    S.blocks_ready = 0;
    S.cluster_arrived = 0;
    for (int r = 0; r < S.L.cluster; r++) block_start(r, int(first) + r);
    switch_fiber(nullptr, pick_next(nullptr));
    td_emu_self = nullptr;
    int ended = 0;
    for (int r = 0; r < S.L.cluster; r++) {
        ended += S.blocks[r]->done;
        if (S.blocks[r]->remote && S.blocks[r]->remote >= S.group_sync)
            report(KIND_CLUSTER, nullptr, "no td_cluster_sync after a write to rank %d: it may have ended", r);
    }
    if (ended == S.L.cluster * S.L.threads) return;
    S.aborted = true;
    explain_stall();
}

static u64 gcd(u64 a, u64 b) { return b ? gcd(b, a % b) : a; }

/* The order of n clusters: 0, 1 or a stride that visits all. */
struct Sequence {
    u64 n, step, at;
    explicit Sequence(u64 count) : n(count), step(1), at(0) {
        if (S.seed == 1) at = n - 1, step = n - 1;
        if (S.seed < 2 || n < 2) return;
        at = next_random() % n;
        do step = 1 + next_random() % (n - 1);
        while (gcd(step, n) != 1);
    }
    u64 next() {
        const u64 i = at;
        at = (at + step) % n;
        return i;
    }
};

static bool launch_refused(const Launch &l, const Prepared &p) {
    const char *why = nullptr;
    if (l.grid < 0 || l.grid > 0x7fffffff)
        why = "grid";
    else if (l.threads < 1 || l.threads > MAX_THREADS)
        why = "number of threads";
    else if (l.cluster < 1 || l.cluster > S.device.cluster || l.grid % l.cluster)
        why = "cluster";
    else if (l.shared > S.device.shared)
        why = "size of shared memory";
    else if (l.shared > 49152 && l.shared > p.shared)
        why = "size of shared memory (above 48 KB only after td_prepare)";
    else if (l.cluster > 8 && !p.large_cluster)
        why = "cluster (above 8 blocks only after td_prepare)";
    if (!why) return false;
    report(KIND_LAUNCH, nullptr, "%s: %lld blocks of %d threads in clusters of %d with %u bytes: bad %s",
           l.kernel.c_str(), l.grid, l.threads, l.cluster, l.shared, why);
    return true;
}
/* What reports call a kernel: td_launch's first argument as written, and the type of its arguments (from the launcher's
 * own signature), because the first may be a variable. */
static std::string kernel_name(const char *text, const char *signature) {
    int depth = 0;
    size_t n = 0;
    for (; text[n] && !(text[n] == ',' && !depth); n++) {
        if (text[n] == '<' || text[n] == '(') depth++;
        if (text[n] == '>' || text[n] == ')') depth--;
    }
    std::string name(text, n);
    if (const char *type = strstr(signature, "Args = ")) {
        type += 7;
        name += " of " + std::string(type, strcspn(type, ";]"));
    }
    return name;
}

static void host_operation() {
    S.have_previous = false;
} // a copy or a wait: later kernels start after all earlier ones

/* What the stream captures, or null. */
static CUgraph_st *capture_of(cudaStream_t stream) {
    const auto it = stream ? S.streams.find(stream) : S.streams.end();
    return it == S.streams.end() ? nullptr : it->second;
}

} // namespace emu

static unsigned kernels_launched;
unsigned td_emu_launches(void) { return kernels_launched; }

/* An invented clock (td_emu_invent): a launch takes 3 us, a copy 1 us and as long as it has bytes at 1 TB/s. */
static const double LAUNCH_MS = 3e-3, COPY_MS = 1e-3, BYTE_MS = 1e-9;
static double invented_ms;

cudaError_t td_emu_launch(const td_emu_launch_args &a) {
    HOST_CALL;
    configure();
    if (CUgraph_st *graph = capture_of(a.stream)) {
        const void *const *call = static_cast<const void *const *>(a.call);
        const char *args = static_cast<const char *>(call[1]);
        graph->nodes.push_back(
            {a, std::vector<char>(args, args + a.args_bytes), {call[0], nullptr}, nullptr, 0, 0, {}});
        graph->nodes.back().launch.stream = nullptr;
        return cudaSuccess;
    }
    if (S.in_kernel) {
        report(KIND_LAUNCH, a.text, "td_launch in a kernel");
        return cudaErrorUnknown;
    }
    Launch &l = S.L;
    l.kernel = kernel_name(a.text, a.signature);
    l.run = a.run, l.call = a.call;
    l.grid = a.grid, l.threads = a.threads, l.cluster = a.cluster;
    l.shared = a.shared_bytes > 0xffffffffu ? 0xffffffffu : u32(a.shared_bytes);
    if (a.chained) needs_90(a.text, "a launch before the end of the kernel before it");
    if (launch_refused(l, S.prepared[a.kernel])) return S.last_error = cudaErrorInvalidValue;
    kernels_launched++;
    invented_ms += LAUNCH_MS;
    if (!l.grid) return S.errors ? S.last_error = cudaErrorUnknown : cudaSuccess;
    l.chained = a.chained && S.have_previous;
    l.early = false;
    l.start = ++S.tick;
    l.unordered = !l.chained ? l.start : S.previous_early ? S.previous_unordered : S.previous_start;
    l.group_start.clear();
    l.group_block.clear();
    l.released.clear();
    for (int r = 0; r < l.cluster; r++)
        if (S.blocks[r]) memset(S.blocks[r]->shadow.shift, COARSE, MAX_SHARED / PAGE + 1);
    S.random = S.seed * 0x9e3779b97f4a7c15u + 0x1234567u;
    S.in_kernel = true;
    S.aborted = false;
    S.main_bottom = nullptr;
    const long long groups = l.grid / l.cluster;
    Sequence order((u64)groups);
    for (long long i = 0; i < groups && !S.aborted; i++) group_run((long long)order.next() * l.cluster);
    S.in_kernel = false;
    S.group_start = ++S.tick;
    S.have_previous = true;
    S.previous_start = l.start;
    S.previous_unordered = l.unordered;
    S.previous_early = l.early;
    return S.errors ? S.last_error = cudaErrorUnknown : cudaSuccess;
}
namespace emu {

/* The stand-in's runtime: its data structures. Private to runtime.cpp, which includes the rt_*.h in order.
 *
 * Happens-before. One global tick grows at every completed barrier. Each access is stamped with the tick, so a barrier
 * of a block at tick S orders all accesses of that block stamped before S: what a thread knows is a few numbers (its
 * block's, its warp's, its cluster's last barrier, the launch's start) and, after mbarriers only, an array (Know).
 * Ticks never go back, so shadows need no clearing between blocks or launches. */
#ifndef TD_EMU_RT_H
#define TD_EMU_RT_H
#include <functional>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>
#include "cuda_runtime.h"

#if defined(__SANITIZE_ADDRESS__)
#define EMU_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMU_ASAN 1
#endif
#endif

#ifdef EMU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace emu {

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint8_t u8;

#define UNLIKELY(c) __builtin_expect(!!(c), 0)

enum {
    MAX_THREADS = 1024,
    MAX_CLUSTER = 16,
    MAX_MBARS = 256,
    MAX_SHARED = 232448, // of all devices
    MAX_LEVELS = 8,
#ifdef EMU_ASAN
    STACK_BYTES = 256 << 10
#else
    STACK_BYTES = 64 << 10
#endif
};

/* A row of devices.def. */
struct Device {
    int capability;
    u32 shared, shared_per_sm;
    int threads_per_sm, cluster;
};

enum Kind {
#define KIND(e, name, meaning) KIND_##e,
#include "report_kinds.def"
#undef KIND
    KIND_COUNT
};

/* ---- shadow memory: what was last written and read, a record for each granule of 1 .. 32 units ----
 * A unit is half a byte of global memory, or a byte of shared memory.
 * w, r: stamp << STAMP | flags | id, id = rank << 11 | tid (tid >= MAX_THREADS: copies that complete on mbarrier tid -
 * MAX_THREADS). Level: several accesses that nothing ordered; the id is one of them: 0 one thread, 1 of one warp, 2 of
 * one block, 3 of one cluster, 4 of the grid. r with R_SET: several readers in a block with mbarriers, exactly; the id
 * is an index into the block's read sets. */
enum { STAMP = 21, LEVEL = 15 };
const u64 ID_MASK = (1u << 15) - 1, LEVEL_MASK = 7u << LEVEL, FLAG_MASK = 7u << 18;
const u64 W_PENDING = 1u << 18, W_ATOMIC = 1u << 19;
const u64 W_SPECIAL = 1u << 20; // an mbarrier, or a bulk store's source
const u64 R_SET = 1u << 18;
const u64 HOST_WRITE = u64(1) << STAMP;

struct Rec {
    u64 w, r;
};
enum { PAGE = 1024, COARSE = 5 };
struct Shadow {
    Rec *rec = nullptr; // PAGE records a page, of which PAGE >> shift are used
    u8 *shift = nullptr;
    size_t units = 0;
};

struct Alloc {
    u8 *base;
    size_t bytes;
    int number;
    bool sparse, adopted; // adopted: the host's memory
    Shadow shadow;        // counts halves of bytes
};

/* What sends told of the cluster's blocks: accesses of a block stamped before its floor, and of single threads (by id)
 * before their tick, happened before. Enough to overwrite what those read or wrote, not to see what they wrote. */
struct Heard {
    u64 floor[MAX_CLUSTER] = {};
    std::map<u32, u64> threads;
    u64 tick(u32 id) const {
        const auto it = threads.find(id);
        return it == threads.end() ? floor[id >> 11] : std::max(floor[id >> 11], it->second);
    }
    void add(u32 id, u64 tick) {
        if (tick <= floor[id >> 11]) return;
        u64 &t = threads[id];
        t = std::max(t, tick);
    }
    void add(const Heard &other) {
        for (int r = 0; r < MAX_CLUSTER; r++) floor[r] = std::max(floor[r], other.floor[r]);
        for (auto it = threads.begin(); it != threads.end();)
            it = it->second <= floor[it->first >> 11] ? threads.erase(it) : std::next(it);
        for (const auto &e : other.threads) add(e.first, e.second);
    }
};

/* What a thread knows beyond the barriers: accesses of thread i stamped before v[i] happened before. */
struct Know {
    std::vector<u64> v;
    Heard heard;
};

struct Reader {
    u32 tid;
    u64 stamp;
};
struct ReadSet {
    std::vector<Reader> readers;
    u32 has[MAX_THREADS / 32 + MAX_MBARS / 32] = {}; // a bit for each tid among them
};

enum Wait { WAIT_NONE, WAIT_SYNC, WAIT_WARP, WAIT_CLUSTER, WAIT_LAST, WAIT_MBAR };

struct CopyOp { // global <-> shared, or (global: null) a value sent to shared
    u8 *global;
    unsigned off, bytes;
    const void *site;
    u64 stamp; // of the call
    u64 value = 0;
};
struct StoreOp : CopyOp {
    std::vector<u8> data; // after its source is read
    bool read;
};
template <class Op>
struct Groups { // operations in order; ends: where each committed group ends; what lies after is open
    std::vector<Op> ops;
    std::vector<size_t> ends;
    size_t first = 0, first_op = 0; // the oldest group under way, its first operation
    bool empty() const { return first_op == ops.size(); }
    size_t committed() const { return ends.size() - first; }
    void commit() { ends.push_back(ops.size()); }
    void clear() { ops.clear(), ends.clear(), first = first_op = 0; }
    template <class F> void retire(size_t keep, F f) { // ends all but the last groups
        for (; committed() > keep; first++)
            for (; first_op < ends[first]; first_op++) f(ops[first_op]);
        if (first_op == ops.size() && first == ends.size()) clear();
    }
};

struct Block;
struct Warp;

struct Fiber : td_emu_thread {
    void *sp;
    u8 *stack;
    void *fake; // the address sanitizer's
    Block *blk;
    Warp *warp;
    u32 id;
    int lane;
    bool started, done, pdl_waited;
    bool abandoned; // its last kernel was given up: frames may be left on its stack
    u8 wait;
    u32 wait_mbar;
    u64 wait_phase;
    Know *know;
    u64 fence[4]; // its last fences for asynchronous copies
    unsigned fences;
    Groups<CopyOp> copies;
    Groups<StoreOp> stores;
};

struct Warp {
    u32 ready, arrived, full; // masks of lanes
    int kind;                 // of the collective under way: 0 none, 1 shuffle, 2 td_syncwarp
    unsigned parity;
    u64 sync;
    u64 value[2][32];
};

struct Mbar {
    unsigned off;
    int count, pending;
    u64 phase;
    u64 expected, flying;
    u32 init_id;
    u64 init_stamp;
    bool fenced;
    Know *arrivals; // of the phase under way
    Know *passed;   // of the last complete phase
    std::vector<CopyOp> loads;
    Heard sent; // what the senders of the phase under way knew
    std::vector<Fiber *> waiters;
    int unseen;                  // threads woken that have not run since
    std::vector<Reader> passers; // threads that passed a wait for the last complete phase
    std::vector<u64> seen;       // of each thread: phases it has waited for
};

struct Release { // a block's accesses before tick, by td_last_block
    u64 group;
    int rank;
    u64 tick;
};

struct Block {
    int index, rank, threads, done;
    u32 ready; // warps with a ready lane
    int arrived, last_arrived, last_total;
    int *last_counter;
    bool last_result;
    u64 sync;
    u64 remote; // stamp of the last write from another block
    bool pdl_waited;
    Shadow shadow;
    u8 *shared;
    std::vector<Mbar> mbars;
    std::vector<ReadSet> sets;
    std::vector<Know *> knows;           // all that its threads may have
    Know *join_a, *join_b, *join_result; // the last join: most threads ask for the same
    std::vector<Release> acquired;       // sorted by group
    Heard heard;                         // by its threads before the last barrier
    Warp warps[32];
};

struct Launch {
    std::string kernel;
    void (*run)(const void *);
    const void *call;
    long long grid;
    int threads, cluster;
    unsigned shared;
    bool chained, early;  // early: let the next one start before it had waited
    u64 start, unordered; // chained: accesses stamped from unordered to start need td_pdl_wait
    std::vector<u64> group_start;
    std::vector<int> group_block;
    std::unordered_map<int *, std::vector<Release>> released;
};

struct Prepared { // a kernel's attributes
    unsigned shared = 0;
    bool large_cluster = false;
};

struct GraphNode { // a launch; a product of the library; or where there is neither a memset
    td_emu_launch_args launch;
    std::vector<char> args;
    const void *call[2]; // the kernel, args
    void *at;
    int value;
    size_t bytes;
    std::function<cudaError_t()> product;
};

} // namespace emu
struct CUgraph_st {
    std::vector<emu::GraphNode> nodes;
};
struct CUstream_st {};
namespace emu {

struct State {
    std::recursive_mutex host; // held by whichever host thread is in the API
    u64 tick = 2, random = 1, seed = 0;
    std::unordered_map<cudaStream_t, CUgraph_st *> streams; // with what they capture, or null
    bool check = true, configured = false, strict_shuffle = false;
    Device device = {90, MAX_SHARED, 233472, 2048, MAX_CLUSTER};
    int errors = 0, by_kind[KIND_COUNT] = {}, printed = 0;
    std::unordered_set<u64> sites;
    int allocs_made = 0;
    std::map<u8 *, Alloc *> allocs;
    Alloc *recent[8] = {};
    cudaError_t last_error = cudaSuccess;
    std::unordered_map<const void *, Prepared> prepared;
    // the launch and the cluster ("group") that run
    Launch L;
    bool have_previous = false, previous_early = false;
    u64 previous_start = 0, previous_unordered = 0;
    bool in_kernel = false, aborted = false;
    u64 group_start = 0, group_sync = 0;
    int blocks_ready = 0, cluster_arrived = 0, live = 0;
    Block *blocks[MAX_CLUSTER] = {};
    std::vector<Fiber *> fibers; // slot rank * MAX_THREADS + tid
    // the fiber switch
    void *main_sp = nullptr, *main_fake = nullptr;
    const void *main_bottom = nullptr;
    size_t main_size = 0;
};

union Holder { // never destroyed, so that what it points to stays reachable to the leak checker
    State state;
    Holder() { new (&state) State(); }
    ~Holder() {}
};
extern Holder holder;
#define S (emu::holder.state)
#define HOST_CALL std::lock_guard<std::recursive_mutex> host_call(S.host)
inline Fiber *cur() { return static_cast<Fiber *>(td_emu_self); }
inline u64 stamped(u32 id) { return S.tick << STAMP | id; }

void report(Kind kind, const void *site, const char *format, ...) __attribute__((format(printf, 3, 4)));

} // namespace emu
#endif

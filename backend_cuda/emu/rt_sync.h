/* Barriers of a block, a warp and a cluster; shuffles; the last block; programmatic dependent launch. */

/* Each barrier ends at a tick of its own: accesses before it have smaller stamps, those after it have this one or more.
 */
static void know_join_warp(Block *b, int warp);
static void know_forget(Block *b);

static inline void block_release(Block *b) { // all of its threads wait, or call this; the tick is a new one
    b->sync = S.tick;
    if (!b->mbars.empty()) know_forget(b);
    const int warps = (b->threads + 31) / 32;
    for (int i = 0; i < warps; i++) b->warps[i].ready = b->warps[i].full;
    b->ready = warps == 32 ? ~0u : (1u << warps) - 1u;
    S.blocks_ready |= 1 << b->rank;
}
static inline void take_self(Fiber *f) { // the one that completed a barrier goes on at once
    Warp *w = f->warp;
    w->ready &= ~(1u << f->lane);
    if (!w->ready) {
        f->blk->ready &= ~(1u << (f->tid >> 5));
        if (!f->blk->ready) S.blocks_ready &= ~(1 << f->rank);
    }
}

} // namespace emu

void td_sync() {
    Fiber *f = cur();
    Block *b = f->blk;
    if (++b->arrived < b->threads) return fiber_block(WAIT_SYNC);
    b->arrived = 0;
    ++S.tick;
    block_release(b);
    take_self(f);
}

namespace emu {

/* One collective of a warp; true in the lane that arrives last. Lanes in different collectives wait for each other for
 * ever. */
static inline void warp_collective(Fiber *f, int kind, const void *site) {
    Warp *w = f->warp;
    if (w->kind && w->kind != kind) {
        report(KIND_DEADLOCK, site, "a lane calls %s while others of its warp wait in %s",
               kind == 1 ? "a shuffle" : "td_syncwarp", w->kind == 1 ? "a shuffle" : "td_syncwarp");
        return fiber_block(WAIT_WARP);
    }
    w->kind = kind;
    w->arrived |= 1u << f->lane;
    if (w->arrived != ~0u) return fiber_block(WAIT_WARP);
    w->arrived = 0;
    w->kind = 0;
    ++S.tick;
    if (kind == 2 || !S.strict_shuffle) {
        w->sync = S.tick;
        if (!f->blk->mbars.empty()) know_join_warp(f->blk, f->tid >> 5);
    }
    if (kind == 1) w->parity ^= 1;
    warp_ready(f->blk, f->tid >> 5, ~(1u << f->lane));
}

} // namespace emu

__attribute__((noinline)) void td_syncwarp() { warp_collective(cur(), 2, __builtin_return_address(0)); }

__attribute__((noinline)) uint64_t td_emu_shuffle(uint64_t v, int kind, int arg) {
    Fiber *f = cur();
    Warp *w = f->warp;
    // Two buffers: a lane may be in the next shuffle before others have read this one's values, never two ahead.
    u64 *value = w->value[w->parity];
    value[f->lane] = v;
    warp_collective(f, 1, __builtin_return_address(0));
    int from = f->lane;
    if (kind == 4) {
        u64 lanes = 0;
        for (int i = 0; i < 32; i++) lanes |= u64(value[i] == v) << i;
        return lanes;
    }
    if (kind == 0)
        from ^= arg;
    else if (kind == 1)
        from -= arg;
    else if (kind == 2)
        from += arg;
    else
        from = arg & 31;
    return from < 0 || from > 31 ? v : value[from];
}

void td_cluster_sync() {
    Fiber *f = cur();
    needs_90(nullptr, "a barrier of a cluster");
    if (++S.cluster_arrived < S.L.cluster * S.L.threads) return fiber_block(WAIT_CLUSTER);
    S.cluster_arrived = 0;
    S.group_sync = ++S.tick;
    for (int i = 0; i < S.L.cluster; i++) {
        block_release(S.blocks[i]);
        S.blocks[i]->heard = Heard(); // this barrier says more
    }
    take_self(f);
}

namespace emu {

static void acquire(Block *b, const std::vector<Release> &from) {
    b->acquired.insert(b->acquired.end(), from.begin(), from.end());
    std::sort(b->acquired.begin(), b->acquired.end(),
              [](const Release &x, const Release &y) { return x.group < y.group; });
}
/* The block's last thread has come: count the block. */
static void count_block(Block *b, int *counter, int total, const void *site) {
    b->last_result = false;
    if (!td_emu_atomic(counter, sizeof(int))) return;
    const int old = *counter;
    if (total < 1 || old < 0 || old >= total) {
        report(KIND_COUNTER, site, "counter at %p is %d, of %d blocks", static_cast<void *>(counter), old, total);
        *counter = 0;
        return;
    }
    std::vector<Release> &released = S.L.released[counter];
    released.push_back({S.L.group_start.size() - 1, b->rank, S.tick + 1});
    released.insert(released.end(), b->acquired.begin(), b->acquired.end());
    b->last_result = old == total - 1;
    *counter = b->last_result ? 0 : old + 1;
    if (!b->last_result) return;
    acquire(b, released);
    released.clear();
}

} // namespace emu

__attribute__((noinline)) bool td_last_block(int *counter, int total) {
    Fiber *f = cur();
    Block *b = f->blk;
    const void *site = __builtin_return_address(0);
    if (b->last_arrived && (b->last_counter != counter || b->last_total != total))
        report(KIND_COUNTER, site, "threads of a block give td_last_block different counters or totals");
    b->last_counter = counter;
    b->last_total = total;
    if (++b->last_arrived < b->threads)
        fiber_block(WAIT_LAST);
    else {
        b->last_arrived = 0;
        count_block(b, counter, total, site);
        ++S.tick;
        block_release(b);
        take_self(f);
    }
    return b->last_result;
}

void td_pdl_wait() { cur()->pdl_waited = cur()->blk->pdl_waited = true; }
void td_pdl_launch() {
    if (S.L.chained && !cur()->pdl_waited) S.L.early = true;
}
namespace emu {

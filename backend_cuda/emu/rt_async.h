/* Asynchronous copies: each lands at its wait and no earlier, and its memory may not be touched until then. */

/* ---- knowledge through mbarriers ---- */
static Know *know_new(Block *b, const Know *from) {
    Know *k = new Know;
    if (from) *k = *from;
    k->v.resize(size_t(b->threads) + MAX_MBARS);
    b->knows.push_back(k);
    return k;
}
static void know_add(Know *k, const Know *other) {
    for (size_t i = 0; i < k->v.size(); i++) k->v[i] = std::max(k->v[i], other->v[i]);
    k->heard.add(other->heard);
}
static Know *know_join(Block *b, Know *x, Know *y) {
    if (!x || x == y) return y;
    if (!y) return x;
    if (b->join_a == x && b->join_b == y) return b->join_result;
    Know *k = know_new(b, x);
    know_add(k, y);
    b->join_a = x, b->join_b = y;
    return b->join_result = k;
}
static void know_join_warp(Block *b, int warp) {
    Fiber **f = &S.fibers[size_t(b->rank) * MAX_THREADS + size_t(warp) * 32];
    Know *k = nullptr;
    for (int i = 0; i < 32; i++) k = know_join(b, k, f[i]->know);
    for (int i = 0; i < 32; i++) f[i]->know = k;
}
/* After a barrier of the block its tick says more than all of it, but for what was heard of other blocks. */
static void know_forget(Block *b) {
    if (b->knows.empty() && b->sets.empty()) return;
    const Know *last = nullptr;
    for (int i = 0; i < b->threads; i++) {
        Know *&k = S.fibers[size_t(b->rank) * MAX_THREADS + size_t(i)]->know;
        if (k && k != last && S.L.cluster > 1) b->heard.add(k->heard);
        last = k;
        k = nullptr;
    }
    for (Mbar &m : b->mbars) m.arrivals = m.passed = nullptr;
    for (Know *k : b->knows) delete k;
    b->knows.clear();
    b->sets.clear();
    b->join_a = b->join_b = nullptr;
}

/* ---- the two sides of a copy ---- */
static void shared_mark(Block *b, unsigned off, unsigned bytes, u64 value) {
    if (S.check) shadow_each(b->shadow, off, bytes, [&](Rec &r, size_t) { r.w = value; });
}
static void land_load(Block *b, const CopyOp &op, u64 value) {
    if (!op.global) {
        memcpy(b->shared + op.off, &op.value, op.bytes);
        return shared_mark(b, op.off, op.bytes, value);
    }
    if ((value & 2047) >= MAX_THREADS)
        bulk_source_landed(op, value);
    else if (S.check)
        global_read(op.global, op.bytes, 1, op.site);
    memcpy(b->shared + op.off, op.global, op.bytes);
    shared_mark(b, op.off, op.bytes, value);
}
/* Ordinary writes that an asynchronous access follows must have been fenced by their writer, and the fence ordered. */
static void check_fenced(Block *b, unsigned off, unsigned bytes, const void *site, const char *what) {
    if (!S.check) return;
    shadow_each(b->shadow, off, bytes, [&](Rec &r, size_t o) {
        const u32 tid = rec_id(r.w) & 2047;
        if (r.w < block_begin() || tid >= MAX_THREADS || r.w & FLAG_MASK) return;
        const Fiber *f = S.fibers[size_t(rec_id(r.w) >> 11) * MAX_THREADS + tid];
        for (unsigned i = 0; i < 4; i++)
            if (f->fence[i] > rec_stamp(r.w) && (f == cur() || order_of(f->fence[i], f->id, 0) == ORDERED)) return;
        report(KIND_FENCE, site, "%s of shared + %zu, which %s wrote without td_async_fence and a barrier after it",
               what, o, who(rec_stamp(r.w), rec_id(r.w)).c_str());
    });
}
static void store_read(Block *b, StoreOp &op) {
    if (op.read) return;
    op.read = true;
    op.data.assign(b->shared + op.off, b->shared + op.off + op.bytes);
    if (S.check)
        shadow_each(b->shadow, op.off, op.bytes, [&](Rec &r, size_t) {
            r.w &= ~W_SPECIAL;
            r.r = merge_read(r.r, true);
        });
}
static void store_land(Block *b, StoreOp &op) {
    store_read(b, op);
    memcpy(op.global, op.data.data(), op.bytes);
    Alloc *a = S.check ? alloc_find(op.global) : nullptr;
    if (a)
        shadow_each(a->shadow, alloc_off(a, op.global), op.bytes * 2,
                    [&](Rec &r, size_t) { r.w = stamped(cur()->id); });
}
static bool bulk_shape(const void *p, unsigned off, unsigned bytes, const void *site) {
    if (bytes % 16 || off % 16 || uintptr_t(p) % 16) {
        report(KIND_ALIGNMENT, site, "bulk copy of %u bytes between %p and shared + %u: all must be multiples of 16",
               bytes, p, off);
        return false;
    }
    return shared_range(off, bytes, 16, site, "bulk copy");
}

/* ---- mbarriers ---- */
static int mbar_find(unsigned off, const void *site, const char *what) {
    Block *b = cur()->blk;
    for (size_t i = 0; i < b->mbars.size(); i++) {
        const Mbar &m = b->mbars[i];
        if (m.off != off) continue;
        if (S.check && order_of(m.init_stamp, m.init_id, 0) != ORDERED)
            report(KIND_MBARRIER, site, "%s on the mbarrier at shared + %u, whose td_mbar_init is not ordered before",
                   what, off);
        return int(i);
    }
    report(KIND_MBARRIER, site, "%s on shared + %u, where no mbarrier was initialised", what, off);
    return -1;
}
/* A phase ends: whoever waits for the phase before must have done so, in any order of threads; the parity says no more
 * than one phase. */
static void mbar_check_passers(Block *b, Mbar &m) {
    bool late = m.unseen != 0;
    for (const Reader &e : m.passers) late |= e.stamp >= b->sync && (!m.arrivals || e.stamp >= m.arrivals->v[e.tid]);
    if (late)
        report(KIND_MBARRIER, nullptr,
               "phase %llu of the mbarrier at shared + %u may end before a thread that waits for the last one has seen "
               "that",
               (unsigned long long)m.phase, m.off);
    m.passers.clear();
}
static void mbar_pass(Mbar &m, Fiber *f, const void *site) {
    if (m.seen.size() <= size_t(f->tid)) m.seen.resize(size_t(f->blk->threads));
    u64 &seen = m.seen[size_t(f->tid)];
    if (m.phase > seen + 1)
        report(KIND_MBARRIER, site,
               "mbarrier at shared + %u: a wait passes by phase %llu, but the thread has last seen phase %lld", m.off,
               (unsigned long long)m.phase - 1, (long long)seen - 1);
    seen = m.phase;
    if (m.phase) m.passers.push_back({u32(f->tid), S.tick});
}
static void mbar_complete(Block *b, int index) {
    Mbar &m = b->mbars[size_t(index)];
    mbar_check_passers(b, m);
    if (!m.loads.empty()) {
        const u32 tid = u32(MAX_THREADS + index);
        ++S.tick;
        for (const CopyOp &op : m.loads) land_load(b, op, stamped(u32(b->rank) << 11 | tid));
        if (!m.arrivals) m.arrivals = know_new(b, nullptr); // a block barrier came since
        m.arrivals->v[know_index(tid)] = ++S.tick;
        m.loads.clear();
        m.arrivals->heard.add(m.sent);
        m.sent = Heard();
    }
    m.passed = m.arrivals;
    m.arrivals = nullptr;
    m.phase++;
    m.pending = m.count;
    m.expected = m.flying = 0;
    m.unseen = int(m.waiters.size());
    for (Fiber *f : m.waiters) fiber_ready(f);
    m.waiters.clear();
}
/* Ends the phase where all has come; one with copies only when somebody waits for it: they may take that long. */
static void mbar_try(Block *b, int index, bool waiting) {
    Mbar &m = b->mbars[size_t(index)];
    if (m.pending || m.flying < m.expected) return;
    if (m.flying > m.expected)
        report(KIND_MBARRIER, m.loads.back().site, "mbarrier at shared + %u: %llu bytes in flight, %llu expected",
               m.off, (unsigned long long)m.flying, (unsigned long long)m.expected);
    if (!m.flying || waiting || !m.waiters.empty()) mbar_complete(b, index);
}

static void fiber_end(Fiber *f) {
    Block *b = f->blk;
    if (!f->copies.empty()) {
        report(KIND_ASYNC, f->copies.ops.back().site, "a thread ends with asynchronous copies in flight");
        f->copies.commit();
        f->copies.retire(0, [&](CopyOp &op) { land_load(b, op, stamped(f->id)); });
    }
    if (!f->stores.empty()) {
        for (size_t i = f->stores.first_op; i < f->stores.ops.size(); i++)
            if (!f->stores.ops[i].read)
                report(KIND_ASYNC, f->stores.ops[i].site, "a thread ends before its bulk store has read shared memory");
        f->stores.commit();
        f->stores.retire(0, [&](StoreOp &op) { store_land(b, op); });
    }
    f->copies.clear();
    f->stores.clear();
    if (++b->done < b->threads) return;
    for (const Mbar &m : b->mbars)
        if (!m.loads.empty())
            report(KIND_ASYNC, m.loads.back().site, "a block ends with copies or sends in flight to its shared memory");
    if (S.L.chained && !b->pdl_waited)
        report(KIND_PDL, nullptr, "a block of a chained kernel ends without td_pdl_wait");
}

} // namespace emu

__attribute__((noinline)) void td_emu_cp_async(unsigned off, const void *p, unsigned bytes) {
    Fiber *f = cur();
    const void *site = __builtin_return_address(0);
    if (bytes != 4 && bytes != 8 && bytes != 16) {
        report(KIND_ALIGNMENT, site, "asynchronous copy of %u bytes: 4, 8 or 16 are possible", bytes);
        return;
    }
    if (!shared_range(off, bytes, bytes, site, "asynchronous copy") || !global_read(p, bytes, bytes, site)) return;
    if (S.check)
        access_write<true>(f->blk->shadow, off, bytes, shared_floor(f->blk), block_begin(), {nullptr, site, f->rank},
                           stamped(f->id) | W_PENDING);
    memset(f->blk->shared + off, 0xff, bytes);
    f->copies.ops.push_back({static_cast<u8 *>(const_cast<void *>(p)), off, bytes, site, S.tick});
}
void td_cp_commit() { cur()->copies.commit(); }
void td_emu_cp_wait(int n) {
    Fiber *f = cur();
    f->copies.retire(size_t(n), [&](CopyOp &op) { land_load(f->blk, op, stamped(f->id)); });
}

__attribute__((noinline)) void td_emu_mbar_init(unsigned off, int count) {
    Fiber *f = cur();
    Block *b = f->blk;
    const void *site = __builtin_return_address(0);
    if (!shared_range(off, 8, 8, site, "mbarrier")) return;
    if (count < 1 || count >= 1 << 20) report(KIND_MBARRIER, site, "an mbarrier for %d arrivals", count);
    Mbar *m = nullptr;
    for (Mbar &k : b->mbars)
        if (k.off == off) m = &k;
    if (m && (m->pending != m->count || !m->waiters.empty() || !m->loads.empty()))
        report(KIND_MBARRIER, site, "td_mbar_init of the mbarrier at shared + %u, which is in use", off);
    if (S.check && !m)
        access_write<true>(b->shadow, off, 8, shared_floor(b), block_begin(), {nullptr, site, b->rank}, 0);
    shared_mark(b, off, 8, stamped(f->id) | W_SPECIAL | W_ATOMIC);
    if (!m) {
        if (b->mbars.size() == MAX_MBARS) return report(KIND_MBARRIER, site, "more than %d mbarriers", int(MAX_MBARS));
        b->mbars.emplace_back();
        m = &b->mbars.back();
    } else
        *m = Mbar();
    m->off = off;
    m->count = m->pending = count;
    m->init_id = f->id;
    m->init_stamp = S.tick;
}
void td_mbar_fence() {
    needs_90(nullptr, "td_mbar_fence");
    for (Mbar &m : cur()->blk->mbars)
        if (m.init_id == cur()->id) m.fenced = true;
}
__attribute__((noinline)) void td_emu_mbar_arrive(unsigned off, unsigned expected) {
    Fiber *f = cur();
    Block *b = f->blk;
    const void *site = __builtin_return_address(0);
    const int i = mbar_find(off, site, "arrival");
    if (i < 0) return;
    Mbar &m = b->mbars[size_t(i)];
    if (!m.pending) {
        report(KIND_MBARRIER, site, "mbarrier at shared + %u: more arrivals than the %d of a phase", off, m.count);
        return;
    }
    if (!m.arrivals) m.arrivals = know_new(b, nullptr);
    const int warp = f->tid >> 5;
    for (int t = warp * 32; t < warp * 32 + 32 && t < b->threads; t++)
        m.arrivals->v[size_t(t)] = std::max(m.arrivals->v[size_t(t)], f->warp->sync);
    m.arrivals->v[size_t(f->tid)] = ++S.tick;
    if (f->know) know_add(m.arrivals, f->know);
    m.expected += expected;
    m.pending--;
    mbar_try(b, i, false);
}
__attribute__((noinline)) void td_emu_mbar_wait(unsigned off, unsigned parity) {
    Fiber *f = cur();
    Block *b = f->blk;
    const void *site = __builtin_return_address(0);
    needs_90(site, "a wait for an mbarrier that may sleep");
    const int i = mbar_find(off, site, "wait");
    if (i < 0) return;
    if (parity > 1) report(KIND_MBARRIER, site, "wait for parity %u", parity);
    const size_t at = size_t(i);
    if ((b->mbars[at].phase & 1) == (parity & 1)) {
        const u64 phase = b->mbars[at].phase;
        mbar_try(b, i, true);
        if (b->mbars[at].phase == phase) {
            b->mbars[at].waiters.push_back(f);
            f->wait_mbar = u32(i);
            f->wait_phase = phase;
            fiber_block(WAIT_MBAR);
            b->mbars[at].unseen--;
        }
    }
    mbar_pass(b->mbars[at], f, site);
    f->know = know_join(b, f->know, b->mbars[at].passed);
}
__attribute__((noinline)) void td_emu_bulk_load(unsigned off, const void *p, unsigned bytes, unsigned mbar) {
    Fiber *f = cur();
    Block *b = f->blk;
    const void *site = __builtin_return_address(0);
    needs_90(site, "a bulk copy");
    const int i = mbar_find(mbar, site, "bulk copy");
    if (i < 0 || !bulk_shape(p, off, bytes, site) || !bulk_source_check(p, bytes, site)) return;
    Mbar &m = b->mbars[size_t(i)];
    if (S.check && !m.fenced)
        report(KIND_FENCE, site,
               "bulk copy with the mbarrier at shared + %u, without td_mbar_fence after its td_mbar_init", mbar);
    check_fenced(b, off, bytes, site, "bulk copy into");
    if (S.check)
        access_write<true>(b->shadow, off, bytes, shared_floor(b), block_begin(), {nullptr, site, b->rank},
                           stamped(u32(b->rank) << 11 | u32(MAX_THREADS + i)) | W_PENDING);
    memset(b->shared + off, 0xff, bytes);
    m.loads.push_back({static_cast<u8 *>(const_cast<void *>(p)), off, bytes, site, S.tick});
    m.flying += bytes;
    ++S.tick; // writes of its source from here on have larger stamps
    mbar_try(b, i, false);
}
namespace emu {

/* What this thread may tell another block when it sends: all that it knows of accesses. */
static Heard heard_now() {
    const Fiber *f = cur();
    const Block *b = f->blk;
    Heard h = b->heard;
    const u32 rank = u32(b->rank) << 11;
    h.floor[b->rank] = std::max(h.floor[b->rank], b->sync);
    const int warp = f->tid >> 5;
    for (int t = warp * 32; t < warp * 32 + 32 && t < b->threads; t++) h.add(rank | u32(t), f->warp->sync);
    if (f->know) {
        h.add(f->know->heard);
        for (int t = 0; t < b->threads; t++) h.add(rank | u32(t), f->know->v[size_t(t)]);
        for (u32 i = MAX_THREADS; i < MAX_THREADS + u32(b->mbars.size()); i++)
            h.add(rank | i, f->know->v[know_index(i)]);
    }
    h.add(f->id, ++S.tick);
    return h;
}
/* The mbarrier of a send's target block, which must exist and be known to this thread. */
static Mbar *send_mbar(Block *to, unsigned off, const void *site) {
    if (to == cur()->blk) {
        const int i = mbar_find(off, site, "send");
        return i < 0 ? nullptr : &to->mbars[size_t(i)];
    }
    if (S.group_sync == S.group_start)
        report(KIND_CLUSTER, site, "send to rank %d before any td_cluster_sync: it may not have started", to->rank);
    for (Mbar &m : to->mbars) {
        if (m.off != off) continue;
        if (S.check && m.init_stamp >= S.group_sync && S.group_sync != S.group_start)
            report(KIND_MBARRIER, site,
                   "send to rank %d's mbarrier at shared + %u without td_cluster_sync after its "
                   "td_mbar_init",
                   to->rank, off);
        return &m;
    }
    report(KIND_MBARRIER, site, "send to rank %d's shared + %u, where no mbarrier was initialised", to->rank, off);
    return nullptr;
}

} // namespace emu

__attribute__((noinline)) void td_emu_cluster_send(unsigned off, int rank, uint64_t value, unsigned bytes,
                                                   unsigned mbar) {
    const void *site = __builtin_return_address(0);
    needs_90(site, "a send to another block");
    if (!shared_range(off, bytes, bytes, site, "send")) return;
    if (rank < 0 || rank >= S.L.cluster)
        return report(KIND_CLUSTER, site, "send to rank %d of a cluster of %d", rank, S.L.cluster);
    Block *to = S.blocks[rank];
    if (to->done == to->threads) return report(KIND_CLUSTER, site, "send to rank %d, which has ended", rank);
    Mbar *m = send_mbar(to, mbar, site);
    if (!m) return;
    if (S.check && !m->fenced)
        report(KIND_FENCE, site, "send with the mbarrier at shared + %u, without td_mbar_fence after its td_mbar_init",
               mbar);
    const int i = int(m - to->mbars.data());
    if (S.check)
        access_write<true>(to->shadow, off, bytes, shared_floor(to), block_begin(), {nullptr, site, rank},
                           stamped(u32(rank) << 11 | u32(MAX_THREADS + i)) | W_PENDING);
    memset(to->shared + off, 0xff, bytes);
    m->loads.push_back({nullptr, off, bytes, site, S.tick, value});
    m->flying += bytes;
    m->sent.add(heard_now());
    mbar_try(to, i, false);
}
__attribute__((noinline)) void td_emu_bulk_store(void *p, unsigned off, unsigned bytes) {
    Fiber *f = cur();
    Block *b = f->blk;
    const void *site = __builtin_return_address(0);
    needs_90(site, "a bulk store");
    if (!bulk_shape(p, off, bytes, site) || !global_write(p, bytes, 16, site, W_PENDING)) return;
    check_fenced(b, off, bytes, site, "bulk store");
    if (S.check) {
        access_read<true>(b->shadow, off, bytes, shared_floor(b), block_begin(), {nullptr, site, b->rank});
        shadow_each(b->shadow, off, bytes, [&](Rec &r, size_t) { r.w |= W_SPECIAL; });
    }
    StoreOp op;
    op.global = static_cast<u8 *>(p);
    op.off = off, op.bytes = bytes, op.site = site, op.stamp = S.tick, op.read = false;
    f->stores.ops.push_back(op);
}
void td_bulk_commit() { cur()->stores.commit(); }
void td_emu_bulk_wait(int n, bool read_only) {
    Fiber *f = cur();
    Groups<StoreOp> &s = f->stores;
    if (!read_only) return s.retire(size_t(n), [&](StoreOp &op) { store_land(f->blk, op); });
    if (s.committed() <= size_t(n)) return;
    const size_t end = s.ends[s.ends.size() - 1 - size_t(n)];
    for (size_t i = s.first_op; i < end; i++) store_read(f->blk, s.ops[i]);
}
void td_async_fence() {
    Fiber *f = cur();
    f->fence[f->fences++ & 3] = ++S.tick;
}
namespace emu {

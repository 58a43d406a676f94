/* Shadow memory and the check of one access: is it ordered after what it conflicts with? */

static void shadow_make(Shadow *s, size_t units) {
    const size_t pages = units / PAGE + 1;
    s->units = units;
    void *rec = mmap(nullptr, pages * PAGE * sizeof(Rec), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0); // zero, by the page as it is touched
    s->rec = static_cast<Rec *>(rec);
    s->shift = static_cast<u8 *>(malloc(pages));
    if (rec == MAP_FAILED || !s->shift) {
        fprintf(stderr, "td_emu: no memory for a shadow of %zu units\n", units);
        exit(3);
    }
    memset(s->shift, COARSE, pages);
}
static void shadow_free(Shadow *s) {
    if (s->rec) munmap(s->rec, (s->units / PAGE + 1) * PAGE * sizeof(Rec));
    free(s->shift);
    *s = Shadow();
}
static void shadow_refine(Rec *rec, int from, int to) {
    for (int i = (PAGE >> to) - 1; i >= 0; i--) rec[i] = rec[i >> (from - to)];
}

/* Calls f(Rec &, offset) for the granules of a range. */
template <class F> static inline void shadow_each(Shadow &s, size_t off, size_t len, F f) {
    if (!len) return;
    const int need = __builtin_ctzll(off | len | 1 << COARSE);
    for (const size_t end = off + len; off < end;) {
        const size_t page = off / PAGE, in = off % PAGE;
        const size_t stop = end < (page + 1) * PAGE ? end - page * PAGE : size_t(PAGE);
        Rec *rec = s.rec + page * PAGE;
        if (UNLIKELY(s.shift[page] > need)) {
            shadow_refine(rec, s.shift[page], need);
            s.shift[page] = u8(need);
        }
        const int shift = s.shift[page];
        for (size_t i = in >> shift; i < stop >> shift; i++) f(rec[i], page * PAGE + (i << shift));
        off = page * PAGE + stop;
    }
}

/* ---- order ---- */
enum Order { ORDERED, UNORDERED, AHEAD }; // AHEAD: an earlier kernel's, and this thread has not waited for that

static bool order_acquired(u64 stamp, u32 id, bool grid) {
    const std::vector<Release> &a = cur()->blk->acquired;
    if (grid) return !a.empty();
    size_t lo = 0, hi = a.size();
    const std::vector<u64> &starts = S.L.group_start;
    size_t g = starts.size();
    for (size_t l = 0, h = g; l < h;) { // the last group that starts at or before stamp
        const size_t m = (l + h) / 2;
        if (starts[m] <= stamp)
            l = m + 1, g = m;
        else
            h = m;
    }
    while (lo < hi) {
        const size_t m = (lo + hi) / 2;
        if (a[m].group < g)
            lo = m + 1;
        else
            hi = m;
    }
    for (; lo < a.size() && a[lo].group == g; lo++)
        if (a[lo].rank == int(id >> 11) && stamp < a[lo].tick) return true;
    return false;
}

static size_t know_index(u32 tid) { return tid < MAX_THREADS ? tid : size_t(S.L.threads) + tid - MAX_THREADS; }

/* Whether sends told this thread of an access, after the last barrier of the cluster. */
static __attribute__((noinline)) bool order_heard(u64 stamp, u32 id, int level) {
    const Fiber *f = cur();
    const auto tick = [&](u32 i) {
        const u64 t = f->blk->heard.tick(i);
        return f->know ? std::max(t, f->know->heard.tick(i)) : t;
    };
    const auto floor = [&](u32 rank) {
        const u64 t = f->blk->heard.floor[rank];
        return f->know ? std::max(t, f->know->heard.floor[rank]) : t;
    };
    if (level == 0) return stamp < tick(id);
    if (level == 2) return stamp < floor(id >> 11);
    if (level == 1) {
        const u32 first = id & ~31u, threads = u32(S.L.threads);
        for (u32 i = first; i < first + 32 && (i & 2047) < threads; i++)
            if (stamp >= tick(i)) return false;
        return true;
    }
    for (u32 r = 0; r < u32(S.L.cluster); r++)
        if (stamp >= (int(r) == f->rank ? std::max(f->blk->sync, floor(r)) : floor(r))) return false;
    return true;
}

static Order order_seen(u64 stamp, u32 id, int level) {
    const Fiber *f = cur();
    const bool wait = S.L.chained && !f->pdl_waited;
    if (stamp < (wait ? S.L.unordered : S.L.start)) return ORDERED;
    if (stamp < S.L.start) return AHEAD;
    if (stamp < S.group_start || level >= 4) return order_acquired(stamp, id, level >= 4) ? ORDERED : UNORDERED;
    if (stamp < S.group_sync) return ORDERED;
    if (level == 3 || int(id >> 11) != f->rank) return order_acquired(stamp, id, level == 3) ? ORDERED : UNORDERED;
    if (stamp < f->blk->sync) return ORDERED;
    if (level == 2) return UNORDERED;
    const u32 tid = id & 2047;
    if (tid < MAX_THREADS && tid >> 5 == u32(f->tid) >> 5 && stamp < f->warp->sync) return ORDERED;
    if (level == 1) return UNORDERED;
    if (tid == u32(f->tid)) return ORDERED;
    if (f->know && know_index(tid) < f->know->v.size() && stamp < f->know->v[know_index(tid)]) return ORDERED;
    return UNORDERED;
}
/* over: this thread does not look at what was accessed, it only overwrites; then what sends told counts too. */
static Order order_of(u64 stamp, u32 id, int level, bool over = false) {
    const Order o = order_seen(stamp, id, level);
    if (!over || o != UNORDERED || S.L.cluster == 1 || stamp < S.group_start || level >= 4) return o;
    return order_heard(stamp, id, level) ? ORDERED : o;
}
static inline u64 rec_stamp(u64 v) { return v >> STAMP; }
static inline u32 rec_id(u64 v) { return u32(v & ID_MASK); }
static inline int rec_level(u64 v) { return int(v >> LEVEL & 7); }

/* The level of "old and this thread too", where old is unordered with it. */
static int level_join(u64 old) {
    const Fiber *f = cur();
    const u32 id = rec_id(old);
    int level = rec_level(old), need = 0;
    if (rec_stamp(old) < S.group_start)
        need = 4;
    else if (int(id >> 11) != f->rank)
        need = 3;
    else if ((id & 2047) >> 5 != u32(f->tid) >> 5)
        need = 2;
    else if (id != f->id)
        need = 1;
    return need > level ? need : level;
}

/* ---- what an access found wrong ---- */
struct Place {          // where, for reports
    const Alloc *alloc; // null: shared memory
    const void *site;
    int rank; // of the block whose shared memory it is
};
static std::string place_text(const Place &p, size_t off) {
    char text[96];
    if (p.alloc)
        snprintf(text, sizeof text, "allocation %d (%zu bytes) + %zu%s", p.alloc->number, p.alloc->bytes, off / 2,
                 off & 1 ? ", high half" : "");
    else if (p.rank == cur()->rank)
        snprintf(text, sizeof text, "shared + %zu", off);
    else
        snprintf(text, sizeof text, "rank %d's shared + %zu", p.rank, off);
    return text;
}
static __attribute__((noinline)) void conflict(Order o, const Place &p, size_t off, u64 old, const char *now,
                                               const char *then) {
    const std::string where = place_text(p, off), other = who(rec_stamp(old), rec_id(old));
    if (o == AHEAD)
        report(KIND_PDL, p.site, "%s of %s, %s by the kernel before, without td_pdl_wait", now, where.c_str(), then);
    else
        report(KIND_RACE, p.site, "%s of %s, which %s %s without order", now, where.c_str(), other.c_str(), then);
}
/* A writer's record with a flag. False: nothing is wrong with it. */
static __attribute__((noinline)) bool special(const Place &p, size_t off, u64 w, bool write) {
    const std::string where = place_text(p, off);
    if (p.alloc && rec_stamp(w) < S.L.start) return false; // left by a launch that was given up
    if (w & W_PENDING) {
        report(KIND_ASYNC, p.site, "%s of %s before the wait for the asynchronous copy that writes it",
               write ? "write" : "read", where.c_str());
        return true;
    }
    if (w & W_SPECIAL && w & W_ATOMIC) { // both: an mbarrier
        report(KIND_MBARRIER, p.site, "ordinary access to the mbarrier at %s", where.c_str());
        return true;
    }
    if (w & W_SPECIAL && write) {
        report(KIND_ASYNC, p.site, "write of %s while a bulk store may still read it", where.c_str());
        return true;
    }
    return false;
}

/* ---- readers ---- */
static ReadSet *read_set(Block *b, u64 r) {
    return rec_stamp(r) >= S.group_start && int(rec_id(r)) < int(b->sets.size()) ? &b->sets[rec_id(r)] : nullptr;
}
static void read_set_add(ReadSet *set, u32 tid) {
    if (set->has[tid >> 5] >> (tid & 31) & 1) {
        for (Reader &e : set->readers)
            if (e.tid == tid) e.stamp = S.tick;
        return;
    }
    set->has[tid >> 5] |= 1u << (tid & 31);
    set->readers.push_back({tid, S.tick});
}
/* A read by this thread, where the record's readers are not all itself or before the floor. */
static __attribute__((noinline)) u64 merge_read(u64 r, bool shared) {
    Fiber *f = cur();
    Block *b = f->blk;
    const u64 me = stamped(f->id);
    if (r & R_SET) {
        ReadSet *set = shared ? read_set(b, r) : nullptr;
        if (!set || rec_stamp(r) < b->sync) return me;
        read_set_add(set, u32(f->tid));
        return S.tick << STAMP | R_SET | rec_id(r);
    }
    if (order_of(rec_stamp(r), rec_id(r), rec_level(r), true) != UNORDERED) return me;
    const int level = level_join(r);
    if (shared && level && level <= 2 && !b->mbars.empty() && !rec_level(r) && b->sets.size() < ID_MASK) {
        ReadSet set;
        const u32 first = rec_id(r) & 2047;
        set.readers.push_back({first, rec_stamp(r)});
        set.has[first >> 5] |= 1u << (first & 31);
        read_set_add(&set, u32(f->tid));
        b->sets.push_back(std::move(set));
        return S.tick << STAMP | R_SET | (b->sets.size() - 1);
    }
    return me | u64(level) << LEVEL;
}
/* This thread writes what r says was read. */
static __attribute__((noinline)) void check_readers(u64 r, const Place &p, size_t off) {
    if (r & R_SET) {
        if (rec_stamp(r) < S.group_sync) return;
        const u32 rank = u32(p.rank) << 11;
        Block *b = S.blocks[p.rank];
        const ReadSet *set = read_set(b, r);
        if (!set || rec_stamp(r) < b->sync) { // the set is gone; a block's own barriers do not order another block
            if (order_of(rec_stamp(r), rank, 2, true) != ORDERED)
                conflict(UNORDERED, p, off, rec_stamp(r) << STAMP | rank, "write", "read");
            return;
        }
        for (const Reader &e : set->readers)
            if (order_of(e.stamp, rank | e.tid, 0, true) != ORDERED)
                return conflict(UNORDERED, p, off, e.stamp << STAMP | rank | e.tid, "write", "read");
        return;
    }
    const Order o = order_of(rec_stamp(r), rec_id(r), rec_level(r), true);
    if (o != ORDERED) conflict(o, p, off, r, "write", "read");
}
static __attribute__((noinline)) void check_writer(u64 w, const Place &p, size_t off, const char *now) {
    if (w & (W_PENDING | W_SPECIAL) && special(p, off, w, now[0] != 'r')) return;
    const Order o = order_of(rec_stamp(w), rec_id(w), rec_level(w), now[0] == 'w');
    if (o != ORDERED) conflict(o, p, off, w, now, w & W_ATOMIC ? "updated" : "wrote");
}

/* ---- accesses: floor is a record below which all is ordered, begin the block's first ---- */
template <bool SHARED>
static inline void access_read(Shadow &s, size_t off, size_t len, u64 floor, u64 begin, const Place &p) {
    const u64 me = stamped(cur()->id), mine = cur()->id;
    shadow_each(s, off, len, [&](Rec &r, size_t o) {
        const u64 w = r.w;
        if (UNLIKELY(SHARED ? w < begin : w == 0))
            report(KIND_UNINIT, p.site, "read of %s, which nothing has written", place_text(p, o).c_str());
        else if (UNLIKELY(w & FLAG_MASK) || (w >= floor && UNLIKELY((w & (ID_MASK | LEVEL_MASK)) != mine || w < begin)))
            check_writer(w, p, o, "read");
        if (r.r < floor || ((r.r & ((1u << STAMP) - 1)) == mine && r.r >= begin))
            r.r = me;
        else
            r.r = merge_read(r.r, SHARED);
    });
}
template <bool SHARED>
static inline void access_write(Shadow &s, size_t off, size_t len, u64 floor, u64 begin, const Place &p, u64 value) {
    const u64 mine = cur()->id;
    shadow_each(s, off, len, [&](Rec &r, size_t o) {
        const u64 w = r.w;
        if (!SHARED || w >= begin)
            if (UNLIKELY(w & FLAG_MASK) || (w >= floor && UNLIKELY((w & (ID_MASK | LEVEL_MASK)) != mine || w < begin)))
                check_writer(w, p, o, "write");
        if (r.r >= floor && UNLIKELY((r.r & ((1u << STAMP) - 1)) != mine || r.r < begin) && (!SHARED || r.r >= begin))
            check_readers(r.r, p, o);
        r.w = value;
        r.r = 0; // whoever is ordered after this write is ordered after those reads
    });
}
/* Atomics do not race with each other; the record then stands for all of them. */
template <bool SHARED>
static inline void access_atomic(Shadow &s, size_t off, size_t len, u64 floor, u64 begin, const Place &p) {
    const u64 me = stamped(cur()->id) | W_ATOMIC, mine = cur()->id;
    shadow_each(s, off, len, [&](Rec &r, size_t o) {
        const u64 w = r.w;
        u64 level = 0;
        if (UNLIKELY(SHARED ? w < begin : w == 0))
            report(KIND_UNINIT, p.site, "update of %s, which nothing has written", place_text(p, o).c_str());
        else if (w >= floor && ((w & (ID_MASK | LEVEL_MASK)) != mine || w < begin)) {
            if ((w & FLAG_MASK) != W_ATOMIC)
                check_writer(w, p, o, "update");
            else {
                const Order order = order_of(rec_stamp(w), rec_id(w), rec_level(w));
                if (order == AHEAD) conflict(order, p, o, w, "update", "updated");
                if (order == UNORDERED) level = u64(level_join(w));
            }
        } else if (w & W_PENDING)
            check_writer(w, p, o, "update");
        if (r.r >= floor && ((r.r & ((1u << STAMP) - 1)) != mine || r.r < begin) && (!SHARED || r.r >= begin))
            check_readers(r.r, p, o);
        r.w = me | level << LEVEL;
        r.r = 0;
    });
}

/* ---- global memory ---- */
static Alloc *alloc_find(const void *p) {
    const u8 *a = static_cast<const u8 *>(p);
    for (int i = 0; i < 8; i++) {
        Alloc *c = S.recent[i];
        if (c && size_t(a - c->base) < c->bytes) return c;
    }
    auto it = S.allocs.upper_bound(const_cast<u8 *>(a));
    if (it == S.allocs.begin()) return nullptr;
    Alloc *c = (--it)->second;
    if (size_t(a - c->base) >= c->bytes) return nullptr;
    memmove(S.recent + 1, S.recent, sizeof S.recent - sizeof S.recent[0]);
    return S.recent[0] = c;
}
static __attribute__((noinline)) bool global_refused(const void *p, size_t bytes, size_t align, const void *site,
                                                     const char *what) {
    if (uintptr_t(p) % align) {
        report(KIND_ALIGNMENT, site, "%s of %zu bytes at %p, not aligned to %zu", what, bytes, p, align);
        return true;
    }
    Alloc *a = alloc_find(p);
    if (!a) {
        auto it = S.allocs.upper_bound(static_cast<u8 *>(const_cast<void *>(p)));
        if (it == S.allocs.begin())
            report(KIND_BOUNDS, site, "%s of %zu bytes at %p, in no allocation", what, bytes, p);
        else {
            a = (--it)->second;
            report(KIND_BOUNDS, site, "%s of %zu bytes at %p, %zu bytes after the end of allocation %d (%zu bytes)",
                   what, bytes, p, size_t(static_cast<const u8 *>(p) - a->base) - a->bytes, a->number, a->bytes);
        }
        return true;
    }
    const size_t off = size_t(static_cast<const u8 *>(p) - a->base);
    if (bytes <= a->bytes - off) return false;
    report(KIND_BOUNDS, site, "%s of %zu bytes at allocation %d + %zu runs over its end (%zu bytes)", what, bytes,
           a->number, off, a->bytes);
    return true;
}
static inline Alloc *global_range(const void *p, size_t bytes, size_t align, const void *site, const char *what) {
    Alloc *a = alloc_find(p);
    if (UNLIKELY(!a || uintptr_t(p) % align || size_t(static_cast<const u8 *>(p) - a->base) + bytes > a->bytes)) {
        global_refused(p, bytes, align, site, what);
        return nullptr;
    }
    return a;
}
/* Where an address stands in its allocation's shadow. */
static inline size_t alloc_off(const Alloc *a, const void *p) {
    return size_t(static_cast<const u8 *>(p) - a->base) * 2;
}
static inline u64 global_floor() { return (S.L.chained && !cur()->pdl_waited ? S.L.unordered : S.L.start) << STAMP; }
static inline u64 block_begin() { return S.group_start << STAMP; }

static bool global_read(const void *p, size_t bytes, size_t align, const void *site) {
    if (!S.check) return true;
    Alloc *a = global_range(p, bytes, align, site, "read");
    if (!a) return false;
    access_read<false>(a->shadow, alloc_off(a, p), bytes * 2, global_floor(), block_begin(), {a, site, 0});
    return true;
}
/* A bulk copy reads its source from the call until it lands. The call checks; landing says who read: the copy, not a
 * thread. */
static bool bulk_source_check(const void *p, size_t bytes, const void *site) {
    if (!S.check) return true;
    Alloc *a = global_range(p, bytes, 16, site, "bulk copy");
    if (!a) return false;
    const Place place = {a, site, 0};
    shadow_each(a->shadow, alloc_off(a, p), bytes * 2, [&](Rec &r, size_t o) {
        if (UNLIKELY(!r.w))
            report(KIND_UNINIT, site, "bulk copy of %s, which nothing has written", place_text(place, o).c_str());
        else if (r.w >= global_floor() || r.w & FLAG_MASK)
            check_writer(r.w, place, o, "read");
    });
    return true;
}
static void bulk_source_landed(const CopyOp &op, u64 value) {
    Alloc *a = S.check ? alloc_find(op.global) : nullptr;
    if (!a) return;
    const Place place = {a, op.site, 0};
    shadow_each(a->shadow, alloc_off(a, op.global), op.bytes * 2, [&](Rec &r, size_t o) {
        if (rec_stamp(r.w) > op.stamp) conflict(UNORDERED, place, o, r.w, "read", "wrote");
        u64 level = 0;
        if (rec_stamp(r.r) >= S.L.start && (r.r & ID_MASK) != (value & ID_MASK))
            level = rec_stamp(r.r) < S.group_start ? 4 : rec_id(r.r) >> 11 != rec_id(value) >> 11 ? 3 : 2;
        if (level == 2 && rec_stamp(r.r) < S.blocks[rec_id(value) >> 11]->sync) level = 0;
        r.r = value | level << LEVEL;
    });
}
static bool global_write(void *p, size_t bytes, size_t align, const void *site, u64 flags) {
    if (!S.check) return true;
    Alloc *a = global_range(p, bytes, align, site, "write");
    if (!a) return false;
    access_write<false>(a->shadow, alloc_off(a, p), bytes * 2, global_floor(), block_begin(), {a, site, 0},
                        stamped(cur()->id) | flags);
    return true;
}

/* ---- shared memory ---- */
static inline bool shared_range(unsigned off, size_t bytes, size_t align, const void *site, const char *what) {
    if (UNLIKELY(off + bytes > S.L.shared)) {
        report(KIND_BOUNDS, site, "%s of %zu bytes at shared + %u, of %u bytes", what, bytes, off, S.L.shared);
        return false;
    }
    if (UNLIKELY(off % align)) {
        report(KIND_ALIGNMENT, site, "%s of %zu bytes at shared + %u, not aligned to %zu", what, bytes, off, align);
        return false;
    }
    return true;
}
static inline u64 shared_floor(const Block *b) { return (S.L.cluster == 1 ? b->sync : S.group_sync) << STAMP; }

} // namespace emu
using namespace emu;

__attribute__((noinline)) bool td_emu_read(const void *p, unsigned bytes, unsigned align) {
    return global_read(p, bytes, align, __builtin_return_address(0));
}
__attribute__((noinline)) bool td_emu_write(void *p, unsigned bytes, unsigned align) {
    return global_write(p, bytes, align, __builtin_return_address(0), 0);
}
__attribute__((noinline)) bool td_emu_atomic(void *p, unsigned bytes) {
    if (!S.check) return true;
    const void *site = __builtin_return_address(0);
    Alloc *a = global_range(p, bytes, bytes, site, "update");
    if (!a) return false;
    access_atomic<false>(a->shadow, alloc_off(a, p), bytes * 2, global_floor(), block_begin(), {a, site, 0});
    return true;
}
__attribute__((noinline)) bool td_emu_half(const void *p, int high, bool write) {
    if (!S.check) return true;
    const void *site = __builtin_return_address(0);
    Alloc *a = global_range(p, 1, 1, site, write ? "write" : "read");
    if (!a) return false;
    const size_t off = alloc_off(a, p) + size_t(high);
    if (write)
        access_write<false>(a->shadow, off, 1, global_floor(), block_begin(), {a, site, 0}, stamped(cur()->id));
    else
        access_read<false>(a->shadow, off, 1, global_floor(), block_begin(), {a, site, 0});
    return true;
}
__attribute__((noinline)) const void *td_emu_shared_read(unsigned off, unsigned bytes, unsigned align) {
    Block *b = cur()->blk;
    const void *site = __builtin_return_address(0);
    if (!shared_range(off, bytes, align, site, "read")) return nullptr;
    if (S.check) access_read<true>(b->shadow, off, bytes, shared_floor(b), block_begin(), {nullptr, site, b->rank});
    return b->shared + off;
}
__attribute__((noinline)) void *td_emu_shared_write(unsigned off, unsigned bytes, unsigned align, int rank) {
    Block *b = cur()->blk;
    const void *site = __builtin_return_address(0);
    if (!shared_range(off, bytes, align, site, "write")) return nullptr;
    if (rank >= 0 && rank != b->rank) {
        if (rank >= S.L.cluster) {
            report(KIND_CLUSTER, site, "write to rank %d of a cluster of %d", rank, S.L.cluster);
            return nullptr;
        }
        if (S.group_sync == S.group_start)
            report(KIND_CLUSTER, site, "write to rank %d before any td_cluster_sync: it may not have started", rank);
        b = S.blocks[rank];
        b->remote = S.tick;
    }
    if (S.check)
        access_write<true>(b->shadow, off, bytes, shared_floor(b), block_begin(), {nullptr, site, b->rank},
                           stamped(cur()->id));
    return b->shared + off;
}
__attribute__((noinline)) void *td_emu_shared_atomic(unsigned off, unsigned bytes) {
    Block *b = cur()->blk;
    const void *site = __builtin_return_address(0);
    if (!shared_range(off, bytes, bytes, site, "update")) return nullptr;
    if (S.check) access_atomic<true>(b->shadow, off, bytes, shared_floor(b), block_begin(), {nullptr, site, b->rank});
    return b->shared + off;
}
namespace emu {

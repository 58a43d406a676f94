/* Fibers: stacks, the switch, and which ready thread runs next (by the seed). A fiber that runs is in no ready mask;
 * one that blocks is put back by whoever ends its wait. */

#if defined(__x86_64__) && !defined(EMU_UCONTEXT)
extern "C" void td_emu_switch(void **save, void *to);
asm(".text\n"
    ".p2align 4\n"
    ".globl td_emu_switch\n"
    ".type td_emu_switch,@function\n"
    "td_emu_switch:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    ".size td_emu_switch,.-td_emu_switch\n");

static void *stack_prepare(u8 *top, void (*entry)()) {
    void **p = reinterpret_cast<void **>(top);
    *--p = nullptr; // entry's return address, which is never used
    *--p = reinterpret_cast<void *>(entry);
    for (int i = 0; i < 6; i++) *--p = nullptr;
    return p;
}
#else
/* Slow, for other machines: a context lies at the top of each stack; sp points at it. */
static void td_emu_switch(void **save, void *to) {
    ucontext_t here;
    *save = &here;
    swapcontext(&here, static_cast<ucontext_t *>(to));
}
static void *stack_prepare(u8 *top, void (*entry)()) {
    ucontext_t *c = reinterpret_cast<ucontext_t *>((uintptr_t(top) - sizeof(ucontext_t)) & ~uintptr_t(63));
    getcontext(c);
    c->uc_stack.ss_sp = reinterpret_cast<u8 *>(c) - (STACK_BYTES - 8192);
    c->uc_stack.ss_size = STACK_BYTES - 8192;
    makecontext(c, entry, 0);
    return c;
}
#endif

static void fiber_main();

/* Stacks start at different cache sets: all at one offset of a page would share a few. */
static u8 *stack_top(const Fiber *f) { return f->stack + STACK_BYTES - (unsigned(f->tid) * 5 % 16) * 192; }

static Fiber *fiber_of(int rank, int tid) {
    const size_t slot = size_t(rank) * MAX_THREADS + size_t(tid);
    if (slot >= S.fibers.size()) S.fibers.resize(slot + 1);
    if (S.fibers[slot]) return S.fibers[slot];
    const size_t guard = size_t(sysconf(_SC_PAGESIZE));
    u8 *m = static_cast<u8 *>(
        mmap(nullptr, STACK_BYTES + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (m == MAP_FAILED) {
        fprintf(stderr, "td_emu: no memory for stacks\n");
        exit(3);
    }
    mprotect(m, guard, PROT_NONE);
    Fiber *f = new Fiber();
    f->stack = m + guard;
    f->tid = tid;
    f->rank = rank;
    f->lane = tid & 31;
    f->id = u32(rank) << 11 | u32(tid);
    return S.fibers[slot] = f;
}

static inline void fiber_ready(Fiber *f) {
    f->wait = WAIT_NONE;
    f->warp->ready |= 1u << f->lane;
    f->blk->ready |= 1u << (f->tid >> 5);
    S.blocks_ready |= 1 << f->rank;
}
static inline void warp_ready(Block *b, int warp, u32 lanes) {
    b->warps[warp].ready |= lanes;
    b->ready |= 1u << warp;
    S.blocks_ready |= 1 << b->rank;
}

static inline u64 next_random() {
    u64 x = S.random;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return S.random = x;
}
static inline int pick_bit(u32 mask, int last) {
    if (S.seed == 0) {
        const u32 after = last < 31 ? mask & (~0u << (last + 1)) : 0;
        return __builtin_ctz(after ? after : mask);
    }
    if (S.seed == 1) {
        const u32 before = last < 32 ? mask & ((1u << last) - 1u) : mask;
        return 31 - __builtin_clz(before ? before : mask);
    }
    const unsigned r = unsigned(next_random() >> 33) & 31;
    const u32 turned = mask >> r | mask << ((32 - r) & 31);
    return int((unsigned(__builtin_ctz(turned)) + r) & 31);
}
/* The next ready thread, taken out of the masks; the warp that ran goes on where it can. */
static Fiber *pick_next(const Fiber *last) {
    if (!S.blocks_ready) return nullptr;
    const bool jump = S.seed > 1 && (next_random() >> 60) == 0;
    int rank = last ? last->rank : 0, warp = last ? last->tid >> 5 : 0, lane;
    const int first = S.seed == 1 ? 32 : -1;
    if (!(S.blocks_ready >> rank & 1) || jump) rank = pick_bit(u32(S.blocks_ready), first), warp = -1;
    Block *b = S.blocks[rank];
    if (last && warp >= 0 && b->warps[warp].ready)
        lane = pick_bit(b->warps[warp].ready, last->lane);
    else {
        warp = pick_bit(b->ready, first);
        lane = pick_bit(b->warps[warp].ready, first);
    }
    Warp *w = &b->warps[warp];
    w->ready &= ~(1u << lane);
    if (!w->ready) {
        b->ready &= ~(1u << warp);
        if (!b->ready) S.blocks_ready &= ~(1 << rank);
    }
    return S.fibers[size_t(rank) * MAX_THREADS + size_t(warp * 32 + lane)];
}

/* Switches from a fiber (null: the launching thread) to another. */
static inline void switch_fiber(Fiber *from, Fiber *to) {
    if (from == to) return;
    if (to && !to->started) {
        to->started = true;
#ifdef EMU_ASAN
        if (to->abandoned) __asan_unpoison_memory_region(to->stack, STACK_BYTES);
        to->fake = nullptr;
#endif
        to->abandoned = true;
        to->sp = stack_prepare(stack_top(to), fiber_main);
    }
    td_emu_self = to;
#ifdef EMU_ASAN
    void **fake = from ? &from->fake : &S.main_fake;
    __sanitizer_start_switch_fiber(from && from->done ? nullptr : fake, to ? to->stack : S.main_bottom,
                                   to ? size_t(STACK_BYTES) : S.main_size);
#endif
    td_emu_switch(from ? &from->sp : &S.main_sp, to ? to->sp : S.main_sp);
#ifdef EMU_ASAN
    __sanitizer_finish_switch_fiber(*fake, nullptr, nullptr);
#endif
}

/* The running fiber waits until it is made ready again. Where nobody can run, the launching thread finds out why. */
static inline void fiber_block(Wait why) {
    Fiber *f = cur();
    f->wait = u8(why);
    switch_fiber(f, pick_next(f));
}

static void fiber_end(Fiber *f);

static void fiber_main() {
#ifdef EMU_ASAN
    const void *bottom;
    size_t size;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
    if (!S.main_bottom) S.main_bottom = bottom, S.main_size = size; // a launch enters its first fiber from there
#endif
    Fiber *f = cur();
    S.L.run(S.L.call);
    fiber_end(f);
    f->done = true;
    f->abandoned = false;
    switch_fiber(f, pick_next(f));
    __builtin_trap();
}

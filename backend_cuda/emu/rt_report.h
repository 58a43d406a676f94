/* Reports: printed once for each kind and place, counted always. */

static const char *const kind_names[] = {
#define KIND(e, name, meaning) name,
#include "report_kinds.def"
#undef KIND
};

static const int PRINT_LIMIT = 40;

void report(Kind kind, const void *site, const char *format, ...) {
    S.errors++;
    S.by_kind[kind]++;
    const u64 where = site ? u64(uintptr_t(site)) : std::hash<std::string>()(S.L.kernel);
    if (!S.sites.insert(where * KIND_COUNT + u64(kind)).second || S.printed > PRINT_LIMIT) return;
    if (S.printed++ == PRINT_LIMIT) {
        fprintf(stderr, "td_emu: error: more errors are counted, not printed\n");
        return;
    }
    char text[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    fprintf(stderr, "td_emu: error: %s: %s", kind_names[kind], text);
    if (S.in_kernel) {
        fprintf(stderr, " (kernel %s", S.L.kernel.c_str());
        if (cur()) fprintf(stderr, ", block %d thread %d", cur()->block, cur()->tid);
        fprintf(stderr, ")");
    }
    fprintf(stderr, "\n");
}

/* The thread of a record, in words. */
static std::string who(u64 stamp, u32 id) {
    char text[96];
    long long block = -1;
    if (stamp >= S.group_start)
        block = S.blocks[0] ? S.blocks[0]->index : -1;
    else if (stamp >= S.L.start)
        for (size_t i = S.L.group_start.size(); i--;)
            if (S.L.group_start[i] <= stamp) {
                block = S.L.group_block[i];
                break;
            }
    if (block < 0) return stamp <= 1 ? "the host" : "an earlier kernel";
    block += id >> 11;
    if ((id & 2047) >= MAX_THREADS)
        snprintf(text, sizeof text, "an asynchronous copy of block %lld", block);
    else
        snprintf(text, sizeof text, "block %lld thread %u", block, id & 2047);
    return text;
}

/* Clusters, bulk copies and what they complete on come with compute capability 9.0. */
static inline void needs_90(const void *site, const char *what) {
    if (UNLIKELY(S.device.capability < 90))
        report(KIND_DEVICE, site, "%s: compute capability %d.%d has none", what, S.device.capability / 10,
               S.device.capability % 10);
}

extern "C" int td_emu_errors(void) {
    HOST_CALL;
    return S.errors;
}
extern "C" int td_emu_errors_of(const char *kind) {
    HOST_CALL;
    for (int i = 0; i < KIND_COUNT; i++)
        if (!strcmp(kind, kind_names[i])) return S.by_kind[i];
    return -1;
}
extern "C" void td_emu_reset(void) {
    HOST_CALL;
    S.errors = S.printed = 0;
    memset(S.by_kind, 0, sizeof S.by_kind);
    S.sites.clear();
    S.last_error = cudaSuccess;
}

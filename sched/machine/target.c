/* Targets: the table, and what several of them have in common. */
#include "target.h"

#include "machine.h"

#include <string.h>

const Target target_table[TARGET_COUNT] = {
#define TARGET(arch, major, minor, scope, early, cluster, bulk, shared, threads, sm_shared, sm_threads, sm_blocks,     \
               sm_registers, registers, lanes, sector, line, device, machine)                                          \
    {#arch,      major,     minor,        TARGET_##scope, early, cluster, bulk, shared, threads,           sm_shared,  \
     sm_threads, sm_blocks, sm_registers, registers,      lanes, sector,  line, device, &machine_##machine},
#include "targets.def"
#undef TARGET
};

int targets_count(Targets t) { return t.n ? t.n : 1; }

const Target *targets_get(Targets t, int i) { return t.n ? t.at[i] : &target_default; }

const Target *target_find(const char *arch, size_t n) {
    for (int i = 0; i < TARGET_COUNT; i++)
        if (strlen(target_table[i].arch) == n && !memcmp(target_table[i].arch, arch, n)) return &target_table[i];
    return NULL;
}

static int capability(const Target *t) { return 10 * t->major + t->minor; }

/* Whether a device of the row's compute capability can run the target's code. */
static bool reaches(const Target *t, const Target *row) {
    return t->scope == TARGET_EXACT ? capability(t) == capability(row) : capability(t) <= capability(row);
}

int targets_shared(Targets t, const Target **where) {
    const Target *least = NULL;
    for (int i = 0; i < targets_count(t); i++)
        for (int k = 0; k < TARGET_COUNT; k++) {
            const Target *row = &target_table[k];
            if (reaches(targets_get(t, i), row) && (!least || row->shared < least->shared)) least = row;
        }
    if (where) *where = least;
    return least->shared;
}

int targets_cluster(Targets t) {
    int least = TARGET_MOST_CLUSTER;
    for (int i = 0; i < targets_count(t); i++)
        if (targets_get(t, i)->cluster < least) least = targets_get(t, i)->cluster;
    return least;
}

int targets_sm_threads(Targets t) {
    int least = TARGET_MOST_SM_THREADS;
    for (int i = 0; i < targets_count(t); i++)
        if (targets_get(t, i)->threads_per_sm < least) least = targets_get(t, i)->threads_per_sm;
    return least;
}

bool targets_bulk(Targets t) {
    for (int i = 0; i < targets_count(t); i++)
        if (!targets_get(t, i)->bulk) return false;
    return true;
}

bool targets_early(Targets t) {
    for (int i = 0; i < targets_count(t); i++)
        if (!targets_get(t, i)->early) return false;
    return true;
}

static bool before(const Target *a, const Target *b) {
    if (a->scope != b->scope) return a->scope == TARGET_EXACT;
    return a->scope == TARGET_EXACT ? capability(a) < capability(b) : capability(a) > capability(b);
}

void targets_ranked(Targets t, const Target **out) {
    for (int i = 0; i < targets_count(t); i++) {
        const Target *x = targets_get(t, i);
        int k = i;
        for (; k > 0 && before(x, out[k - 1]); k--) out[k] = out[k - 1];
        out[k] = x;
    }
}

void targets_gencode(Text *out, Targets t, bool ptx) {
    for (int i = 0; i < targets_count(t); i++) {
        const Target *x = targets_get(t, i);
        const char *number = x->arch + strlen("sm_");
        const bool later = x->scope == TARGET_LATER;
        if (!ptx || !later) text_fmt(out, " -gencode arch=compute_%s,code=sm_%s", number, number);
        if (later) text_fmt(out, " -gencode arch=compute_%s,code=compute_%s", number, number);
    }
}

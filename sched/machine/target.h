/* The GPUs that code can be emitted for, and what is known of each (targets.def); what kernels for several of them may
 * use. */
#ifndef TDC_TARGET_H
#define TDC_TARGET_H

#include "ir/base.h"

/* What all targets have alike: threads of a warp, bytes of a register, bytes of a thread's widest access. */
enum { TARGET_WARP = 32, TARGET_REGISTER = 4, TARGET_ACCESS = 16 };

typedef enum TargetScope { TARGET_EXACT, TARGET_LATER } TargetScope;

/* A row of targets.def, which says what the fields are. */
typedef struct Target {
    const char *arch;
    int major, minor;
    TargetScope scope;
    bool early;
    int cluster;
    bool bulk;
    int shared, threads;
    int shared_per_sm; /* bytes */
    int threads_per_sm, blocks_per_sm, registers_per_sm;
    int registers; /* that a thread may have */
    int lanes, sector, line;
    const char *device;
    const struct Machine *machine; /* machine.h */
} Target;

enum {
#define TARGET(arch, ...) TARGET_##arch,
#include "targets.def"
#undef TARGET
    TARGET_COUNT
};
extern const Target target_table[TARGET_COUNT];
#define target_default (target_table[0])

/* What some target has and none has more of: what the form of kernels is held to, whatever it is compiled for. Each is
 * the size of a union that has for every target a field of so many bytes. */
enum {
#define TARGET(arch, major, minor, scope, early, cluster, ...) char arch[cluster];
    TARGET_MOST_CLUSTER = sizeof(union {
#include "targets.def"
    }), /* blocks of a cluster */
#undef TARGET
#define TARGET(arch, major, minor, scope, early, cluster, bulk, shared, ...) char arch[shared];
    TARGET_MOST_SHARED = sizeof(union {
#include "targets.def"
    }), /* bytes of shared memory of a block */
#undef TARGET
#define TARGET(arch, major, minor, scope, early, cluster, bulk, shared, threads, ...) char arch[threads];
    TARGET_MOST_THREADS = sizeof(union {
#include "targets.def"
    }), /* threads of a block */
#undef TARGET
#define TARGET(arch, major, minor, scope, early, cluster, bulk, shared, threads, sm_shared, sm_threads, ...)           \
    char arch[sm_threads];
    TARGET_MOST_SM_THREADS = sizeof(union {
#include "targets.def"
    }), /* threads of a multiprocessor */
#undef TARGET
#define TARGET(arch, major, minor, scope, early, cluster, bulk, shared, threads, sm_shared, sm_threads, blocks, ...)   \
    char arch[blocks];
    TARGET_MOST_SM_BLOCKS = sizeof(union {
#include "targets.def"
    }) /* blocks of a multiprocessor */
#undef TARGET
};
/* The targets of a compilation; none (n == 0) stands for the default one. */
typedef struct Targets {
    const Target *const *at;
    int n;
} Targets;
int targets_count(Targets t);                          /* at least 1 */
const Target *targets_get(Targets t, int i);           /* 0 <= i < targets_count */
const Target *target_find(const char *arch, size_t n); /* NULL: there is none */

/* The least shared memory that a block has, in bytes, on what the targets run on. In *where, which may be NULL, the row
 * of it: a later one than any of the targets where PTX brings a kernel there. */
int targets_shared(Targets t, const Target **where);

/* The blocks that a cluster may have on all of them; 1: some have no clusters. */
int targets_cluster(Targets t);
int targets_sm_threads(Targets t); /* the least that a multiprocessor of one of them has at a time */
bool targets_bulk(Targets t);      /* all have bulk copies */
bool targets_early(Targets t);     /* of all */

/* What runs where. A device has the code of the first of the ranked targets that fits it. */
void targets_ranked(Targets t, const Target **out); /* all of them: exact ones, then the later the nearer */
/* Appends nvcc's options that make code for them: ` -gencode arch=compute_80,code=sm_80 ...`; with `ptx`, of those that
 * have PTX that alone, which is quicker to make. */
void targets_gencode(Text *out, Targets t, bool ptx);

#endif

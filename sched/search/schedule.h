/* A schedule: how each axis of a group is split into factors and bound to the machine, and by which steps the kernel
 * that they make becomes another. A small flat value that is printed, read, compared, hashed, drawn at random among the
 * legal ones, and applied (apply.h). In text, one line: i = grid warp(4); n = serial reg(2) lane(32) vec(8) peel x;
 * ahead 1; occupancy 2; again. The factors of an axis are outer to inner; a factor without a size takes what remains.
 * Neighbouring threads (of one binding), and blocks, differ in the last axis that has some: `order i n` says that the
 * axes behind it are the last ones, in that order. `online` is said of a group that folds in one pass what others fold
 * in two (sched/plan/online.h), `scatter` of one whose reductions by keys go to shared memory (sched/plan/scatter.h):
 * its schedules are for no other group. Of the latter the lanes and registers of the axis of places are those of a
 * second layout, in which the places are read; those of what is folded are of the first alone.
 *
 * Then steps, rows of schedule_steps.def: copy x bulk 3; relay x swizzle; other y; i = lane(16) vec(8). Behind `other`
 * stand the threads and registers of axes in a second layout, in which y is stored; axes that are not named, blocks and
 * loops are those of the first. */
#ifndef TDC_SCHEDULE_H
#define TDC_SCHEDULE_H

#include "sched/plan/group.h"
#include "sched/kernel/kernel.h"

enum { MAX_AXIS_FACTORS = 6, MAX_OTHER_AXES = 6, MAX_SCHEDULE_STEPS = 8 };

typedef enum ScheduleStepKind {
#define SCHEDULE_STEP(e, word, manner, on, least, most, targets, function) SCHEDULE_##e,
#include "schedule_steps.def"
    SCHEDULE_STEP_COUNT
} ScheduleStepKind;

typedef struct ScheduleStep {
    unsigned char kind, tensor; /* of Group.tensors */
    short number;               /* 0: none */
} ScheduleStep;

enum { SCHEDULE_TILE = 128 /* elements of a tile that a thread has at most */ };

typedef struct SFactor {
    Bind bind;
    int size; /* 0: open, grid and serial only */
} SFactor;

typedef struct SAxis {
    int n;
    int peel; /* 0: none; else it starts where rows of Group.rows[peel - 1] are aligned (kernel.h, Axis.peel) */
    SFactor f[MAX_AXIS_FACTORS];
} SAxis;

typedef struct Schedule {
    int naxes;
    int ahead;     /* loads in loops are fetched that many iterations ahead, where their addresses allow it */
    int occupancy; /* launch bound in blocks an SM; 0: none */
    bool again;    /* what a fold is read for is computed again for each reader, from loads that are kept as they are */
    signed char nsteps, nother;
    signed char shift[MAX_GROUP_AXES];     /* of each place in the order of axes: the axis there, minus the place */
    signed char other[MAX_OTHER_AXES];     /* axes that differ in the second layout, in the order of their numbers */
    ScheduleStep step[MAX_SCHEDULE_STEPS]; /* in the order of their kinds, then of tensors */
    SAxis axis[MAX_GROUP_AXES + MAX_OTHER_AXES]; /* the group's; then those of `other`, without blocks and loops */
} Schedule;

void schedule_print(Text *out, const Group *gr, const Schedule *s);
bool schedule_read(const char *text, const Group *gr, Schedule *s, Text *why);
/* The same group for reading and printing a schedule as text without names of the program: axis 2 is called i2, the
 * tensor of Group.rows[1], by whose rows an axis is peeled, r1, and Group.tensors[3] t3. In the memory of its Graph. */
const Group *schedule_numbered(const Group *gr);
bool schedule_equal(const Schedule *a, const Schedule *b);
uint64_t schedule_hash(const Schedule *s);

/* Whether the factors of a schedule may be applied: decided on the schedule and the group alone, for all sizes. Where
 * it has steps, see sched_legal (apply.h). */
bool schedule_legal(const Group *gr, const Schedule *s, Text *why);
/* The same for some sizes: an axis whose length is not known need not be covered. most[a] becomes the length up to
 * which axis a is; INT64_MAX where it always is. */
bool schedule_legal_within(const Group *gr, const Schedule *s, int64_t *most, Text *why);
/* The length up to which an axis is covered by the factors of a legal schedule: most's. */
int64_t schedule_covers(const Group *gr, const Schedule *s, int axis);
/* Elements by which a peeled axis may start early: one less than 16 bytes have. */
int schedule_slack(const Group *gr, const SAxis *s);

/* What all targets of a compilation have. */
typedef struct SchedLimits {
    int64_t shared; /* bytes of a block */
    int cluster;    /* blocks of a cluster; 1: there are no clusters */
    bool bulk;      /* bulk copies */
    int sm_threads; /* of a multiprocessor */
} SchedLimits;
/* No fold across threads but of whole warps: others exchange by shared memory alone, and nothing was measured of
 * them. */
bool schedule_whole_warps(const Group *gr, const Schedule *s);
bool schedule_fits(const Group *gr, const Schedule *s, const SchedLimits *limits);

/* Bytes of shared memory that a block may need, for what threads exchange: at least what the verifier counts. */
int64_t schedule_shared(const Group *gr, const Schedule *s);

/* The always-legal schedule: one thread an element, reductions serial. */
void schedule_fallback(const Group *gr, Schedule *s);
/* A random legal one; *state is the generator's. */
void schedule_random(const Group *gr, uint64_t *state, Schedule *s);

void schedule_clear(Schedule *s, int naxes); /* without factors; what stands behind its axes is left as it is */
/* *from may have been kept without the axes that it lacks (schedule_keep): such a one is not assigned. */
void schedule_copy(Schedule *to, const Schedule *from);
Schedule *schedule_keep(Ctx *ctx, const Schedule *s);

int schedule_axis(const Schedule *s, int place); /* the axis at a place of the order, outer to inner */
void schedule_put_last(Schedule *s, int axis);   /* moves an axis to the last place */
void schedule_factor(Schedule *s, int axis, Bind bind, int64_t size); /* appends, outer to inner */
/* Puts a step in its place. False: there is no room, it is not for such a tensor, or another says the same of it. */
bool schedule_add_step(Schedule *s, const Group *gr, ScheduleStep step);
void schedule_drop_step(Schedule *s, int i); /* with the last `other`, the second layout and what relays to it */
const SFactor *schedule_find(const Schedule *s, int axis, Bind bind); /* the first one, or NULL */
int schedule_cluster(const Schedule *s, int axis); /* blocks of a cluster that share the axis, or 1 */
/* What a row of schedule_steps.def says. */
typedef struct ScheduleStepRow {
    const char *word, *manner;
    bool loaded, stored; /* of such tensors */
    short least, most;
    bool bulk;
    const char *function;
} ScheduleStepRow;
extern const ScheduleStepRow schedule_step_rows[SCHEDULE_STEP_COUNT];
bool schedule_has_step(const Schedule *s, ScheduleStepKind kind);

bool axis_has_grid(const GAxis *a); /* different blocks may own different parts of it */

#endif

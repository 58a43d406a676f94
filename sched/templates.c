/* Candidates for a group's schedule, and the best of them. */
#include "sched.h"

void sched_choose(const Group *gr, const Target *t, Schedule *s) {
    (void)t;
    schedule_fallback(gr, s);
}

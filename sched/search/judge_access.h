/* What the accesses of a kernel touch at given sizes: judge.c's own. */
#ifndef TDC_JUDGE_ACCESS_H
#define TDC_JUDGE_ACCESS_H

#include "features.h"
#include "real.h"
#include "sched/machine/target.h"

/* Of one access. */
typedef struct Touched {
    double instructions; /* of a thread, an iteration of its body */
    double passes;       /* cycles in which the first cache serves one instruction of a warp */
    double sectors;      /* that one instruction of a warp touches */
    double filled;       /* the part of these that it moves */
    double block;        /* sectors that a block touches in an iteration */
    double partly;       /* of these, how many it moves parts of */
    double apart;        /* pieces of memory in which these lie */
    double whole;        /* bytes that memory moves for all of them together, once each */
} Touched;

/* A digit at these sizes. */
typedef struct DigitAt {
    double by;    /* bytes that the address moves a step */
    double count; /* places along it that differ */
    double rows;  /* of which it goes along; 1: it stays in one */
    double row;   /* bytes from one of these to the next */
} DigitAt;

/* f->value is evaluated. digit: of the access, which is filled in. wide: the conditions of the variants with wide
 * accesses hold. */
Touched access_touched(const Features *f, const Access *a, DigitAt *digit, bool wide, const Target *on);
/* Whether an earlier load of the same iteration brings most of what one needs, or the sectors next to it. digit: of the
 * access, filled in. */
bool access_follows(const Features *f, int access, const DigitAt *digit, double sector);

#endif

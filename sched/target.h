/* The GPUs that code can be emitted for, and what the cost model knows of the machine that has one. */
#ifndef TDC_TARGET_H
#define TDC_TARGET_H

typedef struct Target {
    const char *arch;
    int major, minor; /* the compute capability that runs it */
    const char *name;
    int sms;
    double bandwidth; /* bytes a second of device memory, read and write together */
    double latency;   /* seconds from a load to its data */
    double launch;    /* seconds between two dependent kernels */
    double clock;     /* cycles a second */
    int threads_per_sm;
    int registers_per_sm;
    double products; /* operations a second of the matrix units on 16-bit floats */
} Target;

static const Target target_table[] = {
#define TARGET(...) {__VA_ARGS__},
#include "targets.def"
#undef TARGET
};
enum { TARGET_COUNT = sizeof target_table / sizeof *target_table };
#define target_default (target_table[0])

#endif

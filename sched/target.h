/* What the cost model knows of a machine. */
#ifndef TDC_TARGET_H
#define TDC_TARGET_H

typedef struct Target {
    const char *name;
    int sms;
    double bandwidth; /* bytes a second of device memory, read and write together */
    double latency;   /* seconds from a load to its data */
    double launch;    /* seconds between two dependent kernels */
    double clock;     /* cycles a second */
    int threads_per_sm;
    int registers_per_sm;
} Target;

static const Target target_default = {"h200", 132, 4.2e12, 650e-9, 2.5e-6, 1.8e9, 2048, 65536};

#endif

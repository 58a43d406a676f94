/* What a schedule costs on a machine: bytes of memory and cache, whether enough of them are in flight, instructions,
 * and the longest chain of dependent loads. An estimate that orders candidates, in seconds. Reads the factors, and the
 * group through its form alone. */
#include "cost.h"

#include <math.h>

/* Maps in larger blocks, or with more of a tensor a thread, end less evenly and hold their loads back. On an H200, f16
 * and f32 maps in such blocks are within 3 % of the best shape from 10^7 elements on, and within 8 % at 10^6. */
enum { MAP_THREADS = 128, MAP_BYTES = 32 };
enum { SERVED = 4 }; /* elements that one of fewer axes counts for: no reason for vectors beyond an access's width */

typedef struct Sizes {
    double grid, serial, thread, reg; /* of one axis, at its guessed extent */
} Sizes;

typedef struct Costing {
    Group *gr;
    const Schedule *s;
    Sizes size[MAX_GROUP_AXES];
} Costing;

static double ceil_div(double a, double b) { return ceil(a / b); }

static Sizes sizes_of(const Group *gr, const Schedule *s, int a) {
    Sizes z = {1, 1, 1, 1};
    double product = 1;
    for (int i = 0; i < s->axis[a].n; i++) {
        const SFactor *f = &s->axis[a].f[i];
        double n = f->size ? (double)f->size : 1;
        product *= n;
        switch (bind_scope(f->bind)) {
        case SCOPE_BLOCK: z.grid *= n; break;
        case SCOPE_LOOP: z.serial *= n; break;
        case SCOPE_THREAD: z.thread *= n; break;
        case SCOPE_REG: z.reg *= n; break;
        }
    }
    double rest = ceil_div((double)gr->axes.at[a].guess, product);
    for (int i = 0; i < s->axis[a].n; i++) {
        if (s->axis[a].f[i].size) continue;
        if (s->axis[a].f[i].bind == BIND_GRID)
            z.grid *= rest < 1 ? 1 : rest;
        else
            z.serial *= rest < 1 ? 1 : rest;
    }
    return z;
}

/* ---- one access ---- */

/* Neighbouring bytes that a warp touches at a time, and elements that a thread does. */
static double run_bytes(Costing *x, const CostAccess *t, double *vector) {
    double lanes = 1, left = 32;
    *vector = 1;
    for (int a = x->s->naxes - 1; a >= 0; a--) {
        int m = t->moves[a];
        for (int i = x->s->axis[a].n - 1; i >= 0; i--) {
            const SFactor *f = &x->s->axis[a].f[i];
            if (f->bind == BIND_VEC && m == 1) *vector = (double)f->size;
            bool lane = f->bind == BIND_LANE || (f->bind == BIND_THREAD && left > 1);
            if (!lane) continue;
            double n = (double)f->size < left ? (double)f->size : left;
            left /= n;
            if (m == 1) lanes *= n;
        }
    }
    return *vector * lanes * t->bytes;
}

typedef struct Totals {
    double dram, l2, issue, inflight, registers, tile, tile_bytes;
} Totals;

static void add_cost(Costing *x, const CostAccess *t, int levels, double threads, double blocks, Totals *sum) {
    double vec, run = run_bytes(x, t, &vec), waste = run >= 32 || run <= 0 ? 1 : 32 / run;
    double lines = run >= 128 ? 1 : run >= 64 ? 1.06 : 1.15; /* parts of 128-byte lines cost a little more */
    if (run < 512 && !x->gr->steps.n) lines *= 1.02;         /* and what a warp of a map reads in several places */
    double unique = 1, per_block = 1, reg = 1, loops = 1;
    double served = 0; /* by one element: a vector, and mostly all threads; 0: each has its own */
    double rows = 1;   /* of a block */
    bool strided_here = false;
    for (int a = 0; a < x->s->naxes; a++) {
        if (!(t->axes >> a & 1)) continue;
        const Sizes *z = &x->size[a];
        double extent = (double)x->gr->axes.at[a].guess;
        unique *= extent;
        const SFactor *vector = schedule_find(x->s, a, BIND_VEC);
        if (t->moves[a] == MOVE_SELDOM)
            served = vector ? fmin((double)vector->size, SERVED) : 1;
        else
            per_block *= z->serial * z->thread * z->reg;
        if (t->moves[a] == MOVE_FURTHER) rows *= z->thread * z->reg;
        reg *= z->reg;
        loops *= z->serial;
        if (t->moves[a] == 1 && z->reg * z->serial > 1) strided_here = true;
    }
    if (waste > 1 && strided_here)
        waste = 1 + (waste - 1) * 0.5; /* the rest of the sector is in a cache when it is needed */
    if (t->elements && unique > (double)t->elements) unique = (double)t->elements;
    double again = levels, bytes = unique * t->bytes;
    double width = 16.0 / t->bytes;
    if (vec > width) lines *= 1.004, vec = width;     /* parts of sectors at a time: not where nothing is wider */
    lines *= 1 + 0.02 * log2(width / vec);            /* narrow accesses */
    if (t->elements) lines *= 1 + 0.004 * log2(rows); /* rows of a merged axis are far apart */
    sum->dram += bytes * waste * lines * (bytes > 32e6 && again > 1 && per_block * t->bytes * 264 > 40e6 ? again : 1);
    sum->l2 += per_block * blocks * t->bytes * waste * again;
    if (served > 0) reg /= served, vec = 1;
    double elements = threads * blocks * loops * reg * again;
    sum->issue += elements / vec * 6 + elements * 3;
    sum->registers += t->load ? ceil(reg * t->bytes / 4) : 0;
    if (served > 0) return;
    if (t->load) sum->inflight += reg * t->bytes;
    if (reg > sum->tile) sum->tile = reg;
    if (reg * t->bytes > sum->tile_bytes) sum->tile_bytes = reg * t->bytes;
}

/* What joins two values of fewer axes is done once an element of its own, which no access has. */
static double joined_cost(Costing *x, const GStep *p, double threads, double blocks) {
    double n = threads * blocks * (p->guard && p->guard->nargs ? 2.5 : 1);
    if (!p->joined[0]) return 0;
    for (int a = 0; a < x->s->naxes; a++)
        if ((p->free | p->over) >> a & 1) n *= x->size[a].serial * x->size[a].reg;
    return n;
}

/* Of the sum beside what it is added to. */
static double kept_registers(Costing *x, const GStep *p) {
    double n = 1;
    for (int a = 0; a < x->s->naxes; a++)
        if (p->free >> a & 1) n *= x->size[a].reg;
    return n;
}

static double exchange_cost(Costing *x, double warps) {
    double t = 0;
    for (int i = 0; i < x->gr->steps.n; i++) {
        const GStep *p = &x->gr->steps.at[i];
        double threads = 1, kept = 1;
        bool crosses = false; /* warps */
        for (int a = 0; a < x->s->naxes; a++) {
            if (p->over >> a & 1) {
                threads *= x->size[a].thread;
                crosses |= schedule_find(x->s, a, BIND_WARP) || (warps > 1 && schedule_find(x->s, a, BIND_THREAD));
            } else if (p->free >> a & 1)
                kept *= x->size[a].reg;
        }
        if (threads > 1) t += kept * 60e-9;
        if (crosses) t += 100e-9 + warps * 4e-9 + kept * 20e-9;
        if (p->scan)
            for (int a = 0; a < x->s->naxes; a++)
                if (p->over >> a & 1 && x->size[a].serial > 1) t += 200e-9 * x->size[a].serial;
    }
    return t;
}

double sched_cost_parts(CostForm *form, const Machine *m, const Schedule *s, CostParts *parts) {
    Group *gr = form->gr;
    Costing x = {.gr = gr, .s = s};
    AxisSet serial = 0;
    double blocks = 1, threads = 1, loops = 1;
    for (int a = 0; a < s->naxes; a++) {
        x.size[a] = sizes_of(gr, s, a);
        if (schedule_find(s, a, BIND_SERIAL)) serial |= (AxisSet)1 << a;
        blocks *= x.size[a].grid;
        threads *= x.size[a].thread;
        loops *= x.size[a].serial;
    }
    cost_form_levels(form, serial);
    Totals sum = {0};
    for (int i = 0; i < form->accesses.n; i++)
        add_cost(&x, &form->accesses.at[i], form->levels[i], threads, blocks, &sum);
    for (int i = 0; i < gr->steps.n; i++) {
        if (gr->steps.at[i].joined[0]) sum.registers += kept_registers(&x, &gr->steps.at[i]);
        sum.issue += joined_cost(&x, &gr->steps.at[i], threads, blocks);
    }
    const bool map = gr->steps.n == 0;
    if (map) sum.issue += threads * blocks * 40; /* a thread's indices */
    double warps = ceil(threads / 32), regs = (map ? 20 : 36) + sum.registers + sum.tile, occupancy = 1;
    double resident = floor(m->registers_per_sm / (regs * warps * 32));
    if (resident > floor(m->threads_per_sm / (warps * 32))) resident = floor(m->threads_per_sm / (warps * 32));
    if (resident > 32) resident = 32;
    if (resident < 1) {
        occupancy = 4; /* spills */
        resident = 1;
    }
    double busy = blocks < m->sms ? blocks : m->sms, here = blocks / m->sms;
    if (here > resident) here = resident;
    if (here < 1) here = 1;
    double inflight = busy * here * threads * sum.inflight, ideal = m->bandwidth * m->latency;
    double f = inflight / ideal, reach = f > 0 ? f / cbrt(1 + f * f * f) : 1; /* stores alone wait for nothing */
    double waves = ceil(blocks / (m->sms * resident)), levels = form->depth + 1;
    double memory = sum.dram / (m->bandwidth * (reach > 1e-4 ? reach : 1e-4)), l2 = sum.l2 / (2.0 * m->bandwidth);
    double lanes = warps * 32 / threads; /* idle lanes of the last warp */
    double issue = sum.issue * lanes / (busy * 128 * m->clock);
    double chain = waves * (loops * levels * (m->latency + 100e-9) / (1 + s->ahead) + exchange_cost(&x, warps));
    double waiting = chain / (waves > 1 ? 2 : 1), most = memory > l2 ? memory : l2;
    *parts = (CostParts){memory, l2, issue, waiting};
    if (issue > most) most = issue;
    /* The last wave is short. */
    if (waves > 1 && waves < 4) most *= waves * m->sms * resident / blocks > 1.3 ? 1.15 : 1;
    if (regs > 255) occupancy *= 4; /* spills */
    if (regs > 200) occupancy *= 1.05;
    if (threads > 512) occupancy *= 1.02;
    if (threads < 64) occupancy *= 1.02;
    if (resident * warps < 16) occupancy *= 1 + 0.2 * (16 - resident * warps) / 16; /* too few to hide arithmetic */
    if (map && sum.tile_bytes > MAP_BYTES) occupancy *= 1 + 0.04 * log2(sum.tile_bytes / MAP_BYTES);
    if (map) occupancy *= 1 + 0.01 * fabs(log2(threads / MAP_THREADS));
    return occupancy * (most + 0.15 * (memory + l2 + issue - most) + waiting) + blocks * (map ? 5e-12 : 2e-10);
}

double sched_cost(CostForm *form, const Machine *m, const Schedule *s) {
    CostParts parts;
    return sched_cost_parts(form, m, s, &parts);
}

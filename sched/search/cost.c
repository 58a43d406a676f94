/* What a schedule costs on a machine: bytes of memory and cache, whether enough of them are in flight, instructions,
 * and the longest chain of dependent loads. An estimate that orders candidates, in seconds. Reads the factors, and the
 * group through its form alone. */
#include "cost.h"

#include <math.h>

#define COST(name, value, unit, source) static const double name = value;
#include "cost.def"

typedef struct Sizes {
    double grid, serial, thread, reg; /* of one axis, at its length */
} Sizes;

/* A factor that tells which elements are beside each other: a vector, registers, or threads of a warp. */
typedef struct Beside {
    int axis;
    Bind bind; /* BIND_LANE: of all threads of a warp */
    double n;  /* as many of it as are in a warp */
} Beside;

typedef struct Costing {
    Group *gr;
    const int64_t *length; /* of each axis */
    const Machine *m;
    const Schedule *s;
    Sizes size[MAX_GROUP_AXES];
    int vector[MAX_GROUP_AXES]; /* 0: none */
    AxisSet peeled;
    Beside beside[MAX_GROUP_AXES * MAX_AXIS_FACTORS]; /* from the innermost on */
    int nbeside;
} Costing;

static double ceil_div(double a, double b) { return ceil(a / b); }

static Sizes sizes_of(const Schedule *s, int a, int64_t length) {
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
    double rest = ceil_div((double)length, product);
    for (int i = 0; i < s->axis[a].n; i++) {
        if (s->axis[a].f[i].size) continue;
        if (s->axis[a].f[i].bind == BIND_GRID)
            z.grid *= rest < 1 ? 1 : rest;
        else
            z.serial *= rest < 1 ? 1 : rest;
    }
    return z;
}

/* Fills in vectors, peels, and what is beside each other, which all accesses ask for. */
static void find_beside(Costing *x) {
    double left = TARGET_WARP;
    x->nbeside = 0;
    x->peeled = 0;
    for (int place = x->s->naxes - 1; place >= 0; place--) {
        const int a = schedule_axis(x->s, place);
        x->vector[a] = 0;
        if (x->s->axis[a].peel) x->peeled |= (AxisSet)1 << a;
        for (int i = x->s->axis[a].n - 1; i >= 0; i--) {
            const SFactor *f = &x->s->axis[a].f[i];
            double n = (double)f->size;
            const bool lane = f->bind == BIND_LANE || (f->bind == BIND_THREAD && left > 1);
            if (f->bind == BIND_VEC) x->vector[a] = (int)f->size;
            if (!lane && f->bind != BIND_VEC && f->bind != BIND_REG) continue;
            if (lane) {
                n = n < left ? n : left;
                left /= n;
            }
            x->beside[x->nbeside++] = (Beside){a, lane ? BIND_LANE : f->bind, n};
        }
    }
}

/* ---- one access ---- */

/* Elements of the widest access that a thread may make along an axis, as rows of that length are aligned: those of
 * other rows than the one that an axis is peeled by must lie as it does. */
static double widest(const Costing *x, const CostAccess *t, int64_t row) {
    const int wide = TARGET_ACCESS / t->bytes;
    for (int a = 0; a < x->s->naxes && x->peeled; a++) {
        const int peel = x->s->axis[a].peel;
        if (!peel || t->moves[a] != MOVE_BY_ONE) continue;
        const Tensor *by = x->gr->rows.at[peel - 1].tensor;
        bool alike = t->tensor->rank > 1 && type_bits(by->type) == type_bits(t->tensor->type);
        return alike && t->axes & x->gr->rows.at[peel - 1].rows ? wide : 1;
    }
    return row % wide == 0 ? wide : 1; /* vectors that are not aligned are loaded element by element */
}

/* Neighbouring bytes that a warp touches at a time, and elements that a thread does. An axis may continue where the
 * one before it ends, as rows do that are short; elements that a thread has beside each other in registers count there,
 * of what is loaded, since a cache has the rest of a sector. */
static double run_bytes(Costing *x, const CostAccess *t, const int64_t *stride, double *vector) {
    double lanes = 1, beside = 1, row = 1;
    *vector = 1;
    for (int i = 0; i < x->nbeside; i++) {
        const Beside *b = &x->beside[i];
        const int m = t->moves[b->axis];
        if (b->bind == BIND_LANE) {
            if (m == MOVE_FURTHER && (double)stride[b->axis] == *vector * lanes * beside) lanes *= b->n, row = beside;
            if (m == MOVE_BY_ONE) lanes *= b->n;
        } else if (m == MOVE_BY_ONE && b->bind == BIND_VEC) {
            *vector = b->n;
        } else if (m == MOVE_BY_ONE && lanes == 1 && t->load) {
            beside *= b->n;
        }
    }
    return *vector * lanes * row * t->bytes;
}

typedef struct Totals {
    double dram, l2, issue, inflight, registers, tile, tile_bytes;
} Totals;

static void add_cost(Costing *x, const CostForm *f, int i, double threads, double blocks, Totals *sum) {
    const Machine *m = x->m;
    const CostAccess *t = &f->accesses.at[i];
    const int levels = f->levels[i];
    const double most = (double)f->elements[f->at][i];
    double vec, run = run_bytes(x, t, f->strides[i], &vec),
                waste = run >= m->target->sector || run <= 0 ? 1 : m->target->sector / run;
    double lines = run >= m->target->line ? 1 : 2 * run >= m->target->line ? HALF_LINE : PART_LINE;
    if (run < MAP_RUN && !x->gr->steps.n) lines *= MAP_APART;
    double unique = 1, per_block = 1, reg = 1, loops = 1;
    double served = 0; /* by one element: a vector, and mostly all threads; 0: each has its own */
    double rows = 1;   /* of a block */
    bool strided_here = false;
    for (int a = 0; a < x->s->naxes; a++) {
        if (!(t->axes >> a & 1)) continue;
        const Sizes *z = &x->size[a];
        double extent = (double)x->length[a];
        unique *= extent;
        if (t->moves[a] == MOVE_SELDOM)
            served = x->vector[a] ? fmin((double)x->vector[a], SERVED) : 1;
        else
            per_block *= z->serial * z->thread * z->reg;
        if (t->moves[a] == MOVE_FURTHER) rows *= z->thread * z->reg;
        reg *= z->reg;
        loops *= z->serial;
        if (t->moves[a] == MOVE_BY_ONE && z->reg * z->serial > 1) strided_here = true;
    }
    if (waste > 1 && strided_here) waste = 1 + (waste - 1) * SECTOR_AGAIN;
    if (t->whole && unique > most) unique = most;
    double again = levels, bytes = unique * t->bytes;
    const double width = (double)TARGET_ACCESS / t->bytes, may = widest(x, t, f->length_of_row[f->at][i]);
    if (vec > width) lines *= SPLIT_ACCESS, vec = width;
    if (vec > may) sum->issue += threads * blocks * loops * reg * again * ISSUE_SCATTERED, vec = may;
    if (vec != width) lines *= 1 + NARROW_ACCESS * log2(width / vec);
    if (t->whole) lines *= 1 + ROWS_APART * log2(rows);
    double at_work = per_block * t->bytes * (BLOCKS_AT_WORK * m->sms);
    bool kept = bytes <= CACHED * m->l2 || at_work <= CACHED_BLOCKS * m->l2;
    sum->dram += bytes * waste * lines * (!kept && again > 1 ? again : 1);
    sum->l2 += per_block * blocks * t->bytes * waste * again;
    if (served > 0) reg /= served, vec = 1;
    double elements = threads * blocks * loops * reg * again;
    sum->issue += elements / vec * ISSUE_ACCESS + elements * ISSUE_ELEMENT;
    sum->registers += t->load ? ceil(reg * t->bytes / TARGET_REGISTER) : 0;
    if (served > 0) return;
    if (t->load) sum->inflight += reg * t->bytes;
    if (reg > sum->tile) sum->tile = reg;
    if (reg * t->bytes > sum->tile_bytes) sum->tile_bytes = reg * t->bytes;
}

/* What joins two values of fewer axes is done once an element of its own, which no access has. */
static double joined_cost(Costing *x, const GStep *p, double threads, double blocks) {
    double n = threads * blocks * (p->guard && p->guard->nargs ? ISSUE_GUARD : 1);
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
        if (threads > 1) t += kept * SHUFFLES;
        if (crosses) t += EXCHANGE + warps * EXCHANGE_WARP + kept * EXCHANGE_KEPT;
        if (p->scan)
            for (int a = 0; a < x->s->naxes; a++)
                if (p->over >> a & 1 && x->size[a].serial > 1) t += SCAN_STEP * x->size[a].serial;
    }
    return t;
}

double sched_cost_parts(CostForm *form, const Machine *m, const Schedule *s, CostParts *parts) {
    Group *gr = form->gr;
    Costing x; /* not cleared: that would take as long as the rest */
    x.gr = gr;
    x.length = form->lengths[form->at];
    x.m = m;
    x.s = s;
    find_beside(&x);
    AxisSet serial = 0;
    double blocks = 1, threads = 1, loops = 1;
    for (int a = 0; a < s->naxes; a++) {
        x.size[a] = sizes_of(s, a, x.length[a]);
        if (schedule_find(s, a, BIND_SERIAL)) serial |= (AxisSet)1 << a;
        blocks *= x.size[a].grid;
        threads *= x.size[a].thread;
        loops *= x.size[a].serial;
    }
    cost_form_levels(form, serial);
    cost_form_strides(form);
    Totals sum = {0};
    for (int i = 0; i < form->accesses.n; i++) add_cost(&x, form, i, threads, blocks, &sum);
    for (int i = 0; i < gr->steps.n; i++) {
        if (gr->steps.at[i].joined[0]) sum.registers += kept_registers(&x, &gr->steps.at[i]);
        sum.issue += joined_cost(&x, &gr->steps.at[i], threads, blocks);
    }
    const bool map = gr->steps.n == 0;
    if (map) sum.issue += threads * blocks * ISSUE_MAP;
    double warps = ceil(threads / TARGET_WARP),
           regs = (map ? MAP_REGISTERS : FOLD_REGISTERS) + sum.registers + sum.tile, occupancy = 1;
    double resident = floor(m->target->registers_per_sm / (regs * warps * TARGET_WARP));
    resident = fmin(resident, floor(m->target->threads_per_sm / (warps * TARGET_WARP)));
    if (resident > m->target->blocks_per_sm) resident = m->target->blocks_per_sm;
    if (resident < 1) {
        occupancy = SPILLS;
        resident = 1;
    }
    double busy = blocks < m->sms ? blocks : m->sms, here = blocks / m->sms;
    if (here > resident) here = resident;
    if (here < 1) here = 1;
    const double bandwidth = MEMORY_SHARE * m->bandwidth, latency = LOAD_SHARE * m->latency;
    double inflight = busy * here * threads * sum.inflight, ideal = bandwidth * latency;
    double f = inflight / ideal, reach = f > 0 ? f / cbrt(1 + f * f * f) : 1; /* stores alone wait for nothing */
    double waves = ceil(blocks / (m->sms * resident)), levels = form->depth + 1;
    double memory = sum.dram / (bandwidth * fmax(reach, LEAST_REACH)), l2 = sum.l2 / (CACHE_SPEED * bandwidth);
    double lanes = warps * TARGET_WARP / threads; /* idle lanes of the last warp */
    double issue = sum.issue * lanes / (busy * m->target->lanes * m->clock);
    double chain = waves * (loops * levels * (latency + LOOP_STEP) / (1 + s->ahead) + exchange_cost(&x, warps));
    double waiting = chain / (waves > 1 ? WAVES_OVERLAP : 1), most = memory > l2 ? memory : l2;
    *parts = (CostParts){memory, l2, issue, waiting};
    if (issue > most) most = issue;
    /* The last wave is short. */
    if (waves > 1 && waves < FEW_WAVES) most *= waves * m->sms * resident / blocks > SHORT_WAVE ? SHORT_WAVE_COST : 1;
    if (regs > m->target->registers) occupancy *= SPILLS;
    if (regs > MANY_REGISTERS) occupancy *= MANY_REGISTERS_COST;
    if (threads > LARGE_BLOCK || threads < SMALL_BLOCK) occupancy *= ODD_BLOCK_COST;
    if (resident * warps < ENOUGH_WARPS)
        occupancy *= 1 + FEW_WARPS_COST * (ENOUGH_WARPS - resident * warps) / ENOUGH_WARPS;
    if (map && sum.tile_bytes > MAP_BYTES) occupancy *= 1 + MAP_HELD * log2(sum.tile_bytes / MAP_BYTES);
    if (map) occupancy *= 1 + MAP_UNEVEN * fabs(log2(threads / MAP_THREADS));
    return occupancy * (most + LESSER_PARTS * (memory + l2 + issue - most) + waiting) +
           blocks * (map ? MAP_BLOCK : FOLD_BLOCK);
}

double sched_cost(CostForm *form, const Machine *m, const Schedule *s) {
    CostParts parts;
    return sched_cost_parts(form, m, s, &parts);
}

double sched_cost_bytes(const Machine *m, double bytes) {
    return LOAD_SHARE * m->latency + bytes / (MEMORY_SHARE * m->bandwidth);
}

double sched_cost_launch(const Machine *m) { return LAUNCH_SHARE * m->chained; }

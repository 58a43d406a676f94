/* What a schedule costs on a machine: bytes of memory and cache, whether enough of them are in flight, instructions,
 * and the longest chain of dependent loads. An estimate that orders candidates, in seconds. Reads the factors, and the
 * group through its form alone. */
#include "cost.h"

#include "real.h"

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
    const int64_t *length; /* of each axis, CostForm.walked */
    const Machine *m;
    const Schedule *s;
    Sizes size[MAX_GROUP_AXES];
    double blocks, threads, loops, warps; /* warps of a block, the last one not full */
    double busy;                          /* multiprocessors */
    double issue;                         /* seconds that an instruction of a thread takes, of all that are issued */
    double waits;                         /* seconds of a wave: for loads of loops, and exchanges once they are known */
    double waves;                         /* at the least */
    double times;                         /* by how much what few threads or odd blocks do is slower, at the least */
    double reach;                         /* the part of the bandwidth that what is on its way fills, at most */
    int vector[MAX_GROUP_AXES];           /* 0: none */
    AxisSet peeled;
    Beside beside[MAX_GROUP_AXES * MAX_AXIS_FACTORS]; /* from the innermost on */
    int nbeside;
} Costing;

static double ceil_div(double a, double b) { return ceil(a / b); }

/* *serial: whether it has a loop. */
static Sizes sizes_of(const SAxis *axis, int64_t length, bool *serial) {
    Sizes z = {1, 1, 1, 1};
    double product = 1, *open[MAX_AXIS_FACTORS];
    int nopen = 0;
    *serial = false;
    for (int i = 0; i < axis->n; i++) {
        const SFactor *f = &axis->f[i];
        double *of = &z.reg;
        switch (bind_scope(f->bind)) {
        case SCOPE_BLOCK: of = &z.grid; break;
        case SCOPE_LOOP: of = &z.serial; break;
        case SCOPE_THREAD: of = &z.thread; break;
        case SCOPE_REG: break;
        }
        *serial |= f->bind == BIND_SERIAL;
        if (!f->size) {
            open[nopen++] = of;
            continue;
        }
        product *= (double)f->size;
        *of *= (double)f->size;
    }
    const double rest = nopen ? ceil_div((double)length, product) : 1;
    for (int i = 0; i < nopen; i++) *open[i] *= rest < 1 ? 1 : rest;
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

/* Elements of the widest access that a thread may make of a vector of so many along an axis, as rows of that length are
 * aligned: those of other rows than the one that an axis is peeled by must lie as it does. */
static double widest(const Costing *x, const CostAccess *t, int64_t row, int wide) {
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
    double lanes = 1, beside = 1, row = 1, taken = 1;
    *vector = 1;
    for (int i = 0; i < x->nbeside; i++) {
        const Beside *b = &x->beside[i];
        const int m = t->moves[b->axis];
        if (m == MOVE_IN_STEPS) { /* the innermost of them name the same */
            const double same = least_of(b->n, t->steps[b->axis] / taken);
            taken *= same;
            if (b->bind == BIND_LANE && b->n > same) lanes *= b->n / same, row = beside;
            if (b->bind != BIND_LANE && lanes == 1 && t->load) beside *= b->n / same;
            continue;
        }
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

/* So far, of the accesses in their order. */
typedef struct Totals {
    double dram, l2, issue, inflight, registers, tile, tile_bytes;
} Totals;

/* A thread has neighbours along the axis. */
static bool has_neighbours(const Costing *x, int axis) {
    const SAxis *a = &x->s->axis[axis];
    return a->n && bind_scope(a->f[a->n - 1].bind) == SCOPE_REG && a->f[a->n - 1].size > 1;
}

/* Of a thread's elements the share that differ: results along one axis and their taps along another, which move the
 * address alike, have one where their sum is equal. */
static double share_of(const Costing *x, const CostAccess *t, const int64_t *stride) {
    double share = 1;
    AxisSet taken = 0;
    for (int a = 0; a < x->s->naxes && t->load; a++)
        for (int b = 0; b < a && !(taken >> a & 1); b++) {
            const AxisSet both = (AxisSet)1 << a | (AxisSet)1 << b;
            const double n = x->size[a].reg, k = x->size[b].reg;
            if ((t->axes & both) != both || taken & both || stride[a] != stride[b] || !stride[a]) continue;
            if (!has_neighbours(x, a) || !has_neighbours(x, b)) continue;
            taken |= both;
            share *= (n + k - 1) / (n * k);
        }
    return share;
}

static void add_cost(Costing *x, const CostForm *f, int i, Totals *sum) {
    const Machine *m = x->m;
    const double threads = x->threads, blocks = x->blocks;
    const CostAccess *t = &f->accesses.at[i];
    const int levels = f->levels->again[i];
    double vec, run = run_bytes(x, t, f->strides[i], &vec),
                waste = run >= m->target->sector || run <= 0 ? 1 : m->target->sector / run;
    double lines = run >= m->target->line ? 1 : 2 * run >= m->target->line ? HALF_LINE : PART_LINE;
    if (run < MAP_RUN && !x->gr->steps.n) lines *= MAP_APART;
    double per_block = 1, reg = 1, loops = 1;
    double served = 0; /* by one element: a vector, and mostly all threads; 0: each has its own */
    double rows = 1;   /* of a block */
    bool strided_here = false;
    for (int a = 0; a < x->s->naxes; a++) {
        if (!(t->axes >> a & 1)) continue;
        const Sizes *z = &x->size[a];
        if (t->moves[a] == MOVE_SELDOM)
            served = x->vector[a] ? least_of((double)x->vector[a], SERVED) : 1;
        else
            per_block *= most_of(1, z->serial * z->thread * z->reg / t->steps[a]);
        if (t->moves[a] == MOVE_FURTHER) rows *= z->thread * z->reg;
        reg *= most_of(1, z->reg / t->steps[a]);
        loops *= z->serial;
        if (t->moves[a] == MOVE_BY_ONE && z->reg * z->serial > 1) strided_here = true;
    }
    reg *= share_of(x, t, f->strides[i]);
    if (waste > 1 && strided_here) waste = 1 + (waste - 1) * SECTOR_AGAIN;
    const double again = levels, bytes = f->bytes[i];
    const double width = (double)TARGET_ACCESS / t->bytes;
    if (vec > width) lines *= SPLIT_ACCESS, vec = width;
    const double may = widest(x, t, f->length_of_row[f->at][i], (int)vec);
    double apart = 1; /* of what a warp stores at a time: sectors, in each of which it has a part */
    if (vec > may) {
        sum->issue += threads * blocks * loops * reg * again * ISSUE_SCATTERED;
        if (!t->load) apart = least_of(vec, m->target->sector / t->bytes);
        vec = may;
    }
    if (vec != width) lines *= 1 + NARROW_ACCESS * log2(width / vec);
    if (t->whole) lines *= 1 + ROWS_APART * log2(rows);
    double at_work = per_block * t->bytes * (BLOCKS_AT_WORK * m->sms);
    bool kept = bytes <= CACHED * m->l2 || at_work <= CACHED_BLOCKS * m->l2;
    sum->dram += bytes * waste * lines * (!kept && again > 1 ? again : 1);
    sum->l2 += per_block * blocks * t->bytes * most_of(waste, apart) * again;
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

/* What the threads of a fold exchange: within warps, across them, and along a scan's loop. */
static void exchanges_of(const Costing *x, const GStep *p, double *t) {
    double threads = 1, kept = 1, turns = 0;
    bool crosses = false; /* warps */
    for (int a = 0; a < x->s->naxes; a++) {
        if (p->over >> a & 1) {
            threads *= x->size[a].thread;
            crosses |= schedule_find(x->s, a, BIND_WARP) || (x->warps > 1 && schedule_find(x->s, a, BIND_THREAD));
            if (p->scan && x->size[a].serial > 1) turns = x->size[a].serial; /* a scan is along one axis */
        } else if (p->free >> a & 1)
            kept *= x->size[a].reg;
    }
    t[0] = threads > 1 ? kept * SHUFFLES : 0;
    t[1] = crosses ? EXCHANGE + x->warps * EXCHANGE_WARP + kept * EXCHANGE_KEPT : 0;
    t[2] = SCAN_STEP * turns;
}

static double exchange_cost(const Costing *x, const CostForm *form) {
    double t = 0;
    for (int i = 0; i < x->gr->steps.n; i++) {
        double *each = &form->exchange[COST_EXCHANGES * i];
        if (form->alike[i] == i) exchanges_of(x, &x->gr->steps.at[i], each);
        each = &form->exchange[COST_EXCHANGES * form->alike[i]];
        for (int k = 0; k < COST_EXCHANGES; k++) t += each[k];
    }
    return t;
}

/* ---- all of it ---- */

/* Blocks of so many warps, with so many registers a thread, that a multiprocessor has room for. */
static double room_for(const Machine *m, double warps, double registers) {
    const double by_registers = floor(m->target->registers_per_sm / (registers * warps * TARGET_WARP));
    const double by_threads = floor(m->target->threads_per_sm / (warps * TARGET_WARP));
    return least_of(least_of(by_registers, by_threads), m->target->blocks_per_sm);
}

static double base_registers(const Costing *x) { return x->gr->steps.n == 0 ? MAP_REGISTERS : FOLD_REGISTERS; }

static double block_seconds(const Costing *x) { return x->blocks * (x->gr->steps.n == 0 ? MAP_BLOCK : FOLD_BLOCK); }

/* Of all waves, each with so much that waits; several wait for each other's loads. */
static double waiting_seconds(double waves, double each) {
    const double chain = waves * each;
    return chain / (waves > 1 ? WAVES_OVERLAP : 1);
}

static double waves_of(const Costing *x, double resident) { return ceil(x->blocks / (x->m->sms * resident)); }

static double bandwidth_of(const Machine *m) { return MEMORY_SHARE * m->bandwidth; }

/* What loads of the loops wait, one after the other. */
static double loop_seconds(const Costing *x, const CostForm *form) {
    const double latency = LOAD_SHARE * x->m->latency, levels = form->levels->depth + 1;
    return x->loops * levels * (latency + LOOP_STEP) / (1 + x->s->ahead);
}

/* `times`, and by how much blocks of such sizes, so many of them a multiprocessor, are slower. */
static double odd_blocks(const Costing *x, double resident, double times) {
    if (x->threads > LARGE_BLOCK || x->threads < SMALL_BLOCK) times *= ODD_BLOCK_COST;
    if (resident * x->warps < ENOUGH_WARPS)
        times *= 1 + FEW_WARPS_COST * (ENOUGH_WARPS - resident * x->warps) / ENOUGH_WARPS;
    return times;
}

/* How much of what the bandwidth asks for is on its way, where a thread has so many bytes at a time. */
static double inflight_of(const Costing *x, double resident, double bytes) {
    double here = x->blocks / x->m->sms; /* blocks of a multiprocessor */
    if (here > resident) here = resident;
    if (here < 1) here = 1;
    const double ideal = bandwidth_of(x->m) * (LOAD_SHARE * x->m->latency);
    return x->busy * here * x->threads * bytes / ideal;
}

static double iterations(const Costing *x, AxisSet axes) {
    double n = 1;
    for (int a = 0; a < x->s->naxes; a++)
        if (axes >> a & 1) n *= x->size[a].serial;
    return n;
}

/* Iterations of all loops. */
static double loops_of(const Costing *x, const CostForm *form) {
    double sum = 0;
    for (int i = 0; i < form->nests.n; i++) sum += iterations(x, form->nests.at[i]);
    return (form->nests.n ? sum : 1) * iterations(x, ~form->folded);
}

/* Sizes, and what follows from them alone, whatever the accesses are. */
static void begin(Costing *x, CostForm *form) {
    const Machine *m = x->m;
    AxisSet loops = 0;
    double held = 1;
    x->blocks = x->threads = 1;
    for (int a = 0; a < x->s->naxes; a++) {
        bool serial;
        x->size[a] = sizes_of(&x->s->axis[a], x->length[a], &serial);
        loops |= serial ? (AxisSet)1 << a : 0;
        x->blocks *= x->size[a].grid;
        x->threads *= x->size[a].thread;
        held *= x->size[a].reg;
    }
    cost_form_levels(form, loops);
    x->loops = loops_of(x, form);
    x->warps = ceil(x->threads / TARGET_WARP);
    x->busy = x->blocks < m->sms ? x->blocks : m->sms;
    const double lanes = x->warps * TARGET_WARP / x->threads; /* idle lanes of the last warp */
    x->issue = lanes / (x->busy * m->target->lanes * m->clock);
    const double room = most_of(1, room_for(m, x->warps, base_registers(x)));
    x->waits = loop_seconds(x, form);
    x->waves = waves_of(x, room);
    x->times = odd_blocks(x, room, 1);
    /* An access has no more registers than a thread has of all axes. */
    x->reach = form->loaded > 0 ? most_of(least_of(1, inflight_of(x, room, held * form->loaded)), LEAST_REACH) : 1;
}

/* That it takes at least `most`, whatever the accesses behind the first n are: these move each of their bytes once. */
static bool is_beyond(const Costing *x, const CostForm *form, int n, const Totals *sum, double most) {
    static const double ROUNDING = 1 + 1e-9;
    const Machine *m = x->m;
    if (form->refused) return false; /* costs are no seconds there, and may fall */
    const double memory = (sum->dram + form->bytes_behind[n]) / (bandwidth_of(m) * x->reach);
    const double l2 = sum->l2 / (CACHE_SPEED * bandwidth_of(m)), issue = sum->issue * x->issue;
    double least = memory > l2 ? memory : l2;
    if (issue > least) least = issue;
    least += LESSER_PARTS * (memory + l2 + issue - least) + waiting_seconds(x->waves, x->waits);
    return x->times * least + block_seconds(x) >= most * ROUNDING;
}

static double seconds_of(const Costing *x, const Totals *sum) {
    const Machine *m = x->m;
    const bool map = x->gr->steps.n == 0;
    const double regs = base_registers(x) + sum->registers + sum->tile, blocks = x->blocks, threads = x->threads;
    double resident = room_for(m, x->warps, regs), occupancy = 1;
    if (resident < 1) {
        occupancy = SPILLS;
        resident = 1;
    }
    const double bandwidth = bandwidth_of(m), f = inflight_of(x, resident, sum->inflight);
    const double reach = f > 0 ? f / cbrt(1 + f * f * f) : 1; /* stores alone wait for nothing */
    const double waves = waves_of(x, resident);
    double memory = sum->dram / (bandwidth * most_of(reach, LEAST_REACH)), l2 = sum->l2 / (CACHE_SPEED * bandwidth);
    double lanes = x->warps * TARGET_WARP / threads; /* idle lanes of the last warp */
    double issue = sum->issue * lanes / (x->busy * m->target->lanes * m->clock);
    const double waiting = waiting_seconds(waves, x->waits);
    double most = memory > l2 ? memory : l2;
    if (issue > most) most = issue;
    /* The last wave is short. */
    if (waves > 1 && waves < FEW_WAVES) most *= waves * m->sms * resident / blocks > SHORT_WAVE ? SHORT_WAVE_COST : 1;
    if (regs > m->target->registers) occupancy *= SPILLS;
    if (regs > MANY_REGISTERS) occupancy *= MANY_REGISTERS_COST;
    occupancy = odd_blocks(x, resident, occupancy);
    if (map && sum->tile_bytes > MAP_BYTES) occupancy *= 1 + MAP_HELD * log2(sum->tile_bytes / MAP_BYTES);
    if (map) occupancy *= 1 + MAP_UNEVEN * fabs(log2(threads / MAP_THREADS));
    return occupancy * (most + LESSER_PARTS * (memory + l2 + issue - most) + waiting) + block_seconds(x);
}

double sched_cost_below(CostForm *form, const Machine *m, const Schedule *s, double most) {
    Group *gr = form->gr;
    Costing x; /* not cleared: that would take as long as the rest */
    x.gr = gr;
    x.length = form->walked[form->at];
    x.m = m;
    x.s = s;
    Totals sum = {0};
    cost_form_strides(form);
    begin(&x, form);
    if (is_beyond(&x, form, 0, &sum, most)) return (double)INFINITY;
    x.waits += exchange_cost(&x, form);
    find_beside(&x);
    for (int i = 0; i < form->accesses.n; i++) {
        add_cost(&x, form, i, &sum);
        if (is_beyond(&x, form, i + 1, &sum, most)) return (double)INFINITY;
    }
    for (int i = 0; i < gr->steps.n && form->joins; i++) {
        if (gr->steps.at[i].joined[0]) sum.registers += kept_registers(&x, &gr->steps.at[i]);
        sum.issue += joined_cost(&x, &gr->steps.at[i], x.threads, x.blocks);
    }
    if (gr->steps.n == 0) sum.issue += x.threads * x.blocks * ISSUE_MAP;
    const double seconds = seconds_of(&x, &sum);
    return seconds < most ? seconds : (double)INFINITY;
}

double sched_cost(CostForm *form, const Machine *m, const Schedule *s) {
    return sched_cost_below(form, m, s, (double)INFINITY);
}

double sched_cost_bytes(const Machine *m, double bytes) { return LOAD_SHARE * m->latency + bytes / bandwidth_of(m); }

double sched_cost_launch(const Machine *m) { return LAUNCH_SHARE * m->chained; }

/* What bins take (sched/kernel/kernel.h): to fill them, to fold into elements that data name, and to read them. */
#include "features_form.h"

/* Measured on an H200: 2048 planes of 3136 elements into 12544 places, by a warp each, or several with a part each. */
static const double TURN = 160; /* cycles of an element of a thread, where the lanes of its warp take turns */
static const double ALONE = 40; /* where each lane has a row of its own */
static const double MET = 2;    /* times that a bank is asked for, of 32 places that are drawn */
/* Instructions as nvcc 13.0 makes them. */
static const BinsTaken BY_TURNS = {.alu = 18, .memory = 5}, BY_ITSELF = {.alu = 10, .memory = 2},
                       BY_ATOMICS = {.alu = 10, .memory = 2};
/* Times as much by exchanges, until nobody else has been there meanwhile: floats, and all that has two words. */
static const double EXCHANGED = 3;

static double bytes_of(const Value *v) { return type_bits(v->type) / 8.0; }

BinsTaken bins_fill(const Stage *s, int threads) {
    enum { PIECE = TARGET_ACCESS, PASSES = 4 /* of a warp's pieces */ };
    const double bytes = (double)stage_bins_length(s) * (double)stage_bins_rows(s) * bytes_of(s->out[0]);
    const double pieces = bytes / PIECE / threads;
    return (BinsTaken){.memory = pieces * PASSES, .other = pieces};
}

/* Whether the lanes of a warp are in one row, and whether several warps are. */
static void meeting(const Layout *l, const Value *bins, bool *lanes, bool *warps) {
    *lanes = *warps = false;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (bind_scope(f->bind) != SCOPE_THREAD || f->size <= 1 || bins->domain >> f->id & 1) continue;
        *(digit_in_warp(f->tid_stride, f->size) ? lanes : warps) = true;
    }
}

BinsTaken bins_scatter(const Part *part, const Layout *l, const Stage *s) {
    const Value *bins = s->source;
    bool lanes, warps;
    meeting(l, bins, &lanes, &warps);
    const double n = feature_registers(part, bins->domain | stage_operands(part, l, s));
    const BinsTaken *each = warps ? &BY_ATOMICS : lanes ? &BY_TURNS : &BY_ITSELF;
    const bool words = type_is_float(bins->type) || bytes_of(bins) > TARGET_REGISTER;
    const double times = n * (warps && words ? EXCHANGED : 1), met = lanes || warps ? MET : 1;
    const double waits = !warps ? lanes ? TURN : ALONE : words ? EXCHANGED * ALONE : 0;
    return (BinsTaken){.alu = times * each->alu, .memory = times * each->memory * met, .chain = n * waits};
}

BinsTaken bins_read(const Part *part, const Layout *l, const Stage *s) {
    const double n = feature_registers(part, s->out[0]->domain), element = bytes_of(s->source);
    double width = element;
    for (int i = 0; i < l->factors.n; i++) {
        const Factor *f = l->factors.at[i];
        if (f->bind == BIND_VEC && f->axis == s->source->def->axis) width *= (double)f->size;
    }
    if (width > TARGET_ACCESS) width = TARGET_ACCESS;
    const double accesses = n * element / width;
    return (BinsTaken){.memory = accesses * width / TARGET_REGISTER, .other = accesses, .chain = ALONE};
}

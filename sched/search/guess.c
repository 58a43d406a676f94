/* Whether guesses of sizes matter: a program is made again for other sizes of the dimensions whose size is not known,
 * and both are compared at those. Most programs need no second one: at no size do they take much longer than their
 * inputs and outputs need to be moved. */
#include "ir/interp/interp.h"
#include "predict.h"

enum {
    FASTER = 2, /* what choosing again gains, at least */
    MUCH_FASTER = 100,
    LEAST_BITS = 6,
    MIDDLE_BITS = 15,
    GUESS = 1024,
    FEW = 16,
    MAX_ELEMENTS_BITS = 31, /* of a tensor at a size that is looked at */
    MAX_KERNELS = 64        /* of a program that is looked at */
};
static const double LEAST_SECONDS = 100e-6; /* and at least so much */
static const double MOST_SECONDS = 1;       /* a size at which the better choice takes longer is nobody's */

/* A size at which to look: 2^bits, and that of the others without hints; whether those are planned for too; and what is
 * to be gained. */
typedef struct Look {
    int bits, others;
    bool all;
    double faster;
} Look;
static const Look LOOKS[] = {{24, GUESS, false, FASTER},
                             {24, FEW, true, MUCH_FASTER},
                             {MIDDLE_BITS, GUESS, false, FASTER},
                             {LEAST_BITS, GUESS, false, FASTER}};

typedef struct Guessing {
    const Program *p;
    const SchedOptions *o;
    Ctx *temp;
    Graph *g;
    bool *guessed; /* of each dimension */
    int64_t *dims;
    double *scalars;
    int *budget;
    BadGuess worst;
} Guessing;

/* The seconds of a program at the sizes at hand; negative where one of them cannot be. */
static double seconds_of(const Guessing *x, const Program *p) {
    const ExplainAt at = {.dims = x->dims, .scalars = x->scalars};
    double sum = 0;
    const char *by;
    const int number = program_way_at(p, x->dims);
    if (number < 0) return -1;
    const Way *way = &p->ways.at[number];
    for (int i = 0; i < way->steps.n; i++) {
        const Step *s = &way->steps.at[i];
        Traffic moved;
        switch (s->kind) {
        case STEP_KERNEL:
            if (!kernel_traffic(p, s->kernel, x->dims, &moved)) return -1;
            sum += predict_kernel(p, s->kernel, &at, &moved, &by) + target_machine.launch;
            break;
        case STEP_CHOICE: break; /* is on no way */
        }
    }
    return sum;
}

/* What moving each input and output once takes; negative where a size cannot be, or is too large to be looked at. */
static double least_seconds(const Guessing *x) {
    double bytes = 0;
    Text why = {.ctx = x->temp};
    for (int i = 0; i < x->g->facts.n; i++) {
        int64_t holds;
        if (x->g->facts.at[i].nvars || !interp_int(x->g, x->g->facts.at[i].cond, x->dims, x->scalars, &holds)) continue;
        if (!holds) return -1;
    }
    for (int i = 0; i < x->g->tensors.n; i++) {
        const Tensor *t = x->g->tensors.at[i];
        int64_t shape[MAX_RANK], n;
        if (t->kind == TENSOR_LET) continue;
        if (!interp_shape(x->g, t, x->dims, shape, &n, &why) || n >> MAX_ELEMENTS_BITS) return -1;
        bytes += (double)host_bytes(t->type, n);
    }
    return bytes / target_machine.bandwidth;
}

/* A value near v that the dimension can have. */
static int64_t legal(const Dim *d, int64_t v) {
    if (v > d->hi) v = d->hi;
    if (d->divisor > 1) v -= v % d->divisor;
    return v < d->lo ? d->lo : v;
}

/* Takes these sizes, and says how long the tensors take to be moved. */
static double sizes_at(Guessing *x, const Dim *d, int bits, int64_t others, int64_t *size) {
    for (int i = 0; i < x->g->dims.n; i++) {
        const Dim *o = x->g->dims.at[i];
        x->dims[i] = legal(o, x->guessed[i] ? others : o->hint > 0 ? o->hint : o->lo);
    }
    x->dims[d->id] = *size = legal(d, (int64_t)1 << bits);
    return least_seconds(x);
}

/* Compares at one size of one dimension, or where tensors would be too large at a smaller one, then with shorter
 * others. Whether the guess is bad there. */
static bool compare(Guessing *x, Dim *d, const Look *l) {
    int64_t size = 0, others = l->others;
    int bits = l->bits;
    double least = sizes_at(x, d, bits, others, &size);
    for (; least < 0 && bits > MIDDLE_BITS; bits--) least = sizes_at(x, d, bits - 1, others, &size);
    for (; least < 0 && others > FEW; others /= 4) least = sizes_at(x, d, bits, others / 4, &size);
    double as_is = least < 0 ? -1 : seconds_of(x, x->p);
    bool better = false;
    if (as_is > l->faster * least && as_is - least > LEAST_SECONDS && *x->budget > 0) {
        for (int i = 0; i < x->g->dims.n; i++)
            if (x->guessed[i] && (l->all || x->g->dims.at[i] == d))
                x->g->dims.at[i]->hint = x->dims[i] > 0 ? x->dims[i] : 1;
        const Program *again = sched_program(x->p->ctx, x->g, x->o);
        for (int i = 0; i < x->g->dims.n; i++)
            if (x->guessed[i]) x->g->dims.at[i]->hint = 0;
        double chosen = again ? seconds_of(x, again) : -1;
        better = chosen > 0 && chosen < MOST_SECONDS && as_is > l->faster * chosen && as_is - chosen > LEAST_SECONDS;
        *x->budget -= again ? again->kernels.n : x->p->kernels.n;
        if (better && as_is - chosen > x->worst.guessed - x->worst.chosen)
            x->worst = (BadGuess){d, size, others, as_is, chosen};
    }
    return better;
}

BadGuess sched_bad_guess(const Program *p, const SchedOptions *o, const ExprMap *said, int *budget) {
    Graph *g = p->graph;
    if (g->host || p->kernels.n > MAX_KERNELS) return (BadGuess){0};
    Ctx *temp = ctx_temp(g->ctx);
    Guessing x = {.p = p, .o = o, .temp = temp, .g = g, .budget = budget};
    x.guessed = NEW_N(temp, bool, g->dims.n + 1);
    x.dims = NEW_N(temp, int64_t, g->dims.n + 1);
    x.scalars = NEW_N(temp, double, g->scalars.n + 1);
    for (int i = 0; i < g->scalars.n; i++) x.scalars[i] = g->scalars.at[i]->def;
    for (int i = 0; i < g->dims.n; i++) x.guessed[i] = !g->dims.at[i]->hint && g->dims.at[i]->lo != g->dims.at[i]->hi;
    for (int i = 0; i < g->dims.n; i++) {
        Dim *d = g->dims.at[i];
        bool bad = !x.guessed[i] || expr_map_get(said, d->name);
        for (size_t k = 0; !bad && k < sizeof LOOKS / sizeof *LOOKS; k++) bad = compare(&x, d, &LOOKS[k]);
    }
    ctx_temp_end(temp);
    return x.worst;
}

/* Special inputs of checks (--inputs): a large common offset, negative values alone, ties, one NaN. They change what
 * check_input drew; what an assume or the statement's `in` bounds keeps its range. */
#include "check.h"

#include <math.h>
#include <string.h>

static const char *const NAMES[INPUTS_COUNT] = {[INPUTS_NORMAL] = "normal",
                                                [INPUTS_OFFSET] = "offset",
                                                [INPUTS_NEGATIVE] = "negative",
                                                [INPUTS_TIES] = "ties",
                                                [INPUTS_NAN] = "nan"};
enum { OFFSET = 100, LEAST_TIE = -3, TIES = 7 };

const char *check_inputs_name(InputKind k) { return NAMES[k]; }

const InputSpec *check_input_spec(const Check *c, Sym name) {
    for (int i = 0; i < c->inputs.n; i++)
        if (!strcmp(c->inputs.at[i].name, name)) return &c->inputs.at[i];
    return NULL;
}

/* Whether parameter k is a float tensor with elements whose values may be of this kind. A NaN may stand where `in`
 * gives a range, but not where the program assumes one. */
static bool eligible(const CheckSpecial *s, InputKind kind, int k) {
    const Tensor *t = s->g->params.at[k];
    const InputSpec *spec = check_input_spec(s->check, t->name);
    if (t->kind == TENSOR_OUTPUT || !type_is_float(t->type) || !s->tensors[k].host.n) return false;
    if (spec && spec->uniform && kind != INPUTS_NAN) return false;
    return !check_bounded(s->g, t, s->dims, s->scalars);
}

static void map(const CheckSpecial *s, InputKind kind, int k) {
    const InputSpec *spec = check_input_spec(s->check, s->g->params.at[k]->name);
    HostTensor *h = &s->tensors[k].host;
    double scale = spec ? spec->scale : 1;
    for (int64_t i = 0; i < h->n; i++) {
        double v = host_float(h, i);
        switch (kind) {
        case INPUTS_OFFSET: v += OFFSET; break;
        case INPUTS_NEGATIVE: v = v != 0 ? -fabs(v) : -scale; break;
        case INPUTS_TIES:
            v = scale * (floor(TIES * check_uniform(s->seed + (uint64_t)k, (uint64_t)i)) + LEAST_TIE);
            break;
        default: break;
        }
        host_put_float(h, i, num_round(h->type, v));
    }
}

static void one_nan(const CheckSpecial *s, int k, Text *what) {
    HostTensor *h = &s->tensors[k].host;
    int64_t at = (int64_t)(check_uniform(s->seed, (uint64_t)(s->nth + k)) * (double)h->n);
    host_put_float(h, at, (double)NAN);
    text_fmt(what, "NaN in %s[", s->g->params.at[k]->name);
    int64_t under = h->n;
    for (int d = 0; d < h->rank; d++) {
        under /= h->shape[d];
        text_fmt(what, "%s%lld", d ? ", " : "", (long long)(at / under % h->shape[d]));
    }
    text_put(what, "]");
}

bool check_special(const CheckSpecial *s, InputKind kind, Text *what) {
    int n = s->g->params.n, count = 0, nth = s->nth;
    for (int k = 0; k < n; k++) count += eligible(s, kind, k);
    for (int k = 0; k < n && count; k++) {
        if (!eligible(s, kind, k)) continue;
        if (kind == INPUTS_NAN) {
            if (nth-- % count) continue;
            one_nan(s, k, what);
            return true;
        }
        map(s, kind, k);
        const char *name = s->g->params.at[k]->name;
        if (kind == INPUTS_TIES)
            text_fmt(what, what->n ? ", %s" : "ties in %s", name);
        else
            return text_fmt(what, kind == INPUTS_OFFSET ? "%s + 100" : "-|%s|", name), true;
    }
    return count > 0;
}

/* Tuned products: the table in model.c of those that a tuning file knows, and the program that makes such files. The
 * texts are tuned.in and tuner.in. */
#include "glue_tuning.h"
#include "glue_library.h"
#include "glue_text.h"

/* As tuned.in has them, in the order of TuneChoiceField. */
static void numbers(Text *out, const int64_t *choice) {
    text_char(out, '{');
    for (int i = 0; i < TUNE_CHOICES; i++) text_fmt(out, "%s%lld", i ? ", " : "", choice ? (long long)choice[i] : -1LL);
    text_char(out, '}');
}

static const char *type_of(const TuneProduct *p, TuneField f) { return glue_cuda_type((Type)p->v[f]); }

static const char *epilogue_of(const TuneProduct *p) {
    return glue_epilogue((Activation)p->v[TUNE_ACT], p->v[TUNE_BIAS] != TUNE_NONE);
}

/* ---- in model.c ---- */

static bool met(const TuneEntry *e, const Program *const *programs, int n) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < programs[i]->kernels.n; k++) {
            const Product *m = programs[i]->kernels.at[k]->product;
            if (m && tuning_may_serve(e, programs[i]->graph, m)) return true;
        }
    return false;
}

static bool targeted(const TuneEntry *e, const GlueOptions *o) {
    if (o->emu || e->product.v[TUNE_TARGET] == TUNE_EMU) return o->emu && e->product.v[TUNE_TARGET] == TUNE_EMU;
    const Target *t = &target_table[e->product.v[TUNE_TARGET]];
    for (int i = 0; i < targets_count(o->targets); i++)
        if (targets_get(o->targets, i) == t) return true;
    return false;
}

/* As td_tuned_key of tuned.in makes it of the product at hand. */
static void row(Text *out, const TuneEntry *e) {
    static const char *const lies[] = {
        [TUNE_ROW] = "TD_BY_ROW", [TUNE_COL] = "TD_BY_COL", [TUNE_NONE] = "TD_NO_MATRIX", [TUNE_SELF] = "TD_RESULT"};
    const TuneProduct *p = &e->product;
    const int64_t *v = p->v;
    const Target *t = v[TUNE_TARGET] == TUNE_EMU ? &target_default : &target_table[v[TUNE_TARGET]];
    text_fmt(out, "    {{%s, %s, %s, %s,\n      %lld, %lld, %lld, %lld", type_of(p, TUNE_FACTORS),
             type_of(p, TUNE_RESULT), glue_compute((TuneSum)v[TUNE_SUM]), epilogue_of(p), (long long)v[TUNE_M],
             (long long)v[TUNE_N], (long long)v[TUNE_K], (long long)v[TUNE_BATCH]);
    for (int f = TUNE_A; f <= TUNE_D; f += 3)
        text_fmt(out, ", %s, %lld, %lld", lies[v[f]], (long long)v[f + 1], (long long)v[f + 2]);
    text_fmt(out, ", %lld},\n     %lld, %d, ", (long long)v[TUNE_BIAS + 1], (long long)v[TUNE_ALIGN],
             10 * t->major + t->minor);
    numbers(out, e->choice);
    text_put(out, "},\n");
}

void glue_tuned(Text *out, const Program *const *programs, int n, const GlueOptions *o) {
    Text rows = {.ctx = out->ctx};
    for (int i = 0; o->tuning && i < o->tuning->entries.n; i++) {
        const TuneEntry *e = &o->tuning->entries.at[i];
        if (targeted(e, o) && met(e, programs, n)) row(&rows, e);
    }
    if (!rows.n) return;
    glue_text(out, GLUE_IN_TUNED, "algorithms", o->prefix);
    text_fmt(out, "static const td_tuned_line td_tuned[] = {\n%s};\n\n", rows.s);
    glue_text(out, GLUE_IN_TUNED, "choice", o->prefix);
}

/* ---- the tuner ---- */

/* Of the tensor of this number; a column's elements lie together where the lie says so. */
static void matrix(Text *out, const int64_t *v, int tensor) {
    const bool col = v[0] == TUNE_COL;
    if (v[0] == TUNE_NONE)
        text_put(out, ", {-1, 0, 0, 0, {0, 0, 0}}");
    else
        text_fmt(out, ", {%d, 0, %lld, %lld, {%lld, 0, 0}}", v[0] == TUNE_SELF ? 3 : tensor,
                 col ? 1LL : (long long)v[1], col ? (long long)v[1] : 1LL, (long long)v[2]);
}

static void task(Text *out, const TuneProduct *p) {
    static const char *const scales[TUNE_SUMS] = {
        [TUNE_F64] = "CUDA_R_64F", [TUNE_F32] = "CUDA_R_32F", [TUNE_TF32] = "CUDA_R_32F", [TUNE_I32] = "CUDA_R_32I"};
    const int64_t *v = p->v;
    text_fmt(out, "    {%s, %s, %s, %s, %s, %d, %d, %lld, %lld, %lld, {%lld, 1, 1}", type_of(p, TUNE_FACTORS),
             type_of(p, TUNE_RESULT), scales[v[TUNE_SUM]], glue_compute((TuneSum)v[TUNE_SUM]), epilogue_of(p),
             type_bits((Type)v[TUNE_FACTORS]) / 8, type_bits((Type)v[TUNE_RESULT]) / 8, (long long)v[TUNE_M],
             (long long)v[TUNE_N], (long long)v[TUNE_K], (long long)v[TUNE_BATCH]);
    for (int i = 0; i < 4; i++) matrix(out, &v[TUNE_A + 3 * i], i);
    if (v[TUNE_BIAS] == TUNE_NONE)
        text_put(out, ", {-1, 0, 0, 0, {0, 0, 0}}");
    else
        text_fmt(out, ", {4, 0, 0, 1, {%lld, 0, 0}}", (long long)v[TUNE_BIAS + 1]);
    text_fmt(out, ", 1, %d},\n", v[TUNE_C] != TUNE_NONE);
}

void glue_emit_tuner(Text *out, const TuneProduct *at, const int64_t *const *known, int n, const GlueOptions *o) {
    const Text none = {.ctx = out->ctx};
    Text tasks = none, least = none, algorithms = none;
    for (int i = 0; i < n; i++) {
        task(&tasks, &at[i]);
        text_fmt(&least, "%s%lld", i ? ", " : "", (long long)at[i].v[TUNE_ALIGN]);
        text_put(&algorithms, "    ");
        numbers(&algorithms, known[i]);
        text_put(&algorithms, ",\n");
    }
    glue_include(out, o);
    glue_text(out, GLUE_IN_TUNER, "includes", o->prefix);
    glue_library_types(out, o->prefix, &none);
    glue_text(out, GLUE_IN_HEAD, "head", o->prefix);
    glue_library_functions(out, o->prefix, &none);
    glue_text(out, GLUE_IN_TUNED, "algorithms", o->prefix);
    glue_part(out, GLUE_IN_TUNER, "tasks",
              &(GlueWords){.at = {{"@TASKS@", tasks.s}, {"@LEAST@", least.s}, {"@KNOWN@", algorithms.s}}});
    glue_text(out, GLUE_IN_TUNER, "tuner", o->prefix);
}

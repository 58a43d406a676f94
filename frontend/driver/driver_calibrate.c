/* The command calibrate: how fast the GPU of this machine is, as a file for --machine. It times a program of its own as
 * the command bench does, and computes from the times what a machine's figures are (sched/machine/README.md). What it
 * does not measure the file leaves to the machine that it is like. */
#include "driver.h"

#include "ir/diag.h"
#include "sched/machine/machine_text.h"
#include "sched/search/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What is timed. The rows of `chained` need the sums of all columns, which another kernel stores. */
static const char PROGRAM[] =
    "export fn copied(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }\n"
    "export fn read(x: f32[M, N]) -> (y: f32[M]) { y[i] = sum[j](x[i, j]); }\n"
    "export fn written(v: f32[1]) -> (y: f32[N]) { y[i] = v[0]; }\n"
    "export fn chained(x: f32[64, 64]) -> (y: f32[64]) {\n"
    "    let s[j] = sum[i](x[i, j]);\n"
    "    y[i] = sum[j](x[i, j] * s[j]);\n"
    "}\n"
    "export fn product_bf16(a: bf16[M, K], b: bf16[K, N]) -> (c: bf16[M, N]) { c[i, j] = sum[k](a[i, k] * b[k, j]); }\n"
    "export fn product_f32(a: f32[M, K], b: f32[K, N]) -> (c: f32[M, N]) { c[i, j] = sum[k](a[i, k] * b[k, j]); }\n";

/* Sizes of an entry: its dimensions M, N, K, as far as it has them. */
typedef struct Sizes {
    int64_t m, n, k;
} Sizes;

enum { SMALL = 1024, ROW = 4096 /* elements */ };
/* Elements: more than caches hold, and such that several tensors of them fit into 8 GB. */
static const int64_t LONG[] = {1 << 24, 1 << 25, 1 << 26, 1 << 27};
enum { LONGS = sizeof LONG / sizeof *LONG };
/* Of products: few rows, as of one word of text, to as many as keep all multiprocessors at work. */
static const int64_t ROWS[] = {16, 64, 256, 1024, 4096}, SIDES[] = {1024, 4096};
static const Sizes LARGE = {8192, 8192, 8192}; /* of the library's peak */
/* The stand-in computes for as long as sizes are: it has parts of them. */
enum { LONG_PART = 4096, PRODUCT_PART = 32 };

typedef struct Calibration {
    Job *job;
    CheckOptions co;
    CheckModel m;
    Machine *to; /* what is known so far */
    VEC(ProductTime) times;
    CheckDevice device;
    Sym source; /* of what was measured */
    Text why;
} Calibration;

const char *driver_calibrate_text(Job *job, size_t *n) {
    (void)job;
    *n = sizeof PROGRAM - 1;
    return PROGRAM;
}

/* ---- times ---- */

static const Program *program_of(const Calibration *c, const char *entry) {
    for (int i = 0; i < c->job->programs.n; i++)
        if (!strcmp(c->job->programs.at[i]->graph->name, entry)) return c->job->programs.at[i];
    return NULL;
}

static bool sizes_of(Calibration *c, const Program *p, Sizes s, EntrySizes *out) {
    Ctx *ctx = c->job->ctx;
    Bindings at = {0};
    for (int i = 0; i < p->graph->dims.n; i++) {
        const char *name = p->graph->dims.at[i]->name;
        const int64_t v = *name == 'M' ? s.m : *name == 'N' ? s.n : s.k;
        vec_push(ctx, &at, ((Binding){p->graph->dims.at[i]->name, (double)v, v}));
    }
    return driver_entry_sizes(c->job, p->graph, NULL, &at, out);
}

/* Times an entry, beside a copy of so many bytes. False after saying why there are none. */
static bool time_entry(Calibration *c, const char *entry, Sizes s, int64_t bytes, CheckTimes *t) {
    const Program *p = program_of(c, entry);
    EntrySizes sizes;
    CheckResult r = {0};
    if (!sizes_of(c, p, s, &sizes)) return text_put(&c->why, "a size has no value"), false;
    progress_say(c->job->progress, "timing %s", entry);
    const bool ran = check_bench(c->job->ctx, c->job->reference, &sizes.at, &c->m, &c->co, bytes, &r);
    progress_hide(c->job->progress);
    *t = r.times;
    if (ran && r.passed) return true;
    text_fmt(&c->why, "%s: %s", entry, r.message ? r.message : "it does not run");
    return false;
}

static double seconds(const CheckSpread *s) { return s->median * 1e-6; }

/* What an entry's kernels are predicted to take beside their launches. */
static double predicted(Calibration *c, const char *entry, Sizes s) {
    const Program *p = program_of(c, entry);
    EntrySizes sizes;
    double sum = 0;
    if (!sizes_of(c, p, s, &sizes)) return 0;
    const ExplainAt at = {.dims = sizes.dims, .scalars = sizes.scalars};
    const Way *way = program_taken(p, sizes.dims);
    for (int i = 0; way && i < way->steps.n; i++) {
        const Kernel *k = step_kernel(&way->steps.at[i]);
        if (k) sum += predict_step(p, k, c->to, &at);
    }
    return sum;
}

/* The slope of the line that is nearest to some points, as least squares see it. */
static double slope(const double *x, const double *y, int n) {
    double mx = 0, my = 0, up = 0, down = 0;
    for (int i = 0; i < n; i++) mx += x[i] / n, my += y[i] / n;
    for (int i = 0; i < n; i++) up += (x[i] - mx) * (y[i] - my), down += (x[i] - mx) * (x[i] - mx);
    return up / down;
}

/* ---- figures ---- */

/* To the digits that times are good for. */
static double rounded(const Calibration *c, double v) { return strtod(sym_fmt(c->job->ctx, "%.4g", v), NULL); }

/* Takes a figure, and says it; one that cannot be is left to the machine that this one is like. */
static void take(Calibration *c, Figure f, double v) {
    const FigureRow *row = machine_row(f);
    const double was = machine_value(c->to->like, f);
    if (machine_set(c->to, f, v, c->source))
        printf("%-12s %-12.9g %s (%s: %.9g)\n", row->name, v, row->unit, c->to->like->name, was);
    else
        printf("%-12s not taken: it would be %.4g %s\n", row->name, v, row->unit);
}

static Sizes long_sizes(const Calibration *c, int i) {
    const int64_t n = c->co.gpu ? LONG[i] : LONG[i] / LONG_PART;
    return (Sizes){.m = n, .n = n};
}

/* Bandwidth is the slope of copies of several sizes; what only reads or writes is held to it. */
static bool time_memory(Calibration *c) {
    double bytes[LONGS], copies[LONGS], reads[LONGS], writes[LONGS];
    CheckTimes t;
    for (int i = 0; i < LONGS; i++) {
        const Sizes s = long_sizes(c, i);
        const int64_t row = c->co.gpu ? ROW : ROW / LONG_PART;
        bytes[i] = (double)s.n * (double)sizeof(float);
        if (!time_entry(c, "copied", s, 2 * s.n * (int64_t)sizeof(float), &t)) return false;
        copies[i] = seconds(&t.copy) / 2; /* it moves twice as many */
        if (!time_entry(c, "read", (Sizes){.m = s.n / row, .n = row}, 0, &t)) return false;
        reads[i] = seconds(&t.call);
        if (!time_entry(c, "written", s, 0, &t)) return false;
        writes[i] = seconds(&t.call);
    }
    c->device = t.on;
    const double copy = slope(bytes, copies, LONGS);
    take(c, FIGURE_bandwidth, rounded(c, 1 / copy));
    take(c, FIGURE_read_only, rounded(c, slope(bytes, reads, LONGS) / copy));
    take(c, FIGURE_write_only, rounded(c, slope(bytes, writes, LONGS) / copy));
    return true;
}

/* What small kernels take beside what is predicted of the kernels themselves: that is how the figures were fitted. */
static bool time_launches(Calibration *c) {
    const Sizes small = {.n = SMALL};
    CheckTimes t;
    if (!time_entry(c, "copied", small, 0, &t)) return false;
    take(c, FIGURE_launch, rounded(c, seconds(&t.call) - predicted(c, "copied", small)));
    if (!time_entry(c, "chained", small, 0, &t)) return false;
    if (t.nodes != 2) return text_fmt(&c->why, "chained has %d launches instead of two", t.nodes), false;
    take(c, FIGURE_chained, rounded(c, seconds(&t.call) - predicted(c, "chained", small) - c->to->launch));
    return true;
}

/* What the device says of itself. The clock by which was fitted is scaled as the one that devices say. */
static void take_device(Calibration *c) {
    const Target *t = c->to->target;
    const CheckDevice *d = &c->device;
    take(c, FIGURE_sms, d->sms);
    take(c, FIGURE_l2, (double)d->l2);
    if (d->clock_khz) {
        const double most = d->clock_khz * 1e3, share = c->to->clock / c->to->clock_most;
        take(c, FIGURE_clock, rounded(c, share * most));
        take(c, FIGURE_clock_most, most);
    }
    if (d->major != t->major || d->minor != t->minor)
        printf("the device has compute capability %d.%d: what its multiprocessors have is taken to be as of %s\n",
               d->major, d->minor, t->arch);
}

/* ---- products ---- */

/* One product; *peak becomes the most operations a second. */
static bool time_product(Calibration *c, Type type, Sizes s, double *peak) {
    const char *entry = sym_fmt(c->job->ctx, "product_%s", type_name(type));
    CheckTimes t;
    if (!time_entry(c, entry, s, 0, &t)) return false;
    const double took = rounded(c, seconds(&t.call) - c->to->launch);
    const double work = 2.0 * (double)s.m * (double)s.n * (double)s.k;
    if (!(took > 0)) return true; /* too small to tell from its launch */
    *peak = fmax(*peak, work / took);
    vec_push(c->job->ctx, &c->times, ((ProductTime){type, s.m, s.n, s.k, took, c->source}));
    return true;
}

static Sizes product_sizes(const Calibration *c, Sizes s) {
    const int64_t part = c->co.gpu ? 1 : PRODUCT_PART;
    s.m /= part, s.n /= part, s.k /= part;
    return (Sizes){s.m ? s.m : 1, s.n, s.k};
}

static bool time_products(Calibration *c) {
    enum { NROWS = sizeof ROWS / sizeof *ROWS, NSIDES = sizeof SIDES / sizeof *SIDES };
    double peak = 0, ignored = 0;
    for (int type = 0; type < MACHINE_PRODUCT_TYPES; type++)
        for (int i = 0; i < NROWS * NSIDES * NSIDES; i++) {
            const Sizes s = {ROWS[i / NSIDES / NSIDES], SIDES[i / NSIDES % NSIDES], SIDES[i % NSIDES]};
            const Type t = machine_product_types[type];
            if (!time_product(c, t, product_sizes(c, s), t == TY_BF16 ? &peak : &ignored)) return false;
        }
    if (c->co.gpu && !time_product(c, TY_BF16, LARGE, &peak)) return false;
    take(c, FIGURE_products, rounded(c, peak));
    printf("%-12s %d times of the library\n", "product", c->times.n);
    return true;
}

/* ---- the whole ---- */

/* The machine to start from: that of --machine, or the built-in one that it is like, with what it has of its own. */
static Machine *start(const Job *job) {
    Machine *m = NEW(job->ctx, Machine);
    *m = *job->machine;
    m->like = machine_find(m->name) ? job->machine : m->like ? m->like : &machine_h200;
    const Target t = driver_target(job->o);
    m->target = target_find(t.arch, strlen(t.arch));
    if (!m->target) m->target = &target_default; /* the stand-in */
    m->name = job->prefix;
    return m;
}

static Sym source_of(const Calibration *c) {
    char day[16] = "";
    const time_t now = time(NULL);
    const struct tm *t = gmtime(&now);
    if (t) strftime(day, sizeof day, "%Y-%m-%d", t);
    return sym_fmt(c->job->ctx, "%s by tdc calibrate %s on %s", c->co.gpu ? "measured" : "invented", day,
                   c->device.name ? c->device.name : "a device without a name");
}

static bool measure(Calibration *c) {
    CheckTimes t;
    if (!time_entry(c, "copied", (Sizes){.n = SMALL}, 0, &t)) return false;
    c->device = t.on;
    c->source = source_of(c);
    take_device(c);
    return time_memory(c) && time_launches(c) && time_products(c);
}

Exit driver_calibrate(Job *job) {
    Calibration c = {.job = job, .why = {.ctx = job->ctx}};
    CheckServer server = {0};
    Text out = {.ctx = job->ctx};
    if (!driver_measures(job)) return EXIT_INTERNAL;
    if (!driver_build(job, &c.co, &c.m)) return EXIT_INTERNAL;
    if (c.co.gpu) c.m.server = &server;
    c.to = start(job);
    const bool measured = measure(&c);
    check_stop(&c.m);
    check_remove(job->ctx, &c.m.dir);
    if (!measured) return driver_fail("the machine cannot be measured", &c.why), EXIT_INTERNAL;
    c.to->times = c.times.at;
    c.to->ntimes = c.times.n;
    machine_print(&out, c.to);
    const OutFile file = {job->o->out, &out, NULL};
    if (!driver_files_write(job->ctx, &file, 1)) return EXIT_INTERNAL;
    printf("%s: %s %s, like %s\n", job->o->out, c.to->name, driver_place(&c.co), c.to->like->name);
    return EXIT_OK;
}

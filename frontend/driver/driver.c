/* What the command does as a whole: options, passes, then files, checks or a run; and the reports at the end. */
#include "driver.h"

#include "ir/diag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A C identifier from a file name. */
static Sym identifier(Ctx *ctx, const char *s) {
    Text t = {.ctx = ctx};
    if (*s >= '0' && *s <= '9') text_char(&t, '_');
    for (; *s; s++) {
        bool ok = *s == '_' || (*s >= '0' && *s <= '9') || ((*s | 32) >= 'a' && (*s | 32) <= 'z');
        text_char(&t, ok ? *s : '_');
    }
    return sym(ctx, t.s ? t.s : "_");
}

/* `path` without its last extension. */
static Sym without_extension(Ctx *ctx, const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    if (!dot || dot == path || (slash && dot <= slash + 1)) return sym(ctx, path);
    return sym_n(ctx, path, (size_t)(dot - path));
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static Sym folder_of(Ctx *ctx, const char *path) {
    const char *slash = strrchr(path, '/');
    return !slash ? "." : sym_n(ctx, path, (size_t)(slash - path) + 1);
}

/* By what it is, not by how it is called: an output over a source, or over a link to it, would lose the source. */
static bool is_source(const Job *job, const char *path) {
    uint64_t device, inode, d, n;
    if (!driver_source_identity(path, &device, &inode)) return false;
    if (driver_source_identity(job->o->file, &d, &n) && d == device && n == inode) return true;
    const char *read[] = {job->o->kernels, job->o->tuning, job->o->machine};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (read[i] && driver_source_identity(read[i], &d, &n) && d == device && n == inode) return true;
    for (int i = 0; i < job->sources.n; i++)
        if (job->sources.at[i].device == device && job->sources.at[i].inode == inode) return true;
    return false;
}

/* Two outputs in one file would lose one. */
static bool same_file(const char *a, const char *b) {
    uint64_t d, n, e, m;
    return !strcmp(a, b) ||
           (driver_source_identity(a, &d, &n) && driver_source_identity(b, &e, &m) && d == e && n == m);
}

static bool distinct(const Job *job, const OutFile *files, int n) {
    for (int i = 0; i < n; i++) {
        if (is_source(job, files[i].path)) {
            fprintf(stderr, "tdc: the output %s is a source of this compilation; nothing is written\n", files[i].path);
            return false;
        }
        for (int k = 0; k < i; k++)
            if (strncmp(files[i].path, "/dev/", 5) != 0 && same_file(files[i].path, files[k].path)) {
                fprintf(stderr, "tdc: the outputs %s and %s are one file; nothing is written\n", files[k].path,
                        files[i].path);
                return false;
            }
    }
    return true;
}

/* The dependencies come last in the list: first into place, so that no output is ever newer than what is known of it.
 */
static Exit write_outputs(Job *job) {
    const DriverOptions *o = job->o;
    Sym stem = o->out ? without_extension(job->ctx, o->out) : job->stem;
    OutFile files[EMIT_COUNT + 1];
    Text rule = {.ctx = job->ctx};
    int n = 0;
    for (int e = 0; o->to_stdout && e < EMIT_COUNT; e++)
        if (o->emit >> e & 1) {
            const OutFile file = driver_out_file(job, (EmitId)e, "-");
            return driver_file_to_stdout(&file) ? EXIT_OK : EXIT_INTERNAL;
        }
    for (int e = 0; e < EMIT_COUNT; e++) {
        bool given = e == EMIT_CU && o->out;
        if (o->emit >> e & 1)
            files[n++] = driver_out_file(
                job, (EmitId)e, given ? o->out : sym_fmt(job->ctx, "%s%s", stem, driver_emit((EmitId)e)->suffix));
    }
    if (o->depend) {
        if (!depend_print(&rule, job, files, n)) return EXIT_USAGE;
        files[n++] = (OutFile){o->depend_file ? o->depend_file : sym_fmt(job->ctx, "%s.d", stem), &rule, NULL};
    }
    if (!distinct(job, files, n)) return EXIT_USAGE;
    return driver_files_write(job->ctx, files, n) ? EXIT_OK : EXIT_INTERNAL;
}

/* A compilation that only dumps writes no files. */
static bool writes(const DriverOptions *o) {
    for (int i = 0; i < PASS_COUNT && !o->out && !o->to_stdout; i++)
        if (o->dump[i]) return false;
    return true;
}

/* What --stop-after says; the last one dumped where nothing else is asked for. */
static PassId last_pass(const DriverOptions *o) {
    int last = PASS_COUNT - 1;
    if (o->stop_after < PASS_COUNT) return (PassId)o->stop_after;
    if (o->place == PLACE_INTERP) return PASS_SEMA;
    if (o->command == COMMAND_EXPLAIN || o->command == COMMAND_TUNE) return PASS_ADVISE;
    if (o->command == COMMAND_COMPILE && !writes(o))
        while (!o->dump[last]) last--;
    return (PassId)last;
}

static Exit work(Job *job) {
    const DriverOptions *o = job->o;
    size_t n = 0;
    progress_say(job->progress, "reading %s", o->file);
    const bool own = o->command == COMMAND_CALIBRATE;
    const char *text = own ? driver_calibrate_text(job, &n) : driver_source_read(job->ctx, o->file, &n);
    if (!text) {
        if (errno == EFBIG)
            diag_report(job->ctx, DIAG_FILE_TOO_LARGE, SPAN_NONE, "%s has more than 16 MiB", o->file);
        else
            diag_report(job->ctx, DIAG_CANNOT_READ, SPAN_NONE, "%s: %s", o->file, strerror(errno));
        return EXIT_WRONG;
    }
    if (!own) depend_read(job, o->file);
    job->file = diag_add_file(job->ctx, o->file, text, n);
    PassId last = last_pass(o);
    Exit e = driver_passes(job, last);
    progress_hide(job->progress);
    if (e != EXIT_OK || o->stop_after < PASS_COUNT) return e;
    if (o->place == PLACE_INTERP)
        job->reference = job->module;
    else if (last != PASS_COUNT - 1 && o->command != COMMAND_EXPLAIN && o->command != COMMAND_TUNE)
        return e;
    switch (o->command) {
    case COMMAND_COMPILE: return o->stop_after == PASS_COUNT && writes(o) ? write_outputs(job) : EXIT_OK;
    case COMMAND_CHECK: return driver_check(job);
    case COMMAND_RUN: return driver_run(job);
    case COMMAND_EXPLAIN: return driver_explain(job);
    case COMMAND_BENCH: return driver_bench(job);
    case COMMAND_TUNE: return driver_tune(job);
    case COMMAND_CALIBRATE: return driver_calibrate(job);
    case COMMAND_COUNT: break;
    }
    return EXIT_INTERNAL;
}

static void say_reports(const Job *job) {
    Text t = {.ctx = job->ctx};
    if (job->o->json) {
        diag_render_json(job->ctx, &t);
    } else {
        const char *no = getenv("NO_COLOR");
        diag_render(job->ctx, &t, isatty(STDERR_FILENO) && !(no && *no));
    }
    fputs(t.s ? t.s : "", stderr);
}

int driver_main(int argc, char **argv, const char *commit) {
    Ctx *volatile ctx = ctx_new();
    Progress *volatile progress = NULL;
    if (!ctx || CTX_GUARD(ctx)) {
        progress_stop(progress);
        fputs("tdc: out of memory\n", stderr);
        ctx_free(ctx);
        return EXIT_INTERNAL;
    }
    DriverOptions o = {.commit = commit};
    Exit e = EXIT_USAGE;
    if (driver_options(ctx, &o, argc, argv)) {
        Job job = {.ctx = ctx, .o = &o};
        Sym folder = o.out ? folder_of(ctx, o.out) : ".";
        for (int i = 0; i < EMIT_COUNT; i++) {
            job.out[i].ctx = ctx;
            job.middle[i] = spool_new(ctx, folder);
        }
        e = o.print_dir < 0 ? EXIT_OK : driver_print_place(ctx, o.print_dir);
        if (!o.done) {
            job.progress = progress = progress_start();
            o.home = check_home(ctx);
            diag_perf(ctx, o.perf);
            job.stem = without_extension(ctx, base_name(o.out ? o.out : o.file));
            job.prefix = o.prefix ? o.prefix : identifier(ctx, job.stem);
            e = work(&job);
            progress = NULL;
            progress_stop(job.progress);
            say_reports(&job);
        }
        for (int i = 0; i < EMIT_COUNT; i++) spool_close(&job.middle[i]);
    }
    if (fflush(stdout) != 0) e = EXIT_INTERNAL;
    ctx_free(ctx);
    return (int)e;
}

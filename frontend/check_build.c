/* Builds a model for a check: its two files, the runner, and on a machine without a GPU the stand-in for CUDA. */
#include "check.h"
#include "check_process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOG_BYTES = 3000, BUILD_SECONDS = 600 };

/* ---- places ---- */

static bool is_home(Ctx *ctx, const char *dir) {
    return file_exists(sym_fmt(ctx, "%s/backend_cuda/run/runner.c", dir));
}

Sym check_home(Ctx *ctx) {
    const char *home = getenv("TDC_HOME");
    if (home) return is_home(ctx, home) ? sym(ctx, home) : NULL;
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0) return NULL;
    path[n] = 0;
    for (int up = 0; up < 4; up++) {
        char *slash = strrchr(path, '/');
        if (!slash) return NULL;
        *slash = 0;
        if (is_home(ctx, path)) return sym(ctx, path);
        Sym share = sym_fmt(ctx, "%s/share/tdc", path);
        if (is_home(ctx, share)) return share;
    }
    return NULL;
}

Sym check_dir(Ctx *ctx, Text *why) {
    const char *tmp = getenv("TMPDIR");
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/tdc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (n < 0 || (size_t)n >= sizeof path || !mkdtemp(path)) {
        text_put(why, "no directory for temporary files can be made");
        return NULL;
    }
    return sym(ctx, path);
}

void check_remove(Ctx *ctx, Sym dir) {
    Paths all = {0};
    const char *const any[] = {"", NULL};
    if (!dir_list(ctx, dir, any, &all)) return;
    for (int i = 0; i < all.n; i++) unlink(all.at[i]); /* refuses `.` and `..` */
    rmdir(dir);
}

/* ---- compiling ---- */

typedef struct Build {
    Ctx *ctx;
    const CheckOptions *o;
    Sym dir, emu;
    const char *stem;
    const char *prefix;
    Text *why;
} Build;

typedef VEC(char *) Args;

/* Words separated by spaces; "%" stands for the next argument, a path or a name that may hold spaces. */
static void words(Ctx *ctx, Args *a, const char *text, ...) {
    va_list ap;
    va_start(ap, text);
    while (*text) {
        size_t n = strcspn(text, " ");
        Text w = {.ctx = ctx};
        for (size_t i = 0; i < n; i++)
            if (text[i] == '%')
                text_put(&w, va_arg(ap, const char *));
            else
                text_char(&w, text[i]);
        if (w.n) vec_push(ctx, a, w.s);
        text += n + (text[n] == ' ');
    }
    va_end(ap);
}

static bool compile(Build *b, Args *a) {
    vec_push(b->ctx, a, NULL);
    Sym log = sym_fmt(b->ctx, "%s/log", b->dir);
    int status = 0;
    if (!process_run(a->at, log, BUILD_SECONDS, &status, b->why)) return false;
    if (!status) return true;
    text_fmt(b->why, "%s fails:\n", a->at[0]);
    file_tail(b->ctx, log, LOG_BYTES, b->why);
    return false;
}

static const char *tool(const char *variable, const char *otherwise) {
    const char *t = getenv(variable);
    return t && *t ? t : otherwise;
}

static const char *nvcc(void) {
    static const char usual[] = "/usr/local/cuda/bin/nvcc";
    const char *t = getenv("NVCC");
    if (t && *t) return t;
    return file_exists(usual) ? usual : "nvcc";
}

/* FNV-1a over the files' bytes: names what was built from them. */
static uint64_t hash_files(Ctx *ctx, const Paths *files) {
    uint64_t h = 1469598103934665603u;
    for (int i = 0; i < files->n; i++) {
        size_t n;
        const char *text = file_read(ctx, files->at[i], &n);
        for (size_t k = 0; text && k < n; k++) h = (h ^ (unsigned char)text[k]) * 1099511628211u;
    }
    return h;
}

/* The stand-in's own sources as objects, built once and kept beside tdc where that can be written to. */
static bool emulator(Build *b, Args *objects) {
    Ctx *ctx = b->ctx;
    Paths sources = {0}, all = {0};
    const char *const code[] = {".cc", ".cpp", ".c", NULL}, *const any[] = {".cc", ".cpp", ".c", ".h", ".def", NULL};
    if (!dir_list(ctx, b->emu, code, &sources) || !dir_list(ctx, b->emu, any, &all)) {
        text_fmt(b->why, "%s cannot be read", b->emu);
        return false;
    }
    Sym cache = sym_fmt(ctx, "%s/build", b->o->home);
    if (access(cache, W_OK) != 0) cache = b->dir;
    uint64_t h = hash_files(ctx, &all);
    for (int i = 0; i < sources.n; i++) {
        Sym object = sym_fmt(ctx, "%s/emu-%016llx-%d.o", cache, (unsigned long long)h, i);
        vec_push(ctx, objects, (char *)object);
        if (file_exists(object)) continue;
        const char *source = sources.at[i];
        bool c = !strcmp(source + strlen(source) - 2, ".c");
        Sym fresh = sym_fmt(ctx, "%s.%ld", object, (long)getpid());
        Args a = {0};
        words(ctx, &a, c ? "% -std=c99" : "% -std=c++17", c ? tool("CC", "gcc") : tool("CXX", "g++"));
        words(ctx, &a, "-O2 -g -I % -c % -o %", b->emu, source, fresh);
        if (!compile(b, &a)) return false;
        if (rename(fresh, object) != 0) {
            text_fmt(b->why, "%s cannot be made", object);
            return false;
        }
    }
    return true;
}

static bool build_emu(Build *b, Sym runner, Sym program) {
    Ctx *ctx = b->ctx;
    Args cu = {0}, c = {0}, run = {0}, link = {0};
    words(ctx, &cu, "% -x c++ -std=c++17 -O1 -g -ffp-contract=off -w -I % -c %/%.cu -o %/model.o", tool("CXX", "g++"),
          b->emu, b->dir, b->stem, b->dir);
    words(ctx, &c, "% -std=c99 -O1 -g -w -I % -c %/%.c -o %/glue.o", tool("CC", "gcc"), b->emu, b->dir, b->stem,
          b->dir);
    words(ctx, &run, "% -std=c99 -O1 -g -w -DTD_PREFIX=% -I % -c % -o %/runner.o", tool("CC", "gcc"), b->prefix, b->emu,
          runner, b->dir);
    words(ctx, &link, "% -o % %/model.o %/glue.o %/runner.o", tool("CXX", "g++"), program, b->dir, b->dir, b->dir);
    if (!compile(b, &cu) || !compile(b, &c) || !compile(b, &run) || !emulator(b, &link)) return false;
    words(ctx, &link, "-lm -pthread");
    return compile(b, &link);
}

static bool build_gpu(Build *b, Sym runner, Sym program) {
    Ctx *ctx = b->ctx;
    Args cu = {0}, c = {0}, run = {0}, link = {0};
    static const char arch[] = "-gencode arch=compute_90a,code=sm_90a";
    words(ctx, &cu, "% -O3 -std=c++17 -lineinfo", nvcc());
    words(ctx, &cu, arch);
    words(ctx, &cu, "-c %/%.cu -o %/model.o", b->dir, b->stem, b->dir);
    words(ctx, &c, "% -O2 -c %/%.c -o %/glue.o", nvcc(), b->dir, b->stem, b->dir);
    words(ctx, &run, "% -O2 -DTD_PREFIX=% -c % -o %/runner.o", nvcc(), b->prefix, runner, b->dir);
    words(ctx, &link, "%", nvcc());
    words(ctx, &link, arch);
    words(ctx, &link, "-o % %/model.o %/glue.o %/runner.o -lm -Xlinker --as-needed -lcublasLt", program, b->dir, b->dir,
          b->dir);
    return compile(b, &cu) && compile(b, &c) && compile(b, &run) && compile(b, &link);
}

static bool build_program(Build *b, Sym program) {
    Ctx *ctx = b->ctx;
    Args c = {0}, link = {0};
    if (b->o->gpu) {
        words(ctx, &c, "% -O2 -c %/%.c -o %/main.o", nvcc(), b->dir, b->stem, b->dir);
        words(ctx, &link, "% -o % %/main.o -lm -Xlinker --as-needed -lcublasLt", nvcc(), program, b->dir);
        return compile(b, &c) && compile(b, &link);
    }
    words(ctx, &c, "% -std=c99 -O1 -g -w -I % -c %/%.c -o %/main.o", tool("CC", "gcc"), b->emu, b->dir, b->stem,
          b->dir);
    words(ctx, &link, "% -o % %/main.o", tool("CXX", "g++"), program, b->dir);
    if (!compile(b, &c) || !emulator(b, &link)) return false;
    words(ctx, &link, "-lm -pthread");
    return compile(b, &link);
}

bool check_build_program(Ctx *ctx, const CheckOptions *o, Sym dir, const char *stem, CheckModel *m, Text *why) {
    Build b = {ctx, o, dir, sym_fmt(ctx, "%s/backend_cuda/emu", o->home), stem, "", why};
    *m = (CheckModel){.dir = dir, .program = sym_fmt(ctx, "%s/program", dir)};
    return build_program(&b, m->program);
}

bool check_build(Ctx *ctx, const CheckOptions *o, Sym dir, const char *stem, const char *prefix, CheckModel *m,
                 Text *why) {
    if (!o->home) {
        text_put(why, "the files that checks need (backend_cuda/run, backend_cuda/emu) were not found; TDC_HOME says "
                      "where they are");
        return false;
    }
    Build b = {ctx, o, dir, sym_fmt(ctx, "%s/backend_cuda/emu", o->home), stem, prefix, why};
    Sym runner = sym_fmt(ctx, "%s/backend_cuda/run/runner.c", o->home);
    *m = (CheckModel){.dir = dir, .program = sym_fmt(ctx, "%s/model", dir)};
    return o->gpu ? build_gpu(&b, runner, m->program) : build_emu(&b, runner, m->program);
}

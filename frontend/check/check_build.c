/* Builds a model for a check: its two files, the runner, and on a machine without a GPU the stand-in for CUDA. */
#include "check.h"
#include "check_cache.h"
#include "check_process.h"

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

Sym check_cache(Ctx *ctx) { return cache_folder(ctx); }

/* ---- compiling ---- */

/* A compiler, and what it says of its version. Its name is what make takes in CC: a command and perhaps first arguments
 * of it, with blanks between them (`ccache gcc`). */
typedef struct Tool {
    const char *name, *version;
    size_t bytes;
} Tool;

typedef struct Build {
    Ctx *ctx;
    const CheckOptions *o;
    const CheckDir *dir;
    Sym emu; /* the stand-in's folder */
    Text *why;
    CacheKey stand_in; /* of the stand-in's files, each its name and its bytes */
    VEC(Sym) objects;  /* so far: files to link */
    VEC(Sym) names;    /* what each is called in the cache */
    VEC(Tool) tools;   /* those asked so far */
} Build;

typedef VEC(char *) Args;

static const char BLANKS[] = " \t";

static void words(Ctx *ctx, Args *a, const char *text) {
    for (size_t n; *(text += strspn(text, BLANKS)); text += n) {
        n = strcspn(text, BLANKS);
        vec_push(ctx, a, (char *)sym_n(ctx, text, n));
    }
}

static bool compile(Build *b, Args *a) {
    vec_push(b->ctx, a, NULL);
    Sym log = sym_fmt(b->ctx, "%s/log", b->dir->path);
    int status = 0;
    if (!process_run(a->at, log, b->dir->keeper, BUILD_SECONDS, &status, b->why)) return false;
    if (!status) return true;
    text_fmt(b->why, "%s fails:\n", a->at[0]);
    file_tail(b->ctx, log, LOG_BYTES, b->why);
    return false;
}

static const char *tool(const char *variable, const char *otherwise) {
    const char *t = getenv(variable);
    return t && t[strspn(t, BLANKS)] ? t : otherwise;
}

static const char *nvcc(void) {
    static const char usual[] = "/usr/local/cuda/bin/nvcc";
    return tool("NVCC", file_exists(usual) ? usual : "nvcc");
}

static Tool ask_version(Build *b, const char *compiler) {
    for (int i = 0; i < b->tools.n; i++)
        if (!strcmp(b->tools.at[i].name, compiler)) return b->tools.at[i];
    Tool t = {.name = compiler, .version = ""};
    Args version = {0};
    words(b->ctx, &version, compiler);
    vec_push(b->ctx, &version, "--version");
    vec_push(b->ctx, &version, NULL);
    Sym log = sym_fmt(b->ctx, "%s/log", b->dir->path);
    Text ignored = {.ctx = b->ctx};
    size_t n;
    int status;
    const char *said = process_run(version.at, log, b->dir->keeper, BUILD_SECONDS, &status, &ignored)
                           ? file_read(b->ctx, log, &n)
                           : NULL;
    if (said) t.version = said, t.bytes = n;
    vec_push(b->ctx, &b->tools, t);
    return t;
}

/* What a compiler makes of the same files depends on itself, its flags, and variables that it reads. */
static CacheKey key_of_tool(Build *b, const char *compiler, const char *flags) {
    static const char *const read[] = {"CPATH",      "C_INCLUDE_PATH",     "CPLUS_INCLUDE_PATH",
                                       "NVCC_CCBIN", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"};
    Tool t = ask_version(b, compiler);
    CacheKey k;
    sha256_start(&k);
    cache_text(&k, compiler);
    cache_part(&k, t.version, t.bytes);
    cache_text(&k, flags);
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) cache_text(&k, tool(read[i], ""));
    return k;
}

static bool key_of_stand_in(Build *b) {
    static const char *const any[] = {".cpp", ".h", ".def", NULL};
    Paths all = {0};
    sha256_start(&b->stand_in);
    bool ok = dir_list(b->ctx, b->emu, any, &all);
    for (int i = 0; ok && i < all.n; i++) {
        cache_text(&b->stand_in, strrchr(all.at[i], '/') + 1);
        ok = cache_file(b->ctx, &b->stand_in, all.at[i]);
    }
    if (!ok) text_fmt(b->why, "%s cannot be read", b->emu);
    return ok;
}

/* An object of `source`, as `file` in the model's folder: from the cache, or compiled. The source includes `header`,
 * unless that is NULL, and beside it only what the compiler or the stand-in brings. */
static bool object(Build *b, const char *kind, const char *compiler, const char *flags, Sym source, Sym header,
                   const char *file) {
    Ctx *ctx = b->ctx;
    CacheKey k = key_of_tool(b, compiler, flags);
    Sym path = sym_fmt(ctx, "%s/%s", b->dir->path, file);
    unsigned char digest[32];
    CacheKey emu = b->stand_in;
    sha256_end(&emu, digest);
    if (!b->o->gpu) cache_part(&k, digest, sizeof digest);
    if (!cache_file(ctx, &k, source) || (header && !cache_file(ctx, &k, header)))
        return text_fmt(b->why, "%s cannot be read", source), false;
    Sym name = cache_name(ctx, &k, kind);
    vec_push(ctx, &b->objects, path);
    vec_push(ctx, &b->names, name);
    if (cache_take(ctx, b->o->cache, name, file, path)) return true;
    Args a = {0};
    words(ctx, &a, compiler);
    words(ctx, &a, flags);
    char *const rest[] = {"-I", (char *)b->emu, "-c", (char *)source, "-o", (char *)path};
    for (int i = b->o->gpu ? 2 : 0; i < 6; i++) vec_push(ctx, &a, rest[i]);
    if (!compile(b, &a)) return false;
    cache_keep(ctx, b->o->cache, name, file, path);
    return true;
}

/* Flags for what holds floats, with the algebra that stands for them (backend_cuda/emu/td_exact.h). */
static Sym with_algebra(const Build *b, const char *flags) {
    const Exact *x = &b->o->exact;
    if (!x->kind) return flags;
    return sym_fmt(b->ctx, "%s -DTD_EXACT_BITS=%d%s", flags, x->bits,
                   x->kind == EXACT_FIELD ? " -DTD_EXACT_FIELD" : "");
}

static bool stand_in(Build *b, const char *flags, const char *stem) {
    return object(b, "stand-in", tool("CXX", "g++"), flags, sym_fmt(b->ctx, "%s/%s.cpp", b->emu, stem), NULL,
                  sym_fmt(b->ctx, "%s.o", stem));
}

/* The stand-in's own code; what its library does with numbers is apart in exact algebra, as the rest takes seconds. */
static bool emulator(Build *b) {
    return stand_in(b, CHECK_STAND_IN_FLAGS, "runtime") &&
           (!b->o->exact.kind || stand_in(b, with_algebra(b, CHECK_STAND_IN_FLAGS), "exact"));
}

/* Links the objects so far. `libraries` stand behind them. */
static bool link_program(Build *b, const char *compiler, const char *flags, const char *libraries, Sym program) {
    Ctx *ctx = b->ctx;
    Args a = {0};
    CacheKey k = key_of_tool(b, compiler, sym_fmt(ctx, "%s %s", flags, libraries));
    for (int i = 0; i < b->names.n; i++) cache_text(&k, b->names.at[i]);
    Sym name = cache_name(ctx, &k, "program");
    if (cache_take(ctx, b->o->cache, name, "program", program)) return true;
    words(ctx, &a, compiler);
    words(ctx, &a, flags);
    words(ctx, &a, "-o");
    vec_push(ctx, &a, (char *)program);
    for (int i = 0; i < b->objects.n; i++) vec_push(ctx, &a, (char *)b->objects.at[i]);
    words(ctx, &a, libraries);
    if (!compile(b, &a)) return false;
    cache_keep(ctx, b->o->cache, name, "program", program);
    return true;
}

/* Of the stand-in and of a GPU: how host code and programs are compiled. */
static const char C_EMU[] = "-std=c99 -O1 -w";
static const char LIBRARIES_EMU[] = "-lm -pthread", LIBRARIES_GPU[] = "-lm -Xlinker --as-needed -lcublasLt";

/* For which GPUs nvcc compiles kernels. */
static Sym gpu_code(const Build *b) {
    Text code = {.ctx = b->ctx};
    targets_gencode(&code, b->o->targets, true);
    return code.s;
}

static bool link_all(Build *b, const char *prefix, Sym program) {
    /* The runner is the same object for every model: it knows what a model has by names of its own. */
    static const char *const of_model[] = {"entries", "nentries", "open", "open_message", "close", "invoke"};
    Text defined = {.ctx = b->ctx};
    for (size_t i = 0; i < sizeof of_model / sizeof *of_model; i++)
        text_fmt(&defined, "%s-Xlinker --defsym=td_%s=%s_%s", i ? " " : "", of_model[i], prefix, of_model[i]);
    Sym names = defined.s;
    if (b->o->gpu) return link_program(b, nvcc(), sym_fmt(b->ctx, "%s %s", gpu_code(b), names), LIBRARIES_GPU, program);
    return emulator(b) && link_program(b, tool("CXX", "g++"), names, LIBRARIES_EMU, program);
}

static Build build_of(Ctx *ctx, const CheckOptions *o, const CheckDir *dir, Text *why) {
    return (Build){.ctx = ctx, .o = o, .dir = dir, .emu = sym_fmt(ctx, "%s/backend_cuda/emu", o->home), .why = why};
}

bool check_build_program(Ctx *ctx, const CheckOptions *o, const CheckDir *dir, const char *stem, CheckModel *m,
                         Text *why) {
    Build b = build_of(ctx, o, dir, why);
    Sym c = sym_fmt(ctx, "%s/%s.c", dir->path, stem);
    *m = (CheckModel){.dir = *dir, .program = sym_fmt(ctx, "%s/program", dir->path)};
    if (o->gpu)
        return object(&b, "object", nvcc(), "-O2", c, NULL, "main.o") &&
               link_program(&b, nvcc(), "", LIBRARIES_GPU, m->program);
    return key_of_stand_in(&b) && object(&b, "object", tool("CC", "gcc"), C_EMU, c, NULL, "main.o") && emulator(&b) &&
           link_program(&b, tool("CXX", "g++"), "", LIBRARIES_EMU, m->program);
}

bool check_build(Ctx *ctx, const CheckOptions *o, const CheckDir *dir, const char *stem, const char *prefix,
                 CheckModel *m, Text *why) {
    if (!o->home) {
        text_put(why, "the files that checks need (backend_cuda/run, backend_cuda/emu) were not found; TDC_HOME says "
                      "where they are");
        return false;
    }
    Build b = build_of(ctx, o, dir, why);
    Sym cu = sym_fmt(ctx, "%s/%s.cu", dir->path, stem), c = sym_fmt(ctx, "%s/%s.c", dir->path, stem);
    Sym h = sym_fmt(ctx, "%s/%s.h", dir->path, stem), runner = sym_fmt(ctx, "%s/backend_cuda/run/runner.c", o->home);
    const char *cc = o->gpu ? nvcc() : tool("CC", "gcc"), *flags = o->gpu ? "-O2" : C_EMU;
    *m = (CheckModel){.dir = *dir, .program = sym_fmt(ctx, "%s/model", dir->path)};
    bool ok =
        o->gpu ? object(&b, "object", cc, sym_fmt(ctx, "-O3 -std=c++17 -lineinfo%s", gpu_code(&b)), cu, NULL, "model.o")
               : key_of_stand_in(&b) &&
                     object(&b, "object", tool("CXX", "g++"),
                            with_algebra(&b, "-x c++ -std=c++17 -O1 -ffp-contract=off -w"), cu, NULL, "model.o");
    return ok && object(&b, "object", cc, flags, c, h, "glue.o") &&
           object(&b, "object", cc, flags, runner, NULL, "runner.o") && link_all(&b, prefix, m->program);
}

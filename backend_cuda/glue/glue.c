/* Prints model.h and model.c from their parts: the texts of header.in and head.in with what the entries' files print.
 * Knows nothing of kernels. */
#include "glue_arguments.h"
#include "glue_device.h"
#include "glue_entry.h"
#include "glue_function.h"
#include "glue_invoke.h"
#include "glue_launch.h"
#include "glue_library.h"
#include "glue_manifest.h"
#include "glue_signature.h"
#include "glue_text.h"
#include "glue_tuning.h"

/* The statuses of the C interface. */
static const struct {
    const char *name, *meaning;
} STATUSES[] = {
#define STATUS(name, meaning) {#name, meaning},
#include "statuses.def"
#undef STATUS
};
enum { STATUS_COUNT = sizeof STATUSES / sizeof *STATUSES };

/* The checks of model.c, each the name of its part. */
static const char *const CHECKS[CHECK_COUNT] = {
#define CHECK(name, function) #function,
#include "checks.def"
#undef CHECK
};

/* ---- model.h ---- */

static void h_entry(Text *out, const Program *p, const char *prefix) {
    bool used[HOST_COUNT] = {0}, math = false;
    Ctx *temp = ctx_temp(out->ctx);
    HostEntry h = host_entry(temp, p, used, &math);
    Text call = {.ctx = temp}, dims = {.ctx = temp};
    text_char(out, '\n');
    glue_argument_comment(out, &h);
    if (p->graph->host) {
        glue_function_declare(out, &h, prefix);
        text_put(out, ";\n");
    } else {
        glue_params(&call, &h, GLUE_CALL);
        glue_params(&dims, &h, GLUE_DIMS);
        glue_part(out, GLUE_IN_HEADER, "entry",
                  &(GlueWords){.prefix = prefix,
                               .at = {{"@ENTRY@", p->graph->name},
                                      {"@CALL@", call.s},
                                      {"@DIMS@", dims.n ? sym_fmt(temp, "%s, ", dims.s) : NULL},
                                      {"@MORE_DIMS@", dims.n ? sym_fmt(temp, ", %s", dims.s) : NULL}}});
    }
    ctx_temp_end(temp);
}

static bool any_assumed(const Program *const *programs, int n) {
    for (int i = 0; i < n; i++)
        if (programs[i]->assumed) return true;
    return false;
}

void glue_emit_h(Text *out, const Program *const *programs, int n, const GlueOptions *o) {
    Text elements = {.ctx = out->ctx}, statuses = {.ctx = out->ctx};
    glue_element_types(&elements, programs, n);
    for (int i = 0; i < STATUS_COUNT; i++)
        text_fmt(&statuses, "    %s_%s, /* %s */\n", o->prefix, STATUSES[i].name, STATUSES[i].meaning);
    glue_banner(out, o, "C interface: C99 or C++; link with the .c and the .cu file of the same name.");
    glue_part(out, GLUE_IN_HEADER, "begin",
              &(GlueWords){.prefix = o->prefix,
                           .with = any_assumed(programs, n),
                           .at = {{"@ELEMENTS@", elements.s}, {"@STATUSES@", statuses.s}}});
    for (int i = 0; i < n; i++) h_entry(out, programs[i], o->prefix);
    glue_text(out, GLUE_IN_HEADER, "end", o->prefix);
}

/* ---- model.c ---- */

static void c_status_text(Text *out, const char *prefix) {
    Text cases = {.ctx = out->ctx};
    for (int i = 0; i < STATUS_COUNT; i++)
        text_fmt(&cases, "    case %s_%s: return \"%s\";\n", prefix, STATUSES[i].name, STATUSES[i].meaning);
    glue_part(out, GLUE_IN_HEAD, "status_text", &(GlueWords){.prefix = prefix, .at = {{"@CASES@", cases.s}}});
}

/* What a launch may need first (more shared memory, larger clusters), for the current device. Idempotent. */
static void c_prepare_all(Text *out, const Program *const *programs, int n, const char *prefix) {
    Text kernels = {.ctx = out->ctx};
    for (int i = 0; i < n; i++) glue_prepare_kernels(&kernels, programs[i], prefix, "s", true);
    glue_part(out, GLUE_IN_HEAD, "prepare_all", &(GlueWords){.prefix = prefix, .at = {{"@KERNELS@", kernels.s}}});
}

/* The launchers of model.cu. */
static void c_launchers(Text *out, const Program *const *programs, int n, const char *prefix) {
    Text launchers = {.ctx = out->ctx};
    for (int i = 0; i < n; i++) glue_launcher(&launchers, programs[i], prefix);
    bool sorts = false;
    for (int i = 0; i < n; i++)
        sorts |= programs[i]->sorts.n || (programs[i]->assumed && programs[i]->assumed->sorts.n);
    glue_part(out, GLUE_IN_HEAD, "launchers", &(GlueWords){.with = sorts, .at = {{"@LAUNCHERS@", launchers.s}}});
}

/* What the functions of the entries ask of those that all share. */
typedef struct Shared {
    bool used[HOST_COUNT], checks[CHECK_COUNT], math;
    GlueKnown known;
    Sym *of; /* the entry whose signature each one has */
} Shared;

/* The functions of all entries, to `sink` if there is one; each is gone from memory before the next. */
static void c_entries(Text *out, TextSink *sink, const Program *const *programs, int n, const GlueOptions *o,
                      Shared *shared) {
    for (int i = 0; i < n; i++) {
        Ctx *temp = ctx_temp(out->ctx);
        Text one = {.ctx = temp};
        HostEntry h = host_entry(temp, programs[i], shared->used, &shared->math);
        h.checks = shared->checks;
        h.known = &shared->known;
        h.always_early = targets_early(o->targets);
        if (programs[i]->graph->host)
            glue_function(&one, &h, o->prefix);
        else
            glue_entry(&one, &h, o->prefix);
        shared->of[i] = h.of;
        if (sink)
            sink->take(sink, one.s, one.n);
        else
            text_put_n(out, one.s, one.n);
        ctx_temp_end(temp);
    }
}

/* What stands before the entries' functions. */
static void c_head(Text *out, const Program *const *programs, int n, const GlueOptions *o, const Shared *shared) {
    const char *prefix = o->prefix;
    const bool products = glue_has_products(programs, n);
    Text tuned = {.ctx = out->ctx};
    glue_banner(out, o, "Host side: checks, workspace and launches. C99.");
    glue_include(out, o);
    text_put(out, "#include <cuda_runtime_api.h>\n");
    if (o->emu) glue_text(out, GLUE_IN_HEAD, "emu", prefix);
    if (shared->math) text_put(out, "#include <math.h>\n");
    glue_text(out, GLUE_IN_HEAD, "includes", prefix);
    c_launchers(out, programs, n, prefix);
    glue_tuned(&tuned, programs, n, o);
    if (products)
        glue_library_types(out, prefix, &tuned);
    else
        glue_text(out, GLUE_IN_HEAD, "context", prefix);
    glue_text(out, GLUE_IN_HEAD, "head", prefix);
    glue_device(out, o);
    for (int i = 0; i < CHECK_COUNT; i++)
        if (shared->checks[i]) glue_text(out, GLUE_IN_CHECKS, CHECKS[i], prefix);
    glue_text(out, GLUE_IN_HEAD, "current", prefix);
    host_functions(out, shared->used);
    c_status_text(out, prefix);
    c_prepare_all(out, programs, n, prefix);
    if (products)
        glue_library_functions(out, prefix, &tuned);
    else
        glue_text(out, GLUE_IN_HEAD, "begin", prefix);
    glue_text(out, GLUE_IN_HEAD, "open", prefix);
    glue_entries_head(out, programs, n, prefix);
}

/* What stands after them. */
static void c_tables(Text *out, const Program *const *programs, int n, const GlueOptions *o, const Shared *shared) {
    Text rows = {.ctx = out->ctx};
    for (int i = 0; i < n; i++) {
        const Program *p = programs[i];
        text_fmt(&rows, "    {\"%s\", %d, %d, %d, td_%s_bytes, td_%s_call},\n", p->graph->name, p->params.n,
                 p->graph->dims.n, p->graph->scalars.n, p->graph->name, p->graph->name);
    }
    glue_part(out, GLUE_IN_HEAD, "entries",
              &(GlueWords){.prefix = o->prefix, .at = {{"@ROWS@", rows.s}, {"@COUNT@", sym_fmt(out->ctx, "%d", n)}}});
    glue_invoke(out, programs, shared->of, n, o->prefix);
    text_fmt(out, "const uint64_t %s_fingerprint = UINT64_C(0x%016llx);\n", o->prefix,
             (unsigned long long)glue_fingerprint(programs, n, o));
}

void glue_emit_c(Text *out, TextSink *sink, const Program *const *programs, int n, const GlueOptions *o) {
    Ctx *ctx = out->ctx;
    Shared shared = {.known.ctx = ctx, .of = NEW_N(ctx, Sym, n + 1)};
    Text entries = {.ctx = ctx};
    c_entries(&entries, sink, programs, n, o, &shared); /* first: they say what of the rest they call */
    c_head(out, programs, n, o, &shared);
    if (sink) sink->at = out->n;
    text_put(out, entries.s ? entries.s : "");
    ctx_give_back(ctx, entries.s, entries.cap);
    c_tables(out, programs, n, o, &shared);
}

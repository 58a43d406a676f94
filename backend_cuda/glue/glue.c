/* Prints model.h, and the parts of model.c that all its entries share; what one entry needs is in glue_entry.c.
 * Knows nothing of kernels but their names, conditions and extents. */
#include "glue.h"

#include "glue_entry.h"
#include "glue_host.h"
#include "sched/kernel/same.h"

#include <string.h>

void glue_banner(Text *out, const GlueOptions *o, const char *what) {
    text_fmt(out, "/* %s", what);
    if (o->comment) {
        text_put(out, "\n * Made by: ");
        host_comment(out, o->comment);
    }
    text_put(out, " */\n");
}

/* ---- model.h ---- */

static void h_entry(Text *out, const Program *p, const char *x) {
    bool used[HOST_COUNT] = {0}, math = false;
    Ctx *temp = ctx_temp(out->ctx);
    HostEntry h = host_entry(temp, p, used, &math);
    Text call = {.ctx = temp}, dims = {.ctx = temp};
    const char *e = p->graph->name;
    text_char(out, '\n');
    glue_argument_comment(out, &h);
    if (p->graph->host) {
        glue_function_declare(out, &h, x);
        text_put(out, ";\n");
        ctx_temp_end(temp);
        return;
    }
    glue_params(&call, &h, GLUE_CALL);
    glue_params(&dims, &h, GLUE_DIMS);
    const char *d = dims.s ? dims.s : "";
    const char *comma = dims.s ? ", " : "";
    text_fmt(out, "%s_status %s_%s_workspace(%s_context *ctx, %s%ssize_t *bytes);\n", x, x, e, x, d, comma);
    text_fmt(out, "%s_status %s_%s_prepare(%s_context *ctx%s%s);\n", x, x, e, x, comma, d);
    text_fmt(out, "%s_status %s_%s(%s_context *ctx, const %s_run *run, %s);\n", x, x, e, x, x, call.s);
    ctx_temp_end(temp);
}

static bool any_assumed(const Program *const *programs, int n) {
    for (int i = 0; i < n; i++)
        if (programs[i]->assumed) return true;
    return false;
}

void glue_emit_h(Text *out, const Program *const *programs, int n, const GlueOptions *o) {
    const char *x = o->prefix;
    glue_banner(out, o, "C interface: C99 or C++; link with the .c and the .cu file of the same name.");
    text_fmt(out, "#ifndef TD_%s_H\n#define TD_%s_H\n", x, x);
    text_put(out, "\n#include <stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
                  "struct CUstream_st; /* cudaStream_t is a pointer to it */\n\n");
    glue_element_types(out, programs, n);
    text_put(out, "typedef enum {\n");
#define STATUS(name, meaning) text_fmt(out, "    %s_" #name ", /* %s */\n", x, meaning);
#include "statuses.def"
#undef STATUS
    text_fmt(out, "    %s_status_count\n} %s_status;\n\n", x, x);
    text_fmt(out,
             "/* One device. Serves any number of threads and streams. */\ntypedef struct %s_context %s_context;\n\n",
             x, x);
    text_fmt(out,
             "/* How to run: a workspace in device memory, aligned to 256 bytes, of which nothing is kept between "
             "runs; the stream;\n"
             " * where to explain a refusal (may be NULL). */\n"
             "typedef struct {\n    void *workspace;\n    size_t workspace_bytes;\n    struct CUstream_st *stream;\n"
             "    char *message;\n    size_t message_bytes;\n} %s_run;\n\n",
             x);
    text_fmt(out, "%s_status %s_open(%s_context **ctx, int device);\n", x, x, x);
    text_fmt(out,
             "/* Of this thread's last open that failed: the function that failed, and what CUDA says of it. */\n"
             "const char *%s_open_message(void);\nvoid %s_close(%s_context *ctx);\n",
             x, x, x);
    text_fmt(out, "const char *%s_status_text(%s_status status);\n\n", x, x);
    text_put(
        out,
        "/* Each entry: the bytes of workspace that a run needs; its preparation, which open has done for its device;\n"
        " * the run. Tensors are dense, row-major and in device memory. A run checks its arguments, launches on the\n"
        " * stream and returns; where a check fails nothing is launched. It allocates nothing");
    text_put(out, any_assumed(programs, n)
                      ? ".\n * Outside a capture it waits for the tests of what is assumed of the data "
                        "(--debug-checks). */\n"
                      : " and waits for nothing. */\n");
    for (int i = 0; i < n; i++) h_entry(out, programs[i], x);
    text_fmt(out,
             "\n/* The same entries, uniformly: tensors, dimensions and scalars in the order of the functions above. "
             "The results are\n"
             " * of type %s_status. */\n"
             "typedef struct {\n    const char *name;\n    int ntensors, ndims, nscalars;\n"
             "    int (*workspace)(const int64_t *dims, size_t *bytes);\n"
             "    int (*call)(void *const *tensors, const int64_t *dims, const double *scalars, void *workspace,\n"
             "                size_t workspace_bytes, void *stream, char *message, size_t message_bytes);\n"
             "} %s_entry;\nextern const %s_entry %s_entries[];\nextern const int %s_nentries;\n",
             x, x, x, x, x);
    glue_invoke_declare(out, x);
    text_put(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

/* ---- model.c ---- */

/* What every model.c has. "$" stands for the prefix. */
static const char C_HEAD[] =
    "/* Where the message of a refusal goes. */\n"
    "typedef struct {\n    const char *entry;\n    char *text;\n    size_t bytes;\n} td_sink;\n\n"
    "/* A run, or, where there is a place for the bytes of its workspace, only what these depend on. */\n"
    "typedef struct {\n    $_context *context;\n    void *const *tensors;\n    const int64_t *dims;\n"
    "    const double *scalars;\n    void *workspace;\n    size_t workspace_bytes;\n    void *stream;\n"
    "    size_t *need;\n} td_call;\n\n"
    "/* Where a piece of memory lies: in the workspace (-1), in parameter home / 2, "
    "or (home odd) at the first multiple of 256 there. */\n"
    "typedef struct {\n    int home;\n    size_t offset;\n} td_spot;\n\n"
    "#define TD_TRY_AS(type, e)                     \\\n    do {                                       \\\n"
    "        const $_status td_st = (e);            \\\n        if (td_st != $_ok) return (type)td_st; \\\n"
    "    } while (0)\n"
    "#define TD_TRY(e) TD_TRY_AS($_status, e)\n"
    "#define TD_TRY_INT(e) TD_TRY_AS(int, e)\n\n"
    "static $_status td_refuse(const td_sink *s, $_status status, const char *format, ...) {\n"
    "    if (s->text && s->bytes) {\n        va_list ap;\n"
    "        int n = snprintf(s->text, s->bytes, \"%s: \", s->entry);\n"
    "        va_start(ap, format);\n"
    "        if (n >= 0 && (size_t)n < s->bytes) vsnprintf(s->text + n, s->bytes - (size_t)n, format, ap);\n"
    "        va_end(ap);\n    }\n    return status;\n}\n\n"
    "static $_status td_cuda(const td_sink *s, const char *what, int error) {\n"
    "    if (error == 0) return $_ok;\n"
    "    return td_refuse(s, $_error_cuda, \"%s: %s\", what, cudaGetErrorString((cudaError_t)error));\n}\n\n";

void glue_head(Text *out, const char *prefix) { glue_template(out, C_HEAD, prefix); }

/* Checks that are printed where an entry calls them. */
static const char *const C_CHECKS[CHECK_COUNT] = {
    [CHECK_EXTENT] =
        "static $_status td_extent(const td_sink *s, const char *kernel, const char *what, int64_t n, int64_t most) {\n"
        "    if (n <= most) return $_ok;\n"
        "    return td_refuse(s, $_error_extent, \"kernel %s: %s: expected at most %lld, got %lld\", "
        "kernel, what, (long long)most,\n"
        "                     (long long)n);\n}\n\n",
    [CHECK_PLACE] =
        "/* What a piece takes at a home, of which 255 bytes may be lost before the first address where it can begin. "
        "*/\n"
        "static uint64_t td_span(int64_t bytes, int home) { "
        "return (uint64_t)bytes + (home >= 0 && home % 2 ? 255 : 0); }\n\n"
        "static uint64_t td_up(uint64_t bytes) { return (bytes + 255) / 256 * 256; }\n\n"
        "/* The first place at a home from 0 on that is free of the pieces that meet this one and lie there. */\n"
        "static uint64_t td_gap(const int *starts, const int *meets, int item, int home, const int64_t *bytes,\n"
        "                       const td_spot *spots) {\n"
        "    const uint64_t size = td_up(td_span(bytes[item], home));\n"
        "    uint64_t at = 0;\n    int k, moved;\n"
        "    do {\n"
        "        moved = 0;\n"
        "        for (k = starts[item]; k < starts[item + 1]; k++) {\n"
        "            const td_spot *other = &spots[meets[k]];\n"
        "            const uint64_t end = other->offset + td_up(td_span(bytes[meets[k]], other->home));\n"
        "            if (other->offset != SIZE_MAX && "
        "(home < 0 ? other->home < 0 : other->home / 2 == home / 2 && other->home >= 0) &&\n"
        "                at < end && other->offset < at + size)\n"
        "                at = end, moved = 1;\n"
        "        }\n"
        "    } while (moved);\n"
        "    return at;\n}\n\n"
        "/* Where n pieces of memory lie; bytes has those of nparams parameters before theirs. "
        "meets[starts[i]] and on, up to\n"
        " * meets[starts[i + 1]], are the pieces in use at the same time as piece i, "
        "homes[room[i]] and on the parameters that\n"
        " * hold nothing then (see td_spot). The larger is placed first, "
        "each in the first gap between those it meets that is large enough: near to\n"
        " * the least memory there can be. No starts: all meet. */\n"
        "static $_status td_place(const td_sink *s, int n, const int *starts, const int *meets, "
        "const int *room, const int *homes,\n"
        "                         const int64_t *bytes, int nparams, int *order, td_spot *spots, size_t *total) {\n"
        "    const int64_t *const params = bytes;\n"
        "    uint64_t most = 0;\n    int i, k, step;\n"
        "    bytes += nparams;\n"
        "    for (i = 0; i < n; i++) order[i] = i, spots[i].home = -1, spots[i].offset = SIZE_MAX;\n"
        "    for (step = starts ? n / 2 : 0; step > 0; step /= 2)\n"
        "        for (i = step; i < n; i++) {\n"
        "            const int item = order[i];\n"
        "            for (k = i; k >= step && bytes[order[k - step]] < bytes[item]; k -= step) "
        "order[k] = order[k - step];\n"
        "            order[k] = item;\n"
        "        }\n"
        "    for (i = 0; i < n; i++) {\n"
        "        const int item = order[i];\n"
        "        const uint64_t size = td_up((uint64_t)bytes[item]);\n"
        "        uint64_t at;\n"
        "        int placed = 0;\n"
        "        for (k = room ? room[item] : 0; room && size && !placed && k < room[item + 1]; k++) {\n"
        "            at = td_gap(starts, meets, item, homes[k], bytes, spots);\n"
        "            placed = at + td_span(bytes[item], homes[k]) <= (uint64_t)params[homes[k] / 2];\n"
        "            if (placed) spots[item].home = homes[k], spots[item].offset = (size_t)at;\n"
        "        }\n"
        "        if (placed) continue;\n"
        "        at = starts ? td_gap(starts, meets, item, -1, bytes, spots) : most;\n"
        "        spots[item].offset = (size_t)at;\n"
        "        if (size && at + size > most) most = at + size;\n"
        "        if (most > (uint64_t)1 << 60 || most > SIZE_MAX)\n"
        "            return td_refuse(s, $_error_shape, \"workspace: expected at most 2^60 bytes, got more\");\n    }\n"
        "    *total = (size_t)most;\n"
        "    return $_ok;\n}\n\n",
    [CHECK_POINTERS] =
        "/* Parameters, then the pieces that td_place has placed. */\n"
        "static void td_pointers(const td_call *c, int nparams, const td_spot *spots, int n, void **t) {\n"
        "    int i;\n"
        "    for (i = 0; i < nparams; i++) t[i] = c->tensors[i];\n"
        "    for (i = 0; i < n; i++) {\n"
        "        char *at = (char *)(spots[i].home < 0 ? c->workspace : c->tensors[spots[i].home / 2]) "
        "+ spots[i].offset;\n"
        "        t[nparams + i] = spots[i].home < 0 || spots[i].home % 2 == 0 ? at : "
        "at + (256 - (uintptr_t)at % 256) % 256;\n"
        "    }\n}\n\n",
    [CHECK_BROKEN] =
        "/* Refuses for the choice of variables whose row-major number is `at`. */\n"
        "static $_status td_broken(const td_sink *s, const char *assumption, const char *place, int n, "
        "const char *const *names,\n"
        "                          const int64_t *extents, int64_t at) {\n"
        "    char where[512] = \"\";\n    size_t used = 0;\n    int i, j;\n"
        "    for (i = 0; i < n; i++) {\n        int64_t rest = 1, v;\n"
        "        for (j = i + 1; j < n; j++) rest *= extents[j];\n"
        "        v = at / rest, at %= rest;\n"
        "        if (used < sizeof where)\n"
        "            used += (size_t)snprintf(where + used, sizeof where - used, \"%s%s = %lld\", i ? \", \" : \" at "
        "\", "
        "names[i], (long long)v);\n    }\n"
        "    return td_refuse(s, $_error_assume, \"%s (%s) does not hold%s\", assumption, place, where);\n}\n\n",
    [CHECK_EXACT] =
        "static $_status td_exact(const char *entry, const $_run *run, const char *name, int64_t v) {\n"
        "    td_sink s = {entry, NULL, 0};\n"
        "    if (!run || (v >= -((int64_t)1 << 53) && v <= (int64_t)1 << 53)) return $_ok;\n"
        "    s.text = run->message;\n"
        "    s.bytes = run->message_bytes;\n"
        "    return td_refuse(&s, $_error_scalar, \"scalar %s: expected at most 2^53 in magnitude, got %lld\", name, "
        "(long long)v);\n}\n\n",
};

static const char C_CURRENT[] =
    "static $_status td_current(const td_sink *s, const $_context *ctx) {\n"
    "    int device = -1;\n"
    "    if (ctx->open != TD_OPEN)\n"
    "        return td_refuse(s, $_error_argument, \"context: expected an open one, got one that is not\");\n"
    "    TD_TRY(td_cuda(s, \"cudaGetDevice\", (int)cudaGetDevice(&device)));\n"
    "    if (device == ctx->device) return $_ok;\n"
    "    return td_refuse(s, $_error_device, \"current device: expected the context's, %d, got %d\", ctx->device, "
    "device);\n}\n\n";

static const char C_OPEN[] =
    "/* A variable that each thread has for itself; where the compiler knows no such thing, one for all threads. */\n"
    "#if defined(_MSC_VER)\n#define TD_THREAD __declspec(thread)\n"
    "#elif defined(__cplusplus) && __cplusplus >= 201103L\n#define TD_THREAD thread_local\n"
    "#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n#define TD_THREAD _Thread_local\n"
    "#elif defined(__GNUC__)\n#define TD_THREAD __thread\n"
    "#else\n#define TD_THREAD\n#endif\n\n"
    "static TD_THREAD char td_open_text[512];\n\n"
    "const char *$_open_message(void) { return td_open_text; }\n\n"
    "$_status $_open($_context **ctx, int device) {\n"
    "    const td_sink s = {\"$_open\", td_open_text, sizeof td_open_text};\n"
    "    $_context *c;\n"
    "    $_status status;\n"
    "    int before = 0, driver = 1, capability = 0, early = 0;\n"
    "    if (!ctx) return td_refuse(&s, $_error_argument, \"ctx: expected a place for the context, got NULL\");\n"
    "    *ctx = NULL;\n"
    "    TD_TRY(td_cuda(&s, \"cudaDriverGetVersion\", (int)cudaDriverGetVersion(&driver)));\n"
    "    if (!driver) return td_refuse(&s, $_error_cuda, \"cudaDriverGetVersion: no NVIDIA driver is installed\");\n"
    "    TD_TRY(td_device(&s, device, &capability, &early));\n"
    "    TD_TRY(td_cuda(&s, \"cudaGetDevice\", (int)cudaGetDevice(&before)));\n"
    "    if (before != device) TD_TRY(td_cuda(&s, \"cudaSetDevice\", (int)cudaSetDevice(device)));\n"
    "    status = td_prepare_all(&s);\n"
    "    c = status == $_ok ? ($_context *)malloc(sizeof *c) : NULL;\n"
    "    if (status == $_ok)\n"
    "        status = c ? td_begin(&s, c, device) : td_refuse(&s, $_error_argument, \"malloc: no memory on the "
    "host\");\n"
    "    if (before != device) {\n"
    "        const int error = (int)cudaSetDevice(before);\n"
    "        if (status == $_ok && error) {\n"
    "            td_end(c);\n            status = td_cuda(&s, \"cudaSetDevice\", error);\n        }\n    }\n"
    "    if (status != $_ok) {\n        free(c);\n        return status;\n    }\n"
    "    c->capability = capability;\n    c->early = early;\n"
    "    c->open = TD_OPEN;\n"
    "    *ctx = c;\n"
    "    return $_ok;\n}\n\n"
    "void $_close($_context *ctx) {\n"
    "    if (!ctx) return;\n"
    "    td_end(ctx);\n"
    "    *(volatile int *)&ctx->open = 0;\n"
    "    free(ctx);\n}\n\n";

static const char C_CONTEXT[] = "enum { TD_OPEN = 0x74646f70 };\n\n"
                                "struct $_context {\n    int open; /* TD_OPEN until it is closed */\n    int device;\n"
                                "    int capability, early; /* of the device: see td_targets */\n};\n\n";

static const char C_BEGIN[] =
    "static $_status td_begin(const td_sink *s, $_context *c, int device) {\n"
    "    (void)s;\n    memset(c, 0, sizeof *c);\n    c->device = device;\n    return $_ok;\n}\n\n"
    "static void td_end($_context *c) { (void)c; }\n\n";

void glue_lines(Text *out, const char *const *lines, int n, const char *prefix, bool head) {
    bool at_head = true;
    for (int i = 0; i < n; i++) {
        bool mark = !strcmp(lines[i], "//@");
        if (mark)
            at_head = false;
        else if (at_head == head)
            glue_template(out, lines[i], prefix), text_char(out, '\n');
    }
    text_char(out, '\n');
}

void glue_template(Text *out, const char *text, const char *prefix) {
    for (; *text; text++) {
        if (*text == '$')
            text_put(out, prefix);
        else
            text_char(out, *text);
    }
}

static void c_status_text(Text *out, const char *x) {
    text_fmt(out, "const char *%s_status_text(%s_status status) {\n    switch (status) {\n", x, x);
#define STATUS(name, meaning) text_fmt(out, "    case %s_" #name ": return \"%s\";\n", x, meaning);
#include "statuses.def"
#undef STATUS
    text_put(out, "    default: return \"no status\";\n    }\n}\n\n");
}

/* What a launch may need first (more shared memory, larger clusters), for the current device. Idempotent. */
static void c_prepare_all(Text *out, const Program *const *programs, int n, const char *x) {
    text_fmt(out, "static %s_status td_prepare_all(const td_sink *s) {\n", x);
    for (int i = 0; i < n; i++) glue_prepare_kernels(out, programs[i], x, "s", true);
    text_fmt(out, "    (void)s;\n    return %s_ok;\n}\n\n", x);
}

/* The launchers of model.cu. */
static void c_launchers(Text *out, const Program *const *programs, int n, const char *x) {
    text_put(
        out,
        "/* In the .cu file. The results are of type cudaError_t. */\n"
        "typedef int td_preparer(void);\n"
        "typedef int td_launcher(void *stream, void *const *tensors, const int64_t *dims, const double *scalars, int "
        "*launched);\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    for (int i = 0; i < n; i++) glue_launcher(out, programs[i], x);
    text_put(out, "#ifdef __cplusplus\n}\n#endif\n\n");
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
    const char *x = o->prefix;
    for (int i = 0; i < n; i++) {
        Ctx *temp = ctx_temp(out->ctx);
        Text one = {.ctx = temp};
        HostEntry h = host_entry(temp, programs[i], shared->used, &shared->math);
        h.checks = shared->checks;
        h.known = &shared->known;
        h.always_early = targets_early(o->targets);
        if (programs[i]->graph->host)
            glue_function(&one, &h, x);
        else
            glue_entry(&one, &h, x);
        shared->of[i] = h.of;
        if (sink)
            sink->take(sink, one.s, one.n);
        else
            text_put_n(out, one.s, one.n);
        ctx_temp_end(temp);
    }
}

void glue_emit_c(Text *out, TextSink *sink, const Program *const *programs, int n, const GlueOptions *o) {
    const char *x = o->prefix;
    Ctx *ctx = out->ctx;
    Shared shared = {.known.ctx = ctx, .of = NEW_N(ctx, Sym, n + 1)};
    Text entries = {.ctx = ctx};
    c_entries(&entries, sink, programs, n, o, &shared);
    glue_banner(out, o, "Host side: checks, workspace and launches. C99.");
    text_put(out, "#include \"");
    host_quoted(out, o->header);
    text_put(out, "\"\n\n#include <cuda_runtime_api.h>\n");
    if (o->emu)
        text_put(out,
                 "#ifndef TD_EMU\n#error made with --target=emu: it is for the CPU stand-in of tdc alone\n#endif\n");
    if (shared.math) text_put(out, "#include <math.h>\n");
    text_put(out, "#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n");
    c_launchers(out, programs, n, x);
    bool products = glue_has_products(programs, n);
    Text tuned = {.ctx = ctx};
    glue_tuned(&tuned, programs, n, o);
    if (products)
        glue_library_types(out, x, &tuned);
    else
        glue_template(out, C_CONTEXT, x);
    glue_head(out, x);
    glue_device(out, o);
    for (int i = 0; i < CHECK_COUNT; i++)
        if (shared.checks[i]) glue_template(out, C_CHECKS[i], x);
    glue_template(out, C_CURRENT, x);
    host_functions(out, shared.used);
    c_status_text(out, x);
    c_prepare_all(out, programs, n, x);
    if (products)
        glue_library_functions(out, x, &tuned);
    else
        glue_template(out, C_BEGIN, x);
    glue_template(out, C_OPEN, x);
    glue_entries_head(out, programs, n, x);
    if (sink) sink->at = out->n;
    text_put(out, entries.s ? entries.s : "");
    ctx_give_back(ctx, entries.s, entries.cap);
    text_fmt(out, "const %s_entry %s_entries[] = {\n", x, x);
    for (int i = 0; i < n; i++) {
        const Program *p = programs[i];
        text_fmt(out, "    {\"%s\", %d, %d, %d, td_%s_bytes, td_%s_call},\n", p->graph->name, p->params.n,
                 p->graph->dims.n, p->graph->scalars.n, p->graph->name, p->graph->name);
    }
    text_fmt(out, "};\nconst int %s_nentries = %d;\n\n", x, n);
    glue_invoke(out, programs, shared.of, n, x);
    text_fmt(out, "const uint64_t %s_fingerprint = UINT64_C(0x%016llx);\n", x,
             (unsigned long long)glue_fingerprint(programs, n, o));
}

/* The command line: one table of options, from which the help text comes. Decides nothing about the program. */
#include "driver.h"

#include "ir/diag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *text, *form;
} PASSES[] = {
#define PASS(e, name, text, form) {name, text, #form},
#include "passes.def"
#undef PASS
};

const char *driver_pass_name(PassId p) { return PASSES[p].name; }

typedef enum OptionId {
    OPT_OUT,
    OPT_EMIT,
    OPT_PREFIX,
    OPT_DEFINE,
    OPT_INCLUDE,
    OPT_DUMP,
    OPT_STOP,
    OPT_TIME,
    OPT_JSON,
    OPT_KERNELS,
    OPT_EMU,
    OPT_GPU,
    OPT_INTERP,
    OPT_INPUTS,
    OPT_IN,
    OPT_OUTFILE,
    OPT_PERF,
    OPT_EXPLAIN,
    OPT_VERSION,
    OPT_HELP
} OptionId;

/* `value` is how the help text names the value; NULL where there is none. A one-letter option's value may be attached.
 */
static const struct {
    const char *name;
    OptionId id;
    const char *value, *text;
} OPTIONS[] = {
    {"-o", OPT_OUT, "FILE", "where model.cu goes; the .c and .h beside it"},
    {"--emit", OPT_EMIT, "cu,c,h,manifest", "which files to write (cu,c,h); the manifest is model.json"},
    {"--prefix", OPT_PREFIX, "NAME", "what every symbol begins with (the output's stem)"},
    {"-D", OPT_DEFINE, "NAME=N", "gives a dimension a value; for run, a scalar too"},
    {"-I", OPT_INCLUDE, "DIR", "where imports are looked for"},
    {"--dump", OPT_DUMP, "PASS", "prints what a pass leaves (or the last one of a form); may be repeated"},
    {"--stop-after", OPT_STOP, "PASS", "ends there, writing nothing"},
    {"--time-passes", OPT_TIME, NULL, "says how long each pass took"},
    {"--kernels", OPT_KERNELS, "FILE", "a program text instead of the scheduler for the entry whose name it has"},
    {"--emu", OPT_EMU, NULL, "check, run: on the CPU stand-in"},
    {"--gpu", OPT_GPU, NULL, "check, run: on the GPU of this machine (default: where there is one)"},
    {"--interp", OPT_INTERP, NULL, "run: in the reference interpreter, compiling nothing"},
    {"--inputs", OPT_INPUTS, "normal,nan",
     "check: drawn inputs, of these kinds: normal (the default), offset (100 is added to the first\n"
     "                         float tensor), negative (it is made negative), ties (integers in -3..3),\n"
     "                         nan (one NaN, in another float tensor each check); all"},
    {"--in", OPT_IN, "x=x.npy", "run: an input"},
    {"--out", OPT_OUTFILE, "y=y.npy", "run: where an output goes"},
    {"--diagnostics", OPT_JSON, "json|text", "how errors are reported"},
    {"-Wperf", OPT_PERF, NULL, "says what could not be fast, and why"},
    {"--explain", OPT_EXPLAIN, "E0123", "explains an error; `list` lists them"},
    {"--version", OPT_VERSION, NULL, "says which tdc this is"},
    {"--help", OPT_HELP, NULL, "says this"},
};
enum { NOPTIONS = sizeof OPTIONS / sizeof *OPTIONS };

static void help(void) {
    printf(
        "usage: tdc FILE.td -o model.cu           compiles: model.cu, model.c, model.h\n"
        "       tdc FILE.kernel -o model.cu       lowers a program text alone\n"
        "       tdc check FILE.td                 the file's checks: compiled code against the reference interpreter\n"
        "       tdc run FILE.td ENTRY -D M=8      compiles, runs, prints a summary of the results\n\noptions:\n");
    for (int i = 0; i < NOPTIONS; i++) {
        char left[40];
        const char *v = OPTIONS[i].value;
        snprintf(left, sizeof left, "%s%s%s", OPTIONS[i].name, v ? OPTIONS[i].name[1] == '-' ? "=" : " " : "",
                 v ? v : "");
        printf("  %-22s %s\n", left, OPTIONS[i].text);
    }
    printf("\npasses:\n");
    for (int i = 0; i < PASS_COUNT; i++) {
        char form[16];
        size_t n = 0;
        for (; PASSES[i].form[n] && n + 1 < sizeof form; n++) form[n] = (char)(PASSES[i].form[n] | 32);
        form[n] = 0;
        printf("  %-10s %-8s %s\n", PASSES[i].name, form, PASSES[i].text);
    }
    printf("\nexit status: 0 done, 1 the program is wrong, 2 the command line is, 3 anything else\n");
}

static bool wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static bool wrong(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fputs("tdc: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputs("; see tdc --help\n", stderr);
    va_end(ap);
    return false;
}

/* A pass by its name, or the last one that leaves a form; -1 where there is none. */
static int pass_by_name(const char *name) {
    for (int i = 0; i < PASS_COUNT; i++)
        if (!strcmp(PASSES[i].name, name)) return i;
    for (int i = PASS_COUNT - 1; i >= 0; i--) {
        size_t n = strlen(name), k = 0;
        while (k < n && PASSES[i].form[k] && (PASSES[i].form[k] | 32) == name[k]) k++;
        if (n && k == n && !PASSES[i].form[k]) return i;
    }
    return -1;
}

static bool option_pass(DriverOptions *o, OptionId id, const char *value) {
    int p = pass_by_name(value);
    if (p < 0) {
        const char *names[PASS_COUNT];
        for (int i = 0; i < PASS_COUNT; i++) names[i] = PASSES[i].name;
        const char *near = diag_near(value, names, PASS_COUNT);
        return near ? wrong("no pass is named '%s' (did you mean '%s'?)", value, near)
                    : wrong("no pass is named '%s'", value);
    }
    if (id == OPT_DUMP)
        o->dump[p] = true;
    else
        o->stop_after = p;
    return true;
}

static bool option_emit(DriverOptions *o, const char *value) {
    o->emit = 0;
    for (const char *s = value; *s;) {
        size_t n = strcspn(s, ",");
        if (n == 2 && !strncmp(s, "cu", n))
            o->emit |= EMIT_CU;
        else if (n == 1 && *s == 'c')
            o->emit |= EMIT_C;
        else if (n == 1 && *s == 'h')
            o->emit |= EMIT_H;
        else if (n == 8 && !strncmp(s, "manifest", n))
            o->emit |= EMIT_MANIFEST;
        else
            return wrong("--emit knows cu, c, h and manifest, not '%.*s'", (int)n, s);
        s += n;
        if (*s == ',') s++;
    }
    return o->emit ? true : wrong("--emit needs at least one of cu, c, h, manifest");
}

static bool option_inputs(DriverOptions *o, const char *value) {
    o->inputs = 0;
    for (const char *s = value; *s;) {
        size_t n = strcspn(s, ",");
        unsigned before = o->inputs;
        for (int k = 0; k < INPUTS_COUNT; k++) {
            const char *name = check_inputs_name((InputKind)k);
            if ((strlen(name) == n && !strncmp(s, name, n)) || (n == 3 && !strncmp(s, "all", n))) o->inputs |= 1u << k;
        }
        if (o->inputs == before && n) return wrong("--inputs knows no '%.*s'", (int)n, s);
        s += n;
        if (*s == ',') s++;
    }
    return o->inputs ? true : wrong("--inputs needs a kind");
}

static bool is_name(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(s[i] == '_' || (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') ||
              (i && s[i] >= '0' && s[i] <= '9')))
            return false;
    return n > 0;
}

static bool option_define(Ctx *ctx, DriverOptions *o, const char *value) {
    const char *eq = strchr(value, '=');
    char *end = NULL;
    if (!eq || !is_name(value, (size_t)(eq - value))) return wrong("-D needs NAME=VALUE, not '%s'", value);
    Binding b = {.name = sym_n(ctx, value, (size_t)(eq - value))};
    errno = 0;
    b.ivalue = strtoll(eq + 1, &end, 10);
    if (end != eq + 1 && !*end && !errno) {
        b.value = (double)b.ivalue;
    } else {
        b.value = strtod(eq + 1, &end);
        if (end == eq + 1 || *end) return wrong("-D %s: '%s' is no number", b.name, eq + 1);
        b.ivalue = b.value >= -9e18 && b.value <= 9e18 ? (int64_t)b.value : 0;
    }
    for (int i = 0; i < o->defines.n; i++)
        if (o->defines.at[i].name == b.name) return wrong("-D %s is given twice", b.name);
    vec_push(ctx, &o->defines, b);
    return true;
}

static bool option_name_file(Ctx *ctx, const char *option, const char *value, NameFile *out) {
    const char *eq = strchr(value, '=');
    if (!eq || !is_name(value, (size_t)(eq - value)) || !eq[1])
        return wrong("%s needs NAME=FILE, not '%s'", option, value);
    out->name = sym_n(ctx, value, (size_t)(eq - value));
    out->file = eq + 1;
    return true;
}

static bool option_explain(Ctx *ctx, DriverOptions *o, const char *code) {
    Text t = {.ctx = ctx};
    o->done = true;
    if (!strcmp(code, "list"))
        diag_list(&t);
    else if (!diag_explain(&t, code))
        return wrong("no error has the code '%s' (--explain list lists them)", code);
    fputs(t.s, stdout);
    return true;
}

static bool option_take(Ctx *ctx, DriverOptions *o, int index, const char *value) {
    const char *name = OPTIONS[index].name;
    NameFile nf;
    switch (OPTIONS[index].id) {
    case OPT_OUT: o->out = value; return *value ? true : wrong("-o needs a file");
    case OPT_EMIT: return option_emit(o, value);
    case OPT_PREFIX:
        o->prefix = value;
        return is_name(value, strlen(value)) ? true : wrong("--prefix needs a C identifier, not '%s'", value);
    case OPT_DEFINE: return option_define(ctx, o, value);
    case OPT_INCLUDE: vec_push(ctx, &o->includes, value); return true;
    case OPT_DUMP:
    case OPT_STOP: return option_pass(o, OPTIONS[index].id, value);
    case OPT_TIME: o->time_passes = true; return true;
    case OPT_JSON:
        o->json = !strcmp(value, "json");
        return o->json || !strcmp(value, "text") ? true : wrong("--diagnostics knows json and text, not '%s'", value);
    case OPT_KERNELS: o->kernels = value; return true;
    case OPT_EMU: o->place = PLACE_EMU; return true;
    case OPT_GPU: o->place = PLACE_GPU; return true;
    case OPT_INTERP: o->place = PLACE_INTERP; return true;
    case OPT_INPUTS: return option_inputs(o, value);
    case OPT_IN:
        if (!option_name_file(ctx, name, value, &nf)) return false;
        vec_push(ctx, &o->in, nf);
        return true;
    case OPT_OUTFILE:
        if (!option_name_file(ctx, name, value, &nf)) return false;
        vec_push(ctx, &o->out_files, nf);
        return true;
    case OPT_PERF: o->perf = true; return true;
    case OPT_EXPLAIN: return option_explain(ctx, o, value);
    case OPT_VERSION:
        o->done = true;
        puts("tdc " TDC_VERSION);
        return true;
    case OPT_HELP:
        o->done = true;
        help();
        return true;
    }
    return false;
}

/* Takes the option at argv[*i] and its value: --name=value, --name value, -Dvalue, -D value. */
static bool option(Ctx *ctx, DriverOptions *o, int argc, char **argv, int *i) {
    const char *arg = argv[*i];
    for (int k = 0; k < NOPTIONS; k++) {
        size_t n = strlen(OPTIONS[k].name);
        bool is_long = OPTIONS[k].name[1] == '-', has = OPTIONS[k].value != NULL;
        if (strncmp(arg, OPTIONS[k].name, n) != 0) continue;
        if (!arg[n] && !has) return option_take(ctx, o, k, NULL);
        if (!arg[n]) {
            if (*i + 1 >= argc) return wrong("%s needs %s", arg, OPTIONS[k].value);
            return option_take(ctx, o, k, argv[++*i]);
        }
        if (is_long && arg[n] == '=' && has) return option_take(ctx, o, k, arg + n + 1);
        if (is_long && arg[n] == '=') return wrong("%s takes no value", OPTIONS[k].name);
        if (!is_long && has) return option_take(ctx, o, k, arg + n);
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(arg, "="), arg);
    const char *names[NOPTIONS];
    for (int k = 0; k < NOPTIONS; k++) names[k] = OPTIONS[k].name;
    const char *near = diag_near(name, names, NOPTIONS);
    return near ? wrong("unknown option '%s' (did you mean '%s'?)", name, near) : wrong("unknown option '%s'", name);
}

static bool has_suffix(const char *s, const char *suffix) {
    size_t n = strlen(s), m = strlen(suffix);
    return n > m && !strcmp(s + n - m, suffix);
}

static bool complete(DriverOptions *o) {
    if (o->done) return true;
    if (!o->file) return wrong("no file is given");
    if (!has_suffix(o->file, ".td") && !has_suffix(o->file, ".kernel"))
        return wrong("'%s' is neither a .td nor a .kernel file", o->file);
    if (o->command != COMMAND_COMPILE && !has_suffix(o->file, ".td")) return wrong("check and run need a .td file");
    if (o->command == COMMAND_RUN && !o->entry) return wrong("run needs the entry's name after the file");
    if (o->command != COMMAND_RUN && (o->in.n || o->out_files.n)) return wrong("--in and --out belong to run");
    if (o->command != COMMAND_RUN && o->place == PLACE_INTERP) return wrong("--interp belongs to run");
    if (o->command != COMMAND_CHECK && o->inputs) return wrong("--inputs belongs to check");
    bool taken = o->out && (has_suffix(o->out, ".c") || has_suffix(o->out, ".h"));
    if (taken) return wrong("-o names the kernels' file, model.cu; model.c and model.h go beside it, not '%s'", o->out);
    if (o->out && (has_suffix(o->out, ".td") || has_suffix(o->out, ".kernel")))
        return wrong("-o names an output, not a source: '%s'", o->out);
    if (o->command != COMMAND_COMPILE && o->out) return wrong("-o belongs to compiling");
    return true;
}

/* The command line as the emitted files quote it. */
static void quote(Ctx *ctx, DriverOptions *o, int argc, char **argv) {
    Text t = {.ctx = ctx};
    text_put(&t, "tdc");
    for (int i = 1; i < argc; i++) text_fmt(&t, strpbrk(argv[i], " \t\n'\"\\$*") ? " '%s'" : " %s", argv[i]);
    o->command_line = t.s;
}

/* A second file, or a first word that was meant as a command. */
static bool too_many(const DriverOptions *o, const char *second) {
    static const char *const commands[] = {"check", "run"};
    if (has_suffix(o->file, ".td") || has_suffix(o->file, ".kernel"))
        return wrong("one file at a time: '%s' is too many", second);
    const char *near = diag_near(o->file, commands, 2);
    return near ? wrong("unknown command '%s' (did you mean '%s'?)", o->file, near)
                : wrong("unknown command '%s'", o->file);
}

bool driver_options(Ctx *ctx, DriverOptions *o, int argc, char **argv) {
    bool options = true;
    *o = (DriverOptions){.emit = EMIT_CU | EMIT_C | EMIT_H, .stop_after = PASS_COUNT};
    quote(ctx, o, argc, argv);
    for (int i = 1; i < argc && !o->done; i++) {
        const char *a = argv[i];
        if (options && !strcmp(a, "--"))
            options = false;
        else if (options && a[0] == '-' && a[1]) {
            if (!option(ctx, o, argc, argv, &i)) return false;
        } else if (i == 1 && !strcmp(a, "check"))
            o->command = COMMAND_CHECK;
        else if (i == 1 && !strcmp(a, "run"))
            o->command = COMMAND_RUN;
        else if (!o->file)
            o->file = a;
        else if (o->command == COMMAND_RUN && !o->entry)
            o->entry = a;
        else
            return too_many(o, a);
    }
    return complete(o);
}

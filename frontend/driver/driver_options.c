/* Reading the command line. Decides nothing about the program. */
#include "driver.h"

#include "ir/diag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
        if (!strcmp(driver_pass_name((PassId)i), name)) return i;
    for (int i = PASS_COUNT - 1; i >= 0; i--) {
        const char *form = driver_pass_form((PassId)i);
        size_t n = strlen(name), k = 0;
        while (k < n && form[k] && (form[k] | 32) == name[k]) k++;
        if (n && k == n && !form[k]) return i;
    }
    return -1;
}

static bool option_pass(DriverOptions *o, OptionId id, const char *value) {
    int p = pass_by_name(value);
    if (p < 0) {
        const char *names[PASS_COUNT];
        for (int i = 0; i < PASS_COUNT; i++) names[i] = driver_pass_name((PassId)i);
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

/* The passes that may be left out, as "a, b". */
static const char *optional_passes(Ctx *ctx) {
    Text t = {.ctx = ctx};
    for (int i = 0; i < PASS_COUNT; i++)
        if (driver_pass_optional((PassId)i)) text_fmt(&t, "%s%s", t.n ? ", " : "", driver_pass_name((PassId)i));
    return t.s;
}

/* A list of passes that are left out. */
static bool option_without(Ctx *ctx, DriverOptions *o, const char *value) {
    for (const char *s = value; *s; s += *s == ',') {
        size_t n = strcspn(s, ",");
        int p = PASS_COUNT - 1;
        while (p >= 0 && !(strlen(driver_pass_name((PassId)p)) == n && !strncmp(s, driver_pass_name((PassId)p), n)))
            p--;
        if (p < 0) return wrong("no pass is named '%.*s': --without knows %s", (int)n, s, optional_passes(ctx));
        if (!driver_pass_optional((PassId)p))
            return wrong("nothing works without %s: --without knows %s", driver_pass_name((PassId)p),
                         optional_passes(ctx));
        o->without[p] = true;
        s += n;
    }
    return true;
}

static const char *emit_words(Ctx *ctx) {
    Text t = {.ctx = ctx};
    for (int e = 0; e < EMIT_COUNT; e++)
        if (!e || strcmp(driver_emit((EmitId)e)->word, driver_emit((EmitId)(e - 1))->word) != 0)
            text_fmt(&t, "%s%s", e ? ", " : "", driver_emit((EmitId)e)->word);
    return t.s;
}

static bool option_emit(Ctx *ctx, DriverOptions *o, const char *value) {
    o->emit = 0;
    for (const char *s = value; *s;) {
        size_t n = strcspn(s, ",");
        unsigned before = o->emit;
        bool known = n == 0;
        for (int e = 0; e < EMIT_COUNT; e++) {
            const char *word = driver_emit((EmitId)e)->word;
            if (strlen(word) == n && !strncmp(s, word, n)) o->emit |= 1u << e, known = true;
        }
        if (!known) return wrong("--emit knows %s, not '%.*s'", emit_words(ctx), (int)n, s);
        if (n && o->emit == before) return wrong("--emit names %.*s twice", (int)n, s);
        s += n;
        if (*s == ',') s++;
    }
    return o->emit ? true : wrong("--emit needs at least one of %s", emit_words(ctx));
}

static bool unknown_target(Ctx *ctx, const char *name) {
    const char *names[TARGET_COUNT];
    Text known = {.ctx = ctx};
    for (int i = 0; i < TARGET_COUNT; i++) {
        names[i] = target_table[i].arch;
        text_fmt(&known, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = diag_near(name, names, TARGET_COUNT);
    if (near) return wrong("no target is named '%s' (did you mean '%s'?); there are %s", name, near, known.s);
    return wrong("no target is named '%s'; there are %s", name, known.s);
}

/* A list: `sm_80,sm_90a`. */
static bool option_target(Ctx *ctx, DriverOptions *o, const char *value) {
    if (!strcmp(value, TUNE_EMU_NAME)) return o->target_emu = true;
    for (const char *s = value;; s++) {
        size_t n = strcspn(s, ",");
        const Target *t = target_find(s, n);
        if (!t) return unknown_target(ctx, sym_n(ctx, s, n));
        for (int k = 0; k < o->targets.n; k++)
            if (o->targets.at[k] == t) return wrong("--target %s is given twice", t->arch);
        vec_push(ctx, &o->targets, t);
        s += n;
        if (!*s) return true;
    }
}

Target driver_target(const DriverOptions *o) {
    Target t = o->targets.n ? *o->targets.at[0] : target_default;
    if (o->target_emu) t.arch = TUNE_EMU_NAME;
    return t;
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

static bool option_exact(DriverOptions *o, const char *value) {
    o->exact = !strcmp(value, "ring") ? EXACT_RING : !strcmp(value, "field") ? EXACT_FIELD : EXACT_NONE;
    return o->exact || wrong("--exact knows ring and field, not '%s'", value);
}

static bool option_only(DriverOptions *o, const char *value) {
    o->only = !strcmp(value, "products") ? 1u << TUNE_PRODUCTS : !strcmp(value, "schedules") ? 1u << TUNE_SCHEDULES : 0;
    return o->only || wrong("--only knows products and schedules, not '%s'", value);
}

/* Takes the value of a dimension or scalar; false where the text is no number. */
static bool option_number(const char *text, Binding *b) {
    char *end = NULL;
    errno = 0;
    b->ivalue = strtoll(text, &end, 10);
    if (end != text && !*end && !errno) {
        b->value = (double)b->ivalue;
        return true;
    }
    b->value = strtod(text, &end);
    b->ivalue = b->value >= -9e18 && b->value <= 9e18 ? (int64_t)b->value : 0;
    return end != text && !*end;
}

/* NAME=VALUE for -D or --at. */
static bool option_binding(Ctx *ctx, DriverOptions *o, OptionId id, const char *value) {
    const char *eq = strchr(value, '='), *option = driver_option(id)->name;
    if (!eq || !text_is_name(value, (size_t)(eq - value))) return wrong("%s needs NAME=VALUE, not '%s'", option, value);
    Binding b = {.name = sym_n(ctx, value, (size_t)(eq - value))};
    if (!option_number(eq + 1, &b)) return wrong("%s %s: '%s' is no number", option, b.name, eq + 1);
    for (int k = 0; k < 2; k++) {
        const Bindings *other = k ? &o->at : &o->defines;
        for (int i = 0; i < other->n; i++) {
            if (other->at[i].name != b.name) continue;
            return k == (id == OPT_AT) ? wrong("%s %s is given twice", option, b.name)
                                       : wrong("%s is given by -D and by --at", b.name);
        }
    }
    if (id == OPT_DEFINE)
        vec_push(ctx, &o->defines, b);
    else
        vec_push(ctx, &o->at, b);
    return true;
}

/* M=8,N=64,4096: a number without a name is a further value of the name before it. */
static bool option_at(Ctx *ctx, DriverOptions *o, const char *value) {
    for (const char *s = value; *s;) {
        size_t n = strcspn(s, ",");
        const char *one = sym_n(ctx, s, n);
        if (s > value && !strchr(one, '=')) {
            Binding b = {.name = o->at.at[o->at.n - 1].name};
            if (!option_number(one, &b)) return wrong("--at %s: '%s' is no number", b.name, one);
            vec_push(ctx, &o->more, b);
        } else if (!option_binding(ctx, o, OPT_AT, one)) {
            return false;
        }
        s += n;
        if (*s == ',') s++;
    }
    return true;
}

static bool option_name_file(const NameFiles *all, Ctx *ctx, const char *option, const char *value, NameFile *out) {
    const char *eq = strchr(value, '=');
    if (!eq || !text_is_name(value, (size_t)(eq - value)) || !eq[1])
        return wrong("%s needs NAME=FILE, not '%s'", option, value);
    out->name = sym_n(ctx, value, (size_t)(eq - value));
    out->file = eq + 1;
    for (int i = 0; i < all->n; i++)
        if (all->at[i].name == out->name) return wrong("%s %s is given twice", option, out->name);
    return true;
}

/* On what check and run run: one of --emu, --gpu, --interp. */
static bool option_place(DriverOptions *o, RunPlace p) {
    if (o->place && o->place != p) return wrong("--emu, --gpu and --interp exclude each other");
    o->place = p;
    return true;
}

static bool option_explain(Ctx *ctx, DriverOptions *o, const char *codes) {
    Text t = {.ctx = ctx};
    o->done = true;
    if (!strcmp(codes, "list")) {
        diag_list(&t);
    } else {
        const char *end = codes - 1;
        do { /* E0602,E0711 */
            const char *at = end + 1;
            end = at + strcspn(at, ",");
            if (t.n) text_char(&t, '\n');
            if (!diag_explain(&t, sym_n(ctx, at, (size_t)(end - at))))
                return wrong("no error has the code '%.*s' (--explain list lists them)", (int)(end - at), at);
        } while (*end);
    }
    fputs(t.s, stdout);
    return true;
}

/* Answered by the option alone. */
static bool option_print(DriverOptions *o, const Text *t) {
    o->done = true;
    fputs(t->s, stdout);
    return true;
}

static bool option_print_machine(Ctx *ctx, DriverOptions *o, const char *name) {
    Text t = {.ctx = ctx}, why = {.ctx = ctx};
    return driver_machine_print(&t, name, &why) ? option_print(o, &t) : wrong("%s", why.s);
}

static bool option_print_dir(Ctx *ctx, DriverOptions *o, const char *name) {
    Text all = {.ctx = ctx};
    o->print_dir = driver_place_named(name);
    o->done = o->print_dir >= 0;
    for (int i = 0; driver_place_name(i); i++) text_fmt(&all, "%s%s", i ? ", " : "", driver_place_name(i));
    return o->done || wrong("--print-dir knows %s, not '%s'", all.s, name);
}

static bool option_depend(Ctx *ctx, DriverOptions *o, OptionId id, const char *value) {
    if (id == OPT_DEPEND)
        o->depend = true;
    else if (id == OPT_DEPEND_FILE)
        o->depend_file = value;
    else if (id == OPT_DEPEND_PHONY)
        o->depend_phony = true;
    else
        vec_push(ctx, &o->depend_targets, ((DependTarget){value, id == OPT_DEPEND_QUOTED}));
    return true;
}

/* -o - is the standard output: the outputs are named after the source then. */
static bool option_out(DriverOptions *o, const char *value) {
    o->to_stdout = !strcmp(value, "-");
    o->out = o->to_stdout ? NULL : value;
    return true;
}

static bool option_take(Ctx *ctx, DriverOptions *o, OptionId id, const char *value) {
    const OptionRow *row = driver_option(id);
    NameFile nf;
    Text t = {.ctx = ctx};
    if (value && !*value) return wrong("%s needs %s", row->name, row->value);
    if (o->given[id] && !row->many) return wrong("%s is given twice", row->name);
    o->given[id] = true;
    switch (id) {
    case OPT_OUT: return option_out(o, value);
    case OPT_EMIT: return option_emit(ctx, o, value);
    case OPT_PREFIX:
        o->prefix = value;
        return text_is_name(value, strlen(value)) ? true : wrong("--prefix needs a C identifier, not '%s'", value);
    case OPT_DEFINE: return option_binding(ctx, o, id, value);
    case OPT_AT: return option_at(ctx, o, value);
    case OPT_INCLUDE: vec_push(ctx, &o->includes, value); return true;
    case OPT_TARGET: return option_target(ctx, o, value);
    case OPT_DEPEND:
    case OPT_DEPEND_FILE:
    case OPT_DEPEND_TARGET:
    case OPT_DEPEND_QUOTED:
    case OPT_DEPEND_PHONY: return option_depend(ctx, o, id, value);
    case OPT_DUMP:
    case OPT_STOP: return option_pass(o, id, value);
    case OPT_WITHOUT: return option_without(ctx, o, value);
    case OPT_TIME: o->time_passes = true; return true;
    case OPT_DIAGNOSTICS:
        o->json = !strcmp(value, "json");
        return o->json || !strcmp(value, "text") ? true : wrong("--diagnostics knows json and text, not '%s'", value);
    case OPT_FORMAT:
        o->results_json = !strcmp(value, "json");
        return o->results_json || !strcmp(value, "text") || wrong("--format knows json and text, not '%s'", value);
    case OPT_ONLY: return option_only(o, value);
    case OPT_TUNING: o->tuning = value; return true;
    case OPT_MACHINE: o->machine = value; return driver_machine_known(value, &t) || wrong("%s", t.s);
    case OPT_PRINT_MACHINE: return option_print_machine(ctx, o, value);
    case OPT_KERNELS: o->kernels = value; return true;
    case OPT_SCHEDULES: o->schedules = value; return true;
    case OPT_EMU: return option_place(o, PLACE_EMU);
    case OPT_GPU: return option_place(o, PLACE_GPU);
    case OPT_INTERP: return option_place(o, PLACE_INTERP);
    case OPT_INPUTS: return option_inputs(o, value);
    case OPT_SMALLEST: return o->smallest = true;
    case OPT_EXACT: return option_exact(o, value);
    case OPT_BRIEF: return o->brief = true;
    case OPT_IN:
        if (!option_name_file(&o->in, ctx, row->name, value, &nf)) return false;
        vec_push(ctx, &o->in, nf);
        return true;
    case OPT_OUTFILE:
        if (!option_name_file(&o->out_files, ctx, row->name, value, &nf)) return false;
        vec_push(ctx, &o->out_files, nf);
        return true;
    case OPT_PERF: o->perf = true; return true;
    case OPT_NO_PERF: o->no_perf = true; return true;
    case OPT_LIBRARY:
        o->no_library = !strcmp(value, "none");
        return o->no_library || !strcmp(value, "cublasLt") ||
               wrong("--library knows cublasLt and none, not '%s'", value);
    case OPT_DEBUG_CHECKS: o->debug_checks = true; return true;
    case OPT_EXPLAIN: return option_explain(ctx, o, value);
    case OPT_COMPLETION:
        return driver_completion(&t, value) ? option_print(o, &t)
                                            : wrong("--completion knows bash and zsh, not '%s'", value);
    case OPT_PRINT_DIR: return option_print_dir(ctx, o, value);
    case OPT_VERSION: return driver_version(&t, o->commit), option_print(o, &t);
    case OPT_HELP: o->help = true; return true; /* of which command is known at the end */
    case OPT_COUNT: break;
    }
    return false;
}

/* A word of the command line as the emitted files quote it. They have the same bytes in every folder: of a path that is
 * its last component. `name` stands before it in the same word. */
static void quote(Text *line, const char *name, const char *value, bool path) {
    size_t n = strlen(value);
    while (path && n > 1 && value[n - 1] == '/') n--;
    size_t from = n;
    while (path && from && value[from - 1] != '/') from--;
    if (!path || (n == 1 && !from)) from = 0;
    Text said = {.ctx = line->ctx};
    text_fmt(&said, "%s%.*s", name, (int)(n - from), value + from);
    text_fmt(line, strpbrk(said.s, " \t\n'\"\\$*") ? " '%s'" : " %s", said.s);
}

static bool is_path(const OptionRow *row) {
    return !strcmp(row->value, "FILE") || !strcmp(row->value, "NAME|FILE") || !strcmp(row->value, "DIR") ||
           !strcmp(row->value, "TARGET");
}

static const struct {
    const char *name;
    OptionId option;
} SHORT[] = {{"-h", OPT_HELP}, {"-v", OPT_VERSION}};

/* Takes the option at argv[*i] and its value: --name=value, --name value, -Dvalue, -D value. */
static bool option(Ctx *ctx, DriverOptions *o, Text *line, int argc, char **argv, int *i) {
    const char *arg = argv[*i], *names[OPT_COUNT];
    for (size_t k = 0; k < sizeof SHORT / sizeof *SHORT; k++)
        if (!strcmp(arg, SHORT[k].name)) return option_take(ctx, o, SHORT[k].option, NULL);
    for (int k = 0; k < OPT_COUNT; k++) {
        const OptionRow *row = driver_option((OptionId)k);
        size_t n = strlen(row->name);
        bool is_long = row->name[1] == '-', has = row->value != NULL;
        names[k] = row->name;
        if (strncmp(arg, row->name, n) != 0) continue;
        if (!arg[n] && !has) return quote(line, arg, "", false), option_take(ctx, o, (OptionId)k, NULL);
        if (!arg[n]) {
            if (*i + 1 >= argc) return wrong("%s needs %s", arg, row->value);
            quote(line, arg, "", false);
            quote(line, "", argv[++*i], is_path(row));
            return option_take(ctx, o, (OptionId)k, argv[*i]);
        }
        if (is_long && arg[n] == '=' && !has) return wrong("%s takes no value", row->name);
        if (!has || (is_long && arg[n] != '=')) continue;
        n += is_long;
        quote(line, sym_n(ctx, arg, n), arg + n, is_path(row));
        return option_take(ctx, o, (OptionId)k, arg + n);
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(arg, "="), arg);
    const char *near = diag_near(name, names, OPT_COUNT);
    return near ? wrong("unknown option '%s' (did you mean '%s'?)", name, near) : wrong("unknown option '%s'", name);
}

static bool has_suffix(const char *s, const char *suffix) {
    size_t n = strlen(s), m = strlen(suffix);
    return n > m && !strcmp(s + n - m, suffix);
}

/* Text of Graphs, or what becomes Graphs: entries with sizes, checks and values. */
static bool is_source_of_graphs(const char *file) { return has_suffix(file, ".td") || has_suffix(file, ".graph"); }
static bool is_source(const char *file) { return is_source_of_graphs(file) || has_suffix(file, ".kernel"); }

static bool unknown_command(const char *name) {
    const char *commands[COMMAND_COUNT - 1];
    for (int c = 1; c < COMMAND_COUNT; c++) commands[c - 1] = driver_command_name((Command)c);
    const char *near = diag_near(name, commands, COMMAND_COUNT - 1);
    return near ? wrong("unknown command '%s' (did you mean '%s'?)", name, near) : wrong("unknown command '%s'", name);
}

/* Options stand where their command can use them. */
static bool belong(const DriverOptions *o) {
    for (int k = 0; k < OPT_COUNT; k++) {
        const OptionRow *row = driver_option((OptionId)k);
        if (!o->given[k] || row->commands >> o->command & 1) continue;
        char where[64] = "";
        for (int c = 0, left = __builtin_popcount(row->commands); c < COMMAND_COUNT; c++) {
            if (!(row->commands >> c & 1)) continue;
            left--;
            size_t n = strlen(where);
            snprintf(where + n, sizeof where - n, "%s%s", driver_command_name((Command)c),
                     left == 0   ? ""
                     : left == 1 ? " and "
                                 : ", ");
        }
        return wrong("%s belongs to %s", row->name, where);
    }
    static const OptionId with_depend[] = {OPT_DEPEND_FILE, OPT_DEPEND_TARGET, OPT_DEPEND_QUOTED, OPT_DEPEND_PHONY};
    for (size_t i = 0; i < sizeof with_depend / sizeof *with_depend && !o->depend; i++)
        if (o->given[with_depend[i]]) return wrong("%s needs -MD", driver_option(with_depend[i])->name);
    return true;
}

/* The standard output takes one file, the kernels unless --emit chooses another. */
static bool one_output(DriverOptions *o) {
    if (o->command == COMMAND_TUNE || o->command == COMMAND_CALIBRATE)
        return wrong("%s writes its report there: -o needs the name of a file", driver_command_name(o->command));
    if (o->depend) return wrong("-MD writes beside the outputs, and -o - leaves no file");
    if (!o->given[OPT_EMIT]) o->emit = 1u << EMIT_CU;
    return __builtin_popcount(o->emit) == 1 ||
           wrong("-o - writes one file: choose it with --emit=cu, c, h or manifest");
}

/* --target=emu is for tests: with it commands run on the CPU stand-in, and nowhere else. */
static bool emulated(DriverOptions *o) {
    if (o->command == COMMAND_TUNE && o->place == PLACE_EMU && !o->targets.n) o->target_emu = true;
    if (o->target_emu && o->targets.n) return wrong("--target=emu, the CPU stand-in, goes with no other target");
    if (o->target_emu && o->place == PLACE_GPU) return wrong("--target=emu and --gpu exclude each other");
    if (o->target_emu && !o->place) o->place = PLACE_EMU;
    return o->command != COMMAND_TUNE || o->place != PLACE_EMU || o->target_emu ||
           wrong("tune --emu writes lines of --target=emu alone: the stand-in's times are invented");
}

/* calibrate reads no file: it brings what it times. */
static bool calibrates(DriverOptions *o) {
    if (o->file) return wrong("calibrate times programs of its own: '%s' is too many", o->file);
    if (!o->out && !o->to_stdout) return wrong("calibrate needs -o, the file of the machine");
    if (o->no_library) return wrong("calibrate times the library, and --library=none leaves that out");
    if (o->kernels || o->schedules || o->defines.n) return wrong("calibrate times what tdc makes of its own programs");
    o->file = CALIBRATE_FILE;
    return true;
}

static bool complete(DriverOptions *o) {
    if (o->done) return true;
    if (!belong(o)) return false;
    if (o->command == COMMAND_CALIBRATE && !calibrates(o)) return false;
    if (!o->file) return wrong("no file is given");
    if (!emulated(o)) return false;
    if (o->to_stdout && !one_output(o)) return false;
    if (!is_source(o->file))
        return !strpbrk(o->file, "./") && !o->entry ? unknown_command(o->file)
                                                    : wrong("'%s' is no .td, .graph or .kernel file", o->file);
    if (o->schedules && !is_source_of_graphs(o->file)) return wrong("--schedules needs a .td or .graph file");
    if (o->schedules && o->without[PASS_CHOOSE]) return wrong("--schedules and --without=choose exclude each other");
    if (o->results_json && o->brief) return wrong("--format=json has every result: --brief does not go with it");
    if (o->exact && (o->place == PLACE_GPU || o->inputs))
        return wrong("--exact is for the CPU stand-in, and its inputs are of one kind");
    if (o->exact) o->place = PLACE_EMU;
    const bool runs = driver_command_builds(o->command) || o->command == COMMAND_TUNE;
    if (o->defines.n && !is_source_of_graphs(o->file))
        return wrong("-D needs a .td or .graph file; explain takes sizes by --at");
    if (runs && !is_source_of_graphs(o->file)) return wrong("check, run, bench and tune need a .td or .graph file");
    if (o->more.n && o->command != COMMAND_BENCH)
        return wrong("--at %s: several values are for bench", o->more.at[0].name);
    if (o->command == COMMAND_BENCH && o->debug_checks)
        return wrong("--debug-checks is for results: what it tests first would be timed too");
    if (o->command == COMMAND_TUNE && !o->out) return wrong("tune needs -o, the tuning file");
    if (o->command == COMMAND_RUN && !o->entry) return wrong("run needs the entry's name after the file");
    for (int e = 1; e < EMIT_COUNT; e++) {
        const char *suffix = driver_emit((EmitId)e)->suffix;
        if (o->out && o->command == COMMAND_COMPILE && has_suffix(o->out, suffix))
            return wrong("-o names the kernels' file, model.cu; model%s goes beside it, not '%s'", suffix, o->out);
    }
    if (o->out && is_source(o->out)) return wrong("-o names an output, not a source: '%s'", o->out);
    bool dumps = o->stop_after < PASS_COUNT;
    for (int i = 0; i < PASS_COUNT && !o->out && !o->to_stdout; i++) dumps |= o->dump[i];
    if (o->depend && dumps) return wrong("-MD writes beside the outputs, and this command line writes none");
    return true;
}

/* A second file, or a first word that was meant as a command. */
static bool too_many(const DriverOptions *o, const char *second) {
    if (is_source(o->file)) return wrong("one file at a time: '%s' is too many", second);
    return unknown_command(o->file);
}

/* A word that is no option: the command, the file, the entry. False where it is too many. */
static bool word(DriverOptions *o, bool *first, const char *a) {
    Command c = *first ? driver_command(a) : COMMAND_COUNT;
    bool help = *first && !strcmp(a, "help");
    *first = help; /* help COMMAND */
    if (help)
        o->help = true;
    else if (c != COMMAND_COUNT)
        o->command = c;
    else if (!o->file)
        o->file = a;
    else if ((ON_RUN | ON_EXPLAIN | ON_BENCH | ON_TUNE) >> o->command & 1 && !o->entry)
        o->entry = a;
    else
        return false;
    return true;
}

/* --help, help, help COMMAND, COMMAND --help. */
static bool help(Ctx *ctx, DriverOptions *o) {
    Text t = {.ctx = ctx};
    if (o->command == COMMAND_COMPILE && o->file && !strchr(o->file, '.')) return unknown_command(o->file);
    o->command == COMMAND_COMPILE ? driver_help(&t) : driver_help_command(&t, o->command);
    return option_print(o, &t);
}

bool driver_options(Ctx *ctx, DriverOptions *o, int argc, char **argv) {
    bool options = true, first = true;
    Text line = {.ctx = ctx};
    *o = (DriverOptions){.emit = 1u << EMIT_CU | 1u << EMIT_C | 1u << EMIT_H,
                         .stop_after = PASS_COUNT,
                         .commit = o->commit,
                         .print_dir = -1};
    text_put(&line, "tdc");
    for (int i = 1; i < argc && !o->done; i++) {
        const char *a = argv[i];
        if (options && !strcmp(a, "--")) {
            options = false;
            quote(&line, a, "", false);
        } else if (options && a[0] == '-' && a[1]) {
            if (!option(ctx, o, &line, argc, argv, &i)) return false;
        } else {
            if (!word(o, &first, a)) return too_many(o, a);
            quote(&line, "", a, o->file == a);
        }
    }
    o->command_line = line.s;
    if (o->help && !o->done) return help(ctx, o);
    return complete(o);
}

/* The driver: the command line, the passes in their order, and the output files. With main.c and check it is the only
 * part of tdc that sees all others, and the only one that prints. */
#ifndef TDC_DRIVER_H
#define TDC_DRIVER_H

#include <stdio.h>

#include "frontend/ast/ast.h"
#include "backend_cuda/glue/glue.h"
#include "frontend/check/check.h"
#include "driver_progress.h"
#include "sched/search/explain.h"
#include "sched/search/sched.h"

#define TDC_VERSION "0.1"

typedef enum PassId {
#define PASS(e, name, text, form, may) PASS_##e,
#include "passes.def"
#undef PASS
    PASS_COUNT
} PassId;

typedef enum Exit { EXIT_OK, EXIT_WRONG, EXIT_USAGE, EXIT_INTERNAL } Exit;
typedef enum RunPlace { PLACE_ANY, PLACE_EMU, PLACE_GPU, PLACE_INTERP } RunPlace; /* any: a GPU where there is one */
typedef enum Command {
#define COMMAND(e, name, usage, line, text) COMMAND_##e,
#include "commands.def"
#undef COMMAND
    COMMAND_COUNT
} Command;
typedef enum EmitId {
#define EMIT(e, word, suffix, text) EMIT_##e,
#include "emits.def"
#undef EMIT
    EMIT_COUNT
} EmitId;

typedef enum TuneWhat { TUNE_PRODUCTS, TUNE_SCHEDULES, TUNE_WHATS } TuneWhat;

typedef struct NameFile {
    const char *name, *file;
} NameFile;
typedef VEC(NameFile) NameFiles;
typedef VEC(Binding) Bindings;

typedef enum OptionId {
#define OPTION(e, name, value, commands, often, text) OPT_##e,
#include "options.def"
#undef OPTION
    OPT_COUNT
} OptionId;

typedef struct DependTarget {
    const char *text;
    bool quoted; /* for make, by tdc */
} DependTarget;

/* The command line. Strings are those of argv. */
typedef struct DriverOptions {
    Command command;
    const char *file;    /* .td, .graph or .kernel */
    const char *entry;   /* run, explain, bench, tune */
    const char *out;     /* -o; NULL: the file's stem with .cu, here; tune: the tuning file */
    const char *prefix;  /* --prefix; NULL: the stem of the output */
    const char *kernels; /* --kernels: a program text instead of the scheduler for the entry whose name it has */
    const char *tuning;  /* --tuning */
    const char *machine; /* --machine: a name, or a file; NULL: the target's */
    unsigned emit;       /* a bit for each EmitId */
    VEC(const Target *) targets;      /* --target; none: the default */
    bool target_emu;                  /* --target=emu: the CPU stand-in, as the default target */
    bool depend, depend_phony;        /* -MD, -MP */
    const char *depend_file;          /* -MF; NULL: the stem of the outputs with .d */
    VEC(DependTarget) depend_targets; /* -MT, -MQ; none: the outputs */
    bool dump[PASS_COUNT], without[PASS_COUNT];
    int stop_after; /* a pass; PASS_COUNT: none */
    bool time_passes, json, perf, no_perf, keep;
    bool no_library;   /* matrix products are kernels */
    bool debug_checks; /* assumptions are tested where the entry runs */
    RunPlace place;    /* check, run, bench, tune */
    unsigned inputs;   /* check: a bit for each InputKind */
    unsigned only;     /* tune: a bit for each TuneWhat; 0: all */
    bool smallest;     /* check: each dimension at its smallest legal value too */
    ExactKind exact;   /* check: --exact */
    bool results_json; /* check, explain, bench: --format=json */
    bool brief;        /* check: a line for each entry and kind of inputs */
    Bindings defines;  /* -D */
    Bindings at;       /* --at */
    Bindings more;     /* bench: further values of these, by --at N=64,4096 */
    VEC(const char *) includes;
    NameFiles in, out_files;  /* run */
    const char *schedules;    /* --schedules: of groups, instead of choosing */
    const char *command_line; /* as the emitted files quote it, paths without their folders */
    const char *home;         /* the folder that holds stdlib and backend_cuda */
    const char *commit;       /* that tdc was built from; "": not known */
    bool given[OPT_COUNT];
    bool help, to_stdout; /* --help; -o - */
    bool done;            /* answered by the options alone (--help, --version, --explain) */
    int print_dir;        /* the place to print, where `done` is so; -1: none */
} DriverOptions;

/* A td file, known by what it is, not by how it is called: imports may form cycles. */
typedef struct SourceFile {
    uint64_t device, inode;
    AstFile *tree;
} SourceFile;

/* driver_spool.c: the long middle of an output, out of memory as far as it is long: in a file without a name, in the
 * folder of the outputs. Where there can be none it stays in memory. */
typedef struct Spool {
    TextSink sink; /* first */
    Text text;     /* what has not been written */
    Sym folder;
    int fd; /* -1: none */
    bool tried;
    int error; /* why it cannot be written; 0: it can */
} Spool;
Spool spool_new(Ctx *ctx, Sym folder);
void spool_close(Spool *s);
/* All that it was given, in order and in pieces, to `put`, until that says no. False where it did, or where not all can
 * be had, with the reason in errno. `last`: nobody asks again; what `put` has had is gone, to make room for a copy. */
bool spool_each(Spool *s, bool last, bool (*put)(void *user, const char *bytes, size_t n), void *user);

/* An entry between Graph and Program. */
typedef struct EntryWork {
    SchedWork *work;    /* NULL: its program is given */
    SchedWork *assumed; /* --debug-checks: of the Graph of its assumptions; NULL: it has none */
    Program *given;     /* by --kernels */
} EntryWork;

/* One compilation on its way through the passes. */
typedef struct Job {
    Ctx *ctx;
    const DriverOptions *o;
    int file;
    Ctx *trees;   /* the memory of syntax trees, which goes when no pass needs them any more; NULL: gone */
    AstFile *ast; /* in it, as those of the sources */
    Module *module;
    Module *reference; /* check, run, bench: as sema left it, for the reference interpreter */
    Module *assumed; /* --debug-checks: each entry again, as the Graph of its assumptions; those without any are NULL */
    VEC(Assumptions) assumptions; /* of each of these */
    Sym copy_of; /* tune: the one entry that there is, copies.n times under these names; NULL: all entries */
    VEC(Sym) copies;
    Sym schedules;          /* a text as that of --schedules; NULL: --schedules */
    const Machine *machine; /* from the pass prepare on */
    SchedOptions sched;
    SchedMemo memo;          /* of these */
    VEC(EntryWork) entries;  /* from the pass prepare on, one a Graph of the module */
    VEC(Program *) programs; /* from the pass apply on; of a kernel text from prepare on */
    Tuning *tuning;          /* --tuning; NULL: none */
    Text out[EMIT_COUNT];
    Spool middle[EMIT_COUNT]; /* of these */
    Progress *progress;
    Sym prefix, stem;        /* of the outputs; the stem without folder */
    VEC(Sym) reads;          /* every file that was read, by the name under which it was; the source is the first */
    VEC(SourceFile) sources; /* every td file that was read */
    double seconds[PASS_COUNT];
} Job;

/* driver_options.c. Keeps o->commit. False, after saying why on stderr, where the command line makes no sense. */
bool driver_options(Ctx *ctx, DriverOptions *o, int argc, char **argv);

/* The first one of --target. The stand-in is the default one by another name. */
Target driver_target(const DriverOptions *o);

/* driver_help.c: the tables of options, passes and files, and what is printed from them. */
enum {
#define COMMAND(e, name, usage, line, text) ON_##e = 1 << COMMAND_##e,
#include "commands.def"
#undef COMMAND
    ON_ALL = (1 << COMMAND_COUNT) - 1
};
typedef struct OptionRow {
    const char *name, *value; /* value: NULL where there is none */
    unsigned commands;        /* ON_... */
    bool many;
    const char *text;
} OptionRow;
const OptionRow *driver_option(OptionId id);
typedef struct EmitRow {
    const char *word, *suffix, *text;
} EmitRow;
const EmitRow *driver_emit(EmitId e);
const char *driver_pass_name(PassId p);
const char *driver_pass_form(PassId p); /* AST ... */
bool driver_pass_optional(PassId p);    /* --without may leave it out */
const char *driver_command_name(Command c);
bool driver_command_builds(Command c); /* compiles what it emits and runs it: check, run, bench, calibrate */
/* A command by its name, or COMMAND_COUNT: compiling has none. */
Command driver_command(const char *name);
void driver_help(Text *out);
void driver_help_command(Text *out, Command c); /* what that one takes */
void driver_version(Text *out, const char *commit);
/* driver_completion.c: a completion script; false for a shell that is not known. */
bool driver_completion(Text *out, const char *shell);

/* driver_places.c: the folders of places.def, by their number. */
const char *driver_place_name(int i);         /* NULL: there are no more */
int driver_place_named(const char *name);     /* -1: none */
Exit driver_print_place(Ctx *ctx, int place); /* prints where it is, or says on stderr that it was not found */

/* driver_passes.c: runs the passes up to `last`, printing what --dump asks for. */
Exit driver_passes(Job *job, PassId last);
bool driver_is_kernel_text(const Job *job);
Exit driver_wrong_unless(const Job *job, Exit otherwise); /* the program is wrong where errors were reported */
Exit driver_internal(Job *job, const char *where, const Text *why); /* reports a fault of tdc itself */

/* driver_schedule.c: the passes from prepare to same, and what they leave as text before there are kernels. */
Exit driver_sched_sort(Job *job);
Exit driver_sched_chunk(Job *job);
Exit driver_sched_prepare(Job *job);
Exit driver_sched_step(Job *job, SchedStep step); /* those that are a step and nothing else */
Exit driver_sched_apply(Job *job);
Exit driver_sched_advise(Job *job);
Exit driver_sched_same(Job *job);
typedef enum SchedForm { SCHED_FORM_PREPARED, SCHED_FORM_PLAN, SCHED_FORM_SCHEDULES } SchedForm;
void driver_sched_print(Job *job, SchedForm form, Text *out);

Exit driver_run(Job *job); /* driver_run.c */

/* driver_explain.c */
Exit driver_explain(Job *job);
Targets driver_targets(const DriverOptions *o);

/* driver_check.c: what stands behind the commands check and run, after the passes. */
Exit driver_check(Job *job);
/* Compiles and links the emitted files; m->dir must be removed afterwards. */
bool driver_build(Job *job, CheckOptions *co, CheckModel *m);
const char *driver_no_gpu(void);      /* what this machine lacks to compile for a GPU and run there; NULL: nothing */
bool driver_measures(const Job *job); /* whether there is a GPU to measure, or the stand-in was asked for; or says so */
const char *driver_place(const CheckOptions *co);    /* on what they run, for messages */
bool driver_fail(const char *what, const Text *why); /* says why on stderr; false */
/* Where check, run, bench and tune run; false after saying why nowhere. */
bool driver_options_of_check(Job *job, CheckOptions *co);

/* driver_sizes.c: the sizes that a command is given, by -D and --at. Where a command names an entry they are about that
 * one alone. */
/* Fixes what -D names in a module's Graphs, reporting what does not fit: a name that is no dimension (for run, explain
 * and tune: nor a scalar), a value that it cannot have. */
Exit driver_fix(Job *job, Module *m);
Exit driver_check_at(Job *job);                     /* whether --at names dimensions and scalars that are left */
const Binding *driver_at(const Job *job, Sym name); /* a value that --at gives, or -D to a scalar; NULL: none */
/* A -D with another value than the statement's; NULL: none. */
const Binding *driver_contradicts(const Job *job, const Check *c);
/* Values for all dimensions and scalars of an entry, in its order, and where each dimension's comes from. */
void driver_sizes(const Job *job, const Graph *g, int64_t *dims, double *scalars, SizeFrom *from);
/* Sizes at which an entry's speed matters: without those of checks, which are small. */
void driver_usual_sizes(const Job *job, const Graph *g, int64_t *dims, double *scalars);
/* Whether an entry takes these sizes; says in *why what does not fit. */
bool driver_fits(const Graph *g, const int64_t *dims, const double *scalars, Text *why);
/* Sizes at which an entry is measured. */
typedef struct EntrySizes {
    Check at; /* the same as a statement */
    int64_t *dims;
    double *scalars;
} EntrySizes;
/* Those of a statement where -D and `at` give no other; c NULL: of hints. False after reporting what has no size, or
 * which size the entry does not take. */
bool driver_entry_sizes(Job *job, const Graph *g, const Check *c, const Bindings *at, EntrySizes *out);
/* Appends `NAME(M = 8, N = 5)`, with what -D has fixed. */
void driver_put_sizes(Text *out, const Graph *g, const int64_t *dims);

Exit driver_bench(Job *job); /* driver_bench.c */
/* The sizes at which an entry of a reference module is compared before it is timed at those of `sizes`: those of its
 * check line of most elements that take a moment (lines name it `entry`), else its own made small; false: they cannot
 * be. */
enum { DRIVER_MOST_COMPARED = 1 << 18 /* elements of parameters */ };
bool driver_small_check(const Job *job, const Module *m, const Graph *g, Sym entry, const Check *sizes, Check *out);

/* driver_json.c: results as JSON, one object a line; docs/tdc.1 says what members they have. */
void json_number(Text *t, double v);                        /* null where JSON has no such number */
void json_member(Text *t, const char *name, const char *s); /* `, "name": "s"`; nothing where s is NULL */
void json_sizes(Text *t, const Check *c);                   /* `"entry": "f", "sizes": {"M": 8}` */

/* driver_tune.c: the command tune; and a tuning file that was named, which depends on nothing else. */
Exit driver_tune(Job *job);
Exit driver_tuning(Job *job, const char *path, Tuning **t);
/* An entry at sizes: its number among the job's programs. */
typedef struct TunePlace {
    int entry;
    EntrySizes sizes;
} TunePlace;
typedef VEC(TunePlace) TunePlaces;
/* driver_tune_schedules.c: the schedules of the kernels that run at these places, into *t. Says on stdout what was
 * found; *groups: how many there are. EXIT_WRONG: a kernel was wrong, and is not in *t. */
Exit driver_tune_schedules(Job *job, Tuning *t, const TunePlaces *places, int *groups);

/* driver_machine.c: the machine that --machine names, else the first target's: job->machine. */
Exit driver_machine(Job *job);
/* Of command lines: whether a name is one of a built-in machine, or one that only a file can have; a built-in machine
 * as text. False after saying in *why what is known. */
bool driver_machine_known(const char *name, Text *why);
bool driver_machine_print(Text *out, const char *name, Text *why);

/* driver_calibrate.c: the command calibrate, and the program that it times, in td. */
Exit driver_calibrate(Job *job);
const char *driver_calibrate_text(Job *job, size_t *n);
#define CALIBRATE_FILE "calibrate.td"

/* driver_files.c. Errors are said on stderr. */
/* What a path leads to, for telling files apart; false where there is nothing. */
bool driver_source_identity(const char *path, uint64_t *device, uint64_t *inode);
/* Reads a whole file; NULL with the reason in errno, EFBIG where it is larger than a source may be. */
char *driver_source_read(Ctx *ctx, const char *path, size_t *n);
typedef struct OutFile {
    Sym path;
    const Text *text;
    Spool *middle; /* of text, at middle->sink.at; NULL: nothing */
} OutFile;
OutFile driver_out_file(Job *job, EmitId e, Sym path);
bool driver_file_to_stdout(const OutFile *file);
/* Writes all of them or none; each appears whole. */
bool driver_files_write(Ctx *ctx, const OutFile *files, int n);

/* driver_depend.c. */
/* Notes that a file was read under this name. */
void depend_read(Job *job, const char *path);
/* A file that an option names, as text and by its number; NULL where it cannot be read, which is reported. */
const char *driver_read_option(Job *job, const char *path, size_t *n, int *file);
/* The rule for make, for these outputs. False where a name cannot be written in a makefile. */
bool depend_print(Text *out, const Job *job, const OutFile *files, int n);

/* driver.c: everything; what main returns. `commit`: that tdc was built from; "": not known. */
int driver_main(int argc, char **argv, const char *commit);

#endif

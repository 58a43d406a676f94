/* Tuning files: which algorithm of the matrix library computes which product, by what the product is; and which
 * schedule a group of equations has for which lengths, by its form. The words of a product's line are the rows of
 * tuning.def; those of a schedule's line stand in tuning_schedule.c. */
#ifndef TDC_TUNING_H
#define TDC_TUNING_H

#include "product.h"
#include "sched/machine/target.h"

enum { TUNING_FORMAT = 1 };

/* What a product is, as numbers: two are the same product where all are equal. Of a matrix: how it lies (a TuneLie),
 * the leading dimension, the step from a batch to the next (0 without batches). */
typedef enum TuneField {
    TUNE_TARGET, /* a row of target_table, or TUNE_EMU */
    TUNE_FACTORS,
    TUNE_RESULT, /* types */
    TUNE_SUM,    /* a TuneSum */
    TUNE_M,
    TUNE_N,
    TUNE_K,
    TUNE_BATCH,
    TUNE_A,
    TUNE_B = TUNE_A + 3,
    TUNE_C = TUNE_B + 3,
    TUNE_D = TUNE_C + 3,
    TUNE_BIAS = TUNE_D + 3, /* a TuneLie, the step from a batch to the next */
    TUNE_ACT = TUNE_BIAS + 2,
    TUNE_ALIGN, /* bytes that divide the addresses of all matrices; the least with which the choice may be used */
    TUNE_FIELDS
} TuneField;

/* TUNE_ROW: a row's elements lie together; TUNE_COL: a column's; TUNE_SELF: c is d. */
typedef enum TuneLie { TUNE_ROW, TUNE_COL, TUNE_NONE, TUNE_SELF } TuneLie;
typedef enum TuneSum { TUNE_F64, TUNE_F32, TUNE_TF32, TUNE_I32, TUNE_SUMS } TuneSum;

/* In the order of tuned.in. */
typedef enum TuneChoiceField {
    TUNE_ALGO,
    TUNE_TILE,
    TUNE_STAGES,
    TUNE_SPLITK,
    TUNE_REDUCTION, /* 0: none, 2: partial sums in the type of the sum */
    TUNE_SWIZZLE,
    TUNE_CUSTOM,
    TUNE_INNER,
    TUNE_CLUSTER,
    TUNE_CHOICES
} TuneChoiceField;

typedef struct TuneProduct {
    int64_t v[TUNE_FIELDS];
} TuneProduct;

typedef struct TuneEntry {
    TuneProduct product;
    int64_t choice[TUNE_CHOICES];
    Sym before, after; /* lines of comment before it; the comment at its end, with its # */
    Span span;         /* of its line */
} TuneEntry;

enum { TUNE_AXES = 24, TUNE_TOGETHER = 8 /* schedules of a group that is divided */ };

/* The lengths of an axis for which a line is: from lo to hi, and multiples of a divisor alone, or all others. */
typedef struct TuneLength {
    int64_t lo, hi;  /* hi INT64_MAX: any */
    int64_t divisor; /* 1: none */
    bool multiple;
} TuneLength;

/* A schedule that was measured to be quicker than the one that is chosen. Two are for the same where machine, form and
 * at are equal. */
typedef struct TuneSchedule {
    int machine;   /* a row of target_table, whose device it is, or TUNE_EMU */
    uint64_t form; /* of the group: tuned_form */
    int naxes;
    int64_t at[TUNE_AXES];        /* the lengths of its axes at which it was measured */
    TuneLength length[TUNE_AXES]; /* for which it is used */
    int n;
    Sym text[TUNE_TOGETHER]; /* axes by number (schedule_numbered) */
    Sym before, after;       /* comments, as those of a TuneEntry */
    Span span;
} TuneSchedule;

typedef struct Tuning {
    Ctx *ctx;
    Sym name;                    /* of its file, without its folder; NULL: none */
    int file;                    /* its number; -1: none */
    Sym head, tail;              /* lines of comment before and after all lines; NULL: none */
    VEC(TuneEntry) entries;      /* sorted by product */
    VEC(TuneSchedule) schedules; /* sorted by machine, form and at */
} Tuning;

/* A file that was registered with diag_add_file; NULL after reporting. */
Tuning *tuning_read(Ctx *ctx, int file);
Tuning *tuning_new(Ctx *ctx);
void tuning_print(Text *out, const Tuning *t);
void tuning_print_product(Text *out, const TuneProduct *p); /* `target=sm_90a ...` */
void tuning_print_choice(Text *out, const int64_t *choice); /* `algo=66 ...` */

int tuning_compare(const TuneProduct *a, const TuneProduct *b);
const TuneEntry *tuning_find(const Tuning *t, const TuneProduct *p); /* NULL: there is none */
/* Puts the entry in its place, over one for the same product, whose comments before it stay; and takes one away. */
void tuning_set(Tuning *t, const TuneEntry *e);
void tuning_remove(Tuning *t, const TuneProduct *p);

/* The product at these sizes, tensors aligned to 256 bytes, for a row of target_table; false where a size cannot be, or
 * the product is empty. */
bool tuning_describe(const Graph *g, const Product *m, int target, const int64_t *dims, const double *scalars,
                     TuneProduct *p);
/* The line that a product at hand meets: it differs in nothing but an alignment that is not larger. NULL: none. */
const TuneEntry *tuning_serves(const Tuning *t, const TuneProduct *p);
/* Whether some sizes make the product the entry's. */
bool tuning_may_serve(const TuneEntry *e, const Graph *g, const Product *m);
int tuning_target(const Target *t); /* its row of target_table, which every file has by itself, or TUNE_EMU */
/* The CPU stand-in as a target: `tune --emu` writes it. Its figures are invented, and are for no GPU. */
enum { TUNE_EMU = TARGET_COUNT };
#define TUNE_EMU_NAME "emu"
/* Where the first line of the stand-in's is; SPAN_NONE: there is none. */
Span tuning_emulated(const Tuning *t);
TuneSum tuning_sum(const Graph *g, Type factor);

/* ---- schedules (tuning_schedule.c) ---- */
const char *tuning_machine_name(int machine);
bool tuning_is_any(const TuneLength *l); /* all lengths are so */
void tuning_print_schedule(Text *out, const TuneSchedule *e);
/* A line without its comment, [s, s + n), into *e, which is {0} but for comments. False after reporting. */
bool tuning_read_schedule(Ctx *ctx, Span line, const char *s, size_t n, TuneSchedule *e);
int tuning_compare_schedules(const TuneSchedule *a, const TuneSchedule *b);
/* Into their order; false after reporting that two are for the same. */
bool tuning_sort_schedules(Tuning *t);
/* As those of products. */
TuneSchedule *tuning_find_schedule(const Tuning *t, const TuneSchedule *like);
void tuning_set_schedule(Tuning *t, const TuneSchedule *e);
void tuning_remove_schedule(Tuning *t, const TuneSchedule *like);

#endif

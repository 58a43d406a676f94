/* What a program does, step by step, and the ways through it. A step is a kernel, a choice between lists of steps by
 * conditions on dimensions, or a sort of keys. Kernels themselves are kernel.h's.
 *
 * A call of the library is a kernel's step as well: the library runs Kernel.product, and the kernel what it refuses. A
 * refusal is known at run time alone, by addresses more than by sizes, and both write the same tensors at the same
 * place of the program; so it is no choice. */
#ifndef TDC_STEP_H
#define TDC_STEP_H

#include "ir/graph.h"

struct Kernel;
struct Program;
struct Choice;
struct SortStep;

/* Whoever goes through steps has a switch over their kinds without a default, so that the compiler asks for each; who
 * wants nothing but the kernels asks step_kernel. */
typedef enum StepKind {
#define STEP(e, word) STEP_##e,
#include "steps.def"
} StepKind;
enum {
#define STEP(e, word) +1
    STEP_KINDS = 0
#include "steps.def"
};

/* The one of its kind is set. */
typedef struct Step {
    StepKind kind;
    struct Kernel *kernel;
    struct Choice *choice;
    struct SortStep *sort;
} Step;
typedef VEC(Step) StepList;

/* A sort (ir/graph.h), by kernels of the prelude (sort.h). */
typedef struct SortStep {
    Sym name;
    Sort sort;       /* its tensors are the program's; `order` is NULL where nobody reads it */
    Tensor *scratch; /* i32, sort_scratch elements */
    Span span;
} SortStep;

/* The kernel that a step runs; NULL where it runs none. */
static inline struct Kernel *step_kernel(const Step *s) { return s->kind == STEP_KERNEL ? s->kernel : NULL; }

/* One of the lists that a choice chooses from. */
typedef struct ChoiceCase {
    const Expr *when; /* a bool expression of dimensions; NULL: the last case, which is taken where no other is */
    StepList steps;
} ChoiceCase;

/* The steps of the first case whose condition holds for the sizes at hand. */
typedef struct Choice {
    VEC(ChoiceCase *) cases;
    Span span;
} Choice;

/* The output may stand at the input's address: every element is read by the thread that writes it, before it does, and
 * by no kernel after that. */
typedef struct InPlace {
    const Tensor *out, *in;
} InPlace;

/* The same of two tensors, one of them a temporary: the kernel of step number `step` of a way reads `in` and does not
 * write it, and no earlier step of that way writes `out`. They may be one where nothing needs `in` after that step. */
typedef struct Succession {
    int step;
    const Tensor *out, *in;
} Succession;

/* The steps that are done for some sizes, in order: those of one case of every choice that is met. A program without
 * choices has one way. What depends on the order of steps (who writes before who reads, memory, time) is asked of a
 * way; what is known of each kernel by itself (its text, equal kernels, targets) of Program.kernels.
 *
 * Choices multiply: five kernels of six versions each are 7776 ways. Where there are too many, a choice that selects
 * one kernel of several, without products, is a step of a way as it stands: one of them is launched there. All of them
 * write the same tensors, so that what is asked of a way has one answer. */
typedef struct Way {
    StepList steps;
    /* Taken where all of these hold and those of no way before it do: the conditions of its cases. */
    VEC(const Expr *) when;
    VEC(Succession) successions; /* filled in by program_verify, in the order of steps */
} Way;

enum {
    MAX_WAYS = 64,      /* of a program */
    MAX_COMBINED = 48,  /* of one of which no way has a choice */
    MAX_CHOICES = 1024, /* of a program */
    MAX_NESTED = 16     /* choices in each other */
};

/* ---- building ---- */
/* A choice without cases, as the next step of *at (NULL: of the program). */
Choice *choice_new(struct Program *p, StepList *at);
ChoiceCase *choice_case(struct Program *p, Choice *c, const Expr *when);
/* A sort without tensors, as the next step of *at (NULL: of the program). */
SortStep *step_sort(struct Program *p, StepList *at, Sym name);

/* ---- ways ---- */
/* Fills in Program.ways in the order of the text, and of each kernel whether others come before and after it. Ways that
 * no sizes take, as far as conditions are proved to exclude each other, are left out. False where there are more than
 * MAX_WAYS. Every condition must be a bool expression of dimensions. */
bool program_find_ways(struct Program *p);
/* The number of the way that these sizes take (in the order of Graph.dims); -1 where a condition has no value for
 * them. */
int program_way_at(const struct Program *p, const int64_t *dims);
/* That way, and of its choices the kernels that these sizes take, in memory of the program; NULL where a condition has
 * no value. Its steps have the numbers that they have on the way. */
const Way *program_taken(const struct Program *p, const int64_t *dims);
/* Leaves out the cases that none of n sizes (in the order of Graph.dims) take, wherever tensors begin, and the kernels
 * that stand nowhere then. For programs that run at these sizes alone; what program_verify fills in, the ways among it,
 * is the old program's until it is asked again. */
void program_keep_taken(struct Program *p, const int64_t *const *dims, int n);
/* Whether each case is one kernel, and none of them a product. */
bool choice_selects(const Choice *c);
/* Whether a way's step runs that kernel, or may. */
bool step_runs(const Step *s, const struct Kernel *k);
/* Whether two are one and the same step. */
bool step_is(const Step *a, const Step *b);
/* What a step of a way is called in lists of them; NULL of a choice. */
Sym step_name(const Step *s);
/* "when M <= 8 and N <= 9", or "else" where the way has no condition. */
void way_print(Text *out, const Way *w);

#endif

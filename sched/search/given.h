/* Schedules that somebody gives instead of having them chosen: a text of the form that --dump=choose prints, a line
 * `program NAME`, then lines `GROUP: SCHEDULE` for groups of that program, in any order. Lines `when CONDITION`, and
 * `else` at last, stand before a group's versions for some sizes. # begins a comment. Several groups of one name take
 * their lines in order. Groups without a line are scheduled as always.
 *
 * Of two ways to do the work of two groups (Plan.fusions) the one is given where its group has lines; `one pass when
 * CONDITION` before them says for which sizes, `one pass` that it is for all.
 *
 * A group that may be divided (split.c) is where a line names the division's first group, GROUP_shares; a line GROUP
 * must be there, too, and is then for its second one: in versions it is the next line. */
#ifndef TDC_GIVEN_H
#define TDC_GIVEN_H

#include "ir/diag.h"
#include "versions.h"

typedef struct GivenLine {
    Sym program, group; /* group NULL: the line `program NAME` itself */
    Sym schedule;       /* the text behind the colon */
    Span span;          /* of the line, without the blanks around it */
    bool used;
    bool begins;    /* a version for some sizes: the line before it is `when CONDITION` or `else` */
    Sym when;       /* of one that begins: the condition's text; NULL: `else` */
    Span when_span; /* of the condition, or of `else` */
    bool pass;      /* the line before it, and before that one, begins with `one pass` */
    Sym pass_when;  /* its condition's text; NULL: there is none */
    Span pass_span;
} GivenLine;

/* A group that was asked about. */
typedef struct GivenAsked {
    Sym program, group;
} GivenAsked;

typedef struct Given {
    Ctx *ctx;
    VEC(GivenLine) lines;
    VEC(GivenAsked) asked;
} Given;

/* Reads a file (diag_add_file). NULL after reporting each line that has neither form. */
Given *given_read(Ctx *ctx, int file);

typedef enum GivenAnswer { GIVEN_NONE, GIVEN_TAKEN, GIVEN_WRONG } GivenAnswer;
/* What is given for the next group of a program: GIVEN_TAKEN with legal schedules in *v, each version's under its
 * condition, GIVEN_NONE where there is no line, or no file (x NULL), GIVEN_WRONG after reporting at the line why it
 * cannot be. One schedule for all sizes need not hold all of them: its kernel refuses the others. */
GivenAnswer given_versions(Given *x, Sym program, Group *gr, Versions *v);

/* What is said of the sizes for which a group of two ways that has lines is taken, where it may be taken within these
 * bounds: these where nothing is said. NULL after reporting what is wrong with it. */
const Expr *given_way(Given *x, Sym program, Group *gr, const Expr *bounds);

/* One version as texts: a schedule, or those of a division's shares and rest. */
typedef struct GivenTexts {
    int n;
    Sym text[MAX_TOGETHER];
    bool numbered; /* axes and rows are named by their numbers (schedule_numbered) */
} GivenTexts;
/* What is wrong with them. */
typedef struct GivenFault {
    Text why;
    DiagCode code;
    int text; /* the number of the one that is wrong */
} GivenFault;
/* Reads them for a group, into all of *v but the condition. most[k]: schedule_legal_within's of the k-th schedule.
 * False after saying in *fault why they cannot be. */
bool given_version(Group *gr, const GivenTexts *t, Version *v, int64_t most[MAX_TOGETHER][MAX_GROUP_AXES],
                   GivenFault *fault);

/* Once all groups of all programs were asked about: reports the lines that are for none of them. False where some
 * are. */
bool given_done(Given *x);

#endif

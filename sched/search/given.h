/* Schedules that somebody gives instead of having them chosen: a text of the form that --dump=choose prints, a line
 * `program NAME`, then lines `GROUP: SCHEDULE` for groups of that program, in any order. # begins a comment. Several
 * groups of one name take its lines in their order. Groups without a line are scheduled as always.
 *
 * A group that may be divided (split.c) is where a line names the division's first group, GROUP_shares; a line GROUP
 * must be there, too, and is then for its second one. Versions for some sizes are not read. */
#ifndef TDC_GIVEN_H
#define TDC_GIVEN_H

#include "versions.h"

typedef struct GivenLine {
    Sym program, group; /* group NULL: the line `program NAME` itself */
    Sym schedule;       /* the text behind the colon */
    Span span;          /* of the line, without the blanks around it */
    bool used;
} GivenLine;

/* A group that was asked about. */
typedef struct GivenAsked {
    Sym program, group;
} GivenAsked;

typedef struct Given {
    Ctx *ctx;
    VEC(GivenLine) lines;
    VEC(GivenAsked) asked;
    bool by_size; /* versions for some sizes were met */
} Given;

/* Reads a file (diag_add_file). NULL after reporting each line that has neither form. */
Given *given_read(Ctx *ctx, int file);

typedef enum GivenAnswer { GIVEN_NONE, GIVEN_TAKEN, GIVEN_WRONG } GivenAnswer;
/* What is given for the next group of a program, as one version for all sizes: GIVEN_TAKEN with legal schedules in *v,
 * GIVEN_NONE where there is no line, or no file (x NULL), GIVEN_WRONG after reporting at the line why it cannot be. */
GivenAnswer given_versions(Given *x, Sym program, Group *gr, Versions *v);

/* Once all groups of all programs were asked about: reports the lines that are for none of them. False where some
 * are. */
bool given_done(Given *x);

#endif

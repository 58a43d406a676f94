/* What the files of versions share: the candidates of a group, and the cases of sizes that take them. */
#ifndef TDC_VERSIONS_FORM_H
#define TDC_VERSIONS_FORM_H

#include "versions.h"

enum {
    FEW_CANDIDATES = 160, /* that are compared at all points; twice as many where there are two ways to fold */
    SLOW_CANDIDATES = 48, /* and beside these, of points at which all others take long */
    MAX_CANDIDATES = 2 * FEW_CANDIDATES + SLOW_CANDIDATES,
    VERSIONS_AROUND = 1, /* points as which those around a case count */
    VERSIONS_STARTS = 3, /* candidates of each case from which moves are made; each may give one more, */
    MOVED_FROM = 24,     /* of so many cases */
    FEW_NEIGHBOURS = 64  /* that are folded as columns: of fewer nothing else is compared */
};

/* The lengths of some axes, multiplied; or how many times those of others that is, where there are some. */
typedef struct Lengths {
    AxisSet of, per;
} Lengths;

enum {
    LENGTHS_ONE = 1 << 16, /* what is counted of lengths that are as long as those they are compared with */
    MAX_LENGTHS = 48       /* of a group, that are worth tests */
};

/* Such lengths are at most so much; or, where there is a divisor, rows along an axis begin at multiples of so many
 * elements, in tensors that begin at aligned addresses: its length is one, or that of the rows of which it is a part.
 * Without axes the addresses alone are asked. */
typedef struct SizeTest {
    Lengths axes;
    int64_t most;
    int divisor; /* 0: none */
    int tensor;  /* with a divisor: that of these rows, its number in Group.tensors and 1; 0: the axis is whole rows */
} SizeTest;

typedef struct Candidate {
    int division; /* of the group; -1: none, one kernel does it */
    int n;
    Schedule *schedule[MAX_TOGETHER];
    Schedule *asked; /* the first of them, as it was proposed: before its registers were fitted */
    int64_t *most;   /* schedule_legal_within's, of the group's axes */
    bool judged;     /* by its kernels; else by its schedules */
    int resident;    /* judge_resident's, of a candidate of one kernel that is judged */
    double words;    /* and the registers of its tiles and beside them */
    bool narrow;     /* and whether elements narrower than a register are loaded one by one */
    double *seconds; /* at each point; INFINITY where it is not legal */
    bool given_up;   /* no case takes it, since there are kernels enough */
    double *loss; /* at each point: log(time / best), weighted; once what takes long is spared, and by how much it is */
} Candidate;

enum { MAX_TESTS = 13 /* of a case */ };

typedef struct Case {
    int candidate;
    int ntests;
    SizeTest test[MAX_TESTS];
} Case;

/* What is remembered of a form: the cases for each number of kernels. */
typedef struct Chosen {
    VEC(Candidate *) candidates;
    int n[MAX_VERSIONS];       /* of cases with at most that many kernels plus 1 */
    int kernels[MAX_VERSIONS]; /* that these take: more than that plus 1 where one case takes several */
    int ways[MAX_VERSIONS];    /* that they make: one for each of several kernels, one for all of a single kernel */
    Case *cases[MAX_VERSIONS];
    double lost[MAX_VERSIONS]; /* seconds that these take longer than what is best at each point, about, */
    double usual;              /* of so many that the best takes */
} Chosen;

/* The points in the order of some lengths. */
typedef struct Ruler {
    Lengths axes;
    int64_t length[MAX_POINTS];
    int64_t end[MAX_POINTS]; /* between the length and the next longer one, for a test */
    int order[MAX_POINTS];
} Ruler;

typedef struct Rulers {
    int n;
    Ruler *at[MAX_LENGTHS];
} Rulers;

typedef struct Choosing {
    Ctx *ctx, *temp; /* of what stays; for as long as it takes */
    Group *gr;
    const Machine *machine;
    const Points *points;
    CostForm **form; /* of the group, then of each division's shares and rest */
    SchedLimits limits;
    int considered;       /* SchedMemo's */
    int *slow;            /* SchedMemo's, of versions_choose */
    bool judged;          /* candidates are judged by their kernels */
    bool compared;        /* and all were, by the judge */
    bool last;            /* its kernels stay: only where each is taken is asked, at many points */
    int room;             /* candidates that there may be by now */
    struct BestOf *found; /* what the templates found last, of the kernels of one division */
    Chosen *chosen;
    int *rival; /* the candidates than which no other is as good at all points */
    int nrivals;
    Rulers *rulers; /* of versions_find_cases, one for each set of axes that is asked for */
    double *best;   /* seconds at each point, of the best candidate there */
    double sparing; /* losses count what takes more than so many times the best, at any point; 0: they do not */
    double spared;  /* and how much of that: all, or less where fewer kernels are for likely sizes first */
} Choosing;

Group *versions_group(const Choosing *x, int division, int kernel);
/* One more candidate, where there is room for it; most: schedule_legal_within's of the first schedule. */
void versions_add(Choosing *x, int division, const Schedule *const *parts, int n, const int64_t *most);
/* Seconds of a candidate at the first n points, by its kernels, and what is known of its registers. False where their
 * features are not known, or its tiles take more words than that. */
bool versions_judge(const Choosing *x, Candidate *c, int n, double most_words);
CostForm *versions_cost_form(const Choosing *x, int division, int kernel);
/* Seconds of a schedule of a group at a point, as the judge predicts; INFINITY: it does not know. */
double versions_judged_at(const Choosing *x, int point, Group *gr, const Schedule *s);
/* Of schedules that are handed over the best at a point; seconds are infinite before there is one. */
typedef struct BestAt {
    const Choosing *x;
    Group *gr;
    int point, n; /* n: how many were handed over */
    double seconds;
    Schedule best;
    int64_t most[MAX_GROUP_AXES]; /* of it, as schedule_legal_within's */
} BestAt;
void versions_take_best(void *user, const Schedule *s, const int64_t *most);
/* What is best at each point takes no longer than a candidate. */
void versions_note_best(Choosing *x, int candidate);
/* Seconds that no kernel is quicker than, at a point. */
double versions_floor(const Choosing *x, int point);
bool versions_legal_at(const Choosing *x, const Candidate *c, int point);
/* A judged candidate of one kernel becomes one of the same work whose registers fit better, where nothing is lost by it
 * (versions_registers.c). */
void versions_fit_registers(const Choosing *x, Candidate *c);
/* best, each candidate's loss and the rivals, of the candidates that there are. */
void versions_find_losses(Choosing *x);
/* The cases for each number of kernels, of the rivals. */
void versions_find_cases(Choosing *x);
/* The candidates that cases take become the rivals. How many kernels they are. */
int versions_keep_taken(Choosing *x, const Case *cases, int n);
/* Sets the best candidate of a case for its points, if it has some; what it loses. INFINITY where none is legal. What a
 * candidate loses at the points around, of which these are a part, counts like one point more (VERSIONS_AROUND): few
 * points do not tell what is slow between them. NULL: there are no others. */
double versions_settle(const Choosing *x, Case *c, const bool *here, const bool *around);
bool versions_holds(const Choosing *x, const SizeTest *t, int point);
/* Whether the length of one axis alone is asked for. */
bool versions_asks(const SizeTest *t, int axis);
/* Of the rivals those remain, at most so many, that lose least together where each point takes the best of them. */
void versions_keep_together(Choosing *x, int most);
/* The length of the rows of a test's tensor. */
const Expr *versions_row(const Group *gr, const SizeTest *t);
/* All tests of a case; NULL: it has none. */
const Expr *versions_condition(const Group *gr, const Case *c);
/* Whether the case's conditions see to it that a candidate is legal. */
bool versions_legal_in(const Choosing *x, const Candidate *c, const Case *in);

/* ---- candidates beside those of templates (versions_beside.c) ---- */
/* Of rows that shared memory holds the best at a point; of rows of any length the longest that it holds of one block,
 * of two and so on, since searches at points would find few lengths of many. */
void versions_add_held(Choosing *x, int point);
void versions_add_held_longest(Choosing *x);
/* Of maps with a short axis, and of columns of any length, those that are quicker somewhere than all candidates there
 * are. */
void versions_add_beside(Choosing *x);

/* ---- looking at other points (versions.c, versions_again.c) ---- */
/* Of a group, at points; its divisions' forms are there after versions_begin_search, its candidates after
 * versions_begin_choosing. */
Choosing versions_begin(Group *gr, SchedLimits limits, const Machine *m, const Points *points, Ctx *temp);
void versions_begin_search(Choosing *x);
void versions_begin_choosing(Choosing *x);
/* Candidates and cases. *moved: kernels that were judged for moves. */
Chosen *versions_look(Choosing *x, int *moved);
/* Looks for candidates at so many of the points where those there are take longest; moves: kernels that are judged at
 * each for moves from the best of them, by the judge alone. */
void versions_add_for_slow(Choosing *x, int most, int moves);
/* All are compared by the same: where the judge knows one of them not, none by it. Gives whether all are by it. */
bool versions_compare_alike(Choosing *x);
/* So many points further on each time one comes to all of n, and those met lie spread out at any time. */
int versions_step(int n);
/* A candidate as a version, for all sizes. */
Version versions_version(Group *gr, const Candidate *k);

/* Candidates that are moves away from those of the cases, which take them where they are quicker. *moved: kernels that
 * were judged for that, in the whole compilation. */
void versions_move(Choosing *x, int *moved);
/* One that is moves away from the best candidate at a point, quicker there, and legal up to its lengths at least;
 * *moves, which becomes less, is how many kernels may be judged for it. */
void versions_climb(Choosing *x, int point, int *moves);
/* The same before there are cases, of the moves that versions_move has: at the likely point where most is left to be
 * gained, the first where that is a hint. */
void versions_climb_first(Choosing *x, int *moved);

#endif

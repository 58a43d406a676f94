/* What the files of semantic analysis share. A function whose result is NULL or false has reported the error.
 *
 * An export, from the top:
 *   sema.c          files, imports, exports in order          sema_export.c   an export: its parameters bound
 *   sema_check.c    check, bench and option statements        sema_results.c  types that an export gives its results
 *   sema_dims.c     dim lines: order, hints, idle ones
 * Elaboration:
 *   sema_expr.c     operators, names, conditions              sema_call.c     casts, functions on elements
 *   sema_load.c     loads, pad                                sema_reduce.c   reductions
 *   sema_rank.c     sort, argsort, topk
 *   sema_tensor.c   a call of a tensor function, inlined      sema_generics.c parameters in <>
 *   sema_facts.c    require, assume                           sema_shape.c    dimensions, dim statements, unification
 *   sema_order.c    which definition is worked out when       sema_def.c      equations
 *   sema_left.c     the left-hand side of an equation         sema_range.c    ranges from uses
 *   sema_ahead.c    ranges of lets from their readers
 * What these build on:
 *   sema_collect.c  what the statements of a function define  sema_args.c     a call's arguments by parameter
 *   sema_sub.c      proofs that subscripts are in range       sema_refuse.c   what is said where they are not
 *   sema_suggest.c  what to state for a proof to succeed      sema_pieces.c   disjoint and covering pieces
 *   sema_scatter.c  elements that data name
 *   sema_update.c   updates, new(p)                           sema_over.c     calls under index variables
 *   sema_lift.c     lets of composite reductions              sema_value.c    tensors as values
 *   sema_axis.c     what is said of whole tensors             sema_cycle.c    what is said of circles
 *   sema_typing.c   types of operators, constants             sema_syntax.c   questions about the syntax tree
 *   sema_names.c    names, scopes, types                      sema_report.c   where a report stands, what it quotes
 *
 * The files under Elaboration call each other in a circle, which tests/checks/circles.sh counts; no other file here is
 * in one. Elaboration is by need: a definition is worked out when something loads its tensor, with the Graph's tensors
 * made in that order. So an expression elaborates a load, a load the tensor, a tensor a call, a call the instance's
 * facts, shapes and definitions, and a definition its left-hand side, its ranges and again expressions. Ranges are
 * inferred on the syntax tree before an expression is built, so that every proof knows them. */
#ifndef TDC_SEMA_INT_H
#define TDC_SEMA_INT_H

#include "ir/diag.h"
#include "ir/expr_walk.h"
#include "ir/over.h"
#include "ir/poly/known.h"
#include "sema.h"

enum { MAX_CALL_DEPTH = 64, MAX_INSTANCES = 120000, MAX_EXPRS = 4000000 };

typedef struct FileScope FileScope;
typedef struct Inst Inst;
typedef struct Definition Definition;
typedef struct Scope Scope;
typedef struct Sema Sema;

/* One source file and the files that it imports. */
struct FileScope {
    AstFile *ast;
    bool library; /* imported by its bare name: the user has not written it */
    VEC(FileScope *) imports;
    ExprMap decls[DECL_STRUCT + 1]; /* by kind: Sym -> the first AstDecl of this name */
    VEC(AstDecl *) facts;           /* require and assume */
    VEC(AstDecl *) options;
    const AstDecl *order; /* dim M, N; or NULL */
};

/* A function as a value: a declaration with its file, or an operator by name. */
typedef struct FnRef {
    FileScope *file;
    const AstDecl *decl; /* NULL: builtin */
    Sym builtin;
} FnRef;

/* A tensor as a value: one of the Graph behind leading subscripts, or a constant of some shape. */
typedef struct TensorVal {
    Tensor *t; /* NULL: every element is `fill` */
    const Expr *fill;
    Type type; /* of a load: the tensor's, or the wider one of a parameter that it was passed to */
    int nlead;
    const Expr **lead;
    int rank; /* without the leading subscripts */
    const Expr **shape;
} TensorVal;

typedef enum NameKind { NAME_TYPE, NAME_VALUE, NAME_PACK, NAME_FN, NAME_TENSOR, NAME_DEF } NameKind;

typedef struct Name {
    Sym name;
    NameKind kind;
    Span span;
    Type type;
    const Expr *value; /* NAME_VALUE: dimensions, static parameters, scalars */
    Sym from;          /* of a callee's dimension: what of the argument at `given` it is, "dimension 1 of x" */
    Span given;
    ExprVec pack;
    FnRef fn;
    TensorVal *tensor;
    Definition *def;
} Name;

/* One target of one statement. */
typedef struct Equation {
    AstStmt *stmt;
    AstTarget *target;
    int part; /* which result of the value; -1: its only one */
} Equation;

typedef enum DefState { DEF_NEW, DEF_BUSY, DEF_DONE, DEF_FAILED } DefState;

/* A tensor that equations define, elaborated when something needs it. */
struct Definition {
    Sym name;
    Inst *inst;
    TensorKind kind;
    AstParam *param; /* outputs and inouts */
    VEC(Equation) pieces;
    DefState state;
    TensorVal *val;
    const Expr *scalar; /* of a let without subscripts whose value is one element */
    bool is_scalar;
    enum { NEED_NONE, NEED_FOUND, NEED_OPEN } need; /* while sema_define_needed orders definitions */
    int at;                                         /* its place in inst->defs */
    const AstExpr *by_call;                         /* an inout that is handed to a function which updates it */
    Sym by_param;                                   /* as this parameter */
    bool fresh;                                     /* an inout whose new value is read by new(p) */
    bool retyped;                                   /* a result that the export stores as `stored` */
    Type stored;
    Span span;
};

/* The equations that load elements of a tensor. */
typedef struct Readers {
    VEC(AstStmt *) v;
} Readers;

typedef struct CallMemo {
    Inst *inst;                   /* NULL: it has errors */
    ExprVec given;                /* the arguments' expressions; empty unless they depend on index variables */
    const struct CallMemo *other; /* the same call with other arguments */
} CallMemo;

/* An argument of a call as it is written. */
typedef struct Given {
    Span at;
    Type type;
    int rank; /* -1: one element */
} Given;

/* A function with its parameters bound: an export, or one call of it. */
struct Inst {
    FileScope *file;
    const AstDecl *fn;
    Inst *caller;
    Span call; /* the call, or the export statement of an instance; none of an export fn */
    VEC(Given) given;
    int depth;
    Sym prefix;  /* of tensor names; NULL in an export */
    bool broken; /* a definition was refused: what it would have defined is not missing */
    VEC(Name) names;
    ExprMap name_at; /* Sym -> its place in names */
    VEC(Definition *) defs;
    ExprMap def_of;  /* Sym -> the first one of this name */
    ExprMap calls;   /* AstExpr of a call -> CallMemo */
    ExprMap readers; /* sema_ahead.c: Sym of a tensor -> Readers, once readers_known */
    ExprMap ahead;   /* and what it found: AstItem of a let's variable -> AheadMemo */
    bool readers_known;
    Over over; /* the caller's index variables on which the arguments depend */
};

typedef struct Env {
    Inst *inst;
    const Scope *scope;
} Env;

typedef enum ScopeKind {
    SCOPE_VARS,    /* name means index variables: one, or a pack of them */
    SCOPE_VALUE,   /* name means a value: a parameter or let of a scalar function */
    SCOPE_CLOSURE, /* name means an expression of another place: the operand of a composite reduction */
    SCOPE_FORMAL,  /* name means the variables that a composite reduction was given */
} ScopeKind;

struct Scope {
    const Scope *up;
    ScopeKind kind;
    Sym name;
    bool pack;
    int n;
    Var **vars;
    const Expr *value;
    const AstExpr *ast; /* SCOPE_CLOSURE: the operand; SCOPE_FORMAL: the use, whose operands it has; both in env */
    Env env;
    const AstItems *items; /* SCOPE_FORMAL: the variables and the guard of the use */
    Inst *inst;            /* of closures and formals: the use of a composite reduction that they belong to */
    const Inst *owner;     /* not NULL: visible only to the closures of this use */
};

typedef struct Quotient {
    const Expr *value;
    const AstExpr *ast;
} Quotient;

typedef struct UnknownName {
    Sym name, defining;
} UnknownName;

struct Sema {
    Ctx *ctx;
    Graph *g;
    const SemaOptions *opt;
    FileScope *root;
    VEC(FileScope *) files;
    Module *module;
    Inst *entry;          /* the export in work */
    const Inst *inst;     /* the instance whose text is in work */
    VEC(Span) refused;    /* calls that were refused for what is wrong inside of another file's function */
    Known *known;         /* at the expression in work */
    VEC(Tensor *) lifted; /* tensors of sema_lift */
    Sym defining;         /* the name of the tensor in work */
    ExprMap refused_subs; /* subscripts that were reported, as text with the tensor in work */
    ExprMap required;     /* conditions of the Graph's `require` facts */
    ExprMap dims_used;    /* AstDecl of each dim line that has constrained something */
    int depth, instances;
    int ahead, ahead_round;   /* calls of sema_ahead: open ones, and those that were not asked by others */
    const AstDecl *recursive; /* a function that was said to call itself */
    VEC(UnknownName) unknown; /* said already */
    VEC(Quotient) quotients;  /* of integers: where they stand */
    int unguarded;            /* conditions around the expression in work that have errors */
    bool said_swapped;        /* that the branches of the if around are swapped */
    int in_subscript;         /* how many subscripts are around the expression in work */
    ExprVec *speaks_where;    /* in an assumption: takes conditions on indices under which its loads are in range */
};

/* ---- sema_report.c ---- */
/* A report about the text at span, which stands there or, where that is another file's, at the call that led there. The
 * code says whether it is an error or a warning. */
#define SEMA_REPORT(s, code, span, ...) sema_report(s, DIAG_##code, span, __VA_ARGS__)
Diag *sema_report(Sema *s, DiagCode code, Span span, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void *sema_not_yet(Sema *s, Span span, const char *what); /* NULL */
void *sema_not_called(Sema *s, const AstExpr *call);      /* whose callee is no name; NULL */
Sym sema_show(Sema *s, const Expr *e);
Sym sema_show_ast(Sema *s, const AstExpr *e);
Sym sema_quote(Sema *s, Span span);              /* the source there, or ... where it is long */
const char *sema_index_names(Sema *s, int rank); /* "i, j" */

/* ---- sema_args.c ---- */
Inst *sema_inst_new(Sema *s, FnRef f, Inst *caller, Span span);
/* Remembers an argument of the call that makes inst, for what is said where it is refused; rank -1: an element. */
void sema_given(Sema *s, Inst *inst, Span at, Type type, int rank);
/* The call's arguments by parameter; the names that are not parameters are left to the caller. */
bool sema_match_args(Sema *s, const AstDecl *fn, const AstItems *args, Span span, const AstExpr **arg);
const AstExpr *sema_named_arg(const AstItems *args, Sym name); /* NULL: not given */
int sema_param_index(const AstDecl *fn, Sym name);             /* -1: none */
bool sema_is_generic(const AstDecl *fn, Sym name);
void sema_bad_argument(Sema *s, const AstDecl *fn, const AstItem *it); /* reports a name that fn has not */
/* The parameter of inst's own that the call hands to p; reports where e is none. */
Definition *sema_inout_argument(Sema *s, Inst *inst, const AstParam *p, const AstExpr *e, const AstExpr *call);

/* ---- sema_generics.c ---- */
bool sema_bind_generics(Sema *s, Inst *inst, const AstItems *args, Env env, bool is_export);

/* ---- sema_syntax.c ---- */
bool sema_is_tensor_fn(const AstDecl *fn);
bool sema_is_reduction(Env env, const AstExpr *e); /* name[vars](operands), whatever the name is called */
bool sema_mentions(const AstExpr *e, Sym name);
/* Whether `name` subscripts the result of a call whose arguments depend on an index variable of items[from...], which
 * therefore is bound first. */
bool sema_range_waits(const AstExpr *e, Sym name, const AstItems *items, int from);
bool sema_names_dim(const AstDecl *fn, Sym name); /* occurs in the types of the header */
/* The names in e that nothing binds; without `all` only those in subscripts. */
typedef struct FreeName {
    Sym name;
    bool pack;
    Span span;
} FreeName;
typedef struct FreeNames {
    int n, cap;
    FreeName *at;
    bool hides; /* names of whole tensors count as well: they would be no subscripts */
} FreeNames;
void sema_free_names(Sema *s, Env env, const AstExpr *e, bool all, FreeNames *out);
/* The index variable in scope that runs over this extent and does not stand in the subscripts, or NULL. */
Sym sema_var_over(Sema *s, const Scope *scope, const Expr *extent, const AstItems *items);

/* ---- sema_names.c ---- */
/* In the file itself, then in its imports, the last one first; imports of imports are not visible. */
bool sema_find_decl(FileScope *file, AstDeclKind kind, Sym name, FnRef *out);
Name *sema_name(Inst *inst, Sym name);
Name *sema_bind(Sema *s, Inst *inst, Sym name, NameKind kind, Span span); /* NULL after a duplicate */
Sym sema_free_name(Sema *s, Sym name); /* for a tensor of an inlined call: no name of the entry's own */
void sema_warn_hidden(Sema *s, Inst *inst, Sym name, Span span); /* where an index variable has a tensor's name */
const Scope *sema_scope_find(const Scope *scope, Sym name);
const Scope *sema_scope_var(Sema *s, const Scope *up, Sym name, Var *v);
const Scope *sema_scope_pack(Sema *s, const Scope *up, Sym name, Var **vars, int n);
const Scope *sema_scope_push(Sema *s, const Scope *up, Scope entry);
const Scope *sema_scope_value(Sema *s, const Scope *up, Sym name, const Expr *value);
void sema_unknown(Sema *s, Env env, Sym name, Span span);
bool sema_type(Sema *s, Inst *inst, Sym name, const AstItems *args, Span span, Type *t);
void sema_unknown_function(Sema *s, Env env, Sym name, Span span);
bool sema_is_type(Inst *inst, Sym name);
bool sema_find_fn(Inst *inst, Sym name, FnRef *out); /* user functions only; no report */

/* ---- sema_export.c ---- */
Graph *sema_export(Sema *s, FileScope *file, const AstDecl *fn, const AstDecl *export_decl);

/* ---- sema_tensor.c ---- */
/* The instance that a call of a tensor function makes (once for each call); hint names its tensors. *over relates it
 * to env. */
Inst *sema_call_inst(Sema *s, Env env, const AstExpr *call, Sym hint, Over *over);
/* Binds the parameters of a function on elements that has tensors among them. */
Inst *sema_bind_call(Sema *s, Env env, const AstExpr *call, FnRef f);
TensorVal *sema_result(Sema *s, Inst *inst, const Over *over, int k, Span span);
TensorVal *sema_tensor(Sema *s, Env env, const AstExpr *e, Sym hint);

/* ---- sema_value.c ---- */
TensorVal *sema_whole(Sema *s, Tensor *t);
const Expr *sema_element(Sema *s, const TensorVal *v, const ExprVec *subs);
const Expr *sema_load_vars(Sema *s, const TensorVal *v, Var **vars); /* subscripts: these variables */

/* ---- sema_shape.c ---- */
/* Shapes of parameters against those of arguments. */
typedef struct DimPair {
    const AstExpr *ast;
    const Expr *actual;
    Span span;
    Sym what;
} DimPair;
typedef struct Unify {
    Inst *inst;
    VEC(DimPair) pairs;
    Span call;
} Unify;
bool sema_unify_add(Sema *s, Unify *u, const AstType *type, const TensorVal *val, Span span, Sym what);
bool sema_unify(Sema *s, Unify *u);
bool sema_shape(Sema *s, Inst *inst, const AstItems *dims, ExprVec *out); /* of known names */
/* The first name in the shape that inst does not bind, or NULL. */
const AstExpr *sema_unknown_dim(Inst *inst, const AstItems *dims);
bool sema_declare_dims(Sema *s, Inst *inst, const AstItems *dims); /* an export's: names become dimensions */
const Expr *sema_new_dim(Sema *s, Inst *inst, Sym name, Span span);
/* The entry is refused where a divisor in e, a length or a condition that must hold, is 0. */
void sema_no_zero_divisor(Sema *s, const AstExpr *written, const Expr *e, Span span);
/* The entry is refused where the condition, of dimensions, does not hold, unless it always does. */
void sema_require(Sema *s, const Expr *cond, Sym text, Span span);
bool sema_constrain_dim(Sema *s, Inst *inst, Sym name, const Expr *value);

/* ---- sema_results.c ---- */
/* The types that an export gives its results, once those are collected. */
bool sema_result_types(Sema *s, Inst *inst, const AstDecl *exported);

/* ---- sema_dims.c ---- */
void sema_order_dims(Sema *s);       /* those of the export in work, as the file's line of several names says */
void sema_bench_hints(Sema *s);      /* when all checks are known */
void sema_report_idle_dims(Sema *s); /* lines of the root that are about nothing; when all exports are known */

/* ---- sema_collect.c ---- */
bool sema_collect(Sema *s, Inst *inst);

/* ---- sema_facts.c ---- */
bool sema_facts(Sema *s, Inst *inst);

/* ---- sema_order.c ---- */
bool sema_define(Sema *s, Definition *d);
/* d and what it needs, in the order of the source, so that long chains do not nest. */
bool sema_define_needed(Sema *s, Definition *d);

/* ---- sema_cycle.c ---- */
void sema_report_cycle(Sema *s, const Definition *d, bool self); /* d is needed while it is worked out */

/* ---- sema_axis.c ---- */
/* Reports a reduction of a whole tensor, or along an axis by number; `whole`: the tensor that its result defines, or
 * NULL in an expression. Returns NULL. */
const Expr *sema_no_axis(Sema *s, Env env, const AstExpr *e, Sym name, Sym whole);
void sema_no_whole(Sema *s, Env env, const AstExpr *e); /* reports an operation on whole tensors */

/* ---- sema_def.c ---- */
bool sema_equations(Sema *s, Definition *d);
bool sema_store_as(Sema *s, Definition *d); /* a result that the export stores in another type, once all are defined */

/* ---- sema_pieces.c ---- */
bool sema_check_pieces(Sema *s, const Definition *d, const Tensor *t);

/* ---- sema_over.c ---- */
bool sema_over_add(Sema *s, Over *o, const Expr *e, Span span); /* the free variables of e */
/* The shape of the instance's tensor in the Graph; the tensor as the instance sees it, and as the caller does. */
bool sema_over_shape(Sema *s, const Over *o, const ExprVec *shape, Span span, ExprVec *out);
TensorVal *sema_over_whole(Sema *s, const Over *o, Tensor *t);
TensorVal *sema_over_value(Sema *s, const Over *o, const TensorVal *v);

/* ---- sema_update.c ---- */
/* Makes pieces (op[i]: what joins pieces[i].value, not yet stored, with the element) into definitions by =: the pieces
 * that they were, or *plain, one of the whole tensor. */
bool sema_update(Sema *s, const Definition *d, const TensorVal *t, Piece *pieces, const AstAssign *op, int *n,
                 bool *plain);

/* A tensor that holds all of old's elements after the pieces, whose values it may name. */
TensorVal *sema_new_value(Sema *s, const Definition *d, Tensor *old, Piece *pieces, int n);

/* ---- sema_scatter.c ---- */
/* One of the pieces may name its elements by data, of which the last value counts: that and the others become pieces
 * without such, as in sema_update. The definition's tensor has this type and shape. */
bool sema_scatter(Sema *s, const Definition *d, const TensorVal *t, Piece *pieces, int *n, bool *plain);

/* ---- sema_typing.c ---- */
const Expr *sema_apply(Sema *s, Span span, Op op, const Expr *const *args, int n);
const Expr *sema_to(Sema *s, Span span, Type t, const Expr *e);    /* widening; else an error */
const Expr *sema_store(Sema *s, Span span, Type t, const Expr *e); /* what a definition of type t takes */
const char *sema_describe(const Expr *e);                          /* its type, or what literal it is */
bool sema_const_int(const Expr *e, int64_t *v);
bool sema_const_double(const Expr *e, double *v);

/* ---- sema_expr.c ---- */
const Expr *sema_expr(Sema *s, Env env, const AstExpr *e);
const Expr *sema_cond(Sema *s, Env env, const AstExpr *e);
const Expr *sema_int(Sema *s, Env env, const AstExpr *e); /* an i64 */
/* Where an operand of a composite reduction (SCOPE_CLOSURE) is evaluated when env needs it: where the reduction is
 * used, with the variables that it has made so far. */
Env sema_use_env(Sema *s, Env env, const Scope *sc);

/* ---- sema_load.c ---- */
const Expr *sema_load(Sema *s, Env env, const AstExpr *e);
const Expr *sema_pad(Sema *s, Env env, const AstExpr *call);
bool sema_subs(Sema *s, Env env, const AstItems *items, const TensorVal *v, ExprVec *subs, bool *rest);

/* ---- sema_sub.c ---- */
/* A subscript: where it stands and what it indexes. */
typedef struct SubPlace {
    Span span;           /* of the subscript; of the target on a left-hand side */
    const AstExpr *load; /* NULL: the left-hand side of a definition of `name` */
    Sym name;            /* of the tensor, or NULL */
    Type type;
    const Expr *extent;
    int axis;
    Span declared; /* the tensor's declaration */
    const Scope *scope;
    const ExprVec *subs; /* of a load, else NULL: all its subscripts */
    ExprVec *nonempty;   /* of a load, else NULL: takes the conditions on variables' ranges that it is in range under */
} SubPlace;
/* Reports a subscript that may be out of range. Arithmetic of i32 in it becomes that of i64 where the proof needs that.
 */
bool sema_check_sub(Sema *s, const Expr **sub, const SubPlace *at);
bool sema_sub_is_plain(const Expr *sub, const Expr *extent); /* a variable over the extent: it needs no proof */

/* ---- sema_refuse.c ---- */
/* Reports that the subscript is out of range, or not proved in it: `low` below 0, else at its upper end. */
void sema_refuse_sub(Sema *s, const Expr *sub, bool low, const SubPlace *at);

/* ---- sema_suggest.c ---- */
const Expr *sema_wide(Sema *s, const Expr *sub); /* with arithmetic that could wrap in i32 done in i64 */
const Expr *sema_room_above(Sema *s, const Expr *sub, const Expr *extent); /* extent - 1 - sub */
bool sema_in_range(Sema *s, const Expr *sub, const Expr *extent);
/* The condition on the extent, that it is a multiple of a number, under which sub is in range; NULL: there is none. */
const Expr *sema_suggest_multiple(Sema *s, const Expr *sub, const Expr *extent);
/* What to assume of the inputs that sub, and the conditions around it, load, so that it is in range; NULL: unknown. */
Sym sema_suggest_assume(Sema *s, const Expr *sub, const Expr *extent);

/* ---- sema_call.c ---- */
const Expr *sema_call(Sema *s, Env env, const AstExpr *e);
/* The expression that a body on elements returns (of a function or of a reduction); env gets its lets. */
const AstExpr *sema_body_return(Sema *s, Env *env);
/* What a function on elements returns, its parameters bound in env. */
const Expr *sema_fn_value(Sema *s, Env env);

/* ---- sema_reduce.c ---- */
/* Result number `part` of a reduction that has several; -1: the only one. */
const Expr *sema_reduce(Sema *s, Env env, const AstExpr *e, int part);
/* The first operand of the reduction, with its variables and what guards it. */
const Expr *sema_reduced(Sema *s, Env env, const AstExpr *e, VarVec *vars, const Expr **guard);

/* ---- sema_rank.c ---- */
bool sema_is_ranking(Env env, const AstExpr *e); /* sort[i](operands) and the like */
/* Whether `name`, of the left-hand side, is the rank: nothing in the ranking names it. */
bool sema_is_rank(Sema *s, Env env, const AstExpr *e, Sym name);
const Expr *sema_rank_count(Sema *s, Env env, const AstExpr *e); /* how many ranks there are */
/* Result number `part` of a ranking (-1: the only one), where env has the left-hand side's variables; `alone`: it is
 * all that stands behind =. */
const Expr *sema_rank(Sema *s, Env env, const AstExpr *e, int part, bool alone);

/* ---- sema_lift.c ---- */
/* v itself, or the load of a tensor that holds it; the first only where v reduces. */
const Expr *sema_lift(Sema *s, Sym name, const Expr *v);
const Expr *sema_lift_any(Sema *s, Sym name, const Expr *v);
/* Whether a tensor may have a dimension for the variable: it runs from 0 to something that is the same everywhere. */
bool sema_is_axis(Sema *s, const Var *v);
/* A tensor that was lifted before and has this value over such variables; NULL: there is none. */
Tensor *sema_lifted(Sema *s, const VarVec *vars, const Expr *v);
void sema_free_vars(Sema *s, const Expr *e, VarVec *out); /* each once */

/* ---- sema_range.c ---- */
/* Where in `roots` a variable (or a pack) is used plainly, and the range that follows. */
typedef struct RangeQuery {
    Env env;
    Sym name;
    bool pack;
    Span span;
    VEC(const AstExpr *) roots;
    const Expr *otherwise; /* the answer where there is no use (NULL: none) */
    bool shifted;          /* else a use inside arithmetic is one: the dimension that it indexes */
    Definition *let;       /* NULL, or the let whose readers are asked where there is no use */
    bool quiet;            /* nothing is elaborated or reported: tensors that are not made yet say nothing */
    Span from;             /* the answer's: the use that gives the range */
} RangeQuery;
bool sema_infer_var(Sema *s, RangeQuery *q, const Expr **hi);
bool sema_infer_pack(Sema *s, RangeQuery *q, ExprVec *his);

/* ---- sema_ahead.c ---- */
/* A load of the let in another equation, over 0..hi. */
typedef struct AheadUse {
    const Expr *hi;
    Span span;
} AheadUse;
/* How far the variable `name` of the let's left-hand side runs, where all equations that read the let agree; else NULL.
 * Where two disagree and conflict is not NULL, it takes these two. Reports nothing. */
const Expr *sema_ahead(Sema *s, Definition *let, Sym name, AheadUse conflict[2]);

/* ---- sema_check.c ---- */
bool sema_option(Sema *s, const AstStmt *st, Options *out); /* one statement */
/* What holds for the entry fn that the file exports: its own options, else the file's. */
bool sema_options(Sema *s, const FileScope *file, const AstDecl *fn, Options *out);
void sema_check_stmt(Sema *s, AstDecl *d);

#endif

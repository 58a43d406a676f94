/* Graph: what each element of each tensor is. One immutable, hash-consed expression node serves for
 * everything; a tensor is a shape, a type and defining expressions over its index variables. Nothing in a
 * Graph says in what order, on which thread or in which memory anything is computed. */
#ifndef TDC_GRAPH_H
#define TDC_GRAPH_H

#include "base.h"
#include "options.h"

typedef enum Type {
#define TYPE(e, ...) TY_##e,
#include "types.def"
#undef TYPE
    TY_COUNT
} Type;

typedef enum TypeClass { CLASS_FLOAT, CLASS_SINT, CLASS_UINT, CLASS_BOOL } TypeClass;

typedef enum Op {
#define OP(e, ...) OP_##e,
#include "ops.def"
#undef OP
    OP_COUNT
} Op;

typedef enum OpForm { FORM_LEAF, FORM_INFIX, FORM_PREFIX, FORM_CALL, FORM_FORM } OpForm;
typedef enum OpRule {
    RULE_NONE,
    RULE_ARITH,
    RULE_FLOAT,
    RULE_INT,
    RULE_LOGIC,
    RULE_COMPARE,
    RULE_TEST,
    RULE_SELECT,
    RULE_RANDOM
} OpRule;
/* How an operator is computed on the host, and what is said of its derivatives: columns of ops.def. */
typedef enum OpHost { HOST_NONE, HOST_LIBM, HOST_GLUE } OpHost;
typedef enum OpSlope { SLOPE_D, SLOPE_FLAT, SLOPE_OWN, SLOPE_UNSAID } OpSlope;
/* How the operands of a comparison may lie; sets of these. UNORDERED: one is NaN. */
enum { OUTCOME_LESS = 1, OUTCOME_EQUAL = 2, OUTCOME_GREATER = 4, OUTCOME_UNORDERED = 8 };

/* A set of types, of rules and monoids. */
typedef enum RuleTypes { RULES_FLOAT, RULES_INT, RULES_SIGNED, RULES_NUM, RULES_SNUM, RULES_ANY, RULES_BOOL } RuleTypes;
bool rule_has_type(RuleTypes set, Type t);

typedef enum MonoidKind {
#define MONOID(e, name, parts, indexed, types, commutes, idempotent, atomic, wide, best, floats, others) MONOID_##e,
#include "monoids.def"
#undef MONOID
    MONOID_COUNT,
    MONOID_DECLARED = MONOID_COUNT
} MonoidKind;

enum { MAX_PARTS = 8 /* of a monoid's state */ };
enum { MAX_RANK = 12, MAX_NEST = 256, MAX_DEPTH = 4096 /* Expr.depth: the frontend and the readers hold it */ };

typedef struct Expr Expr;
typedef struct Tensor Tensor;

/* A dimension of an entry: a non-negative integer the caller binds. lo <= value <= hi, value % divisor == 0. */
typedef struct Dim {
    Sym name;
    int64_t lo, hi, hint, divisor; /* without constraints: 0, INT64_MAX, 0 (no hint), 1 */
    bool benched;                  /* the hint is the largest size of a bench line */
    bool has_default;              /* checks and runs take `def` where nothing is given */
    int64_t def;
    int id;
} Dim;

typedef struct Scalar {
    Sym name;
    Type type;
    bool has_default;
    double def;
    int id;
    Span span;
} Scalar;

/* An index variable and its half-open range. Each binding (a tensor's definition, a reduction) has its own. */
typedef struct Var {
    Sym name;
    const Expr *lo, *hi;
    const Expr *node; /* what expr_var has made of it; NULL: nothing yet */
    int id;
    Span span; /* of the source that gives the range */
} Var;

/* An associative operation on states of n parts (monoid.h). */
typedef struct Monoid {
    Sym name;
    MonoidKind kind;
    bool ordered; /* it does not commute: what is folded is folded in the order of its index */
    bool indexed; /* the last operand is the index, which reductions do not write */
    int n;
    Sym part[MAX_PARTS]; /* their names */
    Type type[MAX_PARTS];
    const Expr *identity[MAX_PARTS];
    const Expr *combine[MAX_PARTS]; /* of OP_ARG 0..n-1, the left state, and n..2n-1, the right one */
} Monoid;

/* One part of what a fold over the variables' values, in lexicographic order, leaves. Reductions that differ in the
 * part alone are parts of one fold. */
typedef struct Reduce {
    const Monoid *monoid; /* a declared one, or a row (monoid_row), whose types follow from the operand */
    int part;             /* of rows: the last one */
    int nvars;
    Var **vars; /* later ranges may use earlier variables and outer ones */
} Reduce;

struct Expr {
    Op op;
    Type type;
    bool untyped; /* an OP_CONST literal that takes the other operand's type; only while the frontend works */
    bool reduces; /* is an OP_REDUCE, or holds one */
    bool loads;   /* is an OP_LOAD, or holds one among its operands */
    int nargs;
    int id;    /* order of creation: a total order that two runs share */
    int depth; /* 1 for leaves: what a recursion over the node costs; the frontend bounds it */
    union {
        int64_t i;
        double f;
        Var *var;
        Dim *dim;
        Scalar *scalar;
        Tensor *tensor;
        Reduce *reduce;
        struct Value *value;   /* kernel.h */
        struct Factor *factor; /* kernel.h */
        void *key;
    } u;
    const Expr *arg[];
};

typedef enum TensorKind { TENSOR_INPUT, TENSOR_INOUT, TENSOR_OUTPUT, TENSOR_LET } TensorKind;

typedef VEC(const Expr *) ExprVec;
typedef VEC(Var *) VarVec;

/* One defining equation: tensor[subs] = value where guard, for all values of vars in their ranges. A plain definition
 * has subs[d] = vars[d] and no guard (NULL). An update, which stands behind the equations that define the elements,
 * folds its values into what these say (or into an inout's old value): its subscripts may name an element often, and
 * the values come in any order. */
typedef struct Piece {
    int nvars;
    Var **vars;
    const Expr **subs; /* rank of them */
    const Expr *guard;
    const Expr *value;    /* of the tensor's compute type, or of its own type */
    const Monoid *update; /* a row with an atomic, which an update folds by; NULL: this is none */
    Span span;
} Piece;

/* Keys put in order, stably; lets of i32 without pieces say in which. There are two kinds.
 * Of keys below a bound the elements have numbers, 0, 1, ... in row-major order. `order` has these numbers in the order
 * of the keys; keys outside of 0..below come last. Of `starts`, which has below + 1 elements, starts[v] says how many
 * of the keys inside are less than v: the numbers of those that are v stand at starts[v]..starts[v + 1] of `order`.
 * A rank (no bound, no starts) puts each row of the keys, along their last dimension, in an order of its own:
 * order[b, r] is where in row b the element of rank r stands. It may have fewer ranks than a row has elements. NaNs
 * come last, ascending and descending; zeros are equal whatever their signs. */
typedef struct Sort {
    Tensor *keys;      /* of 8 bits or more, integers where there is a bound, else numbers; a let or a parameter, whose
                          values before are meant */
    const Expr *below; /* NULL: a rank */
    bool ascends;      /* of keys below a bound: the program says that each is 0 at least and the next one no less, so
                          the order is that of the numbers, and nobody asks for it */
    bool descending;   /* of a rank */
    Tensor *order, *starts;
    Span span;
} Sort;
static inline bool sort_ranks(const Sort *s) { return !s->below; }
bool type_ranks(Type t); /* whether keys of a rank may be of it: floats of 16 bits or more, integers of 8 */
static inline const char *sort_direction(const Sort *s) { return s->descending ? "descending" : "ascending"; }

struct Tensor {
    Sym name;
    TensorKind kind;
    Type type;         /* elements; a TENSOR_LET without a declared type has its expression's compute type */
    bool rounds;       /* a value is rounded to `type` wherever the tensor is used */
    bool partial;      /* of a temporary: some elements may stay unwritten, and nothing reads those */
    bool usually_zero; /* of a temporary: what is done where it is more is needed for special data alone */
    int rank;
    const Expr **shape; /* integer expressions over dimensions */
    VEC(Piece) pieces;  /* empty for inputs, and what a sort defines */
    const Sort *sort;   /* a let that is the order or the starts of this one; else NULL */
    int id;
    Span span;
};

/* assume and require: true for all values of the free index variables. */
typedef struct Fact {
    const Expr *cond;
    bool require; /* checked on the host at entry; otherwise assumed */
    Sym text;     /* a require's message */
    int nvars;
    Var **vars;
    Span span;
} Fact;

/* One entry point. Tensors stand so that each one's definition loads only tensors before it (parameters first). */
/* A value for a dimension or a scalar. */
typedef struct Binding {
    Sym name;
    double value;
    int64_t ivalue;
} Binding;

typedef struct Graph {
    Ctx *ctx;
    Sym name;
    Sym doc;               /* the text of the /// lines before its export, or NULL; no part of the Graph's text */
    VEC(Dim *) dims;       /* in the order of the C interface */
    VEC(Scalar *) scalars; /* in the order of the C interface */
    VEC(Monoid *) monoids; /* declared ones */
    VEC(Binding) fixed;    /* dimensions that it had, with the values that -D gave them */
    VEC(Tensor *) tensors;
    VEC(Tensor *) params; /* those that are no TENSOR_LET, in the order of the C interface */
    VEC(Sort *) sorts;
    VEC(Fact) facts;
    Options options;
    bool host; /* a function of the host: no inputs, one output of rank 0, whose value has no loads and no reductions */
    struct ExprTable *exprs;
    struct GraphNames *names;
    struct PlaceVars *places;
    struct MonoidRows *rows; /* monoid_of's answers; NULL: none yet */
    int next_id;
    Span span;
} Graph;

/* How check draws an input: standard normal times scale, or uniform in lo..hi. */
typedef struct InputSpec {
    Sym name;
    bool uniform;
    double lo, hi, scale;
} InputSpec;

/* A check or bench statement. */
typedef struct Check {
    Sym entry;
    bool bench;
    VEC(Binding) bindings; /* dimensions and scalars by name */
    VEC(InputSpec) inputs;
    double tol; /* < 0: by the coarsest type on the way */
    Sym error;  /* NULL, or the text of the refusal that is expected */
    Span span;
} Check;

typedef struct Module {
    Ctx *ctx;
    VEC(Graph *) graphs;
    VEC(Check) checks;
} Module;

/* ---- tables (types.c) ---- */
/* A row of types.def, which says what the fields are. */
typedef struct TypeRow {
    const char *name;
    int bits;
    TypeClass cls;
    Type acc;
    int digits, exponent;
    double largest;
    bool saturates;
    const char *memory, *value, *host, *element, *numpy, *npy;
    int dlpack;
} TypeRow;
const TypeRow *type_row(Type t);
const char *type_name(Type t);
int type_bits(Type t);
TypeClass type_class(Type t);
Type type_acc(Type t); /* acc(T): the type that arithmetic on T has */
bool type_is_float(Type t);
bool type_is_int(Type t);
bool type_is_compute(Type t);                               /* arithmetic is done in it: f64 f32 i64 i32 u32 */
bool type_int_range(Type t, int64_t *least, int64_t *most); /* integers and bool; false for floats */
bool type_by_name(Sym name, Type *t);
const char *op_text(Op op);
int op_arity(Op op);
OpForm op_form(Op op);
OpRule op_rule(Op op);
const char *op_device(Op op); /* the prelude's function, or NULL */
const char *op_fast(Op op);   /* the prelude's faster one of f32, or NULL */
const char *op_under(Op op);  /* and of f32 below 0, as exact as the result at 0 asks for, or NULL */
OpHost op_host(Op op);
const char *op_libm(Op op); /* math.h's function where op_host is HOST_LIBM, or NULL */
OpSlope op_slope(Op op);
const char *op_derivative(Op op, int arg); /* by operand arg, as text, where op_slope is SLOPE_D (pattern.h reads it) */
/* Of a comparison: the outcomes for which it holds; 0 for other operators. */
unsigned op_outcomes(Op op);
Op op_negated(Op op); /* of a comparison: what holds of integers where it does not; other operators as they are */
Op op_swapped(Op op); /* of a comparison: what says the same of exchanged operands; other operators as they are */
const Monoid *monoid_row(MonoidKind kind);  /* without types, identities and combine, which follow from the type */
bool monoid_folds(MonoidKind kind, Type t); /* whether a row's T may be t */
/* Whether it takes one of two states, whole: that of which *best, OP_MAX or OP_MIN, gives the first part; of equal ones
 * that of the lower index. Not known of declared ones. */
bool monoid_selects(MonoidKind kind, Op *best);
bool monoid_idempotent(MonoidKind kind);    /* an operand may be folded twice; not known of declared ones */
const char *monoid_atomic(MonoidKind kind); /* NAME of the prelude's td_atomic_NAME; NULL: there is none */
/* Whether an instruction of some target does it on several elements that lie together. */
bool monoid_atomic_wide(MonoidKind kind, Type t);
/* Whether the atomic is a loop around an exchange: no device has an instruction for it. */
bool monoid_exchanged(MonoidKind kind, Type t);
/* Whether values may be folded into memory in the order in which threads come: where that cannot be seen, or where the
 * options allow that it is. */
bool monoid_updates(MonoidKind kind, Type t, const Options *o);
const char *monoid_text(MonoidKind kind, Type t); /* the declaration of a row after the name, for this T */
/* One that the Graph (NULL: none) declares, or a row; NULL: there is none of this name. */
const Monoid *monoid_named(const Graph *g, Sym name);
static inline bool monoid_declared(const Monoid *m) { return m->kind == MONOID_DECLARED; }
/* How many operands a reduction writes: one a part, but for the index. */
static inline int monoid_operands(const Monoid *m) { return m->n - m->indexed; }

/* ---- building (graph.c): equal nodes are one pointer; nothing is simplified ---- */
Graph *graph_new(Ctx *ctx, Sym name);
/* From here to graph_scratch_end what is made in the Graph is in temp and leaves nothing behind: for questions about
 * it. Only expressions may be made. */
typedef struct GraphScratch {
    Ctx *ctx;
    struct ExprTable *exprs;
    struct MonoidRows *rows;
} GraphScratch;
GraphScratch graph_scratch(Graph *g, Ctx *temp);
void graph_scratch_end(Graph *g, GraphScratch before);
Dim *graph_dim(Graph *g, Sym name); /* finds or makes */
Scalar *graph_scalar(Graph *g, Sym name, Type t);
/* A TENSOR_LET whose name is taken gets a number appended; any other tensor becomes the last parameter. */
Tensor *graph_tensor(Graph *g, Sym name, TensorKind kind, Type t, int rank, const Expr *const *shape);
Var *graph_var(Graph *g, Sym name, const Expr *lo, const Expr *hi);
/* The variable of a place with this name and the range of `like`, one for all that ask. The first names a let's. */
typedef enum PlaceOf { PLACE_LET, PLACE_TEMP, PLACE_AXIS, PLACE_FOLD, PLACE_KINDS } PlaceOf;
Var *graph_place_var(Graph *g, PlaceOf of, int place, Sym name, const Var *like);
/* Whether a dimension, scalar or tensor has the name, or it was taken for something else that must differ from
 * those. */
bool graph_name_taken(const Graph *g, Sym name);
void graph_take_name(Graph *g, Sym name);
Tensor *graph_find_tensor(const Graph *g, Sym name); /* the first of this name, or NULL */
/* Makes a sort of the keys what defines the two lets, which have no pieces. */
Sort *graph_sort(Graph *g, Tensor *keys, const Expr *below, Tensor *order, Tensor *starts);
/* And a rank of their rows what defines the order. */
Sort *graph_rank(Graph *g, Tensor *keys, bool descending, Tensor *order);
/* How many elements a tensor has. */
const Expr *tensor_size(Graph *g, const Tensor *t);

const Expr *expr_int(Graph *g, Type t, int64_t v); /* integers and bool */
const Expr *expr_float(Graph *g, Type t, double v);
const Expr *expr_literal(Graph *g, bool is_float, int64_t i, double f); /* untyped */
const Expr *expr_var(Graph *g, Var *v);
const Expr *expr_dim(Graph *g, Dim *d);
const Expr *expr_aligned(Graph *g); /* OP_ALIGNED */
const Expr *expr_scalar(Graph *g, Scalar *s);
const Expr *expr_load(Graph *g, Tensor *t, const Expr *const *subs);
const Expr *expr_cast(Graph *g, Type t, const Expr *e); /* e itself where it has type t */
/* By a row of monoids.def; guard NULL: everywhere. */
const Expr *expr_reduce(Graph *g, Reduce *r, const Expr *guard, const Expr *body);
/* By any monoid: monoid_operands of them, of the types of its parts. */
const Expr *expr_reduce_parts(Graph *g, Reduce *r, const Expr *guard, const Expr *const *operands);
/* Of an untyped body, which gives it no type yet. */
const Expr *expr_reduce_untyped(Graph *g, Reduce *r, const Expr *guard, const Expr *body);
/* Operators of ops.def with a rule: the result's type follows from it. Operands must already fit (graph_verify). */
const Expr *expr_op(Graph *g, Op op, const Expr *const *args, int nargs);
const Expr *expr1(Graph *g, Op op, const Expr *a);
const Expr *expr2(Graph *g, Op op, const Expr *a, const Expr *b);
const Expr *expr3(Graph *g, Op op, const Expr *a, const Expr *b, const Expr *c);
/* Any node at all: the one way in, which the others call. key is what u holds. Not for leaves of expr_leaf. */
const Expr *expr_node(Graph *g, Op op, Type t, bool untyped, int64_t key, const Expr *const *args, int nargs);

/* A leaf for what keeps it, and asks for it once: nothing else finds it. */
const Expr *expr_leaf(Graph *g, Op op, Type t, const void *key);
/* e with other operands; e itself where they are its own. */
const Expr *expr_with(Graph *g, const Expr *e, const Expr *const *args);

/* ---- typing (typing.c) ---- */
bool expr_rule_holds(const Expr *e); /* its operands and its type are what the operator's rule says */
/* The same operators with the language's typing: literals take the other operand's type, index integers convert beside
 * floats, 16- and 8-bit types widen to acc(T), comparisons meet in the wider. NULL where no rule fits (bool +
 * float...). */
const Expr *expr_apply(Graph *g, Op op, const Expr *const *args, int nargs);
/* An untyped literal (or an expression of such) becomes type t; an index integer becomes a float; else NULL if t is
 * narrower. */
const Expr *expr_convert(Graph *g, Type t, const Expr *e);

/* An untyped expression takes the type it has by itself: i64, or f32 where it has a float. Others are returned as they
 * are. */
const Expr *expr_settle(Graph *g, const Expr *e);

/* ---- any expression (graph.c; more in expr_is.h and expr_walk.h) ---- */
bool expr_is_int(const Expr *e, int64_t *v); /* an integer constant */
/* A mark: `value` is what the let t has at the subscripts, written in where it was read. All free variables of the
 * value are among those of the subscripts. */
const Expr *expr_mark(Graph *g, Tensor *t, const Expr *value, const Expr *const *subs);
static inline bool expr_is_mark(const Expr *e) { return e->op == OP_MARK; }
/* e with every use of from[i] (variables, or any nodes by identity) replaced by to[i] (expr_walk.c). A reduction has
 * new variables where that changes a range of it, and its own else. */
const Expr *expr_replace(Graph *g, const Expr *e, const Expr *const *from, const Expr *const *to, int n);

/* ---- text (expr_print.c, graph_print.c, graph_read.c) ---- */
enum { TEXT_FORMAT = 1 }; /* of the texts of Graphs and of kernels: counts up where what it reads changes its meaning */
/* Names of leaves that Graph does not own (values and factors of kernels); NULL: none occur. */
typedef struct LeafNames {
    void (*print)(void *user, Text *out, const Expr *leaf);
    void *user;
} LeafNames;
void expr_print(Text *out, const Expr *e, const LeafNames *leaves);
void graph_print(Text *out, const Graph *g);
/* Reads one graph; NULL after reporting to the diagnostics. */
Graph *graph_read(Ctx *ctx, const char *text, size_t n, int file);
/* A file of Graphs, each an entry, and of `check NAME(M = 5) tol 1e-3` after them. */
Module *graph_read_module(Ctx *ctx, const char *text, size_t n, int file);

/* ---- verifier (graph_verify.c): false after saying what is wrong in *why ---- */
bool graph_verify(Graph *g, Text *why);

#endif

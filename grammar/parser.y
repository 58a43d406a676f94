/* The grammar of td for Lemon. Each action is one call of a constructor in frontend/ast.c; conflicts fail the build.
 * How a token stream is driven through it, errors are worded and parsing goes on after them is in the code at the end.
 * The words W_... are keywords only where the grammar wants them, and names elsewhere. */
%name Td
%token_prefix TK_
%token_type {Token}
%extra_argument {Parse *p}
%stack_size 4096
%include {
#define NDEBUG 1 /* Lemon's tracing needs a global */
#include "frontend/ast_build.h"
#include <string.h>
static void grammar_error(Parse *p, void *parser, int found, Token t);
static void grammar_overflow(Parse *p);
}
%syntax_error { grammar_error(p, yypParser, yymajor, TOKEN); }
%stack_overflow { grammar_overflow(p); }
%start_symbol file

%fallback IDENT W_HINT W_DIVISIBLE W_WITH W_TOL W_ERROR.

%right ELSE.
%left OROR.
%left ANDAND.
%nonassoc EQEQ NE LT LE GT GE.
%left BAR.
%left CARET.
%left AMP.
%left SHL SHR.
%left PLUS MINUS.
%left STAR SLASH PERCENT.
%right NOT.
%right POW.

file ::= decls.
decls ::= .
decls ::= decls decl(D). { ast_add_decl(p, D); }

// ---- declarations ----
%type decl {AstDecl *}
%type dim {AstDecl *}
%type fn {AstDecl *}
%type fn_head {AstDecl *}
%type fn_name {AstDecl *}
%type reduce {AstDecl *}
%type check {AstDecl *}
%type draws {AstDecl *}
decl(D) ::= error RESYNC. { D = NULL; }
decl(D) ::= IMPORT(W) STRING(S) SEMI(E). { D = ast_import(p, W, S, E); }
decl(D) ::= dim(X) SEMI(E). { D = ast_close(p, X, E); }
decl(D) ::= fn(F). { D = F; }
decl(D) ::= EXPORT(W) fn(F). { D = ast_export(p, W, F); }
decl(D) ::= EXPORT(W) IDENT(N) ASSIGN expr(V) SEMI(E). { D = ast_export_instance(p, W, N, V, E); }
decl(D) ::= EXTERN(W) fn_head(F) ASSIGN STRING(S) SEMI(E). { D = ast_extern(p, W, F, S, E); }
decl(D) ::= STRUCT(W) IDENT(N) generics(G) LC fields(F) RC(E). { D = ast_struct(p, W, N, G, F, E); }
decl(D) ::= reduce(R) LC stmts(B) RC(E). { D = ast_body(p, R, B, NULL, E); }
decl(D) ::= reduce(R) ASSIGN expr(V) SEMI(E). { D = ast_body(p, R, NULL, V, E); }
decl(D) ::= check(C) SEMI(E). { D = ast_close(p, C, E); }
decl(D) ::= option(S). { D = ast_decl_stmt(p, DECL_OPTION, S); }
decl(D) ::= require(S). { D = ast_decl_stmt(p, DECL_REQUIRE, S); }
decl(D) ::= assume(S). { D = ast_decl_stmt(p, DECL_ASSUME, S); }

dim(D) ::= DIM(W) IDENT(N). { D = ast_decl(p, DECL_DIM, W, N, N); }
dim(D) ::= dim(X) IN(W) hatom(L) DOTDOT hatom(H). { D = ast_dim_range(p, X, W, L, H, false); }
dim(D) ::= dim(X) IN(W) hatom(L) DOTDOTEQ hatom(H). { D = ast_dim_range(p, X, W, L, H, true); }
dim(D) ::= dim(X) W_HINT(W) hatom(V). { D = ast_dim_clause(p, X, W, V); }
dim(D) ::= dim(X) W_DIVISIBLE(W) hatom(V). { D = ast_dim_clause(p, X, W, V); }
dim(D) ::= dim(X) RAGGED(W). { D = ast_dim_later(p, X, W); }
dim(D) ::= dim(X) SHARD(W). { D = ast_dim_later(p, X, W); }

fn(D) ::= fn_head(F) LC stmts(B) RC(E). { D = ast_body(p, F, B, NULL, E); }
fn(D) ::= fn_head(F) ASSIGN expr(V) SEMI(E). { D = ast_body(p, F, NULL, V, E); }
fn_head(D) ::= fn_name(F). { D = F; }
fn_head(D) ::= fn_name(F) ARROW LP param_list(R) RP. { D = ast_fn_results(F, R, NULL); }
fn_head(D) ::= fn_name(F) ARROW type(T). { D = ast_fn_results(F, NULL, T); }
fn_name(D) ::= FN(W) IDENT(N) generics(G) LP params(P) RP. { D = ast_fn(p, W, N, G, P); }

reduce(D) ::= REDUCE(W) IDENT(N) LB items(V) RB LP params(P) RP. { D = ast_reduce(p, W, N, V, P); }

check(D) ::= CHECK(W) IDENT(N) LP items(A) RP(E). { D = ast_check(p, DECL_CHECK, W, N, A, E); }
check(D) ::= BENCH(W) IDENT(N) LP items(A) RP(E). { D = ast_check(p, DECL_BENCH, W, N, A, E); }
check(D) ::= draws(C). { D = C; }
check(D) ::= check(C) W_TOL(W) expr(V). { D = ast_check_tol(p, C, W, V); }
check(D) ::= check(C) W_ERROR(W) STRING(S). { D = ast_check_error(p, C, W, S); }
draws(D) ::= check(C) W_WITH IDENT(N) IN expr(L) DOTDOT expr(H). { D = ast_check_draw(p, C, N, L, H, NULL); }
draws(D) ::= check(C) W_WITH IDENT(N) IN expr(L) DOTDOTEQ expr(H). { D = ast_check_draw(p, C, N, L, ast_past(p, H), NULL); }
draws(D) ::= check(C) W_WITH IDENT(N) TILDE expr(V). { D = ast_check_draw(p, C, N, NULL, NULL, V); }
draws(D) ::= draws(C) COMMA IDENT(N) IN expr(L) DOTDOT expr(H). { D = ast_check_draw(p, C, N, L, H, NULL); }
draws(D) ::= draws(C) COMMA IDENT(N) IN expr(L) DOTDOTEQ expr(H). { D = ast_check_draw(p, C, N, L, ast_past(p, H), NULL); }
draws(D) ::= draws(C) COMMA IDENT(N) TILDE expr(V). { D = ast_check_draw(p, C, N, NULL, NULL, V); }

%type generics {AstGenerics *}
%type generic_list {AstGenerics *}
%type generic {AstGeneric}
%type kind {Token}
generics(G) ::= . { G = NULL; }
generics(G) ::= LT generic_list(L) GT. { G = L; }
generic_list(L) ::= generic(G). { L = ast_generics(p, NULL, G); }
generic_list(L) ::= generic_list(X) COMMA generic(G). { L = ast_generics(p, X, G); }
generic(G) ::= IDENT(N). { G = ast_generic(p, N, (Token){0}, NULL); }
generic(G) ::= IDENT(N) COLON kind(K). { G = ast_generic(p, N, K, NULL); }
generic(G) ::= IDENT(N) COLON kind(K) ASSIGN hatom(V). { G = ast_generic(p, N, K, V); }
kind(K) ::= IDENT(T). { K = T; }
kind(K) ::= TYPE(T). { K = T; }
kind(K) ::= FN(T). { K = T; }

%type params {AstParams *}
%type param_list {AstParams *}
%type fields {AstParams *}
%type param {AstParam}
%type param_default {AstExpr *}
params(L) ::= . { L = NULL; }
params(L) ::= param_list(X). { L = X; }
param_list(L) ::= param(A). { L = ast_params(p, NULL, A); }
param_list(L) ::= param_list(X) COMMA param(A). { L = ast_params(p, X, A); }
param(A) ::= IDENT(N) param_default(V). { A = ast_param(p, false, N, NULL, V); }
param(A) ::= IDENT(N) COLON type(T) param_default(V). { A = ast_param(p, false, N, T, V); }
param(A) ::= INOUT IDENT(N) COLON type(T). { A = ast_param(p, true, N, T, NULL); }
param_default(V) ::= . { V = NULL; }
param_default(V) ::= ASSIGN hatom(X). { V = X; }
fields(L) ::= . { L = NULL; }
fields(L) ::= fields(X) error RESYNC. { L = X; }
fields(L) ::= fields(X) IDENT(N) COLON type(T) SEMI. { L = ast_params(p, X, ast_param(p, false, N, T, NULL)); }

%type type {AstType *}
%type type_name {AstType *}
type(T) ::= type_name(N). { T = N; }
type(T) ::= type_name(N) LB(O) items(D) RB(E). { T = ast_type_dims(p, N, O, D, E); }
type_name(T) ::= TYPE(N). { T = ast_type(p, N, NULL, N); }
type_name(T) ::= IDENT(N). { T = ast_type(p, N, NULL, N); }
type_name(T) ::= IDENT(N) LP items(A) RP(E). { T = ast_type(p, N, A, E); }

// Defaults, bounds, hints and divisors in headers.
%type hatom {AstExpr *}
hatom(E) ::= INT(T). { E = ast_int(p, T); }
hatom(E) ::= FLOAT(T). { E = ast_float(p, T); }
hatom(E) ::= MINUS(M) INT(T). { E = ast_unary(p, OP_NEG, M, ast_int(p, T)); }
hatom(E) ::= MINUS(M) FLOAT(T). { E = ast_unary(p, OP_NEG, M, ast_float(p, T)); }
hatom(E) ::= TRUE(T). { E = ast_bool(p, T, true); }
hatom(E) ::= FALSE(T). { E = ast_bool(p, T, false); }
hatom(E) ::= IDENT(T). { E = ast_name(p, T); }
hatom(E) ::= LP(O) expr(X) RP(C). { E = ast_paren(p, O, X, C); }

// ---- statements ----
%type stmts {AstStmts *}
%type stmt {AstStmt *}
%type option {AstStmt *}
%type require {AstStmt *}
%type assume {AstStmt *}
%type where_opt {AstExpr *}
%type target {AstTarget}
%type let_target {AstTarget}
%type target_list {AstStmt *}
%type let_targets {AstStmt *}
%type let_list {AstStmt *}
stmts(L) ::= . { L = ast_stmts(p, NULL, NULL); }
stmts(L) ::= stmts(X) stmt(S). { L = ast_stmts(p, X, S); }
stmt(S) ::= error RESYNC. { S = NULL; }
stmt(S) ::= LET(W) let_targets(T) ASSIGN expr(V) where_opt(G) SEMI(E). { S = ast_let(p, W, T, V, G, E); }
stmt(S) ::= target(T) ASSIGN expr(V) where_opt(G) SEMI(E). {
    S = ast_def(p, ast_targets(p, NULL, T), ASSIGN_SET, V, G, E);
}
stmt(S) ::= target(T) PLUSEQ expr(V) where_opt(G) SEMI(E). {
    S = ast_def(p, ast_targets(p, NULL, T), ASSIGN_ADD, V, G, E);
}
stmt(S) ::= target(T) STAREQ expr(V) where_opt(G) SEMI(E). {
    S = ast_def(p, ast_targets(p, NULL, T), ASSIGN_MUL, V, G, E);
}
stmt(S) ::= target(T) IDENT(W) ASSIGN expr(V) where_opt(G) SEMI(E). { S = ast_def_word(p, T, W, V, G, E); }
stmt(S) ::= LP target_list(T) RP ASSIGN expr(V) where_opt(G) SEMI(E). {
    S = ast_def(p, ast_targets_tuple(p, T), ASSIGN_SET, V, G, E);
}
stmt(S) ::= IDENT(N) LP(O) items(I) RP(C) SEMI(E). {
    S = ast_stmt(p, STMT_CALL, N, ast_postfix(p, AST_CALL, ast_name(p, N), O, I, C), NULL, E);
}
stmt(S) ::= RETURN(W) expr(V) SEMI(E). { S = ast_stmt(p, STMT_RETURN, W, V, NULL, E); }
stmt(S) ::= RETURN(W) expr(V) COMMA expr_list(L) SEMI(E). {
    S = ast_stmt(p, STMT_RETURN, W, ast_group(p, AST_TUPLE, W, ast_pair(p, V, L), E), NULL, E);
}
stmt(S) ::= option(X). { S = X; }
stmt(S) ::= require(X). { S = X; }
stmt(S) ::= assume(X). { S = X; }
option(S) ::= OPTION(W) IDENT(N) SEMI(E). { S = ast_option(p, W, N, NULL, E); }
option(S) ::= OPTION(W) IDENT(N) ASSIGN IDENT(V) SEMI(E). { S = ast_option(p, W, N, V.text, E); }
option(S) ::= OPTION(W) IDENT(N) ASSIGN TYPE(V) SEMI(E). { S = ast_option(p, W, N, V.text, E); }
require(S) ::= REQUIRE(W) expr(V) SEMI(E). { S = ast_stmt(p, STMT_REQUIRE, W, V, NULL, E); }
require(S) ::= REQUIRE(W) expr(V) COMMA STRING(T) SEMI(E). { S = ast_stmt(p, STMT_REQUIRE, W, V, T.text, E); }
assume(S) ::= ASSUME(W) expr(V) SEMI(E). { S = ast_stmt(p, STMT_ASSUME, W, V, NULL, E); }
where_opt(G) ::= . { G = NULL; }
where_opt(G) ::= WHERE expr(C). { G = C; }

target(T) ::= IDENT(N). { T = ast_target(p, N); }
target(T) ::= IDENT(N) LB(O) items(I) RB(C). { T = ast_target_index(p, N, O, I, C); }
target_list(L) ::= target(T). { L = ast_targets(p, NULL, T); }
target_list(L) ::= target_list(X) COMMA target(T). { L = ast_targets(p, X, T); }
let_target(T) ::= target(X). { T = X; }
let_target(T) ::= IDENT(N) COLON type(Y). { T = ast_target_typed(p, N, Y); }
let_targets(L) ::= let_target(T). { L = ast_targets(p, NULL, T); }
let_targets(L) ::= LP let_list(X) RP. { L = ast_targets_tuple(p, X); }
let_list(L) ::= let_target(T). { L = ast_targets(p, NULL, T); }
let_list(L) ::= let_list(X) COMMA let_target(T). { L = ast_targets(p, X, T); }

// ---- expressions ----
%type expr {AstExpr *}
%type postfix {AstExpr *}
expr(E) ::= IF(W) expr(C) THEN expr(A) ELSE expr(B). { E = ast_if(p, W, C, A, B); }
expr(E) ::= expr(A) OROR expr(B). { E = ast_binary(p, OP_OR, A, B); }
expr(E) ::= expr(A) ANDAND expr(B). { E = ast_binary(p, OP_AND, A, B); }
expr(E) ::= expr(A) EQEQ expr(B). { E = ast_binary(p, OP_EQ, A, B); }
expr(E) ::= expr(A) NE expr(B). { E = ast_binary(p, OP_NE, A, B); }
expr(E) ::= expr(A) LT expr(B). { E = ast_binary(p, OP_LT, A, B); }
expr(E) ::= expr(A) LE expr(B). { E = ast_binary(p, OP_LE, A, B); }
expr(E) ::= expr(A) GT expr(B). { E = ast_binary(p, OP_GT, A, B); }
expr(E) ::= expr(A) GE expr(B). { E = ast_binary(p, OP_GE, A, B); }
expr(E) ::= expr(A) BAR expr(B). { E = ast_binary(p, OP_BITOR, A, B); }
expr(E) ::= expr(A) CARET expr(B). { E = ast_binary(p, OP_BITXOR, A, B); }
expr(E) ::= expr(A) AMP expr(B). { E = ast_binary(p, OP_BITAND, A, B); }
expr(E) ::= expr(A) SHL expr(B). { E = ast_binary(p, OP_SHL, A, B); }
expr(E) ::= expr(A) SHR expr(B). { E = ast_binary(p, OP_SHR, A, B); }
expr(E) ::= expr(A) PLUS expr(B). { E = ast_binary(p, OP_ADD, A, B); }
expr(E) ::= expr(A) MINUS expr(B). { E = ast_binary(p, OP_SUB, A, B); }
expr(E) ::= expr(A) STAR expr(B). { E = ast_binary(p, OP_MUL, A, B); }
expr(E) ::= expr(A) SLASH expr(B). { E = ast_binary(p, OP_DIV, A, B); }
expr(E) ::= expr(A) PERCENT expr(B). { E = ast_binary(p, OP_MOD, A, B); }
expr(E) ::= MINUS(T) expr(A). [NOT] { E = ast_unary(p, OP_NEG, T, A); }
expr(E) ::= NOT(T) expr(A). { E = ast_unary(p, OP_NOT, T, A); }
expr(E) ::= expr(A) POW expr(B). { E = ast_binary(p, OP_POW, A, B); }
expr(E) ::= INT(T). { E = ast_int(p, T); }
expr(E) ::= FLOAT(T). { E = ast_float(p, T); }
expr(E) ::= TRUE(T). { E = ast_bool(p, T, true); }
expr(E) ::= FALSE(T). { E = ast_bool(p, T, false); }
expr(E) ::= LP(O) expr(X) RP(C). { E = ast_paren(p, O, X, C); }
expr(E) ::= LP(O) expr(X) COMMA expr_list(L) RP(C). { E = ast_group(p, AST_TUPLE, O, ast_pair(p, X, L), C); }
expr(E) ::= LB(O) items(I) RB(C). { E = ast_group(p, AST_LIST, O, I, C); }
expr(E) ::= postfix(X). { E = X; }

// One form for loads, casts, calls, instances and reductions.
postfix(E) ::= IDENT(T). { E = ast_name(p, T); }
postfix(E) ::= TYPE(T). { E = ast_name(p, T); }
postfix(E) ::= PAD(T). { E = ast_name(p, T); }
postfix(E) ::= VJP(T). { E = ast_name_later(p, T); }
postfix(E) ::= FOLD(T). { E = ast_name_later(p, T); }
postfix(E) ::= SCAN(T). { E = ast_name_later(p, T); }
postfix(E) ::= FOREACH(T). { E = ast_name_later(p, T); }
postfix(E) ::= postfix(A) LP(O) items(I) RP(C). { E = ast_postfix(p, AST_CALL, A, O, I, C); }
postfix(E) ::= postfix(A) LB(O) items(I) RB(C). { E = ast_postfix(p, AST_INDEX, A, O, I, C); }

%type expr_list {AstItems *}
%type items {AstItems *}
%type item_list {AstItems *}
%type item {AstItem}
expr_list(L) ::= expr(E). { L = ast_items_add(p, ast_items(p), ast_item(p, E)); }
expr_list(L) ::= expr_list(X) COMMA expr(E). { L = ast_items_add(p, X, ast_item(p, E)); }
items(L) ::= . { L = ast_items(p); }
items(L) ::= item_list(X). { L = X; }
items(L) ::= item_list(X) WHERE expr(G). { L = ast_items_guard(p, X, G); }
item_list(L) ::= item(I). { L = ast_items_add(p, ast_items(p), I); }
item_list(L) ::= item_list(X) COMMA item(I). { L = ast_items_add(p, X, I); }
item(I) ::= expr(E). { I = ast_item(p, E); }
item(I) ::= IDENT(N) ASSIGN expr(E). { I = ast_item_named(p, ITEM_NAMED, N, NULL, E); }
item(I) ::= IDENT(N) IN expr(E). { I = ast_item_named(p, ITEM_IN, N, NULL, E); }
item(I) ::= IDENT(N) IN expr(L) DOTDOT expr(H). { I = ast_item_named(p, ITEM_IN, N, L, H); }
item(I) ::= IDENT(N) IN expr(L) DOTDOTEQ expr(H). { I = ast_item_named(p, ITEM_IN, N, L, ast_past(p, H)); }
item(I) ::= IDENT(N) ELLIPSIS(D). { I = ast_item_pack(p, N, D); }
item(I) ::= ELLIPSIS(D). { I = ast_item_rest(p, D); }
item(I) ::= RAGGED(W) expr(E). { I = ast_item_later(p, W, E); }
item(I) ::= SHARD(W) expr(E). { I = ast_item_later(p, W, E); }

%code {
_Static_assert(YYSTACKDEPTH == PARSE_STACK, "%stack_size and PARSE_STACK are one number");

/* ---- what stands where, in words ---- */

static const struct {
    int token;
    const char *text;
} grammar_words[] = {
    {TK_IDENT, "a name"}, {TK_TYPE, "a type"}, {TK_STRING, "a string"}, {TK_INT, "a number"}, {TK_LP, "`(`"},
    {TK_RP, "`)`"}, {TK_LB, "`[`"}, {TK_RB, "`]`"}, {TK_LC, "`{`"}, {TK_RC, "`}`"}, {TK_COMMA, "`,`"}, {TK_SEMI, "`;`"},
    {TK_COLON, "`:`"}, {TK_ASSIGN, "`=`"}, {TK_PLUSEQ, "`+=`"}, {TK_STAREQ, "`*=`"}, {TK_ARROW, "`->`"},
    {TK_DOTDOT, "`..`"}, {TK_DOTDOTEQ, "`..=`"}, {TK_ELLIPSIS, "`...`"}, {TK_TILDE, "`~`"}, {TK_LT, "`<`"},
    {TK_GT, "`>`"}, {TK_IN, "`in`"}, {TK_THEN, "`then`"}, {TK_ELSE, "`else`"}, {TK_WHERE, "`where`"}, {TK_FN, "`fn`"},
    {TK_TRUE, "`true`"}, {TK_W_HINT, "`hint`"}, {TK_W_DIVISIBLE, "`divisible`"}, {TK_W_WITH, "`with`"},
    {TK_W_TOL, "`tol`"}, {TK_W_ERROR, "`error`"},
};

enum { GRAMMAR_WORDS = sizeof grammar_words / sizeof *grammar_words };

/* Whether the parser could go on with this token: plays the reductions before it on a copy of the stack's top. */
static bool grammar_accepts(const yyParser *y, int token) {
    YYACTIONTYPE over[64]; /* states above what is left of the real stack */
    int n = 0;
    const yyStackEntry *top = y->yytos;
    for (int steps = 0; steps < 4096; steps++) {
        YYACTIONTYPE act = yy_find_shift_action((YYCODETYPE)token, n ? over[n - 1] : top->stateno);
        if (act == YY_ACCEPT_ACTION || act <= YY_MAX_SHIFTREDUCE) return true;
        if (act < YY_MIN_REDUCE) return false;
        int rule = act - YY_MIN_REDUCE, pop = -yyRuleInfoNRhs[rule];
        int here = pop < n ? pop : n;
        n -= here;
        top -= pop - here;
        if (n == 64 || top < y->yystack) return false;
        over[n] = yy_find_reduce_action(n ? over[n - 1] : top->stateno, (YYCODETYPE)yyRuleInfoLhs[rule]);
        n++;
    }
    return false;
}

/* A word of the grammar that is also a name is only named where it is wanted as itself. */
static bool grammar_wants(const yyParser *y, int token) {
    return grammar_accepts(y, token) && (yyFallback[token] == 0 || !grammar_accepts(y, yyFallback[token]));
}

/* A token that the phrase "an expression", "a statement" or "a declaration" already covers. */
static bool grammar_begins(int token) {
    switch (token) {
    case TK_IDENT: case TK_TYPE: case TK_INT: case TK_LP: case TK_LB: case TK_TRUE: case TK_FN: return true;
    default: return false;
    }
}

static void grammar_expected(const yyParser *y, Text *out) {
    const char *list[GRAMMAR_WORDS + 6];
    int n = 0;
    bool operator_next = grammar_accepts(y, TK_STAR), assigns = grammar_accepts(y, TK_PLUSEQ);
    if (grammar_accepts(y, TK_NOT)) list[n++] = "an expression";
    if (grammar_accepts(y, TK_LET)) list[n++] = "a statement";
    if (grammar_accepts(y, TK_IMPORT)) list[n++] = "a declaration";
    bool whole = n > 0;
    if (operator_next) list[n++] = "an operator";
    for (int i = 0; i < GRAMMAR_WORDS; i++) {
        int t = grammar_words[i].token;
        if (whole && grammar_begins(t)) continue;
        if (assigns && grammar_begins(t) && t != TK_LB) continue; /* the name of max= and min= */
        if (operator_next && (t == TK_LT || t == TK_GT)) continue;
        if (grammar_wants(y, t)) list[n++] = grammar_words[i].text;
    }
    if (assigns) list[n++] = "`max=`";
    if (assigns) list[n++] = "`min=`";
    for (int i = 0; i < n; i++) {
        if (i) text_put(out, i + 1 < n ? ", " : n == 2 ? " or " : ", or ");
        text_put(out, list[i]);
    }
}

static bool grammar_is_keyword(int token) {
    switch (token) {
    case TK_IMPORT: case TK_DIM: case TK_FN: case TK_EXPORT: case TK_LET: case TK_INOUT: case TK_OPTION: case TK_CHECK:
    case TK_BENCH: case TK_REQUIRE: case TK_ASSUME: case TK_REDUCE: case TK_RETURN: case TK_IF: case TK_THEN:
    case TK_ELSE: case TK_WHERE: case TK_IN: case TK_PAD: case TK_TRUE: case TK_FALSE: case TK_VJP: case TK_FOLD:
    case TK_SCAN: case TK_FOREACH: case TK_STRUCT: case TK_EXTERN: case TK_RAGGED: case TK_SHARD: return true;
    default: return false;
    }
}

static bool grammar_is_compare(int t) {
    return t == TK_LT || t == TK_GT || t == TK_LE || t == TK_GE || t == TK_EQEQ || t == TK_NE;
}

/* What those who come from other languages write. `word` is the token found or the one before it, `found` and `before`
 * only that one. */
static const char *grammar_hint(const Parse *p, const yyParser *y, Token t) {
    static const struct {
        const char *word, *found, *before, *say;
    } hints[] = {
        {"and", 0, 0, "write &&"},
        {"or", 0, 0, "write ||"},
        {"not", 0, 0, "write !"},
        {"is", 0, 0, "write =="},
        {"def", 0, 0, "a function is fn f(x: f32[N]) -> (y: f32[N]) { y[i] = ...; }"},
        {"func", 0, 0, "a function is fn f(x: f32[N]) -> (y: f32[N]) { y[i] = ...; }"},
        {"void", 0, 0, "a function is fn f(x: f32[N]) -> (y: f32[N]) { y[i] = ...; }"},
        {"__global__", 0, 0, "a kernel is export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = ...; }: threads and blocks belong "
                             "to the compiler"},
        {"template", 0, 0, "a generic function is fn f<T>(x: T[N]) -> (y: T[N]) { ... }"},
        {"lambda", 0, 0, "a function on elements is fn f(x) = e; at the top of the file"},
        {"for", 0, 0, "there are no loops: an equation holds for all values of its index variables, y[i] = ...; to add up "
                      "over k write sum[k](...)"},
        {0, "in", 0, "a range stands right after an index variable in brackets, y[i in N]; there are no loops"},
        {"while", 0, 0, "there are no loops: an equation holds for all values of its index variables"},
        {"var", 0, 0, "an intermediate is let t[i] = ...;"},
        {"const", 0, 0, "an intermediate is let t[i] = ...;"},
        {"auto", 0, 0, "an intermediate is let t[i] = ...;"},
        {"float", 0, 0, "an intermediate is let t[i] = ...; types are f32, f64"},
        {"double", 0, 0, "an intermediate is let t[i] = ...; types are f32, f64"},
        {0, 0, "int", "an intermediate is let t[i] = ...; types are i32, i64"},
        {0, 0, "from", "a module is imported with import \"nn\";"},
        {0, ":", 0, "there are no slices with a colon: name the index, y[i] = x[i + 1]; a range is i in lo..hi"},
        {0, "fn", 0, "functions stand at the top of the file, not inside another"},
        {0, "export", 0, "exports stand at the top of the file, not inside a function"},
        {0, "=", "=", "compare with =="},
        {0, "+", "+", "there is no ++: an inout parameter is updated with +=, all else is defined once"},
        {0, "let", 0, "let stands inside a function: fn f(x: f32[N]) -> (y: f32[N]) { let t[i] = ...; y[i] = ...; }"},
        {0, "if", 0, "if is an expression: y[i] = if c then a else b;"},
        {0, "else", 0, "if is an expression: if c then a else b"},
        {0, "{", 0, "if is an expression without braces: if c then a else b"},
    };
    const char *text = (const char *)p->text;
    if (p->open.n && p->open.at[p->open.n - 1].loop) t = p->open.at[p->open.n - 1].before;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        bool ok = true, word = !hints[i].word;
        for (int k = 0; k < 2; k++) {
            Token at = k && !(p->open.n && p->open.at[p->open.n - 1].loop) ? p->before : t;
            const char *want = k ? hints[i].before : hints[i].found;
            size_t n = at.end - at.start;
            ok = ok && (!want || (strlen(want) == n && !memcmp(want, text + at.start, n)));
            word = word || (strlen(hints[i].word) == n && !memcmp(hints[i].word, text + at.start, n));
        }
        bool about_if = strstr(hints[i].say, "if is") != NULL, top = grammar_accepts(y, TK_IMPORT);
        if (ok && word && !(about_if && top)) return hints[i].say;
    }
    return NULL;
}

/* The bracket that should have been closed before the token found, or NULL. */
static const OpenBracket *grammar_unclosed(const Parse *p, int found) {
    if (p->open.n == 0) return NULL;
    const OpenBracket *b = &p->open.at[p->open.n - 1];
    bool closer = found == TK_RP || found == TK_RB || found == TK_RC || found == 0;
    return closer && found != b->closer ? b : found == TK_SEMI && b->closer != TK_RC ? b : NULL;
}

static void grammar_found(Parse *p, int found, Token t, Text *out) {
    int n = (int)(t.end - t.start);
    if (found == 0) {
        text_put(out, "the end of the file");
    } else if (found == TK_STRING) {
        text_put(out, "a string");
    } else {
        text_fmt(out, "`%.*s%s`", n > 40 ? 40 : n, (const char *)p->text + t.start, n > 40 ? "…" : "");
    }
}

static void grammar_error(Parse *p, void *parser, int found, Token t) {
    const yyParser *y = parser;
    p->failed = true;
    if (p->quiet) return;
    Text want = {.ctx = p->ctx}, have = {.ctx = p->ctx};
    Span at = parse_token_span(p, t);
    bool later = grammar_accepts(y, TK_SEMI) && memchr(p->text + p->last_end, '\n', t.start - p->last_end);
    if ((later || found == 0) && p->last_end > 0) at = (Span){p->file, p->last_end, p->last_end};
    if (grammar_is_compare(found) && grammar_accepts(y, TK_ANDAND)) {
        Diag *d = diag_report(p->ctx, DIAG_CHAINED_COMPARE, at, "comparisons do not chain");
        diag_help(p->ctx, d, "write `a < b && b < c`; types are given by name, f(T = f32), not in <>");
        return;
    }
    grammar_expected(y, &want);
    grammar_found(p, found, t, &have);
    bool semicolon = grammar_accepts(y, TK_SEMI);
    const char *hint = semicolon && later ? NULL : grammar_hint(p, y, t), *form = "expected %s, found %s", *wanted = want.n ? want.s : "something else";
    const OpenBracket *open = grammar_unclosed(p, found);
    const unsigned char *next = p->text + t.end;
    while (found && *next == ' ') next++;
    bool name = (found && *next == ':') || (grammar_accepts(y, TK_IDENT) && !grammar_accepts(y, TK_LET) && !grammar_accepts(y, TK_NOT));
    if (found == TK_LB && !grammar_accepts(y, TK_NOT) && (grammar_accepts(y, TK_TYPE) || grammar_accepts(y, TK_RP)))
        hint = "a tensor's type is f32[M, N]: the element's type, then all dimensions in one pair of brackets";
    if (found == TK_COLON && grammar_accepts(y, TK_LC)) hint = "results stand in parentheses: -> (y: f32[N])";
    if (found == TK_ASSIGN && grammar_accepts(y, TK_W_HINT) && !grammar_accepts(y, TK_IDENT))
        hint = "a dimension that is one number is dim N in 128..=128;";
    if (found == TK_LP && p->before.text && grammar_accepts(y, TK_ASSIGN) && p->open.n == 0)
        hint = "a function begins with fn: export fn f(x: f32[N]) -> (y: f32[N]) { ... }";
    if (hint) {
        Diag *d = diag_report(p->ctx, DIAG_FOREIGN_SYNTAX, parse_token_span(p, t), form, wanted, have.s);
        diag_help(p->ctx, d, "%s", hint);
        p->skip = strstr(hint, "no loops") ? SKIP_BLOCK : grammar_accepts(y, TK_IMPORT) ? SKIP_DECL : SKIP_STATEMENT;
    } else if (found == TK_ASSIGN && grammar_accepts(y, TK_EQEQ)) {
        Diag *d = diag_report(p->ctx, DIAG_FOREIGN_SYNTAX, at, form, wanted, have.s);
        diag_fix(p->ctx, d, at, "==", "compare with ==");
    } else if (found == TK_MINUS && grammar_accepts(y, TK_PLUSEQ)) {
        Diag *d = diag_report(p->ctx, DIAG_BAD_ASSIGN, at, "`-=` is no assignment");
        diag_help(p->ctx, d, "add the negative: += -(e)");
    } else if (open) {
        Diag *d = diag_report(p->ctx, DIAG_UNCLOSED, at, form, wanted, have.s);
        diag_note(p->ctx, d, open->span, "this is not closed");
    } else if (name && (grammar_is_keyword(found) || found == TK_TYPE)) {
        Diag *d = diag_report(p->ctx, DIAG_RESERVED_WORD, at, form, wanted, have.s);
        diag_help(p->ctx, d, "%s is a %s: choose another name", have.s, found == TK_TYPE ? "type" : "reserved word");
    } else if (semicolon && (later || found == TK_RC)) {
        Span end = {p->file, p->last_end, p->last_end};
        Diag *d = diag_report(p->ctx, DIAG_MISSING_SEMICOLON, end, form, wanted, have.s);
        diag_fix(p->ctx, d, end, ";", "end the statement with `;`");
    } else {
        diag_report(p->ctx, DIAG_SYNTAX, at, form, wanted, have.s);
    }
}

static void grammar_overflow(Parse *p) {
    p->stop = true;
    diag_report(p->ctx, DIAG_TOO_DEEP, parse_token_span(p, p->token), "this nests too deep (the limit is %d symbols)",
                PARSE_STACK);
}

/* ---- driving ---- */

typedef struct Drive {
    Parse *p;
    yyParser *y;
    int kind, braces;
    bool at_start; /* the next token begins a declaration */
} Drive;

static void drive_next(Drive *d) {
    Parse *p = d->p;
    p->doc.n = 0;
    p->last_end = p->token.end;
    p->before = p->token;
    d->kind = lexer_next(p, &p->token);
    if (p->doc.n == 0) return;
    if (d->at_start && d->kind != 0) {
        DocAt doc = {p->token.start, sym_n(p->ctx, p->doc.s, p->doc.n)};
        vec_push(p->ctx, &p->docs, doc);
    } else if (d->at_start) {
        diag_report(p->ctx, DIAG_DANGLING_DOC, p->doc_span, "this documents nothing: no declaration follows");
    }
}

static void drive_feed(Drive *d, int kind) { Td(d->y, kind, d->p->token, d->p); }

/* Keywords that only declarations begin with, first on their line: there a broken declaration has surely ended. */
static bool drive_at_decl(const Drive *d) {
    switch (d->kind) {
    case TK_IMPORT: case TK_DIM: case TK_FN: case TK_EXPORT: case TK_CHECK: case TK_BENCH: case TK_STRUCT:
    case TK_EXTERN: case TK_REDUCE: break;
    default: return false;
    }
    const unsigned char *s = d->p->text + d->p->token.start;
    while (d->braces == 0 && s > d->p->text && (s[-1] == ' ' || s[-1] == '\t')) s--;
    return s == d->p->text || s[-1] == '\n';
}

/* Up to the end of a loop's head: the semicolons inside its parentheses end nothing. */
static void drive_skip_block(Drive *d) {
    int parens = 0;
    for (int i = 0; i < d->p->open.n; i++) parens += d->p->open.at[i].closer == TK_RP;
    for (; d->kind != 0 && !drive_at_decl(d); drive_next(d)) {
        if (d->kind == TK_LP) parens++;
        if (d->kind == TK_RP) parens--;
        if (parens <= 0 && (d->kind == TK_LC || d->kind == TK_SEMI || d->kind == TK_RC)) return;
    }
}

/* Keeps the brackets open that the parser will see closed. */
static void drive_track(Drive *d) {
    Parse *p = d->p;
    int closer = d->kind == TK_LP ? TK_RP : d->kind == TK_LB ? TK_RB : d->kind == TK_LC ? TK_RC : 0;
    if (closer) {
        size_t n = p->before.end - p->before.start;
        const char *word = (const char *)p->text + p->before.start;
        bool loop = (n == 3 && !memcmp(word, "for", 3)) || (n == 5 && !memcmp(word, "while", 5));
        OpenBracket b = {closer, parse_token_span(p, p->token), p->before, loop};
        vec_push(p->ctx, &p->open, b);
    } else if (p->open.n && p->open.at[p->open.n - 1].closer == d->kind) {
        p->open.n--;
    }
}

/* After an error only braces are open, as many as are counted. */
static void drive_unwind(Drive *d) {
    int n = 0;
    for (int i = 0; i < d->p->open.n && n < d->braces; i++)
        if (d->p->open.at[i].closer == TK_RC) d->p->open.at[n++] = d->p->open.at[i];
    d->p->open.n = n;
}

/* After a syntax error: skips to the end of the statement or declaration that holds it, and goes on behind it. */
static void drive_recover(Drive *d) {
    int level = d->braces, depth = level;
    int skip = d->p->skip;
    d->p->skip = SKIP_STATEMENT;
    d->p->quiet = d->p->quiet || skip != SKIP_STATEMENT;
    if (skip == SKIP_BLOCK) drive_skip_block(d);
    if (skip == SKIP_DECL)
        while (d->kind != 0 && !drive_at_decl(d)) drive_next(d);
    for (;; drive_next(d)) {
        bool closes = d->kind == TK_RC;
        if (d->kind == 0 || drive_at_decl(d) || (closes && depth == level && level > 0)) break;
        if (d->kind == TK_LC) depth++;
        if (closes && depth > level) depth--;
        if (depth != level || (d->kind != TK_SEMI && !(closes && level == 0))) continue;
        d->at_start = level == 0;
        drive_next(d);
        if (d->kind == TK_ELSE) continue; /* of the statement that ended */
        break;
    }
    drive_feed(d, TK_RESYNC);
    d->p->quiet = false;
    drive_unwind(d);
    if (d->kind != TK_RC && (d->kind == 0 || drive_at_decl(d)))
        for (; d->braces > 0; d->braces--) drive_feed(d, TK_RC); /* a brace was forgotten */
    d->p->failed = false;
    d->y->yyerrcnt = -1; /* report the next error, however near */
}

void grammar_run(Parse *p) {
    static const char *const types[TY_COUNT] = {
#define TYPE(e, name, bits, cls, acc) #name,
#include "ir/types.def"
#undef TYPE
    };
    for (int i = 0; i < TY_COUNT; i++) p->types[i] = sym(p->ctx, types[i]);
    Drive d = {.p = p, .y = NEW(p->ctx, yyParser), .at_start = true};
    TdInit(d.y);
    drive_next(&d);
    while (!p->stop) {
        drive_feed(&d, d.kind);
        if (p->stop) break;
        if (p->failed) {
            if (d.kind == 0) break;
            drive_recover(&d);
            continue;
        }
        if (d.kind == 0) break;
        drive_track(&d);
        if (d.kind == TK_LC) d.braces++;
        if (d.kind == TK_RC && d.braces > 0) d.braces--;
        d.at_start = d.braces == 0 && (d.kind == TK_SEMI || d.kind == TK_RC);
        if (d.kind == TK_SEMI || d.kind == TK_RC || d.kind == TK_LC) p->quiet = false;
        drive_next(&d);
    }
}
}

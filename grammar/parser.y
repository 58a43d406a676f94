/* The grammar of td for Lemon. Each action is one call of a constructor in frontend/ast/ast.c; conflicts fail the build.
 * drive.c feeds the tokens of a file through it and goes on after errors, which errors.c words.
 * The words W_... are keywords only where the grammar wants them, and names elsewhere. */
%name Td
%token_prefix TK_
%token_type {Token}
%extra_argument {Parse *p}
%stack_size 4096
%include {
#define NDEBUG 1 /* Lemon's tracing needs a global */
#include "grammar/grammar.h"
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
%type dim_order {AstDecl *}
%type fn {AstDecl *}
%type fn_head {AstDecl *}
%type fn_name {AstDecl *}
%type reduce {AstDecl *}
%type check {AstDecl *}
%type draws {AstDecl *}
decl(D) ::= error RESYNC. { D = NULL; }
decl(D) ::= IMPORT(W) STRING(S) SEMI(E). { D = ast_import(p, W, S, E); }
decl(D) ::= dim(X) SEMI(E). { D = ast_close(p, X, E); }
decl(D) ::= dim_order(X) SEMI(E). { D = ast_close(p, X, E); }
decl(D) ::= fn(F). { D = F; }
decl(D) ::= EXPORT(W) fn(F). { D = ast_export(p, W, F); }
decl(D) ::= EXPORT(W) IDENT(N) ASSIGN expr(V) SEMI(E). { D = ast_export_instance(p, W, N, V, NULL, E); }
decl(D) ::= EXPORT(W) IDENT(N) ASSIGN expr(V) ARROW type_name(T) SEMI(E). {
    D = ast_export_instance(p, W, N, V, ast_types(p, NULL, T), E);
}
decl(D) ::= EXPORT(W) IDENT(N) ASSIGN expr(V) ARROW LP type_list(T) RP SEMI(E). { D = ast_export_instance(p, W, N, V, T, E); }
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
decl(D) ::= dim(X) IN(W) hatom(L) DOTDOT SEMI(E). { D = ast_close(p, ast_dim_range(p, X, W, L, NULL, false), E); }
dim(D) ::= dim(X) IN(W) hatom(L) DOTDOT W_HINT(C) hatom(V). { D = ast_dim_clause(p, ast_dim_range(p, X, W, L, NULL, false), C, V); }
dim(D) ::= dim(X) IN(W) hatom(L) DOTDOT W_DIVISIBLE(C) hatom(V). { D = ast_dim_clause(p, ast_dim_range(p, X, W, L, NULL, false), C, V); }
dim(D) ::= dim(X) W_HINT(W) hatom(V). { D = ast_dim_clause(p, X, W, V); }
dim(D) ::= dim(X) W_DIVISIBLE(W) hatom(V). { D = ast_dim_clause(p, X, W, V); }
dim(D) ::= dim(X) RAGGED(W). { D = ast_dim_later(p, X, W); }
dim(D) ::= dim(X) SHARD(W). { D = ast_dim_later(p, X, W); }
dim_order(D) ::= DIM(W) IDENT(N) COMMA IDENT(M). {
    D = ast_dim_order(p, ast_dim_order(p, ast_decl(p, DECL_ORDER, W, N, M), N), M);
}
dim_order(D) ::= dim_order(X) COMMA IDENT(N). { D = ast_dim_order(p, X, N); }

fn(D) ::= fn_head(F) LC stmts(B) RC(E). { D = ast_body(p, F, B, NULL, E); }
fn(D) ::= fn_head(F) ASSIGN expr(V) SEMI(E). { D = ast_body(p, F, NULL, V, E); }
fn_head(D) ::= fn_name(F). { D = F; }
fn_head(D) ::= fn_name(F) ARROW LP param_list(R) RP. { D = ast_fn_results(p, F, R, NULL); }
fn_head(D) ::= fn_name(F) ARROW type(T). { D = ast_fn_results(p, F, NULL, T); }
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
%type type_list {AstTypes *}
type_list(L) ::= type_name(T). { L = ast_types(p, NULL, T); }
type_list(L) ::= type_list(X) COMMA type_name(T). { L = ast_types(p, X, T); }
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
item(I) ::= IDENT(N) ASSIGN expr(E). { I = ast_item_named(p, N, E); }
item(I) ::= expr(E) IN expr(H). { I = ast_item_in(p, E, NULL, H); }
item(I) ::= expr(E) IN expr(L) DOTDOT expr(H). { I = ast_item_in(p, E, L, H); }
item(I) ::= expr(E) IN expr(L) DOTDOTEQ expr(H). { I = ast_item_in(p, E, L, ast_past(p, H)); }
item(I) ::= IDENT(N) ELLIPSIS(D). { I = ast_item_pack(p, N, D, NULL); }
item(I) ::= IDENT(N) ELLIPSIS(D) IN expr(E). { I = ast_item_pack(p, N, D, E); }
item(I) ::= ELLIPSIS(D). { I = ast_item_rest(p, D); }
item(I) ::= RAGGED(W) expr(E). { I = ast_item_later(p, W, E); }
item(I) ::= SHARD(W) expr(E). { I = ast_item_later(p, W, E); }

%code {
_Static_assert(YYSTACKDEPTH == PARSE_STACK, "%stack_size and PARSE_STACK are one number");

yyParser *grammar_new(Ctx *ctx) {
    yyParser *y = NEW(ctx, yyParser);
    TdInit(y);
    return y;
}

void grammar_feed(yyParser *y, Parse *p, int token) { Td(y, token, p->token, p); }

void grammar_forgive(yyParser *y) { y->yyerrcnt = -1; }

bool grammar_accepts(const yyParser *y, int token) {
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

bool grammar_wants(const yyParser *y, int token) {
    return grammar_accepts(y, token) && (yyFallback[token] == 0 || !grammar_accepts(y, yyFallback[token]));
}
}

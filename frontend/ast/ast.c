/* Constructors of the syntax tree, one for each action of the grammar on expressions, types and statements, and the
 * limits that keep the tree small enough for passes that recurse over it. Meaning is not checked here, only what a
 * place allows. */
#include "frontend/ast/ast_build.h"
#include "frontend/ast/builtins.h"

#include <string.h>

Span ast_tokens_span(const Parse *p, Token first, Token last) { return (Span){p->file, first.start, last.end}; }
Span ast_token_span(const Parse *p, Token t) { return (Span){p->file, t.start, t.end}; }

Span ast_span_join(Span a, Span b) {
    if (a.file < 0) return b;
    if (b.file != a.file) return a;
    return (Span){a.file, a.start < b.start ? a.start : b.start, a.end > b.end ? a.end : b.end};
}

/* Reading ends at a limit: what follows would only repeat the report. */
void ast_stop(Parse *p, DiagCode code, Span span, const char *what, int limit) {
    if (!p->stop) diag_report(p->ctx, code, span, "%s (the limit is %d)", what, limit);
    p->stop = true;
}

void ast_not_yet(Parse *p, Token word) {
    Diag *d = diag_report(p->ctx, DIAG_NOT_YET, ast_token_span(p, word), "not yet: `%s` has no meaning in this version",
                          word.text);
    const char *instead = builtin_instead(builtin_by_name(word.text));
    if (instead) diag_help(p->ctx, d, "%s", instead);
}

void ast_twice(Parse *p, Span span, const char *clause) {
    diag_report(p->ctx, DIAG_DUPLICATE_CLAUSE, span, "`%s` is given twice", clause);
}

/* ---- expressions ---- */

static AstExpr *expr_new(Parse *p, AstExprKind kind, Span span) {
    AstExpr *e = NEW(p->ctx, AstExpr);
    e->kind = kind;
    e->span = span;
    e->depth = 1;
    return e;
}

static int expr_depth(const AstExpr *e) { return e ? e->depth : 0; }

/* Sets the depth from the parts; a tree that is too deep becomes an error leaf. */
static AstExpr *expr_finish(Parse *p, AstExpr *e) {
    int d = e->items ? e->items->depth : 0;
    const AstExpr *parts[] = {e->a, e->b, e->c};
    for (int i = 0; i < 3; i++) d = expr_depth(parts[i]) > d ? expr_depth(parts[i]) : d;
    e->depth = d + 1;
    if (e->depth <= AST_DEPTH) return e;
    ast_stop(p, DIAG_TOO_DEEP, e->span, "this expression nests too deep: name parts of it with `let`", AST_DEPTH);
    return expr_new(p, AST_ERROR, e->span);
}

AstExpr *ast_int(Parse *p, Token t) {
    AstExpr *e = expr_new(p, AST_INT, ast_token_span(p, t));
    e->u.i = t.u.i;
    return e;
}

AstExpr *ast_float(Parse *p, Token t) {
    AstExpr *e = expr_new(p, AST_FLOAT, ast_token_span(p, t));
    e->u.f = t.u.f;
    return e;
}

AstExpr *ast_bool(Parse *p, Token t, bool v) {
    AstExpr *e = expr_new(p, AST_BOOL, ast_token_span(p, t));
    e->u.b = v;
    return e;
}

AstExpr *ast_name(Parse *p, Token t) {
    AstExpr *e = expr_new(p, AST_NAME, ast_token_span(p, t));
    e->name = t.text;
    return e;
}

AstExpr *ast_name_later(Parse *p, Token t) {
    ast_not_yet(p, t);
    return ast_name(p, t);
}

AstExpr *ast_unary(Parse *p, Op op, Token t, AstExpr *a) {
    AstExpr *e = expr_new(p, AST_UNARY, ast_span_join(ast_token_span(p, t), a->span));
    e->u.op = op;
    e->a = a;
    return expr_finish(p, e);
}

static bool is_arithmetic(Op op) {
    return op_form(op) == FORM_INFIX && (op_rule(op) == RULE_ARITH || op_rule(op) == RULE_INT);
}

/* a is the chain, or becomes its first operand. */
static AstExpr *chain(Parse *p, Op op, AstExpr *a, AstExpr *b) {
    AstExpr *e = a;
    AstItem item = ast_item(p, b);
    if (a->kind != AST_CHAIN) {
        e = expr_new(p, AST_CHAIN, a->span);
        e->a = a;
        e->items = ast_items(p);
    }
    if (e->items->v.n == PARSE_CHAIN_MAX) {
        ast_stop(p, DIAG_LIMIT, b->span, "too many operands in one expression", PARSE_CHAIN_MAX);
        return e;
    }
    item.op = op;
    vec_push(p->ctx, &e->items->v, item);
    if (b->depth > e->items->depth) e->items->depth = b->depth;
    e->span = ast_span_join(e->span, b->span);
    return expr_finish(p, e);
}

AstExpr *ast_binary(Parse *p, Op op, AstExpr *a, AstExpr *b) {
    bool deep =
        a->kind == AST_CHAIN || (a->kind == AST_BINARY && is_arithmetic(a->u.op) && a->depth >= PARSE_CHAIN_FROM);
    if (deep && is_arithmetic(op)) return chain(p, op, a, b);
    AstExpr *e = expr_new(p, AST_BINARY, ast_span_join(a->span, b->span));
    e->u.op = op;
    e->a = a;
    e->b = b;
    return expr_finish(p, e);
}

AstExpr *ast_past(Parse *p, AstExpr *last) {
    AstExpr *one = expr_new(p, AST_INT, last->span);
    one->u.i = 1;
    return ast_binary(p, OP_ADD, last, one);
}

AstExpr *ast_if(Parse *p, Token t, AstExpr *a, AstExpr *b, AstExpr *c) {
    AstExpr *e = expr_new(p, AST_IF, ast_span_join(ast_token_span(p, t), c->span));
    e->a = a;
    e->b = b;
    e->c = c;
    return expr_finish(p, e);
}

/* Ranges of packs and inside of sums belong to left sides. */
void ast_no_ranges(Parse *p, AstItems *items) {
    for (int i = 0; items && i < items->v.n; i++) {
        AstItem *it = &items->v.at[i];
        if (!it->hi && !(it->kind == ITEM_PACK && it->value)) continue;
        Diag *d = diag_report(p->ctx, DIAG_MISPLACED, it->span, "this range belongs to the left side of a definition");
        if (it->hi)
            diag_help(p->ctx, d, "a reduction has a range for a variable alone, [%s in N]; a subscript has none",
                      it->name);
        it->hi = it->lo = NULL;
        if (it->kind == ITEM_PACK) it->value = NULL;
    }
}

AstExpr *ast_postfix(Parse *p, AstExprKind kind, AstExpr *a, Token open, AstItems *items, Token close) {
    AstExpr *e = expr_new(p, kind, ast_span_join(a->span, ast_token_span(p, close)));
    e->a = a;
    e->items = items;
    items->span = ast_tokens_span(p, open, close);
    ast_no_ranges(p, items);
    return expr_finish(p, e);
}

AstExpr *ast_group(Parse *p, AstExprKind kind, Token open, AstItems *items, Token close) {
    AstExpr *e = expr_new(p, kind, ast_tokens_span(p, open, close));
    e->items = items;
    items->span = e->span;
    ast_no_ranges(p, items);
    return expr_finish(p, e);
}

AstExpr *ast_paren(Parse *p, Token open, AstExpr *e, Token close) {
    e->span = ast_tokens_span(p, open, close);
    return e;
}

AstItems *ast_items(Parse *p) {
    AstItems *items = NEW(p->ctx, AstItems);
    items->span = SPAN_NONE;
    items->v.cap = 2; /* most lists are short */
    items->v.at = NEW_N(p->ctx, AstItem, items->v.cap);
    return items;
}

AstItems *ast_items_add(Parse *p, AstItems *items, AstItem item) {
    if (items->v.n == PARSE_LIST_MAX) {
        ast_stop(p, DIAG_LIMIT, item.span, "too many elements in one list", PARSE_LIST_MAX);
        return items;
    }
    vec_push(p->ctx, &items->v, item);
    items->span = ast_span_join(items->span, item.span);
    int d = expr_depth(item.lo) > expr_depth(item.value) ? expr_depth(item.lo) : expr_depth(item.value);
    if (d > items->depth) items->depth = d;
    return items;
}

AstItems *ast_items_guard(Parse *p, AstItems *items, AstExpr *guard) {
    (void)p;
    items->guard = guard;
    if (guard->depth > items->depth) items->depth = guard->depth;
    return items;
}

/* Tuples are short: putting the first before the rest is a shift. */
AstItems *ast_pair(Parse *p, AstExpr *first, AstItems *rest) {
    AstItem item = ast_item(p, first);
    rest = ast_items_add(p, rest, item);
    memmove(rest->v.at + 1, rest->v.at, sizeof *rest->v.at * (size_t)(rest->v.n - 1));
    rest->v.at[0] = item;
    return rest;
}

AstItem ast_item(Parse *p, AstExpr *e) {
    (void)p;
    return (AstItem){.kind = ITEM_EXPR, .span = e->span, .value = e, .name_span = SPAN_NONE};
}

AstItem ast_item_later(Parse *p, Token word, AstExpr *e) {
    ast_not_yet(p, word);
    return ast_item(p, e);
}

AstItem ast_item_named(Parse *p, Token name, AstExpr *value) {
    Span at = ast_token_span(p, name);
    return (AstItem){
        .kind = ITEM_NAMED, .span = ast_span_join(at, value->span), .name = name.text, .name_span = at, .value = value};
}

/* The variable right before the range: e itself, or the last operand of the sum or product e. */
static const AstExpr *last_variable(const AstExpr *e) {
    const AstExpr *x = e;
    while (x && (x->kind == AST_BINARY || x->kind == AST_UNARY || x->kind == AST_CHAIN))
        x = x->kind == AST_CHAIN ? x->items->v.at[x->items->v.n - 1].value : x->kind == AST_UNARY ? x->a : x->b;
    return x && x->kind == AST_NAME && x->span.end == e->span.end ? x : NULL;
}

static bool is_word(const Parse *p, Sym name) { /* a type, or `pad` */
    for (int i = 0; i < TY_COUNT; i++)
        if (p->types[i] == name) return true;
    return builtin_by_name(name) == BUILTIN_PAD;
}

AstItem ast_item_in(Parse *p, AstExpr *e, AstExpr *lo, AstExpr *hi) {
    const AstExpr *v = last_variable(e);
    Span span = ast_span_join(e->span, hi->span);
    if (!v || is_word(p, v->name)) {
        if (e->kind != AST_ERROR) {
            Diag *d = diag_report(p->ctx, DIAG_MISPLACED, span, "a range stands right after an index variable");
            diag_help(p->ctx, d, "write y[i in N], y[4 + i in N] on a left side, sum[k in lo..hi](...) in a reduction");
        }
        return (AstItem){
            .kind = ITEM_EXPR, .span = span, .name_span = SPAN_NONE, .value = expr_new(p, AST_ERROR, span)};
    }
    AstItem item = {.span = span, .name = v->name, .name_span = v->span, .lo = lo};
    item.kind = v == e ? ITEM_IN : ITEM_EXPR;
    item.value = v == e ? hi : e;
    item.hi = v == e ? NULL : hi;
    return item;
}

AstItem ast_item_pack(Parse *p, Token name, Token dots, AstExpr *in) {
    AstItem item = {.kind = ITEM_PACK, .span = ast_tokens_span(p, name, dots), .name = name.text, .value = in};
    item.name_span = ast_token_span(p, name);
    if (in) item.span = ast_span_join(item.span, in->span);
    return item;
}

AstItem ast_item_rest(Parse *p, Token dots) {
    return (AstItem){.kind = ITEM_REST, .span = ast_token_span(p, dots), .name_span = SPAN_NONE};
}

/* ---- types and statements ---- */

AstType *ast_type(Parse *p, Token name, AstItems *args, Token last) {
    AstType *t = NEW(p->ctx, AstType);
    t->name = name.text;
    t->args = args;
    ast_no_ranges(p, args);
    t->name_span = ast_token_span(p, name);
    t->span = ast_tokens_span(p, name, last);
    return t;
}

AstType *ast_type_dims(Parse *p, AstType *t, Token open, AstItems *dims, Token close) {
    t->dims = dims;
    dims->span = ast_tokens_span(p, open, close);
    t->span = ast_span_join(t->span, dims->span);
    return t;
}

AstStmts *ast_stmts(Parse *p, AstStmts *list, AstStmt *s) {
    if (!list) list = NEW(p->ctx, AstStmts);
    if (s) vec_push(p->ctx, &list->v, s);
    return list;
}

AstTarget ast_target(Parse *p, Token name) {
    Span at = ast_token_span(p, name);
    return (AstTarget){.name = name.text, .span = at, .name_span = at};
}

AstTarget ast_target_index(Parse *p, Token name, Token open, AstItems *index, Token close) {
    AstTarget t = ast_target(p, name);
    t.index = index;
    index->span = ast_tokens_span(p, open, close);
    t.span = ast_tokens_span(p, name, close);
    if (index->guard) {
        Diag *d =
            diag_report(p->ctx, DIAG_MISPLACED_WHERE, index->guard->span, "where stands at the end of an equation");
        size_t n = index->guard->span.end - index->guard->span.start;
        diag_help(p->ctx, d, "write %s[...] = ... where %.*s;", t.name, (int)n,
                  (const char *)p->text + index->guard->span.start);
    }
    return t;
}

AstTarget ast_target_typed(Parse *p, Token name, AstType *type) {
    AstTarget t = ast_target(p, name);
    t.type = type->name;
    t.type_args = type->args;
    t.index = type->dims;
    t.span = ast_span_join(t.span, type->span);
    return t;
}

static AstStmt *stmt_new(Parse *p, AstStmtKind kind, Token first, Token last) {
    AstStmt *s = NEW(p->ctx, AstStmt);
    s->kind = kind;
    s->span = ast_tokens_span(p, first, last);
    s->name_span = SPAN_NONE;
    return s;
}

AstStmt *ast_targets(Parse *p, AstStmt *list, AstTarget t) {
    if (!list) {
        list = stmt_new(p, STMT_DEF, p->token, p->token);
        list->span = t.span;
        list->targets.cap = 1;
        list->targets.at = NEW(p->ctx, AstTarget);
    }
    if (list->targets.n < PARSE_LIST_MAX) {
        vec_push(p->ctx, &list->targets, t);
    } else {
        ast_stop(p, DIAG_LIMIT, t.span, "too many elements in one list", PARSE_LIST_MAX);
    }
    return list;
}

AstStmt *ast_targets_tuple(Parse *p, AstStmt *targets) {
    (void)p;
    targets->tuple = true;
    return targets;
}

AstStmt *ast_def(Parse *p, AstStmt *s, AstAssign op, AstExpr *e, AstExpr *guard, Token semi) {
    s->op = op;
    s->value = e;
    s->guard = guard;
    s->span = ast_span_join(s->span, ast_token_span(p, semi));
    return s;
}

AstStmt *ast_let(Parse *p, Token let, AstStmt *s, AstExpr *e, AstExpr *guard, Token semi) {
    s->kind = STMT_LET;
    s->span = ast_token_span(p, let);
    return ast_def(p, s, ASSIGN_SET, e, guard, semi);
}

AstStmt *ast_def_word(Parse *p, AstTarget t, Token word, AstExpr *e, AstExpr *guard, Token semi) {
    AstAssign op = ASSIGN_SET;
    if (!strcmp(word.text, "max")) {
        op = ASSIGN_MAX;
    } else if (!strcmp(word.text, "min")) {
        op = ASSIGN_MIN;
    } else if (t.type == NULL && !t.index) { /* float a = 2.0; */
        Diag *d = diag_report(p->ctx, DIAG_FOREIGN_SYNTAX, t.span, "`%s %s =` declares nothing", t.name, word.text);
        diag_help(p->ctx, d, "an intermediate is defined with let: let %s = ...;", word.text);
        t.name = word.text;
        AstStmt *s = ast_def(p, ast_targets(p, NULL, t), op, e, guard, semi);
        s->kind = STMT_LET;
        return s;
    } else {
        Diag *d = diag_report(p->ctx, DIAG_BAD_ASSIGN, ast_token_span(p, word), "`%s=` is no assignment", word.text);
        diag_help(p->ctx, d, "definitions use `=`, `+=`, `*=`, `max=` or `min=`");
    }
    return ast_def(p, ast_targets(p, NULL, t), op, e, guard, semi);
}

AstStmt *ast_stmt(Parse *p, AstStmtKind kind, Token word, AstExpr *e, Sym text, Token semi) {
    AstStmt *s = stmt_new(p, kind, word, semi);
    s->value = e;
    s->text = text;
    return s;
}

AstStmt *ast_option(Parse *p, Token word, Token name, Sym value, Token semi) {
    AstStmt *s = stmt_new(p, STMT_OPTION, word, semi);
    s->name = name.text;
    s->name_span = ast_token_span(p, name);
    s->text = value;
    return s;
}

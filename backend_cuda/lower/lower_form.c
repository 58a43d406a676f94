/* Lowering, the form: makes codes from patterns, and finds declarations that nothing reads. See lower_form.h. */
#include "lower_form.h"

#include <string.h>

#include "ir/expr_map.h"

/* ---- codes ---- */

typedef struct Parts {
    Ctx *ctx;
    VEC(const Code *) list;
} Parts;

static void add(Parts *p, CodeKind kind, const char *text, size_t n) {
    if (!n) return;
    Code *c = NEW(p->ctx, Code);
    *c = (Code){.kind = kind, .n = (int)n, .text = text};
    vec_push(p->ctx, &p->list, c);
}

static void add_number(Parts *p, int64_t v) {
    Text t = {.ctx = p->ctx};
    text_fmt(&t, "%lld", (long long)v);
    add(p, CODE_TEXT, t.s, t.n);
}

/* The fixed words and signs of a pattern up to the next place: I and the prelude's names are told apart. */
static const char *add_fixed(Parts *p, const char *s) {
    const char *from = s;
    while (*s && *s != '%') {
        if (!text_is_word(*s)) {
            s++;
            continue;
        }
        size_t n = 1;
        while (text_is_word(s[n])) n++;
        CodeKind kind = n == 1 && *s == 'I'                                         ? CODE_INDEX
                        : n > 3 && (!strncmp(s, "td_", 3) || !strncmp(s, "TD_", 3)) ? CODE_PRELUDE
                                                                                    : CODE_TEXT;
        if (kind != CODE_TEXT) {
            add(p, CODE_TEXT, from, (size_t)(s - from));
            add(p, kind, s, n);
            from = s + n;
        }
        s += n;
    }
    add(p, CODE_TEXT, from, (size_t)(s - from));
    return s;
}

static const Code *sequence(Parts *p) {
    if (p->list.n == 1) return p->list.at[0];
    Code *c = NEW(p->ctx, Code);
    *c = (Code){.kind = CODE_SEQ, .n = p->list.n, .part = p->list.at};
    return c;
}

const Code *code_list(Ctx *ctx, const char *s, va_list ap) {
    Parts p = {.ctx = ctx};
    while (*s) {
        if (*s != '%') {
            s = add_fixed(&p, s);
            continue;
        }
        switch (s[1]) {
        case 'c': vec_push(ctx, &p.list, va_arg(ap, const Code *)); break;
        case 'n': {
            Sym name = va_arg(ap, Sym);
            add(&p, CODE_NAME, name, strlen(name));
            break;
        }
        case 's': {
            const char *text = va_arg(ap, const char *);
            add_fixed(&p, text);
            break;
        }
        case 'p': {
            const char *text = va_arg(ap, const char *);
            add(&p, CODE_TEXT, text, strlen(text));
            break;
        }
        case 'd': add_number(&p, va_arg(ap, int)); break;
        case 'l': add_number(&p, va_arg(ap, int64_t)); break;
        default: add(&p, CODE_TEXT, "%", 1); break;
        }
        s += 2;
    }
    return sequence(&p);
}

const Code *code(Ctx *ctx, const char *pattern, ...) {
    va_list ap;
    va_start(ap, pattern);
    const Code *c = code_list(ctx, pattern, ap);
    va_end(ap);
    return c;
}

const Code *code_name(Ctx *ctx, Sym name) { return code(ctx, "%n", name); }

const Code *code_join(Ctx *ctx, const Code *a, const char *between, const Code *b) {
    return a ? code(ctx, "%c%s%c", a, between, b) : b;
}

/* ---- statements ---- */

Stmt *stmt_new(Ctx *ctx, StmtKind kind) {
    Stmt *s = NEW(ctx, Stmt);
    s->kind = kind;
    return s;
}

static bool code_mentions(const Code *c, Sym name) {
    if (!c) return false;
    if (c->kind == CODE_NAME) return c->text == name;
    for (int i = 0; c->kind == CODE_SEQ && i < c->n; i++)
        if (code_mentions(c->part[i], name)) return true;
    return false;
}

bool stmt_mentions(const StmtList *list, Sym name) {
    for (int i = 0; i < list->n; i++) {
        const Stmt *s = list->at[i];
        if (s->name == name || code_mentions(s->type, name) || code_mentions(s->code, name) ||
            stmt_mentions(&s->body, name) || stmt_mentions(&s->other, name))
            return true;
    }
    return false;
}

/* How often each name is mentioned, its declarations included. */
typedef struct Counts {
    Ctx *ctx;
    ExprMap of; /* Sym -> number */
    int sign;
} Counts;

static void count_name(Counts *x, Sym name) {
    expr_map_put_number(x->ctx, &x->of, name, expr_map_number(&x->of, name, 0) + x->sign);
}

static void count_code(Counts *x, const Code *c) {
    if (!c) return;
    if (c->kind == CODE_NAME) count_name(x, c->text);
    for (int i = 0; c->kind == CODE_SEQ && i < c->n; i++) count_code(x, c->part[i]);
}

static void count_list(Counts *x, const StmtList *list) {
    for (int i = 0; i < list->n; i++) {
        const Stmt *s = list->at[i];
        if (s->name) count_name(x, s->name);
        count_code(x, s->type);
        count_code(x, s->code);
        count_list(x, &s->body);
        count_list(x, &s->other);
    }
}

/* True where something went: what it read may be unused now. */
static bool prune(Counts *x, StmtList *list) {
    int kept = 0;
    for (int i = 0; i < list->n; i++) {
        Stmt *s = list->at[i];
        if (s->optional && expr_map_number(&x->of, s->name, 0) == 1) {
            count_name(x, s->name);
            count_code(x, s->code);
        } else {
            list->at[kept++] = s;
        }
    }
    bool gone = kept < list->n;
    list->n = kept;
    for (int i = 0; i < list->n; i++) {
        gone |= prune(x, &list->at[i]->body);
        gone |= prune(x, &list->at[i]->other);
    }
    return gone;
}

void stmt_prune(Ctx *ctx, StmtList *list) {
    Counts x = {.ctx = ctx, .sign = 1};
    count_list(&x, list);
    x.sign = -1;
    while (prune(&x, list)) {
    }
}

/* Lowering, text: prints what the other files have decided. Nothing is decided here, and nothing that was printed is
 * looked at. */
#include "lower_form.h"
#include "lower_internal.h"

#include <string.h>

void print_code(const Printing *p, const Code *c) {
    switch (c->kind) {
    case CODE_INDEX: text_put(p->out, p->index); break;
    case CODE_PRELUDE:
        if (p->prelude) prelude_uses(p->prelude, c->text, (size_t)c->n);
        text_put_n(p->out, c->text, (size_t)c->n);
        break;
    case CODE_TEXT:
    case CODE_NAME: text_put_n(p->out, c->text, (size_t)c->n); break;
    case CODE_SEQ:
        for (int i = 0; i < c->n; i++) print_code(p, c->part[i]);
        break;
    }
}

static void indentation(const Printing *p, int indent) {
    for (int i = 0; i < indent; i++) text_put(p->out, "    ");
}

static void print_stmt(const Printing *p, const Stmt *s, int indent);

static void print_name(const Printing *p, Sym name) { text_put(p->out, name); }

static void print_inline(const Printing *p, const Stmt *s);

static void print_braced(const Printing *p, const StmtList *body) {
    text_put(p->out, "{ ");
    for (int i = 0; i < body->n; i++) {
        print_inline(p, body->at[i]);
        text_char(p->out, ' ');
    }
    text_char(p->out, '}');
}

/* What stands on one line, without indentation and without the line's end. */
static void print_inline(const Printing *p, const Stmt *s) {
    switch (s->kind) {
    case STMT_DECLARE:
        print_code(p, s->type);
        text_char(p->out, ' ');
        print_name(p, s->name);
        if (s->code) print_code(p, s->code);
        text_char(p->out, ';');
        break;
    case STMT_IF:
        text_put(p->out, "if (");
        print_code(p, s->code);
        text_put(p->out, ") ");
        if (s->body.n == 1)
            print_inline(p, s->body.at[0]);
        else
            print_braced(p, &s->body);
        break;
    case STMT_LOOP:
        text_put(p->out, "for (");
        print_code(p, s->code);
        text_put(p->out, ") ");
        if (s->body.n == 1)
            print_inline(p, s->body.at[0]);
        else
            print_braced(p, &s->body);
        break;
    case STMT_BLOCK: print_braced(p, &s->body); break;
    case STMT_BARRIER: print_code(p, s->code); break;
    default:
        if (s->code) {
            print_code(p, s->code);
            text_char(p->out, ';');
        }
        break;
    }
}

static void print_else(const Printing *p, const Stmt *s, int indent) {
    indentation(p, indent);
    if (!s->other.n) {
        text_put(p->out, "}\n");
        return;
    }
    text_put(p->out, "} else {\n");
    print_list(p, &s->other, indent + 1);
    indentation(p, indent);
    text_put(p->out, "}\n");
}

static void print_if(const Printing *p, const Stmt *s, int indent) {
    text_put(p->out, "if (");
    print_code(p, s->code);
    text_put(p->out, s->braces == BARE ? ")\n" : ") {\n");
    print_list(p, &s->body, s->braces == BARE ? indent : indent + 1);
    if (s->braces == BRACES) print_else(p, s, indent);
}

static void print_loop(const Printing *p, const Stmt *s, int indent) {
    text_put(p->out, "for (");
    print_code(p, s->code);
    text_put(p->out, s->braces == BARE ? ")\n" : ") {\n");
    print_list(p, &s->body, indent + 1);
    if (s->braces == BARE) return;
    indentation(p, indent);
    text_put(p->out, "}\n");
}

static void print_lambda(const Printing *p, const Stmt *s, int indent) {
    text_fmt(p->out, "const auto %s = [&](", s->name);
    print_code(p, s->code);
    text_put(p->out, ") {\n");
    print_list(p, &s->body, indent + 1);
    indentation(p, indent);
    text_put(p->out, "};\n");
}

static void print_barrier(const Printing *p, const Stmt *s) {
    static const char *const call[] = {[BARRIER_WARP] = "td_syncwarp", [BARRIER_BLOCK] = "td_sync"};
    const char *name = call[s->scope];
    if (p->prelude) prelude_uses(p->prelude, name, strlen(name));
    text_fmt(p->out, s->note ? "%s(); // %s\n" : "%s();\n", name, s->note);
}

static void print_stmt(const Printing *p, const Stmt *s, int indent) {
    if (s->kind == STMT_LOOP && s->unroll) text_put(p->out, "#pragma unroll\n");
    indentation(p, indent);
    bool line = s->braces == INLINE || s->kind == STMT_DO || s->kind == STMT_DECLARE;
    if (line) {
        print_inline(p, s);
        if (s->note) text_fmt(p->out, "%s// %s", s->code ? " " : "", s->note);
        text_char(p->out, '\n');
    } else if (s->kind == STMT_IF) {
        print_if(p, s, indent);
    } else if (s->kind == STMT_LOOP) {
        print_loop(p, s, indent);
    } else if (s->kind == STMT_LAMBDA) {
        print_lambda(p, s, indent);
    } else if (s->kind == STMT_BARRIER) {
        print_barrier(p, s);
    } else {
        text_put(p->out, "{\n");
        print_list(p, &s->body, indent + 1);
        indentation(p, indent);
        text_put(p->out, "}\n");
    }
}

void print_list(const Printing *p, const StmtList *list, int indent) {
    for (int i = 0; i < list->n; i++) print_stmt(p, list->at[i], indent);
}

void print_line(const Printing *p, Ctx *ctx, const char *pattern, ...) {
    va_list ap;
    va_start(ap, pattern);
    print_code(p, code_list(ctx, pattern, ap));
    va_end(ap);
}

const char *code_said(Ctx *ctx, const Code *c) {
    Text t = {.ctx = ctx};
    print_code(&(Printing){.out = &t, .index = "I"}, c);
    return t.s;
}

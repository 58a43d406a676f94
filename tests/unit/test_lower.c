/* The form between kernels and text (lower_form.h): where barriers are put, which declarations go, and how codes and
 * statements print. */
#include "backend_cuda/lower/lower.h"
#include "backend_cuda/lower/lower_form.h"
#include "test.h"

#include <string.h>

/* ---- barriers ----
 * Programs as words: w1 writes region 1, r1 reads it, b is a barrier, c stands for what holds one itself; loop( ... ),
 * if( ... ) and else( ... ) have bodies. The answer is the same with a | for each barrier that was put. */

typedef struct SyncCase {
    const char *what, *answer; /* the program is the answer without its | */
} SyncCase;

static const SyncCase SYNC[] = {
    {"reads after a write", "w0 | r0 r0"},
    {"a write after a read", "r0 | w0"},
    {"a write after a write", "w0 | w0"},
    {"two regions", "w0 w1 | r0 r1"},
    {"a barrier that is there", "w0 b r0"},
    {"what holds a barrier", "w0 c r0"},
    {"one barrier serves all that came before", "w0 w1 | r0 | w0 | r0 r1"},
    {"an iteration and the next", "loop( | w0 | r0 )"},
    {"an iteration whose end has a barrier", "loop( w0 | r0 b )"},
    {"before a loop, in it, and after one that may not run", "w0 loop( | r0 ) | r0"},
    {"a loop in which nothing happens to it", "w0 loop( w1 | r1 b ) | r0"},
    {"a loop that may not run clears nothing", "w0 loop( b ) | r0"},
    {"nor does what an iteration has cleared", "w0 loop( | r0 ) | w0"},
    {"a loop in a loop", "loop( | w0 loop( | r0 ) )"},
    {"the inner loop's end is the outer one's beginning", "loop( | r0 loop( | w0 ) )"},
    {"either way", "w0 if( b ) | r0"},
    {"both ways", "w0 if( b ) else( b ) r0"},
    {"one way writes", "if( w0 ) else( r1 ) | r0 w1"},
    {"a barrier within one way only", "w0 if( | r0 ) | r0"},
    {"a barrier serves what comes behind it", "loop( | w1 r0 | w0 r1 )"},
};

typedef struct Words {
    Ctx *ctx;
    const char *at;
} Words;

static bool word(Words *x, const char *w) {
    while (*x->at == ' ' || *x->at == '|') x->at++;
    size_t n = strlen(w);
    if (strncmp(x->at, w, n)) return false;
    x->at += n;
    return true;
}

static void read_list(Words *x, StmtList *list) {
    while (!word(x, ")") && *x->at) {
        Stmt *s = NULL;
        if (word(x, "loop(")) {
            s = stmt_new(x->ctx, STMT_LOOP);
        } else if (word(x, "if(")) {
            s = stmt_new(x->ctx, STMT_IF);
        } else if (word(x, "else(")) {
            read_list(x, &list->at[list->n - 1]->other);
            continue;
        } else if (word(x, "b")) {
            s = stmt_new(x->ctx, STMT_BARRIER);
            s->note = "there"; /* tells it from those that are put */
        } else {
            bool write = word(x, "w");
            s = stmt_new(x->ctx, write || word(x, "r") ? STMT_TOUCH : STMT_CLEAR);
            /* what it is stays visible, since touches go */
            Stmt *says = stmt_new(x->ctx, STMT_DO);
            says->note = s->kind == STMT_CLEAR ? "c" : sym_fmt(x->ctx, "%c%c", write ? 'w' : 'r', *x->at);
            if (s->kind == STMT_TOUCH)
                s->touch = write ? (Touch){*x->at - '0', TOUCHED_READ | TOUCHED_WRITTEN, TOUCHED_WRITTEN, 0}
                                 : (Touch){*x->at - '0', TOUCHED_WRITTEN, TOUCHED_READ, 0};
            x->at++;
            vec_push(x->ctx, list, s);
            s = says;
        }
        vec_push(x->ctx, list, s);
        if (s->kind == STMT_LOOP || s->kind == STMT_IF) read_list(x, &s->body);
    }
}

static void say_list(Text *out, const StmtList *list) {
    for (int i = 0; i < list->n; i++) {
        const Stmt *s = list->at[i];
        const char *name = s->kind == STMT_LOOP ? "loop(" : s->kind == STMT_IF ? "if(" : NULL;
        if (s->kind == STMT_BARRIER) name = s->note ? "b" : "|";
        text_fmt(out, "%s%s", out->n ? " " : "", name ? name : s->note);
        if (s->kind != STMT_LOOP && s->kind != STMT_IF) continue;
        say_list(out, &s->body);
        text_put(out, " )");
        if (!s->other.n) continue;
        text_put(out, " else(");
        say_list(out, &s->other);
        text_put(out, " )");
    }
}

static void test_sync(Ctx *ctx) {
    for (size_t i = 0; i < sizeof SYNC / sizeof *SYNC; i++) {
        Words x = {ctx, SYNC[i].answer};
        StmtList list = {0};
        Text got = {.ctx = ctx};
        read_list(&x, &list);
        stmt_sync(ctx, &list, 4, BARRIER_BLOCK);
        say_list(&got, &list);
        expect(!strcmp(got.s, SYNC[i].answer), SYNC[i].what, got.s);
    }
}

/* ---- text ---- */

static const char *printed(Ctx *ctx, const StmtList *list, const char *index) {
    Text t = {.ctx = ctx};
    print_list(&(Printing){.out = &t, .index = index}, list, 0);
    return t.s ? t.s : "";
}

static void test_codes(Ctx *ctx) {
    Sym x = sym(ctx, "x");
    const Code *one = code(ctx, "1");
    const Code *c = code(ctx, "td_ld<%s, %l>(%n + %c, (I)%d %% 2, arg.%p)", "float", (int64_t)4, x, one, 7, "I");
    expect(!strcmp(code_said(ctx, c), "td_ld<float, 4>(x + 1, (I)7 % 2, arg.I)"), "a code's parts", code_said(ctx, c));
    Text t = {.ctx = ctx};
    print_code(&(Printing){.out = &t, .index = "int"}, c);
    expect(!strcmp(t.s, "td_ld<float, 4>(x + 1, (int)7 % 2, arg.I)"), "I is settled, but not in names", t.s);
    const Code *both = code_join(ctx, code(ctx, "a"), " && ", code(ctx, "b"));
    expect(!strcmp(code_said(ctx, both), "a && b"), "joined", code_said(ctx, both));
    expect(code_join(ctx, NULL, " && ", both) == both, "joined with nothing", NULL);
}

static Stmt *declare(Ctx *ctx, StmtList *list, const char *name, const Code *value, bool optional) {
    Stmt *s = stmt_new(ctx, STMT_DECLARE);
    s->type = code(ctx, "const I");
    s->name = sym(ctx, name);
    s->code = code(ctx, " = %c", value);
    s->optional = optional;
    vec_push(ctx, list, s);
    return s;
}

static void test_prune(Ctx *ctx) {
    StmtList list = {0};
    declare(ctx, &list, "a", code(ctx, "1"), true);
    declare(ctx, &list, "b", code(ctx, "%n", sym(ctx, "a")), true);
    declare(ctx, &list, "c", code(ctx, "%n", sym(ctx, "b")), true);
    declare(ctx, &list, "d", code(ctx, "2"), true);
    declare(ctx, &list, "e", code(ctx, "f()"), false);
    Stmt *loop = stmt_new(ctx, STMT_LOOP);
    loop->code = code(ctx, ";;");
    vec_push(ctx, &list, loop);
    Stmt *use = stmt_new(ctx, STMT_DO);
    use->code = code(ctx, "g(%n)", sym(ctx, "d"));
    vec_push(ctx, &loop->body, use);
    stmt_prune(ctx, &list);
    const char *got = printed(ctx, &list, "int64_t");
    expect(!strcmp(got, "const int64_t d = 2;\nconst int64_t e = f();\nfor (;;) {\n    g(d);\n}\n"),
           "what nothing reads goes, and what only that read", got);
    expect(stmt_mentions(&list, sym(ctx, "d")) && !stmt_mentions(&list, sym(ctx, "a")), "mentions", NULL);
}

static void test_statements(Ctx *ctx) {
    StmtList list = {0};
    Stmt *s = stmt_new(ctx, STMT_IF), *one = stmt_new(ctx, STMT_DO), *loop = stmt_new(ctx, STMT_LOOP);
    one->code = code(ctx, "f()");
    one->note = "once";
    s->code = code(ctx, "a");
    vec_push(ctx, &s->body, one);
    vec_push(ctx, &s->other, one);
    vec_push(ctx, &list, s);
    loop->code = code(ctx, "int i = 0; i < 2; i++");
    loop->unroll = true;
    loop->braces = BARE;
    vec_push(ctx, &loop->body, one);
    vec_push(ctx, &list, loop);
    const char *got = printed(ctx, &list, "int");
    expect(!strcmp(got, "if (a) {\n    f(); // once\n} else {\n    f(); // once\n}\n"
                        "#pragma unroll\nfor (int i = 0; i < 2; i++)\n    f(); // once\n"),
           "braces", got);
    s->braces = INLINE;
    list.n = 1;
    got = printed(ctx, &list, "int");
    expect(!strcmp(got, "if (a) f();\n"), "one line", got);
}

int main(void) {
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) return 1;
    test_sync(ctx);
    test_codes(ctx);
    test_prune(ctx);
    test_statements(ctx);
    ctx_free(ctx);
    return test_end();
}

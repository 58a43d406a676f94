/* What to write instead of a token that does not fit: forms of other languages, recognised by the tokens and the text
 * around the place. */
#include "grammar/grammar.h"

#include "frontend/ast/builtins.h"
#include "frontend/ast/foreign.h"
#include "grammar/parser.h"

#include <string.h>

/* ---- the text around ---- */

static bool word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

static bool blank(char c) { return c == ' ' || c == '\t'; }

static bool is_word(const Parse *p, Token t, const char *word) {
    size_t n = t.end - t.start;
    return strlen(word) == n && !memcmp(word, p->text + t.start, n);
}

/* From..to without the blanks at its ends. */
static Sym trimmed(const Parse *p, const char *from, const char *to) {
    while (from < to && (blank(*from) || *from == '\n')) from++;
    while (to > from && (blank(to[-1]) || to[-1] == '\n')) to--;
    return sym_n(p->ctx, from, (size_t)(to - from));
}

/* The first of the characters in `stops` outside of brackets, or the end of the text. */
static const char *until(const Parse *p, const char *at, const char *stops) {
    const char *end = (const char *)p->end;
    int depth = 0;
    for (; at < end; at++) {
        if (depth == 0 && strchr(stops, *at)) return at;
        if (strchr("([{", *at)) depth++;
        if (strchr(")]}", *at) && depth-- == 0) return at;
    }
    return end;
}

/* The word at *at, which is moved behind it and behind blanks. */
static Sym take_word(const Parse *p, const char **at) {
    const char *from = *at, *end = (const char *)p->end;
    while (*at < end && word_char(**at)) ++*at;
    Sym w = sym_n(p->ctx, from, (size_t)(*at - from));
    while (*at < end && blank(**at)) ++*at;
    return w;
}

/* ---- places ---- */

/* Between the parentheses of a function's head, behind a name or before one. */
static bool in_header(const Parse *p, const yyParser *y) {
    for (int i = 0; i < p->open.n; i++)
        if (p->open.at[i].closer != TK_RP) return false;
    return p->open.n == 1 && !grammar_accepts(y, TK_NOT) && !grammar_accepts(y, TK_STAR) &&
           !grammar_accepts(y, TK_STRING);
}

/* `const float *__restrict__ x` as a parameter of td. NULL: it is none of C's. */
static const char *c_parameter(const Parse *p) {
    static const char *const marks[] = {"const", "restrict", "__restrict__", "volatile", "struct", "inout", "out"};
    const char *at = (const char *)p->text + p->open.at[0].span.end, *here = (const char *)p->text + p->token.start;
    for (const char *next; (next = until(p, at, ",")) < here && *next == ',';) at = next + 1;
    Sym word[2] = {NULL, NULL};
    int n = 0;
    bool pointer = false;
    while (n < 2 && at < (const char *)p->end && (word_char(*at) || blank(*at) || *at == '*' || *at == '&')) {
        if (!word_char(*at)) {
            pointer |= !blank(*at++);
            continue;
        }
        Sym w = take_word(p, &at);
        bool mark = false;
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) mark = mark || !strcmp(marks[i], w);
        if (!mark) word[n++] = w;
    }
    if (n < 2) return NULL;
    const char *type = foreign_type(word[0]);
    const char *close = *at == '[' ? until(p, at + 1, "]") : at;
    Sym dims = *at == '[' ? trimmed(p, at + 1, close) : "";
    if (*at != '[' && !pointer)
        return sym_fmt(p->ctx, "a parameter is its name, then its type: %s: %s", word[1], type ? type : word[0]);
    return sym_fmt(p->ctx, "a parameter is its name, then its type with all lengths: %s: %s[%s]", word[1],
                   type ? type : word[0], *dims ? dims : "N");
}

static const char *header_hint(const Parse *p, const yyParser *y, int found) {
    if (!in_header(p, y)) return NULL;
    if (found == TK_RP && is_word(p, p->before, "(") && is_word(p, p->open.at[0].before, "->"))
        return "a function that has no results but updates its inout parameters has no arrow: "
               "fn f(inout p: f32[N]) { p[i] += ...; }";
    if ((found == TK_STAR || found == TK_AMP) && is_word(p, p->before, ":"))
        return "a tensor's type is its element's type with all lengths, f32[N]: there are no pointers";
    bool after_name = grammar_accepts(y, TK_COLON) || grammar_accepts(y, TK_RP);
    bool name_or_star = found == TK_IDENT || found == TK_TYPE || found == TK_STAR || found == TK_AMP;
    return after_name && name_or_star ? c_parameter(p) : NULL;
}

/* ---- loops ---- */

/* What the loop repeats, as an equation: `total += x[i]` is a sum. */
static const char *loop_body(const Parse *p, Sym var, const char *at) {
    const char *end = (const char *)p->end;
    while (at < end && (blank(*at) || strchr("\n{:", *at))) at++;
    const char *stop = until(p, at, ";\n"), *eq = at;
    while (eq < stop && *eq != '=') eq++;
    if (eq == stop || eq == at || !word_char(*at) || eq + 1 == end || eq[1] == '=') return NULL;
    Sym right = trimmed(p, eq + 1, stop);
    if (eq[-1] == '+')
        return sym_fmt(p->ctx, "there are no loops: write %s = sum[%s](%s);", trimmed(p, at, eq - 1), var, right);
    return sym_fmt(p->ctx, "there are no loops: write the equation alone, which holds for all %s: %s = %s;", var,
                   trimmed(p, at, eq), right);
}

/* `for i in range(N): body`, `for (int i = 0; i < N; i++) body`, for the token behind `for`. */
static const char *loop_hint(const Parse *p, const char *at) {
    static const char general[] =
        "there are no loops: an equation holds for all values of its index variables, y[i] = ...; to add up "
        "over k write sum[k](...)";
    while (at < (const char *)p->end && (blank(*at) || *at == '(')) at++;
    bool c = (const char *)p->text < at && at[-1] == '(';
    const char *head = at;
    Sym var = take_word(p, &at);
    if (c && word_char(*at)) var = take_word(p, &at); /* behind its type */
    const char *close = c ? until(p, head, "") : until(p, at, ":{\n");
    const char *body = close < (const char *)p->end ? loop_body(p, var, close + 1) : NULL;
    return *var && body ? body : general;
}

/* ---- calls ---- */

/* The three operands of where(c, a, b) as an if; the text begins behind the word. */
static const char *where_call(const Parse *p, const char *at) {
    Sym part[3];
    if (at >= (const char *)p->end || *at != '(') return NULL;
    for (int i = 0; i < 3; i++) {
        const char *stop = until(p, at + 1, ",");
        part[i] = trimmed(p, at + 1, stop);
        at = stop;
        if (at >= (const char *)p->end || *at != (i < 2 ? ',' : ')')) return "choose with if: if c then a else b";
    }
    return sym_fmt(p->ctx, "choose with if: if %s then %s else %s", part[0], part[1], part[2]);
}

/* For a token right behind the bracket that ended: sum[k] x, (float) x. */
static const char *behind_bracket(const Parse *p) {
    const char *text = (const char *)p->text, *close = text + p->before.start, *open = close;
    if (*close != ']' && *close != ')') return NULL;
    int depth = 1;
    while (open > text && depth) {
        open--;
        depth += (strchr(")]}", *open) != NULL) - (strchr("([{", *open) != NULL);
    }
    Sym inside = trimmed(p, open + 1, close);
    if (*close == ')') {
        const char *type = foreign_type(inside);
        for (int i = 0; i < TY_COUNT; i++)
            if (p->types[i] == inside) type = inside;
        return type ? sym_fmt(p->ctx, "a cast is a call of the type: %s(...)", type) : NULL;
    }
    const char *from = open;
    while (from > text && word_char(from[-1])) from--;
    Sym name = sym_n(p->ctx, from, (size_t)(open - from));
    if (!builtin_is_reduction(name)) return NULL;
    return sym_fmt(p->ctx, "what is reduced stands in parentheses: %s[%s](...)", name, inside);
}

/* ---- words ---- */

/* What those who come from other languages write. `word` is the token found or the one before it, `found` and `before`
 * only that one. */
static const struct {
    const char *word, *found, *before, *say;
} HINTS[] = {
    {"and", 0, 0, "write &&"},
    {"or", 0, 0, "write ||"},
    {"not", 0, 0, "write !"},
    {"is", 0, 0, "write =="},
    {"def", 0, 0, "a function is fn f(x: f32[N]) -> (y: f32[N]) { y[i] = ...; }"},
    {"func", 0, 0, "a function is fn f(x: f32[N]) -> (y: f32[N]) { y[i] = ...; }"},
    {"void", 0, 0, "a function is fn f(x: f32[N]) -> (y: f32[N]) { y[i] = ...; }"},
    {"__global__", 0, 0,
     "a kernel is export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = ...; }: threads and blocks belong "
     "to the compiler"},
    {"template", 0, 0, "a generic function is fn f<T>(x: T[N]) -> (y: T[N]) { ... }"},
    {"lambda", 0, 0, "a function on elements is fn f(x) = e; at the top of the file"},
    {"while", 0, 0, "there are no loops: an equation holds for all values of its index variables"},
    {"var", 0, 0, "an intermediate is let t[i] = ...;"},
    {"const", 0, 0, "an intermediate is let t[i] = ...;"},
    {"auto", 0, 0, "an intermediate is let t[i] = ...;"},
    {"mut", 0, 0, "nothing is assigned twice: let t[i] = ...; without mut"},
    {"assert", 0, 0, "of dimensions and scalars write require N % 8 == 0; of data, assume 0 <= t[i];"},
    {"elif", 0, 0, "if is an expression: if c then a else if d then b else e"},
    {0, "float", 0, "an intermediate is let t[i] = ...; types are f32, f64"},
    {0, "double", 0, "an intermediate is let t[i] = ...; types are f32, f64"},
    {0, 0, "float", "an intermediate is let t[i] = ...; types are f32, f64"},
    {0, 0, "double", "an intermediate is let t[i] = ...; types are f32, f64"},
    {0, 0, "int", "an intermediate is let t[i] = ...; types are i32, i64"},
    {0, 0, "from", "a module is imported with import \"nn\"; then its functions are called by their names, softmax(x)"},
    {0, "as", 0,
     "a module has no other name: after import \"nn\"; its functions are called by their names, softmax(x)"},
    {0, "fn", 0, "functions stand at the top of the file, not inside another"},
    {0, "export", 0, "exports stand at the top of the file, not inside a function"},
    {0, "=", "=", "compare with =="},
    {0, "+", "+", "there is no ++: an inout parameter is updated with +=, all else is defined once"},
    {0, "let", 0, "let stands inside a function: fn f(x: f32[N]) -> (y: f32[N]) { let t[i] = ...; y[i] = ...; }"},
    {0, "if", 0, "if is an expression: y[i] = if c then a else b;"},
    {0, "else", 0, "if is an expression: if c then a else b"},
    {0, "{", "=", "a body follows the header without =: fn f(x: f32) -> f32 { let a = 2 * x; return a * a; }"},
    {0, "{", 0, "if is an expression without braces: if c then a else b"},
};

static const char *word_hint(const Parse *p, const yyParser *y, Token t) {
    bool top = grammar_accepts(y, TK_IMPORT);
    for (size_t i = 0; i < sizeof HINTS / sizeof *HINTS; i++) {
        bool ok = (!HINTS[i].found || is_word(p, t, HINTS[i].found)) &&
                  (!HINTS[i].before || is_word(p, p->before, HINTS[i].before));
        if (HINTS[i].word) ok = ok && (is_word(p, t, HINTS[i].word) || is_word(p, p->before, HINTS[i].word));
        if (ok && !(top && strstr(HINTS[i].say, "if is"))) return HINTS[i].say;
    }
    return NULL;
}

/* x[:, 0], x[1:N], f(x[i, :]) with index variables: one for each slice, plus where it begins. */
static const char *slice_hint(const Parse *p) {
    const OpenBracket *open = &p->open.at[p->open.n - 1];
    const char *text = (const char *)p->text, *from = text + open->span.start, *at = from + 1,
               *close = until(p, at, "]");
    while (from > text && word_char(from[-1])) from--;
    Sym name = sym_n(p->ctx, from, (size_t)(text + open->span.start - from));
    Text subs = {.ctx = p->ctx}, vars = {.ctx = p->ctx};
    int n = 0;
    bool row = false;
    for (bool more = true; more && n < 6; at++) {
        const char *end = until(p, at, ","), *colon = at;
        more = end < close;
        if (!more) end = close;
        while (colon < end && *colon != ':') colon++;
        Sym start = trimmed(p, at, colon);
        text_put(&subs, subs.n ? ", " : "");
        row = colon < end && !*start && !more && *trimmed(p, colon + 1, end) == 0;
        if (colon < end) text_fmt(&vars, "%s%c", n ? ", " : "", "ijklmn"[n]);
        if (colon < end) text_fmt(&subs, "%c", "ijklmn"[n++]);
        if (*start) text_fmt(&subs, "%s%s", colon < end ? " + " : "", start);
        at = end;
    }
    bool argument = p->open.n > 1 && p->open.at[p->open.n - 2].closer == TK_RP;
    if (row && argument && n == 1 && subs.n > 1)
        return sym_fmt(
            p->ctx,
            "there are no slices with a colon: a row is %s[%.*s...], and a call's result has subscripts too: "
            "y[i, j] = f(%s[i, ...])[j];",
            name, (int)subs.n - 1, subs.s, name);
    return sym_fmt(p->ctx, "there are no slices with a colon: name the index, y[%s] = %s[%s];", vars.n ? vars.s : "i",
                   name, subs.s);
}

/* A colon: of a slice, of a walrus, of a range. */
static const char *colon_hint(const Parse *p, const yyParser *y, Token t) {
    const char *after = (const char *)p->text + t.end;
    if (grammar_accepts(y, TK_PLUSEQ) && *after == '=')
        return "a definition has = alone; an intermediate begins with let: let t[i] = ...;";
    bool range = false;
    const char *from = p->open.n ? (const char *)p->text + p->open.at[p->open.n - 1].span.end : after;
    for (; from + 4 < after; from++) range = range || !memcmp(from, " in ", 4);
    if (range) return "a range is half-open, lo..hi, and counts from 0: k in 0..N";
    if (p->open.n && p->open.at[p->open.n - 1].closer == TK_RB) return slice_hint(p);
    return NULL;
}

/* let w[ids[k]] max= e; as the reduction that it is: for each element over what reaches it. */
static const char *let_update(const Parse *p, Token t) {
    const char *text = (const char *)p->text, *at = text + t.start;
    static const char *const ops[][2] = {{"max", "max"}, {"min", "min"}, {"+=", "sum"}, {"*=", "prod"}};
    const char *reduction = NULL;
    for (int i = 0; i < 4; i++)
        if (is_word(p, t, ops[i][0])) reduction = ops[i][1];
    while (at < (const char *)p->end && *at != '=') at++;
    if (!reduction || at == (const char *)p->end) return NULL;
    const char *left = text + p->first.end;
    while (blank(*left)) left++;
    Sym name = take_word(p, &left), right = trimmed(p, at + 1, until(p, at + 1, ";"));
    if (*left != '[') return sym_fmt(p->ctx, "a let is defined once: let %s = %s[k](%s);", name, reduction, right);
    const char *inner = left + 1, *close = until(p, left + 1, "]");
    for (const char *s = inner; s < close; s++)
        if (*s == '[') inner = s + 1;
    Sym sub = trimmed(p, left + 1, close), var = take_word(p, &inner);
    return sym_fmt(
        p->ctx,
        "a let is defined once, for each element by what reaches it: let %s[n in N] = %s[%s where %s == n](%s);", name,
        reduction, *var ? var : "k", sub, right);
}

/* sum(x[i, k] for k in range(N)) */
static const char *generator(const Parse *p, Token t) {
    const OpenBracket *open = &p->open.at[p->open.n - 1];
    const char *text = (const char *)p->text, *at = text + t.end;
    while (blank(*at)) at++;
    Sym var = take_word(p, &at), of = open->before.text;
    return sym_fmt(p->ctx, "a reduction names its variable in brackets: %s[%s](%s)", of && *of ? of : "sum", var,
                   trimmed(p, text + open->span.end, text + t.start));
}

/* Told by the place. */
static const char *place_hint(const Parse *p, const yyParser *y, int found, Token t) {
    const char *after = (const char *)p->text + t.end;
    bool closes = found == TK_SEMI || found == TK_RP || found == TK_RC || found == TK_COMMA || found == TK_RB;
    if (is_word(p, p->first, "let") && grammar_accepts(y, TK_ASSIGN)) {
        const char *update = let_update(p, t);
        if (update) return update;
    }
    if (is_word(p, p->first, "assert"))
        return "of dimensions and scalars write require N % 8 == 0; of data, assume 0 <= t[i];";
    if (is_word(p, p->first, "option") &&
        (found == TK_TRUE || found == TK_FALSE || found == TK_INT || found == TK_STRING))
        return "the options are option matmul = tf32; math = fast; atomics = fast;";
    if (is_word(p, t, "for") && p->open.n) return generator(p, t);
    bool runs = is_word(p, p->first, "check") || is_word(p, p->first, "bench");
    if (runs && !memchr(p->text + p->first.end, '(', t.start - p->first.end))
        return sym_fmt(p->ctx, "the sizes stand in parentheses: %s f(N = 4096);", p->first.text);
    if (found == TK_LP && p->before.text && grammar_accepts(y, TK_ASSIGN) && p->open.n == 0)
        return "a function begins with fn: export fn f(x: f32[N]) -> (y: f32[N]) { ... }";
    if (found == TK_ASSIGN && grammar_accepts(y, TK_W_HINT) && !grammar_accepts(y, TK_IDENT))
        return "a dimension that is one number is dim N in 128..=128;";
    if (found == TK_ASSIGN &&
        (is_word(p, p->before, "hint") || is_word(p, p->before, "divisible") || is_word(p, p->before, "tol")))
        return sym_fmt(p->ctx, "the value follows the word without =: %s %s", p->before.text,
                       trimmed(p, after, until(p, after, ";")));
    if (found == TK_LB && is_word(p, p->before, "in") && p->open.n == 0)
        return "a range is half-open with .. and closed with ..=, without brackets: dim N in 1..=4096;";
    bool clause = found == TK_IN || found == TK_W_HINT || found == TK_W_DIVISIBLE;
    if (clause && is_word(p, p->first, "dim") && grammar_accepts(y, TK_COMMA))
        return "a line of several names gives their order; a range stands in a line of its own, dim N in 1..;";
    if (found == TK_COLON && grammar_accepts(y, TK_LC)) return "results stand in parentheses: -> (y: f32[N])";
    if (found == TK_LB && grammar_accepts(y, TK_PLUSEQ))
        return "all subscripts stand in one pair of brackets: y[i, j] = ...;";
    if (found == TK_LB && !grammar_accepts(y, TK_NOT) && (grammar_accepts(y, TK_TYPE) || grammar_accepts(y, TK_RP)))
        return "a tensor's type is f32[M, N]: the element's type, then all dimensions in one pair of brackets";
    if (closes && grammar_accepts(y, TK_ELSE))
        return "an if always has both branches, as in `if c then a else 0.0`; to define only some elements of an inout "
               "write "
               "y[i] = e where c;";
    if (found == TK_IDENT && grammar_accepts(y, TK_STRING) && is_word(p, p->before, "import"))
        return sym_fmt(p->ctx, "a module's name is a string: import \"%s\";", t.text);
    if (found == TK_STRING && p->open.n && is_word(p, p->open.at[p->open.n - 1].before, "einsum"))
        return foreign_function("einsum");
    if (found == TK_WHERE && grammar_accepts(y, TK_NOT)) return where_call(p, after);
    if (found == TK_IDENT || found == TK_TYPE || found == TK_INT || found == TK_FLOAT || found == TK_LP) {
        const char *behind = behind_bracket(p);
        if (behind) return behind;
    }
    if (found == TK_DOTDOT && grammar_accepts(y, TK_RB))
        return "a range has no step: multiply the index, sum[k in 0..N/2](x[2*k])";
    return NULL;
}

bool grammar_is_loop(const Parse *p) {
    return (p->open.n && p->open.at[p->open.n - 1].loop) || is_word(p, p->first, "for");
}

Token grammar_loop(const Parse *p) {
    return p->open.n && p->open.at[p->open.n - 1].loop ? p->open.at[p->open.n - 1].before : p->first;
}

const char *grammar_hint(const Parse *p, const yyParser *y, int found, Token t, bool words) {
    const OpenBracket *open = p->open.n ? &p->open.at[p->open.n - 1] : NULL;
    if (open && open->loop) return loop_hint(p, (const char *)p->text + open->span.start);
    if (grammar_is_loop(p)) return loop_hint(p, (const char *)p->text + p->first.end);
    const char *hint = header_hint(p, y, found);
    if (!hint) hint = place_hint(p, y, found, t);
    if (!hint && found == TK_COLON) hint = colon_hint(p, y, t);
    return hint || !words ? hint : word_hint(p, y, t);
}

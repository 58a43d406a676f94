/* Given schedules: reading their file, answering for groups, and what is said of lines that are for no group. */
#include "given.h"

#include "ir/expr_text.h"
#include "ir/poly/poly.h"
#include "sched.h"

#include <string.h>

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* ---- the file ---- */

/* What the lines before say of the next one. */
typedef struct Place {
    Sym program;
    bool begins; /* a condition was read */
    Sym when;
    Span when_span;
    bool pass; /* `one pass` was read */
    Sym pass_when;
    Span pass_span;
} Place;

static bool refuse_text(Given *x, Span span, const char *why, const char *help) {
    Diag *d = diag_report(x->ctx, DIAG_SCHEDULE_TEXT, span, "%s", why);
    diag_advise(x->ctx, d, "%s", help);
    return false;
}

/* A condition without the version that it is for. */
static bool is_alone(Given *x, const Place *at) {
    if (at->begins || at->pass)
        refuse_text(x, at->begins ? at->when_span : at->pass_span, "no schedule stands behind this condition",
                    "write a line GROUP: SCHEDULE behind it, or delete it");
    return at->begins || at->pass;
}

/* `when CONDITION` or `else`, as --dump=choose prints them before versions. */
static bool read_condition_line(Given *x, const char *s, size_t n, Span span, Place *at) {
    const size_t word = n < 5 || memcmp(s, "when", 4) != 0 ? n : 4;
    if (at->begins && is_alone(x, at)) return false;
    size_t from = word;
    while (from < n && blank(s[from])) from++;
    at->begins = true;
    at->when = word < n ? sym_n(x->ctx, s + from, n - from) : NULL;
    at->when_span = span;
    if (word < n) at->when_span.start += (uint32_t)from;
    return true;
}

static const char PASS[] = "one pass";

static bool is_pass(const char *s, size_t n) {
    const size_t word = sizeof PASS - 1;
    return n >= word && !memcmp(s, PASS, word) && (n == word || blank(s[word]));
}

/* `one pass when CONDITION` or `one pass`. */
static bool read_pass_line(Given *x, const char *s, size_t n, Span span, Place *at) {
    size_t from = sizeof PASS - 1;
    if (is_alone(x, at)) return false;
    while (from < n && blank(s[from])) from++;
    at->pass = true;
    at->pass_when = NULL;
    at->pass_span = span;
    if (from == n) return true;
    if (n - from < 5 || memcmp(s + from, "when", 4) != 0 || !blank(s[from + 4]))
        return refuse_text(x, span, "behind `one pass` stands `when` and a condition, or nothing",
                           "write one pass when N <= 4096");
    for (from += 4; from < n && blank(s[from]);) from++;
    at->pass_when = sym_n(x->ctx, s + from, n - from);
    at->pass_span.start += (uint32_t)from;
    return true;
}

static bool is_condition(const char *s, size_t n) {
    return (n > 4 && !memcmp(s, "when", 4) && blank(s[4])) || (n == 4 && !memcmp(s, "else", 4));
}

/* One line without its comment and the blanks around it. */
static bool read_line(Given *x, const char *s, size_t n, Span span, Place *at) {
    static const char WORD[] = "program ";
    const size_t word = sizeof WORD - 1;
    GivenLine line = {.span = span, .begins = at->begins, .when = at->when, .when_span = at->when_span};
    line.pass = at->pass;
    line.pass_when = at->pass_when;
    line.pass_span = at->pass_span;
    if (n > word && !memcmp(s, WORD, word) && text_is_name(s + word, n - word)) {
        if (is_alone(x, at)) return false;
        line.program = at->program = sym_n(x->ctx, s + word, n - word);
        vec_push(x->ctx, &x->lines, line);
        return true;
    }
    if (is_condition(s, n)) return read_condition_line(x, s, n, span, at);
    if (is_pass(s, n)) return read_pass_line(x, s, n, span, at);
    size_t name = 0;
    while (name < n && s[name] != ':' && !blank(s[name])) name++;
    if (name == n || s[name] != ':' || !text_is_name(s, name))
        return refuse_text(x, span, "a line is `program NAME`, or `GROUP: SCHEDULE` for one of its groups",
                           "tdc FILE.td --dump=choose --stop-after=choose prints schedules in this form");
    if (!at->program) {
        Diag *d = diag_report(x->ctx, DIAG_SCHEDULE_TEXT, span, "of which program is %.*s a group?", (int)name, s);
        diag_advise(x->ctx, d, "write a line before it: program NAME, with the name of an export");
        return false;
    }
    line.program = at->program;
    line.group = sym_n(x->ctx, s, name);
    line.schedule = sym_n(x->ctx, s + name + 1, n - name - 1);
    vec_push(x->ctx, &x->lines, line);
    *at = (Place){.program = at->program};
    return true;
}

Given *given_read(Ctx *ctx, int file) {
    Given *x = NEW(ctx, Given);
    Place place = {0};
    size_t size = 0;
    const char *text = diag_file_text(ctx, file, &size);
    bool ok = true;
    x->ctx = ctx;
    for (size_t at = 0; at < size;) {
        size_t end = at, from = at, to;
        while (end < size && text[end] != '\n') end++;
        for (to = at; to < end && text[to] != '#';) to++;
        at = end + 1;
        while (from < to && blank(text[from])) from++;
        while (from < to && blank(text[to - 1])) to--;
        Span span = {file, (uint32_t)from, (uint32_t)to};
        if (from < to) ok &= read_line(x, text + from, to - from, span, &place);
    }
    return ok && !is_alone(x, &place) ? x : NULL;
}

/* ---- a version ---- */

/* A schedule for a group. False after saying what is wrong with it. */
static bool read_schedule(Sym text, Group *gr, bool numbered, Schedule *s, int64_t *most, GivenFault *fault) {
    Text *why = &fault->why;
    why->n = 0;
    fault->code = DIAG_SCHEDULE_TEXT;
    if (!schedule_read(text, numbered ? schedule_numbered(gr) : gr, s, why)) return false;
    fault->code = DIAG_SCHEDULE_ILLEGAL;
    if (!sched_legal(gr, s, NULL, most, why)) return false;
    if (!sched_in_place(gr)) return true;
    return text_fail(why, "a product that is added to its own input is computed by one thread an element");
}

/* The kernels of one way to do the work; groups: of each of them. */
static bool read_together(const GivenTexts *t, Group *const *groups, Version *v,
                          int64_t most[MAX_TOGETHER][MAX_GROUP_AXES], GivenFault *fault) {
    Schedule s;
    *v = (Version){.n = t->n, .span = SPAN_NONE};
    for (int k = 0; k < t->n; k++) {
        fault->text = k;
        if (!read_schedule(t->text[k], groups[k], t->numbered, &s, most[k], fault)) return false;
        v->group[k] = groups[k];
        v->schedule[k] = schedule_keep(groups[k]->graph->ctx, &s);
    }
    return true;
}

bool given_version(Group *gr, const GivenTexts *t, Version *v, int64_t most[MAX_TOGETHER][MAX_GROUP_AXES],
                   GivenFault *fault) {
    *fault = (GivenFault){.why = {.ctx = gr->graph->ctx}, .code = DIAG_SCHEDULE_ILLEGAL};
    text_put(&fault->why, "");
    const bool one = t->n == 1;
    if (one && read_together(t, (Group *[]){gr}, v, most, fault)) return true;
    if (!one) text_put(&fault->why, "it is not divided into shares");
    /* Divisions differ in how many shares they have: the one that the schedules are legal for. */
    for (int i = 0; i < gr->divisions.n; i++) {
        const Division *d = &gr->divisions.at[i];
        GivenFault other = {.why = {.ctx = gr->graph->ctx}, .code = DIAG_SCHEDULE_ILLEGAL};
        if (d->n != t->n) continue;
        if (read_together(t, d->group, v, most, &other)) return true;
        if (!one || strstr(t->text[0], group_into(d->group[0]) ? "scatter" : "online")) *fault = other;
    }
    return false;
}

static GivenAnswer refuse_span(const Given *x, Span span, DiagCode code, const char *why) {
    Diag *d = diag_report(x->ctx, code, span, "%s", why);
    if (code == DIAG_SCHEDULE_TEXT)
        diag_advise(x->ctx, d,
                    "a schedule is AXIS = FACTOR FACTOR ..., with a semicolon between axes; "
                    "--dump=choose prints the one that is chosen without this line");
    else
        diag_advise(x->ctx, d, "without the line a schedule is chosen; --dump=choose prints it, to begin from");
    return GIVEN_WRONG;
}

static GivenAnswer refuse(const Given *x, const GivenLine *line, DiagCode code, const char *why) {
    return refuse_span(x, line->span, code, why);
}

/* The version that lines are: one, or one for each kernel of a division. */
static bool take_version(const Given *x, Group *gr, GivenLine *const *lines, int n, Version *v,
                         int64_t most[MAX_TOGETHER][MAX_GROUP_AXES]) {
    GivenTexts t = {.n = n};
    GivenFault fault;
    for (int k = 0; k < n; k++) t.text[k] = lines[k]->schedule;
    if (given_version(gr, &t, v, most, &fault)) return v->span = lines[n - 1]->span, true;
    refuse(x, lines[fault.text], fault.code, fault.why.s);
    return false;
}

/* ---- versions for some sizes ---- */

/* NULL after reporting. span: of the text. */
static const Expr *read_condition(const Given *x, const Group *gr, Sym text, Span span) {
    Lex lex;
    lex_init(&lex, x->ctx, text, strlen(text), -1);
    ExprReader r = {.g = gr->graph, .lex = &lex};
    const Expr *e = expr_read(&r);
    if (!lex.failed && lex.tok.kind != LEX_END) lex_fail(&lex, lex.tok.span, "the condition ends before this");
    if (!lex.failed && (!e || e->type != TY_BOOL || !expr_over_dims(e)))
        lex_fail(&lex, (Span){-1, 0, (uint32_t)strlen(text)}, "a condition compares sizes of dimensions");
    if (!lex.failed) return e;
    Span at = span;
    if (lex.where.end > lex.where.start) at = (Span){at.file, at.start + lex.where.start, at.start + lex.where.end};
    Diag *d = diag_report(x->ctx, DIAG_SCHEDULE_TEXT, at, "%s", lex.why);
    diag_advise(x->ctx, d, "conditions are of dimensions that -D has not fixed: when M <= 64 && N %% 8 == 0");
    return NULL;
}

/* What holds where a version is taken: its condition, and that no condition before it did. */
typedef struct Known {
    Ctx *ctx;
    VEC(const Expr *) facts;
} Known;

static void know(Known *x, const Expr *e) {
    if (e->op == OP_AND) {
        know(x, e->arg[0]);
        know(x, e->arg[1]);
    } else {
        vec_push(x->ctx, &x->facts, e);
    }
}

/* Whether a kernel holds all sizes that come to it; *why says which axis it does not hold. */
static bool holds_all(Group *gr, const int64_t *most, const Known *known, Text *why) {
    Graph *g = gr->graph;
    const PolyEnv env = {.g = g, .facts = known->facts.at, .nfacts = known->facts.n, .ctx = known->ctx};
    for (int a = 0; a < gr->axes.n; a++) {
        if (most[a] == INT64_MAX) continue;
        const Expr *length = versions_length(gr, (AxisSet)1 << a);
        if (cond_truth(&env, expr2(g, OP_LE, length, expr_int(g, TY_I64, most[a]))) == 1) continue;
        text_put(why, "these sizes are more than the schedule holds: it needs ");
        expr_print(why, length, NULL);
        return text_fmt(why, " <= %lld", (long long)most[a]), false;
    }
    return true;
}

static bool is_legal_there(const Given *x, const Version *v, const Versions *before, const Expr *pass,
                           const GivenLine *line, int64_t most[MAX_TOGETHER][MAX_GROUP_AXES]) {
    Known known = {.ctx = ctx_temp(x->ctx)};
    Text why = {.ctx = x->ctx};
    bool ok = true;
    for (int i = 0; i < before->n; i++) know(&known, expr1(v->group[0]->graph, OP_NOT, before->at[i].when));
    if (v->when) know(&known, v->when);
    if (pass) know(&known, pass);
    for (int k = 0; k < v->n && ok; k++) ok = holds_all(v->group[k], most[k], &known, &why);
    ctx_temp_end(known.ctx);
    if (!ok) refuse_span(x, line->when_span, DIAG_SCHEDULE_ILLEGAL, why.s);
    return ok;
}

/* The division of several kernels of which the first has that name; NULL: there is none. Those into shares share it. */
static const Division *division_of(const Group *gr, Sym name) {
    for (int i = 0; i < gr->divisions.n; i++)
        if (gr->divisions.at[i].n > 1 && gr->divisions.at[i].group[0]->name == name) return &gr->divisions.at[i];
    return NULL;
}

/* The lines of one way to do a group's work, from its first one on; how many, 0 after reporting. */
static int lines_of(Given *x, Group *gr, GivenLine *first, GivenLine **lines) {
    const Division *d = first->group == gr->name ? NULL : division_of(gr, first->group);
    const GivenLine *const end = x->lines.at + x->lines.n;
    int n = 0;
    lines[n++] = first;
    for (GivenLine *at = first + 1; d && n < d->n; at++) {
        if (at == end || at->begins || at->group != d->group[n]->name)
            return refuse(x, first, DIAG_SCHEDULE_ILLEGAL,
                          sym_fmt(x->ctx,
                                  d->apart ? "what comes after it, %s, has no line behind this one"
                                           : "what folds the shares, %s, has no line behind this one",
                                  d->group[n]->name)),
                   0;
        lines[n++] = at;
    }
    for (int k = 0; k < n; k++) lines[k]->used = true;
    return n;
}

/* The lines of versions from `line` on, which begins one, to the one behind `else`. */
static GivenAnswer by_size(Given *x, Group *gr, GivenLine *line, Versions *v) {
    const GivenLine *const end = x->lines.at + x->lines.n, *last = line;
    int64_t most[MAX_TOGETHER][MAX_GROUP_AXES];
    const Expr *pass = line->pass_when ? read_condition(x, gr, line->pass_when, line->pass_span) : NULL;
    if (line->pass_when && !pass) return GIVEN_WRONG;
    *v = versions_room(gr->graph->ctx, MAX_VERSIONS);
    for (bool more = true; more;) {
        GivenLine *const first = line, *lines[MAX_TOGETHER];
        if (first == end || !first->begins || (first->group != gr->name && !division_of(gr, first->group)))
            return refuse_span(x, last->when_span, DIAG_SCHEDULE_TEXT,
                               sym_fmt(x->ctx, "the versions of %s end here, without `else`", gr->name));
        if (v->n == MAX_VERSIONS)
            return refuse(x, first, DIAG_SCHEDULE_ILLEGAL,
                          sym_fmt(x->ctx, "a group has %d versions at most", MAX_VERSIONS));
        const int n = lines_of(x, gr, first, lines);
        Version *one = &v->at[v->n];
        if (!n || !take_version(x, gr, lines, n, one, most)) return GIVEN_WRONG;
        line += n;
        one->when = first->when ? read_condition(x, gr, first->when, first->when_span) : NULL;
        if ((first->when && !one->when) || !is_legal_there(x, one, v, pass, first, most)) return GIVEN_WRONG;
        v->n++;
        more = first->when != NULL;
        last = first;
    }
    return GIVEN_TAKEN;
}

/* ---- a group's lines ---- */

/* The first line for such a group that no group before it has taken; NULL: there is none. */
static GivenLine *line_for(Given *x, Sym program, Sym group) {
    vec_push(x->ctx, &x->asked, ((GivenAsked){program, group}));
    for (int i = 0; i < x->lines.n; i++) {
        GivenLine *line = &x->lines.at[i];
        if (!line->used && line->program == program && line->group == group) return line;
    }
    return NULL;
}

/* The first of the lines for a group: its own, or that of a division's first kernel, which stands before it. */
static GivenLine *first_line(Given *x, Sym program, const Group *gr) {
    GivenLine *first = line_for(x, program, gr->name);
    for (int i = 0; i < gr->divisions.n; i++) {
        if (gr->divisions.at[i].n == 1) continue;
        GivenLine *line = line_for(x, program, gr->divisions.at[i].group[0]->name);
        if (line && (!first || line < first)) first = line;
    }
    return first;
}

GivenAnswer given_versions(Given *x, Sym program, Group *gr, Versions *v) {
    if (!x) return GIVEN_NONE;
    GivenLine *const first = first_line(x, program, gr), *lines[MAX_TOGETHER];
    if (!first) return GIVEN_NONE;
    if (first->begins) return by_size(x, gr, first, v);
    int64_t most[MAX_TOGETHER][MAX_GROUP_AXES];
    const int n = lines_of(x, gr, first, lines);
    *v = versions_room(gr->graph->ctx, 1);
    v->n = 1;
    return n && take_version(x, gr, lines, n, &v->at[0], most) ? GIVEN_TAKEN : GIVEN_WRONG;
}

const Expr *given_way(Given *x, Sym program, Group *gr, const Expr *bounds) {
    const GivenLine *line = NULL;
    for (int i = 0; i < x->lines.n && !line; i++)
        if (x->lines.at[i].program == program && x->lines.at[i].group == gr->name) line = &x->lines.at[i];
    if (!line || !line->pass_when) return bounds;
    const Expr *when = read_condition(x, gr, line->pass_when, line->pass_span);
    if (!when) return NULL;
    Known known = {.ctx = ctx_temp(x->ctx)};
    know(&known, when);
    const PolyEnv env = {.g = gr->graph, .facts = known.facts.at, .nfacts = known.facts.n, .ctx = known.ctx};
    const bool within = cond_truth(&env, bounds) == 1;
    ctx_temp_end(known.ctx);
    return within ? when : expr_and(gr->graph, bounds, when);
}

/* ---- what is left ---- */

/* The names of programs, or of the groups of one, each once. */
static int names_of(const Given *x, Sym program, const char **names) {
    int n = 0;
    for (int i = 0; i < x->asked.n; i++) {
        Sym name = program ? x->asked.at[i].group : x->asked.at[i].program;
        if (program && x->asked.at[i].program != program) continue;
        int k = 0;
        while (k < n && names[k] != name) k++;
        if (k == n) names[n++] = name;
    }
    return n;
}

static int count(const Given *x, Sym program, Sym group) {
    int n = 0;
    for (int i = 0; i < x->asked.n; i++)
        n += x->asked.at[i].program == program && (!group || x->asked.at[i].group == group);
    return n;
}

static void report_name(const Given *x, const GivenLine *line) {
    enum { SHOWN = 8 };
    const char **names = NEW_N(x->ctx, const char *, x->asked.n + 1);
    const Sym program = line->group ? line->program : NULL, name = line->group ? line->group : line->program;
    const int n = names_of(x, program, names), same = line->group ? count(x, program, name) : 0;
    const char *near = diag_near(name, names, n);
    Text all = {.ctx = x->ctx};
    Diag *d;
    for (int i = 0; i < n && i < SHOWN; i++) text_fmt(&all, "%s%s", i ? ", " : "", names[i]);
    if (n > SHOWN) text_put(&all, ", ...");
    if (same)
        d = diag_report(x->ctx, DIAG_SCHEDULE_NAME, line->span, "%s has no more groups that are named %s than %d",
                        program, name, same);
    else if (program)
        d = diag_report(x->ctx, DIAG_SCHEDULE_NAME, line->span, "%s has no group %s", program, name);
    else
        d = diag_report(x->ctx, DIAG_SCHEDULE_NAME, line->span, "no entry %s is scheduled here", name);
    if (near && !same) diag_advise(x->ctx, d, "did you mean %s?", near);
    if (same)
        diag_advise(x->ctx, d, "delete the line");
    else if (n)
        diag_advise(x->ctx, d, program ? "its groups are %s" : "the entries are %s", all.s);
}

bool given_done(Given *x) {
    bool ok = true;
    Sym unknown = NULL; /* the program of which that was said */
    for (int i = 0; x && i < x->lines.n; i++) {
        const GivenLine *line = &x->lines.at[i];
        bool there = count(x, line->program, NULL) > 0;
        if (line->used || (!line->group && there) || line->program == unknown) continue;
        if (!there) unknown = line->program;
        report_name(x, line);
        ok = false;
    }
    return ok;
}

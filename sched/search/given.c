/* Given schedules: reading their file, answering for groups, and what is said of lines that are for no group. */
#include "given.h"

#include "ir/diag.h"
#include "sched.h"

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* `when CONDITION` or `else`, as --dump=choose prints them before versions. */
static bool is_condition(const char *s, size_t n) {
    return (n > 5 && !memcmp(s, "when ", 5)) || (n == 4 && !memcmp(s, "else", 4));
}

/* Said once. */
static bool refuse_condition(Given *x, Span span) {
    if (x->by_size) return false;
    Diag *d = diag_report(x->ctx, DIAG_SCHEDULE_TEXT, span,
                          "a group's versions for some sizes are not read: one schedule is given for all of them");
    diag_advise(x->ctx, d, "keep the lines of one version; or fix lengths with -D: then --dump=choose prints one");
    x->by_size = true;
    return false;
}

/* One line without its comment and the blanks around it; *program is that of the lines before. */
static bool read_line(Given *x, const char *s, size_t n, Span span, Sym *program) {
    static const char WORD[] = "program ";
    const size_t word = sizeof WORD - 1;
    GivenLine line = {.span = span};
    if (n > word && !memcmp(s, WORD, word) && text_is_name(s + word, n - word)) {
        line.program = *program = sym_n(x->ctx, s + word, n - word);
        vec_push(x->ctx, &x->lines, line);
        return true;
    }
    if (is_condition(s, n)) return refuse_condition(x, span);
    size_t name = 0;
    while (name < n && s[name] != ':' && !blank(s[name])) name++;
    if (name == n || s[name] != ':' || !text_is_name(s, name)) {
        Diag *d = diag_report(x->ctx, DIAG_SCHEDULE_TEXT, span,
                              "a line is `program NAME`, or `GROUP: SCHEDULE` for one of its groups");
        diag_advise(x->ctx, d, "tdc FILE.td --dump=choose --stop-after=choose prints schedules in this form");
        return false;
    }
    if (!*program) {
        Diag *d = diag_report(x->ctx, DIAG_SCHEDULE_TEXT, span, "of which program is %.*s a group?", (int)name, s);
        diag_advise(x->ctx, d, "write a line before it: program NAME, with the name of an export");
        return false;
    }
    line.program = *program;
    line.group = sym_n(x->ctx, s, name);
    line.schedule = sym_n(x->ctx, s + name + 1, n - name - 1);
    vec_push(x->ctx, &x->lines, line);
    return true;
}

Given *given_read(Ctx *ctx, int file) {
    Given *x = NEW(ctx, Given);
    Sym program = NULL;
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
        if (from < to) ok &= read_line(x, text + from, to - from, span, &program);
    }
    return ok ? x : NULL;
}

static GivenAnswer refuse(const Given *x, const GivenLine *line, DiagCode code, const Text *why) {
    Diag *d = diag_report(x->ctx, code, line->span, "%s", why->s);
    if (code == DIAG_SCHEDULE_TEXT)
        diag_advise(x->ctx, d,
                    "a schedule is AXIS = FACTOR FACTOR ..., with a semicolon between axes; "
                    "--dump=choose prints the one that is chosen without this line");
    else
        diag_advise(x->ctx, d, "without the line a schedule is chosen; --dump=choose prints it, to begin from");
    return GIVEN_WRONG;
}

/* The first line for such a group that no group before it has taken; NULL: there is none. */
static GivenLine *line_for(Given *x, Sym program, Sym group) {
    vec_push(x->ctx, &x->asked, ((GivenAsked){program, group}));
    for (int i = 0; i < x->lines.n; i++) {
        GivenLine *line = &x->lines.at[i];
        if (!line->used && line->program == program && line->group == group) return line;
    }
    return NULL;
}

/* A line's schedule for a group. False after saying in *why, and by *code, what is wrong with it. */
static bool read_schedule(const GivenLine *line, const Group *gr, Schedule *s, DiagCode *code, Text *why) {
    why->n = 0;
    *code = DIAG_SCHEDULE_TEXT;
    if (!schedule_read(line->schedule, gr, s, why)) return false;
    *code = DIAG_SCHEDULE_ILLEGAL;
    int64_t most[MAX_GROUP_AXES]; /* the kernel refuses longer ones by its where lines */
    if (!schedule_legal_within(gr, s, most, why)) return false;
    if (!sched_in_place(gr)) return true;
    return text_fail(why, "a product that is added to its own input is computed by one thread an element");
}

/* Divisions differ in how many shares they have: the one that the lines are legal for. */
static GivenAnswer divided(const Given *x, Group *gr, const GivenLine *shares, const GivenLine *rest, Versions *v) {
    Text why = {.ctx = x->ctx};
    const GivenLine *wrong = shares;
    DiagCode code = DIAG_SCHEDULE_ILLEGAL;
    text_put(&why, "");
    for (int i = 0; i < gr->divisions.n; i++) {
        const Division *d = &gr->divisions.at[i];
        Schedule a, b;
        wrong = shares;
        if (!read_schedule(shares, d->shares, &a, &code, &why)) continue;
        wrong = rest;
        if (!read_schedule(rest, d->rest, &b, &code, &why)) continue;
        *v = (Versions){.n = 1, .at = {{.n = MAX_TOGETHER, .group = {d->shares, d->rest}, .span = rest->span}}};
        v->at[0].schedule[0] = schedule_keep(x->ctx, &a);
        v->at[0].schedule[1] = schedule_keep(x->ctx, &b);
        return GIVEN_TAKEN;
    }
    return refuse(x, wrong, code, &why);
}

GivenAnswer given_versions(Given *x, Sym program, Group *gr, Versions *v) {
    if (!x) return GIVEN_NONE;
    GivenLine *line = line_for(x, program, gr->name), *shares = NULL;
    if (gr->divisions.n) shares = line_for(x, program, gr->divisions.at[0].shares->name);
    if (line) line->used = true;
    if (shares) shares->used = true;
    Schedule s;
    Text why = {.ctx = x->ctx};
    DiagCode code = DIAG_SCHEDULE_ILLEGAL;
    text_put(&why, "");
    if (shares && line) return divided(x, gr, shares, line, v);
    if (shares) {
        text_fmt(&why, "what folds the shares, %s, has no line", gr->name);
        return refuse(x, shares, code, &why);
    }
    if (!line) return GIVEN_NONE;
    if (!read_schedule(line, gr, &s, &code, &why)) return refuse(x, line, code, &why);
    versions_one(gr, &s, v);
    v->at[0].span = line->span;
    return GIVEN_TAKEN;
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

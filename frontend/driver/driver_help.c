/* The tables of the command line, and what is printed from them: --help and --version. */
#include "driver.h"

#include <string.h>

static const OptionRow OPTIONS[] = {
#define COMPILE ON_COMPILE
#define CHECK ON_CHECK
#define RUN ON_RUN
#define EXPLAIN ON_EXPLAIN
#define BENCH ON_BENCH
#define TUNE ON_TUNE
#define CALIBRATE ON_CALIBRATE
#define ALL ON_ALL
#define ONCE false
#define MANY true
#define OPTION(e, name, value, commands, often, text) {name, value, commands, often, text},
#include "options.def"
#undef OPTION
#undef COMPILE
#undef CHECK
#undef RUN
#undef EXPLAIN
#undef BENCH
#undef TUNE
#undef CALIBRATE
#undef ALL
#undef ONCE
#undef MANY
};

static const EmitRow EMITS[] = {
#define EMIT(e, word, suffix, text) {word, suffix, text},
#include "emits.def"
#undef EMIT
};

static const struct {
    const char *name, *text, *form;
    bool optional;
} PASSES[] = {
#define NEEDED false
#define OPTIONAL true
#define PASS(e, name, text, form, may) {name, text, #form, may},
#include "passes.def"
#undef PASS
#undef NEEDED
#undef OPTIONAL
};

static const struct {
    const char *name, *usage, *line, *text;
} COMMANDS[] = {
#define COMMAND(e, name, usage, line, text) {name, usage, line, text},
#include "commands.def"
#undef COMMAND
};

const OptionRow *driver_option(OptionId id) { return &OPTIONS[id]; }
const EmitRow *driver_emit(EmitId e) { return &EMITS[e]; }
const char *driver_pass_name(PassId p) { return PASSES[p].name; }
const char *driver_pass_form(PassId p) { return PASSES[p].form; }
bool driver_pass_optional(PassId p) { return PASSES[p].optional; }
const char *driver_command_name(Command c) { return COMMANDS[c].name; }
Command driver_command(const char *name) {
    int c = COMMAND_COMPILE + 1;
    while (c < COMMAND_COUNT && strcmp(COMMANDS[c].name, name) != 0) c++;
    return (Command)c;
}

bool driver_command_builds(Command c) { return (ON_CHECK | ON_RUN | ON_BENCH | ON_CALIBRATE) >> c & 1; }

void driver_version(Text *out, const char *commit) {
    text_fmt(out, "tdc %s (text format %d%s%s)\n", TDC_VERSION, TEXT_FORMAT, *commit ? ", commit " : "", commit);
    text_put(out, "Free software under the MIT licence, without any warranty.\n"
                  "What tdc emits is yours, the text of its prelude and its library in it included: use, change,\n"
                  "license and share it without any condition.\n");
}

static void option_line(Text *out, const OptionRow *o) {
    char left[40];
    const char *v = o->value, *gap = !v ? "" : o->name[1] == '-' ? "=" : " ";
    snprintf(left, sizeof left, "%s%s%s", o->name, gap, v ? v : "");
    text_fmt(out, "  %-23s ", left);
}

void driver_help(Text *out) {
    for (int c = 0; c < COMMAND_COUNT; c++) {
        text_fmt(out, "%s tdc %-36s %s\n", c ? "      " : "usage:", COMMANDS[c].usage, COMMANDS[c].line);
        if (c == COMMAND_COMPILE)
            text_put(out, "       tdc FILE.kernel -o model.cu              lowers a program text alone\n");
    }
    text_put(out, "       tdc help COMMAND                         says more of one, and which options it takes\n"
                  "\noptions:\n");
    for (int i = 0; i < OPT_COUNT; i++) {
        const OptionRow *o = &OPTIONS[i];
        option_line(out, o);
        for (int c = 0, n = 0; c < COMMAND_COUNT && !(o->commands & ON_COMPILE); c++)
            if (o->commands >> c & 1) text_fmt(out, "%s%s", n++ ? ", " : "", COMMANDS[c].name);
        text_fmt(out, "%s%s\n", o->commands & ON_COMPILE ? "" : ": ", o->text);
    }
    text_put(out, "\npasses, in their order, what each leaves, and - where --without may leave it out:\n");
    for (int i = 0; i < PASS_COUNT; i++) {
        char form[16];
        size_t n = 0;
        for (; PASSES[i].form[n] && n + 1 < sizeof form; n++) form[n] = (char)(PASSES[i].form[n] | 32);
        form[n] = 0;
        text_fmt(out, "%c %-10s %-9s %s\n", PASSES[i].optional ? '-' : ' ', PASSES[i].name, form, PASSES[i].text);
    }
    text_put(out, "\noptions stand before or after the command\nexit status: 0 done, 1 the program is wrong, 2 the "
                  "command line is, 3 anything else\n");
}

static void options_of(Text *out, Command c, const char *head, bool every) {
    text_put(out, head);
    for (int i = 0; i < OPT_COUNT; i++) {
        const OptionRow *o = &OPTIONS[i];
        if (!(o->commands >> c & 1) || (o->commands == ON_ALL) != every) continue;
        option_line(out, o);
        text_fmt(out, "%s\n", o->text);
    }
}

void driver_help_command(Text *out, Command c) {
    text_fmt(out, "usage: tdc %s [OPTION...]\n%s\n%s\n", COMMANDS[c].usage, COMMANDS[c].line, COMMANDS[c].text);
    options_of(out, c, "options:\n", false);
    options_of(out, c, "\noptions of every command:\n", true);
}

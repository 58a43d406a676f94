/* The tables of the command line, and what is printed from them: --help, --version and the completions. */
#include "driver.h"

#include <string.h>

static const OptionRow OPTIONS[] = {
#define COMPILE ON_COMPILE
#define CHECK ON_CHECK
#define RUN ON_RUN
#define EXPLAIN ON_EXPLAIN
#define TUNE ON_TUNE
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
#undef TUNE
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
} PASSES[] = {
#define PASS(e, name, text, form) {name, text, #form},
#include "passes.def"
#undef PASS
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
const char *driver_command_name(Command c) { return COMMANDS[c].name; }
Command driver_command(const char *name) {
    int c = COMMAND_COMPILE + 1;
    while (c < COMMAND_COUNT && strcmp(COMMANDS[c].name, name) != 0) c++;
    return (Command)c;
}

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
    text_put(out, "\npasses:\n");
    for (int i = 0; i < PASS_COUNT; i++) {
        char form[16];
        size_t n = 0;
        for (; PASSES[i].form[n] && n + 1 < sizeof form; n++) form[n] = (char)(PASSES[i].form[n] | 32);
        form[n] = 0;
        text_fmt(out, "  %-10s %-8s %s\n", PASSES[i].name, form, PASSES[i].text);
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

/* ---- completions ---- */

/* The values that an option can have, each followed by a space; nothing where they are not a list. */
static void values(Text *out, OptionId id) {
    switch (id) {
    case OPT_EMIT:
        for (int i = 0; i < EMIT_COUNT; i++)
            if (!i || strcmp(EMITS[i].word, EMITS[i - 1].word) != 0) text_fmt(out, "%s ", EMITS[i].word);
        break;
    case OPT_TARGET:
        for (int i = 0; i < TARGET_COUNT; i++) text_fmt(out, "%s ", target_table[i].arch);
        text_put(out, "emu ");
        break;
    case OPT_DUMP:
    case OPT_STOP:
        for (int i = 0; i < PASS_COUNT; i++) text_fmt(out, "%s ", PASSES[i].name);
        break;
    case OPT_INPUTS:
        for (int i = 0; i < INPUTS_COUNT; i++) text_fmt(out, "%s ", check_inputs_name((InputKind)i));
        text_put(out, "all ");
        break;
    case OPT_PRINT_DIR:
        for (int i = 0; driver_place_name(i); i++) text_fmt(out, "%s ", driver_place_name(i));
        break;
    case OPT_DIAGNOSTICS: text_put(out, "json text "); break;
    case OPT_COMPLETION: text_put(out, "bash zsh "); break;
    default: break;
    }
}

static bool is_file(const OptionRow *o) { return o->value && (!strcmp(o->value, "FILE") || strstr(o->value, ".npy")); }
static bool is_folder(const OptionRow *o) { return o->value && !strcmp(o->value, "DIR"); }

static void bash_case(Text *out, OptionId id) {
    const OptionRow *o = &OPTIONS[id];
    Text words = {.ctx = out->ctx};
    values(&words, id);
    if (words.n)
        text_fmt(out, "    %s) COMPREPLY=($(compgen -W '%.*s' -- \"$cur\")) ;;\n", o->name, (int)words.n - 1, words.s);
    else if (is_file(o) || is_folder(o))
        text_fmt(out, "    %s) COMPREPLY=($(compgen -%c -- \"$cur\")) ;;\n", o->name, is_folder(o) ? 'd' : 'f');
    else if (o->value)
        text_fmt(out, "    %s) ;;\n", o->name);
}

static void bash(Text *out) {
    text_put(out, "# Completion of tdc for bash, made by `tdc --completion=bash`.\n"
                  "_tdc() {\n"
                  "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
                  "    COMPREPLY=()\n"
                  "    # --name=value is three words here\n"
                  "    if [ \"$prev\" = = ]; then\n"
                  "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
                  "    elif [ \"$cur\" = = ]; then\n"
                  "        cur=\n"
                  "    fi\n"
                  "    case $prev in\n");
    for (int i = 0; i < OPT_COUNT; i++) bash_case(out, (OptionId)i);
    text_put(out, "    *)\n"
                  "        case $cur,${COMP_WORDS[1]} in\n");
    for (int c = COMMAND_COUNT - 1; c >= 0; c--) {
        text_fmt(out, "        -*,%s) COMPREPLY=($(compgen -W '", c == COMMAND_COMPILE ? "*" : COMMANDS[c].name);
        for (int i = 0, n = 0; i < OPT_COUNT; i++)
            if (OPTIONS[i].commands >> c & 1) text_fmt(out, "%s%s", n++ ? " " : "", OPTIONS[i].name);
        text_put(out, "' -- \"$cur\")) ;;\n");
    }
    text_put(out, "        *)\n"
                  "            COMPREPLY=($(compgen -f -X '!*.@(td|kernel)' -- \"$cur\") $(compgen -d -- \"$cur\"))\n"
                  "            [ \"$COMP_CWORD\" = 1 ] && COMPREPLY+=($(compgen -W '");
    for (int c = COMMAND_COMPILE + 1; c < COMMAND_COUNT; c++)
        text_fmt(out, "%s%s", c > COMMAND_COMPILE + 1 ? " " : "", COMMANDS[c].name);
    text_put(out, "' -- \"$cur\"))\n"
                  "            ;;\n"
                  "        esac\n"
                  "        ;;\n"
                  "    esac\n"
                  "}\n"
                  "shopt -s extglob 2>/dev/null\n"
                  "complete -o filenames -F _tdc tdc\n");
}

/* Text inside '...[text]:...' */
static void zsh_text(Text *out, const char *s) {
    for (; *s; s++) {
        if (*s == '\'') text_put(out, "'\\'");
        if (strchr("[]:\\", *s)) text_char(out, '\\');
        text_char(out, *s);
    }
}

static void zsh_option(Text *out, OptionId id) {
    const OptionRow *o = &OPTIONS[id];
    Text words = {.ctx = out->ctx};
    bool is_long = o->name[1] == '-';
    values(&words, id);
    text_fmt(out, "    '%s%s%s[", o->many ? "*" : "", o->name, !o->value ? "" : is_long ? "=" : "+");
    zsh_text(out, o->text);
    text_char(out, ']');
    if (o->value) {
        text_char(out, ':');
        zsh_text(out, o->value);
        text_char(out, ':');
        if (words.n)
            text_fmt(out, "(%.*s)", (int)words.n - 1, words.s);
        else if (is_file(o) || is_folder(o))
            text_put(out, is_folder(o) ? "_files -/" : "_files");
    }
    text_put(out, "' \\\n");
}

static void zsh(Text *out) {
    text_put(out, "#compdef tdc\n# Completion of tdc for zsh, made by `tdc --completion=zsh`.\n_arguments \\\n");
    for (int i = 0; i < OPT_COUNT; i++) zsh_option(out, (OptionId)i);
    text_put(out, "    '1:command or file:{ compadd ");
    for (int c = COMMAND_COMPILE + 1; c < COMMAND_COUNT; c++) text_fmt(out, "%s ", COMMANDS[c].name);
    text_put(out, "; _files -g \"*.(td|kernel)\" }' \\\n    '*:file:_files -g \"*.(td|kernel)\"'\n");
}

bool driver_completion(Text *out, const char *shell) {
    if (!strcmp(shell, "bash")) return bash(out), true;
    if (!strcmp(shell, "zsh")) return zsh(out), true;
    return false;
}

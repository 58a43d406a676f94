/* The completions for shells, from the tables of the command line. Entries and sizes come from the file at hand, as tdc
 * itself reads it. */
#include "driver.h"

#include "ir/diag.h"

#include <string.h>

/* sed's scripts for the Graphs of --dump=sema. */
#define ENTRIES "s/^graph ([A-Za-z_0-9]+).*/\\1/p"
#define SIZES "s/^  (dim|scalar) ([A-Za-z_0-9]+).*/\\2/p"

static void commands(Text *out) {
    for (int c = COMMAND_COMPILE + 1; c < COMMAND_COUNT; c++) text_fmt(out, "%s ", driver_command_name((Command)c));
}

/* The codes of diagnostics. */
static void codes(Text *out) {
    Text all = {.ctx = out->ctx};
    diag_list(&all);
    for (const char *s = all.s; s && *s; s = strchr(s, '\n'), s += s != NULL) {
        size_t n = strcspn(s, " \n");
        if (n) text_fmt(out, "%.*s ", (int)n, s);
    }
    text_put(out, "list ");
}

/* The values that an option can have, each followed by a space; nothing where they are not a list. */
static void values(Text *out, OptionId id) {
    switch (id) {
    case OPT_EMIT:
        for (int i = 0; i < EMIT_COUNT; i++) {
            const char *word = driver_emit((EmitId)i)->word;
            if (!i || strcmp(word, driver_emit((EmitId)(i - 1))->word) != 0) text_fmt(out, "%s ", word);
        }
        break;
    case OPT_TARGET:
        for (int i = 0; i < TARGET_COUNT; i++) text_fmt(out, "%s ", target_table[i].arch);
        text_fmt(out, "%s ", TUNE_EMU_NAME);
        break;
    case OPT_MACHINE:
    case OPT_PRINT_MACHINE:
        for (int i = 0; i < MACHINE_BUILT_IN; i++) text_fmt(out, "%s ", machine_table[i]->name);
        break;
    case OPT_DUMP:
    case OPT_STOP:
        for (int i = 0; i < PASS_COUNT; i++) text_fmt(out, "%s ", driver_pass_name((PassId)i));
        break;
    case OPT_WITHOUT:
        for (int i = 0; i < PASS_COUNT; i++)
            if (driver_pass_optional((PassId)i)) text_fmt(out, "%s ", driver_pass_name((PassId)i));
        break;
    case OPT_INPUTS:
        for (int i = 0; i < INPUTS_COUNT; i++) text_fmt(out, "%s ", check_inputs_name((InputKind)i));
        text_put(out, "all ");
        break;
    case OPT_PRINT_DIR:
        for (int i = 0; driver_place_name(i); i++) text_fmt(out, "%s ", driver_place_name(i));
        break;
    case OPT_LIBRARY: text_put(out, "cublasLt none "); break;
    case OPT_EXACT: text_put(out, "ring field "); break;
    case OPT_ONLY: text_put(out, "products schedules "); break;
    case OPT_FORMAT:
    case OPT_DIAGNOSTICS: text_put(out, "json text "); break;
    case OPT_EXPLAIN: codes(out); break;
    case OPT_COMPLETION: text_put(out, "bash zsh "); break;
    default: break;
    }
}

static bool is_file(const OptionRow *o) { return o->value && (!strcmp(o->value, "FILE") || strstr(o->value, ".npy")); }
static bool is_folder(const OptionRow *o) { return o->value && !strcmp(o->value, "DIR"); }

static void bash_case(Text *out, OptionId id) {
    const OptionRow *o = driver_option(id);
    Text words = {.ctx = out->ctx};
    values(&words, id);
    if (id == OPT_DEFINE)
        text_fmt(out,
                 "    %s) COMPREPLY=($(compgen -S = -W \"$(_tdc_names '" SIZES "')\" -- \"$cur\"))\n"
                 "        compopt -o nospace 2>/dev/null ;;\n",
                 o->name);
    else if (words.n && id == OPT_MACHINE)
        text_fmt(out, "    %s) COMPREPLY=($(compgen -f -W '%.*s' -- \"$cur\")) ;;\n", o->name, (int)words.n - 1,
                 words.s);
    else if (words.n)
        text_fmt(out, "    %s) COMPREPLY=($(compgen -W '%.*s' -- \"$cur\")) ;;\n", o->name, (int)words.n - 1, words.s);
    else if (is_file(o) || is_folder(o))
        text_fmt(out, "    %s) COMPREPLY=($(compgen -%c -- \"$cur\")) ;;\n", o->name, is_folder(o) ? 'd' : 'f');
    else if (o->value)
        text_fmt(out, "    %s) ;;\n", o->name);
}

static void bash(Text *out) {
    Text words = {.ctx = out->ctx};
    commands(&words);
    text_put(out, "# Completion of tdc for bash, made by `tdc --completion=bash`.\n"
                  "_tdc_names() { # SCRIPT: names in the file at hand\n"
                  "    [ -z \"$file\" ] || \"${COMP_WORDS[0]}\" \"$file\" --dump=sema 2>/dev/null | sed -nE \"$1\"\n"
                  "}\n"
                  "_tdc() {\n"
                  "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= file= w\n"
                  "    COMPREPLY=()\n"
                  "    for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
                  "        case $w in\n"
                  "        *.td | *.graph | *.kernel) file=${file:-$w} ;;\n"
                  "        help");
    for (int c = COMMAND_COMPILE + 1; c < COMMAND_COUNT; c++) text_fmt(out, " | %s", driver_command_name((Command)c));
    text_put(out, ") command=${command:-$w} ;;\n"
                  "        esac\n"
                  "    done\n"
                  "    # --name=value is three words here\n"
                  "    if [ \"$prev\" = = ]; then\n"
                  "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
                  "    elif [ \"$cur\" = = ]; then\n"
                  "        cur=\n"
                  "    fi\n"
                  "    case $prev in\n");
    for (int i = 0; i < OPT_COUNT; i++) bash_case(out, (OptionId)i);
    text_put(out, "    *)\n"
                  "        case $cur,$command in\n");
    for (int c = COMMAND_COUNT - 1; c >= 0; c--) {
        text_fmt(out, "        -*,%s) COMPREPLY=($(compgen -W '",
                 c == COMMAND_COMPILE ? "*" : driver_command_name((Command)c));
        for (int i = 0, n = 0; i < OPT_COUNT; i++)
            if (driver_option((OptionId)i)->commands >> c & 1)
                text_fmt(out, "%s%s", n++ ? " " : "", driver_option((OptionId)i)->name);
        text_put(out, "' -- \"$cur\")) ;;\n");
    }
    text_fmt(out,
             "        *,help) COMPREPLY=($(compgen -W '%s' -- \"$cur\")) ;;\n"
             "        *)\n"
             "            if [ -n \"$file\" ]; then\n"
             "                COMPREPLY=($(compgen -W \"$(_tdc_names '" ENTRIES "')\" -- \"$cur\"))\n"
             "                return\n"
             "            fi\n"
             "            COMPREPLY=($(compgen -f -X '!*.@(td|graph|kernel)' -- \"$cur\") $(compgen -d -- \"$cur\"))\n"
             "            [ -n \"$command\" ] || COMPREPLY+=($(compgen -W '%shelp' -- \"$cur\"))\n"
             "            ;;\n"
             "        esac\n"
             "        ;;\n"
             "    esac\n"
             "}\n"
             "shopt -s extglob 2>/dev/null\n"
             "complete -o filenames -F _tdc tdc\n",
             words.s, words.s);
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
    const OptionRow *o = driver_option(id);
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
        if (id == OPT_DEFINE)
            text_put(out, "_tdc_sizes");
        else if (words.n)
            text_fmt(out, "(%.*s)", (int)words.n - 1, words.s);
        else if (is_file(o) || is_folder(o))
            text_put(out, is_folder(o) ? "_files -/" : "_files");
    }
    text_put(out, "' \\\n");
}

static void zsh(Text *out) {
    Text words = {.ctx = out->ctx};
    commands(&words);
    text_fmt(out,
             "#compdef tdc\n"
             "# Completion of tdc for zsh, made by `tdc --completion=zsh`.\n"
             "_tdc_names() { # SCRIPT: names in the file at hand\n"
             "    local file=${${(M)words:#*.(td|graph|kernel)}[1]}\n"
             "    [[ -z $file ]] || $words[1] $file --dump=sema 2>/dev/null | sed -nE $1\n"
             "}\n"
             "_tdc_sizes() { compadd -S = -- $(_tdc_names '" SIZES "') }\n"
             "# the words that are no options: a command or a file, a file or an entry, an entry\n"
             "_tdc_word() {\n"
             "    if [[ -n ${(M)words[2,CURRENT-1]:#*.(td|graph|kernel)} ]]; then\n"
             "        compadd -- $(_tdc_names '" ENTRIES "')\n"
             "    elif [[ -n ${(M)words[2,CURRENT-1]:#help} ]]; then\n"
             "        compadd -- %s\n"
             "    else\n"
             "        (( $1 )) && compadd -- %shelp\n"
             "        _files -g \"*.(td|graph|kernel)\"\n"
             "    fi\n"
             "}\n"
             "_arguments \\\n",
             words.s, words.s);
    for (int i = 0; i < OPT_COUNT; i++) zsh_option(out, (OptionId)i);
    text_put(out, "    '1:command or file:{_tdc_word 1}' \\\n"
                  "    '*:file or entry:{_tdc_word 0}'\n");
}

bool driver_completion(Text *out, const char *shell) {
    if (!strcmp(shell, "bash")) return bash(out), true;
    if (!strcmp(shell, "zsh")) return zsh(out), true;
    return false;
}

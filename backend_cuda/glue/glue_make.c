/* MODEL.mk, rules for make that build the example and the objects of a program of the user's. Its text is make.in,
 * whose "$_" stands for the prefix and an underscore and whose "@WORD@" are filled in here. What is built is named
 * without anything that make or a shell would take for more than a letter; the sources keep the names that they have.
 */
#include "glue.h"

#include <ctype.h>
#include <string.h>

extern const char *const make_text_lines[];
extern const int make_text_nlines;

/* GNU make reads backslashes as themselves but before what they protect, where each of them must be doubled. A percent
 * sign means something in targets alone. */
void glue_make_name(Text *out, const char *path, bool target) {
    size_t slashes = 0;
    if (*path == '~') text_put(out, "./"); /* at a word's start it means a home */
    for (; *path; path++) {
        if (*path == '=') { /* would make the line an assignment */
            text_put(out, "$(subst ,,=)");
            slashes = 0;
            continue;
        }
        if (strchr(target ? " \t#:*?[%" : " \t#:*?[", *path))
            for (size_t i = 0; i <= slashes; i++) text_char(out, '\\');
        slashes = *path == '\\' ? slashes + 1 : 0;
        if (*path == '$') text_char(out, '$');
        text_char(out, *path);
    }
}

static void built_name(Text *out, const char *stem) {
    for (; *stem; stem++) text_char(out, isalnum((unsigned char)*stem) || strchr("._-", *stem) ? *stem : '_');
}

/* Into how many words make divides a name. */
static int words_of(const char *name) {
    int n = 0;
    for (bool in = false; *name; name++) {
        if (!isspace((unsigned char)*name) && !in) n++;
        in = !isspace((unsigned char)*name);
    }
    return n;
}

/* The last file that make has read, this one: the last words of a list, from the first of its name on. */
static void self(Text *out, int words) {
    if (words == 1)
        text_put(out, "$(lastword $(MAKEFILE_LIST))");
    else
        text_fmt(out, "$(word $(words $(wordlist %d,$(words $(MAKEFILE_LIST)),$(MAKEFILE_LIST))),$(MAKEFILE_LIST))",
                 words);
}

static bool starts(const char *s, const char *word, size_t *n) {
    *n = strlen(word);
    return !strncmp(s, word, *n);
}

static void line(Text *out, const char *s, const char *stem, const GlueOptions *o) {
    for (size_t n; *s; s += n) {
        if (starts(s, "$_", &n))
            text_fmt(out, "%s_", o->prefix);
        else if (starts(s, "$($_", &n))
            text_fmt(out, "$(%s_", o->prefix);
        else if (starts(s, "@FILE@", &n))
            glue_make_name(out, stem, false);
        else if (starts(s, "@BUILT@", &n))
            built_name(out, stem);
        else if (starts(s, "@SELF@", &n))
            self(out, words_of(stem));
        else if (starts(s, "@WORDS@", &n))
            text_fmt(out, "%d", words_of(stem));
        else if (starts(s, "@GENCODE@", &n))
            targets_gencode(out, o->targets, false);
        else
            text_char(out, *s), n = 1;
    }
    text_char(out, '\n');
}

void glue_emit_make(Text *out, const char *stem, const GlueOptions *o) {
    for (int i = 0; i < make_text_nlines; i++)
        if (strcmp(make_text_lines[i], "@TUNING@") != 0)
            line(out, make_text_lines[i], stem, o);
        else if (o->tuning && o->tuning->name)
            text_fmt(out,
                     "# The .c file has the choices of %s: tdc makes it again when that changes (tdc -MD writes the "
                     "rule).\n",
                     o->tuning->name);
}

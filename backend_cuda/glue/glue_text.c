/* Prints parts of the .in files. See glue_text.h. */
#include "glue_text.h"

#include <string.h>

#define GLUE_FILE(e, name)                                                                                             \
    extern const char *const name##_text_lines[];                                                                      \
    extern const int name##_text_nlines;
GLUE_FILES
#undef GLUE_FILE

static const struct {
    const char *name;
    const char *const *lines;
    const int *n;
} FILES[GLUE_FILE_COUNT] = {
#define GLUE_FILE(e, name) [GLUE_IN_##e] = {#name, name##_text_lines, &name##_text_nlines},
    GLUE_FILES
#undef GLUE_FILE
};

static bool is_mark(const char *line) { return !strncmp(line, "//@", 3); }
static bool begins(const char *s, const char *word) { return !strncmp(s, word, strlen(word)); }

/* Which of the words stands at s; -1: none. */
static int word_at(const GlueWords *w, const char *s) {
    for (int i = 0; i < GLUE_MOST_WORDS && w->at[i].word; i++)
        if (*s == *w->at[i].word && begins(s, w->at[i].word)) return i;
    return -1;
}

static void put_line(Text *out, const char *s, const GlueWords *w) {
    int alone = word_at(w, s);
    if (alone >= 0 && !s[strlen(w->at[alone].word)]) {
        if (w->at[alone].text) text_put(out, w->at[alone].text);
        return;
    }
    while (*s) {
        int i = word_at(w, s);
        if (i >= 0) {
            if (w->at[i].text) text_put(out, w->at[i].text);
            s += strlen(w->at[i].word);
        } else if (*s == '$' && w->prefix) {
            text_put(out, w->prefix);
            s++;
        } else {
            size_t plain = 1 + strcspn(s + 1, "$@");
            text_put_n(out, s, plain);
            s += plain;
        }
    }
    text_char(out, '\n');
}

void glue_part(Text *out, GlueFile file, const char *part, const GlueWords *words) {
    const char *const *lines = FILES[file].lines;
    int i = 0, n = *FILES[file].n;
    while (i < n && !(begins(lines[i], "//@ ") && !strcmp(lines[i] + 4, part))) i++;
    if (i == n) text_fmt(out, "#error \"tdc has no text '%s' in %s.in\"\n", part, FILES[file].name);
    for (i++; i < n && !is_mark(lines[i]); i++) {
        const bool with = begins(lines[i], "//+"), without = begins(lines[i], "//-");
        if (!with && !without)
            put_line(out, lines[i], words);
        else if (with == words->with)
            put_line(out, lines[i] + 3, words);
    }
}

void glue_text(Text *out, GlueFile file, const char *part, const char *prefix) {
    glue_part(out, file, part, &(GlueWords){.prefix = prefix});
}

void glue_banner(Text *out, const GlueOptions *o, const char *what) {
    text_fmt(out, "/* %s", what);
    if (o->comment) {
        text_put(out, "\n * Made by: ");
        glue_comment(out, o->comment);
    }
    text_put(out, " */\n");
}

void glue_include(Text *out, const GlueOptions *o) {
    text_put(out, "#include \"");
    glue_quoted(out, o->header);
    text_put(out, "\"\n\n");
}

void glue_quoted(Text *out, const char *s) {
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            text_fmt(out, "\\%c", c);
        else if (c < 32 || c == 127 || c == '?')
            text_fmt(out, "\\%03o", c);
        else
            text_char(out, (char)c);
    }
}

void glue_comment(Text *out, const char *s) {
    for (; *s; s++) {
        text_char(out, *s == '\n' ? ' ' : *s);
        if ((s[0] == '*' && s[1] == '/') || (s[0] == '/' && s[1] == '*')) text_char(out, ' ');
    }
}

/* MODEL.mk, rules for make that build the example and the objects of a program of the user's. Its text is make.in,
 * whose words are filled in here. What is built is named
 * without anything that make or a shell would take for more than a letter; the sources keep the names that they have.
 */
#include "glue_text.h"

#include <ctype.h>
#include <string.h>

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

void glue_emit_make(Text *out, const char *stem, const GlueOptions *o) {
    Ctx *ctx = out->ctx;
    const int words = words_of(stem);
    Text file = {.ctx = ctx}, built = {.ctx = ctx}, this = {.ctx = ctx}, gencode = {.ctx = ctx}, tuning = {.ctx = ctx};
    glue_make_name(&file, stem, false);
    built_name(&built, stem);
    self(&this, words);
    targets_gencode(&gencode, o->targets, false);
    if (o->tuning && o->tuning->name)
        text_fmt(
            &tuning,
            "# The .c file has the choices of %s: tdc makes it again when that changes (tdc -MD writes the rule).\n",
            o->tuning->name);
    glue_part(out, GLUE_IN_MAKE, "rules",
              &(GlueWords){.at = {{"$_", sym_fmt(ctx, "%s_", o->prefix)},
                                  {"$($_", sym_fmt(ctx, "$(%s_", o->prefix)},
                                  {"@FILE@", file.s},
                                  {"@BUILT@", built.s},
                                  {"@SELF@", this.s},
                                  {"@WORDS@", sym_fmt(ctx, "%d", words)},
                                  {"@GENCODE@", gencode.s},
                                  {"@TUNING@", tuning.s}}});
}

/* What option statements choose for an entry: a value of each option of options.def. All zero: the defaults. */
#ifndef TDC_OPTIONS_H
#define TDC_OPTIONS_H

#include "base.h"

typedef enum Option {
#define OPTION(e, name) OPTION_##e,
#define OPTION_VALUE(o, e, text, when)
#include "options.def"
    OPTION_COUNT
} Option;

/* Values of all options; the first of each is the default. */
typedef enum OptionValue {
#define OPTION(e, name)
#define OPTION_VALUE(o, e, text, when) o##_##e,
#include "options.def"
    OPTION_VALUE_COUNT
} OptionValue;

typedef struct Options {
    int value[OPTION_COUNT]; /* distance of the value from the option's first */
} Options;

const char *option_name(Option o); /* in td */
bool option_is(const Options *s, OptionValue v);
bool option_later(const Options *s, Option o); /* nothing does what was chosen yet */
bool option_find(const char *name, Option *o);
/* Chooses a value by its text (NULL: the one after the default); false where the option has no such value. */
bool option_choose(Options *s, Option o, const char *text);
/* `option name = value` lines of Graph and kernel text, of values that are not the default. */
void options_print(Text *out, const Options *s);
/* "f32, tf32 or bf16", without those that nothing does yet */
Sym option_values(Ctx *ctx, Option o);

#endif

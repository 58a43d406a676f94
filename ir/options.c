/* The table of options (options.h). */
#include "options.h"

#include <string.h>

static const char *const names[] = {
#define OPTION(e, name) #name,
#define OPTION_VALUE(o, e, text, when)
#include "options.def"
};

typedef struct ValueRow {
    Option option;
    const char *text;
    bool later;
} ValueRow;

static const ValueRow values[] = {
#define OPTION(e, name)
#define LATER true
#define NOW false
#define OPTION_VALUE(o, e, text, when) {OPTION_##o, #text, when},
#include "options.def"
#undef LATER
#undef NOW
};

static int first_of(Option o) {
    int v = 0;
    while (values[v].option != o) v++;
    return v;
}

const char *option_name(Option o) { return names[o]; }

/* NULL where the value is the default. */
static const char *option_chosen(const Options *s, Option o) {
    return s->value[o] ? values[first_of(o) + s->value[o]].text : NULL;
}

bool option_is(const Options *s, OptionValue v) {
    Option o = values[v].option;
    return first_of(o) + s->value[o] == (int)v;
}

bool option_later(const Options *s, Option o) { return values[first_of(o) + s->value[o]].later; }

bool option_find(const char *name, Option *o) {
    for (int i = 0; i < OPTION_COUNT; i++)
        if (!strcmp(names[i], name)) {
            *o = (Option)i;
            return true;
        }
    return false;
}

bool option_choose(Options *s, Option o, const char *text) {
    int first = first_of(o);
    for (int v = first; v < OPTION_VALUE_COUNT && values[v].option == o; v++)
        if (text ? !strcmp(values[v].text, text) : v == first + 1) {
            s->value[o] = v - first;
            return true;
        }
    return false;
}

Sym option_values(Ctx *ctx, Option o) {
    Text t = {.ctx = ctx};
    int last = first_of(o);
    for (int v = last; v < OPTION_VALUE_COUNT && values[v].option == o; v++)
        if (!values[v].later) last = v;
    for (int v = first_of(o); v <= last; v++)
        if (!values[v].later) text_fmt(&t, "%s%s", v == first_of(o) ? "" : v == last ? " or " : ", ", values[v].text);
    return t.s;
}

void options_print(Text *out, const Options *s) {
    for (int o = 0; o < OPTION_COUNT; o++)
        if (option_chosen(s, (Option)o))
            text_fmt(out, "  option %s = %s\n", option_name((Option)o), option_chosen(s, (Option)o));
}

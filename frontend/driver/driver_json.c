/* What commands print as JSON has in common. */
#include "driver.h"

#include "ir/diag.h"

#include <math.h>

void json_number(Text *t, double v) { text_fmt(t, isfinite(v) ? "%.9g" : "null", v); }

void json_member(Text *t, const char *name, const char *s) {
    if (!s) return;
    text_fmt(t, ", \"%s\": ", name);
    diag_json_string(t, s);
}

void json_sizes(Text *t, const Check *c) {
    text_fmt(t, "\"entry\": \"%s\", \"sizes\": {", c->entry);
    for (int i = 0; i < c->bindings.n; i++) {
        const Binding *b = &c->bindings.at[i];
        text_fmt(t, "%s\"%s\": ", i ? ", " : "", b->name);
        if (b->value == (double)b->ivalue)
            text_fmt(t, "%lld", (long long)b->ivalue);
        else
            json_number(t, b->value);
    }
    text_char(t, '}');
}

/* The devices that a model runs on: the table of targets in model.c, and the function that finds a device in it. */
#include "glue_device.h"
#include "glue_text.h"

void glue_device(Text *out, const GlueOptions *o) {
    const int n = targets_count(o->targets);
    const Target **ranked = NEW_N(out->ctx, const Target *, n);
    Text rows = {.ctx = out->ctx}, expected = {.ctx = out->ctx};
    targets_ranked(o->targets, ranked);
    for (int i = 0; i < n; i++)
        text_fmt(&rows, "    {%d, %d, %d}, /* %s */\n", 10 * ranked[i]->major + ranked[i]->minor,
                 ranked[i]->scope == TARGET_LATER, ranked[i]->early, ranked[i]->arch);
    for (int i = 0; i < n; i++) {
        const Target *t = targets_get(o->targets, i);
        const char *sep = !i ? "" : i + 1 < n ? ", " : " or ";
        text_fmt(&expected, "%s%d.%d%s (%s)", sep, t->major, t->minor, t->scope == TARGET_LATER ? " or later" : "",
                 t->arch);
    }
    glue_part(out, GLUE_IN_DEVICE, "device",
              &(GlueWords){.prefix = o->prefix, .at = {{"@ROWS@", rows.s}, {"@EXPECTED@", expected.s}}});
}

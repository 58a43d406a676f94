/* The devices that a model runs on: the table of targets in model.c, and the function that finds a device in it. */
#include "glue_entry.h"

/* "$" stands for the prefix. */
static const char C_TARGETS[] =
    "/* What the kernels are compiled for: a compute capability, 90 is 9.0, alone or, as PTX, with all later ones. A "
    "device runs\n"
    " * the first that fits it, as CUDA chooses. early: kernels may start while those before them end. */\n"
    "static const struct {\n    int capability, later, early;\n} td_targets[] = {\n";

static const char C_DEVICE[] =
    "};\n\n"
    "/* The device's compute capability, and what its code may do. */\n"
    "static $_status td_device(const td_sink *s, int device, int *capability, int *early) {\n"
    "    int major = 0, minor = 0;\n    size_t i;\n"
    "    TD_TRY(td_cuda(s, \"cudaDeviceGetAttribute\", (int)cudaDeviceGetAttribute(&major, "
    "cudaDevAttrComputeCapabilityMajor, "
    "device)));\n"
    "    TD_TRY(td_cuda(s, \"cudaDeviceGetAttribute\", (int)cudaDeviceGetAttribute(&minor, "
    "cudaDevAttrComputeCapabilityMinor, "
    "device)));\n"
    "    *capability = 10 * major + minor;\n"
    "    for (i = 0; i < sizeof td_targets / sizeof *td_targets; i++) {\n"
    "        const int least = td_targets[i].capability;\n"
    "        *early = td_targets[i].early;\n"
    "        if (*capability == least || (td_targets[i].later && *capability > least)) return $_ok;\n"
    "    }\n"
    "    return td_refuse(s, $_error_device,\n"
    "                     \"device %d: expected compute capability ";

void glue_device(Text *out, const GlueOptions *o) {
    const int n = targets_count(o->targets);
    const Target **ranked = NEW_N(out->ctx, const Target *, n);
    targets_ranked(o->targets, ranked);
    glue_template(out, C_TARGETS, o->prefix);
    for (int i = 0; i < n; i++)
        text_fmt(out, "    {%d, %d, %d}, /* %s */\n", 10 * ranked[i]->major + ranked[i]->minor,
                 ranked[i]->scope == TARGET_LATER, ranked[i]->early, ranked[i]->arch);
    glue_template(out, C_DEVICE, o->prefix);
    for (int i = 0; i < n; i++) {
        const Target *t = targets_get(o->targets, i);
        text_fmt(out, "%s%d.%d%s (%s)",
                 !i          ? ""
                 : i + 1 < n ? ", "
                             : " or ",
                 t->major, t->minor, t->scope == TARGET_LATER ? " or later" : "", t->arch);
    }
    text_put(out, ", got %d.%d\", device,\n                     major, minor);\n}\n\n");
}

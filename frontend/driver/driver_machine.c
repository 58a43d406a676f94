/* The machine that a compilation is for: one that tdc knows, or a file. */
#include "driver.h"

#include "ir/diag.h"
#include "sched/machine/machine_text.h"

#include <string.h>

static bool is_file(const char *name) { return strpbrk(name, "./") != NULL; }

static bool unknown(const char *name, Text *why) {
    const char *names[MACHINE_BUILT_IN];
    for (int i = 0; i < MACHINE_BUILT_IN; i++) names[i] = machine_table[i]->name;
    const char *near = diag_near(name, names, MACHINE_BUILT_IN);
    text_fmt(why, "no machine is named '%s'", name);
    if (near) text_fmt(why, " (did you mean '%s'?)", near);
    text_put(why, "; there are ");
    machine_names(why);
    text_put(why, ", and files, whose names have a '.' or a '/'");
    return false;
}

bool driver_machine_known(const char *name, Text *why) {
    return is_file(name) || machine_find(name) || unknown(name, why);
}

bool driver_machine_print(Text *out, const char *name, Text *why) {
    const Machine *m = machine_find(name);
    if (!m) return unknown(name, why);
    machine_print(out, m);
    return true;
}

Exit driver_machine(Job *job) {
    const char *name = job->o->machine;
    size_t n = 0;
    int file = -1;
    if (!name || !is_file(name)) {
        job->machine = name ? machine_find(name) : machine_of(driver_targets(job->o));
        return EXIT_OK;
    }
    if (!driver_read_option(job, name, &n, &file)) return EXIT_WRONG;
    job->machine = machine_read(job->ctx, file);
    return job->machine ? EXIT_OK : EXIT_WRONG;
}

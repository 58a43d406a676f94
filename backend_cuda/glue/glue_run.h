/* The function of a program in model.c that checks and launches. Internal to backend_cuda/glue. */
#ifndef TDC_GLUE_RUN_H
#define TDC_GLUE_RUN_H

#include "glue_host.h"

/* The entry's static function td_ENTRY_run: the checks that need no pointer, which tell the bytes of workspace; those
 * of pointers; the launches. Of a program with several ways it calls one such function a way, td_ENTRY_run_1 and so on,
 * each as if the way were all of the program. A choice that is a step is one where its function checks and launches. */
void glue_run(Text *out, const HostEntry *h, const char *prefix);
/* Whether runs of p need a workspace. */
bool glue_has_workspace(const Program *p);

#endif

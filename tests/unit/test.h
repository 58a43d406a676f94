/* What unit tests share: counting what holds, saying what does not. main ends with `return test_end();`. */
#ifndef TDC_TEST_H
#define TDC_TEST_H

#include <stdbool.h>
#include <stdio.h>

static int passed, failed;

/* `detail` says more of a failure; NULL where there is no more to say. */
static inline void expect(bool ok, const char *what, const char *detail) {
    passed += ok;
    failed += !ok;
    if (!ok) printf("FAILED %s%s%s\n", what, detail && *detail ? ": " : "", detail ? detail : "");
}

/* The exit status. */
static inline int test_end(void) {
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

#endif

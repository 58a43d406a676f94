/* Outputs at the address of an input: where in_place.kernel allows it, and every other overlap refused with both
 * names. */
#include "in_place.h"

#include "counting.h"

LAUNCHER(in_place_place_y, "a", "p")

enum { N = 1000, BYTES = 4 * N };
static char memory[4 * BYTES + 256];

/* clause 10.7 */
int main(void) {
    in_place_context *ctx = NULL;
    char message[256] = "";
    in_place_run run = {NULL, 0, (struct CUstream_st *)memory, message, sizeof message};
    char *x = memory + (256 - (uintptr_t)memory % 256) % 256, *z = x + BYTES, *y = z + BYTES, *h = y + BYTES;
    struct {
        const char *what;
        void *x, *z, *h, *y;
        int refused;
        const char *message;
    } cases[] = {
        {"memory of its own", x, z, h, y, 0, ""},
        {"y is x", x, z, h, x, 0, ""},
        {"y is z", x, z, h, z, 0, ""},
        {"y is x and z", x, x, h, x, 0, ""},
        {"inputs may overlap in part", x, x + 4, h, y, 0, ""},
        {"y overlaps x in part", x, z, h, x + 4, 1, "tensor y: expected memory of its own, got "},
        {"y ends in z", x, z, h, z - 4, 1, "which overlaps x"},
        {"y is x, and z in part", x, x + 8, h, x, 1, "which overlaps z"},
        {"y is h, of another type", x, z, h, h, 1, "which overlaps h"},
    };
    size_t i;
    ntensors = 4, ndims = 1, nscalars = 0;
    if (in_place_open(&ctx, 0) != in_place_ok) return 1;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        in_place_status status;
        order[0] = message[0] = 0;
        status = in_place_place(ctx, &run, cases[i].x, cases[i].z, cases[i].h, cases[i].y, N);
        if (cases[i].refused)
            check(status == in_place_error_overlap && !order[0] && strstr(message, cases[i].message), cases[i].what);
        else
            check(status == in_place_ok && !strcmp(order, "a") && seen[3] == cases[i].y, cases[i].what);
    }
    in_place_close(ctx);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

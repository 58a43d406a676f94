/* What a model that was compiled for several targets does on devices: `targets 90=pq0a+b 75=MESSAGE ...` calls it on a
 * device of each compute capability, which must launch in this order, a plus where a kernel may start early, or be
 * refused with this message. clause 10.3 */
#include "model.h"

#include "counting.h"

LAUNCHER(model_rows_sums, "a", "p")
LAUNCHER(model_rows_scale, "b", "q")

enum { MEMORY = 4 << 20 };

static void call(char *memory, const char *want) {
    const int64_t dims[] = {100, 1024};
    const double scalars[] = {1, 2};
    void *const tensors[] = {memory, memory + (3 << 20) + (1 << 19), memory + (1 << 20), memory + (2 << 20)};
    char message[256] = "";
    model_context *ctx = NULL;
    order[0] = 0;
    const int status =
        model_entries[0].call(tensors, dims, scalars, memory + (3 << 20), 512, memory, message, sizeof message);
    const char *got = status == model_ok ? order : message;
    if (strcmp(got, want)) printf("%d.%d: got '%s', expected '%s'\n", major, minor, got, want);
    check(!strcmp(got, want), "a call by name");
    check(status == model_ok || (status == model_error_device && !order[0]), "nothing is launched");
    check((int)model_open(&ctx, 0) == status && (status == model_ok) == (ctx != NULL), "open");
    model_close(ctx);
}

int main(int argc, char **argv) {
    char *memory = aligned_alloc(256, MEMORY);
    ntensors = 6, ndims = nscalars = 2;
    for (int i = 1; i < argc && memory; i++) {
        const int capability = atoi(argv[i]);
        major = capability / 10, minor = capability % 10;
        call(memory, strchr(argv[i], '=') + 1);
    }
    free(memory);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0 || !passed;
}

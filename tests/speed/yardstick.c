/* A fixed piece of work of the kind that a compiler does, numbers put into a hash table and found again, by which
 * tests/speed/run.sh tells how fast the machine is at the moment: other programs on its cores make it slower. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 1 << 19, KEYS = SLOTS / 2, ROUNDS = 24 };

static uint64_t next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

int main(void) {
    uint64_t *slot = calloc(SLOTS, sizeof *slot), state = 1, probes = 0;
    if (!slot) return 1;
    for (int round = 0; round < ROUNDS; round++) {
        state = 1;
        for (int i = 0; i < KEYS; i++) {
            const uint64_t key = next(&state);
            uint64_t at = key * 0x9e3779b97f4a7c15u >> 45;
            for (; slot[at] && slot[at] != key; at = (at + 1) % SLOTS) probes++;
            slot[at] = key;
        }
    }
    printf("%llu\n", (unsigned long long)probes);
    free(slot);
    return 0;
}

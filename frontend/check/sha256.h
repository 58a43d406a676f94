/* SHA-256 (FIPS 180-4): names in the cache what was made from which bytes, as python/tdlang does. */
#ifndef TDC_SHA256_H
#define TDC_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct Sha256 {
    uint32_t state[8];
    uint64_t bytes; /* taken so far */
    unsigned char block[64];
} Sha256;

void sha256_start(Sha256 *h);
void sha256_add(Sha256 *h, const void *data, size_t n);
void sha256_end(Sha256 *h, unsigned char digest[32]);

#endif

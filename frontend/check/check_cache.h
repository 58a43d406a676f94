/* The cache of what compilers made, which python/tdlang shares: a folder for each thing, CACHE/KIND-KEY, where KEY is
 * computed from all that the thing was made from. A folder appears whole or not at all and never changes, so that any
 * number of processes may use the cache at the same time, and any of its folders may be removed at any time. */
#ifndef TDC_CHECK_CACHE_H
#define TDC_CHECK_CACHE_H

#include "ir/base.h"
#include "sha256.h"

/* Where it is: $TDC_CACHE, else $XDG_CACHE_HOME/tdc, else ~/.cache/tdc. NULL: TDC_CACHE is `none`, or there is no such
 * folder. */
Sym cache_folder(Ctx *ctx);

/* A key is the SHA-256 of parts, each behind its length, so that no two lists of parts are the same bytes. */
typedef Sha256 CacheKey;
void cache_part(CacheKey *k, const void *data, size_t n);
void cache_text(CacheKey *k, const char *text);
/* False where the file cannot be read. */
bool cache_file(Ctx *ctx, CacheKey *k, const char *path);
/* KIND-KEY, the key as 32 hexadecimal digits. */
Sym cache_name(Ctx *ctx, const CacheKey *k, const char *kind);

/* Puts CACHE/name/file to the path `to`, of which nothing is there; false where it is not kept. `cache` may be NULL. */
bool cache_take(Ctx *ctx, Sym cache, Sym name, const char *file, const char *to);
/* Keeps a copy of `from`, if that can be done. Every sixteenth time or so, what nobody used for longest goes until the
 * cache holds no more than CACHE_BYTES. */
enum { CACHE_BYTES = 1 << 30 };
void cache_keep(Ctx *ctx, Sym cache, Sym name, const char *file, const char *from);

#endif

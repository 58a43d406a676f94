/* Processes and files for frontend/check*.c alone. */
#ifndef TDC_CHECK_PROCESS_H
#define TDC_CHECK_PROCESS_H

#include "ir/base.h"

/* Runs argv[0] (found on PATH), its output going to the file `log`, in the group of processes `group` (0: in tdc's own;
 * see CheckDir). *status is its exit status, 128 + n where signal n
 * ended it. False after saying why: it could not be started, or it ran longer than timeout_s and was ended. */
bool process_run(char *const *argv, const char *log, int group, int timeout_s, int *status, Text *why);

/* Starts argv[0] with a socket for its standard input, whose other end is *fd. */
bool process_start(char *const *argv, const char *log, int group, int *pid, int *fd, Text *why);
/* Sends it a byte and waits for one. False where none comes: *status is then as above where it ended by itself; where
 * it took longer than timeout_s, *why says so. It must be stopped then. */
bool process_ask(int pid, int fd, int timeout_s, int *status, Text *why);
void process_stop(int pid, int fd);

bool file_write(const char *path, const void *data, size_t n); /* false: it could not be written whole */
/* The whole file, NUL-terminated; NULL where it cannot be read. */
char *file_read(Ctx *ctx, const char *path, size_t *n);
bool file_exists(const char *path);
/* The end of a file (at most `most` bytes) into out: a log's last words. */
void file_tail(Ctx *ctx, const char *path, size_t most, Text *out);
/* Names in a directory that end in one of `ends` (NULL-terminated), sorted, as full paths. False where it cannot be
 * read. */
typedef VEC(Sym) Paths;
bool dir_list(Ctx *ctx, const char *dir, const char *const *ends, Paths *out);
void dir_remove(Ctx *ctx, const char *dir); /* with the files in it */

#endif

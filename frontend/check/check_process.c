/* Processes and files for checks. A process is waited for with a limit, because compiled code may hang. */
#include "check_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* in: the process's standard input; -1: /dev/null. */
static bool start(char *const *argv, const char *log, int group, int in, pid_t *pid, Text *why) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    if (group) posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&how, group);
    posix_spawn_file_actions_init(&files);
    if (in < 0)
        posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    else
        posix_spawn_file_actions_adddup2(&files, in, 0);
    posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    int e = posix_spawnp(pid, argv[0], &files, &how, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    if (e) text_fmt(why, "%s cannot be started: %s", argv[0], strerror(e));
    return e == 0;
}

static int status_of(int s) { return WIFSIGNALED(s) ? 128 + WTERMSIG(s) : WEXITSTATUS(s); }

bool process_run(char *const *argv, const char *log, int group, int timeout_s, int *status, Text *why) {
    pid_t pid;
    int s = 0;
    if (!start(argv, log, group, -1, &pid, why)) return false;
    struct timespec pause = {0, 1000000}, begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (;;) {
        pid_t got = waitpid(pid, &s, WNOHANG);
        if (got == pid) break;
        if (got < 0 && errno != EINTR) {
            text_fmt(why, "%s cannot be waited for: %s", argv[0], strerror(errno));
            return false;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - begin.tv_sec >= timeout_s) {
            kill(pid, SIGKILL);
            waitpid(pid, &s, 0);
            text_fmt(why, "%s took longer than %d seconds", argv[0], timeout_s);
            return false;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 20000000) pause.tv_nsec += 1000000;
    }
    *status = status_of(s);
    return true;
}

bool process_start(char *const *argv, const char *log, int group, int *pid, int *fd, Text *why) {
    int end[2];
    pid_t p;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, end)) {
        text_fmt(why, "no socket: %s", strerror(errno));
        return false;
    }
    for (int i = 0; i < 2; i++) fcntl(end[i], F_SETFD, FD_CLOEXEC);
    bool started = start(argv, log, group, end[1], &p, why);
    close(end[1]);
    if (!started) return close(end[0]), false;
    *pid = (int)p;
    *fd = end[0];
    return true;
}

bool process_ask(int pid, int fd, int timeout_s, int *status, Text *why) {
    char byte = '.';
    int s = 0;
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    *status = 0;
    if (send(fd, &byte, 1, MSG_NOSIGNAL) == 1) {
        if (poll(&wait, 1, timeout_s * 1000) == 0) {
            text_fmt(why, "the compiled program took longer than %d seconds", timeout_s);
            return false;
        }
        if (recv(fd, &byte, 1, 0) == 1) return true;
    }
    if (waitpid((pid_t)pid, &s, 0) == (pid_t)pid) *status = status_of(s);
    return false;
}

void process_stop(int pid, int fd) {
    close(fd);
    kill((pid_t)pid, SIGKILL);
    waitpid((pid_t)pid, NULL, 0);
}

bool file_write(const char *path, const void *data, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f) return false;
    bool ok = fwrite(data, 1, n, f) == n;
    return fclose(f) == 0 && ok;
}

bool file_exists(const char *path) { return access(path, R_OK) == 0; }

char *file_read(Ctx *ctx, const char *path, size_t *n) {
    struct stat s;
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    if (fstat(fileno(f), &s) || s.st_size < 0) {
        fclose(f);
        return NULL;
    }
    char *text = ctx_alloc(ctx, (size_t)s.st_size + 1);
    *n = fread(text, 1, (size_t)s.st_size, f);
    bool ok = !ferror(f);
    fclose(f);
    return ok ? text : NULL;
}

void file_tail(Ctx *ctx, const char *path, size_t most, Text *out) {
    size_t n;
    char *text = file_read(ctx, path, &n);
    if (!text) return;
    size_t from = n > most ? n - most : 0;
    while (from && from < n && text[from - 1] != '\n') from++;
    text_put_n(out, text + from, n - from);
    while (out->n && out->s[out->n - 1] == '\n') out->s[--out->n] = 0;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const Sym *)a, *(const Sym *)b); }

bool dir_list(Ctx *ctx, const char *dir, const char *const *ends, Paths *out) {
    DIR *d = opendir(dir);
    if (!d) return false;
    for (struct dirent *e; (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        for (const char *const *end = ends; *end; end++) {
            size_t m = strlen(*end);
            if (n > m && !strcmp(e->d_name + n - m, *end)) vec_push(ctx, out, sym_fmt(ctx, "%s/%s", dir, e->d_name));
        }
    }
    closedir(d);
    if (out->n) qsort(out->at, (size_t)out->n, sizeof *out->at, by_name);
    return true;
}

void dir_remove(Ctx *ctx, const char *dir) {
    Paths all = {0};
    const char *const any[] = {"", NULL};
    if (!dir_list(ctx, dir, any, &all)) return;
    for (int i = 0; i < all.n; i++) unlink(all.at[i]); /* refuses `.` and `..` */
    rmdir(dir);
}

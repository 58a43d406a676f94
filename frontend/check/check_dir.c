/* A folder for temporary files that is gone when the process is, whatever ended it. */
#include "check.h"
#include "check_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REMOVE_TRIES = 50 /* 20 ms apart: a process that was told to end may still write */ };

/* The keeper. The process it keeps for holds the other end of fd: a byte says that all is done, and the end of what can
 * be read that the process is no more. */
static _Noreturn void keep(const char *path, int fd) {
    static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP};
    const struct timespec pause = {0, 20000000};
    char byte;
    ssize_t n;
    setpgid(0, 0);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
    for (int i = 0; i < 3; i++)
        if (i != fd) close(i); /* nobody waits for the keeper to close a pipe */
    do n = read(fd, &byte, 1);
    while (n < 0 && errno == EINTR);
    if (n == 1) _exit(0);
    if (getpgrp() == getpid()) kill(0, SIGTERM);
    Ctx *ctx = ctx_new();
    if (!ctx || CTX_GUARD(ctx)) _exit(1);
    for (int i = 0; i < REMOVE_TRIES && access(path, F_OK) == 0; i++) {
        if (i) nanosleep(&pause, NULL);
        dir_remove(ctx, path);
    }
    _exit(0);
}

/* The folder, and its keeper. Signals that end a process wait until both are there. */
static pid_t make(char *path, int *fd) {
    static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    sigset_t blocked, before;
    int end[2];
    pid_t pid = -1;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) sigaddset(&blocked, ending[i]);
    if (pipe(end)) return -1;
    fcntl(end[1], F_SETFD, FD_CLOEXEC);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    if (mkdtemp(path)) {
        pid = fork();
        if (pid == 0) {
            close(end[1]);
            keep(path, end[0]);
        }
        if (pid > 0)
            setpgid(pid, pid); /* by whoever is faster: the first compiler joins the group */
        else
            rmdir(path);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(end[0]);
    if (pid < 0) close(end[1]);
    *fd = end[1];
    return pid;
}

bool check_dir(Ctx *ctx, CheckDir *dir, Text *why) {
    const char *tmp = getenv("TMPDIR");
    char path[4096];
    int fd, n = snprintf(path, sizeof path, "%s/tdc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    pid_t pid = n < 0 || (size_t)n >= sizeof path ? -1 : make(path, &fd);
    if (pid < 0) {
        text_put(why, "no directory for temporary files can be made");
        return false;
    }
    *dir = (CheckDir){.path = sym(ctx, path), .keeper = (int)pid, .fd = fd};
    return true;
}

void check_remove(Ctx *ctx, const CheckDir *dir) {
    char done = '.';
    dir_remove(ctx, dir->path);
    if (write(dir->fd, &done, 1) != 1) kill((pid_t)dir->keeper, SIGKILL);
    close(dir->fd);
    waitpid((pid_t)dir->keeper, NULL, 0);
}

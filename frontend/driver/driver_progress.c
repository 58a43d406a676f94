/* See driver_progress.h. */
#include "driver_progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_BYTES = 256, FIRST_MS = 1000, EVERY_MS = 500 };

struct Progress {
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t stop;
    struct timespec start;
    char text[TEXT_BYTES]; /* empty: hidden */
    bool shown, stopped;
};

static long since_ms(const struct timespec *start) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (t.tv_sec - start->tv_sec) * 1000 + (t.tv_nsec - start->tv_nsec) / 1000000;
}

/* In one write, so that the terminal never shows half of it. */
static void put(const char *text, size_t n) {
    ssize_t w = write(STDERR_FILENO, text, n);
    (void)w; /* nobody would miss it */
}

static void erase(Progress *p) {
    if (p->shown) put("\r\033[K", 4);
    p->shown = false;
}

static void draw(Progress *p) {
    long ms = since_ms(&p->start);
    if (!p->text[0] || ms < FIRST_MS) return;
    char line[TEXT_BYTES + 64];
    struct winsize w = {0};
    size_t columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 1 ? w.ws_col : 80;
    int n = snprintf(line, sizeof line, "\r\033[Ktdc: %s (%ld s)", p->text, ms / 1000);
    size_t length = n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    put(line, length < columns + 3 ? length : columns + 3); /* four bytes are not seen; the last column would wrap */
    p->shown = true;
}

static void *watch(void *user) {
    Progress *p = user;
    struct timespec next = p->start;
    pthread_mutex_lock(&p->lock);
    long ms = FIRST_MS;
    while (!p->stopped) {
        next.tv_nsec += ms % 1000 * 1000000;
        next.tv_sec += ms / 1000 + next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        while (!p->stopped && pthread_cond_timedwait(&p->stop, &p->lock, &next) == 0) continue;
        if (!p->stopped) draw(p);
        ms = EVERY_MS;
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* The thread takes no signals: they are for those who clean up. */
static bool start_thread(Progress *p) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(&p->thread, NULL, watch, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

Progress *progress_start(void) {
    const char *term = getenv("TERM");
    if (!isatty(STDERR_FILENO) || (term && !strcmp(term, "dumb"))) return NULL;
    Progress *p = calloc(1, sizeof *p);
    pthread_condattr_t monotonic;
    if (!p) return NULL;
    clock_gettime(CLOCK_MONOTONIC, &p->start);
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&p->stop, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (start_thread(p)) return p;
    pthread_cond_destroy(&p->stop);
    pthread_mutex_destroy(&p->lock);
    free(p);
    return NULL;
}

void progress_say(Progress *p, const char *fmt, ...) {
    if (!p) return;
    va_list ap;
    va_start(ap, fmt);
    pthread_mutex_lock(&p->lock);
    vsnprintf(p->text, sizeof p->text, fmt, ap);
    for (char *s = p->text; *s; s++)
        if ((unsigned char)*s < ' ' || *s == 127) *s = '?'; /* names may hold anything */
    draw(p);
    pthread_mutex_unlock(&p->lock);
    va_end(ap);
}

void progress_hide(Progress *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->text[0] = 0;
    erase(p);
    pthread_mutex_unlock(&p->lock);
}

void progress_stop(Progress *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->stopped = true;
    erase(p);
    pthread_cond_signal(&p->stop);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->stop);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

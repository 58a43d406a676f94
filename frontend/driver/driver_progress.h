/* What tdc is doing, for someone who waits: one line on stderr, rewritten in place, where that is a terminal and only
 * after a second. A thread of its own writes it, so that the work need not look at the clock. */
#ifndef TDC_DRIVER_PROGRESS_H
#define TDC_DRIVER_PROGRESS_H

typedef struct Progress Progress;

/* NULL, which all functions take, where nobody would see it. */
Progress *progress_start(void);
void progress_say(Progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Takes the line away until the next progress_say: before anything else is printed. */
void progress_hide(Progress *p);
void progress_stop(Progress *p);

#endif

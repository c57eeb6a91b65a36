/* progress.c -- the bar on stderr, and Ctrl-C.
 *
 * A bar appears after a second and is redrawn at most ten times a second, so that
 * quick commands print nothing.  A pipe gets one line for each stage of more than
 * a second.  A signal sets a flag; the next tick tells the library to stop, and
 * main.c raises the signal again after the cleanup.  A second signal after at
 * least half a second ends the program at once; an earlier one is the same signal,
 * sent to the program and to its group.
 *
 * SPDX-License-Identifier: MIT */
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

static volatile sig_atomic_t caught;

static struct timespec caught_at;

static void on_signal(int number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double since = (double)(now.tv_sec - caught_at.tv_sec) +
                   1e-9 * (double)(now.tv_nsec - caught_at.tv_nsec);
    if (caught && since > 0.5)
        _exit(128 + number);
    if (!caught)
        caught_at = now;
    caught = number;
}

void cancel_on_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction a, before;
    memset(&a, 0, sizeof a);
    a.sa_handler = on_signal;
    a.sa_flags = SA_RESTART;
    for (int i = 0; i < 3; i++)             /* ignored by nohup or "&": stays ignored */
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &a, NULL);
    signal(SIGPIPE, SIG_IGN);               /* the flush at the end finds a closed pipe */
    signal(SIGXFSZ, SIG_IGN);               /* the write finds a file that is too large */
}

int canceled_by(void)
{
    return caught;
}

double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_init(progress *p)
{
    memset(p, 0, sizeof *p);
    p->terminal = isatty(STDERR_FILENO);
    p->start = p->stage_start = seconds();
}

void progress_clear(progress *p)
{
    if (p->terminal && p->drawn)
        fputs("\r\033[K", stderr);
}

static void text_seconds(char *buf, size_t size, double s)
{
    if (s < 60)
        snprintf(buf, size, "%.*f s", s < 9.95 ? 1 : 0, s);
    else if (s < 3600)
        snprintf(buf, size, "%d:%02d min", (int)s / 60, (int)s % 60);
    else
        snprintf(buf, size, "%d:%02d h", (int)(s / 3600), (int)(s / 60) % 60);
}

static int terminal_columns(void)
{
    enum { USUAL = 80 };
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL;
}

/* note: what is known of the stage, shown where the line has room for it; NULL: nothing. */
static void draw(progress *p, double share, const char *note, double now)
{
    enum { WIDTH = 30, STAGE = 16 };
    const char *full = text_is_utf8() ? "\u2588" : "#", *empty = text_is_utf8() ? "\u2591" : ".";
    char left[32] = "";
    double spent = now - p->stage_start;
    int used = fprintf(stderr, "\r\033[K%-*s ", STAGE, p->stage) - (int)strlen("\r\033[K") + WIDTH;
    for (int i = 0; i < WIDTH; i++)
        fputs(i < (int)(share * WIDTH) ? full : empty, stderr);
    if (share > 0 && spent > 0.5)
        text_seconds(left, sizeof left, spent * (1 - share) / share);
    used += fprintf(stderr, " %3d %%%s%s%s", (int)(share * 100), *left ? "  " : "", left,
                    *left ? " left" : "");
    if (note && used + 2 + (int)strlen(note) < terminal_columns())
        fprintf(stderr, "  %s", note);
    fflush(stderr);
    p->drawn = 1;
    p->last_draw = now;
}

static void end_stage(progress *p, double now)
{
    if (*p->stage && !p->terminal && !p->quiet && now - p->stage_start > 1)
        fprintf(stderr, "%s: %.1f s\n", p->stage, now - p->stage_start);
    p->stage[0] = 0;
    p->stage_start = now;
}

int progress_tick(const bonsai_progress *at, void *payload)
{
    progress *p = payload;
    double now = seconds();
    if (caught)
        return 1;
    if (strcmp(p->stage, at->stage) != 0) {
        end_stage(p, now);
        snprintf(p->stage, sizeof p->stage, "%s", at->stage);
    }
    if (p->terminal && !p->quiet && now - p->start > 1 && now - p->last_draw >= 0.1)
        draw(p, at->total ? (double)at->done / (double)at->total : 0, at->note, now);
    if (at->done == at->total)
        end_stage(p, now);
    return 0;
}

void progress_end(progress *p, const char *what)
{
    double now = seconds();
    end_stage(p, now);
    if (p->terminal && p->drawn) {
        char spent[32];
        text_seconds(spent, sizeof spent, now - p->start);
        fprintf(stderr, "\r\033[K%s: %s\n", what, spent);
    }
    p->drawn = 0;
}

/* progress.c -- the bar on stderr, and Ctrl-C.
 *
 * A bar appears after a second and is redrawn at most ten times a second, so that quick commands
 * print nothing.  Each time it fits the terminal, as wide as that is then.  A pipe gets one line for
 * each stage of more than a second.
 *
 * A signal sets a flag; the next tick tells the library to stop, and main.c raises the signal again
 * after the cleanup.  A second signal after at least half a second ends the program at once; an
 * earlier one is the same signal, sent to the program and to its group.
 *
 * SPDX-License-Identifier: MIT */
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "output/text.h"
#include "program.h"

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

void cancel_by(int number)
{
    caught = number;
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

enum { MOST_HOURS = 9999 };

static void text_seconds(char *buf, size_t size, double s)
{
    if (s < 60)
        snprintf(buf, size, "%.*f s", s < 9.95 ? 1 : 0, s);
    else if (s < 3600)
        snprintf(buf, size, "%d:%02d min", (int)s / 60, (int)s % 60);
    else if (s < 3600.0 * MOST_HOURS)
        snprintf(buf, size, "%d:%02d h", (int)(s / 3600), (int)(s / 60) % 60);
    else                                        /* the first step of many says no more than that */
        snprintf(buf, size, "over %d h", MOST_HOURS);
}

/* ---- the bar ------------------------------------------------------------- */

enum { STAGE = 16, BAR = 30, BAR_LEAST = 10, PERCENT = 6 };

typedef struct {                /* widths; 0: left out */
    int stage, bar, left, note;
} bar_layout;

/* Narrows the bar to what the rest leaves.  Leaves out the note first, then the time that is left,
 * then the bar; cuts the name of the stage.  The last column stays free: a terminal may wrap there. */
static void fit(bar_layout *l, int columns)
{
    const int room = columns - 1 - PERCENT;
    if (l->stage + 1 + BAR + l->left + l->note > room)
        l->note = 0;
    l->bar = room - l->stage - 1 - l->left - l->note;
    if (l->bar < BAR_LEAST) {
        l->bar += l->left;
        l->left = 0;
    }
    l->bar = l->bar < BAR_LEAST ? 0 : l->bar > BAR ? BAR : l->bar;
    if (l->stage > room)
        l->stage = room > 0 ? room : 0;
}

/* Draws the bar. note: more about the stage, or NULL. */
static void draw(progress *p, double share, const char *note, double now)
{
    const char *full = text_is_utf8() ? "\u2588" : "#", *empty = text_is_utf8() ? "\u2591" : ".";
    char left[48] = "", time[32], stage[sizeof p->stage + 8], bar[4 * BAR + 1] = "";
    const double spent = now - p->stage_start;
    if (share > 0 && spent > 0.5) {
        text_seconds(time, sizeof time, spent * (1 - share) / share);
        snprintf(left, sizeof left, "  %s left", time);
    }
    const int name = text_width(p->stage);
    bar_layout l = {name > STAGE ? name : STAGE, BAR, text_width(left),
                    note ? text_width(note) + 2 : 0};
    fit(&l, terminal_columns(STDERR_FILENO));
    text_cut(stage, sizeof stage, p->stage, l.stage);
    for (int i = 0; i < l.bar; i++)
        strcat(bar, i < (int)(share * l.bar) ? full : empty);
    fprintf(stderr, "\r\033[K%s%*s%s%s %3d %%%s%s%s", stage, l.stage - text_width(stage), "",
            l.bar ? " " : "", bar, (int)(share * 100), l.left ? left : "", l.note ? "  " : "",
            l.note ? note : "");
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

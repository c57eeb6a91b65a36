/* test_progress.c -- the bar on terminals of every width, also while that changes.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE             /* posix_openpt */
#include <fcntl.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "captured.h"
#include "output/text.h"

static int terminal = -1, screen = -1;

/* stderr becomes a terminal that the test reads. */
static void begin(void)
{
    terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
        skip();
    int other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    assert_true(other >= 0);
    fflush(stderr);
    screen = dup(STDERR_FILENO);
    assert_true(dup2(other, STDERR_FILENO) >= 0);
    close(other);
}

static void end(void)
{
    fflush(stderr);
    assert_true(dup2(screen, STDERR_FILENO) >= 0);
    close(screen);
    close(terminal);
}

/* One redraw on a terminal of so many columns.  Failures would be printed to it: nothing asserts
 * before the end. */
static void draw(char *out, size_t size, int columns, const bonsai_progress *at, double spent)
{
    const struct winsize is = {24, (unsigned short)columns, 0, 0};
    progress p = {.terminal = 1, .start = seconds() - 100, .stage_start = seconds() - spent};
    snprintf(p.stage, sizeof p.stage, "%s", at->stage);
    ioctl(terminal, TIOCSWINSZ, &is);
    progress_tick(at, &p);
    fputc('\n', stderr);
    size_t len = 0;
    for (ssize_t bytes = 1; bytes > 0 && len < size - 1 && !memchr(out, '\n', len);) {
        bytes = read(terminal, out + len, size - 1 - len);
        len += bytes > 0 ? (size_t)bytes : 0;
    }
    out[len] = 0;
    out[strcspn(out + 1, "\r\n") + 1] = 0;
    if (strncmp(out, "\r\033[K", 4) == 0)
        memmove(out, out + 4, strlen(out) - 3);
    else
        snprintf(out, size, "not a redraw");
}

static void what_does_not_fit_gives_way_in_order(void **state)
{
    static const struct { int columns; const char *line; } wanted[] = {
        {100, "nearest neighbours ###############...............  50 %  50 s left  12 of 24 blocks"},
        {80, "nearest neighbours ###############...............  50 %  50 s left"},
        {60, "nearest neighbours ###########............  50 %  50 s left"},
        {50, "nearest neighbours ######.......  50 %  50 s left"},
        {40, "nearest neighbours #######.......  50 %"},
        {30, "nearest neighbours  50 %"},
        {20, "nearest neig~  50 %"},
        {10, "ne~  50 %"}};
    const bonsai_progress at = {.stage = "nearest neighbours", .done = 1, .total = 2,
                                .note = "12 of 24 blocks"};
    enum { COUNT = sizeof wanted / sizeof *wanted };
    char line[COUNT][1024];
    (void)state;
    begin();
    for (int i = 0; i < COUNT; i++)
        draw(line[i], sizeof line[i], wanted[i].columns, &at, 50);
    end();
    for (int i = 0; i < COUNT; i++)
        assert_string_equal(line[i], wanted[i].line);
}

static void no_bar_reaches_the_last_column(void **state)
{
    static const char *const stages[] = {"read", "a stage with a very long name indeed, really",
                                         "\u30b0\u30e9\u30d5\u30cb\u30e5\u30fc\u30e9\u30eb"};
    static const char *const notes[] = {NULL, "loss 0.25", "\u8aad\u307f\u8fbc\u307f \u4e2d"};
    char line[1024], bad[1100] = "";
    (void)state;
    setlocale(LC_CTYPE, "C.UTF-8");
    begin();
    for (int columns = 8; columns <= 200; columns++)
        for (int i = 0; i < 3; i++)
            for (int spent = 0; spent < 100000; spent = spent * 7 + 1) {
                const bonsai_progress at = {.stage = stages[i], .done = (uint64_t)spent % 100,
                                            .total = 100, .note = notes[spent % 3]};
                draw(line, sizeof line, columns, &at, spent);
                if (text_width(line) >= columns)
                    snprintf(bad, sizeof bad, "%d of %d columns: %s", text_width(line), columns,
                             line);
            }
    end();
    assert_string_equal(bad, "");
    setlocale(LC_CTYPE, "C");
}

/* A first step of a great many: seconds that no int holds. */
static void a_time_beyond_all_measure_is_cut(void **state)
{
    const bonsai_progress at = {.stage = "read", .done = 1, .total = UINT64_MAX / 2};
    char line[1024];
    (void)state;
    begin();
    draw(line, sizeof line, 100, &at, 50);
    end();
    assert_non_null(strstr(line, "over 9999 h left"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_gives_way_in_order),
        cmocka_unit_test(no_bar_reaches_the_last_column),
        cmocka_unit_test(a_time_beyond_all_measure_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

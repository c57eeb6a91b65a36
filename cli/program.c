/* program.c -- the frame around the commands: messages, exit codes, the last line.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "output/text.h"
#include "program.h"

const command *command_find(const char *name)
{
    for (const command *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

style style_of(const session *s)
{
    const int people = s->people ? s->people > 0 : isatty(STDOUT_FILENO);
    return s->json ? STYLE_JSON : people ? STYLE_TEXT : STYLE_TSV;
}

/* ---- messages ------------------------------------------------------------ */

static int suggest_for(session *s, const char *missing)
{
    if (calls.suggest && !s->mute && s->words)
        calls.suggest(missing, s->words);
    return EXIT_FAILED;
}

int fail(session *s, bonsai_status rc)
{
    if (rc == BONSAI_E_CANCELED)
        return fail_with(s, "canceled");
    fail_with(s, "%s", bonsai_error());
    const bonsai_error_info *e = bonsai_error_details();
    return e->kind == BONSAI_ERROR_MISSING ? suggest_for(s, e->path) : EXIT_FAILED;
}

int fail_missing(session *s, const char *path)
{
    fail_with(s, "%s: %s", path, strerror(ENOENT));
    return suggest_for(s, path);
}

static void say(session *s, const char *start, const char *format, va_list args)
{
    vsnprintf(s->said, sizeof s->said, format, args);
    bn_utf8_clean(s->said, '?');
    if (s->mute)
        return;
    progress_clear(&s->progress);
    s->progress.drawn = 0;
    fprintf(stderr, "%s: %s\n", start, s->said);
}

int fail_with(session *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(s, calls.program, format, args);
    va_end(args);
    return EXIT_FAILED;
}

int refuse(session *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(s, calls.program, format, args);
    va_end(args);
    if (!s->mute)
        fprintf(stderr, "try: %s %s%s--help\n", calls.program, s->command, *s->command ? " " : "");
    return EXIT_USAGE;
}

void note(session *s, const char *format, ...)
{
    va_list args;
    if (s->quiet)
        return;
    va_start(args, format);
    say(s, "note", format, args);
    va_end(args);
}

static void note_warning(const bonsai_warning *w, void *payload)
{
    note(payload, "%s", w->text);
}

void next_command(session *s, const char *line)
{
    if (s->quiet || s->mute || s->people || style_of(s) != STYLE_TEXT || !s->progress.terminal)
        return;
    puts("");
    put_next(line);
}

/* ---- the end ------------------------------------------------------------- */

/* Returns 1 if the reader of a pipe is gone. */
static int is_unread(int why)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return why == EPIPE || (why == 0 && poll(&out, 1, 0) == 1 && (out.revents & POLLERR));
}

/* Flushes stdout.  If its reader has enough, as head has, the program ends by SIGPIPE without a
 * message, as others do. */
static int flush_results(session *s, int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    const int why = errno;
    if (!is_unread(why))
        fail_with(s, "the results could not be written to standard output: %s",
                  why ? strerror(why) : "write error");
    else if (code == EXIT_DONE)
        cancel_by(SIGPIPE);
    return code == EXIT_DONE ? EXIT_FAILED : code;
}

static void last_line(const session *s, int argc, char **argv)
{
    struct rusage u;
    char memory[32];
    getrusage(RUSAGE_SELF, &u);
    text_bytes(memory, sizeof memory, (double)u.ru_maxrss * 1024);
    fprintf(stderr, "bonsai %s: %s", bonsai_version(), calls.program);
    for (int i = 1; i < argc; i++)
        fprintf(stderr, " %s", argv[i]);
    fprintf(stderr, ": %.2f s, %.2f s CPU, %s peak memory\n", seconds() - s->progress.start,
            (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec), memory);
}

int refuse_command(session *s, const char *name)
{
    const char *names[32], *near;
    int count = 0;
    for (const command *c = commands; c->name && count < 32; c++)
        names[count++] = c->name;
    near = text_nearest(name, names, count);
    if (near)
        return refuse(s, "there is no command \"%s\"; did you mean \"%s\"?", name, near);
    return refuse(s, "there is no command \"%s\"", name);
}

static int dispatch(session *s, int argc, char **argv)
{
    static char help[] = "help", version[] = "version", *alone[] = {help, help, NULL};
    if (argc < 2) {
        argc = 2;
        argv = alone;
    }
    s->words = argv + 1;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        argv[1] = help;
    if (strcmp(argv[1], "--version") == 0)
        argv[1] = version;
    const command *c = command_find(argv[1]);
    s->command = c ? c->name : "";
    if (!c && argv[1][0] == '-')
        return refuse(s, "the command comes first, then its options such as %s", argv[1]);
    return c ? c->run(s, argc - 1, argv + 1) : refuse_command(s, argv[1]);
}

/* Opens a folder in place of a closed standard stream, so that no file takes its number and
 * receives messages.  A folder can be neither read nor written: lost results are still an error. */
static void hold_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/", O_RDONLY) != fd)
            _exit(EXIT_FAILED);
}

void program_begin(session *s)
{
    hold_streams();
    prctl(PR_SET_NAME, calls.program);      /* not "exe", for ps and top */
    memset(s, 0, sizeof *s);
    s->command = "";
    setlocale(LC_CTYPE, "");                /* numbers keep the C locale */
    progress_init(&s->progress);
    cancel_on_signals();
    bonsai_read_options_init(&s->read);
    s->read.progress = progress_tick;
    s->read.warning = note_warning;
    s->read.warning_payload = s;
    s->read.spelling = BONSAI_SPELLING_SHELL;
    s->read.payload = &s->progress;
}

int program_run(session *s, int argc, char **argv)
{
    int code = dispatch(s, argc, argv);
    progress_end(&s->progress, s->command);
    code = flush_results(s, code);
    if (s->verbose && !s->mute)
        last_line(s, argc, argv);
    return code;
}

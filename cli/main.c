/* main.c -- the program bonsai: its commands, its exit codes, its last line.
 *
 * Exit 0 done, 1 failed, 2 wrong usage; a signal ends it as that signal, after
 * the library has cleaned up.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli.h"

const command commands[] = {
    {"generate", cmd_generate, "write a graph that looks like a citation network", 1},
    {"info",     cmd_info,     "show what a graph holds", 0},
    {"check",    cmd_check,    "verify every byte and every rule of a graph", 0},
    {"convert",  cmd_convert,  "read a graph in one format, write it in another", 0},
    {"split",    cmd_split,    "draw new training, validation and test nodes", 0},
    {"condense", cmd_condense, "make a small graph that trains like the large one", 1},
    {"plan",     cmd_plan,     "tell what condensing a graph would take", 0},
    {"explain",  cmd_explain,  "tell why a node of a condensed graph is there", 0},
    {"train",    cmd_train,    "train models on a graph and judge them", 1},
    {"eval",     cmd_eval,     "train on a small graph, judge on the large one", 1},
    {"predict",  cmd_predict,  "tell the classes of nodes by a saved model", 1},
    {"compare",  cmd_compare,  "try methods, ratios and models, and print the table", 1},
    {"report",   cmd_report,   "draw what a small graph kept, as a page to look at", 1},
    {"fetch",    cmd_fetch,    "download a public dataset", 0},
    {"paper",    cmd_paper,    "reproduce the paper's tables beside the published figures", 1},
    {"demo",     cmd_demo,     "see it work, without data and within seconds", 1},
    {"version",  cmd_version,  "print the version and how it was built", 0},
    {"help",     cmd_help,     "explain a command, or the formats", 0},
    {NULL,       NULL,         NULL, 0},
};

const command *command_find(const char *name)
{
    for (const command *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

style style_of(const session *s)
{
    return s->json ? STYLE_JSON : s->people || isatty(STDOUT_FILENO) ? STYLE_TEXT : STYLE_TSV;
}

/* ---- messages ------------------------------------------------------------ */

int fail(session *s, bonsai_status rc)
{
    if (rc == BONSAI_E_CANCELED)
        return fail_with(s, "canceled");
    return fail_with(s, "%s", bonsai_error());
}

static void say(session *s, const char *start, const char *format, va_list args)
{
    progress_clear(&s->progress);
    s->progress.drawn = 0;
    fputs(start, stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

int fail_with(session *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(s, "bonsai: ", format, args);
    va_end(args);
    return EXIT_FAILED;
}

int refuse(session *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(s, "bonsai: ", format, args);
    va_end(args);
    fprintf(stderr, "try: bonsai %s%s--help\n", s->command, *s->command ? " " : "");
    return EXIT_USAGE;
}

void note(session *s, const char *format, ...)
{
    va_list args;
    if (s->quiet)
        return;
    va_start(args, format);
    say(s, "note: ", format, args);
    va_end(args);
}

/* ---- the end ------------------------------------------------------------- */

static int flush_results(session *s)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_DONE;
    return fail_with(s, "the results could not be written to standard output: %s",
                     errno ? strerror(errno) : "write error");
}

static void last_line(const session *s, int argc, char **argv)
{
    struct rusage u;
    char memory[32];
    getrusage(RUSAGE_SELF, &u);
    text_bytes(memory, sizeof memory, (double)u.ru_maxrss * 1024);
    fprintf(stderr, "bonsai %s: bonsai", bonsai_version());
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
    static char help[] = "help", version[] = "version";
    if (argc < 2) {
        s->command = "";
        return refuse(s, "a command is missing, such as \"bonsai demo\"");
    }
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

/* A thread that waits by spinning takes the core that the others wait for: on a busy
 * machine that costs tens of times what it gives.  The runtime reads how long to spin before
 * main is reached, so a command whose threads meet often starts itself once more, unless the
 * user has said it. */
static void spin_less(int argc, char **argv)
{
    const command *c = argc > 1 ? command_find(argv[1]) : NULL;
    if (!c || !c->shares || getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY"))
        return;
    if (setenv("GOMP_SPINCOUNT", "10000", 1) == 0)
        execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    spin_less(argc, argv);      /* if it cannot, all is as before */
    prctl(PR_SET_NAME, "bonsai");          /* not "exe", for ps and top */
    session s = {.command = ""};
    setlocale(LC_CTYPE, "");                /* numbers keep the C locale */
    progress_init(&s.progress);
    cancel_on_signals();
    bonsai_read_options_init(&s.read);
    s.read.progress = progress_tick;
    s.read.payload = &s.progress;
    int code = dispatch(&s, argc, argv);
    progress_end(&s.progress, s.command);
    if (flush_results(&s) != EXIT_DONE && code == EXIT_DONE)
        code = EXIT_FAILED;
    if (s.verbose)
        last_line(&s, argc, argv);
    if (code != EXIT_DONE && canceled_by()) {
        signal(canceled_by(), SIG_DFL);
        raise(canceled_by());               /* so that the shell sees the signal too */
    }
    return code;
}

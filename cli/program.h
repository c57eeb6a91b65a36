/* program.h -- a run of the program: its session, messages, progress, commands and the
 * calls that differ between one process and several ranks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_PROGRAM_H
#define BONSAI_PROGRAM_H

#include <stddef.h>
#include <stdio.h>

#include "bonsai_study.h"
#include "json.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };
enum { MOST_PATH = 4096, MOST_LINE = 8 * MOST_PATH, MOST_OPTIONS = 64 };

/* ---- progress ------------------------------------------------------------ */

typedef struct {
    int    quiet;
    int    terminal;            /* stderr is one: draw a bar */
    int    drawn;               /* something was drawn: a last line is due */
    double start, stage_start, last_draw;
    char   stage[48];
} progress;

double seconds(void);                                   /* of a monotonic clock */
void progress_init(progress *p);
int  progress_tick(const bonsai_progress *now, void *payload);  /* a bonsai_progress_fn */
void progress_clear(progress *p);                       /* before printing anything */
void progress_end(progress *p, const char *what);       /* the last line, if a bar was drawn */
void cancel_on_signals(void);
int  canceled_by(void);                                 /* returns the signal, or 0 */
void cancel_by(int number);                             /* acts as if that signal had come */

/* ---- a run --------------------------------------------------------------- */

typedef enum { STYLE_TEXT, STYLE_TSV, STYLE_JSON } style;

typedef struct {
    const char *command;
    char *const *words;         /* of the command line, behind the program; ended by NULL */
    int         quiet, verbose, json;
    int         rows;           /* help for programs: one row per option */
    int         people;         /* 1: aligned text even into a pipe, -1: rows even on a terminal */
    int         mute;           /* print and write nothing: another process does */
    char        said[1024];     /* the last message */
    bonsai_read_options read;   /* for every GRAPH; also the threads and progress of all else */
    progress    progress;
    double      accuracy, waited;           /* of the model trained last, for the demo */
    const char *given[MOST_OPTIONS];            /* options that stand on the command line */
    int         given_count;
    int         scales_noted;               /* by note_scales */
} session;

typedef struct {
    const char *name;
    int       (*run)(session *s, int argc, char **argv);    /* argv[0]: the name; exit code */
    const char *line;
    int         first;          /* 1: in the short list of commands */
} command;

/* Every program calls program_begin, then program_run, which returns the command's exit code. */
void program_begin(session *s);
int  program_run(session *s, int argc, char **argv);
/* Calls a function on a stack that is large enough, whatever ulimit -s is. */
typedef int program_fn(session *s, int argc, char **argv);
int  run_with_stack(program_fn *run, session *s, int argc, char **argv);

extern const command commands[];                        /* ended by a NULL name */
const command *command_find(const char *name);
int refuse_command(session *s, const char *name);       /* suggests another; returns EXIT_USAGE */

style style_of(const session *s);
int  fail(session *s, bonsai_status rc);        /* prints bonsai_error(); returns EXIT_FAILED */
int  fail_missing(session *s, const char *path);        /* the same for a missing graph */
int  fail_with(session *s, const char *format, ...)     /* prints a sentence; returns EXIT_FAILED */
    __attribute__((format(printf, 2, 3)));
int  refuse(session *s, const char *format, ...)        /* the same for usage; returns EXIT_USAGE */
    __attribute__((format(printf, 2, 3)));
void note(session *s, const char *format, ...)          /* prints a note, unless -q */
    __attribute__((format(printf, 2, 3)));

/* Suggests a command, if stdout and stderr are terminals. */
void next_command(session *s, const char *line);

int cmd_generate(session *s, int argc, char **argv);
int cmd_info(session *s, int argc, char **argv);
int cmd_check(session *s, int argc, char **argv);
int cmd_convert(session *s, int argc, char **argv);
int cmd_split(session *s, int argc, char **argv);
int cmd_condense(session *s, int argc, char **argv);
int cmd_explain(session *s, int argc, char **argv);
int cmd_train(session *s, int argc, char **argv);
int cmd_eval(session *s, int argc, char **argv);
int cmd_predict(session *s, int argc, char **argv);
int cmd_compare(session *s, int argc, char **argv);
int cmd_report(session *s, int argc, char **argv);
int cmd_fetch(session *s, int argc, char **argv);
int cmd_paper(session *s, int argc, char **argv);
int cmd_plan(session *s, int argc, char **argv);
int cmd_suggest(session *s, int argc, char **argv);
int cmd_demo(session *s, int argc, char **argv);
int cmd_version(session *s, int argc, char **argv);
int cmd_help(session *s, int argc, char **argv);

/* ---- calls that differ between one process and several ranks ------------- */

struct summary;

typedef struct {
    const char *program;        /* its name, in messages */
    const char *examples;       /* shown instead of every command's own; NULL: its own */
    bonsai_status (*read)(bonsai_graph **out, const char *path, const bonsai_read_options *o);
    bonsai_status (*verify)(const bonsai_graph *g, const bonsai_read_options *o);
    bonsai_status (*check)(const bonsai_graph *g, const bonsai_read_options *o);
    bonsai_status (*stats)(bonsai_stats *s, int64_t *class_counts, const bonsai_graph *g,
                           const bonsai_read_options *o);
    bonsai_status (*condense)(bonsai_graph **out, bonsai_condense_info *info, const double *ratios,
                              int count, const bonsai_graph *g, const bonsai_condense_options *o);
    /* Generates a graph, writes it to path and opens it. */
    bonsai_status (*generate)(bonsai_graph **out, session *s, const bonsai_generate_options *o,
                              const char *path);
    /* Returns the status of the process that writes to all others. */
    bonsai_status (*agree)(bonsai_status rc);
    /* Adds to the summary of a condensed graph; NULL: nothing. */
    void (*more)(struct summary *r, const bonsai_condense_info *i);
    /* Prints a path that may have been meant by one that does not exist, if this is a word of the
     * command line; NULL: prints nothing. */
    void (*suggest)(const char *missing, char *const *words);
    int several;                /* 1: several processes */
} process_calls;

extern const process_calls calls;

#endif

/* cli.h -- declarations that the files of the program bonsai share.
 *
 *   main.c      the table of commands, and their workers in one process
 *   program.c   messages, exit codes, the last line
 *   opt*.c      options: one row is parser, help line and range (opt.h)
 *   progress.c  the bar on stderr, and canceling
 *   table.c     facts and tables: aligned text, TSV or JSON
 *   aligned.c   the aligned text, and what gives way on a narrow terminal
 *   wrap.c      text in lines that fit the terminal
 *   text.c      numbers and names for people; the nearest name
 *   files.c     paths: sizes, and whether they can be written
 *   nearby.c    what may have been meant by a graph that is not there
 *   save.c      writing a graph
 *   page.c      writing a page about a graph
 *   csv.c       files of rows that appear only when complete
 *   newfile.c   where such files are until then
 *   condensed.c reports about condensed graphs, and the one they carry
 *   prototype.c what one prototype stands for
 *   training.c  the options and the runs of train and eval
 *   trained.c   results of training: table, JSON, learning curves
 *   fullbeside.c the full graph's accuracy beside a small one's
 *   compared.c  the table of a comparison
 *   curve.c     a curve drawn with characters
 *   notes.c     notes about graphs: scales that are far apart, doubtful tables, a split that was drawn
 *   cellfile.c  the file that a comparison resumes from
 *   fetch/      bonsai fetch (fetch.h)
 *   paper/      bonsai paper (paper.h)
 *   jsonheap.c  the memory of JSON values (json/)
 *   cmd_*.c     one command each
 *
 * The program bonsai-mpi (mpi/program) is made of the same parts, with other workers.
 *
 * Results go to stdout, everything else to stderr.  Nothing here includes src/.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_CLI_H
#define BONSAI_CLI_H

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
int  canceled_by(void);                                 /* the signal, 0: none */
void cancel_by(int number);                             /* as if that signal had come */

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
} command;

/* Every program calls these two in order; run returns the command's exit code. */
void program_begin(session *s);
int  program_run(session *s, int argc, char **argv);

extern const command commands[];                        /* ended by a NULL name */
const command *command_find(const char *name);
int refuse_command(session *s, const char *name);       /* suggests another; EXIT_USAGE */

style style_of(const session *s);
int  fail(session *s, bonsai_status rc);                /* prints bonsai_error(); EXIT_FAILED */
int  fail_missing(session *s, const char *path);        /* a graph that is not there; the same */
int  fail_with(session *s, const char *format, ...)     /* prints a sentence; EXIT_FAILED */
    __attribute__((format(printf, 2, 3)));
int  refuse(session *s, const char *format, ...)        /* the same for usage; EXIT_USAGE */
    __attribute__((format(printf, 2, 3)));
void note(session *s, const char *format, ...)          /* unless -q */
    __attribute__((format(printf, 2, 3)));

/* Suggests a command, where a person reads: if stdout and stderr are terminals. */
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

/* ---- options ------------------------------------------------------------- */

/* An option is a field as in bonsai_study.h: of one of the library's option structs, or a row of
 * the command, with its offset in a struct of the command. */
#define OWN(object, member, kind) .type = BONSAI_FIELD_##kind, .offset = offsetof(object, member)

typedef struct {
    void               *base;   /* the struct, which holds the defaults before parsing */
    const bonsai_field *own;    /* rows, ended by a NULL name; NULL: the library's fields of kind */
    bonsai_options_kind kind;
    const char         *only;   /* names of the fields to take, separated by spaces; NULL: all */
    const char         *but;    /* names of the fields to leave out */
} opt_group;

enum { OPT_READS = 1, OPT_THREADS = 2, OPT_JSON = 4 };  /* rows that commands share */

typedef struct {
    const char  *usage;         /* after "bonsai " */
    const char  *about;         /* a sentence or two */
    const char  *examples;      /* lines, each ended */
    const char  *args;          /* names of the arguments, "IN OUT"; "[CMD]": may be left out */
    const char **values;        /* one for each name */
    const opt_group *groups;    /* ended by a NULL base; the first row of a name counts */
    int          shared;        /* OPT_READS | ... */
    const char  *alone;         /* fields, "a b", that one process takes only; NULL: none */
} opt_spec;

enum { OPT_GO = -1 };
/* Fills the groups' structs.  OPT_GO, or the exit code to leave with. */
int opt_parse(session *s, const opt_spec *spec, int argc, char **argv);
/* Whether it found the option of this field, whatever its value. */
int option_given(const session *s, const char *field);
/* Adds how GRAPH was read to a line, for the command that reads it next. */
void options_of_reading(char *line, size_t size, const session *s);
int parse_real(const char *text, double *out);          /* 1: a finite number and nothing else */
int parse_whole(const char *text, int64_t *out);        /* the same; errno is ERANGE: too large */
int parse_share(const char *text, double *out);         /* a number, or percent: "0.01", "1%" */
/* The shares in "0.01,3%", each above 0 and at most 1, none twice.  OPT_GO, or EXIT_USAGE. */
int parse_ratios(session *s, double *out, int *count, int most, const char *text);
/* The indices of the words in "a,b,c"; "all": each.  out: room for all.  OPT_GO, or EXIT_USAGE. */
int parse_words(session *s, int *out, int *count, const char *option, const char *text,
                const char *const *words);
/* Refuses a given split without training nodes.  OPT_GO, or EXIT_USAGE. */
int check_split(session *s, const double percent[3]);
/* The name of the option after "--", and the field of a name. */
void option_name(char *out, size_t size, const bonsai_field *f);
const bonsai_field *field_named(bonsai_options_kind kind, const char *name);

/* ---- facts and tables ---------------------------------------------------- */

typedef struct {
    const char *key;            /* in JSON; NULL: a bar of the column before, only on a terminal */
    const char *label;          /* on a terminal */
    const char *format;         /* of reals, "%.1f"; "bytes": 1.2 MB; NULL: as they are */
} column;

typedef struct {
    enum { ITEM_HEADING, ITEM_FACT, ITEM_TABLE, ITEM_JSON } kind;
    const char   *key, *label, *format;
    char          note[160];
    bn_json       *value;        /* of a fact; rows of a table, each an array */
    const column *columns;      /* ended by a NULL label */
    int           limit;        /* rows shown on a terminal; 0: all */
    int           no_json;
} item;

typedef struct {                /* what a command prints */
    item items[96];
    int  count;
    int  broken;                /* out of memory, or too many items */
} summary;

void summary_heading(summary *r, const char *text);
/* Facts; the key may be "degree.min", an object inside the JSON.  A fact without a key is shown
 * only on a terminal, one without a label everywhere else. */
void summary_int(summary *r, const char *key, const char *label, int64_t value);
void summary_real(summary *r, const char *key, const char *label, double value, const char *format);
void summary_text(summary *r, const char *key, const char *label, const char *value);
void summary_note(summary *r, const char *format, ...)  /* after the last fact, on a terminal */
    __attribute__((format(printf, 2, 3)));
/* A table without a key is shown only on a terminal. */
void summary_table(summary *r, const char *key, const column *columns, bn_json *rows);
void summary_degrees(summary *r, const bonsai_stats *st);
void summary_json(summary *r, const char *key, bn_json *value);  /* in JSON only */
/* Whether a part may be added: rc says that it is there.  Without memory the summary is broken. */
int  summary_has(summary *r, bonsai_status rc);
int  summary_print(summary *r, session *s);             /* to stdout; frees; exit code */
void summary_free(summary *r);                          /* of one that is not printed */
/* The two parts of it that aligned.c and table.c share: all as aligned text; a cell as text, for people
 * or for a program. */
void summary_put_text(const summary *r);
void cell_text(char *buf, size_t size, const bn_json *cell, const char *format, int people);
bn_json *summary_object(const summary *r);               /* as --json prints it; NULL: no memory */
int  print_json(session *s, bn_json *value);             /* to stdout; frees; exit code */

/* ---- the calls that do the work: in this process, or in several ----------- */

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
    /* Writes the graph to path, and opens it. */
    bonsai_status (*generate)(bonsai_graph **out, session *s, const bonsai_generate_options *o,
                              const char *path);
    /* Brings a status that only one process has to the mute ones. */
    bonsai_status (*agree)(bonsai_status rc);
    /* Adds to the summary of a condensed graph; NULL: nothing. */
    void (*more)(summary *r, const bonsai_condense_info *i);
    /* Prints what may have been meant, if the message is about a path of the command line that does
     * not exist; NULL: nothing does. */
    void (*suggest)(const char *message, char *const *words);
    int several;                /* 1: several processes */
} workers;

extern const workers crew;
void suggest_graph(const char *message, char *const *words);

/* ---- text and files ------------------------------------------------------ */

void text_grouped(char *buf, size_t size, int64_t value);       /* 1,234,567 */
void text_bytes(char *buf, size_t size, double bytes);          /* 1.2 MB */
const char *text_s(int64_t count);                      /* behind a noun: "" for 1, else "s" */
/* Cuts the next piece off "a,b,c"; 0: there is none left. */
int  text_piece(char *piece, size_t size, const char **at);
/* A path as a word for the shell, in quotes if it needs them.  0: there is no room. */
int  text_word(char *out, size_t size, const char *text);
int  text_is_utf8(void);                                /* the locale */
/* The name nearest to word, NULL if none is near. */
const char *text_nearest(const char *word, const char *const *names, int count);

/* Lines that fit.  A file or a pipe is as wide as $COLUMNS says, or 80 columns. */
int  terminal_columns(int fd);
int  line_columns(void);                                /* of stdout, at least 40 */
int  prose_columns(void);                               /* the same, at most 80 */
int  text_width(const char *text);                      /* in columns */
/* The bytes of text on a line of so many columns, and what follows on the next. */
size_t text_line(const char *text, int columns);
const char *text_after(const char *text, size_t bytes);
void text_cut(char *out, size_t size, const char *text, int columns);   /* with a mark at the end */
/* To stdout, from column `at` on; further lines are indented.  Ends no line; returns its column. */
int  put_wrapped(const char *text, int at, int indent, int columns);
/* Ends the last line.  A single end of a line inside is a space; one at the begin or the end, and
 * two of them, are an empty line. */
void put_prose(const char *format, ...) __attribute__((format(printf, 1, 2)));
void put_command(const char *line, int bytes);          /* wraps as a shell reads it */
void put_next(const char *line);                        /* the same of a command that is suggested */
void put_examples(const char *lines);                   /* commands, below their title */

const char *path_without_format(const char *path);      /* after "npz:" */
int     path_is_native(const char *path);               /* when written */
int64_t path_bytes(const char *path);                   /* of a file, a folder or a prefix; -1 */
int64_t summary_file_bytes(summary *r, const char *key, const char *label, const char *path);
int     path_ends_with(const char *path, const char *end);
int     path_can_be_written(session *s, const char *path);      /* as a graph; 0: printed why not */
int     file_can_be_written(session *s, const char *path);      /* the same for any other file */
/* The text of a file, up to a zero; free() it.  Exit code. */
int  file_text(session *s, char **text, const char *path);
int     path_is_same(const char *a, const char *b);     /* the same file, which exists */
/* NAME-SUFFIX.bonsai, or with name's own ending.  0: longer than MOST_PATH. */
int     path_with_suffix(char *to, const char *name, const char *suffix, int len);
/* Writes g, and notes the sections that path's format cannot hold. */
bonsai_status save(session *s, const bonsai_graph *g, const char *path, bonsai_encoding features);
bonsai_status save_as(session *s, const bonsai_graph *g, const char *path,
                      const bonsai_write_options *o);
void note_left_out(session *s, const char *path, uint64_t left_out);
/* Reads a graph, and notes what its reader was in doubt about. */
bonsai_status read_graph(session *s, bonsai_graph **out, const char *path);
/* Reads a graph besides the one that --features and --labels are for. */
bonsai_status read_other(session *s, bonsai_graph **out, const char *path);

/* The file that a link, or a chain of links, leads to; it need not exist.  0, or -1 and errno. */
int     path_follow(char to[MOST_PATH], const char *path);
/* A temporary name next to target, the same in every process. */
void    path_beside(char to[MOST_PATH + 32], const char *target, int writer);
/* Creates a file under a temporary name next to target; a descriptor, or -1 and errno. */
int     newfile_open(char temporary[MOST_PATH + 32], const char *target);
/* Renames a file; it gets the mode of a file that it replaces.  0, or -1 and errno. */
int     path_replace(const char *from, const char *to);

/* Rows of cells separated by commas, on stdout or in a file that is renamed when complete. */
typedef struct {
    FILE       *file;
    const char *path;           /* NULL: stdout */
    char        target[MOST_PATH];          /* where path leads to */
    char        temporary[MOST_PATH + 32];  /* "": none, as for a pipe */
} csv;

int  csv_begin(session *s, csv *out, const char *path);         /* exit code */
void csv_text(csv *out, const char *text);              /* in quotes if it needs them */
int  csv_end(session *s, csv *out);                     /* exit code */

/* ---- condensed graphs ---------------------------------------------------- */

/* All that condensing reports, of a graph that was written to path. */
void summary_condensed(summary *r, const bonsai_condense_options *o, const bonsai_condense_info *i,
                       const bonsai_graph *small, const char *path);
void summary_seed(summary *r, uint64_t seed);
void summary_condensed_sizes(summary *r, const bonsai_condense_info *i);  /* small and full */
/* A note at the row before, of the peak; what scratch files held, and the limit. */
void summary_condensed_memory(summary *r, const bonsai_condense_info *i);
/* How it was chosen: trees and their cover, or prototypes. */
void summary_condensed_making(summary *r, const bonsai_condense_info *i, const bonsai_graph *small);
/* How many prototypes there are, and how many of them are pairs with a second node. */
void summary_prototypes(summary *r, const char *key, const char *second_key,
                        const bonsai_graph *small);
void summary_condensed_quality(summary *r, const bonsai_condense_info *i);     /* by the probe */
const char *condensed_method(const bonsai_condense_info *i);            /* by name */
void summary_condensed_options(summary *r, const bonsai_condense_options *o);   /* in JSON alone */
int64_t condensed_roles(const bonsai_graph *g, bonsai_role role);       /* nodes of that role */

/* What a prototype of small stands for: its soft label, members, nearest nodes of full (NULL: not
 * given; names: of its nodes, or NULL) and features.  The strongest features of any node. */
void summary_prototype(summary *r, const bonsai_graph *small, const bonsai_graph *full,
                       const char *const *names, const bonsai_why *w);
void summary_strongest(summary *r, const bonsai_graph *small, const bonsai_graph *full,
                       const bonsai_why *w);

/* ---- classes ------------------------------------------------------------- */

/* Where each of the consecutive names, each ended by a zero, begins; or NULL. */
int list_names(session *s, const char ***out, const bonsai_array *a, int64_t count);
/* Gives a graph the class numbers of a small graph or a model, where names tell them, and the scale of
 * the small graph's columns.  Nodes of a class that is not known there are refused; with bare, *bare
 * is then the graph without its labels, which borrows from *g, and a note says so. */
int match_small(session *s, bonsai_graph **full, const bonsai_graph *small);
int match_model(session *s, bonsai_graph **g, const bonsai_model *m, bonsai_graph **bare);

/* ---- measures ------------------------------------------------------------ */

enum { CLASSES_SHOWN = 20 };                            /* on a terminal */

bn_json *measure_json(double value);                    /* null: not defined */
bn_json *measure_spread(const bonsai_train_info *i, bonsai_metric m);   /* null: of one run */
/* Sets the name of each metric, with this end, to its value. */
void measures_set(bn_json *object, const char *end, const double *metric);
void measures_set_spread(bn_json *object, const double *mean, const double *std);
/* "Macro F1" and the rest of a heading. */
void measure_title(char *out, size_t size, bonsai_metric m, const char *rest);
bn_json *class_list(const bonsai_view *v);              /* by name, or by number without one */

double carbon_grams(double seconds);                    /* CO2 of ten CPU cores, as the paper counts */

/* ---- training ------------------------------------------------------------ */

typedef struct {                /* of networks on graphs that the paper trains wide ones on, by the */
    int64_t hidden;             /* protocol and the line; without a protocol as on any graph */
    int     standardise;
} training_width;

typedef struct {
    bonsai_train_options o;
    training_width width;
    const char *args[2];        /* as they stand on the line */
    const char *path, *full;    /* trained on; judged on, NULL: the same */
    int         alone;          /* 1: full is not trained on as well */
    const char *models, *save, *curves;
    int         protocol;
    int         count;          /* of the models asked for */
    bonsai_model_kind model[BONSAI_MODEL_COUNT];
    char        to[BONSAI_MODEL_COUNT][MOST_PATH];           /* where they are saved; "": nowhere */
    char        parts[96];      /* the split, in words */
    bonsai_training *done[BONSAI_MODEL_COUNT];
    bonsai_training *beside[BONSAI_MODEL_COUNT];        /* trained on full; NULL: it was not */
    int64_t     lost[BONSAI_MODEL_COUNT];       /* the class that is lost beside that; -1: none */
    int         canceled;       /* 1: while training on full; those of the small graph are there */
} training;

/* Fills t and checks that all files can be written; adds the arguments and rows to spec.  OPT_GO,
 * or the exit code. */
int  training_parse(session *s, training *t, opt_spec *spec, int argc, char **argv);
void training_reset(session *s, training *t);           /* to the defaults */
/* Reads t->models, the value of the option, into t->model.  OPT_GO, or EXIT_USAGE. */
int  training_models(session *s, training *t, const char *option);
/* The option --protocol; its base is an int. */
extern const bonsai_field training_protocol[];
enum { TRAINING_DEFAULT, TRAINING_PAPER, TRAINING_PEERS };
const char *training_protocol_name(int protocol);
/* Sets the options of a protocol that is not the default. */
void training_follow(bonsai_train_options *o, int protocol, int wide);
int  training_is_wide(const bonsai_known *k);           /* the paper trains wide networks on it */
training_width training_width_of(const bonsai_train_options *o);
/* Sets the width if judge is such a graph, and says so if that changes something. */
void training_widen(session *s, bonsai_train_options *o, const training_width *width,
                    const bonsai_graph *judge);
const char *training_standardise(const bonsai_train_options *o);       /* the word of the option */
/* Trains, writes and prints; exit code. */
int  training_run(session *s, training *t, const bonsai_graph *small, const bonsai_graph *full);
/* The same without printing; then training_free, whatever it returned. */
int  training_work(session *s, training *t, const bonsai_graph *small, const bonsai_graph *full);
void training_free(training *t);
/* The exit code of a training that ended with this one and was printed. */
int  training_ended(session *s, const training *t, int code);
double training_judgings(const bonsai_train_options *o);        /* how often a run is judged */
/* Refuses a pair that was named the wrong way round.  EXIT_DONE, or the exit code. */
int  training_check_pair(session *s, const training *t, const bonsai_graph *small,
                         const bonsai_graph *full);
/* Prints a note if the sizes show that small was not condensed from full. */
void training_note_pair(session *s, const training *t, const bonsai_graph *small,
                        const bonsai_graph *full);
/* Writes the split to t->parts, and prints a note if it is not the obvious one. */
void training_note_split(session *s, training *t, const bonsai_train_info *i);
int  trained_curves(session *s, const training *t);             /* exit code */
/* g: the graph that was judged on.  Exit code. */
int  trained_print(session *s, const training *t, const bonsai_graph *g);
bn_json *trained_json(const training *t, const bonsai_graph *g);        /* the same; NULL: no memory */

/* Trains on full too, unless t says not to or it takes too much: then a note says so. */
bonsai_status beside_train(session *s, training *t, const bonsai_graph *full);
double beside_kept(const training *t, int k);   /* percent of the full graph's metric; -1: unknown */
void beside_add(summary *r, const training *t, char title[64]);        /* the table of both */
/* The class that model k of the small graph loses, where one is lost: finds them, and says so. */
int beside_judge(session *s, training *t);              /* exit code */
void beside_add_lost(summary *r, const training *t, int k, const bn_json *names);

/* Notes that a split was drawn, and the command that draws the same. */
void note_drawn(session *s, const char *path, uint64_t seed);
/* Notes what a reader of text was in doubt about: a header among edges, ids among features. */
void note_reading(session *s, const bonsai_graph *g, const char *path);
/* Notes, once, columns of dense features whose standard deviations are far apart. */
void note_scales(session *s, const bonsai_graph *g, const char *path);
int  is_unscaled(const bonsai_graph *g);                /* 1: they do */
void name_scaling(char *line, size_t size, const session *s, const char *path); /* what helps */

/* ---- curves ------------------------------------------------------------- */

/* Draws the shares of a suggestion over the logarithms of their ratios on stdout, beside the full
 * graph's and the one to keep. */
void curve_put(const bonsai_suggestion *s);

/* ---- pages -------------------------------------------------------------- */

/* Writes the page about small to path, with the session's threads and progress; *bytes: its
 * size. */
bonsai_status page_write(session *s, int64_t *bytes, const bonsai_graph *small,
                         const bonsai_graph *full, bonsai_report_options *o, const char *path);

/* ---- studies that resume ------------------------------------------------- */

typedef struct {
    session     *s;
    const char  *command;       /* the command of bonsai that the file belongs to */
    const char  *place;         /* what messages tell the user to change: "file", "folder" */
    const char  *path;
    bn_json      *heading;       /* {"bonsai_COMMAND": version, "graph": {...}, "options": {...}} */
    bonsai_cell *cells;         /* the cells to measure */
    int64_t      count;
    int          runs;          /* of a training; cells have room for as many accuracies */
    int64_t      classes;       /* of the graph; cells have room for the recall of each, or NULL */
    const char *const *settings;        /* their names; NULL: cells name none */
    FILE        *file;
    int          fresh;         /* 1: created now, and no cell has been written yet */
    int          failed;        /* 1: a cell could not be written, and that was reported */
} cellfile;

/* Opens or creates the file, refuses one of another graph or with other options, fills the cells
 * that it holds and reports how many.  Exit code. */
int  cellfile_open(cellfile *f);
int  cellfile_keep(const bonsai_cell *c, void *file);   /* a bonsai_cell_fn: on disk on return */
/* Reports why a study ended early, and how to resume it if f is open.  Exit code. */
int  cellfile_stopped(cellfile *f, bonsai_status rc);
void cellfile_close(cellfile *f);                       /* frees the heading too */
bn_json *cell_json(const bonsai_cell *c);                /* an object, yours; NULL: no memory */
/* Its split, its draw, every run, and the recall of each class. */
bn_json *cell_values_json(const bonsai_cell *c, int64_t classes);

/* "own", or the percent of the splits that a comparison of g draws. */
enum { SPLIT_TEXT = 64 };
void compared_split(char text[SPLIT_TEXT], const bonsai_graph *g, const bonsai_compare_options *o);
/* Prints the table of a comparison whose cells are done, and its methods in pairs.  Exit code. */
int  compared_print(session *s, const bonsai_compare_options *o, const bonsai_graph *g,
                    const bonsai_cell *cells, int64_t count);

#endif

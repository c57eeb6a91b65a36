/* train_eval.h -- the options, runs and results of train and eval, and metrics.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_TRAIN_EVAL_H
#define BONSAI_TRAIN_EVAL_H

#include "files/files.h"
#include "opt/opt.h"

enum { CLASSES_SHOWN = 20 };                            /* on a terminal */

bn_json *measure_json(double value);                    /* null: not defined */
bn_json *measure_spread(const bonsai_train_info *i, bonsai_metric m);   /* null: of one run */
/* Sets the name of each metric, with this end, to its value. */
void measures_set(bn_json *object, const char *end, const double *metric);
void measures_set_spread(bn_json *object, const double *mean, const double *std);
/* Writes "Macro F1" and the rest of a heading. */
void measure_title(char *out, size_t size, bonsai_metric m, const char *rest);
bn_json *class_list(const bonsai_view *v);              /* by name, or by number without one */

double carbon_grams(double seconds);                    /* CO2 of ten CPU cores by the paper */

typedef struct {                /* of networks on graphs that the paper trains wide ones on */
    int64_t hidden;
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
/* Sets what a protocol sets and the line (of s; NULL: none) does not; returns the width for graphs
 * that the paper trains wide networks on. */
training_width training_follow(const session *s, bonsai_train_options *o, int protocol);
int  training_is_wide(const bonsai_known *k);           /* the paper trains wide networks on it */
/* Sets the width if judge is such a graph; notes a change. */
void training_widen(session *s, bonsai_train_options *o, const training_width *width,
                    const bonsai_graph *judge);
const char *training_standardise(const bonsai_train_options *o);       /* the word of the option */
/* Trains, writes and prints; exit code. */
int  training_run(session *s, training *t, const bonsai_graph *small, const bonsai_graph *full);
/* The same without printing; call training_free afterwards in any case. */
int  training_work(session *s, training *t, const bonsai_graph *small, const bonsai_graph *full);
void training_free(training *t);
/* Returns the exit code of a training that was printed: code, or EXIT_FAILED if canceled. */
int  training_ended(session *s, const training *t, int code);
double training_judgings(const bonsai_train_options *o);        /* how often a run is judged */
/* Fails if the two graphs are swapped.  Returns EXIT_DONE, or the exit code. */
int  training_check_pair(session *s, const training *t, const bonsai_graph *small,
                         const bonsai_graph *full);
/* Notes that small was not condensed from full, if the sizes show it. */
void training_note_pair(session *s, const training *t, const bonsai_graph *small,
                        const bonsai_graph *full);
/* Writes the split to t->parts; notes one that was drawn or recorded. */
void training_note_split(session *s, training *t, const bonsai_train_info *i);
int  trained_curves(session *s, const training *t);             /* exit code */
/* g: the graph that was judged on.  Exit code. */
int  trained_print(session *s, const training *t, const bonsai_graph *g);
bn_json *trained_json(const training *t, const bonsai_graph *g);        /* NULL: no memory */

/* Trains on full too, unless t->alone; leaves it out with a note if it takes too much. */
bonsai_status beside_train(session *s, training *t, const bonsai_graph *full);
double beside_kept(const training *t, int k);  /* percent of the full metric; -1: unknown */
void beside_add(summary *r, const training *t, char title[64]);        /* the table of both */
/* Finds the class that each model of the small graph loses; beside_add_lost adds it. */
int beside_judge(session *s, training *t);              /* exit code */
void beside_add_lost(summary *r, const training *t, int k, const bn_json *names);

#endif

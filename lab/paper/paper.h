/* paper.h -- declarations that the files of `bonsai paper` share.
 *
 *   paper_data.c     the published figures and the datasets, both in the program
 *   paper_find.c     which datasets are in a folder, and the index lists of their split
 *   paper_settings.c the options that small graphs are made with
 *   paper_methods.c  the rows of the tables: a method, and the cell of each of its columns
 *   paper_cells.c    the cells that the tables need
 *   paper_run.c      measures them, dataset by dataset
 *   paper_look.c     what is read off a graph each time: sizes, PageRank, Lemma 1
 *   paper_rows.c     tables as JSON: heads, rows, charts
 *   paper_values.c   what a cell of a table says: values, sizes, verdicts
 *   paper_tables.c   tables of accuracy; paper_times.c  of seconds and carbon
 *   paper_figures.c  the paper's curves; paper_facts.c  what nobody measures
 *   paper_end.c      what did not reproduce, and the sentences that open the page
 *   paper_out.c      results.csv, results.json and the page
 *
 * A cell is one measurement.  Tables share cells, so that nothing is measured twice.  A cell's
 * setting gives its dataset and its options of condensing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_PAPER_H
#define BONSAI_PAPER_H

#include "files/graphs.h"
#include "output/text.h"
#include "results/cells.h"
#include "results/condensed.h"
#include "results/train_eval.h"

enum { MOST_SETS = 8, RATIOS = 3, PUBLISHED_EPOCHS = 1000 };

typedef enum {
    TABLE_ACCURACY, TABLE_MODELS, TABLE_SECONDS, TABLE_COMPONENTS, TABLE_ENERGY, TABLE_TRAINING,
    TABLE_ABLATION, TABLE_SAMPLE, TABLE_K, TABLE_DISTANCE, TABLE_GRADIENT, TABLE_PAGERANK,
    TABLE_LEMMA, TABLE_PROPERTIES, TABLE_DATASETS, TABLES
} table_name;

extern const char *const paper_table_names[TABLES + 1];         /* ended by NULL */
extern const double paper_ratios[RATIOS];               /* in percent */

typedef enum { PROTOCOL_PUBLISHED, PROTOCOL_OURS } protocol_name;

/* ---- the paper and its datasets ------------------------------------------ */

typedef struct {
    const bonsai_known *is;     /* its name and numbers */
    char    how[64];            /* to get it */
    int     price;              /* of a feature in the published code's price of the full graph */
    double  parts[2][3];        /* percent of a split, by protocol */
    char    path[MOST_PATH];    /* where it was found; "": it was not */
    char    lists[MOST_PATH];   /* the index lists of its published split; "": none */
} dataset;

typedef struct {
    char   text[40];            /* as published: "83.95 ± 0.39", "OOT" */
    double value, spread;       /* NAN: none */
    const char *broken;         /* why it is known not to be what it claims; NULL: it is not */
} published;

int  paper_sets(dataset sets[MOST_SETS]);               /* how many; none is found yet */
/* The published figure; ratio in percent, 0: none.  Returns 0 if there is none. */
int  paper_says(published *out, const char *table, const char *set, double ratio,
                const char *model, const char *method);
/* Finds the datasets below the folder; notes what is named like one but is not. */
int  paper_find(session *s, dataset *sets, int count, const char *folder);      /* exit code */

/* ---- settings ------------------------------------------------------------ */

typedef enum {                  /* options of condensing */
    HONEST, PAPER_BYTES,        /* the bytes that are counted */
    WHOLE,                      /* trees go or stay as a whole */
    NODES_0, NODES_1, NODES_2,  /* as many nodes as the published peers had at each ratio */
    NO_PPR, NO_RKNN,            /* trees as a whole, without PageRank; in random order */
    K_1, K_2, K_10, K_20,       /* trees as a whole */
    SAMPLE_100, SAMPLE_250, SAMPLE_500, SAMPLE_1000, SAMPLE_ALL, VARIANTS
} variant;

enum { MOST_SETTINGS = MOST_SETS * VARIANTS };

typedef struct {                /* what is read off a dataset each time */
    int64_t train, val, test;
    int     known;              /* 1: it was read */
    bn_json *pagerank, *lemma;  /* rows and curves; NULL: not asked for */
} sight;

typedef struct {
    session    *s;
    const char *data, *out, *only;
    int         quick, asked;   /* asked: bits of the tables */
    int         protocol;
    double      effort, time_limit;     /* of methods that learn */
    double      began;
    bonsai_train_options train;
    bonsai_compare_options repeat;      /* splits, draws, and whether side by side */
    dataset     sets[MOST_SETS];
    sight       seen[MOST_SETS];
    int         set_count;
    bonsai_cell *cells;         /* dataset by dataset */
    double     *accuracies;     /* of all their runs */
    int64_t     count, room;
    bonsai_cell *table;         /* merged over splits and draws */
    int64_t     rows;
    bonsai_condense_options condense[MOST_SETTINGS];    /* set * VARIANTS + variant */
    char        setting_name[MOST_SETTINGS][64];
    const bonsai_condense_options *settings[MOST_SETTINGS];
    const char *setting_names[MOST_SETTINGS];
    cellfile    file;           /* cells.jsonl */
    int64_t     taken;          /* cells that were in it when this run began */
    char        cells_path[MOST_PATH];
    double      all, done, now; /* effort: of everything, of datasets that ended, of this one */
    bn_json     *results;
} paper;

void paper_make_settings(paper *p, int set);
const char *paper_protocol_name(const paper *p);
/* 1: networks are trained as for the published figures, so that both may be compared. */
int  paper_trains_as_published(const paper *p);
/* Nodes that the published peers had, by 4 n^2 + 4 n f = target. */
int64_t paper_peer_nodes(const dataset *d, double ratio);
/* Options of training for a dataset. */
bonsai_train_options paper_training(const paper *p, int set);
bonsai_status paper_load(bonsai_graph **out, paper *p, int set);       /* with its split */

/* ---- rows ---------------------------------------------------------------- */

typedef enum { COLUMN_REDONE, COLUMN_PAPER, COLUMN_HONEST, COLUMNS } column_name;
extern const char *const paper_columns[COLUMNS];        /* their sources in JSON */

typedef struct {                /* a row of a table of methods */
    const char *name, *theirs;  /* theirs: the paper's name; NULL: it has none */
    int         method[COLUMNS];        /* a bonsai_method; FULL, or NONE: that column is empty */
    variant     made[COLUMNS];          /* and so; NODES_0: by the ratio */
    int         gcn_only, learns;
} entry;

enum { FULL = -1, NONE = -2 };
extern const entry paper_entries[];                     /* ended by a NULL name */
extern const entry *const paper_bonsai;                 /* the row of the paper's own method, ... */
extern const entry *const paper_auto, *const paper_full;        /* ... of ours, of the full graph */

double paper_entry_ratio(const entry *e, int ratio);    /* in percent */
/* The published figure of a row.  Returns 0 if there is none. */
int  paper_entry_says(published *out, const paper *p, int set, const entry *e, int ratio,
                      bonsai_model_kind model);
int  paper_entry_draws(const paper *p, const entry *e, column_name which, bonsai_model_kind model);
/* 1: its cell can be compared: it is of the whole method, not of a part of its rounds, and if it
 * draws random numbers, its error is one of draws or splits. */
int  paper_entry_compares(const paper *p, const entry *e, column_name which, const bonsai_cell *c);

/* The cell of a row's column; ratio: 0 .. RATIOS-1.  Returns 0 if there is none. */
int  paper_entry_cell(bonsai_cell *out, const paper *p, int set, const entry *e, column_name which,
                      int ratio, bonsai_model_kind model);
/* Whether a table shows it: a quick run leaves most out. */
int  paper_shows(const paper *p, const entry *e, column_name which, int ratio,
                 bonsai_model_kind model);

/* ---- cells --------------------------------------------------------------- */

/* The cell that a table needs of a dataset; ratio in percent, method -1: the full graph. */
bonsai_cell paper_cell(int set, variant v, double ratio, int method, bonsai_model_kind model);
bonsai_cell paper_pairs_cell(const paper *p, int set, bonsai_study study, bonsai_model_kind model,
                             double share);             /* of the pairs, in percent */
int  paper_set_of(const bonsai_cell *c);                /* in paper.sets */
int  paper_is_there(const paper *p, int set);           /* the dataset was found */
int  paper_cells(paper *p);                             /* lists all that is needed; exit code */
int  paper_merge(paper *p);                             /* makes the table; exit code */
int  paper_curve_draws(const paper *p);
/* Measures all cells that are not in the file yet, and looks at the graphs. */
int  paper_run(paper *p);                               /* exit code */
bonsai_status paper_look(paper *p, int set, const bonsai_graph *g);
int  paper_needs_look(const paper *p);

extern const double paper_ablation_ratios[RATIOS], paper_shares[];
extern const double paper_curve_ratio;
enum { SHARES = 7 };

typedef struct {                /* accuracy and time of trees against one of its options */
    table_name  which;
    const char *key, *label, *title;
    const char *rest;           /* a sentence on the other options */
    int64_t     at[6];          /* -1: every tree; ended by 0 */
    variant     made[5];        /* ... and so */
    int         quick[5];       /* 1: a quick run has it */
} parameter;
extern const parameter paper_sample, paper_k;

typedef struct { const char *label; int method; variant made; } ablation;
extern const ablation paper_ablations[];                /* ended by a NULL label */

/* ---- tables -------------------------------------------------------------- */

/* A table is an object: name, title, about, data, protocol, decimals, head, rows, charts;
 * include/bonsai_study.h says what its cells are (bonsai_report_tables). */
bn_json *table_new(const paper *p, const char *name, const char *title, const char *about,
                   int decimals);
void table_protocol(bn_json *table, const char *text);  /* another than training's */
void table_key(bn_json *table, const char *key, const char *label);
void table_column(bn_json *table, const char *key, const char *label, const char *source);
void table_four_columns(bn_json *table);                /* published, redone, paper, honest */
void table_three_columns(bn_json *table);               /* without paper */
bn_json *table_row(bn_json *table);                     /* a new row, belongs to the table */
void table_put(bn_json *row, bn_json *cell);            /* at the end of the row; takes the cell */
const bonsai_cell *paper_measured(const paper *p, const bonsai_cell *like);     /* NULL: not */
/* The same of a row's column. */
const bonsai_cell *paper_entry_measured(const paper *p, int set, const entry *e, column_name which,
                                        int ratio, bonsai_model_kind model);
void chart_lines(bn_json *table, const char *title, const char *x, const char *y, bn_json *curves);
void chart_log_x(bn_json *table);                       /* of the last chart */
void chart_bars(bn_json *table, const char *title, const char *x, const char *y, bn_json *labels,
                bn_json *series);

/* ---- values -------------------------------------------------------------- */

typedef struct { double value, error; } figure;         /* error: standard; NAN: none */

bn_json *value_plain(double value);                     /* NAN: null */
bn_json *value_text(const char *text);
/* Of a measured cell, with its sizes; NULL: null. */
bn_json *value_accuracy(const paper *p, const bonsai_cell *c);
bn_json *value_seconds(const paper *p, const bonsai_cell *c, double seconds);
bn_json *value_published(const published *says);        /* NULL: null */
figure   figure_of(const bonsai_cell *c);               /* of its accuracy; NULL: NAN */
figure   figure_published(const published *says);
double   figure_apart(figure a, figure b);              /* the error of their difference */
/* Adds the verdict on a value beside another, of which the larger is better. */
void     value_judge(bn_json *cell, figure value, figure beside, const char *against);
double   cell_seconds_train(const bonsai_cell *c);      /* of one run */

bn_json *accuracy_table(const paper *p);
bn_json *models_table(const paper *p);
bn_json *seconds_table(const paper *p);
bn_json *components_table(const paper *p);
bn_json *energy_table(const paper *p);
bn_json *training_table(const paper *p);
bn_json *ablation_table(const paper *p);
bn_json *sample_table(const paper *p);
bn_json *k_table(const paper *p);
bn_json *distance_table(const paper *p);
bn_json *gradient_table(const paper *p);
bn_json *pagerank_table(const paper *p);
bn_json *lemma_table(const paper *p);
bn_json *properties_table(const paper *p);
bn_json *datasets_table(const paper *p);
bn_json *differences_table(const paper *p);
bn_json *paper_summary(const paper *p);                 /* sentences */
bn_json *paper_verdict(const paper *p);                 /* all in a line; null: nothing to say */
bn_json *paper_tables(const paper *p);                  /* an array; NULL: no memory */
int  paper_write(paper *p);                             /* exit code */

#endif

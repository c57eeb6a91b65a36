/* paper.h -- declarations that the files of `bonsai paper` share.
 *
 *   paper_data.c   the published figures and the datasets, both in the program
 *   paper_find.c   which datasets are in a folder
 *   paper_cells.c  the cells that the tables need, and their settings
 *   paper_run.c    measures them, dataset by dataset
 *   paper_rows.c   tables as JSON: heads, rows, charts
 *   paper_tables.c each table of the paper; paper_figures.c its curves
 *   paper_out.c    results.csv, results.json and the page
 *
 * A cell is one measurement.  Tables share cells, so that nothing is measured twice.  A cell's
 * setting gives its dataset and its options of condensing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_PAPER_H
#define BONSAI_PAPER_H

#include "cli.h"

enum { MOST_SETS = 16 };

typedef enum {
    TABLE_ACCURACY, TABLE_MODELS, TABLE_SECONDS, TABLE_COMPONENTS, TABLE_TRAINING, TABLE_ABLATION,
    TABLE_SAMPLE, TABLE_K, TABLE_DISTANCE, TABLE_GRADIENT, TABLE_CARBON, TABLES
} table_name;

extern const char *const paper_table_names[TABLES + 1];         /* ended by NULL */

/* ---- the paper and its datasets ------------------------------------------ */

typedef struct {
    char    name[32], title[40], alias[32], how[64];
    int64_t nodes, edges, classes, features;
    int     all;                /* 1: every table; 0: accuracy and seconds */
    char    path[MOST_PATH];    /* where it was found; "": it was not */
} dataset;

typedef struct {
    char   text[40];            /* as published: "83.95 ± 0.39", "OOT" */
    double value, spread;       /* NAN: none */
} published;

int  paper_sets(dataset sets[MOST_SETS]);               /* how many; none is found yet */
/* The published figure; ratio in percent, 0: none.  Returns 0 if there is none. */
int  paper_says(published *out, const char *table, const char *set, double ratio,
                const char *model, const char *method);
/* Finds the datasets below the folder; notes what is named like one but is not. */
int  paper_find(session *s, dataset *sets, int count, const char *folder);      /* exit code */

/* ---- cells --------------------------------------------------------------- */

typedef enum {                  /* options of condensing */
    STRICT, PAPER_BYTES,        /* the bytes that are counted */
    NO_PPR, PAPER_NO_PPR,       /* without PageRank */
    NO_RKNN, PAPER_NO_RKNN,     /* with trees in random order */
    K_1, K_2, K_10, K_20,
    SAMPLE_100, SAMPLE_250, SAMPLE_500, SAMPLE_1000, SAMPLE_ALL, VARIANTS
} variant;

enum { MOST_SETTINGS = MOST_SETS * VARIANTS };

typedef struct {
    session    *s;
    const char *data, *out, *only;
    int         quick, asked;   /* asked: bits of the tables */
    bonsai_train_options train;
    bonsai_compare_options repeat;      /* splits, draws, and whether side by side */
    dataset     sets[MOST_SETS];
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
    char        cells_path[MOST_PATH];
    double      effort, effort_done, effort_now;
    bn_json     *results;
} paper;

/* The cell that a table needs of a dataset; ratio in percent, method -1: the full graph. */
bonsai_cell paper_cell(int set, variant v, double ratio, int method, bonsai_model_kind model);
bonsai_cell paper_pairs_cell(const paper *p, int set, bonsai_study study, bonsai_model_kind model,
                             double share);             /* of the pairs, in percent */
int  paper_set_of(const bonsai_cell *c);                /* in paper.sets */
const char *paper_bytes_of(const bonsai_cell *c);       /* "strict", "paper" */
int  paper_cells(paper *p);                             /* lists all that is needed; exit code */
int  paper_merge(paper *p);                             /* makes the table; exit code */
/* The place of the cell among so many, which are in order or not; NULL: it is not there. */
bonsai_cell *paper_cell_find(bonsai_cell *cells, int64_t count, const bonsai_cell *like);
/* Measures all cells that are not in the file yet. */
int  paper_run(paper *p);                               /* exit code */

/* ---- tables -------------------------------------------------------------- */

/* A table is an object: name, title, about, lower_is_better, head, rows, charts.  A head is
 * {key, label, source}.  The cells below source "key" identify the row and are text or numbers;
 * below "ours" a cell is {value, spread?, better?} or null, below "paper" {text, value?, spread?}
 * with the text as published. */
bn_json *table_new(table_name t, const char *title, const char *about, int decimals);
void table_key(bn_json *table, const char *key, const char *label);
void table_column(bn_json *table, const char *key, const char *label, const char *source);
bn_json *table_row(bn_json *table);                       /* a new row, belongs to the table */
void table_put(bn_json *row,
               bn_json *cell);              /* at the end of the row; takes the cell */
int  table_shows(const paper *p, int set, table_name t);        /* whether it has the dataset */
const bonsai_cell *paper_measured(const paper *p, const bonsai_cell *like);     /* NULL: not */
int  paper_repeats(const paper *p);                     /* splits x draws */
/* Of accuracies: their deviation over runs, as published; of repeated cells the standard error.
 * NAN: of one. */
double cell_spread(const paper *p, const bonsai_cell *c);
double cell_seconds_train(const bonsai_cell *c);        /* of one run */
/* Our value, compared with the published one (or NULL); lower: smaller is better. */
bn_json *value_ours(double value, double spread, const published *beside, int lower);
bn_json *value_paper(const published *p);                /* NULL: null */
void chart_lines(bn_json *table, const char *title, const char *x, const char *y, bn_json *curves);
void chart_bars(bn_json *table, const char *title, const char *x, const char *y, bn_json *labels,
                bn_json *series);

bn_json *sample_table(const paper *p);
bn_json *k_table(const paper *p);
bn_json *distance_table(const paper *p);
bn_json *gradient_table(const paper *p);
bn_json *paper_tables(const paper *p);                   /* an array; NULL: no memory */
int  paper_write(paper *p);                             /* exit code */

#endif

/* paper.h -- what the parts of `bonsai paper` share.
 *
 *   paper_data.c   the published figures and the datasets, both in the program
 *   paper_find.c   which datasets are in a folder
 *   paper_plan.c   the cells that the tables need
 *   paper_cells.c  the file that cells are kept in
 *   paper_run.c    one cell: condensing, training, pairs of nodes
 *   paper_rows.c   tables as JSON: heads, rows, charts
 *   paper_tables.c each table of the paper; paper_figures.c its curves
 *   paper_out.c    results.csv, results.json and the page
 *
 * A cell is one measurement.  Tables share cells, so that nothing is measured twice.
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
/* What the paper says; ratio in percent, 0: none.  0: nothing. */
int  paper_says(published *out, const char *table, const char *set, double ratio,
                const char *model, const char *method);
/* Looks for the datasets below the folder; says what is named like one and is not. */
int  paper_find(session *s, dataset *sets, int count, const char *folder);      /* exit code */

/* ---- cells --------------------------------------------------------------- */

typedef enum { CELL_FIT, CELL_DISTANCE, CELL_GRADIENT, CELL_WEIGHTS } cell_kind;
typedef enum { WHOLE, NO_PPR, NO_RKNN } ablation;

typedef struct {
    cell_kind kind;
    int     set;                /* in paper.sets */
    int     accounting;         /* 1: the paper's */
    double  ratio;              /* in percent; 100: the full graph */
    int     method;             /* a bonsai_method; -1: the full graph */
    ablation without;
    int     k;                  /* 0: the usual */
    int64_t sample;             /* 0: the usual; -1: all */
    bonsai_model_kind model;
    double  share;              /* of the pairs, nearest first, in percent; 0: no pairs */
    int     done;
    /* what was measured; NAN: not here */
    int     runs;               /* 0: it could not be made, and why says so */
    double  accuracy, spread;
    int64_t nodes, edges;
    double  bytes, bytes_share; /* in the accounting of the cell */
    char    graph[20];          /* checksum of the small graph: equal ones train alike */
    double  seconds, wl, knn, greedy, ppr;      /* of condensing */
    double  train;              /* seconds of one run */
    double  value, extra;       /* correlation, and the distance below which, or p */
    char    why[160];
} paper_cell;

typedef struct {
    session    *s;
    const char *data, *out, *only;
    int         quick, asked;   /* asked: bits of the tables */
    bonsai_train_options train;
    dataset     sets[MOST_SETS];
    int         set_count;
    paper_cell *cells;
    int64_t     count, room;
    FILE       *file;           /* cells.csv */
    char        cells_path[MOST_PATH];
    double      effort, effort_done, effort_now;
    int         training;       /* 1: the call that runs trains, 0: it condenses */
    json_t     *results;
} paper;

int  paper_plan(paper *p);                              /* exit code */
paper_cell *paper_cell_find(const paper *p, const paper_cell *like);    /* NULL: none */
/* Fills the cells that the file holds; creates it. */
int  cells_open(paper *p);                              /* exit code */
int  cells_append(paper *p, const paper_cell *c);       /* on the disk on return; exit code */
void cells_close(paper *p);
int64_t cells_done(const paper *p);
/* Measures all cells that are not done. */
int  paper_run(paper *p);                               /* exit code */

/* ---- tables -------------------------------------------------------------- */

/* A table is an object: name, title, about, lower_is_better, head, rows, charts.  A head is
 * {key, label, source}; source "key" tells what a row is of, and its cells are text or numbers;
 * below "ours" a cell is {value, spread?, better?} or null, below "paper" {text, value?, spread?}:
 * the text as published. */
json_t *table_new(table_name t, const char *title, const char *about, int decimals);
void table_key(json_t *table, const char *key, const char *label);
void table_column(json_t *table, const char *key, const char *label, const char *source);
json_t *table_row(json_t *table);                       /* a new row, belongs to the table */
void table_put(json_t *row, json_t *cell);              /* at the end of the row; takes the cell */
int  table_shows(const paper *p, int set, table_name t);        /* whether it has the dataset */
const paper_cell *paper_measured(const paper *p, const paper_cell *like);       /* NULL: not */
/* Ours, beside what is published (or NULL); lower: the smaller is the better. */
json_t *value_ours(double value, double spread, const published *beside, int lower);
json_t *value_paper(const published *p);                /* NULL: null */
void chart_lines(json_t *table, const char *title, const char *x, const char *y, json_t *curves);
void chart_bars(json_t *table, const char *title, const char *x, const char *y, json_t *labels,
                json_t *series);

json_t *sample_table(const paper *p);
json_t *k_table(const paper *p);
json_t *distance_table(const paper *p);
json_t *gradient_table(const paper *p);
json_t *paper_tables(const paper *p);                   /* an array; NULL: no memory */
int  paper_write(paper *p);                             /* exit code */

#endif

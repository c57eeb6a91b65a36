/* paper.h -- declarations that the files of `bonsai paper` share.
 *
 *   paper_data.c     the description of the tables, the published figures, the datasets: all are
 *                    files of data/paper/ that the build puts into the program
 *   paper_find.c     which datasets are in a folder, and the index lists of their split
 *   paper_settings.c the options that small graphs are made with and networks are trained with
 *   paper_rows.c     calls a function for each row; the cell behind each column
 *   paper_cells.c    lists the cells of all tables, and merges them over splits and draws
 *   paper_run.c      measures them, dataset by dataset
 *   paper_look.c     measurements repeated in each run: sizes, PageRank, Lemma 1
 *   paper_values.c   the contents of a table's cell
 *   paper_tables.c   tables as JSON: texts, rows, charts
 *   paper_end.c      the table of differences, and the sentences that open the page
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

enum { MOST_SETS = 8, MOST_TABLES = 31, MOST_VARIANTS = 24, PUBLISHED_EPOCHS = 1000, FULL = -1 };

typedef enum { PROTOCOL_PUBLISHED, PROTOCOL_OURS } protocol_name;

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
    const char *broken;         /* why it is known to be wrong; NULL: it is not */
} published;

enum { MOST_SETTINGS = MOST_SETS * MOST_VARIANTS };

typedef struct {                /* what is read off a dataset each time */
    int64_t part[3];            /* nodes for training, validation and test */
    int     known;              /* 1: it was read */
    bn_json *pagerank, *lemma;  /* rows and curves; NULL: not asked for */
} sight;

typedef struct {
    session    *s;
    const char *data, *out, *only;
    int         quick, asked;   /* asked: bits of the tables, in the order of their names */
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
    bonsai_condense_options condense[MOST_SETTINGS];    /* set * MOST_VARIANTS + variant */
    char        setting_name[MOST_SETTINGS][64];
    const bonsai_condense_options *settings[MOST_SETTINGS];
    const char *setting_names[MOST_SETTINGS];
    cellfile    file;           /* cells.jsonl */
    int64_t     taken;          /* cells that were in it when this run began */
    char        cells_path[MOST_PATH];
    double      all, done, now; /* effort: of everything, of datasets that ended, of this one */
    bn_json     *results;
} paper;

/* ---- data ---------------------------------------------------------------- */

/* Reads the description of the tables.  Fails for lack of memory.  Exit code. */
int  paper_describe(session *s);
void paper_forget(void);
/* Returns "settings", "methods", "columns" or "tables" of the description. */
const bn_json *paper_described(const char *what);
/* Returns the object of a list whose member `key` is that text; NULL if there is none. */
const bn_json *paper_named(const bn_json *list, const char *key, const char *text);
/* Returns a column of a described table: {key, label, source, ...}; NULL after the last. */
const bn_json *paper_column(const bn_json *table, size_t i);
const char *paper_text(const bn_json *object, const char *key);         /* "": it has none */
extern const char *paper_table_names[MOST_TABLES + 1];  /* that --only takes; ended by NULL */
int  paper_wants(const paper *p, const char *table);

int  paper_sets(dataset sets[MOST_SETS]);               /* how many; none is found yet */
/* Fills the published figure; ratio in percent, 0: none.  Returns 0 if nothing was published. */
int  paper_says(published *out, const char *table, const char *set, double ratio,
                const char *model, const char *method);
/* Finds the datasets below the folder; notes graphs that are only named like one. */
int  paper_find(session *s, dataset *sets, int count, const char *folder);      /* exit code */
int  paper_is_there(const paper *p, int set);           /* the dataset was found */

/* ---- settings ------------------------------------------------------------ */

void paper_make_settings(paper *p, int set);
const char *paper_protocol_name(const paper *p);
/* Returns 1 if networks are trained as for the published figures, so that both compare. */
int  paper_trains_as_published(const paper *p);
/* Returns the number of nodes of the published peers, by 4 n^2 + 4 n f = target. */
int64_t paper_peer_nodes(const dataset *d, double ratio);
/* Returns the options of training for a dataset. */
bonsai_train_options paper_training(const paper *p, int set);
bonsai_status paper_load(bonsai_graph **out, paper *p, int set);       /* with its split */

/* ---- rows ---------------------------------------------------------------- */

typedef struct {                /* a row of a table */
    const paper   *p;
    const bn_json *table, *item;        /* as described; item: a method, or of its other rows */
    int            set, r;      /* r: place of its ratio */
    double         ratio;       /* in percent */
    bonsai_model_kind model;
} place;

/* Calls fn for each row until fn returns other than 0; returns that code. */
typedef int row_fn(const place *at, void *payload);
int  paper_each_row(const paper *p, const bn_json *table, row_fn *fn, void *payload);
/* Returns the method of a row; NULL if the row has no method. */
const bn_json *paper_method_of(const place *at);
int  paper_is_full(const bn_json *method);
/* Fills the cell behind a column and its number of draws.  Returns 0 if the column has no cell. */
int  paper_cell_of(bonsai_cell *out, int *draws, const place *at, const bn_json *column);
/* Returns the measured cell; NULL if it was not measured. */
const bonsai_cell *paper_cell_at(const place *at, const bn_json *column);
/* Returns the measured cell of a method's column at the row's dataset, ratio and model. */
const bonsai_cell *paper_method_cell(place at, const char *method, const char *source);
/* Fills the published figure of a row's column.  Returns 0 if nothing was published. */
int  paper_figure_of(published *out, const place *at, const bn_json *column);
/* Returns 1 if a cell can be compared: the method did all of its rounds, and if it draws random
 * numbers, its error is one of draws or splits. */
int  paper_compares(const place *at, const bonsai_cell *c);
int  paper_curve_draws(const paper *p);

/* ---- cells --------------------------------------------------------------- */

int  paper_set_of(const bonsai_cell *c);                /* in paper.sets */
int  paper_cells(paper *p);                             /* lists all that is needed; exit code */
int  paper_merge(paper *p);                             /* makes the table; exit code */
const bonsai_cell *paper_measured(const paper *p, const bonsai_cell *like);     /* NULL: not */
/* Measures all cells that are not in the file yet, and looks at the graphs. */
int  paper_run(paper *p);                               /* exit code */
bonsai_status paper_look(paper *p, int set, const bonsai_graph *g);
int  paper_needs_look(const paper *p);

/* ---- values and tables; include/bonsai_study.h says what they are (bonsai_report_tables) ---- */

typedef struct { double value, error; } figure;         /* error: standard; NAN: none */

bn_json *paper_value(const place *at, const bn_json *column);
bn_json *value_plain(double value);                     /* NAN: null */
bn_json *value_text(const char *text);
bn_json *value_published(const published *says);        /* NULL: null */
bn_json *value_accuracy(const paper *p, const bonsai_cell *c);  /* with its sizes; NULL: null */
figure   figure_of(const bonsai_cell *c);               /* of its accuracy; NULL: NAN */
figure   figure_published(const published *says);

bn_json *paper_tables(const paper *p);                  /* an array; NULL: no memory */
void     paper_differences(const paper *p, bn_json *rows);
/* Writes how many published accuracies differ, of how many; if none was compared, why. */
void     paper_say_compared(char *out, size_t size, const paper *p);
bn_json *paper_summary(const paper *p);                 /* sentences */
bn_json *paper_verdict(const paper *p);                 /* all in a line; null: nothing to say */
int  paper_write(paper *p);                             /* exit code */

#endif

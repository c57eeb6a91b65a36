/* cells.h -- cells of studies: the file that they resume from, and the table of a comparison.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_CELLS_H
#define BONSAI_CELLS_H

#include "program.h"

typedef struct {
    session     *s;
    const char  *command;       /* the command of bonsai that the file belongs to */
    const char  *place;         /* what messages advise to change: "file", "folder" */
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
/* Returns its split, its draw, every run, and the recall of each class. */
bn_json *cell_values_json(const bonsai_cell *c, int64_t classes);

/* Writes "own", or the percent of the splits that a comparison of g draws. */
enum { SPLIT_TEXT = 64 };
void compared_split(char text[SPLIT_TEXT], const bonsai_graph *g, const bonsai_compare_options *o);
/* Prints the table of a comparison whose cells are done, and its methods in pairs.  Exit code. */
int  compared_print(session *s, const bonsai_compare_options *o, const bonsai_graph *g,
                    const bonsai_cell *cells, int64_t count);

#endif

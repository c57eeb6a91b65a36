/* engine.h -- a study at work: the cells, and the workers that fill them.
 *
 * A group is the cells that one call of condensing serves: those of a method in a setting, a split
 * and a draw.  A cell of the full graph is a group of its own, and so are cells that share their
 * pairs.  Groups are independent of each other, so that workers may run them side by side.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_ENGINE_H
#define BN_ENGINE_H

#include <stdatomic.h>

#include "options/fields.h"
#include "timeestimate.h"
#include "graph/graph.h"

enum {                          /* the state of a cell */
    BN_CELL_OPEN,
    BN_CELL_READY,              /* measured, and not yet reported */
    BN_CELL_REFUSED,            /* of the full graph: it depends on the others what this means */
    BN_CELL_REPORTED
};

typedef struct {                /* what workers share */
    bonsai_compare_options o;
    bonsai_train_options   train;
    const bonsai_graph *g;
    bonsai_graph **drawn;       /* by split; NULL: that of g */
    int            splits;
    bonsai_cell   *given;       /* the caller's cells; one is written when it is reported */
    bonsai_cell   *cells;       /* ours; a worker writes those of its group, until they are ready */
    int64_t        count;
    atomic_uchar  *state;       /* by cell */
    bn_meter       meter;
    bool           beside;      /* workers run side by side, and the calling thread reports */
    atomic_bool    canceled;
    bonsai_status  rc;          /* the first failure, and its sentence */
    char           why[1024];
} bn_study;

typedef struct {
    bn_study *s;
    bonsai_condense_options condense;   /* the setting of the cells at hand */
    bonsai_train_options    train;
    const bonsai_graph *full;   /* with the split of the cells at hand */
    bn_meter *meter;            /* the study's, or own */
    bn_meter  own;
    int       open;             /* ratios of a group that miss a cell: */
    double   *ratio;            /* room for one of each cell */
    bonsai_graph **small;       /* NULL: it could not be made */
    bonsai_condense_info *info;
} bn_worker;

/* ---- cells ---- */

static inline bool bn_cell_of_pairs(const bonsai_cell *c)
{
    return c->study != BONSAI_STUDY_TRAINING;
}

static inline bool bn_cell_of_full(const bonsai_cell *c)
{
    return !bn_cell_of_pairs(c) && c->method < 0;
}

static inline int bn_cell_state(const bn_study *s, const bonsai_cell *c)
{
    return atomic_load(&s->state[c - s->cells]);
}

static inline bool bn_cell_open(const bn_study *s, const bonsai_cell *c)
{
    return bn_cell_state(s, c) == BN_CELL_OPEN;
}

static inline bool bn_cell_measured(const bn_study *s, const bonsai_cell *c)
{
    int state = bn_cell_state(s, c);
    return (state == BN_CELL_READY || state == BN_CELL_REPORTED) && c->runs > 0;
}

/* ---- workers ---- */

bonsai_status bn_worker_new(bn_worker *w, bn_study *s);
void          bn_worker_free(bn_worker *w);
/* Sets the options of condensing. */
bonsai_status bn_worker_setting(bn_worker *w, int64_t setting);

bool          bn_cell_joins(const bn_study *s, const bonsai_cell *c, const bonsai_cell *first);
/* Fills the group of an open cell. */
bonsai_status bn_group_run(bn_worker *w, int64_t first);
/* Estimates the effort of the group that begins with this cell, which must be open. */
bonsai_status bn_group_effort(double *effort, bn_worker *w, int64_t first);

/* Reports a cell that is ready to the caller, from the calling thread. */
bonsai_status bn_cell_report(bn_study *s, int64_t i);

#endif

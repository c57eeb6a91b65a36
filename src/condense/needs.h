/* needs.h -- what condensing needs, from the shape of a graph alone.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_NEEDS_H
#define BN_NEEDS_H

#include "condense.h"

typedef struct {
    bonsai_shape s;
    const bonsai_condense_options *o;
    unsigned needs;             /* of the method: methods.h */
    int ranks, threads;         /* threads of each rank */
    bool fewer;                 /* threads are not given: a limit may lower them to one */
    double skew;                /* mean degree of neighbours over that of nodes; 0: unknown */
} bn_needs;

/* Return the private memory of the fullest rank that cannot spill, beyond that of the program
 * itself; the second adds panels of a few columns of the embedding, too slow if they spill. */
int64_t bn_needs_fixed(const bn_needs *q);
int64_t bn_needs_least(const bn_needs *q);
int64_t bn_needs_reserved(const bn_needs *q);   /* address space beside that, which ulimit counts */
/* Return the bytes of the program itself, a usual small value or what it holds now, in steps so
 * large that two runs agree; and the least memory to report, in whole megabytes, with room for
 * some pages more in another run or rank. */
int64_t bn_needs_program(void);
int64_t bn_needs_reported(const bn_needs *q, int64_t program);
/* Lowers the threads, to one at least, until they fit a limit of memory (without the program's
 * part) and the address space that the process may still reserve. */
void bn_needs_fit(bn_needs *q, int64_t memory, int64_t room);
/* Return the bytes of large arrays of a rank if nothing spills, with panels of `columns` columns
 * of the embedding; and those of the panels alone. */
int64_t bn_needs_large(const bn_needs *q, int columns);
int64_t bn_needs_all(const bn_needs *q);        /* ... of as many as are usual, ... */
int bn_needs_columns(const bn_needs *q);        /* ... each panel */
int64_t bn_needs_panels(const bn_needs *q, int columns);
/* Return the share of the nodes whose embedding after `round` rounds is needed (after the last one,
 * the nodes to embed), and the number of other ranks' nodes that a rank needs for that round, if
 * nodes are in random order. */
double bn_needs_share(const bn_needs *q, int round);
double bn_needs_halo(const bn_needs *q, int round);
/* Return the same for any share of the nodes. */
double bn_needs_reach(const bonsai_shape *s, double share, int rounds);
double bn_needs_halo_of(const bn_needs *q, double share);
/* Returns the number of unlabelled nodes whose rows prototypes are made of: see unlabelled.c. */
double bn_needs_wide(const bn_needs *q);
double bn_needs_clusters(const bn_needs *q);            /* of full rows, that the budget holds */
double bn_needs_row(const bonsai_shape *s, int rounds); /* most numbers in a row of the embedding, */
double bn_needs_views(const bn_needs *q);               /* ... and in its other views: judge.h */
/* Return the non-zero entries of such a row; whether rows of `rounds` rounds are sparse before
 * round `round`; and the bytes of a row that is sent before it. */
double bn_needs_entries(const bonsai_shape *s, int rounds);
bool bn_needs_sparse(const bn_needs *q, int rounds, int round);
double bn_needs_sent(const bn_needs *q, int rounds, int round);
double bn_needs_judged(const bn_needs *q);              /* nodes that candidates are judged on */
double bn_needs_graph(const bonsai_shape *s);                   /* bytes */
double bn_needs_budget(const bn_needs *q);
/* Returns whole bytes, limited so that sums of a few such numbers do not overflow. */
int64_t bn_needs_whole(double bytes);

#endif

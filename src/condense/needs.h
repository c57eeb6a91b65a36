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
    bool fewer;                 /* nobody asked for so many: under a limit there may be one */
    double skew;                /* neighbours have so many times as many neighbours as nodes do; 0:
                                 * not known */
} bn_needs;

/* Private memory that the fullest rank needs whatever spills, beyond that of the program itself;
 * and with panels of a few columns of the embedding, which could spill but would then take for
 * ever. */
int64_t bn_needs_fixed(const bn_needs *q);
int64_t bn_needs_least(const bn_needs *q);
int64_t bn_needs_reserved(const bn_needs *q);   /* address space beside that, which ulimit counts */
/* The program's own part: what a small one usually holds, or what it holds when it is asked, in steps
 * so large that two runs say the same.  And the least memory that everybody is told, in whole
 * megabytes: another run, or another rank, may begin with some pages more. */
int64_t bn_needs_program(void);
int64_t bn_needs_told(const bn_needs *q, int64_t program);
/* Takes as many of the threads as find room under a limit of memory, which is beyond the program's
 * part, and under what the process may still reserve; at least one. */
void bn_needs_fit(bn_needs *q, int64_t memory, int64_t room);
/* What large arrays hold at once on a rank where nothing spills, with the embedding made in panels
 * of so many columns; and the panels alone. */
int64_t bn_needs_large(const bn_needs *q, int columns);
int64_t bn_needs_all(const bn_needs *q);        /* ... of as many as are usual, ... */
int bn_needs_columns(const bn_needs *q);        /* ... each panel having so many */
int64_t bn_needs_panels(const bn_needs *q, int columns);
/* The share of the nodes whose embedding after `round` rounds is needed: of all rounds, the nodes
 * that are asked for.  And how many nodes of other ranks a rank needs for that round, where nodes
 * are in random order. */
double bn_needs_share(const bn_needs *q, int round);
double bn_needs_halo(const bn_needs *q, int round);
/* The same for any part of the nodes, embedded with so many rounds. */
double bn_needs_reach(const bonsai_shape *s, double share, int rounds);
double bn_needs_halo_of(const bn_needs *q, double share);
/* Nodes whose rows prototypes are made of beside those of the training nodes: see unlabelled.c. */
double bn_needs_wide(const bn_needs *q);
double bn_needs_clusters(const bn_needs *q);            /* of full rows, that the budget holds */
double bn_needs_row(const bonsai_shape *s, int rounds); /* numbers in a row of the embedding, at most, */
double bn_needs_views(const bn_needs *q);               /* ... and in its other views: judge.h */
/* Entries that are not 0 of such a row; whether rows of so many rounds are sparse as they go into
 * round `round`; and the bytes of one that is sent before it. */
double bn_needs_entries(const bonsai_shape *s, int rounds);
bool bn_needs_sparse(const bn_needs *q, int rounds, int round);
double bn_needs_sent(const bn_needs *q, int rounds, int round);
double bn_needs_judged(const bn_needs *q);              /* nodes that candidates are judged on */
double bn_needs_graph(const bonsai_shape *s);                   /* bytes */
double bn_needs_budget(const bn_needs *q);
/* A whole number of bytes, cut where a few of them can still be added up. */
int64_t bn_needs_whole(double bytes);

#endif

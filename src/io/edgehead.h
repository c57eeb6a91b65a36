/* edgehead.h -- the columns of a table of edges; edgehead.c finds them, textread.c reads them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_EDGEHEAD_H
#define BN_EDGEHEAD_H

#include "companion.h"

typedef struct {
    int64_t columns;
    int64_t end[2], weight;     /* the columns of source, target and weight; weight -1: none */
} bn_edge_columns;

/* Finds the columns, and if the first line is a header.  Warns of doubts about the graph `where`.
 * listed: the nodes, if another file lists them; else NULL. */
bonsai_status bn_edge_columns_find(bn_edge_columns *k, bn_table *t, const bn_nodes *listed,
                                   const char *where, const bonsai_read_options *o);
/* Returns a command that keeps the first two columns, for a message. */
const char *bn_cut_ends(char separator);

#endif

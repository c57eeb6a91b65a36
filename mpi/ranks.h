/* ranks.h -- what the parts of libbonsai_mpi share.
 *
 *   world.c     a bn_world of processes: its calls in terms of MPI
 *   alike.c     whether all ranks have the same library, file and options
 *   doors.c     the public calls
 *   program/    the program bonsai-mpi, which knows bonsai_mpi.h alone
 *
 * The stages themselves are in src/, written once for one rank and for several; nothing there
 * knows MPI.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_RANKS_H
#define BN_RANKS_H

#include "base/world.h"
#include "bonsai_mpi.h"
#include "graph/graph.h"

/* ---- the world (world.c) ---- */

/* Collective over comm.  piece: the most bytes that one call of MPI may move, 0: the usual (MPI
 * counts in int). */
bonsai_status bn_ranks_new(bn_world **out, MPI_Comm comm, int64_t piece);
void bn_ranks_free(bn_world *w);        /* collective; NULL is fine */
/* Lets an exchange that is under way move on; at any time, on the thread that started it. */
void bn_ranks_poke(bn_world *w);

/* ---- what must be the same everywhere (alike.c) ---- */

/* All are collective, and every rank comes to the same answer by itself: what the ranks hold is
 * brought together as bytes, compared with rank 0's, and the first that differs is named. */

/* Version, byte order and sizes.  To be called before numbers are exchanged; text: NULL, or what
 * this rank says of itself (tests). */
bonsai_status bn_alike_build(bn_world *w, const char *text);
/* The graph, which must be a mapped native file with as many nodes as ranks at least. */
bonsai_status bn_alike_graph(bn_world *w, const bonsai_graph *g);
bonsai_status bn_alike_condense(bn_world *w, const bonsai_condense_options *o, const double *ratios,
                                int count);
bonsai_status bn_alike_generate(bn_world *w, const bonsai_generate_options *o, const char *path);

#endif

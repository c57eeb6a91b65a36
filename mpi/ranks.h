/* ranks.h -- declarations that the files of libbonsai_mpi share.
 *
 *   transport.c   a bn_world of processes: its calls in terms of MPI
 *   sameinput.c       checks that all ranks have the same library, file and options
 *   mpicalls.c       the public calls
 *   program/      the program bonsai-mpi; it includes only the public headers
 *
 * The stages are in src/, written once for one rank and for several; nothing there uses MPI.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_RANKS_H
#define BN_RANKS_H

#include "base/world.h"
#include "bonsai_mpi.h"
#include "graph/graph.h"

/* ---- the world (transport.c) ---- */

/* Makes a world of the ranks of comm, collectively.  piece: the most bytes that one MPI call may move (MPI counts in int);
 * 0: the default. */
bonsai_status bn_ranks_new(bn_world **out, MPI_Comm comm, int64_t piece);
void bn_ranks_free(bn_world *w);        /* collective; NULL is fine */
/* Lets a pending exchange make progress; at any time, on the thread that started it. */
void bn_ranks_poke(bn_world *w);

/* ---- checks that all ranks have the same input (sameinput.c) ---- */

/* All are collective.  Every rank gets the bytes of all ranks, compares them with rank 0's, and
 * fails with the same error, which names the first rank that differs. */

/* Fails if versions, byte orders or sizes differ.  Call it before numbers are exchanged.  text:
 * NULL, or this rank's description of itself (tests). */
bonsai_status bn_same_build(bn_world *w, const char *text);
/* Fails if graphs differ, if one is not a mapped native file or has fewer nodes than there are
 * ranks. */
bonsai_status bn_same_graph(bn_world *w, const bonsai_graph *g);
bonsai_status bn_same_condense(bn_world *w, const bonsai_condense_options *o, const double *ratios,
                                int count);
bonsai_status bn_same_generate(bn_world *w, const bonsai_generate_options *o, const char *path);

#endif

/* bonsai_mpi.h -- the interface of libbonsai_mpi: one graph, many ranks.
 *
 * libbonsai_mpi holds all of libbonsai too and is linked instead of it, never beside it.
 *
 * Every call here is collective: all ranks of comm make it, in the same order, from the thread that
 * called MPI_Init (MPI_THREAD_FUNNELED is enough).  It returns the same status and leaves the same
 * sentence on every rank: what fails on one fails on all.  Ranks with different versions of the
 * library, or on machines of different byte order, are refused.
 *
 * Every rank opens the whole graph, as the same native file on a file system that all see.  Mapped
 * pages cost memory only where they are read, and a rank reads only the features and edges of its
 * own nodes; so there is no second format, nothing is copied, and a file serves any number of
 * ranks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_MPI_H
#define BONSAI_MPI_H

#include <mpi.h>

#include "bonsai_study.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes what failed on one rank fail on all: BONSAI_OK if every rank passes that, else the status
 * and the sentence of the first rank that does not.  sentence NULL: bonsai_error(). */
BONSAI_API bonsai_status bonsai_mpi_agree(bonsai_status mine, const char *sentence, MPI_Comm comm);

/* The threads of a rank that asks for 0: its share of the cores that the ranks of this machine may
 * use; at least 1. */
BONSAI_API int bonsai_mpi_threads(MPI_Comm comm);

/* Opens a .bonsai file on every rank and checks that all see the same one.  Convert files of other
 * formats first. */
BONSAI_API bonsai_status bonsai_mpi_read(bonsai_graph **out, const char *path,
                                         const bonsai_read_options *o, MPI_Comm comm);
/* As bonsai_graph_verify, bonsai_graph_check and bonsai_graph_stats, each rank reading its part. */
BONSAI_API bonsai_status bonsai_mpi_verify(const bonsai_graph *g, const bonsai_read_options *o,
                                           MPI_Comm comm);
BONSAI_API bonsai_status bonsai_mpi_check(const bonsai_graph *g, const bonsai_read_options *o,
                                          MPI_Comm comm);
BONSAI_API bonsai_status bonsai_mpi_stats(bonsai_stats *s, int64_t *class_counts,
                                          const bonsai_graph *g, const bonsai_read_options *o,
                                          MPI_Comm comm);

/* As bonsai_condense: the same small graph to the last byte, whatever the number of ranks.  *out is
 * the graph on rank 0 and NULL on the others; *info, unless NULL, is filled on every rank.  If the
 * progress callback of one rank cancels, all are canceled.  o->memory is that of each rank. */
BONSAI_API bonsai_status bonsai_mpi_condense(bonsai_graph **out, bonsai_condense_info *info,
                                             const bonsai_graph *g,
                                             const bonsai_condense_options *o, MPI_Comm comm);
/* As bonsai_condense_many; on all ranks but 0 all of out is NULL. */
BONSAI_API bonsai_status bonsai_mpi_condense_many(bonsai_graph **out, bonsai_condense_info *info,
                                                  const double *ratios, int count,
                                                  const bonsai_graph *g,
                                                  const bonsai_condense_options *o, MPI_Comm comm);

/* As bonsai_graph_generate_file: the same bytes.  path must end in .bonsai. */
BONSAI_API bonsai_status bonsai_mpi_generate(const char *path, const bonsai_generate_options *o,
                                             MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif

/* bonsai_mpi.h -- the interface of libbonsai_mpi: one graph, many ranks.
 *
 * libbonsai_mpi holds all of libbonsai too and is linked instead of it, never beside it.
 *
 * Every call here is collective: all ranks of comm make it, in the same order, from the thread that
 * called MPI_Init (MPI_THREAD_FUNNELED is enough).  It returns the same status and leaves the same
 * sentence on every rank; what fails on one fails on all.  The ranks must have the same version of
 * the library and machines of the same byte order, and are refused if not.
 *
 * A graph is the same native file, opened by every rank from a file system that all see, and not
 * a part that each holds: mapped pages cost memory only where they are read, a rank reads the
 * features and edges of its own nodes only, and so there is no second format, no copying and
 * nothing that depends on how many ranks there will be.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_MPI_H
#define BONSAI_MPI_H

#include <mpi.h>

#include "bonsai_study.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What fails on one rank is made to fail on all: BONSAI_OK if that is what every rank passes, else
 * the status and the sentence of the first one that does not.  sentence NULL: bonsai_error(). */
BONSAI_API bonsai_status bonsai_mpi_agree(bonsai_status mine, const char *sentence, MPI_Comm comm);

/* How many threads each rank has when it asks for 0: the cores that the ranks of this machine may
 * use, parted among them; at least 1. */
BONSAI_API int bonsai_mpi_threads(MPI_Comm comm);

/* Opens a .bonsai file on every rank and makes sure that all see the same one.  Only files in
 * the native format: convert others first. */
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
 * the graph on rank 0 and NULL on the others; *info, unless NULL, is filled on every rank.  A progress
 * callback that asks to stop, on any rank, cancels all.  options.memory is that of each rank. */
BONSAI_API bonsai_status bonsai_mpi_condense(bonsai_graph **out, bonsai_condense_info *info,
                                             const bonsai_graph *g,
                                             const bonsai_condense_options *o, MPI_Comm comm);
/* As bonsai_condense_many; on all ranks but 0 all of out is NULL. */
BONSAI_API bonsai_status bonsai_mpi_condense_many(bonsai_graph **out, bonsai_condense_info *info,
                                                  const double *ratios, int count,
                                                  const bonsai_graph *g,
                                                  const bonsai_condense_options *o, MPI_Comm comm);

/* As bonsai_graph_generate, straight into the file path, which must be a .bonsai file; the same
 * bytes as one process writes. */
BONSAI_API bonsai_status bonsai_mpi_generate(const char *path, const bonsai_generate_options *o,
                                             MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif

/* scratch.h -- large arrays under a limit: in memory while they fit, else in scratch files.
 *
 * A scratch file has no name, so that it vanishes with the process however that ends, and is
 * mapped: who uses the array need not know.  Its pages belong to the system's file cache, not to
 * the private memory that the limit is about; read and written in order they cost little.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_SCRATCH_H
#define BN_SCRATCH_H

#include "base.h"

typedef struct {
    int64_t limit;              /* bytes of memory for large arrays together */
    int64_t small;              /* arrays of fewer bytes stay in memory: a file costs more */
    int64_t used, most;         /* of it, now and at most */
    int64_t spilled, spilled_most;      /* bytes in scratch files, now and at most */
} bn_memory;

/* Zeroed room as from BN_NEW, in memory or in a scratch file; m NULL: always in memory, and as
 * cheap.  For arrays that grow with the graph, by the thread that runs the stage. */
#define BN_BIG(pp, m, count) bn_big_new((void **)(pp), (m), (count), sizeof **(pp))
bonsai_status bn_big_new(void **out, bn_memory *m, int64_t count, size_t item);
void bn_big_free(void *p);      /* NULL is fine; only what bn_big_new gave */
bool bn_big_spilled(const void *p);     /* whether it is in a scratch file */
/* What is left of the limit: INT64_MAX without one. */
int64_t bn_memory_left(const bn_memory *m);

int64_t bn_memory_all(void);            /* of the machine */
int64_t bn_memory_free(void);           /* that it has free, and that this process may take */
int64_t bn_memory_share(int processes); /* likewise, of so many that share the machine */
int64_t bn_memory_most(void);           /* that it may reserve at all (ulimit -d); INT64_MAX: any */
int64_t bn_memory_private(void);        /* that this process has reserved for itself; -1: unknown */

#endif

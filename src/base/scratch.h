/* scratch.h -- large arrays under a limit: in memory while they fit, else in scratch files.
 *
 * A scratch file has no name, so it vanishes with the process however that ends.  It is mapped, so
 * its users see an ordinary array.  Its pages belong to the system's file cache, not to the private
 * memory that the limit bounds; access in order is cheap.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_SCRATCH_H
#define BN_SCRATCH_H

#include "base.h"

typedef struct {
    int64_t limit;              /* bytes of memory for all large arrays together */
    int64_t small;              /* arrays of fewer bytes stay in memory: a file costs more */
    int64_t used, most;         /* bytes of the limit in use, now and at the peak */
    int64_t spilled, spilled_most;      /* bytes in scratch files, now and at the peak */
} bn_memory;

/* Allocates zeroed room as BN_NEW does, in memory or in a scratch file; m NULL: always in
 * memory, at no extra cost.  Use it for arrays that grow with the graph, on the thread that runs
 * the stage. */
#define BN_BIG(pp, m, count) bn_big_new((void **)(pp), (m), (count), sizeof **(pp))
bonsai_status bn_big_new(void **out, bn_memory *m, int64_t count, size_t item);
void bn_big_free(void *p);      /* only for arrays from bn_big_new; NULL is fine */
bool bn_big_spilled(const void *p);     /* whether it is in a scratch file */
/* Returns the bytes left of the limit, or INT64_MAX without a limit. */
int64_t bn_memory_left(const bn_memory *m);

/* ---- what the system allows (limits.c) ---- */

/* Reserved for a thread: its stack, its blocks, and the buffer of 128 MiB of OpenBLAS. */
#define BN_THREAD_BYTES ((int64_t)160 << 20)
/* Of that, what a thread fills: only the largest products fill the buffer. */
#define BN_THREAD_HELD ((int64_t)8 << 20)

/* Returns the size in an environment variable, such as 4G or 500; usual: its unit if the text names
 * none, of BKMGT.  0: not set. */
double bn_setting_bytes(const char *name, char usual);

/* Return bytes of memory. */
int64_t bn_memory_all(void);            /* of the machine, its control group or its job */
int64_t bn_memory_free(void);           /* free, and allowed to this process */
int64_t bn_memory_share(int processes); /* the same, if `processes` share the machine */
int64_t bn_memory_job(int processes);   /* that the job gives each process; INT64_MAX: no limit */
int64_t bn_memory_private(void);        /* of private pages held by this process, without those
                                         * only reserved; -1: unknown */
int64_t bn_memory_unreserved(void);     /* that may still be reserved (ulimit -d, -v); INT64_MAX:
                                         * no limit */
typedef struct {                        /* a limit, in words that its user knows */
    int64_t     bytes, left;            /* INT64_MAX: no limit; of them, not used yet */
    const char *name;
} bn_bound;
bn_bound bn_memory_process(void);       /* the tighter limit of the process: ulimit -d, -v */
/* Returns the limit of the job or its control groups: the share of a process if `processes` have it
 * together. */
bn_bound bn_memory_outer(int processes);
/* Fails with E_MEMORY, and names the limit of the process that the request would exceed. */
bonsai_status bn_no_room(int64_t count, size_t item);
int64_t bn_memory_most(void);           /* the most that this process may ever hold */

/* Gets the limit of control groups and what is left of it, from the files below `mounts`
 * ("/sys/fs/cgroup") of the groups listed in the file `self` ("/proc/self/cgroup"). INT64_MAX: no
 * known limit. */
void bn_memory_group(int64_t *most, int64_t *left, const char *self, const char *mounts);

/* Return the processors that a quota of the control groups allows, rounded up, and those that the
 * user or a batch system gives this process (OMP_NUM_THREADS, SLURM_CPUS_PER_TASK, ...); INT64_MAX:
 * any number. */
int64_t bn_cores_quota(void);
int64_t bn_cores_job(void);
int64_t bn_cores_group(const char *self, const char *mounts);  /* reads them as bn_memory_group
                                                                * does */

#endif

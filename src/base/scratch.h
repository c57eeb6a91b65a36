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

/* Zeroed room as from BN_NEW, in memory or in a scratch file; m NULL: always in memory, at no
 * extra cost.  Use it for arrays that grow with the graph, on the thread that runs the stage. */
#define BN_BIG(pp, m, count) bn_big_new((void **)(pp), (m), (count), sizeof **(pp))
bonsai_status bn_big_new(void **out, bn_memory *m, int64_t count, size_t item);
void bn_big_free(void *p);      /* only for arrays from bn_big_new; NULL is fine */
bool bn_big_spilled(const void *p);     /* whether it is in a scratch file */
/* Bytes left of the limit; INT64_MAX if there is none. */
int64_t bn_memory_left(const bn_memory *m);

/* ---- what the system allows (limits.c) ---- */

/* Of a thread: its stack, its blocks, and the buffer of 128 MiB that OpenBLAS reserves for it. */
#define BN_THREAD_BYTES ((int64_t)160 << 20)
/* Of that, what it fills: the buffer is for the largest products that there are. */
#define BN_THREAD_HELD ((int64_t)8 << 20)

/* The size in a variable of the environment, such as 4G or 500; usual: its unit where it names none,
 * of BKMGT.  0: there is none. */
double bn_setting_bytes(const char *name, char usual);

/* Bytes of memory ... */
int64_t bn_memory_all(void);            /* in the machine, this process's control group, or its job */
int64_t bn_memory_free(void);           /* free, and allowed to this process */
int64_t bn_memory_share(int processes); /* the same, if so many processes share the machine */
int64_t bn_memory_job(int processes);   /* that its job gives each of them; INT64_MAX: no limit */
int64_t bn_memory_private(void);        /* this process holds: private pages, those that are only
                                         * reserved left out; -1: unknown */
int64_t bn_memory_unreserved(void);     /* it may still reserve (ulimit -d, -v); INT64_MAX: any
                                         * number */
typedef struct {                        /* a limit, in words that its user knows */
    int64_t     bytes, left;            /* INT64_MAX: there is none; of them, not used yet */
    const char *name;
} bn_bound;
bn_bound bn_memory_process(void);       /* the tighter one of the process itself: ulimit -d, -v */
/* ... and of its job and its control groups, the share of a process where so many have it together. */
bn_bound bn_memory_outer(int processes);
/* Fails: out of memory.  Names the limit of the process that so many bytes would exceed. */
bonsai_status bn_no_room(int64_t count, size_t item);
int64_t bn_memory_most(void);           /* it may hold, if it uses all that it may still reserve */

/* What control groups allow and what is left of it, as the files say below `mounts`
 * ("/sys/fs/cgroup") about the groups that are listed in the file `self` ("/proc/self/cgroup").
 * INT64_MAX: no limit is known. */
void bn_memory_group(int64_t *most, int64_t *left, const char *self, const char *mounts);

/* Processors that a quota of the control groups allows, rounded up, and that the user or a batch
 * system gives this process (OMP_NUM_THREADS, SLURM_CPUS_PER_TASK, ...); INT64_MAX: any number. */
int64_t bn_cores_quota(void);
int64_t bn_cores_job(void);
int64_t bn_cores_group(const char *self, const char *mounts);  /* as bn_memory_group reads them */

#endif

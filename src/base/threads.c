/* threads.c -- how many threads, and telling the caller how far we are.
 *
 * SPDX-License-Identifier: MIT */
#include "base.h"

#ifdef _OPENMP
#include <omp.h>

static int cores(void)
{
    return omp_get_num_procs();
}
#else
static int cores(void)
{
    return 1;
}
#endif

int bn_threads(int asked)
{
    int t = asked > 0 ? asked : cores();
    return t < 1 ? 1 : t > 1024 ? 1024 : t;
}

int bn_team(int threads, int64_t pieces)
{
    return pieces < 1 ? 1 : pieces < threads ? (int)pieces : threads;
}

bonsai_status bn_tick(bn_progress p, const char *stage, int64_t done, int64_t total)
{
    if (!p.fn)
        return BONSAI_OK;
    bonsai_progress now = {stage, (uint64_t)done, (uint64_t)total};
    if (p.fn(&now, p.payload) == 0)
        return BONSAI_OK;
    return bn_fail(BONSAI_E_CANCELED, "canceled while at \"%s\"", stage);
}

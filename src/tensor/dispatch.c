/* dispatch.c -- picks the table of inner loops that this CPU runs.
 *
 * BONSAI_ISA=baseline (or avx2, avx512) in the environment overrides the choice,
 * downwards only.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tensor.h"

extern const bn_kernels bn_kernels_baseline;

#if defined(__x86_64__)
extern const bn_kernels bn_kernels_avx2, bn_kernels_avx512;

static int runnable(const bn_kernels *out[3])
{
    int n = 0;
    out[n++] = &bn_kernels_baseline;
    if (__builtin_cpu_supports("avx2"))
        out[n++] = &bn_kernels_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        out[n++] = &bn_kernels_avx512;
    return n;
}
#else
static int runnable(const bn_kernels *out[3])
{
    out[0] = &bn_kernels_baseline;
    return 1;
}
#endif

static const bn_kernels *chosen;

static void choose(void)
{
    const bn_kernels *table[3];
    int n = runnable(table);
    chosen = table[n - 1];
    const char *asked = getenv("BONSAI_ISA");
    for (int i = 0; asked && i < n; i++)
        if (strcmp(asked, table[i]->name) == 0)
            chosen = table[i];
}

const bn_kernels *bn_kernels_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
    return chosen;
}

const bn_kernels *bn_kernels_all(int i)
{
    const bn_kernels *table[3];
    int n = runnable(table);
    return i >= 0 && i < n ? table[i] : NULL;
}

const char *bonsai_isa(void)
{
    return bn_kernels_get()->name;
}

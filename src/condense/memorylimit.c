/* memorylimit.c -- finds how much memory condensing may use: refuses too little, and takes fewer
 * threads where that helps.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "methods.h"
#include "needs.h"
#include "prepare.h"

enum { SIZE_ROOM = 32 };

/* Writes a size: "3 GiB", "100 MB".  Rounds down to MiB what is a whole number of no unit. */
static void size_text(char *buf, int64_t bytes)
{
    static const struct {
        const char *name;
        int64_t     bytes;
    } unit[] = {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"GB", 1000000000}, {"MB", 1000000}};
    int u = 0;
    while (u < 4 && (bytes < unit[u].bytes || bytes % unit[u].bytes != 0))
        u++;
    if (u == 4 && bytes < unit[1].bytes)
        snprintf(buf, SIZE_ROOM, "%lld bytes", (long long)bytes);
    else
        snprintf(buf, SIZE_ROOM, "%lld %s", (long long)(bytes / unit[u < 4 ? u : 1].bytes),
                 unit[u < 4 ? u : 1].name);
}

/* Returns what the user can do about too little memory, by the needs of the method. */
static const char *advice(const bn_preparation *p)
{
    if (p->needs & (BN_NEEDS_CLUSTERS | BN_LEARNS | BN_REDOES))
        return "method trees or random, or a smaller budget, needs";
    return p->needs & BN_EMBEDS ? "method random, or a smaller budget, needs"
                                : "a smaller budget needs";
}

static bonsai_status too_little(const bn_preparation *p, bn_bound b, int64_t least)
{
    char given[SIZE_ROOM], needed[SIZE_ROOM];
    size_text(given, b.bytes);
    size_text(needed, least);
    return bn_fail_at(BONSAI_E_ARGUMENT, p->full->where, "%s of memory (%s) is too little to "
                      "condense it: at least %s is needed%s; %s less, as bonsai plan tells", given,
                      b.name, needed, bn_ranks(p->job.at.world) > 1 ? " on each rank" : "",
                      advice(p));
}

/* Refuses a limit below the memory that cannot spill; names the same number as a plan. */
static bonsai_status refuse_few(const bn_preparation *p, const bn_needs *q, int sharing)
{
    enum { MEGABYTE = 1 << 20 };
    const int64_t told = bn_needs_reported(q, p->program), least = bn_needs_least(q);
    const int64_t reserved = least + bn_needs_reserved(q);
    const bn_bound given = {p->o.memory, p->o.memory, "option memory"};
    const bn_bound outer = bn_memory_outer(sharing);
    if (p->o.memory > 0 && p->o.memory < least + p->program)
        return too_little(p, given, told);
    if (outer.bytes < least + p->program)
        return too_little(p, outer, told);
    if (p->process.left >= reserved)
        return BONSAI_OK;
    const int64_t used = p->process.bytes - p->process.left;
    return too_little(p, p->process, ((reserved + used) / MEGABYTE + 1) * MEGABYTE);
}

bonsai_status bn_prepare_memory(bn_preparation *p)
{
    bonsai_status rc;
    bn_place *at = &p->job.at;
    bonsai_condense_options o = p->o;
    bn_needs q = {.o = &o, .needs = p->needs, .ranks = bn_ranks(at->world),
                  .threads = at->threads, .fewer = o.threads == 0};
    const int64_t here = bn_memory_private() > 0 ? bn_memory_private() : 0;
    const int64_t kept = here > p->program ? here : p->program;
    const int sharing = at->world && at->world->here > 0 ? at->world->here : 1;
    if (p->largest > 0)
        o.ratio = p->largest;
    bonsai_shape_init(&q.s);
    BN_TRY(bonsai_graph_shape(&q.s, p->full));
    BN_TRY(refuse_few(p, &q, sharing));
    p->allowed = o.memory > 0 ? o.memory : bn_memory_share(sharing) + here;
    p->allowed = bn_least(p->allowed, bn_memory_outer(sharing).bytes);
    bn_needs_fit(&q, p->allowed - p->program, p->process.left);
    at->threads = q.threads;
    if (p->process.left < INT64_MAX)
        p->allowed = bn_least(p->allowed, bn_memory_most() - bn_needs_reserved(&q));
    const int64_t fixed = bn_needs_fixed(&q) + kept;
    p->memory.limit = p->allowed > fixed ? p->allowed - fixed : 0;
done:
    return rc;
}

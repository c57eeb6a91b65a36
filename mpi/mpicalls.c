/* mpicalls.c -- the public calls: join the ranks, check that their input is the same, work, agree.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "condense/condense.h"
#include "io/io.h"
#include "options/options.h"
#include "ranks.h"

/* ---- the beginning of every call ---- */

static bonsai_status join(bn_world **w, MPI_Comm comm)
{
    bonsai_status rc = bn_ranks_new(w, comm, 0);
    return rc != BONSAI_OK ? rc : bn_same_build(*w, NULL);
}

bonsai_status bonsai_mpi_agree(bonsai_status mine, const char *sentence, MPI_Comm comm)
{
    bn_world *w = NULL;
    if (mine != BONSAI_OK && sentence && strcmp(sentence, bonsai_error()) != 0)
        bn_fail(mine, "%s", sentence);
    /* The calls below change the sentence only if they fail. */
    bonsai_status rc = join(&w, comm);
    if (rc == BONSAI_OK)
        rc = bn_agree(w, mine);
    bn_ranks_free(w);
    return rc;
}

/* A callback and its world.  If a callback cancels on one rank, that rank must not stop alone: the request waits until all
 * ranks agree.  A rank without others stops at once. */
typedef struct {
    bn_world *w;
    bonsai_progress_fn *fn;
    void *payload;
} watcher;

static int watch(const bonsai_progress *p, void *payload)
{
    watcher *x = payload;
    bn_ranks_poke(x->w);
    if (x->fn && !x->w->canceled && x->fn(p, x->payload) != 0)
        x->w->canceled = 1;
    return x->w->ranks == 1 && x->w->canceled;
}

static int ranks_here(MPI_Comm comm)
{
    MPI_Comm here;
    int ranks = 1;
    if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) != MPI_SUCCESS)
        return 1;
    MPI_Comm_size(here, &ranks);
    MPI_Comm_free(&here);
    return ranks;
}

/* Returns the cores that the ranks on this machine may use, divided by the number of these ranks.
 * That is right for ranks that are bound to their own cores and for ranks that share them. */
int bonsai_mpi_threads(MPI_Comm comm)
{
    MPI_Comm here;
    cpu_set_t mine, all;
    int ranks = 1;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        CPU_SET(0, &mine);
    if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) != MPI_SUCCESS)
        return 1;
    MPI_Comm_size(here, &ranks);
    MPI_Allreduce(&mine, &all, (int)sizeof mine, MPI_BYTE, MPI_BOR, here);
    MPI_Comm_free(&here);
    int64_t share = bn_least(CPU_COUNT(&all), bn_cores_quota()) / ranks;
    return share > 1 ? (int)bn_least(share, bn_cores_job()) : 1;
}

/* ---- reading ---- */

static bonsai_status open_here(bonsai_graph **out, const char *path, const bonsai_read_options *o)
{
    bonsai_status rc;
    const char *plain = path;
    const bn_format *format;
    BN_TRY(bn_format_find(&format, &plain));
    if (format != &bn_format_native)
        return bn_fail(BONSAI_E_FORMAT, "%s: is of the format %s, and ranks open .bonsai files "
                       "alone; convert it first: bonsai convert %s FILE.bonsai", path,
                       format->name, path);
    BN_TRY(bn_check_companions(format, plain, o));
    BN_TRY(format->open(out, plain, o));
    (*out)->info.format = format->name;
done:
    return rc;
}

/* Adds the rank to the sentence of an error, except on rank 0. */
static bonsai_status name_rank(const bn_world *w, bonsai_status rc)
{
    bn_error e, named;
    if (rc == BONSAI_OK || w->rank == 0)
        return rc;
    bn_error_keep(&e);
    named = e;
    named.reason += snprintf(named.sentence, sizeof named.sentence, "rank %d: ", w->rank);
    strncat(named.sentence, e.sentence, sizeof named.sentence - strlen(named.sentence) - 1);
    return bn_error_raise(&named);
}

/* Fails on all ranks if the pointer is NULL on one. */
static bonsai_status need(bn_world *w, const void *p, const char *name)
{
    return bn_agree(w, bn_is_null(p, name) ? BONSAI_E_ARGUMENT : BONSAI_OK);
}

bonsai_status bonsai_mpi_read(bonsai_graph **out, const char *path,
                              const bonsai_read_options *given, MPI_Comm comm)
{
    bonsai_status rc;
    bn_world *w = NULL;
    bonsai_graph *g = NULL;
    bonsai_read_options o;
    if (out)
        *out = NULL;
    BN_TRY(join(&w, comm));
    BN_TRY(need(w, out, "out"));
    BN_TRY(need(w, path, "the path"));
    BN_TRY(bn_agree(w, BN_OPTIONS(&o, given, read)));
    BN_TRY(bn_agree(w, name_rank(w, open_here(&g, path, &o))));
    BN_TRY(bn_same_graph(w, g));
    *out = g;
    g = NULL;
done:
    bonsai_graph_free(g);
    bn_ranks_free(w);
    return rc;
}

/* ---- verifying, checking, counting ---- */

typedef enum { VERIFY, CHECK, STATS } look;

static bonsai_status look_at(look what, bonsai_stats *s, int64_t *class_counts,
                             const bonsai_graph *g, const bonsai_read_options *given,
                             MPI_Comm comm)
{
    bonsai_status rc;
    bn_world *w = NULL;
    bonsai_read_options o;
    int64_t *first = NULL;
    watcher x;
    bn_place at;
    int threads = bonsai_mpi_threads(comm);
    BN_TRY(join(&w, comm));
    BN_TRY(need(w, g, "the graph"));
    BN_TRY(bn_agree(w, BN_OPTIONS(&o, given, read)));
    BN_TRY(bn_same_graph(w, g));
    x = (watcher){w, o.progress, o.payload};
    at = (bn_place){.world = w, .threads = o.threads ? o.threads : threads, .progress = {watch, &x}};
    BN_TRY(bn_blocks_new(&first, g, &at));
    at.first = first;
    if (what == VERIFY)
        rc = bn_graph_need_at(g, BN_ALL_SECTIONS, &at);
    else if (what == CHECK)
        rc = bn_graph_check(g, &at);
    else
        rc = bn_graph_stats(s, class_counts, g, &at);
    rc = bn_agree(w, rc);
done:
    bn_free(first);
    bn_ranks_free(w);
    return rc;
}

bonsai_status bonsai_mpi_verify(const bonsai_graph *g, const bonsai_read_options *o, MPI_Comm comm)
{
    return look_at(VERIFY, NULL, NULL, g, o, comm);
}

bonsai_status bonsai_mpi_check(const bonsai_graph *g, const bonsai_read_options *o, MPI_Comm comm)
{
    return look_at(CHECK, NULL, NULL, g, o, comm);
}

bonsai_status bonsai_mpi_stats(bonsai_stats *s, int64_t *class_counts, const bonsai_graph *g,
                               const bonsai_read_options *o, MPI_Comm comm)
{
    return look_at(STATS, s, class_counts, g, o, comm);
}

/* ---- condensing ---- */

bonsai_status bonsai_mpi_condense_many(bonsai_graph **out, bonsai_condense_info *info,
                                       const double *ratios, int count, const bonsai_graph *g,
                                       const bonsai_condense_options *given, MPI_Comm comm)
{
    bonsai_status rc;
    bn_world *w = NULL;
    bonsai_condense_options o;
    watcher x;
    int threads = bonsai_mpi_threads(comm);
    for (int i = 0; out && i < count; i++)
        out[i] = NULL;
    BN_TRY(join(&w, comm));
    BN_TRY(need(w, out, "out"));
    BN_TRY(need(w, g, "the graph"));
    BN_TRY(bn_agree(w, bn_count_check(count, "ratios")));
    BN_TRY(bn_agree(w, BN_OPTIONS(&o, given, condense)));
    BN_TRY(bn_same_graph(w, g));
    BN_TRY(bn_same_condense(w, &o, ratios, count));
    x = (watcher){w, o.progress, o.payload};
    o.progress = watch;
    o.payload = &x;
    w->threads = threads;
    w->here = ranks_here(comm);
    BN_TRY(bn_condense(out, info, g, &(bn_asked){&o, ratios, count, false}, w));
    rc = bn_agree(w, rc);               /* some rank may have been canceled in the last stage */
done:
    for (int i = 0; out && i < count && (rc != BONSAI_OK || bn_rank(w) != 0); i++) {
        bonsai_graph_free(out[i]);
        out[i] = NULL;
    }
    bn_ranks_free(w);
    return rc;
}

bonsai_status bonsai_mpi_condense(bonsai_graph **out, bonsai_condense_info *info,
                                  const bonsai_graph *g, const bonsai_condense_options *o,
                                  MPI_Comm comm)
{
    return bonsai_mpi_condense_many(out, info, NULL, 1, g, o, comm);
}

/* ---- generating ---- */

bonsai_status bonsai_mpi_generate(const char *path, const bonsai_generate_options *given,
                                  MPI_Comm comm)
{
    bonsai_status rc;
    static const char prefix[] = "bonsai:";
    bn_world *w = NULL;
    bonsai_generate_options o;
    watcher x;
    int threads = bonsai_mpi_threads(comm);
    BN_TRY(join(&w, comm));
    BN_TRY(need(w, path, "the path"));
    BN_TRY(bn_agree(w, BN_OPTIONS(&o, given, generate)));
    BN_TRY(bn_same_generate(w, &o, path));
    x = (watcher){w, o.progress, o.payload};
    o.progress = watch;
    o.payload = &x;
    o.threads = o.threads ? o.threads : threads;
    if (strncmp(path, prefix, strlen(prefix)) == 0)
        path += strlen(prefix);
    else if (!bn_ends_with(path, ".bonsai")) {
        rc = bn_fail(BONSAI_E_ARGUMENT, "%s: ranks write .bonsai files only", path);
        goto done;
    }
    if (w->ranks > o.nodes) {
        rc = bn_fail(BONSAI_E_ARGUMENT, "there are %d ranks to generate only %lld nodes; start no "
                     "more ranks than nodes", w->ranks, (long long)o.nodes);
        goto done;
    }
    rc = bn_agree(w, bn_generate_file(path, &o, w));
done:
    bn_ranks_free(w);
    return rc;
}

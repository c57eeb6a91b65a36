/* sameinput.c -- checks that all ranks have the same library, the same file and the same options.
 *
 * Otherwise the ranks would compute nonsense or wait for each other forever: a rank with another
 * version of the file would send rows that nobody expects.  Every rank gets the bytes of all and
 * makes the same comparison, so that no second round is needed to agree on the answer.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "options/fields.h"
#include "ranks.h"

enum { TEXT = 128 };            /* must never change: other versions of the library read it */

/* Fills all (ranks x bytes) with the bytes of every rank: row r is from rank r. */
static bonsai_status gather_bytes(bn_world *w, char **all, const void *mine, int64_t bytes)
{
    bonsai_status rc;
    int64_t *each = NULL;
    BN_TRY(bn_agree(w, BN_NEW(all, bytes * w->ranks)));
    BN_TRY(bn_agree(w, BN_NEW(&each, w->ranks)));
    for (int r = 0; r < w->ranks; r++)
        each[r] = bytes;
    rc = bn_gather(w, *all, each, mine);
done:
    bn_free(each);
    return rc;
}

/* Returns the first rank whose bytes differ from rank 0's, or -1. */
static int first_other(const bn_world *w, const char *all, int64_t bytes)
{
    for (int r = 1; r < w->ranks; r++)
        if (memcmp(all, all + r * bytes, (size_t)bytes) != 0)
            return r;
    return -1;
}

/* ---- the library ---- */

static const char *byte_order(void)
{
    const uint32_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first ? "little-endian" : "big-endian";
}

/* Fails if another rank runs another library.  bn_agree cannot be used yet: another byte order
 * would read its numbers backwards.  So this function uses only the stack, for any number of
 * ranks. */
bonsai_status bn_same_build(bn_world *w, const char *text)
{
    char mine[TEXT] = "", theirs[TEXT], first[TEXT] = "";
    bonsai_status rc = BONSAI_OK;
    if (text)
        snprintf(mine, sizeof mine, "%s", text);
    else
        snprintf(mine, sizeof mine, "bonsai %s, %s, pointers of %zu bytes, options of %zu",
                 bonsai_version(), byte_order(), sizeof(void *), sizeof(bonsai_condense_options));
    for (int r = 0; r < w->ranks; r++) {
        memcpy(theirs, mine, TEXT);
        bonsai_status sent = bn_share(w, theirs, TEXT, r);
        if (sent != BONSAI_OK)
            return sent;
        theirs[TEXT - 1] = 0;
        if (r == 0)
            memcpy(first, theirs, TEXT);
        else if (rc == BONSAI_OK && memcmp(first, theirs, TEXT) != 0)
            rc = bn_fail(BONSAI_E_ARGUMENT, "rank %d runs another library: %s; rank 0: %s", r,
                         theirs, first);
    }
    return rc;
}

/* ---- the file ---- */

typedef struct {
    int64_t nodes, edges, features, classes, bytes, flags;
    struct { int64_t type, count, crc; } section[BONSAI_SECTION_COUNT];
} graph_id;

static void describe(graph_id *p, const bonsai_graph *g)
{
    memset(p, 0, sizeof *p);
    p->nodes = g->view.nodes;
    p->edges = bonsai_graph_edges(g);
    p->features = g->view.features;
    p->classes = g->view.classes;
    p->flags = (int64_t)g->view.flags;
    p->bytes = g->file.len;
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++) {
        p->section[s].type = g->view.section[s].type;
        p->section[s].count = g->view.section[s].count;
        p->section[s].crc = g->crc[s];
    }
}

static bonsai_status other_file(const char *where, int rank, const graph_id *a, const graph_id *b)
{
    const struct { const char *what; int64_t first, other; } number[] = {
        {"nodes", a->nodes, b->nodes},       {"edges", a->edges, b->edges},
        {"features", a->features, b->features}, {"classes", a->classes, b->classes},
        {"bytes", a->bytes, b->bytes},
    };
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (number[i].first != number[i].other)
            return bn_fail(BONSAI_E_ARGUMENT, "%s: rank %d sees a different file: %lld %s instead "
                           "of %lld", where, rank, (long long)number[i].other, number[i].what,
                           (long long)number[i].first);
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++)
        if (memcmp(&a->section[s], &b->section[s], sizeof a->section[s]) != 0)
            return bn_fail(BONSAI_E_ARGUMENT, "%s: rank %d sees a different file: its %s are not "
                           "the same", where, rank, bonsai_section_text((bonsai_section)s));
    return bn_fail(BONSAI_E_ARGUMENT, "%s: rank %d sees a different file: its flags are %lld "
                   "instead of %lld", where, rank, (long long)b->flags, (long long)a->flags);
}

/* Fails for a graph made in memory, which has no checksums to compare. */
static bonsai_status is_mapped(const bonsai_graph *g)
{
    const uint8_t *begin = g->file.data;
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++) {
        const uint8_t *data = g->view.section[s].data;
        bool expanded = begin && g->owned[s];   /* of what lies in the file with its checksum */
        if (data && !expanded && !(begin && data >= begin && data < begin + g->file.len))
            return bn_fail(BONSAI_E_ARGUMENT, "%s: ranks work on a .bonsai file that all of them "
                           "have opened, and this graph is in memory", g->where);
    }
    return BONSAI_OK;
}

bonsai_status bn_same_graph(bn_world *w, const bonsai_graph *g)
{
    bonsai_status rc;
    graph_id mine;
    char *all = NULL, where[512] = "";
    BN_TRY(bn_agree(w, g ? is_mapped(g) : bn_fail(BONSAI_E_ARGUMENT, "rank %d has no graph",
                                                  w->rank)));
    describe(&mine, g);
    snprintf(where, sizeof where, "%s", g->where);
    BN_TRY(bn_share(w, where, sizeof where, 0));
    BN_TRY(gather_bytes(w, &all, &mine, sizeof mine));
    const graph_id *p = (const graph_id *)(const void *)all;
    int other = first_other(w, all, sizeof mine);
    if (other > 0)
        rc = other_file(where, other, &p[0], &p[other]);
    else if (w->ranks > mine.nodes)
        rc = bn_fail(BONSAI_E_ARGUMENT, "%s: there are %d ranks but only %lld nodes; start no more "
                     "ranks than nodes", where, w->ranks, (long long)mine.nodes);
done:
    bn_free(all);
    return rc;
}

/* ---- the options ---- */

static bonsai_status other_value(int rank, const char *name, const char *first, const char *other)
{
    return bn_fail(BONSAI_E_ARGUMENT, "rank %d was given other options: its %s is %s instead of %s",
                   rank, name, *other ? other : "not given", *first ? first : "not given");
}

/* Returns true if all ranks must have the same value of a field. */
static bool is_shared(const bonsai_field *f)
{
    return f->type < BONSAI_FIELD_TEXT && !(f->marks & BONSAI_MARK_LOCAL);
}

static bonsai_status same_options(bn_world *w, const void *options, bonsai_options_kind kind)
{
    bonsai_status rc;
    const int64_t bytes = (int64_t)bn_structs[kind].size;
    char *all = NULL;
    BN_TRY(gather_bytes(w, &all, options, bytes));
    for (int r = 1; r < w->ranks; r++)
        for (const bonsai_field *f = bn_structs[kind].field; f->name; f++) {
            const char *other = all + r * bytes;
            char a[96], b[96];
            if (!is_shared(f) || memcmp(all + f->offset, other + f->offset, bn_field_bytes(f)) == 0)
                continue;
            bonsai_field_text(a, sizeof a, f, all);
            bonsai_field_text(b, sizeof b, f, other);
            rc = other_value(r, f->name, a, b);
            goto done;
        }
done:
    bn_free(all);
    return rc;
}

static bonsai_status same_numbers(bn_world *w, const char *name, const double *mine, int count)
{
    bonsai_status rc;
    char *all = NULL, a[32], b[32];
    BN_TRY(gather_bytes(w, &all, mine, count * (int64_t)sizeof *mine));
    const double *value = (const double *)(const void *)all;
    for (int i = count; i < w->ranks * count; i++)
        if (value[i] != value[i % count]) {
            snprintf(a, sizeof a, "%g", value[i % count]);
            snprintf(b, sizeof b, "%g", value[i]);
            rc = other_value(i / count, name, a, b);
            break;
        }
done:
    bn_free(all);
    return rc;
}

bonsai_status bn_same_condense(bn_world *w, const bonsai_condense_options *o, const double *ratios,
                                int count)
{
    const double ratio_count = ratios ? count : 0;
    bonsai_status rc = same_options(w, o, BONSAI_OPTIONS_CONDENSE);
    if (rc == BONSAI_OK)
        rc = same_numbers(w, "number of ratios", &ratio_count, 1);
    if (rc == BONSAI_OK && ratios)
        rc = same_numbers(w, "ratio", ratios, count);
    return rc;
}

bonsai_status bn_same_generate(bn_world *w, const bonsai_generate_options *o, const char *path)
{
    bonsai_status rc;
    char mine[512] = "", *all = NULL;
    BN_TRY(same_options(w, o, BONSAI_OPTIONS_GENERATE));
    snprintf(mine, sizeof mine, "%s", path);
    BN_TRY(gather_bytes(w, &all, mine, sizeof mine));
    int other = first_other(w, all, sizeof mine);
    if (other > 0)
        rc = bn_fail(BONSAI_E_ARGUMENT, "rank %d was given another file to write: %s instead of %s",
                     other, all + other * (int64_t)sizeof mine, all);
done:
    bn_free(all);
    return rc;
}

/* slices.c -- several ranks write one native file.
 *
 * Rank 0 creates the file and the others open it; each rank writes at the position of its slices.
 * Each rank keeps the checksum of what it wrote, and rank 0 joins them into the checksums of the
 * sections.  On one machine the file has no name until the end; ranks on several machines need a
 * temporary name.
 *
 * SPDX-License-Identifier: MIT */
#include <assert.h>
#include <string.h>

#include "container.h"

typedef struct { int64_t len; uint64_t crc; } slice;

struct bn_slices {
    bn_world    *w;
    bn_out      *out;
    int          threads;
    bn_container c;
    int64_t      bytes;                         /* of the file */
    int64_t      at[BN_CONTAINER_MAX];          /* where this rank's next bytes go */
    slice        done[BN_CONTAINER_MAX];        /* what it has written */
};

static bonsai_status create(bn_slices *s, const char *path)
{
    return bn_rank(s->w) == 0 ? bn_out_open(&s->out, path) : BONSAI_OK;
}

/* Opens on the other ranks the file that rank 0 created. */
static bonsai_status meet(bn_slices *s, const char *path, bool local)
{
    bonsai_status rc;
    bn_out_place at = {"", {0}};
    const bool first = bn_rank(s->w) == 0;
    BN_TRY(bn_agree(s->w, first ? bn_out_share(&at, s->out, local) : BONSAI_OK));
    BN_TRY(bn_share(s->w, &at, sizeof at, 0));
    if (!first) {
        bn_out_close(s->out);
        rc = bn_out_join(&s->out, path, &at);
    }
    rc = bn_agree(s->w, rc);
done:
    return rc;
}

static void place(bn_slices *s, const int64_t *begin)
{
    for (int i = 0; i < s->c.entries; i++) {
        const bn_entry *e = &s->c.entry[i];
        s->at[i] = e->offset + begin[i] * (int64_t)bonsai_type_bytes((bonsai_type)e->type);
    }
}

bonsai_status bn_slices_open(bn_slices **out, const char *path, const bn_container *c,
                             const int64_t *begin, int threads, bn_world *w)
{
    bonsai_status rc;
    bn_slices *s = NULL;
    *out = NULL;
    BN_TRY(bn_agree(w, BN_NEW(&s, 1)));
    s->w = w;
    s->threads = threads;
    s->c = *c;
    s->bytes = bn_container_layout(&s->c);
    if (s->bytes < 0) {
        rc = bn_fail_at(BONSAI_E_ARGUMENT, path, "the graph is too large in this encoding");
        goto done;
    }
    place(s, begin);
    BN_TRY(bn_agree(w, create(s, path)));
    if (bn_ranks(w) > 1)
        rc = meet(s, path, true);
    if (rc == BONSAI_E_IO)
        BN_TRY(meet(s, path, false));
    if (rc != BONSAI_OK)
        goto done;
    *out = s;
    s = NULL;
done:
    bn_slices_close(s);
    return rc;
}

bonsai_status bn_slices_put(bn_slices *s, uint32_t id, const void *data, int64_t len)
{
    int i = 0;
    while (i < s->c.entries && s->c.entry[i].id != id)
        i++;
    assert(i < s->c.entries);
    slice *d = &s->done[i];
    d->crc = bn_crc32_append((uint32_t)d->crc, bn_crc32_parallel(data, len, s->threads), len);
    d->len += len;
    s->at[i] += len;
    return bn_out_rewrite(s->out, s->at[i] - len, data, len);
}

/* Where the last element ends.  A file whose last sections are empty goes on with zeros. */
static int64_t end_of_elements(const bn_container *c)
{
    int64_t end = bn_container_head(c);
    for (int i = 0; i < c->entries; i++)
        if (c->entry[i].count > 0)
            end = c->entry[i].offset +
                  c->entry[i].count * (int64_t)bonsai_type_bytes((bonsai_type)c->entry[i].type);
    return end;
}

/* all: (ranks, entries). */
static bonsai_status finish(bn_slices *s, const slice *all)
{
    bonsai_status rc;
    uint8_t head[64 + 32 * BN_CONTAINER_MAX];
    bn_container *c = &s->c;
    if (bn_rank(s->w) != 0)
        return BONSAI_OK;
    for (int i = 0; i < c->entries; i++) {
        int64_t len = 0;
        for (int r = 0; r < bn_ranks(s->w); r++) {
            const slice *d = &all[r * c->entries + i];
            c->entry[i].crc = bn_crc32_append(c->entry[i].crc, (uint32_t)d->crc, d->len);
            len += d->len;
        }
        assert(len == c->entry[i].count *
                      (int64_t)bonsai_type_bytes((bonsai_type)c->entry[i].type));
        (void)len;
    }
    bn_container_pack(head, c, s->bytes);
    BN_TRY(bn_out_rewrite(s->out, 0, head, bn_container_head(c)));
    if (end_of_elements(c) < s->bytes)
        BN_TRY(bn_out_rewrite(s->out, s->bytes - 1, "", 1));
    BN_TRY(bn_out_commit(s->out));
done:
    return rc;
}

static bonsai_status sync_slices(bn_slices *s, slice **all, int64_t **bytes)
{
    bonsai_status rc;
    int ranks = bn_ranks(s->w);
    BN_TRY(BN_NEW(all, (int64_t)ranks * s->c.entries));
    BN_TRY(BN_NEW(bytes, ranks));
    for (int r = 0; r < ranks; r++)
        (*bytes)[r] = s->c.entries * (int64_t)sizeof **all;
    if (bn_rank(s->w) != 0)             /* rank 0 closes it when it commits */
        BN_TRY(bn_out_sync(s->out));
done:
    return rc;
}

bonsai_status bn_slices_commit(bn_slices *s)
{
    bonsai_status rc;
    slice *all = NULL;
    int64_t *bytes = NULL;
    BN_TRY(bn_agree(s->w, sync_slices(s, &all, &bytes)));
    BN_TRY(bn_gather(s->w, all, bytes, s->done));
    BN_TRY(bn_agree(s->w, finish(s, all)));
done:
    bn_free(all);
    bn_free(bytes);
    return rc;
}

void bn_slices_close(bn_slices *s)
{
    if (!s)
        return;
    bn_out_close(s->out);
    bn_free(s);
}

/* fingerprint.c -- a checksum of all that condensing reads of a graph.
 *
 * Sections go in one after the other, encoded as they would be written.  One that lies in a file
 * as it would be written has been read and summed already, when it was verified; the others are
 * emitted, by each rank the rows of its own.
 *
 * SPDX-License-Identifier: MIT */
#include "record.h"

typedef struct { uint32_t crc; int64_t len; int threads; } sum;

static bonsai_status add_to_crc(const void *data, int64_t len, void *payload)
{
    sum *s = payload;
    s->crc = bn_crc32_append(s->crc, bn_crc32_parallel(data, len, s->threads), len);
    s->len += len;
    return BONSAI_OK;
}

static bonsai_status add_section(sum *s, const bn_coding *p, const bonsai_graph *g,
                                 bonsai_section id, bn_world *w, bn_rows rows)
{
    bonsai_status rc = BONSAI_OK;
    int64_t bytes = bn_coding_bytes(p, id), item = (int64_t)bonsai_type_bytes(p->type[id]);
    sum part = {0, 0, s->threads};
    if (!bn_coding_keeps(p, g, id) || !bn_section_crc(&part.crc, g, id)) {
        part.crc = 0;
        BN_TRY(bn_agree(w, bn_coding_emit_rows(p, g, id, rows, add_to_crc, &part)));
        int64_t before = bn_coding_from(p, g, id, rows) * item;
        BN_TRY(bn_crc32_ranks(w, &part.crc, bytes - before - part.len));
    }
    s->crc = bn_crc32_append(s->crc, part.crc, bytes);
    s->len += bytes;
done:
    return rc;
}

/* No label of a validation or test node may leave a trace, not even in a checksum. */
static void add_labels(sum *s, const bonsai_graph *g, const int32_t *train, int64_t count)
{
    enum { PIECE = 1024 };
    int32_t label[PIECE];
    for (int64_t at = 0; at < count; at += PIECE) {
        int64_t n = bn_least(PIECE, count - at);
        for (int64_t i = 0; i < n; i++)
            label[i] = bn_label(g, train[at + i]);
        s->crc = bn_crc32(s->crc, label, n * (int64_t)sizeof *label);
    }
}

bonsai_status bn_fingerprint(uint32_t *out, const bonsai_graph *g, const int32_t *train,
                             int64_t count, const bn_place *place)
{
    bonsai_status rc;
    bn_coding p;
    const bn_place *at = bn_here(place);
    sum s = {0, 0, bn_threads(at->threads)};
    const bn_rows rows = bn_rows_of(&g->view, at);
    BN_TRY(bn_graph_need_at(g, BN_ALL_SECTIONS, at));
    BN_TRY(bn_coding_make(&p, g, BONSAI_ENCODING_AUTO, at));
#define ADD(name, id, text, counted) \
    if ((counted) && id != BONSAI_SECTION_LABELS && id != BONSAI_SECTION_SOFT_LABELS && \
        p.type[id] != BONSAI_TYPE_NONE) \
        BN_TRY(add_section(&s, &p, g, BONSAI_SECTION_##name, at->world, rows));
    BONSAI_SECTION_MAP(ADD)
#undef ADD
    add_labels(&s, g, train, count);
    *out = s.crc;
done:
    return rc;
}

/* fingerprint.c -- sums all that condensing reads of a graph to a checksum.
 *
 * Sections are summed in order, in the smallest encoding that is mapped: neither four bits nor
 * columns.  A section that a file holds in that encoding was summed when it was verified.  Of the
 * others each rank sums its own rows, those of features in one pass.
 *
 * SPDX-License-Identifier: MIT */
#include "record.h"

typedef struct { bn_checksum sum; int threads; } bytes;

static bonsai_status add_to_crc(const void *data, int64_t len, void *payload)
{
    bytes *b = payload;
    b->sum.crc = bn_crc32_append(b->sum.crc, bn_crc32_parallel(data, len, b->threads), len);
    b->sum.bytes += len;
    return BONSAI_OK;
}

/* Finds the checksum of a section as it would be written; own: the sums of encoded features. */
static bonsai_status sum_section(uint32_t *crc, const bn_coding *p, const bonsai_graph *g,
                                 bonsai_section id, const bn_checksum *own, const bn_place *at)
{
    bonsai_status rc = BONSAI_OK;
    const bn_rows rows = bn_rows_of(&g->view, at);
    int64_t all = bn_coding_bytes(p, id), item = (int64_t)bonsai_type_bytes(p->type[id]);
    bool encoded = (BN_FEATURE_SECTIONS & BN_BIT(id)) && !bn_coding_keeps(p, g, id);
    bytes b = {encoded ? own[id] : (bn_checksum){0, 0}, at->threads};
    if (bn_coding_keeps(p, g, id) && bn_section_crc(crc, g, id))
        return BONSAI_OK;
    if (!encoded)
        BN_TRY(bn_agree(at->world, bn_coding_emit_rows(p, g, id, rows, add_to_crc, &b)));
    int64_t before = bn_coding_from(p, g, id, rows) * item;
    BN_TRY(bn_crc32_ranks(at->world, &b.sum.crc, all - before - b.sum.bytes));
    *crc = b.sum.crc;
done:
    return rc;
}

/* Adds the labels of training nodes only: the record may reveal no others, not even by a
 * checksum. */
static uint32_t add_labels(uint32_t crc, const bonsai_graph *g, const int32_t *train, int64_t count)
{
    enum { PIECE = 1024 };
    int32_t label[PIECE];
    for (int64_t at = 0; at < count; at += PIECE) {
        int64_t n = bn_least(PIECE, count - at);
        for (int64_t i = 0; i < n; i++)
            label[i] = bn_label(g, train[at + i]);
        crc = bn_crc32(crc, label, n * (int64_t)sizeof *label);
    }
    return crc;
}

bonsai_status bn_fingerprint(uint32_t *out, const bonsai_graph *g, const bn_traits *t,
                             const int32_t *train, int64_t count, const bn_place *place)
{
    bonsai_status rc;
    bn_coding p;
    const bn_traits mapped = bn_traits_mapped(t);
    bn_place at = *bn_here(place);
    bn_checksum features[BONSAI_SECTION_COUNT] = {{0}};
    uint32_t crc = 0, part;
    at.threads = bn_threads(at.threads);
    BN_TRY(bn_graph_need_at(g, BN_ALL_SECTIONS, &at));
    BN_TRY(bn_coding_of(&p, g, BONSAI_ENCODING_AUTO, &mapped, &at));
    BN_TRY(bn_agree(at.world, bn_coding_sums(features, &p, g, bn_rows_of(&g->view, &at),
                                             at.threads)));
#define ADD(name, id, text, counted) \
    if ((counted) && id != BONSAI_SECTION_LABELS && id != BONSAI_SECTION_SOFT_LABELS && \
        p.type[id] != BONSAI_TYPE_NONE) { \
        BN_TRY(sum_section(&part, &p, g, BONSAI_SECTION_##name, features, &at)); \
        crc = bn_crc32_append(crc, part, bn_coding_bytes(&p, id)); \
    }
    BONSAI_SECTION_MAP(ADD)
#undef ADD
    *out = add_labels(crc, g, train, count);
done:
    return rc;
}

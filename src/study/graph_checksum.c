/* graph_checksum.c -- a number that differs between graphs: 64 bits over some of their sections.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "study.h"

static uint64_t mix(uint64_t hash, const void *data, size_t len)
{
    const unsigned char *at = data;
    uint64_t word;
    for (; len >= sizeof word; len -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    for (; len > 0; len--, at++)
        hash = (hash ^ *at) * 0x100000001b3u;
    return hash;
}

uint64_t bonsai_graph_checksum(const bonsai_graph *g, uint64_t sections)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = BONSAI_SECTION_OFFSETS; i < BONSAI_SECTION_COUNT; i++) {
        const bonsai_array *a = &g->view.section[i];
        uint64_t head[3] = {(uint64_t)i, (uint64_t)a->type, a->data ? (uint64_t)a->count : 0};
        if (!(sections >> i & 1))
            continue;
        hash = mix(hash, head, sizeof head);
        if (a->data)
            hash = mix(hash, a->data, (size_t)a->count * bonsai_type_bytes(a->type));
    }
    return hash;
}

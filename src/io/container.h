/* container.h -- the native file: a header, a table, aligned sections.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CONTAINER_H
#define BN_CONTAINER_H

#include "base/world.h"
#include "graph/graph.h"

enum {
    BN_CONTAINER_MAJOR = 1,
    BN_CONTAINER_ALIGN = 64,
    BN_CONTAINER_MAX = 64,      /* sections */
    BN_KIND_GRAPH = 1,
    BN_KIND_MODEL = 2
};

typedef struct {
    uint32_t id, type;
    int64_t  offset, count;     /* offset in bytes, count in elements */
    uint32_t crc;
} bn_entry;

typedef struct {
    uint32_t kind;
    int      entries;
    uint64_t field[4];          /* graph: nodes, features, classes, flags; model: see modelfile.c */
    bn_entry entry[BN_CONTAINER_MAX];
} bn_container;

/* Returns whether the file starts with the magic of a native file. */
bool bn_container_is(const bn_file *f);
/* Reads and checks the header, the table and the padding, but no section. */
bonsai_status bn_container_read(bn_container *out, const bn_file *f, const char *path);
/* Sets the offset of each entry; returns the length of the file, or -1 if it overflows. */
int64_t bn_container_layout(bn_container *c);
/* Packs the header and table, with their checksum, into bn_container_head(c) bytes. */
int64_t bn_container_head(const bn_container *c);
void    bn_container_pack(uint8_t *out, const bn_container *c, int64_t file_bytes);

/* ---- features that are not mapped (expand.c) ---- */

/* Checks features of four bits or with a list of columns in a graph whose sections lie in its file,
 * and puts the same features of eight or more bits, dense or sparse, in their place. */
bonsai_status bn_expand(bonsai_graph *g, int threads);

/* ---- a file that ranks write together (slices.c) ---- */

/* Each rank writes its slice of every section, piece by piece; the slices are in rank order.  The
 * file appears under its name once all ranks have committed; closing it without a commit leaves
 * nothing behind.  Open and commit are collective. */
typedef struct bn_slices bn_slices;
/* c gives the kind, the fields, and the id, type and count of each entry; begin (entries) gives the
 * first element of this rank's slice of each. */
bonsai_status bn_slices_open(bn_slices **out, const char *path, const bn_container *c,
                             const int64_t *begin, int threads, bn_world *w);
bonsai_status bn_slices_put(bn_slices *s, uint32_t id, const void *data, int64_t len);
bonsai_status bn_slices_commit(bn_slices *s);
void          bn_slices_close(bn_slices *s);    /* NULL is allowed */

#endif

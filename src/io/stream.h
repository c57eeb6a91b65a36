/* stream.h -- graphs whose edges and features are read as they are needed.
 *
 * A layout of large arrays opens them here and reads labels and split.  Then either all of it
 * becomes a graph (stream.c), or a native file is written while the arrays are read (convert.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_STREAM_H
#define BN_STREAM_H

#include "npy.h"

typedef struct bn_stream {
    const char *where;          /* the folder, for error messages; borrowed */
    int64_t  n, f, m;           /* nodes, features, edges as given */
    int64_t  classes;           /* 0: one more than the largest label */
    int32_t *label;             /* n; -1: unknown */
    uint8_t *split;             /* n; NULL: none */
    bn_npy   features;          /* [n,f], if f > 0 */
    bn_npy   source, target;    /* edge_index [2,m], twice: at its first row, and at its second;
                                 * pairs that lie together are read of the first alone */
    bn_zip   zip;               /* that arrays may be members of ... */
    char    *archive;           /* ... and its path */
    bn_progress progress;
    bool     whole;             /* it cannot be read in pieces: read it as a graph */
} bn_stream;

void bn_stream_close(bn_stream *s);             /* all zero is allowed */

/* Reads the labels of all nodes, which says how many there are; NaN and -1 are unknown. */
bonsai_status bn_stream_labels(bn_stream *s, bn_npy *a);
bool bn_class_of(double v, int32_t *out);       /* false: v is not a class */
/* Opens node_feat and edge_index, of a file each or of the archive; checks their shapes. */
bonsai_status bn_stream_open(bn_stream *s, const char *features, const char *edges);
bonsai_status bn_stream_unzip(bn_stream *s);
/* Reads the next count edges, whose nodes must be in range, and checks the end. */
bonsai_status bn_stream_edges(bn_stream *s, int32_t *source, int32_t *target, int64_t count);
bonsai_status bn_stream_edges_end(bn_stream *s);
/* Goes back to the first edge. */
bonsai_status bn_stream_rewind(bn_stream *s);

/* Hands labels and split over to a draft, which then knows its nodes and classes. */
bonsai_status bn_stream_nodes(bn_draft *d, bn_stream *s);
/* Reads all of it into a draft.  Features that lie in a file as the library needs them stay there,
 * and are mapped. */
bonsai_status bn_stream_draft(bn_draft *d, bn_stream *s);

/* Writes a native file while it reads; with labelled only of nodes that have a label or a part of
 * the split (convert.c). */
bonsai_status bn_stream_convert(bn_stream *s, const char *path, const bonsai_read_options *r,
                                const bonsai_write_options *w);

#endif

/* io.h -- the table of formats.
 *
 * A reader fills a bn_draft (graph/graph.h) and leaves the rest to bn_draft_finish.  The native
 * reader maps the file instead, and has `open`.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_IO_H
#define BN_IO_H

#include "base/world.h"
#include "graph/graph.h"

struct bn_stream;               /* stream.h */

typedef struct {
    const char *name;           /* as in FORMAT:PATH */
    const char *help;           /* one line */
    bool companions;            /* takes the files of features and labels that options name */
    bool (*matches)(const char *path);          /* by name and by files present; reads nothing */
    bonsai_status (*open)(bonsai_graph **out, const char *path, const bonsai_read_options *o);
    bonsai_status (*read)(bn_draft *d, const char *path, const bonsai_read_options *o);
    /* Opens large arrays instead of reading them; NULL: the format has none. */
    bonsai_status (*stream)(struct bn_stream *s, const char *path, const bonsai_read_options *o);
    /* Sets bits in *left_out (never NULL) for sections that the format cannot hold. */
    bonsai_status (*write)(const bonsai_graph *g, const char *path, const bonsai_write_options *o,
                           uint64_t *left_out);
} bn_format;

extern const bn_format bn_format_native, bn_format_npz, bn_format_planetoid, bn_format_graphsaint,
    bn_format_ogb, bn_format_mag240m, bn_format_mtx, bn_format_text;

/* Finds the format that "FORMAT:PATH" names or that the path suggests; moves *path past the
 * colon. */
bonsai_status bn_format_find(const bn_format **out, const char **path);
/* Fails if the options name files that the format would ignore. */
bonsai_status bn_check_companions(const bn_format *f, const char *path,
                                  const bonsai_read_options *o);

/* Writes the graph that bonsai_graph_generate makes to a native file without holding it in memory:
 * all ranks of w write rows and features as they draw them (generatefile.c). */
bonsai_status bn_generate_file(const char *path, const bonsai_generate_options *o, bn_world *w);

#endif

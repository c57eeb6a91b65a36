/* graphs.h -- reading, writing and matching graphs, and notes about them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BONSAI_GRAPHS_H
#define BONSAI_GRAPHS_H

#include "program.h"

/* Writes g, and notes the sections that path's format cannot hold. */
bonsai_status save(session *s, const bonsai_graph *g, const char *path, bonsai_encoding features);
bonsai_status save_as(session *s, const bonsai_graph *g, const char *path,
                      const bonsai_write_options *o);
void note_left_out(session *s, const char *path, uint64_t left_out);
/* Reads a graph besides the one that --features and --labels are for. */
bonsai_status read_other(session *s, bonsai_graph **out, const char *path);
/* Prints a path that may have been meant by one that does not exist (suggestpath.c). */
void suggest_graph(const char *missing, char *const *words);

/* Lists where each of consecutive names, each ended by a zero, begins; NULL without names. */
int list_names(session *s, const char ***out, const bonsai_array *a, int64_t count);
/* Gives a graph the class numbers of a small graph or a model, by name, and the scale of the small
 * graph's columns.  Fails for a class that is unknown there; with bare, makes *bare instead, the
 * graph without its labels, which borrows from *g, and prints a note. */
int match_small(session *s, bonsai_graph **full, const bonsai_graph *small);
int match_model(session *s, bonsai_graph **g, const bonsai_model *m, bonsai_graph **bare);

/* Notes that a split was drawn, and the command that draws the same. */
void note_drawn(session *s, const char *path, uint64_t seed);
/* Notes, once, columns of dense features whose standard deviations are far apart. */
void note_scales(session *s, const bonsai_graph *g, const char *path);
int  is_unscaled(const bonsai_graph *g);                /* returns 1 if they are */
void name_scaling(char *line, size_t size, const session *s, const char *path); /* what helps */

/* Writes the page about small to path, with the session's threads and progress; *bytes: its
 * size. */
bonsai_status page_write(session *s, int64_t *bytes, const bonsai_graph *small,
                         const bonsai_graph *full, bonsai_report_options *o, const char *path);

#endif

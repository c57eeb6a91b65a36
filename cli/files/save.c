/* save.c -- writing a graph, and reading one or a second one, for every command.
 *
 * SPDX-License-Identifier: MIT */
#include "files/files.h"
#include "files/graphs.h"

void note_left_out(session *s, const char *path, uint64_t left_out)
{
    char list[512] = "";
    size_t at = 0;
    for (int i = 1; i < BONSAI_SECTION_COUNT; i++)
        if (left_out >> i & 1 && at < sizeof list)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "",
                                   bonsai_section_text((bonsai_section)i));
    if (at)
        note(s, "%s cannot hold these sections, which were left out: %s", path, list);
}

bonsai_status save_as(session *s, const bonsai_graph *g, const char *path,
                      const bonsai_write_options *o)
{
    uint64_t left_out = 0;
    bonsai_status rc = bonsai_graph_save(&left_out, g, path, o);
    if (rc == BONSAI_OK)
        note_left_out(s, path, left_out);
    return rc;
}

bonsai_status save(session *s, const bonsai_graph *g, const char *path, bonsai_encoding features)
{
    bonsai_write_options o;
    bonsai_write_options_init(&o);
    o.features = features;
    o.threads = s->read.threads;
    o.progress = progress_tick;
    o.payload = &s->progress;
    return save_as(s, g, path, &o);
}

bonsai_status read_other(session *s, bonsai_graph **out, const char *path)
{
    bonsai_read_options o = s->read;
    if (path_ends_with(path, ".bonsai") || path_ends_with(path, ".npz"))
        o.features = o.labels = NULL;
    return bonsai_graph_read(out, path, &o);
}

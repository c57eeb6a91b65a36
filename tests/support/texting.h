/* texting.h -- shared by the tests of the text formats.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TEXTING_H
#define BN_TEXTING_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "testing.h"

/* On one thread, because the graphs are tiny and many. */
static inline bonsai_status load(bonsai_graph **g, const char *path)
{
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.threads = 1;
    return bonsai_graph_read(g, path, &o);
}

static inline bonsai_graph *must_read(const char *path)
{
    bonsai_graph *g = NULL;
    if (load(&g, path) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.threads = 1;
    assert_int_equal(bonsai_graph_check(g, &o), BONSAI_OK);
    return g;
}

static inline void refuses_file(const char *path, const char *sentence)
{
    bonsai_graph *g = NULL;
    assert_fails(load(&g, path), BONSAI_E_FORMAT, sentence);
    assert_null(g);
}

static inline bonsai_graph *read_edges(const char *text)
{
    const char *path = temp_path("edges.el");
    write_text(path, text);
    return must_read(path);
}

static inline bool has_edge(const bonsai_graph *g, int64_t u, int64_t v)
{
    for (int64_t e = bn_row_begin(g, u); e < bn_row_begin(g, u + 1); e++)
        if (bn_neighbors(g)[e] == v)
            return true;
    return false;
}

static inline const char *node_name(const bonsai_graph *g, int64_t v)
{
    const char *name = bonsai_graph_view(g)->section[BONSAI_SECTION_NODE_NAMES].data;
    assert_non_null(name);
    while (v-- > 0)
        name += strlen(name) + 1;
    return name;
}

static inline void assert_same(const bonsai_graph *a, const bonsai_graph *b)
{
    int equal = 0;
    assert_int_equal(bonsai_graph_equal(&equal, a, b), BONSAI_OK);
    assert_true(equal);
}

/* Keeps the first of some graphs; frees each other one once it was found to be the same. */
static inline void same_as_first(bonsai_graph **first, bonsai_graph *g)
{
    if (!*first) {
        *first = g;
        return;
    }
    assert_same(*first, g);
    bonsai_graph_free(g);
}

static inline void write_gz(const char *path, const char *text)
{
    gzFile f = gzopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, text, (unsigned)strlen(text)), (int)strlen(text));
    assert_int_equal(gzclose(f), Z_OK);
}

/* Writes a folder of files; NULL: no such file. */
static inline const char *folder_of(const char *name, const char *edges, const char *features,
                             const char *labels)
{
    static char folder[512];
    char path[600];
    const char *text[] = {edges, features, labels};
    static const char *const names[] = {"edges.csv", "features.csv", "labels.csv"};
    snprintf(folder, sizeof folder, "%s", temp_path(name));
    mkdir(folder, 0777);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
        if (text[i])
            write_text(path, text[i]);
    }
    return folder;
}

#endif

/* paper_find.c -- finds the datasets of the paper below a folder, in any layout, and the index
 * lists of their published splits.
 *
 * A dataset is recognised by its nodes, edges, features and classes.  A graph named like a dataset
 * is read first, and left out if its sizes differ.  Index lists are NAME-RATIO.npz.  MAG240M as
 * distributed is not read: the paper's graph is of its labelled papers alone, and the whole may not
 * fit in memory.
 *
 * SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700       /* nftw */
#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "paper.h"

enum { MOST_FOUND = 256 };

typedef struct {
    char path[MOST_PATH];
    int  used;                  /* it is a dataset or index lists, or was named like one */
    int  whole_mag;             /* it is MAG240M as distributed */
    int  large;                 /* it does not fit in memory */
} candidate;

static const char mark_of_mag[] = "paper___cites___paper/edge_index.npy";

static candidate found[MOST_FOUND];             /* nftw has no payload */
static int found_count, found_root, found_more;         /* more: that had no room */

static int has(const char *folder, const char *name)
{
    char path[MOST_PATH + 64];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &st) == 0;
}

static void take(const char *path, int len)
{
    if (found_count == MOST_FOUND || len >= MOST_PATH) {
        found_more++;
        return;
    }
    candidate *c = &found[found_count++];
    *c = (candidate){.used = 0};
    snprintf(c->path, MOST_PATH, "%.*s", len, path);
    c->used = c->whole_mag = has(c->path, mark_of_mag);
}

/* Returns whether a folder is a graph. */
static int is_graph_folder(const char *path)
{
    static const char *const marks[] = {"adj_full.npz", "raw/edge.csv.gz", "raw/edge.csv",
                                        "raw/data.npz", "edges.csv", mark_of_mag, NULL};
    for (int i = 0; marks[i]; i++)
        if (has(path, marks[i]))
            return 1;
    return 0;
}

static int look(const char *path, const struct stat *st, int type, struct FTW *at)
{
    const char *name = path + at->base;
    size_t len = strlen(path);
    (void)st;
    if (type == FTW_D && is_graph_folder(path))
        take(path, (int)len);
    if (type == FTW_F && strncmp(name, "ind.", 4) == 0 && path_ends_with(name, ".allx"))
        take(path, (int)len - 5);
    if (type == FTW_F && (path_ends_with(name, ".bonsai") || path_ends_with(name, ".mtx") ||
                          (path_ends_with(name, ".npz") && strcmp(name, "adj_full.npz") != 0 &&
                           strcmp(name, "adj_train.npz") != 0)))
        take(path, (int)len);
    return 0;
}

/* Returns the length of the name if the part begins with it, apart from case and "_"; else 0. */
static size_t begins(const char *part, const char *name)
{
    size_t i = 0, len = strlen(name);
    while (i < len && (part[i] == '_' ? '-' : tolower((unsigned char)part[i])) == name[i])
        i++;
    return i == len ? len : 0;
}

/* Returns whether a part of the path is the name, apart from an ending. */
static int is_named(const char *path, const char *name)
{
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        part += strncmp(part, "ind.", 4) == 0 ? 4 : 0;
        size_t len = begins(part, name);
        if (len > 0 && (part[len] == '/' || part[len] == '.' || !part[len]))
            return 1;
    }
    return 0;
}

/* Returns whether the file is NAME-RATIO.npz, such as NAME-0.005.npz. */
static int is_lists(const char *path, const char *name)
{
    const char *file = strrchr(path, '/');
    file = file ? file + 1 : path;
    size_t len = begins(file, name);
    return len > 0 && file[len] == '-' && isdigit((unsigned char)file[len + 1]) &&
           path_ends_with(file, ".npz");
}

/* Returns the graph; NULL if it cannot be read. */
static bonsai_graph *read_candidate(session *s, candidate *c, int say_why)
{
    bonsai_graph *g = NULL;
    bonsai_status rc = bonsai_graph_read(&g, c->path, &s->read);
    c->large = rc == BONSAI_E_MEMORY;
    if (c->large)
        note(s, "%s does not fit in memory: left out", c->path);
    else if (rc != BONSAI_OK && say_why)
        note(s, "%s", bonsai_error());
    return g;
}

static void try_named(session *s, dataset *d, candidate *c)
{
    c->used = 1;
    bonsai_graph *g = read_candidate(s, c, 1);
    if (g && bonsai_graph_known(g) == d->is)
        memcpy(d->path, c->path, sizeof d->path);
    else if (g)
        note(s, "%s is named like %s, but has %lld nodes, %lld edges, %lld features and %lld "
             "classes, not %lld, %lld, %lld and %lld: left out", c->path, d->is->title,
             (long long)bonsai_graph_nodes(g), (long long)bonsai_graph_edges(g),
             (long long)bonsai_graph_features(g), (long long)bonsai_graph_classes(g),
             (long long)d->is->nodes, (long long)d->is->edges, (long long)d->is->features,
             (long long)d->is->classes);
    bonsai_graph_free(g);
}

static void try_sizes(session *s, dataset *sets, int count, candidate *c)
{
    bonsai_graph *g = read_candidate(s, c, 0);
    for (int i = 0; g && i < count; i++)
        if (!*sets[i].path && bonsai_graph_known(g) == sets[i].is) {
            memcpy(sets[i].path, c->path, sizeof sets[i].path);
            note(s, "%s is taken for %s, by its size", c->path, sets[i].is->title);
            break;
        }
    bonsai_graph_free(g);
}

/* Takes the first index lists by name: they are the same for every ratio. */
static void find_lists(dataset *d)
{
    for (int j = 0; j < found_count; j++)
        if (is_lists(found[j].path, d->is->name)) {
            found[j].used = 1;
            if (!*d->lists)
                memcpy(d->lists, found[j].path, sizeof d->lists);
        }
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const candidate *)a)->path, ((const candidate *)b)->path);
}

static int search(session *s, const char *folder)
{
    struct stat st;
    if (stat(folder, &st) != 0)
        return fail_with(s, "%s: cannot be opened: %s", folder, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return fail_with(s, "%s: is not a folder", folder);
    found_count = found_more = 0;
    found_root = (int)strlen(folder);
    if (nftw(folder, look, 16, 0) != 0)
        return fail_with(s, "%s: cannot be searched: %s", folder, strerror(errno));
    qsort(found, (size_t)found_count, sizeof *found, by_path);
    if (found_more > 0)
        note(s, "%s: holds %d graphs; %d of them were not looked at, because the limit is %d",
             folder, found_count + found_more, found_more, MOST_FOUND);
    return EXIT_DONE;
}

static int missing_of(const dataset *sets, int count)
{
    int missing = 0;
    for (int i = 0; i < count; i++)
        missing += !*sets[i].path;
    return missing;
}

/* Notes what to do with MAG240M as distributed, unless the paper's graph of it is there. */
static void note_whole_mag(session *s, const dataset *sets, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < found_count; j++) {
            const char *path = found[j].path;
            if (*sets[i].path || strcmp(sets[i].is->name, "mag240m") != 0 || !found[j].whole_mag)
                continue;
            const int len = (int)strlen(path) - (path_ends_with(path, "/processed") ? 10 : 0);
            note(s, "%.*s is MAG240M as distributed; convert its labelled papers first: bonsai "
                 "convert %.*s mag240m.bonsai --labelled", len, path, len, path);
        }
}

/* Fails if no dataset was found and a graph did not fit in memory. */
static int end_of_search(session *s, const dataset *sets, int count)
{
    if (canceled_by())
        return fail(s, BONSAI_E_CANCELED);
    note_whole_mag(s, sets, count);
    for (int j = 0; missing_of(sets, count) == count && j < found_count; j++)
        if (found[j].large)
            return fail_with(s, "%s: does not fit in memory, and no other dataset of the paper was "
                             "found", found[j].path);
    return EXIT_DONE;
}

int paper_find(session *s, dataset *sets, int count, const char *folder)
{
    int code = search(s, folder);
    if (code != EXIT_DONE)
        return code;
    for (int i = 0; i < count; i++) {
        find_lists(&sets[i]);
        for (int j = 0; j < found_count && !*sets[i].path && !canceled_by(); j++)
            if (!found[j].used && is_named(found[j].path + found_root, sets[i].is->name))
                try_named(s, &sets[i], &found[j]);
    }
    const int missing = missing_of(sets, count);
    for (int j = 0; missing > 0 && j < found_count && !canceled_by(); j++)
        if (!found[j].used)
            try_sizes(s, sets, count, &found[j]);
    return end_of_search(s, sets, count);
}

/* cmd_convert.c -- bonsai convert: one format in, another out.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/files.h"
#include "files/graphs.h"
#include "opt/opt.h"

static int summary_sizes(session *s, const char *format, const char *in, const char *out)
{
    summary r = {.count = 0};
    summary_text(&r, "in.path", "read", in);
    summary_text(&r, "in.format", "format", format);
    int64_t in_bytes = summary_file_bytes(&r, "in.bytes", "bytes read", in);
    summary_text(&r, "out.path", "written", out);
    int64_t out_bytes = summary_file_bytes(&r, "out.bytes", "bytes written", out);
    if (in_bytes > 0 && out_bytes >= 0) {
        double share = (double)out_bytes / (double)in_bytes;
        summary_real(&r, "ratio", "out / in", share, "%.3f");
    }
    return summary_print(&r, s);
}

enum { COLUMNS = 2 };           /* of --normalise */

typedef struct {
    const char *path[2], *names, *small;
    bonsai_write_options write;
    int      order, normalise;
    int64_t  parts;
    uint64_t seed;
} arguments;

static bonsai_status read_ordered(session *s, bonsai_graph **out, const arguments *a)
{
    bonsai_graph *g = NULL;
    bonsai_status rc = calls.read(&g, a->path[0], &s->read);
    if (rc != BONSAI_OK || a->order == BONSAI_ORDER_NONE) {
        *out = g;
        return rc;
    }
    rc = bonsai_graph_reorder(out, g, (bonsai_order)a->order, a->parts, a->seed, &s->read);
    bonsai_graph_free(g);
    return rc;
}

static bonsai_status project(session *s, bonsai_graph **out, const bonsai_graph *g,
                             const char *path)
{
    bonsai_graph *small = NULL;
    bonsai_status rc = calls.read(&small, path, &s->read);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_project(out, g, small);
    bonsai_graph_free(small);
    return rc;
}

/* Reads IN, changes it as asked, and writes OUT. names: of its features, or NULL. */
static bonsai_status convert_changed(session *s, const char **format, const arguments *a,
                                     const char *names)
{
    bonsai_graph *g = NULL, *scaled = NULL, *low = NULL, *named = NULL;
    bonsai_status rc = read_ordered(s, &g, a);
    const bonsai_graph *last = g;
    if (rc == BONSAI_OK && a->normalise)
        rc = a->normalise == COLUMNS ? bonsai_graph_standardise(&scaled, g, NULL)
                                     : bonsai_graph_normalise(&scaled, g);
    last = scaled ? scaled : last;
    if (rc == BONSAI_OK && a->small)
        rc = project(s, &low, last, a->small);
    last = low ? low : last;
    if (rc == BONSAI_OK && names)
        rc = bonsai_graph_name_features(&named, last, names);
    if (rc == BONSAI_OK)
        rc = save_as(s, named ? named : last, a->path[1], &a->write);
    if (rc == BONSAI_OK && a->normalise != COLUMNS && !a->small)
        note_scales(s, g, a->path[0]);
    *format = rc == BONSAI_OK ? bonsai_graph_read_info(g)->format : "";
    bonsai_graph_free(named);
    bonsai_graph_free(low);
    bonsai_graph_free(scaled);
    bonsai_graph_free(g);
    return rc;
}

/* Returns 1 if IN may be text, which may need a note. */
static int may_be_text(const char *path)
{
    char file[4096];
    const int native = path_is_native(path);
    path = path_without_format(path);
    snprintf(file, sizeof file, "%s/.", path);
    if (access(file, F_OK) != 0)
        return !native;
    snprintf(file, sizeof file, "%s/edges.csv", path);
    return access(file, F_OK) == 0;
}

/* Lets the library read and write, which needs little memory for folders of large arrays. */
static bonsai_status convert_as_it_is(session *s, const char **format, const arguments *a)
{
    uint64_t left_out = 0;
    bonsai_status rc = bonsai_graph_convert(&left_out, format, a->path[1], a->path[0], &s->read,
                                            &a->write);
    if (rc == BONSAI_OK)
        note_left_out(s, a->path[1], left_out);
    return rc;
}

/* Returns 1 if IN is a folder of large arrays, which is written while it is read. */
static int is_large_arrays(const char *path, const char *format)
{
    char file[4096];
    snprintf(file, sizeof file, "%s/raw/data.npz", path_without_format(path));
    return strcmp(format, "mag240m") == 0 ||
           (strcmp(format, "ogb") == 0 && access(file, F_OK) == 0);
}

/* Notes that --memory had no effect because the whole graph was in memory. */
static void note_memory(session *s, const arguments *a, const char *format)
{
    const int as_it_is = !a->order && !a->normalise && !a->names && !a->small &&
                         !s->read.keep_repeated &&
                         (a->write.features == BONSAI_ENCODING_AUTO ||
                          a->write.features == BONSAI_ENCODING_KEEP);
    if (a->write.memory > 0 &&
        !(as_it_is && path_is_native(a->path[1]) && is_large_arrays(a->path[0], format)))
        note(s, "--memory has an effect only where a folder of large arrays (MAG240M, OGB's binary "
             "form) becomes a .bonsai file as it is");
}

/* Reads the new file to note unlike scales of a graph that was not in memory. */
static void note_written(session *s, const arguments *a, const char *format)
{
    bonsai_graph *g = NULL;
    if (!path_is_native(a->path[1]) || is_large_arrays(a->path[0], format))
        return;
    if (bonsai_graph_load(&g, path_without_format(a->path[1])) == BONSAI_OK)
        note_scales(s, g, a->path[0]);
    bonsai_graph_free(g);
}

static int convert(session *s, const arguments *a)
{
    const char *format = "";
    char *names = NULL;
    int code = a->names ? file_text(s, &names, a->names) : EXIT_DONE;
    if (code != EXIT_DONE)
        return code;
    const int changed = a->order != BONSAI_ORDER_NONE || a->normalise || names || a->small ||
                        may_be_text(a->path[0]);
    bonsai_status rc = changed ? convert_changed(s, &format, a, names)
                               : convert_as_it_is(s, &format, a);
    free(names);
    if (rc != BONSAI_OK)
        return fail(s, rc);
    if (!changed)
        note_written(s, a, format);
    note_memory(s, a, format);
    return summary_sizes(s, format, a->path[0], a->path[1]);
}

int cmd_convert(session *s, int argc, char **argv)
{
    arguments a = {.seed = 1};
    const bonsai_field own[] = {
        {.name = "order", OWN(arguments, order, CHOICE),
         .words = (const char *const[]){"none", "metis", "random", "degree", NULL},
         .help = "renumber the nodes: by parts with few edges between them, at random, or with "
                 "most neighbours first"},
        {.name = "parts", OWN(arguments, parts, LONG), .low = 1, .high = INT32_MAX, .arg = "N",
         .help = "parts of --order metis", .otherwise = "8"},
        {.name = "seed", OWN(arguments, seed, U64), .letter = 's', .arg = "S",
         .help = "the same seed gives the same order"},
        {.name = "normalise", OWN(arguments, normalise, CHOICE),
         .words = (const char *const[]){"none", "rows", "columns", NULL},
         .help = "rows: divide the features of each node by their sum; columns: scale each column to "
                 "mean 0 and spread 1, and record by what, so that graphs that come later are "
                 "scaled alike"},
        {.name = "feature-names", OWN(arguments, names, FILE), .arg = "FILE",
         .help = "names of the features, one a line; else those that IN has"},
        {.name = "project", OWN(arguments, small, FILE), .arg = "SMALL",
         .help = "features become coordinates as SMALL has them, which condense --coordinates made"},
        {0}};
    bonsai_write_options_init(&a.write);
    const opt_spec spec = {
        .usage = "convert IN OUT [options]",
        .about = "Reads the graph IN in any format and writes OUT: a .bonsai or .npz file, or a\n"
                 "folder of text ending in /.  Says which sections OUT cannot hold.  With --order\n"
                 "nodes get new numbers, and the origin section of OUT holds the old ones.  With\n"
                 "METIS's order and one part for each rank, bonsai-mpi exchanges the least data.\n"
                 "Folders of MAG240M and of OGB's binary form become .bonsai files without being\n"
                 "held in memory.",
        .examples = "  bonsai convert ind.cora cora.bonsai\n"
                    "  bonsai convert cora.bonsai cora/\n"
                    "  bonsai convert edges.csv --labels classes.csv graph.npz\n"
                    "  bonsai convert large.bonsai parts.bonsai --order metis --parts 64\n"
                    "  bonsai convert table/ scaled.bonsai --normalise columns\n"
                    "  bonsai convert graph.bonsai low.bonsai --project small.bonsai\n"
                    "  bonsai convert mag240m_kddcup2021 labelled.bonsai --labelled\n",
        .args = "IN OUT",
        .values = a.path,
        .groups = (const opt_group[]){{.base = &a.write, .kind = BONSAI_OPTIONS_WRITE},
                                      {.base = &a, .own = own}, {0}},
        .shared = OPT_READS | OPT_JSON,
    };
    int code = opt_parse(s, &spec, argc, argv);
    if (code != OPT_GO)
        return code;
    if (!path_can_be_written(s, a.path[1]))
        return EXIT_FAILED;
    if (a.write.features != BONSAI_ENCODING_AUTO && !path_is_native(a.path[1]))
        note(s, "--features-as has an effect only on .bonsai files");
    if (a.parts > 0 && a.order != BONSAI_ORDER_METIS)
        note(s, "--parts has no effect without --order metis");
    a.write.threads = s->read.threads;
    a.write.progress = progress_tick;
    a.write.payload = &s->progress;
    return convert(s, &a);
}

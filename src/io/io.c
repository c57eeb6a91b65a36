/* io.c -- finds the format of a path; the entry points for loading and saving.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "container.h"
#include "io.h"
#include "stream.h"
#include "options/options.h"

static const bn_format *const formats[] = {     /* the first that matches is used */
    &bn_format_native,  &bn_format_npz,        &bn_format_planetoid, &bn_format_ogb,
    &bn_format_mag240m, &bn_format_graphsaint, &bn_format_mtx,       &bn_format_text,
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *bonsai_format_name(int i)
{
    return i >= 0 && i < FORMATS ? formats[i]->name : NULL;
}

const char *bonsai_format_help(int i)
{
    return i >= 0 && i < FORMATS ? formats[i]->help : NULL;
}

int bonsai_format_writes(int i)
{
    return i >= 0 && i < FORMATS && formats[i]->write != NULL;
}

/* Returns the format that "FORMAT:PATH" names and moves *path past the colon; NULL: no such
 * prefix. */
static const bn_format *by_prefix(const char **path)
{
    for (int i = 0; i < FORMATS; i++) {
        size_t len = strlen(formats[i]->name);
        if (strncmp(*path, formats[i]->name, len) == 0 && (*path)[len] == ':') {
            *path += len + 1;
            return formats[i];
        }
    }
    return NULL;
}

static bonsai_status unknown(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || access(path, R_OK) != 0)
        return bn_fail_system(path, "cannot be opened", errno);
    if (S_ISDIR(st.st_mode))
        return bn_fail_at(BONSAI_E_FORMAT, path, "this folder has no known layout (OGB has raw/, "
                          "MAG240M processed/paper/, GraphSAINT adj_full.npz, text edges.csv; for "
                          "Planetoid give FOLDER/ind.NAME)");
    bn_fail_at(BONSAI_E_FORMAT, path, "has no known format; name it with FORMAT:PATH");
    return bn_error_kind(BONSAI_E_FORMAT, BONSAI_ERROR_UNKNOWN_FORMAT);
}

bonsai_status bn_check_companions(const bn_format *f, const char *path,
                                  const bonsai_read_options *o)
{
    if (f->companions || (!o->features && !o->labels))
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_ARGUMENT, path, "holds its own features and labels, so the file %s "
                      "would be ignored; only text and mtx graphs take such files",
                      o->features ? o->features : o->labels);
}

/* Finds the format: native files are known by their contents, the others by their names. */
static bonsai_status recognise(const bn_format **out, const char *path)
{
    bonsai_status rc = BONSAI_OK;
    bn_file f = {0};
    if (bn_is_file(path)) {
        BN_TRY(bn_file_open(&f, path));
        if (bn_container_is(&f))
            *out = &bn_format_native;
    }
    for (int i = 0; !*out && i < FORMATS; i++)
        if (formats[i]->matches(path))
            *out = formats[i];
    if (!*out)
        rc = unknown(path);
done:
    bn_file_close(&f);
    return rc;
}

bonsai_status bn_format_find(const bn_format **out, const char **path)
{
    *out = by_prefix(path);
    return *out ? BONSAI_OK : recognise(out, *path);
}

/* Finds the format of what is to be read, and moves *path past its prefix. */
static bonsai_status find_format(const bn_format **out, const char **path,
                                 const bonsai_read_options *o)
{
    bonsai_status rc = BONSAI_OK;
    const char *plain = *path;
    by_prefix(&plain);
    if (access(plain, F_OK) != 0)
        BN_TRY(bn_folder_recover(plain));
    BN_TRY(bn_format_find(out, path));
    BN_TRY(bn_check_companions(*out, *path, o));
done:
    return rc;
}

static bonsai_status read_as(bonsai_graph **out, const bn_format *format, const char *path,
                             const bonsai_read_options *o)
{
    bonsai_status rc;
    bn_draft d = {0};
    if (format->open) {
        BN_TRY(format->open(out, path, o));
    } else {
        BN_TRY(bn_draft_new(&d, path));
        BN_TRY(format->read(&d, path, o));
        BN_TRY(bn_draft_finish(out, &d, o));
    }
    (*out)->info.format = format->name;
done:
    bn_draft_free(&d);
    return rc;
}

bonsai_status bonsai_graph_read(bonsai_graph **out, const char *path,
                                const bonsai_read_options *given)
{
    bonsai_status rc;
    bonsai_read_options o;
    const bn_format *format;
    if (BN_NO_PLACE(out) || bn_is_null(path, "the path"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(BN_OPTIONS(&o, given, read));
    BN_TRY(find_format(&format, &path, &o));
    BN_TRY(read_as(out, format, path, &o));
done:
    return rc;
}

bonsai_status bonsai_graph_load(bonsai_graph **out, const char *path)
{
    return bonsai_graph_read(out, path, NULL);
}

static const bn_format *by_ending(const char *path)
{
    if (bn_ends_with(path, ".npz"))
        return &bn_format_npz;
    if (bn_ends_with(path, ".bonsai"))
        return &bn_format_native;
    if (bn_ends_with(path, "/") || bn_is_dir(path))
        return &bn_format_text;
    return NULL;
}

/* Makes the graph that nodes with a label or a part of the split induce. */
static bonsai_status induce_labelled(bonsai_graph **out, const bonsai_graph *g)
{
    bonsai_status rc;
    int32_t *node = NULL;
    int64_t kept = 0;
    BN_TRY(BN_NEW(&node, g->view.nodes));
    for (int64_t v = 0; v < g->view.nodes; v++)
        if (bn_label(g, v) >= 0 || bn_part(g, v) != BONSAI_PART_NONE)
            node[kept++] = (int32_t)v;
    BN_TRY(bonsai_graph_induce(out, g, node, kept));
done:
    bn_free(node);
    return rc;
}

bonsai_status bonsai_graph_save(uint64_t *left_out, const bonsai_graph *g, const char *path,
                                const bonsai_write_options *given)
{
    bonsai_status rc;
    bonsai_write_options o;
    bonsai_graph *some = NULL;
    uint64_t lost = 0;
    if (bn_is_null(g, "the graph") || bn_is_null(path, "the path"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(BN_OPTIONS(&o, given, write));
    const bn_format *format = by_prefix(&path);
    if (!format)
        format = by_ending(path);
    if (!format || !format->write) {
        rc = bn_fail_at(BONSAI_E_ARGUMENT, path, "%s cannot be written; name a .bonsai or .npz "
                        "file, or a folder ending in /",
                        format ? format->name : "a file of this ending");
        goto done;
    }
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, o.threads));
    if (o.labelled)
        BN_TRY(induce_labelled(&some, g));
    BN_TRY(format->write(some ? some : g, path, &o, &lost));
    if (left_out)
        *left_out = lost;
done:
    bonsai_graph_free(some);
    return rc;
}

/* Returns whether what is asked for can be written while it is read. */
static bool can_stream(const bn_format *from, const char *path, const bonsai_read_options *r,
                       const bonsai_write_options *w)
{
    const bn_format *to = by_prefix(&path);
    const bool as_it_is = w->features == BONSAI_ENCODING_AUTO ||
                          w->features == BONSAI_ENCODING_KEEP;
    return from->stream && (to ? to : by_ending(path)) == &bn_format_native && as_it_is &&
           !r->keep_repeated;
}

/* Writes path[0] while it reads path[1], if that is possible; *done_out tells. */
static bonsai_status try_stream(bool *done_out, const bn_format *from, const char *path[2],
                                const bonsai_read_options *r, const bonsai_write_options *w)
{
    bonsai_status rc = BONSAI_OK;
    bn_stream s = {.where = path[1], .progress = {r->progress, r->payload}};
    *done_out = false;
    if (!can_stream(from, path[0], r, w))
        return BONSAI_OK;
    BN_TRY(from->stream(&s, path[1], r));
    if (s.whole)
        goto done;
    by_prefix(&path[0]);
    BN_TRY(bn_stream_convert(&s, path[0], r, w));
    *done_out = true;
done:
    bn_stream_close(&s);
    return rc;
}

bonsai_status bonsai_graph_convert(uint64_t *left_out, const char **format, const char *path,
                                   const char *from, const bonsai_read_options *read,
                                   const bonsai_write_options *write)
{
    bonsai_status rc;
    bonsai_read_options r;
    bonsai_write_options w;
    const bn_format *known;
    bonsai_graph *g = NULL;
    bool streamed = false;
    if (bn_is_null(path, "the path") || bn_is_null(from, "the path to read"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(BN_OPTIONS(&r, read, read));
    BN_TRY(BN_OPTIONS(&w, write, write));
    BN_TRY(find_format(&known, &from, &r));
    if (left_out)
        *left_out = 0;
    if (format)
        *format = known->name;
    BN_TRY(try_stream(&streamed, known, (const char *[]){path, from}, &r, &w));
    if (!streamed) {
        BN_TRY(read_as(&g, known, from, &r));
        BN_TRY(bonsai_graph_save(left_out, g, path, &w));
    }
done:
    bonsai_graph_free(g);
    return rc;
}

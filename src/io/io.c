/* io.c -- finds the format of a path; the entry points for loading and saving.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "container.h"
#include "io.h"

static const bn_format *const formats[] = {     /* the first that matches is used */
    &bn_format_native,     &bn_format_npz, &bn_format_planetoid, &bn_format_ogb,
    &bn_format_graphsaint, &bn_format_mtx, &bn_format_text,
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
        return bn_fail(BONSAI_E_IO, "%s: cannot be opened: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return bn_fail(BONSAI_E_FORMAT, "%s: this folder has no known layout (OGB has raw/, "
                       "GraphSAINT adj_full.npz, text edges.csv; for Planetoid give "
                       "FOLDER/ind.NAME)", path);
    return bn_fail(BONSAI_E_FORMAT, "%s: has no known format; name it with FORMAT:PATH", path);
}

bonsai_status bn_check_companions(const bn_format *f, const char *path,
                                  const bonsai_read_options *o)
{
    if (f->companions || (!o->features && !o->labels))
        return BONSAI_OK;
    return bn_fail(BONSAI_E_ARGUMENT, "%s: holds its own features and labels, so the file %s would be "
                   "ignored; only text and mtx graphs take such files", path,
                   o->features ? o->features : o->labels);
}

/* A file of ours is known by its contents, whatever its name; the others by their names. */
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

bonsai_status bonsai_graph_read(bonsai_graph **out, const char *path,
                                const bonsai_read_options *given)
{
    bonsai_status rc;
    bonsai_read_options o;
    bn_draft d = {0};
    *out = NULL;
    BN_TRY(BN_OPTIONS(&o, given, read));
    const bn_format *format = by_prefix(&path);
    if (access(path, F_OK) != 0)
        BN_TRY(bn_folder_recover(path));
    if (!format)
        BN_TRY(recognise(&format, path));
    BN_TRY(bn_check_companions(format, path, &o));
    if (format->open) {
        BN_TRY(format->open(out, path, &o));
    } else {
        BN_TRY(bn_draft_new(&d, path));
        BN_TRY(format->read(&d, path, &o));
        BN_TRY(bn_draft_finish(out, &d, &o));
    }
    (*out)->info.format = format->name;
done:
    bn_draft_free(&d);
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

bonsai_status bonsai_graph_save(uint64_t *left_out, const bonsai_graph *g, const char *path,
                                const bonsai_write_options *given)
{
    bonsai_status rc;
    bonsai_write_options o;
    uint64_t lost = 0;
    BN_TRY(BN_OPTIONS(&o, given, write));
    const bn_format *format = by_prefix(&path);
    if (!format)
        format = by_ending(path);
    if (!format || !format->write) {
        rc = bn_fail(BONSAI_E_ARGUMENT, "%s: %s cannot be written; name a .bonsai or .npz file, or "
                     "a folder ending in /", path, format ? format->name : "a file of this ending");
        goto done;
    }
    BN_TRY(bn_graph_need(g, BN_ALL_SECTIONS, o.threads));
    BN_TRY(format->write(g, path, &o, &lost));
    if (left_out)
        *left_out = lost;
done:
    return rc;
}

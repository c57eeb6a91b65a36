/* companion.c -- finds the files next to the edges, and reads them in order.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "companion.h"

/* ---- finding files ---- */

const char *const bn_text_endings[] = {".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz",
                                       NULL};

bonsai_status bn_text_file(char **out, const char *stem)
{
    char *path = NULL;
    size_t len = strlen(stem);
    *out = NULL;
    bonsai_status rc = BN_NEW(&path, (int64_t)len + 8);
    if (rc != BONSAI_OK)
        return rc;
    memcpy(path, stem, len);
    for (int i = 0; bn_text_endings[i] && !*out; i++) {
        strcpy(path + len, bn_text_endings[i]);
        if (bn_is_file(path))
            *out = path;
    }
    if (!*out)
        bn_free(path);
    return BONSAI_OK;
}

/* Returns the length of the path without .gz and without one more ending. */
static size_t stem_length(const char *path)
{
    size_t len = strlen(path);
    if (bn_ends_with(path, ".gz"))
        len -= 3;
    size_t dot = len;
    while (dot > 0 && path[dot - 1] != '.' && path[dot - 1] != '/')
        dot--;
    return dot > 1 && path[dot - 1] == '.' ? dot - 1 : len;
}

/* Finds FOLDER/what.*, or NAME.what.* next to the file NAME.el. */
static bonsai_status find_one(char **out, const char *path, const char *what)
{
    bonsai_status rc;
    char *stem = NULL;
    *out = NULL;
    if (bn_is_dir(path)) {
        BN_TRY(bn_path_join(&stem, path, what));
    } else {
        size_t len = stem_length(path);
        BN_TRY(BN_NEW(&stem, (int64_t)(len + strlen(what)) + 2));
        memcpy(stem, path, len);
        stem[len] = '.';
        strcpy(stem + len + 1, what);
    }
    BN_TRY(bn_text_file(out, stem));
done:
    bn_free(stem);
    return rc;
}

bonsai_status bn_companions_find(bn_companions *c, const char *path, const bonsai_read_options *o)
{
    bonsai_status rc;
    memset(c, 0, sizeof *c);
    c->nodes.n = c->announced_features = c->announced_classes = -1;
    c->o = o;
    c->progress = (bn_progress){o->progress, o->payload};
    if (o->labels)
        BN_TRY(bn_strdup(&c->labels, o->labels));
    else
        BN_TRY(find_one(&c->labels, path, "labels"));
    if (!c->labels)
        BN_TRY(find_one(&c->labels, path, "nodes"));
    if (o->features)
        BN_TRY(bn_strdup(&c->features, o->features));
    else
        BN_TRY(find_one(&c->features, path, "features"));
    c->shared = c->labels && c->features && strcmp(c->labels, c->features) == 0;
done:
    return rc;
}

const char *bn_both_text(char *out, size_t size, const bonsai_read_options *o, const char *path)
{
    char features[512], labels[512];
    snprintf(out, size, "%s %s",
             bn_option_text(features, sizeof features, o, "features", path),
             bn_option_text(labels, sizeof labels, o, "labels", path));
    return out;
}

void bn_companions_free(bn_companions *c)
{
    bn_free(c->labels);
    bn_free(c->features);
    c->labels = c->features = NULL;
    bn_nodes_free(&c->nodes);
}

bonsai_status bn_check_announced_nodes(const bn_lines *l, int64_t n)
{
    const int64_t bytes = l->stop - l->data;
    if (n >= 0 && n <= INT32_MAX && n / 64 <= bytes + (1 << 14))
        return BONSAI_OK;
    return bn_lines_fail(l, "%lld nodes are implausible in %lld bytes of text", (long long)n,
                         (long long)bytes);
}

/* ---- reading in order ---- */

/* Reads both files again: the features list the nodes, and those that the labels lack have none. */
static bonsai_status read_partial(bn_companions *c, bn_draft *d)
{
    bonsai_status rc;
    bn_nodes_free(&c->nodes);
    c->listed = c->extends = false;
    BN_TRY(bn_features_read(c, d, false));
    BN_TRY(bn_labels_read(c, d));
done:
    return rc;
}

bonsai_status bn_companions_nodes(bn_companions *c, bn_draft *d)
{
    bonsai_status rc = BONSAI_OK;
    if (c->announced_classes >= 0)
        d->classes = c->announced_classes;
    if (c->labels)
        BN_TRY(bn_labels_read(c, d));
    if (c->features)
        BN_TRY(bn_features_read(c, d, false));
    if (c->partial)
        BN_TRY(read_partial(c, d));
    if (c->nodes.n > INT32_MAX)
        rc = bn_fail_at(BONSAI_E_FORMAT, c->nodes.listed, "%lld nodes; the number must be in 0..%d",
                        (long long)c->nodes.n, INT32_MAX);
done:
    return rc;
}

bonsai_status bn_companions_finish(bn_companions *c, bn_draft *d)
{
    bonsai_status rc = BONSAI_OK;
    d->nodes = c->nodes.n;
    if (c->features && c->sparse)
        BN_TRY(bn_features_read(c, d, true));
    if (!bn_has(d->g, BONSAI_SECTION_NODE_NAMES))
        BN_TRY(bn_nodes_names(d, &c->nodes));
done:
    return rc;
}

/* mag240m.c -- reads the papers of OGB-LSC's MAG240M and the citations among them.
 *
 *   meta.pt                                        {"paper": n, "num_classes": c, ...}
 *   split_dict.pt                                  {"train": papers, "valid": ..., "test": ...}
 *   processed/paper/node_feat.npy                  [n,768] of halves
 *   processed/paper/node_label.npy                 [n]; NaN: unknown
 *   processed/paper___cites___paper/edge_index.npy [2,m]
 *
 * The folder is known as mag240m_kddcup2021; its parent, and processed/, may be given too.  Other
 * files, of years, authors and institutions, are ignored.  The parts of the test papers, test-dev
 * and test-challenge, or all as test-whole, stand for test if that is not there.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "io.h"
#include "stream.h"
#include "torchfile.h"

enum { FEATURES, LABELS, EDGES, META, SPLIT, FILES };

/* In the folder that has paper/; the last two in it or in one of the two above. */
static const char *const files[FILES] = {
    [FEATURES] = "paper/node_feat.npy",
    [LABELS] = "paper/node_label.npy",
    [EDGES] = "paper___cites___paper/edge_index.npy",
    [META] = "meta.pt",
    [SPLIT] = "split_dict.pt",
};

/* ---- where files are ---- */

/* Returns the folder below path that has paper/; NULL if none has. */
static const char *folder_below(const char *path)
{
    static const char *const below[] = {
        "processed/", "mag240m_kddcup2021/processed/", "processed/mag240m_kddcup2021/", "",
        "mag240m_kddcup2021/",
    };
    for (size_t i = 0; i < sizeof below / sizeof *below; i++)
        if (bn_is_file_at("%s/%s%s", path, below[i], files[FEATURES]) ||
            bn_is_file_at("%s/%s%s", path, below[i], files[EDGES]))
            return below[i];
    return NULL;
}

static bool matches(const char *path)
{
    return folder_below(path) != NULL;
}

enum { MOST_BELOW = 64 };       /* bytes of a folder below the given one, or above it */

/* The folder above one, by its name: a link leads elsewhere, and ".." would be the folder above
 * that place.  Only above the given folder there is no name. */
static void above(char out[MOST_BELOW], const char *below)
{
    size_t len = strlen(below);
    if (len == 0 || below[0] == '.') {
        snprintf(out, MOST_BELOW, "../%s", below);
        return;
    }
    while (--len > 0 && below[len - 1] != '/') {}
    snprintf(out, MOST_BELOW, "%.*s", (int)len, below);
}

/* Finds where a file is, or should be. */
static bonsai_status find_file(char **out, const char *path, const char *below, int file)
{
    char up[MOST_BELOW], top[MOST_BELOW], name[2 * MOST_BELOW];
    const char *const folders[] = {up, below, top}, *in = file < META ? below : up;
    above(up, below);
    above(top, up);
    for (int i = 0; file >= META && i < 3; i++)
        if (bn_is_file_at("%s/%s%s", path, folders[i], files[file])) {
            in = folders[i];
            break;
        }
    snprintf(name, sizeof name, "%s%s", in, files[file]);
    return bn_path_join(out, path, name);
}

/* ---- what they say ---- */

static bonsai_status read_labels(bn_stream *s, const char *path)
{
    bonsai_status rc;
    bn_npy a = {0};
    BN_TRY(bn_npy_open(&a, path));
    BN_TRY(bn_stream_labels(s, &a));
done:
    bn_npy_close(&a);
    return rc;
}

static bonsai_status check_classes(const bn_stream *s, const char *path, const char *meta)
{
    for (int64_t v = 0; v < s->n; v++)
        if (s->label[v] >= s->classes)
            return bn_fail_at(BONSAI_E_FORMAT, path, "entry %lld is %d, but \"num_classes\" of %s "
                              "is %lld", (long long)v, s->label[v], meta, (long long)s->classes);
    return BONSAI_OK;
}

static bonsai_status read_meta(bn_stream *s, const char *path)
{
    bonsai_status rc;
    bn_torch t = {0};
    int64_t papers;
    BN_TRY(bn_torch_open(&t, path));
    BN_TRY(bn_torch_int(&papers, &t, "paper"));
    BN_TRY(bn_torch_int(&s->classes, &t, "num_classes"));
    if (papers != s->n)
        rc = bn_fail_at(BONSAI_E_FORMAT, path, "says %lld papers, but there are %lld labels",
                        (long long)papers, (long long)s->n);
    else if (s->classes < 1 || s->classes > INT32_MAX)
        rc = bn_fail_at(BONSAI_E_FORMAT, path, "says %lld classes; the number must be in 1..%d",
                        (long long)s->classes, INT32_MAX);
done:
    bn_torch_close(&t);
    return rc;
}

/* Puts the papers of a list into a part. */
static bonsai_status read_part(bn_stream *s, bn_torch *t, const char *name, bonsai_part part)
{
    bonsai_status rc;
    int64_t *node = NULL, count = 0;
    BN_TRY(bn_torch_indices(&node, &count, t, name));
    for (int64_t i = 0; i < count; i++) {
        if (node[i] < 0 || node[i] >= s->n) {
            rc = bn_fail_at(BONSAI_E_FORMAT, t->path, "entry %lld of \"%s\" is %lld, outside "
                            "0..%lld", (long long)i, name, (long long)node[i], (long long)s->n - 1);
            goto done;
        }
        if (s->split[node[i]] != BONSAI_PART_NONE) {
            rc = bn_fail_at(BONSAI_E_FORMAT, t->path, "entry %lld of \"%s\": paper %lld is already "
                            "in a part", (long long)i, name, (long long)node[i]);
            goto done;
        }
        s->split[node[i]] = (uint8_t)part;
    }
done:
    bn_free(node);
    return rc;
}

static bonsai_status read_split(bn_stream *s, const char *path)
{
    bonsai_status rc;
    bn_torch t = {0};
    BN_TRY(BN_NEW(&s->split, s->n));
    BN_TRY(bn_torch_open(&t, path));
    BN_TRY(read_part(s, &t, "train", BONSAI_PART_TRAIN));
    BN_TRY(read_part(s, &t, "valid", BONSAI_PART_VAL));
    const char *whole = bn_torch_has(&t, "test") ? "test" : "test-whole";
    if (bn_torch_has(&t, whole)) {
        BN_TRY(read_part(s, &t, whole, BONSAI_PART_TEST));
    } else {
        BN_TRY(read_part(s, &t, "test-dev", BONSAI_PART_TEST));
        if (bn_torch_has(&t, "test-challenge"))
            BN_TRY(read_part(s, &t, "test-challenge", BONSAI_PART_TEST));
    }
done:
    bn_torch_close(&t);
    return rc;
}

/* ---- the folder ---- */

static bonsai_status stream_mag240m(bn_stream *s, const char *path, const bonsai_read_options *o)
{
    bonsai_status rc = BONSAI_OK;
    char *file[FILES] = {NULL};
    const char *below = folder_below(path);
    (void)o;                    /* progress is the stream's */
    for (int i = 0; i < FILES; i++)
        BN_TRY(find_file(&file[i], path, below ? below : "processed/", i));
    BN_TRY(read_labels(s, file[LABELS]));
    BN_TRY(read_meta(s, file[META]));
    BN_TRY(check_classes(s, file[LABELS], file[META]));
    BN_TRY(read_split(s, file[SPLIT]));
    BN_TRY(bn_stream_open(s, file[FEATURES], file[EDGES]));
done:
    for (int i = 0; i < FILES; i++)
        bn_free(file[i]);
    return rc;
}

static bonsai_status read_mag240m(bn_draft *d, const char *path, const bonsai_read_options *o)
{
    bonsai_status rc;
    bn_stream s = {.progress = {o->progress, o->payload}};
    BN_TRY(stream_mag240m(&s, path, o));
    BN_TRY(bn_stream_draft(d, &s));
done:
    bn_stream_close(&s);
    return rc;
}

const bn_format bn_format_mag240m = {
    .name = "mag240m",
    .help = "a folder of OGB-LSC's MAG240M: its papers and their citations",
    .matches = matches,
    .read = read_mag240m,
    .stream = stream_mag240m,
};

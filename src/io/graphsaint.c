/* graphsaint.c -- reads folders in GraphSAINT's layout.
 *
 *   adj_full.npz    a SciPy matrix in CSR: data, indices, indptr, shape, format
 *   feats.npy       [n,f]
 *   class_map.json  {"node": class} or {"node": [0,1,0]} with a single one
 *   role.json       {"tr": [nodes], "va": [nodes], "te": [nodes]}
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "io.h"
#include "json.h"
#include "npy.h"

static bool matches(const char *path)
{
    return bn_is_file_at("%s/adj_full.npz", path);
}

/* ---- the matrices ---- */

/* Fails if the format is not csr: text with one or four bytes per letter, padded with zeros. */
static bonsai_status check_format(bn_zip *z)
{
    bonsai_status rc;
    bn_npy a;
    char raw[64], text[65];
    size_t len = 0;
    if (!bn_zip_has(z, "format"))
        return BONSAI_OK;
    BN_TRY(bn_zip_array(&a, z, "format"));
    if (a.count == 1 && a.width > 0 && a.width <= 64 && (a.kind == 'S' || a.kind == 'U')) {
        BN_TRY(bn_npy_raw(raw, &a, 1));
        BN_TRY(bn_npy_end(&a));
        for (int i = 0; i < a.width; i++)
            if (raw[i] != 0)
                text[len++] = raw[i];
    }
    text[len] = 0;
    if (strcmp(text, "csr") != 0)
        rc = bn_fail_at(BONSAI_E_FORMAT, a.where, "is \"%s\"; only matrices in \"csr\" are read",
                        text);
done:
    bn_npy_close(&a);
    return rc;
}

static bonsai_status read_adjacency(bn_draft *d, const char *path, bn_progress p)
{
    bonsai_status rc;
    bn_zip z = {0};
    int64_t shape[2];
    BN_TRY(bn_zip_open(&z, path, p));
    BN_TRY(check_format(&z));
    BN_TRY(bn_npz_shape(shape, &z, ""));
    if (shape[0] != shape[1]) {
        rc = bn_fail(BONSAI_E_FORMAT, "%s:shape: %lld rows but %lld columns", path,
                     (long long)shape[0], (long long)shape[1]);
        goto done;
    }
    d->nodes = shape[0];
    BN_TRY(bn_npz_adjacency(d, &z, "", d->nodes));
    BN_TRY(bn_zip_done(&z));
done:
    bn_zip_close(&z);
    return rc;
}

static bonsai_status read_features(bn_draft *d, const char *path)
{
    bonsai_status rc;
    bn_npy a;
    int64_t n = d->nodes;
    BN_TRY(bn_npy_open(&a, path));
    BN_TRY(bn_npy_features(d, &a, &n));
done:
    bn_npy_close(&a);
    return rc;
}

/* ---- JSON ---- */

static bonsai_status open_json(bn_json **out, const char *path)
{
    bonsai_status rc;
    bn_file f;
    bn_json_error e;
    *out = NULL;
    BN_TRY(bn_file_open(&f, path));
    if (f.len == 0) {
        rc = bn_fail_at(BONSAI_E_FORMAT, path, "is empty");
        goto done;
    }
    *out = bn_json_parse((const char *)f.data, (size_t)f.len, BN_JSON_UNIQUE, &e);
    if (!*out)
        rc = e.no_memory
                 ? bn_fail(BONSAI_E_MEMORY, "out of memory: no room for %s", path)
                 : bn_fail(BONSAI_E_FORMAT, "%s:%d: %s", path, e.line, e.text);
    else if (!bn_json_is_object(*out))
        rc = bn_fail_at(BONSAI_E_FORMAT, path, "is not a JSON object");
done:
    bn_file_close(&f);
    return rc;
}

/* ---- labels ---- */

typedef struct {
    const char *path;
    int64_t  n;
    int32_t *label;
    uint8_t *seen;
    int64_t  list;              /* length of the lists; -1: none seen yet */
    int64_t  classes;
} label_reader;

/* Finds the position of the single 1 in a list. */
static bonsai_status read_list(int64_t *out, label_reader *r, const char *key, const bn_json *list)
{
    int64_t len = (int64_t)bn_json_count(list), ones = 0;
    for (int64_t i = 0; i < len; i++) {
        const bn_json *item = bn_json_at(list, (size_t)i);
        double v = bn_json_as_number(item);
        if (!bn_json_is_number(item) || (v != 0.0 && v != 1.0))
            return bn_fail_at(BONSAI_E_FORMAT, r->path, "node \"%s\": entry %lld of its list is "
                              "neither 0 nor 1", key, (long long)i);
        if (v == 1.0) {
            *out = i;
            ones++;
        }
    }
    if (ones != 1)
        return bn_fail_at(BONSAI_E_FORMAT, r->path, "node \"%s\" has %lld classes; multi-label "
                          "targets are not supported", key, (long long)ones);
    if (r->list >= 0 && r->list != len)
        return bn_fail_at(BONSAI_E_FORMAT, r->path, "node \"%s\" has a list of %lld where others "
                          "have %lld", key, (long long)len, (long long)r->list);
    r->list = r->classes = len;
    return BONSAI_OK;
}

static bonsai_status read_label(label_reader *r, const char *key, const bn_json *value)
{
    bonsai_status rc = BONSAI_OK;
    const char *p = key, *end = key + strlen(key);
    int64_t node, label = 0;
    if (!bn_parse_int(&p, end, &node) || p != end || node < 0 || node >= r->n)
        return bn_fail_at(BONSAI_E_FORMAT, r->path, "node \"%.100s\" is outside 0..%lld", key,
                          (long long)r->n - 1);
    if (r->seen[node])
        return bn_fail_at(BONSAI_E_FORMAT, r->path, "node %lld occurs twice", (long long)node);
    r->seen[node] = 1;
    if (bn_json_is_array(value))
        BN_TRY(read_list(&label, r, key, value));
    else if (bn_json_is_whole(value))
        label = (int64_t)bn_json_as_whole(value);
    else
        return bn_fail_at(BONSAI_E_FORMAT, r->path, "the class of node %lld is neither an integer "
                          "nor a list", (long long)node);
    if (label < -1 || label >= INT32_MAX)
        return bn_fail_at(BONSAI_E_FORMAT, r->path, "node %lld has class %lld, outside -1..%d",
                          (long long)node, (long long)label, INT32_MAX - 1);
    r->label[node] = (int32_t)label;
    if (label >= r->classes)
        r->classes = label + 1;
done:
    return rc;
}

static bonsai_status read_labels(bn_draft *d, const char *path)
{
    bonsai_status rc;
    label_reader r = {.path = path, .n = d->nodes, .list = -1};
    bn_json *root = NULL;
    const char *key;
    BN_TRY(open_json(&root, path));
    BN_TRY(bn_draft_array(&r.label, d, BONSAI_SECTION_LABELS, BONSAI_TYPE_U32, r.n));
    BN_TRY(BN_NEW(&r.seen, r.n));
    for (int64_t v = 0; v < r.n; v++)
        r.label[v] = -1;
    for (size_t i = 0; (key = bn_json_key(root, i)); i++)
        BN_TRY(read_label(&r, key, bn_json_value(root, i)));
    d->classes = r.classes;
done:
    bn_free(r.seen);
    bn_json_free(root);
    return rc;
}

/* ---- split ---- */

static bonsai_status read_part(uint8_t *split, int64_t n, const bn_json *root, const char *path,
                               int part)
{
    static const char *const keys[] = {"", "tr", "va", "te"};
    const bn_json *list = bn_json_get(root, keys[part]);
    if (!bn_json_is_array(list))
        return bn_fail_at(BONSAI_E_FORMAT, path, "has no list \"%s\"", keys[part]);
    for (size_t i = 0; i < bn_json_count(list); i++) {
        const bn_json *item = bn_json_at(list, i);
        if (!bn_json_is_whole(item))
            return bn_fail_at(BONSAI_E_FORMAT, path, "entry %zu of \"%s\" is not an integer", i,
                              keys[part]);
        int64_t node = (int64_t)bn_json_as_whole(item);
        if (node < 0 || node >= n)
            return bn_fail_at(BONSAI_E_FORMAT, path, "entry %zu of \"%s\" is %lld, outside 0..%lld",
                              i, keys[part], (long long)node, (long long)n - 1);
        if (split[node] != 0 && split[node] != part)
            return bn_fail_at(BONSAI_E_FORMAT, path, "node %lld is in \"%s\" and in \"%s\"",
                              (long long)node, keys[split[node]], keys[part]);
        split[node] = (uint8_t)part;
    }
    return BONSAI_OK;
}

static bonsai_status read_split(bn_draft *d, const char *path)
{
    bonsai_status rc;
    bn_json *root = NULL;
    uint8_t *split;
    BN_TRY(open_json(&root, path));
    BN_TRY(bn_draft_array(&split, d, BONSAI_SECTION_SPLIT, BONSAI_TYPE_U8, d->nodes));
    for (int part = BONSAI_PART_TRAIN; part <= BONSAI_PART_TEST; part++)
        BN_TRY(read_part(split, d->nodes, root, path, part));
done:
    bn_json_free(root);
    return rc;
}

/* ---- the folder ---- */

static bonsai_status read_graphsaint(bn_draft *d, const char *path, const bonsai_read_options *o)
{
    static const char *const names[] = {"adj_full.npz", "feats.npy", "class_map.json", "role.json"};
    bonsai_status rc;
    char *file[4] = {NULL};
    for (int i = 0; i < 4; i++)
        BN_TRY(bn_path_join(&file[i], path, names[i]));
    BN_TRY(read_adjacency(d, file[0], (bn_progress){o->progress, o->payload}));
    BN_TRY(read_features(d, file[1]));
    BN_TRY(read_labels(d, file[2]));
    BN_TRY(read_split(d, file[3]));
done:
    for (int i = 0; i < 4; i++)
        bn_free(file[i]);
    return rc;
}

const bn_format bn_format_graphsaint = {
    .name = "graphsaint",
    .help = "a GraphSAINT folder: adj_full.npz, feats.npy, class_map.json, role.json",
    .matches = matches,
    .read = read_graphsaint,
};

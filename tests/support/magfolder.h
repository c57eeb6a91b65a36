/* magfolder.h -- writes small folders in MAG240M's layout, with files as torch.save writes them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_MAGFOLDER_H
#define BN_MAGFOLDER_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "pickling.h"

/* ---- arrays ---- */

static inline void write_npy(const char *path, const char *type, const char *order,
                             const char *shape, const void *data, size_t len)
{
    static bytes out;
    char text[128];
    int used = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }",
                        type, order, shape);
    memset(text + used, ' ', sizeof text - (size_t)used);
    text[117] = '\n';
    out.len = 0;
    add(&out, "\x93NUMPY\1\0\x76\0", 10);
    add(&out, text, 118);               /* 128 in all, so that elements are aligned */
    add(&out, data, len);
    write_file(path, out.data, out.len);
}

/* ---- files of torch.save ---- */

static inline void add_unicode(bytes *b, const char *s)
{
    const uint32_t len = (uint32_t)strlen(s);
    add_text(b, "X");
    add(b, &len, 4);
    add(b, s, len);
}

/* Bytes as Python 3 writes them in protocol 2: text of the same code points, to be encoded. */
static inline void add_encoded(bytes *b, const void *data, size_t len)
{
    const uint8_t *from = data;
    static bytes text;
    text.len = 0;
    if (len == 0) {
        add_text(b, "c__builtin__\nbytes\n)R");
        return;
    }
    for (size_t i = 0; i < len; i++) {
        const uint8_t two[2] = {(uint8_t)(0xc0 | from[i] >> 6), (uint8_t)(0x80 | (from[i] & 0x3f))};
        add(&text, from[i] > 127 ? two : from + i, from[i] > 127 ? 2 : 1);
    }
    const uint32_t coded = (uint32_t)text.len;
    add_text(b, "c_codecs\nencode\nX");
    add(b, &coded, 4);
    add(b, text.data, text.len);
    add_unicode(b, "latin1");
    add_text(b, "\x86R");
}

/* An array of 64-bit integers. */
static inline void add_indices(bytes *b, const int64_t *data, int count)
{
    add_text(b, "cnumpy._core.multiarray\n_reconstruct\ncnumpy\nndarray\n");
    add(b, "K\0\x85", 3);
    add_encoded(b, "b", 1);
    add(b, "\x87R(K\1", 5);
    add_int(b, count);
    add_text(b, "\x85" "cnumpy\ndtype\n");
    add_unicode(b, "i8");
    add(b, "\x89\x88\x87R(K\3", 7);
    add_unicode(b, "<");
    add(b, "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb", 17);
    add_text(b, "\x89");
    add_encoded(b, data, (size_t)count * 8);
    add_text(b, "tb");
}

/* A tensor of 64-bit integers in a storage that has them all. */
static inline void add_tensor(bytes *b, const char *key, int count, bool older)
{
    add_text(b, "ctorch._utils\n_rebuild_tensor_v2\n((");
    add_unicode(b, "storage");
    add_text(b, "ctorch\nLongStorage\n");
    add_unicode(b, key);
    add_unicode(b, "cpu");
    add_int(b, count);
    add_text(b, older ? "NtQ" : "tQ");
    add(b, "K\0", 2);
    add_int(b, count);
    add(b, "\x85K\1\x85\x89" "ccollections\nOrderedDict\n)RtR", 34);
}

static inline void zip_put(zip_t *z, const char *name, const void *data, size_t len)
{
    zip_source_t *s = zip_source_buffer(z, data, len, 0);
    assert_non_null(s);
    const zip_int64_t at = zip_file_add(z, name, s, ZIP_FL_OVERWRITE);
    assert_true(at >= 0);
    zip_set_file_compression(z, (zip_uint64_t)at, ZIP_CM_STORE, 0);
}

/* An archive with one pickle, and a storage unless it is NULL. */
static inline void write_torch(const char *path, const bytes *pickle, const void *storage,
                               size_t len)
{
    unlink(path);
    zip_t *z = zip_open(path, ZIP_CREATE, NULL);
    assert_non_null(z);
    zip_put(z, "archive/data.pkl", pickle->data, pickle->len);
    zip_put(z, "archive/version", "3\n", 2);
    if (storage)
        zip_put(z, "archive/data/0", storage, len);
    assert_int_equal(zip_close(z), 0);
}

/* ---- the folder: six papers ---- */

static const float    mag_label[6] = {0, NAN, 2, 1, NAN, NAN};
static const uint16_t mag_x[6][2] = {{0x3c00, 0}, {0x4000, 0xbc00}, {0x3800, 0x3c00},
                                     {0, 0x0001}, {0x7bff, 0}, {0x3c00, 0x3c00}};
static const int64_t  mag_edge[2][7] = {{0, 1, 2, 3, 5, 0, 4}, {1, 2, 3, 0, 2, 1, 4}};
static const int64_t  mag_part[3][1] = {{0}, {2}, {4}};         /* paper 4 has no label to see */

static inline const char *mag_in(const char *folder, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return temp_path(path);
}

static inline void write_meta(const char *path, int papers, int classes)
{
    static bytes b;
    begin_pickle(&b);
    add_text(&b, "}(");
    add_unicode(&b, "paper");
    add_int(&b, papers);
    add_unicode(&b, "author");
    add_int(&b, 1 << 20);
    add_unicode(&b, "num_classes");
    add_int(&b, classes);
    add_text(&b, "u.");
    write_torch(path, &b, NULL, 0);
}

/* A split of one paper in each part; `test` is the name of the last. */
static inline void write_split(const char *path, const int64_t part[3][1], const char *test)
{
    static bytes b;
    const char *const names[3] = {"train", "valid", test};
    begin_pickle(&b);
    add_text(&b, "}(");
    for (int i = 0; i < 3; i++) {
        add_unicode(&b, names[i]);
        add_indices(&b, part[i], 1);
    }
    add_text(&b, "u.");
    write_torch(path, &b, NULL, 0);
}

static inline void write_empty_split(const char *path)
{
    static bytes b;
    static const char *const names[3] = {"train", "valid", "test"};
    begin_pickle(&b);
    add_text(&b, "}(");
    for (int i = 0; i < 3; i++) {
        add_unicode(&b, names[i]);
        add_indices(&b, NULL, 0);
    }
    add_text(&b, "u.");
    write_torch(path, &b, NULL, 0);
}

#define MAG_FEATURES "processed/paper/node_feat.npy"
#define MAG_LABELS "processed/paper/node_label.npy"
#define MAG_EDGES "processed/paper___cites___paper/edge_index.npy"

static inline void write_mag(const char *folder)
{
    static const char *const folders[] = {"", "processed", "processed/paper",
                                          "processed/paper___cites___paper"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        mkdir(mag_in(folder, folders[i]), 0700);
    write_npy(mag_in(folder, MAG_FEATURES), "<f2", "False", "(6, 2)", mag_x, sizeof mag_x);
    write_npy(mag_in(folder, MAG_LABELS), "<f4", "False", "(6,)", mag_label, sizeof mag_label);
    write_npy(mag_in(folder, MAG_EDGES), "<i8", "False", "(2, 7)", mag_edge, sizeof mag_edge);
    write_meta(mag_in(folder, "meta.pt"), 6, 3);
    write_split(mag_in(folder, "split_dict.pt"), mag_part, "test");
}

#endif

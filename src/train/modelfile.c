/* modelfile.c -- models in the native file: the container of graphs, kind 2.
 *
 * The header's four numbers are parameters, features of a graph, classes, 0.  Sections have the
 * same numbers and meaning as in a graph; one more holds the parameters.  The dimensions are in
 * the metadata.  Everything else is checked against them before anything is allocated, and
 * every checksum is compared.  doc/format.md describes the bytes.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "io/container.h"
#include "json.h"
#include "model.h"

/* ---- writing ---- */

static bn_json *metadata_json(const bonsai_model *m)
{
    const bn_dims *s = &m->dims;
    const bonsai_model_info *i = &m->info;
    bn_json *root =
        bn_json_pack("{s:s,s:s,s:i,s:I,s:i,s:i,s:I,s:I,s:I,s:I,s:i,s:f,s:f}",
                     "bonsai", BONSAI_VERSION, "model", bonsai_model_name(s->kind),
                     "layers", s->layers, "hidden", (int64_t)s->hidden, "heads", s->heads,
                     "gin_layers", s->gin_layers, "features", (int64_t)s->features,
                     "graph_features", (int64_t)i->features, "classes", (int64_t)s->classes,
                     "seed", (int64_t)i->seed, "epoch", i->epoch,
                     "accuracy", i->accuracy, "accuracy_val", i->accuracy_val);
    if (s->weighted)
        bn_json_set(root, "weighted", bn_json_whole(1));
    if (i->scale > 0)
        bn_json_set(root, "scale", bn_json_real(i->scale));
    if (bn_split_is_asked(i->split)) {
        bn_json_set(root, "split", bn_json_pack("[f,f,f]", i->split[0], i->split[1], i->split[2]));
        bn_json_set(root, "split_seed", bn_json_whole((int64_t)i->split_seed));
        bn_json_set(root, "split_labels", bn_json_whole(i->split_labels));
    }
    return root;
}

static bn_json *floats_json(const float *of, int64_t count)
{
    bn_json *list = bn_json_array();
    for (int64_t i = 0; i < count; i++)
        bn_json_add(list, bn_json_real((double)of[i]));
    return list;
}

/* Makes the metadata; bn_json_drop *out. */
static bonsai_status make_metadata(char **out, const bonsai_model *m)
{
    bn_json *root = metadata_json(m);
    for (uint32_t id = BN_COLUMN_MEAN; m->column_mean && id <= BN_COLUMN_SPREAD; id++)
        bn_json_set(root, bn_part_text(id), floats_json(id == BN_COLUMN_MEAN ? m->column_mean
                                                                           : m->column_spread,
                                                        m->dims.features));
    *out = bn_json_print(root, 0, 17);
    bn_json_free(root);
    return *out ? BONSAI_OK : bn_fail(BONSAI_E_MEMORY, "out of memory: no room for the metadata");
}

static void fill_table(bn_container *c, const bonsai_model *m, const bonsai_array *part)
{
    memset(c, 0, sizeof *c);
    c->kind = BN_KIND_MODEL;
    c->field[0] = (uint64_t)m->count;
    c->field[1] = (uint64_t)m->info.features;
    c->field[2] = (uint64_t)m->dims.classes;
    for (uint32_t id = 1; id < BN_MODEL_PARTS; id++) {
        const bonsai_array *a = &part[id];
        if (a->data)
            c->entry[c->entries++] = (bn_entry){.id = id, .type = a->type, .count = a->count,
                                                .crc = bn_crc32(0, a->data, bn_part_bytes(a))};
    }
}

static bonsai_status write_parts(const bonsai_model *m, const bonsai_array *part, const char *path)
{
    static const uint8_t zero[BN_CONTAINER_ALIGN] = {0};
    bonsai_status rc;
    bn_out *out = NULL;
    bn_container c;
    uint8_t head[64 + 32 * BN_CONTAINER_MAX];
    fill_table(&c, m, part);
    bn_container_pack(head, &c, bn_container_layout(&c));
    BN_TRY(bn_out_open(&out, path));
    BN_TRY(bn_out_write(out, head, bn_container_head(&c)));
    for (int i = 0; i < c.entries; i++) {
        const bonsai_array *a = &part[c.entry[i].id];
        BN_TRY(bn_out_write(out, zero, c.entry[i].offset - bn_out_tell(out)));
        BN_TRY(bn_out_write(out, a->data, bn_part_bytes(a)));
    }
    BN_TRY(bn_out_commit(out));
done:
    bn_out_close(out);
    return rc;
}

static bonsai_status write_model(const bonsai_model *m, const char *path)
{
    bonsai_status rc;
    bonsai_array part[BN_MODEL_PARTS] = {{0}};
    char *names = NULL, *metadata = NULL;
    int64_t f = m->dims.features, names_len = 0;
    if (m->class_names)
        BN_TRY(bn_model_names_text(&names, &names_len, m));
    BN_TRY(make_metadata(&metadata, m));
    int64_t metadata_len = (int64_t)strlen(metadata);
    part[BONSAI_SECTION_CLASS_NAMES] = (bonsai_array){names, names_len, BONSAI_TYPE_U8};
    part[BONSAI_SECTION_KEPT_FEATURES] = (bonsai_array){m->kept, f, BONSAI_TYPE_U32};
    part[BONSAI_SECTION_FEATURE_MEAN] = (bonsai_array){m->mean, f, BONSAI_TYPE_F32};
    part[BONSAI_SECTION_FEATURE_SPREAD] = (bonsai_array){m->spread, f, BONSAI_TYPE_F32};
    part[BONSAI_SECTION_METADATA] = (bonsai_array){metadata, metadata_len, BONSAI_TYPE_U8};
    part[BONSAI_SECTION_FEATURE_NAMES] = bn_model_feature_names(m);
    part[BN_PARAMETERS] = (bonsai_array){m->param, m->count, BONSAI_TYPE_F32};
    BN_TRY(write_parts(m, part, path));
done:
    bn_free(names);
    bn_json_drop(metadata);
    return rc;
}

bonsai_status bonsai_model_save(const bonsai_model *m, const char *path)
{
    bonsai_status rc;
    if (bn_is_null(m, "the model") || bn_is_null(path, "the path"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_model_check(m, path));
    BN_TRY(bn_ends_with(path, ".npz") ? bn_model_npz(m, path) : write_model(m, path));
done:
    return rc;
}

/* ---- reading: the file ---- */

typedef struct {
    bn_model_parts p;
    bn_file      file;
    bn_container c;
    bn_json     *metadata;
    float       *column[2];     /* the scales of columns */
} reader;

static bonsai_status must_be_model(const reader *r)
{
    if (r->c.kind == BN_KIND_MODEL)
        return BONSAI_OK;
    if (r->c.kind == BN_KIND_GRAPH)
        return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "is a graph, not a model; \"bonsai train\" "
                          "makes one of it");
    return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "is a bonsai file but holds no model (kind %u)",
                      r->c.kind);
}

static bonsai_status open_container(reader *r)
{
    bonsai_status rc;
    BN_TRY(bn_container_read(&r->c, &r->file, r->p.path));
    BN_TRY(must_be_model(r));
done:
    return rc;
}

static bonsai_type type_of(uint32_t id)         /* NONE: not a section of models */
{
    switch (id) {
    case BONSAI_SECTION_CLASS_NAMES:
    case BONSAI_SECTION_FEATURE_NAMES:
    case BONSAI_SECTION_METADATA:
        return BONSAI_TYPE_U8;
    case BONSAI_SECTION_KEPT_FEATURES:
        return BONSAI_TYPE_U32;
    case BONSAI_SECTION_FEATURE_MEAN:
    case BONSAI_SECTION_FEATURE_SPREAD:
    case BN_PARAMETERS:
        return BONSAI_TYPE_F32;
    default:
        return BONSAI_TYPE_NONE;
    }
}

static bonsai_status lay_parts(reader *r)
{
    for (int i = 0; i < r->c.entries; i++) {
        const bn_entry *e = &r->c.entry[i];
        if (type_of(e->id) == BONSAI_TYPE_NONE)
            return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "section %u is not known in a model to "
                              "this version of the library (%s)", e->id, BONSAI_VERSION);
        if (e->type != (uint32_t)type_of(e->id))
            return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "%s: type %s (%u) is not allowed here",
                              bn_part_text(e->id), bonsai_type_text((bonsai_type)e->type), e->type);
        bonsai_array *a = &r->p.part[e->id];
        *a = (bonsai_array){r->file.data + e->offset, e->count, (bonsai_type)e->type};
        if (bn_crc32(0, a->data, bn_part_bytes(a)) != e->crc)
            return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "the checksum of the section \"%s\" does "
                              "not match: the file is damaged", bn_part_text(e->id));
    }
    if (!r->p.part[BN_PARAMETERS].data || !r->p.part[BONSAI_SECTION_METADATA].data)
        return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "has no %s",
                          r->p.part[BN_PARAMETERS].data ? "metadata" : "parameters");
    return BONSAI_OK;
}

/* ---- reading: the metadata ---- */

static bonsai_status parse_metadata(reader *r)
{
    const bonsai_array *a = &r->p.part[BONSAI_SECTION_METADATA];
    bn_json_error error;
    r->metadata = bn_json_parse(a->data, (size_t)a->count, BN_JSON_UNIQUE, &error);
    if (r->metadata && bn_json_is_object(r->metadata))
        return BONSAI_OK;
    if (r->metadata)
        return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "metadata: is not a JSON object");
    if (error.no_memory)
        return bn_fail(BONSAI_E_MEMORY, "out of memory: no room for the metadata of %s", r->p.path);
    return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "metadata: %s (line %d)", error.text, error.line);
}

static bonsai_status get_integer(int64_t *out, const reader *r, const char *key, int64_t least,
                                 int64_t most)
{
    const bn_json *v = bn_json_get(r->metadata, key);
    if (!bn_json_is_whole(v))
        return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "metadata: \"%s\" is %s", key,
                          v ? "not an integer" : "missing");
    *out = bn_json_as_whole(v);
    if (*out < least || *out > most)
        return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "metadata: \"%s\" is %lld, outside "
                          "%lld..%lld", key, (long long)*out, (long long)least, (long long)most);
    return BONSAI_OK;
}

static bonsai_status get_int(int *out, const reader *r, const char *key)
{
    int64_t v = 0;
    bonsai_status rc = get_integer(&v, r, key, 0, INT32_MAX);
    *out = (int)v;
    return rc;
}

/* Reads "weighted"; models without it are not. */
static bonsai_status get_weighted(bool *out, const reader *r)
{
    int64_t v = 0;
    bonsai_status rc = BONSAI_OK;
    if (bn_json_get(r->metadata, "weighted"))
        rc = get_integer(&v, r, "weighted", 0, 1);
    *out = v != 0;
    return rc;
}

/* Reads the split that was drawn; models without it have none. */
static bonsai_status get_split(bonsai_model_info *i, const reader *r)
{
    bonsai_status rc = BONSAI_OK;
    int64_t seed;
    const bn_json *split = bn_json_get(r->metadata, "split");
    if (!split)
        goto done;
    BN_TRY(get_integer(&i->split_labels, r, "split_labels", 1, UINT32_MAX));
    BN_TRY(get_integer(&seed, r, "split_seed", INT64_MIN, INT64_MAX));
    i->split_seed = (uint64_t)seed;
    for (int k = 0; k < 3; k++) {
        const bn_json *v = bn_json_count(split) == 3 ? bn_json_at(split, (size_t)k) : NULL;
        i->split[k] = bn_json_is_number(v) ? bn_json_as_number(v) : -1;
    }
done:
    return rc;
}

static bonsai_status get_number(double *out, const reader *r, const char *key)
{
    const bn_json *v = bn_json_get(r->metadata, key);
    if (!bn_json_is_number(v))
        return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "metadata: \"%s\" is %s", key,
                          v ? "not a number" : "missing");
    *out = bn_json_as_number(v);
    return BONSAI_OK;
}

/* Reads the scales of columns, which may be missing; stores NAN for values that are not numbers. */
static bonsai_status get_columns(reader *r)
{
    bonsai_status rc = BONSAI_OK;
    for (uint32_t i = 0; i < 2; i++) {
        const bn_json *list = bn_json_get(r->metadata, bn_part_text(BN_COLUMN_MEAN + i));
        const int64_t count = list ? (int64_t)bn_json_count(list) : 0;
        if (!list)
            continue;
        BN_TRY(BN_NEW(&r->column[i], count));
        for (int64_t k = 0; k < count; k++) {
            const bn_json *v = bn_json_at(list, (size_t)k);
            r->column[i][k] = bn_json_is_number(v) ? (float)bn_json_as_number(v) : NAN;
        }
        r->p.part[BN_COLUMN_MEAN + i] = (bonsai_array){r->column[i], count, BONSAI_TYPE_F32};
    }
done:
    return rc;
}

static bonsai_status get_kind(bonsai_model_kind *out, const reader *r)
{
    const char *name = bn_json_as_text(bn_json_get(r->metadata, "model"));
    if (!name)
        return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "metadata: \"model\" is missing or not a "
                          "text");
    for (int k = 0; k < BONSAI_MODEL_COUNT; k++)
        if (strcmp(name, bonsai_model_name((bonsai_model_kind)k)) == 0) {
            *out = (bonsai_model_kind)k;
            return BONSAI_OK;
        }
    return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "metadata: \"%.40s\" is not a model that this "
                      "version of the library knows (%s)", name, BONSAI_VERSION);
}

static bonsai_status read_metadata(reader *r)
{
    bonsai_status rc;
    int64_t seed;
    bn_dims *s = &r->p.dims;
    BN_TRY(parse_metadata(r));
    BN_TRY(get_kind(&s->kind, r));
    BN_TRY(get_int(&s->layers, r, "layers"));
    BN_TRY(get_int(&s->heads, r, "heads"));
    BN_TRY(get_int(&s->gin_layers, r, "gin_layers"));
    BN_TRY(get_weighted(&s->weighted, r));
    BN_TRY(get_integer(&s->hidden, r, "hidden", 0, INT32_MAX));
    BN_TRY(get_integer(&s->features, r, "features", 0, INT32_MAX));
    BN_TRY(get_integer(&s->classes, r, "classes", 0, INT32_MAX));
    BN_TRY(get_integer(&r->p.info.features, r, "graph_features", s->features, INT32_MAX));
    BN_TRY(get_integer(&seed, r, "seed", INT64_MIN, INT64_MAX));
    BN_TRY(get_int(&r->p.info.epoch, r, "epoch"));
    BN_TRY(get_number(&r->p.info.accuracy, r, "accuracy"));
    BN_TRY(get_number(&r->p.info.accuracy_val, r, "accuracy_val"));
    if (bn_json_get(r->metadata, "scale"))
        BN_TRY(get_number(&r->p.info.scale, r, "scale"));
    BN_TRY(get_split(&r->p.info, r));
    BN_TRY(get_columns(r));
    r->p.info.seed = (uint64_t)seed;
    if (bn_dims_check(s, r->p.path) != BONSAI_OK)
        rc = BONSAI_E_FORMAT;                   /* the file is wrong; the sentence stays */
done:
    return rc;
}

/* ---- reading: the header ---- */

static bonsai_status check_header(const reader *r)
{
    static const char *const names[] = {"parameters", "features", "classes", "reserved bits"};
    bn_param table[BN_MOST_PARAMS];
    int count;
    int64_t total;
    bn_dims_params(table, &count, &total, &r->p.dims);
    const int64_t wanted[] = {total, r->p.info.features, r->p.dims.classes, 0};
    for (int i = 0; i < 4; i++)
        if (r->c.field[i] != (uint64_t)wanted[i])
            return bn_fail_at(BONSAI_E_FORMAT, r->p.path, "the header says %llu %s where the "
                              "metadata say %lld", (unsigned long long)r->c.field[i], names[i],
                              (long long)wanted[i]);
    return BONSAI_OK;
}

/* ---- reading: a file of either kind ---- */

static bonsai_status read_native(bonsai_model **out, reader *r)
{
    bonsai_status rc;
    BN_TRY(open_container(r));
    BN_TRY(lay_parts(r));
    BN_TRY(read_metadata(r));
    BN_TRY(check_header(r));
    BN_TRY(bn_model_of(out, &r->p));
done:
    return rc;
}

static bool is_archive(const bn_file *f)
{
    return f->len >= 4 && memcmp(f->data, "PK", 2) == 0;
}

bonsai_status bonsai_model_load(bonsai_model **out, const char *path)
{
    bonsai_status rc;
    reader r = {.p.path = path};
    if (BN_NO_PLACE(out) || bn_is_null(path, "the path"))
        return BONSAI_E_ARGUMENT;
    BN_TRY(bn_file_open(&r.file, path));
    BN_TRY(is_archive(&r.file) ? bn_model_unzip(out, path) : read_native(out, &r));
done:
    bn_json_free(r.metadata);
    bn_free(r.column[0]);
    bn_free(r.column[1]);
    bn_file_close(&r.file);
    return rc;
}

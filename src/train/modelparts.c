/* modelparts.c -- checks that hold for every file of a model, and makes the model.
 *
 * Everything is checked against the dimensions before the model is allocated.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "model.h"

const char *bn_part_text(uint32_t id)
{
    return id == BN_PARAMETERS ? "parameters" : id == BN_COLUMN_MEAN ? "column_mean"
           : id == BN_COLUMN_SPREAD ? "column_spread" : bonsai_section_text((bonsai_section)id);
}

int64_t bn_part_bytes(const bonsai_array *a)
{
    return a->count * (int64_t)bonsai_type_bytes(a->type);
}

/* ---- checks of both directions ---- */

/* Fails at the first number that is not finite, naming its parameter. */
static bonsai_status check_params(const bn_dims *s, const float *param, bonsai_status rc,
                                  const char *where)
{
    bn_param table[BN_MOST_PARAMS];
    int count;
    int64_t total;
    bn_dims_params(table, &count, &total, s);
    for (int p = 0; p < count; p++)
        for (int64_t i = 0; i < table[p].rows * table[p].cols; i++)
            if (!isfinite(param[table[p].at + i]))
                return bn_fail_at(rc, where, "parameter %s: entry %lld is %g, which is not finite",
                                  table[p].name, (long long)i, (double)param[table[p].at + i]);
    return BONSAI_OK;
}

static bonsai_status check_accuracy(double v, const char *name, bonsai_status rc, const char *where)
{
    if (v == -1.0 || (v >= 0.0 && v <= 100.0))
        return BONSAI_OK;
    return bn_fail_at(rc, where, "%s is %g, which is neither in 0..100 nor -1 for unknown", name,
                      v);
}

static bonsai_status check_accuracies(const bonsai_model_info *i, bonsai_status rc,
                                      const char *where)
{
    const bonsai_status first = check_accuracy(i->accuracy, "accuracy", rc, where);
    return first ? first : check_accuracy(i->accuracy_val, "accuracy_val", rc, where);
}

static bonsai_status check_split(const bonsai_model_info *i, const char *path)
{
    double sum = 0;
    bool good = true;
    for (int k = 0; k < 3; k++) {
        good = good && i->split[k] >= 0 && i->split[k] <= 100;
        sum += i->split[k];
    }
    if (good && sum <= 100 + 1e-9)
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_FORMAT, path, "the split that it was judged on is not three numbers "
                      "of percent, at most 100 in all");
}

static bonsai_status check_scale(const bonsai_model_info *i, const char *path)
{
    if (i->scale >= 0 && isfinite(i->scale))
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_FORMAT, path, "scale is %g, which is no standard deviation",
                      i->scale);
}

/* Checks the scales of columns: both or neither, a number for every feature. */
static bonsai_status check_columns(const bn_model_parts *r)
{
    const bonsai_array *mean = &r->part[BN_COLUMN_MEAN], *spread = &r->part[BN_COLUMN_SPREAD];
    bool good = !mean->data == !spread->data;
    for (int64_t j = 0; good && mean->data && j < r->dims.features; j++)
        good = mean->count == r->dims.features && spread->count == r->dims.features &&
               isfinite(((const float *)mean->data)[j]) &&
               isfinite(((const float *)spread->data)[j]) && ((const float *)spread->data)[j] >= 0;
    return good ? BONSAI_OK
                : bn_fail_at(BONSAI_E_FORMAT, r->path, "column_mean and column_spread are not a "
                             "mean and a standard deviation of each feature");
}

bonsai_status bn_model_check(const bonsai_model *m, const char *path)
{
    bonsai_status rc;
    BN_TRY(check_params(&m->dims, m->param, BONSAI_E_ARGUMENT, path));
    BN_TRY(check_accuracies(&m->info, BONSAI_E_ARGUMENT, path));
done:
    return rc;
}

/* ---- checks against the dimensions ---- */

static bonsai_status must_have(const bn_model_parts *r, uint32_t id, int64_t count)
{
    const bonsai_array *a = &r->part[id];
    if (!a->data || a->count == count)
        return BONSAI_OK;
    return bn_fail_at(BONSAI_E_FORMAT, r->path, "%s: %lld elements where %lld are needed",
                      bn_part_text(id), (long long)a->count, (long long)count);
}

static bonsai_status check_counts(const bn_model_parts *r)
{
    bonsai_status rc;
    bn_param table[BN_MOST_PARAMS];
    int count;
    int64_t total, f = r->dims.features;
    bn_dims_params(table, &count, &total, &r->dims);
    BN_TRY(must_have(r, BN_PARAMETERS, total));
    BN_TRY(must_have(r, BONSAI_SECTION_KEPT_FEATURES, f));
    BN_TRY(must_have(r, BONSAI_SECTION_FEATURE_MEAN, f));
    BN_TRY(must_have(r, BONSAI_SECTION_FEATURE_SPREAD, f));
    bool mean = r->part[BONSAI_SECTION_FEATURE_MEAN].data;
    bool spread = r->part[BONSAI_SECTION_FEATURE_SPREAD].data;
    if (mean != spread)
        return bn_fail_at(BONSAI_E_FORMAT, r->path, "has \"feature %s\" but not \"feature %s\"",
                          mean ? "mean" : "spread", mean ? "spread" : "mean");
    if (!r->part[BONSAI_SECTION_KEPT_FEATURES].data && r->info.features != f)
        return bn_fail_at(BONSAI_E_FORMAT, r->path, "takes %lld of %lld features but does not say "
                          "which", (long long)f, (long long)r->info.features);
done:
    return rc;
}

/* Checks names, lists and means by the rules of graphs, and two more. */
static bonsai_status check_elements(const bn_model_parts *r)
{
    static const bonsai_section shared[] = {
        BONSAI_SECTION_CLASS_NAMES, BONSAI_SECTION_KEPT_FEATURES, BONSAI_SECTION_FEATURE_MEAN,
        BONSAI_SECTION_FEATURE_SPREAD, BONSAI_SECTION_FEATURE_NAMES,
    };
    bonsai_status rc;
    bonsai_view v;
    int64_t f = r->dims.features;
    const int32_t *kept = r->part[BONSAI_SECTION_KEPT_FEATURES].data;
    const float *spread = r->part[BONSAI_SECTION_FEATURE_SPREAD].data;
    bonsai_view_init(&v);
    v.classes = r->dims.classes;
    v.features = f;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        v.section[shared[i]] = r->part[shared[i]];
        if (v.section[shared[i]].data)
            BN_TRY(bn_section_check(&v, shared[i], r->path, 1));
    }
    if (kept && kept[f - 1] >= r->info.features)
        return bn_fail_at(BONSAI_E_FORMAT, r->path, "kept features: entry %lld is %d, outside "
                          "0..%lld", (long long)(f - 1), (int)kept[f - 1],
                          (long long)(r->info.features - 1));
    for (int64_t i = 0; spread && i < f; i++)
        if (spread[i] == 0)
            return bn_fail_at(BONSAI_E_FORMAT, r->path, "feature spread: entry %lld is 0, which "
                              "divides nothing", (long long)i);
    rc = check_params(&r->dims, r->part[BN_PARAMETERS].data, BONSAI_E_FORMAT, r->path);
done:
    return rc;
}

/* ---- the handle ---- */

static bonsai_status copy_part(void *out, const bonsai_array *a)
{
    bonsai_status rc = BONSAI_OK;
    void *to = NULL;
    if (!a->data)
        return rc;
    BN_TRY(bn_new(&to, a->count, bonsai_type_bytes(a->type)));
    memcpy(to, a->data, (size_t)bn_part_bytes(a));
    memcpy(out, &to, sizeof to);                /* *out is some other pointer's type */
done:
    return rc;
}

static bonsai_status make_model(bonsai_model **out, const bn_model_parts *r)
{
    bonsai_status rc;
    bonsai_model *m = NULL;
    const bonsai_array *part = r->part;
    BN_TRY(bn_model_new(&m, &r->dims));
    m->info.features = r->info.features;
    m->info.epoch = r->info.epoch;
    m->info.seed = r->info.seed;
    m->info.accuracy = r->info.accuracy;
    m->info.accuracy_val = r->info.accuracy_val;
    memcpy(m->info.split, r->info.split, sizeof m->info.split);
    m->info.split_seed = r->info.split_seed;
    m->info.split_labels = r->info.split_labels;
    m->info.scale = r->info.scale;
    memcpy(m->param, part[BN_PARAMETERS].data, (size_t)bn_part_bytes(&part[BN_PARAMETERS]));
    BN_TRY(copy_part(&m->kept, &part[BONSAI_SECTION_KEPT_FEATURES]));
    BN_TRY(copy_part(&m->mean, &part[BONSAI_SECTION_FEATURE_MEAN]));
    BN_TRY(copy_part(&m->spread, &part[BONSAI_SECTION_FEATURE_SPREAD]));
    BN_TRY(copy_part(&m->column_mean, &part[BN_COLUMN_MEAN]));
    BN_TRY(copy_part(&m->column_spread, &part[BN_COLUMN_SPREAD]));
    if (part[BONSAI_SECTION_CLASS_NAMES].data)
        BN_TRY(bn_model_names(m, &part[BONSAI_SECTION_CLASS_NAMES]));
    BN_TRY(copy_part(&m->feature_names, &part[BONSAI_SECTION_FEATURE_NAMES]));
    m->feature_names_len = part[BONSAI_SECTION_FEATURE_NAMES].count;
    *out = m;
    m = NULL;
done:
    bonsai_model_free(m);
    return rc;
}

bonsai_status bn_model_of(bonsai_model **out, const bn_model_parts *p)
{
    bonsai_status rc;
    BN_TRY(check_accuracies(&p->info, BONSAI_E_FORMAT, p->path));
    BN_TRY(check_split(&p->info, p->path));
    BN_TRY(check_scale(&p->info, p->path));
    BN_TRY(check_columns(p));
    BN_TRY(check_counts(p));
    BN_TRY(check_elements(p));
    BN_TRY(make_model(out, p));
done:
    return rc;
}

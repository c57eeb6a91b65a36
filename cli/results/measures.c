/* measures.c -- metrics and classes, as tables, JSON and CSV show them.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "results/train_eval.h"

bn_json *measure_json(double value)
{
    return isfinite(value) && value >= 0 ? bn_json_real(value) : bn_json_null();
}

void measures_set(bn_json *object, const char *end, const double *metric)
{
    char key[64];
    const char *name;
    for (int m = 0; (name = bonsai_metric_name((bonsai_metric)m)); m++) {
        snprintf(key, sizeof key, "%s%s", name, end);
        bn_json_set(object, key, measure_json(metric[m]));
    }
}

void measures_set_spread(bn_json *object, const double *mean, const double *std)
{
    double known[BONSAI_METRIC_ROOM];
    for (int m = 0; m < BONSAI_METRIC_ROOM; m++)
        known[m] = mean[m] >= 0 ? std[m] : -1;
    measures_set(object, "_mean", mean);
    measures_set(object, "_std", known);
}

void measure_title(char *out, size_t size, bonsai_metric m, const char *rest)
{
    const char *text = bonsai_metric_text(m);
    snprintf(out, size, "%s%s", text, rest);
    if (out[0] >= 'a' && out[0] <= 'z')
        out[0] = (char)(out[0] - 'a' + 'A');
}

bn_json *class_list(const bonsai_view *v)
{
    const bonsai_array *names = &v->section[BONSAI_SECTION_CLASS_NAMES];
    const char *at = names->data, *end = at ? at + names->count : NULL;
    bn_json *list = bn_json_array();
    for (int64_t k = 0; k < v->classes; k++) {
        bn_json_add(list, at < end && *at ? bn_json_text(at) : bn_json_whole(k));
        at += at < end ? strlen(at) + 1 : 0;
    }
    return list;
}

bn_json *measure_spread(const bonsai_train_info *i, bonsai_metric m)
{
    return measure_json(i->runs > 1 && i->metric_mean[m] >= 0 ? i->metric_std[m] : -1);
}

/* The paper: 4.32 kg of CO2 for a hundred hours of ten CPU cores, and 10.8 kg for those of a GPU. */
double carbon_grams(double seconds)
{
    return seconds * 4320 / (100 * 3600);
}

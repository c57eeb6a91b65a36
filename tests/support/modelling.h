/* modelling.h -- random models for the tests of model files and predictions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_MODELLING_H
#define BN_MODELLING_H

#include <stdio.h>

#include "random_graph.h"

#include "train/model.h"

enum { WITH_KEPT = 1, WITH_MEAN = 2, WITH_NAMES = 4, WITH_EVERY = 7 };

/* The first layer reads f features; with WITH_KEPT every other one of 2 f - 1. */
static inline bonsai_model *a_model(bn_dims s, int with, uint64_t seed)
{
    bonsai_model *m;
    const bool drawn = seed % 2 == 1;           /* its split was */
    if (bn_model_new(&m, &s) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    for (int64_t i = 0; i < m->count; i++)
        m->param[i] = random_real(&seed);
    m->info.seed = random_bits(&seed);
    m->info.epoch = random_below(&seed, 1000);
    m->info.accuracy = seed % 3 ? 100.0 * (double)(seed % 1009) / 1009 : -1;
    m->info.accuracy_val = 100.0 / 3;
    for (int i = 0; drawn && i < 3; i++)
        m->info.split[i] = (const double[]){2.5, 10, 87.5}[i];
    m->info.split_seed = drawn ? random_bits(&seed) : 0;
    m->info.split_labels = drawn ? 1 + random_below(&seed, 1000) : 0;
    m->info.scale = drawn ? 12.5 : 0;
    if (with & WITH_KEPT) {
        m->info.features = 2 * s.features - 1;
        assert_int_equal(BN_NEW(&m->kept, s.features), BONSAI_OK);
        for (int64_t i = 0; i < s.features; i++)
            m->kept[i] = (int32_t)(2 * i);
    }
    if (with & WITH_MEAN) {
        assert_int_equal(BN_NEW(&m->mean, s.features), BONSAI_OK);
        assert_int_equal(BN_NEW(&m->spread, s.features), BONSAI_OK);
        for (int64_t i = 0; i < s.features; i++) {
            m->mean[i] = random_real(&seed);
            m->spread[i] = 1.5f + random_real(&seed);
        }
    }
    if (drawn && !(with & WITH_MEAN)) {
        assert_int_equal(BN_NEW(&m->column_mean, s.features), BONSAI_OK);
        assert_int_equal(BN_NEW(&m->column_spread, s.features), BONSAI_OK);
        for (int64_t i = 0; i < s.features; i++) {
            m->column_mean[i] = 0.1f * (float)(i + 1);
            m->column_spread[i] = 3.5f;
        }
    }
    if (with & WITH_NAMES) {
        char text[256];
        int64_t len = 0;
        for (int64_t c = 0; c < s.classes; c++)
            len += 1 + snprintf(text + len, sizeof text - (size_t)len, "cl\xc3\xa4ss %d",
                                (int)c * 7);
        const bonsai_array names = {text, len, BONSAI_TYPE_U8};
        assert_int_equal(bn_model_names(m, &names), BONSAI_OK);
        assert_int_equal(BN_NEW(&m->feature_names, 24 * s.features), BONSAI_OK);
        for (int64_t j = 0; j < s.features; j++)
            m->feature_names_len += 1 + snprintf(m->feature_names + m->feature_names_len, 24,
                                                 "f\xc3\xa4 %d", (int)j * 3);
    }
    return m;
}

static inline bonsai_model *small_model(int with)
{
    return a_model((bn_dims){BONSAI_MODEL_GAT, 2, 2, 1, 3, 4, 2, false}, with, 5);
}

static inline void save_model(const bonsai_model *m, const char *path)
{
    if (bonsai_model_save(m, path) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
}

static inline bonsai_model *load_model(const char *path)
{
    bonsai_model *m;
    if (bonsai_model_load(&m, path) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return m;
}

static inline void assert_same_bytes(const void *a, const void *b, int64_t len)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a && len)
        assert_memory_equal(a, b, (size_t)len);
}

static inline void assert_same_model(const bonsai_model *a, const bonsai_model *b)
{
    const bonsai_model_info *x = bonsai_model_facts(a), *y = bonsai_model_facts(b);
    int64_t f = 4 * a->dims.features;
    assert_int_equal(x->size, sizeof *x);
    assert_int_equal(y->size, sizeof *y);
    assert_int_equal(x->model, y->model);
    assert_int_equal(x->layers, y->layers);
    assert_int_equal(x->heads, y->heads);
    assert_int_equal(x->gin_layers, y->gin_layers);
    assert_int_equal(x->weighted, y->weighted);
    assert_int_equal(x->epoch, y->epoch);
    assert_int_equal(x->features, y->features);
    assert_int_equal(x->hidden, y->hidden);
    assert_int_equal(x->classes, y->classes);
    assert_int_equal(x->parameters, y->parameters);
    assert_int_equal(x->seed, y->seed);
    assert_memory_equal(&x->accuracy, &y->accuracy, sizeof x->accuracy);
    assert_memory_equal(&x->accuracy_val, &y->accuracy_val, sizeof x->accuracy_val);
    assert_memory_equal(x->split, y->split, sizeof x->split);
    assert_int_equal(x->split_seed, y->split_seed);
    assert_int_equal(x->split_labels, y->split_labels);
    assert_memory_equal(&x->scale, &y->scale, sizeof x->scale);
    assert_int_equal(a->dims.features, b->dims.features);
    assert_int_equal(a->count, b->count);
    assert_same_bytes(a->param, b->param, 4 * a->count);
    assert_same_bytes(a->kept, b->kept, f);
    assert_same_bytes(a->mean, b->mean, f);
    assert_same_bytes(a->spread, b->spread, f);
    assert_same_bytes(a->column_mean, b->column_mean, f);
    assert_same_bytes(a->column_spread, b->column_spread, f);
    assert_int_equal(a->class_names == NULL, b->class_names == NULL);
    for (int64_t c = 0; a->class_names && c < a->dims.classes; c++)
        assert_string_equal(a->class_names[c], b->class_names[c]);
    assert_int_equal(a->feature_names_len, b->feature_names_len);
    assert_same_bytes(a->feature_names, b->feature_names, a->feature_names_len);
}

#endif

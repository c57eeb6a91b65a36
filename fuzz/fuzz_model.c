/* fuzz_model.c -- fuzzes the model reader.
 *
 * A model that loads must read back the same from a second file and from an archive, and predict on
 * a graph that fits it.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "mutate.h"
#include "train/model.h"

const mu_framing fuzz_framing = {.files = 1, .separator = -1, .last_bare = true};

static void must(bonsai_status rc)
{
    if (rc != BONSAI_OK && rc != BONSAI_E_MEMORY) {
        fprintf(stderr, "unexpected: %s\n", bonsai_error());
        abort();
    }
}

static void must_hold(int condition)
{
    if (!condition)
        abort();
}

static void must_equal(const void *a, const void *b, int64_t len)
{
    must_hold(!a == !b && (!a || memcmp(a, b, (size_t)len) == 0));
}

/* An archive says nothing of sizes that a kind does not use. */
static void compare_unused(const bonsai_model_info *x, const bonsai_model_info *y)
{
    must_hold(x->heads == y->heads || x->model != BONSAI_MODEL_GAT);
    must_hold(x->gin_layers == y->gin_layers || x->model != BONSAI_MODEL_GIN);
    must_hold(x->hidden == y->hidden || x->layers == 1);
}

static void compare(const bonsai_model *a, const bonsai_model *b)
{
    int64_t f = 4 * a->dims.features;
    const bonsai_model_info *x = &a->info, *y = &b->info;
    compare_unused(x, y);
    must_hold(x->model == y->model && x->layers == y->layers && x->weighted == y->weighted);
    must_hold(x->epoch == y->epoch && x->seed == y->seed);
    must_hold(x->features == y->features && x->classes == y->classes);
    must_equal(&x->accuracy, &y->accuracy, sizeof x->accuracy);
    must_equal(&x->accuracy_val, &y->accuracy_val, sizeof x->accuracy_val);
    must_hold(a->dims.features == b->dims.features && a->count == b->count);
    must_equal(a->param, b->param, 4 * a->count);
    must_equal(a->kept, b->kept, f);
    must_equal(a->mean, b->mean, f);
    must_equal(a->spread, b->spread, f);
    must_hold(!a->class_names == !b->class_names);
    for (int64_t c = 0; a->class_names && c < a->dims.classes; c++)
        must_hold(strcmp(a->class_names[c], b->class_names[c]) == 0);
    must_hold(a->feature_names_len == b->feature_names_len);
    must_equal(a->feature_names, b->feature_names, a->feature_names_len);
}

static void save_and_load(const bonsai_model *m, const char *folder, const char *ending)
{
    char path[300];
    bonsai_model *back = NULL;
    snprintf(path, sizeof path, "%s.%s", folder, ending);
    bonsai_status rc = bonsai_model_save(m, path);
    must(rc);
    if (rc == BONSAI_OK)
        must(bonsai_model_load(&back, path));
    if (back)
        compare(m, back);
    bonsai_model_free(back);
}

/* Two nodes, an edge, features at the ends.  Scores may overflow: that is an error with a
 * message. */
static void predict(const bonsai_model *m)
{
    static const int32_t source = 0, target = 1;
    const uint32_t offsets[] = {0, 1, 2}, index[] = {0, (uint32_t)m->info.features - 1};
    bonsai_graph *g = NULL;
    bonsai_view v;
    bonsai_train_options o;
    int32_t classes[2] = {-1, -1};
    bonsai_view_init(&v);
    v.nodes = 2;
    v.features = m->info.features;
    v.section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){offsets, 3, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){index, 2, BONSAI_TYPE_U32};
    bonsai_train_options_init(&o);
    o.threads = 1;
    o.memory = 1 + m->info.seed % 100000;
    must(bonsai_graph_build(&g, &v, 1, &source, &target, NULL, NULL));
    bonsai_status rc = g ? bonsai_predict(classes, NULL, m, g, &o) : BONSAI_E_MEMORY;
    must(rc == BONSAI_E_ARGUMENT && strstr(bonsai_error(), "not finite") ? BONSAI_OK : rc);
    for (int i = 0; rc == BONSAI_OK && i < 2; i++)
        must_hold(classes[i] >= 0 && classes[i] < m->dims.classes);
    bonsai_graph_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t copy[1 << 16];
    bonsai_model *m = NULL;
    int64_t before = bn_mem_live();
    if (size > sizeof copy)
        return 0;
    memcpy(copy, data, size);
    fuzz_repair(copy, size);
    const char *path = fuzz_file("model", copy, size);
    if (bonsai_model_load(&m, path) == BONSAI_OK) {
        save_and_load(m, path, "again");
        save_and_load(m, path, "npz");
        predict(m);
    }
    bonsai_model_free(m);
    must_hold(bn_mem_live() == before);
    return 0;
}

/* test_coordinates.c -- small graphs whose features are coordinates, and what is projected on them.
 *
 * SPDX-License-Identifier: MIT */
#include "record/record.h"
#include "prototypes/basis.h"
#include "prototyping.h"
#include "train/model.h"

enum { NODES = 900, COLS = 60, CLASSES = 4 };

static bonsai_condense_options options(void)
{
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.ratio = 0.05;
    o.threads = 1;
    o.coordinates = 1;
    return o;
}

static bonsai_graph *small_of(const bonsai_graph *g)
{
    const bonsai_condense_options o = options();
    bonsai_condense_info info;
    bonsai_graph *small = NULL;
    bonsai_condense_info_init(&info);
    if (bonsai_condense(&small, &info, g, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    assert_int_equal(info.method, BONSAI_METHOD_PROTOTYPES);
    assert_int_equal(bn_fact_whole(&info, BN_FACT_FEATURES), bn_fact_whole(&info, BN_FACT_DIRECTIONS));
    assert_true(info.bytes <= bn_fact(&info, BN_FACT_BUDGET));
    return small;
}

/* ---- the file ---- */

static void features_are_coordinates(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        bonsai_graph *g = generated(NODES, dense), *small = small_of(g);
        const bonsai_view *v = bonsai_graph_view(small);
        assert_true(v->features < COLS && v->features >= CLASSES - 1);
        assert_true(v->flags & BONSAI_FLAG_COORDINATES);
        assert_int_equal(v->section[BONSAI_SECTION_FEATURES].count, v->nodes * v->features);
        assert_int_equal(bonsai_graph_projected(small), COLS);
        assert_int_equal(bonsai_graph_projected(g), 0);
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
}

/* The file has the sections that it has without the option, the features that these are of, a flag
 * and a version. */
static void a_file_keeps_them(void **state)
{
    (void)state;
    bonsai_graph *g = generated(NODES, 0), *small = small_of(g), *back = NULL;
    const bonsai_encoding as[] = {BONSAI_ENCODING_AUTO, BONSAI_ENCODING_KEEP, BONSAI_ENCODING_F32};
    float *a = calloc((size_t)(COLS * small->view.features), sizeof *a);
    float *b = calloc((size_t)(COLS * small->view.features), sizeof *b);
    assert_int_equal(bonsai_graph_projection(a, small), BONSAI_OK);
    for (int i = 0; i < 3; i++) {
        const char *path = temp_path("small.bonsai");
        bonsai_write_options o;
        uint64_t left = 1;
        size_t len;
        int same = 0;
        bonsai_write_options_init(&o);
        o.features = as[i];
        assert_int_equal(bonsai_graph_save(&left, small, path, &o), BONSAI_OK);
        assert_int_equal(left, 0);
        uint8_t *file = read_file(path, &len);
        assert_int_equal(number(file + 10, 2), 5);
        assert_int_equal(number(file + 40, 8), COLS);
        assert_int_equal(number(file + 56, 8), BONSAI_FLAG_COORDINATES | BONSAI_FLAG_SELF_LOOPS);
        entry_of(file, BONSAI_SECTION_BASIS);
        free(file);
        assert_int_equal(bonsai_graph_load(&back, path), BONSAI_OK);
        assert_int_equal(bonsai_graph_check(back, NULL), BONSAI_OK);
        assert_int_equal(bonsai_graph_equal(&same, small, back), BONSAI_OK);
        assert_true(same);
        assert_true(size_in(back, BONSAI_ACCOUNTING_STRICT) == size_in(small, BONSAI_ACCOUNTING_STRICT));
        assert_int_equal(bonsai_graph_projected(back), COLS);
        assert_int_equal(bonsai_graph_projection(b, back), BONSAI_OK);
        assert_memory_equal(a, b, (size_t)(COLS * small->view.features) * sizeof *a);
        bonsai_graph_free(back);
    }
    free(a);
    free(b);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* Formats without a basis keep the numbers, and say what is lost; so do graphs of other nodes. */
static void without_a_basis_they_are_features(void **state)
{
    (void)state;
    bonsai_graph *g = generated(NODES, 0), *small = small_of(g), *back = NULL, *one = NULL;
    const bonsai_view view = *bonsai_graph_view(small);
    const char *path = temp_path("small.npz");
    const int32_t node = 0;
    uint64_t left = 0;
    assert_int_equal(bonsai_graph_save(&left, small, path, NULL), BONSAI_OK);
    assert_int_equal(left, 1u << BONSAI_SECTION_BASIS);
    assert_int_equal(bonsai_graph_load(&back, path), BONSAI_OK);
    assert_int_equal(bonsai_graph_projected(back), 0);
    assert_int_equal(back->view.features, small->view.features);
    assert_int_equal(bonsai_graph_induce(&one, small, &node, 1), BONSAI_OK);
    assert_int_equal(bonsai_graph_projected(one), 0);
    assert_false(one->view.flags & BONSAI_FLAG_COORDINATES);
    bonsai_graph_free(one);
    assert_int_equal(bonsai_graph_new(&one, &view, 1), BONSAI_OK);
    assert_false(one->view.flags & BONSAI_FLAG_COORDINATES);
    bonsai_graph_free(one);
    const double percent[3] = {50, 0, 50};
    assert_int_equal(bonsai_graph_split(&one, small, percent, 1), BONSAI_OK);
    assert_int_equal(bonsai_graph_projected(one), COLS);
    bonsai_graph_free(one);
    bonsai_graph_free(back);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void files_that_lie_are_refused(void **state)
{
    (void)state;
    static const uint32_t number = 3;
    static const uint64_t offset[2] = {0, 0};
    static const uint8_t name[8] = {0};
    static const float zero[8] = {0};
    static const int8_t some[16] = {0};
    bonsai_view v;
    bonsai_view_init(&v);
    v.nodes = 1;
    v.features = 2;
    v.flags = BONSAI_FLAG_COORDINATES;
    v.section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offset, 2, BONSAI_TYPE_U64};
    v.section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){&number, 0, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){zero, 2, BONSAI_TYPE_F32};
    assert_fails(bn_stored_shape(&v, "here"), BONSAI_E_FORMAT,
                 "here: says that its features are coordinates, but has none");
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    v.section[BONSAI_SECTION_BASIS] = (bonsai_array){some, 4, BONSAI_TYPE_I8};
    v.section[BONSAI_SECTION_BASIS_SCALE] = (bonsai_array){zero, 2, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_COORDINATES] = (bonsai_array){some, 2, BONSAI_TYPE_I8};
    v.section[BONSAI_SECTION_COORDINATE_SCALE] = (bonsai_array){zero, 1, BONSAI_TYPE_F32};
    assert_fails(bn_stored_shape(&v, "here"), BONSAI_E_FORMAT,
                 "here: 2 coordinates as features; the number must be below 2");
    v.features = 8;
    v.section[BONSAI_SECTION_BASIS].count = 16;
    assert_int_equal(bn_stored_shape(&v, "here"), BONSAI_OK);
    v.section[BONSAI_SECTION_FEATURE_NAMES] = (bonsai_array){name, 8, BONSAI_TYPE_U8};
    assert_fails(bn_stored_shape(&v, "here"), BONSAI_E_FORMAT,
                 "here: has \"feature names\", but its features are coordinates");
}

/* ---- projecting ---- */

static void a_projected_graph_has_the_coordinates(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        bonsai_graph *g = generated(NODES, dense), *small = small_of(g), *low = NULL;
        const int64_t r = small->view.features;
        const bn_place here = {.threads = 2};
        bn_embedding own = {0}, want = {0};
        bn_basis b;
        float *matrix = calloc((size_t)(COLS * r), sizeof *matrix), row[COLS];
        assert_int_equal(bonsai_graph_project(&low, g, small), BONSAI_OK);
        assert_int_equal(bonsai_graph_projection(matrix, small), BONSAI_OK);
        assert_int_equal(bn_basis_of(&b, small), BONSAI_OK);
        assert_int_equal(bn_embed_view(&own, g, NULL, BN_OWN, 0, &here), BONSAI_OK);
        assert_int_equal(bn_basis_project(&want, &b, &own, &here), BONSAI_OK);
        const float *x = low->view.section[BONSAI_SECTION_FEATURES].data;
        assert_int_equal(low->view.features, r);
        assert_memory_equal(x, want.dense, (size_t)(NODES * r) * sizeof *x);
        for (int64_t v = 0; v < NODES; v += 50) {
            bonsai_graph_row(row, g, v);
            for (int64_t k = 0; k < r; k++) {
                double sum = 0;
                for (int j = 0; j < COLS; j++)
                    sum += (double)row[j] * (double)matrix[j * r + k];
                assert_true(fabs(sum - (double)x[v * r + k]) < 1e-5);
            }
        }
        for (int s = BONSAI_SECTION_LABELS; s <= BONSAI_SECTION_CLASS_NAMES; s++)
            assert_ptr_equal(low->view.section[s].data, g->view.section[s].data);
        assert_ptr_equal(bn_neighbors(low), bn_neighbors(g));
        free(matrix);
        bn_embedding_free(&own);
        bn_embedding_free(&want);
        bn_basis_free(&b);
        bonsai_graph_free(low);
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
}

static bonsai_status project_once(void *payload)
{
    bonsai_graph *const *pair = payload, *low = NULL;
    bonsai_status rc = bonsai_graph_project(&low, pair[0], pair[1]);
    bonsai_graph_free(low);
    return rc;
}

static void projecting_survives_failed_allocations(void **state)
{
    (void)state;
    bonsai_graph *pair[2] = {generated(NODES, 0), NULL};
    pair[1] = small_of(pair[0]);
    survives_failed_allocations(project_once, pair, 5);
    bonsai_graph_free(pair[0]);
    bonsai_graph_free(pair[1]);
}

static void other_graphs_are_not_projected(void **state)
{
    (void)state;
    bonsai_graph *g = generated(NODES, 0), *small = small_of(g), *low = NULL, *other = NULL;
    bonsai_generate_options how;
    float x;
    assert_fails(bonsai_graph_project(&low, g, g), BONSAI_E_ARGUMENT, "it projects nothing");
    assert_fails(bonsai_graph_projection(&x, g), BONSAI_E_ARGUMENT, "it projects nothing");
    assert_fails(bonsai_graph_project(&low, small, small), BONSAI_E_ARGUMENT,
                 "projects graphs of 60 features, but ");
    assert_int_equal(bonsai_graph_standardise(&other, g, NULL), BONSAI_OK);
    assert_fails(bonsai_graph_project(&low, other, small), BONSAI_E_ARGUMENT, "are standardised");
    const bonsai_condense_options o = options();
    assert_fails(bonsai_condense(&low, NULL, other, &o), BONSAI_E_ARGUMENT,
                 "its features are standardised, which coordinates have no record of");
    bonsai_graph_free(other);
    bonsai_generate_options_init(&how);
    how.nodes = 100;
    how.features = 20;
    how.classes = CLASSES;
    assert_int_equal(bonsai_graph_generate(&other, &how), BONSAI_OK);
    bonsai_training *t = NULL;
    assert_fails(bonsai_train(&t, small, other, NULL), BONSAI_E_ARGUMENT,
                 "projects graphs of 60 features, but generated has 20");
    bonsai_graph_free(other);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* ---- training ---- */

static double right(const bonsai_model *m, const bonsai_graph *g)
{
    int32_t *class = calloc((size_t)g->view.nodes, sizeof *class);
    int64_t hits = 0, all = 0;
    if (bonsai_predict(class, NULL, m, g, NULL) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    for (int64_t v = 0; v < g->view.nodes; v++)
        if (bn_part(g, v) == BONSAI_PART_TEST && bn_label(g, v) >= 0) {
            hits += class[v] == bn_label(g, v);
            all++;
        }
    free(class);
    return 100 * (double)hits / (double)all;
}

/* Networks learn from coordinates; what becomes of them reads all features, with the same answers. */
static void models_read_what_is_projected(void **state)
{
    (void)state;
    bonsai_graph *g = generated(NODES, 0), *small = small_of(g), *low = NULL;
    assert_int_equal(bonsai_graph_project(&low, g, small), BONSAI_OK);
    for (int kind = 0; kind < BONSAI_MODEL_COUNT; kind++)
        for (int layers = 1; layers < 3; layers++) {
            bonsai_train_options o;
            bonsai_training *t = NULL, *plain = NULL;
            bonsai_train_options_init(&o);
            o.model = (bonsai_model_kind)kind;
            o.layers = layers;
            o.gin_layers = layers;
            o.hidden = 16;
            o.heads = 2;
            o.seeds = 1;
            o.epochs = 60;
            o.threads = 1;
            assert_int_equal(bonsai_train(&t, small, g, &o), BONSAI_OK);
            assert_int_equal(bonsai_train(&plain, small, low, &o), BONSAI_OK);
            const bonsai_train_info *info = bonsai_training_info(t);
            const bonsai_model *m = bonsai_training_model(t);
            assert_true(info->accuracy_mean == bonsai_training_info(plain)->accuracy_mean);
            assert_true(layers == 1 || info->accuracy_mean > 70);
            assert_int_equal(bonsai_model_facts(m)->features, COLS);
            assert_int_equal(bonsai_model_facts(bonsai_training_model(plain))->features,
                             small->view.features);
            assert_true(fabs(right(m, g) - info->accuracy_mean) < 0.6);     /* a node, by rounding */
            assert_true(right(bonsai_training_model(plain), low) == info->accuracy_mean);
            bonsai_training_free(t);
            bonsai_training_free(plain);
        }
    bonsai_graph_free(low);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void they_are_not_standardised(void **state)
{
    (void)state;
    bonsai_graph *g = generated(NODES, 0), *small = small_of(g);
    bonsai_train_options o;
    bonsai_training *t = NULL;
    bonsai_train_options_init(&o);
    o.standardise = BONSAI_STANDARDISE_TRAIN;
    assert_fails(bonsai_train(&t, small, g, &o), BONSAI_E_ARGUMENT, "are coordinates");
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* What explains a small graph projects the full one, too. */
static void they_can_be_explained(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        bonsai_graph *g = generated(NODES, dense), *small = small_of(g);
        bonsai_why why;
        int32_t near[3];
        float distance[3];
        int64_t found = 0;
        bonsai_why_init(&why);
        assert_int_equal(bonsai_condense_explain(&why, small, 0, g, NULL), BONSAI_OK);
        assert_int_equal(bonsai_condense_nearest(near, distance, &found, 3, small, 0, g, NULL),
                         BONSAI_OK);
        assert_int_equal(found, 3);
        assert_int_equal(near[0], bonsai_graph_origin(small, 0));
        assert_true(distance[0] <= distance[1]);
        bonsai_graph_free(small);
        bonsai_graph_free(g);
    }
}

/* ---- what they do not go with ---- */

static void other_options_are_refused(void **state)
{
    (void)state;
    bonsai_graph *g = generated(NODES, 0), *small = NULL;
    bonsai_condense_options o = options();
    o.method = BONSAI_METHOD_TREES;
    assert_fails(bonsai_condense(&small, NULL, g, &o), BONSAI_E_ARGUMENT,
                 "coordinates are for the methods auto and prototypes, not for trees");
    o = options();
    o.accounting = BONSAI_ACCOUNTING_PAPER_FULL;
    assert_fails(bonsai_condense(&small, NULL, g, &o), BONSAI_E_ARGUMENT, "strict accounting");
    o = options();
    o.members = 1;
    assert_fails(bonsai_condense(&small, NULL, g, &o), BONSAI_E_ARGUMENT,
                 "coordinates and members do not go together");
    o = options();
    o.select_features = 1;
    assert_fails(bonsai_condense(&small, NULL, g, &o), BONSAI_E_ARGUMENT,
                 "coordinates and selected features do not go together");
    o = options();
    o.ratio = 0;
    o.nodes = 20;
    assert_fails(bonsai_condense(&small, NULL, g, &o), BONSAI_E_ARGUMENT, "a budget in bytes");
    o = options();
    o.ratio = 0.0005;
    assert_fails(bonsai_condense(&small, NULL, g, &o), BONSAI_E_ARGUMENT,
                 "no basis of fewer than 60 directions");
    const double percent[3] = {100, 0, 0};
    bonsai_graph *all = NULL;
    assert_int_equal(bonsai_graph_split(&all, g, percent, 1), BONSAI_OK);
    o = options();                      /* some training nodes judge instead */
    assert_int_equal(bonsai_condense(&small, NULL, all, &o), BONSAI_OK);
    assert_int_equal(bonsai_graph_projected(small), COLS);
    bonsai_graph_free(small);
    bonsai_graph_free(all);
    bonsai_graph_free(g);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    bonsai_graph *g = generated(NODES, 0), *small[2] = {NULL, NULL};
    int same = 0;
    for (int i = 0; i < 2; i++) {
        bonsai_condense_options o = options();
        o.threads = 1 + 2 * i;
        o.no_training = 0;
        assert_int_equal(bonsai_condense(&small[i], NULL, g, &o), BONSAI_OK);
    }
    assert_int_equal(bonsai_graph_equal(&same, small[0], small[1]), BONSAI_OK);
    assert_true(same);
    bonsai_graph_free(small[0]);
    bonsai_graph_free(small[1]);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_are_coordinates),
        cmocka_unit_test(a_file_keeps_them),
        cmocka_unit_test(without_a_basis_they_are_features),
        cmocka_unit_test(files_that_lie_are_refused),
        cmocka_unit_test(a_projected_graph_has_the_coordinates),
        cmocka_unit_test(projecting_survives_failed_allocations),
        cmocka_unit_test(other_graphs_are_not_projected),
        cmocka_unit_test(models_read_what_is_projected),
        cmocka_unit_test(they_are_not_standardised),
        cmocka_unit_test(they_can_be_explained),
        cmocka_unit_test(other_options_are_refused),
        cmocka_unit_test(threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

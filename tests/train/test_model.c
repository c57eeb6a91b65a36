/* test_model.c -- model files: what is written is read, and writing either happens or does not.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "modelling.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

/* ---- what is written is read ---- */

static void every_model_comes_back_bit_for_bit(void **state)
{
    (void)state;
    static const int layers[] = {1, 2, 3, 16};
    for (int k = 0; k < 4 * BONSAI_MODEL_COUNT * 8; k++) {
        const bn_dims s = {k % BONSAI_MODEL_COUNT, layers[k / 4 % 4], k % 8 < 4 ? 1 : 2,
                           1 + k / 16 % 2, 1 + k % 7, 2 + 2 * (k % 3), 1 + k % 5, k % 3 == 0};
        bonsai_model *m = a_model(s, k / 16 % 8, (uint64_t)k + 1), *back;
        const char *path = temp_path("m.bonsai"), *second = temp_path("second");
        size_t len, again;
        save_model(m, path);
        back = load_model(path);
        assert_same_model(m, back);
        save_model(back, second);               /* and saving it again changes no byte */
        uint8_t *x = read_file(path, &len), *y = read_file(second, &again);
        assert_int_equal(len, again);
        assert_memory_equal(x, y, len);
        free(x);
        free(y);
        bonsai_model_free(back);
        bonsai_model_free(m);
    }
}

/* Minus zeros, the smallest and the largest floats, the largest seed. */
static void odd_numbers_come_back(void **state)
{
    (void)state;
    bonsai_model *m = small_model(WITH_EVERY), *back;
    static const float odd[] = {-0.0f, 1e-45f, 3.402823466e38f, -3.402823466e38f};
    memcpy(m->param, odd, sizeof odd);
    m->mean[0] = -0.0f;
    m->info.seed = UINT64_MAX;
    m->info.accuracy = 100;
    m->info.accuracy_val = 0;
    m->info.epoch = INT32_MAX;
    save_model(m, temp_path("odd.bonsai"));
    back = load_model(temp_path("odd.bonsai"));
    assert_same_model(m, back);
    bonsai_model_free(back);
    bonsai_model_free(m);
}

/* ---- other files ---- */

static void a_model_is_no_graph_and_a_graph_no_model(void **state)
{
    (void)state;
    bonsai_model *m = small_model(0), *none;
    bonsai_graph *g = random_graph(1, 5, 8, DENSE_F32, WITH_ALL), *no_graph;
    save_model(m, temp_path("m.bin"));
    assert_int_equal(bonsai_graph_save(NULL, g, temp_path("g.bonsai"), NULL), BONSAI_OK);
    assert_fails(bonsai_graph_load(&no_graph, temp_path("m.bin")), BONSAI_E_FORMAT,
                 "m.bin: is a model, not a graph; \"bonsai predict\" uses it on one");
    assert_fails(bonsai_model_load(&none, temp_path("g.bonsai")), BONSAI_E_FORMAT,
                 "g.bonsai: is a graph, not a model; \"bonsai train\" makes one of it");
    assert_null(none);
    assert_int_equal(bonsai_graph_save(NULL, g, temp_path("g.npz"), NULL), BONSAI_OK);
    assert_fails(bonsai_model_load(&none, temp_path("g.npz")), BONSAI_E_FORMAT,
                 "g.npz: is a graph, not a model; \"bonsai train\" makes one of it");
    assert_fails(bonsai_model_load(&none, "/no/such/model"), BONSAI_E_IO, "/model: cannot be");
    assert_fails(bonsai_model_load(&none, "/dev/null"), BONSAI_E_IO, "/dev/null: is a device");
    write_text(temp_path("text"), "this is no model, but it is long enough to be the header of "
                                  "one........");
    assert_fails(bonsai_model_load(&none, temp_path("text")), BONSAI_E_FORMAT, "is not a bonsai");
    bonsai_graph_free(g);
    bonsai_model_free(m);
    bonsai_model_free(NULL);
}

static void what_could_not_be_loaded_is_not_saved(void **state)
{
    (void)state;
    bonsai_model *m = small_model(0);
    float good = m->param[13];
    m->param[13] = NAN;
    assert_fails(bonsai_model_save(m, temp_path("x.bonsai")), BONSAI_E_ARGUMENT,
                 "x.bonsai: parameter convs.0.bias: entry 1 is nan, which is not finite");
    assert_fails(bonsai_model_save(m, temp_path("x.npz")), BONSAI_E_ARGUMENT, "entry 1 is nan");
    m->param[13] = good;
    m->info.accuracy = NAN;
    assert_fails(bonsai_model_save(m, temp_path("x.bonsai")), BONSAI_E_ARGUMENT, "accuracy is nan");
    m->info.accuracy = 50;
    m->info.accuracy_val = 101;
    assert_fails(bonsai_model_save(m, temp_path("x.bonsai")), BONSAI_E_ARGUMENT,
                 "accuracy_val is 101, which is neither in 0..100 nor -1");
    assert_false(bn_is_file(temp_path("x.bonsai")));
    m->info.accuracy_val = -1;
    assert_fails(bonsai_model_save(m, "/dev/full"), BONSAI_E_IO, "/dev/full: is a device or pipe");
    assert_fails(bonsai_model_save(m, "/no/such/m"), BONSAI_E_IO, "/no/such/m: cannot be written");
    assert_fails(bonsai_model_save(m, "/no/such/m.npz"), BONSAI_E_IO, "m.npz: cannot be written");
    bonsai_model_free(m);
}

static void a_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    bonsai_model *old = small_model(WITH_EVERY), *back;
    bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_GCN, 2, 1, 1, 500, 64, 3, false},
                              WITH_EVERY, 1);
    struct rlimit before, tight;
    save_model(old, temp_path("full.bonsai"));
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    static const rlim_t limits[] = {0, 100, 70000, 100000};
    for (int i = 0; i < 8; i++) {
        tight = before;
        tight.rlim_cur = limits[i / 2];
        const char *path = temp_path(i % 2 ? "full.npz" : "full.bonsai");
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
        bonsai_status rc = bonsai_model_save(m, path);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_fails(rc, BONSAI_E_IO, "cannot be written: File too large");
        assert_false(bn_is_file(temp_path("full.npz")));
    }
    signal(SIGXFSZ, SIG_DFL);
    back = load_model(temp_path("full.bonsai"));
    assert_same_model(old, back);
    bonsai_model_free(back);
    bonsai_model_free(old);
    bonsai_model_free(m);
}

/* ---- memory ---- */

static bonsai_status save_it(void *payload)
{
    return bonsai_model_save(payload, temp_path("memory.bonsai"));
}

static bonsai_status export_it(void *payload)
{
    return bonsai_model_save(payload, temp_path("memory.npz"));
}

static bonsai_status load_it(void *payload)
{
    bonsai_model *m;
    bonsai_status rc = bonsai_model_load(&m, temp_path("memory.bonsai"));
    (void)payload;
    bonsai_model_free(m);
    return rc;
}

static void files_survive_failed_allocations(void **state)
{
    (void)state;
    bonsai_model *m = small_model(WITH_EVERY);
    survives_failed_allocations(save_it, m, 4);
    survives_failed_allocations(load_it, m, 6);
    survives_failed_allocations(export_it, m, 8);
    bonsai_model_free(m);
}

static void only_kinds_of_models_have_names(void **state)
{
    (void)state;
    for (int k = 0; k < BONSAI_MODEL_COUNT; k++)
        assert_non_null(bonsai_model_name((bonsai_model_kind)k));
    assert_null(bonsai_model_name(BONSAI_MODEL_COUNT));
    assert_null(bonsai_model_name((bonsai_model_kind)-1));
}

/* Small models of every kind and with everything, for fuzz_model to start from. */
static void write_corpus(const char *folder)
{
    static const int layers[] = {1, 2, 2, 3};
    for (int k = 0; k < 2 * BONSAI_MODEL_COUNT; k++) {
        const bn_dims s = {k % BONSAI_MODEL_COUNT, layers[k % 4], 1 + k % 2, 1 + k / 4, 2, 2, 2,
                           k % 2 == 0};
        bonsai_model *m = a_model(s, k < BONSAI_MODEL_COUNT ? k * 2 : WITH_EVERY, (uint64_t)k);
        char path[600];
        snprintf(path, sizeof path, "%s/%s%d.bonsai", folder, bonsai_model_name(s.kind), k / 4 + 1);
        save_model(m, path);
        bonsai_model_free(m);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        write_corpus(argv[1]);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_comes_back_bit_for_bit),
        cmocka_unit_test(odd_numbers_come_back),
        cmocka_unit_test(a_model_is_no_graph_and_a_graph_no_model),
        cmocka_unit_test(what_could_not_be_loaded_is_not_saved),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(files_survive_failed_allocations),
        cmocka_unit_test(only_kinds_of_models_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_modelnpz.c -- models in NumPy archives, as PyTorch Geometric names and lays them out.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "modelling.h"

#include <sys/wait.h>

#include "io/npy.h"

/* The array of one name, whose shape must be as given. */
static void pull(float *out, bn_zip *z, const char *name, int dims, const int64_t *shape)
{
    bn_npy a = {0};
    int64_t count = 1, rounded = 0;
    if (bn_zip_array(&a, z, name) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    assert_string_equal(a.descr, "<f4");
    assert_int_equal(a.dims, dims);
    for (int i = 0; i < dims; i++) {
        assert_int_equal(a.shape[i], shape[i]);
        count *= shape[i];
    }
    assert_int_equal(bn_npy_f32(out, &a, count, &rounded), BONSAI_OK);
    assert_int_equal(bn_npy_end(&a), BONSAI_OK);
    bn_npy_close(&a);
}

static void weights_are_transposed_and_attention_has_three_dimensions(void **state)
{
    (void)state;
    bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_GAT, 2, 2, 1, 3, 4, 2, false}, 0, 3);
    bn_zip z = {0};
    float got[32];
    for (int64_t i = 0; i < m->count; i++)
        m->param[i] = (float)i;
    save_model(m, temp_path("gat.npz"));
    assert_int_equal(bn_zip_open(&z, temp_path("gat.npz"), (bn_progress){0}), BONSAI_OK);
    pull(got, &z, "convs.0.lin.weight", 2, (int64_t[]){4, 3});
    static const float weight[] = {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11};
    assert_memory_equal(got, weight, sizeof weight);
    pull(got, &z, "convs.0.bias", 1, (int64_t[]){4});
    assert_memory_equal(got, ((float[]){12, 13, 14, 15}), 16);
    pull(got, &z, "convs.0.att_src", 3, (int64_t[]){1, 2, 2});
    assert_memory_equal(got, ((float[]){16, 17, 18, 19}), 16);
    pull(got, &z, "convs.1.bias", 1, (int64_t[]){2});
    assert_memory_equal(got, ((float[]){40, 41}), 8);
    pull(got, &z, "convs.1.att_dst", 3, (int64_t[]){1, 2, 2});
    assert_memory_equal(got, ((float[]){46, 47, 48, 49}), 16);
    assert_false(bn_zip_has(&z, "kept_features"));
    bn_zip_close(&z);
    bonsai_model_free(m);
}

static void what_is_done_to_features_goes_along(void **state)
{
    (void)state;
    bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_GIN, 3, 1, 2, 3, 4, 2, false}, WITH_EVERY, 3);
    bn_zip z = {0};
    float got[32];
    save_model(m, temp_path("gin.npz"));
    assert_int_equal(bn_zip_open(&z, temp_path("gin.npz"), (bn_progress){0}), BONSAI_OK);
    pull(got, &z, "feature_mean", 1, (int64_t[]){3});
    assert_memory_equal(got, m->mean, 12);
    pull(got, &z, "feature_spread", 1, (int64_t[]){3});
    assert_memory_equal(got, m->spread, 12);
    pull(got, &z, "convs.2.eps", 1, (int64_t[]){1});
    assert_true(got[0] == 0.0f);
    bn_npy kept = {0};
    int32_t list[3];
    assert_int_equal(bn_zip_array(&kept, &z, "kept_features"), BONSAI_OK);
    assert_int_equal(bn_npy_i32(list, &kept, 3, 0, 100), BONSAI_OK);
    assert_memory_equal(list, ((int32_t[]){0, 2, 4}), 12);
    bn_npy_close(&kept);
    bn_zip_close(&z);
    bonsai_model_free(m);
}

static void the_same_model_gives_the_same_bytes(void **state)
{
    (void)state;
    bonsai_model *m = a_model((bn_dims){BONSAI_MODEL_SAGE, 2, 1, 1, 30, 16, 5, false},
                              WITH_EVERY, 3);
    size_t len, again;
    save_model(m, temp_path("a.npz"));
    save_model(m, temp_path("b.npz"));
    uint8_t *a = read_file(temp_path("a.npz"), &len), *b = read_file(temp_path("b.npz"), &again);
    assert_int_equal(len, again);
    assert_memory_equal(a, b, len);
    free(a);
    free(b);
    bonsai_model_free(m);
}

/* A second reader, made from the description, finds the same numbers in both files. */
static void numpy_reads_every_model(void **state)
{
    (void)state;
    static const int layers[] = {1, 2, 16};
    char command[16000], name[40];
    int len = snprintf(command, sizeof command, "python3 -B tests/io/model_reader.py");
    for (int k = 0; k < 3 * BONSAI_MODEL_COUNT; k++) {
        const bn_dims s = {k % BONSAI_MODEL_COUNT, layers[k / 4], 1 + k % 3 % 2, 1 + k / 4 % 2, 5,
                           6, 3, false};
        bonsai_model *m = a_model(s, k % 8, (uint64_t)k);
        for (int npz = 0; npz < 2; npz++) {
            snprintf(name, sizeof name, "py%d.%s", k, npz ? "npz" : "bonsai");
            save_model(m, temp_path(name));
            len += snprintf(command + len, sizeof command - (size_t)len, " '%s'", temp_path(name));
        }
        bonsai_model_free(m);
    }
    int status = system(command), code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == 77 || code == 127)              /* no NumPy, no Python */
        skip();
    assert_int_equal(code, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_transposed_and_attention_has_three_dimensions),
        cmocka_unit_test(what_is_done_to_features_goes_along),
        cmocka_unit_test(the_same_model_gives_the_same_bytes),
        cmocka_unit_test(numpy_reads_every_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

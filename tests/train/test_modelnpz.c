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

/* ---- reading ---- */

/* Of sizes that a kind does not use an archive says nothing: they are those of the options. */
static bn_dims dims_of(int k, int layers)
{
    bonsai_train_options o;
    bonsai_train_options_init(&o);
    const bonsai_model_kind kind = (bonsai_model_kind)(k % BONSAI_MODEL_COUNT);
    return (bn_dims){.kind = kind, .layers = layers, .features = 5, .classes = 3,
                     .hidden = layers > 1 ? 6 : o.hidden,
                     .heads = kind == BONSAI_MODEL_GAT ? 1 + k % 3 : o.heads,
                     .gin_layers = kind == BONSAI_MODEL_GIN ? 1 + k / 4 % 2 : o.gin_layers,
                     .weighted = k % 2};
}

static void every_model_comes_back(void **state)
{
    (void)state;
    static const int layers[] = {1, 2, 3, 16};
    for (int k = 0; k < 24; k++) {
        bonsai_model *m = a_model(dims_of(k, layers[k / 4 % 4]), k % 8, (uint64_t)k);
        save_model(m, temp_path("back.npz"));
        bonsai_model *back = load_model(temp_path("back.npz"));
        assert_same_model(back, m);
        bonsai_model_free(back);
        bonsai_model_free(m);
    }
}

typedef struct {                /* an array of small whole numbers, counted up from `first` */
    const char *name, *descr;
    int     dims;
    int64_t shape[3];
    int     first;
} given;

static void put_all(const char *path, const given *list)
{
    bn_zip_out *z = NULL;
    assert_int_equal(bn_zip_out_open(&z, path, (bn_progress){0}, 1), BONSAI_OK);
    for (const given *a = list; a->name; a++) {
        int64_t count = 1;
        for (int i = 0; i < a->dims; i++)
            count *= a->shape[i];
        assert_int_equal(bn_zip_out_begin(z, a->name, a->descr, a->dims, a->shape), BONSAI_OK);
        for (int64_t i = 0; i < count; i++) {
            const double wide = a->first + (double)i;
            const float narrow = (float)wide;
            const int64_t whole = a->first + i;
            const int32_t small = (int32_t)whole;
            const void *from = a->descr[1] == 'f' ? (a->descr[2] == '8' ? (const void *)&wide : &narrow)
                               : a->descr[2] == '8' ? (const void *)&whole : &small;
            assert_int_equal(bn_zip_out_write(z, from, a->descr[2] - '0'), BONSAI_OK);
        }
        assert_int_equal(bn_zip_out_end(z), BONSAI_OK);
    }
    assert_int_equal(bn_zip_out_commit(z), BONSAI_OK);
    bn_zip_out_close(z);
}

#define W0 {"convs.0.lin.weight", "<f4", 2, {4, 3}, 0}
#define B0 {"convs.0.bias", "<f4", 1, {4}, 50}
#define W1 {"convs.1.lin.weight", "<f4", 2, {2, 4}, 20}
#define B1 {"convs.1.bias", "<f4", 1, {2}, 70}
#define SRC {"convs.0.att_src", "<f4", 3, {1, 2, 2}, 0}

static void parameters_alone_are_a_model(void **state)
{
    (void)state;
    put_all(temp_path("own.npz"), (given[]){W0, {"convs.0.bias", "<f8", 1, {4}, 50},
                                            {"convs.1.lin.weight", "<i8", 2, {2, 4}, 20}, B1, {0}});
    bonsai_model *m = load_model(temp_path("own.npz"));
    const bonsai_model_info *i = bonsai_model_facts(m);
    static const float want[] = {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11, 50, 51, 52, 53,
                                 20, 24, 21, 25, 22, 26, 23, 27, 70, 71};
    assert_int_equal(i->model, BONSAI_MODEL_GCN);
    assert_int_equal(i->layers, 2);
    assert_int_equal(i->features, 3);
    assert_int_equal(i->hidden, 4);
    assert_int_equal(i->classes, 2);
    assert_true(i->accuracy == -1 && i->accuracy_val == -1 && i->weighted == 0);
    assert_int_equal(m->count, 26);
    assert_memory_equal(m->param, want, sizeof want);
    bonsai_model_free(m);
}

static void refuse(const given *list, const char *sentence)
{
    bonsai_model *m = (bonsai_model *)1;
    put_all(temp_path("bad.npz"), list);
    assert_fails(bonsai_model_load(&m, temp_path("bad.npz")), BONSAI_E_FORMAT, sentence);
    assert_null(m);
}

#define refuses(sentence, ...) refuse((given[]){__VA_ARGS__, {0}}, sentence)

static void what_is_missing_or_too_much_is_named(void **state)
{
    (void)state;
    refuses("has no array \"convs.0.bias\"", W0, W1, B1);
    refuses("has no array \"convs.1.lin.weight\"", W0, B0, B1);
    refuses("has no parameters of a model, such as \"convs.0.lin.weight\"; its arrays are: "
            "weights", {"weights", "<f4", 1, {3}, 0});
    refuses("is a graph, not a model", {"edge_index", "<i8", 2, {2, 3}, 0});
    refuses("the array \"norms.0.weight\" belongs to no gcn of 2 layers", W0, B0, W1, B1,
            {"norms.0.weight", "<f4", 1, {4}, 0});
    refuses("the array \"convs.3.bias\" belongs to no gcn of 2 layers", W0, B0, W1, B1,
            {"convs.3.bias", "<f4", 1, {4}, 0});
    refuses("the array \"convs.0.att_src\" belongs to no gcn of 1 layers", W0, B0, SRC);
    refuses("convs.0.eps: is 1; only 0 is supported", {"convs.0.nn.weight", "<f4", 2, {2, 3}, 0},
            {"convs.0.nn.bias", "<f4", 1, {2}, 0}, {"convs.0.eps", "<f4", 1, {1}, 1});
}

static void wrong_shapes_are_named(void **state)
{
    (void)state;
    refuses("convs.1.lin.weight: has shape [2,5] where [2,4] is needed", W0, B0,
            {"convs.1.lin.weight", "<f4", 2, {2, 5}, 0}, B1);
    refuses("convs.0.lin.weight: has shape [12] where [any,any] is needed",
            {"convs.0.lin.weight", "<f4", 1, {12}, 0}, B0, W1, B1);
    refuses("convs.0.bias: has shape [1,4] where [any] is needed", W0,
            {"convs.0.bias", "<f4", 2, {1, 4}, 0}, W1, B1);
    refuses("the number of features is 0", {"convs.0.lin.weight", "<f4", 2, {4, 0}, 0}, B0, W1, B1);
    refuses("convs.0.att_src: has shape [2,2] where [1,any,any] is needed", W0, B0,
            {"convs.0.att_src", "<f4", 2, {2, 2}, 0}, {"convs.0.att_dst", "<f4", 2, {2, 2}, 0});
    refuses("hidden is 4, which 3 heads cannot share", W0, B0, W1, B1,
            {"convs.0.att_src", "<f4", 3, {1, 3, 2}, 0}, {"convs.0.att_dst", "<f4", 3, {1, 3, 2}, 0});
}

/* The sizes of a few long vectors ask for matrices that the file does not hold. */
static void a_small_file_does_not_ask_for_much(void **state)
{
    (void)state;
    const int64_t before = bn_mem_live();
    refuses("convs.1.lin.weight: has shape [1,1] where [1000000,1000000] is needed",
            {"convs.0.lin.weight", "<f4", 2, {1000000, 1}, 0},
            {"convs.0.bias", "<f4", 1, {1000000}, 0},
            {"convs.1.lin.weight", "<f4", 2, {1, 1}, 0}, {"convs.1.bias", "<f4", 1, {1000000}, 0});
    assert_int_equal(bn_mem_live(), before);
}

static void wrong_values_beside_the_parameters_are_named(void **state)
{
    (void)state;
    const given kept = {"kept_features", "<i4", 1, {3}, 0};
    refuses("has kept_features but no graph_features", W0, B0, kept);
    refuses("graph_features: entry 0 is 2, outside 3..", W0, B0, kept,
            {"graph_features", "<i8", 0, {0}, 2});
    refuses("kept features: entry 2 is 6, outside 0..5", W0, B0,
            {"kept_features", "<i4", 1, {3}, 4}, {"graph_features", "<i8", 0, {0}, 6});
    refuses("kept_features: has shape [2] where [3] is needed", W0, B0,
            {"kept_features", "<i4", 1, {2}, 0}, {"graph_features", "<i8", 0, {0}, 6});
    refuses("takes 3 of 6 features but does not say which", W0, B0,
            {"graph_features", "<i8", 0, {0}, 6});
    refuses("has \"feature mean\" but not \"feature spread\"", W0, B0,
            {"feature_mean", "<f4", 1, {3}, 0});
    refuses("feature spread: entry 0 is 0, which divides nothing", W0, B0,
            {"feature_mean", "<f4", 1, {3}, 0}, {"feature_spread", "<f4", 1, {3}, 0});
    refuses("weighted: entry 0 is 2, outside 0..1", W0, B0, {"weighted", "<i8", 0, {0}, 2});
    refuses("accuracy is 101, which is neither", W0, B0, {"accuracy", "<f8", 0, {0}, 101});
    refuses("epoch: has 2 elements where one is needed", W0, B0, {"epoch", "<i8", 1, {2}, 0});
    refuses("accuracy: has 2 elements where 1 are needed", W0, B0, {"accuracy", "<f8", 1, {2}, 0});
    refuses("split_labels: entry 0 is 0, outside 1..", W0, B0, {"split_labels", "<i8", 0, {0}, 0});
    refuses("scale is -2, which is no standard deviation", W0, B0, {"scale", "<f8", 0, {0}, -2});
    refuses("is not three numbers of percent", W0, B0, {"split_labels", "<i8", 0, {0}, 7});
}

/* Whatever is cut off or turned over, the answer is a model or a sentence. */
static void damaged_archives_end_in_a_sentence(void **state)
{
    (void)state;
    size_t len;
    bonsai_model *m = small_model(WITH_EVERY), *back;
    save_model(m, temp_path("whole.npz"));
    uint8_t *file = read_file(temp_path("whole.npz"), &len);
    const int64_t before = bn_mem_live();
    for (size_t bit = 0; bit < 8 * len; bit += 3) {
        file[bit / 8] ^= (uint8_t)(1 << bit % 8);
        write_file(temp_path("flipped.npz"), file, len);
        const bonsai_status rc = bonsai_model_load(&back, temp_path("flipped.npz"));
        if (rc != BONSAI_OK && (rc != BONSAI_E_FORMAT || !strstr(bonsai_error(), "flipped.npz")))
            fail_msg("bit %zu: %s", bit, bonsai_error());
        bonsai_model_free(back);
        file[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t cut = 0; cut < len; cut += 7) {
        write_file(temp_path("cut.npz"), file, cut);
        assert_int_equal(bonsai_model_load(&back, temp_path("cut.npz")), BONSAI_E_FORMAT);
        assert_null(back);
    }
    assert_int_equal(bn_mem_live(), before);
    bonsai_model_free(m);
    free(file);
}

static bonsai_status load_archive(void *payload)
{
    bonsai_model *m;
    bonsai_status rc = bonsai_model_load(&m, payload);
    bonsai_model_free(m);
    return rc;
}

static void reading_survives_failed_allocations(void **state)
{
    (void)state;
    char path[300];
    bonsai_model *m = small_model(WITH_EVERY);
    snprintf(path, sizeof path, "%s", temp_path("memory.npz"));
    save_model(m, path);
    bonsai_model_free(m);
    survives_failed_allocations(load_archive, path, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_transposed_and_attention_has_three_dimensions),
        cmocka_unit_test(what_is_done_to_features_goes_along),
        cmocka_unit_test(the_same_model_gives_the_same_bytes),
        cmocka_unit_test(numpy_reads_every_model),
        cmocka_unit_test(every_model_comes_back),
        cmocka_unit_test(parameters_alone_are_a_model),
        cmocka_unit_test(what_is_missing_or_too_much_is_named),
        cmocka_unit_test(wrong_shapes_are_named),
        cmocka_unit_test(a_small_file_does_not_ask_for_much),
        cmocka_unit_test(wrong_values_beside_the_parameters_are_named),
        cmocka_unit_test(damaged_archives_end_in_a_sentence),
        cmocka_unit_test(reading_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_mutate.c -- the mutator of the fuzz targets: it must get behind the checksums.
 *
 * SPDX-License-Identifier: MIT */
#include "mutate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "bonsai.h"
#include "testing.h"

enum { MUTANTS = 400 };

static uint8_t room[MUTATE_ROOM];

/* A mutant of a file of the corpus, without the first `skip` bytes. */
static mu_bytes mutant(const char *path, size_t skip, uint64_t seed)
{
    mu_bytes b = {room, 0, sizeof room};
    mu_rng r = {seed};
    size_t len;
    uint8_t *file = read_file(path, &len);
    assert_true(mu_splice(&b, 0, 0, file + skip, len - skip));
    mutate_file(&b, &r, NULL);
    free(file);
    return b;
}

static const char *const graph = "fuzz/corpus/native/layout8.bonsai";
static const char *const archive = "fuzz/corpus/npz/archive_deflated";

static void the_same_seed_gives_the_same_mutant(void **state)
{
    (void)state;
    static uint8_t first[MUTATE_ROOM];
    int different = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        mu_bytes b = mutant(graph, 0, seed);
        size_t len = b.len;
        memcpy(first, b.data, len);
        b = mutant(graph, 0, seed);
        assert_int_equal(b.len, len);
        assert_memory_equal(b.data, first, len);
        b = mutant(graph, 0, seed + 1000);
        different += b.len != len || memcmp(b.data, first, len) != 0;
    }
    assert_true(different >= 18);
}

static uint32_t sum_of_head(mu_bytes b)
{
    size_t head = 64 + 32u * b.data[24];
    uint8_t copy[64 + 32 * 64];
    assert_true(head <= sizeof copy && head <= b.len);
    memcpy(copy, b.data, head);
    memset(copy + 28, 0, 4);
    return (uint32_t)crc32(0, copy, (uInt)head);
}

static void checksums_of_native_mutants_are_right(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MUTANTS; seed++) {
        mu_bytes b = mutant(graph, 0, seed);
        uint32_t said;
        memcpy(&said, b.data + 28, sizeof said);
        assert_int_equal(said, sum_of_head(b));
    }
}

static int loads(mu_bytes b, const char *name)
{
    bonsai_graph *g = NULL;
    const char *path = temp_path(name);
    write_file(path, b.data, b.len);
    int loaded = bonsai_graph_load(&g, path) == BONSAI_OK;
    bonsai_graph_free(g);
    return loaded;
}

/* A mutator whose files are all refused, or none of them, tests little. */
static void some_mutants_load_and_some_do_not(void **state)
{
    (void)state;
    int graphs = 0, archives = 0;
    for (uint64_t seed = 0; seed < MUTANTS; seed++) {
        graphs += loads(mutant(graph, 0, seed), "mutant.bonsai");
        archives += loads(mutant(archive, 1, seed), "mutant.npz");
    }
    assert_in_range(graphs, MUTANTS / 10, 9 * MUTANTS / 10);
    assert_in_range(archives, MUTANTS / 10, 9 * MUTANTS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_mutant),
        cmocka_unit_test(checksums_of_native_mutants_are_right),
        cmocka_unit_test(some_mutants_load_and_some_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_generatefile.c -- a graph generated into a file equals the graph generated and saved, for
 * any division of the work; a failure leaves nothing behind.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "graph/generate/generate.h"
#include "io/io.h"
#include "threads_world.h"

static bonsai_generate_options options(int64_t nodes, int64_t features, int dense)
{
    bonsai_generate_options o;
    bonsai_generate_options_init(&o);
    o.nodes = nodes;
    o.features = features;
    o.words = features < 10 ? 0.6 * (double)features : 6;
    o.classes = nodes < 5 ? nodes : 5;
    o.degree = nodes > 8 ? 6 : 0.5 * (double)(nodes - 1);
    o.dense = dense;
    o.threads = 1;
    return o;
}

/* ---- the same bytes ---- */

static uint8_t *saved(const bonsai_generate_options *o, size_t *len)
{
    bonsai_graph *g = NULL;
    const char *path = temp_path("saved.bonsai");
    assert_int_equal(bonsai_graph_generate(&g, o), BONSAI_OK);
    bn_traits t;
    bool integer;
    assert_int_equal(bn_traits_of(&t, &integer, g, NULL), BONSAI_OK);
    g->traits = bn_traits_mapped(&t);           /* what it keeps: the file is for mapping */
    assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
    bonsai_graph_free(g);
    return read_file(path, len);
}

static void assert_holds(const char *path, const uint8_t *wanted, size_t wanted_len)
{
    size_t len;
    uint8_t *bytes = read_file(path, &len);
    assert_int_equal(len, wanted_len);
    assert_memory_equal(bytes, wanted, len);
    free(bytes);
}

typedef struct {
    const bonsai_generate_options *o;
    const char *path;
} order;

static bonsai_status generate_here(bn_world *w, void *payload)
{
    const order *a = payload;
    return bn_generate_file(a->path, a->o, w);
}

static const int alone[] = {1, 2, 8, 0}, several[] = {1, 2, 3, 5, 8, 0};

/* Compares with several numbers of threads and of ranks; both lists end with 0. */
static void assert_same_by(const bonsai_generate_options *o, const int *threads, const int *ranks)
{
    size_t len;
    uint8_t *wanted = saved(o, &len);
    bonsai_generate_options by = *o;
    order a = {&by, temp_path("drawn.bonsai")};
    for (int i = 0; threads[i] > 0; i++) {
        by.threads = threads[i];
        assert_int_equal(bonsai_graph_generate_file(a.path, &by), BONSAI_OK);
        assert_holds(a.path, wanted, len);
    }
    by.threads = 1;
    for (int i = 0; ranks[i] > 0; i++) {
        if (run_ranks(ranks[i], generate_here, &a) != BONSAI_OK)
            fail_msg("%s", bonsai_error());
        assert_holds(a.path, wanted, len);
    }
    free(wanted);
}

static void assert_same_bytes(const bonsai_generate_options *o)
{
    assert_same_by(o, alone, several);
}

static void a_file_of_words_is_the_graph_saved(void **state)
{
    (void)state;
    static const int64_t nodes[] = {1, 2, 3, 7, 1001}, features[] = {0, 1, 8, 70000};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 4; j++) {
            const bonsai_generate_options o = options(nodes[i], features[j], 0);
            assert_same_bytes(&o);
        }
}

static void a_file_of_points_is_the_graph_saved(void **state)
{
    (void)state;
    static const int64_t nodes[] = {1, 2, 5, 1001}, features[] = {1, 2, 33};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++) {
            const bonsai_generate_options o = options(nodes[i], features[j], 1);
            assert_same_bytes(&o);
        }
}

/* So many words that they are stored dense; so many classes that labels are wider; a graph so dense
 * that its edges are drawn more than once; a graph without edges. */
static void unusual_graphs_give_the_same_file(void **state)
{
    (void)state;
    bonsai_generate_options o = options(600, 8, 0);
    o.words = 7.5;
    assert_same_bytes(&o);
    o = options(900, 20, 0);
    o.words = 0;
    o.classes = 300;
    assert_same_bytes(&o);
    o = options(70000, 2, 0);
    o.words = 1;
    o.classes = 66000;
    o.imbalance = 0;
    assert_same_by(&o, alone + 3, several + 3);
    o = options(200, 4, 1);
    o.degree = 150;
    o.homophily = 0.5;
    assert_same_bytes(&o);
    o.degree = 0;
    assert_same_bytes(&o);
}

/* One thread draws two megabytes at a time. */
static void graphs_of_several_pieces_give_the_same_file(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        bonsai_generate_options o = options(dense ? 30000 : 80000, 20, dense);
        o.degree = 8;
        assert_same_by(&o, (const int[]){1, 0}, (const int[]){2, 0});
    }
}

/* A single number may fit half precision; then the file, first laid out for floats, must be written
 * again. */
static void numbers_that_fit_a_smaller_type_use_it(void **state)
{
    (void)state;
    bonsai_generate_options o = options(1, 1, 1);
    o.degree = 0;
    for (o.seed = 0; o.seed < 200000; o.seed++) {
        bonsai_graph *g = NULL;
        float x;
        assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
        bonsai_graph_row(&x, g, 0);
        bonsai_graph_free(g);
        if (bn_half_to_float(bn_half_from_float(x)) == x)
            break;
    }
    assert_true(o.seed < 200000);
    bonsai_graph *g = NULL;
    const char *path = temp_path("half.bonsai");
    assert_int_equal(bonsai_graph_generate_file(path, &o), BONSAI_OK);
    assert_int_equal(bonsai_graph_load(&g, path), BONSAI_OK);
    assert_int_equal(bonsai_graph_view(g)->section[BONSAI_SECTION_FEATURES].type, BONSAI_TYPE_F16);
    bonsai_graph_free(g);
    assert_same_bytes(&o);
}

static void a_permutation_can_be_undone(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 3000; n = n * 3 / 2 + 1) {
        const bn_permutation p = bn_permutation_of(n, (uint64_t)n);
        uint8_t seen[3000] = {0};
        for (int64_t i = 0; i < n; i++) {
            int64_t to = bn_permuted(&p, i);
            assert_in_range(to, 0, n - 1);
            assert_false(seen[to]++);
            assert_int_equal(bn_unpermuted(&p, to), i);
        }
    }
}

/* ---- failures ---- */

static int files_in(const char *folder)
{
    int count = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        count += e->d_name[0] != '.';
    closedir(d);
    return count;
}

typedef struct {
    const char *folder;
    char path[600];
    int  ranks;
    bonsai_generate_options o;
} place;

static place a_place(const char *name, int ranks)
{
    place p = {.folder = temp_path(name), .ranks = ranks, .o = options(3000, 40, ranks > 1)};
    assert_int_equal(mkdir(p.folder, 0700), 0);
    snprintf(p.path, sizeof p.path, "%s/g.bonsai", p.folder);
    return p;
}

/* ranks 0: without a world */
static bonsai_status generate_there(void *payload)
{
    place *p = payload;
    order a = {&p->o, p->path};
    bonsai_status rc = p->ranks ? run_ranks(p->ranks, generate_here, &a)
                                : bonsai_graph_generate_file(p->path, &p->o);
    assert_int_equal(files_in(p->folder), rc == BONSAI_OK);
    return rc;
}

static void a_full_disk_leaves_nothing(void **state)
{
    (void)state;
    struct rlimit before, tight;
    static const char *const name[] = {"full0", "full1", "full3"};
    static const int ranks[] = {0, 1, 3};
    static const rlim_t limits[] = {0, 100, 30000, 250000, 480000};
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 3; i++) {
        place p = a_place(name[i], ranks[i]);
        p.o.dense = 1;                          /* 480,000 bytes of features alone */
        for (int j = 0; j < 5; j++) {
            tight = before;
            tight.rlim_cur = limits[j];
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
            bonsai_status rc = generate_there(&p);
            setrlimit(RLIMIT_FSIZE, &before);
            assert_fails(rc, BONSAI_E_IO, "g.bonsai: cannot be written: File too large");
        }
        assert_int_equal(generate_there(&p), BONSAI_OK);
    }
    signal(SIGXFSZ, SIG_DFL);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    static const char *const name[] = {"alloc0", "alloc1", "alloc3"};
    static const int ranks[] = {0, 1, 3}, least[] = {15, 15, 45};
    for (int i = 0; i < 3; i++) {
        place p = a_place(name[i], ranks[i]);
        p.o.nodes = 60;
        survives_failed_allocations(generate_there, &p, least[i]);
        remove(p.path);
        p.o.dense = !p.o.dense;
        survives_failed_allocations(generate_there, &p, least[i]);
    }
}

static int stop_at(const bonsai_progress *p, void *payload)
{
    int *left = payload;
    (void)p;
    return (*left)-- == 0;
}

static void it_can_be_canceled_at_every_tick(void **state)
{
    (void)state;
    place p = a_place("cancel", 0);
    bonsai_status rc = BONSAI_E_CANCELED;
    int ticks = 0;
    p.o.progress = stop_at;
    for (; rc == BONSAI_E_CANCELED; ticks++) {
        int left = ticks;
        p.o.payload = &left;
        rc = generate_there(&p);
    }
    assert_int_equal(rc, BONSAI_OK);
    assert_true(ticks > 8);
}

static void all_ranks_report_a_refusal(void **state)
{
    (void)state;
    place p = a_place("refused", 3);
    p.o.degree = 5000;
    assert_fails(generate_there(&p), BONSAI_E_ARGUMENT, "degree is 5000; it must be at least 0 and "
                 "less than the 3000 nodes");
    p.o.degree = 3;
    snprintf(p.path, sizeof p.path, "%s", p.folder);
    assert_fails(generate_there(&p), BONSAI_E_IO, "is a folder, so no file can be written there");
    snprintf(p.path, sizeof p.path, "%s/no/g.bonsai", p.folder);
    assert_fails(generate_there(&p), BONSAI_E_IO, "g.bonsai: cannot be written: No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_words_is_the_graph_saved),
        cmocka_unit_test(a_file_of_points_is_the_graph_saved),
        cmocka_unit_test(unusual_graphs_give_the_same_file),
        cmocka_unit_test(graphs_of_several_pieces_give_the_same_file),
        cmocka_unit_test(numbers_that_fit_a_smaller_type_use_it),
        cmocka_unit_test(a_permutation_can_be_undone),
        cmocka_unit_test(a_full_disk_leaves_nothing),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(it_can_be_canceled_at_every_tick),
        cmocka_unit_test(all_ranks_report_a_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

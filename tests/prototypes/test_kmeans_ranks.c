/* test_kmeans_ranks.c -- clusters of sharded rows are those of one rank.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "prototypes/kmeans/kmeans.h"
#include "prototypes/prototypes.h"
#include "parting.h"


typedef struct {
    parted_rows parts;
    int64_t  rows, f, k;
    bool     deep;
    int      threads;
    bn_memory limit;            /* of each rank; limit 0: none */
    bool     limited;
    int32_t *cluster;           /* rows: the answer of all ranks together */
    int64_t  found;
    float   *mean, *posterior;  /* or NULL: not asked for */
    const int32_t *label;
    int64_t  classes;
} errand;

/* The rows of a rank in memory or, under a limit of nothing, in a scratch file. */
static bonsai_status own_rows(bn_embedding *out, const bn_embedding *e, bn_memory *m)
{
    bonsai_status rc;
    *out = (bn_embedding){.rows = e->rows, .f = e->f};
    if (e->dense) {
        BN_TRY(BN_BIG(&out->dense, m, e->rows * e->f));
        memcpy(out->dense, e->dense, (size_t)(e->rows * e->f) * sizeof *e->dense);
        goto done;
    }
    BN_TRY(BN_BIG(&out->offsets, m, e->rows + 1));
    memcpy(out->offsets, e->offsets, (size_t)(e->rows + 1) * sizeof *e->offsets);
    BN_TRY(BN_BIG(&out->index, m, e->offsets[e->rows]));
    BN_TRY(BN_BIG(&out->value, m, e->offsets[e->rows]));
    memcpy(out->index, e->index, (size_t)e->offsets[e->rows] * sizeof *e->index);
    memcpy(out->value, e->value, (size_t)e->offsets[e->rows] * sizeof *e->value);
done:
    return rc;
}

static bonsai_status cluster_own(errand *t, bn_sharded *s, bn_world *w, int64_t *rows)
{
    bonsai_status rc;
    int64_t first = t->parts.first[bn_rank(w)], found;
    for (int64_t i = 0; i < s->e->rows; i++)
        rows[i] = i;
    BN_TRY((t->deep ? bn_kmeans_deep : bn_kmeans)(t->cluster + first, &found, s,
                                                  &(bn_kmeans_task){rows, s->e->rows, t->k, 9, 3}));
    if (bn_rank(w) == 0)
        t->found = found;
done:
    return rc;
}

static bonsai_status average_own(errand *t, bn_sharded *s, bn_world *w)
{
    bonsai_status rc;
    bn_embedding mean = {0};
    int64_t first = t->parts.first[bn_rank(w)];
    if (!t->mean)
        return BONSAI_OK;
    BN_TRY(bn_centroids(&mean, s, t->cluster + first, t->k, NULL));
    for (int64_t c = 0; c < t->k && bn_rank(w) == bn_ranks(w) - 1; c++)
        bn_embedding_row(t->mean + c * t->f, &mean, c);
    BN_TRY(bn_posterior(t->posterior + first * t->classes, s, t->label + first, t->classes, 3));
done:
    bn_embedding_free(&mean);
    return rc;
}

static bonsai_status work(bn_world *w, void *payload)
{
    bonsai_status rc;
    errand *t = payload;
    bn_memory memory = t->limit;
    bn_place at = {.world = w, .memory = t->limited ? &memory : NULL, .threads = t->threads};
    bn_embedding e = {0};
    bn_sharded s = {0};
    int64_t *rows = NULL;
    rc = own_rows(&e, &t->parts.e[bn_rank(w)], at.memory);
    if (rc == BONSAI_OK)
        rc = BN_NEW(&rows, e.rows);
    BN_TRY(bn_agree(w, rc));
    BN_TRY(bn_sharded_look(&s, &e, &at));
    BN_TRY(cluster_own(t, &s, w, rows));
    BN_TRY(average_own(t, &s, w));
done:
    bn_sharded_free(&s);
    bn_embedding_free(&e);
    bn_free(rows);
    return rc;
}

/* Ranks without rows know how long rows are, and of which kind. */
static void part_all(parted_rows *p, const float *x, int64_t rows, int64_t f, int ranks,
                     bool sparse, uint64_t *s)
{
    part_rows(p, x, rows, f, ranks, sparse, false, s);
    for (int r = 0; r < ranks; r++)
        if (p->e[r].rows == 0)
            (sparse ? set_sparse : set_dense)(&p->e[r], x, 0, f);
}

/* Some rows around centres, some on a grid, where many are as far from one mean as from another,
 * some the same, some far from all. */
static float *points(int64_t rows, int64_t f, bool sparse, uint64_t s)
{
    float *x = calloc((size_t)(rows * f), sizeof *x);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < f; j++) {
            int64_t at = r * f + j, kind = r % 4;
            x[at] = kind == 0 ? (float)(r / 4 % 12 * (j + 1) % 7) + random_real(&s)
                    : kind == 1 ? (float)random_below(&s, 2)
                    : kind == 2 && r > 100 ? x[at - 100 * f] : random_real(&s) * 3;
            if (sparse && random_below(&s, 3) > 0 && kind != 2)
                x[at] = 0;
            if (r % 1000 == 3)
                x[at] = j == r / 1000 ? 500.0f : 0;
        }
    return x;
}

typedef struct { int64_t rows, f, k; bool deep; } size;

static errand *new_errand(const size *z, const float *x, bool sparse)
{
    errand *t = calloc(1, sizeof *t);
    uint64_t s = 5;
    *t = (errand){.rows = z->rows, .f = z->f, .k = z->k, .deep = z->deep, .threads = 1,
                  .classes = 3};
    t->cluster = calloc((size_t)z->rows, sizeof *t->cluster);
    t->mean = calloc((size_t)(z->k * z->f), sizeof *t->mean);
    t->posterior = calloc((size_t)(z->rows * t->classes), sizeof *t->posterior);
    int32_t *label = calloc((size_t)z->rows, sizeof *label);
    for (int64_t r = 0; r < z->rows; r++)
        label[r] = (int32_t)(x[r * z->f] > 1) + (int32_t)random_below(&s, 2);
    t->label = label;
    part_all(&t->parts, x, z->rows, z->f, 1, sparse, &s);
    return t;
}

static void free_errand(errand *t)
{
    free_parts(&t->parts);
    free(t->cluster);
    free(t->mean);
    free(t->posterior);
    free((void *)t->label);
    free(t);
}

static void assert_same(const errand *a, const errand *b)
{
    assert_int_equal(a->found, b->found);
    assert_memory_equal(a->cluster, b->cluster, (size_t)a->rows * sizeof *a->cluster);
    assert_memory_equal(a->mean, b->mean, (size_t)(a->k * a->f) * sizeof *a->mean);
    assert_memory_equal(a->posterior, b->posterior,
                        (size_t)(a->rows * a->classes) * sizeof *a->posterior);
}

static void assert_done(bonsai_status rc)
{
    if (rc != BONSAI_OK)
        fail_msg("%s", bonsai_error());
}

/* Few rows that all ranks gather; many of which they gather a sample; and clusters of clusters,
 * with leaves that ranks solve for each other. */
static const size sizes[] = {{300, 7, 9, false}, {8300, 19, 13, false}, {8300, 3, 64, false},
                             {8300, 20, 820, true}, {40, 3, 40, true}, {40, 3, 90, true},
                             {900, 4, 1, true}, {1, 2, 1, true}};

static void clusters_means_and_posteriors_do_not_depend_on_ranks(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const size *z = &sizes[i / 2];
        bool sparse = i % 2;
        uint64_t s = 100 + i;
        float *x = points(z->rows, z->f, sparse, s);
        errand *alone = new_errand(z, x, sparse);
        assert_done(work(NULL, alone));
        assert_in_range(alone->found, 1, z->k);
        for (int c = 0; c < 5; c += z->k > 99 ? 3 : 1) {
            errand *t = new_errand(z, x, sparse);
            free_parts(&t->parts);
            part_all(&t->parts, x, z->rows, z->f, rank_counts[c], sparse, &s);
            t->threads = 1 + c / 4;
            assert_done(run_ranks(rank_counts[c], work, t));
            assert_same(alone, t);
            free_errand(t);
        }
        free_errand(alone);
        free(x);
    }
}

static void clusters_do_not_depend_on_the_limit_of_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const size *z = &sizes[2 + i / 2];
        float *x = points(z->rows, z->f, i % 2, i);
        errand *alone = new_errand(z, x, i % 2);
        assert_done(work(NULL, alone));
        for (int ranks = 1; ranks < 4; ranks += 2) {
            errand *t = new_errand(z, x, i % 2);
            uint64_t s = i;
            free_parts(&t->parts);
            part_all(&t->parts, x, z->rows, z->f, ranks, i % 2, &s);
            t->limited = true;
            t->limit.limit = ranks > 1 ? 100000 : 0;
            assert_done(run_ranks(ranks, work, t));
            assert_same(alone, t);
            free_errand(t);
        }
        free_errand(alone);
        free(x);
    }
}

/* Squares that overflow say nothing; they must say it on all ranks. */
static void overflow_is_the_same_on_all_ranks(void **state)
{
    (void)state;
    const size z = {8300, 6, 12, false};
    float *x = points(z.rows, z.f, false, 3);
    for (int64_t i = 0; i < z.rows * z.f; i++)
        x[i] *= i % 5 ? 1e18f : 1e36f;
    errand *alone = new_errand(&z, x, false), *t = new_errand(&z, x, false);
    uint64_t s = 2;
    free_parts(&t->parts);
    part_all(&t->parts, x, z.rows, z.f, 3, false, &s);
    for (int64_t i = 0; i < z.rows; i++)
        alone->posterior[i] = t->posterior[i] = 0;
    free(alone->mean);
    free(t->mean);
    alone->mean = t->mean = NULL;
    assert_done(work(NULL, alone));
    assert_done(run_ranks(3, work, t));
    assert_int_equal(alone->found, t->found);
    assert_memory_equal(alone->cluster, t->cluster, (size_t)z.rows * sizeof *t->cluster);
    free_errand(alone);
    free_errand(t);
    free(x);
}

static bonsai_status try_memory(void *payload)
{
    return run_ranks(3, work, payload);
}

/* Whichever rank it is that has no room: the others must not wait for it. */
static void a_failed_allocation_on_one_rank_ends_all(void **state)
{
    (void)state;
    static const size small[] = {{100, 7, 9, false}, {60, 3, 90, true}};
    for (size_t i = 0; i < 2; i++) {
        const size *z = &small[i];
        uint64_t s = 4;
        float *x = points(z->rows, z->f, i % 2, s);
        errand *t = new_errand(z, x, i % 2);
        free_parts(&t->parts);
        part_all(&t->parts, x, z->rows, z->f, 3, i % 2, &s);
        survives_failed_allocations(try_memory, t, 60);
        free_errand(t);
        free(x);
    }
}

/* The larger ones have too many allocations to try each. */
static void a_failed_allocation_anywhere_in_the_deep_ends_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const size z = {8300, 20, 820, true};
        uint64_t s = 4;
        float *x = points(z.rows, z.f, i % 2, s);
        errand *t = new_errand(&z, x, i % 2);
        int64_t live;
        int failed = 0;
        free_parts(&t->parts);
        part_all(&t->parts, x, z.rows, z.f, 3, i % 2, &s);
        live = bn_mem_live();
        for (int64_t nth = 3; nth < 2000; nth += nth + 7) {
            bn_mem_fail_at(nth);
            bonsai_status rc = run_ranks(3, work, t);
            bool hit = bn_mem_failed();
            bn_mem_fail_at(-1);
            assert_int_equal(rc, hit ? BONSAI_E_MEMORY : BONSAI_OK);
            assert_int_equal(bn_mem_live(), live);
            failed += hit;
        }
        assert_true(failed > 4);
        free_errand(t);
        free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_means_and_posteriors_do_not_depend_on_ranks),
        cmocka_unit_test(clusters_do_not_depend_on_the_limit_of_memory),
        cmocka_unit_test(overflow_is_the_same_on_all_ranks),
        cmocka_unit_test(a_failed_allocation_on_one_rank_ends_all),
        cmocka_unit_test(a_failed_allocation_anywhere_in_the_deep_ends_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_update.c -- prototypes after their graph has changed.
 *
 * The oracle embeds both whole graphs in double, by the definition, and says who moved where and
 * what each mean should be.
 *
 * SPDX-License-Identifier: MIT */
#include "record/record.h"
#include "growing.h"

/* ---- the oracle ---- */

typedef double matrix[NODES][FEATURES];

static void embed(matrix x, const bonsai_graph *g, int layers)
{
    static matrix next;
    float row[FEATURES];
    const uint32_t *to = g->view.section[BONSAI_SECTION_NEIGHBORS].data;
    for (int64_t v = 0; v < g->view.nodes; v++) {
        bonsai_graph_row(row, g, v);
        for (int j = 0; j < FEATURES; j++)
            x[v][j] = (double)row[j];
    }
    for (int l = 0; l < layers; l++) {
        for (int64_t v = 0; v < g->view.nodes; v++) {
            int64_t begin = bn_int_at(&g->view.section[BONSAI_SECTION_OFFSETS], v);
            int64_t end = bn_int_at(&g->view.section[BONSAI_SECTION_OFFSETS], v + 1);
            for (int j = 0; j < FEATURES; j++) {
                double sum = 0;
                for (int64_t e = begin; e < end; e++)
                    sum += x[to[e]][j];
                next[v][j] = (x[v][j] + sum) / (double)(1 + end - begin);
            }
        }
        memcpy(x, next, sizeof(matrix));
    }
}

/* A mixture, as the rows of small are. */
static void embed_as(matrix x, const bonsai_graph *g, const bonsai_graph *small, int layers)
{
    static matrix own, far;
    bn_record made;
    const uint32_t *to = g->view.section[BONSAI_SECTION_NEIGHBORS].data;
    const bonsai_array *offsets = &g->view.section[BONSAI_SECTION_OFFSETS];
    assert_int_equal(bn_record_read(&made, small), BONSAI_OK);
    const double *share = bn_kind_named(made.rows)->blend.share;
    embed(own, g, 0);
    embed(far, g, layers);
    for (int64_t v = 0; v < g->view.nodes; v++)
        for (int j = 0; j < FEATURES; j++) {
            int64_t begin = bn_int_at(offsets, v), end = bn_int_at(offsets, v + 1);
            double sum = 0;
            for (int64_t e = begin; e < end; e++)
                sum += own[to[e]][j] / (double)(end - begin);
            x[v][j] = share[BN_OWN] * own[v][j] + share[BN_AROUND] * sum + share[BN_FAR] * far[v][j];
        }
}

static void members_of(int *of, const bonsai_graph *small)
{
    const bonsai_array *offsets = &small->view.section[BONSAI_SECTION_MEMBER_OFFSETS];
    const uint32_t *member = small->view.section[BONSAI_SECTION_MEMBERS].data;
    for (int v = 0; v < NODES; v++)
        of[v] = -1;
    for (int64_t p = 0; p < small->view.nodes; p++)
        for (int64_t e = bn_int_at(offsets, p); e < bn_int_at(offsets, p + 1); e++) {
            assert_true(member[e] < NODES && of[member[e]] == -1);
            of[member[e]] = (int)p;
        }
}

static bool differs(const double *a, const double *b)
{
    double sum = 0;
    for (int j = 0; j < FEATURES; j++)
        sum += fabs(a[j] - b[j]);
    return sum > 1e-9;
}

static bool trains(const bonsai_graph *g, int64_t v)
{
    return v < g->view.nodes && bn_part(g, v) == BONSAI_PART_TRAIN && bn_label(g, v) >= 0;
}

static double distance2(const float *row, const double *x)
{
    double sum = 0;
    for (int j = 0; j < FEATURES; j++)
        sum += ((double)row[j] - x[j]) * ((double)row[j] - x[j]);
    return sum;
}

/* ---- who is reached ---- */

static void whoever_is_embedded_otherwise_is_touched_and_few_more(void **state)
{
    (void)state;
    static matrix old, fresh;
    int64_t touched = 0, reached = 0, all = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        bonsai_graph *g = generated(seed), *was = first_nodes(g, OLDER), *now = with_edges(g, seed);
        bn_changes c;
        int layers = (int)(seed % 4);
        meddle(now, seed);
        assert_int_equal(bn_changes_find(&c, now, was, layers, (bn_progress){0}), BONSAI_OK);
        assert_int_equal(c.added, NODES - OLDER);
        memset(old, 0, sizeof old);
        embed(old, was, layers);
        embed(fresh, now, layers);
        for (int64_t v = 0; v < NODES; v++) {
            bool moved = v >= OLDER || differs(old[v], fresh[v]);
            assert_true(!moved || (c.kind[v] & BN_TOUCHED));
            bool relabelled = v >= OLDER || bn_label(now, v) != bn_label(was, v) ||
                              bn_part(now, v) != bn_part(was, v);
            assert_true(relabelled == ((c.kind[v] & BN_NEW_LABEL) != 0));
            reached += moved;
            touched += (c.kind[v] & BN_TOUCHED) != 0;
            all++;
        }
        bn_changes_free(&c);
        bonsai_graph_free(g);
        bonsai_graph_free(was);
        bonsai_graph_free(now);
    }
    assert_true(touched < reached + reached / 10 && touched < all / 2);
}

/* ---- what comes of it ---- */

static void nothing_changes_where_nothing_has(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        grown w = grow(seed, 0);
        bonsai_condense_info i;
        int equal;
        bonsai_graph *out = updated(&i, &w, 1);
        assert_int_equal(bonsai_graph_equal(&equal, out, w.small), BONSAI_OK);
        assert_true(equal);
        assert_true(i.bytes == w.info.bytes && bn_fact(&i, BN_FACT_BUDGET) == bn_fact(&w.info, BN_FACT_BUDGET));
        bonsai_graph_free(out);
        grown_free(&w);
    }
}

/* Members by the oracle: whom the change does not touch stays, others go to the nearest row of
 * small; prototypes that nobody is left of go, and the others keep their order. */
static int64_t check_members(int *after, int *from, bool *stays, const int *before, const grown *w,
                             matrix fresh)
{
    float row[FEATURES];
    int wanted[NODES], place[NODES];
    int64_t count = 0;
    bn_changes c;
    bn_record made;
    assert_int_equal(bn_record_read(&made, w->small), BONSAI_OK);
    int reach = bn_blend_reach(&bn_kind_named(made.rows)->blend, bn_fact_whole(&w->info, BN_FACT_LAYERS));
    assert_int_equal(bn_changes_find(&c, w->now, w->was, reach, (bn_progress){0}), BONSAI_OK);
    for (int64_t v = 0; v < NODES; v++) {
        double least = INFINITY;
        wanted[v] = trains(w->now, v) ? before[v] : -1;
        stays[v] = v < w->now->view.nodes && !(c.kind[v] & (BN_TOUCHED | BN_NEW_LABEL));
        if (wanted[v] >= 0 && stays[v])
            continue;
        for (int64_t p = 0; trains(w->now, v) && p < w->small->view.nodes; p++) {
            bonsai_graph_row(row, w->small, p);
            if (bn_label(w->small, p) == bn_label(w->now, v) &&
                distance2(row, fresh[v]) < least - 1e-7) {
                least = distance2(row, fresh[v]);
                wanted[v] = (int)p;
            }
        }
    }
    for (int p = 0; p < (int)w->small->view.nodes; p++) {
        bool lives = false;
        for (int v = 0; v < NODES; v++)
            lives |= wanted[v] == p;
        place[p] = lives ? (int)count : -1;
        if (lives)
            from[count++] = p;
    }
    for (int64_t v = 0; v < NODES; v++) {
        assert_int_equal(after[v], wanted[v] < 0 ? -1 : place[wanted[v]]);
        after[v] = wanted[v];
    }
    bn_changes_free(&c);
    return count;
}

/* The row of prototype p as it should be: of small's, unless none of its members stays, less what
 * it lost, and what it got. */
static int64_t expect_row(double *mean, bool *moved, const grown *w, int p, const int *before,
                          const int *after, const bool *stays, matrix old, matrix fresh)
{
    bool inherits = false;
    float row[FEATURES];
    int64_t size[2] = {0, 0};
    double sum[FEATURES];
    bonsai_graph_row(row, w->small, p);
    *moved = false;
    for (int v = 0; v < NODES; v++) {
        size[0] += before[v] == p;
        size[1] += after[v] == p;
        inherits |= before[v] == p && stays[v];
    }
    for (int j = 0; j < FEATURES; j++)
        sum[j] = inherits ? (double)row[j] * (double)size[0] : 0;
    for (int v = 0; v < NODES; v++) {
        if (stays[v])
            continue;
        *moved |= before[v] == p || after[v] == p;
        for (int j = 0; j < FEATURES; j++)
            sum[j] += (after[v] == p ? fresh[v][j] : 0) -
                      (inherits && before[v] == p ? old[v][j] : 0);
    }
    for (int j = 0; j < FEATURES; j++)
        mean[j] = sum[j] / (double)size[1];
    return size[1];
}

/* In 255ths, of prototype p, whose row of the new graph is given: nodes bring what they had. */
static void check_soft(const uint8_t *got, const grown *w, int p, const int *before,
                       const int *after)
{
    const uint8_t *soft = w->small->view.section[BONSAI_SECTION_SOFT_LABELS].data;
    double mean[CLASSES] = {0};
    int size = 0, sum = 0;
    for (int v = 0; v < NODES; v++) {
        if (after[v] != p)
            continue;
        int of = before[v] >= 0 && bn_label(w->small, before[v]) == bn_label(w->small, p)
                     ? before[v] : p;
        size++;
        for (int c = 0; c < CLASSES; c++)
            mean[c] += (double)soft[of * CLASSES + c];
    }
    for (int c = 0; c < CLASSES; c++) {
        assert_true(fabs((double)got[c] - mean[c] / size) < 1);
        sum += got[c];
    }
    assert_int_equal(sum, 255);
}

/* Where entries were cut, which are kept is a matter of rounding: the strongest must be.  Cut or
 * sharpened ones may be less than what leaves, and then nothing is left of them. */
static void check_row(const float *row, const double *mean, bool cut)
{
    double largest = 0;
    for (int j = 0; j < FEATURES; j++)
        largest = fmax(largest, fabs(mean[j]));
    for (int j = 0; j < FEATURES; j++) {
        bool kept = row[j] != 0 || !cut || fabs(mean[j]) > 0.9 * largest;
        if (kept && !(mean[j] < 0 && row[j] == 0))
            assert_true(fabs((double)row[j] - mean[j]) <= largest / 100 + 1e-6);
    }
}

/* Numbers become squares, and features from `columns` on zero.  False: there are no numbers. */
static bool make_squares(bonsai_graph *g, int columns)
{
    const bonsai_array *index = &g->view.section[BONSAI_SECTION_FEATURE_INDICES];
    bonsai_section s = index->data ? BONSAI_SECTION_FEATURE_VALUES : BONSAI_SECTION_FEATURES;
    const bonsai_array *x = &g->view.section[s];
    uint8_t *data = g->owned[s];
    if (!data || (x->type != BONSAI_TYPE_U8 && x->type != BONSAI_TYPE_I8))
        return false;
    for (int64_t e = 0; e < x->count; e++) {
        int64_t column = index->data ? bn_int_at(index, e) : e % FEATURES;
        int q = x->type == BONSAI_TYPE_I8 ? (int8_t)data[e] : data[e];
        int root = (int)rint(sqrt(abs(q))), most = x->type == BONSAI_TYPE_I8 ? 7 : 15;
        root = column >= columns ? 0 : root > most ? most : root;
        data[e] = (uint8_t)(q < 0 ? -root * root : root * root);
    }
    atomic_store(&g->learnt, 0);
    return true;
}

static void rows_stay_in_four_bits_and_in_their_columns(void **state)
{
    (void)state;
    enum { COLUMNS = 8 };
    int squares = 0, columns = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        grown w = grow(seed, 2);
        bonsai_condense_info i;
        bn_traits before, after;
        bool integer;
        if (make_squares(w.small, COLUMNS)) {
            assert_int_equal(bn_traits_of(&before, &integer, w.small, NULL), BONSAI_OK);
            bonsai_graph *out = updated(&i, &w, 1);
            assert_int_equal(bn_traits_of(&after, &integer, out, NULL), BONSAI_OK);
            assert_true(i.bytes <= size_in(w.small, BONSAI_ACCOUNTING_STRICT) + 3 * CLASSES);
            assert_true(!(before.q4 || before.s4) || after.q4 || after.s4);
            assert_true(before.empty == 0 || after.empty >= FEATURES - COLUMNS);
            squares += before.q4 || before.s4;
            columns += before.empty > 0;
            bonsai_graph_free(out);
        }
        grown_free(&w);
    }
    assert_true(squares > 5 && columns > 5);
}

static void members_means_and_weights_are_those_that_the_oracle_says(void **state)
{
    (void)state;
    static matrix old, fresh;
    int64_t moves = 0, adjusted = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        grown w = grow(seed, 2);
        bonsai_condense_info i;
        int before[NODES], after[NODES], from[NODES];
        bool stays[NODES];
        bonsai_graph *out = updated(&i, &w, 1);
        memset(old, 0, sizeof old);
        memset(fresh, 0, sizeof fresh);
        embed_as(old, w.was, w.small, bn_fact_whole(&w.info, BN_FACT_LAYERS));
        embed_as(fresh, w.now, w.small, bn_fact_whole(&w.info, BN_FACT_LAYERS));
        members_of(before, w.small);
        members_of(after, out);
        assert_int_equal(bonsai_graph_verify(out), BONSAI_OK);
        assert_true(i.bytes <= bn_fact(&i, BN_FACT_BUDGET) && i.bytes == size_in(out, BONSAI_ACCOUNTING_STRICT));
        assert_int_equal(check_members(after, from, stays, before, &w, fresh), out->view.nodes);
        bool cut = bn_has(w.small, BONSAI_SECTION_FEATURE_OFFSETS);
        const uint32_t *origin = out->view.section[BONSAI_SECTION_ORIGIN].data;
        for (int at = 0; at < (int)out->view.nodes; at++) {
            double mean[FEATURES];
            const int p = from[at];
            float row[FEATURES], given[FEATURES];
            bool moved;
            int64_t size = expect_row(mean, &moved, &w, p, before, after, stays, old, fresh);
            bonsai_graph_row(row, out, at);
            bonsai_graph_row(given, w.small, p);
            if (!moved)
                assert_memory_equal(row, given, sizeof row);
            check_row(row, mean, cut);
            adjusted += moved;
            assert_int_equal(after[origin[at]], p);
            assert_int_equal(bn_label(out, at), bn_label(w.small, p));
            if (bn_has(out, BONSAI_SECTION_NODE_WEIGHTS))
                assert_true(bn_real_at(&out->view.section[BONSAI_SECTION_NODE_WEIGHTS], at) == (float)size);
            const uint8_t *soft = out->view.section[BONSAI_SECTION_SOFT_LABELS].data;
            if (soft)
                check_soft(soft + at * CLASSES, &w, p, before, after);
        }
        for (int v = 0; v < NODES; v++)
            moves += before[v] != after[v] && before[v] >= 0 && after[v] >= 0;
        bonsai_graph_free(out);
        grown_free(&w);
    }
    assert_true(moves > 0 && adjusted > 24);
}

static void threads_files_and_going_on_twice_do_not_matter(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        grown w = grow(seed, 2);
        bonsai_condense_info i;
        bonsai_graph *one = updated(&i, &w, 1), *eight = updated(&i, &w, 8);
        assert_same_file(one, eight);
        const char *path = temp_path("small.bonsai");
        assert_int_equal(bonsai_graph_save(NULL, w.small, path, NULL), BONSAI_OK);
        bonsai_graph_free(w.small);
        assert_int_equal(bonsai_graph_load(&w.small, path), BONSAI_OK);
        bonsai_graph *loaded = updated(&i, &w, 2);
        assert_same_file(one, loaded);
        /* its report fits the newer graph: it can be gone on from */
        grown next = {w.now, w.now, one, i};
        int equal;
        bonsai_graph *again = updated(&i, &next, 1);
        assert_int_equal(bonsai_graph_equal(&equal, one, again), BONSAI_OK);
        assert_true(equal);
        bonsai_graph_free(again);
        bonsai_graph_free(loaded);
        bonsai_graph_free(one);
        bonsai_graph_free(eight);
        grown_free(&w);
    }
}

static void a_prototype_without_members_goes(void **state)
{
    (void)state;
    grown w = grow(1, 0);
    const bonsai_array *offsets = &w.small->view.section[BONSAI_SECTION_MEMBER_OFFSETS];
    const uint32_t *member = w.small->view.section[BONSAI_SECTION_MEMBERS].data;
    uint8_t *split = w.now->owned[BONSAI_SECTION_SPLIT];
    bonsai_condense_info i;
    assert_true(w.small->view.nodes > CLASSES);
    for (int64_t e = 0; e < bn_int_at(offsets, 1); e++)
        split[member[e]] = BONSAI_PART_NONE;
    bonsai_graph *out = updated(&i, &w, 1);
    assert_int_equal(out->view.nodes, w.small->view.nodes - 1);
    for (int64_t p = 0; p < out->view.nodes; p++) {
        float a[FEATURES], b[FEATURES];
        bonsai_graph_row(a, out, p);
        bonsai_graph_row(b, w.small, p + 1);
        assert_memory_equal(a, b, sizeof a);
    }
    bonsai_graph_free(out);
    memset(split, BONSAI_PART_NONE, OLDER);
    out = NULL;
    assert_fails(bonsai_condense_update(&out, NULL, w.now, w.was, w.small, NULL), BONSAI_E_ARGUMENT,
                 "no labelled node is in the training part");
    grown_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoever_is_embedded_otherwise_is_touched_and_few_more),
        cmocka_unit_test(nothing_changes_where_nothing_has),
        cmocka_unit_test(rows_stay_in_four_bits_and_in_their_columns),
        cmocka_unit_test(members_means_and_weights_are_those_that_the_oracle_says),
        cmocka_unit_test(threads_files_and_going_on_twice_do_not_matter),
        cmocka_unit_test(a_prototype_without_members_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_npzwrite.c -- NumPy archives: what is written reads back, and is the same bytes each time.
 *
 * SPDX-License-Identifier: MIT */
#include "npzfixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/npy.h"

typedef struct {
    bonsai_view v;
    int32_t source[60], target[60];
    float   weight[60], x[400], scale[20], node_weight[20], soft[100], mean[20];
    uint8_t small[400], split[20], role[20], soft8[100], names[60];
    uint16_t half[400], index[400];
    uint32_t offsets[21], labels[20], origin[20], member_offsets[21], members[60], kept[20];
} parts;

static bonsai_array *section(parts *p, bonsai_section s)
{
    return &p->v.section[s];
}

static void random_features(parts *p, bn_rng *r)
{
    int64_t n = p->v.nodes, f = p->v.features, nnz = 0;
    int form = (int)bn_rng_below(r, 7);
    for (int64_t i = 0; i < n * f; i++) {
        p->x[i] = bn_rng_below(r, 3) ? (float)bn_rng_normal(r) : bn_rng_below(r, 2) ? 0.0f : -0.0f;
        p->half[i] = bn_half_from_float(p->x[i]);
        p->small[i] = (uint8_t)bn_rng_below(r, 256);
    }
    for (int64_t v = 0; v < n; v++) {
        p->scale[v] = (float)bn_rng_unit(r) + 0.01f;
        for (int64_t j = 0; j < f; j++)
            if (bn_rng_below(r, 3) == 0)
                p->index[nnz++] = (uint16_t)j;
        p->offsets[v + 1] = (uint32_t)nnz;
    }
    if (form == 0)
        p->v.features = 0;
    if (form == 1)
        *section(p, BONSAI_SECTION_FEATURES) = (bonsai_array){p->x, n * f, BONSAI_TYPE_F32};
    if (form == 2)
        *section(p, BONSAI_SECTION_FEATURES) = (bonsai_array){p->half, n * f, BONSAI_TYPE_F16};
    if (form == 3)
        *section(p, BONSAI_SECTION_FEATURES) = (bonsai_array){p->small, n * f, BONSAI_TYPE_U8};
    if (form >= 4) {
        *section(p, BONSAI_SECTION_FEATURE_OFFSETS) =
            (bonsai_array){p->offsets, n + 1, BONSAI_TYPE_U32};
        *section(p, BONSAI_SECTION_FEATURE_INDICES) =
            (bonsai_array){p->index, nnz, BONSAI_TYPE_U16};
    }
    if (form == 5)
        *section(p, BONSAI_SECTION_FEATURE_VALUES) = (bonsai_array){p->x, nnz, BONSAI_TYPE_F32};
    if (form == 6)
        *section(p, BONSAI_SECTION_FEATURE_VALUES) = (bonsai_array){p->small, nnz, BONSAI_TYPE_I8};
    if (form == 3 || form == 6)
        *section(p, BONSAI_SECTION_FEATURE_SCALE) = (bonsai_array){p->scale, n, BONSAI_TYPE_F32};
}

static void random_sections(parts *p, bn_rng *r)
{
    int64_t n = p->v.nodes, c = p->v.classes, f = p->v.features;
    static const char metadata[] = "{\"name\": \"gr\xc3\xa4ph\"}";
    for (int64_t v = 0; v < n; v++) {
        int64_t label = bn_rng_below(r, c + 1) - 1;
        p->labels[v] = (uint32_t)label;
        p->split[v] = (uint8_t)bn_rng_below(r, 4);
        p->role[v] = (uint8_t)bn_rng_below(r, 4);
        p->origin[v] = (uint32_t)bn_rng_below(r, INT32_MAX);
        p->node_weight[v] = (float)bn_rng_unit(r);
        p->member_offsets[v + 1] = p->member_offsets[v] + (uint32_t)bn_rng_below(r, 3);
    }
    for (int i = 0; i < 100; i++) {
        p->soft[i] = (float)bn_rng_unit(r) / 5;         /* of at most five classes */
        p->soft8[i] = (uint8_t)bn_rng_below(r, 52);
    }
    for (int i = 0; i < 60; i++)
        p->members[i] = (uint32_t)bn_rng_below(r, 1000);
    for (int j = 0; j < 20; j++) {
        p->mean[j] = (float)bn_rng_normal(r);
        p->kept[j] = (uint32_t)(3 * j);
        p->names[2 * j] = (uint8_t)('a' + j);
    }
    const struct { bonsai_section s; bonsai_array a; } all[] = {
        {BONSAI_SECTION_LABELS, {p->labels, n, BONSAI_TYPE_U32}},
        {BONSAI_SECTION_SOFT_LABELS, {p->soft, n * c, BONSAI_TYPE_F32}},
        {BONSAI_SECTION_SOFT_LABELS, {p->soft8, n * c, BONSAI_TYPE_U8}},
        {BONSAI_SECTION_NODE_WEIGHTS, {p->node_weight, n, BONSAI_TYPE_F32}},
        {BONSAI_SECTION_NODE_WEIGHTS, {p->half, n, BONSAI_TYPE_U16}},
        {BONSAI_SECTION_NODE_WEIGHTS, {p->role, n, BONSAI_TYPE_U8}},
        {BONSAI_SECTION_SPLIT, {p->split, n, BONSAI_TYPE_U8}},
        {BONSAI_SECTION_CLASS_NAMES, {p->names, 2 * c, BONSAI_TYPE_U8}},
        {BONSAI_SECTION_NODE_NAMES, {p->names, 2 * n, BONSAI_TYPE_U8}},
        {BONSAI_SECTION_FEATURE_NAMES, {p->names, 2 * f, BONSAI_TYPE_U8}},
        {BONSAI_SECTION_ORIGIN, {p->origin, n, BONSAI_TYPE_U32}},
        {BONSAI_SECTION_ROLE, {p->role, n, BONSAI_TYPE_U8}},
        {BONSAI_SECTION_KEPT_FEATURES, {p->kept, f, BONSAI_TYPE_U32}},
        {BONSAI_SECTION_METADATA, {metadata, sizeof metadata - 1, BONSAI_TYPE_U8}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (bn_rng_below(r, 2))
            *section(p, all[i].s) = all[i].a;
    if (bn_rng_below(r, 2)) {
        *section(p, BONSAI_SECTION_MEMBER_OFFSETS) =
            (bonsai_array){p->member_offsets, n + 1, BONSAI_TYPE_U32};
        *section(p, BONSAI_SECTION_MEMBERS) =
            (bonsai_array){p->members, p->member_offsets[n], BONSAI_TYPE_U32};
        *section(p, BONSAI_SECTION_FEATURE_MEAN) = (bonsai_array){p->mean, f, BONSAI_TYPE_F32};
        *section(p, BONSAI_SECTION_FEATURE_SPREAD) = (bonsai_array){p->mean, f, BONSAI_TYPE_F32};
    }
}

static bonsai_graph *random_graph(uint64_t seed)
{
    static parts p;
    bn_rng r = bn_rng_at(seed, 1);
    bonsai_read_options o;
    bonsai_graph *g;
    memset(&p, 0, sizeof p);
    bonsai_view_init(&p.v);
    bonsai_read_options_init(&o);
    o.threads = 1;
    p.v.nodes = bn_rng_below(&r, 20);
    p.v.features = bn_rng_below(&r, 20);
    p.v.classes = bn_rng_below(&r, 5);
    random_features(&p, &r);
    random_sections(&p, &r);
    int64_t m = p.v.nodes ? bn_rng_below(&r, 60) : 0;
    for (int64_t i = 0; i < m; i++) {
        p.source[i] = (int32_t)bn_rng_below(&r, p.v.nodes);
        p.target[i] = (int32_t)bn_rng_below(&r, p.v.nodes);
        p.weight[i] = (float)bn_rng_unit(&r) + 0.1f;
    }
    o.keep_directed = (int)bn_rng_below(&r, 2);
    o.keep_self_loops = (int)bn_rng_below(&r, 2);
    o.keep_repeated = (int)bn_rng_below(&r, 2);
    const float *weight = bn_rng_below(&r, 2) ? p.weight : NULL;
    if (bonsai_graph_build(&g, &p.v, m, p.source, p.target, weight, &o) != BONSAI_OK)
        fail_msg("seed %d: %s", (int)seed, bonsai_error());
    return g;
}

static void assert_same(const bonsai_graph *a, const bonsai_graph *b, uint64_t seed)
{
    const bonsai_array *x = &bonsai_graph_view(a)->section[BONSAI_SECTION_METADATA];
    const bonsai_array *y = &bonsai_graph_view(b)->section[BONSAI_SECTION_METADATA];
    int equal = 0;
    assert_int_equal(bonsai_graph_equal(&equal, a, b), BONSAI_OK);
    if (!equal || x->count != y->count || !x->data != !y->data)
        fail_msg("graph %d did not come back", (int)seed);
    if (x->count)
        assert_memory_equal(x->data, y->data, x->count);
}

static void every_section_comes_back(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        uint64_t lost = 1;
        bonsai_graph *g = random_graph(seed);
        const char *path = temp_path("back.npz");
        if (bonsai_graph_save(&lost, g, path, NULL) != BONSAI_OK)
            fail_msg("%s", bonsai_error());
        assert_int_equal(lost, 0);
        bonsai_graph *back = load(path);
        assert_same(g, back, seed);
        bonsai_graph_free(back);
        bonsai_graph_free(g);
    }
}

static void the_same_graph_gives_the_same_bytes(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(7);
    size_t a_len, b_len;
    bonsai_write_options o;
    bonsai_write_options_init(&o);
    const char *a = temp_path("one.npz"), *b = temp_path("two.npz");
    assert_int_equal(bonsai_graph_save(NULL, g, a, NULL), BONSAI_OK);
    o.threads = 1;
    assert_int_equal(bonsai_graph_save(NULL, g, b, &o), BONSAI_OK);
    uint8_t *x = read_file(a, &a_len), *y = read_file(b, &b_len);
    assert_int_equal(a_len, b_len);
    assert_memory_equal(x, y, a_len);
    free(x);
    free(y);
    bonsai_graph_free(g);
}

static void a_split_without_nodes_is_still_a_split(void **state)
{
    (void)state;
    static const uint8_t split[3] = {0};
    bonsai_view v;
    bonsai_graph *g;
    bonsai_view_init(&v);
    v.nodes = 3;
    v.section[BONSAI_SECTION_SPLIT] = (bonsai_array){split, 3, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    const char *path = temp_path("split.npz");
    assert_int_equal(bonsai_graph_save(NULL, g, path, NULL), BONSAI_OK);
    bonsai_graph *back = load(path);
    assert_non_null(bonsai_graph_view(back)->section[BONSAI_SECTION_SPLIT].data);
    assert_null(bonsai_graph_view(back)->section[BONSAI_SECTION_LABELS].data);
    assert_same(g, back, 0);
    bonsai_graph_free(back);
    bonsai_graph_free(g);
}

/* In each header of the directory, offsets from `limit` on use the 64-bit form. */
static void assert_wide(const char *path, int64_t limit)
{
    size_t len;
    int headers = 0;
    uint8_t *data = read_file(path, &len);
    for (size_t i = 0; i + 46 < len; i++) {
        if (memcmp(data + i, "PK\x01\x02", 4) != 0)
            continue;
        uint32_t size, offset;
        memcpy(&size, data + i + 24, 4);
        memcpy(&offset, data + i + 42, 4);
        assert_true(size == UINT32_MAX ? 208 >= limit - limit / 64 : size == 208);
        assert_true(offset == UINT32_MAX || offset < limit);
        headers++;
    }
    assert_int_equal(headers, 3);
    free(data);
}

static void sizes_and_offsets_of_64_bits_are_read(void **state)
{
    (void)state;
    bn_zip_out *z;
    const int64_t shape[] = {2, 5};
    for (int64_t limit = 1; limit < 1000; limit += 111) {
        const char *path = temp_path("wide.npz");
        assert_int_equal(bn_zip_out_open(&z, path, (bn_progress){0}, 0), BONSAI_OK);
        bn_zip_out_limit(z, limit);
        for (int i = 0; i < 3; i++) {
            static const char *const names[] = {"other", "edge_index", "last"};
            assert_int_equal(bn_zip_out_begin(z, names[i], "<i8", 2, shape), BONSAI_OK);
            assert_int_equal(bn_zip_out_write(z, five_edges, sizeof five_edges), BONSAI_OK);
            assert_int_equal(bn_zip_out_end(z), BONSAI_OK);
        }
        assert_int_equal(bn_zip_out_commit(z), BONSAI_OK);
        bn_zip_out_close(z);
        assert_wide(path, limit);
        bonsai_graph *g = load(path);
        assert_ring(g, false);
        bonsai_graph_free(g);
    }
}

static bonsai_status load_once(void *payload)
{
    bonsai_graph *g = NULL;
    bonsai_status rc = load_small(&g, payload);
    bonsai_graph_free(g);
    return rc;
}

typedef struct {
    const bonsai_graph *g;
    const char *path;
} saving;

static bonsai_status save_once(void *payload)
{
    const saving *s = payload;
    bonsai_write_options o;
    bonsai_write_options_init(&o);
    o.threads = 1;
    return bonsai_graph_save(NULL, s->g, s->path, &o);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    for (uint64_t seed = 20; seed < 28; seed++) {
        bonsai_graph *g = random_graph(seed);
        char path[512];
        snprintf(path, sizeof path, "%s", temp_path("memory.npz"));
        saving s = {g, path};
        unlink(path);
        survives_failed_allocations(save_once, &s, 10);
        survives_failed_allocations(load_once, path, 10);
        bonsai_graph_free(g);
    }
    make();
    add_adjacency(2);
    char path[512];
    snprintf(path, sizeof path, "%s", save_as("memory.npz"));
    survives_failed_allocations(load_once, path, 10);
}

typedef struct {
    int calls, cancel_at;
    uint64_t last, total;
} ticker;

static int tick(const bonsai_progress *p, void *payload)
{
    ticker *t = payload;
    if (strcmp(p->stage, "writing") == 0 || strcmp(p->stage, "reading") == 0) {
        assert_true(t->calls == 0 ? p->done == 0 : p->done >= t->last);
        t->last = p->done;
        t->total = p->total;
        return t->calls++ == t->cancel_at;
    }
    return 0;
}

static bonsai_graph *large_graph(void)
{
    enum { N = 20000, F = 100 };
    bonsai_view v;
    bonsai_graph *g;
    float *x = calloc(N * F, sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < N * F; i++)
        x[i] = (float)(i % 97);
    bonsai_view_init(&v);
    v.nodes = N;
    v.features = F;
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){x, N * F, BONSAI_TYPE_F32};
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    free(x);
    return g;
}

static void progress_ends_at_the_total_and_canceling_leaves_nothing(void **state)
{
    (void)state;
    bonsai_graph *g = large_graph(), *back;
    const char *path = temp_path("progress.npz");
    bonsai_write_options w;
    bonsai_read_options r;
    bonsai_write_options_init(&w);
    bonsai_read_options_init(&r);
    w.progress = r.progress = tick;
    int64_t live = bn_mem_live();
    for (int at = 0, more = 1; more; at++) {
        ticker t = {.cancel_at = at};
        w.payload = &t;
        bonsai_status rc = bonsai_graph_save(NULL, g, path, &w);
        more = rc != BONSAI_OK;
        if (more) {
            assert_fails(rc, BONSAI_E_CANCELED, "writing");
            assert_int_equal(access(path, F_OK), -1);
        } else {
            assert_true(at >= 3 && t.last == t.total && t.total > 8000000);
        }
    }
    for (int at = 0, more = 1; more; at++) {
        ticker t = {.cancel_at = at};
        r.payload = &t;
        bonsai_status rc = bonsai_graph_read(&back, path, &r);
        more = rc != BONSAI_OK;
        if (more)
            assert_fails(rc, BONSAI_E_CANCELED, "reading");
        else
            assert_true(at >= 3 && t.last == t.total);
        bonsai_graph_free(back);
    }
    assert_int_equal(bn_mem_live(), live);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_section_comes_back),
        cmocka_unit_test(the_same_graph_gives_the_same_bytes),
        cmocka_unit_test(a_split_without_nodes_is_still_a_split),
        cmocka_unit_test(sizes_and_offsets_of_64_bits_are_read),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(progress_ends_at_the_total_and_canceling_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

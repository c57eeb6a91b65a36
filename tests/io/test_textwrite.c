/* test_textwrite.c -- folders of text: what is written reads back, and failures leave nothing
 * behind.
 *
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <math.h>

#include "texting.h"

/* ---- there and back ---- */

static const char *const nasty[] = {"a", "", " b ", "x,y", "\"q\"", "line\nfeed", "cr\r\nlf", "\\n",
                                    "#", "%", "0", "-1", "\t", "\xc3\xa9", "a", "tail\\", ";"};
enum { NASTY = sizeof nasty / sizeof *nasty };

typedef struct {
    int32_t source[64], target[64];
    float   weight[64], x[20 * 7], node_weight[20];
    uint32_t labels[20], origin[20], indices[20 * 7];
    uint64_t offsets[21];
    uint8_t split[20], role[20];
    char    class_names[256], node_names[512], feature_names[512];
} arrays;

static int64_t put_names(char *to, int64_t count, bn_rng *r)
{
    char *p = to;
    for (int64_t i = 0; i < count; i++) {
        strcpy(p, nasty[bn_rng_below(r, NASTY)]);
        p += strlen(p) + 1;
    }
    return p - to;
}

static float any_float(bn_rng *r)
{
    uint32_t bits = (uint32_t)bn_rng_next(r);
    float v;
    memcpy(&v, &bits, sizeof v);
    return bn_rng_below(r, 3) == 0 ? 0.0f : bn_rng_below(r, 4) == 0 ? -0.0f
           : isfinite(v) ? v : 1.0f;
}

static void add_features(bonsai_view *v, arrays *a, bn_rng *r)
{
    int64_t n = v->nodes, nnz = 0;
    v->features = bn_rng_below(r, 8);
    for (int64_t i = 0; i < n * v->features; i++)
        a->x[i] = any_float(r);
    if (bn_rng_below(r, 2)) {
        v->section[BONSAI_SECTION_FEATURES] =
            (bonsai_array){a->x, n * v->features, BONSAI_TYPE_F32};
        return;
    }
    for (int64_t u = 0; u < n; u++) {
        for (int64_t j = 0; j < v->features; j++)
            if (bn_rng_below(r, 2))
                a->indices[nnz++] = (uint32_t)j;
        a->offsets[u + 1] = (uint64_t)nnz;
    }
    v->section[BONSAI_SECTION_FEATURE_OFFSETS] = (bonsai_array){a->offsets, n + 1, BONSAI_TYPE_U64};
    v->section[BONSAI_SECTION_FEATURE_INDICES] = (bonsai_array){a->indices, nnz, BONSAI_TYPE_U32};
    if (bn_rng_below(r, 2))
        v->section[BONSAI_SECTION_FEATURE_VALUES] = (bonsai_array){a->x, nnz, BONSAI_TYPE_F32};
}

static void add_sections(bonsai_view *v, arrays *a, bn_rng *r)
{
    int64_t n = v->nodes;
    v->classes = bn_rng_below(r, 5);
    for (int64_t u = 0; u < n; u++) {
        int64_t label = bn_rng_below(r, v->classes + 1);
        a->labels[u] = label == v->classes ? UINT32_MAX : (uint32_t)label;
        a->split[u] = (uint8_t)bn_rng_below(r, 4);
        a->role[u] = (uint8_t)bn_rng_below(r, 4);
        a->origin[u] = (uint32_t)bn_rng_below(r, INT32_MAX);
        a->node_weight[u] = fabsf(any_float(r));
    }
    if (bn_rng_below(r, 2))
        memset(a->split, 0, sizeof a->split);
    int64_t class_bytes = put_names(a->class_names, v->classes, r);
    int64_t node_bytes = put_names(a->node_names, n, r);
    int64_t feature_bytes = put_names(a->feature_names, v->features, r);
    const bonsai_array all[BONSAI_SECTION_COUNT] = {
        [BONSAI_SECTION_LABELS] = {a->labels, n, BONSAI_TYPE_U32},
        [BONSAI_SECTION_SPLIT] = {a->split, n, BONSAI_TYPE_U8},
        [BONSAI_SECTION_NODE_WEIGHTS] = {a->node_weight, n, BONSAI_TYPE_F32},
        [BONSAI_SECTION_ORIGIN] = {a->origin, n, BONSAI_TYPE_U32},
        [BONSAI_SECTION_ROLE] = {a->role, n, BONSAI_TYPE_U8},
        [BONSAI_SECTION_CLASS_NAMES] = {a->class_names, class_bytes, BONSAI_TYPE_U8},
        [BONSAI_SECTION_NODE_NAMES] = {a->node_names, node_bytes, BONSAI_TYPE_U8},
        [BONSAI_SECTION_FEATURE_NAMES] = {v->features ? a->feature_names : NULL, feature_bytes,
                                          BONSAI_TYPE_U8},
    };
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++)
        if (all[s].data && bn_rng_below(r, 2))
            v->section[s] = all[s];
}

static bonsai_graph *random_graph(uint64_t seed)
{
    static arrays a;
    bonsai_view v;
    bonsai_graph *g = NULL;
    bonsai_read_options o;
    bn_rng r = bn_rng_at(seed, 1);
    memset(&a, 0, sizeof a);
    bonsai_view_init(&v);
    bonsai_read_options_init(&o);
    o.threads = 1;
    v.nodes = bn_rng_below(&r, 20);
    int64_t m = v.nodes ? bn_rng_below(&r, 64) : 0;
    for (int64_t i = 0; i < m; i++) {
        a.source[i] = (int32_t)bn_rng_below(&r, v.nodes);
        a.target[i] = (int32_t)bn_rng_below(&r, v.nodes);
        a.weight[i] = (float)bn_rng_unit(&r) + 1e-30f;
    }
    o.keep_directed = (int)bn_rng_below(&r, 2);
    o.keep_self_loops = (int)bn_rng_below(&r, 2);
    o.keep_repeated = (int)bn_rng_below(&r, 2);
    add_features(&v, &a, &r);
    add_sections(&v, &a, &r);
    const float *weight = bn_rng_below(&r, 2) ? a.weight : NULL;
    if (bonsai_graph_build(&g, &v, m, a.source, a.target, weight, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static void every_graph_comes_back_exactly(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        bonsai_graph *g = random_graph(seed), *back = NULL;
        uint64_t left_out = 99;
        char path[64];
        snprintf(path, sizeof path, "back%d/", (int)(seed % 30));   /* new and again */
        if (bonsai_graph_save(&left_out, g, temp_path(path), NULL) != BONSAI_OK)
            fail_msg("%s", bonsai_error());
        assert_int_equal(left_out, 0);
        if (load(&back, temp_path(path)) != BONSAI_OK)
            fail_msg("seed %d: %s", (int)seed, bonsai_error());
        int equal = 0;
        assert_int_equal(bonsai_graph_equal(&equal, g, back), BONSAI_OK);
        if (!equal)
            fail_msg("seed %d came back different", (int)seed);
        bonsai_graph_free(back);
        bonsai_graph_free(g);
    }
}

static void says_what_it_cannot_hold(void **state)
{
    (void)state;
    static const uint8_t soft[] = {255, 0, 0, 255};
    bonsai_view v;
    bonsai_graph *g;
    uint64_t left_out = 0;
    bonsai_view_init(&v);
    v.nodes = v.classes = 2;
    v.section[BONSAI_SECTION_SOFT_LABELS] = (bonsai_array){soft, 4, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_METADATA] = (bonsai_array){"{}", 2, BONSAI_TYPE_U8};
    assert_int_equal(bonsai_graph_build(&g, &v, 0, NULL, NULL, NULL, NULL), BONSAI_OK);
    assert_int_equal(bonsai_graph_save(&left_out, g, temp_path("lost/"), NULL), BONSAI_OK);
    assert_int_equal(left_out,
                     BN_BIT(BONSAI_SECTION_SOFT_LABELS) | BN_BIT(BONSAI_SECTION_METADATA));
    bonsai_graph_free(g);
}

/* ---- failures ---- */

static int entries_in(const char *folder)
{
    int count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static int cancel_at(const bonsai_progress *p, void *payload)
{
    (void)p;
    return (*(int *)payload)-- == 0;
}

static void canceled_writing_leaves_nothing(void **state)
{
    (void)state;
    char home[512], target[600];
    snprintf(home, sizeof home, "%s", temp_path("home"));
    snprintf(target, sizeof target, "%s/new/", home);
    assert_int_equal(mkdir(home, 0777), 0);
    bonsai_graph *g = random_graph(5);
    bonsai_write_options o;
    int nth = 0, left;
    bonsai_write_options_init(&o);
    o.progress = cancel_at;
    o.payload = &left;
    for (;; nth++) {
        left = nth;
        bonsai_status rc = bonsai_graph_save(NULL, g, target, &o);
        if (rc == BONSAI_OK)
            break;
        assert_int_equal(rc, BONSAI_E_CANCELED);
        assert_int_equal(entries_in(home), 2);
    }
    assert_true(nth >= 2);
    assert_int_equal(entries_in(home), 3);
    bonsai_graph_free(g);
}

static void refuses_to_write_where_it_cannot(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(5);
    char path[600];
    write_text(temp_path("plain"), "x");
    snprintf(path, sizeof path, "text:%s", temp_path("plain"));
    assert_fails(bonsai_graph_save(NULL, g, path, NULL), BONSAI_E_IO, "is not a folder");
    snprintf(path, sizeof path, "%s", temp_path("no/such/place/"));
    assert_fails(bonsai_graph_save(NULL, g, path, NULL), BONSAI_E_IO, "cannot be created");
    assert_fails(bonsai_graph_save(NULL, g, "text:", NULL), BONSAI_E_IO, "the name is empty");
    bonsai_graph_free(g);
}

/* Replacing a folder must not lose what else is in it. */
static void keeps_what_else_is_in_a_folder(void **state)
{
    (void)state;
    bonsai_graph *g = random_graph(5);
    char folder[512], notes[600], edges[600];
    struct stat st;
    snprintf(folder, sizeof folder, "%s", temp_path("mine/"));
    snprintf(notes, sizeof notes, "%snotes.txt", folder);
    snprintf(edges, sizeof edges, "%sedges.csv", folder);
    assert_int_equal(mkdir(folder, 0750), 0);
    write_text(notes, "x");
    assert_int_equal(bonsai_graph_save(NULL, g, folder, NULL), BONSAI_OK);  /* no graph so far */
    assert_int_equal(entries_in(folder), 2 + 3 + (bonsai_graph_features(g) > 0));
    assert_fails(bonsai_graph_save(NULL, g, folder, NULL), BONSAI_E_IO,
                 "holds a graph and also \"notes.txt\"");
    assert_int_equal(unlink(notes), 0);
    assert_int_equal(chmod(edges, 0600), 0);
    assert_int_equal(bonsai_graph_save(NULL, g, folder, NULL), BONSAI_OK);
    assert_true(stat(folder, &st) == 0 && (st.st_mode & 0777) == 0750);
    assert_true(stat(edges, &st) == 0 && (st.st_mode & 0777) == 0600);
    bonsai_graph_free(g);
}

static void a_link_leads_to_the_folder_that_is_replaced(void **state)
{
    (void)state;
    bonsai_graph *a = random_graph(5), *b = random_graph(11), *back = NULL;
    char folder[512], link[512];
    struct stat st;
    snprintf(folder, sizeof folder, "%s", temp_path("far/"));
    snprintf(link, sizeof link, "%s", temp_path("near"));
    assert_int_equal(bonsai_graph_save(NULL, a, folder, NULL), BONSAI_OK);
    assert_int_equal(symlink("far", link), 0);
    assert_int_equal(bonsai_graph_save(NULL, b, link, NULL), BONSAI_OK);
    assert_true(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
    assert_int_equal(load(&back, folder), BONSAI_OK);
    assert_int_equal(bonsai_graph_nodes(back), bonsai_graph_nodes(b));
    bonsai_graph_free(back);
    bonsai_graph_free(a);
    bonsai_graph_free(b);
}

/* After any truncation the result is a graph or an error message. */
static void survives_every_truncation(void **state)
{
    (void)state;
    static const char *const names[] = {"edges.csv", "features.csv", "labels.csv"};
    bonsai_graph *g = random_graph(11), *back;
    char folder[512], path[600];
    snprintf(folder, sizeof folder, "%s", temp_path("trunc/"));
    assert_true(bonsai_graph_features(g) > 0);
    assert_int_equal(bonsai_graph_save(NULL, g, folder, NULL), BONSAI_OK);
    for (int i = 0; i < 3; i++) {
        size_t len;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        uint8_t *data = read_file(path, &len);
        for (size_t cut = 0; cut < len; cut++) {
            write_file(path, data, cut);
            back = NULL;
            if (load(&back, folder) == BONSAI_OK)
                assert_int_equal(bonsai_graph_verify(back), BONSAI_OK);
            else
                assert_true(strlen(bonsai_error()) > 10);
            bonsai_graph_free(back);
        }
        write_file(path, data, len);
        free(data);
    }
    bonsai_graph_free(g);
}

static bonsai_status load_path(void *payload)
{
    bonsai_graph *g = NULL;
    bonsai_status rc = load(&g, payload);
    bonsai_graph_free(g);
    return rc;
}

typedef struct { bonsai_graph *g; char path[512]; } saving;

static bonsai_status save_graph(void *payload)
{
    saving *s = payload;
    return bonsai_graph_save(NULL, s->g, s->path, NULL);
}

static void survives_every_failed_allocation(void **state)
{
    (void)state;
    char path[512];
    write_gz(temp_path("mem.el.gz"), "900 -5\n77 900\n\"a\"\"b\" 77\n");
    snprintf(path, sizeof path, "%s", temp_path("mem.el.gz"));
    survives_failed_allocations(load_path, path, 15);
    snprintf(path, sizeof path, "%s",
             folder_of("mem", "x,y,1\ny,z,2\n", "node,feature,value\nx,1,1\n",
                       "id,label,split,weight\nx,red,train,1\ny,blue,test,1\nz,,,2\n"));
    survives_failed_allocations(load_path, path, 25);
    snprintf(path, sizeof path, "%s", folder_of("mem", "5,6\n", "id,f\n6,1\n5,2\n", "5 1\n6 2\n"));
    survives_failed_allocations(load_path, path, 20);
    snprintf(path, sizeof path, "%s", folder_of("mem", "day,from,to,x\n1,a,b,2\n", "id,f\nb,1\na,2\n",
                                                "id,label,split\na,x,train\n"));
    survives_failed_allocations(load_path, path, 25);
    saving s = {.g = random_graph(11)};
    for (int again = 0; again < 2; again++) {
        snprintf(s.path, sizeof s.path, "%s", temp_path("mem-out/"));
        survives_failed_allocations(save_graph, &s, 5);
        survives_failed_allocations(load_path, s.path, 15);
    }
    bonsai_graph_free(s.g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_graph_comes_back_exactly),
        cmocka_unit_test(says_what_it_cannot_hold),
        cmocka_unit_test(canceled_writing_leaves_nothing),
        cmocka_unit_test(refuses_to_write_where_it_cannot),
        cmocka_unit_test(keeps_what_else_is_in_a_folder),
        cmocka_unit_test(a_link_leads_to_the_folder_that_is_replaced),
        cmocka_unit_test(survives_every_truncation),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

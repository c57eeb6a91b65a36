/* test_record.c -- a condensed graph gives back how it was made, and why its nodes are there.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "record/record.h"
#include "condensing.h"
#include "json.h"

static bonsai_graph *generated(uint64_t seed)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = 300;
    o.features = 40;
    o.classes = 3;
    o.seed = seed;
    o.threads = 1;
    if (bonsai_graph_generate(&g, &o) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return g;
}

static bonsai_condense_options asked(int m)
{
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    o.method = (bonsai_method)m;
    o.threads = 1;
    o.k = 3 + m;
    o.layers = 1 + m % 2;
    o.theta = 0.123456;
    o.effort = 0.001;
    o.members = m % 2;
    o.seed = m % 3 ? (uint64_t)m : UINT64_MAX - (uint64_t)m;
    if (m % 2)
        o.nodes = 20 + m;
    else
        o.ratio = 0.1;
    o.accounting = m % 3 == 1 ? BONSAI_ACCOUNTING_PAPER_FULL : BONSAI_ACCOUNTING_STRICT;
    if (m % 2)
        o.split[0] = 40;
    o.split[1] = o.split[0] / 2;
    if (m == BONSAI_METHOD_PUBLISHED) {         /* what it knows no other value of */
        o.accounting = BONSAI_ACCOUNTING_PAPER_FULL;
        o.k = 5;
        o.layers = 1;
        o.sample = -1;
    }
    return o;
}

/* ---- what was told is given back ---- */

/* Facts of the run alone, and those of the judge, which are recorded with others only. */
static bool is_recorded(const bonsai_fact_row *f)
{
    return f->type != BONSAI_FACT_SECONDS && strncmp(f->path, "ranks", 5) != 0 &&
           strcmp(f->path, "measured") != 0 && strcmp(f->path, "metric") != 0 &&
           !(f->marks & (BONSAI_FACT_MEMORY | BONSAI_FACT_PROBE));
}

static void assert_same_info(const bonsai_condense_info *is, const bonsai_condense_info *was)
{
    const bonsai_fact_row *f;
    assert_true(is->seed == was->seed && is->method == was->method);
    for (int k = 0; (f = bonsai_fact_at(k)); k++) {
        double a = 0, b = 0;
        if (is_recorded(f) && f->type == BONSAI_FACT_TEXT)
            assert_string_equal(bonsai_fact_text(is, f->path), bonsai_fact_text(was, f->path));
        else if (is_recorded(f) && bonsai_fact(&b, was, f->path)) {
            if (!bonsai_fact(&a, is, f->path) || fabs(a - b) > 1e-8 * fabs(b))
                fail_msg("%s is %g, and was %g", f->path, a, b);
        }
    }
}

static void the_record_gives_back_what_condensing_told(void **state)
{
    (void)state;
    bonsai_graph *g = generated(4);
    for (int m = 0; m < BONSAI_METHOD_COUNT; m++) {
        if (!has_method((bonsai_method)m))
            continue;
        bonsai_condense_options o = asked(m), made;
        bonsai_condense_info told, info;
        char want[2048], is[2048];
        bonsai_graph *small = condensed(&told, g, &o);
        bonsai_condense_info_init(&info);
        bonsai_condense_options_init(&made);
        assert_int_equal(bonsai_condense_info_of(&info, small), BONSAI_OK);
        assert_same_info(&info, &told);
        assert_string_equal(bn_fact_text(&info, BN_FACT_VERSION), BONSAI_VERSION);
        assert_int_equal(bonsai_condense_options_of(&made, small), BONSAI_OK);
        bonsai_options_json(want, sizeof want, BONSAI_OPTIONS_CONDENSE, &o);
        bonsai_options_json(is, sizeof is, BONSAI_OPTIONS_CONDENSE, &made);
        assert_string_equal(is, want);
        assert_int_equal(made.method, o.method);
        bonsai_graph_free(small);
    }
    bonsai_graph_free(g);
}

/* Condensed with the options that it gives back, the graph is the same. */
static void the_options_make_the_same_graph_again(void **state)
{
    (void)state;
    bonsai_graph *g = generated(5);
    for (int m = 0; m < BONSAI_METHOD_COUNT; m++) {
        if (!has_method((bonsai_method)m))
            continue;
        bonsai_condense_options o = asked(m), again;
        bonsai_condense_info info;
        bonsai_graph *small = condensed(&info, g, &o), *other;
        int equal = 0;
        bonsai_condense_options_init(&again);
        assert_int_equal(bonsai_condense_options_of(&again, small), BONSAI_OK);
        other = condensed(&info, g, &again);
        assert_int_equal(bonsai_graph_equal(&equal, small, other), BONSAI_OK);
        assert_true(equal);
        bonsai_graph_free(small);
        bonsai_graph_free(other);
    }
    bonsai_graph_free(g);
}

/* ---- why a node is there ---- */

static bonsai_why why_of(const bonsai_graph *small, int64_t node)
{
    bonsai_why w;
    bonsai_why_init(&w);
    if (bonsai_condense_why(&w, small, node) != BONSAI_OK)
        fail_msg("%s", bonsai_error());
    return w;
}

static void picked_nodes_say_which_tree_brought_them(void **state)
{
    (void)state;
    enum { MOST = 300 };
    bonsai_graph *g = generated(6);
    bonsai_condense_options o = asked(BONSAI_METHOD_TREES);
    bonsai_condense_info info;
    bonsai_graph *small = condensed(&info, g, &o);
    int64_t n = small->view.nodes, tree[MOST], covers[MOST], roots = 0;
    double score[MOST];
    const uint32_t *origin = small->view.section[BONSAI_SECTION_ORIGIN].data;
    const uint8_t *role = small->view.section[BONSAI_SECTION_ROLE].data;
    assert_true(n > 3 && n <= MOST);
    assert_int_equal(bonsai_condense_whys(tree, covers, score, small), BONSAI_OK);
    for (int64_t v = 0; v < n; v++) {
        bonsai_why w = why_of(small, v);
        int64_t better = 0;
        for (int64_t u = 0; u < n; u++)
            better += score[u] > score[v];
        assert_int_equal(w.origin, origin[v]);
        assert_int_equal(w.role, role[v]);
        assert_int_equal(w.label, bn_label(small, v));
        assert_int_equal(w.tree, tree[v]);
        assert_int_equal(w.covers, covers[v]);
        assert_int_equal(w.sample, bn_fact_whole(&info, BN_FACT_SAMPLE));
        assert_true(w.score == score[v] && w.weight == 1 && w.members == -1);
        assert_int_equal(w.rank, score[v] > 0 ? better + 1 : 0);
        assert_true(w.tree < 0 ? w.root == -1 : w.tree == (int64_t)origin[w.root]);
        assert_true(w.root < 0 || role[w.root] == BONSAI_ROLE_ROOT);
        roots += w.role == BONSAI_ROLE_ROOT && w.root == v;
    }
    assert_true(roots > 0 && roots <= info.roots);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

static void prototypes_say_how_many_they_stand_for(void **state)
{
    (void)state;
    bonsai_graph *g = generated(6);
    bonsai_condense_options o = asked(BONSAI_METHOD_PROTOTYPES);
    bonsai_condense_info info;
    o.members = 1;
    bonsai_graph *small = condensed(&info, g, &o);
    int64_t members = 0;
    for (int64_t v = 0; v < small->view.nodes; v++) {
        bonsai_why w = why_of(small, v);
        assert_int_equal(w.role, BONSAI_ROLE_PROTOTYPE);
        assert_true(w.tree == -1 && w.root == -1 && w.covers == 0 && w.rank == 0 && w.weight > 0);
        assert_int_equal(w.edges, 1);           /* to itself */
        members += w.members;
    }
    assert_int_equal(members, bn_fact_whole(&info, BN_FACT_TREES));
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* ---- structs of other sizes ---- */

static void a_struct_is_not_written_beyond_its_size(void **state)
{
    (void)state;
    bonsai_graph *g = generated(4);
    bonsai_condense_options o = asked(BONSAI_METHOD_TREES);
    bonsai_condense_info told;
    bonsai_graph *small = condensed(&told, g, &o);
    union {
        bonsai_condense_info info;
        bonsai_condense_options o;
        bonsai_why why;
        unsigned char byte[2048];
    } room;
    for (int k = 0; k < 3; k++) {
        static const size_t full[3] = {sizeof room.info, sizeof room.o, sizeof room.why};
        for (size_t size = sizeof(size_t); size < full[k] + 64; size += 8) {
            memset(&room, 0xa5, sizeof room);
            memcpy(&room, &size, sizeof size);
            bonsai_status rc = k == 0 ? bonsai_condense_info_of(&room.info, small)
                               : k == 1 ? bonsai_condense_options_of(&room.o, small)
                                        : bonsai_condense_why(&room.why, small, 0);
            assert_int_equal(rc, BONSAI_OK);
            assert_int_equal(memcmp(&room, &size, sizeof size), 0);
            for (size_t i = size; i < sizeof room; i++)
                assert_int_equal(room.byte[i], 0xa5);
        }
    }
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* ---- metadata of others ---- */

static void tell(bonsai_graph *g, const char *text)
{
    char *to;
    int64_t len = (int64_t)strlen(text);
    assert_int_equal(bn_graph_array(&to, g, BONSAI_SECTION_METADATA, BONSAI_TYPE_U8, len),
                     BONSAI_OK);
    for (int64_t i = 0; i < len; i++)
        to[i] = text[i] == '\'' ? '"' : text[i];
}

/* Options that are gone: those that are still there are read as before. */
static void options_of_older_versions_are_passed_over(void **state)
{
    (void)state;
    bonsai_graph *g = generated(4);
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    tell(g, "{'bonsai':'0.7.4','method':'trees','input_crc32':'fe8b62a9','options':{'ratio':0.005,"
            "'accounting':'paper','layers':1,'k':4,'beta':0.25,'min_pruned':0.02,'oversample':10.0,"
            "'match_classes':true,'select_features':true,'seed':7},'sizes':{'nodes':300}}");
    assert_int_equal(bonsai_condense_options_of(&o, g), BONSAI_OK);
    assert_int_equal(o.method, BONSAI_METHOD_TREES);
    assert_true(o.ratio == 0.005 && o.beta == 0.25 && o.min_pruned == 0.02);
    assert_int_equal(o.accounting, BONSAI_ACCOUNTING_PAPER_FULL);
    assert_true(o.layers == 1 && o.k == 4 && o.select_features == 1 && o.seed == 7);
    bonsai_graph_free(g);
}

static void a_graph_that_was_not_condensed_is_refused(void **state)
{
    (void)state;
    static const char *const not[] = {NULL, "{}", "{'from': 'elsewhere'}", "{'method': 5}",
                                      "{'method': null, 'sizes': {'nodes': 4}}"};
    bonsai_graph *g = generated(4);
    bonsai_condense_info info;
    bonsai_condense_options o;
    bonsai_why w;
    bonsai_condense_info_init(&info);
    bonsai_condense_options_init(&o);
    bonsai_why_init(&w);
    for (size_t i = 0; i < sizeof not / sizeof *not; i++) {
        if (not[i])
            tell(g, not[i]);
        assert_fails(bonsai_condense_info_of(&info, g), BONSAI_E_ARGUMENT,
                     "generated: is not a condensed graph: it does not say how it was made");
        assert_fails(bonsai_condense_options_of(&o, g), BONSAI_E_ARGUMENT, "not a condensed graph");
        assert_fails(bonsai_condense_why(&w, g, 0), BONSAI_E_ARGUMENT,
                     "is not a condensed graph: it holds no report of why its nodes are there");
        assert_fails(bonsai_condense_whys(NULL, NULL, NULL, g), BONSAI_E_ARGUMENT, "no report");
    }
    assert_fails(bonsai_condense_why(&w, g, 300), BONSAI_E_ARGUMENT, "node 300 is outside 0..299");
    assert_fails(bonsai_condense_why(&w, g, -1), BONSAI_E_ARGUMENT, "node -1 is outside 0..299");
    bonsai_graph_free(g);
}

/* Every value of a real record is replaced by nonsense in turn: no crash, and no count that could
 * hurt. */
static void check_told(const bonsai_graph *small)
{
    bonsai_condense_info info;
    bonsai_condense_options o;
    bonsai_why w;
    bn_trace *trace = NULL;
    bonsai_condense_info_init(&info);
    bonsai_condense_options_init(&o);
    bonsai_why_init(&w);
    bonsai_status rc = bonsai_condense_info_of(&info, small);
    assert_true(rc == BONSAI_OK || rc == BONSAI_E_ARGUMENT);
    assert_true(fabs(info.bytes) < 1e16 && fabs(bn_fact(&info, BN_FACT_BUDGET)) < 1e32);
    assert_true(memchr(bn_fact_text(&info, BN_FACT_WHY), 0, 160));
    assert_true(memchr(bn_fact_text(&info, BN_FACT_VERSION), 0, 28));
    assert_true((int)info.method >= 0 && info.method <= BONSAI_METHOD_COUNT);
    rc = bonsai_condense_options_of(&o, small);
    assert_true(rc == BONSAI_OK || rc == BONSAI_E_ARGUMENT);
    assert_true(o.layers >= 0 && o.layers <= 16 && o.k > 0);
    assert_true(o.split[0] >= 0 && o.split[0] + o.split[1] + o.split[2] <= 100);
    rc = bonsai_condense_why(&w, small, small->view.nodes - 1);
    assert_true(rc == BONSAI_OK || rc == BONSAI_E_ARGUMENT);
    assert_true(w.tree >= -1 && w.root >= -1 && w.root < small->view.nodes && w.covers >= 0);
    assert_int_equal(bn_record_trace(&trace, small), BONSAI_OK);
    assert_true(trace->count <= BN_TRACE_POINTS && trace->rounds <= BN_TRACE_ROUNDS);
    bn_free(trace);
}

static void put_text(bonsai_graph *small, const bn_json *root)
{
    char *text = bn_json_print(root, 0, 17), *to;
    assert_int_equal(bn_graph_array(&to, small, BONSAI_SECTION_METADATA, BONSAI_TYPE_U8,
                                    (int64_t)strlen(text)), BONSAI_OK);
    memcpy(to, text, strlen(text));
    bn_json_drop(text);
}

static bn_json *nonsense(int kind)
{
    switch (kind) {
    case 0:  return bn_json_null();
    case 1:  return bn_json_whole(INT64_MIN);
    case 2:  return bn_json_whole(INT64_MAX);
    case 3:  return bn_json_real(1e300);
    case 4:  return bn_json_real(-0.5);
    case 5:  return bn_json_text("\x1b[31m ten thousand characters would be too many for the room");
    case 6:  return bn_json_pack("[i,s,n,{}]", 1, "x");
    default: return bn_json_pack("{s:i,s:[]}", "tree", 1, "rank");
    }
}

static int spoil(bonsai_graph *small, bn_json *root, bn_json *object)
{
    enum { KINDS = 8 };
    const char *key;
    int tried = 0;
    for (size_t i = 0; (key = bn_json_key(object, i)); i++) {
        bn_json *value = bn_json_keep(bn_json_value(object, i));
        for (int kind = 0; kind < KINDS; kind++, tried++) {
            bn_json_set(object, key, nonsense(kind));
            put_text(small, root);
            check_told(small);
        }
        bn_json_set(object, key, value);
        if (bn_json_is_object(value))
            tried += spoil(small, root, value);
    }
    return tried;
}

static void nonsense_in_any_place_does_no_harm(void **state)
{
    (void)state;
    bonsai_graph *g = generated(7);
    for (int m = 0; m < 2; m++) {
        bonsai_condense_options o = asked(m ? BONSAI_METHOD_AUTO : BONSAI_METHOD_TREES);
        bonsai_condense_info info;
        bonsai_graph *small = condensed(&info, g, &o);
        const bonsai_array *a = &small->view.section[BONSAI_SECTION_METADATA];
        bn_json *root = bn_json_parse(a->data, (size_t)a->count, 0, NULL);
        assert_true(spoil(small, root, root) > 300);
        bn_json_free(root);
        bonsai_graph_free(small);
    }
    bonsai_graph_free(g);
}

static void rounds_that_are_not_recorded_are_refused(void **state)
{
    (void)state;
    bonsai_scores s;
    bonsai_graph *g = generated(5);
    bonsai_scores_init(&s);
    assert_int_equal(bonsai_condense_scores(&s, g, 0), BONSAI_OK);
    assert_true(s.rounds == 0 && s.count == 0 && s.knee == -1);
    assert_fails(bonsai_condense_scores(&s, g, 1), BONSAI_E_ARGUMENT,
                 "round 1 of pruning is outside 0..0");
    assert_fails(bonsai_condense_scores(&s, g, -1), BONSAI_E_ARGUMENT, "round -1 of pruning");
    bonsai_graph_free(g);
}

/* ---- memory ---- */

static bonsai_status read_all(void *payload)
{
    bonsai_why w;
    bn_trace *trace = NULL;
    bonsai_why_init(&w);
    bonsai_status rc = bonsai_condense_why(&w, payload, 0);
    if (rc == BONSAI_OK)
        rc = bn_record_trace(&trace, payload);
    bn_free(trace);
    return rc;
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    bonsai_graph *g = generated(4);
    bonsai_condense_options o = asked(BONSAI_METHOD_TREES);
    bonsai_condense_info info;
    bonsai_graph *small = condensed(&info, g, &o);
    survives_failed_allocations(read_all, small, 4);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

/* Readers of any version take a value by its type. */
static void facts_have_their_types(void **state)
{
    (void)state;
    bonsai_condense_options o = asked(BONSAI_METHOD_PROTOTYPES);
    bonsai_graph *g = generated(3), *small = NULL;
    bn_json *root = NULL;
    assert_int_equal(bonsai_condense(&small, NULL, g, &o), BONSAI_OK);
    assert_int_equal(bn_record_load(&root, small), BONSAI_OK);
    const bn_json *recipe = bn_json_get(root, "recipe");
    assert_true(bn_json_is_flag(bn_json_get(recipe, "columns")));
    assert_true(bn_json_is_flag(bn_json_get(recipe, "soft")));
    assert_true(bn_json_is_whole(bn_json_get(recipe, "bits")));
    assert_true(bn_json_is_real(bn_json_get(recipe, "probe")));
    assert_true(bn_json_is_text(bn_json_get(recipe, "values")));
    bn_json_free(root);
    bonsai_graph_free(small);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_have_their_types),
        cmocka_unit_test(the_record_gives_back_what_condensing_told),
        cmocka_unit_test(the_options_make_the_same_graph_again),
        cmocka_unit_test(picked_nodes_say_which_tree_brought_them),
        cmocka_unit_test(prototypes_say_how_many_they_stand_for),
        cmocka_unit_test(a_struct_is_not_written_beyond_its_size),
        cmocka_unit_test(options_of_older_versions_are_passed_over),
        cmocka_unit_test(a_graph_that_was_not_condensed_is_refused),
        cmocka_unit_test(nonsense_in_any_place_does_no_harm),
        cmocka_unit_test(rounds_that_are_not_recorded_are_refused),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

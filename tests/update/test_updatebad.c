/* test_updatebad.c -- what cannot be updated, failed allocations, canceling.
 *
 * SPDX-License-Identifier: MIT */

#include "record/fact.h"
#include "growing.h"
#include "json.h"

/* ---- refusals ---- */

static bonsai_status try_update(const bonsai_graph *now, const bonsai_graph *was,
                                const bonsai_graph *small)
{
    bonsai_graph *out = NULL;
    bonsai_status rc = bonsai_condense_update(&out, NULL, now, was, small, NULL);
    assert_true((rc == BONSAI_OK) == (out != NULL));
    bonsai_graph_free(out);
    return rc;
}

static bonsai_graph *condensed_by(const bonsai_graph *g, bonsai_method m, int members, int inductive)
{
    bonsai_condense_options o;
    bonsai_condense_info i;
    bonsai_condense_options_init(&o);
    o.method = m;
    o.members = members;
    o.inductive = inductive;
    o.ratio = 0.3;
    return condensed(&i, g, &o);
}

static void what_cannot_be_updated_is_refused_with_a_sentence(void **state)
{
    (void)state;
    grown w = grow(2, 1);
    bonsai_graph *other = case_graph(3), *part = NULL, *kept;
    uint8_t *label = w.now->owned[BONSAI_SECTION_LABELS];
    const struct { bonsai_method m; int members, inductive; const char *text; } bad[] = {
        {BONSAI_METHOD_TREES, 0, 0, "was not made by the method prototypes"},
        {BONSAI_METHOD_PROTOTYPES, 0, 0, "does not name its members"},
        {BONSAI_METHOD_PROTOTYPES, 1, 1, "from the training part alone"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        kept = condensed_by(w.was, bad[k].m, bad[k].members, bad[k].inductive);
        assert_fails(try_update(w.now, w.was, kept), BONSAI_E_ARGUMENT, bad[k].text);
        bonsai_graph_free(kept);
    }
    assert_fails(try_update(w.now, w.was, w.was), BONSAI_E_ARGUMENT,
                 "was not made by the method prototypes");
    assert_fails(try_update(other, w.was, w.small), BONSAI_E_ARGUMENT, "has 4 classes, but");
    part = first_nodes(w.was, 100);
    assert_fails(try_update(part, w.was, w.small), BONSAI_E_ARGUMENT,
                 "has 100 nodes, fewer than the 240 of");
    assert_fails(try_update(w.now, part, w.small), BONSAI_E_ARGUMENT,
                 "the checksum of its graph is");
    uint32_t *origin = part->owned[BONSAI_SECTION_ORIGIN];
    origin[7] = 70;
    assert_fails(try_update(w.now, part, w.small), BONSAI_E_ARGUMENT,
                 "node 7 has the origin 70: a graph in another order");
    label[0] = (uint8_t)((label[0] + 1) % CLASSES);
    w.now->view.classes = CLASSES + 1;
    assert_fails(try_update(w.now, w.was, w.small), BONSAI_E_ARGUMENT, "has 4 classes, but");
    w.now->view.classes = CLASSES;
    w.now->view.section[BONSAI_SECTION_SPLIT] = (bonsai_array){NULL, 0, BONSAI_TYPE_NONE};
    assert_fails(try_update(w.now, w.was, w.small), BONSAI_E_ARGUMENT, "has no split");
    bonsai_graph_free(part);
    bonsai_graph_free(other);
    grown_free(&w);
}

/* Whatever its record says, an operator was not made by prototypes; nor is one condensed. */
static void operators_are_refused_with_a_sentence(void **state)
{
    (void)state;
    grown w = grow(2, 1);
    bonsai_graph *const which[] = {w.small, w.was, w.now};
    for (int k = 0; k < 3; k++) {
        which[k]->view.flags |= BONSAI_FLAG_OPERATOR;
        assert_fails(try_update(w.now, w.was, w.small), BONSAI_E_ARGUMENT,
                     k ? "its edge weights are an operator, not weights of edges"
                       : "was not made by the method prototypes");
        which[k]->view.flags &= ~(uint64_t)BONSAI_FLAG_OPERATOR;
    }
    assert_int_equal(try_update(w.now, w.was, w.small), BONSAI_OK);
    grown_free(&w);
}

/* A graph of two classes, of which one has no training node until later. */
static void a_class_without_a_prototype_is_refused(void **state)
{
    (void)state;
    grown w = grow(3, 0);
    uint8_t *split = w.was->owned[BONSAI_SECTION_SPLIT];
    for (int64_t v = 0; v < OLDER; v++)
        if (bn_label(w.was, v) == 0)
            split[v] = BONSAI_PART_NONE;
    bonsai_graph *small = condensed_by(w.was, BONSAI_METHOD_PROTOTYPES, 1, 0);
    assert_fails(try_update(w.now, w.was, small), BONSAI_E_ARGUMENT, "class 0 of node");
    bonsai_graph_free(small);
    grown_free(&w);
}

static void members_that_lie_are_refused(void **state)
{
    (void)state;
    const uint32_t bad[] = {100000, 1};
    for (int k = 0; k < 2; k++) {
        grown w = grow(2, 1);
        uint32_t *member = w.small->owned[BONSAI_SECTION_MEMBERS];
        member[0] = k ? member[1] : bad[0];
        assert_fails(try_update(w.now, w.was, w.small), BONSAI_E_ARGUMENT, "node 0 names member");
        grown_free(&w);
    }
}

/* Says in the report that the small graph was made for so many bytes. */
static void set_budget(bonsai_graph *small, int64_t bytes)
{
    const bonsai_array *a = &small->view.section[BONSAI_SECTION_METADATA];
    bn_json *root = bn_json_parse(a->data, (size_t)a->count, 0, NULL);
    bn_json *options = bn_json_get(root, "options");
    uint8_t *to;
    bn_json_set(options, "ratio", bn_json_whole(0));
    bn_json_set(options, "bytes", bn_json_whole(bytes));
    char *text = bn_json_print(root, 0, 17);
    assert_int_equal(bn_graph_array(&to, small, BONSAI_SECTION_METADATA, BONSAI_TYPE_U8, (int64_t)strlen(text)),
                     BONSAI_OK);
    memcpy(to, text, strlen(text));
    bn_json_drop(text);
    bn_json_free(root);
}

/* Weights that outgrow a byte stay in it where the budget has no room for more. */
static void the_budget_is_kept_when_weights_grow(void **state)
{
    (void)state;
    for (int room = 0; room < 3; room++) {
        grown w = grow(2, 0);
        int64_t n = w.small->view.nodes;
        double bytes = size_in(w.small, BONSAI_ACCOUNTING_STRICT);         /* weights are a byte each */
        float *weight, most = 0;
        bonsai_graph *out = NULL;
        bonsai_condense_info i;
        bonsai_condense_info_init(&i);
        assert_true(bn_has(w.small, BONSAI_SECTION_NODE_WEIGHTS));
        assert_int_equal(bn_graph_array(&weight, w.small, BONSAI_SECTION_NODE_WEIGHTS, BONSAI_TYPE_F32, n),
                         BONSAI_OK);
        for (int64_t p = 0; p < n; p++)
            weight[p] = 300;
        set_budget(w.small, (int64_t)bytes + (room - 1) * n);
        bonsai_status rc = bonsai_condense_update(&out, &i, w.now, w.was, w.small, NULL);
        if (room == 0)
            assert_fails(rc, BONSAI_E_ARGUMENT, "condense it again");
        else {
            assert_int_equal(rc, BONSAI_OK);
            for (int64_t p = 0; p < n; p++)
                most = fmaxf(most, bn_real_at(&out->view.section[BONSAI_SECTION_NODE_WEIGHTS], p));
            assert_true(most == (room == 1 ? 255 : 300));
            assert_true(i.bytes <= bn_fact(&i, BN_FACT_BUDGET) && i.bytes == size_in(out, BONSAI_ACCOUNTING_STRICT));
        }
        bonsai_graph_free(out);
        grown_free(&w);
    }
}

/* ---- memory and progress ---- */

static bonsai_status update_once(void *payload)
{
    grown *w = payload;
    return try_update(w->now, w->was, w->small);
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    for (uint64_t seed = 2; seed < 4; seed++) {
        grown w = grow(seed, 2);
        survives_failed_allocations(update_once, &w, 40);
        grown_free(&w);
    }
}

typedef struct { int calls, stop_at; } watched;

static int watch(const bonsai_progress *p, void *payload)
{
    watched *w = payload;
    assert_true(p->done <= p->total);
    return w->calls++ == w->stop_at;
}

static void every_tick_can_cancel(void **state)
{
    (void)state;
    grown w = grow(2, 2);
    bonsai_condense_options o;
    watched all = {0, -1};
    bonsai_graph *out = NULL;
    int64_t before = bn_mem_live();
    bonsai_condense_options_init(&o);
    o.progress = watch;
    o.payload = &all;
    assert_int_equal(bonsai_condense_update(&out, NULL, w.now, w.was, w.small, &o), BONSAI_OK);
    bonsai_graph_free(out);
    assert_true(all.calls > 10);
    for (int stop = 0; stop < all.calls; stop++) {
        watched one = {0, stop};
        o.payload = &one;
        assert_fails(bonsai_condense_update(&out, NULL, w.now, w.was, w.small, &o),
                     BONSAI_E_CANCELED, "canceled during");
        assert_null(out);
        assert_int_equal(bn_mem_live(), before);
    }
    grown_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_updated_is_refused_with_a_sentence),
        cmocka_unit_test(operators_are_refused_with_a_sentence),
        cmocka_unit_test(a_class_without_a_prototype_is_refused),
        cmocka_unit_test(members_that_lie_are_refused),
        cmocka_unit_test(the_budget_is_kept_when_weights_grow),
        cmocka_unit_test(failed_allocations_are_survived),
        cmocka_unit_test(every_tick_can_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

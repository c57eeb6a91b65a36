/* test_abi.c -- programs and libraries of different versions: every public struct, grown and shrunk.
 *
 * A struct lies right before a page that may not be touched, so that reading or writing beyond the
 * size that it states ends the test.  tests/install/structs.sh compares the list of structs with
 * the headers.
 *
 * SPDX-License-Identifier: MIT */
#include "texting.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MORE = 64, NODES = 40 };

/* ---- what the calls work on ---- */

static bonsai_graph *full, *small;

static int set_up(void **state)
{
    bonsai_generate_options o;
    bonsai_condense_options c;
    (void)state;
    bonsai_generate_options_init(&o);
    o.nodes = NODES;
    o.features = 8;
    o.classes = 2;
    o.words = 3;
    bonsai_condense_options_init(&c);
    c.nodes = 6;
    c.method = BONSAI_METHOD_RANDOM;
    return bonsai_graph_generate(&full, &o) || bonsai_condense(&small, NULL, full, &c);
}

static int tear_down(void **state)
{
    (void)state;
    bonsai_graph_free(small);
    bonsai_graph_free(full);
    return 0;
}

/* ---- structs that end where memory ends ---- */

typedef struct {
    uint8_t *pages;
    size_t   page, room;        /* room: bytes before the last page */
} edge;

static edge edge_new(void)
{
    edge e = {.page = (size_t)sysconf(_SC_PAGESIZE)};
    e.room = 4 * e.page;
    e.pages = mmap(NULL, e.room + e.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(e.pages, MAP_FAILED);
    assert_int_equal(mprotect(e.pages + e.room, e.page, PROT_NONE), 0);
    return e;
}

/* The last `size` bytes before the edge, full of something. */
static void *edge_last(const edge *e, size_t size)
{
    assert_true(size <= e->room);
    memset(e->pages, 0xa5, e->room);
    return e->pages + e->room - size;
}

static void edge_free(edge *e)
{
    munmap(e->pages, e->room + e->page);
}

/* ---- the structs ---- */

typedef struct {
    const char *name;
    size_t size;
    bool given;                 /* read by the library: a tail that it does not know must be zero */
    bool same;                  /* filled by the library, alike each time */
    void (*init)(void *, size_t);
    bonsai_status (*call)(void *);
} sized;

#define INIT(what) \
    static void init_##what(void *p, size_t size) { bonsai_##what##_init_sized(p, size); }
INIT(view)
INIT(read_options)
INIT(write_options)
INIT(condense_options)
INIT(condense_info)
INIT(train_options)
INIT(generate_options)
INIT(stats)
INIT(linear)
INIT(why)
INIT(scores)
INIT(measures)
INIT(shape)
INIT(plan_options)
INIT(plan)
INIT(cell)
INIT(difference)
INIT(power)
INIT(compare_options)
INIT(report_options)
INIT(suggest_options)

static bonsai_status use_view(void *v)
{
    bonsai_graph *g = NULL;
    bonsai_status rc = bonsai_graph_build(&g, v, 0, NULL, NULL, NULL, NULL);
    bonsai_graph_free(g);
    return rc;
}

static bonsai_status use_read(void *o)
{
    bonsai_view v;
    bonsai_graph *g = NULL;
    bonsai_view_init(&v);
    v.nodes = 2;
    bonsai_status rc = bonsai_graph_build(&g, &v, 1, (int32_t[]){0}, (int32_t[]){1}, NULL, o);
    bonsai_graph_free(g);
    return rc;
}

static bonsai_status use_write(void *o)
{
    int64_t bytes[BONSAI_SECTION_COUNT];
    return bonsai_graph_sections(NULL, bytes, BONSAI_SECTION_COUNT, full, o);
}

/* With the budget where there is room for it. */
static bonsai_status use_condense(void *o)
{
    bonsai_condense_options *c = o;
    bonsai_graph *g = NULL;
    if (c->size >= offsetof(bonsai_condense_options, ratio) + sizeof c->ratio)
        c->ratio = 0.5;
    bonsai_status rc = bonsai_condense(&g, NULL, full, c);
    bonsai_graph_free(g);
    if (rc == BONSAI_E_ARGUMENT && strstr(bonsai_error(), "budget"))
        rc = BONSAI_OK;
    return rc;
}

static bonsai_status use_info(void *info)
{
    bonsai_condense_options o;
    bonsai_graph *g = NULL;
    bonsai_condense_options_init(&o);
    o.nodes = 5;
    o.method = BONSAI_METHOD_DEGREE;
    bonsai_status rc = bonsai_condense(&g, info, full, &o);
    bonsai_graph_free(g);
    return rc;
}

static bonsai_status use_train(void *o)
{
    bonsai_train_options *t = o;
    bonsai_training *done = NULL;
    if (t->size >= offsetof(bonsai_train_options, epochs) + sizeof t->epochs)
        t->epochs = 1;
    bonsai_status rc = bonsai_train(&done, full, NULL, t);
    bonsai_training_free(done);
    return rc;
}

static bonsai_status use_generate(void *o)
{
    bonsai_generate_options *g = o;
    bonsai_graph *made = NULL;
    if (g->size >= offsetof(bonsai_generate_options, nodes) + sizeof g->nodes)
        g->nodes = 50;
    bonsai_status rc = bonsai_graph_generate(&made, g);
    bonsai_graph_free(made);
    return rc;
}

static bonsai_status use_stats(void *s)
{
    return bonsai_graph_stats(s, NULL, full, NULL);
}

static bonsai_status use_why(void *w)
{
    return bonsai_condense_why(w, small, 0);
}

static bonsai_status use_scores(void *s)
{
    return bonsai_condense_scores(s, small, 0);
}

static bonsai_status use_measures(void *m)
{
    static const int32_t classes[NODES];
    return bonsai_judge(m, NULL, full, BONSAI_PART_TEST, classes, NULL);
}

static bonsai_status use_linear(void *l)
{
    return bonsai_graph_linear(l, full, 1, NULL);
}

static bonsai_status use_shape(void *s)
{
    bonsai_plan p;
    bonsai_plan_init(&p);
    bonsai_status rc = bonsai_graph_shape(s, full);
    if (rc != BONSAI_OK)
        return rc;
    rc = bonsai_plan_make(&p, s, NULL);
    bool cut = ((bonsai_shape *)s)->size < sizeof(bonsai_shape);
    return cut && rc == BONSAI_E_ARGUMENT ? BONSAI_OK : rc;     /* what is cut off is missing */
}

static bonsai_status make_plan(bonsai_plan *p, const bonsai_plan_options *o)
{
    bonsai_shape s;
    bonsai_shape_init(&s);
    s.nodes = 1000000;
    s.edges = 10000000;
    s.features = 100;
    s.classes = 5;
    s.train = 600000;
    return bonsai_plan_make(p, &s, o);
}

static bonsai_status use_plan_options(void *o)
{
    bonsai_plan p;
    bonsai_plan_init(&p);
    return make_plan(&p, o);
}

static bonsai_status use_plan(void *p)
{
    return make_plan(p, NULL);
}

static bonsai_status use_compare(void *o)
{
    static const bonsai_model_kind model[] = {BONSAI_MODEL_GCN};
    bonsai_compare_options *c = o;
    if (c->size >= offsetof(bonsai_compare_options, model_count) + sizeof c->model_count) {
        c->models = model;
        c->model_count = 1;
    }
    int64_t cells = bonsai_compare_count(c);
    assert_true(cells == 1 || cells == -1);
    return cells == 1 || strstr(bonsai_error(), "models") ? BONSAI_OK : BONSAI_E_ARGUMENT;
}

static bonsai_status use_cell(void *c)
{
    bonsai_report_options o;
    bonsai_report *r = NULL;
    bonsai_report_options_init(&o);
    o.cells = c;
    o.cell_count = 1;
    bonsai_status rc = bonsai_report_new(&r, small, NULL, &o);
    bonsai_report_free(r);
    return rc;
}

static bonsai_status use_difference(void *d)
{
    bonsai_cell cell;
    bonsai_cell_init(&cell);
    return bonsai_cells_difference(d, &cell, 1, &cell, &cell);
}

static bonsai_status use_power(void *p)
{
    return bonsai_study_power(p, 1, full, NULL);
}

static bonsai_status use_report(void *o)
{
    bonsai_report *r = NULL;
    bonsai_status rc = bonsai_report_new(&r, small, NULL, o);
    bonsai_report_free(r);
    return rc;
}

/* Of picked nodes, where there is room to say so. */
static bonsai_status use_suggest(void *o)
{
    static bonsai_condense_options c;
    bonsai_suggest_options *s = o;
    bonsai_suggestion *found = NULL;
    bonsai_condense_options_init(&c);
    c.method = BONSAI_METHOD_RANDOM;
    if (s->size >= offsetof(bonsai_suggest_options, condense) + sizeof s->condense)
        s->condense = &c;
    bonsai_status rc = bonsai_suggest(&found, full, s);
    bonsai_suggestion_free(found);
    return rc;
}

static const sized structs[] = {
    {"bonsai_view", sizeof(bonsai_view), true, false, init_view, use_view},
    {"bonsai_read_options", sizeof(bonsai_read_options), true, false, init_read_options, use_read},
    {"bonsai_write_options", sizeof(bonsai_write_options), true, false, init_write_options,
     use_write},
    {"bonsai_condense_options", sizeof(bonsai_condense_options), true, false,
     init_condense_options, use_condense},
    {"bonsai_condense_info", sizeof(bonsai_condense_info), false, false, init_condense_info,
     use_info},
    {"bonsai_train_options", sizeof(bonsai_train_options), true, false, init_train_options,
     use_train},
    {"bonsai_generate_options", sizeof(bonsai_generate_options), true, false,
     init_generate_options, use_generate},
    {"bonsai_stats", sizeof(bonsai_stats), false, true, init_stats, use_stats},
    {"bonsai_why", sizeof(bonsai_why), false, true, init_why, use_why},
    {"bonsai_scores", sizeof(bonsai_scores), false, true, init_scores, use_scores},
    {"bonsai_measures", sizeof(bonsai_measures), false, true, init_measures, use_measures},
    {"bonsai_linear", sizeof(bonsai_linear), false, true, init_linear, use_linear},
    {"bonsai_shape", sizeof(bonsai_shape), true, true, init_shape, use_shape},
    {"bonsai_plan_options", sizeof(bonsai_plan_options), true, false, init_plan_options,
     use_plan_options},
    {"bonsai_plan", sizeof(bonsai_plan), false, false, init_plan, use_plan},
    {"bonsai_cell", sizeof(bonsai_cell), true, false, init_cell, use_cell},
    {"bonsai_difference", sizeof(bonsai_difference), false, false, init_difference, use_difference},
    {"bonsai_compare_options", sizeof(bonsai_compare_options), true, false, init_compare_options,
     use_compare},
    {"bonsai_report_options", sizeof(bonsai_report_options), true, false, init_report_options,
     use_report},
    {"bonsai_suggest_options", sizeof(bonsai_suggest_options), true, false, init_suggest_options,
     use_suggest},
    {"bonsai_power", sizeof(bonsai_power), true, false, init_power, use_power},       /* of the laboratory */
};

/* The number of structs whose calls are in the build. */
static int structs_here(void)
{
    return (int)(sizeof structs / sizeof *structs) - !has_method(BONSAI_METHOD_GCOND);
}

static size_t stated(const void *p)
{
    size_t size;
    memcpy(&size, p, sizeof size);
    return size;
}

static void must_go_well(const sized *s, void *p, size_t size)
{
    if (s->call(p) != BONSAI_OK)
        fail_msg("%s of %zu bytes instead of %zu: %s", s->name, size, s->size, bonsai_error());
    assert_int_equal(stated(p), size);
}

/* ---- a newer program ---- */

static void a_larger_struct_is_taken_while_the_rest_is_zero(void **state)
{
    static const uint8_t zero[MORE];
    edge e = edge_new();
    (void)state;
    for (int i = 0; i < structs_here(); i++) {
        const sized *s = &structs[i];
        size_t size = s->size + MORE;
        uint8_t *p = edge_last(&e, size);
        s->init(p, size);
        assert_memory_equal(p + s->size, zero, MORE);
        must_go_well(s, p, size);
        assert_memory_equal(p + s->size, zero, MORE);
    }
    edge_free(&e);
}

static void what_the_library_does_not_know_is_refused_by_the_name_of_the_struct(void **state)
{
    edge e = edge_new();
    (void)state;
    for (int i = 0; i < structs_here(); i++)
        for (int at = 0; at < MORE && structs[i].given; at += MORE - 1) {
            const sized *s = &structs[i];
            uint8_t *p = edge_last(&e, s->size + MORE);
            s->init(p, s->size + MORE);
            p[s->size + (size_t)at] = 1;
            assert_int_equal(s->call(p), BONSAI_E_ARGUMENT);
            if (!strstr(bonsai_error(), s->name) || !strstr(bonsai_error(), "does not know"))
                fail_msg("%s: %s", s->name, bonsai_error());
        }
    edge_free(&e);
}

/* ---- an older program ---- */

/* Structs are aligned to 8 bytes, and so are their sizes. */
static void nothing_is_read_or_written_beyond_a_smaller_struct(void **state)
{
    edge e = edge_new();
    (void)state;
    for (int i = 0; i < structs_here(); i++)
        for (size_t size = sizeof size; size < structs[i].size; size += 8) {
            void *p = edge_last(&e, size);
            structs[i].init(p, size);
            must_go_well(&structs[i], p, size);
        }
    edge_free(&e);
}

static void a_smaller_struct_gets_the_same_values(void **state)
{
    edge e = edge_new();
    (void)state;
    for (int i = 0; i < structs_here(); i++) {
        const sized *s = &structs[i];
        uint8_t *whole = malloc(s->size);
        s->init(whole, s->size);
        must_go_well(s, whole, s->size);
        for (size_t size = sizeof size; size < s->size && s->same; size += 8) {
            uint8_t *p = edge_last(&e, size);
            s->init(p, size);
            must_go_well(s, p, size);
            assert_memory_equal(p + sizeof size, whole + sizeof size, size - sizeof size);
        }
        free(whole);
    }
    edge_free(&e);
}

static void a_struct_without_a_size_is_refused(void **state)
{
    uint64_t nothing[512] = {0};
    (void)state;
    for (int i = 0; i < structs_here(); i++) {
        assert_true(structs[i].size <= sizeof nothing);
        assert_int_equal(structs[i].call(nothing), BONSAI_E_ARGUMENT);
        if (!strstr(bonsai_error(), structs[i].name) ||
            !strstr(bonsai_error(), "was not initialised"))
            fail_msg("%s: %s", structs[i].name, bonsai_error());
    }
}

/* What lies in memory before its init function was called: nothing beyond the size is read. */
static void a_size_that_no_struct_has_is_refused(void **state)
{
    static const size_t sizes[] = {1, 7, 4096, 1 << 20, (size_t)0x7ffe12345678,
                                   (size_t)0xa5a5a5a5a5a5a5a5, (size_t)-1};
    edge e = edge_new();
    (void)state;
    for (int i = 0; i < structs_here(); i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            const sized *s = &structs[i];
            uint8_t *p = edge_last(&e, s->size);
            memcpy(p, &sizes[k], sizeof sizes[k]);
            assert_int_equal(s->call(p), BONSAI_E_ARGUMENT);
            if (!strstr(bonsai_error(), s->name) ||
                !strstr(bonsai_error(), "was not initialised") ||
                !strstr(bonsai_error(), "or comes from a much newer bonsai.h"))
                fail_msg("%s of size %zu: %s", s->name, sizes[k], bonsai_error());
        }
    edge_free(&e);
}

/* ---- arrays ---- */

/* Of structs that are smaller and larger than ours, one after the other. */
static void an_array_of_structs_has_the_step_of_the_first(void **state)
{
    const double ratios[] = {0.3, 0.5, 0.7};
    edge e = edge_new();
    bonsai_condense_options o;
    (void)state;
    bonsai_condense_options_init(&o);
    o.method = BONSAI_METHOD_DEGREE;
    const size_t sizes[] = {16, 64, sizeof(bonsai_condense_info), sizeof(bonsai_condense_info) + 64};
    for (int i = 0; i < 4; i++) {
        bonsai_graph *out[3];
        uint8_t *p = edge_last(&e, 3 * sizes[i]);
        init_condense_info(p, sizes[i]);
        assert_int_equal(bonsai_condense_many(out, (bonsai_condense_info *)p, ratios, 3, full, &o),
                         BONSAI_OK);
        for (int k = 0; k < 3; k++) {
            const bonsai_condense_info *one = (const void *)(p + (size_t)k * sizes[i]);
            assert_int_equal(one->size, sizes[i]);
            assert_int_equal(one->nodes, bonsai_graph_nodes(out[k]));
            bonsai_graph_free(out[k]);
        }
    }
    edge_free(&e);
}

static int check_cell(const bonsai_cell *c, void *payload)
{
    ++*(int *)payload;
    return c->size != sizeof(bonsai_cell);
}

static void a_table_of_cells_has_the_step_of_the_first(void **state)
{
    const bonsai_method methods[] = {BONSAI_METHOD_DEGREE, BONSAI_METHOD_RANDOM};
    const double ratios[] = {0.5};
    const bonsai_model_kind models[] = {BONSAI_MODEL_GCN};
    const size_t runs = offsetof(bonsai_cell, runs) + sizeof(int);
    const size_t sizes[] = {runs, runs + 8, sizeof(bonsai_cell), sizeof(bonsai_cell) + MORE};
    bonsai_train_options train;
    bonsai_compare_options o;
    int told = 0;
    edge e = edge_new();
    (void)state;
    bonsai_train_options_init(&train);
    train.epochs = train.seeds = 1;
    bonsai_compare_options_init(&o);
    o.methods = methods;
    o.method_count = 2;
    o.ratios = ratios;
    o.models = models;
    o.ratio_count = o.model_count = 1;
    o.train = &train;
    o.cell = check_cell;
    o.cell_payload = &told;
    for (int i = 0; i < 4; i++) {
        uint8_t *p = edge_last(&e, 3 * sizes[i]);
        bonsai_cell *cells = (bonsai_cell *)p;
        assert_int_equal(bonsai_compare_cells_sized(cells, sizes[i], &o), BONSAI_OK);
        assert_int_equal(bonsai_compare(cells, full, &o), BONSAI_OK);
        for (int k = 0; k < 3; k++) {
            const bonsai_cell *one = (const void *)(p + (size_t)k * sizes[i]);
            assert_int_equal(one->size, sizes[i]);
            assert_int_equal(one->method, k ? (int)methods[k - 1] : -1);
            assert_true(one->done == 1 && one->runs == 1);
        }
        assert_int_equal(told, 3 * (i + 1));
    }
    edge_free(&e);
}

static void cells_of_different_sizes_are_refused(void **state)
{
    bonsai_cell cells[2];
    bonsai_report_options o;
    bonsai_report *r = NULL;
    (void)state;
    bonsai_cell_init(&cells[0]);
    bonsai_cell_init_sized(&cells[1], 64);
    bonsai_report_options_init(&o);
    o.cells = cells;
    o.cell_count = 2;
    assert_fails(bonsai_report_new(&r, small, NULL, &o), BONSAI_E_ARGUMENT,
                 "bonsai_cell 1 has another size than the first of its array");
}

/* The sections that an older program knows are taken, and the others are not there. */
static void a_view_may_have_fewer_sections(void **state)
{
    static const uint32_t offsets[] = {0, 1, 2}, neighbors[] = {1, 0};
    edge e = edge_new();
    size_t size = offsetof(bonsai_view, section) +
                  (BONSAI_SECTION_NEIGHBORS + 1) * sizeof(bonsai_array);
    bonsai_view *v = edge_last(&e, size);
    bonsai_graph *g = NULL;
    (void)state;
    bonsai_view_init_sized(v, size);
    v->nodes = 2;
    v->section[BONSAI_SECTION_OFFSETS] = (bonsai_array){offsets, 3, BONSAI_TYPE_U32};
    v->section[BONSAI_SECTION_NEIGHBORS] = (bonsai_array){neighbors, 2, BONSAI_TYPE_U32};
    assert_int_equal(bonsai_graph_new(&g, v, 1), BONSAI_OK);
    assert_int_equal(bonsai_graph_edges(g), 2);
    assert_null(bonsai_graph_view(g)->section[BONSAI_SECTION_METADATA].data);
    bonsai_graph_free(g);
    edge_free(&e);
}

/* ---- structs of the library: the caller reads as much as their size says ---- */

static int check_progress(const bonsai_progress *p, void *payload)
{
    *(size_t *)payload = p->size;
    return 0;
}

static void check_warning(const bonsai_warning *w, void *payload)
{
    *(size_t *)payload = w->size;
}

static size_t warn_of_a_header(void)
{
    size_t size = 0;
    bonsai_graph *g = NULL;
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.warning = check_warning;
    o.warning_payload = &size;
    const char *path = temp_path("doubtful.csv");
    write_text(path, "buyer,partner\nC1,C2\n");
    assert_int_equal(bonsai_graph_read(&g, path, &o), BONSAI_OK);
    bonsai_graph_free(g);
    return size;
}

static void structs_of_the_library_say_their_size(void **state)
{
    bonsai_train_options o;
    bonsai_training *t = NULL;
    bonsai_suggestion *found = NULL;
    size_t progress = 0;
    (void)state;
    bonsai_train_options_init(&o);
    o.epochs = o.seeds = 2;
    o.progress = check_progress;
    o.payload = &progress;
    assert_int_equal(bonsai_train(&t, full, NULL, &o), BONSAI_OK);
    assert_int_equal(progress, sizeof(bonsai_progress));
    assert_int_equal(warn_of_a_header(), sizeof(bonsai_warning));
    assert_int_equal(bonsai_error_details()->size, sizeof(bonsai_error_info));
    assert_int_equal(bonsai_graph_read_info(full)->size, sizeof(bonsai_read_info));
    assert_int_equal(bonsai_graph_view(full)->size, sizeof(bonsai_view));
    assert_int_equal(bonsai_training_info(t)->size, sizeof(bonsai_train_info));
    assert_int_equal(bonsai_training_run(t, 1)->size, sizeof(bonsai_run));
    assert_int_equal(bonsai_training_epoch(t, 3)->size, sizeof(bonsai_epoch));
    assert_int_equal(bonsai_training_class(t, 1)->size, sizeof(bonsai_class));
    assert_int_equal(bonsai_model_facts(bonsai_training_model(t))->size, sizeof(bonsai_model_info));
    assert_int_equal(bonsai_field_at(BONSAI_OPTIONS_TRAIN, 0)->size, sizeof(bonsai_field));
    assert_int_equal(bonsai_fact_at(0)->size, sizeof(bonsai_fact_row));
    assert_int_equal(bonsai_cell_row_at(0)->size, sizeof(bonsai_cell_row));
    assert_int_equal(bonsai_known_at(0)->size, sizeof(bonsai_known));
    assert_int_equal(bonsai_suggest(&found, full, NULL), BONSAI_OK);
    assert_int_equal(bonsai_suggestion_info(found)->size, sizeof(bonsai_suggest_info));
    assert_int_equal(bonsai_suggestion_point(found, 1)->size, sizeof(bonsai_suggest_point));
    bonsai_suggestion_free(found);
    bonsai_training_free(t);
}

/* ---- failures ---- */

static void what_was_not_made_is_null(void **state)
{
    static const double shares[3] = {90, 90, 90};
    static const int32_t none[] = {-1};
    const bonsai_read_options read = {.size = 0};
    const bonsai_view view = {.size = 0};
    const bonsai_train_options train = {.size = 0};
    const bonsai_report_options report = {.size = 0};
    const bonsai_generate_options generate = {.size = 0};
    bonsai_graph *g[11];
    bonsai_training *t = (void *)1;
    bonsai_model *m = (void *)1;
    bonsai_report *r = (void *)1;
    int made = 0;
    (void)state;
    for (int i = 0; i < 11; i++)
        g[i] = (void *)1;
    const bonsai_status status[] = {
        bonsai_graph_load(&g[0], "/no/such/graph.bonsai"),
        bonsai_graph_read(&g[1], "/no/such/graph.bonsai", &read),
        bonsai_graph_new(&g[2], &view, 0),
        bonsai_graph_build(&g[3], &view, 0, NULL, NULL, NULL, NULL),
        bonsai_graph_split(&g[4], full, shares, 1),
        bonsai_graph_induce(&g[5], full, none, 1),
        bonsai_graph_reorder(&g[6], full, BONSAI_ORDER_COUNT, 0, 1, NULL),
        bonsai_graph_generate(&g[7], &generate),
        bonsai_condense(&g[8], NULL, full, NULL),
        bonsai_condense_update(&g[9], NULL, full, full, full, NULL),
        bonsai_graph_name_features(&g[10], full, "a\nb\n\n\n\n\n\n"),
        bonsai_train(&t, full, NULL, &train),
        bonsai_model_load(&m, "/no/such/model"),
        bonsai_report_new(&r, full, NULL, &report),
    };
    for (size_t i = 0; i < sizeof status / sizeof *status; i++)
        made += status[i] == BONSAI_OK;
    for (int i = 0; i < 11; i++)
        assert_null(g[i]);
    assert_true(made == 0 && !t && !m && !r);
}

/* ---- the version ---- */

static void the_numbers_of_the_version_are_its_text(void **state)
{
    char text[32];
    (void)state;
    snprintf(text, sizeof text, "%d.%d.%d", BONSAI_VERSION_MAJOR, BONSAI_VERSION_MINOR,
             BONSAI_VERSION_PATCH);
    assert_string_equal(text, BONSAI_VERSION);
    assert_int_equal(BONSAI_VERSION_NUMBER, 10000 * BONSAI_VERSION_MAJOR +
                     100 * BONSAI_VERSION_MINOR + BONSAI_VERSION_PATCH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_larger_struct_is_taken_while_the_rest_is_zero),
        cmocka_unit_test(what_the_library_does_not_know_is_refused_by_the_name_of_the_struct),
        cmocka_unit_test(nothing_is_read_or_written_beyond_a_smaller_struct),
        cmocka_unit_test(a_smaller_struct_gets_the_same_values),
        cmocka_unit_test(a_struct_without_a_size_is_refused),
        cmocka_unit_test(a_size_that_no_struct_has_is_refused),
        cmocka_unit_test(an_array_of_structs_has_the_step_of_the_first),
        cmocka_unit_test(a_table_of_cells_has_the_step_of_the_first),
        cmocka_unit_test(cells_of_different_sizes_are_refused),
        cmocka_unit_test(a_view_may_have_fewer_sections),
        cmocka_unit_test(structs_of_the_library_say_their_size),
        cmocka_unit_test(what_was_not_made_is_null),
        cmocka_unit_test(the_numbers_of_the_version_are_its_text),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

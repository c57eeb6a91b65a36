/* fuzz_records.c -- fuzzes the readers of JSON: the record of a condensed graph, and the
 * description of a page.
 *
 * The lowest bit of the first byte tells what the rest is: metadata of a small graph (0), or what
 * bonsai_report_tables is given (1).
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bonsai_study.h"
#include "fuzz.h"
#include "mutate.h"

const mu_framing fuzz_framing = {.head = 1, .files = 1, .separator = -1, .last_bare = true};

enum { NODES = 6 };

static bonsai_status make(bonsai_graph **out, const uint8_t *json, size_t size)
{
    static const int32_t source[] = {0, 1, 2, 3, 4}, target[] = {1, 2, 3, 4, 5};
    static const uint32_t origin[NODES] = {1, 3, 4, 8, 9, 20};
    static const uint8_t role[NODES] = {1, 2, 1, 2, 3, 3}, label[NODES] = {0, 1, 0, 1, 255, 0};
    static const float rows[2 * NODES] = {1, 0, 0, 1, 2, 0, 0, 2, 1, 1, 3, 0};
    bonsai_view v;
    bonsai_view_init(&v);
    v.nodes = NODES;
    v.features = v.classes = 2;
    v.section[BONSAI_SECTION_ORIGIN] = (bonsai_array){origin, NODES, BONSAI_TYPE_U32};
    v.section[BONSAI_SECTION_ROLE] = (bonsai_array){role, NODES, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_LABELS] = (bonsai_array){label, NODES, BONSAI_TYPE_U8};
    v.section[BONSAI_SECTION_FEATURES] = (bonsai_array){rows, 2 * NODES, BONSAI_TYPE_F32};
    v.section[BONSAI_SECTION_METADATA] = (bonsai_array){json, (int64_t)size, BONSAI_TYPE_U8};
    return bonsai_graph_build(out, &v, 5, source, target, NULL, NULL);
}

static void read_record(const bonsai_graph *g)
{
    bonsai_condense_info info;
    bonsai_condense_options o;
    bonsai_why why;
    char text[4096];
    int64_t tree[NODES], covers[NODES];
    double score[NODES];
    bonsai_condense_info_init(&info);
    bonsai_condense_options_init(&o);
    bonsai_why_init(&why);
    if (bonsai_condense_info_of(&info, g) == BONSAI_OK)
        bonsai_condense_worth(text, sizeof text, NULL, &info);
    if (bonsai_condense_options_of(&o, g) == BONSAI_OK)
        bonsai_options_json(text, sizeof text, BONSAI_OPTIONS_CONDENSE, &o);
    for (int64_t i = 0; i < NODES; i++)
        bonsai_condense_why(&why, g, i);
    bonsai_condense_whys(tree, covers, score, g);
}

/* Of the small graph alone, and beside a full one. */
static void draw(const bonsai_graph *g, const bonsai_graph *full)
{
    bonsai_report *page = NULL;
    bonsai_report_options o;
    size_t length = 0;
    bonsai_report_options_init(&o);
    o.threads = 1;
    if (bonsai_report_new(&page, g, full, &o) == BONSAI_OK &&
        strlen(bonsai_report_html(&length, page)) != length)
        abort();
    bonsai_report_free(page);
}

static void train(const bonsai_graph *g)
{
    bonsai_training *t = NULL;
    bonsai_train_options o;
    bonsai_train_options_init(&o);
    o.threads = o.epochs = o.seeds = 1;
    o.hidden = 2;
    bonsai_train(&t, g, g, &o);
    bonsai_training_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[MUTATE_ROOM + 1];
    int64_t before = bn_mem_live();
    bonsai_graph *g = NULL;
    if (size < 1 || size > MUTATE_ROOM)
        return 0;
    const char *path = fuzz_path("page.html");
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    if (data[0] & 1)
        bonsai_report_tables(path, text);
    else if (make(&g, data + 1, size - 1) == BONSAI_OK) {
        read_record(g);
        if (data[0] & 2)
            draw(g, data[0] & 4 ? g : NULL);
        if (data[0] & 8)
            train(g);
    }
    bonsai_graph_free(g);
    if (bn_mem_live() != before)
        abort();
    return 0;
}

/* test_cancel.c -- every call that reports progress, canceled at every report.
 *
 * Each ends with E_CANCELED, frees all it took and leaves its file as it was.
 *
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bonsai_study.h"
#include "testing.h"

typedef struct {
    bonsai_graph *g;            /* NULL: the call makes one */
    const char   *path;         /* what it writes, NULL: nothing */
    int64_t       left;         /* reports until one cancels */
} work;

static int count_down(const bonsai_progress *p, void *payload)
{
    work *w = payload;
    (void)p;
    return w->left-- == 0;
}

static bonsai_graph *generated(void)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = 60;
    o.features = 20;
    o.classes = 3;
    o.words = 4;
    o.threads = 1;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    return g;
}

static bonsai_status generate(work *w)
{
    bonsai_generate_options o;
    bonsai_generate_options_init(&o);
    o.nodes = 60;
    o.features = 20;
    o.threads = 1;
    o.progress = count_down;
    o.payload = w;
    return bonsai_graph_generate_file(w->path, &o);
}

static bonsai_status save(work *w)
{
    bonsai_write_options o;
    bonsai_write_options_init(&o);
    o.progress = count_down;
    o.payload = w;
    return bonsai_graph_save(NULL, w->g, w->path, &o);
}

static bonsai_status read_npz(work *w)
{
    bonsai_read_options o;
    bonsai_graph *g = NULL;
    bonsai_read_options_init(&o);
    o.threads = 1;
    o.progress = count_down;
    o.payload = w;
    bonsai_status rc = bonsai_graph_read(&g, temp_path("in.npz"), &o);
    bonsai_graph_free(g);
    return rc;
}

static bonsai_status condense_by(work *w, bonsai_method method)
{
    bonsai_condense_options o;
    bonsai_graph *small = NULL;
    bonsai_condense_options_init(&o);
    o.ratio = 0.3;
    o.method = method;
    o.threads = 1;
    o.progress = count_down;
    o.payload = w;
    bonsai_status rc = bonsai_condense(&small, NULL, w->g, &o);
    bonsai_graph_free(small);
    return rc;
}

static bonsai_status condense_trees(work *w)
{
    return condense_by(w, BONSAI_METHOD_TREES);
}

static bonsai_status condense_auto(work *w)
{
    return condense_by(w, BONSAI_METHOD_AUTO);
}

static bonsai_status train(work *w)
{
    bonsai_train_options o;
    bonsai_training *t = NULL;
    bonsai_train_options_init(&o);
    o.epochs = 3;
    o.seeds = 2;
    o.threads = 1;
    o.progress = count_down;
    o.payload = w;
    bonsai_status rc = bonsai_train(&t, w->g, w->g, &o);
    bonsai_training_free(t);
    return rc;
}

/* Nothing but the file, with its bytes. */
static void assert_only(const char *path, const char *bytes)
{
    size_t len = 0;
    char *was = (char *)read_file(path, &len);
    assert_string_equal(was, bytes);
    free(was);
    char folder[512];
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = 0;
    DIR *d = opendir(folder);
    int count = 0;
    while (readdir(d))
        count++;
    closedir(d);
    assert_int_equal(count, 4);                 /* . .. in.npz and the file */
}

static void cancels_everywhere(bonsai_status (*call)(work *), bonsai_graph *g, const char *name)
{
    char path[512] = "";
    const int64_t live = bn_mem_live();
    int64_t nth = 0;
    for (;; nth = next_fault(nth)) {
        work w = {.g = g, .path = path, .left = nth};
        if (name) {
            snprintf(path, sizeof path, "%s", temp_path(name));
            write_text(path, "old");
        }
        bonsai_status rc = call(&w);
        assert_int_equal(bn_mem_live(), live);
        if (w.left >= 0) {                      /* no report canceled it */
            assert_int_equal(rc, BONSAI_OK);
            break;
        }
        assert_fails(rc, BONSAI_E_CANCELED, "cancel");
        if (name)
            assert_only(path, "old");
    }
    assert_true(nth >= 2);                      /* the first report and the last */
    if (name)
        unlink(path);
}

static void every_report_can_cancel(void **state)
{
    (void)state;
    bonsai_graph *g = generated();
    assert_int_equal(bonsai_graph_save(NULL, g, temp_path("in.npz"), NULL), BONSAI_OK);
    cancels_everywhere(generate, NULL, "made.bonsai");
    cancels_everywhere(save, g, "out.bonsai");
    cancels_everywhere(save, g, "out.npz");
    cancels_everywhere(read_npz, g, NULL);
    cancels_everywhere(condense_trees, g, NULL);
    cancels_everywhere(condense_auto, g, NULL);
    cancels_everywhere(train, g, NULL);
    bonsai_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_report_can_cancel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

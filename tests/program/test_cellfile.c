/* test_cellfile.c -- the file that compare and paper keep their cells in, and resume from.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "captured.h"
#include "results/cells.h"

enum { CELLS = 6, RUNS = 5, CLASSES = 3 };

static const char *const names[] = {"cora strict", "cora paper"};

typedef struct {
    session     s;
    bonsai_cell cells[CELLS];
    double      accuracies[CELLS][RUNS], recall[CELLS][CLASSES];
    cellfile    f;
} table;

static bn_json *heading(const char *of, const char *version, int nodes, int epochs)
{
    char key[32];
    snprintf(key, sizeof key, "bonsai_%s", of);
    return bn_json_pack("{s:s,s:{s:i},s:{s:i,s:s}}", key, version, "graph", "nodes", nodes,
                        "options", "epochs", epochs, "seed", "7");
}

/* The full graph, and others of one small graph that differ in one thing each. */
static void ask(table *t, const char *path, const char *const *settings)
{
    memset(t, 0, sizeof *t);
    t->s = silent_session();
    for (int i = 0; i < CELLS; i++)
        t->cells[i] = (bonsai_cell){.size = sizeof t->cells[i], .method = BONSAI_METHOD_RANDOM,
                                    .ratio = 0.1};
    for (int i = 0; i < CELLS; i++) {
        t->cells[i].accuracies = t->accuracies[i];
        t->cells[i].recall = t->recall[i];
    }
    t->cells[0].method = -1;
    t->cells[0].ratio = 1;
    t->cells[2].model = BONSAI_MODEL_SAGE;
    t->cells[3].ratio = 0.2;
    t->cells[4].split = 1;
    t->cells[5].draw = 1;
    t->f = (cellfile){.s = &t->s, .command = settings ? "paper" : "compare",
                      .place = settings ? "folder" : "file", .path = path, .cells = t->cells,
                      .count = CELLS, .runs = RUNS, .classes = CLASSES, .settings = settings,
                      .heading = heading(settings ? "paper" : "compare", "1.0", 5, 9)};
}

static void resume(table *t, const char *path, const char *const *settings)
{
    ask(t, path, settings);
    if (cellfile_open(&t->f) != EXIT_DONE)
        fail_msg("%s", t->s.said);
}

static void measure(table *t, int i)
{
    bonsai_cell *c = &t->cells[i];
    c->done = 1;
    c->runs = i == 3 ? 0 : 5;
    c->accuracy_mean = 100.0 / 3 + i;
    c->accuracy_std = i == 3 ? 0 : 1e-17;
    c->accuracy_error = i == 2 || i == 3 ? NAN : 1.0 / 9;
    for (int k = 0; k < c->runs; k++)
        c->accuracies[k] = 100.0 / (7 + k);
    c->metric = BONSAI_METRIC_F1;
    for (int m = 0; m < BONSAI_METRIC_COUNT && c->runs > 0; m++) {
        c->metric_mean[m] = m == BONSAI_METRIC_AUC ? -1 : m ? 100.0 / 11 + m : c->accuracy_mean;
        c->metric_std[m] = m == BONSAI_METRIC_AUC ? 0 : m ? 1.0 / 13 : c->accuracy_std;
        c->metric_error[m] = m == BONSAI_METRIC_AUC || isnan(c->accuracy_error) ? NAN
                             : m ? 1.0 / 17 : c->accuracy_error;
    }
    for (int k = 0; k < CLASSES; k++)
        c->recall[k] = k == 1 ? -1 : 100.0 / (3 + k);
    c->bytes = 1e15 + i;
    c->share = 0.1 + i;
    c->nodes = 10 + i;
    c->seconds_condense = 1.0 / 7;
    c->checksum = 0xfedcba9876543210u + (uint64_t)i;
    c->correlation = i == 1 ? NAN : -0.25;
    c->threshold = 2.5;
    c->chance = 1e-300;
    if (i == 3) {
        c->accuracy_mean = 0;
        snprintf(c->why, sizeof c->why, "a \"budget\" of 3\nis too small");
    }
    assert_int_equal(cellfile_keep(c, &t->f), 0);
}

static void assert_same(const bonsai_cell *a, const bonsai_cell *b, int detailed)
{
    assert_true(a->done == b->done && a->runs == b->runs && a->nodes == b->nodes);
    assert_true(a->accuracy_mean == b->accuracy_mean && a->accuracy_std == b->accuracy_std);
    assert_true(a->bytes == b->bytes && a->share == b->share);
    assert_true(a->seconds_condense == b->seconds_condense);
    assert_true(a->split == b->split && a->draw == b->draw);
    assert_true(a->accuracy_error == b->accuracy_error ||
                (isnan(a->accuracy_error) && isnan(b->accuracy_error)));
    for (int i = 0; i < a->runs; i++)
        assert_true(a->accuracies[i] == b->accuracies[i]);
    for (int k = 0; k < CLASSES && a->runs > 0; k++)
        assert_true(a->recall[k] == b->recall[k]);
    for (int m = 0; m < BONSAI_METRIC_COUNT && a->runs > 0; m++) {
        assert_true(a->metric == b->metric && a->metric_mean[m] == b->metric_mean[m]);
        assert_true(a->metric_std[m] == b->metric_std[m]);
        assert_true(a->metric_error[m] == b->metric_error[m] ||
                    (isnan(a->metric_error[m]) && isnan(b->metric_error[m])));
    }
    assert_string_equal(a->why, b->why);
    if (detailed) {
        assert_true(a->checksum == b->checksum && a->threshold == b->threshold);
        assert_true(a->chance == b->chance);
        assert_true(a->correlation == b->correlation ||
                    (isnan(a->correlation) && isnan(b->correlation)));
    }
}

/* ---- what is kept ---- */

static void cells_come_back_to_the_last_bit(void **state)
{
    (void)state;
    for (int detailed = 0; detailed < 2; detailed++) {
        table t, again;
        const char *const *settings = detailed ? names : NULL;
        const char *path = temp_path(detailed ? "paper.jsonl" : "compare.jsonl");
        resume(&t, path, settings);
        for (int i = 0; i < CELLS; i++)
            measure(&t, i);
        cellfile_close(&t.f);
        resume(&again, path, settings);
        assert_string_equal(again.s.said + strlen(again.s.said) - 7, "already");
        for (int i = 0; i < CELLS; i++)
            assert_same(&again.cells[i], &t.cells[i], detailed);
        cellfile_close(&again.f);
    }
}

/* Whole lines count, and what follows them is replaced. */
static void any_beginning_of_a_file_can_be_resumed(void **state)
{
    table t;
    size_t len;
    const char *path = temp_path("whole.jsonl"), *torn = temp_path("torn.jsonl");
    (void)state;
    resume(&t, path, NULL);
    for (int i = 0; i < CELLS; i++)
        measure(&t, i);
    cellfile_close(&t.f);
    uint8_t *bytes = read_file(path, &len);
    for (size_t part = 0; part <= len; part++) {
        size_t now;
        int lines = 0;
        write_file(torn, bytes, part);
        for (size_t i = 0; i < part; i++)
            lines += bytes[i] == '\n';
        resume(&t, torn, NULL);
        int known = lines > 0 ? lines - 1 : 0;
        for (int i = 0; i < CELLS; i++)
            assert_int_equal(t.cells[i].done, i < known);
        for (int i = known; i < CELLS; i++)
            measure(&t, i);
        cellfile_close(&t.f);
        uint8_t *again = read_file(torn, &now);
        assert_true(now == len && memcmp(again, bytes, len) == 0);
        free(again);
    }
    free(bytes);
}

static void cells_that_are_not_asked_for_stay(void **state)
{
    table t;
    size_t len;
    const char *path = temp_path("wide.jsonl");
    (void)state;
    resume(&t, path, NULL);
    for (int i = 0; i < CELLS; i++)
        measure(&t, i);
    cellfile_close(&t.f);
    ask(&t, path, NULL);
    t.cells[1].ratio = 0.3;                             /* new */
    assert_int_equal(cellfile_open(&t.f), EXIT_DONE);
    assert_true(t.cells[0].done && !t.cells[1].done && t.cells[2].done && t.cells[3].done);
    assert_string_equal(t.s.said + strlen(t.s.said) - 7, "already");
    measure(&t, 1);
    cellfile_close(&t.f);
    resume(&t, path, NULL);
    for (int i = 0; i < CELLS; i++)
        assert_true(t.cells[i].done);
    cellfile_close(&t.f);
    uint8_t *bytes = read_file(path, &len);
    int lines = 0;
    for (size_t i = 0; i < len; i++)
        lines += bytes[i] == '\n';
    assert_int_equal(lines, 1 + CELLS + 1);
    free(bytes);
}

static void settings_studies_and_pairs_tell_cells_apart(void **state)
{
    const char *path = temp_path("apart.jsonl");
    (void)state;
    for (int known = 0; known < 5; known++) {
        table t;
        unlink(path);
        for (int round = 0; round < 2; round++) {
            ask(&t, path, names);
            t.f.count = 1;
            t.cells[0].method = BONSAI_METHOD_RANDOM;
            t.cells[0].ratio = 0.1;
            t.cells[0].setting = known == 1 && round;
            t.cells[0].study = known == 2 && round ? BONSAI_STUDY_WEIGHTS : BONSAI_STUDY_TRAINING;
            t.cells[0].pairs = known == 3 && round ? 5 : 0;
            t.cells[0].nearest = known == 4 && round ? 0.5 : 0;
            assert_int_equal(cellfile_open(&t.f), EXIT_DONE);
            if (round == 0)
                measure(&t, 0);
            cellfile_close(&t.f);
        }
        assert_int_equal(t.cells[0].done, known == 0);
    }
}

/* ---- what is refused ---- */

static void assert_refused(table *t, const char *sentence)
{
    assert_int_equal(cellfile_open(&t->f), EXIT_FAILED);
    assert_non_null(strstr(t->s.said, sentence));
    cellfile_close(&t->f);
}

static void files_of_others_are_left_alone(void **state)
{
    static const char *const foreign[] = {"hello\n", "no line ends here", "{\"bonsai_paper\":\"1.0\"}\n",
                                          "{\"bonsai_comparison\":1}\n"};
    const char *path = temp_path("foreign");
    (void)state;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        table t;
        size_t len;
        write_text(path, foreign[i]);
        ask(&t, path, NULL);
        assert_refused(&t, "foreign: is not a table of bonsai compare; name another file");
        uint8_t *bytes = read_file(path, &len);
        assert_true(len == strlen(foreign[i]) && memcmp(bytes, foreign[i], len) == 0);
        free(bytes);
    }
}

static void a_table_of_other_options_is_refused(void **state)
{
    table t;
    const char *path = temp_path("other.jsonl");
    (void)state;
    resume(&t, path, NULL);
    measure(&t, 0);
    cellfile_close(&t.f);
    static const struct { const char *version; int nodes, epochs; const char *why; } other[] = {
        {"1.0", 6, 9, "holds the table of another graph (nodes: 5, not 6); name another file"},
        {"1.0", 5, 8, "was begun with --epochs 9, not 8; give the same options, or name another"},
        {"1.1", 5, 9, "was begun by another version of bonsai; name another file"},
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        ask(&t, path, NULL);
        bn_json_free(t.f.heading);
        t.f.heading = heading("compare", other[i].version, other[i].nodes, other[i].epochs);
        assert_refused(&t, other[i].why);
    }
    resume(&t, path, NULL);                             /* and is still there */
    assert_true(t.cells[0].done);
    cellfile_close(&t.f);
}

static void lines_that_are_no_cells_are_refused(void **state)
{
    static const char *const lines[][2] = {
        {"[1,2]\n", "lines.jsonl:2: is not what bonsai paper wrote"},
        {"{\"method\":\n", "lines.jsonl:2: is not what bonsai paper wrote"},
        {"{\"method\":\"full\",\"model\":\"gcn\",\"ratio\":1,\"runs\":1}\n",
         "lines.jsonl:2: is not a cell of a table"},
        {"{\"method\":\"full\",\"model\":\"gcn\",\"ratio\":1,\"study\":\"training\",\"setting\":\"x\"}\n",
         "lines.jsonl:2: is not a cell of a table"},
        {"{\"method\":\"full\",\"model\":\"gcn\",\"ratio\":1,\"study\":\"training\",\"setting\":\"x\","
         "\"runs\":1,\"bytes\":1e39}\n", "lines.jsonl:2: is not a cell of a table"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        table t;
        const char *path = temp_path("lines.jsonl");
        unlink(path);
        resume(&t, path, names);
        t.f.fresh = 0;                                  /* keeps the heading */
        cellfile_close(&t.f);
        FILE *file = fopen(path, "a");
        fputs(lines[i][0], file);
        fclose(file);
        ask(&t, path, names);
        assert_refused(&t, lines[i][1]);
    }
    table t;
    ask(&t, "/nowhere/cells.jsonl", names);
    assert_refused(&t, "/nowhere/cells.jsonl: cannot be written: No such file or directory");
    ask(&t, temp_path("never.jsonl"), names);
    bn_json_free(t.f.heading);
    t.f.heading = NULL;
    assert_refused(&t, "there is not enough memory to begin ");
}

/* ---- how it ends ---- */

static void a_heading_alone_goes_unless_the_run_was_canceled(void **state)
{
    size_t len;
    (void)state;
    for (int canceled = 0; canceled < 2; canceled++) {
        table t;
        const char *path = temp_path(canceled ? "canceled.jsonl" : "failed.jsonl");
        resume(&t, path, NULL);
        bonsai_graph *g = NULL;
        assert_int_equal(bonsai_graph_read(&g, "/nowhere", NULL), BONSAI_E_IO);
        assert_int_equal(cellfile_stopped(&t.f, canceled ? BONSAI_E_CANCELED : BONSAI_E_IO),
                         EXIT_FAILED);
        assert_non_null(strstr(t.s.said, canceled ? "canceled; 0 of 6 cells are in " : "/nowhere"));
        cellfile_close(&t.f);
        free(read_file(path, &len));
        assert_int_equal(len > 0, canceled);
    }
    table t;
    ask(&t, NULL, NULL);                                /* without a file */
    assert_int_equal(cellfile_stopped(&t.f, BONSAI_E_CANCELED), EXIT_FAILED);
    assert_string_equal(t.s.said, "canceled");
    cellfile_close(&t.f);
}

static void a_full_disk_ends_the_run_with_one_sentence(void **state)
{
    table t;
    size_t len;
    struct rlimit usual, full;
    const char *path = temp_path("full.jsonl");
    (void)state;
    resume(&t, path, NULL);
    free(read_file(path, &len));
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    full = usual;
    full.rlim_cur = len + 10;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    t.cells[0].done = 1;
    int stop = cellfile_keep(&t.cells[0], &t.f);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
    assert_int_equal(stop, 1);
    assert_non_null(strstr(t.s.said, "full.jsonl: cannot be written: File too large"));
    t.s.said[0] = 0;
    assert_int_equal(cellfile_stopped(&t.f, BONSAI_E_CANCELED), EXIT_FAILED);
    assert_string_equal(t.s.said, "");
    cellfile_close(&t.f);
    resume(&t, path, NULL);                             /* the torn line is dropped */
    assert_int_equal(t.cells[0].done, 0);
    cellfile_close(&t.f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_come_back_to_the_last_bit),
        cmocka_unit_test(any_beginning_of_a_file_can_be_resumed),
        cmocka_unit_test(cells_that_are_not_asked_for_stay),
        cmocka_unit_test(settings_studies_and_pairs_tell_cells_apart),
        cmocka_unit_test(files_of_others_are_left_alone),
        cmocka_unit_test(a_table_of_other_options_is_refused),
        cmocka_unit_test(lines_that_are_no_cells_are_refused),
        cmocka_unit_test(a_heading_alone_goes_unless_the_run_was_canceled),
        cmocka_unit_test(a_full_disk_ends_the_run_with_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

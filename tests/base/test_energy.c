/* test_energy.c -- energy by the counters of a folder that looks like powercap.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/energy.h"

#define assert_joules(got, wanted, off) assert_true(fabs((got) - (wanted)) <= (off))

static char root[256];

static void put(const char *zone, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, zone);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", root, zone, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%s\n", text);
    fclose(f);
}

static void take_away(const char *zone, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s", root, zone, name);
    assert_int_equal(unlink(path), 0);
}

static void put_zone(const char *zone, const char *name, const char *energy)
{
    put(zone, "name", name);
    put(zone, "energy_uj", energy);
    put(zone, "max_energy_range_uj", "262143328850");
}

/* Two packages with their parts, the platform, and the first package by another way. */
static void put_machine(void)
{
    put_zone("intel-rapl:0", "package-0", "1000000");
    put_zone("intel-rapl:0:0", "core", "900000");
    put_zone("intel-rapl:0:1", "dram", "800000");
    put_zone("intel-rapl:1", "psys", "5000000");
    put_zone("intel-rapl:2", "package-1", "2000000");
    put_zone("intel-rapl:2:0", "core", "0");
    put_zone("intel-rapl-mmio:0", "package-0", "1000000");
}

static int setup(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s", temp_path("powercap"));
    assert_int_equal(mkdir(root, 0777), 0);
    put_machine();
    return 0;
}

static int teardown(void **state)
{
    char command[300];
    (void)state;
    bn_energy_open("/nowhere");
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

/* Opens the folder and reads it once, at second 10. */
static bn_energy begin(bn_rapl *r)
{
    bn_rapl_open(r, root);
    assert_true(isnan(bn_rapl_energy(r).joules));
    bn_rapl_read(r, 10);
    return bn_rapl_energy(r);
}

static double joules_at(bn_rapl *r, bn_energy since, double now)
{
    bn_rapl_read(r, now);
    return bn_joules(since, bn_rapl_energy(r));
}

static void packages_are_added_and_nothing_twice(void **state)
{
    (void)state;
    bn_rapl r;
    const bn_energy since = begin(&r);
    assert_int_equal(r.count, 2);
    put("intel-rapl:0", "energy_uj", "4000000");
    put("intel-rapl:0:0", "energy_uj", "3000000");
    put("intel-rapl:1", "energy_uj", "90000000");
    put("intel-rapl:2", "energy_uj", "2500000");
    put("intel-rapl-mmio:0", "energy_uj", "4000000");
    assert_joules(joules_at(&r, since, 12), 3.5, 1e-9);
    assert_joules(joules_at(&r, since, 13), 3.5, 1e-9);
}

static void a_counter_that_starts_again_goes_on(void **state)
{
    (void)state;
    bn_rapl r;
    put("intel-rapl:0", "energy_uj", "262143000000");
    const bn_energy since = begin(&r);
    put("intel-rapl:0", "energy_uj", "671150");
    assert_joules(joules_at(&r, since, 12), 1, 1e-9);
    put("intel-rapl:0", "energy_uj", "2671150");
    assert_joules(joules_at(&r, since, 20), 3, 1e-9);
    put("intel-rapl:0", "energy_uj", "0");
    assert_joules(joules_at(&r, since, 200), 3 + 262143.32885 - 2.67115, 1e-6);
}

static void after_too_long_nobody_knows_how_often_it_started_again(void **state)
{
    (void)state;
    bn_rapl r;
    bn_energy since = begin(&r);
    put("intel-rapl:0", "energy_uj", "4000000");
    assert_true(isnan(joules_at(&r, since, 10 + 263)));
    since = bn_rapl_energy(&r);
    put("intel-rapl:0", "energy_uj", "5000000");
    assert_joules(joules_at(&r, since, 10 + 263 + 262), 1, 1e-9);
}

/* With the counter text of the second package. */
static double joules_with(const char *text)
{
    bn_rapl r;
    put("intel-rapl:2", "energy_uj", text);
    const bn_energy since = begin(&r);
    return joules_at(&r, since, 11);
}

static void what_is_no_count_is_not_measured(void **state)
{
    (void)state;
    static const char *const garbage[] = {"", "-1", "12 J", "0x10", "1e6", "unknown",
                                          "99999999999999999999999999", "262143328851"};
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++)
        assert_true(isnan(joules_with(garbage[i])));
    assert_joules(joules_with("262143328850"), 0, 0);
    assert_joules(joules_with("000"), 0, 0);
}

static void a_package_without_counter_or_range_makes_all_unknown(void **state)
{
    (void)state;
    bn_rapl r;
    take_away("intel-rapl:2", "energy_uj");
    bn_energy since = begin(&r);
    assert_true(isnan(joules_at(&r, since, 11)));
    put("intel-rapl:2", "energy_uj", "1");
    put("intel-rapl:2", "max_energy_range_uj", "0");
    since = begin(&r);
    assert_int_equal(r.count, 0);
    assert_true(isnan(joules_at(&r, since, 11)));
    take_away("intel-rapl:2", "max_energy_range_uj");
    begin(&r);
    assert_int_equal(r.count, 0);
}

/* A folder in place of the file fails for root, too. */
static void a_counter_that_cannot_be_read_is_not_measured(void **state)
{
    (void)state;
    char path[512];
    bn_rapl r;
    bn_energy since = begin(&r);
    take_away("intel-rapl:0", "energy_uj");
    snprintf(path, sizeof path, "%s/intel-rapl:0/energy_uj", root);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_true(isnan(joules_at(&r, since, 11)));
    assert_int_equal(rmdir(path), 0);
    put("intel-rapl:0", "energy_uj", "7000000");
    assert_true(isnan(joules_at(&r, since, 12)));               /* what was missed stays unknown */
    since = bn_rapl_energy(&r);
    put("intel-rapl:0", "energy_uj", "8000000");
    assert_joules(joules_at(&r, since, 13), 1, 1e-9);
    if (geteuid() != 0) {
        snprintf(path, sizeof path, "%s/intel-rapl:0/energy_uj", root);
        assert_int_equal(chmod(path, 0), 0);
        assert_true(isnan(joules_at(&r, since, 14)));
    }
}

static void without_packages_there_is_nothing_to_measure(void **state)
{
    (void)state;
    bn_rapl r;
    put("intel-rapl:0", "name", "dram");
    put("intel-rapl:2", "name", "psys");
    bn_energy since = begin(&r);
    assert_int_equal(r.count, 0);
    assert_true(isnan(joules_at(&r, since, 11)));
    bn_rapl_open(&r, "/nowhere/at/all");
    bn_rapl_read(&r, 1);
    assert_true(isnan(bn_rapl_energy(&r).joules));
    assert_joules(bn_joules_told(bn_rapl_energy(&r).joules), -1, 0);
    assert_joules(bn_joules_told(2.5), 2.5, 0);
}

/* ---- of the calls ---- */

/* Every report of progress uses a joule of the first package. */
static int burn(const bonsai_progress *p, void *payload)
{
    char text[32];
    int *count = payload;
    (void)p;
    snprintf(text, sizeof text, "%d", 1000000 * (2 + (*count)++));
    put("intel-rapl:0", "energy_uj", text);
    return 0;
}

static bonsai_graph *some_graph(void)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = 400;
    o.features = 30;
    o.words = 5;
    o.classes = 3;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    return g;
}

static void condensing_tells_its_energy(void **state)
{
    (void)state;
    int burnt = 0;
    const double ratios[] = {0.05, 0.1};
    bonsai_condense_options o;
    bonsai_condense_info info[2], stored;
    bonsai_graph *g = some_graph(), *small[2];
    bonsai_condense_options_init(&o);
    bonsai_condense_info_init(&stored);
    o.progress = burn;
    o.payload = &burnt;
    for (int m = 0; m < BONSAI_METHOD_GCOND; m++) {
        o.method = (bonsai_method)m;
        o.ratio = 0.1;
        for (int i = 0; i < 2; i++)
            bonsai_condense_info_init(&info[i]);
        burnt = 0;
        bn_energy_open(root);
        put("intel-rapl:0", "energy_uj", "1000000");
        assert_int_equal(bonsai_condense(&small[0], &info[0], g, &o), BONSAI_OK);
        assert_joules(info[0].joules, burnt, 1e-6);
        assert_int_equal(bonsai_condense_info_of(&stored, small[0]), BONSAI_OK);
        assert_joules(stored.joules, -1, 0);
        bonsai_graph_free(small[0]);
        /* What both ratios share counts for both: together they have more than was used, alone
         * less. */
        o.ratio = 0;
        burnt = 0;
        bn_energy_open(root);
        put("intel-rapl:0", "energy_uj", "1000000");
        assert_int_equal(bonsai_condense_many(small, info, ratios, 2, g, &o), BONSAI_OK);
        assert_true(info[0].joules + info[1].joules >= burnt - 1e-6);
        assert_true(info[0].joules <= burnt && info[1].joules <= burnt);
        bonsai_graph_free(small[0]);
        bonsai_graph_free(small[1]);
    }
    bn_energy_open("/nowhere");
    o.ratio = 0.1;
    o.method = BONSAI_METHOD_RANDOM;
    assert_int_equal(bonsai_condense(&small[0], &info[0], g, &o), BONSAI_OK);
    assert_joules(info[0].joules, -1, 0);
    bonsai_graph_free(small[0]);
    bonsai_graph_free(g);
}

static void training_tells_its_energy(void **state)
{
    (void)state;
    int burnt = 0;
    bonsai_train_options o;
    bonsai_training *t = NULL;
    bonsai_graph *g = some_graph();
    bonsai_train_options_init(&o);
    o.epochs = 3;
    o.seeds = 2;
    o.progress = burn;
    o.payload = &burnt;
    bn_energy_open(root);
    put("intel-rapl:0", "energy_uj", "1000000");
    assert_int_equal(bonsai_train(&t, g, NULL, &o), BONSAI_OK);
    assert_true(burnt > 0);
    assert_joules(bonsai_training_info(t)->joules, burnt, 1e-6);
    bonsai_training_free(t);
    bn_energy_open("/nowhere");
    assert_int_equal(bonsai_train(&t, g, NULL, &o), BONSAI_OK);
    assert_joules(bonsai_training_info(t)->joules, -1, 0);
    bonsai_training_free(t);
    bonsai_graph_free(g);
}

/* Side by side every cell would count what all of them use. */
static void cells_tell_their_energy_unless_side_by_side(void **state)
{
    (void)state;
    const bonsai_method method = BONSAI_METHOD_RANDOM;
    const double ratio = 0.1;
    const bonsai_model_kind model = BONSAI_MODEL_GCN;
    int burnt = 0;
    bonsai_train_options train;
    bonsai_compare_options o;
    bonsai_cell cells[2];
    bonsai_graph *g = some_graph();
    bonsai_train_options_init(&train);
    bonsai_compare_options_init(&o);
    train.epochs = train.seeds = train.threads = 2;
    o.train = &train;
    o.methods = &method;
    o.ratios = &ratio;
    o.models = &model;
    o.method_count = o.ratio_count = o.model_count = 1;
    o.progress = burn;
    o.payload = &burnt;
    bn_energy_open(root);
    for (o.side_by_side = 0; o.side_by_side < 2; o.side_by_side++) {
        const bool known = !o.side_by_side;
        assert_int_equal(bonsai_compare_cells(cells, &o), BONSAI_OK);
        assert_joules(cells[1].joules, -1, 0);
        assert_int_equal(bonsai_compare(cells, g, &o), BONSAI_OK);
        assert_joules(cells[0].joules, -1, 0);          /* nothing was condensed */
        assert_true(known ? cells[0].joules_train > 0 : cells[0].joules_train == -1);
        assert_true(known ? cells[1].joules >= 0 : cells[1].joules == -1);
        assert_true(known ? cells[1].joules_train > 0 : cells[1].joules_train == -1);
    }
    bonsai_graph_free(g);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(packages_are_added_and_nothing_twice),
        IN_FOLDER(a_counter_that_starts_again_goes_on),
        IN_FOLDER(after_too_long_nobody_knows_how_often_it_started_again),
        IN_FOLDER(what_is_no_count_is_not_measured),
        IN_FOLDER(a_package_without_counter_or_range_makes_all_unknown),
        IN_FOLDER(a_counter_that_cannot_be_read_is_not_measured),
        IN_FOLDER(without_packages_there_is_nothing_to_measure),
        IN_FOLDER(condensing_tells_its_energy),
        IN_FOLDER(training_tells_its_energy),
        IN_FOLDER(cells_tell_their_energy_unless_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

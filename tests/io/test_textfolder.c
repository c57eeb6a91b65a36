/* test_textfolder.c -- a process that dies while it writes a folder of text leaves the old graph or
 * the new one.
 *
 * The calls that change folders are replaced here by ones that count, and that end the process
 * without any cleanup before the n-th of them, as kill -9 would.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testing.h"

static int left = -1;           /* calls until the process ends; below 0: never */
static bool no_exchange;

static void count(void)
{
    if (left == 0)
        _exit(99);
    left -= left > 0;
}

int rename(const char *a, const char *b)
{
    count();
    return (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 0);
}

int renameat2(int x, const char *a, int y, const char *b, unsigned flags)
{
    count();
    if (!no_exchange)
        return (int)syscall(SYS_renameat2, x, a, y, b, flags);
    errno = EINVAL;
    return -1;
}

int linkat(int x, const char *a, int y, const char *b, int flags)
{
    count();
    return (int)syscall(SYS_linkat, x, a, y, b, flags);
}

int unlinkat(int x, const char *a, int flags)
{
    count();
    return (int)syscall(SYS_unlinkat, x, a, flags);
}

int mkdir(const char *a, mode_t mode)
{
    count();
    return (int)syscall(SYS_mkdirat, AT_FDCWD, a, mode);
}

int rmdir(const char *a)
{
    count();
    return (int)syscall(SYS_unlinkat, AT_FDCWD, a, AT_REMOVEDIR);
}

int fsync(int fd)
{
    count();
    return (int)syscall(SYS_fsync, fd);
}

/* ---- */

/* A graph with as many nodes and features for every seed, so that files of two of them fit. */
static bonsai_graph *generated(uint64_t seed)
{
    bonsai_generate_options o;
    bonsai_graph *g = NULL;
    bonsai_generate_options_init(&o);
    o.nodes = 60;
    o.features = 20;
    o.seed = seed;
    assert_int_equal(bonsai_graph_generate(&g, &o), BONSAI_OK);
    return g;
}

/* Of the files of a folder that can be read; 0: it cannot. */
static uint64_t checksum_of(const char *path)
{
    static const char *const names[] = {"edges.csv", "features.csv", "labels.csv"};
    bonsai_graph *g = NULL;
    uint64_t sum = 0;
    if (bonsai_graph_load(&g, path) == BONSAI_OK)
        for (int i = 0; i < 3; i++) {
            char file[700];
            size_t len;
            snprintf(file, sizeof file, "%s%s", path, names[i]);
            uint8_t *data = read_file(file, &len);
            sum = sum << 16 ^ bn_crc32(0, data, (int64_t)len);
            free(data);
        }
    bonsai_graph_free(g);
    return sum;
}

static int entries_in(const char *path)
{
    int entries = -2;
    DIR *d = opendir(path);
    while (d && readdir(d))
        entries++;
    if (d)
        closedir(d);
    return entries;
}

/* The exit code of a process that saves g and dies before its n-th call; 0: it has finished. */
static int save_and_die(const bonsai_graph *g, const char *path, int nth)
{
    int state = 0;
    pid_t child = fork();
    if (child == 0) {
        left = nth;
        _exit(bonsai_graph_save(NULL, g, path, NULL) == BONSAI_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &state, 0), child);
    assert_true(WIFEXITED(state));
    return WEXITSTATUS(state);
}

static void dies_anywhere(const char *name, bool old)
{
    char home[512], path[600];
    snprintf(home, sizeof home, "%s", temp_path(name));
    snprintf(path, sizeof path, "%s/graph/", home);
    assert_int_equal(mkdir(home, 0777), 0);
    bonsai_graph *a = generated(1), *b = generated(2);
    assert_int_equal(bonsai_graph_save(NULL, a, path, NULL), BONSAI_OK);
    const uint64_t sum_a = checksum_of(path);
    assert_int_equal(bonsai_graph_save(NULL, b, path, NULL), BONSAI_OK);
    const uint64_t sum_b = checksum_of(path);
    assert_true(sum_a != sum_b && sum_a != 0 && sum_b != 0);
    int code = 99, deaths = 0;
    for (int nth = 0; code == 99; nth++, deaths++) {
        assert_int_equal(bonsai_graph_save(NULL, a, path, NULL), BONSAI_OK);
        assert_int_equal(entries_in(home), 1);          /* what the last one left behind is gone */
        if (!old) {
            char files[640];
            snprintf(files, sizeof files, "rm -r '%s'", path);
            assert_int_equal(system(files), 0);
        }
        code = save_and_die(b, path, nth);
        uint64_t sum = checksum_of(path);
        assert_true(sum == sum_b || sum == (old ? sum_a : 0));
    }
    assert_int_equal(code, 0);
    assert_true(deaths > 6);
    bonsai_graph_free(a);
    bonsai_graph_free(b);
}

static void a_death_leaves_the_old_folder_or_the_new_one(void **state)
{
    (void)state;
    dies_anywhere("replace", true);
}

static void a_death_leaves_no_new_folder_or_all_of_it(void **state)
{
    (void)state;
    dies_anywhere("fresh", false);
}

static void so_it_does_where_folders_cannot_change_places(void **state)
{
    (void)state;
    no_exchange = true;
    dies_anywhere("moved", true);
    no_exchange = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_death_leaves_the_old_folder_or_the_new_one),
        cmocka_unit_test(a_death_leaves_no_new_folder_or_all_of_it),
        cmocka_unit_test(so_it_does_where_folders_cannot_change_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_output.c -- what an output does to the files around it.
 *
 * The functions named like those of the C library replace them, so that a test can make a file
 * system without nameless files, or see that nobody calls umask.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testing.h"

static bool no_nameless;
static int masks;               /* calls of umask */

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (no_nameless && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

mode_t umask(mode_t mask)
{
    masks++;
    return (mode_t)syscall(SYS_umask, mask);
}

static void put(const char *path, const char *text)
{
    bn_out *o = NULL;
    assert_int_equal(bn_out_open(&o, path), BONSAI_OK);
    assert_int_equal(bn_out_write(o, text, (int64_t)strlen(text)), BONSAI_OK);
    assert_int_equal(bn_out_commit(o), BONSAI_OK);
    bn_out_close(o);
}

static void assert_holds(const char *path, const char *text)
{
    size_t len;
    uint8_t *data = read_file(path, &len);
    assert_int_equal(len, strlen(text));
    assert_memory_equal(data, text, len);
    free(data);
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

static bool is_there(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* ---- rights ---- */

static void a_replaced_file_keeps_its_mode(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", temp_path("secret"));
    for (int way = 0; way < 2; way++) {
        no_nameless = way == 1;
        write_text(path, "old");
        for (mode_t mode = 0600; mode <= 0660; mode += 030) {
            assert_int_equal(chmod(path, mode), 0);
            put(path, "new");
            assert_holds(path, "new");
            assert_int_equal(mode_of(path), mode);
        }
    }
    no_nameless = false;
}

static void a_new_file_has_the_mode_of_the_process(void **state)
{
    (void)state;
    mode_t before = umask(027);
    masks = 0;
    for (int way = 0; way < 2; way++) {
        char path[512];
        no_nameless = way == 1;
        snprintf(path, sizeof path, "%s", temp_path(way ? "named" : "nameless"));
        put(path, "x");
        assert_int_equal(mode_of(path), 0640);
    }
    assert_int_equal(masks, 0);
    no_nameless = false;
    umask(before);
}

/* ---- links ---- */

static void a_link_leads_to_the_file_that_is_written(void **state)
{
    (void)state;
    char home[400], folder[420], file[440], link[440], far[440];
    snprintf(home, sizeof home, "%s", temp_path("links"));
    snprintf(folder, sizeof folder, "%s/data", home);
    snprintf(file, sizeof file, "%s/file", folder);
    snprintf(link, sizeof link, "%s/near", home);
    snprintf(far, sizeof far, "%s/far", home);
    assert_int_equal(mkdir(home, 0777), 0);
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(symlink("data/file", link), 0);
    assert_int_equal(symlink(link, far), 0);
    put(far, "first");                          /* the file need not exist */
    assert_holds(file, "first");
    assert_int_equal(chmod(file, 0600), 0);
    put(link, "second");
    assert_holds(file, "second");
    assert_int_equal(mode_of(file), 0600);
    struct stat st;
    assert_true(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
    assert_true(lstat(far, &st) == 0 && S_ISLNK(st.st_mode));
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("far", link), 0);  /* now they lead to each other */
    bn_out *o = NULL;
    assert_fails(bn_out_open(&o, link), BONSAI_E_IO, "cannot be written");
    assert_null(o);
}

/* ---- what was left behind ---- */

static void what_a_dead_process_left_is_removed(void **state)
{
    (void)state;
    char path[400], dead[440], alive[440], others[3][440];
    snprintf(path, sizeof path, "%s", temp_path("out"));
    snprintf(dead, sizeof dead, "%s.tmp.bonsai-0123456789ab", path);
    snprintf(alive, sizeof alive, "%s.tmp.bonsai-ba9876543210", path);
    snprintf(others[0], sizeof others[0], "%s.tmp.bonsai-0123456789abc", path);
    snprintf(others[1], sizeof others[1], "%s.tmp.bonsai-important", path);
    snprintf(others[2], sizeof others[2], "%s.tmp.backup", path);
    write_text(dead, "x");
    write_text(alive, "x");
    for (int i = 0; i < 3; i++)
        write_text(others[i], "x");
    int fd = open(alive, O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    put(path, "new");
    assert_false(is_there(dead));
    assert_true(is_there(alive));
    for (int i = 0; i < 3; i++)
        assert_true(is_there(others[i]));
    close(fd);
    put(path, "newer");
    assert_false(is_there(alive));
    assert_holds(path, "newer");
}

static void two_outputs_of_one_name_leave_each_other_alone(void **state)
{
    (void)state;
    char path[400];
    snprintf(path, sizeof path, "%s", temp_path("twice"));
    for (int way = 0; way < 2; way++) {
        bn_out *a = NULL, *b = NULL;
        no_nameless = way == 1;
        assert_int_equal(bn_out_open(&a, path), BONSAI_OK);
        assert_int_equal(bn_out_open(&b, path), BONSAI_OK);
        assert_int_equal(bn_out_write(a, "a", 1), BONSAI_OK);
        assert_int_equal(bn_out_write(b, "b", 1), BONSAI_OK);
        assert_int_equal(bn_out_commit(b), BONSAI_OK);
        assert_holds(path, "b");
        assert_int_equal(bn_out_commit(a), BONSAI_OK);
        assert_holds(path, "a");
        bn_out_close(a);
        bn_out_close(b);
    }
    no_nameless = false;
}

static void a_long_name_can_be_written(void **state)
{
    (void)state;
    char name[256], path[700];
    memset(name, 'n', 255);
    name[255] = 0;
    snprintf(path, sizeof path, "%s", temp_path(""));
    strcat(path, name);
    put(path, "x");
    assert_holds(path, "x");
}

/* ---- descriptors ---- */

/* A daemon has closed its standard streams, and something prints all the same. */
static void an_output_is_never_a_standard_stream(void **state)
{
    (void)state;
    char path[2][400];
    int code = 0;
    snprintf(path[0], sizeof path[0], "%s", temp_path("daemon0"));
    snprintf(path[1], sizeof path[1], "%s", temp_path("daemon1"));
    pid_t child = fork();
    if (child == 0) {
        for (int fd = 0; fd <= 2; fd++)
            close(fd);
        for (int way = 0; way < 2; way++) {
            bn_out *o = NULL;
            no_nameless = way == 1;
            if (bn_out_open(&o, path[way]) != BONSAI_OK || bn_out_write(o, "right", 5) != BONSAI_OK)
                _exit(1);
            for (int fd = 0; fd <= 2; fd++)
                (void)!write(fd, "wrong", 5);
            if (bn_out_commit(o) != BONSAI_OK)
                _exit(2);
            bn_out_close(o);
        }
        _exit(0);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    assert_holds(path[0], "right");
    assert_holds(path[1], "right");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replaced_file_keeps_its_mode),
        cmocka_unit_test(a_new_file_has_the_mode_of_the_process),
        cmocka_unit_test(a_link_leads_to_the_file_that_is_written),
        cmocka_unit_test(what_a_dead_process_left_is_removed),
        cmocka_unit_test(two_outputs_of_one_name_leave_each_other_alone),
        cmocka_unit_test(a_long_name_can_be_written),
        cmocka_unit_test(an_output_is_never_a_standard_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

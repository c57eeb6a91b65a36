/* runner.c -- runs the tests of a folder: `tests_graph [NAME]`, without a name all, one by one.
 *
 * The build compiles main of test_csr.c as main_of_test_csr, and lists the tests in names.h.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEST(name) int main_of_##name(void);
#include "names.h"
#undef TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define TEST(name) {#name, main_of_##name},
#include "names.h"
};

enum { TESTS = sizeof tests / sizeof *tests };

/* Runs a test in a process of its own; returns whether it failed. */
static int fails(int i)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        exit(tests[i].run());
    if (child > 0 && waitpid(child, &status, 0) == child && status == 0)
        return 0;
    fprintf(stderr, "%s failed\n", tests[i].name);
    return 1;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 0; i < TESTS; i++)
        if (argc > 1 && strcmp(argv[1], tests[i].name) == 0)
            return tests[i].run();
    if (argc > 1) {
        fprintf(stderr, "%s: no test is called %s\n", argv[0], argv[1]);
        return 2;
    }
    for (int i = 0; i < TESTS; i++)
        failed += fails(i);
    printf("%d of %d tests failed\n", failed, TESTS);
    return failed > 0;
}

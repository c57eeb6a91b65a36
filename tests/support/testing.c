/* testing.c -- see testing.h.
 *
 * SPDX-License-Identifier: MIT */
#include "testing.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "condense/methods.h"

static char folder[256];

/* Graphs of tests are small: the loops over them run in threads all the same. */
__attribute__((constructor)) static void make_teams_for_any_work(void)
{
    bn_team_work(1e-9);
}

static void remove_folder(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        fprintf(stderr, "%s was left behind\n", folder);
}

const char *temp_path(const char *name)
{
    static char paths[8][512];
    static int next;
    if (!folder[0]) {
        const char *base = getenv("TMPDIR");
        if (!base)                              /* syncing to a disk would take most of the time */
            base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        snprintf(folder, sizeof folder, "%s/bonsai-test-XXXXXX", base);
        if (!mkdtemp(folder))
            fail_msg("no temporary folder");
        atexit(remove_folder);
    }
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

void write_file(const char *path, const void *data, size_t len)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

void write_text(const char *path, const char *text)
{
    write_file(path, text, strlen(text));
}

uint8_t *read_file(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *len = (size_t)ftell(f);
    rewind(f);
    uint8_t *data = malloc(*len + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *len, f), *len);
    data[*len] = 0;
    fclose(f);
    return data;
}

uint64_t cases_to_run(uint64_t all)
{
    return getenv("NIGHT") ? all : (all + 3) / 4;
}

int64_t next_fault(int64_t nth)
{
    const char *faults = getenv("FAULTS");
    const bool night = getenv("NIGHT") != NULL;
    bool every = (faults && strcmp(faults, "all") == 0) || nth < (night ? 256 : 32);
    return nth + 1 + (every ? 0 : nth / (night ? 16 : 8));
}

void survives_failed_allocations(bonsai_status (*fn)(void *payload), void *payload, int least)
{
    int64_t before = bn_mem_live();
    for (int64_t nth = 0;; nth = next_fault(nth)) {
        bn_mem_fail_at(nth);
        bonsai_status rc = fn(payload);
        bool failed = bn_mem_failed();
        bn_mem_fail_at(-1);
        assert_int_equal(bn_mem_live(), before);
        if (!failed) {
            assert_int_equal(rc, BONSAI_OK);
            assert_true(nth >= least);
            return;
        }
        assert_int_equal(rc, BONSAI_E_MEMORY);
        assert_non_null(strstr(bonsai_error(), "out of memory"));
    }
}

void assert_fails(bonsai_status got, bonsai_status wanted, const char *text)
{
    if (got != wanted || !strstr(bonsai_error(), text))
        fail_msg("status %d, sentence \"%s\"; wanted status %d and \"%s\"", got, bonsai_error(),
                 wanted, text);
}

bool has_method(bonsai_method m)
{
    return bn_method_of(m)->run != NULL;
}

/* Compiles a locale of Debian's package locales for this test, and selects it. */
static bool use_compiled(const char *name)
{
    char command[700], made[512];
    snprintf(made, sizeof made, "%s", temp_path(name));
    snprintf(command, sizeof command, "localedef -c -i %s -f UTF-8 '%s' >/dev/null 2>&1", name, made);
    (void)!system(command);
    *strrchr(made, '/') = 0;
    setenv("LOCPATH", made, 1);
    return setlocale(LC_ALL, name) != NULL;
}

bool use_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    for (int i = 0; i < 4; i++)
        if (setlocale(LC_ALL, names[i]))
            return true;
    return use_compiled("de_DE");
}

bool use_wide_point_locale(void)
{
    return use_compiled("ps_AF");
}

/* test_malloc.c -- makes every malloc of every library fail once, not only ours.
 *
 * This program wraps the system's malloc, calloc and realloc.  Sanitizers wrap them too, so with
 * one this test is skipped.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "testing.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "random_graph.h"
#include "sanitized.h"

/* LLVM's OpenMP ends the process when its own malloc fails ("OMP: Error #101: Out of
 * heap memory"), and it allocates even for a team of one. */
#if defined(__clang__) && defined(_OPENMP)
#define OPENMP_ABORTS 1
#endif

static _Thread_local long countdown = -1;
static _Thread_local bool failed;

#ifndef SANITIZED
#define EXPORTED __attribute__((visibility("default")))     /* or the libraries would not see it */

static bool fails_now(void)
{
    if (countdown < 0 || countdown-- != 0)
        return false;
    failed = true;
    errno = ENOMEM;
    return true;
}

/* dlsym may itself call calloc before it returns. */
static _Alignas(16) char early[4096];
static size_t early_used;

static void *early_room(size_t bytes)
{
    void *p = early + early_used;
    early_used += (bytes + 15) / 16 * 16;
    return early_used <= sizeof early ? p : NULL;
}

static void *next_of(const char *name)
{
    long saved = countdown;
    countdown = -1;
    void *p = dlsym(RTLD_NEXT, name);
    countdown = saved;
    return p;
}

EXPORTED void *malloc(size_t bytes)
{
    static void *(*next)(size_t);
    if (!next)
        *(void **)&next = next_of("malloc");
    return fails_now() ? NULL : next(bytes);
}

EXPORTED void *calloc(size_t count, size_t bytes)
{
    static void *(*next)(size_t, size_t);
    static _Thread_local bool asking;
    if (!next) {
        if (asking)
            return early_room(count * bytes);
        asking = true;
        *(void **)&next = next_of("calloc");
        asking = false;
    }
    return fails_now() ? NULL : next(count, bytes);
}

EXPORTED void *realloc(void *p, size_t bytes)
{
    static void *(*next)(void *, size_t);
    if (!next)
        *(void **)&next = next_of("realloc");
    return fails_now() ? NULL : next(p, bytes);
}

#endif

typedef struct { const char *path; const bonsai_graph *g; } round_trip;

static bonsai_status load_and_check(const round_trip *r)
{
    bonsai_graph *g = NULL;
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.threads = 1;
    bonsai_status rc = bonsai_graph_read(&g, r->path, &o);
    if (rc == BONSAI_OK)
        rc = bonsai_graph_check(g, &o);
    bonsai_graph_free(g);
    return rc;
}

static bonsai_status save_it(const round_trip *r)
{
    bonsai_write_options o;
    bonsai_write_options_init(&o);
    o.threads = 1;
    return bonsai_graph_save(NULL, r->g, r->path, &o);
}

static int fail_each(bonsai_status (*fn)(const round_trip *r), const round_trip *r)
{
    int64_t before = bn_mem_live();
    assert_int_equal(fn(r), BONSAI_OK);         /* one-time allocations happen now */
    for (int nth = 0;; nth++) {
        failed = false;
        countdown = nth;
        bonsai_status rc = fn(r);
        countdown = -1;
        assert_int_equal(bn_mem_live(), before);
        if (!failed) {
            assert_int_equal(rc, BONSAI_OK);
            return nth;
        }
        /* A library may ignore the failure; libzip reports a failed malloc as a bad archive. */
        bool zip = bn_ends_with(r->path, ".npz") && rc == BONSAI_E_FORMAT;
        if (rc != BONSAI_OK && rc != BONSAI_E_MEMORY && !zip)
            fail_msg("%s: malloc %d: status %d: %s", r->path, nth, rc, bonsai_error());
    }
}

/* Writes and reads each format; formats without a writer are skipped. */
static void every_failed_malloc_of_any_library_is_survived(void **state)
{
    (void)state;
    static const char *const names[] = {"m.bonsai", "m.npz", "m.folder/"};
#if defined(SANITIZED) || defined(OPENMP_ABORTS)
    skip();
#endif
    for (int i = 0; i < 3; i++) {
        char path[512];
        strncpy(path, temp_path(names[i]), sizeof path - 1);
        path[sizeof path - 1] = 0;
        bonsai_graph *g = random_graph(1, 20, 60, SPARSE_F32, WITH_ALL);
        round_trip r = {path, g};
        if (bonsai_graph_save(NULL, g, path, NULL) == BONSAI_E_ARGUMENT)
            assert_true(i > 0);
        else {
            assert_true(fail_each(save_it, &r) > 5);
            assert_true(fail_each(load_and_check, &r) > 5);
        }
        bonsai_graph_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_malloc_of_any_library_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* testing.h -- shared by the tests: cmocka, temporary files, failed allocations.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_TESTING_H
#define BN_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/graph.h"

/* A path in a folder of this process that is removed at exit; returns one of 8 static buffers in
 * turn. */
const char *temp_path(const char *name);
/* Selects a locale with a decimal comma: an installed one, or one compiled for the test. */
bool use_comma_locale(void);
/* Selects a locale whose decimal point has two bytes, which is compiled for the test. */
bool use_wide_point_locale(void);
void write_file(const char *path, const void *data, size_t len);
void write_text(const char *path, const char *text);
uint8_t *read_file(const char *path, size_t *len);      /* free() it */

/* Returns the number of a test's cases that run: `all` with NIGHT=1, as make test-night sets it,
 * else a quarter. */
uint64_t cases_to_run(uint64_t all);

/* Returns which allocation fails after the nth one: the next among the first 32 (256 with NIGHT), then
 * in steps that grow; always the next with FAULTS=all. */
int64_t next_fault(int64_t nth);

/* Calls fn with its 0th, 1st ... next_fault() allocation failing until none fails; each failure must
 * be E_MEMORY and leak nothing.  fn frees what it gets.  At least `least` allocations must fail. */
void survives_failed_allocations(bonsai_status (*fn)(void *payload), void *payload, int least);

/* Whether the build contains the method: without the laboratory some are missing. */
bool has_method(bonsai_method m);

/* Checks the status of a failed call, and that its message contains text. */
void assert_fails(bonsai_status got, bonsai_status wanted, const char *text);

#endif

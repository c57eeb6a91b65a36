/* testing.h -- what the tests share: cmocka, temporary files, failed allocations.
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

/* A path in a folder of this process that is removed at exit; a static buffer, 8
 * of which are used in turn. */
const char *temp_path(const char *name);
/* Any locale with a decimal comma: installed, or compiled into the test's folder. */
bool use_comma_locale(void);
void write_file(const char *path, const void *data, size_t len);
void write_text(const char *path, const char *text);
uint8_t *read_file(const char *path, size_t *len);      /* free() it */

/* Calls fn with its 0th, 1st, 2nd ... allocation failing until none fails any
 * more; each failure must be E_MEMORY and leave no block behind.  fn frees what it
 * gets.  At least `least` allocations must have failed. */
void survives_failed_allocations(bonsai_status (*fn)(void *payload), void *payload, int least);

/* The status and the sentence of a failed call: text must be part of it. */
void assert_fails(bonsai_status got, bonsai_status wanted, const char *text);

#endif

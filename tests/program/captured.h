/* captured.h -- parts of the program in a test: its name, and what it prints.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CAPTURED_H
#define BN_CAPTURED_H

#include <stdio.h>
#include <stdlib.h>

#include "files/files.h"
#include "testing.h"            /* behind the others: a macro of cmocka is called as a function there */

/* Returns a session that prints no message; its last one is in said. */
session silent_session(void);

/* Returns what summary_print writes to stdout; free() it. */
char *printed(summary *r, session *s, int wanted);

#endif

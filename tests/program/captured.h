/* captured.h -- parts of the program in a test: what it is called, and what it prints.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_CAPTURED_H
#define BN_CAPTURED_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "files/files.h"
#include "testing.h"            /* behind the others: a macro of cmocka is called as a function there */

const workers crew = {.program = "bonsai"};
const command commands[] = {{NULL, NULL, NULL}};

/* A session that says nothing aloud; its last message is in said. */
static inline session silent_session(void)
{
    session s;
    memset(&s, 0, sizeof s);
    s.command = "";
    s.mute = 1;
    return s;
}

/* What summary_print puts on stdout; free() it. */
static inline char *printed(summary *r, session *s, int wanted)
{
    size_t len;
    const char *path = temp_path("printed");
    fflush(stdout);
    int screen = dup(STDOUT_FILENO);
    FILE *file = fopen(path, "w");
    assert_true(screen >= 0 && file && dup2(fileno(file), STDOUT_FILENO) >= 0);
    int code = summary_print(r, s);
    fflush(stdout);
    assert_true(dup2(screen, STDOUT_FILENO) >= 0);
    close(screen);
    fclose(file);
    assert_int_equal(code, wanted);
    uint8_t *bytes = read_file(path, &len);
    char *text = calloc(len + 1, 1);
    memcpy(text, bytes, len);
    free(bytes);
    return text;
}

#endif

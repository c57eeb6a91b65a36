/* captured.c -- see captured.h.
 *
 * SPDX-License-Identifier: MIT */
#include "captured.h"

#include <unistd.h>

const process_calls calls = {.program = "bonsai"};
const command commands[] = {{NULL, NULL, NULL, 0}};

session silent_session(void)
{
    session s;
    memset(&s, 0, sizeof s);
    s.command = "";
    s.mute = 1;
    return s;
}

char *printed(summary *r, session *s, int wanted)
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

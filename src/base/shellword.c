/* shellword.c -- a text as one word of a command line.
 *
 * SPDX-License-Identifier: MIT */
#include "bonsai_study.h"

#include <string.h>

#include "base.h"

typedef struct {
    char  *out;
    size_t size, length;        /* length: of the whole word, whether it fits or not */
} word;

static void put(word *w, const char *text)
{
    for (; *text; text++, w->length++)
        if (w->length + 1 < w->size)
            w->out[w->length] = *text;
}

int bonsai_shell_word(char *out, size_t size, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_-./:,=+@%";
    word w = {.out = out, .size = size};
    text = text ? text : "";
    const char *quote = *text && text[strspn(text, plain)] == 0 ? "" : "'";
    put(&w, *text == '-' ? "./" : "");
    put(&w, quote);
    for (; *text; text++)
        put(&w, *text == '\'' ? "'\\''" : (const char[]){*text, 0});      /* none inside quotes */
    put(&w, quote);
    if (size > 0)
        out[w.length < size ? w.length : size - 1] = 0;
    return (int)w.length;
}

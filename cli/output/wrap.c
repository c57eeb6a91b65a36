/* wrap.c -- text in lines that fit the terminal.
 *
 * Lines break at spaces; a word that is wider than a line breaks behind a slash, or else behind one
 * of - _ . , | or anywhere.  Widths are columns of the terminal: a wide character has two, and a
 * combining one has none.
 *
 * SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700       /* wcwidth */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "output/text.h"

enum { USUAL = 80, LEAST = 60, PROSE = 2048 };

int terminal_columns(int fd)
{
    struct winsize size;
    const char *said = getenv("COLUMNS");
    const long columns = said ? strtol(said, NULL, 10) : 0;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return columns > 0 && columns < 10000 ? (int)columns : USUAL;
}

int line_columns(void)
{
    const int columns = terminal_columns(STDOUT_FILENO);
    return columns < LEAST ? LEAST : columns;
}

int prose_columns(void)
{
    const int columns = line_columns();
    return columns < USUAL ? columns : USUAL;
}

/* Returns the bytes of the first character, and its width.  A byte that the locale cannot print has
 * one column, or none if it continues a character of UTF-8. */
static size_t step(const char *text, int *width)
{
    mbstate_t state;
    wchar_t c;
    memset(&state, 0, sizeof state);
    size_t bytes = mbrtowc(&c, text, MB_CUR_MAX, &state);
    if (bytes > 0 && bytes <= MB_CUR_MAX && wcwidth(c) >= 0) {
        *width = wcwidth(c);
        return bytes;
    }
    *width = ((unsigned char)*text & 0xc0) != 0x80;
    return 1;
}

int text_width(const char *text)
{
    int width = 0, one;
    while (*text) {
        text += step(text, &one);
        width += one;
    }
    return width;
}

/* Returns the bytes of the whole characters that fit. */
static size_t bytes_in(const char *text, int columns)
{
    size_t at = 0;
    int one;
    while (text[at]) {
        size_t bytes = step(text + at, &one);
        if (one > columns)
            break;
        columns -= one;
        at += bytes;
    }
    return at;
}

/* Returns the bytes up to the last of the marks; 0 without one. */
static size_t behind(const char *text, size_t bytes, const char *marks)
{
    while (bytes > 0 && !strchr(marks, text[bytes - 1]))
        bytes--;
    return bytes;
}

size_t text_line(const char *text, int columns)
{
    int one;
    size_t all = bytes_in(text, columns), end = all;
    if (!text[all] || text[all] == ' ')
        return all;
    while (end > 0 && text[end - 1] != ' ')
        end--;
    while (end > 0 && text[end - 1] == ' ')
        end--;
    if (end > 0)
        return end;
    if ((end = behind(text, all, "/")) > 0 || (end = behind(text, all, "-_.,|")) > 0)
        return end;
    return all > 0 ? all : step(text, &one);
}

const char *text_after(const char *text, size_t bytes)
{
    return text + bytes + strspn(text + bytes, " ");
}

void text_cut(char *out, size_t size, const char *text, int columns)
{
    const char *mark = text_is_utf8() ? "\u2026" : "~";
    if (text_width(text) <= columns)
        snprintf(out, size, "%s", text);
    else
        snprintf(out, size, "%.*s%s", (int)bytes_in(text, columns - 1), text,
                 columns > 0 ? mark : "");
}

/* Returns 1 if the first word must be broken here but fits the next line. */
static int waits(const char *text, int room, int next_room)
{
    char word[PROSE];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, " "), text);
    return room < next_room && text_width(word) > room && text_width(word) <= next_room;
}

int put_wrapped(const char *text, int at, int indent, int columns)
{
    while (*text) {
        if (at >= columns || waits(text, columns - at, columns - indent)) {
            at = printf("\n%*s", indent, "") - 1;
            continue;
        }
        size_t bytes = text_line(text, columns - at);
        char line[PROSE];
        snprintf(line, sizeof line, "%.*s", (int)bytes, text);
        fputs(line, stdout);
        at += text_width(line);
        text = text_after(text, bytes);
        if (*text)
            at = printf("\n%*s", indent, "") - 1;
    }
    return at;
}

void put_prose(const char *format, ...)
{
    char given[PROSE], text[2 * PROSE], *to = text, *next;
    va_list args;
    va_start(args, format);
    vsnprintf(given, sizeof given, format, args);
    va_end(args);
    for (const char *c = given; *c; c++) {
        const int joins = *c == '\n' && c > given && c[-1] != '\n' && c[1] && c[1] != '\n';
        *to++ = joins ? ' ' : *c;
        if (joins && c[-1] == '.')              /* as between all sentences */
            *to++ = ' ';
    }
    *to = 0;
    for (char *line = text; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        put_wrapped(line, 0, 0, prose_columns());
        putchar('\n');
    }
}

/* Returns where a command breaks: before an option or another command in the second half, so that
 * an option keeps its value; else at a space; 0 if it cannot break. */
static size_t command_line(const char *text, int columns)
{
    const size_t most = text_line(text, columns);
    if (text[most] != ' ')
        return 0;                               /* one word stays one */
    for (size_t i = most; i > most / 2; i--)
        if (text[i] == ' ' && text[i + 1] && strchr("-&|", text[i + 1]))
            return i;
    return most;
}

void put_command(const char *line, int bytes)
{
    char text[PROSE];
    const char *at = text;
    const int columns = prose_columns(), indent = 6;
    snprintf(text, sizeof text, "%.*s", bytes, line);
    for (int room = columns; text_width(at) > room; room = columns - indent) {
        const size_t part = command_line(at, room - 2);
        if (part == 0)
            break;
        printf("%.*s \\\n%*s", (int)part, at, indent, "");
        at = text_after(at, part);
    }
    puts(at);
}

void put_next(const char *line)
{
    char text[PROSE];
    put_command(text, snprintf(text, sizeof text, "next: %s", line));
}

void put_examples(const char *lines)
{
    puts("\nexamples:");
    for (; *lines; lines += strcspn(lines, "\n") + 1)
        put_command(lines, (int)strcspn(lines, "\n"));
}

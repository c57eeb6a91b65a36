/* whole.c -- whether a downloaded file is all of a file of its kind.
 *
 * A server that tells no length may end at any byte.  A .npy file says in its header how long it
 * is, an archive ends with its list of entries, and the first bracket of a .json file is closed last.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "fetch.h"

/* ---- .npy ---------------------------------------------------------------- */

/* Returns the bytes of an item from "'descr': '<f4'"; 0 if unknown, as for objects. */
static int64_t item_bytes(const char *header)
{
    const char *p = strstr(header, "'descr'");
    p = p ? strchr(p + 7, '\'') : NULL;
    if (!p || !p[1] || !strchr("<>|=", p[1]) || !p[2] || !strchr("biufc", p[2]))
        return 0;
    return strtol(p + 3, NULL, 10);
}

/* Returns the number of items from "'shape': (3, 4)"; -1 without a shape. */
static int64_t count_items(const char *header)
{
    const char *p = strstr(header, "'shape'");
    int64_t count = 1;
    p = p ? strchr(p, '(') : NULL;
    while (p && *++p != ')') {
        char *end;
        long long n = strtoll(p, &end, 10);
        if (end == p || n < 0 || (n > 0 && count > INT64_MAX / 16 / n))
            return -1;
        count *= n;
        p = end + strspn(end, " ");
        if (*p != ',')
            return *p == ')' ? count : -1;
        p += strspn(p + 1, " ");
    }
    return p ? count : -1;
}

static int npy_is_whole(FILE *f, int64_t bytes)
{
    unsigned char head[12];
    char header[65536];
    if (fread(head, 1, sizeof head, f) != sizeof head || memcmp(head, "\x93NUMPY", 6) != 0)
        return 0;
    const size_t start = head[6] == 1 ? 10 : 12;
    const size_t len = (size_t)head[8] | (size_t)head[9] << 8 |
                       (start == 10 ? 0 : (size_t)head[10] << 16 | (size_t)head[11] << 24);
    if (len >= sizeof header || fseek(f, (long)start, SEEK_SET) != 0 ||
        fread(header, 1, len, f) != len)
        return 0;
    header[len] = 0;
    const int64_t width = item_bytes(header), count = count_items(header);
    return count >= 0 && (width <= 0 || width > 16 ||
                          bytes == (int64_t)(start + len) + count * width);
}

/* ---- .json --------------------------------------------------------------- */

/* Returns 1 if the first bracket is closed; counts brackets outside of strings. */
static int json_is_whole(FILE *f)
{
    int64_t open = 0;
    int c, in_string = 0, begun = 0;
    while ((c = getc(f)) != EOF) {
        if (in_string && c == '\\')
            c = getc(f);
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && !strchr(" \t\r\n", c)) {
            if ((!begun && c != '{') || (begun && open == 0))
                return 0;
            begun = 1;
            open += (c == '{' || c == '[') - (c == '}' || c == ']');
        }
    }
    return begun && open == 0 && !in_string && !ferror(f);
}

/* ---- any ----------------------------------------------------------------- */

static int has_ending(const char *path, const char *ending)
{
    size_t len = strlen(path) - (path_ends_with(path, ".part") ? 5 : 0), tail = strlen(ending);
    return len >= tail && strncmp(path + len - tail, ending, tail) == 0;
}

int file_is_whole(const char *path, int64_t bytes, const char **ending)
{
    static const char *const kinds[] = {".npz", ".zip", ".npy", ".json"};
    int kind = 0;
    while (kind < 4 && !has_ending(path, kinds[kind]))
        kind++;
    if (kind == 4)
        return 1;
    *ending = kinds[kind];
    if (kind < 2)
        return zip_is_whole(path);
    FILE *f = fopen(path, "rb");
    int whole = f && (kind == 2 ? npy_is_whole(f, bytes) : json_is_whole(f));
    if (f)
        fclose(f);
    return whole;
}

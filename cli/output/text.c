/* text.c -- numbers and names for people.
 *
 * SPDX-License-Identifier: MIT */
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/text.h"

void text_grouped(char *buf, size_t size, int64_t value)
{
    char plain[32], out[48];
    int len = snprintf(plain, sizeof plain, "%lld", (long long)value), at = 0;
    for (int i = 0; i < len; i++) {
        int left = len - i;
        if (i > 0 && left % 3 == 0 && plain[i - 1] != '-')
            out[at++] = ',';
        out[at++] = plain[i];
    }
    out[at] = 0;
    snprintf(buf, size, "%s", out);
}

void text_bytes(char *buf, size_t size, double bytes)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int u = 0;
    while (bytes >= 999.5 && u < 5) {
        bytes /= 1000;
        u++;
    }
    snprintf(buf, size, u && bytes < 99.95 ? "%.1f %s" : "%.0f %s", bytes, unit[u]);
}

const char *text_s(int64_t count)
{
    return count == 1 ? "" : "s";
}

int text_piece(char *piece, size_t size, const char **at)
{
    if (!*at)
        return 0;
    size_t len = strcspn(*at, ",");
    snprintf(piece, size, "%.*s", (int)(len < size ? len : size - 1), *at);
    *at = (*at)[len] ? *at + len + 1 : NULL;
    return 1;
}

int text_word(char *out, size_t size, const char *text)
{
    return bonsai_shell_word(out, size, text) < (int)size;
}

int text_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* Returns the Levenshtein distance, where a swap of two neighbours counts as one (words under 32).
 * */
static int distance(const char *a, const char *b)
{
    int d[33][33], n = (int)strlen(a), m = (int)strlen(b);
    if (n > 32 || m > 32)
        return 99;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

/* Returns our word for one that other programs use, if it is among the names. */
static const char *synonym(const char *word, const char *const *names, int count)
{
    static const char *const pairs[][2] = {{"evaluate", "eval"}, {"download", "fetch"},
                                           {"datasets", "fetch"}, {"bonsai", "trees"}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        for (int i = 0; i < count && strcmp(word, pairs[k][0]) == 0; i++)
            if (strcmp(names[i], pairs[k][1]) == 0)
                return names[i];
    return NULL;
}

const char *text_nearest(const char *word, const char *const *names, int count)
{
    const char *best = synonym(word, names, count);
    if (best)
        return best;
    int least = (int)strlen(word) / 3 + 2;
    for (int i = 0; i < count; i++) {
        const size_t len = strlen(word);
        int d = len > 1 && strncmp(word, names[i], len) == 0 ? 1
                : len > 2 && strstr(names[i], word) ? 2 : distance(word, names[i]);
        if (d < least) {
            least = d;
            best = names[i];
        }
    }
    return best;
}

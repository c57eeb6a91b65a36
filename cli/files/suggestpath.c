/* suggestpath.c -- suggests the path that may have been meant by one that does not exist.
 *
 * "bonsai info cora" finds cora.bonsai, data/cora.npz or a folder that "bonsai fetch cora" made;
 * then a file of the same folder whose name is near; and otherwise names the command that downloads
 * the dataset.
 *
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fetch/fetch.h"
#include "json.h"

enum { MOST_NAMES = 256, NAME = 256 };

static const char folder_of_fetch[] = "data";

static int is_there(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

/* Finds the path with one of the endings of graphs, here or in a folder. */
static int with_ending(char *out, size_t size, const char *folder, const char *path)
{
    static const char *const endings[] = {"", ".bonsai", ".npz", ".el", ".edges", ".csv", ".tsv",
                                          ".txt", ".mtx", ".mtx.gz", ".el.gz", ".csv.gz", ".pt"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        int len = snprintf(out, size, "%s%s%s%s", folder, *folder ? "/" : "", path, endings[i]);
        if (len < (int)size && is_there(out))
            return 1;
    }
    return 0;
}

/* Returns the dataset that a path names, "cora" or "my/Cora.npz"; or NULL. */
static const dataset *named_dataset(const char *path)
{
    char name[NAME];
    const char *slash = strrchr(path, '/');
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    const dataset *d = dataset_find(name);
    name[strcspn(name, ".")] = 0;
    return d ? d : dataset_find(name);
}

static int fetched(char *out, size_t size, const dataset *d)
{
    return d && snprintf(out, size, "%s/%s", folder_of_fetch, d->graph) < (int)size &&
           path_bytes(out) >= 0;
}

/* Returns the length of a name without its ending, ".bonsai". */
static size_t stem(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot > name ? (size_t)(dot - name) : strlen(name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Returns 1 if a name has no codes of the terminal. */
static int is_harmless(const char *name)
{
    uint32_t code = 0;
    int bytes;
    while (*name && (bytes = bn_utf8_decode(&code, (const uint8_t *)name, 4)) > 0 &&
           !bn_utf8_is_harmful(code))
        name += bytes;
    return *name == 0;
}

/* Lists the names in a folder that have the ending, without it and sorted. */
static int list_stems(char (*names)[NAME], const char *folder, const char *ending)
{
    int count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && count < MOST_NAMES && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.' && is_harmless(e->d_name) &&
            strcmp(e->d_name + stem(e->d_name), ending) == 0)
            snprintf(names[count++], NAME, "%.*s", (int)stem(e->d_name), e->d_name);
    if (d)
        closedir(d);
    qsort(names, (size_t)count, sizeof *names, by_name);
    return count;
}

/* Finds a file of the same folder and ending with a similar name. */
static int misspelt(char *out, size_t size, const char *path)
{
    char folder[MOST_PATH], word[NAME], (*names)[NAME] = calloc(MOST_NAMES, sizeof *names);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *list[MOST_NAMES];
    if (!names)
        return 0;
    snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
    snprintf(word, sizeof word, "%.*s", (int)stem(name), name);
    const int count = list_stems(names, *folder ? folder : ".", name + stem(name));
    for (int i = 0; i < count; i++)
        list[i] = names[i];
    const char *near = text_nearest(word, list, count);
    if (near)
        snprintf(out, size, "%s%s%s", folder, near, name + stem(name));
    free(names);
    return near != NULL;
}

/* Finds a file with the same name and another ending, for "g.bonsi". */
static int other_ending(char *out, size_t size, const char *path)
{
    char start[MOST_PATH];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t len = (size_t)(name - path) + stem(name);
    if (!path[len] || len >= sizeof start)
        return 0;
    snprintf(start, sizeof start, "%.*s", (int)len, path);
    return with_ending(out, size, "", start);
}

static void suggest(const char *path)
{
    char found[2 * MOST_PATH];
    const dataset *d = named_dataset(path);
    if (with_ending(found, sizeof found, "", path) ||
        with_ending(found, sizeof found, folder_of_fetch, path) ||
        fetched(found, sizeof found, d) || other_ending(found, sizeof found, path) ||
        (!d && misspelt(found, sizeof found, path)))
        fprintf(stderr, "did you mean %s?\n", found);
    else if (d)
        fprintf(stderr, "try: bonsai fetch %s, then name %s/%s\n", d->name, folder_of_fetch,
                d->graph);
}

void suggest_graph(const char *missing, char *const *words)
{
    for (; *words; words++) {
        const char *equals = **words == '-' ? strchr(*words, '=') : NULL;
        const char *path = path_without_format(equals ? equals + 1 : *words);
        if (*path && strcmp(missing, path) == 0 && !is_there(path)) {
            suggest(path);
            return;
        }
    }
}

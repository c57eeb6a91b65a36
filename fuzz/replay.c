/* replay.c -- runs a fuzz target over inputs, in builds without libFuzzer.
 *
 * `replay [-mutants=N] PATH...` runs every file of a folder, or every member of an archive of ar,
 * and N mutants of each: a chain, each made of the one before.  The same inputs have the same
 * mutants everywhere.
 *
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "mutate.h"

enum { ROOM = 1 << 18, CHAIN = 8 };

static int mutants;
static uint8_t input[ROOM];

/* libFuzzer's own, for our mutator. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    mu_bytes b = {data, size, max_size};
    mu_rng r = {size};
    mutate_binary(&b, &r);
    return b.len;
}

/* A chain of mutants, then from the input again: what went wrong early hides what follows. */
static int run_mutants(const uint8_t *data, size_t size)
{
    size_t len = size;
    for (int i = 0; i < mutants; i++) {
        if (i % CHAIN == 0) {
            memcpy(input, data, size);
            len = size;
        }
        len = LLVMFuzzerCustomMutator(input, len, ROOM, (unsigned)i * 7919u + (unsigned)size);
        uint8_t *exact = malloc(len ? len : 1);     /* so that a read beyond it is seen */
        memcpy(exact, input, len);
        LLVMFuzzerTestOneInput(exact, len);
        free(exact);
    }
    return mutants;
}

/* Runs the next `size` bytes of a file and their mutants; returns the number of runs. */
static int run(FILE *f, long size)
{
    uint8_t *data = calloc(size > 0 ? (size_t)size : 1, 1);
    size_t got = data && size > 0 ? fread(data, 1, (size_t)size, f) : 0;
    LLVMFuzzerTestOneInput(data, got);
    int count = 1 + (got > 0 && got <= ROOM ? run_mutants(data, got) : 0);
    free(data);
    return count;
}

static int run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    int count = run(f, size);
    fclose(f);
    return count;
}

static int run_folder(DIR *dir, const char *folder)
{
    struct dirent *entry;
    char path[1024];
    int count = 0;
    while ((entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += run_file(path);
    }
    closedir(dir);
    return count;
}

/* Runs the members of an archive: each has a line of 60 bytes with its size at 48, and starts at
 * an even position.  A name that starts with "//" or "/ " is a table of ar itself. */
static int run_archive(const char *path)
{
    char head[61] = "";
    int count = 0;
    FILE *f = fopen(path, "rb");
    if (!f || fread(head, 1, 8, f) != 8 || strcmp(head, "!<arch>\n") != 0) {
        fprintf(stderr, "replay: %s is not a folder or an archive\n", path);
        exit(1);
    }
    while (fread(head, 1, 60, f) == 60) {
        long size = strtol(head + 48, NULL, 10), next = ftell(f) + size + size % 2;
        if (head[0] != '/' || (head[1] != '/' && head[1] != ' '))
            count += run(f, size);
        fseek(f, next, SEEK_SET);
    }
    fclose(f);
    return count;
}

static int run_path(const char *path)
{
    DIR *dir = opendir(path);
    return dir ? run_folder(dir, path) : run_archive(path);
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++)
        if (sscanf(argv[i], "-mutants=%d", &mutants) != 1)
            count += run_path(argv[i]);
    printf("%d inputs replayed\n", count);
    return count > 0 ? 0 : 1;
}

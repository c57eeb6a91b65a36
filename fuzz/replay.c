/* replay.c -- runs a fuzz target over files, in builds without libFuzzer.
 *
 * `replay [-mutants=N] FOLDER...` runs every input of the folders, and N mutants of each: a chain,
 * each made of the one before.  The same inputs have the same mutants everywhere.
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

static int run(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    fseek(f, 0, SEEK_END);
    long len = ftell(f);
    rewind(f);
    uint8_t *data = malloc(len > 0 ? (size_t)len : 1);
    size_t got = data && len > 0 ? fread(data, 1, (size_t)len, f) : 0;
    fclose(f);
    LLVMFuzzerTestOneInput(data, got);
    int count = 1 + (got > 0 && got <= ROOM ? run_mutants(data, got) : 0);
    free(data);
    return count;
}

static int run_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    char path[1024];
    int count = 0;
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += run(path);
    }
    if (dir)
        closedir(dir);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++)
        if (sscanf(argv[i], "-mutants=%d", &mutants) != 1)
            count += run_folder(argv[i]);
    printf("%d inputs replayed\n", count);
    return count > 0 ? 0 : 1;
}

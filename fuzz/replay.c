/* replay.c -- runs a fuzz target over files, in builds without libFuzzer.
 *
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

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
    free(data);
    return 1;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);
        struct dirent *entry;
        char path[1024];
        while (dir && (entry = readdir(dir))) {
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            count += run(path);
        }
        if (dir)
            closedir(dir);
    }
    printf("%d inputs replayed\n", count);
    return count > 0 ? 0 : 1;
}

/* mutate_main.c -- the program mutate: writes a mutant of a file.
 *
 * `mutate SEED IN OUT [OTHER]` reads IN, changes it and writes OUT; a native file may get sections
 * of the native file OTHER.  Checksums are repaired.  Used by tests/hostile.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "mutate.h"

static uint8_t data[MUTATE_ROOM], gift[MUTATE_ROOM];

static mu_bytes read_whole(const char *path, uint8_t *into)
{
    mu_bytes b = {into, 0, MUTATE_ROOM};
    FILE *f = fopen(path, "rb");
    if (f)
        b.len = fread(into, 1, MUTATE_ROOM, f);
    if (!f || ferror(f) || fgetc(f) != EOF) {
        fprintf(stderr, "mutate: %s: cannot be read, or is longer than %d bytes\n", path,
                MUTATE_ROOM);
        exit(1);
    }
    fclose(f);
    return b;
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: mutate SEED IN OUT [OTHER]\n");
        return 2;
    }
    mu_rng r = {strtoull(argv[1], NULL, 10)};
    mu_bytes b = read_whole(argv[2], data), other = {gift, 0, MUTATE_ROOM};
    if (argc == 5)
        other = read_whole(argv[4], gift);
    do
        mutate_file(&b, &r, argc == 5 ? &other : NULL);
    while (mu_chance(&r, 3));
    FILE *f = fopen(argv[3], "wb");
    if (!f || fwrite(b.data, 1, b.len, f) != b.len || fclose(f) != 0) {
        fprintf(stderr, "mutate: %s: cannot be written\n", argv[3]);
        return 1;
    }
    return 0;
}

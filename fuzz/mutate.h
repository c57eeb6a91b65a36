/* mutate.h -- changes files as someone would who knows their formats.
 *
 * A mutation changes counts, ids, flags, types, lengths, texts or whole parts of a file and then
 * repairs what protects them: checksums, positions and lengths.  So the code behind these checks is
 * reached.  The same seed gives the same bytes.  libFuzzer uses it as its mutator, replay.c in
 * ordinary builds, and the program `mutate` from the command line.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_MUTATE_H
#define BN_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MUTATE_ROOM = 1 << 16 };     /* no file becomes longer */

/* ---- chance ---- */

typedef struct { uint64_t state; } mu_rng;

uint64_t mu_next(mu_rng *r);
size_t   mu_below(mu_rng *r, size_t n);             /* 0 .. n-1; 0 if n is 0 */
bool     mu_chance(mu_rng *r, size_t one_in);
uint64_t mu_number(mu_rng *r, uint64_t was);        /* one that tends to make trouble */
const char *mu_digits(mu_rng *r);                   /* the same as text */

/* ---- bytes that grow and shrink ---- */

typedef struct {
    uint8_t *data;
    size_t   len, room;
} mu_bytes;

/* Replaces `gone` bytes at `at`; false, and nothing is changed, if there is no room. */
bool mu_splice(mu_bytes *b, size_t at, size_t gone, const void *put, size_t len);

/* ---- mutators: each returns false if the bytes are not of its format ---- */

bool mutate_native(mu_bytes *b, mu_rng *r, const mu_bytes *other);  /* other: gives sections */
bool mutate_zip(mu_bytes *b, mu_rng *r);
bool mutate_npy(mu_bytes *b, mu_rng *r);
bool mutate_json(mu_bytes *b, mu_rng *r);
void mutate_text(mu_bytes *b, mu_rng *r);
void mutate_binary(mu_bytes *b, mu_rng *r);
/* By what the bytes look like. */
void mutate_file(mu_bytes *b, mu_rng *r, const mu_bytes *other);

/* ---- inputs of a target: bytes of its own, then files ---- */

typedef struct {
    int  head;          /* bytes before the first file */
    int  files;         /* at most */
    int  separator;     /* the byte between files; -1: each has its length before it in two bytes */
    bool last_bare;     /* the last file has no length: it is the rest */
} mu_framing;

extern const mu_framing fuzz_framing;       /* of the target */

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t max_out, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);   /* of libFuzzer */

#endif

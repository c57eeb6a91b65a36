/* fuzz.h -- shared by the fuzz targets.
 *
 * A target is LLVMFuzzerTestOneInput in fuzz_NAME.c; its corpus is corpus/NAME/ and corpus/NAME.ar.
 * libFuzzer drives it in the fuzz preset; elsewhere replay.c runs the corpus.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_FUZZ_H
#define BN_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The path (static) of `name` in an in-memory folder of this process, whose folders are made. */
const char *fuzz_path(const char *name);
/* Writes the input there; returns the path. */
const char *fuzz_file(const char *name, const uint8_t *data, size_t size);
/* Writes several files, each but the last after its length in two bytes. */
void fuzz_files(const char *const *names, int count, const uint8_t *data, size_t size);
/* Corrects the checksums of a native file, so that the code after them is reached. */
void fuzz_checksums(uint8_t *file, size_t size);
/* The same, except that an input that ends in 0xff keeps its own. */
void fuzz_repair(uint8_t *file, size_t size);
/* Loads path; if it loads, checks that verifying, statistics, sizes, saving and loading again all
 * agree.  Aborts on a disagreement or a leak. */
void fuzz_load(const char *path);
/* Converts a folder of large arrays, all of it and its labelled nodes.  Aborts if reading and
 * converting disagree. */
void fuzz_convert(const char *path);

#endif

/* oracle.h -- brute-force answers that share no code with src/.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_ORACLE_H
#define BN_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

/* Counts the entries u -> v of an adjacency built from m edges, and sums their weights, in n*n
 * matrices. */
void oracle_adjacency(int *count, double *weight, int64_t n, int64_t m, const int32_t *source,
                      const int32_t *target, const float *w, bool directed, bool loops,
                      bool repeated);

/* The half nearest to v, ties to even, by trying all of them. */
uint16_t oracle_half(float v);

/* Whether some float s > 0 makes each value s times an integer in low..high. */
bool oracle_is_scaled(const float *value, int64_t count, int low, int high);

/* The bytes of the smallest lossless encoding of a matrix (n,f). */
int64_t oracle_feature_bytes(const float *x, int64_t n, int64_t f);

/* The CRC-32 of zip and PNG, bit by bit. */
uint32_t oracle_crc(const uint8_t *data, int64_t len);

#endif

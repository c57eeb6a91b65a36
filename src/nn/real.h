/* real.h -- the number type of layers: float, or double where a test compiles them so.
 *
 * Finite differences need double; the library trains in float.  The same sources give
 * both: with BN_DOUBLE defined every layer is compiled for double, with plain loops in
 * place of the inner loops that exist for float only.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_REAL_H
#define BN_REAL_H

#include "tensor/tensor.h"

#ifdef BN_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#endif

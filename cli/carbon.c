/* carbon.c -- CO2 by the paper's formula: 4.32 kg for a hundred hours of ten CPU cores.
 *
 * Where the paper's peers ran, it counts 10.8 kg for a hundred hours of a GPU.  It does not say how
 * much CO2 a kilowatt-hour is taken for, so that joules are not turned into grams.
 *
 * SPDX-License-Identifier: MIT */
#include "cli.h"

double carbon_grams(double seconds)
{
    return seconds * 4320 / (100 * 3600);
}

/* race.c -- a data race on purpose: the thread sanitizer must report it.
 *
 * Without this a TSan build that sees nothing would look clean.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

int main(void)
{
    int count = 0;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 10000; i++)
        count++;
    printf("%d\n", count);
    return 0;
}

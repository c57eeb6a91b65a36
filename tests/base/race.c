/* race.c -- a deliberate data race that the thread sanitizer must report.
 *
 * Without this test, a TSan build that detects nothing would look clean.
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

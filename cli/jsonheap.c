/* jsonheap.c -- the memory of JSON values in the program; the library has its own.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "json.h"

void *bn_json_room(void *old, size_t bytes)
{
    return realloc(old, bytes);
}

void bn_json_drop(void *room)
{
    free(room);
}

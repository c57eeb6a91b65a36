/* older.c -- functions that glibc has since 2.25 and 2.28, for wheels that run on 2.17.
 *
 * A kernel that does not know the calls refuses them; callers have another way.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

int getentropy(void *buffer, size_t size);
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);

HIDDEN int getentropy(void *buffer, size_t size)
{
    return syscall(SYS_getrandom, buffer, size, 0) == (long)size ? 0 : -1;
}

HIDDEN int renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags)
{
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

/* file.c -- paths, and files mapped whole.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"

bool bn_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool bn_is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool bn_is_file_at(const char *fmt, ...)
{
    char path[4096];
    va_list args;
    va_start(args, fmt);
    const int len = vsnprintf(path, sizeof path, fmt, args);
    va_end(args);
    return len > 0 && len < (int)sizeof path && bn_is_file(path);
}

bool bn_ends_with(const char *s, const char *ending)
{
    size_t a = strlen(s), b = strlen(ending);
    return a >= b && strcmp(s + a - b, ending) == 0;
}

bonsai_status bn_path_join(char **out, const char *dir, const char *name)
{
    size_t a = strlen(dir), b = name ? strlen(name) : 0;
    bonsai_status rc = BN_NEW(out, (int64_t)(a + b + 2));
    if (rc != BONSAI_OK)
        return rc;
    memcpy(*out, dir, a);
    if (b) {
        if (a && dir[a - 1] != '/')
            (*out)[a++] = '/';
        memcpy(*out + a, name, b);
    }
    return BONSAI_OK;
}

bonsai_status bn_file_open(bn_file *out, const char *path)
{
    bonsai_status rc = BONSAI_OK;
    struct stat st;
    void *p = NULL;
    out->data = NULL;
    out->len = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0) {
        rc = bn_fail_system(path, "cannot be opened", errno);
        goto done;
    }
    if (!S_ISREG(st.st_mode)) {
        rc = bn_fail_at(BONSAI_E_IO, path, "is %s, not a file",
                        S_ISDIR(st.st_mode) ? "a folder" : "a device or pipe");
        goto done;
    }
    if (st.st_size > 0) {
        p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p == MAP_FAILED) {
            rc = bn_fail_at(errno == ENOMEM ? BONSAI_E_MEMORY : BONSAI_E_IO, path, "cannot be "
                            "mapped: %s", strerror(errno));
            goto done;
        }
    }
    out->data = p ? p : (const uint8_t *)"";        /* of an empty file: readers add to it */
    out->len = (int64_t)st.st_size;
done:
    if (fd >= 0)
        close(fd);
    return rc;
}

void bn_file_close(bn_file *f)
{
    if (f->len > 0)
        munmap((void *)(uintptr_t)f->data, (size_t)f->len);
    f->data = NULL;
    f->len = 0;
}

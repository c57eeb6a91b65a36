/* scratch.c -- large arrays in memory or in files without a name; see scratch.h.
 *
 * A header in front of every array says how it was made.  A file gets all its blocks before it is
 * mapped: a full disk is then an error to report, not a signal in the middle of a loop.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tempname.h"
#include "scratch.h"

enum { HEAD = 4096 };           /* of a file: a page, so that the array begins on a page */

typedef struct {
    bn_memory *m;
    int64_t bytes;              /* of the array */
    bool    file;
    char    fill[64 - sizeof(void *) - sizeof(int64_t) - sizeof(bool)];  /* a line of the cache */
} head;

static head *head_of(const void *p)
{
    return (head *)((char *)(uintptr_t)p - sizeof(head));
}

int64_t bn_memory_left(const bn_memory *m)
{
    return m ? m->limit - m->used : INT64_MAX;
}

bool bn_big_spilled(const void *p)
{
    return p && head_of(p)->file;
}

static const char *scratch_folder(void)
{
    const char *dir = getenv("TMPDIR");
    if (dir && *dir)
        return dir;
    return bn_is_dir("/var/tmp") ? "/var/tmp" : "/tmp";      /* /tmp may itself be memory */
}

/* Opens a nameless file, or one that is unlinked at once. */
static int open_nameless(const char *dir)
{
    char *path = NULL;
    int fd = -1;
#ifdef O_TMPFILE
    fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
    if (fd >= 0 || bn_path_join(&path, dir, "bonsai-XXXXXX") != BONSAI_OK)
        return fd;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    bn_free(path);
    return fd;
}

/* Returns which folder to ask for instead. */
static const char *better_folder(int why)
{
    switch (why) {
    case ENOENT:
    case ENOTDIR:
        return "a folder that exists";
    case EACCES:
    case EPERM:
    case EROFS:
        return "a folder that you may write to";
    case ENOSPC:
    case EDQUOT:
        return "a folder with more room";
    default:
        return "another folder";
    }
}

static bonsai_status no_file(const char *dir, int64_t bytes, int why)
{
    const char *file = "cannot create a scratch file of";
    if (why == EFBIG)                   /* in any folder */
        return bn_fail_at(BONSAI_E_IO, dir, "%s %lld bytes: %s; allow larger files (ulimit -f), or "
                          "more memory", file, (long long)bytes, strerror(why));
    return bn_fail_at(BONSAI_E_IO, dir, "%s %lld bytes: %s; set TMPDIR to %s, or allow more memory",
                      file, (long long)bytes, strerror(why), better_folder(why));
}

/* Reserves the blocks of a file; a signal may interrupt that, so it tries again. */
static int reserve(int fd, int64_t bytes)
{
    int why;
    do
        why = posix_fallocate(fd, 0, bytes);
    while (why == EINTR);
    return why;
}

static bonsai_status map_file(void **out, int64_t bytes)
{
    const char *dir = scratch_folder();
    void *p = MAP_FAILED;
    int fd = bn_fd_above(open_nameless(dir)), why = fd < 0 ? errno : reserve(fd, bytes + HEAD);
    if (why == 0) {
        p = mmap(NULL, (size_t)(bytes + HEAD), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        why = p == MAP_FAILED ? errno : 0;
    }
    if (fd >= 0)
        close(fd);
    if (why != 0)
        return no_file(dir, bytes, why);
    *out = (char *)p + HEAD;
    return BONSAI_OK;
}

static void note(bn_memory *m, bool file, int64_t bytes)
{
    if (!m)
        return;
    int64_t *now = file ? &m->spilled : &m->used, *most = file ? &m->spilled_most : &m->most;
    *now += bytes;
    *most = *now > *most ? *now : *most;
}

bonsai_status bn_big_new(void **out, bn_memory *m, int64_t count, size_t item)
{
    bonsai_status rc;
    int64_t bytes, all;
    char *room = NULL;
    memcpy(out, &room, sizeof room);
    if (!bn_mul(&bytes, count, (int64_t)item) || !bn_add(&all, bytes, HEAD))
        return bn_no_room(count, item);
    bool file = m && bytes >= m->small && bytes > bn_memory_left(m);
    if (file)
        BN_TRY(map_file((void **)&room, bytes));
    else {
        BN_TRY(BN_NEW(&room, bytes + (int64_t)sizeof(head)));
        room += sizeof(head);
    }
    *head_of(room) = (head){.m = m, .bytes = bytes, .file = file};
    note(m, file, bytes);
    memcpy(out, &room, sizeof room);
done:
    return rc;
}

void bn_big_free(void *p)
{
    if (!p)
        return;
    head h = *head_of(p);
    note(h.m, h.file, -h.bytes);
    if (h.file)
        munmap((char *)p - HEAD, (size_t)(h.bytes + HEAD));
    else
        bn_free(head_of(p));
}

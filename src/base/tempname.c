/* tempname.c -- temporary names next to an output, and removal of those that dead processes left.
 *
 * A temporary name is NAME.tmp.bonsai- and twelve digits.  Its owner holds a lock on the file
 * (flock), which ends with the process, even on kill -9.  So the next process that writes NAME can
 * distinguish abandoned files from those that another process still writes; process numbers could
 * not, because they repeat and belong to one machine.  Where locks do not work, nothing is removed.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "tempname.h"

#define MARK ".tmp.bonsai-"
enum { DIGITS = 12, MOST_LINKS = 40, MOST_NAME = 200, MOST_PATH = 4000 };

int bn_fd_above(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), why = errno;
    close(fd);
    errno = why;
    return other;
}

/* Returns the length of the folder part of a path, including its slash. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* ---- links ---- */

/* Replaces *path by the target of the link at *path; sets *link to false if *path is not a link. */
static bonsai_status follow_once(char **path, bool *link)
{
    bonsai_status rc;
    char to[4096], *next = NULL;
    ssize_t len = readlink(*path, to, sizeof to - 1);
    *link = len > 0;
    if (!*link)
        return BONSAI_OK;
    to[len] = 0;
    int folder = *to == '/' ? 0 : folder_length(*path);
    BN_TRY(BN_NEW(&next, folder + len + 1));
    sprintf(next, "%.*s%s", folder, *path, to);
    bn_free(*path);
    *path = next;
done:
    return rc;
}

/* Follows links where stat fails as the system forbids following them, as in a shared /tmp. */
bonsai_status bn_follow(char **out, struct stat *st, const char *path)
{
    bonsai_status rc;
    bool link = true;
    memset(st, 0, sizeof *st);
    BN_TRY(bn_strdup(out, path));
    if (stat(path, st) != 0) {
        st->st_mode = 0;
        if (errno != ENOENT)
            rc = bn_fail_system(path, "cannot be written", errno);
    }
    for (int i = 0; rc == BONSAI_OK && link && i < MOST_LINKS; i++)
        BN_TRY(follow_once(out, &link));
    if (rc == BONSAI_OK && strlen(*out) >= MOST_PATH)
        rc = bn_fail_system(path, "cannot be written", ENAMETOOLONG);
done:
    return rc;
}

/* ---- names ---- */

void bn_tempname_retry(char *name)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    uint64_t x = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    x = (x ^ (uint64_t)getpid() << 32) * 0x9e3779b97f4a7c15u;
    snprintf(name + strlen(name) - DIGITS, DIGITS + 1, "%012llx", (unsigned long long)(x >> 16));
}

bonsai_status bn_tempname_new(char **out, const char *target)
{
    int folder = folder_length(target);
    const char *name = target + folder;
    bonsai_status rc = BN_NEW(out, folder + MOST_NAME + (int)sizeof MARK + DIGITS);
    if (rc != BONSAI_OK)
        return rc;
    sprintf(*out, "%.*s%.*s" MARK "%0*d", folder, target, MOST_NAME, name, DIGITS, 0);
    bn_tempname_retry(*out);
    return BONSAI_OK;
}

void bn_tempname_lock(int fd)
{
    (void)!flock(fd, LOCK_EX | LOCK_NB);
}

/* ---- cleaning ---- */

/* Returns whether a name is a temporary name of this target. */
static bool is_temporary(const char *name, const char *target)
{
    size_t len = strnlen(target, MOST_NAME), mark = strlen(MARK);
    return strncmp(name, target, len) == 0 && strncmp(name + len, MARK, mark) == 0 &&
           strspn(name + len + mark, "0123456789abcdef") == DIGITS && !name[len + mark + DIGITS];
}

/* Removes the files of an open folder, which may have temporary names themselves. */
void bn_tempname_empty(int fd, const char *const *names)
{
    int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = again >= 0 ? fdopendir(again) : NULL;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        for (const char *const *n = names; n && *n; n++)
            if (strcmp(e->d_name, *n) == 0 || is_temporary(e->d_name, *n))
                unlinkat(fd, e->d_name, 0);
    if (d)
        closedir(d);
}

static void clean_one(int folder, const char *name, const char *const *names)
{
    struct stat st;
    const int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = openat(folder, name, O_RDWR | flags);
    if (fd < 0)
        fd = openat(folder, name, O_RDONLY | flags);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            bn_tempname_empty(fd, names);
        unlinkat(folder, name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0);
    }
    close(fd);
}

void bn_tempname_clean(const char *target, const char *const *names)
{
    char folder[4096];
    int len = folder_length(target);
    snprintf(folder, sizeof folder, "%.*s", len ? len : 1, len ? target : ".");
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (is_temporary(e->d_name, target + len))
            clean_one(dirfd(d), e->d_name, names);
    if (d)
        closedir(d);
}

/* ---- rights ---- */

/* Gives fd the mode of st; if the group cannot be kept, it gets no more rights than everyone. */
void bn_keep_mode(int fd, const struct stat *st)
{
    mode_t mode = st->st_mode & 0777;
    if (fchown(fd, st->st_uid, st->st_gid) != 0 && fchown(fd, (uid_t)-1, st->st_gid) != 0)
        mode = (mode & 0707) | (mode & 07) << 3;
    (void)!fchmod(fd, mode);
}

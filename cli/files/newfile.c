/* newfile.c -- files that take their place when they are complete: rows, graphs, downloads.
 *
 * As in the library, a link leads to the file that is written, a file that is replaced keeps its
 * mode, and a temporary name is locked as long as its process lives; what a dead process left under
 * such a name is removed.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/files.h"

enum { MOST_LINKS = 40, MOST_NAME = 200, MOST_WRITERS = 100 };

static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

int path_follow(char to[MOST_PATH], const char *path)
{
    char link[MOST_PATH], next[2 * MOST_PATH];
    struct stat st;
    ssize_t len;
    if (stat(path, &st) != 0 && errno != ENOENT)        /* or the system forbids to follow it */
        return -1;
    snprintf(next, sizeof next, "%s", path);
    for (int i = 0; i < MOST_LINKS && strlen(next) < MOST_PATH &&
                    (len = readlink(next, link, sizeof link - 1)) > 0; i++) {
        link[len] = 0;
        int folder = *link == '/' ? 0 : folder_length(next);
        snprintf(next + folder, sizeof next - (size_t)folder, "%s", link);
    }
    errno = ENAMETOOLONG;
    return snprintf(to, MOST_PATH, "%s", next) < MOST_PATH ? 0 : -1;
}

void path_beside(char to[MOST_PATH + 32], const char *target, int writer)
{
    int folder = folder_length(target);
    snprintf(to, MOST_PATH + 32, "%.*s%.*s.tmp.bonsai-%012d", folder, target, MOST_NAME,
             target + folder, writer);
}

/* Removes a file whose process is dead; returns 0 if it is alive. */
static int remove_dead(const char *path)
{
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int dead = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && unlink(path) == 0;
    if (fd >= 0)
        close(fd);
    return dead;
}

int newfile_open(char temporary[MOST_PATH + 32], const char *target)
{
    struct stat st;
    mode_t mode = stat(target, &st) == 0 ? 0600 : 0666;
    for (int writer = 0; writer < MOST_WRITERS; writer++) {
        path_beside(temporary, target, writer);
        int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd < 0 && errno == EEXIST && remove_dead(temporary))
            fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            break;
        if (fd < 0)
            continue;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 ? fstat(fd, &st) == 0 && st.st_nlink > 0 : 1)
            return fd;
        close(fd);              /* another process took it for one without an owner */
    }
    temporary[0] = 0;
    return -1;
}

int path_replace(const char *from, const char *to)
{
    struct stat st = {0};
    if (stat(to, &st) == 0 && !S_ISREG(st.st_mode)) {   /* a rename would replace a device */
        errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
        return -1;
    }
    if (st.st_mode) {
        mode_t mode = st.st_mode & 0777;
        if (chown(from, st.st_uid, st.st_gid) != 0 && chown(from, (uid_t)-1, st.st_gid) != 0)
            mode = (mode & 0707) | (mode & 07) << 3;    /* not more for another group */
        if (chmod(from, mode) != 0)
            return -1;
    }
    return rename(from, to);
}

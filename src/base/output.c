/* output.c -- files that appear only when complete.
 *
 * Output is written to a nameless file if the file system supports it (O_TMPFILE), so that even
 * kill -9 leaves nothing behind; it has a temporary name only between its last byte and the rename.
 * Otherwise it has the temporary name from the start, and a failure removes it, or the next process
 * that writes the same file.
 *
 * An existing file keeps its mode, and a link leads to the file that is written.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tempname.h"

enum { BUFFER = 1 << 16, TRIES = 100 };

struct bn_out {
    char   *path;               /* as given, for error messages */
    char   *target, *temporary; /* target: where path leads to */
    struct stat before;         /* of the file to replace; st_mode 0: none */
    int     fd;
    bool    named;              /* temporary exists in its folder */
    int64_t written, buffered;
    uint8_t buffer[BUFFER];
};

static bonsai_status write_failed(const bn_out *o)
{
    return bn_fail_system(o->path, "cannot be written", errno);
}

/* Writes data at `at`, or after what was written before (-1). */
static bonsai_status write_all(bn_out *o, int64_t at, const uint8_t *data, int64_t len)
{
    for (int64_t done = 0; done < len;) {
        const size_t part = (size_t)bn_least(len - done, 1 << 30);
        ssize_t n = at < 0 ? write(o->fd, data + done, part)
                           : pwrite(o->fd, data + done, part, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return write_failed(o);
        done += n;
    }
    return BONSAI_OK;
}

static bonsai_status flush(bn_out *o)
{
    int64_t n = o->buffered;
    o->buffered = 0;
    return write_all(o, -1, o->buffer, n);
}

#ifdef O_TMPFILE
static int open_nameless(const char *target)
{
    const char *slash = strrchr(target, '/');
    char folder[4096] = ".";
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - target) + 1, target);
    if (access("/proc/self/fd", X_OK) != 0)         /* give_name needs it */
        return -1;
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}
#else
static int open_nameless(const char *target)
{
    (void)target;
    return -1;
}
#endif

/* Opens and locks the temporary file; before the lock, another process may take it for an abandoned
 * one and remove it. */
static bool open_named(bn_out *o)
{
    struct stat st = {0};
    const mode_t mode = o->before.st_mode ? 0600 : 0666;
    o->fd = bn_fd_above(open(o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (o->fd < 0)
        return false;
    bn_tempname_lock(o->fd);
    o->named = fstat(o->fd, &st) == 0 && st.st_nlink > 0;
    if (!o->named) {
        close(o->fd);
        o->fd = -1;
        errno = EEXIST;
    }
    return o->named;
}

static bonsai_status open_temporary(bn_out *o)
{
    o->fd = bn_fd_above(open_nameless(o->target));
    if (o->fd >= 0)
        bn_tempname_lock(o->fd);
    for (int i = 0; o->fd < 0 && i < TRIES && !open_named(o) && errno == EEXIST; i++)
        bn_tempname_retry(o->temporary);
    return o->fd < 0 ? write_failed(o) : BONSAI_OK;
}

static bonsai_status new_out(bn_out **out, const char *path)
{
    bonsai_status rc = BN_NEW(out, 1);
    if (rc != BONSAI_OK)
        return rc;
    (*out)->fd = -1;
    return bn_strdup(&(*out)->path, path);
}

bonsai_status bn_out_open(bn_out **out, const char *path)
{
    bonsai_status rc;
    bn_out *o = NULL;
    *out = NULL;
    BN_TRY(new_out(&o, path));
    BN_TRY(bn_follow(&o->target, &o->before, path));
    if (o->before.st_mode && !S_ISREG(o->before.st_mode)) { /* the rename would replace a device */
        rc = bn_fail_at(BONSAI_E_IO, path, "is %s, so no file can be written there",
                        S_ISDIR(o->before.st_mode) ? "a folder" : "a device or pipe");
        goto done;
    }
    BN_TRY(bn_tempname_new(&o->temporary, o->target));
    bn_tempname_clean(o->target, NULL);
    BN_TRY(open_temporary(o));
    *out = o;
    o = NULL;
done:
    bn_out_close(o);
    return rc;
}

void bn_out_like(bn_out *o, const char *path)
{
    if (stat(path, &o->before) != 0)
        o->before.st_mode = 0;
}

bonsai_status bn_out_write(bn_out *o, const void *data, int64_t len)
{
    bonsai_status rc = BONSAI_OK;
    o->written += len;
    if (len > BUFFER - o->buffered)
        BN_TRY(flush(o));
    if (len > BUFFER)
        BN_TRY(write_all(o, -1, data, len));
    else if (len > 0) {
        memcpy(o->buffer + o->buffered, data, (size_t)len);
        o->buffered += len;
    }
done:
    return rc;
}

bonsai_status bn_out_printf(bn_out *o, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof text)
        return bn_fail_at(BONSAI_E_IO, o->path, "a line is too long to be written");
    return bn_out_write(o, text, n);
}

int64_t bn_out_tell(const bn_out *o)
{
    return o->written;
}

bonsai_status bn_out_rewrite(bn_out *o, int64_t at, const void *data, int64_t len)
{
    bonsai_status rc = flush(o);
    return rc != BONSAI_OK ? rc : write_all(o, at, data, len);
}

/* Gives a nameless file its temporary name. */
static bonsai_status give_name(bn_out *o)
{
    char self[64];
    if (o->named)
        return BONSAI_OK;
    snprintf(self, sizeof self, "/proc/self/fd/%d", o->fd);
    for (int i = 0; i < TRIES && !o->named; i++) {
        bn_tempname_retry(o->temporary);
        o->named = linkat(AT_FDCWD, self, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW) == 0;
        if (!o->named && errno != EEXIST)
            break;
    }
    return o->named ? BONSAI_OK : write_failed(o);
}

bonsai_status bn_out_share(bn_out_place *at, bn_out *o, bool local)
{
    struct stat st;
    bonsai_status rc = local ? BONSAI_OK : give_name(o);
    if (rc != BONSAI_OK)
        return rc;
    if (fstat(o->fd, &st) != 0)
        return write_failed(o);
    at->id[0] = (int64_t)st.st_dev;
    at->id[1] = (int64_t)st.st_ino;
    int len = o->named ? snprintf(at->name, sizeof at->name, "%s", o->temporary)
                       : snprintf(at->name, sizeof at->name, "/proc/%ld/fd/%d", (long)getpid(),
                                  o->fd);
    return len < (int)sizeof at->name ? BONSAI_OK
                                      : bn_fail_at(BONSAI_E_IO, o->path, "the name is too long");
}

/* Returns whether the file is another one: device numbers differ between machines, and the same
 * name may lead to different files. */
static bool is_other(int fd, const bn_out_place *at)
{
    struct stat st;
    bool local = strncmp(at->name, "/proc/", 6) == 0;
    return fstat(fd, &st) != 0 || at->id[1] != (int64_t)st.st_ino ||
           (local && at->id[0] != (int64_t)st.st_dev);
}

bonsai_status bn_out_join(bn_out **out, const char *path, const bn_out_place *at)
{
    bonsai_status rc;
    bn_out *o = NULL;
    *out = NULL;
    BN_TRY(new_out(&o, path));
    o->fd = bn_fd_above(open(at->name, O_WRONLY | O_CLOEXEC | O_NONBLOCK));
    if (o->fd < 0)
        rc = bn_fail_system(at->name, "cannot be opened by all ranks", errno);
    else if (is_other(o->fd, at))
        rc = bn_fail_at(BONSAI_E_IO, at->name, "is another file on another rank");
    else {
        *out = o;
        o = NULL;
    }
done:
    bn_out_close(o);
    return rc;
}

bonsai_status bn_out_sync(bn_out *o)
{
    bonsai_status rc = flush(o);
    return rc == BONSAI_OK && fsync(o->fd) != 0 ? write_failed(o) : rc;
}

bonsai_status bn_out_commit(bn_out *o)
{
    bonsai_status rc;
    if (o->before.st_mode)
        bn_keep_mode(o->fd, &o->before);
    BN_TRY(bn_out_sync(o));
    BN_TRY(give_name(o));
    if (rename(o->temporary, o->target) != 0) {
        rc = write_failed(o);
        goto done;
    }
    o->named = false;
done:
    return rc;
}

void bn_out_close(bn_out *o)
{
    if (!o)
        return;
    if (o->named)
        unlink(o->temporary);
    if (o->fd >= 0)
        close(o->fd);
    bn_free(o->temporary);
    bn_free(o->target);
    bn_free(o->path);
    bn_free(o);
}

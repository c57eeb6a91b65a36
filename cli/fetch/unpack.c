/* unpack.c -- archives, unpacked strictly inside one folder.
 *
 * The archive's server is not trusted.  Every name is checked before the first
 * byte is written: absolute names, ".." and links are refused, and so is an
 * archive that unpacks to far more than its size.  Files go to a folder with a
 * temporary name, which is renamed when complete.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE             /* nftw, renameat2 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "fetch.h"

enum { MOST_ENTRIES = 10000, MOST_GROWTH = 32, MOST_NAME = 1024 };

typedef struct {
    session    *s;
    const char *path, *inside;
    char        to[MOST_PATH + 8];      /* the folder under its temporary name */
    zip_t      *zip;
    uint64_t    done, total;            /* bytes, unpacked */
    int         keep;                   /* the archive is not at fault */
} archive;

/* ---- folders ------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

void remove_folder(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int make_folders(session *s, const char *path)
{
    char part[MOST_PATH + MOST_NAME];
    size_t len = strlen(path);
    if (len >= sizeof part)
        return fail_with(s, "%.60s...: the name is too long", path);
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && path[i] != 0)
            continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        struct stat st;
        if (mkdir(part, 0777) == 0 || (errno == EEXIST && stat(part, &st) == 0 &&
                                       S_ISDIR(st.st_mode)))
            continue;
        return fail_with(s, "%s: cannot create the folder: %s; name another with --to", part,
                         errno == EEXIST ? "a file has that name" : strerror(errno));
    }
    return EXIT_DONE;
}

/* ---- checking the entries ------------------------------------------------ */

int zip_is_whole(const char *path)
{
    zip_t *z = zip_open(path, ZIP_RDONLY, NULL);
    int whole = z && zip_get_num_entries(z, 0) > 0;
    if (z)
        zip_discard(z);
    return whole;
}

/* Returns why a name may not be unpacked; NULL if it may. */
static const char *forbidden(const char *name)
{
    if (!*name || strlen(name) >= MOST_NAME)
        return "has no name, or one that is too long";
    if (*name == '/' || strchr(name, '\\') || strchr(name, ':'))
        return "has an absolute name, or one of another system";
    for (const char *c = name; c; c = strchr(c, '/')) {
        c += *c == '/';
        if (strncmp(c, "..", 2) == 0 && (c[2] == '/' || !c[2]))
            return "would leave the folder";
    }
    return NULL;
}

static int is_link(zip_t *z, zip_uint64_t i)
{
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    if (zip_file_get_external_attributes(z, i, 0, &system, &attributes) != 0)
        return 0;
    mode_t kind = attributes >> 16 & S_IFMT;
    return system == ZIP_OPSYS_UNIX && kind && kind != S_IFREG && kind != S_IFDIR;
}

/* Returns the part of a name after the folder `inside`; NULL for names outside and for the folder.
 * */
static const char *behind(const archive *a, const char *name)
{
    size_t len = strlen(a->inside);
    return strncmp(name, a->inside, len) == 0 && name[len] == '/' && name[len + 1]
               ? name + len + 1 : NULL;
}

static int refuse_entry(const archive *a, const char *why)
{
    return fail_with(a->s, "%s: an entry %s, so nothing was unpacked: this is not the published "
                     "archive; name another server with --base-url", a->path, why);
}

static int look_at_names(archive *a)
{
    zip_int64_t count = zip_get_num_entries(a->zip, 0);
    struct stat file;
    int found = 0;
    if (count > MOST_ENTRIES)
        return refuse_entry(a, "is one of too many");
    for (zip_uint64_t i = 0; i < (zip_uint64_t)count; i++) {
        zip_stat_t st;
        zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE;
        if (zip_stat_index(a->zip, i, 0, &st) != 0 || (st.valid & needed) != needed)
            return refuse_entry(a, "cannot be read");
        const char *why = is_link(a->zip, i) ? "is a link" : forbidden(st.name);
        if (why)
            return refuse_entry(a, why);
        found |= behind(a, st.name) != NULL;
        if (st.size > INT64_MAX / MOST_ENTRIES)
            return refuse_entry(a, "is far too large");
        a->total += st.size;
    }
    if (!found)
        return fail_with(a->s, "%s: there is no folder %s in it, so nothing was unpacked; name "
                         "another server with --base-url", a->path, a->inside);
    if (stat(a->path, &file) == 0 && a->total / MOST_GROWTH > (uint64_t)file.st_size)
        return fail_with(a->s, "%s: would unpack to more than %d times its size, so nothing was "
                         "unpacked: this is not the published archive", a->path, MOST_GROWTH);
    return EXIT_DONE;
}

/* ---- unpacking ----------------------------------------------------------- */

static int tick(archive *a)
{
    bonsai_progress now = {sizeof now, "unpack", a->done, a->total, NULL};
    return progress_tick(&now, &a->s->progress);
}

/* Unpacks one file; fails unless its size and its checksum, which libzip compares, match. */
static int copy(archive *a, zip_file_t *from, int to, const char *name, uint64_t size)
{
    char buffer[65536];
    zip_int64_t n;
    while ((n = zip_fread(from, buffer, sizeof buffer)) > 0) {
        size -= (uint64_t)n <= size ? (uint64_t)n : size + 1;
        if (size == UINT64_MAX)
            break;
        for (zip_int64_t at = 0; at < n;) {
            ssize_t put = write(to, buffer + at, (size_t)(n - at));
            a->keep = put < 0;
            if (put < 0)
                return fail_with(a->s, "%s: cannot be written: %s; make room and run the same "
                                 "command again: %s is kept", name, strerror(errno), a->path);
            at += put;
        }
        a->done += (uint64_t)n;
        a->keep = tick(a);
        if (a->keep)
            return fail_with(a->s, "canceled; %s is kept; the same command continues from it",
                             a->path);
    }
    if (n != 0 || size != 0)
        return fail_with(a->s, "%s: is damaged at %s; it was removed: run the same command again",
                         a->path, name);
    return EXIT_DONE;
}

static int unpack_one(archive *a, zip_uint64_t i, const zip_stat_t *st)
{
    char path[MOST_PATH + MOST_NAME + 16];
    const char *name = behind(a, st->name);
    int code, length = name ? snprintf(path, sizeof path, "%s/%s", a->to, name) : 0;
    if (!name)
        return EXIT_DONE;
    char *end = path[length - 1] == '/' ? path + length - 1 : strrchr(path, '/');
    int folder = !end[1];
    *end = 0;
    if ((code = make_folders(a->s, path)) != EXIT_DONE || folder)
        return code;
    *end = '/';
    zip_file_t *from = zip_fopen_index(a->zip, i, 0);
    if (!from)
        return fail_with(a->s, "%s: %s in it cannot be read: %s; it was removed: run the same "
                         "command again", a->path, name, zip_strerror(a->zip));
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
    if (to < 0)
        code = fail_with(a->s, "%s: cannot be written: %s", path, strerror(errno));
    else
        code = copy(a, from, to, path, st->size);
    if (code == EXIT_DONE && fsync(to) != 0)
        code = fail_with(a->s, "%s: cannot be written: %s", path, strerror(errno));
    if (to >= 0 && close(to) != 0 && code == EXIT_DONE)
        code = fail_with(a->s, "%s: cannot be written: %s", path, strerror(errno));
    zip_fclose(from);
    return code;
}

static int unpack_all(archive *a)
{
    zip_int64_t count = zip_get_num_entries(a->zip, 0);
    int code = make_folders(a->s, a->to);
    for (zip_uint64_t i = 0; i < (zip_uint64_t)count && code == EXIT_DONE; i++) {
        zip_stat_t st;
        code = zip_stat_index(a->zip, i, 0, &st) == 0 ? unpack_one(a, i, &st)
                                                      : refuse_entry(a, "cannot be read");
    }
    return code;
}

/* Puts the new folder in place: exchanges it with an existing one in one step, or where the file
 * system cannot, renames the old one first; then removes the old one. */
static int put_in_place(archive *a, const char *to)
{
    char old[MOST_PATH + 8];
    if (renameat2(AT_FDCWD, a->to, AT_FDCWD, to, RENAME_EXCHANGE) == 0) {
        remove_folder(a->to);
        return EXIT_DONE;
    }
    snprintf(old, sizeof old, "%s.XXXXXX", to);
    if (!mkdtemp(old))
        return fail_with(a->s, "%s: cannot be written: %s", to, strerror(errno));
    int had = rename(to, old) == 0;
    if (rename(a->to, to) == 0) {
        remove_folder(old);
        return EXIT_DONE;
    }
    int error = errno;
    if (!had)
        rmdir(old);
    else if (rename(old, to) != 0)
        return fail_with(a->s, "%s: cannot be replaced: %s; its old contents are in %s", to,
                         strerror(error), old);
    return fail_with(a->s, "%s: cannot be written: %s", to, strerror(error));
}

int unpack(session *s, const char *path, const char *inside, const char *to)
{
    archive a = {.s = s, .path = path, .inside = inside};
    int error = 0, code;
    snprintf(a.to, sizeof a.to, "%s.part", to);
    a.zip = zip_open(path, ZIP_RDONLY, &error);
    if (!a.zip) {
        unlink(path);
        return fail_with(s, "%s: is not an archive, or is damaged; it was removed: run the same "
                         "command again", path);
    }
    remove_folder(a.to);
    code = look_at_names(&a);
    if (code == EXIT_DONE)
        code = unpack_all(&a);
    zip_discard(a.zip);
    if (code == EXIT_DONE)
        code = put_in_place(&a, to);
    if (code != EXIT_DONE)
        remove_folder(a.to);
    if (!a.keep)
        unlink(path);
    return code;
}

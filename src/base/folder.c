/* folder.c -- folders of files that appear together.
 *
 * A folder is written next to its final name and then renamed.  If a folder is there already, both
 * change places in one step (RENAME_EXCHANGE), and the old one is removed: a process that is killed
 * leaves the old folder or the new one, never some files of each.  Where the file system cannot do
 * that, the old folder is first renamed to NAME.bonsai-old; if the process dies before the next
 * step, bn_folder_recover puts it back.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tempname.h"

#define OLD ".bonsai-old"
enum { MOST_FILES = 8, TRIES = 100 };

struct bn_folder {
    char       *path;           /* as given, for error messages */
    char       *target, *temporary;     /* temporary: NULL if the folder is only filled */
    const char *const *names;
    struct stat before;         /* of the folder at target; st_mode 0: none */
    int         fd;             /* of the temporary folder */
    bn_out     *file[MOST_FILES];
};

static bonsai_status write_failed(const bn_folder *f)
{
    return bn_fail_system(f->path, "cannot be written", errno);
}

/* ---- a folder that was moved away ---- */

static bonsai_status old_name(char **out, const char *target)
{
    bonsai_status rc = BN_NEW(out, (int64_t)(strlen(target) + sizeof OLD));
    if (rc == BONSAI_OK)
        sprintf(*out, "%s" OLD, target);
    return rc;
}

/* Follows path, without its last slashes. */
static bonsai_status find_target(char **target, struct stat *st, char **plain, const char *path)
{
    bonsai_status rc;
    BN_TRY(bn_strdup(plain, path));
    for (size_t len = strlen(*plain); len > 1 && (*plain)[len - 1] == '/';)
        (*plain)[--len] = 0;
    BN_TRY(bn_follow(target, st, *plain));
done:
    return rc;
}

bonsai_status bn_folder_recover(const char *path)
{
    bonsai_status rc;
    char *plain = NULL, *target = NULL, *old = NULL;
    struct stat st;
    BN_TRY(find_target(&target, &st, &plain, path));
    BN_TRY(old_name(&old, target));
    if (!st.st_mode && bn_is_dir(old))
        rename(old, target);
done:
    bn_free(plain);
    bn_free(target);
    bn_free(old);
    return rc == BONSAI_E_IO ? BONSAI_OK : rc;  /* the caller reports that by another error */
}

/* ---- opening ---- */

/* Finds the name of a file in the folder that is not one of f->names; false: none. */
static bool find_other(char *other, size_t size, const bn_folder *f)
{
    struct stat st;
    DIR *d = opendir(f->target);
    *other = 0;
    for (struct dirent *e; d && !*other && (e = readdir(d)) != NULL;) {
        const char *const *n = f->names;
        while (*n && strcmp(e->d_name, *n) != 0)
            n++;
        bool file = *n && fstatat(dirfd(d), *n, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                    S_ISREG(st.st_mode);
        if (!file && strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            snprintf(other, size, "%s", e->d_name);
    }
    if (d)
        closedir(d);
    return *other;
}

/* Fails if the folder cannot be replaced as a whole. */
static bonsai_status check_whole(const bn_folder *f)
{
    char other[256];
    struct stat here;
    if (find_other(other, sizeof other, f))
        return bn_fail_at(BONSAI_E_IO, f->path, "holds a graph and also \"%s\", so it cannot be "
                          "replaced as a whole: name another folder, or empty this one first",
                          other);
    if (stat(".", &here) == 0 && here.st_dev == f->before.st_dev &&
        here.st_ino == f->before.st_ino)
        return bn_fail_at(BONSAI_E_IO, f->path, "is the current folder, which cannot be replaced "
                          "as a whole: name another folder, or empty this one first");
    return BONSAI_OK;
}

/* Makes the temporary folder; as with a file, another process may remove it before it is locked. */
static bool make(bn_folder *f)
{
    struct stat a = {0}, b = {0};
    if (mkdir(f->temporary, f->before.st_mode ? 0700 : 0777) != 0)
        return false;
    f->fd = bn_fd_above(open(f->temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (f->fd >= 0) {
        bn_tempname_lock(f->fd);
        if (fstat(f->fd, &a) == 0 && lstat(f->temporary, &b) == 0 && a.st_ino == b.st_ino)
            return true;
        close(f->fd);
        f->fd = -1;
    }
    rmdir(f->temporary);
    errno = EEXIST;
    return false;
}

static bonsai_status make_temporary(bn_folder *f)
{
    bonsai_status rc;
    bool made = false;
    BN_TRY(bn_tempname_new(&f->temporary, f->target));
    for (int i = 0; !(made = make(f)) && errno == EEXIST && i < TRIES; i++)
        bn_tempname_retry(f->temporary);
    if (!made)
        rc = bn_fail_system(f->path, "the folder cannot be created", errno);
done:
    return rc;
}

bonsai_status bn_folder_open(bn_folder **out, const char *path, const char *const *names,
                             bool replace)
{
    bonsai_status rc;
    bn_folder *f = NULL;
    *out = NULL;
    BN_TRY(BN_NEW(&f, 1));
    f->fd = -1;
    f->names = names;
    BN_TRY(find_target(&f->target, &f->before, &f->path, path));
    if (!*path || (f->before.st_mode && !S_ISDIR(f->before.st_mode))) {
        rc = bn_fail_at(BONSAI_E_IO, path, "%s, so no folder can be written there",
                        *path ? "exists and is not a folder" : "the name is empty");
        goto done;
    }
    if (f->before.st_mode && replace)
        BN_TRY(check_whole(f));
    bn_tempname_clean(f->target, f->names);
    if (!f->before.st_mode || replace)
        BN_TRY(make_temporary(f));
    *out = f;
    f = NULL;
done:
    bn_folder_close(f);
    return rc;
}

bonsai_status bn_folder_file(bn_out **out, bn_folder *f, int i)
{
    bonsai_status rc;
    char *path = NULL, *before = NULL;
    BN_TRY(bn_path_join(&path, f->temporary ? f->temporary : f->target, f->names[i]));
    BN_TRY(bn_path_join(&before, f->target, f->names[i]));
    BN_TRY(bn_out_open(&f->file[i], path));
    bn_out_like(f->file[i], before);
    *out = f->file[i];
done:
    bn_free(path);
    bn_free(before);
    return rc;
}

/* ---- putting it in place ---- */

static void remove_folder(const char *path, const char *const *names)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    bn_tempname_empty(fd, names);
    close(fd);
    rmdir(path);
}

/* Renames in two steps, for file systems that cannot exchange. */
static bonsai_status move_away_and_in(bn_folder *f)
{
    bonsai_status rc;
    char *old = NULL;
    BN_TRY(old_name(&old, f->target));
    remove_folder(old, f->names);       /* from a process that died after the second step */
    if (rename(f->target, old) != 0) {
        rc = write_failed(f);
    } else if (rename(f->temporary, f->target) != 0) {
        rc = write_failed(f);
        rename(old, f->target);
    } else {
        remove_folder(old, f->names);
    }
done:
    bn_free(old);
    return rc;
}

static bonsai_status put_in_place(bn_folder *f)
{
    if (fsync(f->fd) != 0)
        return write_failed(f);
    if (!f->before.st_mode)
        return rename(f->temporary, f->target) == 0 ? BONSAI_OK : write_failed(f);
    bn_keep_mode(f->fd, &f->before);
    if (renameat2(AT_FDCWD, f->temporary, AT_FDCWD, f->target, RENAME_EXCHANGE) == 0)
        return BONSAI_OK;
    return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP ? move_away_and_in(f)
                                                                  : write_failed(f);
}

bonsai_status bn_folder_commit(bn_folder *f)
{
    bonsai_status rc = BONSAI_OK;
    int last = 0;
    while (f->names[last + 1])
        last++;
    for (int i = last; i >= 0; i--)
        if (f->file[i])
            BN_TRY(bn_out_commit(f->file[i]));
    if (f->temporary)
        BN_TRY(put_in_place(f));
done:
    return rc;
}

/* Removes the temporary folder: after a commit, that is the old folder, if any. */
void bn_folder_close(bn_folder *f)
{
    if (!f)
        return;
    for (int i = 0; i < MOST_FILES; i++)
        bn_out_close(f->file[i]);
    if (f->fd >= 0)
        remove_folder(f->temporary, f->names);
    if (f->fd >= 0)
        close(f->fd);
    bn_free(f->temporary);
    bn_free(f->target);
    bn_free(f->path);
    bn_free(f);
}

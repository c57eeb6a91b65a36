/* files.c -- paths: their sizes, and whether they can be written.
 *
 * A graph may be one file, a folder, or several files that share a beginning
 * (ind.cora.x, ind.cora.y, ...).
 *
 * SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700       /* nftw */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/files.h"

const char *path_without_format(const char *path)
{
    for (int i = 0; bonsai_format_name(i); i++) {
        size_t len = strlen(bonsai_format_name(i));
        if (strncmp(path, bonsai_format_name(i), len) == 0 && path[len] == ':')
            return path + len + 1;
    }
    return path;
}

int path_ends_with(const char *path, const char *end)
{
    size_t a = strlen(path), b = strlen(end);
    return a >= b && strcmp(path + a - b, end) == 0;
}

int path_is_native(const char *path)
{
    return strncmp(path, "bonsai:", 7) == 0 ||
           (path_without_format(path) == path && path_ends_with(path, ".bonsai"));
}

static int64_t walked;          /* nftw has no payload */

static int add_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)path;
    (void)at;
    if (type == FTW_F)
        walked += st->st_size;
    return 0;
}

/* Returns the bytes of the files whose names begin with path and a dot; -1 without any. */
static int64_t prefix_bytes(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t len = strlen(name);
    int64_t sum = -1;
    struct stat st;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (strncmp(e->d_name, name, len) == 0 && e->d_name[len] == '.' &&
            fstatat(dirfd(d), e->d_name, &st, 0) == 0)
            sum = (sum < 0 ? 0 : sum) + st.st_size;
    if (d)
        closedir(d);
    return sum;
}

int64_t path_bytes(const char *path)
{
    struct stat st;
    path = path_without_format(path);
    if (stat(path, &st) != 0)
        return prefix_bytes(path);
    if (!S_ISDIR(st.st_mode))
        return st.st_size;
    walked = 0;
    return nftw(path, add_file, 16, FTW_PHYS) == 0 ? walked : -1;
}

int64_t summary_file_bytes(summary *r, const char *key, const char *label, const char *path)
{
    errno = 0;
    int64_t bytes = path_bytes(path);
    r->broken |= bytes < 0 && errno == ENOMEM;
    summary_int(r, key, label, bytes);
    return bytes;
}

static int can_write(const char *path, const char *plain)
{
    size_t len = (size_t)(plain - path) - 1;
    for (int i = 0; bonsai_format_name(i); i++)
        if (strlen(bonsai_format_name(i)) == len && strncmp(bonsai_format_name(i), path, len) == 0)
            return bonsai_format_writes(i);
    return 0;
}

/* Returns 1 if files can be created in the folder of path; checked before the work. */
static int folder_can_be_written(session *s, const char *path, const char *plain)
{
    char folder[MOST_PATH], target[MOST_PATH];
    snprintf(folder, sizeof folder, "%s", plain);
    for (size_t last = strlen(folder); last > 1 && folder[last - 1] == '/';)
        folder[--last] = 0;
    if (path_follow(target, folder) != 0)
        snprintf(target, sizeof target, "%s", folder);      /* access says why */
    const char *slash = strrchr(target, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - target) + 1 : 1,
             slash ? target : ".");
    if (access(folder, W_OK | X_OK) == 0)
        return 1;
    fail_with(s, "%s: cannot be written: folder %s: %s", path, folder, strerror(errno));
    return 0;
}

int path_can_be_written(session *s, const char *path)
{
    struct stat st;
    const char *plain = path_without_format(path);
    if (s->mute)                /* another process writes it, perhaps on another machine */
        return 1;
    if (plain != path && !can_write(path, plain)) {
        fail_with(s, "%s: graphs cannot be written in this format", path);
        return 0;
    }
    int is_folder = stat(plain, &st) == 0 && S_ISDIR(st.st_mode);
    if (plain == path && !is_folder && !path_ends_with(path, ".bonsai") &&
        !path_ends_with(path, ".npz") && !path_ends_with(path, "/")) {
        fail_with(s, "%s: name a .bonsai or .npz file, or a folder ending in /", path);
        return 0;
    }
    return folder_can_be_written(s, path, plain);
}

int file_can_be_written(session *s, const char *path)
{
    struct stat st;
    int is_there = stat(path, &st) == 0;
    if (s->mute)
        return 1;
    if (path_ends_with(path, "/") || (is_there && S_ISDIR(st.st_mode))) {
        fail_with(s, "%s: is a folder", path);
        return 0;
    }
    return (is_there && !S_ISREG(st.st_mode)) || folder_can_be_written(s, path, path);
}

int path_is_same(const char *a, const char *b)
{
    struct stat x, y;
    a = path_without_format(a);
    b = path_without_format(b);
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int path_with_suffix(char *to, const char *name, const char *suffix, int len)
{
    static const char *const endings[] = {".bonsai", ".npz", "/"};
    const char *ending = path_without_format(name) == name ? ".bonsai" : "";
    size_t stem = strlen(name);
    for (int i = 0; i < 3; i++) {
        size_t tail = strlen(endings[i]);
        if (stem > tail && path_ends_with(name, endings[i])) {
            ending = endings[i];
            stem -= tail;
            break;
        }
    }
    return snprintf(to, MOST_PATH, "%.*s-%.*s%s", (int)stem, name, len, suffix, ending) < MOST_PATH;
}

int file_text(session *s, char **text, const char *path)
{
    size_t room = 0;
    int code = EXIT_DONE;
    *text = NULL;
    errno = 0;
    FILE *f = fopen(path, "r");
    const ssize_t length = f ? getdelim(text, &room, 0, f) : -1;
    if (length < 0 && (!f || !feof(f)))
        code = fail_with(s, "%s: cannot be read: %s", path, strerror(errno));
    else if (!*text)
        code = fail_with(s, "%s: there is not enough memory to read it", path);
    else if (length < 0)
        **text = 0;                             /* it is empty */
    if (f)
        fclose(f);
    return code;
}

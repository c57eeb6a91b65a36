/* zip.c -- reads members of a zip archive as NumPy arrays, inflating on the fly.
 *
 * libzip reads the directory and inflates.  What the file claims is checked first, so a small file
 * cannot make us allocate much memory: deflate cannot compress by more than a factor of 1032, and
 * an array must have the size that its header gives.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zip.h>
#include <zlib.h>

#include "npy.h"

enum { RATIO = 1100, SLACK = 4096, NAME_MAX_LEN = 128, TICK = 1 << 22 };

static bonsai_status zip_failed(const char *where, zip_error_t *e)
{
    /* A failure without a reason is a failed allocation that libzip did not report. */
    const int code = zip_error_code_zip(e);
    const bool zlib = code == ZIP_ER_ZLIB && zip_error_code_system(e) == Z_MEM_ERROR;
    if (code == ZIP_ER_MEMORY || code == ZIP_ER_OK || code == ZIP_ER_NOZIP || zlib)
        return bn_fail(BONSAI_E_MEMORY, "out of memory: no room to unzip %s", where);
    return bn_fail_at(BONSAI_E_FORMAT, where, "cannot be unzipped: %s", zip_error_strerror(e));
}

/* Fails with the reason why the archive does not open. */
static bonsai_status not_opened(const char *path, zip_error_t *e)
{
    switch (zip_error_code_zip(e)) {
    case ZIP_ER_NOZIP:
        if (errno != ENOMEM)
            return bn_fail_at(BONSAI_E_FORMAT, path, "is not a zip archive, or its end is missing");
        break;
    case ZIP_ER_EXISTS:
        return bn_fail_at(BONSAI_E_FORMAT, path, "has two members of one name");
    case ZIP_ER_INCONS:
        return bn_fail_at(BONSAI_E_FORMAT, path, "is damaged: its members are not those that its "
                          "end lists");
    default:
        break;
    }
    return zip_failed(path, e);
}

/* Opens the archive over the mapped bytes, which libzip only reads.  A name that differs between a
 * member and the list at the end would hide the member, so both are compared. */
static bonsai_status open_archive(bn_zip *z)
{
    bonsai_status rc = BONSAI_OK;
    zip_error_t e;
    zip_error_init(&e);
    errno = 0;                  /* libzip may take a failed allocation for a missing end */
    zip_source_t *source = zip_source_buffer_create(z->file.data, (zip_uint64_t)z->file.len, 0, &e);
    if (source)
        z->archive = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &e);
    if (!z->archive) {
        zip_source_free(source);
        rc = not_opened(z->path, &e);
    }
    zip_error_fini(&e);
    return rc;
}

/* Fails if a name occurs twice: the second member would be hidden. */
static bonsai_status check_names(bn_zip *z)
{
    zip_int64_t members = zip_get_num_entries(z->archive, 0);
    for (zip_int64_t i = 0; i < members; i++) {
        zip_stat_t st;
        if (zip_stat_index(z->archive, (zip_uint64_t)i, 0, &st) != 0)
            return zip_failed(z->path, zip_get_error(z->archive));
        if (!st.name || zip_name_locate(z->archive, st.name, 0) != i)
            return bn_fail_at(BONSAI_E_FORMAT, z->path, "has two members \"%.100s\"",
                              st.name ? st.name : "");
        if (st.size > INT64_MAX / 4 || !bn_add(&z->total, z->total, (int64_t)st.size))
            return bn_fail_at(BONSAI_E_FORMAT, z->path, "member \"%.100s\" says it has %llu bytes",
                              st.name, (unsigned long long)st.size);
    }
    return BONSAI_OK;
}

bonsai_status bn_zip_open(bn_zip *z, const char *path, bn_progress p)
{
    bonsai_status rc;
    memset(z, 0, sizeof *z);
    z->path = path;
    z->progress = p;
    BN_TRY(bn_file_open(&z->file, path));
    if (z->file.len == 0) {
        rc = bn_fail_at(BONSAI_E_FORMAT, path, "is empty");
        goto done;
    }
    BN_TRY(open_archive(z));
    BN_TRY(check_names(z));
    BN_TRY(bn_tick(p, "reading", 0, z->total));
done:
    if (rc != BONSAI_OK)
        bn_zip_close(z);
    return rc;
}

void bn_zip_close(bn_zip *z)
{
    if (z->archive)
        zip_discard(z->archive);
    z->archive = NULL;
    bn_file_close(&z->file);
}

static zip_int64_t locate(const bn_zip *z, const char *name)
{
    char full[NAME_MAX_LEN];
    snprintf(full, sizeof full, "%s.npy", name);
    return zip_name_locate(z->archive, full, 0);
}

bool bn_zip_has(const bn_zip *z, const char *name)
{
    return locate(z, name) >= 0;
}

bool bn_zip_name(char *out, size_t room, const bn_zip *z, int64_t i)
{
    const char *name = i < zip_get_num_entries(z->archive, 0)
                           ? zip_get_name(z->archive, (zip_uint64_t)i, 0) : NULL;
    size_t len = name ? strlen(name) : 0;
    if (len > 4 && strcmp(name + len - 4, ".npy") == 0)
        len -= 4;
    snprintf(out, room, "%.*s", (int)(len < room ? len : room - 1), name ? name : "");
    return name != NULL;
}

void bn_zip_names(char *out, size_t room, const bn_zip *z)
{
    char name[41];
    size_t len = 0;
    out[0] = 0;
    for (int64_t i = 0; len + 1 < room && bn_zip_name(name, sizeof name, z, i); i++) {
        int more = snprintf(out + len, room - len, "%s%s", i ? ", " : "", name);
        len += more > 0 ? (size_t)more : 0;
    }
}

bonsai_status bn_zip_done(bn_zip *z)
{
    return bn_tick(z->progress, "reading", z->total, z->total);
}

/* Fails if what the archive says about a member is not possible, or not read here. */
static bonsai_status check_member(const char *where, const bn_zip *z, const zip_stat_t *st)
{
    const zip_uint64_t all = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    bool stored = st->comp_method == ZIP_CM_STORE;
    if ((st->valid & all) != all || st->comp_size > (zip_uint64_t)z->file.len)
        return bn_fail_at(BONSAI_E_FORMAT, where, "its size in the archive is not possible");
    if (st->encryption_method != ZIP_EM_NONE)
        return bn_fail_at(BONSAI_E_FORMAT, where, "is encrypted");
    if (!stored && st->comp_method != ZIP_CM_DEFLATE)
        return bn_fail_at(BONSAI_E_FORMAT, where, "is compressed by method %d; stored and deflated "
                          "members are read", st->comp_method);
    if (stored ? st->size != st->comp_size : st->size / RATIO > st->comp_size + SLACK / RATIO)
        return bn_fail_at(BONSAI_E_FORMAT, where, "says that %llu bytes unzip to %llu, which is "
                          "not possible", (unsigned long long)st->comp_size,
                          (unsigned long long)st->size);
    return BONSAI_OK;
}

/* Opens a member of the archive; the caller closes a.  *len: its bytes. */
static bonsai_status open_member(bn_npy *a, int64_t *len, bn_zip *z, zip_int64_t index)
{
    bonsai_status rc;
    zip_stat_t st;
    if (zip_stat_index(z->archive, (zip_uint64_t)index, 0, &st) != 0)
        return zip_failed(a->where, zip_get_error(z->archive));
    BN_TRY(check_member(a->where, z, &st));
    *len = (int64_t)st.size;
    a->member = zip_fopen_index(z->archive, (zip_uint64_t)index, 0);
    if (!a->member)
        rc = zip_failed(a->where, zip_get_error(z->archive));
done:
    return rc;
}

bonsai_status bn_zip_array(bn_npy *a, bn_zip *z, const char *name)
{
    bonsai_status rc;
    int64_t len;
    *a = (bn_npy){.zip = z};
    snprintf(a->where, sizeof a->where, "%.600s:%s", z->path, name);
    const zip_int64_t index = locate(z, name);
    if (index < 0)
        return bn_fail_at(BONSAI_E_FORMAT, z->path, "has no array \"%s\"", name);
    BN_TRY(open_member(a, &len, z, index));
    BN_TRY(bn_npy_header(a, len));
done:
    if (rc != BONSAI_OK)
        bn_npy_close(a);
    return rc;
}

/* Returns the member whose name is name or ends with "/name"; -1 if there is none. */
static zip_int64_t locate_ending(const bn_zip *z, const char *name)
{
    const zip_int64_t members = zip_get_num_entries(z->archive, 0);
    for (zip_int64_t i = 0; i < members; i++) {
        const char *full = zip_get_name(z->archive, (zip_uint64_t)i, 0);
        const size_t len = full ? strlen(full) : 0, ending = strlen(name);
        if (len >= ending && strcmp(full + len - ending, name) == 0 &&
            (len == ending || full[len - ending - 1] == '/'))
            return i;
    }
    return -1;
}

bonsai_status bn_zip_member(uint8_t **out, int64_t *len, bn_zip *z, const char *name)
{
    bonsai_status rc;
    bn_npy a = {.zip = z};
    *out = NULL;
    snprintf(a.where, sizeof a.where, "%.600s:%s", z->path, name);
    const zip_int64_t index = locate_ending(z, name);
    if (index < 0)
        return bn_fail_at(BONSAI_E_FORMAT, z->path, "has no member \"%s\"", name);
    BN_TRY(open_member(&a, len, z, index));
    BN_TRY(BN_NEW(out, *len));
    BN_TRY(bn_zip_pull(&a, *out, *len));
    BN_TRY(bn_zip_end(&a));
done:
    bn_npy_close(&a);
    if (rc != BONSAI_OK) {
        bn_free(*out);
        *out = NULL;
    }
    return rc;
}

bonsai_status bn_zip_pull(bn_npy *a, void *to, int64_t len)
{
    bonsai_status rc = BONSAI_OK;
    bn_zip *z = a->zip;
    for (int64_t got = 0; got < len;) {
        zip_int64_t n = zip_fread(a->member, (char *)to + got, (zip_uint64_t)(len - got));
        if (n < 0)
            return zip_failed(a->where, zip_file_get_error(a->member));
        if (n == 0)
            return bn_fail_at(BONSAI_E_FORMAT, a->where, "is shorter than the archive says");
        got += n;
    }
    int64_t before = z->done;
    z->done += len;
    if (before / TICK != z->done / TICK && z->done < z->total)
        BN_TRY(bn_tick(z->progress, "reading", z->done, z->total));
done:
    return rc;
}

/* Fails if bytes follow; libzip compares the checksum when it reaches the end. */
bonsai_status bn_zip_end(bn_npy *a)
{
    char extra;
    zip_int64_t n = zip_fread(a->member, &extra, 1);
    if (n < 0)
        return zip_failed(a->where, zip_file_get_error(a->member));
    if (n > 0)
        return bn_fail_at(BONSAI_E_FORMAT, a->where, "is longer than the archive says");
    return BONSAI_OK;
}

void bn_npy_close(bn_npy *a)
{
    if (a->member)
        zip_fclose(a->member);
    a->member = NULL;
    bn_file_close(&a->file);
}

/* csv.c -- files of rows, which appear only when complete.
 *
 * A pipe or a device is written directly: there is nothing to rename.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/files.h"
#include "json.h"

static int failed(session *s, csv *out)
{
    int code = fail_with(s, "%s: cannot be written: %s", out->path,
                         errno ? strerror(errno) : "write error");
    if (out->temporary[0])
        unlink(out->temporary);
    return code;
}

int csv_begin(session *s, csv *out, const char *path)
{
    struct stat st;
    int fd = -1;
    *out = (csv){.file = stdout, .path = path};
    progress_clear(&s->progress);
    if (!path)
        return EXIT_DONE;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        out->file = fopen(path, "w");
        return out->file ? EXIT_DONE : failed(s, out);
    }
    if (path_follow(out->target, path) == 0)
        fd = newfile_open(out->temporary, out->target);
    if (fd < 0)
        return failed(s, out);
    out->file = fdopen(fd, "w");
    if (out->file)
        return EXIT_DONE;
    close(fd);
    return failed(s, out);
}

/* Writes a text; what steers a terminal or splits a row becomes a space. */
void csv_text(csv *out, const char *text)
{
    int quoted = strpbrk(text, ",\"") != NULL || *text == ' ';
    if (quoted)
        fputc('"', out->file);
    for (int bytes; *text; text += bytes ? bytes : 1) {
        uint32_t code = 0;
        bytes = bn_utf8_decode(&code, (const uint8_t *)text, 4);
        if (*text == '"')
            fputc('"', out->file);
        if (bytes == 0 || bn_utf8_is_harmful(code))
            fputc(' ', out->file);
        else
            fwrite(text, 1, (size_t)bytes, out->file);
    }
    if (quoted)
        fputc('"', out->file);
}

int csv_end(session *s, csv *out)
{
    if (!out->path)
        return EXIT_DONE;                       /* main flushes and checks stdout */
    errno = 0;
    int bad = fflush(out->file) != 0 || ferror(out->file) ||
              (out->temporary[0] && (fsync(fileno(out->file)) != 0 ||
                                     path_replace(out->temporary, out->target) != 0));
    int why = errno;
    if (fclose(out->file) != 0 && !bad) {       /* it held the lock of the temporary name */
        bad = 1;
        why = errno;
    }
    errno = why;
    return bad ? failed(s, out) : EXIT_DONE;
}

/* cellfile.c -- the file that a comparison leaves its cells in, and goes on from.
 *
 * One JSON object a line: a heading that says which graph and which options, then a
 * line for each cell, written and synced when it becomes known.  So a run that is killed
 * leaves whole lines and at most one torn one, which is dropped.  Cells that the
 * table at hand does not ask for stay: it may be widened later.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

static const char magic[] = "{\"bonsai_compare\":";

/* ---- cells as JSON ------------------------------------------------------- */

static const char *method_of(const bonsai_cell *c)
{
    return c->method < 0 ? "full" : bonsai_method_name((bonsai_method)c->method);
}

static json_t *accuracy(const bonsai_cell *c, double value)
{
    return c->runs > 0 && c->accuracy_mean >= 0 ? json_real(value) : json_null();
}

json_t *cell_json(const bonsai_cell *c)
{
    return json_pack("{s:s,s:f,s:s,s:i,s:o,s:o,s:I,s:f,s:I,s:I,s:I,s:f,s:f,s:f,s:o}", "method",
                     method_of(c), "ratio", c->ratio, "model", bonsai_model_name(c->model), "runs",
                     c->runs, "accuracy_mean", accuracy(c, c->accuracy_mean), "accuracy_std",
                     accuracy(c, c->accuracy_std), "bytes", (json_int_t)c->bytes, "share",
                     c->share, "nodes", (json_int_t)c->nodes, "edges", (json_int_t)c->edges,
                     "labelled", (json_int_t)c->labelled, "seconds_condense", c->seconds_condense,
                     "seconds_train", c->seconds_train, "seconds_eval", c->seconds_eval, "why",
                     c->runs > 0 ? json_null() : text_json(c->why));
}

static double number(const json_t *line, const char *key, double without)
{
    const json_t *value = json_object_get(line, key);
    return json_is_number(value) ? json_number_value(value) : without;
}

static int64_t whole(const json_t *line, const char *key)
{
    return (int64_t)json_integer_value(json_object_get(line, key));
}

static void fill(bonsai_cell *c, const json_t *line)
{
    const char *why = json_string_value(json_object_get(line, "why"));
    c->done = 1;
    c->runs = (int)whole(line, "runs");
    c->accuracy_mean = number(line, "accuracy_mean", c->runs > 0 ? -1 : 0);
    c->accuracy_std = number(line, "accuracy_std", 0);
    c->bytes = number(line, "bytes", 0);
    c->share = number(line, "share", 0);
    c->nodes = whole(line, "nodes");
    c->edges = whole(line, "edges");
    c->labelled = whole(line, "labelled");
    c->seconds_condense = number(line, "seconds_condense", 0);
    c->seconds_train = number(line, "seconds_train", 0);
    c->seconds_eval = number(line, "seconds_eval", 0);
    snprintf(c->why, sizeof c->why, "%s", why ? why : "");
}

/* Puts a line into the cell that it is of; 0: it is no cell. */
static int take(const cellfile *f, const json_t *line)
{
    const char *method = json_string_value(json_object_get(line, "method"));
    const char *model = json_string_value(json_object_get(line, "model"));
    const json_t *ratio = json_object_get(line, "ratio");
    if (!method || !model || !json_is_number(ratio) ||
        !json_is_integer(json_object_get(line, "runs")))
        return 0;
    for (int64_t i = 0; i < f->count; i++) {
        bonsai_cell *c = &f->cells[i];
        if (strcmp(method_of(c), method) == 0 &&
            strcmp(bonsai_model_name(c->model), model) == 0 && c->ratio == json_number_value(ratio))
            fill(c, line);
    }
    return 1;
}

/* ---- the heading --------------------------------------------------------- */

static void text_value(char *buf, size_t size, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(10));
    const char *plain = json_string_value(value);
    snprintf(buf, size, "%s", plain ? plain : text ? text : "nothing");
    free(text);
}

/* The first key of our object whose value the other does not share, or NULL. */
static const char *first_difference(char was[64], char is[64], const json_t *theirs,
                                    json_t *ours)
{
    const char *key;
    json_t *value;
    json_object_foreach(ours, key, value)
        if (!json_equal(value, json_object_get(theirs, key))) {
            text_value(was, 64, json_object_get(theirs, key));
            text_value(is, 64, value);
            return key;
        }
    return NULL;
}

static int check_heading(session *s, const cellfile *f, const json_t *line)
{
    char was[64], is[64];
    const char *key = first_difference(was, is, json_object_get(line, "graph"),
                                       json_object_get(f->heading, "graph"));
    if (key)
        return fail_with(s, "%s holds the table of another graph (%s: %s, not %s); name another "
                         "file", f->path, key, was, is);
    key = first_difference(was, is, json_object_get(line, "options"),
                           json_object_get(f->heading, "options"));
    if (key)
        return fail_with(s, "%s was begun with --%s %s, not %s; give the same options, or name "
                         "another file", f->path, key, was, is);
    if (!json_equal(json_object_get(line, "bonsai_compare"),
                    json_object_get(f->heading, "bonsai_compare")))
        return fail_with(s, "%s was begun by another version of bonsai; name another file",
                         f->path);
    return EXIT_DONE;
}

/* ---- the file ------------------------------------------------------------ */

static int io_failed(session *s, const cellfile *f, const char *what)
{
    return fail_with(s, "%s: cannot be %s: %s", f->path, what, strerror(errno));
}

/* Nothing that is not ours is read further, let alone written to. */
static int check_kind(session *s, const cellfile *f)
{
    struct stat st;
    char start[sizeof magic - 1];
    if (fstat(fileno(f->file), &st) != 0)
        return io_failed(s, f, "read");
    ssize_t len = S_ISREG(st.st_mode) ? pread(fileno(f->file), start, sizeof start, 0) : -1;
    if (len < 0 || memcmp(start, magic, (size_t)len) != 0)
        return fail_with(s, "%s: is not a table of bonsai compare; name another file", f->path);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fileno(f->file), F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN))
        return fail_with(s, "%s: another comparison is writing to it", f->path);
    return EXIT_DONE;
}

/* *end gets the place behind the last whole line. */
static int read_lines(session *s, const cellfile *f, off_t *end)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t len;
    int code = EXIT_DONE;
    for (int at = 1; code == EXIT_DONE && (len = getline(&text, &room, f->file)) > 0 &&
                     text[len - 1] == '\n'; at++) {
        json_t *line = json_loadb(text, (size_t)len, 0, NULL);
        if (!json_is_object(line))
            code = fail_with(s, "%s:%d: is not what bonsai compare wrote", f->path, at);
        else if (at == 1)
            code = check_heading(s, f, line);
        else if (!take(f, line))
            code = fail_with(s, "%s:%d: is not a cell of a table", f->path, at);
        json_decref(line);
        *end += len;
    }
    free(text);
    if (code == EXIT_DONE && ferror(f->file))
        code = io_failed(s, f, "read");
    return code;
}

static int append(session *s, const cellfile *f, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    size_t len = text ? strlen(text) : 0, at = 0;
    json_decref(value);
    if (!text)
        return fail_with(s, "%s: there is not enough memory to write to it", f->path);
    text[len] = '\n';                       /* in the place of the ending zero */
    while (at <= len) {
        ssize_t put = write(fileno(f->file), text + at, len + 1 - at);
        if (put < 0 && errno != EINTR)
            break;
        at += put > 0 ? (size_t)put : 0;
    }
    free(text);
    return at > len && fsync(fileno(f->file)) == 0 ? EXIT_DONE : io_failed(s, f, "written");
}

int cellfile_open(session *s, cellfile *f)
{
    off_t end = 0;
    int fd = open(f->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    f->file = fd >= 0 ? fdopen(fd, "a+") : NULL;
    if (!f->file) {
        int code = io_failed(s, f, "written");
        if (fd >= 0)
            close(fd);
        return code;
    }
    int code = check_kind(s, f);
    rewind(f->file);
    if (code == EXIT_DONE)
        code = read_lines(s, f, &end);
    if (code == EXIT_DONE && ftruncate(fd, end) != 0)
        code = io_failed(s, f, "written");
    if (code == EXIT_DONE && end == 0) {
        f->fresh = 1;
        code = append(s, f, json_incref(f->heading));
    }
    return code;
}

int cellfile_append(session *s, cellfile *f, const bonsai_cell *c)
{
    f->fresh = 0;
    return append(s, f, cell_json(c));
}

/* Closed only here: a lock goes with the first handle of its file that is closed.  A heading
 * without a cell would only keep the file from other options. */
void cellfile_close(cellfile *f)
{
    if (f->file && f->fresh && ftruncate(fileno(f->file), 0) != 0)
        f->fresh = 0;                           /* then it stays, as after a crash */
    if (f->file)
        fclose(f->file);
    f->file = NULL;
    json_decref(f->heading);
    f->heading = NULL;
}

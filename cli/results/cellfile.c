/* cellfile.c -- the file that holds a study's cells, and that it resumes from.
 *
 * One JSON object per line: a heading with the graph and the options, then a line for
 * each cell, written and synced as soon as it is measured.  A killed run leaves whole
 * lines and at most one torn line, which is dropped.  Cells that the current table does
 * not need stay for a later, wider one.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/cells.h"
#include "results/train_eval.h"

static const char *const studies[] = {"training", "embedding", "gradient", "weights"};
static const char *const units[BONSAI_UNIT_COUNT] = {"run", "draw", "split"};

/* ---- cells as JSON ------------------------------------------------------- */

static const char *method_of(const bonsai_cell *c)
{
    return c->method < 0 ? "full" : bonsai_method_name((bonsai_method)c->method);
}

static bn_json *accuracy(const bonsai_cell *c, double value)
{
    return c->runs > 0 && c->accuracy_mean >= 0 ? bn_json_real(value) : bn_json_null();
}

static bn_json *value_at(const bonsai_cell *c, const bonsai_cell_row *r)
{
    const void *at = (const char *)c + r->offset;
    return r->type == BONSAI_CELL_WHOLE   ? bn_json_whole(*(const int64_t *)at)
           : r->type == BONSAI_CELL_BYTES ? bn_json_whole((int64_t)*(const double *)at)
                                          : bn_json_real(*(const double *)at);
}

/* Adds the numbers that all files have, or those that only files with settings have. */
static void add_numbers(bn_json *to, const bonsai_cell *c, int detail)
{
    const bonsai_cell_row *r;
    for (int i = 0; (r = bonsai_cell_row_at(i)); i++)
        if (r->detail == detail)
            bn_json_set(to, r->name, value_at(c, r));
}

static bn_json *plain_json(const bonsai_cell *c)
{
    bn_json *end = bn_json_pack("{s:o,s:o,s:s,s:i}", "why",
                                c->runs > 0 ? bn_json_null() : bn_json_text(c->why),
                                "accuracy_error", accuracy(c, c->accuracy_error), "unit",
                                units[c->unit], "units", c->units);
    bn_json *cell = bn_json_pack("{s:s,s:f,s:s,s:i,s:o,s:o}", "method", method_of(c), "ratio",
                                 c->ratio, "model", bonsai_model_name(c->model), "runs", c->runs,
                                 "accuracy_mean", accuracy(c, c->accuracy_mean), "accuracy_std",
                                 accuracy(c, c->accuracy_std));
    add_numbers(cell, c, 0);
    bn_json_update(cell, end);
    bn_json_free(end);
    return cell;
}

/* Adds the metrics but accuracy, which has its own keys; null for a cell without runs. */
static void add_metrics(bn_json *cell, const bonsai_cell *c)
{
    static const char *const ends[] = {"_mean", "_std", "_error"};
    const double *of[] = {c->metric_mean, c->metric_std, c->metric_error};
    char key[64];
    bn_json_set(cell, "metric", bn_json_text(bonsai_metric_name(c->metric)));
    for (int m = BONSAI_METRIC_ACCURACY + 1; m < BONSAI_METRIC_COUNT; m++)
        for (int k = 0; k < 3; k++) {
            const bool known = c->runs > 0 && c->metric_mean[m] >= 0;
            snprintf(key, sizeof key, "%s%s", bonsai_metric_name((bonsai_metric)m), ends[k]);
            bn_json_set(cell, key, known ? bn_json_real(of[k][m]) : bn_json_null());
        }
}

bn_json *cell_json(const bonsai_cell *c)
{
    bn_json *cell = plain_json(c);
    add_metrics(cell, c);
    return cell;
}

bn_json *cell_values_json(const bonsai_cell *c, int64_t classes)
{
    bn_json *runs = bn_json_array(), *recall = bn_json_array();
    for (int i = 0; c->accuracies && i < c->runs; i++)
        bn_json_add(runs, accuracy(c, c->accuracies[i]));
    for (int64_t k = 0; c->recall && c->runs > 0 && k < classes; k++)
        bn_json_add(recall, measure_json(c->recall[k]));
    return bn_json_pack("{s:i,s:i,s:o,s:o}", "split", c->split, "draw", c->draw, "accuracies", runs,
                        "recall", recall);
}

/* Returns the keys that only cells with a setting have. */
static bn_json *detail_json(const cellfile *f, const bonsai_cell *c)
{
    char sum[24];
    snprintf(sum, sizeof sum, "%016llx", (unsigned long long)c->checksum);
    bn_json *detail = bn_json_pack("{s:s,s:s,s:s}", "study", studies[c->study], "setting",
                                   f->settings[c->setting], "checksum", sum);
    add_numbers(detail, c, 1);
    return detail;
}

static bn_json *line_json(const cellfile *f, const bonsai_cell *c)
{
    bn_json *line = cell_json(c), *values = cell_values_json(c, f->classes);
    bn_json *detail = f->settings ? detail_json(f, c) : bn_json_object();
    bn_json_update(line, values);
    bn_json_update(line, detail);
    bn_json_free(values);
    bn_json_free(detail);
    return line;
}

static double number(const bn_json *line, const char *key, double without)
{
    const bn_json *value = bn_json_get(line, key);
    return bn_json_is_number(value) ? bn_json_as_number(value) : without;
}

static int64_t whole(const bn_json *line, const char *key)
{
    return (int64_t)bn_json_as_whole(bn_json_get(line, key));
}

static const char *text_of(const bn_json *line, const char *key)
{
    const char *text = bn_json_as_text(bn_json_get(line, key));
    return text ? text : "";
}

/* Fills the numbers that all files have, or those that only files with settings have. */
static void fill_numbers(bonsai_cell *c, const bn_json *line, int detail)
{
    const bonsai_cell_row *r;
    for (int i = 0; (r = bonsai_cell_row_at(i)); i++) {
        void *at = (char *)c + r->offset;
        if (r->detail != detail)
            continue;
        if (r->type != BONSAI_CELL_WHOLE)
            *(double *)at = number(line, r->name, r->without);
        else
            *(int64_t *)at = bn_json_is_whole(bn_json_get(line, r->name)) ? whole(line, r->name)
                                                                      : (int64_t)r->without;
    }
}

/* Fills room numbers of an array; to may be NULL. */
static void fill_array(double *to, const bn_json *from, int64_t room, double without)
{
    for (int64_t i = 0; to && i < room; i++) {
        const bn_json *value = bn_json_at(from, (size_t)i);
        to[i] = bn_json_is_number(value) ? bn_json_as_number(value) : without;
    }
}

static void fill_metrics(bonsai_cell *c, const bn_json *line)
{
    char key[64];
    const char *name;
    for (int m = 0; (name = bonsai_metric_name((bonsai_metric)m)); m++) {
        snprintf(key, sizeof key, "%s_mean", name);
        c->metric_mean[m] = number(line, key, -1);
        snprintf(key, sizeof key, "%s_std", name);
        c->metric_std[m] = number(line, key, 0);
        snprintf(key, sizeof key, "%s_error", name);
        c->metric_error[m] = number(line, key, NAN);
        if (strcmp(name, text_of(line, "metric")) == 0)
            c->metric = (bonsai_metric)m;
    }
}

static void fill(bonsai_cell *c, const bn_json *line)
{
    c->done = 1;
    c->runs = c->units = (int)whole(line, "runs");
    c->unit = BONSAI_UNIT_RUN;
    c->accuracy_error = number(line, "accuracy_error", NAN);
    c->accuracy_mean = number(line, "accuracy_mean", c->runs > 0 ? -1 : 0);
    c->accuracy_std = number(line, "accuracy_std", 0);
    fill_numbers(c, line, 0);
    snprintf(c->why, sizeof c->why, "%s", text_of(line, "why"));
}

static int is_of(const cellfile *f, const bonsai_cell *c, const bn_json *line)
{
    if (strcmp(method_of(c), text_of(line, "method")) != 0 ||
        strcmp(bonsai_model_name(c->model), text_of(line, "model")) != 0 ||
        c->ratio != number(line, "ratio", 0) || c->split != whole(line, "split") ||
        c->draw != whole(line, "draw"))
        return 0;
    return !f->settings || (strcmp(studies[c->study], text_of(line, "study")) == 0 &&
                            strcmp(f->settings[c->setting], text_of(line, "setting")) == 0 &&
                            c->pairs == whole(line, "pairs") &&
                            c->nearest == number(line, "nearest", 0));
}

/* Copies a line to its cell; returns 0 if the line is not a cell. */
static int take(const cellfile *f, const bn_json *line)
{
    if (!*text_of(line, "method") || !*text_of(line, "model") ||
        !bn_json_is_number(bn_json_get(line, "ratio")) ||
        !bn_json_is_whole(bn_json_get(line, "runs")) || whole(line, "runs") < 0 ||
        whole(line, "runs") > f->runs ||
        !(fabs(number(line, "bytes", 0)) < 9e15) ||     /* they are printed as a whole number */
        (f->settings && (!*text_of(line, "study") || !*text_of(line, "setting"))))
        return 0;
    for (int64_t i = 0; i < f->count; i++)
        if (is_of(f, &f->cells[i], line)) {
            fill(&f->cells[i], line);
            fill_metrics(&f->cells[i], line);
            fill_array(f->cells[i].accuracies, bn_json_get(line, "accuracies"), f->runs, NAN);
            fill_array(f->cells[i].recall, bn_json_get(line, "recall"), f->classes, -1);
            if (f->settings) {
                fill_numbers(&f->cells[i], line, 1);
                f->cells[i].checksum = strtoull(text_of(line, "checksum"), NULL, 16);
            }
        }
    return 1;
}

/* ---- the heading --------------------------------------------------------- */

static void text_value(char *buf, size_t size, const bn_json *value)
{
    char *text = bn_json_print(value, 0, 10);
    const char *plain = bn_json_as_text(value);
    snprintf(buf, size, "%s", plain ? plain : text ? text : "nothing");
    bn_json_drop(text);
}

/* Returns the first key whose value differs in the other object, or NULL. */
static const char *first_difference(char was[64], char is[64], const bn_json *theirs,
                                    const bn_json *ours)
{
    const char *key;
    for (size_t i = 0; (key = bn_json_key(ours, i)); i++)
        if (!bn_json_equal(bn_json_value(ours, i), bn_json_get(theirs, key))) {
            text_value(was, 64, bn_json_get(theirs, key));
            text_value(is, 64, bn_json_value(ours, i));
            return key;
        }
    return NULL;
}

static int check_heading(const cellfile *f, const bn_json *line)
{
    char was[64], is[64], magic[32];
    const char *key = first_difference(was, is, bn_json_get(line, "graph"),
                                       bn_json_get(f->heading, "graph"));
    if (key)
        return fail_with(f->s, "%s holds the table of another graph (%s: %s, not %s); name another "
                         "%s", f->path, key, was, is, f->place);
    const bn_json *theirs = bn_json_get(line, "options");
    const bn_json *ours = bn_json_get(f->heading, "options");
    key = first_difference(was, is, theirs, ours);
    if (!key)                                   /* an option that only the file names */
        key = first_difference(is, was, ours, theirs);
    if (key)
        return fail_with(f->s, "%s was begun with --%s %s, not %s; give the same options, or name "
                         "another %s", f->path, key, was, is, f->place);
    snprintf(magic, sizeof magic, "bonsai_%s", f->command);
    if (!bn_json_equal(bn_json_get(line, magic), bn_json_get(f->heading, magic)))
        return fail_with(f->s, "%s was begun by another version of bonsai; name another %s",
                         f->path, f->place);
    return EXIT_DONE;
}

/* ---- the file ------------------------------------------------------------ */

static int io_failed(const cellfile *f, const char *what)
{
    return fail_with(f->s, "%s: cannot be %s: %s", f->path, what, strerror(errno));
}

/* Fails if the file is not ours, before reading or writing more of it. */
static int check_kind(const cellfile *f)
{
    struct stat st;
    char start[32], magic[32];
    int size = snprintf(magic, sizeof magic, "{\"bonsai_%s\":", f->command);
    if (fstat(fileno(f->file), &st) != 0)
        return io_failed(f, "read");
    ssize_t len = S_ISREG(st.st_mode) ? pread(fileno(f->file), start, (size_t)size, 0) : -1;
    if (len < 0 && S_ISREG(st.st_mode))
        return io_failed(f, "read");
    if (len < 0 || memcmp(start, magic, (size_t)len) != 0)
        return fail_with(f->s, "%s: is not a table of bonsai %s; name another %s", f->path,
                         f->command, f->place);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fileno(f->file), F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN))
        return fail_with(f->s, "%s: another bonsai %s is writing to it", f->path, f->command);
    return EXIT_DONE;
}

/* Reads the lines; sets *end to the offset after the last whole one. */
static int read_lines(const cellfile *f, off_t *end)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t len;
    int code = EXIT_DONE;
    for (int at = 1; code == EXIT_DONE && (len = getline(&text, &room, f->file)) > 0 &&
                     text[len - 1] == '\n'; at++) {
        bn_json_error error;
        bn_json *line = bn_json_parse(text, (size_t)len, 0, &error);
        if (!line && error.no_memory)
            code = fail_with(f->s, "%s: there is not enough memory to read it", f->path);
        else if (!bn_json_is_object(line))
            code = fail_with(f->s, "%s:%d: is not what bonsai %s wrote", f->path, at, f->command);
        else if (at == 1)
            code = check_heading(f, line);
        else if (!take(f, line))
            code = fail_with(f->s, "%s:%d: is not a cell of a table", f->path, at);
        bn_json_free(line);
        *end += len;
    }
    free(text);
    if (code == EXIT_DONE && ferror(f->file))
        code = io_failed(f, "read");
    return code;
}

static int append(const cellfile *f, bn_json *value)
{
    char *text = bn_json_print(value, 0, 17);
    size_t len = text ? strlen(text) : 0, at = 0;
    bn_json_free(value);
    if (!text)
        return fail_with(f->s, "%s: there is not enough memory to write to it", f->path);
    text[len] = '\n';                       /* replaces the terminating zero */
    while (at <= len) {
        ssize_t put = write(fileno(f->file), text + at, len + 1 - at);
        if (put < 0 && errno != EINTR)
            break;
        at += put > 0 ? (size_t)put : 0;
    }
    bn_json_drop(text);
    return at > len && fsync(fileno(f->file)) == 0 ? EXIT_DONE : io_failed(f, "written");
}

static int64_t count_done(const cellfile *f)
{
    int64_t done = 0;
    for (int64_t i = 0; i < f->count; i++)
        done += f->cells[i].done;
    return done;
}

static int open_file(cellfile *f)
{
    int fd = open(f->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    f->file = fd >= 0 ? fdopen(fd, "a+") : NULL;
    if (f->file)
        return EXIT_DONE;
    int code = io_failed(f, "written");
    if (fd >= 0)
        close(fd);
    return code;
}

int cellfile_open(cellfile *f)
{
    off_t end = 0;
    if (!f->heading)
        return fail_with(f->s, "there is not enough memory to begin %s", f->path);
    int code = open_file(f);
    if (code == EXIT_DONE)
        code = check_kind(f);
    if (code == EXIT_DONE) {
        rewind(f->file);
        code = read_lines(f, &end);
    }
    if (code == EXIT_DONE && ftruncate(fileno(f->file), end) != 0)
        code = io_failed(f, "written");
    if (code == EXIT_DONE && end == 0) {
        f->fresh = 1;
        code = append(f, bn_json_keep(f->heading));
    }
    if (code == EXIT_DONE && count_done(f) > 0)
        note(f->s, "%lld of %lld cells are in %s already", (long long)count_done(f),
             (long long)f->count, f->path);
    return code;
}

int cellfile_keep(const bonsai_cell *c, void *payload)
{
    cellfile *f = payload;
    f->fresh = 0;
    f->failed = append(f, line_json(f, c)) != EXIT_DONE;
    return f->failed;
}

int cellfile_stopped(cellfile *f, bonsai_status rc)
{
    if (f->failed)
        return EXIT_FAILED;
    if (rc != BONSAI_E_CANCELED || !f->file)
        return fail(f->s, rc);
    f->fresh = 0;
    return fail_with(f->s, "canceled; %lld of %lld cells are in %s; the same command continues "
                     "with the rest", (long long)count_done(f), (long long)f->count, f->path);
}

/* Closes the file, only here: closing any handle releases its lock.  Removes a heading without
 * cells, which would only tie the file to these options. */
void cellfile_close(cellfile *f)
{
    if (f->file && f->fresh && ftruncate(fileno(f->file), 0) != 0)
        f->fresh = 0;                           /* then the file stays, as after a crash */
    if (f->file)
        fclose(f->file);
    f->file = NULL;
    bn_json_free(f->heading);
    f->heading = NULL;
}

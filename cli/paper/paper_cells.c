/* paper_cells.c -- cells.csv, which the measurements are kept in as they come.
 *
 * The first line says with which options it was begun, the second names the columns, and each
 * further line is a cell, written and synced when it is known.  A line that a crash tore is
 * dropped; cells that the tables at hand do not ask for stay.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "paper.h"

static const char columns[] =
    "kind,dataset,accounting,ratio,method,without,k,sample,model,share,runs,accuracy,spread,nodes,"
    "edges,bytes,bytes_share,graph,seconds,wl,knn,greedy,ppr,train,value,extra,why\n";
enum { LINE = 1024 };

int64_t cells_done(const paper *p)
{
    int64_t done = 0;
    for (int64_t i = 0; i < p->count; i++)
        done += p->cells[i].done;
    return done;
}

static void heading(char line[LINE], const paper *p)
{
    snprintf(line, LINE, "# bonsai paper %s%s --seeds %d --epochs %d --seed %llu\n",
             bonsai_version(), p->quick ? " --quick" : "", p->train.seeds, p->train.epochs,
             (unsigned long long)p->train.seed);
}

/* What tells a cell from all others: the beginning of its line. */
static void key_of(char key[LINE], const paper *p, const paper_cell *c)
{
    static const char *const kinds[] = {"fit", "distance", "gradient", "weights"};
    static const char *const without[] = {"", "ppr", "rknn"};
    snprintf(key, LINE, "%s,%s,%s,%g,%s,%s,%d,%lld,%s,%g,", kinds[c->kind], p->sets[c->set].name,
             c->accounting ? "paper" : "strict", c->ratio,
             c->method < 0 ? "full" : bonsai_method_name((bonsai_method)c->method),
             without[c->without], c->k, (long long)c->sample, bonsai_model_name(c->model),
             c->share);
}

static char *put_real(char *at, double v)
{
    return at + (isnan(v) ? sprintf(at, ",") : sprintf(at, "%.17g,", v));
}

static void line_of(char line[LINE], const paper *p, const paper_cell *c)
{
    key_of(line, p, c);
    char *at = line + strlen(line);
    at += sprintf(at, "%d,", c->runs);
    at = put_real(put_real(at, c->accuracy), c->spread);
    at += sprintf(at, "%lld,%lld,", (long long)c->nodes, (long long)c->edges);
    at = put_real(put_real(at, c->bytes), c->bytes_share);
    at += sprintf(at, "%s,", c->graph);
    const double rest[] = {c->seconds, c->wl, c->knn, c->greedy, c->ppr, c->train, c->value,
                           c->extra};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        at = put_real(at, rest[i]);
    for (const char *w = c->why; *w; w++)       /* no field may end early */
        *at++ = *w == ',' ? ';' : (unsigned char)*w < 32 ? ' ' : *w;
    *at++ = '\n';
    *at = 0;
}

/* ---- reading ------------------------------------------------------------- */

/* The next field, "" behind the last. */
static const char *field(char **at)
{
    char *begin = *at;
    size_t len = strcspn(begin, ",\n");
    *at = begin + len + (begin[len] != 0);
    begin[len] = 0;
    return begin;
}

static double real(char **at)
{
    double v;
    return parse_real(field(at), &v) ? v : NAN;
}

static int64_t whole(char **at)
{
    int64_t v;
    return parse_whole(field(at), &v) ? v : 0;
}

static void fill(paper_cell *c, char *at)
{
    c->runs = (int)whole(&at);
    c->accuracy = real(&at);
    c->spread = real(&at);
    c->nodes = whole(&at);
    c->edges = whole(&at);
    c->bytes = real(&at);
    c->bytes_share = real(&at);
    snprintf(c->graph, sizeof c->graph, "%.19s", field(&at));
    double *const rest[] = {&c->seconds, &c->wl, &c->knn, &c->greedy, &c->ppr, &c->train,
                            &c->value, &c->extra};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        *rest[i] = real(&at);
    snprintf(c->why, sizeof c->why, "%.159s", field(&at));
    c->done = 1;
}

static void take(const paper *p, char *line)
{
    char key[LINE];
    for (int64_t i = 0; i < p->count; i++) {
        key_of(key, p, &p->cells[i]);
        if (strncmp(line, key, strlen(key)) == 0) {
            fill(&p->cells[i], line + strlen(key));
            return;
        }
    }
}

static int commas(const char *line)
{
    int n = 0;
    for (; *line; line++)
        n += *line == ',';
    return n;
}

static int check_line(const paper *p, int at, const char *line)
{
    char wanted[LINE];
    heading(wanted, p);
    if (at == 1 && strncmp(line, "# bonsai paper ", 15) != 0)
        return fail_with(p->s, "%s: is not what bonsai paper wrote; name another folder",
                         p->cells_path);
    if (at == 1 && strcmp(line, wanted) != 0)
        return fail_with(p->s, "%s was begun with \"%.*s\", not \"%.*s\"; give the same options, "
                         "or name another folder", p->cells_path, (int)strlen(line) - 3, line + 2,
                         (int)strlen(wanted) - 3, wanted + 2);
    if (at > 1 && commas(line) != commas(columns))
        return fail_with(p->s, "%s:%d: is not a cell of bonsai paper", p->cells_path, at);
    return EXIT_DONE;
}

/* A first line that has no end: ours if it was torn, and else not ours to replace. */
static int check_torn(const paper *p, const char *line)
{
    char wanted[LINE];
    heading(wanted, p);
    return strncmp(line, wanted, strlen(line)) == 0 ? EXIT_DONE : check_line(p, 1, line);
}

/* The lines that are whole end at *end; the first two count as one, for they are written so. */
static int read_lines(const paper *p, off_t *end)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t len = 0;
    off_t read = 0;
    int code = EXIT_DONE, at = 1;
    for (; code == EXIT_DONE && (len = getline(&text, &room, p->file)) > 0 &&
           text[len - 1] == '\n'; at++) {
        code = check_line(p, at, text);
        if (code == EXIT_DONE && at > 2)
            take(p, text);
        read += len;
        *end = at > 1 ? read : 0;
    }
    if (code == EXIT_DONE && at == 1 && len > 0)
        code = check_torn(p, text);
    free(text);
    return code;
}

/* ---- writing ------------------------------------------------------------- */

static int io_failed(const paper *p, const char *what)
{
    return fail_with(p->s, "%s: cannot be %s: %s", p->cells_path, what, strerror(errno));
}

static int append(const paper *p, const char *text)
{
    size_t len = strlen(text), at = 0;
    while (at < len) {
        ssize_t put = write(fileno(p->file), text + at, len - at);
        if (put < 0 && errno != EINTR)
            return io_failed(p, "written");
        at += put > 0 ? (size_t)put : 0;
    }
    return fsync(fileno(p->file)) == 0 ? EXIT_DONE : io_failed(p, "written");
}

int cells_append(paper *p, const paper_cell *c)
{
    char line[LINE];
    line_of(line, p, c);
    return append(p, line);
}

int cells_open(paper *p)
{
    char line[LINE];
    off_t end = 0;
    int n = snprintf(p->cells_path, sizeof p->cells_path, "%s/cells.csv", p->out);
    if (n >= (int)sizeof p->cells_path)
        return fail_with(p->s, "%s: is too long a name", p->out);
    if (mkdir(p->out, 0777) != 0 && errno != EEXIST)
        return fail_with(p->s, "%s: cannot be created: %s", p->out, strerror(errno));
    int fd = open(p->cells_path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    p->file = fd >= 0 ? fdopen(fd, "a+") : NULL;
    if (!p->file) {
        int code = io_failed(p, "written");
        if (fd >= 0)
            close(fd);
        return code;
    }
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN))
        return fail_with(p->s, "%s: another bonsai paper is writing to it", p->cells_path);
    rewind(p->file);
    int code = read_lines(p, &end);
    if (code == EXIT_DONE && ftruncate(fd, end) != 0)
        return io_failed(p, "written");
    if (code == EXIT_DONE && end == 0) {
        heading(line, p);
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s", columns);
        code = append(p, line);
    }
    return code;
}

void cells_close(paper *p)
{
    if (p->file)
        fclose(p->file);
    p->file = NULL;
}

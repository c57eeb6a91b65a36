/* cmd_fetch.c -- bonsai fetch: downloads a public dataset from its publisher.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "fetch.h"

typedef struct {
    session    *s;
    const dataset *set;
    const char *name, *to, *base;
    double      timeout;
    int         retries, force, offline, plan;
    int64_t     bytes, fetched;         /* of all files; of those downloaded now */
    bn_json     *rows;                   /* of the files */
} fetching;

/* ---- the list ------------------------------------------------------------ */

static bn_json *count_json(int64_t value)
{
    return value < 0 ? bn_json_null() : bn_json_whole(value);
}

static int list_datasets(session *s)
{
    static const column columns[] = {{"name", "name", NULL},
                                     {"nodes", "nodes", NULL},
                                     {"edges", "edges", NULL},
                                     {"bytes", "bytes, about", NULL},
                                     {"licence", "licence", NULL},
                                     {"home", "from", NULL},
                                     {NULL, NULL, NULL}};
    static const column full[] = {{"name", "", NULL},        {"about", "", NULL},
                                  {"nodes", "", NULL},       {"edges", "", NULL},
                                  {"bytes", "", NULL},       {"about_bytes", "", NULL},
                                  {"verified", "", NULL},    {"licence", "", NULL},
                                  {"cite", "", NULL},        {"home", "", NULL},
                                  {"from", "", NULL},        {NULL, NULL, NULL}};
    int all = style_of(s) != STYLE_TEXT;
    summary r = {.count = 0};
    bn_json *rows = bn_json_array();
    for (const dataset *d = datasets; d->name; d++) {
        int64_t exact = dataset_bytes(d), about = exact >= 0 ? exact : d->about_bytes;
        bn_json *row = all ? bn_json_pack("[s,s,I,I,o,o,b,s?,s,s,s]", d->name, d->title,
                                          (int64_t)d->nodes, (int64_t)d->edges,
                                      count_json(exact), count_json(about),
                                      dataset_is_verified(d), d->licence, d->cite, d->home,
                                      d->address)
                          : bn_json_pack("[s,I,I,o,s?,s]", d->name, (int64_t)d->nodes,
                                      (int64_t)d->edges, count_json(about), d->licence,
                                      strstr(d->home, "//") + 2);
        bn_json_add(rows, row);
    }
    summary_table(&r, "datasets", all ? full : columns, rows);
    int code = summary_print(&r, s);
    if (code == EXIT_DONE && !all)
        put_prose("\nAn undirected edge counts as two.  \"bonsai fetch NAME --to DIR\" downloads one; "
                  "please cite its authors.  MIT (repository) is the licence of the repository "
                  "that holds the files.");
    return code;
}

/* ---- existing files ------------------------------------------------------- */

int file_is_right(const char *path, int64_t bytes, const char *sha256, char *why, size_t size)
{
    char hex[SHA256_HEX];
    const char *ending;
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) {
        snprintf(why, size, "cannot be read");
        return 0;
    }
    if (st.st_size == 0) {
        snprintf(why, size, "is empty");
        return 0;
    }
    if (bytes >= 0 && st.st_size != bytes) {
        snprintf(why, size, "has %lld bytes and not %lld", (long long)st.st_size,
                 (long long)bytes);
        return 0;
    }
    if (sha256 && sha256_file(path, hex) != 0) {
        snprintf(why, size, "cannot be read");
        return 0;
    }
    if (sha256 && strcmp(hex, sha256) != 0) {
        snprintf(why, size, "has the SHA-256 %.12s... and not %.12s...", hex, sha256);
        return 0;
    }
    if (!sha256 && !file_is_whole(path, st.st_size, &ending)) {
        snprintf(why, size, "is not a %s file, or not all of one", ending);
        return 0;
    }
    return 1;
}

static int check_room(fetching *f)
{
    struct statvfs disk;
    int64_t needed = dataset_bytes(f->set);
    char left[32], wanted[32];
    if (needed < 0)
        needed = f->set->about_bytes * (f->set->inside ? 2 : 1);    /* the archive, and unpacked */
    if (needed < 0 || statvfs(f->to, &disk) != 0)
        return EXIT_DONE;
    double room = (double)disk.f_bavail * (double)disk.f_frsize;
    if (room >= (double)needed)
        return EXIT_DONE;
    text_bytes(left, sizeof left, room);
    text_bytes(wanted, sizeof wanted, (double)needed);
    return fail_with(f->s, "%s: the disk has %s left, but %s needs %s: make room, or name another "
                     "folder with --to", f->to, left, f->set->name, wanted);
}

/* ---- fetching ------------------------------------------------------------ */

static void put_row(fetching *f, const dataset_file *file, const char *path, const char *what,
                    int64_t bytes)
{
    f->bytes += bytes;
    bn_json_add(f->rows, bn_json_pack("[o,I,s,s?]", bn_json_text(path), (int64_t)bytes, what,
                                      file->sha256));
}

static int64_t file_bytes(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_size : 0;
}

static int make_folder_of(fetching *f, const char *path)
{
    char folder[MOST_PATH];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    return make_folders(f->s, folder);
}

static int address_of(char url[MOST_PATH], const fetching *f, const dataset_file *file)
{
    const char *slash = f->base && !path_ends_with(f->base, "/") ? "/" : "";
    if (snprintf(url, MOST_PATH, "%s%s%s", f->base ? f->base : f->set->address, slash,
                 f->base ? file->name : file->at) >= MOST_PATH)
        return refuse(f->s, "--base-url is too long");
    return EXIT_DONE;
}

static int path_of(char path[MOST_PATH], const fetching *f, const dataset_file *file)
{
    if (snprintf(path, MOST_PATH, "%s/%s", f->to, file->name) >= MOST_PATH)
        return refuse(f->s, "--to is too long");
    return EXIT_DONE;
}

static int is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int fetch_one(fetching *f, const dataset_file *file, const char *path)
{
    char url[MOST_PATH], why[256];
    if ((!f->force || f->offline) && access(path, F_OK) == 0) {
        if (!file_is_right(path, file->bytes, file->sha256, why, sizeof why))
            return fail_with(f->s, "%s: exists, but %s%s", path, why,
                             f->offline ? "" : ": --force downloads it again");
        put_row(f, file, path, "there", file_bytes(path));
        return EXIT_DONE;
    }
    int code = address_of(url, f, file);
    if (code != EXIT_DONE)
        return code;
    if (f->offline || !can_download())
        return fail_with(f->s, "%s: is missing, and %s: get it from %s", path,
                         f->offline ? "--offline is given" : "this build has no libcurl", url);
    download d = {.s = f->s, .stage = f->set->name, .url = url, .path = path, .bytes = file->bytes,
                  .sha256 = file->sha256, .timeout = f->timeout, .retries = f->retries,
                  .before = dataset_bytes(f->set) < 0 ? 0 : f->bytes,
                  .total = dataset_bytes(f->set)};
    code = make_folder_of(f, path);
    if (code == EXIT_DONE)
        code = download_file(&d);
    if (code != EXIT_DONE)
        return code;
    f->fetched += file_bytes(path) - d.resumed;
    put_row(f, file, path, d.resumed ? "resumed" : "fetched", file_bytes(path));
    return EXIT_DONE;
}

/* Downloads, unpacks and removes an archive; the folder stays. */
static int fetch_archive(fetching *f, const char *graph)
{
    const dataset_file *file = f->set->files;
    char path[MOST_PATH];
    if (!f->force && is_folder(graph)) {
        put_row(f, file, graph, "there", path_bytes(graph));
        return EXIT_DONE;
    }
    int code = path_of(path, f, file);
    if (code == EXIT_DONE)
        code = fetch_one(f, file, path);
    return code == EXIT_DONE ? unpack(f->s, path, f->set->inside, graph) : code;
}

static int fetch_all(fetching *f, const char *graph)
{
    char path[MOST_PATH];
    int code = make_folders(f->s, f->to);
    if (code == EXIT_DONE)
        code = check_room(f);
    if (code != EXIT_DONE)
        return code;
    if (f->set->inside)
        return fetch_archive(f, graph);
    for (const dataset_file *file = f->set->files; file->name && code == EXIT_DONE; file++) {
        code = path_of(path, f, file);
        if (code == EXIT_DONE)
            code = fetch_one(f, file, path);
    }
    return code;
}

/* ---- the plan ------------------------------------------------------------ */

/* Adds a file to the plan; an unpacked archive counts as present. */
static int plan_file(fetching *f, const dataset_file *file, const char *graph)
{
    char path[MOST_PATH], url[MOST_PATH];
    int code = path_of(path, f, file);
    if (code == EXIT_DONE)
        code = address_of(url, f, file);
    if (code != EXIT_DONE)
        return code;
    int there = !f->force && (access(path, F_OK) == 0 || (f->set->inside && is_folder(graph)));
    bn_json_add(f->rows, bn_json_pack("[o,o,o,b,s?]", bn_json_text(path), bn_json_text(url),
                                      count_json(file->bytes), there, file->sha256));
    return EXIT_DONE;
}

static int print_plan(fetching *f, const char *graph)
{
    static const column columns[] = {{"path", "file", NULL},
                                     {"url", "from", NULL},
                                     {"bytes", "bytes", NULL},
                                     {"there", "there", NULL},
                                     {"sha256", "", NULL},
                                     {NULL, NULL, NULL}};
    static const column narrow[] = {{"path", "file", NULL},
                                    {"url", "from", NULL},
                                    {"bytes", "bytes", NULL},
                                    {"there", "there", NULL},
                                    {NULL, NULL, NULL}};
    summary r = {.count = 0};
    for (const dataset_file *file = f->set->files; file->name; file++) {
        int code = plan_file(f, file, graph);
        if (code != EXIT_DONE)
            return code;
    }
    summary_text(&r, "name", "name", f->set->name);
    summary_text(&r, "path", "graph", graph);
    summary_json(&r, "downloads", bn_json_flag(can_download()));
    summary_table(&r, "files", style_of(f->s) == STYLE_TEXT ? narrow : columns,
                  bn_json_keep(f->rows));
    return summary_print(&r, f->s);
}

static int print_fetched(fetching *f, const char *graph)
{
    static const column columns[] = {{"path", "file", NULL},
                                     {"bytes", "bytes", NULL},
                                     {"what", "", NULL},
                                     {"sha256", "", NULL},
                                     {NULL, NULL, NULL}};
    static const column narrow[] = {{"path", "file", NULL},
                                    {"bytes", "bytes", NULL},
                                    {"what", "", NULL},
                                    {NULL, NULL, NULL}};
    const dataset *d = f->set;
    summary r = {.count = 0};
    summary_heading(&r, "Dataset");
    summary_text(&r, "name", "name", d->name);
    summary_text(&r, "path", "graph", graph);
    summary_note(&r, "the GRAPH of other commands");
    summary_text(&r, "from", "from", f->base ? f->base : d->address);
    summary_text(&r, NULL, "checksums", dataset_is_verified(d) ? "verified" : "none is known");
    if (d->licence)
        summary_text(&r, "licence", "licence", d->licence);
    summary_text(&r, "cite", "please cite", d->cite);
    summary_heading(&r, "Sizes");
    summary_int(&r, "nodes", "nodes", d->nodes);
    summary_int(&r, "edges", "edges", d->edges);
    summary_note(&r, "entries: an undirected edge is two");
    summary_int(&r, "bytes", "bytes", f->bytes);
    summary_int(&r, "bytes_fetched", "of these fetched now", f->fetched);
    summary_heading(&r, "Files");
    summary_table(&r, "files", style_of(f->s) == STYLE_TEXT ? narrow : columns,
                  bn_json_keep(f->rows));
    summary_json(&r, "verified", bn_json_flag(dataset_is_verified(d)));
    if (f->fetched == 0 && !f->offline)
        note(f->s, "%s exists already: nothing was downloaded", graph);
    if (!dataset_is_verified(d))
        note(f->s, "no checksum is known for %s: its files were not verified", d->name);
    int code = summary_print(&r, f->s);
    if (code == EXIT_DONE && style_of(f->s) == STYLE_TEXT)
        put_prose("\nTry: bonsai info %s", graph);
    return code;
}

/* ---- the command --------------------------------------------------------- */

static int parse(fetching *f, int argc, char **argv)
{
    static const bonsai_field own[] = {
        {.name = "to", OWN(fetching, to, FILE), .arg = "DIR",
         .help = "folder for the files, created if it does not exist"},
        {.name = "base-url", OWN(fetching, base, TEXT), .arg = "URL",
         .help = "another server that has the files, under the same names as in DIR",
         .otherwise = "$BONSAI_MIRROR"},
        {.name = "force", OWN(fetching, force, FLAG), .help = "download existing files again"},
        {.name = "offline", OWN(fetching, offline, FLAG),
         .help = "verify and unpack the files in DIR; download nothing"},
        {.name = "dry-run", OWN(fetching, plan, FLAG),
         .help = "print the files and their addresses; download nothing"},
        {.name = "timeout", OWN(fetching, timeout, REAL), .high = 86400,
         .marks = BONSAI_MARK_ABOVE, .arg = "S",
         .help = "give up after so many seconds without data"},
        {.name = "retries", OWN(fetching, retries, INT), .high = 100, .arg = "N",
         .help = "retries after a failed connection"}, {0}};
    const opt_spec spec = {
        .usage = "fetch [NAME --to DIR] [options]",
        .about = "Downloads a public dataset from its publisher and prints the path to give to\n"
                 "other commands; without NAME lists the datasets.  After an interruption the\n"
                 "same command resumes the download.",
        .examples = "  bonsai fetch\n"
                    "  bonsai fetch cora --to data && bonsai info data/ind.cora\n"
                    "  bonsai fetch ogbn-arxiv --to data\n",
        .args = "[NAME]",
        .values = &f->name,
        .groups = (const opt_group[]){{.base = f, .own = own}, {0}},
        .shared = OPT_JSON,
    };
    int code = opt_parse(f->s, &spec, argc, argv);
    if (code != OPT_GO || !f->name)
        return code;
    if (!f->base && getenv("BONSAI_MIRROR") && *getenv("BONSAI_MIRROR"))
        f->base = getenv("BONSAI_MIRROR");
    if (f->base && strncasecmp(f->base, "http://", 7) != 0 &&
        strncasecmp(f->base, "https://", 8) != 0)
        return refuse(f->s, "the server is \"%s\", which does not begin with http:// or https://",
                      f->base);
    f->set = dataset_find(f->name);
    const char *near = f->set ? NULL : dataset_nearest(f->name);
    if (near)
        return refuse(f->s, "there is no dataset \"%s\"; did you mean \"%s\"?", f->name, near);
    return f->set ? OPT_GO : refuse(f->s, "there is no dataset \"%s\"; \"bonsai fetch\" lists them",
                                    f->name);
}

int cmd_fetch(session *s, int argc, char **argv)
{
    fetching f = {.s = s, .to = "data", .timeout = 30, .retries = 4};
    char graph[MOST_PATH], to[MOST_PATH];
    int code = parse(&f, argc, argv);
    if (code != OPT_GO)
        return code;
    if (!f.name)
        return list_datasets(s);
    size_t len = strlen(f.to);
    while (len > 1 && f.to[len - 1] == '/')
        len--;
    if (len + 64 >= sizeof to)
        return refuse(s, "--to is too long");
    snprintf(to, sizeof to, "%.*s", (int)len, f.to);
    f.to = to;
    snprintf(graph, sizeof graph, "%.*s/%s", (int)len, to, f.set->graph);
    f.rows = bn_json_array();
    code = f.plan ? print_plan(&f, graph) : fetch_all(&f, graph);
    if (code == EXIT_DONE && !f.plan)
        code = print_fetched(&f, graph);
    bn_json_free(f.rows);
    return code;
}

/* fuzz.c -- see fuzz.h.
 *
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/graph.h"

static char folder[64];

static void remove_folder(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        fprintf(stderr, "%s was left behind\n", folder);
}

const char *fuzz_path(const char *name)
{
    static char path[256];
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "%s/bonsai-fuzz-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        if (!mkdtemp(folder))
            abort();
        atexit(remove_folder);
        bn_mem_limit(64 << 20);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + sizeof "/dev/shm/"; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        mkdir(path, 0700);
    }
    return path;
}

const char *fuzz_file(const char *name, const uint8_t *data, size_t size)
{
    const char *path = fuzz_path(name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
    return path;
}

void fuzz_files(const char *const *names, int count, const uint8_t *data, size_t size)
{
    for (int i = 0; i < count; i++) {
        const int framed = i < count - 1 && size >= 2;
        size_t len = framed ? (size_t)(data[0] | data[1] << 8) : size;
        data += framed ? 2 : 0;
        size -= framed ? 2 : 0;
        len = len < size ? len : size;
        fuzz_file(names[i], data, len);
        data += len;
        size -= len;
    }
}

static void put_crc(uint8_t *to, const uint8_t *data, int64_t len)
{
    uint32_t crc = bn_crc32(0, data, len);
    memcpy(to, &crc, sizeof crc);
}

static void repair_section(uint8_t *file, size_t size, uint8_t *entry)
{
    uint32_t type;
    uint64_t offset, count;
    memcpy(&type, entry + 4, sizeof type);
    memcpy(&offset, entry + 8, sizeof offset);
    memcpy(&count, entry + 16, sizeof count);
    int64_t bytes;
    if (offset <= size && count <= INT64_MAX &&
        bn_type_space(&bytes, (bonsai_type)type, (int64_t)count) &&
        (uint64_t)bytes <= size - offset)
        put_crc(entry + 24, file + offset, bytes);
}

void fuzz_checksums(uint8_t *file, size_t size)
{
    if (size < 64)
        return;
    size_t head = 64 + 32u * file[24];
    if (file[24] >= 64 || head > size)
        return;
    for (uint8_t *entry = file + 64; entry < file + head; entry += 32)
        repair_section(file, size, entry);
    memset(file + 28, 0, 4);
    put_crc(file + 28, file, (int64_t)head);
}

void fuzz_repair(uint8_t *file, size_t size)
{
    if (size > 0 && file[size - 1] != 0xff)
        fuzz_checksums(file, size);
}

static void must(bonsai_status rc)
{
    if (rc != BONSAI_OK && rc != BONSAI_E_MEMORY) {
        fprintf(stderr, "unexpected: %s\n", bonsai_error());
        abort();
    }
}

/* A graph that loads must be equal after a round trip through a native file. */
static void save_and_load(const bonsai_graph *g)
{
    char path[100];
    bonsai_graph *back = NULL;
    bonsai_write_options o;
    int equal = 1;
    bonsai_write_options_init(&o);
    o.threads = 1;
    snprintf(path, sizeof path, "%s/again.bonsai", folder);
    bonsai_status rc = bonsai_graph_save(NULL, g, path, &o);
    must(rc);
    if (rc == BONSAI_OK)
        must(rc = bonsai_graph_load(&back, path));
    if (rc == BONSAI_OK)
        must(bonsai_graph_equal(&equal, g, back));
    bonsai_graph_free(back);
    if (!equal) {
        fprintf(stderr, "saving changed the graph\n");
        abort();
    }
}

static void use(const bonsai_graph *g)
{
    bonsai_stats stats;
    double bytes;
    bonsai_stats_init(&stats);
    must(bonsai_graph_stats(&stats, NULL, g, NULL));
    must(bonsai_graph_bytes(&bytes, g, BONSAI_ACCOUNTING_STRICT));
    must(bonsai_graph_bytes(&bytes, g, BONSAI_ACCOUNTING_PAPER_CONDENSED));
    save_and_load(g);
}

void fuzz_load(const char *path)
{
    bonsai_graph *g = NULL;
    int64_t before = bn_mem_live();
    bonsai_read_options o;
    bonsai_read_options_init(&o);
    o.threads = 1;
    if (bonsai_graph_read(&g, path, &o) == BONSAI_OK && bonsai_graph_verify(g) == BONSAI_OK)
        use(g);
    bonsai_graph_free(g);
    if (bn_mem_live() != before)
        abort();
}

static bonsai_status convert(const char *to, const char *from, int labelled)
{
    bonsai_read_options r;
    bonsai_write_options w;
    bonsai_read_options_init(&r);
    bonsai_write_options_init(&w);
    r.threads = w.threads = 1;
    w.labelled = labelled;
    w.memory = 1;
    return bonsai_graph_convert(NULL, NULL, to, from, &r, &w);
}

/* A folder that can be read can be converted, into an equal graph; else neither can be done. */
static void convert_and_read(const char *to, const char *from)
{
    bonsai_graph *read = NULL, *converted = NULL;
    int equal = 1;
    bonsai_status rc = bonsai_graph_read(&read, from, NULL), made = convert(to, from, 0);
    if (rc != BONSAI_E_MEMORY && made != BONSAI_E_MEMORY)
        equal = rc == made;
    if (rc == BONSAI_OK && made == BONSAI_OK) {
        must(made = bonsai_graph_load(&converted, to));
        if (made == BONSAI_OK)
            must(bonsai_graph_equal(&equal, read, converted));
    }
    bonsai_graph_free(read);
    bonsai_graph_free(converted);
    if (!equal) {
        fprintf(stderr, "reading and converting disagree: %s\n", bonsai_error());
        abort();
    }
}

void fuzz_convert(const char *path)
{
    char to[100];
    int64_t before = bn_mem_live();
    snprintf(to, sizeof to, "%s/converted.bonsai", folder);
    if (convert(to, path, 1) == BONSAI_OK)
        fuzz_load(to);
    convert_and_read(to, path);
    if (bn_mem_live() != before)
        abort();
}

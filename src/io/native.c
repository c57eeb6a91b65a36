/* native.c -- graphs in native files: mapped for reading, encoded for writing.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "container.h"
#include "io.h"

static bool matches(const char *path)
{
    return bn_is_file(path) && bn_ends_with(path, ".bonsai");
}

static bonsai_status lay_sections(bonsai_graph *g, const bn_container *c, const char *path)
{
    g->view.nodes = (int64_t)c->field[0];
    g->view.features = (int64_t)c->field[1];
    g->view.classes = (int64_t)c->field[2];
    g->view.flags = c->field[3];
    for (int i = 0; i < c->entries; i++) {
        const bn_entry *e = &c->entry[i];
        if (e->id == 0 || e->id >= BONSAI_SECTION_COUNT)
            return bn_fail_at(BONSAI_E_FORMAT, path, "section %u is not known to this version of "
                              "the library (%s)", e->id, BONSAI_VERSION);
        g->view.section[e->id] = (bonsai_array){g->file.data + e->offset, e->count,
                                                (bonsai_type)e->type};
        g->crc[e->id] = e->crc;
    }
    return bn_stored_shape(&g->view, path);
}

static uint32_t small_sections(const bonsai_graph *g)
{
    uint32_t mask = 0;
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++) {
        const bonsai_array *a = &g->view.section[s];
        if (a->data && a->count * (int64_t)bonsai_type_bytes(a->type) < BN_SMALL_SECTION)
            mask |= BN_BIT(s);
    }
    return mask;
}

static bonsai_status must_be_graph(const bn_container *c, const char *path)
{
    if (c->kind == BN_KIND_GRAPH)
        return BONSAI_OK;
    if (c->kind == BN_KIND_MODEL)
        return bn_fail_at(BONSAI_E_FORMAT, path, "is a model, not a graph; \"bonsai predict\" uses "
                          "it on one");
    return bn_fail_at(BONSAI_E_FORMAT, path, "is a bonsai file but holds no graph (kind %u)",
                      c->kind);
}

static bonsai_status open_native(bonsai_graph **out, const char *path, const bonsai_read_options *o)
{
    bonsai_status rc;
    bonsai_graph *g = NULL;
    bn_container c;
    BN_TRY(bn_graph_new(&g, path));
    BN_TRY(bn_file_open(&g->file, path));
    BN_TRY(bn_container_read(&c, &g->file, path));
    BN_TRY(must_be_graph(&c, path));
    BN_TRY(lay_sections(g, &c, path));
    BN_TRY(bn_expand(g, o->threads));
    BN_TRY(bn_graph_need(g, small_sections(g), o->threads));
    g->info.edges_given = bonsai_graph_edges(g);
    *out = g;
    g = NULL;
done:
    bonsai_graph_free(g);
    return rc;
}

typedef struct {
    bn_out *out;
    uint32_t crc;
    int64_t done, total;
    bn_progress progress;
} sink_state;

static bonsai_status sink(const void *data, int64_t len, void *payload)
{
    bonsai_status rc;
    sink_state *s = payload;
    s->crc = bn_crc32(s->crc, data, len);
    BN_TRY(bn_out_write(s->out, data, len));
    s->done += len;
    BN_TRY(bn_tick(s->progress, "writing", s->done, s->total));
done:
    return rc;
}

static void fill_table(bn_container *c, const bonsai_graph *g, const bn_coding *p)
{
    memset(c, 0, sizeof *c);
    c->kind = BN_KIND_GRAPH;
    c->field[0] = (uint64_t)g->view.nodes;
    c->field[1] = (uint64_t)bn_basis_features(g);
    c->field[2] = (uint64_t)g->view.classes;
    c->field[3] = g->view.flags;
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++)
        if (p->type[s] != BONSAI_TYPE_NONE)
            c->entry[c->entries++] = (bn_entry){.id = (uint32_t)s, .type = p->type[s],
                                                .count = p->count[s]};
}

/* Refuses what could not be read again: a reader bounds features by stored values. */
static bonsai_status must_be_readable(const bonsai_graph *g, const bn_coding *p, const char *path)
{
    bonsai_view v = g->view;
    v.features = bn_basis_features(g);
    for (int s = 1; s < BONSAI_SECTION_COUNT; s++)
        v.section[s] = (bonsai_array){p->type[s] != BONSAI_TYPE_NONE ? p : NULL, p->count[s],
                                      p->type[s]};
    return bn_stored_shape(&v, path);
}

static bonsai_status write_native(const bonsai_graph *g, const char *path,
                                  const bonsai_write_options *o, uint64_t *left_out)
{
    static const uint8_t zero[BN_CONTAINER_ALIGN] = {0};
    bonsai_status rc;
    bn_coding p;
    bn_container c;
    uint8_t head[64 + 32 * BN_CONTAINER_MAX];
    sink_state s = {.progress = {o->progress, o->payload}};
    (void)left_out;             /* this format holds everything */
    BN_TRY(bn_coding_make(&p, g, o->features, &(bn_place){.threads = o->threads}));
    BN_TRY(must_be_readable(g, &p, path));
    fill_table(&c, g, &p);
    int64_t bytes = bn_container_layout(&c);
    if (bytes < 0) {
        rc = bn_fail_at(BONSAI_E_ARGUMENT, path, "the graph is too large in this encoding");
        goto done;
    }
    for (int i = 0; i < c.entries; i++)
        s.total += bn_coding_bytes(&p, c.entry[i].id);
    BN_TRY(bn_out_open(&s.out, path));
    BN_TRY(bn_tick(s.progress, "writing", 0, s.total));
    memset(head, 0, sizeof head);
    BN_TRY(bn_out_write(s.out, head, bn_container_head(&c)));
    for (int i = 0; i < c.entries; i++) {
        BN_TRY(bn_out_write(s.out, zero, c.entry[i].offset - bn_out_tell(s.out)));
        s.crc = 0;
        BN_TRY(bn_coding_emit(&p, g, c.entry[i].id, sink, &s));
        c.entry[i].crc = s.crc;
    }
    bn_container_pack(head, &c, bytes);
    BN_TRY(bn_out_rewrite(s.out, 0, head, bn_container_head(&c)));
    BN_TRY(bn_out_commit(s.out));
done:
    bn_out_close(s.out);
    return rc;
}

const bn_format bn_format_native = {
    .name = "bonsai",
    .help = "the native file: mapped, checksummed, every section",
    .matches = matches,
    .open = open_native,
    .write = write_native,
};

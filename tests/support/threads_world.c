/* threads_world.c -- ranks as threads: each publishes its buffers, all meet, all copy.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "threads_world.h"

enum { MOST = 16 };

typedef struct message {
    struct message *next;
    int from;
    int64_t bytes;
    void *data;
} message;

typedef struct { const void *data; const int64_t *bytes; } shown;

typedef struct {
    int ranks;
    pthread_barrier_t meet;
    shown at[MOST];
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    message *first[MOST], *last[MOST];
} hall;

typedef struct {
    bn_world w;                 /* first, so that a bn_world is a member */
    hall *h;
    void *in;                   /* buffers of the current exchange */
    const int64_t *in_bytes;
    bonsai_status (*fn)(bn_world *w, void *payload);
    void *payload;
    bonsai_status rc;
    char sentence[1024];
} member;

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "threads_world: %s\n", what);
    abort();
}

static void show(member *m, const void *data, const int64_t *bytes)
{
    m->h->at[m->w.rank] = (shown){data, bytes};
    pthread_barrier_wait(&m->h->meet);
}

static void leave(member *m)
{
    pthread_barrier_wait(&m->h->meet);
}

static bonsai_status gather(bn_world *w, void *all, const int64_t *bytes, const void *mine)
{
    member *m = (member *)w;
    char *to = all;
    show(m, mine, NULL);
    for (int r = 0; r < w->ranks; r++, to += bytes[r - 1])
        if (bytes[r] > 0)
            memmove(to, m->h->at[r].data, (size_t)bytes[r]);
    w->sent += bytes[w->rank] * (w->ranks - 1);
    leave(m);
    return BONSAI_OK;
}

static bonsai_status share(bn_world *w, void *data, int64_t bytes, int from)
{
    member *m = (member *)w;
    show(m, data, NULL);
    if (w->rank != from && bytes > 0)
        memcpy(data, m->h->at[from].data, (size_t)bytes);
    leave(m);
    return BONSAI_OK;
}

/* Sums in rank order, or backwards: a result that depends on the order is a bug. */
static bonsai_status sum(bn_world *w, double *x, int64_t count)
{
    member *m = (member *)w;
    double *total = calloc((size_t)count + 1, sizeof *total);
    show(m, x, NULL);
    for (int i = 0; i < w->ranks; i++) {
        const double *from = m->h->at[count % 2 ? i : w->ranks - 1 - i].data;
        for (int64_t j = 0; j < count; j++)
            total[j] += from[j];
    }
    leave(m);
    memcpy(x, total, (size_t)count * sizeof *total);
    free(total);
    return BONSAI_OK;
}

static bonsai_status sum_int(bn_world *w, int64_t *x, int64_t count)
{
    member *m = (member *)w;
    int64_t *total = calloc((size_t)count + 1, sizeof *total);
    show(m, x, NULL);
    for (int i = 0; i < w->ranks; i++)
        for (int64_t j = 0; j < count; j++)
            total[j] += ((const int64_t *)m->h->at[i].data)[j];
    leave(m);
    memcpy(x, total, (size_t)count * sizeof *total);
    free(total);
    return BONSAI_OK;
}

static bonsai_status max(bn_world *w, double *x, int64_t count)
{
    member *m = (member *)w;
    double *most = calloc((size_t)count + 1, sizeof *most);
    show(m, x, NULL);
    memcpy(most, x, (size_t)count * sizeof *most);
    for (int i = 0; i < w->ranks; i++)
        for (int64_t j = 0; j < count; j++) {
            double v = ((const double *)m->h->at[i].data)[j];
            most[j] = v > most[j] ? v : most[j];
        }
    leave(m);
    memcpy(x, most, (size_t)count * sizeof *most);
    free(most);
    return BONSAI_OK;
}

static bonsai_status start(bn_world *w, void *in, const int64_t *in_bytes, const void *out,
                           const int64_t *out_bytes)
{
    member *m = (member *)w;
    m->in = in;
    m->in_bytes = in_bytes;
    m->h->at[w->rank] = (shown){out, out_bytes};
    return BONSAI_OK;
}

static bonsai_status finish(bn_world *w)
{
    member *m = (member *)w;
    char *to = m->in;
    pthread_barrier_wait(&m->h->meet);
    for (int r = 0; r < w->ranks; r++) {
        const shown *s = &m->h->at[r];
        const char *from = s->data;
        for (int q = 0; q < w->rank; q++)
            from += s->bytes[q];
        must(s->bytes[w->rank] == m->in_bytes[r], "what one sends the other must expect");
        if (m->in_bytes[r] > 0)
            memcpy(to, from, (size_t)m->in_bytes[r]);
        to += m->in_bytes[r];
        w->sent += r == w->rank ? 0 : m->h->at[w->rank].bytes[r];
    }
    leave(m);
    return BONSAI_OK;
}

static bonsai_status send(bn_world *w, int to, const void *data, int64_t bytes)
{
    hall *h = ((member *)w)->h;
    message *x = calloc(1, sizeof *x);
    x->from = w->rank;
    x->bytes = bytes;
    x->data = malloc((size_t)bytes + 1);
    memcpy(x->data, data, (size_t)bytes);
    pthread_mutex_lock(&h->lock);
    if (h->last[to])
        h->last[to]->next = x;
    else
        h->first[to] = x;
    h->last[to] = x;
    pthread_cond_broadcast(&h->arrived);
    pthread_mutex_unlock(&h->lock);
    w->sent += bytes;
    return BONSAI_OK;
}

static message *take(hall *h, int rank, int from)
{
    for (message **at = &h->first[rank], *before = NULL; *at; before = *at, at = &(*at)->next)
        if (from < 0 || (*at)->from == from) {
            message *x = *at;
            *at = x->next;
            if (h->last[rank] == x)
                h->last[rank] = before;
            return x;
        }
    return NULL;
}

static bonsai_status receive(bn_world *w, int *from, void **data, int64_t *bytes)
{
    hall *h = ((member *)w)->h;
    message *x;
    pthread_mutex_lock(&h->lock);
    while (!(x = take(h, w->rank, *from)))
        pthread_cond_wait(&h->arrived, &h->lock);
    pthread_mutex_unlock(&h->lock);
    uint8_t *copy = NULL;
    bonsai_status rc = BN_NEW(&copy, x->bytes);
    *from = x->from;
    *bytes = x->bytes;
    *data = copy;
    if (rc == BONSAI_OK)
        memcpy(copy, x->data, (size_t)x->bytes);
    free(x->data);
    free(x);
    return rc;
}

static void *live(void *payload)
{
    member *m = payload;
    m->rc = m->fn(&m->w, m->payload);
    if (m->rc != BONSAI_OK)
        memcpy(m->sentence, bonsai_error(), strlen(bonsai_error()) + 1);
    return NULL;
}

bonsai_status run_ranks(int ranks, bonsai_status (*fn)(bn_world *w, void *payload), void *payload)
{
    hall h = {.ranks = ranks};
    member m[MOST];
    memset(m, 0, sizeof m);
    pthread_t thread[MOST];
    must(ranks <= MOST, "too many ranks");
    pthread_barrier_init(&h.meet, NULL, (unsigned)ranks);
    pthread_mutex_init(&h.lock, NULL);
    pthread_cond_init(&h.arrived, NULL);
    for (int r = 0; r < ranks; r++) {
        m[r] = (member){.w = {.rank = r, .ranks = ranks, .gather = gather, .share = share,
                              .sum = sum, .sum_int = sum_int, .max = max, .start = start,
                              .finish = finish, .send = send, .receive = receive},
                        .h = &h, .fn = fn, .payload = payload};
        pthread_create(&thread[r], NULL, live, &m[r]);
    }
    for (int r = 0; r < ranks; r++)
        pthread_join(thread[r], NULL);
    for (int r = 0; r < ranks; r++) {
        must(m[r].rc == m[0].rc && strcmp(m[r].sentence, m[0].sentence) == 0,
             "all ranks must end alike");
        must(!h.first[r], "every message must be read");
    }
    pthread_barrier_destroy(&h.meet);
    pthread_mutex_destroy(&h.lock);
    pthread_cond_destroy(&h.arrived);
    return m[0].rc == BONSAI_OK ? BONSAI_OK : bn_fail(m[0].rc, "%s", m[0].sentence);
}

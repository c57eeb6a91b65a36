/* transport.c -- a bn_world of processes: its calls in terms of MPI.
 *
 * It adds three things to MPI:
 *
 *   sizes    MPI counts in int, so larger data goes in pieces;
 *   failing  all memory is allocated when the world is made, so that no call can fail on one rank
 *            and leave the others waiting;
 *   waiting  Open MPI spins while it waits, on a core that other ranks or their threads may need.
 *            All calls here are nonblocking; a long wait sleeps for a tenth of the time waited so
 *            far.
 *
 * In an exchange each pair of ranks has one piece in flight at a time, in each direction.
 *
 * SPDX-License-Identifier: MIT */
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ranks.h"

enum { PIECE = 1 << 30 };
enum { TAG_EXCHANGE, TAG_WHOLE, TAG_LONG, TAG_BODY };

typedef struct {                /* data still to move between this rank and another */
    char   *in;
    const char *out;
    int64_t in_left, out_left;
} lane;

typedef struct {
    bn_world w;                 /* first, so that a bn_world pointer can be cast to this */
    MPI_Comm comm, mail;        /* for collective calls; for messages between two ranks */
    int64_t  piece;
    int     *counts, *places;   /* ranks */
    lane    *lanes;             /* ranks */
    MPI_Request *requests;      /* 2 ranks: in, out */
    bool     under_way;
} mpi_world;

static bonsai_status failed(const bn_world *w, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len = 0;
    MPI_Error_string(code, text, &len);
    return bn_fail(BONSAI_E_IO, "rank %d could not %s: %s", w->rank, what, text);
}

/* ---- waiting ---- */

/* Sleeps between two tests; at first not at all, so that data about to arrive is seen at once. */
static void rest(int *looks, double *since)
{
    enum { QUICK = 200, YIELDS = 50 };
    if (++*looks < QUICK)
        return;
    if (*looks == QUICK)
        *since = bn_seconds();
    if (*looks < QUICK + YIELDS) {
        sched_yield();
        return;
    }
    double pause = (bn_seconds() - *since) / 10;
    const struct timespec t = {0, pause > 1e-3 ? 1000000 : (long)(pause * 1e9)};
    nanosleep(&t, NULL);
}

static bonsai_status wait_for(const bn_world *w, const char *what, int code, MPI_Request *request)
{
    int done = 0, looks = 0;
    double since = 0;
    while (code == MPI_SUCCESS) {
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done && code == MPI_SUCCESS)
            return BONSAI_OK;
        rest(&looks, &since);
    }
    return failed(w, what, code);
}

/* ---- all ranks ---- */

static bonsai_status share(bn_world *w, void *data, int64_t bytes, int from)
{
    mpi_world *m = (mpi_world *)w;
    bonsai_status rc = BONSAI_OK;
    for (int64_t at = 0; at < bytes; at += m->piece) {
        MPI_Request r = MPI_REQUEST_NULL;
        int len = (int)bn_least(m->piece, bytes - at);
        BN_TRY(wait_for(w, "share data", MPI_Ibcast((char *)data + at, len, MPI_BYTE, from, m->comm,
                                                    &r), &r));
    }
    if (from == w->rank)
        w->sent += bytes * (w->ranks - 1);
done:
    return rc;
}

/* If the data does not fit one MPI call, the ranks share theirs one after the other. */
static bonsai_status gather_large(bn_world *w, char *all, const int64_t *bytes)
{
    bonsai_status rc = BONSAI_OK;
    for (int r = 0; r < w->ranks; r++) {
        BN_TRY(share(w, all, bytes[r], r));
        all += bytes[r];
    }
done:
    return rc;
}

static bonsai_status gather(bn_world *w, void *all, const int64_t *bytes, const void *mine)
{
    mpi_world *m = (mpi_world *)w;
    int64_t total = 0, place = 0;
    MPI_Request r = MPI_REQUEST_NULL;
    for (int i = 0; i < w->ranks; i++) {
        place = i == w->rank ? total : place;
        total += bytes[i];
    }
    if (bytes[w->rank] > 0)
        memmove((char *)all + place, mine, (size_t)bytes[w->rank]);
    if (total > m->piece)
        return gather_large(w, all, bytes);
    for (int i = 0, at = 0; i < w->ranks; i++) {
        m->counts[i] = (int)bytes[i];
        m->places[i] = at;
        at += m->counts[i];
    }
    w->sent += bytes[w->rank] * (w->ranks - 1);
    return wait_for(w, "gather data",
                    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, m->counts, m->places,
                                    MPI_BYTE, m->comm, &r), &r);
}

/* Numbers of 8 bytes.  All ranks but one send each number twice: as the sum of some ranks and as
 * the sum of all. */
static bonsai_status reduce(bn_world *w, void *x, int64_t count, MPI_Datatype type, MPI_Op op)
{
    mpi_world *m = (mpi_world *)w;
    bonsai_status rc = BONSAI_OK;
    const int64_t each = m->piece / 8 > 0 ? m->piece / 8 : 1;
    for (int64_t at = 0; at < count; at += each) {
        MPI_Request r = MPI_REQUEST_NULL;
        int len = (int)bn_least(each, count - at);
        BN_TRY(wait_for(w, "add up numbers", MPI_Iallreduce(MPI_IN_PLACE, (char *)x + 8 * at, len,
                                                            type, op, m->comm, &r), &r));
    }
    w->sent += 2 * 8 * count * (w->ranks - 1) / w->ranks;
done:
    return rc;
}

static bonsai_status sum(bn_world *w, double *x, int64_t count)
{
    return reduce(w, x, count, MPI_DOUBLE, MPI_SUM);
}

static bonsai_status sum_int(bn_world *w, int64_t *x, int64_t count)
{
    return reduce(w, x, count, MPI_INT64_T, MPI_SUM);
}

static bonsai_status max(bn_world *w, double *x, int64_t count)
{
    return reduce(w, x, count, MPI_DOUBLE, MPI_MAX);
}

/* ---- exchanges ---- */

/* Starts to send and receive the next piece on every lane that has none in flight. */
static int go_on(mpi_world *m)
{
    int code = MPI_SUCCESS;
    for (int r = 0; r < m->w.ranks && code == MPI_SUCCESS; r++) {
        lane *l = &m->lanes[r];
        MPI_Request *in = &m->requests[2 * r], *out = in + 1;
        if (*in == MPI_REQUEST_NULL && l->in_left > 0) {
            int len = (int)bn_least(m->piece, l->in_left);
            code = MPI_Irecv(l->in, len, MPI_BYTE, r, TAG_EXCHANGE, m->comm, in);
            l->in += len;
            l->in_left -= len;
        }
        if (*out == MPI_REQUEST_NULL && l->out_left > 0 && code == MPI_SUCCESS) {
            int len = (int)bn_least(m->piece, l->out_left);
            code = MPI_Isend(l->out, len, MPI_BYTE, r, TAG_EXCHANGE, m->comm, out);
            l->out += len;
            l->out_left -= len;
        }
    }
    return code;
}

static bonsai_status start(bn_world *w, void *in, const int64_t *in_bytes, const void *out,
                           const int64_t *out_bytes)
{
    mpi_world *m = (mpi_world *)w;
    char *to = in;
    const char *from = out;
    for (int r = 0; r < w->ranks; r++) {
        m->lanes[r] = (lane){to, from, in_bytes[r], out_bytes[r]};
        if (r == w->rank) {
            if (in_bytes[r] > 0)
                memcpy(to, from, (size_t)in_bytes[r]);
            m->lanes[r] = (lane){NULL, NULL, 0, 0};
        } else {
            w->sent += out_bytes[r];
        }
        m->requests[2 * r] = m->requests[2 * r + 1] = MPI_REQUEST_NULL;
        to += in_bytes[r];
        from += out_bytes[r];
    }
    m->under_way = true;
    int code = go_on(m);
    return code == MPI_SUCCESS ? BONSAI_OK : failed(w, "start an exchange", code);
}

void bn_ranks_poke(bn_world *w)
{
    mpi_world *m = (mpi_world *)w;
    int done;
    if (w && m->under_way)
        MPI_Testall(2 * w->ranks, m->requests, &done, MPI_STATUSES_IGNORE);
}

static bool all_moved(const mpi_world *m)
{
    for (int r = 0; r < m->w.ranks; r++)
        if (m->lanes[r].in_left > 0 || m->lanes[r].out_left > 0)
            return false;
    return true;
}

/* When a piece is done, the next of the same pair starts at once. */
static bonsai_status finish(bn_world *w)
{
    mpi_world *m = (mpi_world *)w;
    int code = MPI_SUCCESS, looks = 0;
    double since = 0;
    for (bool ended = false; !ended && code == MPI_SUCCESS;) {
        ended = true;
        for (int i = 0; i < 2 * w->ranks && code == MPI_SUCCESS; i++) {
            int done = 1;
            if (m->requests[i] != MPI_REQUEST_NULL)
                code = MPI_Test(&m->requests[i], &done, MPI_STATUS_IGNORE);
            ended = ended && done;
        }
        if (code == MPI_SUCCESS && !all_moved(m)) {
            ended = false;
            code = go_on(m);
        }
        if (!ended)
            rest(&looks, &since);
    }
    m->under_way = false;
    return code == MPI_SUCCESS ? BONSAI_OK : failed(w, "finish an exchange", code);
}

/* ---- two ranks ---- */

static bonsai_status post(bn_world *w, int to, const void *data, int len, int tag)
{
    MPI_Request r = MPI_REQUEST_NULL;
    return wait_for(w, "send a message",
                    MPI_Isend(data, len, MPI_BYTE, to, tag, ((mpi_world *)w)->mail, &r), &r);
}

/* A message too long for one piece is sent after its length. */
static bonsai_status send(bn_world *w, int to, const void *data, int64_t bytes)
{
    mpi_world *m = (mpi_world *)w;
    bonsai_status rc;
    w->sent += bytes;
    if (bytes <= m->piece)
        return post(w, to, data, (int)bytes, TAG_WHOLE);
    BN_TRY(post(w, to, &bytes, sizeof bytes, TAG_LONG));
    for (int64_t at = 0; at < bytes; at += m->piece)
        BN_TRY(post(w, to, (const char *)data + at, (int)bn_least(m->piece, bytes - at), TAG_BODY));
done:
    return rc;
}

/* Waits for a message and takes it out of the queue, so that no other receive can match it. */
static bonsai_status next_message(bn_world *w, int from, int tag, MPI_Message *out, MPI_Status *st)
{
    int code = MPI_SUCCESS, there = 0, looks = 0;
    double since = 0;
    while (code == MPI_SUCCESS && !there) {
        code = MPI_Improbe(from, tag, ((mpi_world *)w)->mail, &there, out, st);
        if (!there)
            rest(&looks, &since);
    }
    return code == MPI_SUCCESS ? BONSAI_OK : failed(w, "receive a message", code);
}

/* Takes a message out of the queue and loses its bytes.  MPI calls that an error, which MPICH tells
 * through the handlers of these two, whatever that of the message's communicator is. */
static void lose(bn_world *w, MPI_Message *message)
{
    const MPI_Comm told[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    MPI_Errhandler before[2];
    MPI_Request r = MPI_REQUEST_NULL;
    for (int i = 0; i < 2; i++) {
        MPI_Comm_get_errhandler(told[i], &before[i]);
        MPI_Comm_set_errhandler(told[i], MPI_ERRORS_RETURN);
    }
    wait_for(w, "receive a message", MPI_Imrecv(NULL, 0, MPI_BYTE, message, &r), &r);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_set_errhandler(told[i], before[i]);
        MPI_Errhandler_free(&before[i]);
    }
}

/* Reads a message.  Without memory its bytes are lost, but it still leaves the queue. */
static bonsai_status take(bn_world *w, MPI_Message *message, void *to, int len)
{
    MPI_Request r = MPI_REQUEST_NULL;
    if (to)
        return wait_for(w, "receive a message", MPI_Imrecv(to, len, MPI_BYTE, message, &r), &r);
    lose(w, message);
    return BONSAI_OK;
}

static bonsai_status receive(bn_world *w, int *from, void **data, int64_t *bytes)
{
    mpi_world *m = (mpi_world *)w;
    bonsai_status rc, room;
    MPI_Message message;
    MPI_Status st;
    uint8_t *copy = NULL;
    int len = 0;
    BN_TRY(next_message(w, *from < 0 ? MPI_ANY_SOURCE : *from, MPI_ANY_TAG, &message, &st));
    const int source = st.MPI_SOURCE, tag = st.MPI_TAG;
    MPI_Get_count(&st, MPI_BYTE, &len);
    *bytes = len;
    if (tag == TAG_LONG)
        BN_TRY(take(w, &message, bytes, sizeof *bytes));
    bn_error no_room;
    room = BN_NEW(&copy, *bytes);
    bn_error_keep(&no_room);
    if (tag == TAG_WHOLE)
        BN_TRY(take(w, &message, copy, len));
    for (int64_t at = 0; tag == TAG_LONG && at < *bytes; at += m->piece) {
        BN_TRY(next_message(w, source, TAG_BODY, &message, &st));
        BN_TRY(take(w, &message, copy ? copy + at : NULL, (int)bn_least(m->piece, *bytes - at)));
    }
    *from = source;
    *data = copy;
    copy = NULL;
    rc = room == BONSAI_OK ? BONSAI_OK : bn_error_raise(&no_room);
done:
    bn_free(copy);
    return rc;
}

/* ---- the world ---- */

static void release(mpi_world *m)
{
    if (!m)
        return;
    bn_free(m->counts);
    bn_free(m->places);
    bn_free(m->lanes);
    bn_free(m->requests);
    bn_free(m);
}

static bonsai_status make_room(mpi_world **out, int ranks)
{
    bonsai_status rc;
    mpi_world *m = NULL;
    BN_TRY(BN_NEW(&m, 1));
    *out = m;
    m->comm = m->mail = MPI_COMM_NULL;
    BN_TRY(BN_NEW(&m->counts, ranks));
    BN_TRY(BN_NEW(&m->places, ranks));
    BN_TRY(BN_NEW(&m->lanes, ranks));
    BN_TRY(BN_NEW(&m->requests, 2 * (int64_t)ranks));
done:
    return rc;
}

/* A communicator of our own keeps our messages apart from the caller's, and returns errors. */
static bonsai_status own_comm(MPI_Comm *out, MPI_Comm comm, const bn_world *w)
{
    int code = MPI_Comm_dup(comm, out);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(*out, MPI_ERRORS_RETURN);
    return code == MPI_SUCCESS ? BONSAI_OK : failed(w, "join the others", code);
}

bonsai_status bn_ranks_new(bn_world **out, MPI_Comm comm, int64_t piece)
{
    bonsai_status rc;
    mpi_world *m = NULL;
    int up = 0, down = 0, rank, ranks, worst;
    *out = NULL;
    MPI_Initialized(&up);
    MPI_Finalized(&down);
    if (!up || down)
        return bn_fail(BONSAI_E_ARGUMENT, "MPI is not running: call MPI_Init first");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    rc = make_room(&m, ranks);
    int mine = rc == BONSAI_OK ? 0 : 1;
    MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, comm);
    if (worst) {
        release(m);
        return bn_fail(BONSAI_E_MEMORY, "one of the ranks does not have enough memory to begin");
    }
    m->w = (bn_world){.rank = rank, .ranks = ranks, .gather = gather, .share = share, .sum = sum,
                      .sum_int = sum_int, .max = max, .start = start, .finish = finish,
                      .send = send, .receive = receive};
    m->piece = piece > 0 ? piece : PIECE;
    BN_TRY(own_comm(&m->comm, comm, &m->w));
    BN_TRY(own_comm(&m->mail, comm, &m->w));
    *out = &m->w;
    m = NULL;
done:
    release(m);
    return rc;
}

void bn_ranks_free(bn_world *w)
{
    mpi_world *m = (mpi_world *)w;
    if (!m)
        return;
    MPI_Comm_free(&m->mail);
    MPI_Comm_free(&m->comm);
    release(m);
}

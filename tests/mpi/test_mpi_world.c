/* test_mpi_world.c -- the world of processes against known answers; for mpirun with any number of
 * ranks.
 *
 * Every test runs on all ranks and ends with one verdict of all, so that a wrong answer on one
 * rank is no hang of the others.  Pieces of a few bytes stand for the gibibytes that MPI's counts
 * cannot hold.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

static int rank, ranks, failures;

/* What byte i of what rank a has for rank b is. */
static unsigned char byte_of(int a, int b, int64_t i)
{
    return (unsigned char)(17 * a + 29 * b + 3 * i + i / 251);
}

/* ---- answers that are known ---- */

static bool gathers_parts_of_any_size(bn_world *w)
{
    int64_t bytes[64], total = 0, at = 0, place = 0;
    for (int r = 0; r < ranks; r++) {
        bytes[r] = r % 3 == 1 ? 0 : 40 * r + 13;
        place = r == rank ? total : place;
        total += bytes[r];
    }
    unsigned char *mine = malloc(4000), *all = calloc(1, (size_t)total + 1);
    for (int64_t i = 0; i < bytes[rank]; i++)
        mine[i] = byte_of(rank, 0, i);
    bool good = bn_gather(w, all, bytes, mine) == BONSAI_OK;
    for (int again = 0; again < 2; again++) {
        at = 0;
        for (int r = 0; r < ranks; r++)
            for (int64_t i = 0; i < bytes[r]; i++)
                good = good && all[at++] == byte_of(r, 0, i);
        good = good && all[total] == 0;
        if (again == 0)         /* once more, from where it belongs */
            good = bn_gather(w, all, bytes, all + place) == BONSAI_OK && good;
    }
    free(mine);
    free(all);
    return good;
}

static bool shares_what_any_rank_has(bn_world *w)
{
    unsigned char data[1001];
    bool good = true;
    for (int from = 0; from < ranks; from++) {
        memset(data, 0, sizeof data);
        for (int i = 0; i < 1000 && rank == from; i++)
            data[i] = byte_of(from, 1, i);
        good = bn_share(w, data, 1000, from) == BONSAI_OK && good;
        for (int i = 0; i < 1000; i++)
            good = good && data[i] == byte_of(from, 1, i);
        good = good && data[1000] == 0;
    }
    return good && bn_share(w, NULL, 0, 0) == BONSAI_OK;
}

static bool sums_and_takes_the_largest(bn_world *w)
{
    double sum[301], most[301];
    int64_t whole[301];
    bool good = true;
    for (int i = 0; i < 301; i++) {
        sum[i] = i + 0.25 * rank;
        most[i] = (i + rank) % ranks == 0 ? 5.5 + i : -INFINITY;
        whole[i] = ((int64_t)1 << 40) + i * rank;
    }
    good = bn_sum(w, sum, 300) == BONSAI_OK && good;
    good = bn_max(w, most, 300) == BONSAI_OK && good;
    good = bn_sum_int(w, whole, 300) == BONSAI_OK && good;
    const int pairs = ranks * (ranks - 1) / 2;
    for (int i = 0; i < 300; i++)
        good = good && sum[i] == i * ranks + 0.25 * pairs && most[i] == 5.5 + i &&
               whole[i] == ranks * ((int64_t)1 << 40) + i * pairs;
    return good && sum[300] == 300 + 0.25 * rank && whole[300] == ((int64_t)1 << 40) + 300 * rank;
}

/* From a to b; nothing between some. */
static int64_t amount(int a, int b)
{
    return (a + b) % 4 == 3 ? 0 : 1 + (31 * a + 7 * b) % 97;
}

static bool exchange(bn_world *w, bool poke)
{
    int64_t in_bytes[64], out_bytes[64], ins = 0, outs = 0, at = 0;
    for (int r = 0; r < ranks; r++) {
        ins += in_bytes[r] = amount(r, rank);
        outs += out_bytes[r] = amount(rank, r);
    }
    unsigned char *in = calloc(1, (size_t)ins + 1), *out = malloc((size_t)outs + 1);
    for (int r = 0; r < ranks; r++)
        for (int64_t i = 0; i < out_bytes[r]; i++)
            out[at++] = byte_of(rank, r, i);
    int64_t before = w->sent;
    bool good = bn_exchange_start(w, in, in_bytes, out, out_bytes) == BONSAI_OK;
    for (int i = 0; i < 20 && poke; i++)
        bn_ranks_poke(w);
    good = bn_exchange_finish(w) == BONSAI_OK && good;
    at = 0;
    for (int r = 0; r < ranks; r++)
        for (int64_t i = 0; i < in_bytes[r]; i++)
            good = good && in[at++] == byte_of(r, rank, i);
    good = good && in[ins] == 0 && w->sent - before == outs - out_bytes[rank];
    free(in);
    free(out);
    return good;
}

static bool exchanges_and_counts_what_went_to_others(bn_world *w)
{
    return exchange(w, false) && exchange(w, true) && exchange(w, false);
}

/* Everyone to its right, of any length; read from the left, then from anyone. */
static bool messages_arrive_whole_and_in_order(bn_world *w)
{
    static const int64_t lengths[] = {0, 1, 6, 7, 8, 300, 5};
    const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    unsigned char data[300];
    bool good = true;
    for (int round = 0; ranks > 1 && round < 7; round++) {
        for (int64_t i = 0; i < lengths[round]; i++)
            data[i] = byte_of(rank, round, i);
        int from = round % 2 ? left : -1;
        unsigned char *got = NULL;
        int64_t bytes = -1;
        if (rank % 2 == 0)
            good = bn_send(w, right, data, lengths[round]) == BONSAI_OK && good;
        good = bn_receive(w, &from, (void **)&got, &bytes) == BONSAI_OK && good;
        if (rank % 2)
            good = bn_send(w, right, data, lengths[round]) == BONSAI_OK && good;
        good = good && from == left && bytes == lengths[round];
        for (int64_t i = 0; good && i < bytes; i++)
            good = got[i] == byte_of(left, round, i);
        bn_free(got);
    }
    return good;
}

/* A message that finds no memory is lost, and the one behind it arrives. */
static bool a_lost_message_does_not_block_the_next(bn_world *w)
{
    static char large[100000];
    static const int64_t lengths[] = {3, 200, sizeof large, 4};
    bool good = true;
    if (rank == 1)
        for (int i = 0; i < 4; i++)
            good = bn_send(w, 0, i < 3 ? large : "word", lengths[i]) == BONSAI_OK && good;
    for (int i = 0; i < 4 && rank == 0 && ranks > 1; i++) {
        void *data = NULL;
        int from = -1;
        int64_t bytes = 0;
        if (i < 3)
            bn_mem_fail_at(0);
        bonsai_status rc = bn_receive(w, &from, &data, &bytes);
        bn_mem_fail_at(-1);
        good = good && from == 1 && bytes == lengths[i] &&
               (i < 3 ? rc == BONSAI_E_MEMORY && !data
                      : rc == BONSAI_OK && memcmp(data, "word", 4) == 0);
        bn_free(data);
    }
    return good;
}

static bool the_first_rank_that_fails_tells_all_why(bn_world *w)
{
    bool good = true;
    for (int first = 0; first < ranks; first++) {
        char expected[64];
        snprintf(expected, sizeof expected, "rank %d fell", first);
        bonsai_status rc = rank < first ? BONSAI_OK : bn_fail(rank == first ? BONSAI_E_FORMAT
                                                                            : BONSAI_E_IO,
                                                              "rank %d fell", rank);
        rc = bn_agree(w, rc);
        good = good && rc == BONSAI_E_FORMAT && strcmp(bonsai_error(), expected) == 0;
    }
    return good && bn_agree(w, BONSAI_OK) == BONSAI_OK;
}

static bool canceling_one_rank_cancels_all(bn_world *w)
{
    w->canceled = rank == ranks - 1;
    bool good = bn_agree(w, BONSAI_OK) == (ranks > 1 ? BONSAI_E_CANCELED : BONSAI_OK);
    w->canceled = 0;
    return good;
}

static bool another_library_is_told_by_its_rank(bn_world *w)
{
    bool good = bn_same_build(w, NULL) == BONSAI_OK;
    const char *mine = rank == ranks - 1 && ranks > 1 ? "bonsai 9.9.9, big-endian" : "bonsai 0.1";
    char expected[128];
    snprintf(expected, sizeof expected,
             "rank %d runs another library: bonsai 9.9.9, big-endian; rank 0: bonsai 0.1",
             ranks - 1);
    bonsai_status rc = bn_same_build(w, mine);
    return good && (ranks == 1 ? rc == BONSAI_OK
                               : rc == BONSAI_E_ARGUMENT && strcmp(bonsai_error(), expected) == 0);
}

static bool other_options_are_told_by_name(bn_world *w)
{
    bonsai_condense_options o;
    const double ratios[] = {0.1, rank == 0 ? 0.2 : 0.25};
    bonsai_condense_options_init(&o);
    bool good = bn_same_condense(w, &o, ratios, 1) == BONSAI_OK;
    o.threads = rank;           /* may differ */
    good = bn_same_condense(w, &o, NULL, 1) == BONSAI_OK && good;
    if (ranks == 1)
        return good;
    good = bn_same_condense(w, &o, ratios, 2) == BONSAI_E_ARGUMENT && good &&
           strcmp(bonsai_error(),
                  "rank 1 was given other options: its ratio is 0.25 instead of 0.2") == 0;
    o.beta = rank == 1 ? 0.5 : 0.15;
    o.seed = rank == 1 ? 8 : 7;
    good = bn_same_condense(w, &o, NULL, 1) == BONSAI_E_ARGUMENT && good &&
           strcmp(bonsai_error(),
                  "rank 1 was given other options: its beta is 0.5 instead of 0.15") == 0;
    return good;
}

static bool no_failed_allocation_leaves_anyone_waiting(bn_world *w)
{
    bonsai_condense_options o;
    bonsai_condense_options_init(&o);
    bool good = true, failed = true;
    for (int nth = 0; failed; nth++) {
        bn_world *own = NULL;
        int any;
        if (rank == ranks - 1)
            bn_mem_fail_at(nth);
        bonsai_status rc = bn_ranks_new(&own, MPI_COMM_WORLD, 0);
        if (rc == BONSAI_OK)
            rc = bn_same_condense(own, &o, NULL, 1);
        bn_ranks_free(own);
        int mine = bn_mem_failed();
        bn_mem_fail_at(-1);
        MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        failed = any != 0;
        good = good && rc == (failed ? BONSAI_E_MEMORY : BONSAI_OK);
    }
    (void)w;
    return good;
}

/* ---- all of them ---- */

typedef bool test(bn_world *w);

static void run(const char *name, test *t, int64_t piece)
{
    bn_world *w = NULL;
    int64_t live = bn_mem_live();
    int mine = bn_ranks_new(&w, MPI_COMM_WORLD, piece) == BONSAI_OK && t(w), all;
    bn_ranks_free(w);
    mine = mine && bn_mem_live() == live;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    failures += !all;
    if (!mine)
        fprintf(stderr, "rank %d of %d: failed in pieces of %lld: %s\n", rank, ranks,
                (long long)piece, name);
    else if (rank == 0 && all)
        printf("ok: %s, in pieces of %lld\n", name, (long long)piece);
}

#define RUN(name) run(#name, name, pieces[i])

int main(int argc, char **argv)
{
    static const int64_t pieces[] = {0, 7, 64};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 3; i++) {
        RUN(gathers_parts_of_any_size);
        RUN(shares_what_any_rank_has);
        RUN(sums_and_takes_the_largest);
        RUN(exchanges_and_counts_what_went_to_others);
        RUN(messages_arrive_whole_and_in_order);
        RUN(a_lost_message_does_not_block_the_next);
        RUN(the_first_rank_that_fails_tells_all_why);
        RUN(canceling_one_rank_cancels_all);
        RUN(another_library_is_told_by_its_rank);
        RUN(other_options_are_told_by_name);
        RUN(no_failed_allocation_leaves_anyone_waiting);
    }
    MPI_Finalize();
    return failures ? 1 : 0;
}

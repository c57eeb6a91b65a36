/* mem.c -- the library's only use of the heap.
 *
 * Requests are checked for overflow, zeroed and counted.  A request larger than
 * the machine's memory, or that of its control group, is refused: with overcommit
 * the system would grant it and kill the process later.  Tests make the nth
 * request fail.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "json.h"
#include "scratch.h"

static atomic_int_least64_t fail_countdown = -1;
static atomic_bool          failed;
static atomic_int_least64_t live;
static atomic_int_least64_t limit;

void bn_mem_fail_at(int64_t nth)
{
    atomic_store(&failed, false);
    atomic_store(&fail_countdown, nth);
}

bool bn_mem_failed(void)
{
    return atomic_load(&failed);
}

int64_t bn_mem_live(void)
{
    return atomic_load(&live);
}

void bn_mem_limit(int64_t bytes)
{
    atomic_store(&limit, bytes);
}

bool bn_mul(int64_t *out, int64_t a, int64_t b)
{
    if (a < 0 || b < 0 || (b > 0 && a > INT64_MAX / b))
        return false;
    *out = a * b;
    return true;
}

bool bn_add(int64_t *out, int64_t a, int64_t b)
{
    if (a < 0 || b < 0 || a > INT64_MAX - b)
        return false;
    *out = a + b;
    return true;
}

static int64_t largest_request(void)
{
    int64_t max = atomic_load(&limit);
    if (max == 0) {
        max = bn_memory_all();
        atomic_store(&limit, max);
    }
    return max;
}

/* Returns whether a test makes this request fail. */
static bool must_fail(void)
{
    if (atomic_load(&fail_countdown) < 0)
        return false;
    if (atomic_fetch_sub(&fail_countdown, 1) != 0)
        return false;
    atomic_store(&failed, true);
    return true;
}

/* Keeps a block for OpenMP, which ends the process if it finds no memory for a team.  Once it is
 * given away, nothing is allocated until there is another. */
static _Atomic(void *) reserve;

static bool has_reserve(void)
{
    enum { RESERVE = 64 << 10 };
    void *none = NULL;
    if (atomic_load(&reserve))
        return true;
    void *block = malloc(RESERVE);
    if (!atomic_compare_exchange_strong(&reserve, &none, block))
        free(block);
    return atomic_load(&reserve) != NULL;
}

/* Frees a block of the size of a team, which can then be had again at once.  OpenMP keeps that of
 * the last team, but not of a team of one. */
int bn_mem_spare(int threads)
{
    static _Thread_local int last;
    enum { OF_TEAM = 4 << 10, OF_MEMBER = 512 };
    if (threads > 1 && threads == last && atomic_load(&reserve))
        return threads;
    void *block = malloc(OF_TEAM + (size_t)threads * OF_MEMBER);
    last = block ? threads : 1;
    free(block ? block : atomic_exchange(&reserve, NULL));
    return last;
}

static bool request_bytes(int64_t *bytes, int64_t count, size_t item)
{
    return bn_mul(bytes, count, (int64_t)item) && *bytes <= largest_request() && has_reserve() &&
           !must_fail();
}

enum { LARGE_BLOCK = 8 << 20, HUGE_PAGE = 2 << 20 };

/* Asks for large pages: rows of a large block are read in random order, and each would cost the
 * processor a walk of its page tables. */
static void use_large_pages(void *p, int64_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t begin = ((uintptr_t)p + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    uintptr_t end = ((uintptr_t)p + (uintptr_t)bytes) & ~(uintptr_t)(HUGE_PAGE - 1);
    if (bytes >= LARGE_BLOCK && begin < end)
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)p;
    (void)bytes;
#endif
}

bonsai_status bn_new(void **out, int64_t count, size_t item)
{
    int64_t bytes;
    void *room = NULL;
    if (request_bytes(&bytes, count, item))
        room = calloc(bytes ? (size_t)bytes : 1, 1);
    memcpy(out, &room, sizeof room);        /* *out is some other pointer's type: no aliasing */
    if (!room)
        return bn_no_room(count, item);
    use_large_pages(room, bytes);
    atomic_fetch_add(&live, 1);
    return BONSAI_OK;
}

bonsai_status bn_grow(void **pp, int64_t *capacity, int64_t need, size_t item)
{
    if (need <= *capacity)
        return BONSAI_OK;
    int64_t wanted = *capacity + *capacity / 2 + 16;
    if (wanted < need)
        wanted = need;
    int64_t bytes;
    if (!request_bytes(&bytes, wanted, item))
        return bn_no_room(wanted, item);
    void *old, *bigger;
    memcpy(&old, pp, sizeof old);
    bigger = realloc(old, (size_t)bytes);
    if (!bigger)
        return bn_no_room(wanted, item);
    if (!old)
        atomic_fetch_add(&live, 1);
    memcpy(pp, &bigger, sizeof bigger);
    *capacity = wanted;
    return BONSAI_OK;
}

void bn_free(void *p)
{
    if (!p)
        return;
    atomic_fetch_sub(&live, 1);
    free(p);
}

void *bn_json_room(void *old, size_t bytes)
{
    int64_t none = 0;
    return bn_grow(&old, &none, (int64_t)bytes, 1) == BONSAI_OK ? old : NULL;
}

void bn_json_drop(void *room)
{
    bn_free(room);
}

bonsai_status bn_strdup(char **out, const char *s)
{
    bonsai_status rc = BN_NEW(out, (int64_t)strlen(s) + 1);
    if (rc == BONSAI_OK)
        strcpy(*out, s);
    return rc;
}

/* shim.c -- makes one call of a program fail; loaded with LD_PRELOAD by faults.py.
 *
 *   FAULT_KIND   alloc, write, sync, rename, map, open, read or signal
 *   FAULT_AT     the call that fails, from 1; 0: none, only count
 *   FAULT_FILE   a file of 16 bytes: how many calls there were, and whether one failed
 *   FAULT_ERRNO  of the failed call
 *   FAULT_SIGNAL what the kind "signal" raises, when the time is asked for: progress asks for it
 *
 * Only calls from the program, our library, libzip, zlib and the C library count, and only from
 * main on: OpenMP, BLAS and TLS have no way to report a failure, and are not ours.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

typedef struct { atomic_int_least64_t calls, failed; } tally;

static tally nowhere, *counts = &nowhere;
static atomic_bool armed;
static const char *kind = "";
static int64_t fail_at;
static int error = ENOMEM, number = SIGINT;

/* ---- who calls ---- */

enum { MOST = 64 };
static struct { uintptr_t begin, end; } ours[MOST];
static int ranges;

static bool is_ours(const char *path)
{
    static const char *const names[] = {"libbonsai", "libzip", "libz.so", "libc.so"};
    const char *name = strrchr(path, '/');
    for (size_t i = 0; i < 4; i++)
        if (strncmp(name ? name + 1 : path, names[i], strlen(names[i])) == 0)
            return true;
    return *path == 0;                          /* the program */
}

static int note_module(struct dl_phdr_info *m, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; is_ours(m->dlpi_name) && i < m->dlpi_phnum && ranges < MOST; i++)
        if (m->dlpi_phdr[i].p_type == PT_LOAD && (m->dlpi_phdr[i].p_flags & PF_X)) {
            ours[ranges].begin = m->dlpi_addr + m->dlpi_phdr[i].p_vaddr;
            ours[ranges].end = ours[ranges].begin + m->dlpi_phdr[i].p_memsz;
            ranges++;
        }
    return 0;
}

/* Whether this call, of this kind and from there, is the one that fails. */
static bool fails(const char *what, const void *from)
{
    if (!atomic_load(&armed) || strcmp(kind, what) != 0)
        return false;
    bool counted = false;
    for (int i = 0; i < ranges && !counted; i++)
        counted = (uintptr_t)from >= ours[i].begin && (uintptr_t)from < ours[i].end;
    if (!counted || atomic_fetch_add(&counts->calls, 1) + 1 != fail_at)
        return false;
    atomic_store(&counts->failed, 1);
    errno = error;
    return true;
}

#define FROM __builtin_return_address(0)
/* The function that this one stands in front of. */
#define NEXT(name) static __typeof__(name) *next; \
    if (!next) { void *found = dlsym(RTLD_NEXT, #name); memcpy(&next, &found, sizeof next); }

/* ---- from main on ---- */

static int (*real_main)(int, char **, char **);

static void begin(void)
{
    const char *at = getenv("FAULT_AT"), *file = getenv("FAULT_FILE"), *what = getenv("FAULT_KIND");
    int fd = file ? (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR) : -1;
    void *room = fd >= 0 ? (void *)syscall(SYS_mmap, NULL, sizeof *counts, PROT_READ | PROT_WRITE,
                                           MAP_SHARED, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        syscall(SYS_close, fd);
    if (room != MAP_FAILED)
        counts = room;
    fail_at = at ? atoll(at) : 0;
    error = getenv("FAULT_ERRNO") ? atoi(getenv("FAULT_ERRNO")) : ENOMEM;
    number = getenv("FAULT_SIGNAL") ? atoi(getenv("FAULT_SIGNAL")) : SIGINT;
    kind = what ? what : "";
    dl_iterate_phdr(note_module, NULL);
    atomic_store(&armed, true);
}

static int main_with_faults(int argc, char **argv, char **environment)
{
    begin();
    return real_main(argc, argv, environment);
}

int __libc_start_main(int (*run)(int, char **, char **), int argc, char **argv,
                      void (*first)(void), void (*last)(void), void (*linker)(void), void *stack)
{
    int (*next)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                void (*)(void), void *);
    void *found = dlsym(RTLD_NEXT, "__libc_start_main");
    memcpy(&next, &found, sizeof next);
    real_main = run;
    return next(main_with_faults, argc, argv, first, last, linker, stack);
}

/* ---- memory; dlsym may itself ask for some before we know where it is ---- */

static char early[1 << 16];
static atomic_size_t early_used;

static void *early_room(size_t bytes)
{
    size_t at = atomic_fetch_add(&early_used, (bytes + 31) & ~(size_t)15) + 16;
    memcpy(early + at - 16, &bytes, sizeof bytes);
    return early + at;
}

static bool is_early(const void *p)
{
    return (const char *)p >= early && (const char *)p < early + sizeof early;
}

static _Thread_local bool looking;

/* The next function of that name; NULL while dlsym looks for it. */
static void *find(const char *name)
{
    if (looking)
        return NULL;
    looking = true;
    void *found = dlsym(RTLD_NEXT, name);
    looking = false;
    return found;
}

#define FIND(name) static __typeof__(name) *next; \
    if (!next) { void *found = find(#name); memcpy(&next, &found, sizeof next); }

void *malloc(size_t bytes)
{
    FIND(malloc)
    if (fails("alloc", FROM))
        return NULL;
    return next ? next(bytes) : early_room(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    FIND(calloc)
    if (fails("alloc", FROM))
        return NULL;
    return next ? next(count, bytes) : early_room(count * bytes);
}

void *realloc(void *old, size_t bytes)
{
    FIND(realloc)
    if (fails("alloc", FROM))
        return NULL;
    if (next && !is_early(old))
        return next(old, bytes);
    size_t had = 0;
    void *room = early_room(bytes);
    if (old)
        memcpy(&had, (char *)old - 16, sizeof had);
    return old ? memcpy(room, old, had < bytes ? had : bytes) : room;
}

int posix_memalign(void **out, size_t align, size_t bytes)
{
    FIND(posix_memalign)
    return fails("alloc", FROM) ? ENOMEM : next(out, align, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
    FIND(aligned_alloc)
    return fails("alloc", FROM) ? NULL : next(align, bytes);
}

void free(void *p)
{
    FIND(free)
    if (next && !is_early(p))
        next(p);
}

void *mmap(void *at, size_t bytes, int rights, int flags, int fd, off_t offset)
{
    NEXT(mmap)
    return fails("map", FROM) ? MAP_FAILED : next(at, bytes, rights, flags, fd, offset);
}

/* ---- files ---- */

ssize_t write(int fd, const void *bytes, size_t count)
{
    NEXT(write)
    return fd > 2 && fails("write", FROM) ? -1 : next(fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset)
{
    NEXT(pwrite)
    return fails("write", FROM) ? -1 : next(fd, bytes, count, offset);
}

int ftruncate(int fd, off_t length)
{
    NEXT(ftruncate)
    return fails("write", FROM) ? -1 : next(fd, length);
}

int posix_fallocate(int fd, off_t offset, off_t length)
{
    NEXT(posix_fallocate)
    return fails("write", FROM) ? error : next(fd, offset, length);
}

int fsync(int fd)
{
    NEXT(fsync)
    return fails("sync", FROM) ? -1 : next(fd);
}

int rename(const char *from, const char *to)
{
    NEXT(rename)
    return fails("rename", FROM) ? -1 : next(from, to);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
    NEXT(renameat2)
    return fails("rename", FROM) ? -1 : next(a, from, b, to, flags);
}

int linkat(int a, const char *from, int b, const char *to, int flags)
{
    NEXT(linkat)
    return fails("rename", FROM) ? -1 : next(a, from, b, to, flags);
}

static mode_t mode_of(int flags, va_list args)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    NEXT(open)
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return fails("open", FROM) ? -1 : next(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    NEXT(openat)
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return fails("open", FROM) ? -1 : next(folder, path, flags, mode);
}

FILE *fopen(const char *path, const char *how)
{
    NEXT(fopen)
    return fails("open", FROM) ? NULL : next(path, how);
}

ssize_t read(int fd, void *bytes, size_t count)
{
    NEXT(read)
    return fails("read", FROM) ? -1 : next(fd, bytes, count);
}

ssize_t pread(int fd, void *bytes, size_t count, off_t offset)
{
    NEXT(pread)
    return fails("read", FROM) ? -1 : next(fd, bytes, count, offset);
}

/* ---- time: where a signal arrives ---- */

int clock_gettime(clockid_t which, struct timespec *out)
{
    NEXT(clock_gettime)
    if (fails("signal", FROM))
        raise(number);
    return next(which, out);
}

/* download.c -- downloads one file over http or https with libcurl.
 *
 * Data is written to NAME.part, which is renamed when it is complete and verified, so
 * that NAME is never half written.  An interrupted download resumes from the
 * .part.  A known checksum shows whether the two halves fit.  Without one, the
 * server is asked for the rest only if the file has not changed (If-Range); the
 * .part carries the server file's time for this.
 *
 * SPDX-License-Identifier: MIT */
#include "fetch.h"

#ifndef BONSAI_WITH_CURL

int can_download(void)
{
    return 0;
}

int download_file(download *d)
{
    return fail_with(d->s, "%s: this build has no libcurl", d->url);
}

#else

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_BYTES ((int64_t)16 << 30)  /* of a file whose size is not known */

typedef enum { FINE, A_PAGE, WRONG_SIZE, NO_WRITE, WRONG_RANGE } trouble;
typedef enum { DONE, AGAIN, ANEW, FAILED } outcome;

typedef struct {
    download *d;
    CURL     *curl;
    CURLcode  rc;
    char      target[MOST_PATH];    /* where the path leads to */
    char      part[MOST_PATH + 8], says[CURL_ERROR_SIZE];
    int       fd, error;        /* errno of a write */
    int64_t   start, have;      /* bytes of the .part when this request began, and now */
    int64_t   whole;            /* size according to the server, -1: not known */
    int64_t   range;            /* offset at which the server's data begins */
    int       judged;           /* the answer's head has been checked */
    long      status;
    double    last;             /* time of the last data */
    int       silent;           /* no data for too long */
    trouble   trouble;
} transfer;

int can_download(void)
{
    return 1;
}

/* ---- receiving ----------------------------------------------------------- */

static size_t on_header(char *line, size_t one, size_t bytes, void *payload)
{
    transfer *t = payload;
    char text[96];
    long long from;
    snprintf(text, sizeof text, "%.*s", (int)bytes, line);
    if (strncmp(text, "HTTP/", 5) == 0)
        t->range = -1;
    if (strncasecmp(text, "content-range:", 14) == 0 &&
        sscanf(text + 14, " bytes %lld-", &from) == 1)
        t->range = from;
    return one * bytes;
}

static int begins_as_page(const char *data, size_t bytes)
{
    size_t at = 0;
    while (at < bytes && strchr(" \t\r\n", data[at]))
        at++;
    data += at;
    bytes -= at;
    return (bytes >= 9 && strncasecmp(data, "<!doctype", 9) == 0) ||
           (bytes >= 5 && strncasecmp(data, "<html", 5) == 0);
}

static int empty_part(transfer *t)
{
    if (ftruncate(t->fd, 0) != 0 || lseek(t->fd, 0, SEEK_SET) != 0) {
        t->error = errno;
        return 0;
    }
    t->start = t->have = t->d->resumed = 0;
    return 1;
}

static int is_too_large(const transfer *t, int64_t bytes)
{
    return t->d->bytes >= 0 ? bytes > t->d->bytes : bytes > MOST_BYTES;
}

/* Checks the head of the answer before its first byte is kept. */
static trouble judge(transfer *t)
{
    const char *type = NULL;
    curl_off_t length = -1;
    t->judged = 1;
    curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &t->status);
    curl_easy_getinfo(t->curl, CURLINFO_CONTENT_TYPE, &type);
    curl_easy_getinfo(t->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (type && (strncasecmp(type, "text/html", 9) == 0 ||
                 strncasecmp(type, "application/xhtml", 17) == 0))
        return A_PAGE;
    if (t->status == 206 && t->range != t->start)
        return WRONG_RANGE;
    const int64_t before = t->status == 206 ? t->start : 0;
    t->whole = length < 0 ? -1 : length > INT64_MAX - before ? INT64_MAX : length + before;
    if (is_too_large(t, t->whole) || (t->d->bytes >= 0 && t->whole >= 0 && t->whole != t->d->bytes))
        return WRONG_SIZE;
    if (t->status != 206 && t->have > 0 && !empty_part(t))
        return NO_WRITE;                        /* it sends the whole file: start over */
    return FINE;
}

static size_t on_data(char *data, size_t one, size_t bytes, void *payload)
{
    transfer *t = payload;
    bytes *= one;
    t->last = seconds();
    if (!t->judged && (t->trouble = judge(t)) != FINE)
        return 0;
    if (t->have == 0 && begins_as_page(data, bytes))
        t->trouble = A_PAGE;
    if (is_too_large(t, t->have + (int64_t)bytes))
        t->trouble = WRONG_SIZE;
    for (size_t at = 0; at < bytes && t->trouble == FINE;) {
        ssize_t put = write(t->fd, data + at, bytes - at);
        if (put > 0) {
            at += (size_t)put;
            t->have += put;
        } else if (errno != EINTR) {
            t->error = errno;
            t->trouble = NO_WRITE;
        }
    }
    return t->trouble == FINE ? bytes : 0;
}

static int on_progress(void *payload, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t e)
{
    transfer *t = payload;
    download *d = t->d;
    int64_t done = d->before + t->have;
    int64_t total = d->total >= 0 ? d->total : d->bytes >= 0 ? d->bytes : t->whole;
    (void)a;
    (void)b;
    (void)c;
    (void)e;
    t->silent = seconds() - t->last > d->timeout;
    if (t->silent)
        return 1;
    if (done >= total)                          /* the last tick comes after verification */
        total = done + 1;
    bonsai_progress now = {sizeof now, d->stage, (uint64_t)done, (uint64_t)total, NULL};
    return progress_tick(&now, &d->s->progress);
}

/* ---- errors -------------------------------------------------------------- */

static const char *why_status(const transfer *t, char *why, size_t size)
{
    snprintf(why, size,
             t->status == 404 || t->status == 410 ? "the server does not have it (HTTP %ld)"
             : t->status == 401 || t->status == 403 ? "the server refuses access (HTTP %ld)"
             : "the server failed (HTTP %ld)", t->status);
    return t->status == 404 || t->status == 410
               ? "it may have moved: name another server with --base-url"
               : "try later, or name another server with --base-url";
}

static const char *why_trouble(const transfer *t, char *why, size_t size)
{
    int64_t bytes = t->have > t->whole ? t->have : t->whole;
    switch (t->trouble) {
    case A_PAGE:
        snprintf(why, size, "the server sent a web page instead of data");
        return "it may have moved, or need a login: name another server with --base-url";
    case WRONG_SIZE:
        if (t->d->bytes < 0)
            snprintf(why, size, "it has more bytes than any dataset");
        else
            snprintf(why, size, "it has %lld%s bytes, but the published file has %lld",
                     (long long)bytes, t->whole < 0 ? " or more" : "", (long long)t->d->bytes);
        return "name another server with --base-url";
    case NO_WRITE:
        snprintf(why, size, "%.400s cannot be written: %s", t->part, strerror(t->error));
        return "make room, or name another folder with --to, and run the same command again";
    default:
        snprintf(why, size, "the server sent a different part than requested");
        return "try again, or name another server with --base-url";
    }
}

static const char *why_curl(const transfer *t, char *why, size_t size)
{
    const char *says = *t->says ? t->says : curl_easy_strerror(t->rc);
    switch (t->rc) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        snprintf(why, size, "there is no network, or no server of that name");
        return "check the connection, or name another server with --base-url";
    case CURLE_OPERATION_TIMEDOUT:
        snprintf(why, size, "no data for %g s", t->d->timeout);
        return "try later, or wait longer with --timeout";
    case CURLE_TOO_MANY_REDIRECTS:
        snprintf(why, size, "too many redirects");
        return "name another server with --base-url";
    case CURLE_UNSUPPORTED_PROTOCOL:
        snprintf(why, size, "it leads to an address that is not of http or https, or from https "
                            "to http");
        return "name another server with --base-url";
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
        snprintf(why, size, "the server's certificate cannot be trusted (%s)", says);
        return "check this machine's clock and ca-certificates, or name others in SSL_CERT_FILE";
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
        snprintf(why, size, "the connection broke after %lld bytes", (long long)t->have);
        return "try again";
    default:
        snprintf(why, size, "the server cannot be reached (%s)", says);
        return "check the connection, or name another server with --base-url";
    }
}

/* Writes why the last request failed; returns what the user can do. */
static const char *explain(const transfer *t, char *why, size_t size)
{
    if (t->trouble != FINE)
        return why_trouble(t, why, size);
    if (t->rc == CURLE_HTTP_RETURNED_ERROR || (t->rc == CURLE_OK && t->status / 100 != 2))
        return why_status(t, why, size);
    return why_curl(t, why, size);
}

/* Returns 1 if a retry may succeed. */
static int is_passing(const transfer *t)
{
    switch (t->rc) {
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return 1;
    case CURLE_HTTP_RETURNED_ERROR:
        return t->status == 408 || t->status == 429 || (t->status >= 500 && t->status != 501 &&
                                                        t->status != 505);
    default:
        return 0;
    }
}

/* ---- one request --------------------------------------------------------- */

static void set_protocols(transfer *t)
{
    int secure = strncasecmp(t->d->url, "https:", 6) == 0;      /* redirects must stay so */
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(t->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(t->curl, CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
#else
    long both = CURLPROTO_HTTP | CURLPROTO_HTTPS;
    curl_easy_setopt(t->curl, CURLOPT_PROTOCOLS, both);
    curl_easy_setopt(t->curl, CURLOPT_REDIR_PROTOCOLS, secure ? (long)CURLPROTO_HTTPS : both);
#endif
}

static void set_options(transfer *t)
{
    CURL *c = t->curl;
    long wait = (long)(t->d->timeout + 0.999);
    const char *trusted = getenv("SSL_CERT_FILE");
    set_protocols(t);
    if (trusted && *trusted)
        curl_easy_setopt(c, CURLOPT_CAINFO, trusted);
    curl_easy_setopt(c, CURLOPT_URL, t->d->url);
    curl_easy_setopt(c, CURLOPT_USERAGENT, "bonsai/" BONSAI_VERSION);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(c, CURLOPT_MAXREDIRS, 10L);
    curl_easy_setopt(c, CURLOPT_FILETIME, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, wait);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, t->says);
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_data);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, t);
}

/* Asks for the rest only if the file still has the time that the .part carries. */
static struct curl_slist *if_unchanged(const transfer *t)
{
    struct stat st;
    struct tm tm;
    char date[64], line[80];
    if (t->d->sha256 || t->have == 0 || fstat(t->fd, &st) != 0 || !gmtime_r(&st.st_mtime, &tm))
        return NULL;
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    snprintf(line, sizeof line, "If-Range: %s", date);
    return curl_slist_append(NULL, line);
}

static void keep_time(transfer *t)
{
    curl_off_t at = -1;
    curl_easy_getinfo(t->curl, CURLINFO_FILETIME_T, &at);
    const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = at < 0 ? 0 : (time_t)at}};
    if (t->judged && t->have > 0)
        futimens(t->fd, times);                 /* if that fails, the file is downloaded again */
}

static outcome request(transfer *t)
{
    char range[32];
    t->start = t->have;
    t->whole = t->range = -1;
    t->judged = t->silent = t->says[0] = 0;
    t->status = 0;
    t->trouble = FINE;
    snprintf(range, sizeof range, "%lld-", (long long)t->have);
    struct curl_slist *headers = if_unchanged(t);
    curl_easy_setopt(t->curl, CURLOPT_RANGE, t->have > 0 ? range : NULL);
    curl_easy_setopt(t->curl, CURLOPT_HTTPHEADER, headers);
    t->last = seconds();
    t->rc = curl_easy_perform(t->curl);
    if (t->rc == CURLE_ABORTED_BY_CALLBACK && t->silent)
        t->rc = CURLE_OPERATION_TIMEDOUT;
    curl_slist_free_all(headers);
    curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &t->status);
    if (t->rc == CURLE_OK && !t->judged)
        t->trouble = judge(t);                  /* an answer without a body */
    keep_time(t);
    if ((t->status == 416 || t->trouble == WRONG_RANGE) && t->start > 0)
        return ANEW;
    if (t->trouble != FINE || (t->rc == CURLE_OK && t->status / 100 != 2))
        return FAILED;
    if (t->rc == CURLE_OK && t->d->bytes >= 0 && t->have < t->d->bytes)
        t->rc = CURLE_PARTIAL_FILE;
    return t->rc == CURLE_OK ? DONE : is_passing(t) ? AGAIN : FAILED;
}

/* ---- retries ------------------------------------------------------------- */

/* Waits half a second, doubled each time, or as long as the server asks. */
static void wait_a_moment(transfer *t, int failures)
{
    curl_off_t asked = 0;
    double wait = 0.25 * (double)(1 << (failures < 7 ? failures : 7)), start = seconds();
    char why[640];
    curl_easy_getinfo(t->curl, CURLINFO_RETRY_AFTER, &asked);
    if ((double)asked > wait)
        wait = asked > 60 ? 60 : (double)asked;
    explain(t, why, sizeof why);
    note(t->d->s, "%s: %s; trying again in %g s (%d of %d)", t->d->url, why, wait, failures,
         t->d->retries);
    while (!canceled_by() && seconds() - start < wait) {
        const struct timespec nap = {.tv_nsec = 20000000};
        nanosleep(&nap, NULL);
    }
}

static int give_up(transfer *t)
{
    char why[640];
    const char *advice = explain(t, why, sizeof why);
    if (t->have == 0 || (t->trouble == WRONG_SIZE && t->start == 0))
        unlink(t->part);
    int kept = access(t->part, F_OK) == 0;
    if (canceled_by())
        return fail_with(t->d->s, kept ? "canceled; the data so far is in %s; the same "
                                         "command resumes the download" : "canceled", t->part);
    return fail_with(t->d->s, "%s: %s: %s%s%s", t->d->url, why, advice,
                     kept ? "; the data so far is in " : "", kept ? t->part : "");
}

static int fetch(transfer *t)
{
    int failures = 0;
    int64_t most = t->have;
    for (;;) {
        outcome got = request(t);
        if (got == DONE)
            return EXIT_DONE;
        if (got == ANEW && !empty_part(t)) {
            t->trouble = NO_WRITE;
            return give_up(t);
        }
        if (got == AGAIN && t->have > most)     /* it makes progress, if in pieces */
            failures = 0;
        most = t->have > most ? t->have : most;
        if (got == FAILED || canceled_by() || (got == AGAIN && failures == t->d->retries))
            return give_up(t);
        if (got == AGAIN)
            wait_a_moment(t, ++failures);
        if (canceled_by())
            return give_up(t);
    }
}

static int open_part(transfer *t)
{
    download *d = t->d;
    struct stat st;
    if (path_follow(t->target, d->path) != 0)
        return fail_with(d->s, "%s: cannot be written: %s", d->path, strerror(errno));
    snprintf(t->part, sizeof t->part, "%s.part", t->target);
    t->fd = open(t->part, O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
    if (t->fd < 0 || fstat(t->fd, &st) != 0)
        return fail_with(d->s, "%s: cannot be written: %s; name another folder with --to", t->part,
                         strerror(errno));
    if (flock(t->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return fail_with(d->s, "%s: another bonsai fetch is writing it: wait for that one",
                         t->part);
    t->have = st.st_size;
    if (is_too_large(t, t->have) && !empty_part(t))
        return fail_with(d->s, "%s: cannot be written: %s", t->part, strerror(errno));
    lseek(t->fd, t->have, SEEK_SET);
    d->resumed = t->have;
    return EXIT_DONE;
}

/* Verifies and syncs the .part before the rename. */
static int finish(transfer *t)
{
    char why[256];
    download *d = t->d;
    if (!file_is_right(t->part, d->bytes, d->sha256, why, sizeof why)) {
        unlink(t->part);
        return fail_with(d->s, "%s: the data %s; it was removed: try again, or name another "
                         "server with --base-url", d->url, why);
    }
    futimens(t->fd, NULL);
    if (fsync(t->fd) != 0 || path_replace(t->part, t->target) != 0)
        return fail_with(d->s, "%s: cannot be written: %s", d->path, strerror(errno));
    return EXIT_DONE;
}

static int fetch_and_finish(transfer *t)
{
    download *d = t->d;
    char why[256];
    int code = d->bytes < 0 || t->have < d->bytes ? fetch(t) : EXIT_DONE;
    if (code != EXIT_DONE)
        return code;
    /* If the halves do not fit, start over. */
    if (d->resumed > 0 && !file_is_right(t->part, d->bytes, d->sha256, why, sizeof why)) {
        note(d->s, "%s: the data %s; downloading all of it again", d->url, why);
        d->resumed = 0;
        code = empty_part(t) ? fetch(t) : fail_with(d->s, "%s: cannot be written: %s", t->part,
                                                    strerror(t->error));
        if (code != EXIT_DONE)
            return code;
    }
    return finish(t);
}

int download_file(download *d)
{
    transfer t = {.d = d, .fd = -1, .rc = CURLE_OK};
    int code = open_part(&t);
    if (code == EXIT_DONE) {
        t.curl = curl_easy_init();
        if (!t.curl)
            code = fail_with(d->s, "there is not enough memory for a download");
    }
    if (code == EXIT_DONE) {
        set_options(&t);
        code = fetch_and_finish(&t);
    }
    if (t.curl)
        curl_easy_cleanup(t.curl);
    if (t.fd >= 0)
        close(t.fd);
    return code;
}

#endif

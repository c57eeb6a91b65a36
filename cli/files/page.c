/* page.c -- writing the page about a small graph, for report and condense.
 *
 * SPDX-License-Identifier: MIT */
#include "files/graphs.h"
#include "opt/opt.h"

bonsai_status page_write(session *s, int64_t *bytes, const bonsai_graph *small,
                         const bonsai_graph *full, bonsai_report_options *o, const char *path)
{
    bonsai_report *r = NULL;
    size_t length = 0;
    char reading[MOST_LINE] = "";
    options_of_reading(reading, sizeof reading, s);
    o->reading = reading + (*reading == ' ');
    o->threads = s->read.threads;
    o->progress = progress_tick;
    o->payload = &s->progress;
    bonsai_status rc = bonsai_report_new(&r, small, full, o);
    if (rc == BONSAI_OK)
        rc = bonsai_report_save(r, path);
    if (rc == BONSAI_OK)
        bonsai_report_html(&length, r);
    *bytes = (int64_t)length;
    o->reading = NULL;
    bonsai_report_free(r);
    return rc;
}

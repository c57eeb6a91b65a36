/* frame.c -- the frame of a page and of its sections.  No script, no request, no external font.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "template.h"

extern const char bn_css_style[];

void bn_page_begin(bn_page *p, const char *title, bool fragment)
{
    if (fragment)               /* several may share a document: their ids must differ */
        p->charts = (int)(bn_crc32(0, title, (int64_t)strlen(title)) % 1000000) * 1000;
    bn_fill(p, fragment ? "fragment" : "page", bn_json_pack("{ss}", "title", title));
    bn_put(p, bn_css_style);
    bn_fill(p, fragment ? "fragment-main" : "page-main", bn_json_object());
}

void bn_page_end(bn_page *p, bool fragment)
{
    bn_fill(p, fragment ? "fragment-end" : "page-end", bn_json_object());
}

void bn_section_begin(bn_page *p, const char *id, const char *heading, const char *folded)
{
    bn_fill(p, "section",
            bn_json_pack("{ss,ss,ss?}", "id", id, "heading", heading, "folded", folded));
}

void bn_section_end(bn_page *p, const char *folded)
{
    bn_fill(p, "section-end", bn_json_pack("{ss?}", "folded", folded));
}

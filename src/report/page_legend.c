/* page_legend.c -- what every column and mark of a page of tables means, in plain words.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "tables.h"

const bn_source_words bn_sources[BN_SOURCES] = {
    [BN_FROM_KEY] = {"key", "", "", ""},
    [BN_FROM_PUBLISHED] = {
        "published", "published", "published",
        "The number that the paper prints. Nothing of it was measured here."},
    [BN_FROM_REDONE] = {
        "redone", "published code, redone", "redone",
        "Bonsai as its authors' code makes it, step by step, rewritten in C, with its split and "
        "its way of counting bytes. Other methods are our own code of them, with as many nodes as "
        "the authors' formula gives. Our program trains all networks, each run from fresh weights; "
        "the authors' runs go on with one model. Seconds are those of our program."},
    [BN_FROM_PAPER] = {
        "paper", "ours, paper's accounting", "accounting",
        "Our methods with at most the bytes that the paper's way of counting allows. It counts the "
        "full graph at more than it takes and the small one at less, so \"1 %\" can be most of the "
        "graph: look at the nodes and bytes below the number."},
    [BN_FROM_HONEST] = {
        "honest", "ours, honest bytes", "honest",
        "Our code where 1 % means 1 %: the small graph has at most that share of the full graph's "
        "bytes, both counted alike: edges, weights, features, labels and split in the smallest "
        "encoding that gives back every bit. Header, names and record are not counted. Rows of "
        "prototypes are first rounded to 8 or 4 bits; the full graph is not rounded."},
    [BN_FROM_OURS] = {"ours", "measured\u00a0here", "",
                      "Anything else that was measured or computed on this machine."},
    [BN_FROM_FACT] = {"fact", "", "", ""},
};

bn_source bn_source_of(const bn_json *column)
{
    for (int i = 0; i < BN_SOURCES; i++)
        if (strcmp(bn_text_of(column, "source"), bn_sources[i].word) == 0)
            return (bn_source)i;
    return BN_FROM_OURS;
}

static const char cells[] =
    "<dt>ratio, %</dt><dd>How large the small graph may be, in percent of the full one, by the "
    "accounting of the column. 100 is the full graph itself.</dd>\n"
    "<dt><span class=\"v\">84.0 ± 0.7</span></dt><dd>The mean, and how far it may be off. With "
    "several splits or draws, ± is the standard error of their mean; otherwise it is the standard "
    "deviation over runs, which does not show how much another draw would change. A split shares "
    "the nodes out anew into training, validation and test nodes; a draw condenses anew with other "
    "random numbers; a run trains a model anew on the same small graph. Without ± there is one "
    "value. After a published number it is what the paper prints.</dd>\n"
    "<dt><small>1,689 nodes, 4,433 edges, 1.2 MB, 31 % of bytes</small></dt><dd>The small graph "
    "that the number is of: its nodes, its edges, its honest bytes, and their share of the full "
    "graph's. This is always the honest share, whatever the column.</dd>\n"
    "<dt><small>5 of 100 rounds</small></dt><dd>A method that learns was stopped by the time limit "
    "after 5 of the rounds that --effort left it. Its number is that of the best small graph until "
    "then.</dd>\n"
    "<dt class=\"better\"><span class=\"sign\">★</span> <b class=\"v\">bold</b></dt><dd>Better "
    "than what it is compared with, by more than two standard errors of the difference. The error "
    "of a published number is the deviation that the paper prints.</dd>\n"
    "<dt class=\"worse\"><span class=\"sign\">▼</span> number</dt><dd>Worse by more than two "
    "standard errors of the difference.</dd>\n"
    "<dt>no mark</dt><dd>No difference beyond two standard errors, or nothing like it to compare "
    "with. Only like is compared with like: the same accounting, shares of the split, network and "
    "training. Nothing is said of times, of methods that learn unless they do all of their "
    "published rounds, nor of methods that draw random numbers if they were drawn once.</dd>\n"
    "<dt class=\"large\">grey number</dt><dd>Of a small graph with more than half of the full "
    "graph's bytes. It is never called better.</dd>\n"
    "<dt>number<sup>†1</sup></dt><dd>A published number that is known not to be what it says; the "
    "reason is below the table.</dd>\n"
    "<dt>–</dt><dd>The paper has no such number, we have no such case, the data is missing, a "
    "method refused, or a quick run leaves it out.</dd>\n"
    "<dt>OOT, OOM</dt><dd>In a published column: ran out of time (five hours) or of memory.</dd>\n"
    "<dt>&lt;0.01</dt><dd>Above zero, but rounded it would be zero.</dd>\n"
    "<dt>shaded band</dt><dd>In charts: the same ± around a curve. Points are what was measured; "
    "lines only join them.</dd>\n";

void bn_put_legend(bn_page *p)
{
    bn_fold_begin(p, "legend", "How to read the tables",
                  "what the colours, marks and small print mean");
    bn_put(p, "<p>The colour of a column says where its numbers come from:</p>\n"
              "<dl class=\"reading\">\n");
    for (int i = BN_FROM_PUBLISHED; i <= BN_FROM_OURS; i++) {
        bn_putf(p, "<dt><span class=\"chip %s\">", bn_sources[i].word);
        bn_escape(p, bn_sources[i].name);
        bn_put(p, "</span></dt><dd>");
        bn_escape(p, bn_sources[i].means);
        bn_put(p, "</dd>\n");
    }
    bn_put(p, "</dl>\n<p>What stands in a cell:</p>\n<dl class=\"reading\">\n");
    bn_put(p, cells);
    bn_put(p, "</dl>\n</details>\n");
    bn_section_end(p);
}

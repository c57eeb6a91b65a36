/* fact.c -- reads and sets the facts of a condensed graph in bonsai_condense_info, and in JSON.
 *
 * Some facts are members of the struct; other numbers have a slot each, and texts room in one
 * array. NAN in a slot: unknown.
 *
 * SPDX-License-Identifier: MIT */
#include "fact.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/fields.h"

typedef struct {
    bonsai_fact_row row;        /* public */
    size_t     at;              /* of the member; 0: it has a slot */
    bn_fact_id same;            /* the fact that this is, at another path; 0: itself */
    size_t     room;            /* of a text */
    double     without;         /* stands for a number that is not known: 0 or -1 */
    bool       null, last;      /* null stands for it in JSON; it is the last of its group */
    const char *(*word)(int value);
} fact;

const char *bn_aim_word(int aim)
{
    const bonsai_field *f = bn_field_named(BONSAI_OPTIONS_CONDENSE, "metric");
    return aim >= 0 && aim < BONSAI_AIM_COUNT ? f->words[aim] : NULL;
}

static const char *type_word(int type)
{
    return type >= 0 && type <= BONSAI_TYPE_S4 ? bonsai_type_text((bonsai_type)type) : NULL;
}

#define PLAIN .at = 0
#define MEMBER(name) .at = offsetof(bonsai_condense_info, name)
#define IN(place) .row.marks = BONSAI_FACT_##place
#define WHEN(path) .row.when = path
#define KEY(name) .row.key = name
static const fact facts[BN_FACT_COUNT] = {
#define ROW(id, place, kind, ...)                                                                  \
    [BN_FACT_##id] = {.row.size = sizeof(bonsai_fact_row), .row.path = place,                      \
                      .row.type = BONSAI_FACT_##kind, __VA_ARGS__},
    BN_FACTS(ROW)
#undef ROW
};

_Static_assert((int)BN_FACT_COUNT <= (int)BONSAI_FACT_ROOM, "bonsai_condense_info is too small");

/* ---- the table ---- */

const bonsai_fact_row *bonsai_fact_at(int i)
{
    return i >= 0 && i < BN_FACT_COUNT ? &facts[i].row : NULL;
}

static const fact *fact_at(bn_fact_id id)
{
    return &facts[facts[id].same ? facts[id].same : id];
}

static const fact *fact_named(const char *path)
{
    for (const fact *f = facts; path && f < facts + BN_FACT_COUNT; f++)
        if (strcmp(f->row.path, path) == 0)
            return fact_at((bn_fact_id)(f - facts));
    return NULL;
}

/* ---- values ---- */

static const char *text_at(const bonsai_condense_info *i, const fact *f)
{
    const char *at = i->text;
    for (const fact *before = facts; before < f; before++)
        at += before->room;
    return at;
}

/* Returns whether the struct, which may be of an older version, has the slot. */
static bool has_slot(const bonsai_condense_info *i, const fact *f)
{
    return i->size >= offsetof(bonsai_condense_info, fact) +
                          (size_t)(f - facts + 1) * sizeof i->fact[0];
}

/* Returns the value of a fact; NAN: unknown. */
static double value_of(const bonsai_condense_info *i, const fact *f)
{
    const char *member = (const char *)i + f->at;
    if (f->at == 0)
        return has_slot(i, f) ? i->fact[f - facts] : NAN;
    const double value = f->row.type == BONSAI_FACT_WHOLE
                             ? (double)*(const int64_t *)(const void *)member
                             : *(const double *)(const void *)member;
    return f->without < 0 && value < 0 ? NAN : value;
}

double bn_fact_real(const bonsai_condense_info *i, bn_fact_id id)
{
    return value_of(i, fact_at(id));
}

bool bn_fact_known(const bonsai_condense_info *i, bn_fact_id id)
{
    const fact *f = fact_at(id);
    return f->room ? *text_at(i, f) != 0 : !isnan(value_of(i, f));
}

double bn_fact(const bonsai_condense_info *i, bn_fact_id id)
{
    const double value = value_of(i, fact_at(id));
    return isnan(value) ? facts[id].without : value;
}

int64_t bn_fact_whole(const bonsai_condense_info *i, bn_fact_id id)
{
    return (int64_t)bn_fact(i, id);
}

const char *bn_fact_text(const bonsai_condense_info *i, bn_fact_id id)
{
    return text_at(i, &facts[id]);
}

static void set(bonsai_condense_info *i, const fact *f, double value)
{
    char *member = (char *)i + f->at;
    const bool known = !isnan(value) && !(f->without < 0 && value < 0);
    if (f->at == 0)
        i->fact[f - facts] = known ? value : NAN;
    else if (f->row.type == BONSAI_FACT_WHOLE)
        *(int64_t *)(void *)member = (int64_t)(known ? value : f->without);
    else
        *(double *)(void *)member = known ? value : f->without;
}

void bn_fact_set(bonsai_condense_info *i, bn_fact_id id, double value)
{
    set(i, fact_at(id), value);
}

void bn_fact_print(bonsai_condense_info *i, bn_fact_id id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bn_print_list((char *)text_at(i, &facts[id]), facts[id].room, format, args);
    va_end(args);
}

/* ---- the struct ---- */

static bonsai_condense_info empty_info(void)
{
    bonsai_condense_info i = {.size = sizeof i};
    for (int id = 0; id < BN_FACT_COUNT; id++)
        if (!facts[id].room && !facts[id].same)
            set(&i, &facts[id], facts[id].at && facts[id].without == 0 ? 0 : NAN);
    return i;
}

void bonsai_condense_info_init_sized(bonsai_condense_info *i, size_t size)
{
    const bonsai_condense_info empty = empty_info();
    bn_init_sized(i, size, &empty, sizeof empty);
}

bonsai_status bn_info_read(bonsai_condense_info *out, const bonsai_condense_info *given)
{
    const bonsai_condense_info empty = empty_info();
    return bn_options_merge(out, &empty, sizeof empty, given, "bonsai_condense_info");
}

int bonsai_fact(double *value, const bonsai_condense_info *i, const char *path)
{
    const fact *f = fact_named(path);
    const bool good = f && !f->room && bn_result_check(i, "bonsai_condense_info") == BONSAI_OK;
    const double found = good ? value_of(i, f) : NAN;
    if (value)
        *value = found;
    return !isnan(found);
}

const char *bonsai_fact_text(const bonsai_condense_info *i, const char *path)
{
    const fact *f = fact_named(path);
    if (!f || bn_result_check(i, "bonsai_condense_info") != BONSAI_OK)
        return NULL;
    if (f->room)
        return text_at(i, f);
    return f->word && !isnan(value_of(i, f)) ? f->word((int)value_of(i, f)) : NULL;
}

/* ---- JSON ---- */

bn_json *bn_bytes_json(double v)
{
    return v == floor(v) && fabs(v) < 0x1p53 ? bn_json_whole((int64_t)v) : bn_json_real(v);
}

bn_json *bn_fact_json(const bonsai_condense_info *i, bn_fact_id id)
{
    char hex[16];
    const fact *f = fact_at(id);
    const double v = bn_fact(i, id);
    if (f->null && facts[id].null && !bn_fact_known(i, id))
        return bn_json_null();
    switch (f->row.type) {
    case BONSAI_FACT_WHOLE: return bn_json_whole((int64_t)v);
    case BONSAI_FACT_BYTES: return bn_bytes_json(v);
    case BONSAI_FACT_FLAG: return bn_json_flag(v != 0);
    case BONSAI_FACT_WORD: return bn_json_text(f->word((int)v));
    case BONSAI_FACT_TEXT: return bn_json_text(text_at(i, f));
    case BONSAI_FACT_CHECKSUM:
        snprintf(hex, sizeof hex, "%08x", (unsigned)v);
        return bn_json_text(hex);
    default: return bn_json_real(v);
    }
}

/* Returns the key of a fact in its group; NULL if it is in another. */
static const char *key_in(const fact *f, const char *group)
{
    const size_t length = strlen(group);
    return strncmp(f->row.path, group, length) == 0 && f->row.path[length] == '.'
               ? f->row.path + length + 1 : NULL;
}

bn_json *bn_facts_json(const bonsai_condense_info *i, const char *group)
{
    bn_json *out = bn_json_object();
    for (int last = 0; last < 2; last++)
        for (const fact *f = facts; f < facts + BN_FACT_COUNT; f++)
            if (key_in(f, group) && f->last == last)
                bn_json_set(out, key_in(f, group), bn_fact_json(i, (bn_fact_id)(f - facts)));
    return out;
}

static void read_word(bonsai_condense_info *i, const fact *f, const char *text)
{
    const char *word;
    for (int k = 0; text && (word = f->word(k)); k++)
        if (strcmp(word, text) == 0)
            set(i, f, k);
}

static void read_value(bonsai_condense_info *i, const fact *f, const bn_json *v)
{
    const char *text = bn_json_as_text(v);
    if (f->room)
        snprintf((char *)text_at(i, f), f->room, "%s", text ? text : "");
    else if (f->row.type == BONSAI_FACT_CHECKSUM)
        set(i, f, text ? (double)(uint32_t)strtoul(text, NULL, 16) : NAN);
    else if (f->row.type == BONSAI_FACT_FLAG)
        set(i, f, bn_json_is_true(v));
    else if (f->word)
        read_word(i, f, text);
    else if (bn_json_is_number(v) && fabs(bn_json_as_number(v)) < 9e15)
        set(i, f, f->row.type == BONSAI_FACT_WHOLE ? trunc(bn_json_as_number(v))
                                                   : bn_json_as_number(v));
    else if (f->null)
        set(i, f, NAN);
}

void bn_facts_read(bonsai_condense_info *i, const bn_json *root)
{
    for (int id = 0; id < BN_FACT_COUNT; id++) {
        const char *path = facts[id].row.path, *dot = strchr(path, '.');
        char group[16];
        snprintf(group, sizeof group, "%.*s", dot ? (int)(dot - path) : 0, path);
        const bn_json *in = dot ? bn_json_get(root, group) : root;
        if (in && bn_json_get(in, dot ? dot + 1 : path))
            read_value(i, fact_at((bn_fact_id)id), bn_json_get(in, dot ? dot + 1 : path));
    }
}

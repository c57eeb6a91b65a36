/* pickle.c -- a pickle machine that can build a few kinds of object and nothing else.
 *
 * A pickle is a program for a stack machine.  This machine knows a dozen names, and the opcodes of
 * a protocol 2 file of numbers, numpy arrays, scipy csr matrices, dicts, and torch tensors of
 * indices; it refuses every other opcode and name.  "Calling" a name only notes which kind of
 * object is meant.
 *
 * Every loop runs over bytes that it consumes or over values that it removes from the stack, so
 * time and memory are linear in the size of the file.
 *
 * SPDX-License-Identifier: MIT */
#include "pickle_machine.h"

#include <string.h>

static const struct { const char *text; global id; } names[] = {
    {"scipy.sparse.csr\ncsr_matrix\n", CSR_MATRIX},
    {"numpy.core.multiarray\n_reconstruct\n", RECONSTRUCT},
    {"numpy._core.multiarray\n_reconstruct\n", RECONSTRUCT},
    {"numpy\nndarray\n", NDARRAY},
    {"numpy\ndtype\n", NUMPY_DTYPE},
    {"collections\ndefaultdict\n", DEFAULTDICT},
    {"__builtin__\nlist\n", PYTHON_LIST},
    {"_codecs\nencode\n", ENCODE},
    {"__builtin__\nbytes\n", PYTHON_BYTES},
    {"collections\nOrderedDict\n", ORDERED_DICT},
    {"torch._utils\n_rebuild_tensor_v2\n", REBUILD_TENSOR},
    {"torch\nLongStorage\n", LONG_STORAGE},
    {"torch\nIntStorage\n", INT_STORAGE},
    {"numpy.core.multiarray\nscalar\n", SCALAR},
    {"numpy._core.multiarray\nscalar\n", SCALAR},
};

bonsai_status bn_pickle_refuse(const bn_pickle *p, const char *what)
{
    return bn_fail_at(BONSAI_E_FORMAT, p->where, "byte %lld: %s", (long long)p->at, what);
}

/* ---- pools and the stack ---- */

static bonsai_status push(bn_pickle *p, kind k, int64_t at, uint32_t len)
{
    bonsai_status rc;
    BN_TRY(bn_grow((void **)&p->stack, &p->stack_room, p->depth + 1, sizeof *p->stack));
    p->stack[p->depth++] = (value){k, len, at};
done:
    return rc;
}

bonsai_status bn_pickle_push_chain(bn_pickle *p, kind k)
{
    bonsai_status rc;
    BN_TRY(bn_grow((void **)&p->chains, &p->chain_room, p->chain_count + 1, sizeof *p->chains));
    p->chains[p->chain_count] = (chain){-1, -1, 0, false};
    BN_TRY(push(p, k, p->chain_count++, 0));
done:
    return rc;
}

/* Moves the values from stack[from] up to the end of a chain. */
static bonsai_status move_to_chain(bn_pickle *p, int64_t id, int64_t from)
{
    bonsai_status rc;
    int64_t count = p->depth - from;
    BN_TRY(bn_grow((void **)&p->cells, &p->cell_room, p->cell_count + count, sizeof *p->cells));
    chain *c = &p->chains[id];
    for (int64_t i = from; i < p->depth; i++) {
        int64_t n = p->cell_count++;
        p->cells[n] = (cell){p->stack[i], -1};
        if (c->last < 0)
            c->first = n;
        else
            p->cells[c->last].next = n;
        c->last = n;
    }
    c->count += count;
    p->depth = from;
done:
    return rc;
}

bonsai_status bn_pickle_need(const bn_pickle *p, int64_t count)
{
    for (int64_t i = 1; i <= count; i++)
        if (i > p->depth || p->stack[p->depth - i].kind == MARK)
            return bn_pickle_refuse(p, "the opcode needs more values than the stack has");
    return BONSAI_OK;
}

/* Removes the last mark; the values above it start at *from. */
static bonsai_status take_mark(bn_pickle *p, int64_t *from)
{
    int64_t i = p->depth - 1;
    while (i >= 0 && p->stack[i].kind != MARK)
        i--;
    if (i < 0)
        return bn_pickle_refuse(p, "the opcode needs a mark and there is none");
    memmove(p->stack + i, p->stack + i + 1, (size_t)(p->depth - 1 - i) * sizeof *p->stack);
    p->depth--;
    *from = i;
    return BONSAI_OK;
}

/* ---- numbers, strings and names ---- */

static bonsai_status take_bytes(bn_pickle *p, int64_t count, const uint8_t **out)
{
    if (count > p->file.len - p->pos)
        return bn_pickle_refuse(p, "the file ends inside this opcode");
    *out = p->file.data + p->pos;
    p->pos += count;
    return BONSAI_OK;
}

/* Reads an unsigned little-endian number of up to 4 bytes. */
static bonsai_status take_number(bn_pickle *p, int bytes, int64_t *out)
{
    const uint8_t *b = NULL;
    bonsai_status rc = take_bytes(p, bytes, &b);
    *out = 0;
    for (int i = 0; rc == BONSAI_OK && i < bytes; i++)
        *out |= (int64_t)b[i] << 8 * i;
    return rc;
}

static bonsai_status op_proto(bn_pickle *p, int bytes)
{
    bonsai_status rc;
    int64_t version;
    BN_TRY(take_number(p, bytes, &version));
    if (version != 2)
        rc = bn_fail_at(BONSAI_E_FORMAT, p->where, "byte %lld: pickle protocol %d; only 2 is known",
                        (long long)p->at, (int)version);
done:
    return rc;
}

static bonsai_status push_number(bn_pickle *p, int bytes)
{
    bonsai_status rc;
    int64_t v;
    BN_TRY(take_number(p, bytes, &v));
    BN_TRY(push(p, INT, bytes == 4 ? (int64_t)(int32_t)(uint32_t)v : v, 0));
done:
    return rc;
}

/* Pushes what has no value: None and a mark; or a bool. */
static bonsai_status push_none(bn_pickle *p, int k)  { return push(p, (kind)k, 0, 0); }
static bonsai_status push_bool(bn_pickle *p, int is) { return push(p, BOOL, is, 0); }

/* Pushes a signed number of more than four bytes. */
static bonsai_status op_long(bn_pickle *p, int unused)
{
    (void)unused;
    bonsai_status rc;
    int64_t len;
    const uint8_t *b = NULL;
    BN_TRY(take_number(p, 1, &len));
    if (len > 8) {
        rc = bn_pickle_refuse(p, "a number of more than 8 bytes");
        goto done;
    }
    BN_TRY(take_bytes(p, len, &b));
    uint64_t v = len > 0 && b[len - 1] > 127 ? UINT64_MAX : 0;
    for (int64_t i = len; i-- > 0;)
        v = v << 8 | b[i];
    BN_TRY(push(p, INT, (int64_t)v, 0));
done:
    return rc;
}

/* Pushes a real without its value, which no reader needs. */
static bonsai_status op_real(bn_pickle *p, int bytes)
{
    const uint8_t *b;
    bonsai_status rc = take_bytes(p, bytes, &b);
    return rc == BONSAI_OK ? push(p, REAL, 0, 0) : rc;
}

static bonsai_status push_string(bn_pickle *p, int bytes)
{
    bonsai_status rc;
    int64_t len;
    const uint8_t *text = NULL;
    BN_TRY(take_number(p, bytes, &len));
    if (len > INT32_MAX) {
        rc = bn_pickle_refuse(p, "a string of negative length");
        goto done;
    }
    BN_TRY(take_bytes(p, len, &text));
    BN_TRY(push(p, STRING, text - p->file.data, (uint32_t)len));
done:
    return rc;
}

/* Returns the number of bytes from `at` to the end of the line, or -1. */
static int64_t line_length(const bn_pickle *p, int64_t at)
{
    if (at >= p->file.len)
        return -1;
    const uint8_t *line = p->file.data + at;
    const uint8_t *end = memchr(line, '\n', (size_t)(p->file.len - at));
    return end ? end - line : -1;
}

static bonsai_status refuse_name(const bn_pickle *p)
{
    const char *text = (const char *)p->file.data + p->pos;
    int64_t a = line_length(p, p->pos), b = a < 0 ? -1 : line_length(p, p->pos + a + 1);
    if (b < 0)
        return bn_pickle_refuse(p, "the file ends inside a name");
    return bn_fail_at(BONSAI_E_FORMAT, p->where, "byte %lld: asks for \"%.*s %.*s\", which no file "
                      "of data needs", (long long)p->at, a < 100 ? (int)a : 100, text,
                      b < 100 ? (int)b : 100, text + a + 1);
}

static bonsai_status op_global(bn_pickle *p, int unused)
{
    (void)unused;
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        int64_t len = (int64_t)strlen(names[i].text);
        if (len <= p->file.len - p->pos &&
            memcmp(p->file.data + p->pos, names[i].text, (size_t)len) == 0) {
            p->pos += len;
            return push(p, GLOBAL, names[i].id, 0);
        }
    }
    return refuse_name(p);
}

/* ---- the memo ---- */

static bonsai_status put(bn_pickle *p, int bytes)
{
    bonsai_status rc;
    int64_t index;
    BN_TRY(take_number(p, bytes, &index));
    BN_TRY(bn_pickle_need(p, 1));
    if (index > p->pos) {       /* writers count up, and each entry takes a byte or more */
        rc = bn_fail_at(BONSAI_E_FORMAT, p->where, "byte %lld: memo index %lld is too large for "
                        "this place", (long long)p->at, (long long)index);
        goto done;
    }
    BN_TRY(bn_grow((void **)&p->memo, &p->memo_room, index + 1, sizeof *p->memo));
    for (; p->memos <= index; p->memos++)
        p->memo[p->memos] = (value){NOTHING, 0, 0};
    p->memo[index] = p->stack[p->depth - 1];
done:
    return rc;
}

static bonsai_status get(bn_pickle *p, int bytes)
{
    bonsai_status rc;
    int64_t index;
    BN_TRY(take_number(p, bytes, &index));
    if (index >= p->memos || p->memo[index].kind == NOTHING) {
        rc = bn_fail_at(BONSAI_E_FORMAT, p->where, "byte %lld: nothing was put at memo index %lld",
                        (long long)p->at, (long long)index);
        goto done;
    }
    value v = p->memo[index];
    BN_TRY(push(p, v.kind, v.at, v.len));
done:
    return rc;
}

/* ---- tuples, lists and dicts ---- */

static bonsai_status push_empty(bn_pickle *p, int k) { return bn_pickle_push_chain(p, (kind)k); }

/* Replaces the values from stack[from] up with a tuple of them. */
static bonsai_status fold(bn_pickle *p, int64_t from)
{
    bonsai_status rc;
    BN_TRY(bn_pickle_push_chain(p, TUPLE));
    value tuple = p->stack[--p->depth];
    BN_TRY(move_to_chain(p, tuple.at, from));
    BN_TRY(push(p, TUPLE, tuple.at, 0));
done:
    return rc;
}

/* Makes a tuple of the last values; count 0: of those above a mark. */
static bonsai_status op_tuple(bn_pickle *p, int count)
{
    bonsai_status rc;
    int64_t from = 0;
    BN_TRY(count > 0 ? bn_pickle_need(p, count) : take_mark(p, &from));
    BN_TRY(fold(p, count > 0 ? p->depth - count : from));
done:
    return rc;
}

/* Adds the values from stack[from] up to the list or dict below them. */
static bonsai_status extend(bn_pickle *p, int64_t from, kind k)
{
    if (from < 1 || p->stack[from - 1].kind != (uint32_t)k)
        return bn_pickle_refuse(p, k == LIST ? "appends to something that is not a list"
                                   : "sets an item of something that is not a dict");
    if (k == DICT && (p->depth - from) % 2)
        return bn_pickle_refuse(p, "a key without a value");
    return move_to_chain(p, p->stack[from - 1].at, from);
}

/* Adds one value, or a key and its value. */
static bonsai_status op_append(bn_pickle *p, int k)
{
    const int64_t values = k == DICT ? 2 : 1;
    bonsai_status rc = bn_pickle_need(p, values + 1);
    return rc == BONSAI_OK ? extend(p, p->depth - values, (kind)k) : rc;
}

static bonsai_status op_appends(bn_pickle *p, int k)
{
    int64_t from;
    bonsai_status rc = take_mark(p, &from);
    return rc == BONSAI_OK ? extend(p, from, (kind)k) : rc;
}

/* ---- the machine ---- */

static bonsai_status op_stop(bn_pickle *p, int unused)
{
    (void)unused;
    bonsai_status rc;
    BN_TRY(bn_pickle_need(p, 1));
    if (p->depth != 1) {
        rc = bn_pickle_refuse(p, "the pickle ends with more than one value");
        goto done;
    }
    if (p->pos != p->file.len && !p->goes_on)
        rc = bn_fail_at(BONSAI_E_FORMAT, p->where, "byte %lld: %lld bytes follow the end of the "
                        "pickle", (long long)p->pos, (long long)(p->file.len - p->pos));
    p->stopped = true;
done:
    return rc;
}

static const struct { bonsai_status (*run)(bn_pickle *p, int arg); int arg; } opcodes[256] = {
    [0x80] = {op_proto, 1},         ['c'] = {op_global, 0},         ['.'] = {op_stop, 0},
    ['q'] = {put, 1},               ['r'] = {put, 4},
    ['h'] = {get, 1},               ['j'] = {get, 4},
    ['K'] = {push_number, 1},       ['M'] = {push_number, 2},       ['J'] = {push_number, 4},
    [0x8a] = {op_long, 0},          ['G'] = {op_real, 8},
    ['N'] = {push_none, NONE},      ['('] = {push_none, MARK},
    [0x88] = {push_bool, 1},        [0x89] = {push_bool, 0},
    ['U'] = {push_string, 1},       ['T'] = {push_string, 4},       ['X'] = {push_string, 4},
    [')'] = {push_empty, TUPLE},    [']'] = {push_empty, LIST},     ['}'] = {push_empty, DICT},
    ['t'] = {op_tuple, 0},          [0x85] = {op_tuple, 1},
    [0x86] = {op_tuple, 2},         [0x87] = {op_tuple, 3},
    ['a'] = {op_append, LIST},      ['e'] = {op_appends, LIST},
    ['s'] = {op_append, DICT},      ['u'] = {op_appends, DICT},
    ['R'] = {bn_pickle_reduce, 2},  [0x81] = {bn_pickle_newobj, 2}, ['b'] = {bn_pickle_build, 2},
    ['Q'] = {bn_pickle_persistent, 1},
};

static bonsai_status run(bn_pickle *p)
{
    bonsai_status rc = BONSAI_OK;
    while (!p->stopped) {
        p->at = p->pos;
        if (p->pos == p->file.len)
            return bn_pickle_refuse(p, "the file ends before the pickle does");
        uint8_t code = p->file.data[p->pos++];
        if (!opcodes[code].run)
            return bn_fail_at(BONSAI_E_FORMAT, p->where, "byte %lld: opcode 0x%02x (%c) has no "
                              "place in a file of data", (long long)p->at, code,
                              code >= 0x20 && code < 0x7f ? code : '?');
        BN_TRY(opcodes[code].run(p, opcodes[code].arg));
    }
done:
    return rc;
}

/* Reads the bytes of data; data.data NULL: the file at where, which the result keeps mapped. */
static bonsai_status read_pickle(bn_pickle **out, const char *where, bn_file data, int64_t *used)
{
    bonsai_status rc;
    bn_pickle *p = NULL;
    *out = NULL;
    BN_TRY(BN_NEW(&p, 1));
    BN_TRY(bn_strdup(&p->where, where));
    p->file = data;
    p->borrowed = data.data != NULL;
    p->goes_on = used != NULL;
    if (!p->borrowed)
        BN_TRY(bn_file_open(&p->file, where));
    BN_TRY(run(p));
    if (used)
        *used = p->pos;
    *out = p;
    p = NULL;
done:
    bn_pickle_free(p);
    return rc;
}

bonsai_status bn_pickle_parse(bn_pickle **out, const char *where, const uint8_t *data, int64_t len,
                              int64_t *used)
{
    return read_pickle(out, where, (bn_file){data, len}, used);
}

bonsai_status bn_pickle_read(bn_pickle **out, const char *path)
{
    return read_pickle(out, path, (bn_file){NULL, 0}, NULL);
}

void bn_pickle_free(bn_pickle *p)
{
    if (!p)
        return;
    if (!p->borrowed)
        bn_file_close(&p->file);
    bn_free(p->where);
    bn_free(p->encoded);
    bn_free(p->storages);
    bn_free(p->tensors);
    bn_free(p->stack);
    bn_free(p->memo);
    bn_free(p->cells);
    bn_free(p->chains);
    bn_free(p->arrays);
    bn_free(p->matrices);
    bn_free(p);
}

/* The positions of tensors in a safetensors file: eight bytes with the length of a JSON object, the object, the
   tensors' bytes.

   The object is {"name": {"dtype": ..., "shape": [...], "data_offsets": [start, end]}, ...}, in any order. */
#include <stdlib.h>
#include <string.h>

#include "files/files.h"

struct reader {
    const char *at, *end;
};

static void skip_space(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
        r->at++;
}

static int take(struct reader *r, char wanted)
{
    skip_space(r);
    if (r->at >= r->end || *r->at != wanted)
        return 0;
    r->at++;
    return 1;
}

/* A string, without unescaping: names with escapes are never ours. 0 if there is none. */
static int take_string(struct reader *r, const char **start, int64_t *length)
{
    if (!take(r, '"'))
        return 0;
    *start = r->at;
    while (r->at < r->end && *r->at != '"')
        r->at += *r->at == '\\' ? 2 : 1;
    if (r->at >= r->end)
        return 0;
    *length = r->at++ - *start;
    return 1;
}

static int take_number(struct reader *r, int64_t *number)
{
    skip_space(r);
    const char *start = r->at;
    *number = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9' && *number < INT64_MAX / 16; r->at++)
        *number = *number * 10 + (*r->at - '0');
    return r->at > start;
}

/* Any value with balanced brackets. */
static int skip_value(struct reader *r)
{
    int64_t depth = 0, any = 0, length;
    const char *start;
    for (;; any = 1) {
        skip_space(r);
        if (r->at >= r->end)
            return 0;
        const char c = *r->at;
        if (!depth && (c == ',' || c == '}' || c == ']'))
            return any != 0;
        if (c == '"') {
            if (!take_string(r, &start, &length))
                return 0;
            continue;
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        r->at++;
    }
}

static int take_offsets(struct reader *r, int64_t *start, int64_t *end)
{
    static const char WANTED[] = "data_offsets";
    const char *name;
    int64_t length;
    *start = *end = -1;
    if (!take(r, '{'))
        return 0;
    do {
        if (!take_string(r, &name, &length) || !take(r, ':'))
            return 0;
        const int same = length == sizeof WANTED - 1 && !memcmp(name, WANTED, sizeof WANTED - 1);
        if (!same ? !skip_value(r)
                  : !(take(r, '[') && take_number(r, start) && take(r, ',') && take_number(r, end) && take(r, ']')))
            return 0;
    } while (take(r, ','));
    return take(r, '}') && *start >= 0 && *end >= *start;
}

static int by_name(const void *a, const void *b)
{
    const struct tensor_place *x = a, *y = b;
    const int64_t shorter = x->name_length < y->name_length ? x->name_length : y->name_length;
    const int order = memcmp(x->name, y->name, (size_t)shorter);
    return order ? order : (x->name_length > y->name_length) - (x->name_length < y->name_length);
}

int64_t list_tensors(const char *safetensors, int64_t bytes, struct tensor_place **places, char *error)
{
    uint64_t header = 0;
    if (bytes >= 8)
        memcpy(&header, safetensors, 8);
    if (bytes < 8 || header > (uint64_t)(bytes - 8))
        return refuse(error, "tensors.safetensors: it is cut off");
    const int64_t first = 8 + (int64_t)header, most = 1 + (int64_t)header / 30; /* an entry takes more characters */
    struct reader r = {safetensors + 8, safetensors + first};
    int64_t count = 0, end;
    if (!(*places = calloc((size_t)most, sizeof **places)))
        return refuse(error, "tensors.safetensors: there is no memory for its names");
    if (take(&r, '{') && !take(&r, '}')) {
        do {
            struct tensor_place place;
            if (!take_string(&r, &place.name, &place.name_length) || !take(&r, ':'))
                return refuse(error, "tensors.safetensors: its header is damaged");
            if (place.name_length == sizeof "__metadata__" - 1 && !memcmp(place.name, "__metadata__", sizeof "__metadata__" - 1)) {
                if (!skip_value(&r))
                    return refuse(error, "tensors.safetensors: its header is damaged");
                continue;
            }
            if (!take_offsets(&r, &place.start, &end) || end > bytes - first || count == most)
                return refuse(error, "tensors.safetensors: the place of %.*s is damaged",
                              (int)(place.name_length < 100 ? place.name_length : 100), place.name);
            place.length = end - place.start;
            place.start += first;
            (*places)[count++] = place;
        } while (take(&r, ','));
    }
    qsort(*places, (size_t)count, sizeof **places, by_name);
    return count;
}

const struct tensor_place *find_tensor(const struct tensor_place *places, int64_t count, const char *name, char *error)
{
    const struct tensor_place wanted = {name, (int64_t)strlen(name), 0, 0};
    const struct tensor_place *found = bsearch(&wanted, places, (size_t)count, sizeof *places, by_name);
    if (!found)
        refuse(error, "tensors.safetensors: it has no %s", name);
    return found;
}

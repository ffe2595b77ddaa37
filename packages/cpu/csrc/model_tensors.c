/* Where tensors lie in a safetensors file: eight bytes with the length of a JSON object, the object, the tensors' bytes.

   The object is {"name": {"dtype": ..., "shape": [...], "data_offsets": [start, end]}, ...}, in any order. Nothing of it is
   kept: names are looked for one by one. */
#include <string.h>

#include "model.h"

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

/* A string; whether it is `name`, if that is given. 0 where there is none. Names with escapes are no tensors of ours. */
static int take_string(struct reader *r, const char *name, int *same)
{
    if (!take(r, '"'))
        return 0;
    const char *start = r->at;
    while (r->at < r->end && *r->at != '"')
        r->at += *r->at == '\\' ? 2 : 1;
    if (r->at >= r->end)
        return 0;
    if (same)
        *same = (size_t)(r->at - start) == strlen(name) && !memcmp(start, name, strlen(name));
    r->at++;
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

/* Any value, whose brackets are balanced. */
static int skip_value(struct reader *r)
{
    int64_t depth = 0, any = 0;
    for (;; any = 1) {
        skip_space(r);
        if (r->at >= r->end)
            return 0;
        const char c = *r->at;
        if (!depth && (c == ',' || c == '}' || c == ']'))
            return any != 0;
        if (c == '"') {
            if (!take_string(r, "", NULL))
                return 0;
            continue;
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        r->at++;
    }
}

static int take_offsets(struct reader *r, int64_t *start, int64_t *end)
{
    int same;
    *start = *end = -1;
    if (!take(r, '{'))
        return 0;
    do {
        if (!take_string(r, "data_offsets", &same) || !take(r, ':'))
            return 0;
        if (!same ? !skip_value(r)
                  : !(take(r, '[') && take_number(r, start) && take(r, ',') && take_number(r, end) && take(r, ']')))
            return 0;
    } while (take(r, ','));
    return take(r, '}') && *start >= 0 && *end >= *start;
}

int find_tensor(const char *safetensors, int64_t bytes, const char *name, int64_t *start, int64_t *length, char *error)
{
    uint64_t header;
    if (bytes < 8)
        return refuse(error, "tensors.safetensors: it is cut off");
    memcpy(&header, safetensors, 8);
    if (header > (uint64_t)(bytes - 8))
        return refuse(error, "tensors.safetensors: it is cut off");
    const int64_t first = 8 + (int64_t)header;
    struct reader r = {safetensors + 8, safetensors + first};
    int same = 0;
    if (!take(&r, '{'))
        return refuse(error, "tensors.safetensors: its header is damaged");
    do {
        int64_t end;
        if (!take_string(&r, name, &same) || !take(&r, ':'))
            break;
        if (!same) {
            if (!skip_value(&r))
                break;
            continue;
        }
        if (!take_offsets(&r, start, &end) || end > bytes - first)
            return refuse(error, "tensors.safetensors: the place of %s is damaged", name);
        *length = end - *start;
        *start += first;
        return 0;
    } while (take(&r, ','));
    return refuse(error, "tensors.safetensors: it has no %s", name);
}

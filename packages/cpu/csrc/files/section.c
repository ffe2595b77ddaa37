/* The tables of a program: each number is checked against the count or range of its target. */
#include <math.h>
#include <string.h>

#include "files/files.h"
#include "files/portable.cdef.h"

enum { MOST_DIMS = 64 };
static const int64_t MOST_BYTES = (int64_t)1 << 46; /* no machine has more memory: sums of two such numbers do not
                                                       overflow */
static const char MAGIC[8] = "facularn";
static const int64_t ROW_BYTES[TABLES] = {
    1, sizeof(struct block_row), sizeof(struct tensor_row), sizeof(struct kernel_row), 1, sizeof(struct part_row),
    sizeof(struct pointer_row), sizeof(struct launch_row), sizeof(struct argument_row), sizeof(struct array_row), 8,
    sizeof(struct number_row), sizeof(struct use_row), sizeof(struct generator_row)};

struct header {
    char magic[8];
    int64_t version, length, arena, plans;
    struct { int64_t start, count; } table[TABLES];
};

int64_t itemsize_of(int64_t dtype)
{
    static const int8_t sizes[] = {0, 1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16, 2, 4, 8, 1, 1, 1, 1, 1};
    return dtype > 0 && dtype < (int64_t)sizeof sizes ? sizes[dtype] : 0;
}

static int inside(int64_t start, int64_t count, int64_t whole)
{
    return start >= 0 && count >= 0 && start <= whole && count <= whole - start;
}

static int blocks_fit(const struct section *s)
{
    for (int64_t i = 0; i < s->count[BLOCKS]; i++) {
        const struct block_row *block = &s->blocks[i];
        if (block->bytes < 0 || block->bytes > MOST_BYTES)
            return 0;
        if (block->kind == TEMPORARY ? !inside(block->place, block->bytes, s->arena)
            : block->kind == TENSOR  ? !inside(block->place, 1, s->count[TENSORS]) ||
                                           block->bytes > s->tensors[block->place].bytes
                                     : block->kind != OWN)
            return 0;
    }
    for (int64_t i = 0; i < s->count[TENSORS]; i++)
        if (!inside(s->tensors[i].name, 1, s->count[TEXT]) || s->tensors[i].bytes < 0)
            return 0;
    return 1;
}

static int parts_fit(const struct section *s)
{
    int64_t end = 0;
    for (int64_t i = 0; i < s->count[KERNELS]; i++)
        if (!inside(s->kernels[i].name, 1, s->count[TEXT]) || !inside(s->kernels[i].signature, 1, s->count[TEXT]) ||
            strlen(s->text + s->kernels[i].signature) > 10)
            return 0;
    for (int64_t i = 0; i < s->count[PARTS]; i++) {
        const struct part_row *part = &s->parts[i];
        if (!inside(part->kind, 1, s->count[TEXT]) || part->data % 8 || !inside(part->data, part->bytes, s->count[DATA]) ||
            !inside(part->first, part->pointers, s->count[POINTERS]) || part->data < end)
            return 0;
        end = part->data + part->bytes;
        for (int64_t k = part->first; k < part->first + part->pointers; k++) {
            const struct pointer_row *pointer = &s->pointers[k];
            if (!inside(pointer->offset, 8, part->bytes) || pointer->offset % 8 ||
                !inside(pointer->target, 1, s->count[pointer->to_part ? PARTS : KERNELS]))
                return 0;
        }
    }
    return 1;
}

static int arguments_fit(const struct section *s)
{
    for (int64_t i = 0; i < s->count[ARGUMENTS]; i++) {
        const struct argument_row *one = &s->arguments[i];
        if (one->kind == ADDRESS) {
            if (!inside(one->target, 1, s->count[BLOCKS]) ||
                !inside(one->value, one->extent, s->blocks[one->target].bytes))
                return 0;
        } else if (one->kind == CELL ? !inside(one->target, 1, 2 * s->count[GENERATORS]) : one->kind != PLAIN) {
            return 0;
        }
    }
    return 1;
}

/* Whether a jump reads a float32, and leads to a row or to the end. */
static int jump_fits(const struct section *s, int64_t i)
{
    const struct launch_row *launch = &s->launches[i];
    const struct argument_row *condition = &s->arguments[launch->first];
    return launch->kernel >= JUMP_AT_ZERO && condition->kind == ADDRESS && condition->extent >= 4 &&
           launch->workspace >= -1 - i && launch->workspace < s->count[LAUNCHES] - i;
}

/* Each argument belongs to one launch, and arguments are in the order of launches. A workspace's argument is a number
   in the file. */
static int launches_fit(const struct section *s)
{
    int64_t end = 0;
    for (int64_t i = 0; i < s->count[LAUNCHES]; i++) {
        const struct launch_row *launch = &s->launches[i];
        if (launch->first != end || !inside(launch->first, launch->arguments, s->count[ARGUMENTS]) ||
            launch->arguments < 1 || !inside(launch->name, 1, s->count[TEXT]))
            return 0;
        end += launch->arguments;
        if (launch->kernel < 0
                ? !jump_fits(s, i)
                : launch->kernel >= s->count[KERNELS] || launch->part < -1 || launch->part >= s->count[PARTS] ||
                      launch->workspace_at < -1 || launch->workspace_at >= launch->arguments || launch->workspace < 0 ||
                      launch->workspace > MOST_BYTES ||
                      (launch->workspace_at >= 0 && s->arguments[launch->first + launch->workspace_at].kind != PLAIN))
            return 0;
    }
    return end == s->count[ARGUMENTS];
}

/* Whether all elements of an array are in its block, at addresses that are multiples of their size. An array without
   elements may begin anywhere. */
static int array_fits(const struct section *s, const struct array_row *array)
{
    const int64_t size = itemsize_of(array->dtype);
    if (!size || array->ndim < 0 || array->ndim > MOST_DIMS || !inside(array->first, 2 * array->ndim, s->count[EXTENTS]) ||
        !inside(array->name, 1, s->count[TEXT]) || !inside(array->block, 1, s->count[BLOCKS]))
        return 0;
    const int64_t *shape = s->extents + array->first, *strides = shape + array->ndim;
    const struct block_row *block = &s->blocks[array->block];
    const int64_t unit = size < 8 ? size : 8, place = block->kind == TEMPORARY ? block->place : 0;
    double count = 1, low = (double)array->offset, high = low + (double)size;
    int aligned = array->offset % unit == 0 && place % unit == 0;
    for (int64_t d = 0; d < array->ndim; d++) {
        if (shape[d] < 0 || fabs((double)strides[d]) > (double)MOST_BYTES)
            return 0;
        const double reach = ((double)shape[d] - 1) * (double)strides[d];
        aligned &= shape[d] < 2 || strides[d] % unit == 0;
        count *= (double)shape[d];
        low += reach < 0 ? reach : 0;
        high += reach > 0 ? reach : 0;
    }
    return array->offset >= 0 && count < (double)MOST_BYTES &&
           (count == 0 || (aligned && low >= 0 && high <= (double)block->bytes));
}

static int arrays_fit(const struct section *s)
{
    for (int64_t i = 0; i < s->count[ARRAYS]; i++)
        if (!array_fits(s, &s->arrays[i]))
            return 0;
    return 1;
}

/* The launch that an argument belongs to. */
static const struct launch_row *owner_of(const struct section *s, int64_t argument)
{
    int64_t low = 0, high = s->count[LAUNCHES];
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *(s->launches[middle].first <= argument ? &low : &high) = middle;
    }
    return &s->launches[low];
}

/* Whether numbers are set only at arguments that are numbers: a file must not choose addresses, cells and
   workspaces. */
static int numbers_fit(const struct section *s)
{
    int64_t end = 0;
    for (int64_t i = 0; i < s->count[NUMBERS]; i++) {
        if (!inside(s->numbers[i].name, 1, s->count[TEXT]) || s->numbers[i].first != end ||
            !inside(end, s->numbers[i].uses, s->count[USES]))
            return 0;
        end += s->numbers[i].uses;
    }
    for (int64_t i = 0; i < s->count[USES]; i++) {
        const int64_t argument = s->uses[i].argument;
        if (!inside(argument, 1, s->count[ARGUMENTS]) || s->arguments[argument].kind != PLAIN)
            return 0;
        const struct launch_row *launch = owner_of(s, argument);
        if (launch->kernel >= 0 && argument - launch->first == launch->workspace_at)
            return 0;
    }
    return end == s->count[USES];
}

int section_read(struct section *s, char *bytes, int64_t length, char *error)
{
    struct header header;
    const char *at[TABLES];
    *s = (struct section){.bytes = bytes, .length = length};
    if (length < (int64_t)sizeof header)
        return refuse(error, "its program is cut off");
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, MAGIC, sizeof MAGIC))
        return refuse(error, "its program is none of facula's");
    if (header.version < OLDEST_SECTION || header.version > SECTION_VERSION)
        return refuse(error, "expected a program of version %d to %d; got version %lld: save it again, or run it with the "
                             "release that wrote it", OLDEST_SECTION, SECTION_VERSION, (long long)header.version);
    if (header.plans != facula_plans_digest())
        return refuse(error, "its plans are another release's; load it in Python, and save it again with run=True");
    if (header.length != length || header.arena < 0 || header.arena > MOST_BYTES)
        return refuse(error, "its program is cut off");
    int64_t end = sizeof header; /* tables must not overlap: runs change some of them, and checked values must stay */
    for (int i = 0; i < TABLES; i++) {
        const int64_t start = header.table[i].start;
        s->count[i] = header.table[i].count;
        if (start % 8 || start < end || s->count[i] < 0 || s->count[i] > length ||
            !inside(start, s->count[i] * ROW_BYTES[i], length))
            return refuse(error, "its program is damaged: table %d", i);
        at[i] = bytes + start;
        end = start + s->count[i] * ROW_BYTES[i];
    }
    s->arena = header.arena;
    s->text = at[TEXT];
    s->blocks = (const void *)at[BLOCKS];
    s->tensors = (const void *)at[TENSORS];
    s->kernels = (const void *)at[KERNELS];
    s->data = at[DATA];
    s->parts = (const void *)at[PARTS];
    s->pointers = (const void *)at[POINTERS];
    s->launches = (const void *)at[LAUNCHES];
    s->arguments = (const void *)at[ARGUMENTS];
    s->arrays = (const void *)at[ARRAYS];
    s->extents = (const void *)at[EXTENTS];
    s->numbers = (struct number_row *)(bytes + header.table[NUMBERS].start);
    s->uses = (const void *)at[USES];
    s->generators = (struct generator_row *)(bytes + header.table[GENERATORS].start);
    const char *wrong = s->count[TEXT] < 1 || s->text[s->count[TEXT] - 1] ? "names"
                        : !blocks_fit(s)                                  ? "blocks of memory"
                        : !parts_fit(s)                                   ? "plans"
                        : !arguments_fit(s)                               ? "arguments"
                        : !launches_fit(s)                                ? "launches"
                        : !arrays_fit(s)                                  ? "inputs and outputs"
                        : !numbers_fit(s)                                 ? "numbers"
                                                                          : NULL;
    return wrong ? refuse(error, "its program is damaged: %s", wrong) : 0;
}

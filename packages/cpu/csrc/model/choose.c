/* The choice of a file's program, and the arrays of a program. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

int is_program(const struct member *member)
{
    const size_t length = strlen(member->name);
    return length >= 8 && !strncmp(member->name, "run/", 4) && !strcmp(member->name + length - 4, ".bin");
}

/* Returns the mode of the modules during the capture, from the member's name: run/NAME.train.bin, run/NAME.eval.bin. */
static enum facula_mode mode_of(const struct member *member)
{
    const char *end = member->name + strlen(member->name);
    return end - member->name > 10 && !strcmp(end - 10, ".train.bin") ? FACULA_TRAINING
           : end - member->name > 9 && !strcmp(end - 9, ".eval.bin")  ? FACULA_EVALUATION
                                                                       : FACULA_ANY_MODE;
}

struct facula_array *arrays_make(const struct section *s, int output, char *const *blocks, int64_t *count)
{
    struct facula_array *arrays = calloc((size_t)(s->count[ARRAYS] + s->count[NUMBERS]) + 1, sizeof *arrays);
    *count = 0;
    if (!arrays)
        return NULL;
    for (int64_t i = 0; i < s->count[ARRAYS]; i++) {
        const struct array_row *row = &s->arrays[i];
        const int64_t *shape = s->extents + row->first;
        int64_t offset = row->offset;
        for (int64_t d = 0; d < row->ndim; d++)
            offset = shape[d] ? offset : 0; /* without elements, the offset may be beyond the block */
        if (!row->output == !output)
            arrays[(*count)++] = (struct facula_array){
                s->text + row->name, blocks ? blocks[row->block] + offset : NULL, (enum facula_dtype)row->dtype,
                (int)row->ndim, 0, shape, shape + row->ndim};
    }
    for (int64_t i = 0; !output && i < s->count[NUMBERS]; i++)
        arrays[(*count)++] = (struct facula_array){
            s->text + s->numbers[i].name, &s->numbers[i].value, FACULA_FLOAT64, 0, 1, s->extents, s->extents};
    return arrays;
}

/* Returns the score of a program, at least 0; -1 if memory is exhausted. */
static int score_of(const struct section *section, const struct member *member, facula_score score, void *context)
{
    struct facula_signature program = {.mode = mode_of(member)};
    struct facula_array *inputs = arrays_make(section, 0, NULL, &program.count);
    program.inputs = inputs;
    const int given = inputs ? score(&program, context) : -1;
    free(inputs);
    return inputs && given < 0 ? 0 : given;
}

const struct member *program_choose(const struct archive *archive, facula_score score, void *context, const char *none,
                                    struct section *chosen, char *error)
{
    const struct member *found = NULL;
    int best = 0, programs = 0;
    for (int64_t i = 0; i < archive->count && best < INT_MAX; i++) {
        const struct member *member = &archive->members[i];
        struct section section = {0};
        if (!is_program(member))
            continue;
        char *bytes = archive_read(archive, member, error);
        int given = -1;
        if (bytes && !section_read(&section, bytes, member->bytes, error)) {
            given = score_of(&section, member, score, context);
            if (given < 0)
                refuse(error, "there is no memory for its inputs");
        }
        programs++;
        if (given > best) {
            free(chosen->bytes);
            *chosen = section;
            found = member;
            best = given;
        } else {
            free(bytes);
        }
        if (given < 0) {
            free(chosen->bytes);
            chosen->bytes = NULL;
            return NULL;
        }
    }
    if (!found)
        refuse(error, "%s", programs ? none : "it has no program to run; save it with run=True");
    return found;
}

int score_batch(const struct facula_signature *program, void *batch)
{
    const int64_t wanted = *(const int64_t *)batch;
    const struct facula_array *first = program->inputs;
    const int fits = program->count && !first->is_number && first->ndim && first->shape[0] == wanted;
    return !wanted || fits ? INT_MAX : 0;
}

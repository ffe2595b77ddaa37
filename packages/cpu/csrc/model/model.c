/* The functions of facula_run.h. A model consists of a section, its memory, and launches with final addresses. A run
   inserts the numbers that change, and calls the kernels one after another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "runtime/pool.h"

enum { ALIGNMENT = 64 };

struct facula_model {
    struct section section;
    char *path;
    char member[256];   /* the section's name in the file */
    char *plans;        /* data read by launches */
    char *memory, *first; /* temporaries, inputs, outputs and workspace; and their aligned start */
    char *tensors;      /* all of tensors.safetensors */
    int64_t tensor_bytes;
    char **moved;       /* copy of a tensor at a misaligned address; NULL: it is used in place */
    int64_t *places, *lengths; /* per tensor in `tensors` */
    char **blocks;      /* the start of each block */
    struct step *steps;
    int64_t *arguments, *scratch;
    struct facula_array *inputs, *outputs;
    int64_t input_count, output_count;
};

static int64_t padded(int64_t bytes)
{
    return (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
}

static void *zeros(int64_t count, size_t size)
{
    return calloc((size_t)count + 1, size);
}

static int place_tensor(struct facula_model *model, int64_t i, const struct tensor_place *place, char *error)
{
    const struct tensor_row *row = &model->section.tensors[i];
    if (!place)
        return -1;
    if (place->length < row->bytes)
        return refuse(error, "tensors.safetensors: expected %lld bytes of %s; got %lld", (long long)row->bytes,
                      model->section.text + row->name, (long long)place->length);
    model->places[i] = place->start;
    model->lengths[i] = place->length;
    if (place->start % ALIGNMENT == 0)
        return 0;
    if (!(model->moved[i] = aligned_alloc(ALIGNMENT, (size_t)padded(place->length))))
        return refuse(error, "there is no memory for its tensors");
    memcpy(model->moved[i], model->tensors + place->start, (size_t)place->length);
    return 0;
}

static int load_tensors(struct facula_model *model, const struct archive *archive, char *error)
{
    const struct section *s = &model->section;
    const int64_t count = s->count[TENSORS];
    model->moved = zeros(count, sizeof *model->moved);
    model->places = zeros(count, sizeof *model->places);
    model->lengths = zeros(count, sizeof *model->lengths);
    if (!model->moved || !model->places || !model->lengths)
        return refuse(error, "there is no memory for its tensors");
    if (!count)
        return 0;
    const struct member *member = archive_find(archive, "tensors.safetensors");
    if (!member)
        return refuse(error, "it has no tensors.safetensors");
    if (!(model->tensors = archive_read(archive, member, error)))
        return -1;
    model->tensor_bytes = member->bytes;
    struct tensor_place *places = NULL;
    const int64_t known = list_tensors(model->tensors, member->bytes, &places, error);
    int failed = known < 0;
    for (int64_t i = 0; !failed && i < count; i++)
        failed = place_tensor(model, i, find_tensor(places, known, s->text + s->tensors[i].name, error), error);
    free(places);
    return failed ? -1 : 0;
}

/* Allocates one block of memory for everything except tensors, and computes the address of every block. */
static int place_blocks(struct facula_model *model, int64_t workspace, char **scratch, char *error)
{
    const struct section *s = &model->section;
    double total = (double)padded(s->arena) + (double)padded(workspace);
    for (int64_t i = 0; i < s->count[BLOCKS]; i++)
        total += s->blocks[i].kind == OWN ? (double)padded(s->blocks[i].bytes) : 0;
    if (total > (double)((int64_t)1 << 46) || !(model->memory = zeros((int64_t)total + ALIGNMENT, 1)) ||
        !(model->blocks = zeros(s->count[BLOCKS], sizeof(char *))))
        return refuse(error, "there is no memory for %.0f bytes", total);
    model->first = model->memory + (ALIGNMENT - (uintptr_t)model->memory % ALIGNMENT);
    char *at = model->first + padded(s->arena);
    *scratch = at;
    at += padded(workspace);
    for (int64_t i = 0; i < s->count[BLOCKS]; i++) {
        const struct block_row *block = &s->blocks[i];
        if (block->kind == TEMPORARY) {
            model->blocks[i] = model->first + block->place;
        } else if (block->kind == TENSOR) {
            model->blocks[i] = model->moved[block->place] ? model->moved[block->place]
                                                          : model->tensors + model->places[block->place];
        } else {
            model->blocks[i] = at;
            at += padded(block->bytes);
        }
    }
    return 0;
}

static int fill_arguments(struct facula_model *model, char *workspace, char *error)
{
    const struct section *s = &model->section;
    int64_t most = 4; /* number of details of a status */
    model->arguments = zeros(s->count[ARGUMENTS], sizeof *model->arguments);
    for (int64_t i = 0; model->arguments && i < s->count[ARGUMENTS]; i++) {
        const struct argument_row *one = &s->arguments[i];
        model->arguments[i] = one->kind == ADDRESS ? (intptr_t)(model->blocks[one->target] + one->value) : one->value;
    }
    for (int64_t i = 0; model->arguments && i < s->count[LAUNCHES]; i++) {
        const struct launch_row *launch = &s->launches[i];
        most = launch->arguments > most ? launch->arguments : most;
        if (launch->kernel >= 0 && launch->workspace_at >= 0)
            model->arguments[launch->first + launch->workspace_at] = (intptr_t)workspace;
    }
    model->scratch = zeros(most, sizeof *model->scratch);
    return model->arguments && model->scratch ? 0 : refuse(error, "there is no memory for its launches");
}

static int describe_arrays(struct facula_model *model, char *error)
{
    const struct section *s = &model->section;
    model->inputs = arrays_make(s, 0, model->blocks, &model->input_count);
    model->outputs = arrays_make(s, 1, model->blocks, &model->output_count);
    return model->inputs && model->outputs ? 0 : refuse(error, "there is no memory for its inputs");
}

static int load(struct facula_model *model, const char *path, facula_score score, void *context, const char *none,
                char *error)
{
    struct archive archive;
    int result = -1;
    char *scratch = NULL;
    model->path = strdup(path);
    const struct member *member = NULL;
    if (model->path && !archive_open(&archive, path, error))
        member = program_choose(&archive, score, context, none, &model->section, error);
    if (member) {
        memcpy(model->member, member->name, sizeof model->member);
        model->steps = zeros(model->section.count[LAUNCHES], sizeof *model->steps);
        const int64_t workspace =
            model->steps ? plans_make(&model->section, model->steps, &model->plans, error) : refuse(error, "no memory");
        result = workspace < 0 || load_tensors(model, &archive, error) ||
                 place_blocks(model, workspace, &scratch, error) || fill_arguments(model, scratch, error) ||
                 describe_arrays(model, error);
    }
    archive_close(&archive);
    return result;
}

FACULA_PUBLIC struct facula_model *facula_model_choose(const char *path, facula_score score, void *context,
                                                       const char *none, char error[FACULA_ERROR])
{
    struct facula_model *model = calloc(1, sizeof *model);
    char why[FACULA_ERROR] = "there is no memory";
    if (model && !load(model, path, score, context, none, why))
        return model;
    facula_model_free(model);
    snprintf(error, FACULA_ERROR, "%.200s: %.300s", path, why);
    return NULL;
}

FACULA_PUBLIC struct facula_model *facula_model_load(const char *path, int64_t batch, char error[FACULA_ERROR])
{
    char none[FACULA_ERROR];
    snprintf(none, sizeof none, "it has no program for a batch of %lld; save one in Python", (long long)batch);
    return facula_model_choose(path, score_batch, &batch, none, error);
}

FACULA_PUBLIC const struct facula_array *facula_model_inputs(const struct facula_model *model, int64_t *count)
{
    if (count)
        *count = model->input_count;
    return model->inputs;
}

FACULA_PUBLIC const struct facula_array *facula_model_outputs(const struct facula_model *model, int64_t *count)
{
    if (count)
        *count = model->output_count;
    return model->outputs;
}

/* Inserts the current numbers and positions of random streams. */
static void insert_values(struct facula_model *model)
{
    const struct section *s = &model->section;
    for (int64_t i = 0; i < s->count[NUMBERS]; i++)
        for (int64_t k = 0; k < s->numbers[i].uses; k++) {
            const struct use_row *use = &s->uses[s->numbers[i].first + k];
            const double value = use->base + use->factor * s->numbers[i].value;
            memcpy(&model->arguments[use->argument], &value, sizeof value);
        }
    if (!s->count[GENERATORS])
        return;
    for (int64_t i = 0; i < s->count[ARGUMENTS]; i++)
        if (s->arguments[i].kind == CELL) {
            const struct generator_row *generator = &s->generators[s->arguments[i].target / 2];
            const int64_t value = s->arguments[i].target % 2 ? generator->offset : generator->key;
            model->arguments[i] = (int64_t)((uint64_t)value + (uint64_t)s->arguments[i].value);
        }
}

static int refuse_status(const struct facula_model *model, int64_t step, int64_t status, char *error)
{
    const char *name = model->section.text + model->section.launches[step].name;
    const long long a = model->scratch[0], b = model->scratch[1], c = model->scratch[2];
    switch (status) {
    case 1: return refuse(error, "%s: index %lld at position %lld is out of range for a dimension of size %lld", name, a, b, c);
    case 2: return refuse(error, "%s: an argument is out of range: %lld", name, a);
    case 3: return refuse(error, "%s: no memory for %lld bytes of scratch space", name, a);
    case 5: return refuse(error, "%s: target %lld at position %lld is out of range for %lld classes", name, a, b, c);
    case 6: return refuse(error, "%s: division of an integer by zero", name);
    case 7: return refuse(error, "%s: index %lld is out of range for a dimension of size %lld", name, a, c);
    case 8: return refuse(error, "%s: an element is not as the operator requires", name);
    default: return refuse(error, "%s: the kernel refuses its arguments (status %lld: %lld)", name, (long long)status, a);
    }
}

FACULA_PUBLIC int facula_model_run(struct facula_model *model, char error[FACULA_ERROR])
{
    const struct section *s = &model->section;
    insert_values(model);
    for (int64_t i = 0; i < s->count[LAUNCHES]; i++) {
        const struct step *step = &model->steps[i];
        const int64_t *arguments = model->arguments + step->first;
        if (!step->kernel) {
            float condition;
            memcpy(&condition, (const void *)(intptr_t)*arguments, sizeof condition);
            i += (condition != 0) == (s->launches[i].kernel == JUMP) ? step->skip : 0;
            continue;
        }
        for (int64_t k = 0; k < step->arguments; k++)
            model->scratch[k] = arguments[k];
        const int64_t status = step->kernel(step->plan, model->scratch);
        if (status)
            return refuse_status(model, i, status, error);
    }
    for (int64_t i = 0; i < s->count[GENERATORS]; i++) {
        struct generator_row *generator = &s->generators[i];
        generator->key = generator->follows ? generator->key : generator->next_key;
        generator->offset = generator->follows ? (int64_t)((uint64_t)generator->offset + (uint64_t)generator->count)
                                               : generator->next_offset;
    }
    return 0;
}

/* Copies numbers and random streams to another program of the file, which continues with them. */
static void copy_state(const struct section *from, struct section *to)
{
    for (int64_t i = 0; i < to->count[NUMBERS]; i++)
        for (int64_t k = 0; k < from->count[NUMBERS]; k++)
            if (!strcmp(to->text + to->numbers[i].name, from->text + from->numbers[k].name))
                to->numbers[i].value = from->numbers[k].value;
    for (int64_t i = 0; i < to->count[GENERATORS] && i < from->count[GENERATORS]; i++) {
        to->generators[i].key = from->generators[i].key;
        to->generators[i].offset = from->generators[i].offset;
    }
}

/* Returns the contents of a member for a saved file: new memory, or the model's; NULL if it is unchanged, like
   members that are not programs. */
static int bytes_now(const struct facula_model *model, const struct archive *archive, const struct member *member,
                     char **made, char *error)
{
    const struct section *s = &model->section;
    const int is_tensors = model->tensors && !strcmp(member->name, "tensors.safetensors");
    const int is_own = !strcmp(member->name, model->member);
    struct section other;
    *made = NULL;
    if (is_tensors || is_own) {
        *made = is_own ? s->bytes : model->tensors;
        return member->bytes == (is_own ? s->length : model->tensor_bytes)
                   ? 0
                   : refuse(error, "save: %.300s is not the file that was loaded any more", model->path);
    }
    if (!is_program(member))
        return 0;
    if (!(*made = archive_read(archive, member, error)))
        return -1;
    if (section_read(&other, *made, member->bytes, error)) {
        free(*made);
        *made = NULL;
    } else {
        copy_state(s, &other);
    }
    return 0;
}

FACULA_PUBLIC int facula_model_save(const struct facula_model *model, const char *path, char error[FACULA_ERROR])
{
    struct archive archive;
    char why[FACULA_ERROR];
    if (archive_open(&archive, model->path, why)) {
        archive_close(&archive);
        return refuse(error, "save: %.200s: %.280s", model->path, why);
    }
    for (int64_t i = 0; i < model->section.count[TENSORS]; i++)
        if (model->moved[i])
            memcpy(model->tensors + model->places[i], model->moved[i], (size_t)model->lengths[i]);
    const struct member **members = zeros(archive.count, sizeof *members);
    char **bytes = zeros(archive.count, sizeof *bytes);
    int count = 0, own = 0, failed = !members || !bytes ? refuse(error, "save: there is no memory") : 0;
    for (int64_t i = 0; !failed && i < archive.count; i++) {
        members[count] = &archive.members[i];
        failed = bytes_now(model, &archive, members[count], &bytes[count], error);
        own += bytes[count] == model->section.bytes || (bytes[count] && bytes[count] == model->tensors);
        count += bytes[count] != NULL;
    }
    if (!failed && own != 1 + (model->tensors != NULL))
        failed = refuse(error, "save: %.300s is not the file that was loaded any more", model->path);
    failed = failed || archive_copy(&archive, path, count, members, (const char *const *)bytes, error);
    for (int i = 0; bytes && i <= count; i++)
        if (bytes[i] != model->section.bytes && bytes[i] != model->tensors)
            free(bytes[i]);
    free(members);
    free(bytes);
    archive_close(&archive);
    return failed ? -1 : 0;
}

FACULA_PUBLIC void facula_model_free(struct facula_model *model)
{
    if (!model)
        return;
    for (int64_t i = 0; model->moved && i < model->section.count[TENSORS]; i++)
        free(model->moved[i]);
    void *all[] = {model->section.bytes, model->path, model->plans, model->memory, model->tensors, model->moved,
                   model->places, model->lengths, model->blocks, model->steps, model->arguments, model->scratch,
                   model->inputs, model->outputs, model};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

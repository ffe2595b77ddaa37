/* Plans from a file: finds the kernels for this machine's level, inserts pointers, and divides products among its
   threads. */
#include <stdlib.h>
#include <string.h>

#include "files/portable.cdef.h"
#include "model/model.h"
#include "reach/reach.h"
#include "runtime/kernel.h"

struct maker {
    const struct section *section;
    int level, threads;
    char *memory;                         /* a copy of the section's data */
    const struct facula_kernel **kernels; /* per row, once it is found */
    int64_t *workspaces;                  /* per part: its workspace once it is complete, -1 before */
    int *codes;                           /* per part: the dtype for which it was completed */
    char *used;                           /* per part: whether a plan uses it; at most one may */
    char *changed;                        /* per argument: whether a run changes that number */
};

static int level_of(char *error)
{
    static const char *const names[] = {"baseline", "avx2", "avx512", "avx512_bf16"};
    const int best = facula_best_level();
    const char *wish = getenv("FACULA_CPU_LEVEL");
    if (!wish || !*wish)
        return best;
    for (int i = 0; i <= best; i++)
        if (!strcmp(wish, names[i]))
            return i;
    return refuse(error, "FACULA_CPU_LEVEL: expected a level of this processor, at most %s; got %s", names[best], wish);
}

static const struct facula_kernel *find_row(struct maker *m, int64_t row, char *error)
{
    const struct section *s = m->section;
    const char *name = s->text + s->kernels[row].name;
    char signature[11] = {0};
    memcpy(signature, s->text + s->kernels[row].signature, strlen(s->text + s->kernels[row].signature));
    if (!m->kernels[row])
        m->kernels[row] = facula_find_kernel(name, signature, m->level);
    if (!m->kernels[row])
        refuse(error, "this release has no kernel %s for the dtypes of the file; run it with the release that wrote it", name);
    return m->kernels[row];
}

/* Returns the field of a type that has a pointer at this offset, or NULL. */
static const struct facula_plan_field *field_at(const struct facula_plan_type *type, int64_t offset)
{
    for (const struct facula_plan_field *field = type->fields; field->name; field++)
        if (offset == field->offset || (field->step && offset > field->offset && (offset - field->offset) % field->step == 0))
            return field;
    return NULL;
}

/* Checks one struct and inserts its pointers, and those of the parts that it refers to, which must not refer to
   others. */
static int resolve(struct maker *m, int64_t number, int depth, char *error)
{
    const struct section *s = m->section;
    const struct part_row *part = &s->parts[number];
    const char *kind = s->text + part->kind;
    char *plan = m->memory + part->data;
    if (m->used[number])
        return refuse(error, "its program is damaged: two plans have one %s", kind);
    m->used[number] = 1;
    if (!strcmp(kind, "array"))
        return part->pointers ? refuse(error, "its program is damaged: an array has pointers") : 0;
    const struct facula_plan_type *type = facula_find_plan_type(kind);
    if (!type)
        return refuse(error, "this release has no plans %s; run the file with the release that wrote it", kind);
    if (part->bytes < type->bytes)
        return refuse(error, "its program is damaged: a %s is too short", kind);
    const double numbers = type->numbers(plan);
    if (!(numbers >= 0 && (double)type->bytes + 8 * numbers <= (double)part->bytes))
        return refuse(error, "its program is damaged: a %s is too short", kind);
    for (const struct facula_plan_field *field = type->fields; field->name; field++) /* the file contains NULL */
        for (int64_t at = field->offset; at + 8 <= part->bytes; at += field->step) {
            memset(plan + at, 0, 8);
            if (!field->step)
                break;
        }
    for (int64_t k = part->first; k < part->first + part->pointers; k++) {
        const struct pointer_row *pointer = &s->pointers[k];
        const struct facula_plan_field *field = field_at(type, pointer->offset);
        const char *to = pointer->to_part ? s->text + s->parts[pointer->target].kind : "";
        if (!field || strcmp(field->kind, to) || depth > 1)
            return refuse(error, "its program is damaged: a pointer of a %s", kind);
        const void *address;
        if (pointer->to_part) {
            if (resolve(m, pointer->target, depth + 1, error))
                return -1;
            address = m->memory + s->parts[pointer->target].data;
        } else {
            const struct facula_kernel *row = find_row(m, pointer->target, error);
            if (!row)
                return -1;
            if (row->kind != field->row)
                return refuse(error, "its program is damaged: a %s does not run %s", kind, row->name);
            address = row->function;
        }
        memcpy(plan + pointer->offset, &address, sizeof address);
    }
    return 0;
}

/* Returns the workspace of a launch, after completing its plan if necessary; -1 with a message. */
static int64_t complete(struct maker *m, const struct launch_row *launch, char *error)
{
    const struct section *s = m->section;
    const char *name = s->text + s->kernels[launch->kernel].name;
    const int code = s->text[s->kernels[launch->kernel].signature];
    const struct part_row *part = &s->parts[launch->part];
    const struct facula_plan_type *type = facula_find_plan_type(s->text + part->kind);
    int64_t *workspace = &m->workspaces[launch->part];
    if (!type)
        return refuse(error, "this release has no plans %s; run the file with the release that wrote it", s->text + part->kind);
    if (*workspace < 0) {
        if (resolve(m, launch->part, 0, error))
            return -1;
        *workspace = facula_complete_plan(type, m->memory + part->data, name, code, m->level, m->threads, launch->workspace);
        m->codes[launch->part] = code;
    }
    if (*workspace < 0 || m->codes[launch->part] != code)
        return refuse(error, "its program is damaged: the plan of a %s", name);
    return *workspace;
}

static int64_t make_all(struct maker *m, struct step *steps, char *error)
{
    const struct section *s = m->section;
    int64_t most = 0;
    for (int64_t i = 0; i < s->count[LAUNCHES]; i++) {
        const struct launch_row *launch = &s->launches[i];
        steps[i] = (struct step){.first = launch->first, .arguments = launch->arguments, .skip = launch->workspace};
        if (launch->kernel < 0)
            continue;
        const struct facula_kernel *row = find_row(m, launch->kernel, error);
        if (!row)
            return -1;
        steps[i].kernel = (kernel_function)row->function;
        int64_t workspace = launch->workspace;
        if (launch->part >= 0) {
            workspace = complete(m, launch, error);
            steps[i].plan = m->memory + s->parts[launch->part].data;
        }
        if (workspace < 0)
            return -1;
        if (workspace && launch->workspace_at < 0)
            return refuse(error, "its program is damaged: %s has no place for its workspace", s->text + launch->name);
        struct reach reach = {s, launch, m->kernels, m->changed, row, steps[i].plan,
                              launch->part < 0 ? NULL : &s->parts[launch->part], workspace, error};
        if (check_reach(&reach))
            return -1;
        most = workspace > most ? workspace : most;
    }
    return most;
}

int64_t plans_make(const struct section *s, struct step *steps, char **memory, char *error)
{
    struct maker m = {.section = s, .level = level_of(error)};
    if (m.level < 0)
        return -1;
    if (facula_threads_setting() < 0)
        return refuse(error, "FACULA_NUM_THREADS: expected a number from 1 to 256; got %s", getenv("FACULA_NUM_THREADS"));
    m.threads = facula_threads();
    const size_t parts = (size_t)s->count[PARTS] + 1;
    int64_t result = -1;
    *memory = m.memory = aligned_alloc(64, ((size_t)s->count[DATA] + 64) / 64 * 64);
    m.kernels = calloc((size_t)s->count[KERNELS] + 1, sizeof *m.kernels);
    m.workspaces = malloc(parts * sizeof *m.workspaces);
    m.codes = calloc(parts, sizeof *m.codes);
    m.used = calloc(parts, 1);
    m.changed = calloc((size_t)s->count[ARGUMENTS] + 1, 1);
    if (m.memory && m.kernels && m.workspaces && m.codes && m.used && m.changed) {
        for (int64_t i = 0; i < s->count[USES]; i++)
            m.changed[s->uses[i].argument] = 1;
        memcpy(m.memory, s->data, (size_t)s->count[DATA]);
        memset(m.workspaces, 0xff, parts * sizeof *m.workspaces);
        result = make_all(&m, steps, error);
    } else {
        refuse(error, "there is no memory for its plans");
    }
    free(m.kernels);
    free(m.workspaces);
    free(m.codes);
    free(m.used);
    free(m.changed);
    return result;
}

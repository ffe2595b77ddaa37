/* Arrays from files as inputs of a program. */
#include "inputs.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { FITS = 1000, FITS_A_STEP = 999, ALL_FIT = 1 << 24 };

static int64_t find_input(const struct facula_array *inputs, int64_t count, const char *name)
{
    for (int64_t i = 0; i < count; i++)
        if (!strcmp(inputs[i].name, name))
            return i;
    return -1;
}

/* Writes the message about a wrong number of files, with the names of inputs. */
static int refuse_count(const struct request *request, const struct facula_array *inputs, int64_t count,
                        char error[FACULA_ERROR])
{
    int length = snprintf(error, FACULA_ERROR, "--input: expected %lld %s", (long long)count, count == 1 ? "file" : "files");
    for (int64_t i = 0; i < count && length < FACULA_ERROR - 160; i++)
        length += snprintf(error + length, (size_t)(FACULA_ERROR - length), "%s%.100s", i ? ", " : " (", inputs[i].name);
    snprintf(error + length, (size_t)(FACULA_ERROR - length), "%s; got %d; see --list", count ? ")" : "", request->count);
    return -1;
}

int assign_inputs(const struct request *request, const struct facula_array *inputs, int64_t count, int files[MOST_FILES],
                char error[FACULA_ERROR])
{
    if (count != request->count)
        return refuse_count(request, inputs, count, error);
    for (int64_t i = 0; i < count; i++)
        files[i] = -1;
    for (int k = 0; k < request->count; k++) {
        const int64_t i = request->names[k] ? find_input(inputs, count, request->names[k]) : 0;
        if (i < 0 || (request->names[k] && files[i] >= 0))
            return snprintf(error, FACULA_ERROR, i < 0 ? "--input: the program has no input %.100s; see --list"
                                                       : "--input: expected one file for %.100s; got two",
                            request->names[k]), -1;
        if (request->names[k])
            files[i] = k;
    }
    int64_t at = 0;
    for (int k = 0; k < request->count; k++) {
        if (request->names[k])
            continue;
        while (files[at] >= 0)
            at++;
        files[at] = k;
    }
    return 0;
}

/* Returns how well an array fits: FITS, FITS_A_STEP, or otherwise the number of properties that match. */
static int fit_of(const struct npy *npy, const struct facula_array *input)
{
    const int more = npy->ndim - input->ndim;
    int alike = npy->dtype == input->dtype;
    if (more != 0 && more != 1)
        return 0;
    for (int d = 0; d < input->ndim; d++)
        alike += npy->shape[d + more] == input->shape[d];
    if (alike <= input->ndim || (more && npy->shape[0] < 1))
        return alike;
    return more ? FITS_A_STEP : FITS;
}

int score_inputs(const struct facula_signature *program, void *context)
{
    const struct request *request = context;
    const struct facula_array *inputs = program->inputs;
    int64_t count = 0;
    int files[MOST_FILES], score = 1, all = 1, exact = 1;
    char error[FACULA_ERROR];
    while (count < program->count && !inputs[count].is_number)
        count++;
    if (request->mode && program->mode && request->mode != program->mode)
        return 0;
    if (request->batch && !(count && inputs->ndim && inputs->shape[0] == request->batch))
        return 0;
    if (!request->count)
        return INT_MAX;
    if (assign_inputs(request, inputs, count, files, error))
        return 1;
    for (int64_t i = 0; i < count; i++) {
        const int fit = fit_of(&request->arrays[files[i]], &inputs[i]);
        all &= fit >= FITS_A_STEP;
        exact &= fit == FITS;
        score += fit;
    }
    return exact ? INT_MAX : all ? ALL_FIT + score : score;
}

static int put_shape(char *text, int length, const int64_t *shape, int ndim)
{
    for (int d = 0; d < ndim && length < FACULA_ERROR - 80; d++)
        length += snprintf(text + length, (size_t)(FACULA_ERROR - length), "%s%lld", d ? ", " : "", (long long)shape[d]);
    return length;
}

int check_fit(const struct request *request, int file, const struct facula_array *input, char error[FACULA_ERROR])
{
    const struct npy *npy = &request->arrays[file];
    if (fit_of(npy, input) >= FITS_A_STEP)
        return 0;
    int length = snprintf(error, FACULA_ERROR, "--input %.50s=%.200s: expected %s (", input->name, request->paths[file],
                          npy_dtype(input->dtype));
    length = put_shape(error, length, input->shape, input->ndim < 16 ? input->ndim : 16);
    length += snprintf(error + length, (size_t)(FACULA_ERROR - length), "); got %s (", npy_dtype(npy->dtype));
    length = put_shape(error, length, npy->shape, npy->ndim);
    snprintf(error + length, (size_t)(FACULA_ERROR - length), ")");
    return -1;
}

void fill_input(const struct facula_array *input, const struct npy *npy, int64_t step)
{
    const int64_t size = npy_itemsize(input->dtype);
    int64_t count = 1, at[NPY_DIMS] = {0};
    for (int d = 0; d < input->ndim; d++)
        count *= input->shape[d];
    const char *from = npy->data + (npy->ndim > input->ndim ? step % npy->shape[0] * count * size : 0);
    char *to = input->data;
    for (; count > 0; count--, from += size, to = npy_next(input, to, at))
        memcpy(to, from, (size_t)size);
}

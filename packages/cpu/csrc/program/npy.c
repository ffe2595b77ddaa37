/* .npy files: a magic word, a version, the length of a header, the header (a Python dict literal), and the elements. */
#include "npy.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the dtype codes. bfloat16 is written as by ml_dtypes: two bytes of type void. */
static const char *const DTYPES[] = {NULL, "|b1", "|u1", "|i1", "<i2", "<i4", "<i8", "<f2", "<V2", "<f4", "<f8", "<c8", "<c16"};
static const char *const NAMES[] = {"", "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
                                    "float64", "complex64", "complex128"};
static const int SIZES[] = {0, 1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
static const enum facula_dtype LAST = FACULA_COMPLEX128;

int64_t npy_itemsize(enum facula_dtype dtype)
{
    return dtype <= LAST ? SIZES[dtype] : 0;
}

const char *npy_dtype(enum facula_dtype dtype)
{
    return dtype <= LAST ? NAMES[dtype] : "?";
}

static int refuse(char *error, const char *path, const char *format, ...)
{
    char why[FACULA_ERROR];
    va_list values;
    va_start(values, format);
    vsnprintf(why, sizeof why, format, values);
    va_end(values);
    snprintf(error, FACULA_ERROR, "%.200s: %.300s", path, why);
    return -1;
}

/* Returns the text after 'key': in a header. */
static const char *find_key(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at)
        return NULL;
    at += strlen(key);
    while (*at == ' ' || *at == ':')
        at++;
    return at;
}

static int read_header(struct npy *npy, const char *path, const char *header, char *error)
{
    const char *descr = find_key(header, "'descr'"), *order = find_key(header, "'fortran_order'");
    const char *shape = find_key(header, "'shape'");
    if (!descr || !order || !shape || *descr != '\'' || *shape != '(')
        return refuse(error, path, "its header is damaged");
    for (int code = 1; code <= FACULA_COMPLEX128; code++) {
        const size_t length = strlen(DTYPES[code]);
        const int any_order = *DTYPES[code] == '|' || code == FACULA_BFLOAT16;
        if (!strncmp(descr + (any_order ? 2 : 1), DTYPES[code] + any_order, length - (size_t)any_order) &&
            descr[length + 1] == '\'')
            npy->dtype = (enum facula_dtype)code;
    }
    if (!npy->dtype)
        return refuse(error, path, "expected a dtype of facula's, little-endian; got %.12s", descr);
    if (strncmp(order, "False", 5))
        return refuse(error, path, "expected an array in C order; save numpy.ascontiguousarray(array)");
    npy->count = 1;
    for (shape++; *shape && *shape != ')';) {
        char *end;
        errno = 0;
        const long long length = strtoll(shape, &end, 10);
        if (end == shape || length < 0 || errno || npy->ndim == NPY_DIMS ||
            __builtin_mul_overflow(npy->count, (int64_t)length, &npy->count))
            return refuse(error, path, "its shape is damaged, or has more than %d dimensions", NPY_DIMS);
        npy->shape[npy->ndim++] = length;
        for (shape = end; *shape == ',' || *shape == ' ' || *shape == 'L'; shape++) {}
    }
    return 0;
}

static char *read_file(const char *path, int64_t *bytes, char *error)
{
    FILE *file = fopen(path, "rb");
    char *all = NULL;
    long length;
    if (!file || fseek(file, 0, SEEK_END) || (length = ftell(file)) < 0 || fseek(file, 0, SEEK_SET)) {
        refuse(error, path, "%s", strerror(errno));
    } else if (!(all = malloc((size_t)length + 1)) || fread(all, 1, (size_t)length, file) != (size_t)length) {
        refuse(error, path, "it cannot be read");
        free(all);
        all = NULL;
    } else {
        *bytes = length;
    }
    if (file)
        fclose(file);
    return all;
}

static int read_array(struct npy *npy, const char *path, int64_t bytes, char *error)
{
    if (bytes < 12 || memcmp(npy->bytes, "\x93NUMPY", 6))
        return refuse(error, path, "it is no .npy file");
    const int version = npy->bytes[6];
    if (version < 1 || version > 3)
        return refuse(error, path, "expected a .npy file of version 1, 2 or 3; got %d", version);
    uint32_t length = 0;
    memcpy(&length, npy->bytes + 8, version == 1 ? 2 : 4);
    const int64_t start = version == 1 ? 10 : 12;
    if (length > bytes - start)
        return refuse(error, path, "it is cut off");
    char *header = calloc(length + 32, 1); /* followed by zeros, at which the search in a damaged header ends */
    if (!header)
        return refuse(error, path, "there is no memory for its header");
    memcpy(header, npy->bytes + start, length);
    const int failed = read_header(npy, path, header, error);
    free(header);
    if (failed)
        return -1;
    int64_t wanted;
    if (__builtin_mul_overflow(npy->count, npy_itemsize(npy->dtype), &wanted) || wanted > bytes - start - (int64_t)length)
        return refuse(error, path, "it is cut off");
    npy->data = npy->bytes + start + length;
    return 0;
}

int npy_read(struct npy *npy, const char *path, char error[FACULA_ERROR])
{
    int64_t bytes = 0;
    *npy = (struct npy){.bytes = read_file(path, &bytes, error)};
    if (!npy->bytes)
        return -1;
    if (!read_array(npy, path, bytes, error))
        return 0;
    free(npy->bytes);
    npy->bytes = NULL;
    return -1;
}

char *npy_next(const struct facula_array *array, char *element, int64_t at[NPY_DIMS])
{
    for (int d = array->ndim - 1; d >= 0; d--) {
        element += array->strides[d];
        if (++at[d] < array->shape[d])
            break;
        element -= array->strides[d] * array->shape[d];
        at[d] = 0;
    }
    return element;
}

static int write_elements(const struct facula_array *array, FILE *file)
{
    const size_t size = (size_t)npy_itemsize(array->dtype);
    int64_t count = 1, at[NPY_DIMS] = {0};
    for (int d = 0; d < array->ndim; d++)
        count *= array->shape[d];
    char *from = array->data;
    for (; count > 0; count--) {
        if (fwrite(from, size, 1, file) != 1)
            return -1;
        from = npy_next(array, from, at);
    }
    return 0;
}

FILE *npy_begin(const struct facula_array *array, int64_t steps, const char *path, char error[FACULA_ERROR])
{
    char header[1024];
    if (array->ndim + (steps > 0) > NPY_DIMS) {
        refuse(error, path, "expected at most %d dimensions; got %d", NPY_DIMS, array->ndim + (steps > 0));
        return NULL;
    }
    int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (", DTYPES[array->dtype]);
    if (steps)
        length += snprintf(header + length, sizeof header - (size_t)length, "%lld,", (long long)steps);
    for (int d = 0; d < array->ndim; d++)
        length += snprintf(header + length, sizeof header - (size_t)length, "%lld,", (long long)array->shape[d]);
    length += snprintf(header + length, sizeof header - (size_t)length, "), }");
    while ((10 + length + 1) % 64)
        header[length++] = ' ';
    header[length++] = '\n';
    const uint16_t bytes = (uint16_t)length;
    FILE *file = fopen(path, "wb");
    if (!file) {
        refuse(error, path, "%s", strerror(errno));
    } else if (fwrite("\x93NUMPY\x01\x00", 8, 1, file) != 1 || fwrite(&bytes, 2, 1, file) != 1 ||
               fwrite(header, bytes, 1, file) != 1) {
        refuse(error, path, "it cannot be written: %s", strerror(errno));
        fclose(file);
        file = NULL;
    }
    return file;
}

int npy_append(const struct facula_array *array, FILE *file, const char *path, char error[FACULA_ERROR])
{
    return write_elements(array, file) ? refuse(error, path, "it cannot be written: %s", strerror(errno)) : 0;
}

int npy_end(FILE *file, const char *path, char error[FACULA_ERROR])
{
    return fclose(file) ? refuse(error, path, "it cannot be written: %s", strerror(errno)) : 0;
}

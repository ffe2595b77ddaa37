/* Arrays in .npy files. */
#pragma once
#include <stdio.h>

#include "facula_run.h"

enum { NPY_DIMS = 32 };

/* A file's array, in C order. Pass `bytes` to `free`. */
struct npy {
    char *bytes, *data;
    enum facula_dtype dtype;
    int ndim;
    int64_t shape[NPY_DIMS], count;
};

/* Reads versions 1 to 3. Returns 0, or -1 with a message. */
int npy_read(struct npy *npy, const char *path, char error[FACULA_ERROR]);
/* Begins a file (version 1) with `steps` such arrays along a new first dimension, or with one array if `steps` is 0.
   The array may have any strides. Returns NULL with a message on failure. */
FILE *npy_begin(const struct facula_array *array, int64_t steps, const char *path, char error[FACULA_ERROR]);
/* Writes the current elements of an array. */
int npy_append(const struct facula_array *array, FILE *file, const char *path, char error[FACULA_ERROR]);
int npy_end(FILE *file, const char *path, char error[FACULA_ERROR]);
/* Returns the address of the next element in C order after the one at these indices, and advances the indices. */
char *npy_next(const struct facula_array *array, char *element, int64_t at[NPY_DIMS]);
int64_t npy_itemsize(enum facula_dtype dtype);
const char *npy_dtype(enum facula_dtype dtype);

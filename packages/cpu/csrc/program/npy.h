/* Arrays in .npy files. */
#pragma once
#include <stdio.h>

#include "facula_run.h"

enum { NPY_DIMS = 32 };

/* A file's array, in C order. `bytes` is what `free` takes. */
struct npy {
    char *bytes, *data;
    enum facula_dtype dtype;
    int ndim;
    int64_t shape[NPY_DIMS], count;
};

/* Versions 1 to 3. 0, or -1 with a message. */
int npy_read(struct npy *npy, const char *path, char error[FACULA_ERROR]);
/* Begins a file of `steps` such arrays in a new first dimension, or of one as it is where `steps` is 0. Any strides;
   version 1. NULL, with a message. */
FILE *npy_begin(const struct facula_array *array, int64_t steps, const char *path, char error[FACULA_ERROR]);
/* Writes the elements that an array has now. */
int npy_append(const struct facula_array *array, FILE *file, const char *path, char error[FACULA_ERROR]);
int npy_end(FILE *file, const char *path, char error[FACULA_ERROR]);
/* The place of the next element in C order, after the one at these indices, which are moved on. */
char *npy_next(const struct facula_array *array, char *element, int64_t at[NPY_DIMS]);
int64_t npy_itemsize(enum facula_dtype dtype);
const char *npy_dtype(enum facula_dtype dtype);

/* Arrays in .npy files. */
#pragma once
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
/* Any strides; version 1. */
int npy_write(const struct facula_array *array, const char *path, char error[FACULA_ERROR]);
/* The place of the next element in C order, after the one at these indices, which are moved on. */
char *npy_next(const struct facula_array *array, char *element, int64_t at[NPY_DIMS]);
int64_t npy_itemsize(enum facula_dtype dtype);
const char *npy_dtype(enum facula_dtype dtype);

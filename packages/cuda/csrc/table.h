/* Filling a table of function pointers from a library. For C alone. */

#ifndef FACULA_CUDA_TABLE_H
#define FACULA_CUDA_TABLE_H

#include <stddef.h>

struct table_entry {
    const char *name;
    size_t offset; /* of the pointer in the table */
};

/* Open a library and fill a table of `nbytes` with all entries, or leave it as it is. Returns the result of
   facula_cuda_open. */
int load_table(const char *path, const struct table_entry *entries, size_t count, void *table, size_t nbytes);

#endif

/* A caching allocator's blocks for C code. Requests that idle memory can serve do not call Python.

   Get a table from `facula_allocator.functions.c_functions(allocator)`, a capsule:

       facula_functions *at = PyCapsule_GetPointer(capsule, FACULA_FUNCTIONS);
       facula_memory memory;
       if (at->allocate(at, 4096, 0, &memory))
           return NULL;               // a Python exception is set: out of memory, for one
       ...                            // memory.address, at least 4096 bytes for work on stream 0
       at->free(at, &memory);

   The capsule must outlive every block allocated through it. In a forked child, request a new capsule if the memory
   belongs to a device. */
#ifndef FACULA_ALLOCATOR_FUNCTIONS_H
#define FACULA_ALLOCATOR_FUNCTIONS_H

#include <stdint.h>

#define FACULA_FUNCTIONS "facula_allocator.functions"

typedef struct {
    uint64_t address; /* 0 for no bytes */
    int64_t nbytes;   /* the requested bytes */
    void *block;      /* used by the allocator; NULL once freed */
} facula_memory;

typedef struct facula_functions {
    int version; /* 1; later versions append members */
    /* Allocate a block of at least `nbytes` for work on `stream`. 0, or -1 with a Python exception. Needs the GIL. */
    int (*allocate)(struct facula_functions *at, int64_t nbytes, int64_t stream, facula_memory *into);
    /* Record that work on another stream uses the block. 0, or -1: no memory for the record. Needs the GIL. */
    int (*record_use)(struct facula_functions *at, facula_memory *memory, int64_t stream);
    /* Free the block; a second call does nothing. From any thread, with or without the GIL, at any time. */
    void (*free)(struct facula_functions *at, facula_memory *memory);
} facula_functions;

#endif

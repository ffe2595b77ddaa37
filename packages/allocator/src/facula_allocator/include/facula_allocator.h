/* Blocks of a caching allocator for code in C, without a call of Python where idle memory serves.

   Get a table from `facula_allocator.functions.c_functions(allocator)`, a capsule:

       facula_functions *at = PyCapsule_GetPointer(capsule, FACULA_FUNCTIONS);
       facula_memory memory;
       if (at->allocate(at, 4096, 0, &memory))
           return NULL;               // a Python exception is set: out of memory, for one
       ...                            // memory.address, at least 4096 bytes for work on stream 0
       at->free(at, &memory);

   The capsule must live as long as any block from it. In the child of a fork ask for a new one where the memory is a
   device's. */
#ifndef FACULA_ALLOCATOR_FUNCTIONS_H
#define FACULA_ALLOCATOR_FUNCTIONS_H

#include <stdint.h>

#define FACULA_FUNCTIONS "facula_allocator.functions"

typedef struct {
    uint64_t address; /* 0 for no bytes */
    int64_t nbytes;   /* that were asked for */
    void *block;      /* the allocator's; NULL once freed */
} facula_memory;

typedef struct facula_functions {
    int version; /* 1; later versions add at the end */
    /* A block of at least `nbytes` for work on `stream`: 0, or -1 with a Python exception. Call it with the GIL. */
    int (*allocate)(struct facula_functions *at, int64_t nbytes, int64_t stream, facula_memory *into);
    /* Note that work on another stream uses the block: 0, or -1 without memory for the note. Call it with the GIL. */
    int (*record_use)(struct facula_functions *at, facula_memory *memory, int64_t stream);
    /* Free the block; again: nothing. From any thread, with or without the GIL, at any time. */
    void (*free)(struct facula_functions *at, facula_memory *memory);
} facula_functions;

#endif

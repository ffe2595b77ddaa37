/* Launches in facula_storage's sense, `int64_t f(const void *plan, int64_t *arguments)`, that queue kernels on the
   thread's current stream of the plan's device.

   Note [Parameter blocks]
   ~~~~~~~~~~~~~~~~~~~~~~~
   The arguments of a launch (n, addresses, scalars, 8 bytes each) are the beginning of the kernel's parameter block, so
   that nothing is packed. After them the plan appends what only it knows, in this order: the address of the queue's
   scratch memory, constants (the nest of a strided kernel, lengths of rows), and the address of the record of errors.
   Each part is left out where the plan has none. A launch returns 0 after it has queued, or a status with details in
   arguments[0..3], in which case nothing is queued: see facula_cuda_table for the exception.

   Launches never wait for a kernel. See Note [Pace] in queue.c for when they wait for the device's queue. */

#ifndef FACULA_CUDA_LAUNCH_H
#define FACULA_CUDA_LAUNCH_H

#include <stdint.h>

/* STATUS_MEMORY and STATUS_UNSUPPORTED are facula_storage's. STATUS_DEVICE: the driver refused; arguments[0] is its
   code and arguments[1] the device. */
enum { STATUS_MEMORY = 3, STATUS_UNSUPPORTED = 4, STATUS_DEVICE = 9 };

enum {
    MAX_ARRAYS = 16,      /* arrays of an elementwise kernel */
    MAX_WORDS = 40,       /* arguments of a launch that has a fixed number of them */
    MAX_NEST = 6,         /* dimensions of a strided kernel, after merging */
    NEST_WORDS = 103,     /* 1 + MAX_NEST + MAX_NEST * MAX_ARRAYS */
    MAX_CONSTANTS = 440,  /* words that a plan appends */
    MAX_STEPS = 32,       /* kernels that one launch queues */
    ELEMENT_THREADS = 256, /* threads of a block of an elementwise kernel */
    TABLE_WORDS = 500     /* of the parameter block of a table: 4,000 of the 4,096 bytes that every device has */
};

/* An elementwise kernel in two versions: for contiguous arrays of one shape whose addresses are multiples of a pack's
   size, and for any strides. `nest` is what the strided one gets: the number of dimensions, their lengths, innermost
   first, and for each dimension the steps of all arrays in bytes. Inputs come before outputs. */
struct facula_cuda_elementwise {
    int64_t dense, nested; /* functions */
    int64_t record;        /* the address of the record of errors, or 0 */
    int32_t device, words, arrays, outputs;
    int32_t vector;        /* elements of a pack, which one thread of the dense kernel computes */
    int32_t max_blocks;    /* of the strided kernel, whose threads loop */
    int32_t itemsize[MAX_ARRAYS];
    int64_t nest[NEST_WORDS];
};

/* For layouts that are contiguous and of one shape, at any addresses. The strided kernel is used where addresses are
   not multiples of a pack's size, as those of slices. */
int64_t facula_cuda_dense(const void *plan, int64_t *arguments);
/* For the layouts of the plan's nest. */
int64_t facula_cuda_nested(const void *plan, int64_t *arguments);
/* Write the plan for these lengths and strides (in elements, of each input and then of all outputs) to `into`. Returns a
   number of elements that no launch reaches, since launches keep the GIL; -1 if more than MAX_NEST dimensions remain; the
   size of a plan if `into` is NULL. */
int64_t facula_cuda_nest(void *into, const void *form, int64_t ndim, const int64_t *shape, const int64_t *strides);
/* The shaper for facula_storage's `rebind`: the same for `count` layouts, the output and the inputs; -1 if they do not
   broadcast. */
int64_t facula_cuda_shape(void *into, const void *form, int64_t count, const int64_t *layouts, int64_t *workspace);

/* One kernel of a launch. `blocks` of 0: one for every `per_block` of arguments[0] elements, from 1 to `max_blocks`.
   With `repeats` it is queued that many more times, and the first constant of the plan is replaced by the number of the
   repetition, from 0. */
struct facula_cuda_step {
    int64_t function;
    int64_t blocks, per_block, max_blocks, repeats;
    int32_t threads, shared_bytes;
};

/* Kernels that get the same parameter block, one after the other. */
struct facula_cuda_fixed {
    int64_t record;
    int32_t device, words, scratch, constants, steps, reserved; /* scratch: 1 if the kernels get the queue's */
    struct facula_cuda_step step[MAX_STEPS];
    int64_t constant[];
};

int64_t facula_cuda_fixed(const void *plan, int64_t *arguments);

/* A kernel over any number of rows of arrays. Its parameter block has the first `words` arguments (n and scalars), the
   number of rows, and for each row `columns` addresses, its length and the number of the first block that works on it.
   Rows that do not fit one block of parameters go to further launches. The arguments are n, scalars, and addresses
   row by row. If a launch after the first fails, the device counts as lost: all later launches return the same code,
   so that no caller repeats those that succeeded. */
struct facula_cuda_table {
    int64_t function;
    int64_t finish;    /* a kernel that follows, with the same block of parameters and one block of threads; 0: none.
                          Rows without elements have no block, and are left out unless a kernel follows. */
    int64_t per_block; /* elements that a block computes */
    int32_t device, words, columns, threads;
    int64_t rows;
    const int64_t *lengths; /* of each row; the plan's owner keeps them */
};

int64_t facula_cuda_table(const void *plan, int64_t *arguments);

/* A kernel that joins arrays along a dimension. The arguments are n, the number of steps before that dimension, the
   number of arrays, for each array its address and the bytes that it contributes to a step, and the result's address.
   The parameter block has the result's address, the number of steps, the bytes of a step, those before the first array
   of the block and those of its arrays, the largest power of two up to 16 that divides all addresses and numbers, the
   number of arrays, and for each its address and where it ends in a step. Arrays that do not fit go to further
   launches, as for a table. */
struct facula_cuda_join {
    int64_t function, max_blocks;
    int32_t device, threads;
};

int64_t facula_cuda_join(const void *plan, int64_t *arguments);

#endif

/* Runs a loop over contiguous elements on operands of any steps: strided ones pass through tiles. This is worthwhile if
   the loop is vectorized and costs more than copying its elements; and one loop suffices for all steps. */
#pragma once
#include "runtime/kernel.h"
#include "runtime/vector.h"

#include <string.h>

/* The loop over n elements of each operand, inputs then the output, all contiguous. */
typedef void (*dense_loop)(int64_t n, const int64_t *address);

struct widest {
    uint64_t part[2];
};

/* Compilers vectorize loads of every second element of a row if they know the step. */
#define MOVE(T)                                                                                 \
    if (to_step == sizeof(T) && from_step == 2 * sizeof(T))                                     \
        _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++)((T *)to)[i] = ((const T *)from)[2 * i]; \
    else                                                                                        \
        for (int64_t i = 0; i < n; i++)                                                         \
            *(T *)(to + i * to_step) = *(const T *)(from + i * from_step)

static void move_elements(int64_t n, int64_t size, int64_t from, int64_t from_step, int64_t to, int64_t to_step)
{
    switch (size) {
    case 1: MOVE(uint8_t); break;
    case 2: MOVE(uint16_t); break;
    case 4: MOVE(uint32_t); break;
    case 8: MOVE(uint64_t); break;
    default: MOVE(struct widest); break;
    }
}
#undef MOVE

static void run_tiled(int64_t n, const int64_t *address, const int64_t *step, int operands, int64_t size, dense_loop run)
{
    enum { MOST_OPERANDS = 4, TILE = 256 };
    uint64_t tile[MOST_OPERANDS][TILE] __attribute__((aligned(64)));
    const int output = operands - 1;
    for (int i = 0; i < output; i++)
        if (!step[i])
            move_elements(n < TILE ? n : TILE, size, address[i], 0, (int64_t)tile[i], size);
    for (int64_t done = 0; done < n; done += TILE) {
        const int64_t count = n - done < TILE ? n - done : TILE;
        int64_t at[MOST_OPERANDS];
        for (int i = 0; i < operands; i++) {
            at[i] = step[i] == size ? address[i] + done * size : (int64_t)tile[i];
            if (i != output && step[i] && step[i] != size)
                move_elements(count, size, address[i] + done * step[i], step[i], at[i], size);
        }
        run(count, at);
        if (step[output] != size)
            move_elements(count, size, at[output], size, address[output] + done * step[output], step[output]);
    }
}

static ALWAYS_INLINE void run_strided(int64_t n, const int64_t *address, const int64_t *step, int operands, int64_t size,
                                     dense_loop run)
{
    int dense = 1;
    for (int i = 0; i < operands; i++)
        dense &= step[i] == size;
    if (dense)
        run(n, address);
    else
        run_tiled(n, address, step, operands, size, run);
}

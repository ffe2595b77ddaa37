/* Transposes lines of elements, and moves elements. */
#pragma once
#include "runtime/kernel.h"
#include "runtime/vector.h"

#if defined(__AVX2__) && !defined(__AVX512F__)
#include <immintrin.h>
#endif

#define SIZE 2
#define LANE uint16_t
#define PIECE 8
#define VECTOR 16
#include "copies/transpose_vectors.inc"
#if VECTOR_BYTES > 16
#define VECTOR 32
#include "copies/transpose_vectors.inc"
#endif
#if VECTOR_BYTES > 32
#define VECTOR 64
#include "copies/transpose_vectors.inc"
#endif
#undef SIZE
#undef LANE
#undef PIECE
#define SIZE 4
#define LANE uint32_t
#define PIECE 4
#define VECTOR 16
#include "copies/transpose_vectors.inc"
#if VECTOR_BYTES > 16
#define VECTOR 32
#include "copies/transpose_vectors.inc"
#endif
#if VECTOR_BYTES > 32
#define VECTOR 64
#include "copies/transpose_vectors.inc"
#endif
#undef SIZE
#undef LANE
#undef PIECE
#define SIZE 8
#define LANE uint64_t
#define PIECE 2
#define VECTOR 16
#include "copies/transpose_vectors.inc"
#if VECTOR_BYTES > 16
#define VECTOR 32
#include "copies/transpose_vectors.inc"
#endif
#if VECTOR_BYTES > 32
#define VECTOR 64
#include "copies/transpose_vectors.inc"
#endif
#undef SIZE
#undef LANE
#undef PIECE

/* to[r][c] = from[c][r]: `lines` lines of `rows` contiguous elements, both in complete squares of 16 bytes. */
#define SOME_LINES(size, vector) turn_lines_##size##_##vector(lines - c, piece, at + c * step, step, row + c * size, to_step)
#if VECTOR_BYTES > 32
#define WIDE_LINES(size) (c += SOME_LINES(size, 64), c += SOME_LINES(size, 32))
#elif VECTOR_BYTES > 16
#define WIDE_LINES(size) (c += SOME_LINES(size, 32))
#else
#define WIDE_LINES(size) ((void)0)
#endif
#define TURN(size)                                                                                          \
    static void turn_##size(int64_t lines, int64_t rows, const char *from, int64_t step, char *to, int64_t to_step) \
    {                                                                                                       \
        enum { piece = 16 / size };                                                                         \
        for (int64_t r = 0; r < rows; r += piece) {                                                         \
            const char *at = from + r * size;                                                               \
            char *row = to + r * to_step;                                                                   \
            int64_t c = 0;                                                                                  \
            WIDE_LINES(size);                                                                               \
            SOME_LINES(size, 16);                                                                           \
        }                                                                                                   \
    }
TURN(2)
TURN(4)
TURN(8)

static ALWAYS_INLINE void turn(int64_t size, int64_t lines, int64_t rows, const char *from, int64_t step, char *to, int64_t to_step)
{
    switch (size) {
    case 2: turn_2(lines, rows, from, step, to, to_step); break;
    case 4: turn_4(lines, rows, from, step, to, to_step); break;
    default: turn_8(lines, rows, from, step, to, to_step);
    }
}

struct sixteen_bytes {
    uint64_t low, high;
};

/* Copy elements between positions with any steps; the inner loop runs along the lines. */
static void move_elements(int64_t size, int64_t lines, int64_t rows, const char *from, int64_t step, int64_t row_step, char *to,
                          int64_t to_step, int64_t to_row_step)
{
#define MOVE(type)                                                                                                  \
    for (int64_t c = 0; c < lines; c++)                                                                             \
        for (int64_t r = 0; r < rows; r++)                                                                          \
            *(type *)(to + c * to_step + r * to_row_step) = *(const type *)(from + c * step + r * row_step);        \
    break;
    switch (size) {
    case 1: MOVE(uint8_t)
    case 2: MOVE(uint16_t)
    case 4: MOVE(uint32_t)
    case 8: MOVE(uint64_t)
    default: MOVE(struct sixteen_bytes)
    }
#undef MOVE
}

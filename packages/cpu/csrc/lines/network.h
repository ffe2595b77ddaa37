/* A sorting network on words of 62 bits.

   Note [Sorting networks]
   ~~~~~~~~~~~~~~~~~~~~~~~
   A bitonic network compares and exchanges complete vectors, without branches: about 8 instructions for each of 1,000
   elements. Words are the bits of positive doubles, which have the same order, since all instruction sets have minima
   and maxima of doubles, few of 64-bit integers. The first row of words in memory is a vector; lanes are columns. Word
   number i of a sequence is in row i % rows of lane i / rows, so that distances below `rows`, the most frequent ones,
   need no shuffles. Every merge begins by comparing a sequence with the reverse of its second half, so that all
   comparisons have the same direction. */
#pragma once
#include "lines/tiles.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Wider vectors take as long for as many words, and more of their lanes need shuffles. */
#define ROW_BYTES (VECTOR_BYTES > 32 ? 32 : VECTOR_BYTES)
typedef double words_row __attribute__((vector_size(ROW_BYTES), may_alias));
typedef int64_t longs __attribute__((vector_size(ROW_BYTES)));

enum { LANES = ROW_BYTES / 8, MOST_WORDS = 4096 };
#if defined(__AVX512F__) || defined(__aarch64__)
enum { BLOCK_ROWS = 16 }; /* rows in registers */
#else
enum { BLOCK_ROWS = 8 };
#endif

static ALWAYS_INLINE words_row lesser(words_row a, words_row b)
{
#if defined(__AVX2__)
    return (words_row)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    return (words_row)_mm_min_pd((__m128d)a, (__m128d)b);
#else
    return (words_row)(((a < b) & (longs)a) | (~(a < b) & (longs)b));
#endif
}

static ALWAYS_INLINE words_row greater(words_row a, words_row b)
{
#if defined(__AVX2__)
    return (words_row)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    return (words_row)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    return (words_row)(((a < b) & (longs)b) | (~(a < b) & (longs)a));
#endif
}

static ALWAYS_INLINE void exchange(words_row *a, words_row *b)
{
    const words_row x = *a, y = *b;
    *a = lesser(x, y);
    *b = greater(x, y);
}

/* Compare rows of registers at a distance, or (`reverse`) with those of the reversed second half of 2 * distance rows. */
static ALWAYS_INLINE void compare_rows(words_row *row, int distance, int reverse)
{
#pragma GCC unroll 16
    for (int i = 0; i < BLOCK_ROWS; i++)
        if (!(i & distance))
            exchange(&row[i], &row[reverse ? i ^ (2 * distance - 1) : i + distance]);
}

/* The end of a merge within blocks: distances from `distance` to 1, or (0) a complete sort. */
static ALWAYS_INLINE void finish_blocks(words_row *word, int64_t rows, int distance)
{
    for (int64_t r = 0; r < rows; r += BLOCK_ROWS) {
        words_row row[BLOCK_ROWS];
#pragma GCC unroll 16
        for (int i = 0; i < BLOCK_ROWS; i++)
            row[i] = word[r + i];
        if (!distance) {
            compare_rows(row, 1, 1);
            compare_rows(row, 2, 1);
            compare_rows(row, 1, 0);
            compare_rows(row, 4, 1);
            compare_rows(row, 2, 0);
            compare_rows(row, 1, 0);
#if defined(__AVX512F__) || defined(__aarch64__)
            compare_rows(row, 8, 1);
            compare_rows(row, 4, 0);
            compare_rows(row, 2, 0);
            compare_rows(row, 1, 0);
#endif
        } else {
            if (distance >= 8)
                compare_rows(row, 8, 0);
            if (distance >= 4)
                compare_rows(row, 4, 0);
            if (distance >= 2)
                compare_rows(row, 2, 0);
            compare_rows(row, 1, 0);
        }
#pragma GCC unroll 16
        for (int i = 0; i < BLOCK_ROWS; i++)
            word[r + i] = row[i];
    }
}

/* Four rows: two steps of a merge with one load and store. The second and fourth row are exchanged with the first and
   third. */
static ALWAYS_INLINE void exchange_four(words_row *a, words_row *b, words_row *c, words_row *d)
{
    words_row w = *a, x = *b, y = *c, z = *d;
    exchange(&w, &y);
    exchange(&x, &z);
    exchange(&w, &x);
    exchange(&y, &z);
    *a = w, *b = x, *c = y, *d = z;
}

/* The end of a merge: distances `distance`, distance / 2, ... 1. */
static void finish_merge(words_row *word, int64_t rows, int64_t distance)
{
    for (; distance >= 2 * BLOCK_ROWS; distance /= 4)
        for (int64_t r = 0; r < rows; r += 2 * distance)
            for (int64_t i = r; i < r + distance / 2; i++)
                exchange_four(&word[i], &word[i + distance / 2], &word[i + distance], &word[i + distance + distance / 2]);
    if (distance >= BLOCK_ROWS) {
        for (int64_t r = 0; r < rows; r += 2 * distance)
            for (int64_t i = r; i < r + distance; i++)
                exchange(&word[i], &word[i + distance]);
        distance /= 2;
    }
    if (distance >= BLOCK_ROWS / 2)
        finish_blocks(word, rows, BLOCK_ROWS / 2);
    else
        finish_blocks(word, rows, BLOCK_ROWS / 4);
}

/* Sort each column of `rows` rows, a power of two of at least BLOCK_ROWS. */
static void sort_columns(words_row *word, int64_t rows)
{
    finish_blocks(word, rows, 0);
    for (int64_t size = 2 * BLOCK_ROWS; size <= rows; size *= 2) {
        for (int64_t r = 0; r < rows; r += size)
            for (int64_t i = 0; i < size / 4; i++) {
                words_row *const low = word + r + i, *const high = word + r + size - 1 - i;
                /* Rows i and size / 4 + i with their reverses; then each with its neighbor at the distance size / 4. */
                words_row w = low[0], x = low[size / 4], y = high[-size / 4], z = high[0];
                exchange(&w, &z);
                exchange(&x, &y);
                exchange(&w, &x);
                exchange(&y, &z);
                low[0] = w, low[size / 4] = x, high[-size / 4] = y, high[0] = z;
            }
        finish_merge(word, rows, size / 8);
    }
}

/* Exchange lanes of a and b so that lanes without `bit` get minima: b is the partner of a. */
static ALWAYS_INLINE words_row pick_lanes(words_row a, words_row partner, longs is_high)
{
    return (words_row)((is_high & (longs)greater(a, partner)) | (~is_high & (longs)lesser(a, partner)));
}

#if VECTOR_BYTES > 16
#define LANE_NUMBERS (longs){0, 1, 2, 3}
#else
#define LANE_NUMBERS (longs){0, 1}
#endif

/* Merge the columns of groups of 2 * half lanes, which must be sorted in groups of `half`. */
static ALWAYS_INLINE void merge_lanes(words_row *word, int64_t rows, const int half)
{
    const longs number = LANE_NUMBERS, mirror = number ^ (2 * half - 1), is_high = (number & half) != 0;
    for (int64_t i = 0; i < rows / 2; i++) {
        words_row *const low = word + i, *const high = word + rows - 1 - i;
        const words_row a = *low, b = *high;
        *low = pick_lanes(a, __builtin_shuffle(b, mirror), is_high);
        *high = pick_lanes(b, __builtin_shuffle(a, mirror), is_high);
    }
    if (half > 1)
        for (int64_t i = 0; i < rows; i++) {
            words_row a = word[i];
#pragma GCC unroll 2
            for (int distance = half / 2; distance; distance /= 2)
                a = pick_lanes(a, __builtin_shuffle(a, number ^ distance), (number & distance) != 0);
            word[i] = a;
        }
    finish_merge(word, rows, rows / 2);
}

/* A key of WORD_BITS and NORMAL, the least normal double, make a word. */
#define NORMAL ((uint64_t)1 << 52)
enum { WORD_BITS = 61 };

/* Sort words below 2 ** 62, of which there is room for MOST_WORDS in both arrays, into `sorted`. */
static void sort_words(uint64_t *words, uint64_t *sorted, int64_t n)
{
    int64_t rows = BLOCK_ROWS;
    while (rows * LANES < n)
        rows *= 2;
    for (int64_t i = n; i < rows * LANES; i++)
        words[i] = (uint64_t)1 << 62;
    words_row *const word = (words_row *)words;
    sort_columns(word, rows);
    merge_lanes(word, rows, 1);
#if VECTOR_BYTES > 16
    merge_lanes(word, rows, 2);
#endif
    turn(8, rows, LANES, (const char *)words, ROW_BYTES, (char *)sorted, rows * 8);
}

/* Random numbers: element i of a draw depends on the seed, the offset and i, by the functions of facula_cpu's
   elements/draws.h. So the numbers are those of the CPU. A thread makes a block of Philox's four words: four
   elements, or two of those that take 64 bits.

   `args` has n, o, seed, offset, and numbers of the distribution. */
#pragma once
#include "facula/common.cuh"
#include "elements/draws.h"
#include "elements/philox.h"

#define FOR_PHILOX_BLOCKS(block, elements) FOR_ELEMENTS(block, p.n / (elements) + (p.n % (elements) != 0))

/* Stores the elements of one block, those that exist. */
template <int count, class T> static ALWAYS_INLINE void store_block(char *o, int64_t block, int64_t n, const T *values)
{
    for (int k = 0; k < count; k++)
        if (count * block + k < n)
            ((T *)o)[count * block + k] = values[k];
}

template <class A> static ALWAYS_INLINE void words_of(const A &p, int64_t block, uint32_t *words)
{
    philox_words(block, 1, (uint64_t)p.seed, (uint64_t)p.offset, words);
}

template <class A> static ALWAYS_INLINE void draw_philox(const A &p)
{
    FOR_PHILOX_BLOCKS(block, 4)
    {
        uint32_t words[4];
        words_of(p, (int64_t)((uint64_t)p.first + (uint64_t)block), words);
        store_block<4>(p.o, block, p.n, words);
    }
}

template <int CODE, int bits, class A> static ALWAYS_INLINE void draw_uniform(const A &p)
{
    typedef element<CODE> E;
    const float low = (float)p.low, high = (float)p.high;
    FOR_PHILOX_BLOCKS(block, 4)
    {
        uint32_t words[4];
        typename E::stored values[4];
        words_of(p, block, words);
        for (int k = 0; k < 4; k++) {
            values[k] = E::write(uniform_of(words[k], bits, low, high));
            if (!(E::read(values[k]) < high))
                values[k] = E::write(low);
        }
        store_block<4>(p.o, block, p.n, values);
    }
}

template <class A> static ALWAYS_INLINE void draw_uniform_float64(const A &p)
{
    FOR_PHILOX_BLOCKS(block, 2)
    {
        uint32_t words[4];
        words_of(p, block, words);
        const double values[2] = {uniform_of_two(two_words(words, 0), p.low, p.high),
                                  uniform_of_two(two_words(words, 1), p.low, p.high)};
        store_block<2>(p.o, block, p.n, values);
    }
}

template <int CODE, class A> static ALWAYS_INLINE void draw_normal(const A &p)
{
    typedef element<CODE> E;
    const float mean = (float)p.mean, deviation = (float)p.deviation;
    FOR_PHILOX_BLOCKS(block, 4)
    {
        uint32_t words[4];
        float normals[4];
        typename E::stored values[4];
        words_of(p, block, words);
        normal_of(words[0], words[1], &normals[0], &normals[1]);
        normal_of(words[2], words[3], &normals[2], &normals[3]);
        for (int k = 0; k < 4; k++)
            values[k] = E::write(mean + deviation * normals[k]);
        store_block<4>(p.o, block, p.n, values);
    }
}

template <class A> static ALWAYS_INLINE void draw_normal_float64(const A &p)
{
    FOR_PHILOX_BLOCKS(block, 2)
    {
        uint32_t words[4];
        double values[2];
        words_of(p, block, words);
        normal_of_two(two_words(words, 0), two_words(words, 1), &values[0], &values[1]);
        for (int k = 0; k < 2; k++)
            values[k] = p.mean + p.deviation * values[k];
        store_block<2>(p.o, block, p.n, values);
    }
}

template <class T, class A> static ALWAYS_INLINE void draw_integers(const A &p)
{
    const uint64_t range = (uint64_t)p.high - (uint64_t)p.low;
    FOR_PHILOX_BLOCKS(block, 2)
    {
        uint32_t words[4];
        words_of(p, block, words);
        const T values[2] = {(T)integer_of(two_words(words, 0), p.low, range),
                             (T)integer_of(two_words(words, 1), p.low, range)};
        store_block<2>(p.o, block, p.n, values);
    }
}

/* `one` is the bits of 1. */
template <class T, class A> static ALWAYS_INLINE void draw_bernoulli(const A &p, uint64_t one)
{
    const double threshold = p.probability * 0x1p32;
    const uint64_t below = threshold > 0 ? threshold < 0x1p32 ? (uint64_t)threshold : 1ull << 32 : 0;
    FOR_PHILOX_BLOCKS(block, 4)
    {
        uint32_t words[4];
        T values[4];
        words_of(p, block, words);
        for (int k = 0; k < 4; k++)
            values[k] = (T)(words[k] < below ? one : 0);
        store_block<4>(p.o, block, p.n, values);
    }
}

/* x / (1 - share), or 0 with the probability `share`. */
template <class T, class A> static ALWAYS_INLINE void drop(const A &p)
{
    const double bound = p.share * 0x1p32;
    const uint32_t least = bound < 0x1p32 - 1 ? (uint32_t)bound : 0xffffffffu;
    const T grown = p.share < 1 ? (T)(1 / (1 - p.share)) : 0;
    const T *x = (const T *)p.x;
    FOR_PHILOX_BLOCKS(block, 4)
    {
        uint32_t words[4];
        words_of(p, block, words);
        for (int k = 0; k < 4; k++) {
            const int64_t i = 4 * block + k;
            if (i < p.n)
                ((T *)p.o)[i] = p.share < 1 && words[k] >= least ? x[i] * grown : 0;
        }
    }
}

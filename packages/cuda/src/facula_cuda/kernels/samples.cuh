/* Draws of gamma, Poisson and binomial distributions, by the functions of facula_cpu's elements/rejection.h. Element i
   has a stream of random words of its own.

   `args` has n, a, for two parameters b, o, seed and offset. */
#pragma once
#include "facula/common.cuh"
#include "elements/rejection.h"

template <class A> static ALWAYS_INLINE struct stream stream_of(const A &p, int64_t element)
{
    struct stream found = {};
    found.seed = (uint64_t)p.seed;
    found.offset = (uint64_t)p.offset;
    found.element = (uint64_t)element;
    return found;
}

/* NAME is the beginning of a function's name in rejection.h, T the type of elements, LEAST its least positive number. */
#define DRAW_SAMPLES(NAME, T, LEAST, a, b)                                                                          \
    FOR_ELEMENTS(i, p.n)                                                                                            \
    {                                                                                                               \
        struct stream stream = stream_of(p, i);                                                                     \
        ((T *)p.o)[i] = (T)NAME##_of((double)((const T *)p.a)[i], (double)((const T *)p.b)[i], &stream, LEAST);     \
    }

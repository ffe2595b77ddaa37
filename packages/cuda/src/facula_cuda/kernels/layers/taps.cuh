/* Weighted sums of elements at positions of a plan or of an operand, and their derivatives, with the CPU's bits. */
#pragma once
#include "facula/indexing.cuh"

/* A dimension multiplied by a sparse matrix. `args` has x and o, (outer, length, inner) and (outer, count, inner), and
   the matrix: starts (count + 1), places and weights. */
template <class T, class A> static ALWAYS_INLINE void resample(const A &p)
{
    FOR_ELEMENTS(i, p.n) {
        const int64_t line = quotient(i, p.inner), column = i - line * p.inner;
        const int64_t outer = quotient(line, p.count), row = line - outer * p.count;
        const T *const x = (const T *)p.x + outer * p.length * p.inner + column, *const weights = (const T *)p.weights;
        const int64_t *const places = (const int64_t *)p.places, *const starts = (const int64_t *)p.starts;
        const int64_t end = starts[row + 1];
        int64_t k = starts[row];
        T sum = k < end ? weights[k] * x[places[k] * p.inner] : T(0);
        for (k++; k < end; k++)
            sum += weights[k] * x[places[k] * p.inner];
        ((T *)p.o)[i] = sum;
    }
}

/* Note [Given taps]
   ~~~~~~~~~~~~~~~~~
   x (images, channels, length), outputs (images, channels, count), and weights and places (images, taps, count), which
   the channels of an image share. A place outside of x reads 0 and receives no gradient.

   For the gradient of x, a first kernel marks the first and the last output that uses a place, for each tap: see
   Note [Deterministic scattering] in indexing.cuh. Then a thread adds, for an element of x, the gradients of the
   outputs between them that do use it. */
struct tap_place {
    int64_t image, channel, column, given; /* given: where the image's weights and places start, plus the column */
};
template <class A> static ALWAYS_INLINE tap_place tap_place_of(const A &p, int64_t i, int64_t lines, int64_t width)
{
    const int64_t line = quotient(i, width), image = quotient(line, lines), column = i - line * width;
    return {image, line - image * lines, column, image * p.taps * p.count + column};
}

/* (x, weights, places) -> o */
template <class T, class A> static ALWAYS_INLINE void gather_taps(const A &p)
{
    FOR_ELEMENTS(i, p.n) {
        const tap_place at = tap_place_of(p, i, p.channels, p.count);
        const T *const x = (const T *)p.x + (at.image * p.channels + at.channel) * p.length;
        T sum = 0;
        for (int64_t t = 0; t < p.taps; t++) {
            const int64_t place = ((const int64_t *)p.places)[at.given + t * p.count];
            sum += ((const T *)p.weights)[at.given + t * p.count] * ((uint64_t)place < (uint64_t)p.length ? x[place] : T(0));
        }
        ((T *)p.o)[i] = sum;
    }
}

/* (g, x, places) -> o, the weights' gradient */
template <class T, class A> static ALWAYS_INLINE void weigh_taps(const A &p)
{
    FOR_ELEMENTS(i, p.n) {
        const tap_place at = tap_place_of(p, i, p.taps, p.count);
        const int64_t place = ((const int64_t *)p.places)[i];
        T sum = 0;
        if ((uint64_t)place < (uint64_t)p.length)
            for (int64_t c = at.image * p.channels; c < (at.image + 1) * p.channels; c++)
                sum += ((const T *)p.g)[c * p.count + at.column] * ((const T *)p.x)[c * p.length + place];
        ((T *)p.o)[i] = sum;
    }
}

/* (g, weights, places) -> o, the gradient of x; `marked` is the number of places. */
template <class A> static ALWAYS_INLINE void mark_taps(const A &p)
{
    FOR_ELEMENTS(i, p.marked) {
        const int64_t line = quotient(i, p.count), place = ((const int64_t *)p.places)[i];
        if ((uint64_t)place < (uint64_t)p.length)
            mark_target<COMBINE_SUM>(p, line * p.length + place, i - line * p.count);
    }
}

template <class T, class A> static ALWAYS_INLINE void scatter_taps(const A &p)
{
    FOR_ELEMENTS(i, p.n) {
        const tap_place at = tap_place_of(p, i, p.channels, p.length);
        const T *const g = (const T *)p.g + (at.image * p.channels + at.channel) * p.count;
        T sum = 0;
        for (int64_t line = at.image * p.taps; line < (at.image + 1) * p.taps; line++) {
            const int64_t target = line * p.length + at.column, end = last_marks(p)[target];
            const int64_t *const places = (const int64_t *)p.places + line * p.count;
            for (int64_t k = first_marks(p)[target]; k < end; k++)
                if (places[k] == at.column)
                    sum += ((const T *)p.weights)[line * p.count + k] * g[k];
        }
        ((T *)p.o)[i] = sum;
    }
}

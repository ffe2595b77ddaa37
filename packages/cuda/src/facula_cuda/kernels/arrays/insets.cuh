/* The inverse of selecting windows: a result that is filled with a value, and has the elements of an array at the
   places that strides select. Several elements may have one place: it receives their sum, in the CPU's order.

   A thread computes an element of the result. `args` has a, o, fill (the value's bits), offset (the place of a's first
   element), loops (elements of `a` that may have one place), shared and kept (numbers of dimensions), and nest: lengths,
   steps of places and steps of `a` in bytes of the shared dimensions, and then of those that are kept. The places of
   the latter differ: their dimensions are sorted by steps, each of which is longer than all smaller ones together. */
#pragma once
#include "facula/indexing.cuh"

template <class T, int code, class A> static ALWAYS_INLINE void inset_elements(const A &p)
{
    FOR_ELEMENTS(i, p.n) {
        T value = *(const T *)p.fill;
        for (int64_t loop = 0; loop < p.loops; loop++) {
            int64_t at[2] = {p.offset, 0};
            locate<2>(p.nest, p.shared, loop, at);
            int64_t rest = i - at[0];
            bool found = rest >= 0;
            for (int64_t d = p.kept - 1; d >= 0 && found; d--) {
                const int64_t *dim = p.nest + 3 * (p.shared + d), index = quotient(rest, dim[1]);
                found = index < dim[0];
                rest -= index * dim[1];
                at[1] += index * dim[2];
            }
            if (!found || rest)
                continue;
            const T x = *(const T *)(p.a + at[1]);
            if constexpr (code == 0)
                value = x;
            else
                value = combined<code>::template of<COMBINE_SUM>(value, x);
        }
        ((T *)p.o)[i] = value;
    }
}

/* Copies whose source and result have different orders of elements: reversed, rotated or repeated dimensions, and
   triangles of matrices. */
#pragma once
#include "facula/common.cuh"

/* `args` has a, o, start, count, and dimensions, innermost first: the length, the steps of o and of a in bytes, and
   how far a dimension of a is rotated, below its length. `start` is the offset of a's first element in bytes. */
template <class T, class A> static ALWAYS_INLINE void move_elements(const A &p)
{
    FOR_ELEMENTS(i, p.count)
    {
        int64_t rest = i, from = p.start, to = 0;
#pragma unroll 1
        for (int64_t d = 0; d < p.dims; d++) {
            const int64_t *dim = p.nest + 4 * d, length = dim[0];
            const int64_t over = rest < (1ll << 31) && length < (1ll << 31) ? (uint32_t)rest / (uint32_t)length
                                                                            : rest / length;
            const int64_t index = rest - over * length, turned = index + dim[3];
            to += index * dim[1];
            from += (turned < length ? turned : turned - length) * dim[2];
            rest = over;
        }
        *(T *)(p.o + to) = *(const T *)(p.a + from);
    }
}

/* `args` has contiguous matrices a and o, their rows and columns, a diagonal, whether elements from it on are kept
   (else those up to it), and the number of elements. */
template <class T, class A> static ALWAYS_INLINE void copy_triangle(const A &p)
{
    FOR_ELEMENTS(i, p.count)
    {
        const int64_t line = i / p.columns, beyond = i - line * p.columns - line % p.rows - p.diagonal;
        ((T *)p.o)[i] = (p.upper ? beyond >= 0 : beyond <= 0) ? ((const T *)p.a)[i] : T{};
    }
}

/* Joins arrays along a dimension; `args` is the block of facula_cuda_join. */
#pragma once
#include "facula/common.cuh"

template <class S, class A> static ALWAYS_INLINE void join_units(const A &p)
{
    const int64_t unit = sizeof(S), width = p.width / unit, row = p.row / unit, start = p.start / unit;
    FOR_ELEMENTS(i, p.outer * width) {
        const int64_t outer = i / width, at = i - outer * width;
        int64_t low = 0, high = p.arrays - 1;
        while (low < high) { /* the first array that ends after this */
            const int64_t middle = (low + high) / 2;
            if (p.array[2 * middle + 1] > at * unit)
                high = middle;
            else
                low = middle + 1;
        }
        const int64_t before = low ? p.array[2 * low - 1] / unit : 0, own = p.array[2 * low + 1] / unit - before;
        ((S *)p.o)[outer * row + start + at] = ((const S *)p.array[2 * low])[outer * own + at - before];
    }
}

template <class A> static ALWAYS_INLINE void join_arrays(const A &p)
{
    switch (p.unit) { /* the same for all threads */
    case 16: join_units<sixteen>(p); break;
    case 8: join_units<uint64_t>(p); break;
    case 4: join_units<uint32_t>(p); break;
    case 2: join_units<uint16_t>(p); break;
    default: join_units<uint8_t>(p);
    }
}

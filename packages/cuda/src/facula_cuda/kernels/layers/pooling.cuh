/* Maxima and means of windows of planes, and their gradients, with the CPU's bits.

   A window is a product of two intervals, of rows and of columns, clipped at the borders. A thread computes an element
   of the result. For gradients, that is an element of a plane, to which it adds the gradients of all windows around it
   in their order. The CPU adds the columns of a window first, and those of each STRIP together. Windows of whole rows
   are added in 16 lanes.

   `args` has, for rows and columns each, size, out, kernel, stride, padding and dilation; adaptive (whether windows
   divide a plane as evenly as possible instead), counted (whether padding counts) and divisor, or 0. */
#pragma once
#include "facula/common.cuh"

struct window {
    int64_t first, count, factor; /* elements, and the factor of the divisor */
};

template <class A> static ALWAYS_INLINE window window_of(const A &p, int d, int64_t number)
{
    const int64_t length = p.size[d], out = p.out[d];
    if (p.adaptive) {
        const int64_t first = quotient(number * length, out);
        const int64_t count = quotient((number + 1) * length + out - 1, out) - first;
        return {first, count, count};
    }
    const int64_t start = number * p.stride[d] - p.padding[d], dilation = p.dilation[d];
    const int64_t skipped = start < 0 ? quotient(dilation - 1 - start, dilation) : 0;
    const int64_t first = start + skipped * dilation, after = length - first;
    const int64_t inside = after > 0 ? quotient(after + dilation - 1, dilation) : 0;
    const int64_t taps = p.kernel[d] - skipped, count = taps < inside ? taps : inside;
    const int64_t padded = length + p.padding[d] - start;
    const int64_t factor = !p.counted ? count : padded < p.kernel[d] ? padded : p.kernel[d];
    return {first, count, factor};
}

/* The windows [from, to) that may contain an element. */
template <class A> static ALWAYS_INLINE void windows_around(const A &p, int d, int64_t place, int64_t &from, int64_t &to)
{
    const int64_t length = p.size[d], out = p.out[d];
    if (p.adaptive) {
        from = quotient(place * out, length);
        to = quotient((place + 1) * out + length - 1, length);
        return;
    }
    const int64_t last = place + p.padding[d], reach = (p.kernel[d] - 1) * p.dilation[d];
    from = last > reach ? quotient(last - reach + p.stride[d] - 1, p.stride[d]) : 0;
    to = quotient(last, p.stride[d]) + 1;
    to = to < out ? to : out;
}

template <class A, class T> static ALWAYS_INLINE T divisor_of(const A &p, const window &rows, const window &columns)
{
    return (T)(p.divisor ? p.divisor : rows.factor * columns.factor);
}

struct plane_place {
    int64_t plane, row, column;
};
static ALWAYS_INLINE plane_place place_in(int64_t i, const int64_t *size)
{
    const int64_t line = quotient(i, size[1]), plane = quotient(line, size[0]);
    return {plane, line - plane * size[0], i - line * size[1]};
}

template <class T, class A> static ALWAYS_INLINE void greatest_of_windows(const A &p)
{
    FOR_ELEMENTS(i, p.n) {
        const plane_place at = place_in(i, p.out);
        const window rows = window_of(p, 0, at.row), columns = window_of(p, 1, at.column);
        const T *const plane = (const T *)p.x + at.plane * p.size[0] * p.size[1];
        int64_t index = rows.first * p.size[1] + columns.first;
        T best = plane[index];
        for (int64_t r = 0; r < rows.count; r++)
            for (int64_t c = 0; c < columns.count; c++) {
                const int64_t place = (rows.first + r * p.dilation[0]) * p.size[1] + columns.first + c * p.dilation[1];
                const T x = plane[place];
                if (x > best || x != x) {
                    best = x;
                    index = place;
                }
            }
        ((T *)p.o)[i] = best;
        ((int64_t *)p.index)[i] = index;
    }
}

/* The gradient of the maxima, whose indices are in their windows. */
template <class T, class A> static ALWAYS_INLINE void greatest_gradient(const A &p)
{
    FOR_ELEMENTS(i, p.n) {
        const plane_place at = place_in(i, p.size);
        const int64_t own = at.row * p.size[1] + at.column;
        int64_t top, bottom, left, right;
        windows_around(p, 0, at.row, top, bottom);
        windows_around(p, 1, at.column, left, right);
        T sum = 0;
        for (int64_t r = top; r < bottom; r++)
            for (int64_t c = left; c < right; c++) {
                const int64_t place = (at.plane * p.out[0] + r) * p.out[1] + c;
                if (((const int64_t *)p.index)[place] == own)
                    sum += ((const T *)p.g)[place];
            }
        ((T *)p.o)[i] = sum;
    }
}

template <class T, class A> static ALWAYS_INLINE void pick_elements(const A &p)
{
    const int64_t room = p.size[0] * p.size[1];
    FOR_ELEMENTS(i, p.n) {
        const int64_t plane = quotient(i, p.out[0] * p.out[1]), index = ((const int64_t *)p.index)[i];
        if ((uint64_t)index < (uint64_t)room)
            ((T *)p.o)[i] = ((const T *)p.x)[plane * room + index];
        else
            report(p.record, STATUS_INDEX, index, i, room, 0);
    }
}

template <class T, class A> static ALWAYS_INLINE void means_of_windows(const A &p)
{
    enum { STRIP = 2048 / sizeof(T) };
    FOR_ELEMENTS(i, p.n) {
        const plane_place at = place_in(i, p.out);
        const window rows = window_of(p, 0, at.row), columns = window_of(p, 1, at.column);
        const T *const x = (const T *)p.x + (at.plane * p.size[0] + rows.first) * p.size[1];
        T total = 0, strip = 0;
        for (int64_t c = columns.first; c < columns.first + columns.count; c++) {
            T sum = 0;
            for (int64_t r = 0; r < rows.count; r++)
                sum += x[r * p.size[1] + c];
            if (c % STRIP == 0) {
                total += strip;
                strip = 0;
            }
            strip += sum;
        }
        ((T *)p.o)[i] = (total + strip) / divisor_of<A, T>(p, rows, columns);
    }
}

/* Means of windows of whole rows, which are contiguous: 16 lanes for each. */
template <class T, class A> static ALWAYS_INLINE void means_of_rows(const A &p)
{
    enum { LANES = 16, WINDOWS = WARP / LANES };
    const int lane = threadIdx.x % LANES, half = threadIdx.x % WARP / LANES;
    for (int64_t group = first_element() / WARP; group * WINDOWS < p.n; group += element_stride() / WARP) {
        const int64_t i = group * WINDOWS + half < p.n ? group * WINDOWS + half : p.n - 1;
        const plane_place at = place_in(i, p.out);
        const window rows = window_of(p, 0, at.row), columns = window_of(p, 1, at.column);
        const T *const x = (const T *)p.x + (at.plane * p.size[0] + rows.first) * p.size[1];
        const int64_t count = rows.count * p.size[1], whole = count - count % LANES;
        T sum = 0, total = 0;
        for (int64_t k = lane; k < whole; k += LANES)
            sum += x[k];
        for (int64_t k = whole; k < count; k++)
            total += x[k];
        for (int k = 0; k < LANES; k++)
            total += __shfl_sync(EVERY_LANE, sum, k, LANES);
        if (lane == 0)
            ((T *)p.o)[i] = total / divisor_of<A, T>(p, rows, columns);
    }
}

template <class T, class A> static ALWAYS_INLINE void means_gradient(const A &p)
{
    FOR_ELEMENTS(i, p.n) {
        const plane_place at = place_in(i, p.size);
        int64_t top, bottom, left, right;
        windows_around(p, 0, at.row, top, bottom);
        windows_around(p, 1, at.column, left, right);
        T total = 0;
        for (int64_t r = top; r < bottom; r++) {
            const window rows = window_of(p, 0, r);
            T sum = 0;
            for (int64_t c = left; c < right; c++)
                sum += ((const T *)p.g)[(at.plane * p.out[0] + r) * p.out[1] + c] /
                       divisor_of<A, T>(p, rows, window_of(p, 1, c));
            total += sum;
        }
        ((T *)p.o)[i] = total;
    }
}

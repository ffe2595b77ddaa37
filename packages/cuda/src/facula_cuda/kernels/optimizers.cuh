/* Steps of optimizers over the parameters of a table: the element functions of facula_cpu's elements/optimizers.inc.

   `args` has n, the numbers of the step, the number of rows, and for each row the addresses of its tensors and of
   its single numbers, of which the last counts the steps; its length, and the number of the first block that works
   on it. */
#pragma once
#include "facula/common.cuh"
#include "elements/math/functions.h"
#include "elements/optimizer_numbers.h"

/* The row that this block works on: the last one that begins with it or before. */
template <int columns, class A> static ALWAYS_INLINE const int64_t *row_of_block(const A &p)
{
    int64_t low = 0, high = p.rows - 1;
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (p.row[middle * (columns + 2) + columns + 1] <= (int64_t)blockIdx.x)
            low = middle;
        else
            high = middle - 1;
    }
    return p.row + low * (columns + 2);
}

/* The elements of the row that belong to this block. */
static ALWAYS_INLINE int64_t row_end(int64_t first, int64_t length, int64_t per_block)
{
    return first + per_block < length ? first + per_block : length;
}
#define FOR_ROW_ELEMENTS(i, columns, per_block)                                                      \
    for (int64_t from_ = ((int64_t)blockIdx.x - row[(columns) + 1]) * (per_block),                   \
                 end_ = row_end(from_, row[columns], per_block), i = from_ + threadIdx.x;            \
         i < end_; i += blockDim.x)

/* A single number of a row. */
static ALWAYS_INLINE float &kept(const int64_t *row, int column) { return *(float *)row[column]; }

#define FOR_ROWS(columns)                                                                 \
    for (int64_t number_ = first_element(); number_ < p.rows; number_ += element_stride()) \
        if (const int64_t *row = p.row + number_ * ((columns) + 2))

/* What changes after the step, for the next one. */
static ALWAYS_INLINE void finish_nadam(float *product, float count, const double *numbers)
{
    *product *= (float)nadam_factor(numbers, count);
}

static ALWAYS_INLINE void finish_asgd(float *eta, float *mu, float steps, const double *numbers)
{
    const double count = steps, rate = numbers[ASGD_RATE];
    *eta = (float)(rate / pow(1 + numbers[ASGD_LAMBDA] * rate * count, numbers[ASGD_POWER]));
    *mu = (float)(1 / fmax(1.0, count - numbers[ASGD_START]));
}

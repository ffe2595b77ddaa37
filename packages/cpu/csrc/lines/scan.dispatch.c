/* Running sums, products, extremes and log-sums, and linear recurrences, along lines.

   Elements of few bytes are converted to those of a wider type, whose kernel processes them. */
#include <complex.h>
#include <math.h>
#include <stddef.h>

#include "elements/math/functions.h"
#include "lines/columns.h"
#include "runtime/half_vectors.h"

/* LANES lines are processed together. GCC does not vectorize loops that it has
   unrolled completely, nor does it know that operands are the same array or none of their elements is shared. */
#define LOOP _Pragma("GCC unroll 1") _Pragma("GCC ivdep")
#define NOTHING (-0.0)
#define LANES (sizeof(S) < 4 ? 64 / (int64_t)sizeof(S) : 16)

#if VECTOR_BYTES == 64
#define FIRST_HALF 0, 1, 2, 3, 4, 5, 6, 7
#define SECOND_HALF 8, 9, 10, 11, 12, 13, 14, 15
#elif VECTOR_BYTES == 32
#define FIRST_HALF 0, 1, 2, 3
#define SECOND_HALF 4, 5, 6, 7
#else
#define FIRST_HALF 0, 1
#define SECOND_HALF 2, 3
#endif

typedef float half_floats __attribute__((vector_size(VECTOR_BYTES / 2)));

/* GCC converts vectors of 32 bytes and more in parts. */
static ALWAYS_INLINE doubles widen_floats(half_floats x)
{
#if VECTOR_BYTES == 64
    return (doubles)_mm512_cvtps_pd((__m256)x);
#elif VECTOR_BYTES == 32
    return (doubles)_mm256_cvtps_pd((__m128)x);
#else
    return __builtin_convertvector(x, doubles);
#endif
}

enum { EXTREME_BLOCK = 32, SHORT = 64 };

/* LOAD and STORE convert `some` adjacent elements, READ and WRITE others. */
#define CONVERT(suffix, S, T, READ, WRITE, some, LOAD, STORE)                                         \
    static void load_##suffix(char *to, const char *from, int64_t step, int64_t count)                \
    {                                                                                                 \
        int64_t i = 0;                                                                                \
        if (step == sizeof(S))                                                                        \
            for (; i + some <= count; i += some)                                                      \
                LOAD((T *)to + i, (const S *)from + i);                                               \
        for (; i < count; i++)                                                                        \
            ((T *)to)[i] = READ(*(const S *)(from + i * step));                                       \
    }                                                                                                 \
    static void store_##suffix(char *to, int64_t step, const char *from, int64_t count)               \
    {                                                                                                 \
        int64_t i = 0;                                                                                \
        if (step == sizeof(S))                                                                        \
            for (; i + some <= count; i += some)                                                      \
                STORE((S *)to + i, (const T *)from + i);                                              \
        for (; i < count; i++)                                                                        \
            *(S *)(to + i * step) = WRITE(((const T *)from)[i]);                                      \
    }                                                                                                 \
    static const struct conversion suffix##_conversion = {sizeof(T), load_##suffix, store_##suffix};

#define LOAD_FLOAT16(to, from) *(loose_floats *)(to) = floats_of_float16(from)
#define STORE_FLOAT16(to, from) store_as_float16(to, *(const loose_floats *)(from))
#define LOAD_BFLOAT16(to, from) *(loose_floats *)(to) = floats_of_bfloat16(from)
#define STORE_BFLOAT16(to, from) store_as_bfloat16(to, *(const loose_floats *)(from))
#define LOAD_TRUTH(to, from) *(to) = *(from) != 0
#define COPY(to, from) *(to) = *(from)
CONVERT(float16, uint16_t, float, float_of_float16, float16_of_float, FLOATS, LOAD_FLOAT16, STORE_FLOAT16)
CONVERT(bfloat16, uint16_t, float, float_of_bfloat16, bfloat16_of_float, FLOATS, LOAD_BFLOAT16, STORE_BFLOAT16)
CONVERT(float32, float, double, , (float), 1, COPY, COPY)
CONVERT(complex64, _Complex float, _Complex double, , , 1, COPY, COPY)
CONVERT(bool, uint8_t, int32_t, 0 !=, (uint8_t), 1, LOAD_TRUTH, COPY)
CONVERT(uint8, uint8_t, int32_t, , (uint8_t), 1, COPY, COPY)
CONVERT(int8, int8_t, int32_t, , (int8_t), 1, COPY, COPY)
CONVERT(int16, int16_t, int32_t, , (int16_t), 1, COPY, COPY)

/* After the columns: their conversion or NULL, and the kernel of contiguous lines if there is one. */
#define KERNEL(name, inputs, operands, shorter, cost, suffix, CODE, S, function, ...)                                  \
    static int64_t PASTE(name, suffix)(const struct facula_lines *plan, char *const *at, int64_t count)               \
    {                                                                                                                 \
        static const struct columns all = {function, inputs, operands, shorter, operands, 0,                           \
                                           {sizeof(S), sizeof(S), sizeof(S), sizeof(S)}, .conversion = __VA_ARGS__};  \
        return run_columns(plan, at, count, &all);                                                                    \
    }                                                                                                                 \
    FACULA_KERNEL(#name "_lines", PASTE(name, suffix), cost, CODE)
#define S int64_t
#define SIZE 8
#define SUFFIX int64
#define CODE INT64
#define ACC uint64_t
#define COST 400
#define READ(x) (ACC)(x)
#define WRITE(x) (S)(x)
#define WITHOUT_GRADIENT
#include "lines/scan.inc"

#define S float
#define SIZE 4
#define SUFFIX float32
#define CODE FLOAT32
#define ACC double
#define COST 1300
#define READ(x) (x)
#define WRITE(x) (S)(x)
#include "lines/scan.inc"

#define S uint16_t
#define SUFFIX float16
#define CODE FLOAT16
#define ACC float
#define COST 2000
#define READ(x) float_of_float16(x)
#define WRITE(x) float16_of_float(x)
#define SUMS_ONLY
#include "lines/scan.inc"
KERNEL(cumprod, 1, 2, -1, 2000, float16, FLOAT16, uint16_t, cumprod_columns_float32, &float16_conversion)
KERNEL(cumprod_grad, 3, 4, 2, 2000, float16, FLOAT16, uint16_t, cumprod_grad_columns_float32, &float16_conversion)
KERNEL(recur, 2, 3, -1, 2000, float16, FLOAT16, uint16_t, recur_columns_float32, &float16_conversion)

#define S uint16_t
#define SUFFIX bfloat16
#define CODE BFLOAT16
#define ACC float
#define COST 2000
#define READ(x) float_of_bfloat16(x)
#define WRITE(x) bfloat16_of_float(x)
#define CONVERTS
#include "lines/scan.inc"
KERNEL(recur, 2, 3, -1, 2000, bfloat16, BFLOAT16, uint16_t, recur_columns_float32, &bfloat16_conversion)

#define S double
#define SIZE 8
#define SUFFIX float64
#define CODE FLOAT64
#define ACC double
#define COST 1300
#define READ(x) (x)
#define WRITE(x) (S)(x)
#include "lines/scan.inc"

#define S _Complex double
#define SUFFIX complex128
#define CODE COMPLEX128
#define ACC _Complex double
#define COST 2500
#define READ(x) (x)
#define WRITE(x) (x)
#include "lines/scan.inc"

#define S _Complex float
#define SUFFIX complex64
#define CODE COMPLEX64
#define ACC _Complex double
#define COST 2500
#define READ(x) (x)
#define WRITE(x) (x)
#define SUMS_ONLY
#include "lines/scan.inc"
KERNEL(cumprod, 1, 2, -1, 2500, complex64, COMPLEX64, _Complex float, cumprod_columns_complex128, &complex64_conversion)
KERNEL(recur, 2, 3, -1, 2500, complex64, COMPLEX64, _Complex float, recur_columns_complex128, &complex64_conversion)
KERNEL(cumprod_grad, 3, 4, 2, 2500, complex64, COMPLEX64, _Complex float, cumprod_grad_columns_complex128,
       &complex64_conversion)

/* Contiguous lines that are not short are processed one by one. */
#define EXTREME_KERNEL(name, suffix, CODE, S, function, ...)                                                         \
    static int64_t PASTE(name, suffix)(const struct facula_lines *plan, char *const *at, int64_t count)             \
    {                                                                                                               \
        const int whole_lines = !plan->by_column && plan->n[0] >= SHORT && plan->step[0] == sizeof(S) &&            \
                                plan->step[1] == sizeof(S) && plan->step[2] == 8;                                   \
        return run_columns(plan, at, count, &(struct columns){function, 1, 3, -1, 2, whole_lines,                    \
                                                              {sizeof(S), sizeof(S), 8}, .conversion = __VA_ARGS__}); \
    }                                                                                                               \
    FACULA_KERNEL(#name "_lines", PASTE(name, suffix), 1500, CODE)
#define CONVERTED_EXTREMES(suffix, CODE, S, other)                                             \
    EXTREME_KERNEL(cummax, suffix, CODE, S, cummax_columns_##other, &suffix##_conversion)      \
    EXTREME_KERNEL(cummin, suffix, CODE, S, cummin_columns_##other, &suffix##_conversion)

#define S int32_t
#define SUFFIX int32
#define CODE INT32
#include "lines/extreme_scan.inc"
CONVERTED_EXTREMES(bool, BOOL, uint8_t, int32)
CONVERTED_EXTREMES(uint8, UINT8, uint8_t, int32)
CONVERTED_EXTREMES(int8, INT8, int8_t, int32)
CONVERTED_EXTREMES(int16, INT16, int16_t, int32)

#define S int64_t
#define SUFFIX int64
#define CODE INT64
#include "lines/extreme_scan.inc"

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#include "lines/extreme_scan.inc"
CONVERTED_EXTREMES(float16, FLOAT16, uint16_t, float32)
CONVERTED_EXTREMES(bfloat16, BFLOAT16, uint16_t, float32)

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#include "lines/extreme_scan.inc"

/* log(exp(a) + exp(b)). Equal numbers may be infinite. */
static ALWAYS_INLINE double log_add(double a, double b)
{
    const double high = a > b ? a : b, low = a > b ? b : a;
    return high + (high == low ? M_LN2 : log1p_exp_float64(low - high));
}

static void logcumsumexp_columns_float64(const struct facula_lines *plan, int64_t first, int64_t n, int64_t width,
                                         char *const *at, const int64_t *step, char *state)
{
    (void)plan;
    double *carried = (double *)state;
    for (int64_t i = 0; i < n; i++) {
        const double *a = (const double *)(at[0] + i * step[0]);
        double *o = (double *)(at[1] + i * step[1]);
        for (int64_t j = 0; j < width; j++) {
            const double s = first + i ? log_add(carried[j], a[j]) : a[j];
            carried[j] = s;
            o[j] = s;
        }
    }
}
KERNEL(logcumsumexp, 1, 2, -1, 20000, float64, FLOAT64, double, logcumsumexp_columns_float64, NULL)
KERNEL(logcumsumexp, 1, 2, -1, 20000, float32, FLOAT32, float, logcumsumexp_columns_float64, &float32_conversion)

static void logcumsumexp_columns_float32(const struct facula_lines *plan, int64_t first, int64_t n, int64_t width,
                                         char *const *at, const int64_t *step, char *state)
{
    const struct columns all = {logcumsumexp_columns_float64, 1, 2, -1, 2, 0, {sizeof(float), sizeof(float)},
                                .conversion = &float32_conversion};
    run_rows(&all, plan, first, n, width, step[0] / (int64_t)sizeof(float), at, step, state);
}
KERNEL(logcumsumexp, 1, 2, -1, 20000, float16, FLOAT16, uint16_t, logcumsumexp_columns_float32, &float16_conversion)
KERNEL(logcumsumexp, 1, 2, -1, 20000, bfloat16, BFLOAT16, uint16_t, logcumsumexp_columns_float32, &bfloat16_conversion)

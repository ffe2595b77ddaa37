/* Quotients of integers, which are refused before any write if a divisor is zero. */
#include "elementwise/elementwise.h"

#define ANY_ZERO(T)                                                                                                    \
    for (int64_t i = 0; i < n; i++)                                                                                    \
        zeros |= *(const T *)(address + i * step) == 0

/* Whether any of n integers is zero. */
static int any_zero(int dtype, int64_t n, int64_t address, int64_t step)
{
    int zeros = 0;
    if (!step && n > 1)
        n = 1;
    switch (dtype) {
    case INT16: ANY_ZERO(int16_t); break;
    case INT32: ANY_ZERO(int32_t); break;
    case INT64: ANY_ZERO(int64_t); break;
    default: ANY_ZERO(int8_t); break;
    }
    return zeros;
}

/* The same for the second operand, over the first n elements of dimensions 0 to `dim` of the nest. */
static int zero_in_nest(const struct facula_elementwise *plan, int64_t n, int64_t dim, int64_t address)
{
    const int64_t stride = 1 + plan->operands, step = plan->nest[dim * stride + 2];
    if (!dim)
        return any_zero(plan->dtype[1], n, address, step);
    int64_t inner = 1;
    for (int64_t d = 0; d < dim; d++)
        inner *= plan->nest[d * stride];
    for (int64_t i = 0; i < (step ? n / inner : 1); i++)
        if (zero_in_nest(plan, inner, dim - 1, address + i * step))
            return 1;
    return 0;
}

/* Divides integers, after searching the second operand for zeros, before any write. */
static int64_t elementwise_quotient(const void *plan_, int64_t *args)
{
    const struct facula_elementwise *plan = plan_;
    const int64_t n = args[0], divisor = args[plan->argument[1]];
    if (!n)
        return FACULA_OK;
    if (plan->scalar[1] ? !divisor
        : plan->dims    ? zero_in_nest(plan, n, plan->dims - 1, divisor)
                        : any_zero(plan->dtype[1], n, divisor, plan->nest[2]))
        return FACULA_DIVISOR;
    return elementwise_any(plan, args);
}

FACULA_KERNEL("elementwise_quotient", elementwise_quotient, 0, 0)

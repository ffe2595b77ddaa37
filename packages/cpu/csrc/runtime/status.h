/* Status codes of kernels. The numbers are those of facula_storage; details are in args[0..3]. */
#pragma once

enum {
    FACULA_OK = 0,
    FACULA_INDEX = 1,       /* an index is out of range: value, position, size of the dimension */
    FACULA_RANGE = 2,       /* an argument is out of range */
    FACULA_MEMORY = 3,      /* no memory for scratch space */
    FACULA_UNSUPPORTED = 4, /* the plan requires a feature that this kernel lacks */
    FACULA_TARGET = 5,      /* a class is out of range: value, position, number of classes, the ignored class */
    FACULA_DIVISOR = 6,     /* an integer would be divided by zero */
    FACULA_POSITION = 7,    /* an index that counts from 0 is out of range: value, position, size of the dimension */
    FACULA_REQUIRED = 8,    /* an element does not satisfy the operator's requirement */
};

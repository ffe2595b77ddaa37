/* The plan of attention and of its gradient. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

enum facula_attention_array {
    FACULA_Q,
    FACULA_K,
    FACULA_V,
    FACULA_MASK,
    FACULA_G,
    FACULA_OUT,
    FACULA_DQ,
    FACULA_DK,
    FACULA_DV,
    FACULA_ATTENTION_ARRAYS
};

/* Queries (length, width), keys (keys, width) and values (keys, value_width) of each batch. Steps are in elements,
   and columns of all arrays except the mask are adjacent. The logarithms of sums are in row-major order. See Note
   [Attention] in attention.inc. */
struct facula_attention {
    int64_t length, keys, width, value_width;
    int64_t rows[FACULA_ATTENTION_ARRAYS], mask_col; /* steps */
    int64_t batches;
    int32_t dims;                   /* length of nest */
    int32_t format, mask_format;    /* of elements in memory; see attention.inc */
    int32_t is_causal;
    int64_t query_block, key_block; /* size of a tile of scores */
    int64_t task_rows;              /* queries of a task, a multiple of query_block; for the gradient: all */
    int64_t tasks, slots, slot_bytes;

    int64_t nest[]; /* batch dimensions: extent, then steps of all arrays. Innermost first. */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_attention(T, K, S, A, E)
#define FACULA_NUMBERS_attention ((1.0 + FACULA_ATTENTION_ARRAYS) * plan->dims)

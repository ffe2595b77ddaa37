/* The plan of attention and of its gradient. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Queries (length, width), keys (keys, width) and values (keys, value_width) of each batch. Steps are in elements,
   and columns are adjacent. Results are in row-major order. See Note [Attention] in attention.inc. */
struct facula_attention {
    int64_t length, keys, width, value_width;
    int64_t q_row, k_row, v_row, mask_row, mask_col, g_row;
    int64_t batches;
    int32_t dims;                   /* length of nest */
    int32_t format, mask_format;    /* of elements in memory; see attention.inc */
    int32_t is_causal;
    int64_t query_block, key_block; /* size of a tile of scores */
    int64_t task_rows;              /* queries of a task, a multiple of query_block; for the gradient: all */
    int64_t tasks, slots, slot_bytes;

    int64_t nest[]; /* batch dimensions: extent, then steps of q, k, v, the mask and g. Innermost first. */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_attention(T, K, S, A, E)
#define FACULA_NUMBERS_attention (6.0 * plan->dims)

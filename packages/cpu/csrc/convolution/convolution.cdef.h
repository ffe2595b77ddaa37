/* The plan of a convolution and of its two derivatives. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Arrays in row-major order: volumes (volumes, groups * channels, depth, height, width), results (volumes, groups *
   filters, out_depth, out_height, out_width), weights (groups * filters, channels, kernel_depth, kernel_height,
   kernel_width). For images, depths are 1. See Note [Convolution] in convolution.inc. */
struct facula_convolution {
    int64_t images, groups;    /* images of results: volumes * out_depth */
    int64_t channels, filters; /* of one group; each plane under a filter is a channel: kernel_depth times as many */
    int64_t in_volumes; /* whether images belong to volumes, which the next line describes */
    int64_t depth, out_depth, kernel_depth, depth_stride, depth_dilation, front; /* front is padding */
    int64_t height, width, out_height, out_width;
    int64_t kernel_height, kernel_width, row_stride, column_stride, row_dilation, column_dilation;
    int64_t top, left;         /* padding */
    int64_t packed_rows, packed_columns; /* whether a band contains only the rows or columns that weights use */
    /* Strides and dilations in the band: those of the images, or (kernel, 1) if it is packed. */
    int64_t band_row_stride, band_column_stride, band_row_dilation, band_column_dilation;

    int64_t block_images, block_lines; /* a block: lines of each of these images */
    int64_t tasks;                     /* per group */
    int64_t part_rows;                 /* rows of kernels whose patches are in memory at once */
    int64_t slots;                     /* maximum number of concurrent tasks */
    int64_t band_bytes, patches_bytes, product_bytes, left_bytes, packed_bytes, slot_bytes; /* parts of a slot */

    /* Parts of a product; see products/matmul.cdef.h. */
    void (*pack)(int64_t k, int64_t n, const void *b, int64_t row, int64_t col, void *packed);
    void (*multiply_packed)(int64_t m, int64_t n, int64_t k, const void *a, int64_t a_step, const void *packed, void *o,
                            int64_t o_step, const void *bias, int accumulate);
};

enum { FACULA_CONVOLUTION_ROWS = 168 }; /* of a product at once: they fit in the L2 cache */

/* For files; see portable.h. */
#define FACULA_FIELDS_convolution(T, K, S, A, E) K(T, pack) K(T, multiply_packed)
#define FACULA_NUMBERS_convolution (0)

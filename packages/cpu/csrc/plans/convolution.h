/* The plan of a convolution and of its two derivatives. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* What is convolved: arrays in row-major order, images (images, groups * channels, height, width), results (images,
   groups * filters, out_height, out_width), weights (groups * filters, channels, kernel_height, kernel_width).
   See Note [Convolution] in convolution.inc. */
struct facula_convolution {
    int64_t images, groups;
    int64_t channels, filters; /* of one group */
    int64_t height, width, out_height, out_width;
    int64_t kernel_height, kernel_width, row_stride, column_stride, row_dilation, column_dilation;
    int64_t top, left;         /* padding */
    int64_t packed_rows, packed_columns; /* whether a block's band has those alone that weights meet */
    /* Strides and dilations in the band: the images', or (kernel, 1) where it is packed. */
    int64_t band_row_stride, band_column_stride, band_row_dilation, band_column_dilation;

    int64_t block_images, block_lines; /* a block: lines of each of so many images */
    int64_t tasks;                     /* for each group */
    int64_t task_blocks;               /* derivative in the weights: blocks whose sums a task makes */
    int64_t slots;                     /* how many tasks may run at once */
    int64_t band_bytes, patches_bytes, product_bytes, slot_bytes; /* a slot: band, patches, product, its workspace */

    /* The product of a full block and of the last, smaller one: a kernel and two plans of matmul.h. */
    int64_t (*multiply)(const void *plan, int64_t *args);
    const void *full_product, *last_product;
};

/* Constants of products of matrices; see Note [Gemm] in gemm.inc. */
#pragma once

enum formats { NATIVE, HALF, BRAIN, COMPLEX };
enum vectors { DOTS = 1, SCALED };
/* Up to MOST_DOTS columns are dot products with DOT_ROWS rows at a time. */
enum { MOST_DOTS = 8, DOT_ROWS = 4 };
/* M_BLOCK rows of a, K_BLOCK long, stay in the L2 cache while N_TILE columns of b pass. A b of NEAR_BYTES stays in the L1
   cache where it is. A tile that is converted has THROUGH_ROWS, and is transposed in lines of SQUARE_LINE numbers. */
enum { STACK_BYTES = 32768, K_BLOCK = 512, M_BLOCK = 84, NEAR_BYTES = 8192, THROUGH_ROWS = 256, SQUARE_LINE = 32 };
static const double SERIAL_WORK = 400000; /* multiply-adds that are not worth waking a thread for */

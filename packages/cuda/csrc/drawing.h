/* Random kernels of stream captures, for queue_kernel alone: see draws.h. */

#ifndef FACULA_CUDA_DRAWING_H
#define FACULA_CUDA_DRAWING_H

#include "draws.h"
#include "driver.h"

/* Whether this process has captured with generators. */
extern int may_draw;

/* Whether a parameter block has placeholders. */
int has_draws(const int64_t *block, size_t nbytes);
/* Queue a kernel with placeholders; the driver's code. */
int queue_draw(const struct kernel_node *kernel, int64_t stream, const int64_t *block, size_t nbytes);

#endif

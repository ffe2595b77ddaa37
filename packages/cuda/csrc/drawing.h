/* Random kernels of stream captures, for queue_kernel alone: see draws.h. */

#ifndef FACULA_CUDA_DRAWING_H
#define FACULA_CUDA_DRAWING_H

#include "draws.h"
#include "driver.h"

/* What captures collect, or NULL. */
extern struct facula_cuda_draws *drawing;

/* Whether a parameter block has placeholders. */
int has_draws(const int64_t *block, size_t nbytes);
/* Whether a stream is being captured; the driver's code if it is not, or the capture is invalid. */
int check_drawing_stream(int64_t stream);
/* Keep the random kernel that was queued last on a captured stream; the driver's code. */
int keep_draw(const struct kernel_node *node, int64_t stream, const int64_t *block, size_t nbytes);

#endif

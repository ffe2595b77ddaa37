/* Random kernels of stream captures.

   Note [Random kernels of captures]
   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
   During a capture, the seed of each generator is a placeholder, and its offset is another plus the count of numbers
   that the capture has drawn. So operators, captured functions and saved states need no changes: the placeholders reach
   the parameter blocks of kernels. queue_kernel finds them there, and keeps the block and the node of the kernel. Before
   each launch of the graph, the blocks get the generators' seeds and offsets of that time.

   Placeholders are numbers that no address, size or float64 of a program has. A launch that has them elsewhere than in
   the capture is refused: another thread draws, or a stream that is not captured. */

#ifndef FACULA_CUDA_DRAWS_H
#define FACULA_CUDA_DRAWS_H

#include <stdint.h>

enum { MAX_DRAWING = 4096 /* generators */, DRAW_BITS = 40 /* of the count of numbers of a capture */ };

struct facula_cuda_draw;

/* The random kernels of one capture. Python creates it with zeros. */
struct facula_cuda_draws {
    struct facula_cuda_draw *first;
    unsigned char used[4096]; /* whether kernels draw from a generator, by its number */
};

int64_t facula_cuda_seed_placeholder(int64_t generator);
int64_t facula_cuda_offset_placeholder(int64_t generator);
/* Collect the random kernels of captures from now on; NULL: no longer. 0 if another capture does so. */
int facula_cuda_collect_draws(struct facula_cuda_draws *draws);
/* Set the seeds and offsets in an executable graph. `states` has both for each generator. The driver's code. */
int facula_cuda_set_draws(const struct facula_cuda_draws *draws, int64_t executable, const int64_t *states);
void facula_cuda_drop_draws(struct facula_cuda_draws *draws);

#endif

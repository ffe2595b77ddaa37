/* Random kernels of stream captures.

   Note [Random kernels of captures]
   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
   During a capture, the seed of each generator is a placeholder, and its offset is another placeholder plus the count of
   numbers that the capture has drawn. So operators, saved states and backward passes need no changes: the placeholders
   reach the parameter blocks of kernels. queue_kernel finds them there, and keeps the block and the node of the kernel.
   Each replay reads the current seeds and offsets of the generators, and sets them in the nodes before the launch.

   Kernels outside the capture may also have placeholders: those of a backward pass, whether it is captured or not.
   They get the seed and the offset of the last replay. Before the first replay they are refused.

   Placeholders have the bits of signaling NaN, which no address, size or float64 of a program has. Integers of this
   size, from 9.219e18 to 9.222e18, cannot be scalars of kernels once there is a graph with random operators. */

#ifndef FACULA_CUDA_DRAWS_H
#define FACULA_CUDA_DRAWS_H

#include <stdint.h>

struct facula_cuda_draw;
/* The random kernels of one capture. Python creates it with NULL. */
struct facula_cuda_draws {
    struct facula_cuda_draw *first;
};

/* Return a number for a generator in a capture; -1 if all are in use. */
int64_t facula_cuda_new_draw(void);
void facula_cuda_release_draw(int64_t number);
int64_t facula_cuda_seed_placeholder(int64_t number);
int64_t facula_cuda_offset_placeholder(int64_t number);
/* Whether kernels have the placeholders of a number. */
int facula_cuda_is_drawn(int64_t number);
/* Store the values of a number's placeholders. */
void facula_cuda_store_draw(int64_t number, int64_t seed, int64_t offset);
/* Start to collect the random kernels of captures; NULL: stop. Returns 0 if another capture collects them. */
int facula_cuda_collect_draws(struct facula_cuda_draws *draws);
/* Replace a word that is a placeholder by its value; the driver's code. For operators on the host. */
int facula_cuda_replace_draw(int64_t *word);
/* Set the stored seeds and offsets in an executable graph. The driver's code. */
int facula_cuda_set_draws(const struct facula_cuda_draws *draws, int64_t executable);
void facula_cuda_drop_draws(struct facula_cuda_draws *draws);

#endif

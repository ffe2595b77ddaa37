/* The launches of a facula_storage Sequence as one CUDA graph.

   Note [Graphs of sequences]
   ~~~~~~~~~~~~~~~~~~~~~~~~~~
   A sequence's second run builds a graph: a chain with a node for each kernel. Kernels of launches become nodes because
   the thread's launches are diverted meanwhile: queue_kernel adds a node, or changes one, where it otherwise queues the
   kernel. So nodes have the parameters that launches would have, and the stream's scratch memory. There is no capture
   of a stream, which calls of other threads could make invalid.

   Later runs compare the arguments of all launches (addresses, seeds, optimizers' numbers) with those of the graph.
   Where they differ, the launch runs again, diverted, and changes the parameters of its nodes. That does not affect
   runs that are already queued. There are two executable graphs, since addresses of results often alternate: a result
   is released when the next one is there.

   A run that cannot be a graph returns 1 and queues nothing; then the sequence launches one by one, and raises the
   errors. That is so on streams other than the default stream, for launches with other functions than those of
   launch.c, for fewer than two kernels, and after the driver has refused. */

#ifndef FACULA_CUDA_GRAPH_H
#define FACULA_CUDA_GRAPH_H

#include <stdint.h>

/* The state of one sequence's graph. Python creates it with the device and the kernels alone, and gives it to facula_cuda_drop_graph at
   the end. */
struct facula_cuda_graph {
    int32_t device, runs, refused, latest; /* latest: the executable graph of the last run */
    int64_t kernels[8];  /* addresses of the functions of launch.c, as plans have them */
    int64_t graph, executable[2];
    int64_t *arguments[2], *nodes;
    int64_t *ends; /* of each step: the number of nodes up to it */
    int64_t count, room; /* of nodes */
    int64_t last[8]; /* functions of the last kernels, for errors */
};

/* Queue all launches of a sequence; see `Sequence.combine` in facula_storage. `words`: the number of steps, the address
   of (kernel, plan, first argument, number of arguments) for each, of the arguments, and of room for those of a step. */
int64_t facula_cuda_combined(const void *graph, int64_t *words);
void facula_cuda_drop_graph(struct facula_cuda_graph *graph);

#endif

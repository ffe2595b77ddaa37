/* The launches of a facula_storage Sequence as one CUDA graph.

   Note [Graphs of sequences]
   ~~~~~~~~~~~~~~~~~~~~~~~~~~
   A sequence's second run builds a graph: a chain with a node for each kernel. While it runs, the thread's launches are
   diverted: queue_kernel adds or changes a node instead of queueing the kernel. So nodes have the parameters that
   launches would have, and the stream's scratch memory. No stream is captured, since calls of other threads could make
   a capture invalid.

   Later runs compare the arguments of all launches (addresses, seeds, optimizers' numbers) with those of the graph.
   Where they differ, the launch runs again, diverted, and changes the parameters of its nodes. That does not affect
   runs that are already queued. There are two executable graphs, since addresses of results often alternate: a result
   is released after the next one has been allocated.

   A run that cannot be a graph returns 1 and queues no kernel; then the sequence launches one by one, and raises the
   errors. This applies to streams other than the default stream, launches with functions that are not in launch.c,
   fewer than two kernels, and all runs after the driver has refused one. */

#ifndef FACULA_CUDA_GRAPH_H
#define FACULA_CUDA_GRAPH_H

#include <stdint.h>

/* The state of one sequence's graph. Python sets only the device and the kernels, and calls facula_cuda_drop_graph at
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
   of (kernel, plan, first argument, number of arguments) for each, the address of the arguments, and the address of a
   buffer for those of one step. */
int64_t facula_cuda_combined(const void *graph, int64_t *words);
void facula_cuda_drop_graph(struct facula_cuda_graph *graph);

#endif

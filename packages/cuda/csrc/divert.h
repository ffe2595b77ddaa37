/* The place of kernels in a graph, where launches of this thread are diverted. For C alone. See Note [Graphs of
   sequences] in graph.h. */

#ifndef FACULA_CUDA_DIVERT_H
#define FACULA_CUDA_DIVERT_H

#include "driver.h"
#include "graph.h"

struct diversion {
    struct facula_cuda_graph *into;
    int64_t executable; /* whose nodes change; 0: add nodes to the graph */
    int64_t next, end;  /* nodes that change */
};

/* NULL where launches queue kernels. */
extern __thread struct diversion *diversion __attribute__((tls_model("initial-exec")));

/* Add or change a node; the driver's code. */
int divert_kernel(const struct kernel_node *node);

#endif

/* Graphs: captured work that is launched as a whole. A launch is one item of a stream; its nodes run one after another,
   in a random order that their dependencies allow. */

#include "simulated.h"

#include <stdlib.h>

enum { INSTANTIATE_FLAGS = 1 | 8 /* free memory at launch, priorities: both without effect here */ };

void graph_drop(struct graph *graph)
{
    if (--graph->references)
        return;
    for (int i = 0; i < graph->count; i++) {
        struct work *work = graph->nodes[i].work;
        struct module *module = work->kind == KERNEL ? work->function->module : NULL;
        work_free(work);
        if (module)
            module_drop(module);
        free(graph->nodes[i].before);
    }
    free(graph->nodes);
    free(graph);
}

void executable_drop(struct executable *executable)
{
    if (--executable->references)
        return;
    point_drop(executable->last);
    graph_drop(executable->graph);
    free(executable);
}

int simulated_cuGraphInstantiateWithFlags(int64_t *handle, int64_t graph_handle, unsigned long long flags)
{
    ENTER_DEVICE(cuGraphInstantiateWithFlags);
    struct graph *graph = simulated_object(GRAPH, graph_handle);
    if (!handle || !graph)
        return INVALID_VALUE;
    if (flags & ~(unsigned long long)INSTANTIATE_FLAGS)
        return NOT_SUPPORTED;
    struct executable *executable = calloc(1, sizeof *executable);
    if (!executable || !(*handle = simulated_handle(EXECUTABLE, executable))) {
        free(executable);
        return OUT_OF_MEMORY;
    }
    executable->references = 1;
    executable->graph = graph;
    graph->references++;
    return SUCCESS;
}

int simulated_cuGraphLaunch(int64_t handle, int64_t stream_handle)
{
    if (simulated_only_count(CALL_cuGraphLaunch))
        return SUCCESS;
    ENTER_DEVICE(cuGraphLaunch);
    struct executable *executable = simulated_object(EXECUTABLE, handle);
    struct stream *stream = stream_of(device, stream_handle);
    if (!executable)
        return INVALID_VALUE;
    if (!stream)
        return INVALID_HANDLE;
    struct work *work = work_new(GRAPH_LAUNCH, stream->device, 0);
    if (!work)
        return OUT_OF_MEMORY;
    work->executable = executable;
    executable->references++;
    if (stream->capture)
        return simulated_queue(stream, work); /* a node of another graph */
    struct point *point = point_new();
    if (!point) {
        work_free(work);
        return OUT_OF_MEMORY;
    }
    /* Launches of one executable graph run one after another, whatever their streams are. */
    point->references++;
    work->point = point;
    work->after = executable->last;
    executable->last = point;
    const int code = simulated_queue(stream, work);
    if (code)
        point->done = 1; /* it will not run, and the next launch does not wait for it */
    return code;
}

int simulated_cuGraphExecDestroy(int64_t handle)
{
    ENTER_DEVICE(cuGraphExecDestroy);
    struct executable *executable = simulated_object(EXECUTABLE, handle);
    if (!executable)
        return INVALID_VALUE;
    simulated_forget(handle);
    executable_drop(executable);
    return SUCCESS;
}

int simulated_cuGraphDestroy(int64_t handle)
{
    ENTER_DEVICE(cuGraphDestroy);
    struct graph *graph = simulated_object(GRAPH, handle);
    if (!graph)
        return INVALID_VALUE;
    simulated_forget(handle);
    graph_drop(graph);
    return SUCCESS;
}

/* Whether all that a node depends on has run. */
static int is_ready(const struct node *node, const char *done)
{
    for (int i = 0; i < node->count; i++)
        if (!done[node->before[i]])
            return 0;
    return 1;
}

void graph_run(struct work *work)
{
    const struct graph *graph = work->executable->graph;
    char *done = calloc((size_t)graph->count + 1, 1);
    if (!done) {
        work->device->sticky = OUT_OF_MEMORY;
        return;
    }
    for (int left = graph->count, i = 0; left; left--) {
        if (simulated_shuffles())
            i = (int)(simulated_random() % (uint64_t)graph->count);
        while (done[i] || !is_ready(&graph->nodes[i], done))
            i = (i + 1) % graph->count;
        done[i] = 1;
        work_run(graph->nodes[i].work);
    }
    free(done);
}

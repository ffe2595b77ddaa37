/* Graphs: captured work that is launched as a whole. A launch is one item of a stream; its nodes run one after another,
   in a random order that their dependencies allow. */

#include "simulated.h"

#include <stdlib.h>
#include <string.h>

enum { INSTANTIATE_FLAGS = 1 | 8 /* free memory at launch, priorities: both without effect here */ };

int graph_add(struct graph *graph, struct work *work, int *before, int count)
{
    if (graph->count == graph->room) {
        const int room = graph->room ? 2 * graph->room : 16;
        struct node *grown = realloc(graph->nodes, (size_t)room * sizeof *grown);
        if (!grown)
            return OUT_OF_MEMORY;
        graph->nodes = grown;
        graph->room = room;
    }
    graph->nodes[graph->count++] = (struct node){.work = work, .before = before, .count = count};
    if (work->kind == KERNEL)
        work->function->module->references++;
    return SUCCESS;
}

void graph_drop(struct graph *graph)
{
    if (--graph->references)
        return;
    for (int i = 0; i < graph->count; i++) {
        struct work *work = graph->nodes[i].work;
        struct module *module = work->kind == KERNEL ? work->function->module : NULL;
        if (graph->nodes[i].handle)
            simulated_forget(graph->nodes[i].handle);
        work_free(work);
        if (module)
            module_drop(module);
        free(graph->nodes[i].before);
    }
    free(graph->nodes);
    free(graph);
}

void graph_forget(struct graph *graph, int64_t handle)
{
    for (int i = 0; i < graph->count; i++)
        if (graph->nodes[i].handle) {
            simulated_forget(graph->nodes[i].handle);
            graph->nodes[i].handle = 0;
        }
    simulated_forget(handle);
    graph_drop(graph);
}

void executable_drop(struct executable *executable)
{
    point_drop(executable->last);
    graph_drop(executable->graph);
    free(executable);
}

/* A copy whose work may be changed without an effect on launches that are queued. */
static struct graph *graph_copy(const struct graph *graph)
{
    struct graph *copy = calloc(1, sizeof *copy);
    if (!copy)
        return NULL;
    copy->references = 1;
    copy->device = graph->device;
    for (int i = 0; i < graph->count; i++) {
        const struct node *node = &graph->nodes[i];
        const int has_bytes = node->work->kind == KERNEL || (node->work->kind == COPY && !node->work->source);
        const size_t nbytes = has_bytes ? node->work->nbytes : 0;
        struct work *work = work_new(node->work->kind, node->work->device, nbytes);
        int *before = malloc((size_t)(node->count + 1) * sizeof *before);
        if (work && before) {
            memcpy(work, node->work, sizeof *work + nbytes);
            memcpy(before, node->before, (size_t)node->count * sizeof *before);
            if (work->graph)
                work->graph->references++;
        }
        if (!work || !before || graph_add(copy, work, before, node->count)) {
            free(work);
            free(before);
            graph_drop(copy);
            return NULL;
        }
    }
    return copy;
}

int simulated_cuGraphCreate(int64_t *handle, unsigned flags)
{
    ENTER_DEVICE(cuGraphCreate);
    struct graph *graph = flags || !handle ? NULL : calloc(1, sizeof *graph);
    if (!graph)
        return flags || !handle ? INVALID_VALUE : OUT_OF_MEMORY;
    graph->references = 1;
    graph->device = device;
    if ((*handle = simulated_handle(GRAPH, graph)))
        return SUCCESS;
    free(graph);
    return OUT_OF_MEMORY;
}

/* The index of a node of a graph, or -1. */
static int node_index(const struct graph *graph, int64_t handle)
{
    for (int i = 0; i < graph->count; i++)
        if (graph->nodes[i].handle == handle)
            return i;
    return -1;
}

int simulated_cuGraphAddKernelNode_v2(int64_t *handle, int64_t graph_handle, const int64_t *before, size_t count,
                                      const struct kernel_node *parameters)
{
    ENTER_DEVICE(cuGraphAddKernelNode_v2);
    struct graph *graph = simulated_object(GRAPH, graph_handle);
    struct work *work;
    if (!handle || !graph || !parameters || (count && !before))
        return INVALID_VALUE;
    int *indices = malloc((count + 1) * sizeof *indices);
    int code = indices ? SUCCESS : OUT_OF_MEMORY;
    for (size_t i = 0; !code && i < count; i++)
        if ((indices[i] = node_index(graph, before[i])) < 0)
            code = INVALID_VALUE;
    if (!code)
        code = kernel_work(graph->device, parameters, &work);
    if (code) {
        free(indices);
        return code;
    }
    if (!(*handle = simulated_handle(NODE, graph)) || graph_add(graph, work, indices, (int)count)) {
        if (*handle)
            simulated_forget(*handle);
        work_free(work);
        free(indices);
        return OUT_OF_MEMORY;
    }
    graph->nodes[graph->count - 1].handle = *handle;
    return SUCCESS;
}

int simulated_cuGraphExecKernelNodeSetParams_v2(int64_t executable_handle, int64_t handle,
                                                const struct kernel_node *parameters)
{
    ENTER_DEVICE(cuGraphExecKernelNodeSetParams_v2);
    struct executable *executable = simulated_object(EXECUTABLE, executable_handle);
    const struct graph *graph = simulated_object(NODE, handle);
    struct work *work;
    const int index = executable && graph && parameters ? node_index(graph, handle) : -1;
    if (index < 0 || index >= executable->graph->count)
        return INVALID_VALUE;
    TRY(kernel_work(graph->device, parameters, &work));
    struct graph *own = executable->graph->references > 1 ? graph_copy(executable->graph) : executable->graph;
    if (!own) {
        work_free(work);
        return OUT_OF_MEMORY;
    }
    if (own != executable->graph)
        graph_drop(executable->graph);
    executable->graph = own;
    work->function->module->references++;
    struct module *before = own->nodes[index].work->function->module;
    work_free(own->nodes[index].work);
    module_drop(before);
    own->nodes[index].work = work;
    return SUCCESS;
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
    work->graph = executable->graph;
    work->graph->references++;
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
    graph_forget(graph, handle);
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
    const struct graph *graph = work->graph;
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

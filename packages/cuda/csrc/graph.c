/* Graphs of sequences; see graph.h. */

#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "divert.h"
#include "queue.h"

enum { NOT_COMBINED = 1, LEAST_KERNELS = 2 };

#define LENGTH(array) ((int64_t)(sizeof(array) / sizeof *(array)))

/* The layout of facula_storage's steps. */
struct step {
    int64_t (*kernel)(const void *plan, int64_t *arguments);
    const void *plan;
    int64_t first, count;
};

struct run {
    const struct step *steps;
    int64_t count, *arguments, *scratch;
    size_t nbytes; /* of all arguments */
};

__thread struct diversion *diversion __attribute__((tls_model("initial-exec")));

int divert_kernel(const struct kernel_node *node)
{
    struct facula_cuda_graph *graph = diversion->into;
    if (diversion->executable) {
        if (diversion->next >= diversion->end)
            return DRIVER_INVALID_VALUE; /* more kernels than before */
        return driver.cuGraphExecKernelNodeSetParams_v2(diversion->executable, graph->nodes[diversion->next++], node);
    }
    if (graph->count == graph->room) {
        const int64_t room = graph->room ? 2 * graph->room : 64;
        int64_t *grown = realloc(graph->nodes, (size_t)room * sizeof *grown);
        if (!grown)
            return DRIVER_OUT_OF_MEMORY;
        graph->nodes = grown;
        graph->room = room;
    }
    int64_t *made = graph->nodes + graph->count;
    graph->last[graph->count % LENGTH(graph->last)] = node->function;
    const int code = driver.cuGraphAddKernelNode_v2(made, graph->graph, made - 1, graph->count > 0, node);
    graph->count += !code;
    return code;
}

/* Run the launch of a step, diverted. Returns whether it succeeded; a change also needs as many kernels as before. */
static int divert_step(const struct run *run, int64_t i, struct diversion *into)
{
    const struct step *step = &run->steps[i];
    memcpy(run->scratch, run->arguments + step->first, 8 * (size_t)step->count);
    diversion = into;
    const int64_t status = step->kernel(step->plan, run->scratch);
    diversion = NULL;
    return !status && into->next == into->end;
}

/* Whether the launch of a step queues kernels only by queue_kernel. */
static int is_known(const struct facula_cuda_graph *self, const struct step *step)
{
    for (int i = 0; i < LENGTH(self->kernels); i++)
        if (self->kernels[i] == (int64_t)(intptr_t)step->kernel)
            return 1;
    return 0;
}

static int build(struct facula_cuda_graph *self, const struct run *run)
{
    struct diversion adding = {.into = self};
    for (int64_t i = 0; i < run->count; i++)
        if (!is_known(self, &run->steps[i]))
            return 0;
    if (!(self->ends = calloc((size_t)run->count + 1, sizeof *self->ends)) ||
        driver.cuGraphCreate(&self->graph, 0))
        return 0;
    for (int64_t i = 0; i < run->count; i++) {
        if (!divert_step(run, i, &adding))
            return 0;
        self->ends[i + 1] = self->count;
    }
    return self->count >= LEAST_KERNELS;
}

/* Make an executable graph with these arguments, those of the build or of the other one. */
static int instantiate(struct facula_cuda_graph *self, int which, const int64_t *arguments, size_t nbytes)
{
    if (!(self->arguments[which] = malloc(nbytes)) ||
        driver.cuGraphInstantiateWithFlags(&self->executable[which], self->graph, 0))
        return 0;
    memcpy(self->arguments[which], arguments, nbytes);
    return 1;
}

static int change(struct facula_cuda_graph *self, int which, const struct run *run, int whole)
{
    int64_t *known = self->arguments[which];
    for (int64_t i = 0; i < run->count; i++) {
        const struct step *step = &run->steps[i];
        const size_t nbytes = 8 * (size_t)step->count;
        if (!whole && !memcmp(known + step->first, run->arguments + step->first, nbytes))
            continue;
        struct diversion changing = {self, self->executable[which], self->ends[i], self->ends[i + 1]};
        if (!divert_step(run, i, &changing))
            return 0;
        memcpy(known + step->first, run->arguments + step->first, nbytes);
    }
    return 1;
}

/* Update an executable graph to the arguments, and mark it as the latest. */
static int prepare(struct facula_cuda_graph *self, const struct run *run)
{
    if (!self->graph) {
        self->latest = 0;
        return build(self, run) && instantiate(self, 0, run->arguments, run->nbytes);
    }
    for (int which = 0; which < 2; which++)
        if (self->executable[which] && !memcmp(self->arguments[which], run->arguments, run->nbytes)) {
            self->latest = which;
            return 1;
        }
    const int which = self->latest = !self->latest;
    if (self->executable[which])
        return change(self, which, run, 0);
    return instantiate(self, which, run->arguments, run->nbytes) && change(self, which, run, 1);
}

int64_t facula_cuda_combined(const void *graph, int64_t *words)
{
    struct facula_cuda_graph *self = (struct facula_cuda_graph *)graph; /* a sequence runs once at a time */
    struct run run = {(const struct step *)(intptr_t)words[1], words[0], (int64_t *)(intptr_t)words[2],
                      (int64_t *)(intptr_t)words[3], 0};
    if (self->refused || run.count < 1 || facula_cuda_stream_of(self->device) || facula_cuda_lost(self->device) ||
        facula_cuda_bind(self->device))
        return NOT_COMBINED;
    if (!self->runs++)
        return NOT_COMBINED; /* many sequences run only once */
    run.nbytes = 8 * (size_t)(run.steps[run.count - 1].first + run.steps[run.count - 1].count);
    if (!prepare(self, &run) || driver.cuGraphLaunch(self->executable[self->latest], 0)) {
        facula_cuda_drop_graph(self);
        self->refused = 1;
        return NOT_COMBINED;
    }
    for (int64_t age = self->count < LENGTH(self->last) ? self->count : LENGTH(self->last); age; age--)
        note_kernel(self->last[(self->count - age) % LENGTH(self->last)]);
    mark_queue(queue_of(self->device, 0));
    return 0;
}

void facula_cuda_drop_graph(struct facula_cuda_graph *self)
{
    if (!facula_cuda_bind(self->device)) {
        for (int which = 0; which < 2; which++)
            if (self->executable[which])
                driver.cuGraphExecDestroy(self->executable[which]); /* after the runs that are queued */
        if (self->graph)
            driver.cuGraphDestroy(self->graph);
    }
    for (int which = 0; which < 2; which++) {
        self->executable[which] = 0;
        free(self->arguments[which]);
        self->arguments[which] = NULL;
    }
    free(self->nodes);
    free(self->ends);
    self->nodes = self->ends = NULL;
    self->graph = self->count = self->room = 0;
}

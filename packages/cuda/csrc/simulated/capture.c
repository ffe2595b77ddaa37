/* Capture: work queued on a captured stream becomes a node of a graph. Waiting for an event that was recorded in the
   capture adds another stream to it. */

#include "simulated.h"

#include <stdlib.h>
#include <string.h>

enum { GLOBAL_MODE, THREAD_MODE, RELAXED_MODE };
enum { NOT_CAPTURING, CAPTURING, INVALID_CAPTURE };

static struct capture *captures;
static uint64_t last_number;
static THREAD_LOCAL int thread_mode; /* its address also identifies the thread */

static uint64_t this_thread(void)
{
    return (uint64_t)&thread_mode;
}

static int invalidate(struct capture *capture, int code)
{
    capture->invalid = 1;
    return code;
}

/* ----------------------------------------------------------------------------------------------------------- rules */
int capture_forbids_unsafe(void)
{
    if (thread_mode == RELAXED_MODE)
        return SUCCESS;
    for (struct capture *capture = captures; capture; capture = capture->next)
        if (capture->thread == this_thread() ? capture->mode != RELAXED_MODE
                                             : capture->mode == GLOBAL_MODE && thread_mode == GLOBAL_MODE)
            return invalidate(capture, CAPTURE_UNSUPPORTED);
    return SUCCESS;
}

int capture_forbids_wait(struct device *device)
{
    for (struct stream *stream = simulated_streams; stream; stream = stream->next)
        if (stream->device == device && stream->capture)
            return invalidate(stream->capture, CAPTURE_UNSUPPORTED);
    return SUCCESS;
}

int capture_runs(void)
{
    return captures != NULL;
}

/* The capture of a stream that the default stream waits for; NULL if `stream` is not the default stream. */
static struct capture *implicit_capture(const struct stream *stream)
{
    if (stream != stream->device->default_stream)
        return NULL;
    for (const struct stream *other = simulated_streams; other; other = other->next)
        if (other->device == stream->device && other->blocking && other->capture)
            return other->capture;
    return NULL;
}

int capture_forbids_default(struct stream *stream)
{
    struct capture *capture = implicit_capture(stream);
    return capture ? invalidate(capture, CAPTURE_IMPLICIT) : SUCCESS;
}

int capture_forbids_stream(struct stream *stream)
{
    if (!stream->capture)
        return capture_forbids_default(stream);
    return stream->capture->invalid ? CAPTURE_INVALIDATED : invalidate(stream->capture, CAPTURE_UNSUPPORTED);
}

/* ----------------------------------------------------------------------------------------------------------- nodes */
void nodes_free(struct nodes *nodes)
{
    free(nodes->index);
    *nodes = (struct nodes){NULL, 0};
}

/* Add nodes that are not yet there. */
static int nodes_join(struct nodes *nodes, const struct nodes *more)
{
    if (!more->count)
        return SUCCESS;
    int *grown = realloc(nodes->index, (size_t)(nodes->count + more->count) * sizeof *grown);
    if (!grown)
        return OUT_OF_MEMORY;
    nodes->index = grown;
    for (int i = 0; i < more->count; i++) {
        int known = 0;
        for (int j = 0; j < nodes->count; j++)
            known |= nodes->index[j] == more->index[i];
        if (!known)
            nodes->index[nodes->count++] = more->index[i];
    }
    return SUCCESS;
}

static int add_node(struct stream *stream, struct work *work)
{
    struct graph *graph = stream->capture->graph;
    int *only = malloc(sizeof *only);
    if (!only || graph_add(graph, work, stream->captured.index, stream->captured.count)) {
        free(only);
        return OUT_OF_MEMORY;
    }
    *only = graph->count - 1;
    stream->captured = (struct nodes){only, 1};
    return SUCCESS;
}

int capture_add(struct stream *stream, struct work *work)
{
    const int code = stream->capture->invalid ? CAPTURE_INVALIDATED : add_node(stream, work);
    if (code)
        work_free(work);
    return code;
}

int capture_record(struct stream *stream, struct event *event)
{
    struct nodes nodes = {NULL, 0};
    if (stream->capture->invalid)
        return CAPTURE_INVALIDATED;
    TRY(nodes_join(&nodes, &stream->captured));
    nodes_free(&event->captured);
    point_drop(event->latest);
    event->latest = NULL;
    event->captured = nodes;
    event->capture = stream->capture->number;
    return SUCCESS;
}

int capture_wait(struct stream *stream, struct event *event)
{
    struct capture *capture = captures;
    if (!event->capture) {
        if (stream->capture->invalid)
            return CAPTURE_INVALIDATED;
        return event->latest ? invalidate(stream->capture, CAPTURE_ISOLATION) : SUCCESS;
    }
    while (capture && capture->number != event->capture)
        capture = capture->next;
    if (!capture)
        return CAPTURED_EVENT; /* the capture has ended */
    if (capture->invalid || (stream->capture && stream->capture->invalid))
        return CAPTURE_INVALIDATED;
    if (stream == stream->device->default_stream)
        return invalidate(capture, CAPTURE_IMPLICIT);
    if (stream->capture && stream->capture != capture) {
        capture->invalid = 1;
        return invalidate(stream->capture, CAPTURE_MERGE);
    }
    TRY(nodes_join(&stream->captured, &event->captured));
    stream->capture = capture;
    return SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------------ calls */
int simulated_cuThreadExchangeStreamCaptureMode(int *mode)
{
    ENTER(cuThreadExchangeStreamCaptureMode);
    if (!mode || *mode < GLOBAL_MODE || *mode > RELAXED_MODE)
        return INVALID_VALUE;
    const int before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return SUCCESS;
}

/* Find out whether a stream is being captured. Returns a code. */
static int capture_status(const struct stream *stream, int *status)
{
    if (!stream)
        return INVALID_HANDLE;
    if (!status)
        return INVALID_VALUE;
    if (implicit_capture(stream))
        return CAPTURE_IMPLICIT;
    *status = !stream->capture ? NOT_CAPTURING : stream->capture->invalid ? INVALID_CAPTURE : CAPTURING;
    return SUCCESS;
}

int simulated_cuStreamIsCapturing(int64_t handle, int *status)
{
    ENTER_DEVICE(cuStreamIsCapturing);
    return capture_status(stream_of(device, handle), status);
}

int simulated_cuStreamGetCaptureInfo_v2(int64_t handle, int *status, uint64_t *number, int64_t *graph,
                                        const int64_t **last, size_t *count)
{
    ENTER_DEVICE(cuStreamGetCaptureInfo_v2);
    const struct stream *stream = stream_of(device, handle);
    TRY(capture_status(stream, status));
    if (*status != CAPTURING)
        return SUCCESS;
    struct capture *capture = stream->capture;
    int64_t *grown = realloc(capture->last, (size_t)(stream->captured.count + 1) * sizeof *grown);
    if (!grown)
        return OUT_OF_MEMORY;
    capture->last = grown;
    for (int i = 0; i < stream->captured.count; i++) {
        struct node *node = &capture->graph->nodes[stream->captured.index[i]];
        if (!node->handle && !(node->handle = simulated_handle(NODE, capture->graph)))
            return OUT_OF_MEMORY;
        grown[i] = node->handle;
    }
    if (number)
        *number = capture->number;
    if (graph)
        *graph = 0; /* no handle before the end */
    if (last)
        *last = grown;
    if (count)
        *count = (size_t)stream->captured.count;
    return SUCCESS;
}

int simulated_cuStreamBeginCapture_v2(int64_t handle, int mode)
{
    ENTER_DEVICE(cuStreamBeginCapture_v2);
    struct stream *stream = stream_of(device, handle);
    if (!stream)
        return INVALID_HANDLE;
    if (mode < GLOBAL_MODE || mode > RELAXED_MODE)
        return INVALID_VALUE;
    if (stream == stream->device->default_stream)
        return CAPTURE_UNSUPPORTED;
    if (stream->capture)
        return ILLEGAL_STATE;
    struct capture *capture = calloc(1, sizeof *capture);
    struct graph *graph = calloc(1, sizeof *graph);
    if (!capture || !graph) {
        free(capture);
        free(graph);
        return OUT_OF_MEMORY;
    }
    graph->references = 1;
    graph->device = stream->device;
    *capture = (struct capture){++last_number, mode, 0, this_thread(), stream, graph, captures, NULL};
    captures = capture;
    stream->capture = capture;
    return SUCCESS;
}

/* Whether the origin's last nodes come after all others: all streams of the capture were joined. */
static int is_joined(const struct capture *capture)
{
    const struct graph *graph = capture->graph;
    const struct nodes *last = &capture->origin->captured;
    char *followed = calloc((size_t)graph->count + 1, 1);
    int joined = followed != NULL;
    for (int i = 0; joined && i < graph->count; i++)
        for (int j = 0; j < graph->nodes[i].count; j++)
            followed[graph->nodes[i].before[j]] = 1;
    for (int j = 0; joined && j < last->count; j++)
        followed[last->index[j]] = 1;
    for (int i = 0; joined && i < graph->count; i++)
        joined = followed[i];
    free(followed);
    return joined;
}

/* Remove a capture, and return its graph. */
static struct graph *end(struct capture *capture)
{
    struct graph *graph = capture->graph;
    struct capture **place = &captures;
    for (struct stream *stream = simulated_streams; stream; stream = stream->next)
        if (stream->capture == capture) {
            stream->capture = NULL;
            nodes_free(&stream->captured);
        }
    while (*place != capture)
        place = &(*place)->next;
    *place = capture->next;
    free(capture->last);
    free(capture);
    return graph;
}

int simulated_cuStreamEndCapture(int64_t handle, int64_t *graph_handle)
{
    ENTER_DEVICE(cuStreamEndCapture);
    struct stream *stream = stream_of(device, handle);
    if (!stream)
        return INVALID_HANDLE;
    if (!graph_handle)
        return INVALID_VALUE;
    *graph_handle = 0;
    struct capture *capture = stream->capture;
    if (!capture)
        return ILLEGAL_STATE;
    if (capture->origin != stream)
        return invalidate(capture, CAPTURE_UNMATCHED);
    if (capture->mode != RELAXED_MODE && capture->thread != this_thread())
        return invalidate(capture, CAPTURE_WRONG_THREAD);
    int code = capture->invalid ? CAPTURE_INVALIDATED : is_joined(capture) ? SUCCESS : CAPTURE_UNJOINED;
    struct graph *graph = end(capture);
    if (!code && !(*graph_handle = simulated_handle(GRAPH, graph)))
        code = OUT_OF_MEMORY;
    if (code)
        graph_drop(graph);
    return code;
}

void capture_forget(struct stream *stream)
{
    struct capture *capture = stream->capture;
    if (!capture)
        return;
    if (capture->origin == stream)
        graph_drop(end(capture));
    else
        capture->invalid = 1;
    stream->capture = NULL;
}

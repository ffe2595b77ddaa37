/* The simulated driver: CUDA's driver functions on the CPU. This file uses no Python objects.

   Note [Simulated memory]
   A device address is an address that the host cannot use: a range of PROT_NONE pages. Kernels and copies use the same
   memory at another address, `to_host(address)`, where it is readable. Words of a kernel's parameter block that are
   device addresses are translated; addresses that a kernel loads from memory are not. Each device has AREA addresses for
   cuMemAlloc; reserved ranges (cuMemAddressReserve) come from a separate area.

   Note [Simulated time]
   Work is queued and runs only when the host waits, in the waiting thread. Each stream is a queue; an item at its head is
   ready unless an event or the order of the default stream holds it back. Ready items of different streams run in random
   order. When the host waits for something, other streams may advance far, a little, or not at all.

   One lock serialises all calls, kernels included. Objects that queued work needs count their references, because
   destroying a stream, an event or a graph does not wait. */

#ifndef FACULA_CUDA_SIMULATED_H
#define FACULA_CUDA_SIMULATED_H

#include "../driver.h"
#include "control.h"

enum { SIMULATED_DEVICES = 8, MAX_THREADS = 1024, MAX_SHARED = 48 << 10, MAX_PARAMETERS = 4096, MAX_QUEUED = 1024 };
#define PAGE ((size_t)4096)
#define LARGE_PAGE ((size_t)2 << 20)
#define AREA ((uint64_t)1 << 38)
#define FIRST_ADDRESS ((uint64_t)0x7c0000000000) /* reserved ranges; the devices' areas follow */

/* Usable in a signal handler, too: the first use in a thread must not allocate memory. */
#define THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))

/* CUresult. control.c has their names. */
enum {
    SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, NO_DEVICE = 100, INVALID_DEVICE = 101,
    INVALID_IMAGE = 200, INVALID_CONTEXT = 201, PEER_UNSUPPORTED = 217, ILLEGAL_STATE = 401, INVALID_HANDLE = 400,
    NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700, PEER_ENABLED = 704, CONTEXT_DESTROYED = 709,
    MISALIGNED_ADDRESS = 716, LAUNCH_FAILED = 719,
    NOT_SUPPORTED = 801, CAPTURE_UNSUPPORTED = 900, CAPTURE_INVALIDATED = 901, CAPTURE_MERGE = 902,
    CAPTURE_UNMATCHED = 903, CAPTURE_UNJOINED = 904, CAPTURE_ISOLATION = 905, CAPTURE_IMPLICIT = 906,
    CAPTURED_EVENT = 907, CAPTURE_WRONG_THREAD = 908
};

/* ---------------------------------------------------------------------------------------------------------- objects */
enum kind { FREE_SLOT, CONTEXT, STREAM, EVENT, MODULE, FUNCTION, GRAPH, NODE, EXECUTABLE, PAGES };

/* A time in a stream: an event's record, or the end of a launched graph. */
struct point {
    int references, done;
    double seconds;
};

struct module {
    int references; /* the handle, and graphs with its kernels */
    struct device *device;
    void *library;
    int file; /* of an image in memory; -1 for a path */
    const char *(*failure)(void); /* the error of its last kernel */
};

struct function {
    struct module *module;
    void (*run)(const void *block, unsigned blocks, unsigned threads);
    int64_t handle;
    struct function *next; /* of all functions: they are freed with their modules */
};

enum work_kind { KERNEL, COPY, FILL, POISON, RECORD, WAIT, GRAPH_LAUNCH }; /* POISON: a FILL that is not counted */
struct work {
    struct work *next;
    uint64_t sequence; /* the order of queueing, over all streams */
    enum work_kind kind;
    struct device *device;
    struct point *point; /* set by RECORD and GRAPH_LAUNCH, awaited by WAIT */
    struct point *after; /* what a launch of a graph also waits for: the graph's previous launch */
    struct function *function;
    struct graph *graph; /* of a launch */
    unsigned blocks, threads;
    uint64_t target, source; /* of a copy; the source 0 is `bytes` */
    int value;
    size_t nbytes;
    _Alignas(16) char bytes[]; /* a kernel's parameter block, or the source of a copy */
};

struct node { /* of a graph */
    int64_t handle; /* 0 until a caller needs it; its object is the graph */
    struct work *work;
    int *before, count; /* indices of the nodes that run first */
};
struct graph {
    int references;
    struct device *device;
    struct node *nodes;
    int count, room;
};
struct executable {
    struct graph *graph; /* shared with queued launches: a change is made in a copy */
    struct point *last; /* the end of its latest launch */
};

struct nodes { /* the nodes that a captured stream's next node depends on */
    int *index, count;
};
struct capture {
    uint64_t number;
    int mode, invalid;
    uint64_t thread;
    struct stream *origin;
    struct graph *graph;
    struct capture *next;
    int64_t *last; /* handles of nodes, for cuStreamGetCaptureInfo */
};

struct stream {
    struct stream *next; /* of all streams */
    struct device *device;
    int64_t handle; /* 0 once destroyed; its work still runs */
    int blocking, priority, weight;
    struct work *first, **last;
    int64_t queued, staged; /* items, and bytes of copies' sources in them */
    struct capture *capture;
    struct nodes captured;
};

struct event {
    struct device *device;
    unsigned flags;
    struct point *latest; /* NULL: never recorded */
    uint64_t capture;     /* the number of the capture that recorded it last; 0 for none */
    struct nodes captured;
};

struct device {
    int index, physical;
    int retained, sticky; /* the code that all later calls return */
    int64_t context;
    unsigned peers; /* bit i: may use the memory of device i */
    uint64_t used;
    struct stream *default_stream;
};

extern struct device simulated_devices[SIMULATED_DEVICES];
extern int simulated_count, simulated_visible; /* devices, and those of them in CUDA_VISIBLE_DEVICES */
extern int simulated_blocks; /* CUDA_LAUNCH_BLOCKING: launches wait for their kernels */
extern struct stream *simulated_streams;
extern uint64_t simulated_memory; /* bytes of each device */

#define DECLARE(name, parameters) int simulated_##name parameters;
DRIVER_FUNCTIONS(DECLARE)
#undef DECLARE

/* ------------------------------------------------------------------------------------------------------- entering */
enum call {
#define CALL(name, parameters) CALL_##name,
    DRIVER_FUNCTIONS(CALL)
#undef CALL
    CALLS
};

/* Count a call and take the lock. Returns a code, and then the lock is not taken. */
int simulated_enter(enum call call);
void simulated_leave(int *entered);
void simulated_lock(void); /* for the controls, which are not driver functions */
void simulated_unlock(void);
void simulated_initialize(int on);
int simulated_is_initialized(void);
void simulated_in_child(void); /* of a fork */
/* Whether launches only count; counts this one. */
int simulated_only_count(enum call call);
/* The current device, or NULL and the code: no context, a destroyed one, or the device's earlier error. */
struct device *simulated_device(int *code);

/* At the start of each function; the lock is released at its end. */
#define ENTER(name) \
    int entered __attribute__((cleanup(simulated_leave))) = simulated_enter(CALL_##name); \
    if (entered) \
    return entered
/* The same, and let `device` be the current one. */
#define ENTER_DEVICE(name) \
    ENTER(name); \
    int refused = 0; \
    struct device *const device = simulated_device(&refused); \
    if (!device) \
    return refused
#define TRY(expression) \
    do { \
        const int code_ = (expression); \
        if (code_) \
            return code_; \
    } while (0)

/* Handles: a number that is never used again, so that a destroyed object's handle is found invalid. 0: no memory. */
int64_t simulated_handle(enum kind kind, void *object);
void *simulated_object(enum kind kind, int64_t handle);
void simulated_forget(int64_t handle);
/* The object of the first handle of a device's objects other than contexts, or NULL; its kind and handle. */
void *simulated_any_object(const struct device *device, enum kind *kind, int64_t *handle);
/* Destroy a device's context: its memory, streams, events, modules and graphs. */
void simulated_close(struct device *device);

/* --------------------------------------------------------------------------------------------------------- memory */
/* Where kernels and copies find the memory at a device address; other addresses are the same for both. */
char *to_host(uint64_t address);
int is_device_address(uint64_t address);
/* Whether a host address is where device memory really is: what a kernel that leaves its memory touches. */
int is_alias(uint64_t address);
int simulated_open_memory(void);
/* Whether all bytes are memory that `device` may use; NULL: any device. */
int is_usable(const struct device *device, uint64_t address, size_t nbytes);
/* Whether these bytes are pinned or managed, so that a copy reads or writes them when it runs. */
int is_pinned(const void *address, size_t nbytes);
void simulated_free(uint64_t address);               /* a region's memory */
void simulated_free_all(struct device *device);      /* all regions of a device */
void simulated_free_pages(void);                     /* all ranges, mappings and pages */

enum region_kind { DEVICE_MEMORY, MANAGED_MEMORY, PINNED_MEMORY, MAPPED_PAGES };
struct region {
    uint64_t start, nbytes; /* whole pages are mapped */
    enum region_kind kind;
    int device;
    unsigned access; /* of mapped pages: bit i for device i */
    struct pages *pages;
};
struct region *region_at(uint64_t address); /* the region that contains the address, or NULL */
int region_add(struct region region);
void region_remove(uint64_t start);
int simulated_map(uint64_t address, uint64_t nbytes);    /* 0xff in every byte: programs must not rely on new memory */
void simulated_unmap(uint64_t address, uint64_t nbytes); /* unusable again */

/* Free addresses, as sorted ranges. */
struct gaps {
    struct gap { uint64_t start, end; } *gaps;
    size_t count, room;
};
uint64_t gaps_take(struct gaps *gaps, uint64_t nbytes, uint64_t alignment); /* 0 if none is large enough */
int gaps_give(struct gaps *gaps, uint64_t start, uint64_t end);

/* ---------------------------------------------------------------------------------------------------------- queues */
struct work *work_new(enum work_kind kind, struct device *device, size_t bytes); /* NULL: no memory */
void work_free(struct work *work);
struct point *point_new(void);
void point_drop(struct point *point);
struct stream *stream_new(struct device *device, int blocking);
/* The stream of a handle; 0 and 1 are the current device's default stream. NULL if there is none. */
struct stream *stream_of(struct device *device, int64_t handle);
/* Queue work, or add it to the graph that is captured on the stream. Frees the work if it fails. */
int simulated_queue(struct stream *stream, struct work *work);
/* Run work until a condition holds. */
void run_stream(struct stream *stream);
void run_device(struct device *device);
void run_everything(void);
void run_point(struct point *point);
/* A query found unfinished work: after many in a row, advance, so that a loop of queries ends. */
void simulated_polled(void);
void stream_destroy(struct stream *stream); /* it is freed with its last work */
void simulated_seed(uint64_t seed, int shuffled);
uint64_t simulated_random(void);
int simulated_shuffles(void);

/* Run one item, now. */
void work_run(struct work *work);
void kernel_run(struct work *work);
/* The work of a launch with these parameters, in `made`; a code of CUDA. */
int kernel_work(struct device *device, const struct kernel_node *parameters, struct work **made);
void simulated_forget_failure(void);
void graph_run(struct work *work);
int graph_add(struct graph *graph, struct work *work, int *before, int count); /* takes both if it succeeds */
void graph_forget(struct graph *graph, int64_t handle); /* destroy it */
void executable_drop(struct executable *executable);
void graph_drop(struct graph *graph);
void event_destroy(struct event *event);
void module_drop(struct module *module);
void module_forget(struct module *module, int64_t handle); /* unload it */
double simulated_seconds(void);

/* --------------------------------------------------------------------------------------------------------- capture */
/* Codes of CUDA for a call that is not allowed now, which may also end the capture; 0 if it is allowed. */
int capture_forbids_unsafe(void);                /* the thread's capture mode forbids the call */
int capture_forbids_wait(struct device *device); /* a stream of the device is captured */
int capture_forbids_stream(struct stream *stream);
int capture_forbids_default(struct stream *stream); /* the default stream, while a stream that it waits for is captured */
int capture_runs(void); /* whether anything is captured */
int capture_add(struct stream *stream, struct work *work);
int capture_record(struct stream *stream, struct event *event);
int capture_wait(struct stream *stream, struct event *event);
void capture_forget(struct stream *stream); /* the stream is destroyed */
void nodes_free(struct nodes *nodes);

#endif

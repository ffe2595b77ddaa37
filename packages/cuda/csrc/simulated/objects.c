/* Handles, and entering calls: counts, the lock, injected failures, and refusals after a fork. */

#include "simulated.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct slot {
    enum kind kind;
    uint32_t generation; /* how often the slot was used */
    void *object;
};

static struct slot *slots;
static uint32_t slot_count, slot_room, first_free; /* the object of a free slot is the index of the next one */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int initialized, forked, count_only;
static uint64_t calls[CALLS];
static struct { int code, times; } failures[CALLS];

static const char *const names[CALLS] = {
#define NAME(name, parameters) [CALL_##name] = #name,
    DRIVER_FUNCTIONS(NAME)
};

/* Handles are (generation, 1 + index, 4 zero bits): never 0, 1 or 2, which CUDA uses for default streams. */
int64_t simulated_handle(enum kind kind, void *object)
{
    uint32_t i = first_free;
    if (i == slot_count) {
        if (slot_count == slot_room) {
            const uint32_t room = slot_room ? 2 * slot_room : 256;
            struct slot *grown = realloc(slots, room * sizeof *grown);
            if (!grown)
                return 0;
            slots = grown;
            slot_room = room;
        }
        slots[slot_count++] = (struct slot){FREE_SLOT, 0, NULL};
        first_free = slot_count;
    } else
        first_free = (uint32_t)(uintptr_t)slots[i].object;
    slots[i].kind = kind;
    slots[i].object = object;
    slots[i].generation = (slots[i].generation + 1) & 0x3ffffff;
    return (int64_t)slots[i].generation << 36 | (int64_t)(i + 1) << 4;
}

static struct slot *slot_of(int64_t handle)
{
    const uint32_t i = (uint32_t)(handle >> 4) - 1;
    if (handle & 15 || i >= slot_count || slots[i].kind == FREE_SLOT || slots[i].generation != (uint64_t)handle >> 36)
        return NULL;
    return &slots[i];
}

void *simulated_object(enum kind kind, int64_t handle)
{
    const struct slot *slot = slot_of(handle);
    return slot && slot->kind == kind ? slot->object : NULL;
}

void simulated_forget(int64_t handle)
{
    struct slot *slot = slot_of(handle);
    if (!slot)
        return;
    slot->kind = FREE_SLOT;
    slot->object = (void *)(uintptr_t)first_free;
    first_free = (uint32_t)(slot - slots);
}

static const struct device *device_of(const struct slot *slot)
{
    switch (slot->kind) {
    case STREAM:
        return ((struct stream *)slot->object)->device;
    case EVENT:
        return ((struct event *)slot->object)->device;
    case MODULE:
        return ((struct module *)slot->object)->device;
    case GRAPH:
        return ((struct graph *)slot->object)->device;
    case EXECUTABLE:
        return ((struct executable *)slot->object)->graph->device;
    default:
        return NULL; /* functions go with their modules */
    }
}

void *simulated_any_object(const struct device *device, enum kind *kind, int64_t *handle)
{
    for (uint32_t i = 0; i < slot_count; i++)
        if (device_of(&slots[i]) == device) {
            *kind = slots[i].kind;
            *handle = (int64_t)slots[i].generation << 36 | (int64_t)(i + 1) << 4;
            return slots[i].object;
        }
    return NULL;
}

int simulated_enter(enum call call)
{
    __atomic_fetch_add(&calls[call], 1, __ATOMIC_RELAXED);
    if (forked)
        return NOT_INITIALIZED;
    pthread_mutex_lock(&lock);
    int code = SUCCESS;
    if (!initialized && call != CALL_cuInit && call != CALL_cuDriverGetVersion && call != CALL_cuGetErrorName &&
        call != CALL_cuGetErrorString)
        code = NOT_INITIALIZED;
    else if (failures[call].times) {
        failures[call].times--;
        code = failures[call].code;
    }
    if (code)
        pthread_mutex_unlock(&lock);
    return code;
}

void simulated_leave(int *entered)
{
    if (!*entered) /* else the lock was not taken */
        pthread_mutex_unlock(&lock);
}

void simulated_lock(void)
{
    pthread_mutex_lock(&lock);
}

void simulated_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void simulated_initialize(int on)
{
    initialized = on;
    memset(failures, 0, sizeof failures);
    if (!on)
        memset(calls, 0, sizeof calls);
    count_only = 0;
}

int simulated_is_initialized(void)
{
    return initialized;
}

int simulated_only_count(enum call call)
{
    if (!__atomic_load_n(&count_only, __ATOMIC_RELAXED) || forked)
        return 0;
    __atomic_fetch_add(&calls[call], 1, __ATOMIC_RELAXED);
    return 1;
}

/* CUDA's state does not survive a fork. A child of a process that has not started CUDA starts it itself. */
void simulated_in_child(void)
{
    forked = forked || initialized;
    pthread_mutex_init(&lock, NULL);
}

const char *facula_cuda_simulated_name(int i)
{
    return i >= 0 && i < CALLS ? names[i] : NULL;
}

uint64_t facula_cuda_simulated_calls(int i)
{
    return i >= 0 && i < CALLS ? __atomic_load_n(&calls[i], __ATOMIC_RELAXED) : 0;
}

void facula_cuda_simulated_count_only(int on)
{
    __atomic_store_n(&count_only, on, __ATOMIC_RELAXED);
}

int facula_cuda_simulated_fail(const char *name, int code, int times)
{
    for (int i = 0; i < CALLS; i++)
        if (!strcmp(names[i], name)) {
            pthread_mutex_lock(&lock);
            failures[i].code = code;
            failures[i].times = times;
            pthread_mutex_unlock(&lock);
            return 0;
        }
    return 1;
}

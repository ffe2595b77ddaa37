/* Modules are shared libraries of the host, and kernels their functions
   void kernel(const void *block, unsigned blocks, unsigned threads). Launches give the kernel's parameters as one block. */

#define _GNU_SOURCE
#include "simulated.h"

#include <elf.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../loading.h"

/* An image that begins with this is followed by the path of a library. */
static const char path_magic[] = "facula-library:";
/* A library's function of this name, const char *(*)(void), describes the last kernel's error, or returns NULL. */
static const char failure_name[] = "facula_shim_failure";

enum { FUNCTION_MAX_THREADS = 0, FUNCTION_SHARED, FUNCTION_CONST, FUNCTION_LOCAL, FUNCTION_REGISTERS, FUNCTION_PTX,
       FUNCTION_BINARY, FUNCTION_CACHE, FUNCTION_MAX_DYNAMIC };

static struct function *functions;

/* The bytes of an ELF image, which end with its table of sections. */
static size_t image_size(const Elf64_Ehdr *header)
{
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_type != ET_DYN || !header->e_shoff)
        return 0;
    return header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
}

static void *open_image(const void *image, int *file)
{
    char path[64];
    const size_t nbytes = image_size(image);
    *file = nbytes ? memfd_create("facula_cuda_module", MFD_CLOEXEC) : -1;
    for (size_t done = 0; *file >= 0 && done < nbytes;) {
        const ssize_t written = write(*file, (const char *)image + done, nbytes - done);
        if (written <= 0) {
            close(*file);
            return NULL;
        }
        done += (size_t)written;
    }
    if (*file < 0)
        return NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", *file);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

int simulated_cuModuleLoadData(int64_t *handle, const void *image)
{
    ENTER_DEVICE(cuModuleLoadData);
    if (!handle || !image)
        return INVALID_VALUE;
    TRY(capture_forbids_unsafe());
    struct module *module = calloc(1, sizeof *module);
    if (!module)
        return OUT_OF_MEMORY;
    module->references = 1;
    module->device = device;
    module->file = -1;
    if (!strncmp(image, path_magic, sizeof path_magic - 1))
        module->library = dlopen((const char *)image + sizeof path_magic - 1, RTLD_NOW | RTLD_LOCAL);
    else if (!strncmp(image, ELFMAG, SELFMAG))
        module->library = open_image(image, &module->file);
    if (!module->library) {
        module_drop(module);
        return INVALID_IMAGE;
    }
    void *failure = dlsym(module->library, failure_name);
    memcpy(&module->failure, &failure, sizeof failure);
    *handle = simulated_handle(MODULE, module);
    if (*handle)
        return SUCCESS;
    module_drop(module);
    return OUT_OF_MEMORY;
}

void module_drop(struct module *module)
{
    if (--module->references)
        return;
    for (struct function **place = &functions; *place;) {
        struct function *function = *place;
        if (function->module == module) {
            *place = function->next;
            free(function);
        } else
            place = &function->next;
    }
    if (module->library)
        dlclose(module->library);
    /* The name of a library that dlclose could not unload must not be given to another file. */
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", module->file);
    void *still = module->file >= 0 ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (still)
        dlclose(still);
    else if (module->file >= 0)
        close(module->file);
    free(module);
}

void module_forget(struct module *module, int64_t handle)
{
    simulated_forget(handle);
    for (struct function *function = functions; function; function = function->next)
        if (function->module == module) {
            simulated_forget(function->handle);
            function->handle = 0;
        }
    module_drop(module);
}

int simulated_cuModuleUnload(int64_t handle)
{
    ENTER_DEVICE(cuModuleUnload);
    struct module *module = simulated_object(MODULE, handle);
    if (!module)
        return INVALID_HANDLE;
    run_everything(); /* queued kernels of the module */
    module_forget(module, handle);
    return SUCCESS;
}

int simulated_cuModuleGetFunction(int64_t *handle, int64_t module_handle, const char *name)
{
    ENTER_DEVICE(cuModuleGetFunction);
    struct module *module = simulated_object(MODULE, module_handle);
    if (!module)
        return INVALID_HANDLE;
    if (!handle || !name)
        return INVALID_VALUE;
    void *found = dlsym(module->library, name);
    if (!found)
        return NOT_FOUND;
    struct function *function = calloc(1, sizeof *function);
    if (!function || !(function->handle = simulated_handle(FUNCTION, function))) {
        free(function);
        return OUT_OF_MEMORY;
    }
    memcpy(&function->run, &found, sizeof found);
    function->module = module;
    function->next = functions;
    functions = function;
    *handle = function->handle;
    return SUCCESS;
}

int simulated_cuFuncGetAttribute(int *value, int attribute, int64_t handle)
{
    static const int values[] = {
        [FUNCTION_MAX_THREADS] = MAX_THREADS, [FUNCTION_REGISTERS] = 32, [FUNCTION_PTX] = 90, [FUNCTION_BINARY] = 90,
        [FUNCTION_MAX_DYNAMIC] = MAX_SHARED,
    };
    ENTER_DEVICE(cuFuncGetAttribute);
    if (!simulated_object(FUNCTION, handle))
        return INVALID_HANDLE;
    if (!value || attribute < 0 || attribute > FUNCTION_MAX_DYNAMIC)
        return INVALID_VALUE;
    *value = values[attribute];
    return SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------- launches */
/* Find the block of parameters in the list of cuLaunchKernel's last argument. */
static int find_block(void **extra, const void **block, size_t *nbytes)
{
    *block = NULL;
    *nbytes = 0;
    for (; extra && (uintptr_t)*extra != BUFFER_END; extra += 2)
        if ((uintptr_t)*extra == BUFFER_POINTER)
            *block = extra[1];
        else if ((uintptr_t)*extra == BUFFER_SIZE)
            *nbytes = *(const size_t *)extra[1];
        else
            return INVALID_VALUE;
    return *nbytes > MAX_PARAMETERS || (*nbytes && !*block) ? INVALID_VALUE : SUCCESS;
}

static int is_grid(unsigned x, unsigned y, unsigned z)
{
    return x && y && z && x <= INT32_MAX && y <= UINT16_MAX && z <= UINT16_MAX;
}

static int is_block(unsigned x, unsigned y, unsigned z)
{
    return x && y && z && x <= MAX_THREADS && y <= MAX_THREADS && z <= 64 &&
           (uint64_t)x * y * z <= MAX_THREADS;
}

int kernel_work(struct device *device, const struct kernel_node *node, struct work **made)
{
    const void *block;
    size_t nbytes;
    struct function *function = simulated_object(FUNCTION, node->function);
    if (!function || function->module->device != device)
        return INVALID_HANDLE;
    if (!is_grid(node->grid_x, node->grid_y, node->grid_z) || !is_block(node->block_x, node->block_y, node->block_z) ||
        node->shared_bytes > MAX_SHARED)
        return INVALID_VALUE;
    if (node->parameters || node->grid_y > 1 || node->grid_z > 1 || node->block_y > 1 || node->block_z > 1)
        return node->parameters && node->extra ? INVALID_VALUE : NOT_SUPPORTED; /* kernels here have one dimension */
    TRY(find_block(node->extra, &block, &nbytes));
    struct work *work = *made = work_new(KERNEL, device, nbytes);
    if (!work)
        return OUT_OF_MEMORY;
    work->function = function;
    work->blocks = node->grid_x;
    work->threads = node->block_x;
    work->nbytes = nbytes;
    if (nbytes)
        memcpy(work->bytes, block, nbytes);
    return SUCCESS;
}

int simulated_cuLaunchKernel(int64_t handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                             unsigned block_y, unsigned block_z, unsigned shared_bytes, int64_t stream_handle,
                             void **parameters, void **extra)
{
    if (simulated_only_count(CALL_cuLaunchKernel))
        return SUCCESS;
    ENTER_DEVICE(cuLaunchKernel);
    struct stream *stream = stream_of(device, stream_handle);
    struct work *work;
    const struct kernel_node node = {.function = handle, .grid_x = grid_x, .grid_y = grid_y, .grid_z = grid_z,
                                     .block_x = block_x, .block_y = block_y, .block_z = block_z,
                                     .shared_bytes = shared_bytes, .parameters = parameters, .extra = extra};
    if (!stream || stream->device != device)
        return INVALID_HANDLE;
    TRY(kernel_work(device, &node, &work));
    TRY(simulated_queue(stream, work));
    if (simulated_blocks && !stream->capture) {
        run_stream(stream);
        return device->sticky;
    }
    return SUCCESS;
}

/* -------------------------------------------------------------------------------------------------------- running */
static THREAD_LOCAL sigjmp_buf *escape; /* of the kernel that this thread runs */
static struct sigaction previous;
static char failure[1024]; /* the error of the last kernel that failed */

/* A kernel that leaves its memory ends with CUDA's error; other faults go to the previous handler. */
static void on_fault(int number, siginfo_t *information, void *context)
{
    const uint64_t address = (uint64_t)information->si_addr;
    if (escape && (is_alias(address) || is_device_address(address)))
        siglongjmp(*escape, ILLEGAL_ADDRESS);
    if (previous.sa_flags & SA_SIGINFO)
        previous.sa_sigaction(number, information, context);
    else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
        previous.sa_handler(number);
    else
        signal(number, SIG_DFL); /* the faulting instruction runs again, and ends the process */
}

/* Translate the block's device addresses. Returns whether the device may use all of them. */
static int translate(const struct device *device, const char *block, size_t nbytes, char *translated)
{
    memcpy(translated, block, nbytes);
    for (size_t i = 0; i + 8 <= nbytes; i += 8) {
        uint64_t word;
        memcpy(&word, block + i, 8);
        if (!is_device_address(word))
            continue;
        if (!is_usable(device, word, 1) && !is_usable(device, word - 1, 1)) /* the end of memory is no access yet */
            return 0;
        const uint64_t there = (uint64_t)to_host(word);
        memcpy(translated + i, &there, 8);
    }
    return 1;
}

void kernel_run(struct work *work)
{
    _Alignas(16) char block[MAX_PARAMETERS];
    if (!translate(work->device, work->bytes, work->nbytes, block)) {
        work->device->sticky = ILLEGAL_ADDRESS;
        return;
    }
    sigjmp_buf here;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    sigaction(SIGSEGV, &action, &previous);
    const int code = sigsetjmp(here, 0);
    if (!code) {
        escape = &here;
        work->function->run(block, work->blocks, work->threads);
    } else
        work->device->sticky = code;
    escape = NULL;
    sigaction(SIGSEGV, &previous, NULL);
    const struct module *module = work->function->module;
    const char *sentence = module->failure ? module->failure() : NULL;
    if (sentence && !work->device->sticky) {
        snprintf(failure, sizeof failure, "%s", sentence);
        work->device->sticky = strncmp(sentence, "misaligned", 10) ? LAUNCH_FAILED : MISALIGNED_ADDRESS;
    }
}

void simulated_forget_failure(void)
{
    failure[0] = '\0';
}

void facula_cuda_simulated_failure(char *text, int64_t nbytes)
{
    simulated_lock();
    snprintf(text, (size_t)nbytes, "%s", failure);
    simulated_unlock();
}

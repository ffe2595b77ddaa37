/* Starting and ending a simulation, and the names of errors. */

#include "simulated.h"

#include <pthread.h>

int simulated_count;
uint64_t simulated_memory;
static int in_use; /* the table calls the simulated driver */

#define MEMBER(name, parameters) .name = simulated_##name,
static const struct driver simulated_driver = {DRIVER_FUNCTIONS(MEMBER)};
#undef MEMBER

int facula_cuda_is_simulated(void)
{
    return in_use;
}

int facula_cuda_use_simulated(int devices, int64_t nbytes, int shuffled, uint64_t seed)
{
    static int registered;
    int code = 0;
    simulated_lock();
    if (devices < 1 || devices > SIMULATED_DEVICES || nbytes < (int64_t)LARGE_PAGE || (uint64_t)nbytes > AREA / 2 ||
        (simulated_is_initialized() && (devices != simulated_count || (uint64_t)nbytes != simulated_memory)))
        code = 2;
    else if (!simulated_open_memory())
        code = 1;
    else {
        simulated_count = devices;
        simulated_memory = (uint64_t)nbytes;
        simulated_seed(seed, shuffled);
        if (!registered)
            pthread_atfork(NULL, NULL, simulated_in_child);
        registered = 1;
        driver = simulated_driver;
        in_use = 1;
    }
    simulated_unlock();
    return code;
}

void facula_cuda_end_simulated(void)
{
    simulated_lock();
    if (in_use) {
        facula_cuda_close(DRIVER_NOT_INITIALIZED);
        for (int i = 0; i < simulated_visible; i++)
            if (simulated_devices[i].retained)
                simulated_close(&simulated_devices[i]);
        simulated_free_pages();
        simulated_forget_failure();
        simulated_initialize(0);
        in_use = 0;
    }
    simulated_unlock();
}

int64_t facula_cuda_simulated_alias(int64_t address)
{
    return (int64_t)to_host((uint64_t)address);
}

static const struct { int code; const char *name, *text; } errors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {205, "CUDA_ERROR_MAP_FAILED", "mapping of buffer object failed"},
    {206, "CUDA_ERROR_UNMAP_FAILED", "unmapping of buffer object failed"},
    {208, "CUDA_ERROR_ALREADY_MAPPED", "resource already mapped"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {211, "CUDA_ERROR_NOT_MAPPED", "resource not mapped"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported between these two devices"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {401, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {710, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "operation not supported on global/shared address space"},
    {718, "CUDA_ERROR_INVALID_PC", "invalid program counter"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
    {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "operation would result in a merge of separate capture sequences"},
    {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not ended in the same stream as it began"},
    {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"},
    {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "dependency created on uncaptured work in another stream"},
    {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {907, "CUDA_ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream"},
    {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
     "attempt to terminate a thread-local capture sequence from another thread"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static int find_error(int code, const char **result, int text)
{
    if (!result)
        return INVALID_VALUE;
    *result = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code)
            *result = text ? errors[i].text : errors[i].name;
    return *result ? SUCCESS : INVALID_VALUE;
}

int simulated_cuGetErrorName(int code, const char **name)
{
    ENTER(cuGetErrorName);
    return find_error(code, name, 0);
}

int simulated_cuGetErrorString(int code, const char **text)
{
    ENTER(cuGetErrorString);
    return find_error(code, text, 1);
}

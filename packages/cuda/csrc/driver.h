/* The functions of CUDA's driver that this package calls, as a table of pointers. This file uses no Python objects.

   The table is filled from libcuda.so.1 or by the simulated driver. Until then, and in a forked child, every entry is a
   function that returns a code and does nothing, so that a call is never a jump to NULL.

   Handles (contexts, streams, events, modules, functions, graphs) are int64_t and device addresses uint64_t: both are
   passed in the same registers as cuda.h's pointers, and Python's ints convert to them. */

#ifndef FACULA_CUDA_DRIVER_H
#define FACULA_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

/* cuda.h's structs, with its layouts. */
struct uuid { unsigned char bytes[16]; };
struct ipc_handle { char bytes[64]; };
struct memory_location { int type, id; };
struct memory_properties {
    int type, handle_types;
    struct memory_location location;
    void *win32;
    unsigned char compression, direct_rdma;
    unsigned short usage;
    unsigned char reserved[4];
};
struct memory_access { struct memory_location location; int flags; };
struct kernel_node {
    int64_t function;
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    void **parameters, **extra;
    int64_t kernel, context;
};
enum { BUFFER_END = 0, BUFFER_POINTER = 1, BUFFER_SIZE = 2 }; /* CU_LAUNCH_PARAM_..., in `extra` */

/* X(NAME, (PARAMETERS)), in groups: start, devices, contexts, memory, copies, streams, graphs, events, modules, errors,
   virtual memory, memory of other processes. build_driver.py reads these rows, too. */
#define DRIVER_FUNCTIONS(X) \
    X(cuInit, (unsigned flags)) \
    X(cuDriverGetVersion, (int *version)) \
    X(cuDeviceGetCount, (int *count)) \
    X(cuDeviceGet, (int *device, int ordinal)) \
    X(cuDeviceGetName, (char *name, int length, int device)) \
    X(cuDeviceGetAttribute, (int *value, int attribute, int device)) \
    X(cuDeviceTotalMem_v2, (size_t *nbytes, int device)) \
    X(cuDeviceGetUuid_v2, (struct uuid *uuid, int device)) \
    X(cuDeviceCanAccessPeer, (int *can, int device, int peer)) \
    X(cuCtxEnablePeerAccess, (int64_t peer, unsigned flags)) \
    X(cuDevicePrimaryCtxRetain, (int64_t *context, int device)) \
    X(cuDevicePrimaryCtxRelease_v2, (int device)) \
    X(cuCtxSetCurrent, (int64_t context)) \
    X(cuCtxGetCurrent, (int64_t *context)) \
    X(cuCtxSynchronize, (void)) \
    X(cuMemAlloc_v2, (uint64_t *address, size_t nbytes)) \
    X(cuMemFree_v2, (uint64_t address)) \
    X(cuMemAllocManaged, (uint64_t *address, size_t nbytes, unsigned flags)) \
    X(cuMemHostAlloc, (void **address, size_t nbytes, unsigned flags)) \
    X(cuMemFreeHost, (void *address)) \
    X(cuMemHostGetDevicePointer_v2, (uint64_t *address, void *host, unsigned flags)) \
    X(cuMemGetInfo_v2, (size_t *free, size_t *total)) \
    X(cuMemcpyHtoDAsync_v2, (uint64_t target, const void *source, size_t nbytes, int64_t stream)) \
    X(cuMemcpyDtoHAsync_v2, (void *target, uint64_t source, size_t nbytes, int64_t stream)) \
    X(cuMemcpyDtoDAsync_v2, (uint64_t target, uint64_t source, size_t nbytes, int64_t stream)) \
    X(cuMemcpyPeerAsync, (uint64_t target, int64_t target_context, uint64_t source, int64_t source_context, \
                          size_t nbytes, int64_t stream)) \
    X(cuMemsetD8Async, (uint64_t target, unsigned char value, size_t nbytes, int64_t stream)) \
    X(cuStreamCreateWithPriority, (int64_t *stream, unsigned flags, int priority)) \
    X(cuStreamDestroy_v2, (int64_t stream)) \
    X(cuStreamSynchronize, (int64_t stream)) \
    X(cuStreamQuery, (int64_t stream)) \
    X(cuStreamWaitEvent, (int64_t stream, int64_t event, unsigned flags)) \
    X(cuStreamIsCapturing, (int64_t stream, int *status)) \
    X(cuStreamGetCaptureInfo_v2, (int64_t stream, int *status, uint64_t *number, int64_t *graph, \
                                  const int64_t **last, size_t *count)) \
    X(cuThreadExchangeStreamCaptureMode, (int *mode)) \
    X(cuStreamBeginCapture_v2, (int64_t stream, int mode)) \
    X(cuStreamEndCapture, (int64_t stream, int64_t *graph)) \
    X(cuGraphCreate, (int64_t *graph, unsigned flags)) \
    X(cuGraphAddKernelNode_v2, (int64_t *node, int64_t graph, const int64_t *before, size_t count, \
                                const struct kernel_node *parameters)) \
    X(cuGraphExecKernelNodeSetParams_v2, (int64_t executable, int64_t node, const struct kernel_node *parameters)) \
    X(cuGraphInstantiateWithFlags, (int64_t *executable, int64_t graph, unsigned long long flags)) \
    X(cuGraphLaunch, (int64_t executable, int64_t stream)) \
    X(cuGraphExecDestroy, (int64_t executable)) \
    X(cuGraphDestroy, (int64_t graph)) \
    X(cuEventCreate, (int64_t *event, unsigned flags)) \
    X(cuEventRecord, (int64_t event, int64_t stream)) \
    X(cuEventQuery, (int64_t event)) \
    X(cuEventSynchronize, (int64_t event)) \
    X(cuEventElapsedTime, (float *milliseconds, int64_t start, int64_t end)) \
    X(cuEventDestroy_v2, (int64_t event)) \
    X(cuModuleLoadData, (int64_t *module, const void *image)) \
    X(cuModuleUnload, (int64_t module)) \
    X(cuModuleGetFunction, (int64_t *function, int64_t module, const char *name)) \
    X(cuFuncGetAttribute, (int *value, int attribute, int64_t function)) \
    X(cuLaunchKernel, (int64_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
                       unsigned block_y, unsigned block_z, unsigned shared_bytes, int64_t stream, void **parameters, \
                       void **extra)) \
    X(cuGetErrorName, (int code, const char **name)) \
    X(cuGetErrorString, (int code, const char **text)) \
    X(cuMemAddressReserve, (uint64_t *address, size_t nbytes, size_t alignment, uint64_t wanted, \
                            unsigned long long flags)) \
    X(cuMemAddressFree, (uint64_t address, size_t nbytes)) \
    X(cuMemCreate, (int64_t *handle, size_t nbytes, const struct memory_properties *properties, \
                    unsigned long long flags)) \
    X(cuMemMap, (uint64_t address, size_t nbytes, size_t offset, int64_t handle, unsigned long long flags)) \
    X(cuMemSetAccess, (uint64_t address, size_t nbytes, const struct memory_access *accesses, size_t count)) \
    X(cuMemUnmap, (uint64_t address, size_t nbytes)) \
    X(cuMemRelease, (int64_t handle)) \
    X(cuMemGetAllocationGranularity, (size_t *nbytes, const struct memory_properties *properties, int option)) \
    X(cuIpcGetMemHandle, (struct ipc_handle *handle, uint64_t address)) \
    X(cuIpcOpenMemHandle_v2, (uint64_t *address, struct ipc_handle handle, unsigned flags)) \
    X(cuIpcCloseMemHandle, (uint64_t address))

/* Codes of CUresult that C code tells apart, and two of this package: a call in a forked child, and a refused launch. */
enum {
    DRIVER_SUCCESS = 0,
    DRIVER_INVALID_VALUE = 1,
    DRIVER_OUT_OF_MEMORY = 2,
    DRIVER_NOT_INITIALIZED = 3,
    DRIVER_NOT_READY = 600,
    DRIVER_FORKED = -1,
    DRIVER_NOT_REPLAYED = -2 /* a kernel with placeholders: Note [Random kernels of captures] */
};

#define DRIVER_MEMBER(name, parameters) int(*name) parameters;
struct driver { DRIVER_FUNCTIONS(DRIVER_MEMBER) };
#undef DRIVER_MEMBER

extern struct driver driver;

/* Fill the table from a library. Returns 0; 1 if the library cannot be loaded; 2 if it lacks a function. The table is
   then unchanged, and facula_cuda_open_error() describes the cause: dlopen's message, or the missing names. */
int facula_cuda_open(const char *path);
const char *facula_cuda_open_error(void);
/* Let every entry return a code and do nothing. The library stays loaded. */
void facula_cuda_close(int code);

#endif

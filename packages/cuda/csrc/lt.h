/* Products by cublasLt: the functions of the library that are used, as a table of pointers, and their launch.

   Handles and descriptors are int64_t, and device addresses, too: they are passed in the same registers as the pointers
   of cublasLt.h. Constants of the library are in _libraries/cublaslt.py. */

#ifndef FACULA_CUDA_LT_H
#define FACULA_CUDA_LT_H

#include <stddef.h>
#include <stdint.h>

/* cublasLt.h's structs, with its layouts. */
struct lt_algorithm { uint64_t data[8]; };
struct lt_choice {
    struct lt_algorithm algorithm;
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

/* X(NAME, (PARAMETERS)); see driver.h. */
#define LT_FUNCTIONS(X) \
    X(cublasLtCreate, (int64_t *handle)) \
    X(cublasLtDestroy, (int64_t handle)) \
    X(cublasLtGetProperty, (int property, int *value)) \
    X(cublasLtMatmulDescCreate, (int64_t *operation, int compute, int scale)) \
    X(cublasLtMatmulDescDestroy, (int64_t operation)) \
    X(cublasLtMatmulDescSetAttribute, (int64_t operation, int attribute, const void *value, size_t nbytes)) \
    X(cublasLtMatrixLayoutCreate, (int64_t *layout, int dtype, uint64_t rows, uint64_t columns, int64_t step)) \
    X(cublasLtMatrixLayoutDestroy, (int64_t layout)) \
    X(cublasLtMatrixLayoutSetAttribute, (int64_t layout, int attribute, const void *value, size_t nbytes)) \
    X(cublasLtMatmulPreferenceCreate, (int64_t *preference)) \
    X(cublasLtMatmulPreferenceDestroy, (int64_t preference)) \
    X(cublasLtMatmulPreferenceSetAttribute, (int64_t preference, int attribute, const void *value, size_t nbytes)) \
    X(cublasLtMatmulAlgoGetHeuristic, (int64_t handle, int64_t operation, int64_t a, int64_t b, int64_t c, int64_t d, \
                                       int64_t preference, int wanted, struct lt_choice *choices, int *found)) \
    X(cublasLtMatmul, (int64_t handle, int64_t operation, const void *alpha, int64_t a, int64_t a_layout, int64_t b, \
                       int64_t b_layout, const void *beta, int64_t c, int64_t c_layout, int64_t d, int64_t d_layout, \
                       const struct lt_algorithm *algorithm, int64_t workspace, size_t workspace_bytes, \
                       int64_t stream))

#define LT_MEMBER(name, parameters) int(*name) parameters;
struct lt { LT_FUNCTIONS(LT_MEMBER) };
#undef LT_MEMBER

extern struct lt lt;

/* As facula_cuda_open; the error is that of facula_cuda_open_error. */
int facula_cuda_lt_open(const char *path);

/* STATUS_LIBRARY: cublasLt refused; arguments[0] is its status. */
enum { STATUS_LIBRARY = 16, LT_ALIGNED = 16 };

/* d = a b, or d = a b + bias for each row of d, in cublasLt's column-major order. Places are the positions of addresses
   in the arguments of a launch; 0: none. */
struct facula_cuda_lt {
    int64_t handle, operation, a_layout, b_layout, d_layout;
    struct lt_algorithm aligned, any; /* for addresses that are multiples of LT_ALIGNED, and for all others */
    size_t workspace;
    double one[2], zero[2]; /* in the type of scales, which may be complex */
    int32_t device, a, b, d, bias, workspace_place;
};

int64_t facula_cuda_lt(const void *plan, int64_t *arguments);

#endif

/* The launch of products by cublasLt. See lt.h. */

#include "lt.h"

#include <pthread.h>

#include "queue.h"
#include "table.h"

enum { BIAS_POINTER = 8 }; /* CUBLASLT_MATMUL_DESC_BIAS_POINTER */

struct lt lt;

static const struct table_entry functions[] = {
#define ROW(name, parameters) {#name, offsetof(struct lt, name)},
    LT_FUNCTIONS(ROW)
};

/* The address of the bias is an attribute of a descriptor, which threads share. */
static pthread_mutex_t describing = PTHREAD_MUTEX_INITIALIZER;

int facula_cuda_lt_open(const char *path)
{
    return load_table(path, functions, sizeof functions / sizeof *functions, &lt, sizeof lt);
}

int64_t facula_cuda_lt(const void *plan_, int64_t *arguments)
{
    const struct facula_cuda_lt *plan = plan_;
    const int64_t a = arguments[plan->a], b = arguments[plan->b], d = arguments[plan->d];
    const int64_t bias = plan->bias ? arguments[plan->bias] : 0;
    const struct lt_algorithm *algorithm = ((a | b | d | bias) & (LT_ALIGNED - 1)) ? &plan->any : &plan->aligned;
    int64_t stream;
    int code = enter(plan->device, &stream);
    if (code)
        return refuse(arguments, plan->device, code);
    if (bias) {
        pthread_mutex_lock(&describing);
        code = lt.cublasLtMatmulDescSetAttribute(plan->operation, BIAS_POINTER, &bias, sizeof bias);
    }
    if (!code)
        code = lt.cublasLtMatmul(plan->handle, plan->operation, plan->one, a, plan->a_layout, b, plan->b_layout,
                                 plan->zero, d, plan->d_layout, d, plan->d_layout, algorithm,
                                 plan->workspace_place ? arguments[plan->workspace_place] : 0, plan->workspace, stream);
    if (bias)
        pthread_mutex_unlock(&describing);
    if (code) {
        arguments[0] = code;
        arguments[1] = plan->device;
        return STATUS_LIBRARY;
    }
    mark_queue(queue_of(plan->device, stream));
    return 0;
}

/* A stand-in for cublasLt on simulated devices: the functions of csrc/lt.h, and a kernel of three loops that the simulated
   driver runs in the order of its streams. It checks what cublasLt does not say: alignments, workspaces, scales. */

#include <complex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID = 7, NOT_SUPPORTED = 15, ALIGNED = 16, SPLIT = 32, SPLIT_BYTES = 512 };
enum { R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4, C_64F = 5, R_16BF = 14 };

struct operation { int compute, scale, transposed[2], epilogue; int64_t bias; };
struct layout { int type; int64_t rows, columns, step; int32_t batches; int64_t batch_step; };
struct preference { uint64_t workspace; uint32_t alignment[4]; };
struct algorithm { uint64_t data[8]; };
struct choice { struct algorithm algorithm; size_t workspace; int state; float waves; int reserved[4]; };
struct block {
    const char *a, *b, *bias;
    char *d, *workspace;
    int64_t m, n, k, a_row, a_column, b_row, b_column, d_step, batches, a_batch, b_batch, d_batch, type, wrong;
};

/* Controls of the tests. */
static int (*launch)(int64_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, int64_t, void **,
                     void **);
static int64_t function;
int64_t lt_alive, lt_products, lt_compute, lt_version = 13, lt_refuses, lt_wrong, lt_fails, lt_stream, lt_algorithm;

void lt_double_use(void *launch_kernel, int64_t handle)
{
    memcpy(&launch, &launch_kernel, sizeof launch);
    function = handle;
    lt_alive = lt_products = lt_compute = lt_refuses = lt_wrong = lt_fails = lt_stream = lt_algorithm = 0;
    lt_version = 13;
}

/* --------------------------------------------------------------------------------------------------------- the kernel */
static int size_of(int64_t type)
{
    return type == R_16F || type == R_16BF ? 2 : type == R_32F ? 4 : type == C_64F ? 16 : 8;
}

static double _Complex load(const char *at, int64_t type)
{
    uint32_t bits = 0;
    float real;
    switch (type) {
    case R_32F: return *(const float *)at;
    case R_64F: return *(const double *)at;
    case C_32F: return *(const float _Complex *)at;
    case C_64F: return *(const double _Complex *)at;
    case R_16BF: bits = (uint32_t)*(const uint16_t *)at << 16; memcpy(&real, &bits, 4); return real;
    default: return (double)*(const _Float16 *)at;
    }
}

static void store(char *at, int64_t type, double _Complex value)
{
    uint32_t bits;
    const float real = (float)creal(value);
    switch (type) {
    case R_32F: *(float *)at = real; break;
    case R_64F: *(double *)at = creal(value); break;
    case C_32F: *(float _Complex *)at = (float _Complex)value; break;
    case C_64F: *(double _Complex *)at = value; break;
    case R_16BF:
        memcpy(&bits, &real, 4);
        *(uint16_t *)at = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
        break;
    default: *(_Float16 *)at = (_Float16)real;
    }
}

void lt_product(const struct block *p, unsigned blocks, unsigned threads)
{
    const int size = size_of(p->type);
    if (p->workspace)
        memset(p->workspace, 0x5a, SPLIT_BYTES);
    for (int64_t batch = 0; batch < p->batches; batch++)
        for (int64_t j = 0; j < p->n; j++)
            for (int64_t i = 0; i < p->m; i++) {
                double _Complex sum = p->bias ? load(p->bias + i * size, p->type) : 0;
                for (int64_t k = 0; k < p->k; k++)
                    sum += load(p->a + size * (batch * p->a_batch + i * p->a_row + k * p->a_column), p->type) *
                           load(p->b + size * (batch * p->b_batch + k * p->b_row + j * p->b_column), p->type);
                store(p->d + size * (batch * p->d_batch + i + j * p->d_step), p->type, sum + (double)p->wrong);
            }
}

/* ------------------------------------------------------------------------------------------------------ the functions */
static int create(int64_t *made, const void *content, size_t nbytes)
{
    void *object = malloc(nbytes);
    memcpy(object, content, nbytes);
    *made = (int64_t)object;
    lt_alive++;
    return 0;
}

static int destroy(int64_t object)
{
    free((void *)object);
    lt_alive--;
    return 0;
}

int cublasLtCreate(int64_t *handle) { return *handle = 42, 0; }
int cublasLtDestroy(int64_t handle) { return handle == 42 ? 0 : INVALID; }
int cublasLtGetProperty(int property, int *value) { return *value = property ? property : (int)lt_version, 0; }

int cublasLtMatmulDescCreate(int64_t *made, int compute, int scale)
{
    const struct operation operation = {.compute = compute, .scale = scale, .epilogue = 1};
    return create(made, &operation, sizeof operation);
}

int cublasLtMatmulDescSetAttribute(int64_t at, int attribute, const void *value, size_t nbytes)
{
    struct operation *operation = (struct operation *)at;
    if (nbytes != (attribute == 8 ? 8u : 4u))
        return INVALID;
    switch (attribute) {
    case 3: case 4: operation->transposed[attribute - 3] = *(const int32_t *)value; return 0;
    case 7: operation->epilogue = *(const int32_t *)value; return 0;
    case 8: operation->bias = *(const int64_t *)value; return 0;
    default: return INVALID;
    }
}

int cublasLtMatrixLayoutCreate(int64_t *made, int type, uint64_t rows, uint64_t columns, int64_t step)
{
    const struct layout layout = {type, (int64_t)rows, (int64_t)columns, step, 1, 0};
    return step < (int64_t)rows ? INVALID : create(made, &layout, sizeof layout);
}

int cublasLtMatrixLayoutSetAttribute(int64_t at, int attribute, const void *value, size_t nbytes)
{
    struct layout *layout = (struct layout *)at;
    if (attribute == 5 && nbytes == 4)
        layout->batches = *(const int32_t *)value;
    else if (attribute == 6 && nbytes == 8)
        layout->batch_step = *(const int64_t *)value;
    else
        return INVALID;
    return 0;
}

int cublasLtMatmulPreferenceCreate(int64_t *made)
{
    const struct preference preference = {0, {256, 256, 256, 256}};
    return create(made, &preference, sizeof preference);
}

int cublasLtMatmulPreferenceSetAttribute(int64_t at, int attribute, const void *value, size_t nbytes)
{
    struct preference *preference = (struct preference *)at;
    if (attribute == 1 && nbytes == 8)
        preference->workspace = *(const uint64_t *)value;
    else if (attribute >= 5 && attribute <= 8 && nbytes == 4)
        preference->alignment[attribute - 5] = *(const uint32_t *)value;
    else
        return INVALID;
    return 0;
}

int cublasLtMatmulDescDestroy(int64_t object) { return destroy(object); }
int cublasLtMatrixLayoutDestroy(int64_t object) { return destroy(object); }
int cublasLtMatmulPreferenceDestroy(int64_t object) { return destroy(object); }

static int shapes(const struct operation *operation, const struct layout *a, const struct layout *b,
                  const struct layout *d, int64_t *k)
{
    const int64_t a_rows = operation->transposed[0] ? a->columns : a->rows;
    const int64_t b_columns = operation->transposed[1] ? b->rows : b->columns;
    *k = operation->transposed[0] ? a->rows : a->columns;
    return a_rows == d->rows && b_columns == d->columns && *k == (operation->transposed[1] ? b->columns : b->rows) &&
           a->type == d->type && b->type == d->type && a->batches == d->batches && b->batches == d->batches;
}

int cublasLtMatmulAlgoGetHeuristic(int64_t handle, int64_t operation, int64_t a, int64_t b, int64_t c, int64_t d,
                                   int64_t preference_, int wanted, struct choice *choices, int *found)
{
    const struct preference *preference = (const struct preference *)preference_;
    int64_t k;
    *found = 0;
    if (!shapes((const void *)operation, (const void *)a, (const void *)b, (const void *)d, &k) || wanted != 1)
        return INVALID;
    if (lt_refuses)
        return NOT_SUPPORTED;
    memset(choices, 0, sizeof *choices);
    choices->algorithm.data[0] = preference->alignment[0] >= ALIGNED ? ALIGNED : 1;
    choices->workspace = k >= SPLIT && preference->workspace >= SPLIT_BYTES ? SPLIT_BYTES : 0;
    choices->algorithm.data[1] = choices->workspace;
    *found = 1;
    return 0;
}

int cublasLtMatmul(int64_t handle, int64_t operation_, const void *alpha, int64_t a, int64_t a_layout, int64_t b,
                   int64_t b_layout, const void *beta, int64_t c, int64_t c_layout, int64_t d, int64_t d_layout,
                   const struct algorithm *algorithm, int64_t workspace, size_t workspace_bytes, int64_t stream)
{
    const struct operation *operation = (const struct operation *)operation_;
    const struct layout *of_a = (const void *)a_layout, *of_b = (const void *)b_layout, *of_d = (const void *)d_layout;
    const int is_double = operation->scale == R_64F || operation->scale == C_64F;
    const int64_t bias = operation->epilogue == 4 ? operation->bias : 0;
    int64_t k;
    if (handle != 42 || lt_fails || !shapes(operation, of_a, of_b, of_d, &k) || c != d || c_layout != d_layout)
        return lt_fails ? (int)lt_fails : INVALID;
    if ((is_double ? *(const double *)alpha : *(const float *)alpha) != 1 || *(const double *)beta != 0)
        return INVALID;
    if (((a | b | d | bias) & (int64_t)(algorithm->data[0] - 1)) || (algorithm->data[1] && !workspace) ||
        workspace_bytes < algorithm->data[1])
        return INVALID;
    struct block block = {
        (const char *)a, (const char *)b, (const char *)bias, (char *)d, algorithm->data[1] ? (char *)workspace : NULL,
        of_d->rows, of_d->columns, k,
        operation->transposed[0] ? of_a->step : 1, operation->transposed[0] ? 1 : of_a->step,
        operation->transposed[1] ? of_b->step : 1, operation->transposed[1] ? 1 : of_b->step,
        of_d->step, of_d->batches, of_a->batch_step, of_b->batch_step, of_d->batch_step, of_d->type, lt_wrong,
    };
    size_t nbytes = sizeof block;
    void *extra[] = {(void *)1, &block, (void *)2, &nbytes, NULL};
    lt_products++;
    lt_compute = operation->compute;
    lt_stream = stream;
    lt_algorithm = (int64_t)algorithm->data[0];
    return launch(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra) ? 13 : 0;
}

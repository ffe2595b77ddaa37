/* The structs of plans, and how a plan from a file is completed for this machine; see portable.h. */
#include "files/portable.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "runtime/kernel.h"

#define FIELD(type, field) (((struct type *)0)->field)
#define ROW_FIELD(type, field) {#field, "", offsetof(struct type, field), 0, FACULA_ROW_KIND(FIELD(type, field))},
#define PLAN_FIELD(type, field, kind) {#field, #kind, offsetof(struct type, field), 0, 0},
#define ARRAY_FIELD(type, field) {#field, "array", offsetof(struct type, field), 0, 0},
#define EACH_FIELD(type, array, field)                                                                             \
    {#field, "", offsetof(struct type, array[0].field), sizeof(FIELD(type, array[0])),                            \
     FACULA_ROW_KIND(FIELD(type, array[0].field))},

#define DECLARE(name)                                                                                              \
    static double numbers_of_##name(const void *at)                                                                \
    {                                                                                                              \
        const struct facula_##name *plan = at;                                                                     \
        (void)plan;                                                                                                \
        return FACULA_NUMBERS_##name;                                                                              \
    }                                                                                                              \
    static const struct facula_plan_field fields_of_##name[] = {                                                   \
        FACULA_FIELDS_##name(facula_##name, ROW_FIELD, PLAN_FIELD, ARRAY_FIELD, EACH_FIELD){NULL, NULL, 0, 0, 0}};
FACULA_EACH_PLAN(DECLARE)

#define TYPE(name) {"facula_" #name, sizeof(struct facula_##name), numbers_of_##name, fields_of_##name},
static const struct facula_plan_type types[] = {FACULA_EACH_PLAN(TYPE)};

FACULA_PUBLIC const struct facula_plan_type *facula_find_plan_type(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name))
            return &types[i];
    return NULL;
}

FACULA_PUBLIC int64_t facula_plans_digest(void)
{
    return FACULA_PLANS; /* from setup.py */
}

/* Work in picoseconds that is not worth distributing, and that of a multiplication; as in Python. */
static const double SERIAL = 5e6, MULTIPLY = 10, SCORE = 300;
static const double LARGEST = 70368744177664.; /* 2^46 */

static int64_t whole(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t slots_for(int64_t tasks, double work, int threads)
{
    const int64_t slots = tasks < threads ? tasks : threads;
    return work > SERIAL ? most(slots, 1) : 1;
}

/* Whether these are plausible numbers of bytes or objects: a file may contain any number. */
static int are_in_range(int count, const int64_t *numbers)
{
    for (int i = 0; i < count; i++)
        if (numbers[i] < 0 || (double)numbers[i] > LARGEST)
            return 0;
    return 1;
}

static int is_sane_product(const struct facula_matmul *p)
{
    const int64_t sizes[] = {p->m, p->n, p->k, p->batches};
    const int64_t steps[] = {p->a_row, p->a_col, p->b_row, p->b_col, p->o_row, p->o_col};
    for (int i = 0; i < 6; i++)
        if (fabs((double)steps[i]) > LARGEST)
            return 0;
    const double m = (double)p->m + 64, n = (double)p->n + 64, k = (double)p->k + 64, batches = (double)p->batches + 1;
    return are_in_range(4, sizes) && m * n * batches < LARGEST && m * k < LARGEST && n * k < LARGEST;
}

/* The workspace of a product, planned for so many threads; -1 if the table has no planner for that dtype. */
static int64_t plan_product(const void *product, int code, int level, int threads)
{
    const char signature[11] = {(char)code};
    const struct facula_kernel *planner = facula_find_kernel("matmul_planner", signature, level);
    struct facula_matmul *plan = (struct facula_matmul *)product;
    if (!planner || !is_sane_product(plan))
        return -1;
    const size_t second = offsetof(struct facula_matmul, swapped); /* which planners may use partially */
    memset((char *)plan + second, 0, offsetof(struct facula_matmul, nest) - second);
    ((facula_matmul_planner)planner->function)(plan, threads);
    return plan->workspace;
}

FACULA_PUBLIC int64_t facula_complete_convolution(void *at, int threads)
{
    struct facula_convolution *plan = at;
    const double taps = (double)plan->channels * (double)plan->kernel_height * (double)plan->kernel_width;
    const double weights = (double)plan->groups * (double)plan->filters * taps;
    const double work = (double)plan->images * weights * (double)plan->out_height * (double)plan->out_width * MULTIPLY;
    plan->slots = slots_for(plan->tasks * plan->groups, work, threads);
    plan->slot_bytes =
        plan->band_bytes + plan->patches_bytes + plan->product_bytes + plan->left_bytes + plan->packed_bytes;
    return plan->slots * plan->slot_bytes;
}

static int64_t complete_recurrent(struct facula_recurrent *plan, int code, int level, int threads, int64_t workspace)
{
    const void *products[] = {plan->from_input, plan->input_gradient, plan->weight_ih_gradient,
                              plan->weight_hh_gradient, plan->candidate_gradient};
    int64_t needed = 0;
    for (int i = 0; i < 5; i++) {
        const int64_t bytes = products[i] ? plan_product(products[i], code, level, threads) : 0;
        if (bytes < 0)
            return -1;
        needed = most(needed, bytes);
    }
    const int64_t places[] = {plan->at_product, plan->at_gates, plan->at_former, plan->at_state, plan->at_sums};
    if (!are_in_range(5, places))
        return -1;
    if (plan->from_input) /* forward: the product's part is the last */
        return plan->at_product + whole(needed);
    const int64_t moved = whole(needed) - (plan->at_gates - plan->at_product);
    plan->at_gates += moved;
    plan->at_former += moved;
    plan->at_state += moved;
    plan->at_sums += moved;
    return workspace + moved;
}

static int64_t complete_attention(struct facula_attention *plan, int gradient, int threads)
{
    const double score = SCORE + ((double)plan->width + (double)plan->value_width) * MULTIPLY;
    const double row = (double)plan->keys * score * (gradient ? 3 : 1);
    const int64_t sizes[] = {plan->tasks, plan->slot_bytes};
    plan->slots = slots_for(plan->tasks, (double)plan->batches * (double)plan->length * row, threads);
    return are_in_range(2, sizes) ? plan->slots * plan->slot_bytes : -1;
}

FACULA_PUBLIC int64_t facula_complete_plan(const struct facula_plan_type *type, void *plan, const char *kernel, int code,
                                           int level, int threads, int64_t workspace)
{
    const char *name = type->name + sizeof "facula_" - 1;
    if (!strcmp(name, "matmul"))
        return plan_product(plan, code, level, threads);
    if (!strcmp(name, "attention"))
        return complete_attention(plan, !strcmp(kernel, "attention_grad"), threads);
    if (!strcmp(name, "winograd")) /* vectors have 16 bytes in the baseline, then 32, then 64 */
        return facula_complete_winograd(plan, !strcmp(kernel, "conv2d_weight_winograd"), 4 << (level < 2 ? level : 2),
                                        threads);
    if (!strcmp(name, "shallow"))
        return facula_complete_shallow(plan, !strcmp(kernel, "conv2d_weight_shallow")  ? FACULA_SHALLOW_WEIGHTS
                                             : !strcmp(kernel, "conv2d_input_shallow") ? FACULA_SHALLOW_INPUT
                                                                                       : FACULA_SHALLOW_RESULTS,
                                       code == FLOAT64 ? 8 : 4, threads);
    if (!strcmp(name, "recurrent"))
        return complete_recurrent(plan, code, level, threads, workspace);
    if (strcmp(name, "convolution"))
        return workspace;
    struct facula_convolution *convolution = plan;
    const int64_t sizes[] = {convolution->tasks, convolution->groups, convolution->band_bytes, convolution->patches_bytes,
                             convolution->product_bytes, convolution->left_bytes, convolution->packed_bytes};
    if (!are_in_range(7, sizes) || (double)convolution->tasks * (double)convolution->groups > LARGEST)
        return -1;
    return facula_complete_convolution(plan, threads);
}

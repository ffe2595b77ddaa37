/* Kernels for the launcher's tests; the plan is memory that the test reads and writes through ctypes. */
#include <stdint.h>
#include <string.h>
#include <time.h>

/* plan: {launches so far, arguments to note, the arguments...} */
int64_t note(void *plan, int64_t *args)
{
    int64_t *log = plan;
    log[0]++;
    memcpy(log + 2, args, (size_t)log[1] * sizeof *args);
    return 0;
}

/* plan: {status, four details} */
int64_t refuse(const void *plan, int64_t *args)
{
    const int64_t *answer = plan;
    memcpy(args, answer + 1, 4 * sizeof *args);
    return answer[0];
}

/* plan: {started, go, milliseconds to wait}. Status 77 where nobody said go in time. */
int64_t wait_for_go(void *plan, int64_t *args)
{
    volatile int64_t *flags = plan;
    struct timespec millisecond = {0, 1000000};
    (void)args;
    flags[0] = 1;
    for (int64_t i = 0; i < flags[2] && !flags[1]; i++)
        nanosleep(&millisecond, NULL);
    return flags[1] ? 0 : 77;
}

/* args: {bytes, address}. Status 1 where the bytes are not all the same at some moment of 20 passes. */
int64_t all_equal(const void *plan, int64_t *args)
{
    const volatile unsigned char *bytes = (const unsigned char *)(intptr_t)args[1];
    (void)plan;
    for (int pass = 0; pass < 20; pass++)
        for (int64_t i = 1; i < args[0]; i++)
            if (bytes[i] != bytes[0])
                return 1;
    return 0;
}

/* args: {n, a, b, out} of float64 */
int64_t add(const void *plan, int64_t *args)
{
    const double *a = (const double *)(intptr_t)args[1], *b = (const double *)(intptr_t)args[2];
    double *out = (double *)(intptr_t)args[3];
    (void)plan;
    for (int64_t i = 0; i < args[0]; i++)
        out[i] = a[i] + b[i];
    return 0;
}

/* A shaper for `note`: after the form {launches, arguments to note}, the plan has room for the arguments and then what
   it received: the number of layouts, and their numbers. No plan if the first layout has 5 dimensions; a workspace of
   as many bytes as it has dimensions if these are 4. */
int64_t note_shape(int64_t *plan, const int64_t *form, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    const int64_t *end = layouts;
    if (layouts[0] == 5)
        return -1;
    for (int64_t i = 0; i < count; i++)
        end += *end > 0 ? 1 + 2 * *end : 1;
    if (!plan)
        return (int64_t)sizeof *plan * (3 + form[1] + (end - layouts));
    plan[0] = 0;
    plan[1] = form[1];
    plan[2 + form[1]] = count;
    memcpy(plan + 3 + form[1], layouts, (size_t)(end - layouts) * sizeof *layouts);
    if (layouts[0] == 4)
        *workspace = 4;
    return (int64_t)1 << 62;
}

/* The arguments are a place to copy the rest of the plan to, and how many numbers that are. */
int64_t tell(void *plan, int64_t *args)
{
    note(plan, args);
    memcpy((void *)args[1], (int64_t *)plan + 2 + ((int64_t *)plan)[1], (size_t)args[2] * sizeof *args);
    return 0;
}

/* plan: {whether it runs the steps, runs so far}. args: {steps, (kernel, plan, first, count) of each, arguments, room} */
int64_t run_steps(int64_t *plan, int64_t *args)
{
    const int64_t *step = (const int64_t *)(intptr_t)args[1], *arguments = (const int64_t *)(intptr_t)args[2];
    int64_t *room = (int64_t *)(intptr_t)args[3];
    if (!plan[0])
        return 1;
    plan[1]++;
    for (int64_t i = 0; i < args[0]; i++, step += 4) {
        memcpy(room, arguments + step[2], 8 * (size_t)step[3]);
        ((int64_t (*)(const void *, int64_t *))(intptr_t)step[0])((const void *)(intptr_t)step[1], room);
    }
    return 0;
}

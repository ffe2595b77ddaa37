/* facula-run: a captured program on arrays in files, without Python. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "facula_run.h"
#include "npy.h"

enum { MOST = 64 };
static const char USAGE[] =
    "facula-run MODEL [--input x.npy ...] [--output y.npy ...]: runs a captured program that was saved with run=True.\n"
    "\n"
    "  --input FILE     an array for the next input; one with a dimension more gives each step its own, and begins anew\n"
    "                   where there are more steps\n"
    "  --output FILE    where the next output is written\n"
    "  --batch N        the program for batches of N; left out: of the first input's length\n"
    "  --steps N        how often it runs; left out: as often as inputs have something for, else once\n"
    "  --set NAME=X     a number that may be changed, as lr=0.01\n"
    "  --save FILE      the model as it is afterwards: parameters, states of optimizers and of random generators\n"
    "  --time           say how long loading and steps took\n"
    "  --list           say what the inputs, numbers and outputs are, and run nothing\n"
    "  --where          say which folder has libfacula_kernels.1.so and include/facula_run.h\n"
    "\n"
    "Loops of the program are not bounded: Ctrl-C ends one that goes on for ever, and nothing is written.\n";

struct options {
    const char *model, *save;
    const char *inputs[MOST], *outputs[MOST], *sets[MOST];
    int input_count, output_count, set_count;
    int64_t batch, steps;
    int timed, list, help;
};

static char error[FACULA_ERROR];

static int fail(void)
{
    fprintf(stderr, "facula-run: %s\n", error);
    return 1;
}

/* What was printed is where it should be, or that is said. */
static int finish(void)
{
    return fflush(stdout) ? snprintf(error, sizeof error, "standard output: %s", strerror(errno)), fail() : 0;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int say_where(void)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0)
        return 1;
    path[length] = 0;
    *strrchr(path, '/') = 0;
    puts(path);
    return 0;
}

static int add(const char **list, int *count, const char *value, const char *name)
{
    if (*count == MOST)
        return snprintf(error, sizeof error, "expected at most %d times %s", MOST, name), -1;
    list[(*count)++] = value;
    return 0;
}

static int count_of(const char *text, const char *name, int64_t *count)
{
    char *end;
    errno = 0;
    *count = strtoll(text, &end, 10);
    if (*end || end == text || *count < 1 || errno)
        return snprintf(error, sizeof error, "expected %s to be a number above 0; got %.100s", name, text), -1;
    return 0;
}

static int takes_value(const char *name)
{
    static const char *const names[] = {"--input", "--output", "--set", "--batch", "--steps", "--save"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return 1;
    return 0;
}

static int read_options(struct options *o, int argc, char **argv)
{
    *o = (struct options){0};
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
            o->help = 1;
            return 0;
        }
        if (!strcmp(name, "--time")) {
            o->timed = 1;
            continue;
        }
        if (!strcmp(name, "--list")) {
            o->list = 1;
            continue;
        }
        if (strncmp(name, "--", 2)) {
            if (o->model)
                return snprintf(error, sizeof error, "expected one model; got %.100s, too", name), -1;
            o->model = name;
            continue;
        }
        if (!takes_value(name))
            return snprintf(error, sizeof error, "unknown option %.100s; see --help", name), -1;
        if (!value)
            return snprintf(error, sizeof error, "expected something behind %.100s; see --help", name), -1;
        i++;
        if (!strcmp(name, "--input")    ? add(o->inputs, &o->input_count, value, name)
            : !strcmp(name, "--output") ? add(o->outputs, &o->output_count, value, name)
            : !strcmp(name, "--set")    ? add(o->sets, &o->set_count, value, name)
            : !strcmp(name, "--batch")  ? count_of(value, name, &o->batch)
            : !strcmp(name, "--steps")  ? count_of(value, name, &o->steps)
                                        : (o->save = value, 0))
            return -1;
    }
    return o->model ? 0 : (snprintf(error, sizeof error, "expected a model; see --help"), -1);
}

static void show(const char *what, const struct facula_array *array, int number)
{
    printf("%s %s: %s (", what, array->name, npy_dtype(array->dtype));
    for (int d = 0; d < array->ndim; d++)
        printf("%s%lld", d ? ", " : "", (long long)array->shape[d]);
    number ? printf(") = %.17g\n", *(const double *)array->data) : printf(")\n");
}

/* The number behind the dot of a name like lr.1, or the name without one: whether `name` is meant by `wish`. */
static int is_meant(const char *wish, size_t length, const char *name)
{
    const char *dot = strrchr(name, '.');
    return (strlen(name) == length && !strncmp(wish, name, length)) ||
           (dot && (size_t)(dot - name) == length && !strncmp(wish, name, length));
}

static int set_number(const struct facula_array *inputs, int64_t first, int64_t count, const char *wish)
{
    const char *equals = strchr(wish, '=');
    char *end = NULL;
    const double value = equals ? strtod(equals + 1, &end) : 0;
    int met = 0;
    if (!equals || end == equals + 1 || *end || !isfinite(value))
        return snprintf(error, sizeof error, "--set: expected name=number, a finite one; got %.100s", wish), -1;
    for (int64_t i = first; i < count; i++)
        if (is_meant(wish, (size_t)(equals - wish), inputs[i].name)) {
            *(double *)inputs[i].data = value;
            met = 1;
        }
    if (!met)
        return snprintf(error, sizeof error, "--set: the program has no number %.*s; --list says what it has",
                        (int)(equals - wish), wish), -1;
    return 0;
}

/* Whether a file's array fits an input, or has one for each step. */
static int check_fit(const struct npy *npy, const struct facula_array *input)
{
    const int more = npy->ndim - input->ndim;
    int fits = npy->dtype == input->dtype && (more == 0 || (more == 1 && npy->shape[0] > 0));
    for (int d = 0; fits && d < input->ndim; d++)
        fits = npy->shape[d + more] == input->shape[d];
    if (fits)
        return 0;
    int length = snprintf(error, sizeof error, "input %.50s: expected %s (", input->name, npy_dtype(input->dtype));
    for (int d = 0; d < input->ndim && length < 400; d++)
        length += snprintf(error + length, sizeof error - (size_t)length, "%s%lld", d ? ", " : "", (long long)input->shape[d]);
    length += snprintf(error + length, sizeof error - (size_t)length, "); got %s (", npy_dtype(npy->dtype));
    for (int d = 0; d < npy->ndim && length < 490; d++)
        length += snprintf(error + length, sizeof error - (size_t)length, "%s%lld", d ? ", " : "", (long long)npy->shape[d]);
    snprintf(error + length, sizeof error - (size_t)length, ")");
    return -1;
}

static void fill(const struct facula_array *input, const struct npy *npy, int64_t step)
{
    const int64_t size = npy_itemsize(input->dtype);
    int64_t count = 1, at[NPY_DIMS] = {0};
    for (int d = 0; d < input->ndim; d++)
        count *= input->shape[d];
    const char *from = npy->data + (npy->ndim > input->ndim ? step % npy->shape[0] * count * size : 0);
    char *to = input->data;
    for (; count > 0; count--, from += size, to = npy_next(input, to, at))
        memcpy(to, from, (size_t)size);
}

/* How often to run: as was asked, else as often as the inputs that have an array for each step say, all the same. */
static int64_t steps_of(const struct options *o, const struct npy *given, const struct facula_array *inputs)
{
    int first = -1;
    for (int i = 0; i < o->input_count; i++) {
        if (given[i].ndim == inputs[i].ndim)
            continue;
        if (first >= 0 && given[i].shape[0] != given[first].shape[0])
            return snprintf(error, sizeof error, "expected inputs for equally many steps; got %lld of %.100s and %lld of %.100s",
                            (long long)given[first].shape[0], inputs[first].name, (long long)given[i].shape[0],
                            inputs[i].name), -1;
        first = first < 0 ? i : first;
    }
    return o->steps ? o->steps : first < 0 ? 1 : given[first].shape[0];
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int run_all(const struct options *o, struct facula_model *model, const struct npy *given, int64_t steps, double *times)
{
    int64_t outputs;
    const struct facula_array *inputs = facula_model_inputs(model, NULL), *made = facula_model_outputs(model, &outputs);
    for (int64_t step = 0; step < steps; step++) {
        for (int i = 0; i < o->input_count; i++)
            if (!step || given[i].ndim > inputs[i].ndim)
                fill(&inputs[i], &given[i], step);
        const double start = now();
        if (facula_model_run(model, error))
            return -1;
        if (times)
            times[step] = now() - start;
    }
    for (int i = 0; i < o->output_count; i++)
        if (npy_write(&made[i], o->outputs[i], error))
            return -1;
    return o->save ? facula_model_save(model, o->save, error) : 0;
}

/* Everything that is done with a loaded model. */
static int serve(const struct options *o, struct facula_model *model, const struct npy *given, double loading)
{
    int64_t inputs, outputs, arrays = 0;
    const struct facula_array *in = facula_model_inputs(model, &inputs), *out = facula_model_outputs(model, &outputs);
    while (arrays < inputs && !in[arrays].is_number)
        arrays++;
    if (o->list) {
        for (int64_t i = 0; i < inputs; i++)
            show(i < arrays ? "input" : "number", &in[i], i >= arrays);
        for (int64_t i = 0; i < outputs; i++)
            show("output", &out[i], 0);
        return 0;
    }
    if (o->input_count != arrays || o->output_count > outputs)
        return snprintf(error, sizeof error, "expected %lld inputs and at most %lld outputs; got %d and %d",
                        (long long)arrays, (long long)outputs, o->input_count, o->output_count), -1;
    for (int i = 0; i < o->input_count; i++)
        if (check_fit(&given[i], &in[i]))
            return -1;
    for (int i = 0; i < o->set_count; i++)
        if (set_number(in, arrays, inputs, o->sets[i]))
            return -1;
    const int64_t steps = steps_of(o, given, in);
    if (steps < 0)
        return -1;
    double *times = o->timed ? calloc((size_t)steps, sizeof *times) : NULL;
    if (o->timed && !times)
        return snprintf(error, sizeof error, "there is no memory for the times of %lld steps", (long long)steps), -1;
    const int failed = run_all(o, model, given, steps, times);
    if (!failed && times) {
        const double first = times[0];
        qsort(times, (size_t)steps, sizeof *times, by_size);
        printf("loaded in %.3f ms, first step %.2f us, median of %lld steps %.2f us\n", loading * 1e3, first * 1e6,
               (long long)steps, times[steps / 2] * 1e6);
    }
    free(times);
    return failed;
}

/* The program of a batch that was asked for; else the first that the first input fits, whose first dimension may count
   steps. */
static struct facula_model *load(const struct options *o, const struct npy *given)
{
    const int64_t lengths[] = {given->ndim ? given->shape[0] : 0, given->ndim > 1 ? given->shape[1] : 0};
    int64_t batch = o->batch; /* what is loaded where nothing fits, to say what would */
    for (int i = 0; i < 2 && !o->batch && o->input_count; i++) {
        struct facula_model *model = lengths[i] ? facula_model_load(o->model, lengths[i], error) : NULL;
        if (model && !check_fit(given, facula_model_inputs(model, NULL)))
            return model;
        batch = model && !batch ? lengths[i] : batch;
        facula_model_free(model);
    }
    return facula_model_load(o->model, batch, error);
}

int main(int argc, char **argv)
{
    struct options o;
    if (argc == 2 && !strcmp(argv[1], "--where"))
        return say_where();
    if (read_options(&o, argc, argv))
        return fail();
    if (o.help)
        return fputs(USAGE, stdout) < 0 || finish();
    struct npy given[MOST] = {0};
    int failed = 0;
    for (int i = 0; i < o.input_count && !failed; i++)
        failed = npy_read(&given[i], o.inputs[i], error);
    const double start = now();
    struct facula_model *model = failed ? NULL : load(&o, given);
    failed = failed || !model || serve(&o, model, given, now() - start);
    facula_model_free(model);
    for (int i = 0; i < o.input_count; i++)
        free(given[i].bytes);
    return failed ? fail() : finish();
}

/* facula-run: runs a captured program on arrays in files, without Python. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "facula_run.h"
#include "inputs.h"

enum { MOST = MOST_FILES, MOST_THREADS = 256 };
static const char USAGE[] =
    "facula-run MODEL [--input x.npy ...] [--output y.npy ...]: runs a captured program that was saved with run=True.\n"
    "\n"
    "  --input FILE     an array for the next input; an array with one more dimension has a part for each step, and is\n"
    "                   repeated if there are more steps\n"
    "  --input NAME=FILE  the same for the input of that name: that of the function's argument, as --list prints it\n"
    "  --output FILE    where the next output of the last step is written\n"
    "  --every-step     write the outputs of all steps, stacked along a new first dimension\n"
    "  --eval           run a program that was captured with modules in evaluation mode (model.eval())\n"
    "  --train          the same for training mode; without both, the first program that fits\n"
    "  --batch N        only programs whose first input has N rows; by default the sizes of all inputs choose\n"
    "  --threads N      how many threads compute, at most 256; by default FACULA_NUM_THREADS, or one for each core\n"
    "  --steps N        how often it runs; by default once for each step in the inputs, or once\n"
    "  --set NAME=X     set a number of the program, such as lr=0.01\n"
    "  --save FILE      the model as it is afterwards: parameters, states of optimizers and of random generators\n"
    "  --time           print how long loading and steps took\n"
    "  --list           print the inputs, numbers and outputs, and run nothing\n"
    "  --where          print the folder of libfacula_kernels.1.so and include/facula_run.h\n"
    "\n"
    "A program may contain an endless loop: Ctrl-C stops it, and nothing is written.\n";

struct options {
    const char *model, *save;
    const char *outputs[MOST], *sets[MOST];
    struct request request;
    int output_count, set_count;
    int64_t steps, threads;
    int timed, list, help, every;
};

static char error[FACULA_ERROR];

static int fail(void)
{
    fprintf(stderr, "facula-run: %s\n", error);
    return 1;
}

/* Flushes the output, and reports an error if that fails. */
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

static int print_location(void)
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
        return snprintf(error, sizeof error, "%s: expected at most %d; got more", name, MOST), -1;
    list[(*count)++] = value;
    return 0;
}

static int count_of(const char *text, const char *name, int64_t *count)
{
    char *end;
    errno = 0;
    *count = strtoll(text, &end, 10);
    if (*end || end == text || *count < 1 || errno)
        return snprintf(error, sizeof error, "%s: expected a positive integer; got %.100s", name, text), -1;
    return 0;
}

/* Adds an input: a path, or NAME=path unless a file with that whole name exists. */
static int add_input(struct request *request, const char *value)
{
    static char names[MOST][256];
    const char *equals = strchr(value, '=');
    const size_t length = equals ? (size_t)(equals - value) : 0;
    const int k = request->count;
    if (add(request->paths, &request->count, value, "--input"))
        return -1;
    if (equals && length < sizeof names[k] && !memchr(value, '/', length) && access(value, F_OK)) {
        memcpy(names[k], value, length);
        request->names[k] = names[k];
        request->paths[k] = equals + 1;
    }
    return 0;
}

static int takes_value(const char *name)
{
    static const char *const names[] = {"--input", "--output", "--set", "--batch", "--steps", "--save", "--threads"};
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
        if (!strcmp(name, "--every-step")) {
            o->every = 1;
            continue;
        }
        if (!strcmp(name, "--eval") || !strcmp(name, "--train")) {
            o->request.mode = name[2] == 'e' ? FACULA_EVALUATION : FACULA_TRAINING;
            continue;
        }
        if (strncmp(name, "--", 2)) {
            if (o->model)
                return snprintf(error, sizeof error, "expected one model; got %.100s and %.100s", o->model, name), -1;
            o->model = name;
            continue;
        }
        if (!takes_value(name))
            return snprintf(error, sizeof error, "unknown option %.100s; see --help", name), -1;
        if (!value)
            return snprintf(error, sizeof error, "%.100s: expected a value; see --help", name), -1;
        i++;
        if (!strcmp(name, "--input")     ? add_input(&o->request, value)
            : !strcmp(name, "--output")  ? add(o->outputs, &o->output_count, value, name)
            : !strcmp(name, "--set")     ? add(o->sets, &o->set_count, value, name)
            : !strcmp(name, "--batch")   ? count_of(value, name, &o->request.batch)
            : !strcmp(name, "--steps")   ? count_of(value, name, &o->steps)
            : !strcmp(name, "--threads") ? count_of(value, name, &o->threads)
                                         : (o->save = value, 0))
            return -1;
    }
    if (o->threads > MOST_THREADS)
        return snprintf(error, sizeof error, "--threads: expected at most %d; got %lld", MOST_THREADS,
                        (long long)o->threads), -1;
    if (o->every && !o->output_count)
        return snprintf(error, sizeof error, "--every-step: expected an --output; see --help"), -1;
    return o->model ? 0 : (snprintf(error, sizeof error, "expected a model; see --help"), -1);
}

static void show(const char *what, const struct facula_array *array, int number)
{
    printf("%s %s: %s (", what, array->name, npy_dtype(array->dtype));
    for (int d = 0; d < array->ndim; d++)
        printf("%s%lld", d ? ", " : "", (long long)array->shape[d]);
    number ? printf(") = %.17g\n", *(const double *)array->data) : printf(")\n");
}

/* The index in a name such as lr.1, or a name without an index: returns whether `setting` refers to `name`. */
static int matches_name(const char *setting, size_t length, const char *name)
{
    const char *dot = strrchr(name, '.');
    return (strlen(name) == length && !strncmp(setting, name, length)) ||
           (dot && (size_t)(dot - name) == length && !strncmp(setting, name, length));
}

static int set_number(const struct facula_array *inputs, int64_t first, int64_t count, const char *setting)
{
    const char *equals = strchr(setting, '=');
    char *end = NULL;
    const double value = equals ? strtod(equals + 1, &end) : 0;
    int met = 0;
    if (!equals || end == equals + 1 || *end || !isfinite(value))
        return snprintf(error, sizeof error, "--set: expected NAME=X with a finite number X; got %.100s", setting), -1;
    for (int64_t i = first; i < count; i++)
        if (matches_name(setting, (size_t)(equals - setting), inputs[i].name)) {
            *(double *)inputs[i].data = value;
            met = 1;
        }
    if (!met)
        return snprintf(error, sizeof error, "--set: the program has no number %.*s; see --list",
                        (int)(equals - setting), setting), -1;
    return 0;
}

/* Returns the number of runs: the requested one, or the common number of steps in the inputs' arrays. */
static int64_t steps_of(const struct options *o, const int *files, const struct facula_array *inputs)
{
    const struct npy *given = o->request.arrays;
    int first = -1;
    for (int i = 0; i < o->request.count; i++) {
        if (given[files[i]].ndim == inputs[i].ndim)
            continue;
        if (first >= 0 && given[files[i]].shape[0] != given[files[first]].shape[0])
            return snprintf(error, sizeof error, "--input: expected equal numbers of steps; got %lld for %.100s and %lld for %.100s",
                            (long long)given[files[first]].shape[0], inputs[first].name,
                            (long long)given[files[i]].shape[0], inputs[i].name), -1;
        first = first < 0 ? i : first;
    }
    return o->steps ? o->steps : first < 0 ? 1 : given[files[first]].shape[0];
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Runs all steps, and writes the outputs for which a file is open. */
static int run_steps(const struct options *o, struct facula_model *model, const int *files, int64_t steps, double *times,
                     FILE *const *written)
{
    const struct facula_array *inputs = facula_model_inputs(model, NULL), *made = facula_model_outputs(model, NULL);
    for (int64_t step = 0; step < steps; step++) {
        for (int i = 0; i < o->request.count; i++) {
            const struct npy *given = &o->request.arrays[files[i]];
            if (!step || given->ndim > inputs[i].ndim)
                fill_input(&inputs[i], given, step);
        }
        const double start = now();
        if (facula_model_run(model, error))
            return -1;
        if (times)
            times[step] = now() - start;
        for (int i = 0; o->every && i < o->output_count; i++)
            if (npy_append(&made[i], written[i], o->outputs[i], error))
                return -1;
    }
    return 0;
}

/* Removes an unfinished file, but not devices, pipes and links. */
static void remove_file(const char *path)
{
    struct stat status;
    if (!lstat(path, &status) && S_ISREG(status.st_mode))
        unlink(path);
}

/* Opens the output files of all steps during the run, and removes unfinished files after an error. */
static int run_all(const struct options *o, struct facula_model *model, const int *files, int64_t steps, double *times)
{
    const struct facula_array *made = facula_model_outputs(model, NULL);
    FILE *written[MOST] = {NULL};
    int failed = 0;
    for (int i = 0; o->every && i < o->output_count && !failed; i++)
        failed = !(written[i] = npy_begin(&made[i], steps, o->outputs[i], error));
    failed = failed || run_steps(o, model, files, steps, times, written);
    for (int i = 0; i < o->output_count; i++) {
        if (!failed && !o->every)
            failed = !(written[i] = npy_begin(&made[i], 0, o->outputs[i], error)) ||
                     npy_append(&made[i], written[i], o->outputs[i], error);
        if (written[i] && failed) {
            fclose(written[i]);
            remove_file(o->outputs[i]);
        } else if (written[i]) {
            failed = npy_end(written[i], o->outputs[i], error);
        }
    }
    return failed || (o->save && facula_model_save(model, o->save, error)) ? -1 : 0;
}

/* Performs all requested actions on a loaded model. */
static int serve(const struct options *o, struct facula_model *model, double loading)
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
    int files[MOST];
    if (assign_inputs(&o->request, in, arrays, files, error))
        return -1;
    if (o->output_count > outputs)
        return snprintf(error, sizeof error, "--output: expected at most %lld; got %d; see --list", (long long)outputs,
                        o->output_count), -1;
    for (int64_t i = 0; i < arrays; i++)
        if (check_fit(&o->request, files[i], &in[i], error))
            return -1;
    for (int i = 0; i < o->set_count; i++)
        if (set_number(in, arrays, inputs, o->sets[i]))
            return -1;
    const int64_t steps = steps_of(o, files, in);
    if (steps < 0)
        return -1;
    double *times = o->timed ? calloc((size_t)steps, sizeof *times) : NULL;
    if (o->timed && !times)
        return snprintf(error, sizeof error, "there is no memory for the times of %lld steps", (long long)steps), -1;
    const int failed = run_all(o, model, files, steps, times);
    if (!failed && times) {
        const double first = times[0];
        qsort(times, (size_t)steps, sizeof *times, by_size);
        printf("loaded in %.3f ms, first step %.2f us, median of %lld steps %.2f us\n", loading * 1e3, first * 1e6,
               (long long)steps, times[steps / 2] * 1e6);
    }
    free(times);
    return failed;
}

/* Loads the program that matches the inputs, or the closest one, for which it reports what does not match. */
static struct facula_model *load(struct options *o)
{
    static const char *const modes[] = {"", " in training mode", " in evaluation mode"};
    char none[FACULA_ERROR], batch[64] = "";
    if (o->request.batch)
        snprintf(batch, sizeof batch, " for a batch of %lld", (long long)o->request.batch);
    snprintf(none, sizeof none, "it has no program%s%s; save one in Python", batch, modes[o->request.mode]);
    return facula_model_choose(o->model, score_inputs, &o->request, none, error);
}

int main(int argc, char **argv)
{
    struct options o;
    if (argc == 2 && !strcmp(argv[1], "--where"))
        return print_location();
    if (read_options(&o, argc, argv))
        return fail();
    if (o.help)
        return fputs(USAGE, stdout) < 0 || finish();
    if (o.threads)
        facula_set_threads((int)o.threads);
    int failed = 0;
    for (int i = 0; i < o.request.count && !failed; i++)
        failed = npy_read(&o.request.arrays[i], o.request.paths[i], error);
    const double start = now();
    struct facula_model *model = failed ? NULL : load(&o);
    failed = failed || !model || serve(&o, model, now() - start);
    facula_model_free(model);
    for (int i = 0; i < o.request.count; i++)
        free(o.request.arrays[i].bytes);
    return failed ? fail() : finish();
}

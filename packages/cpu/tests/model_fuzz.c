/* Loads and runs files in which numbers of one section were changed, with checksums made right.

       model_fuzz SECTION COUNT SEED FILE...

   SECTION counts the tables of a program (model.h); one more is its header, then tensors.safetensors, then the zip's
   directory. A child process does the work, so that a run that crashes or never ends costs one file: the parent prints
   the number of each file that crashes, and `model_fuzz SECTION 1 NUMBER FILE...` repeats it alone. At the end it prints
   how many files were refused, failed, ran and ran too long. The exit status says whether one crashed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "facula_run.h"

enum { TEXT = 0, DATA = 4, TABLES = 14, HEADER = 14, TENSORS = 15, DIRECTORY = 16, TIMED_OUT = 77, RUN_MS = 10 };
static const int WIDTHS[TABLES] = {1, 24, 24, 16, 1, 40, 24, 56, 32, 56, 8, 32, 24, 48};

struct input {
    char *bytes;
    int64_t length, program, program_bytes, tensors, tensors_bytes, directory, sums[4];
};
struct shared {
    int64_t done, refused, failed, ran, late;
};

static uint64_t state;

static uint64_t next(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int64_t below(int64_t count)
{
    return (int64_t)(next() % (uint64_t)count);
}

static uint32_t checksum(const char *bytes, int64_t count)
{
    static uint32_t table[256];
    uint32_t crc = 0xffffffff;
    for (uint32_t i = 0; !table[255] && i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? 0xedb88320 : 0);
        table[i] = value;
    }
    for (int64_t i = 0; i < count; i++)
        crc = crc >> 8 ^ table[(crc ^ (uint8_t)bytes[i]) & 255];
    return ~crc;
}

/* The first program of a file that Python's zipfile wrote, and its tensors. */
static int read_input(struct input *input, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        return -1;
    input->length = ftell(file);
    rewind(file);
    input->bytes = malloc((size_t)input->length);
    if (!input->bytes || fread(input->bytes, 1, (size_t)input->length, file) != (size_t)input->length)
        return -1;
    fclose(file);
    const char *at = input->bytes;
    input->directory = input->length;
    for (int64_t i = 0; i + 46 < input->length; i++) {
        uint16_t name;
        uint32_t size, header;
        if (memcmp(at + i, "PK\1\2", 4))
            continue;
        memcpy(&name, at + i + 28, 2);
        memcpy(&size, at + i + 24, 4);
        memcpy(&header, at + i + 42, 4);
        if (i + 46 + name > input->length || (int64_t)header + 30 > input->length)
            continue;
        if (input->directory == input->length)
            input->directory = i;
        uint16_t skipped[2];
        memcpy(skipped, at + header + 26, sizeof skipped);
        const int64_t start = (int64_t)header + 30 + skipped[0] + skipped[1];
        if (!input->program && name > 4 && !memcmp(at + i + 46, "run/", 4)) {
            input->program = start, input->program_bytes = size;
            input->sums[0] = (int64_t)header + 14, input->sums[1] = i + 16;
        } else if (name == 19 && !memcmp(at + i + 46, "tensors.safetensors", 19)) {
            input->tensors = start, input->tensors_bytes = size;
            input->sums[2] = (int64_t)header + 14, input->sums[3] = i + 16;
        }
    }
    return input->program ? 0 : -1;
}

/* Another number in its place. */
static int64_t odd(int64_t number)
{
    static const int64_t ODD[] = {0, 1, -1, 2, 3, 4, 5, 7, 8, 16, 63, 64, 65, 255, 511, 1 << 15, 1 << 20, (int64_t)1 << 31,
                                  -((int64_t)1 << 31), ((int64_t)1 << 31) - 1, (int64_t)1 << 40, (int64_t)1 << 46,
                                  -((int64_t)1 << 46), (int64_t)1 << 62, INT64_MIN, INT64_MAX};
    const uint64_t n = (uint64_t)number;
    switch (below(9)) {
    case 0: return (int64_t)(n + 1);
    case 1: return (int64_t)(n - 1);
    case 2: return (int64_t)(0 - n);
    case 3: return (int64_t)(2 * n);
    case 4: return number / 2;
    case 5: return (int64_t)(n + (uint64_t)below(128) - 64);
    case 6: return below(32);
    default: return ODD[below((int64_t)(sizeof ODD / sizeof *ODD))];
    }
}

static void put(char *at, int width)
{
    int64_t number = 0;
    memcpy(&number, at, (size_t)width);
    number = odd(number);
    memcpy(at, &number, (size_t)width);
}

static void change_table(char *bytes, int table)
{
    int64_t place[2];
    memcpy(place, bytes + 40 + 16 * table, sizeof place);
    const int64_t width = WIDTHS[table], rows = place[1];
    char *start = bytes + place[0];
    if (!rows)
        return;
    if (table == TEXT) {
        start[below(rows)] = below(3) ? (char)below(256) : 0;
    } else if (table == DATA) {
        const int bytes_each = (int[]){8, 8, 4, 1}[below(4)];
        if (rows >= bytes_each)
            put(start + below(rows / bytes_each) * bytes_each, bytes_each);
    } else {
        char *row = start + below(rows) * width, *other = start + below(rows) * width;
        const int64_t column = 8 * below(width / 8);
        switch (below(8)) {
        case 0: memmove(row, other, (size_t)width); break;           /* another row */
        case 1: memmove(row + column, other + column, 8); break;     /* a number of another row */
        case 2: memmove(row + column, other + 8 * below(width / 8), 8); break; /* any number */
        default: put(row + column, 8);
        }
    }
}

static void change(struct input *input, char *bytes, int section)
{
    char *program = bytes + input->program;
    if (section == DIRECTORY) {
        for (int64_t i = 1 + below(3); i > 0; i--)
            put(bytes + input->directory + below(input->length - input->directory - 8), (int[]){1, 2, 4, 8}[below(4)]);
        return;
    }
    for (int64_t i = 1 + below(3); i > 0; i--) {
        if (section == TENSORS) {
            uint64_t header = 8;
            if (input->tensors_bytes > 8)
                memcpy(&header, input->bytes + input->tensors, 8);
            const int64_t most = below(4) ? (int64_t)header + 8 : input->tensors_bytes;
            bytes[input->tensors + below(most)] = below(2) ? (char)below(256) : "0123456789\"{}[],:\\"[below(18)];
        } else if (section == HEADER) {
            put(program + 8 * below(5 + 2 * TABLES), 8);
        } else {
            change_table(program, below(6) || i == 1 ? section : (int)below(TABLES));
        }
    }
    const uint32_t sums[] = {checksum(program, input->program_bytes),
                             input->tensors ? checksum(bytes + input->tensors, input->tensors_bytes) : 0};
    for (int i = 0; i < (input->tensors ? 4 : 2); i++)
        memcpy(bytes + input->sums[i], &sums[i / 2], 4);
}

/* Reads or writes each element of an array: all of them are in memory of the model's. */
static void touch(const struct facula_array *array, int fill)
{
    static const int SIZES[] = {0, 1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    int64_t at[64] = {0}, total = 1;
    for (int d = 0; d < array->ndim; d++)
        total *= array->shape[d] ? 1 : 0;
    char *element = array->data;
    for (int64_t left = 1 << 16; total && left > 0; left--) {
        for (int k = 0; k < SIZES[array->dtype]; k++)
            if (fill && k == 0)
                element[k] = (char)(array->dtype == FACULA_BOOL ? below(2) : below(8));
            else
                (void)*(volatile char *)&element[k];
        int d = array->ndim - 1;
        for (; d >= 0; d--) {
            element += array->strides[d];
            if (++at[d] < array->shape[d])
                break;
            element -= array->strides[d] * array->shape[d];
            at[d] = 0;
        }
        if (d < 0)
            break;
    }
}

static void try_one(const char *path, struct shared *shared)
{
    static const double NUMBERS[] = {0, 1e-8, 1, -1, 1e300, 4.94e-324, __builtin_inf(), __builtin_nan("")};
    char error[FACULA_ERROR];
    struct facula_model *model = facula_model_load(path, 0, error);
    if (!model) {
        shared->refused++;
        return;
    }
    int64_t inputs, outputs;
    const struct facula_array *in = facula_model_inputs(model, &inputs), *out = facula_model_outputs(model, &outputs);
    int failed = 0;
    for (int run = 0; run < 2 && !failed; run++) {
        for (int64_t i = 0; i < inputs; i++)
            if (in[i].is_number && below(2))
                *(double *)in[i].data = NUMBERS[below(8)];
            else
                touch(&in[i], !in[i].is_number);
        failed = facula_model_run(model, error);
    }
    for (int64_t i = 0; i < outputs; i++)
        touch(&out[i], 0);
    ++*(failed ? &shared->failed : &shared->ran);
    facula_model_free(model);
}

static void too_long(int signal)
{
    (void)signal;
    _exit(TIMED_OUT);
}

static void work(struct shared *shared, struct input *inputs, int count, int section, int64_t files, uint64_t seed)
{
    char path[64];
    const int file = memfd_create("forged", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    signal(SIGPROF, too_long);
    while (shared->done < files) {
        state = (seed + (uint64_t)shared->done++) * 0x2545f4914f6cdd1du;
        struct input *input = &inputs[below(count)];
        char *bytes = malloc((size_t)input->length);
        if (file < 0 || !bytes)
            _exit(2);
        memcpy(bytes, input->bytes, (size_t)input->length);
        change(input, bytes, section);
        if (ftruncate(file, 0) || pwrite(file, bytes, (size_t)input->length, 0) != input->length)
            _exit(2);
        free(bytes);
        const struct itimerval limit = {.it_value = {RUN_MS / 1000, RUN_MS % 1000 * 1000}};
        setitimer(ITIMER_PROF, &limit, NULL);
        try_one(path, shared);
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    const int section = atoi(argv[1]), count = argc - 4;
    const int64_t files = atoll(argv[2]);
    const uint64_t seed = strtoull(argv[3], NULL, 10);
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct input *inputs = calloc((size_t)count, sizeof *inputs);
    for (int i = 0; i < count; i++)
        if (read_input(&inputs[i], argv[4 + i]))
            return fprintf(stderr, "%s: it is no model\n", argv[4 + i]), 2;
    int crashed = 0, status;
    while (shared->done < files) {
        const pid_t child = fork();
        if (child < 0)
            return 2;
        if (!child)
            work(shared, inputs, count, section, files, seed);
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == TIMED_OUT) {
            shared->late++;
        } else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            printf("file %llu crashed\n", (unsigned long long)(seed + (uint64_t)shared->done - 1));
            crashed++;
        }
    }
    printf("section %d: %lld files: %lld refused, %lld failed, %lld ran, %lld too long, %d crashed\n", section,
           (long long)shared->done, (long long)shared->refused, (long long)shared->failed, (long long)shared->ran,
           (long long)shared->late, crashed);
    return crashed != 0;
}

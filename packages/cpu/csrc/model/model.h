/* Declarations shared by the files of the C library: a loaded program that is ready to run.

   choose.c     selection of a file's program; its inputs and outputs
   plans.c      plans: lookup of kernels, pointers, products planned for this machine
   model.c      the functions of facula_run.h */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "facula_run.h"
#include "files/files.h"

/* One launch with its arguments. */
typedef int64_t (*kernel_function)(const void *plan, int64_t *args);
struct step {
    kernel_function kernel; /* NULL: a condition */
    const void *plan;
    int64_t first, arguments;
    int64_t skip;
};

/* Fills `steps` and returns the bytes of the largest workspace, or -1 with a message. `*memory` contains the plans. */
int64_t plans_make(const struct section *section, struct step *steps, char **memory, char *error);

/* Returns whether a member of the zip file is a program. */
int is_program(const struct member *member);
/* Reads the program with the highest score, the first of equal ones, into `chosen`. Returns NULL with a message,
   which is `none` if no score is above 0. */
const struct member *program_choose(const struct archive *archive, facula_score score, void *context, const char *none,
                                    struct section *chosen, char *error);
/* Returns a score by the length of the first input's first dimension, an int64_t; 0 selects the first program. */
int score_batch(const struct facula_signature *program, void *batch);
/* Returns the inputs or outputs of a program, without addresses if `blocks` is NULL; numbers follow the inputs. NULL
   if memory is exhausted. */
struct facula_array *arrays_make(const struct section *section, int output, char *const *blocks, int64_t *count);

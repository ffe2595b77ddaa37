/* Arrays from files as inputs of a program: assigns files to inputs and checks that they fit. */
#pragma once
#include "facula_run.h"
#include "npy.h"

enum { MOST_FILES = 64 };

/* The files requested for a program: by the name of an input, or by position where `names` is NULL. */
struct request {
    int count;
    const char *names[MOST_FILES], *paths[MOST_FILES];
    struct npy arrays[MOST_FILES];
    int64_t batch;         /* 0: any */
    enum facula_mode mode; /* FACULA_ANY_MODE: any */
};

/* Assigns a file to each input: files with names first, the others in order. Returns 0, or -1 with a message. */
int assign_inputs(const struct request *request, const struct facula_array *inputs, int64_t count, int files[MOST_FILES],
                char error[FACULA_ERROR]);
/* For facula_model_choose: returns how well a program matches a struct request. */
int score_inputs(const struct facula_signature *program, void *request);
/* Returns 0, or -1 with a message if the array of a file neither fits an input nor contains an array for each step. */
int check_fit(const struct request *request, int file, const struct facula_array *input, char error[FACULA_ERROR]);
/* Copies an array, or its part for one step, to an input. */
void fill_input(const struct facula_array *input, const struct npy *npy, int64_t step);

/* Arrays of files as inputs of a program: which file is for which input, and whether it fits. */
#pragma once
#include "facula_run.h"
#include "npy.h"

enum { MOST_FILES = 64 };

/* What was asked for of a program: files by the name of an input, or by their order where `names` has NULL. */
struct wish {
    int count;
    const char *names[MOST_FILES], *paths[MOST_FILES];
    struct npy arrays[MOST_FILES];
    int64_t batch;         /* 0: any */
    enum facula_mode mode; /* FACULA_ANY_MODE: any */
};

/* Which file each input gets: those with names first, the others in their order. 0, or -1 with a message. */
int wish_assign(const struct wish *wish, const struct facula_array *inputs, int64_t count, int files[MOST_FILES],
                char error[FACULA_ERROR]);
/* For facula_model_choose: how well a program fits a struct wish. */
int wish_score(const struct facula_signature *program, void *wish);
/* 0, or -1 with a message, where an array neither fits an input nor has one for each step. */
int check_fit(const struct npy *npy, const struct facula_array *input, char error[FACULA_ERROR]);
/* Copies an array, or its part for a step, to an input. */
void fill_input(const struct facula_array *input, const struct npy *npy, int64_t step);

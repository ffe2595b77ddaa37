/* The plan of a recurrent layer over sequences, and of its gradients. Read by the compiler and by cffi: declarations
   only. */
#pragma once
#include <stdint.h>

enum { FACULA_LSTM, FACULA_GRU, FACULA_RNN_TANH, FACULA_RNN_RELU };

/* A row is one sequence at one step; the rows of a step are adjacent. Without sizes each step has `batch` rows; with
   sizes step t has sizes[t], at most as many as the previous step. See Note [Recurrent layers] in recurrent.inc. */
struct facula_recurrent {
    int64_t kind, reverse;      /* reverse: from the last step to the first */
    int64_t steps, batch, rows; /* rows: of all steps together */
    int64_t inputs, hidden;
    int64_t saved;     /* numbers saved per row */
    int64_t projected; /* how many of them, the first, depend on the input */
    int64_t group;     /* sequences in a task, and in a sum of the bias's gradient */
    int64_t units;     /* hidden units of a task: all, or those of a task of each step */
    int64_t stepwise;  /* the input's part is computed step by step, not for all steps at once */
    int64_t wants_input, wants_weights, wants_bias, wants_state;

    /* Parts of the workspace, in bytes from its start. */
    int64_t at_steps, at_bias, at_packed, at_projection, at_product;
    int64_t at_gates, at_former, at_state, at_sums;

    /* The functions that compute products: a kernel and plans of products/matmul.cdef.h. */
    void (*pack)(int64_t k, int64_t n, const void *b, int64_t row, int64_t col, void *packed);
    void (*multiply_packed)(int64_t m, int64_t n, int64_t k, const void *a, int64_t a_step, const void *packed, void *o,
                            int64_t o_step, const void *bias, int accumulate);
    int64_t (*multiply)(const void *plan, int64_t *args);
    const void *from_input;                                          /* input @ weight_ih.T */
    const void *input_gradient, *weight_ih_gradient;                 /* gates @ weight_ih, gates.T @ input */
    const void *weight_hh_gradient, *candidate_gradient;             /* gates.T @ former; GRU: last third separate */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_recurrent(T, K, S, A, E) \
    K(T, pack) K(T, multiply_packed) K(T, multiply) S(T, from_input, facula_matmul) S(T, input_gradient, facula_matmul) \
    S(T, weight_ih_gradient, facula_matmul) S(T, weight_hh_gradient, facula_matmul) S(T, candidate_gradient, facula_matmul)
#define FACULA_NUMBERS_recurrent (0)

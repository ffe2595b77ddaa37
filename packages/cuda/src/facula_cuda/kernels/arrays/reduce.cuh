/* Reductions over any dimensions of a strided array.

   Note [Reductions on a device]
   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
   A task is one output, or one piece of the elements that are reduced into it. `group` threads of a block work on a
   task: lane l folds the elements l, l + group, ... into a state, and the states of the lanes are joined in a tree.
   With several pieces, states go to the workspace, and a second kernel joins those of each output in order. Group and
   pieces depend on shapes and strides alone, so a result does not depend on the order in which blocks run. */
#pragma once
#include "facula/states.cuh"

template <int D> struct reduction { /* as _planners/reductions.py packs it */
    int64_t outputs, reduced, group, pieces, piece;
    int64_t root;
    double number;
    dimensions<3, D> kept; /* steps of the array, of the values and of the indices */
    dimensions<1, D> folded;
};

template <int outputs, int D> struct reduce_args {
    int64_t n;
    const char *a;
    char *o[outputs];
    reduction<D> r;
};
template <int outputs, int D> struct reduce_pieces_args {
    int64_t n;
    const char *a;
    char *o[outputs];
    char *states; /* the workspace */
    reduction<D> r;
};

enum { VALUES = 1, PLACES = 2 }; /* the outputs that a kernel has, in this order */

template <int wanted, int out, class S, class R>
static ALWAYS_INLINE void store_result(const R &r, char *const *o, int64_t output, const S &state)
{
    int64_t at[3] = {0, 0, 0};
    r.kept.move(output, at);
    if constexpr ((wanted & VALUES) != 0)
        *(typename element<out>::stored *)(o[0] + at[1]) = element<out>::write(state.value(r.number, r.root));
    if constexpr ((wanted & PLACES) != 0)
        *(int64_t *)(o[wanted & VALUES ? 1 : 0] + at[2]) = state.place();
}

/* Fold the elements [first, end) of an output into the states of a group's lanes. */
template <int in, class S, class R>
static ALWAYS_INLINE void fold_elements(const R &r, const char *a, int64_t output, int64_t first, int64_t end, S &state)
{
    const int group = (int)r.group;
    int64_t from[3] = {0, 0, 0};
    r.kept.move(output, from);
    a += from[0];
#pragma unroll 1
    for (int64_t i = first + ((int)threadIdx.x & (group - 1)); i < end; i += group) {
        int64_t at[1] = {0};
        r.folded.move(i, at);
        state.add(element<in>::read(*(const typename element<in>::stored *)(a + at[0])), i);
    }
}

/* Join the states of each group's lanes into that of its lane 0. All threads of the block take part. */
template <class S> static ALWAYS_INLINE void join_group(S &state, int group, S *shared)
{
    shared[threadIdx.x] = state;
    __syncthreads();
#pragma unroll 1
    for (int half = group / 2; half; half /= 2) {
        if (((int)threadIdx.x & (group - 1)) < half)
            shared[threadIdx.x].join(shared[threadIdx.x + half]);
        __syncthreads();
    }
    state = shared[threadIdx.x];
    __syncthreads(); /* before the next task's */
}

/* Fold each output whole. */
template <int in, int out, int wanted, class S, class A> static ALWAYS_INLINE void reduce_whole(const A &p)
{
    __shared__ S shared[256];
    const int group = (int)p.r.group, together = (int)blockDim.x / group, mine = (int)threadIdx.x / group;
    for (int64_t base = (int64_t)blockIdx.x * together; base < p.r.outputs; base += (int64_t)gridDim.x * together) {
        const int64_t output = base + mine;
        S state;
        begin(state, p.r.number);
        if (output < p.r.outputs)
            fold_elements<in>(p.r, p.a, output, 0, p.r.reduced, state);
        join_group(state, group, shared);
        if (output < p.r.outputs && ((int)threadIdx.x & (group - 1)) == 0)
            store_result<wanted, out>(p.r, p.o, output, state);
    }
}

/* Fold each piece of each output into a state in the workspace. */
template <int in, class S, class A> static ALWAYS_INLINE void reduce_pieces(const A &p)
{
    __shared__ S shared[256];
    const int group = (int)p.r.group, together = (int)blockDim.x / group, mine = (int)threadIdx.x / group;
    const int64_t tasks = p.r.outputs * p.r.pieces;
    for (int64_t base = (int64_t)blockIdx.x * together; base < tasks; base += (int64_t)gridDim.x * together) {
        const int64_t task = base + mine, piece = task / p.r.outputs, first = piece * p.r.piece;
        S state;
        begin(state, p.r.number);
        if (task < tasks)
            fold_elements<in>(p.r, p.a, task - piece * p.r.outputs, first,
                              first + p.r.piece < p.r.reduced ? first + p.r.piece : p.r.reduced, state);
        join_group(state, group, shared);
        if (task < tasks && ((int)threadIdx.x & (group - 1)) == 0)
            ((S *)p.states)[task] = state;
    }
}

/* Join the pieces of each output. */
template <int out, int wanted, class S, class A> static ALWAYS_INLINE void reduce_joined(const A &p)
{
    const S *states = (const S *)p.states;
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.r.outputs; i += threads) {
        S state = states[i];
#pragma unroll 1
        for (int64_t piece = 1; piece < p.r.pieces; piece++)
            state.join(states[piece * p.r.outputs + i]);
        store_result<wanted, out>(p.r, p.o, i, state);
    }
}

/* NAME_whole: one piece. NAME_pieces, then NAME_joined: several. `room` is the maximum number of dimensions, the last
   argument the type of states. */
#define REDUCTION(NAME, room, in, out, wanted, ...)                                                                         \
    typedef __VA_ARGS__ NAME##_state;                                                                                 \
    typedef reduce_args<(wanted) == (VALUES | PLACES) ? 2 : 1, room> NAME##_args;                                           \
    typedef reduce_pieces_args<(wanted) == (VALUES | PLACES) ? 2 : 1, room> NAME##_pieces_args;                             \
    SYNC_KERNEL(NAME##_whole, NAME##_args) { reduce_whole<in, out, wanted, NAME##_state>(p); }                        \
    SYNC_KERNEL(NAME##_pieces, NAME##_pieces_args) { reduce_pieces<in, NAME##_state>(p); }                            \
    KERNEL(NAME##_joined, NAME##_pieces_args) { reduce_joined<out, wanted, NAME##_state>(p); }

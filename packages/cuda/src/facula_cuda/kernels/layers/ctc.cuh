/* Connectionist temporal classification: the loss, and its gradient. States, alphas and betas are those of Note [States]
   in facula_cpu's losses/ctc.dispatch.c, and their logarithms are added as there.

   A block has an example, and its threads the states of a step. Betas, the states' shares and links between states of
   one class are in the workspace. Wrong lengths and targets are reported; such an example counts as one without steps,
   such a target as blank.

   `args` has x, targets, lengths, loss, alpha, or for the gradient g, those, o and a workspace; blank and zero_infinity;
   and steps, batch, classes, count (of all targets), longest and the steps of x in bytes: by_step, by_example,
   by_class. */
#pragma once
#include "facula/common.cuh" /* first: words that the others need */
#include "elements/math/functions.h"

/* The logarithm of the sum of three exponentials. */
template <class T> static ALWAYS_INLINE T log_sum(T a, T b, T c)
{
    T most = a > b ? a : b;
    most = c > most ? c : most;
    most = most == (T)-INFINITY ? 0 : most;
    return most + real_log(real_exp(a - most) + real_exp(b - most) + real_exp(c - most));
}

template <class T, class A> struct ctc_example {
    const A &p;
    const char *x;
    const int64_t *targets;
    int64_t steps, states, width;
    ALWAYS_INLINE ctc_example(const A &p, int64_t number) : p(p), x(p.x + number * p.by_example)
    {
        const int64_t *lengths = (const int64_t *)p.lengths + 3 * number;
        const int64_t count = lengths[1], start = lengths[2];
        const bool sound = lengths[0] >= 0 && lengths[0] <= p.steps && count >= 0 && count <= p.longest && start >= 0 &&
                           start <= p.count - count && p.blank >= 0 && p.blank < p.classes;
        steps = sound ? lengths[0] : 0;
        states = sound ? 2 * count + 1 : 1;
        width = 2 * p.longest + 1;
        targets = (const int64_t *)p.targets + (sound ? start : 0);
        if (!sound && threadIdx.x == 0)
            report(p.record, STATUS_RANGE, number, 0, 0, 0);
        for (int64_t i = threadIdx.x; sound && i < count; i += blockDim.x)
            if (targets[i] < 0 || targets[i] >= p.classes)
                report(p.record, STATUS_TARGET, targets[i], start + i, p.classes, p.blank);
    }
    ALWAYS_INLINE int64_t class_of(int64_t state) const
    {
        const int64_t found = state & 1 ? targets[state >> 1] : p.blank;
        return found < 0 || found >= p.classes ? p.blank : found;
    }
    /* Whether a state can be reached from the state two before it. */
    ALWAYS_INLINE bool skips(int64_t state) const
    {
        return (state & 1) && state > 1 && state < states && class_of(state) != class_of(state - 2);
    }
    ALWAYS_INLINE T read(int64_t t, int64_t of_class) const
    {
        return *(const T *)(x + t * p.by_step + of_class * p.by_class);
    }
};

template <class T, class A> static ALWAYS_INLINE void ctc_losses(const A &p)
{
    for (int64_t number = blockIdx.x; number < p.batch; number += gridDim.x) {
        const ctc_example<T, A> at(p, number);
        T *alpha = (T *)p.alpha + number * p.steps * at.width;
#pragma unroll 1
        for (int64_t t = 0; t < at.steps; t++, alpha += at.width) {
            const T *former = alpha - at.width;
            for (int64_t u = threadIdx.x; u < at.states; u += blockDim.x) {
                const T now = at.read(t, at.class_of(u)), never = (T)-INFINITY;
                if (t)
                    alpha[u] = log_sum(former[u], u > 0 ? former[u - 1] : never, at.skips(u) ? former[u - 2] : never) + now;
                else
                    alpha[u] = u < 2 ? now : never;
            }
            __syncthreads(); /* before the next step reads these */
        }
        if (threadIdx.x == 0) {
            const T *last = alpha - at.width + at.states - 1;
            T total = at.states == 1 ? 0 : (T)-INFINITY;
            if (at.steps)
                total = at.states == 1 ? last[0] : log_sum(last[0], last[-1], (T)-INFINITY);
            ((T *)p.loss)[number] = total != 0 ? -total : 0;
        }
    }
}

template <class T, class A> static ALWAYS_INLINE void ctc_gradients(const A &p)
{
    for (int64_t number = blockIdx.x; number < p.batch; number += gridDim.x) {
        const ctc_example<T, A> at(p, number);
        const T *alpha = (const T *)p.alpha + number * p.steps * at.width;
        const T g = ((const T *)p.g)[number], loss = ((const T *)p.loss)[number];
        const bool possible = loss < (T)INFINITY, omitted = p.zero_infinity && loss == (T)INFINITY;
        int64_t *const links = (int64_t *)p.workspace, *const link = links + number * at.width;
        T *const beta = (T *)(links + p.batch * at.width) + number * 3 * at.width;
        T *const share = beta + at.width, *const ahead = share + at.width;
        for (int64_t u = threadIdx.x; u < at.states; u += blockDim.x) {
            beta[u] = u >= at.states - 2 ? 0 : (T)-INFINITY;
            /* Twice the next state of the same class, or 0; plus 1 for the first state of a class that is not blank. */
            const int64_t own = at.class_of(u);
            int64_t next = u + 2, first = own == p.blank ? 0 : 1;
            while (next < at.states && at.class_of(next) != own)
                next += 2;
            for (int64_t v = 1; v < u && first; v += 2)
                first = at.class_of(v) != own;
            link[u] = 2 * (next < at.states ? next : 0) + first;
        }
#pragma unroll 1
        for (int64_t t = p.steps - 1; t >= 0; t--) {
            T *const o = (T *)p.o + (t * p.batch + number) * p.classes;
            const bool zero = t >= at.steps || omitted;
            for (int64_t c = threadIdx.x; c < p.classes; c += blockDim.x)
                o[c] = zero ? 0 : possible ? real_exp(at.read(t, c)) * g : (T)NAN;
            if (zero || !possible)
                continue;
            for (int64_t u = threadIdx.x; u < at.states; u += blockDim.x) {
                share[u] = real_exp(alpha[t * at.width + u] + beta[u] + loss);
                ahead[u] = beta[u] + at.read(t, at.class_of(u));
            }
            __syncthreads(); /* the shares and links of all states */
            if (threadIdx.x < WARP) { /* of blank, which every second state has */
                T sum = 0;
                for (int64_t u = threadIdx.x; u < at.states; u += WARP)
                    sum += at.class_of(u) == p.blank ? share[u] : 0;
                for (int by = WARP / 2; by; by /= 2)
                    sum += __shfl_down_sync(EVERY_LANE, sum, by);
                if (threadIdx.x == 0)
                    o[p.blank] = (real_exp(at.read(t, p.blank)) - sum) * g;
            }
            for (int64_t u = threadIdx.x; u < at.states; u += blockDim.x) {
                if (link[u] & 1) { /* the first state of its class */
                    T sum = share[u];
                    for (int64_t v = link[u] >> 1; v; v = link[v] >> 1)
                        sum += share[v];
                    const int64_t own = at.class_of(u);
                    o[own] = (real_exp(at.read(t, own)) - sum) * g;
                }
                const T never = (T)-INFINITY;
                beta[u] = log_sum(ahead[u], u + 1 < at.states ? ahead[u + 1] : never, at.skips(u + 2) ? ahead[u + 2] : never);
            }
            __syncthreads(); /* before the next step replaces the shares */
        }
    }
}

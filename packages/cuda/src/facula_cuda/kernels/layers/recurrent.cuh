/* A recurrent layer over whole sequences of float or double, in one direction, and its gradients.

   Note [Recurrent layers on a device]
   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
   Rows, steps, sizes and saved numbers are those of the CPU: see Note [Recurrent layers] in its recurrent.inc, and
   recurrent_gates.inc for the formulas. The input's part of the gates is one product over all steps. Then one kernel for
   each step, the turn, multiplies the former states by weight_hh, and computes the gates from the sums in registers: a
   thread has all gates of one unit of one sequence. Backward, a turn multiplies the gates' gradients of the step after
   it, and computes those of its own step. One more turn gives the gradients of the first states. The gradients of the
   input, the weights and the biases are products and sums over all steps.

   `args` has the operands and results in the order of the planner and a workspace, where packed sequences have the
   sizes and the starts of the steps; then turn, reverse, steps, batch, rows, inputs, hidden, and the places in the
   workspace of the backward pass. */
#pragma once
#include "facula/tiles.cuh" /* first: words that the others need */
#include "elements/math/functions.h"

enum { LSTM, GRU, RNN_TANH, RNN_RELU };
enum { SIDE = 16 }; /* sequences, units and depth of a tile */

/* Gates of a unit: those that are saved, and those that weights are multiplied for. */
template <int kind> struct gates {
    enum { SAVED = kind < RNN_TANH ? 4 : 1, MADE = kind == LSTM ? 4 : kind == GRU ? 3 : 1 };
};

/* Write the sizes and starts of the steps of packed sequences. Wrong ones are reported, and cut so that all rows are
   inside of the operands. */
template <class A> static ALWAYS_INLINE void find_steps(const A &p)
{
    const int64_t *sizes = (const int64_t *)p.sizes;
    FOR_ELEMENTS(t, p.steps)
    {
        int64_t start = 0, most = p.batch, count = 0;
        bool sound = true;
        for (int64_t s = 0; s <= t; s++) {
            start += count;
            count = sizes[s];
            sound = sound && count >= 0 && count <= most && (s || count == most);
            count = count < 0 ? 0 : count > most ? most : count;
            count = count > p.rows - start ? p.rows - start : count;
            most = count;
        }
        if (!sound || (t == p.steps - 1 && start + count != p.rows))
            report(p.record, STATUS_RANGE, sizes[t], 0, 0, 0);
        ((int64_t *)p.workspace)[t] = count;
        ((int64_t *)p.workspace)[p.steps + t] = start;
    }
}

/* The rows of the step that is visited as number `number`: none before the first and after the last. */
struct visit {
    int64_t size, start;
    template <class A> ALWAYS_INLINE visit(const A &p, int64_t number) : size(0), start(0)
    {
        if (number < 0 || number >= p.steps)
            return;
        const int64_t t = p.reverse ? p.steps - 1 - number : number;
        size = p.sizes ? ((const int64_t *)p.workspace)[t] : p.batch;
        start = p.sizes ? ((const int64_t *)p.workspace)[p.steps + t] : t * p.batch;
    }
    /* The number of a row and a unit in an array of all steps, or in that of the first states; 0 without them. */
    template <class T>
    ALWAYS_INLINE T state(const char *all, const char *first, int64_t row, int64_t unit, int64_t hidden) const
    {
        if (row < size)
            return ((const T *)all)[(start + row) * hidden + unit];
        return first ? ((const T *)first)[row * hidden + unit] : 0;
    }
};

/* Add to `sums` the products of a row and of MADE columns of weights, `depth` deep, of a tile of 16 rows and 16 units.
   `row_at(row, d)` and `weight_at(gate, unit, d)` return numbers. `across`: neighbouring threads read units. */
template <int MADE, bool across, class T, class R, class W>
static ALWAYS_INLINE void multiply_states(T (&sums)[MADE], int64_t depth, R row_at, W weight_at)
{
    __shared__ T rows[SIDE][SIDE + 1], weights[MADE][SIDE][SIDE + 1]; /* [row][depth], [gate][unit][depth] */
    const int y = (int)threadIdx.x / SIDE, x = (int)threadIdx.x % SIDE;
#pragma unroll 1
    for (int64_t first = 0; first < depth; first += SIDE) {
        rows[y][x] = row_at(y, first + x);
        for (int gate = 0; gate < MADE; gate++)
            weights[gate][across ? x : y][across ? y : x] = weight_at(gate, across ? x : y, first + (across ? y : x));
        __syncthreads();
        for (int d = 0; d < SIDE; d++)
            for (int gate = 0; gate < MADE; gate++)
                sums[gate] = total<T>::add(sums[gate], rows[y][d], weights[gate][x][d]);
        __syncthreads(); /* before the next ones overwrite these */
    }
}

/* The first row and unit of a tile. */
struct state_tile {
    int64_t row, unit;
    template <class A> ALWAYS_INLINE state_tile(const A &p, int64_t number)
    {
        const int64_t tiles = (p.hidden + SIDE - 1) / SIDE;
        row = number / tiles * SIDE;
        unit = number % tiles * SIDE;
    }
};

template <int kind, class T, class A> static ALWAYS_INLINE void advance(const A &p)
{
    enum { SAVED = gates<kind>::SAVED, MADE = gates<kind>::MADE };
    const visit now(p, p.turn), former(p, p.turn - 1), later(p, p.turn + 1);
    const int64_t n = p.hidden, depth = p.turn || p.h0 ? n : 0;
    for (int64_t number = blockIdx.x; number < p.tiles; number += gridDim.x) {
        const state_tile tile(p, number);
        T made[MADE] = {};
        multiply_states<MADE, false>(
            made, depth,
            [&](int y, int64_t d) {
                const int64_t row = tile.row + y;
                return row < now.size && d < n ? former.state<T>(p.out, p.h0, row, d, n) : 0;
            },
            [&](int gate, int x, int64_t d) {
                const int64_t unit = tile.unit + x;
                return unit < n && d < n ? ((const T *)p.weight_hh)[(gate * n + unit) * n + d] : 0;
            });
        const int64_t row = tile.row + threadIdx.x / SIDE, unit = tile.unit + threadIdx.x % SIDE;
        if (row >= now.size || unit >= n)
            continue;
        const int64_t at = (now.start + row) * n + unit;
        T *saved = (T *)p.saved + (now.start + row) * SAVED * n + unit, h, c = 0, own[MADE], given[MADE];
        for (int gate = 0; gate < MADE; gate++) {
            given[gate] = saved[gate * n] + (p.bias_ih ? ((const T *)p.bias_ih)[gate * n + unit] : 0);
            own[gate] = made[gate] + (p.bias_hh ? ((const T *)p.bias_hh)[gate * n + unit] : 0);
        }
        if constexpr (kind == LSTM) {
            const T in = real_sigmoid(given[0] + own[0]), forget = real_sigmoid(given[1] + own[1]);
            const T cell = real_tanh(given[2] + own[2]), out = real_sigmoid(given[3] + own[3]);
            c = forget * former.state<T>(p.cells, p.c0, row, unit, n) + in * cell;
            h = out * real_tanh(c);
            saved[0] = in, saved[n] = forget, saved[2 * n] = cell, saved[3 * n] = out;
            ((T *)p.cells)[at] = c;
        } else if constexpr (kind == GRU) {
            const T reset = real_sigmoid(given[0] + own[0]), update = real_sigmoid(given[1] + own[1]);
            const T candidate = real_tanh(given[2] + reset * own[2]);
            h = (1 - update) * candidate + update * former.state<T>(p.out, p.h0, row, unit, n);
            saved[0] = reset, saved[n] = update, saved[2 * n] = candidate, saved[3 * n] = own[2];
        } else {
            const T sum = given[0] + own[0];
            h = kind == RNN_TANH ? real_tanh(sum) : sum <= 0 ? 0 : sum; /* NaN remains */
            saved[0] = sum;
        }
        ((T *)p.out)[at] = h;
        if (row >= later.size) { /* the sequence ends */
            ((T *)p.h_n)[row * n + unit] = h;
            if (kind == LSTM)
                ((T *)p.c_n)[row * n + unit] = c;
        }
    }
}

template <int kind, class T, class A> static ALWAYS_INLINE void retreat(const A &p)
{
    enum { SAVED = gates<kind>::SAVED, MADE = gates<kind>::MADE };
    const int64_t number = p.steps - 1 - p.turn, n = p.hidden, width = SAVED * n, depth = p.turn ? MADE * n : 0;
    const visit now(p, number), former(p, number - 1), later(p, number + 1);
    T *const all = (T *)(p.workspace + p.at_gates), *const dh = (T *)(p.workspace + p.at_h), *const dc = dh + p.batch * n;
    for (int64_t number = blockIdx.x; number < p.tiles; number += gridDim.x) {
        const state_tile tile(p, number);
        T sum[1] = {};
        multiply_states<1, true>(
            sum, depth,
            [&](int y, int64_t d) {
                const int64_t row = tile.row + y, column = kind == GRU && d >= 2 * n ? d + n : d;
                return row < later.size && d < depth ? all[(later.start + row) * width + column] : 0;
            },
            [&](int, int x, int64_t d) {
                const int64_t unit = tile.unit + x;
                return unit < n && d < depth ? ((const T *)p.weight_hh)[d * n + unit] : 0;
            });
        const int64_t row = tile.row + threadIdx.x / SIDE, unit = tile.unit + threadIdx.x % SIDE;
        const int64_t place = row * n + unit, at = (now.start + row) * n + unit;
        if (unit >= n || (row >= now.size && row >= later.size))
            continue;
        T whole, of_cell = 0; /* the gradients of the states after this step */
        if (row < later.size) {
            whole = sum[0] + (kind == GRU ? dh[place] : 0);
            of_cell = kind == LSTM ? dc[place] : 0;
        } else { /* the sequence ended here */
            whole = p.of_h ? ((const T *)p.of_h)[place] : 0;
            of_cell = kind == LSTM && p.of_c ? ((const T *)p.of_c)[place] : 0;
        }
        if (row >= now.size) { /* the sequence began at the later step */
            if (p.wants_state) {
                ((T *)p.of_h0)[place] = whole;
                if (kind == LSTM)
                    ((T *)p.of_c0)[place] = of_cell;
            }
            continue;
        }
        if (p.of_out)
            whole += ((const T *)p.of_out)[at];
        const T *saved = (const T *)p.saved + (now.start + row) * width + unit;
        T *d = all + (now.start + row) * width + unit;
        const T former_h = former.state<T>(p.out, p.h0, row, unit, n);
        if constexpr (kind == LSTM) {
            const T i = saved[0], f = saved[n], e = saved[2 * n], o = saved[3 * n], t = real_tanh(((const T *)p.cells)[at]);
            of_cell += whole * o * (1 - t * t);
            d[0] = of_cell * e * i * (1 - i);
            d[n] = of_cell * former.state<T>(p.cells, p.c0, row, unit, n) * f * (1 - f);
            d[2 * n] = of_cell * i * (1 - e * e);
            d[3 * n] = whole * t * o * (1 - o);
            dc[place] = of_cell * f;
        } else if constexpr (kind == GRU) {
            const T r = saved[0], z = saved[n], e = saved[2 * n], m = saved[3 * n];
            const T inner = whole * (1 - z) * (1 - e * e);
            d[0] = inner * m * r * (1 - r);
            d[n] = whole * (former_h - e) * z * (1 - z);
            d[2 * n] = inner;
            d[3 * n] = inner * r;
            dh[place] = whole * z;
        } else {
            const T h = ((const T *)p.out)[at];
            d[0] = kind == RNN_TANH ? whole * (1 - h * h) : h <= 0 ? 0 : whole;
        }
        if (p.wants_weights)
            ((T *)(p.workspace + p.at_former))[at] = former_h;
    }
}

/* The sums of all rows of the gates' gradients: of 32 columns by a block, with eight sums for each. */
template <int kind, class T, class A> static ALWAYS_INLINE void sum_gates(const A &p)
{
    __shared__ double part[256 / WARP][WARP];
    const int64_t n = p.hidden, width = gates<kind>::SAVED * n;
    const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP, warps = (int)blockDim.x / WARP;
    const T *const all = (const T *)(p.workspace + p.at_gates);
    for (int64_t base = (int64_t)blockIdx.x * WARP; base < width; base += (int64_t)gridDim.x * WARP) {
        const int64_t column = base + lane;
        double sum = 0;
        for (int64_t row = warp; row < p.rows && column < width; row += warps)
            sum += (double)all[row * width + column];
        part[warp][lane] = sum;
        __syncthreads();
        if (warp == 0 && column < width) {
            for (int other = 1; other < warps; other++)
                sum += part[other][lane];
            if (column < gates<kind>::MADE * n)
                ((T *)p.of_bias_ih)[column] = (T)sum;
            if (kind != GRU || column < 2 * n || column >= 3 * n)
                ((T *)p.of_bias_hh)[column < 2 * n || kind != GRU ? column : column - n] = (T)sum;
        }
        __syncthreads(); /* before the next columns' sums */
    }
}

/* All tiles of o (m, n) = a (m, depth) @ b (depth, n), whose rows have a step in elements. Transposed: a is (depth, m),
   b is (n, depth). */
template <class T, bool a_transposed, bool b_transposed>
static ALWAYS_INLINE void multiply_arrays(int64_t m, int64_t n, int64_t depth, const T *a, int64_t a_step, const T *b,
                                          int64_t b_step, T *o, int64_t o_step)
{
    enum { code = sizeof(T) == 4 ? FLOAT32 : FLOAT64 };
    const int64_t size = sizeof(T), across = (n + TILE - 1) / TILE, down = (m + TILE - 1) / TILE;
    __shared__ slice<code> left, right;
    for (int64_t tile = blockIdx.x; tile < across * down; tile += gridDim.x) {
        const int64_t m0 = tile / across * TILE, n0 = tile % across * TILE;
        const operand from_a = a_transposed ? operand{(const char *)(a + m0), size, a_step * size, m - m0, false}
                                            : operand{(const char *)(a + m0 * a_step), a_step * size, size, m - m0, true};
        const operand from_b = b_transposed ? operand{(const char *)(b + n0 * b_step), b_step * size, size, n - n0, true}
                                            : operand{(const char *)(b + n0), size, b_step * size, n - n0, false};
        T sums[EACH][EACH] = {};
        multiply_slices<code>(sums, left, right, from_a, from_b, depth);
        for (int i = 0; i < EACH; i++)
            for (int j = 0; j < EACH; j++) {
                const int64_t y = m0 + first_row() + i, x = n0 + first_column() + j;
                if (y < m && x < n)
                    o[y * o_step + x] = sums[i][j];
            }
    }
}

/* The input's part of the gates of all steps. */
template <int kind, class T, class A> static ALWAYS_INLINE void project(const A &p)
{
    multiply_arrays<T, false, true>(p.rows, gates<kind>::MADE * p.hidden, p.inputs, (const T *)p.x, p.inputs,
                                    (const T *)p.weight_ih, p.inputs, (T *)p.saved, gates<kind>::SAVED * p.hidden);
}
template <int kind, class T, class A> static ALWAYS_INLINE void back_to_input(const A &p)
{
    multiply_arrays<T, false, false>(p.rows, p.inputs, gates<kind>::MADE * p.hidden, (const T *)(p.workspace + p.at_gates),
                                     gates<kind>::SAVED * p.hidden, (const T *)p.weight_ih, p.inputs, (T *)p.of_x,
                                     p.inputs);
}
template <int kind, class T, class A> static ALWAYS_INLINE void back_to_weight_ih(const A &p)
{
    multiply_arrays<T, true, false>(gates<kind>::MADE * p.hidden, p.inputs, p.rows, (const T *)(p.workspace + p.at_gates),
                                    gates<kind>::SAVED * p.hidden, (const T *)p.x, p.inputs, (T *)p.of_weight_ih, p.inputs);
}
/* Gates [first, first + count) of the result, which are `skipped` gates further among the saved ones. */
template <int kind, class T, class A>
static ALWAYS_INLINE void back_to_weight_hh(const A &p, int64_t first, int64_t count, int64_t skipped)
{
    const int64_t n = p.hidden;
    multiply_arrays<T, true, false>(count * n, n, p.rows,
                                    (const T *)(p.workspace + p.at_gates) + (first + skipped) * n,
                                    gates<kind>::SAVED * n, (const T *)(p.workspace + p.at_former), n,
                                    (T *)p.of_weight_hh + first * n * n, n);
}

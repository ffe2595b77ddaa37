/* Convolutions of float by Winograd's algorithm: weights of 3 x 3 or 5 x 5, stride 1.

   Note [Winograd]
   ~~~~~~~~~~~~~~~
   A. Lavin and S. Gray, Fast Algorithms for Convolutional Neural Networks (2016): F(4x4, 3x3) and F(2x2, 5x5). A tile of
   4 x 4 (2 x 2) results depends on 6 x 6 pixels of the input. Tiles and weights are transformed to 6 x 6 numbers, whose
   products, summed over channels, are transformed back to results: 36 multiplications in place of 144 (100).

       results              =  A' [(G g G') . (B' d B)] A
       gradient of input    =  the same, with weights turned round and transposed
       gradient of weights  =  G' [(A dy A') . (B' d B)] G, summed over tiles

   Each of the 36 numbers has its own matrix product: of V (tiles x channels) and U (channels x filters), which is M; or of
   the transpose of V and dM (tiles x filters), which is dU. U, M and dM consist of panels of filters, two vectors wide,
   in which the micro-kernels of products read and write complete rows.

   A strip is a part of a row of tiles. Its lines are transposed, so that channels are in vectors. A block consists of
   so many strips that V stays in the caches. Tasks are

   * for results and the gradient of the input: panels of U, then blocks. If there are few tiles and many weights:
     strips of V, then panels, which are multiplied while U is in the caches.
   * for the gradient of the weights: for each block, first strips of V and dM, then some panels of a product. A task
     adds to its part of dU, so no sums of tasks are added afterwards. If there are few tiles and many weights: strips,
     then panels, whose dU stays in the caches.

   If U would be large, it is made for some of the panels at a time.

   Sums are over channels in the order of micro-kernels, or over tiles in blocks that depend on shapes only. So results do
   not depend on the number of threads, and those of an image not on other images. */
#include "runtime/kernel.h"

#include <stdatomic.h>
#include <string.h>

#include "products/gemm_rows.h"
#include "convolution/winograd.h"

#define T float
#define SUFFIX float
#define VECTOR floats
#define LOOSE loose_floats
#define INTEGER int32_t
#define LOAD_PART load_floats
#define STORE_PART store_floats
#ifndef __AVX512F__
#include "products/transpose.inc"
#endif
#include "products/gemm_micro.inc"
#include "convolution/finish.inc"
#include "convolution/winograd_transforms.inc"
#include "convolution/winograd_tiles.inc"

enum { K_BLOCK = 256 };       /* terms of a sum: so many rows of a panel fit in the first cache */
enum { PANELS_OF_TASK = 4 };

/* A call, and the tasks of its present phase. */
struct call {
    const struct facula_winograd *plan;
    int turned; /* whether weights are turned round and transposed */
    const float *input, *weights, *bias, *factors;
    float *results; /* or their gradient */
    float *weights_gradient;
    float *shared, *private;
    int64_t panel, panels; /* of U */
    int64_t strip, strips; /* of a block */
    void (*task)(const struct call *call, int64_t number, float *private);
    int64_t tasks;
    _Atomic int64_t next;
};

static void run_slot(void *context, int64_t slot)
{
    struct call *call = context;
    float *private = call->private + slot * call->plan->private;
    int64_t number;
    while ((number = atomic_fetch_add_explicit(&call->next, 1, memory_order_relaxed)) < call->tasks)
        call->task(call, number, private);
}

static void run(struct call *call, int64_t tasks, void (*task)(const struct call *, int64_t, float *))
{
    call->tasks = tasks;
    call->task = task;
    call->next = 0;
    const int64_t slots = call->plan->slots < tasks ? call->plan->slots : tasks;
    if (slots > 1)
        facula_parallel(slots, run_slot, call);
    else
        run_slot(call, 0);
}

static int64_t tiles_of(const struct facula_winograd *plan, int64_t strip, int64_t strips)
{
    return winograd_tiles_before(plan, strip + strips) - winograd_tiles_before(plan, strip);
}

/* Columns of a panel that a product computes. */
static int64_t columns_of(const struct facula_winograd *plan, int64_t panel)
{
    return plan->filters - panel * WIDE > LANES ? WIDE : LANES;
}

/* ----------------------------------------------------------------------------- results, and the gradient of the input */
static void transform_panel(const struct call *call, int64_t panel, float *u, int64_t plane)
{
    if (call->plan->taps == 3)
        make_u(3, call->plan, call->weights, call->turned, panel, u, plane);
    else
        make_u(5, call->plan, call->weights, call->turned, panel, u, plane);
}

static void deliver(const struct call *call, const float *m, int64_t plane, const struct strip *strip, int64_t panel,
                    float *pixels)
{
    if (call->plan->taps == 3)
        make_results(4, call->plan, m, plane, strip, panel, call->bias, call->factors, call->results, pixels);
    else
        make_results(2, call->plan, m, plane, strip, panel, call->bias, call->factors, call->results, pixels);
}

/* M of one panel and one of the 36 products. */
static void multiply_panel(const struct facula_winograd *plan, int64_t tiles, int64_t panel, const float *v, const float *u,
                           float *m)
{
    for (int64_t c = 0; c < plan->channels; c += K_BLOCK)
        multiply_panels_float(tiles, columns_of(plan, panel), plan->channels - c < K_BLOCK ? plan->channels - c : K_BLOCK,
                              v + c, winograd_pitch(plan), 0, u + c * WIDE, WIDE, 0, NULL, m, WIDE, NULL, c > 0);
}

/* Task of a panel: U. */
static void run_weights(const struct call *call, int64_t number, float *private)
{
    (void)private;
    transform_panel(call, call->panel + number, call->shared + number * call->plan->channels * WIDE,
                    winograd_u(call->plan, call->plan->panels));
}

/* Task of a block: its V, M and results. */
static void run_block(const struct call *call, int64_t number, float *private)
{
    const struct facula_winograd *plan = call->plan;
    const int64_t first = number * plan->block, strips = winograd_strips(plan);
    const int64_t last = first + plan->block < strips ? first + plan->block : strips;
    const int64_t most = plan->block * plan->across, tiles = tiles_of(plan, first, last - first);
    const int64_t v_plane = winograd_v(plan, most), m_plane = winograd_m(plan, most, plan->panels);
    const int64_t u_plane = winograd_u(plan, plan->panels);
    float *v = private, *m = v + POINTS * v_plane, *pixels = m + POINTS * m_plane;
    for (int64_t s = first; s < last; s++) {
        const struct strip strip = find_strip(plan, s);
        make_v(plan, call->input, &strip, v + tiles_of(plan, first, s - first) * winograd_pitch(plan), v_plane, pixels);
    }
    for (int point = 0; point < POINTS; point++)
        for (int64_t p = 0; p < call->panels; p++)
            multiply_panel(plan, tiles, call->panel + p, v + point * v_plane,
                           call->shared + point * u_plane + p * plan->channels * WIDE,
                           m + point * m_plane + p * tiles * WIDE);
    for (int64_t p = 0; p < call->panels; p++)
        for (int64_t s = first; s < last; s++) {
            const struct strip strip = find_strip(plan, s);
            deliver(call, m + (p * tiles + tiles_of(plan, first, s - first)) * WIDE, m_plane, &strip, call->panel + p,
                    pixels);
        }
}

/* Task of a strip: V, of all tiles. */
static void run_strip(const struct call *call, int64_t number, float *private)
{
    const struct facula_winograd *plan = call->plan;
    const int64_t all = plan->block * plan->across;
    const struct strip strip = find_strip(plan, number);
    float *pixels = private + POINTS * (winograd_u(plan, 1) + winograd_m(plan, all, 1));
    make_v(plan, call->input, &strip, call->shared + winograd_tiles_before(plan, number) * winograd_pitch(plan),
           winograd_v(plan, all), pixels);
}

/* Task of a panel: U, M and results of all tiles. */
static void run_panel(const struct call *call, int64_t number, float *private)
{
    const struct facula_winograd *plan = call->plan;
    const int64_t most = plan->block * plan->across, strips = winograd_strips(plan), tiles = tiles_of(plan, 0, strips);
    const int64_t v_plane = winograd_v(plan, most), u_plane = winograd_u(plan, 1), m_plane = winograd_m(plan, most, 1);
    float *u = private, *m = u + POINTS * u_plane, *pixels = m + POINTS * m_plane;
    transform_panel(call, number, u, u_plane);
    for (int point = 0; point < POINTS; point++)
        multiply_panel(plan, tiles, number, call->shared + point * v_plane, u + point * u_plane, m + point * m_plane);
    for (int64_t s = 0; s < strips; s++) {
        const struct strip strip = find_strip(plan, s);
        deliver(call, m + winograd_tiles_before(plan, s) * WIDE, m_plane, &strip, number, pixels);
    }
}

static void convolve(struct call *call)
{
    const struct facula_winograd *plan = call->plan;
    const int64_t panels = winograd_panels(plan), strips = winograd_strips(plan), pooled = plan->pooled != 0;
    call->private = call->shared + plan->shared;
    for (int64_t group = 0; group < plan->groups; group++) {
        if (plan->by_panel) {
            run(call, strips, run_strip);
            run(call, panels, run_panel);
        } else {
            for (call->panel = 0; call->panel < panels; call->panel += plan->panels) {
                call->panels = panels - call->panel < plan->panels ? panels - call->panel : plan->panels;
                run(call, call->panels, run_weights);
                run(call, (strips + plan->block - 1) / plan->block, run_block);
            }
        }
        call->input += plan->channels * plan->height * plan->width;
        call->weights += plan->filters * plan->channels * plan->taps * plan->taps;
        call->results += plan->filters * (plan->out_height >> pooled) * (plan->out_width >> pooled);
        call->bias += call->bias ? plan->filters : 0;
        call->factors += call->factors ? plan->filters : 0;
    }
}

/* (images, weights, bias, which may be NULL) -> results; with the operands of batch normalization after the bias, if any. */
static int64_t conv2d_winograd(const void *plan_, int64_t *args)
{
    const struct facula_winograd *plan = plan_;
    const int64_t *made = args + (plan->normalized ? 8 : 4);
    struct call call = {
        .plan = plan,
        .input = (const float *)args[1],
        .weights = (const float *)args[2],
        .bias = (const float *)args[3],
        .results = (float *)made[0],
        .shared = (float *)made[1],
    };
    if (plan->normalized) {
        float *factors = call.shared + plan->shared + plan->slots * plan->private;
        find_factors_float(0, plan->groups * plan->filters, plan->epsilon, args + 4, factors);
        call.factors = factors;
    }
    convolve(&call);
    return FACULA_OK;
}

/* (results' gradient, weights) -> images' gradient */
static int64_t conv2d_input_winograd(const void *plan, int64_t *args)
{
    struct call call = {
        .plan = plan,
        .turned = 1,
        .input = (const float *)args[1],
        .weights = (const float *)args[2],
        .results = (float *)args[3],
        .shared = (float *)args[4],
    };
    convolve(&call);
    return FACULA_OK;
}

/* --------------------------------------------------------------------------------------------- gradient of the weights */
/* Positions in the workspace of the tasks below. */
struct sums {
    int64_t tiles, v_plane, m_plane, u_plane;
    float *v, *dm, *du; /* tasks that are panels have their own dU */
};

static struct sums find_sums(const struct call *call)
{
    const struct facula_winograd *plan = call->plan;
    const int64_t most = plan->block * plan->across;
    struct sums sums = {
        .tiles = tiles_of(plan, call->strip, call->strips),
        .v_plane = winograd_v(plan, most),
        .m_plane = winograd_m(plan, most, plan->panels),
        .u_plane = winograd_u(plan, plan->panels),
        .v = call->shared,
    };
    sums.dm = sums.v + POINTS * sums.v_plane;
    sums.du = sums.dm + POINTS * sums.m_plane;
    return sums;
}

/* Task of a strip: V and dM. */
static void run_gradient_strip(const struct call *call, int64_t number, float *private)
{
    const struct facula_winograd *plan = call->plan;
    const struct sums sums = find_sums(call);
    const struct strip strip = find_strip(plan, call->strip + number);
    const int64_t at = tiles_of(plan, call->strip, number);
    float *dm = sums.dm + at * WIDE;
    make_v(plan, call->input, &strip, sums.v + at * winograd_pitch(plan), sums.v_plane, private);
    if (plan->taps == 3)
        make_dm(4, plan, call->results, &strip, call->panel, call->panels, dm, sums.m_plane, sums.tiles, private);
    else
        make_dm(2, plan, call->results, &strip, call->panel, call->panels, dm, sums.m_plane, sums.tiles, private);
}

/* Adds a block to dU of one panel and one of the 36 products. */
static void add_sums(const struct call *call, const struct sums *sums, int64_t point, int64_t panel, float *du)
{
    const struct facula_winograd *plan = call->plan;
    const int64_t pitch = winograd_pitch(plan);
    const float *v = sums->v + point * sums->v_plane;
    const float *dm = sums->dm + point * sums->m_plane + panel * sums->tiles * WIDE;
    for (int64_t t = 0; t < sums->tiles; t += K_BLOCK)
        multiply_panels_float(plan->channels, columns_of(plan, call->panel + panel),
                              sums->tiles - t < K_BLOCK ? sums->tiles - t : K_BLOCK, v + t * pitch, pitch, 1,
                              dm + t * WIDE, WIDE, 0, NULL, du, WIDE, NULL, call->strip + t > 0);
}

/* Writes the gradient of the weights of a vector of filters and a few channels, from dU of their panel. */
static void deliver_weights(const struct call *call, const float *du, int64_t plane, int64_t first, int64_t channel)
{
    const struct facula_winograd *plan = call->plan;
    const int64_t channels = plan->channels - channel < TERMS ? plan->channels - channel : TERMS;
    if (first >= plan->filters)
        return;
    if (plan->taps == 3)
        make_weights(3, plan, du + first % WIDE, plane, first, channel, channels, call->weights_gradient);
    else
        make_weights(5, plan, du + first % WIDE, plane, first, channel, channels, call->weights_gradient);
}

/* Task of a few panels of one product: adds a block to dU. */
static void run_sums(const struct call *call, int64_t number, float *private)
{
    (void)private;
    const struct sums sums = find_sums(call);
    const int64_t point = number % POINTS, first = number / POINTS * PANELS_OF_TASK;
    const int64_t last = first + PANELS_OF_TASK < call->panels ? first + PANELS_OF_TASK : call->panels;
    for (int64_t p = first; p < last; p++)
        add_sums(call, &sums, point, p, sums.du + point * sums.u_plane + p * call->plan->channels * WIDE);
}

/* Task of a vector of filters and a few channels: the gradient of their weights. */
static void run_gradient(const struct call *call, int64_t number, float *private)
{
    (void)private;
    const struct facula_winograd *plan = call->plan;
    const struct sums sums = find_sums(call);
    const int64_t pieces = (plan->channels + TERMS - 1) / TERMS, at = number / pieces * LANES;
    deliver_weights(call, sums.du + at / WIDE * plan->channels * WIDE, sums.u_plane, call->panel * WIDE + at,
                    number % pieces * TERMS);
}

/* Task of a panel: dU and the gradient of its weights, from all tiles. */
static void run_panel_gradient(const struct call *call, int64_t number, float *private)
{
    const struct facula_winograd *plan = call->plan;
    const struct sums sums = find_sums(call);
    const int64_t plane = winograd_u(plan, 1);
    for (int point = 0; point < POINTS; point++)
        add_sums(call, &sums, point, number, private + point * plane);
    for (int half = 0; half < 2; half++)
        for (int64_t c = 0; c < plan->channels; c += TERMS)
            deliver_weights(call, private, plane, number * WIDE + half * LANES, c);
}

/* (results' gradient, images) -> weights' gradient */
static int64_t conv2d_weight_winograd(const void *plan_, int64_t *args)
{
    const struct facula_winograd *plan = plan_;
    const int64_t panels = winograd_panels(plan), strips = winograd_strips(plan);
    struct call call = {
        .plan = plan,
        .results = (float *)args[1],
        .input = (const float *)args[2],
        .weights_gradient = (float *)args[3],
        .shared = (float *)args[4],
        .private = (float *)args[4] + plan->shared,
    };
    for (int64_t group = 0; group < plan->groups; group++) {
        for (call.panel = 0; call.panel < panels; call.panel += plan->panels) {
            call.panels = panels - call.panel < plan->panels ? panels - call.panel : plan->panels;
            for (call.strip = 0; call.strip < strips; call.strip += plan->block) {
                call.strips = strips - call.strip < plan->block ? strips - call.strip : plan->block;
                run(&call, call.strips, run_gradient_strip);
                if (plan->by_panel)
                    run(&call, call.panels, run_panel_gradient);
                else
                    run(&call, (call.panels + PANELS_OF_TASK - 1) / PANELS_OF_TASK * POINTS, run_sums);
            }
            if (!plan->by_panel)
                run(&call, 2 * call.panels * ((plan->channels + TERMS - 1) / TERMS), run_gradient);
        }
        call.input += plan->channels * plan->height * plan->width;
        call.results += plan->filters * plan->out_height * plan->out_width;
        call.weights_gradient += plan->filters * plan->channels * plan->taps * plan->taps;
    }
    return FACULA_OK;
}

FACULA_KERNEL("conv2d_winograd", conv2d_winograd, 0, FLOAT32)
FACULA_KERNEL("conv2d_input_winograd", conv2d_input_winograd, 0, FLOAT32)
FACULA_KERNEL("conv2d_weight_winograd", conv2d_weight_winograd, 0, FLOAT32)

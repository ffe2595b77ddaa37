"""Planners of `recurrent`, a recurrent layer over complete sequences in one direction, and of its gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import Plan

from .._kernels import ffi, lib
from .._linalg.matmul import product
from .._runtime.planners import bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from .._runtime.types import Layouts, Parameters, Struct

KINDS = ("lstm", "gru", "rnn_tanh", "rnn_relu")  # in the order of csrc/sequences/recurrent.cdef.h
SAVED = {"lstm": 4, "gru": 4, "rnn_tanh": 1, "rnn_relu": 1}  # numbers per unit that the backward pass needs
PROJECTED = {**SAVED, "gru": 3}  # those that the input is multiplied by
GROUP = 32  # sequences in a task: constant, as results must not depend on the number of threads
STEP = 400_000  # multiply-adds of a step from which it is divided between threads
COLUMNS = 16  # the units of a part of a step are a multiple
STEPWISE = 12  # the rows of a step from which its product is as fast as one for all steps
PANEL = 64  # the maximum padding of packed rows
MULTIPLY_COST = 10  # picoseconds
STRUCT = ffi.typeof("struct facula_recurrent *")


@planner("recurrent", "recurrent_grad")
def plan_recurrent(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan a layer `kind` over sequences, float32 or float64, all arrays contiguous. Parameters: kind, reverse.

    recurrent       (input, h0, c0, weight_ih, weight_hh, bias_ih, bias_hh, sizes) -> (out, h_n, c_n, saved, cells).
    recurrent_grad  (input, h0, c0, weight_ih, weight_hh, out, saved, cells, sizes, gradients of out, h_n and c_n) ->
                    gradients of (weight_ih, weight_hh, bias_ih, bias_hh, input, h0, c0). Four further parameters
                    select those of the input, of states, of weights and of biases.

    input is (steps, batch, inputs), or with sizes (int64, one number per step) (rows, inputs), sorted by step. h0 and
    c0 (batch, hidden), biases and sizes may be None; c0, c_n and cells belong to an LSTM.
    """
    kind, reverse, *wanted = parameters
    backward = operator == "recurrent_grad"
    x, h0, w = inputs[0], inputs[1], inputs[4]
    code, size = x.dtype.code, x.dtype.itemsize
    kernel = find_kernel(operator, code)
    sizes = inputs[8 if backward else 7]
    given = [layout for layout in (*inputs, *outputs) if layout is not None]
    if kernel is None or not all(
        layout.is_contiguous and (layout is sizes or layout.dtype is x.dtype) for layout in given
    ):
        raise no_kernel(operator, inputs, outputs)
    hidden, features = w.shape[1], x.shape[-1]
    steps = sizes.shape[0] if sizes is not None else x.shape[0]
    batch = h0.shape[0] if sizes is not None else x.shape[1]
    rows = x.shape[0] if sizes is not None else steps * batch
    saved, projected = SAVED[kind] * hidden, PROJECTED[kind] * hidden
    gru = kind == "gru"

    def whole(sizes: tuple[int, int, int], strides: tuple[int, ...], biased: bool = False) -> Struct:
        return product(code, sizes, strides, lib.facula_threads(), biased=biased)

    struct = ffi.new(STRUCT)
    struct.kind, struct.reverse = KINDS.index(kind), reverse
    struct.steps, struct.batch, struct.rows = steps, batch, rows
    struct.inputs, struct.hidden, struct.saved, struct.projected = features, hidden, saved, projected
    struct.group = GROUP
    struct.stepwise = not backward and batch >= STEPWISE and features > 0
    products = []
    tasks = max(1, -(-batch // GROUP))
    threads = lib.facula_threads()
    struct.units = max(hidden, 1)
    if 1 < threads and tasks < 2 * threads and batch * saved * hidden >= STEP:
        struct.units = -(-hidden // (threads * COLUMNS)) * COLUMNS
    slices = max(1, -(-hidden // struct.units))
    gates = projected // max(hidden, 1)
    if backward:
        struct.wants_input, struct.wants_state, struct.wants_weights, struct.wants_bias = wanted
        hh = 2 * hidden if gru else saved
        struct.input_gradient = from_gates = whole((rows, features, projected), (saved, 1, features, 1, features, 1))
        struct.weight_ih_gradient = to_ih = whole((projected, features, rows), (1, saved, features, 1, features, 1))
        struct.weight_hh_gradient = to_hh = whole((hh, hidden, rows), (1, saved, hidden, 1, hidden, 1))
        products = [from_gates, to_ih, to_hh]
        if gru:
            struct.candidate_gradient = apart = whole((hidden, hidden, rows), (1, saved, hidden, 1, hidden, 1))
            products.append(apart)
        work = rows * projected * (2 * features + 2 * hidden) * MULTIPLY_COST
    else:
        struct.from_input = made = whole((rows, projected, features), (features, 1, 1, features, saved, 1), biased=True)
        products = [made]
        work = rows * projected * (features + hidden) * MULTIPLY_COST

    def packed(k: int) -> int:
        """Return the numbers that packed weights occupy, with k rows in the forward pass."""
        if backward:
            return projected * slices * (struct.units + PANEL)
        return k * (projected + (1 + gru) * PANEL if slices == 1 else gates * slices * (struct.units + PANEL))

    parts = {
        "at_steps": (2 * steps + 1) * 8,
        "at_bias": (saved + hidden) * size,
        "at_packed": packed(hidden) * size,  # weight_hh as rows of panels
        "at_projection": packed(features) * size if struct.stepwise else 0,
        "at_product": max(plan.workspace for plan in products),
    }  # fmt: skip
    if backward:
        parts |= {
            "at_gates": rows * saved * size,
            "at_former": rows * hidden * size if struct.wants_weights else 0,
            "at_state": 2 * batch * hidden * size,
            "at_sums": tasks * saved * size,
        }
    at = 0
    for name, length in parts.items():
        setattr(struct, name, at)
        at += -(-length // 64) * 64
    struct.pack = ffi.cast(
        "void (*)(int64_t, int64_t, const void *, int64_t, int64_t, void *)", kernel_for("pack_b", code).address
    )
    struct.multiply_packed = ffi.cast(
        "void (*)(int64_t, int64_t, int64_t, const void *, int64_t, const void *, void *, int64_t, const void *, int)",
        kernel_for("multiply_packed", code).address,
    )
    struct.multiply = ffi.cast("int64_t (*)(const void *, int64_t *)", kernel_for("matmul", code, code, code).address)
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel.address,
        struct,
        arrays=len(inputs) + len(outputs),
        cost=work / max(outputs[0].numel, 1),
        workspace=at,
        also=products,
    )

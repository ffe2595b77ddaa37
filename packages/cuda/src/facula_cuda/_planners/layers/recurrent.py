"""Planners of recurrent layers and of their gradients: kernels/layers/recurrent.cuh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..launches import WARP, Kernel, blocks_for, kernel_plan
from ..products import TILE
from ..registry import planner

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

    from ..launches import Constant

TYPES = {9: "float", 10: "double"}
GATES = {"lstm": (4, 4), "gru": (4, 3), "rnn_tanh": (1, 1), "rnn_relu": (1, 1)}  # of a unit: saved, multiplied
SIDE = 16  # sequences and units of a tile


@planner("recurrent", "recurrent_grad")
def plan_recurrent(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan a layer or its gradients: operands and parameters as for the CPU's planner of these operators."""
    kind, reverse, *wanted = parameters
    backward = operator == "recurrent_grad"
    x, h0, weight_hh = inputs[0], inputs[1], inputs[4]
    sizes = inputs[8 if backward else 7]
    given = [layout for layout in (*inputs, *outputs) if layout is not None]
    if x.dtype.code not in TYPES or any(
        [not one.is_contiguous or (one is not sizes and one.dtype is not x.dtype) for one in given]
    ):
        return None
    hidden, features, size = weight_hh.shape[1], x.shape[-1], x.dtype.itemsize
    steps = x.shape[0] if sizes is None else sizes.shape[0]
    batch = x.shape[1] if sizes is None else h0.shape[0]
    rows = steps * batch if sizes is None else x.shape[0]
    saved, made = GATES[kind][0] * hidden, GATES[kind][1] * hidden
    tiles = -(-batch // SIDE) * -(-hidden // SIDE)
    constants: dict[str, Constant] = {
        "turn": 0,
        "reverse": int(reverse),
        "steps": steps,
        "batch": batch,
        "rows": rows,
        "inputs": features,
        "hidden": hidden,
        "tiles": tiles,
    }
    name, of = f"{kind}_{x.dtype.name}", f"<{list(GATES).index(kind)}, {TYPES[x.dtype.code]}>"
    workspace = 64 + -(-16 * steps // 64) * 64

    def product(result: str, call: str, m: int, n: int) -> Kernel:
        blocks = blocks_for(-(-m // TILE) * -(-n // TILE), 1)
        return Kernel(f"{name}_{result}", f"{call.replace('<>', of)};", blocks, waits=True)

    kernels = [] if sizes is None else [Kernel("find_steps", "find_steps(p);", blocks_for(steps))]
    if backward:
        wants_input, wants_state, wants_weights, wants_bias = wanted
        areas = {"at_gates": rows * saved, "at_former": rows * hidden * bool(wants_weights), "at_h": 2 * batch * hidden}
        for area, count in areas.items():
            constants[area] = workspace
            workspace += -(-count * size // 64) * 64
        constants |= {"wants_state": int(wants_state), "wants_weights": int(wants_weights)}
        kernels.append(Kernel(f"{name}_grad", f"retreat{of}(p);", blocks_for(tiles, 1), waits=True, turns=steps + 1))
        if wants_input:
            kernels.append(product("of_input", "back_to_input<>(p)", rows, features))
        if wants_weights:
            kernels.append(product("of_weight_ih", "back_to_weight_ih<>(p)", made, features))
            whole = 2 if kind == "gru" else GATES[kind][1]
            kernels.append(product("of_weight_hh", f"back_to_weight_hh<>(p, 0, {whole}, 0)", whole * hidden, hidden))
            if kind == "gru":
                kernels.append(product("of_candidate", "back_to_weight_hh<>(p, 2, 1, 1)", hidden, hidden))
        if wants_bias:
            kernels.append(Kernel(f"{name}_of_bias", f"sum_gates{of}(p);", blocks_for(saved, WARP), waits=True))
    else:
        kernels.append(product("input", "project<>(p)", rows, made))
        if steps:
            kernels.append(Kernel(name, f"advance{of}(p);", blocks_for(tiles, 1), waits=True, turns=steps))
    return kernel_plan(
        operator,
        parameters,
        outputs,
        ["recurrent"],
        kernels,
        pointers=(
            "x h0 c0 weight_ih weight_hh out saved cells sizes of_out of_h of_c "
            "of_weight_ih of_weight_hh of_bias_ih of_bias_hh of_x of_h0 of_c0"
            if backward
            else "x h0 c0 weight_ih weight_hh bias_ih bias_hh sizes out h_n c_n saved cells"
        ),
        constants=constants,
        workspace=workspace,
        checks=inputs if sizes is not None else (),
    )

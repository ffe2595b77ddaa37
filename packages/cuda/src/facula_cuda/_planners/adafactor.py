"""The planner of Adafactor's step: kernels/adafactor.cuh. Each parameter has launches of its own.

The arguments of a launch are those of the CPU's planner: the number of parameters, the numbers of the step, and the
addresses of each parameter's tensors: itself, its gradient, its means, and the count of steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_storage import Plan

from .launches import Kernel, blocks_for, kernel_plan
from .registry import planner

if TYPE_CHECKING:
    from facula_storage import Layout

TYPES = {9: "float", 10: "double"}
NUMBERS = ("rate", "decay", "smallest", "least", "most", "shrink", "sign")
TASK_ELEMENTS = 4096  # of a matrix, for a block
MAX_BLOCKS = 1024  # whose sums are in the scratch memory


@planner("adafactor_step", "adafactor_vector_step")
def plan_adafactor(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan the step of the parameters of these layouts, `width` tensors of each."""
    (width,) = parameters
    parts: list[Any] = []
    for at in range(0, len(inputs), width):
        tensors = inputs[at : at + width]
        plan = _plan_parameter(operator, tensors)
        if plan is None or tensors[0].dtype is not inputs[0].dtype:
            return None
        first = 1 + len(NUMBERS) + at  # the arguments before it are the number of parameters, and those of the step
        places = [*range(first, first + width), *range(1, 1 + len(NUMBERS))]
        parts.append((plan.launch, (1, *[(place, 0) for place in places])))

    def launch(*args: Any) -> None:
        for one, (_, *places) in parts:
            one(1, *[args[place] for place, _ in places])

    return Plan(operator, parameters, outputs, launch, parts=parts)


def _plan_parameter(operator: str, tensors: tuple[Layout, ...]) -> Plan | None:
    """Plan the step of one parameter: launch(1, *addresses, *numbers)."""
    x, of_matrices = tensors[0], operator == "adafactor_step"
    shape = x.shape
    if of_matrices and len(shape) < 2:
        return None
    states = [(*shape[:-1], 1), (*shape[:-2], 1, shape[-1])] if of_matrices else [shape]
    dtypes = [x.dtype.code] * (2 + len(states)) + [9]
    if (
        x.dtype.code not in TYPES
        or [one.shape for one in tensors] != [shape, shape, *states, ()]
        or [one.dtype.code for one in tensors] != dtypes
        or not all([one.is_contiguous for one in tensors])
    ):
        return None
    height, length = shape[-2:] if of_matrices else (1, x.numel)
    matrices = x.numel // (height * length) if x.numel else 0
    piece = max(1, TASK_ELEMENTS // max(length, 1))
    pieces = max(1, -(-height // piece))
    blocks = min(MAX_BLOCKS, matrices * pieces or 1) if of_matrices else min(MAX_BLOCKS, blocks_for(length))
    constants = {"matrices": matrices, "height": height, "width": length if x.numel else 0, "piece": piece}
    constants |= {"pieces": pieces, "blocks": blocks}
    T, name = TYPES[x.dtype.code], f"{operator}_{x.dtype.name}"
    of = f"{T}, {str(of_matrices).lower()}"
    if of_matrices:
        columns = blocks_for(matrices * length, 32)
        begin = [
            Kernel(f"{name}_rows", f"find_row_means<{T}>(p);", blocks, waits=True),
            Kernel(f"{name}_columns", f"find_column_means<{T}>(p);", columns, waits=True),
        ]
    else:
        begin = [Kernel(f"{name}_moments", f"find_moments<{T}>(p);", blocks, waits=True)]
    kernels = [
        *begin,
        Kernel(f"{name}_sizes", f"add_steps<{of}>(p);", blocks, waits=True),
        Kernel(name, f"take_steps<{of}>(p);", blocks, waits=True),
        Kernel(f"{name}_count", "*(float *)p.count += 1;", 1, 1),
    ]
    return kernel_plan(
        operator,
        (),
        tensors[:1],
        ["adafactor"],
        kernels,
        pointers="p g rows columns count" if of_matrices else "p g moment count",
        absent="moment" if of_matrices else "rows columns",
        scalars=dict.fromkeys(NUMBERS, float),
        constants=constants,
        scratch=True,
    )

"""The public functions of `ops/neural/vision/grid_sample.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ....._dispatch.arguments import refuse_choice, steady_tensor
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ....._core.tensor import Tensor
    from ....._core.types import Lengths

bodies = bodies_of("ops.neural.vision.grid_sample")


@overridable
def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    try:
        input = steady_tensor("grid_sample", input)
        grid = steady_tensor("grid_sample", grid)
        if mode not in ("bilinear", "nearest", "bicubic"):
            mode = refuse_choice("grid_sample", "mode", mode, "'bilinear', 'nearest' or 'bicubic'")
        if padding_mode not in ("zeros", "border", "reflection"):
            padding_mode = refuse_choice(
                "grid_sample", "padding_mode", padding_mode, "'zeros', 'border' or 'reflection'"
            )
        return bodies.grid_sample(ops, input, grid, mode, padding_mode, align_corners)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def affine_grid(theta: Tensor, size: Lengths, align_corners: bool | None = None) -> Tensor:
    try:
        theta = steady_tensor("affine_grid", theta)
        return bodies.affine_grid(ops, theta, size, align_corners)
    except FaculaError as error:
        trim_traceback(error)
        raise

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
    """Sample the images or volumes `input` at the points of `grid`.

    NaN in the grid is outside, at the far left, top or front. Both operands have gradients of any order. M. Jaderberg
    and
    others: Spatial transformer networks, 2015.

    Arguments:
        input: (N, C, H, W), or (N, C, D, H, W), with the floating dtype of `grid`.
        grid: (N, H', W', 2) with points (x, y), or (N, D', H', W', 3) with (x, y, z), from -1 (left, top, front) to 1.
        mode: "bilinear" (trilinear for volumes), "nearest", or "bicubic" (images only).
        padding_mode: the values outside: "zeros", "border" (the nearest element) or "reflection".
        align_corners: whether -1 and 1 are the centers of the outermost elements instead of their outer edges.

    Returns:
        (N, C, H', W'), or (N, C, D', H', W').

    >>> from facula_tensor import tensor
    >>> grid_sample(tensor([[[[1.0, 3.0]]]]), tensor([[[[0.0, 0.0], [-1.0, 0.0]]]]), align_corners=True)
    tensor([[[[2., 1.]]]])
    """
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
    """Return the grid for `grid_sample` of affine maps from output points, from -1 to 1, to input points.

    Arguments:
        theta: the maps, (N, 2, 3), or (N, 3, 4).
        size: the shape of the output, (N, C, H, W), or (N, C, D, H, W).
        align_corners: as in `grid_sample`.

    Returns:
        (N, H, W, 2), or (N, D, H, W, 3).

    >>> from facula_tensor import tensor
    >>> affine_grid(tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]), (1, 1, 1, 2), align_corners=True)
    tensor([[[[-1.,  0.],
              [ 1.,  0.]]]])
    """
    try:
        theta = steady_tensor("affine_grid", theta)
        return bodies.affine_grid(ops, theta, size, align_corners)
    except FaculaError as error:
        trim_traceback(error)
        raise

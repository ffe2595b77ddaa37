"""The public functions of `ops/neural/vision/interpolate.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ....._dispatch.arguments import steady_tensor
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....._core.tensor import Tensor
    from ....._core.types import Lengths

bodies = bodies_of("ops.neural.vision.interpolate")


def interpolate(
    input: Tensor,
    size: Lengths | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resize `input`: (N, C, length), (N, C, height, width) or (N, C, depth, height, width).

    float16 and bfloat16 are computed in float32. uint8 is resized one dimension at a time, the last first, with 16-bit
    weights and rounding after each. Either `size` or `scale_factor` is required.

    Arguments:
        input: images of one, two or three dimensions, after N and C.
        size: the lengths of the result: one number, or one for each dimension.
        scale_factor: the factor of lengths, which are rounded down: one number, or one for each dimension.
        mode: "nearest" (PyTorch's older rule, which prefers the left neighbor), "nearest-exact", "linear", "bilinear"
            or "trilinear" (by the number of dimensions), "bicubic", or "area" (means).
        align_corners: whether to align the centers of the first and last elements instead of their outer edges.
        recompute_scale_factor: whether to compute positions from the lengths instead of `scale_factor`.
        antialias: whether to smooth when shrinking, so that all elements contribute: "bilinear" and "bicubic" only.

    >>> from facula_tensor import tensor
    >>> interpolate(tensor([[[1.0, 3.0]]]), scale_factor=2)
    tensor([[[1., 1., 3., 3.]]])
    >>> interpolate(tensor([[[1.0, 3.0]]]), size=3, mode="linear", align_corners=True)
    tensor([[[1., 2., 3.]]])
    """
    try:
        input = steady_tensor("interpolate", input)
        return bodies.interpolate(
            ops, input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias
        )
    except FaculaError as error:
        trim_traceback(error)
        raise

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
    try:
        input = steady_tensor("interpolate", input)
        return bodies.interpolate(
            ops, input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias
        )
    except FaculaError as error:
        trim_traceback(error)
        raise

"""The public functions of `ops/reduction/quantiles.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from ...._core.tensor import method
from ...._dispatch.arguments import refuse_choice
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.reduction.quantiles")


@overridable
@method()
@boundary
def quantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension; all elements if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    """
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        interpolation = refuse_choice(
            "quantile", "interpolation", interpolation, "'linear', 'lower', 'higher', 'midpoint' or 'nearest'"
        )
    result = bodies.quantile(ops, input, q, dim, keepdim, interpolation=interpolation)
    return result if out is None else write_out("quantile", result, out)


@overridable
@method()
@boundary
def nanquantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension; all elements if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    """
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        interpolation = refuse_choice(
            "nanquantile", "interpolation", interpolation, "'linear', 'lower', 'higher', 'midpoint' or 'nearest'"
        )
    result = bodies.nanquantile(ops, input, q, dim, keepdim, interpolation=interpolation)
    return result if out is None else write_out("nanquantile", result, out)

"""The public functions of `ops/reduction/histograms.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer, as_real
from ...._core.tensor import method, snapshot
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.tensor import Tensor
    from ....ops.named_results import NamedResults

bodies = bodies_of("ops.reduction.histograms")


@overridable
@method()
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0, *, out: Tensor | None = None) -> Tensor:
    try:
        input = snapshot(as_tensor("histc", input))
        if type(bins) is not int:
            bins = as_integer(bins, "histc", "bins")
        if type(min) is not float:
            min = float(as_real(min, "histc", "min"))
        if type(max) is not float:
            max = float(as_real(max, "histc", "max"))
        if bins < 1:
            raise ArgumentError(f"histc: expected bins to be at least 1; got {bins}")
        result = bodies.histc(input, bins, min, max)
        return result if out is None else write_out("histc", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def histogram(
    input: Tensor,
    bins: int | Tensor,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
    out: Sequence[Tensor] | None = None,
) -> NamedResults:
    try:
        input = snapshot(as_tensor("histogram", input))
        return bodies.histogram(input, bins, range=range, weight=weight, density=density, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def histogramdd(
    input: Tensor,
    bins: int | Sequence[int] | Sequence[Tensor],
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    try:
        input = snapshot(as_tensor("histogramdd", input))
        return bodies.histogramdd(input, bins, range, weight, density)
    except FaculaError as error:
        trim_traceback(error)
        raise

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
    """Count the elements in each of several equal bins.

    NaN and elements outside the range are not counted. The counts have the dtype of `input`.

    Arguments:
        input: a tensor of a floating dtype.
        bins: the number of bins.
        min: the lower end of the range.
        max: the upper end of the range; if equal to `min`, the range is that of the elements.

    >>> from facula_tensor import tensor
    >>> histc(tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
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
    """Count the elements in each bin and return the pair (hist, bin_edges).

    The last edge belongs to the last bin.

    Arguments:
        input: float32 or float64.
        bins: the number of bins, or a tensor of their edges in order.
        range: the range of equal bins; None for the minimum and the maximum of the elements.
        weight: the weights of the elements, in the shape and dtype of `input`; None for 1.
        density: whether to scale the histogram to an integral of 1.

    >>> from facula_tensor import tensor
    >>> histogram(tensor([1.0, 2.0, 1.0]), bins=4, range=(0.0, 3.0)).hist
    tensor([0., 2., 1., 0.])
    """
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
    """Count the points in each cell of a grid and return the pair (hist, bin_edges): a multidimensional `histogram`.

    Arguments:
        input: points (..., n), float32 or float64.
        bins: the number of bins, for all coordinates or for each; or n tensors of edges.
        range: 2 n numbers, minimum and maximum of each coordinate; None for the range of the points.
        weight: the weights of the points; None for 1.
        density: whether to scale the histogram to an integral of 1.

    Returns:
        The pair; bin_edges is a tuple of n tensors.

    >>> from facula_tensor import tensor
    >>> histogramdd(tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), bins=[2, 2]).hist
    tensor([[0., 1.],
            [1., 1.]])
    """
    try:
        input = snapshot(as_tensor("histogramdd", input))
        return bodies.histogramdd(input, bins, range, weight, density)
    except FaculaError as error:
        trim_traceback(error)
        raise

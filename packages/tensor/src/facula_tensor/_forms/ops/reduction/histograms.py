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
    """The number of elements in each of several equal bins.

    Elements outside are not counted, nor is NaN. Counts have the dtype of `input`.

    Arguments:
        input: a tensor of a floating dtype.
        bins: the number of bins.
        min: where the first bin begins.
        max: where the last bin ends; if equal to `min`, bins go from the least element to the greatest.

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
    """The number of elements in each bin, as the pair (hist, bin_edges).

    The last edge belongs to the last bin.

    Arguments:
        input: float32 or float64.
        bins: their number, or a tensor of their edges in order.
        range: where a number of equal bins begins and ends; None for the least and the greatest element.
        weight: what each element counts as, in the shape and dtype of `input`; 1 if None.
        density: whether the histogram is scaled so that its integral is 1.

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
    """The number of points in each box of a grid, as the pair (hist, bin_edges): `histogram` of several dimensions.

    Arguments:
        input: points (..., n), float32 or float64.
        bins: their number, for all or for each coordinate; or n tensors of edges.
        range: 2 n numbers, the least and the greatest of each coordinate, or None for those of the points.
        weight: what each point counts as; 1 if None.
        density: whether the histogram is scaled so that its integral is 1.

    Returns:
        The pair, of which bin_edges is a tuple of n tensors.

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

"""The public functions of `ops/reduction/sorting.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._core.tensor import method
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.tensor import Tensor
    from ....ops.reduction.sorting import Extremes

bodies = bodies_of("ops.reduction.sorting")


@overridable
@method()
def sort(
    input: Tensor,
    dim: int = -1,
    descending: bool = False,
    stable: bool = False,
    *,
    axis: int | None = None,
    out: Sequence[Tensor] | None = None,
) -> Extremes:
    """Sort the elements along `dim` and return the pair (values, indices), with their original indices (int64).

    Equal elements keep their order, with or without `stable`. NaN is larger than any number. Complex numbers raise a
    TypeError. `out` is a pair of tensors.

    Arguments:
        input: the tensor.
        dim: the dimension.
        descending: whether to sort in descending order.
        stable: ignored; the sort is always stable.
        axis: NumPy's name of `dim`.

    >>> from facula_tensor import tensor
    >>> sort(tensor([3.0, 1.0, 2.0])).indices
    tensor([1, 2, 0])
    """
    try:
        if axis is not None:
            dim = axis
        return bodies.sort(ops, input, dim, descending, stable, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def argsort(
    input: Tensor,
    dim: int = -1,
    descending: bool = False,
    stable: bool = False,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the indices (int64) that sort the elements along `dim`: those of `sort`.

    Arguments:
        input: the tensor.
        dim: the dimension.
        descending: whether to sort in descending order.
        stable: ignored; the sort is always stable.
        axis: NumPy's name of `dim`.

    >>> from facula_tensor import tensor
    >>> argsort(tensor([3.0, 1.0, 2.0]), descending=True)
    tensor([0, 2, 1])
    """
    try:
        if axis is not None:
            dim = axis
        result = bodies.argsort(ops, input, dim, descending, stable)
        return result if out is None else write_out("argsort", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sort the elements along the first dimension.

    >>> from facula_tensor import tensor
    >>> msort(tensor([[3, 1], [2, 4]]))
    tensor([[2, 1],
            [3, 4]])
    """
    try:
        result = bodies.msort(ops, input)
        return result if out is None else write_out("msort", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def topk(
    input: Tensor,
    k: int,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = True,
    *,
    axis: int | None = None,
    out: Sequence[Tensor] | None = None,
) -> Extremes:
    """Return the `k` largest or smallest elements along `dim`, as the pair (values, indices).

    NaN is larger than any number.

    Arguments:
        input: the tensor.
        k: the number of elements.
        dim: the dimension.
        largest: whether to return the largest elements instead of the smallest.
        sorted: whether the elements are sorted.
        axis: NumPy's name of `dim`.

    Raises:
        ValueError: if there are fewer than k elements.

    >>> from facula_tensor import tensor
    >>> topk(tensor([3.0, 1.0, 2.0]), 2).values
    tensor([3., 2.])
    """
    try:
        if axis is not None:
            dim = axis
        if type(k) is not int:
            k = as_integer(k, "topk", "k")
        return bodies.topk(ops, input, k, dim, largest, sorted, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise

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
    """The elements in order along `dim`, as the pair (values, indices): indices (int64) say where they were.

    Equal elements keep their order, with `stable` or without. NaN counts as the greatest. TypeError for complex
    numbers. `out` is a pair of tensors.

    Arguments:
        input: the tensor.
        dim: the dimension.
        descending: whether the greatest comes first.
        stable: ignored: equal elements keep their order in any case.
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
    """The indices (int64) that put the elements along `dim` in order: those of `sort`.

    Arguments:
        input: the tensor.
        dim: the dimension.
        descending: whether the greatest comes first.
        stable: ignored: equal elements keep their order in any case.
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
    """The elements in order along the first dimension.

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
    """The `k` greatest elements along `dim`, or the smallest, as the pair (values, indices).

    They are in order, unless `sorted` is False. NaN counts as the greatest. ValueError where there are fewer than k.

    Arguments:
        input: the tensor.
        k: how many elements.
        dim: the dimension.
        largest: whether the greatest, else the smallest.
        sorted: whether they are in order.
        axis: NumPy's name of `dim`.

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

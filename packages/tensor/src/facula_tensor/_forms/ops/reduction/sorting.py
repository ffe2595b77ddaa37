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
from ....ops.reduction.extreme_pairs import Sorted
from ....ops.reduction.one_dim import extreme_pair, one_dim

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
    """input: the tensor.
    dim: the dimension.
    axis: NumPy's name of `dim`.
    """
    try:
        if axis is not None:
            dim = axis
        input, dim = one_dim("sort", input, dim)
        return extreme_pair(Sorted, ops.sort(input, (dim, bool(descending))), out)
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
    """input: the tensor.
    dim: the dimension.
    axis: NumPy's name of `dim`.
    """
    try:
        if axis is not None:
            dim = axis
        input, dim = one_dim("argsort", input, dim)
        result = ops.sort(input, (dim, bool(descending)))[1]
        return result if out is None else write_out("argsort", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        input, dim = one_dim("msort", input, 0)
        result = ops.sort(input, (dim, False))[0]
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
    """input: the tensor.
    dim: the dimension.
    axis: NumPy's name of `dim`.
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

"""The `scatter` family: set, add or reduce values at an index along a dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import active_modes
from facula_errors import ArgumentError, DTypeError
from facula_errors.extend import boundary
from facula_storage import Layout, int64
from facula_storage.extend.layouts import BOOL, COMPLEX, FLOATING

from ..._core.call_sites import user_site
from ..._core.memory import check_overlap, check_writable, meet
from ..._core.tensor import Tensor, check_dim, layout_of_tensor, method, snapshot, steady
from ..._creation.filled import full
from ..._dispatch.namespaces import no_record_ops, operators, recorded_ops
from ..._dispatch.overrides import overridable
from ..._dispatch.slow_path.inplace_checks import starts_inplace
from ..._dispatch.slow_path.launching import MISSED, mutated
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..memory.assignment import assign_inplace
from .gather import at_least_one, check_fits, different_dtypes, int64_index, scatter_into
from .masks import fitting

if TYPE_CHECKING:
    from facula_storage import DType

    from ..._core.types import Operand, Scalar
    from ..._dispatch.kinds import Checked

REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


def _prepared(
    operation: str, input: Tensor, dim: int, index: Tensor, src: Any
) -> tuple[Tensor, int, Tensor | None, Tensor]:
    """Return `input`, the non-negative dim, index (None if empty), and the part of `src` that the index covers."""
    input, index = steady(as_tensor(operation, input)), int64_index(operation, index)
    layout = layout_of_tensor(input)
    dim = check_dim(operation, dim, len(layout.shape))
    if isinstance(src, Tensor) and layout_of_tensor(src).dtype is not layout.dtype:
        raise different_dtypes(operation, layout, layout_of_tensor(src))
    number = None if isinstance(src, Tensor) else fitting(operation, src, input)
    if not index.numel():
        return input, dim, None, src
    index, input = at_least_one(no_record_ops, index), at_least_one(recorded_ops, input)
    if number is None:
        src = at_least_one(recorded_ops, steady(src))
    check_fits(
        operation,
        layout_of_tensor(input),
        layout_of_tensor(index),
        dim,
        None if number is not None else layout_of_tensor(src),
    )
    if number is not None:
        src = _repeated(number, layout, layout_of_tensor(index).shape)
    for at, size in enumerate(index.shape):
        if src.shape[at] != size:
            src = recorded_ops.narrow(src, at, 0, size)
    return input, dim, index, src


_numbers: dict[tuple[object, ...], Tensor] = {}  # cached, because programs scatter the same numbers repeatedly
MOST_NUMBERS = 64


def _number_key(number: Scalar, like: Layout, shape: tuple[int, ...]) -> tuple[object, ...]:
    """Return the cache key of a repeated number, with its sign, because 0.0 and -0.0 compare equal."""
    return number, type(number), str(number) if number == 0 else "", like.dtype, like.device, shape


def _repeated(number: Scalar, like: Layout, shape: tuple[int, ...]) -> Tensor:
    """Expand a number to a read-only tensor whose elements share one location in memory."""
    key = _number_key(number, like, shape)
    known = _numbers.get(key)
    if known is None:
        if len(_numbers) >= MOST_NUMBERS:
            _numbers.clear()
        known = _numbers[key] = snapshot(full((), number, dtype=like.dtype, device=like.device).expand(shape))
    return known


def _scattered(operation: str, input: Tensor, dim: int, index: Tensor, src: Any, mode: str, own: bool = True) -> Tensor:
    """Run the `scatter` family out of place; `own`: whether the existing element takes part."""
    shape = tuple(as_tensor(operation, input).shape)
    there, dim, at, src = _prepared(operation, input, dim, index, src)
    if at is None:
        return recorded_ops.clone(there)
    return recorded_ops.reshape(scatter_reduced(operation, there, dim, at, src, mode, own), shape)


def scatter_reduced(
    operation: str, input: Tensor, dim: int, index: Tensor, src: Tensor, mode: str, own: bool
) -> Tensor:
    """Reduce `src` into `input` at `index`; `own`: whether the existing elements take part."""
    if mode == "set":
        return recorded_ops.scatter(input, index, src, (dim, "set"))
    dtype = input.dtype
    if (mode in ("amax", "amin") and dtype.category == COMPLEX) or (mode == "mean" and dtype.category == BOOL):
        raise DTypeError(f"{operation}: reduce={mode!r} is not defined for {dtype.name}; convert the tensor first")
    if not own:
        start = full((), _neutral(mode, dtype), dtype=dtype, device=input.device).expand(index.shape)
        input = recorded_ops.scatter(input, index, start, (dim, "set"))
    if mode == "prod":
        return recorded_ops.scatter_product(input, index, src, (dim, mode))
    if mode in ("amax", "amin"):
        return recorded_ops.scatter_extreme(input, index, src, (dim, mode))
    total = recorded_ops.scatter(input, index, src, (dim, "sum"))
    if mode == "sum":
        return total
    ones = no_record_ops.ones_like(snapshot(input))
    count = ones if own else no_record_ops.zeros_like(ones)
    count = no_record_ops.scatter(count, index, no_record_ops.ones_like(snapshot(src)), (dim, "sum"))
    count = count if own else no_record_ops.where(no_record_ops.eq(count, 0), ones, count)
    return (
        recorded_ops.div(total, count)
        if dtype.category >= FLOATING
        else no_record_ops.floor_divide(snapshot(total), count)
    )


def _neutral(mode: str, dtype: DType) -> float:
    """Return the identity element of a reduction."""
    if mode in ("sum", "mean", "prod"):
        return int(mode == "prod")
    if dtype.category == FLOATING:
        return float("-inf" if mode == "amax" else "inf")
    bits = dtype.itemsize * 8
    if dtype.category == BOOL:
        return mode == "amin"
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.is_signed else (0, (1 << bits) - 1)
    return low if mode == "amax" else high


def _change(operation: str, self: Tensor, dim: int, index: Tensor, src: Any, mode: str, own: bool = True) -> Tensor:
    """Run the `scatter` family in place."""
    given = src
    if type(src) in (float, int):
        try:
            given = _numbers.get(_number_key(src, self._layout, index._layout.shape))
        except AttributeError:  # not tensors: reported below
            pass
    if own and _changed(operation, self, dim, index, given, mode):
        return self
    check_writable(operation, as_tensor(operation, self))
    if starts_inplace(operation, self, (self, index, src)) or mode not in ("set", "sum") or not own:
        # The rules save a copy, because this tensor is about to change.
        check_overlap(operation, snapshot(self), ())
        return assign_inplace(
            operation, self, _scattered(operation, recorded_ops.clone(self), dim, index, src, mode, own)
        )
    there = snapshot(self)
    check_overlap(operation, there, ())
    target, dim, at, src = _prepared(operation, there, dim, index, src)
    if at is None:
        return self
    at, src = (no_record_ops.clone(operand) if meet(operand, there) else snapshot(operand) for operand in (at, src))
    scatter_into(snapshot(target), at, src, dim, mode)
    mutated(there, operation)
    return self


_plans = operators["scatter"].slow_table.by_key


def _changed(operation: str, target: Tensor, dim: int, index: Tensor, src: Any, mode: str) -> bool:
    """Run the common case by cached plans: known layouts, disjoint memory, no recording. False for other calls."""
    try:
        la = target._layout  # see Note [One moment]
        sa = target._storage
        oa = target._offset
        li = index._layout
        si = index._storage
        oi = index._offset
        lv = src._layout
        sv = src._storage
        ov = src._offset
        if active_modes or target.node is not None or src.node is not None:
            return False
        launch = _plans[(li, lv), la, dim + len(la.shape) if dim < 0 else dim, mode].launch
        sa.version + 1  # type: ignore[operator]  # read-only memory has version None: a TypeError
        pa = sa.ptr + oa
        pi = si.ptr + oi
        pv = sv.ptr + ov
        if (pa < pi + li.extent and pi < pa + la.extent) or (pa < pv + lv.extent and pv < pa + la.extent):
            return False
        launch(la.numel, pi, pv, pa)
    except MISSED as error:
        if hasattr(error, "launched"):
            raise
        return False
    sa.version += 1  # type: ignore[operator]
    sa.mutator = (operation, *user_site())
    return True


_SAYS_REDUCE = {None: "set", "add": "sum", "multiply": "prod"}


def _mode(operation: str, src: Operand | None, value: Operand | None, reduce: str | None) -> tuple[Operand | None, str]:
    """Return whichever of `src` and `value` was given, and the kernel's name for `reduce`."""
    if (src is None) == (value is None):
        raise ArgumentError(f"{operation}: expected src or value; got {'neither' if src is None else 'both'}")
    if reduce not in _SAYS_REDUCE:
        raise ArgumentError(f"{operation}: expected reduce to be 'add' or 'multiply'; got {reduce!r}")
    return (value if src is None else src), _SAYS_REDUCE[reduce]


@function(method=True, changes=True, out=("input", "index", "src"))
def scatter(
    operation: str,
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Operand | None = None,
    *,
    value: Operand | None = None,
    reduce: str | None = None,
) -> Tensor:
    """Set the elements of a copy of `input` at `index` along `dim` to those of `src`, or to the number `value`.

    For dim = 1: `out[i, index[i, j, k], k] = src[i, j, k]`. If a position is repeated, the last element applies. With
    `reduce` "add" or "multiply" the elements are added to the existing ones, or multiplied with them. `index` is int64
    or int32, with as many dimensions as `input` and `src`, and not longer than `input` except along `dim`. `src` has
    the dtype of `input`. Raises IndexError, with the position, if an index is negative or beyond the dimension.

    Arguments:
        input: the tensor to copy.
        dim: the dimension that is indexed.
        index: positions along `dim`: int64 or int32, as many dimensions as `input`.
        src: the elements: a tensor with the dtype of `input`, at least as long as `index` in each dimension.
        value: a number instead of `src`.
        reduce: "add" or "multiply"; existing elements are replaced if None.

    >>> from facula_tensor import tensor, zeros
    >>> scatter(zeros(2, 3), 1, tensor([[0], [2]]), 1.0)
    tensor([[1., 0., 0.],
            [0., 0., 1.]])
    """
    mode = "set"
    if src is None or value is not None or reduce is not None:
        src, mode = _mode(operation, src, value, reduce)
    return (_scattered if operation == "scatter" else _change)(operation, input, dim, index, src, mode)


@overridable
@method()
@boundary
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Add the elements of `src` at `index` along `dim` to a copy of `input`; arguments as in `scatter`.

    The elements of a position are summed in order, independently of the number of threads.

    Arguments:
        input: the tensor to copy.
        dim: the dimension that is indexed.
        index: positions along `dim`: int64 or int32, as many dimensions as `input`.
        src: the elements: a tensor with the dtype of `input`, at least as long as `index` in each dimension.
        out: a tensor for the result; a new one if None.

    >>> from facula_tensor import tensor, zeros
    >>> scatter_add(zeros(3), 0, tensor([0, 2, 0]), tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.])
    """
    try:  # the common case
        layout = index._layout
        like = layout.shape == src._layout.shape and len(layout.shape) == len(input._layout.shape) and layout.shape
        if like and layout.dtype is int64 and layout.numel and out is None:
            return recorded_ops.scatter(input, index, src, (dim, "sum"))
    except AttributeError:
        pass
    src = as_tensor("scatter_add", src)
    return write_out("scatter_add", _scattered("scatter_add", input, dim, index, src, "sum"), out, (input, index, src))


@function(method=True)
def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Checked) -> Tensor:
    """Add the elements of `src` at `index` along `dim` in place, and return this tensor.

    Arguments:
        input: the tensor to modify.
        dim: the dimension that is indexed.
        index: positions along `dim`: int64 or int32, as many dimensions as `input`.
        src: the elements: a tensor with the dtype of `input`, at least as long as `index` in each dimension.
    """
    return _change("scatter_add_", input, dim, index, src, "sum")


@function(method=True, changes=True, out=("input", "index", "src"))
def scatter_reduce(
    operation: str,
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Checked,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """Reduce elements of `src` at `index` along `dim` into a copy of `input`; arguments as in `scatter`.

    `reduce` is "sum", "prod", "mean", "amax" or "amin" of the elements of a position. Without `include_self` the
    existing element does not take part. Equal extremes share the gradient. Means of integers are rounded down.

    Arguments:
        input: the tensor to copy.
        dim: the dimension that is indexed.
        index: positions along `dim`: int64 or int32, as many dimensions as `input`.
        src: the elements: a tensor with the dtype of `input`, at least as long as `index` in each dimension.
        reduce: "sum", "prod", "mean", "amax" or "amin".
        include_self: whether the existing element takes part.

    >>> from facula_tensor import tensor
    >>> scatter_reduce(tensor([1.0, 2.0]), 0, tensor([0, 0]), tensor([5.0, 3.0]), "amax")
    tensor([5., 2.])
    """
    mode = check_reduction(operation, reduce, REDUCTIONS)
    call = _scattered if operation == "scatter_reduce" else _change
    return call(operation, input, dim, index, src, mode, include_self)


def check_reduction(operation: str, reduce: str | None, known: tuple[str, ...]) -> str:
    """Return `reduce`, or raise a ValueError that lists the supported reductions."""
    if reduce not in known:
        raise ArgumentError(f"{operation}: expected reduce to be one of {known}; got {reduce!r}")
    return reduce

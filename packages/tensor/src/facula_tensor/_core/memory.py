"""Checks of memory before writing: overlap, legality, read-only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_autograd import is_grad_enabled
from facula_errors import ArgumentError, DTypeError, InvalidIndexError, InvalidTypeError, OperationError
from facula_storage import Layout, contiguous, layout_of
from facula_storage.extend.layouts import find_window
from facula_storage.extend.memory import host_view

from .errors import show
from .promotion import can_cast
from .resizing import resized
from .tensor import Tensor, layout_of_tensor, snapshot
from .wrapped import LevelLayout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .types import Operands


SOLVER_WORK = 10_000  # candidate solutions; a few suffice except for contrived strides


def overlaps_itself(layout: Layout) -> bool:
    """Return whether two indices may refer to one element. Exact for views of dense memory; otherwise
    conservative."""
    if layout.is_contiguous:
        return False
    dims = sorted((stride, size) for size, stride in zip(layout.shape, layout.strides, strict=True) if size > 1)
    reach = 0
    for stride, size in dims:
        if stride <= reach:
            return True
        reach += stride * (size - 1)
    return False


def selected_part(operation: str, layout: Layout, parts: tuple[Any, ...]) -> tuple[Layout, int]:
    """Return the layout of the view that integers, slices, None and `...` select, and its offset in bytes."""
    found: tuple[Layout, int] | None = find_window(layout, parts)
    if found is None:
        raise InvalidIndexError(
            f"{operation}: expected positions in range and strides below 2 ** 57; got {parts} for shape "
            f"{layout.shape} with strides {layout.strides}"
        )
    return found


def dense_in_order(layout: Layout, columns: int | None = None) -> Layout:
    """Return the layout without gaps of the same shape, whose dimensions have the same order in memory.

    Dimensions of length 1 and expanded ones have no order of their own and keep their places. With `columns`, the last
    dimension has this length, and is the innermost one.

    >>> from facula_storage import float32
    >>> dense_in_order(layout_of((2, 3, 4, 5), (90, 5, 15, 1), float32), 7)
    Layout((2, 3, 4, 7), facula.float32, strides=(84, 7, 21, 1))
    """
    shape, last = layout.shape, len(layout.shape)
    if columns is None and layout.is_contiguous:
        return layout
    if columns is not None:
        shape, last = (*shape[:-1], columns), last - 1
    ordered = [dim for dim in range(last) if layout.strides[dim] and shape[dim] > 1]
    outer_first = iter(sorted(ordered, key=lambda dim: -layout.strides[dim]))
    dims = [next(outer_first) if dim in ordered else dim for dim in range(len(shape))]
    if dims == sorted(dims):
        return contiguous(shape, layout.dtype, layout.device)
    strides, step = [1] * len(shape), 1
    for dim in reversed(dims):
        strides[dim], step = step, step * (shape[dim] or 1)
    return layout_of(shape, tuple(strides), layout.dtype, layout.device)


def span(tensor: Tensor) -> tuple[int, int]:
    """Return the first address and the one past the last. (A snapshot's, as all tensors here: see Note [One
    moment].)"""
    start = tensor._storage.ptr + tensor._offset
    return start, start + layout_of_tensor(tensor).extent


def meet(a: Tensor, b: Tensor) -> bool:
    """Return whether the memory spans of two tensors overlap."""
    first, second = layout_of_tensor(a), layout_of_tensor(b)
    if first.device is not second.device or first.device.type == "meta":
        return False
    start, other = a._storage.ptr + a._offset, b._storage.ptr + b._offset
    return start < other + second.extent and other < start + first.extent  # type: ignore[no-any-return]


def shares_memory(a: Tensor, b: Tensor) -> bool:
    """Return whether two tensors may share elements, other than being the same elements in the same order."""
    return meet(a, b) and (span(a)[0] != span(b)[0] or layout_of_tensor(a) != layout_of_tensor(b))


def check_overlap(operation: str, written: Tensor, operands: Iterable[object]) -> bool:
    """Raise RuntimeError if an operand partially overlaps the target; return whether one is the same memory.

    Arguments:
        operation: the beginning of errors.
        written: the target, whose elements must not share memory either.
        operands: the operands; those that are not tensors are ignored.
    """
    layout = layout_of_tensor(written)
    if overlaps_itself(layout):
        raise OperationError(
            f"{operation}: several elements of the tensor written to (shape {layout.shape}, strides {layout.strides}) "
            "share one place in memory, as after expand(); call .clone() on it first"
        )
    if isinstance(written._layout, LevelLayout):
        return False  # checked again for its contents
    first, last = span(written)
    same = False
    for operand in operands:
        if not isinstance(operand, Tensor) or operand is written or isinstance(operand._layout, LevelLayout):
            continue
        start, end = span(operand)
        if start >= last or first >= end:
            continue
        if layout.device.type == "meta" and operand._storage is not written._storage:
            continue  # without memory all are at address 0
        if start == first and layout_of_tensor(operand).strides == layout.strides and operand.shape == layout.shape:
            same = True
        elif not disjoint(written, operand):
            raise OperationError(
                f"{operation}: an operand and the tensor written to share part of their memory; "
                "call .clone() on one of them"
            )
    return same


def disjoint(a: Tensor, b: Tensor) -> bool:
    """Return whether two strided views within one span are known to be disjoint, such as the columns of a matrix.

    NumPy's solver decides; it uses addresses and never reads memory. Cases that are too hard count as shared.
    """
    views = [host_view(span(operand)[0], layout_of_tensor(operand)) for operand in (a, b)]
    try:
        return not np.shares_memory(*views, max_work=SOLVER_WORK)  # type: ignore[arg-type, misc]
    except np.exceptions.TooHardError:
        return False


def overlapping(tensors: Sequence[Tensor]) -> tuple[int, int] | None:
    """Return the list positions of two tensors that share elements; None if there are none."""
    spans: dict[Any, list[Any]] = {}
    tensors = [snapshot(a) for a in tensors]
    for place, a in enumerate(tensors):
        if a.numel() and a.device.type != "meta":
            spans.setdefault(a.device, []).append((*span(a), place))
    for on_device in spans.values():
        # the ends and positions of the tensors that extend beyond the current start
        reaching: list[tuple[int, int]] = []
        for start, end, place in sorted(on_device):
            reaching = [span_ for span_ in reaching if span_[0] > start]
            for _, other in reaching:
                if not disjoint(tensors[other], tensors[place]):
                    return (min(other, place), max(other, place))
            reaching.append((end, place))
    return None


def check_writable(operation: str, tensor: Tensor) -> None:
    """Raise RuntimeError, with the owner, if the memory is read-only."""
    storage = tensor._storage
    if storage.version is None:
        reason = getattr(storage, "readonly", "its memory is read-only; change a clone()")
        raise OperationError(f"{operation}: the tensor cannot be written: {reason}")


def check_out(
    operation: str, wanted: Layout, out: object, operands: Operands, elementwise: bool = True
) -> tuple[Tensor, bool]:
    """Check `out=` and resize it if it is empty; return a snapshot of it, and whether the result may be
    computed there."""
    if not isinstance(out, Tensor):
        raise InvalidTypeError(f"{operation}: expected out to be a Tensor; got {type(out).__name__}")
    if out.node is not None and is_grad_enabled():
        raise OperationError(
            f"{operation}: out requires a gradient; out= writes over it, so use no_grad() or another tensor"
        )
    target = snapshot(out)
    layout = target._layout
    if layout.device is not wanted.device:
        raise OperationError(f"{operation}: expected out on device '{wanted.device}'; got '{layout.device}'")
    if not can_cast(wanted.dtype, layout.dtype):
        raise DTypeError(
            f"{operation}: the result is {wanted.dtype.name} and cannot be stored in out, "
            f"which is {layout.dtype.name}; give an out of the result's dtype"
        )
    check_writable(operation, target)
    if layout.shape != wanted.shape:
        if layout.numel or any([getattr(a, "_storage", None) is target._storage for a in operands]):
            raise ArgumentError(
                f"{operation}: expected out of shape {wanted.shape}; got {show(layout)}. Only an empty out is resized"
            )
        target = resized(out, target, wanted.shape)
    same = check_overlap(operation, target, operands)
    return target, layout.dtype is wanted.dtype and (elementwise or not same)

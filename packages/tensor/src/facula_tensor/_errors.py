"""Errors that need more than one line to say what happened, where, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend import where
from facula_storage import LaunchError, Layout, Storage, int64
from facula_storage.extend import STATUS_INDEX, STATUS_MEMORY, STATUS_RANGE, STATUS_TARGET

if TYPE_CHECKING:
    from collections.abc import Sequence


class ArgumentError(ValueError, RuntimeError):
    """A shape, length or number that does not fit. A RuntimeError too: programs written for PyTorch catch that."""


class DTypeError(TypeError, RuntimeError):
    """A dtype that an operator is not defined for, or dtypes that do not go together. A RuntimeError too."""


class RangeError(OverflowError, RuntimeError):
    """A number that a dtype cannot hold. A RuntimeError too."""


def mutation(storage: Storage) -> str | None:
    """ "operator at file:line (function)" of the last in-place change, or None if nothing is known."""
    mutator = getattr(storage, "mutator", None)
    if mutator is None:
        return None
    name, code, lasti = mutator
    return f"{name} at {where(code, lasti)}"


def launch_error(operator: str, error: LaunchError, operands: Sequence[Any] = ()) -> Exception:
    """The exception for a kernel's status."""
    status, first, second, third, fourth = error.args
    if status == STATUS_TARGET:
        place: list[int] = []
        for size in reversed(next(a.shape for a in operands if a is not None and a.dtype is int64)):
            second, at = divmod(second, size)
            place.insert(0, at)
        name = f"target{place}" if place else "target"
        return IndexError(
            f"{operator.removesuffix('_grad')}: {name} = {first} is out of range for {third} classes "
            f"(0 to {third - 1}; ignore_index is {fourth})"
        )
    if status == STATUS_INDEX:
        return IndexError(
            f"{operator}: index {first} at position {second} is out of range for a dimension of size {third}; "
            f"expected {-third} to {third - 1}"
        )
    if status == STATUS_RANGE:
        return OverflowError(f"{operator}: {first} is out of range")
    if status == STATUS_MEMORY:
        return MemoryError(f"{operator}: no memory for {first} bytes of scratch space")
    return RuntimeError(f"{operator}: the kernel refused its arguments (status {status}: {first}, {second}, {third})")


def show(layout: Layout) -> str:
    """A layout as messages write it: ``float32 (2, 3)``."""
    return f"{layout.dtype.name} {layout.shape}"

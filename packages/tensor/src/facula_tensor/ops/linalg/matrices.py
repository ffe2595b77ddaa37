"""Shared helpers of matrix operators: operand checks, named results, and errors that name the failing matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, FaculaError
from facula_storage import Layout, contiguous, int32
from facula_storage.extend.layouts import FLOATING
from facula_storage.extend.recording import current_recorder, recorders

from ..._core.tensor import Tensor, elements, layout_of_tensor, steady
from ..._dispatch.namespaces import composite, no_record_ops, recorded_ops
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.value_checks import refuse_unless
from ..._dispatch.view_call import as_tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._dispatch.namespaces import Namespace


class LinAlgError(FaculaError, RuntimeError):
    """An error for a matrix that is singular, not positive definite, or whose decomposition does not converge.

    >>> from facula_tensor import linalg, zeros
    >>> try:
    ...     linalg.inv(zeros(2, 2))
    ... except linalg.LinAlgError as error:
    ...     print(error)
    linalg.inv: expected an invertible matrix; got one that is singular (pivot 1 of its elimination is 0)
    """


@composite
def mH(F: Namespace, input: Tensor) -> Tensor:
    """Return the conjugate transpose of matrices: a view for real ones."""
    return F.conj(F.mT(input))


@composite
def times(F: Namespace, *factors: Tensor) -> Tensor:
    """Multiply matrices from left to right."""
    result = factors[0]
    for factor in factors[1:]:
        result = F.matmul(result, factor)
    return result


def matrices(name: str, value: object, argument: str = "A", *, square: bool = False) -> Tensor:
    """Return a snapshot of a tensor of matrices: at least two dimensions, single or double precision."""
    input = steady(value if isinstance(value, Tensor) else as_tensor(name, value))
    layout = layout_of_tensor(input)
    shape = layout.shape
    if len(shape) < 2:
        raise ArgumentError(f"{name}: expected {argument} to have at least 2 dimensions; got shape {shape}")
    if square and shape[-1] != shape[-2]:
        raise ArgumentError(f"{name}: expected {argument} to be square matrices (..., n, n); got shape {shape}")
    check_precision(name, layout, argument)
    return input


def check_precision(name: str, layout: Layout, argument: str = "A") -> None:
    """Raise a TypeError for integers, bool and half precision, for which LAPACK has no routines."""
    dtype = layout.dtype
    if dtype.category < FLOATING:
        raise DTypeError(
            f"{name}: expected {argument} to be floating or complex; got {dtype.name}; convert with .float()"
        )
    if dtype.itemsize == 2:
        raise DTypeError(f"{name}: not defined for {dtype.name}, which is too narrow; convert {argument} with .float()")


def check_same(name: str, first: Tensor, second: Tensor, names: tuple[str, str] = ("A", "B")) -> None:
    """Raise a TypeError for different dtypes, a RuntimeError for different devices."""
    a, b = layout_of_tensor(first), layout_of_tensor(second)
    if a.dtype is not b.dtype:
        raise DTypeError(
            f"{name}: expected {names[0]} and {names[1]} in one dtype; got {a.dtype.name} and {b.dtype.name}; "
            "convert one with .to()"
        )


def expand_batches(name: str, A: Tensor, B: Tensor) -> tuple[Tensor, Tensor]:
    """Broadcast the leading dimensions of two batches of matrices."""
    a, b = layout_of_tensor(A).shape, layout_of_tensor(B).shape
    if a[:-2] == b[:-2]:
        return A, B
    batch = broadcast_shapes(name, a[:-2], b[:-2])
    if a[:-2] != batch:
        A = recorded_ops.expand(A, (*batch, *a[-2:]))
    if b[:-2] != batch:
        B = recorded_ops.expand(B, (*batch, *b[-2:]))
    return A, B


def status_layout(layout: Layout) -> Layout:
    """Return the layout of `info`: an integer for each matrix, 0 for success."""
    return contiguous(layout.shape[:-2], int32, layout.device)


def check_info(name: str, info: Tensor, says: Callable[[int], str]) -> None:
    """Raise a LinAlgError if a matrix has a nonzero `info`; `says` returns the message for it.

    During capture the check is a launch that replays repeat, and no element is read.
    """
    info = elements(info)
    layout = layout_of_tensor(info)
    if layout.device.type == "meta" or not layout.numel:
        return

    def error() -> Exception:
        every, index = info.reshape(-1).tolist(), list[int]()
        found = next(filter(None, every))
        place = every.index(found)
        for size in reversed(layout.shape):
            place, at = divmod(place, size)
            index.insert(0, at)
        return LinAlgError(f"{name}: matrix {index}: {says(found)}" if index else f"{name}: {says(found)}")

    if recorders and current_recorder() is not None:
        in_short = f"{name}: {says(0).partition(';')[0]}; got another"
        refuse_unless(no_record_ops.eq(info, 0), error, lambda: LinAlgError(in_short))
    elif (no_record_ops.amax(info, (tuple(range(len(layout.shape))), False)) if layout.shape else info).item():
        raise error()

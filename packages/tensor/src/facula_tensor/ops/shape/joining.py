"""Concatenation of tensors: along an existing dimension (`cat`) or a new one (`stack`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError, InvalidTypeError
from facula_errors.extend import trim_traceback

from ..._core.promotion import promote_types
from ..._core.tensor import Tensor, check_dim, steady
from ..._dispatch.arguments import axis_for
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.overrides import call_torch_function, overridden
from ..._dispatch.slow_path.writing import write_out
from .concatenation import join_others, join_several, join_two
from .transpose import new_dim

if TYPE_CHECKING:
    from collections.abc import Sequence


def _sequence(operation: str, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    if type(tensors) is not list and not isinstance(tensors, (tuple, list)):
        raise InvalidTypeError(
            f"{operation}: expected a tuple or list of tensors; got {type(tensors).__name__}; put brackets around "
            f"them, as in {operation}([a, b])"
        )
    return tuple(tensors)


def cat(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors along an existing dimension. Their other lengths must be equal; dtypes are promoted.

    Empty one-dimensional tensors are skipped, whatever the shape of the others.

    Arguments:
        tensors: the tensors.
        dim: the dimension.
        axis: NumPy's name of `dim`.
        out: the tensor that receives the result; None for a new tensor.

    Raises:
        ValueError: if a tensor does not fit; the message names it.

    >>> from facula_tensor import tensor
    >>> cat([tensor([1, 2]), tensor([3])])
    tensor([1, 2, 3])
    """
    try:
        if axis is not None:
            dim = axis_for(dim or None, axis, "cat")
        if out is None and type(dim) is int and type(tensors) in (tuple, list):
            joined = (join_two if len(tensors) == 2 else join_several)("cat", tensors, dim)
            if joined is None:
                joined = join_others("cat", tensors, dim)
            if joined is not None:
                return joined
        tensors = _sequence("cat", tensors)
        if overridden(tensors):
            return call_torch_function("cat", cat, (tensors, dim), {} if out is None else {"out": out}, tensors)
        if not tensors:
            raise ArgumentError("cat: expected at least one tensor; got none")
        tensors = tuple([steady(tensor) if isinstance(tensor, Tensor) else tensor for tensor in tensors])
        for place, tensor in enumerate(tensors):
            if not isinstance(tensor, Tensor):
                raise InvalidTypeError(f"cat: expected tensors[{place}] to be a Tensor; got {type(tensor).__name__}")
        parts = [tensor for tensor in tensors if tensor.ndim != 1 or tensor.shape[0]] or list(tensors[:1])
        first = parts[0]
        if not first.ndim:
            raise ArgumentError("cat: expected tensors of at least 1 dimension; tensors[0] has none; use stack")
        at = check_dim("cat", dim, first.ndim)
        dtype = first.dtype
        for tensor in tensors:
            dtype = promote_types(dtype, tensor.dtype)
        for part in parts:
            if part.ndim != first.ndim or any(
                m != n for i, (m, n) in enumerate(zip(part.shape, first.shape)) if i != at
            ):
                place = next(i for i, tensor in enumerate(tensors) if tensor is part)
                raise ArgumentError(
                    f"cat: tensors[{place}] of shape {tuple(part.shape)} does not fit the first of shape "
                    f"{tuple(first.shape)}; "
                    f"all lengths but that of dimension {at} must agree"
                )
        if len(parts) < len(tensors):
            # A skipped tensor that requires a gradient receives an empty one: it takes part with a shape that fits.
            empty = (*first.shape[:at], 0, *first.shape[at + 1 :])
            wanting = [tensor for tensor in tensors if tensor.node is not None and tensor.shape == (0,) != first.shape]
            parts += [recorded_ops.reshape(tensor, empty) for tensor in wanting]
        ready = tuple(part if part.dtype is dtype else recorded_ops.to(part, (dtype,)) for part in parts)
        return write_out("cat", recorded_ops.cat(ready, (at,)), out, tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise


def stack(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors of the same shape along a new dimension at `dim`.

    Arguments:
        tensors: the tensors.
        dim: the position of the new dimension.
        axis: NumPy's name of `dim`.
        out: the tensor that receives the result; None for a new tensor.

    >>> from facula_tensor import tensor
    >>> stack([tensor([1, 2]), tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    try:
        if axis is not None:
            dim = axis_for(dim or None, axis, "stack")
        if out is None and type(dim) is int and type(tensors) in (tuple, list):
            joined = (join_two if len(tensors) == 2 else join_several)("stack", tensors, dim)
            if joined is None:
                joined = join_others("stack", tensors, dim)
            if joined is not None:
                return joined
        tensors = _sequence("stack", tensors)
        if overridden(tensors):
            return call_torch_function("stack", stack, (tensors, dim), {} if out is None else {"out": out}, tensors)
        if not tensors:
            raise ArgumentError("stack: expected at least one tensor; got none")
        tensors = tuple([steady(tensor) if isinstance(tensor, Tensor) else tensor for tensor in tensors])
        for place, tensor in enumerate(tensors):
            if not isinstance(tensor, Tensor):
                raise InvalidTypeError(f"stack: expected tensors[{place}] to be a Tensor; got {type(tensor).__name__}")
            if tensor.shape != tensors[0].shape:
                raise ArgumentError(
                    f"stack: expected all tensors to have shape {tuple(tensors[0].shape)}; tensors[{place}] has shape "
                    f"{tuple(tensor.shape)}"
                )
        at = new_dim("stack", dim, tensors[0].ndim)
        dtype = tensors[0].dtype
        for tensor in tensors:
            dtype = promote_types(dtype, tensor.dtype)
        ready = tuple(tensor if tensor.dtype is dtype else recorded_ops.to(tensor, (dtype,)) for tensor in tensors)
        return write_out("stack", recorded_ops.stack(ready, (at,)), out, tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise

"""Argument checks of collective operations: tensors, lists of them, reductions, and ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, InvalidTypeError, InvalidValueError, UnsupportedError
from facula_tensor import Tensor

from .._groups.groups import check_group_rank, rank_in
from .._groups.work import RedOpType, ReduceOp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._groups.groups import ProcessGroup

BITS = (RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR)
ORDERED = (RedOpType.MAX, RedOpType.MIN, RedOpType.PRODUCT, *BITS)  # not defined for complex numbers


def as_tensor(operation: str, name: str, value: object) -> Tensor:
    """Return a tensor; TypeError for other values."""
    if not isinstance(value, Tensor):
        raise InvalidTypeError(f"{operation}: expected {name} to be a Tensor; got {type(value).__name__}")
    return value


def as_list(operation: str, name: str, values: object) -> list[Tensor]:
    """Return a sequence of tensors as a list; TypeError for other values."""
    if not isinstance(values, (list, tuple)):
        raise InvalidTypeError(f"{operation}: expected {name} to be a list of tensors; got {type(values).__name__}")
    return [as_tensor(operation, f"{name}[{place}]", value) for place, value in enumerate(values)]


def one_for_each(operation: str, name: str, values: object, group: ProcessGroup) -> list[Tensor]:
    """Return a list with one tensor per process."""
    tensors = as_list(operation, name, values)
    if len(tensors) != group.size():
        raise ArgumentError(
            f"{operation}: expected {name} to have {group.size()} tensors, one for each process; got {len(tensors)}"
        )
    return tensors


def all_like(operation: str, name: str, tensors: Sequence[Tensor], like: Tensor) -> None:
    """Check that tensors have the dtype and the shape of another."""
    for tensor in tensors:
        same_dtype(operation, name, tensor, like)
        if tensor.shape != like.shape:
            raise ArgumentError(
                f"{operation}: expected {name} of the shape {tuple(like.shape)}; got {tuple(tensor.shape)}"
            )


def same_dtype(operation: str, name: str, tensor: Tensor, like: Tensor) -> None:
    """Check that a tensor has the dtype of another."""
    if tensor.dtype is not like.dtype:
        raise DTypeError(f"{operation}: expected {name} in {like.dtype}, as the input is; got {tensor.dtype}")


def joined(operation: str, name: str, whole: Tensor, part: Tensor, group: ProcessGroup) -> None:
    """Check that a tensor has room for a part of each process, concatenated or stacked."""
    same_dtype(operation, name, whole, part)
    size = group.size()
    stacked, shape = (size, *part.shape), tuple(whole.shape)
    concatenated = (size * part.shape[0], *part.shape[1:]) if part.ndim else (size,)
    if shape not in (stacked, concatenated):
        raise ArgumentError(
            f"{operation}: expected {name} of the shape {concatenated} or {stacked}, for {size} processes; got {shape}"
        )


def reduction_of(operation: str, op: object, *tensors: Tensor) -> RedOpType:
    """Return a reduction that the tensors' dtypes support."""
    kind = op.op if isinstance(op, ReduceOp) else op
    if not isinstance(kind, RedOpType):
        raise InvalidTypeError(f"{operation}: expected op to be ReduceOp.SUM or another of its names; got {op!r}")
    if kind is RedOpType.PREMUL_SUM:
        raise UnsupportedError(f"{operation}: expected another op than PREMUL_SUM; multiply before, and use SUM")
    for tensor in tensors:
        if tensor.is_complex() and kind in ORDERED:
            raise InvalidValueError(f"{operation}: expected op SUM or AVG for {tensor.dtype}; got {kind.name}")
        if tensor.is_floating_point() and kind in BITS:
            raise DTypeError(f"{operation}: expected integers or bool for op {kind.name}; got {tensor.dtype}")
        if kind is RedOpType.AVG and str(tensor.dtype).endswith(".bool"):
            raise DTypeError(f"{operation}: expected numbers for op AVG; got {tensor.dtype}; convert the tensor")
    return kind


def root_of(
    operation: str,
    name: str,
    group: ProcessGroup,
    rank: int | None,
    group_rank: int | None,
    default: int | None = None,
) -> int:
    """Return the rank in the group of the source or destination, given as one of two arguments, or by default."""
    if rank is None and group_rank is None:
        rank = default
    if (rank is None) == (group_rank is None):
        raise InvalidValueError(
            f"{operation}: expected {name} or group_{name}; got {'neither' if rank is None else 'both'}"
        )
    if group_rank is not None:
        return check_group_rank(operation, f"group_{name}", group, group_rank)
    return rank_in(operation, name, group, rank)


def split_of(operation: str, name: str, tensor: Tensor, sizes: Sequence[int] | None, group: ProcessGroup) -> list[int]:
    """Return the lengths of a tensor's parts for each process, along dimension 0."""
    size, length = group.size(), tensor.shape[0] if tensor.ndim else 0
    if not sizes:
        if not tensor.ndim or length % size:
            raise ArgumentError(
                f"{operation}: expected dimension 0 of {name} to be a multiple of {size}, the number of processes; got "
                f"the shape {tuple(tensor.shape)}; pass {name}_split_sizes"
            )
        return [length // size] * size
    if len(sizes) != size or sum(sizes) != length or min(sizes) < 0:
        raise ArgumentError(
            f"{operation}: expected {name}_split_sizes to be {size} lengths with the sum {length}, the length of "
            f"{name}'s dimension 0; got {list(sizes)}"
        )
    return list(sizes)


def row_elements(tensor: Tensor) -> int:
    """Return the number of elements at one index of dimension 0."""
    return math.prod(tensor.shape[1:])

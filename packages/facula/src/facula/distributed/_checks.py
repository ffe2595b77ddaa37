"""Argument checks of collective operations: tensors, lists of them, reductions, and ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, InvalidTypeError, InvalidValueError, UnsupportedError

from .. import Tensor, no_grad
from ._groups import check_rank
from ._work import RedOpType, ReduceOp, Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._groups import ProcessGroup

BITS = (RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR)
ORDERED = (RedOpType.MAX, RedOpType.MIN, RedOpType.PRODUCT, *BITS)  # not defined for complex numbers


def done(async_op: bool, *results: Tensor) -> Work | None:
    return Work(results) if async_op else None


def as_tensor(operation: str, name: str, value: object) -> Tensor:
    if not isinstance(value, Tensor):
        raise InvalidTypeError(f"{operation}: expected {name} to be a Tensor; got {type(value).__name__}")
    return value


def as_list(operation: str, name: str, values: object) -> list[Tensor]:
    """Return a sequence of tensors as a list; TypeError for other values."""
    if not isinstance(values, (list, tuple)):
        raise InvalidTypeError(f"{operation}: expected {name} to be a list of tensors; got {type(values).__name__}")
    return [as_tensor(operation, f"{name}[{place}]", value) for place, value in enumerate(values)]


def one_for_each(operation: str, name: str, values: object) -> Tensor:
    """Return the tensor of a list with one tensor per process."""
    tensors = as_list(operation, name, values)
    if len(tensors) != 1:
        raise ArgumentError(f"{operation}: expected {name} to have 1 tensor, one for each process; got {len(tensors)}")
    return tensors[0]


def check_op(operation: str, op: object, *tensors: Tensor) -> None:
    """Check that `op` is a reduction that the tensors' dtypes support."""
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


def put(operation: str, output: Tensor, input: Tensor, *shapes: Sequence[int]) -> None:
    """Copy `input` to `output`, which has the same dtype and its shape, or one of `shapes`."""
    if output.dtype is not input.dtype:
        raise DTypeError(f"{operation}: expected the output in {input.dtype}, as the input is; got {output.dtype}")
    if tuple(output.shape) not in (tuple(input.shape), *[tuple(shape) for shape in shapes]):
        raise ArgumentError(
            f"{operation}: expected an output of the input's shape {tuple(input.shape)}; got {tuple(output.shape)}"
        )
    with no_grad():
        output.copy_(input.reshape(output.shape))


def check_root(
    operation: str,
    name: str,
    group: ProcessGroup,
    rank: int | None,
    group_rank: int | None,
    default: int | None = None,
) -> None:
    """Check the source or destination process, given as one of two arguments, or by default."""
    if rank is None and group_rank is None:
        rank = default
    if (rank is None) == (group_rank is None):
        raise InvalidValueError(
            f"{operation}: expected {name} or group_{name}; got {'neither' if rank is None else 'both'}"
        )
    if group_rank is not None:
        name, rank = f"group_{name}", group_rank
    check_rank(operation, name, group, rank)

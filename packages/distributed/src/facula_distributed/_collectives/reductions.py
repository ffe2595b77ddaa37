"""Collective operations that reduce the tensors of several processes, element by element, in rank order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors.extend import boundary

from .._groups.groups import group_of
from .._groups.work import RedOpType, ReduceOp, completed
from .checks import ORDERED, all_like, as_list, as_tensor, joined, one_for_each, reduction_of, root_of
from .transfers import NO_MEMORY, memory_of, parts_of, perform

if TYPE_CHECKING:
    from facula_tensor import Tensor

    from .._groups.groups import ProcessGroup
    from .._groups.work import Work


def supports_complex(reduceOp: RedOpType | ReduceOp) -> bool:
    """Return whether a reduction supports complex numbers."""
    return (reduceOp.op if isinstance(reduceOp, ReduceOp) else reduceOp) not in ORDERED


@boundary
def all_reduce(
    tensor: Tensor, op: Any = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Reduce a tensor over all processes, in place.

    Sums of each element are made in rank order, independently of sizes and timing. Those of float16 and bfloat16
    are made in float32, and rounded once. MIN and MAX return NaN if a value is NaN. Tensors of all processes in shared
    memory (`share_memory_`) are reduced without copies.

    Arguments:
        tensor: the tensor, of the same shape and dtype in all processes.
        op: the reduction, such as `ReduceOp.SUM`.
        group: the process group; all processes if None.
        async_op: return a `Work`, and reduce in the background.

    Raises:
        RuntimeError: processes call other operations (MismatchError), failed (RankError), or are late
            (DistTimeoutError).

    >>> from facula_distributed import HashStore, destroy_process_group, init_process_group
    >>> from facula_tensor import tensor
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> loss = tensor(2.0)
    >>> all_reduce(loss)
    >>> loss
    tensor(2.)
    >>> destroy_process_group()
    """
    reduction = reduction_of("all_reduce", op, as_tensor("all_reduce", "tensor", tensor))
    found = group_of("all_reduce", group)
    return None if found is None else _all_reduce("all_reduce", found, tensor, reduction, async_op, [tensor])


def _all_reduce(
    operation: str, group: ProcessGroup, tensor: Tensor, reduction: RedOpType, async_op: bool, results: list[Tensor]
) -> Work | None:
    return perform(
        group, operation, like=tensor, send=[memory_of(operation, tensor, is_written=True)], reduction=reduction,
        is_all_reduce=True, async_op=async_op, results=results,
    )  # fmt: skip


@boundary
def all_reduce_coalesced(
    tensors: list[Tensor], op: Any = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Reduce several tensors over all processes, like `all_reduce`.

    Arguments:
        tensors: the tensors.
        op: the reduction, such as `ReduceOp.SUM`.
        group: the process group; all processes if None.
        async_op: return a `Work`, and reduce in the background.
    """
    name = "all_reduce_coalesced"
    several = as_list(name, "tensors", tensors)
    reduction = reduction_of(name, op, *several)
    found = group_of(name, group)
    if found is None:
        return None
    work = [_all_reduce(name, found, tensor, reduction, async_op, several) for tensor in several]
    return (work[-1] if work else completed()) if async_op else None  # the last ends after the others


@boundary
def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: Any = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Reduce a tensor to one process, like `all_reduce`. In the others it is unchanged.

    Arguments:
        tensor: the tensor, of the same shape and dtype in all processes.
        dst: the process that receives the result.
        op: the reduction, such as `ReduceOp.SUM`.
        group: the process group; all processes if None.
        async_op: return a `Work`, and reduce in the background.
        group_dst: the rank within the group, instead of `dst`.
    """
    reduction = reduction_of("reduce", op, as_tensor("reduce", "tensor", tensor))
    found = group_of("reduce", group, dst)
    if found is None:
        return None
    root = root_of("reduce", "dst", found, dst, group_dst)
    memory = memory_of("reduce", tensor, is_written=True)
    send = [memory._replace(target=None)]
    return perform(
        found, "reduce", like=tensor, send=send, receive=[memory if root == found.rank() else NO_MEMORY],
        reduction=reduction, root=root, async_op=async_op, results=[tensor],
    )  # fmt: skip


@boundary
def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: Any = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Reduce a tensor over all processes, and scatter the parts.

    Arguments:
        output: the tensor to write.
        input: this process's tensor, parts for all processes one after the other or stacked.
        op: the reduction, such as `ReduceOp.SUM`.
        group: the process group; all processes if None.
        async_op: return a `Work`, and reduce in the background.
    """
    name = "reduce_scatter_tensor"
    as_tensor(name, "output", output)
    reduction = reduction_of(name, op, as_tensor(name, "input", input))
    found = group_of(name, group)
    if found is None:
        return None
    joined(name, "input", input, output, found)
    return perform(
        found, name, like=output, send=parts_of(name, input, [output.numel()] * found.size()),
        receive=[memory_of(name, output, is_written=True)], reduction=reduction, async_op=async_op, results=[output],
    )  # fmt: skip


@boundary
def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: Any = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Reduce a list of tensors over all processes, and scatter one to each process.

    Arguments:
        output: the tensor to write.
        input_list: a tensor for each process.
        op: the reduction, such as `ReduceOp.SUM`.
        group: the process group; all processes if None.
        async_op: return a `Work`, and reduce in the background.
    """
    name = "reduce_scatter"
    as_tensor(name, "output", output)
    inputs = as_list(name, "input_list", input_list)
    reduction = reduction_of(name, op, *inputs)
    found = group_of(name, group)
    if found is None:
        return None
    all_like(name, "tensors of input_list", one_for_each(name, "input_list", inputs, found), output)
    return perform(
        found, name, like=output, send=[memory_of(name, tensor) for tensor in inputs],
        receive=[memory_of(name, output, is_written=True)], reduction=reduction, async_op=async_op, results=[output],
    )  # fmt: skip

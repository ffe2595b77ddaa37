"""Collective operations on tensors, in a group of one process: each returns its input.

Shapes, dtypes, ranks and reductions are checked as with several processes. Gradients are not recorded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError
from facula_errors.extend import boundary

from ._checks import ORDERED, as_list, as_tensor, check_op, check_root, done, one_for_each, put
from ._groups import group_of
from ._work import RedOpType, ReduceOp

if TYPE_CHECKING:
    from .. import Tensor
    from ._groups import ProcessGroup
    from ._work import Work


def supports_complex(reduceOp: RedOpType | ReduceOp) -> bool:
    """Return whether a reduction supports complex numbers."""
    return (reduceOp.op if isinstance(reduceOp, ReduceOp) else reduceOp) not in ORDERED


@boundary
def all_reduce(
    tensor: Tensor, op: Any = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Reduce a tensor over all processes, in place. With one process it is unchanged.

    Arguments:
        tensor: the tensor.
        op: the reduction, such as `ReduceOp.SUM`.
        group: the process group; all processes if None.
        async_op: return a completed `Work`.

    >>> from facula.distributed import HashStore, destroy_process_group, init_process_group
    >>> from facula import tensor
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> loss = tensor(2.0)
    >>> all_reduce(loss)
    >>> loss
    tensor(2.)
    >>> destroy_process_group()
    """
    check_op("all_reduce", op, as_tensor("all_reduce", "tensor", tensor))
    return None if group_of("all_reduce", group) is None else done(async_op, tensor)


@boundary
def all_reduce_coalesced(
    tensors: list[Tensor], op: Any = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Reduce several tensors over all processes, like `all_reduce`.

    Arguments:
        tensors: the tensors.
        op: the reduction, such as `ReduceOp.SUM`.
        group: the process group; all processes if None.
        async_op: return a completed `Work`.
    """
    several = as_list("all_reduce_coalesced", "tensors", tensors)
    check_op("all_reduce_coalesced", op, *several)
    return None if group_of("all_reduce_coalesced", group) is None else done(async_op, *several)


@boundary
def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Copy a tensor of one process to all. With one process it is unchanged.

    Arguments:
        tensor: the tensor.
        src: the process that it comes from.
        group: the process group; all processes if None.
        async_op: return a completed `Work`.
        group_src: the rank within the group, instead of `src`.
    """
    as_tensor("broadcast", "tensor", tensor)
    found = group_of("broadcast", group)
    if found is None:
        return None
    check_root("broadcast", "src", found, src, group_src)
    return done(async_op, tensor)


@boundary
def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: Any = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Reduce a tensor to one process. With one process it is unchanged.

    Arguments:
        tensor: the tensor.
        dst: the process that receives the result.
        op: the reduction, such as `ReduceOp.SUM`.
        group: the process group; all processes if None.
        async_op: return a completed `Work`.
        group_dst: the rank within the group, instead of `dst`.
    """
    check_op("reduce", op, as_tensor("reduce", "tensor", tensor))
    found = group_of("reduce", group)
    if found is None:
        return None
    check_root("reduce", "dst", found, dst, group_dst)
    return done(async_op, tensor)


@boundary
def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Copy the tensors of all processes to a list of tensors.

    Arguments:
        tensor_list: the output, a tensor for each process.
        tensor: this process's tensor.
        group: the process group; all processes if None.
        async_op: return a completed `Work`.
    """
    output = one_for_each("all_gather", "tensor_list", tensor_list)
    as_tensor("all_gather", "tensor", tensor)
    if group_of("all_gather", group) is None:
        return None
    put("all_gather", output, tensor)
    return done(async_op, output)


@boundary
def all_gather_coalesced(
    output_tensor_lists: list[list[Tensor]],
    input_tensor_list: list[Tensor],
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Gather several tensors, like `all_gather`; the first list is of the first process's tensors.

    Arguments:
        output_tensor_lists: the output, for each process a list of tensors.
        input_tensor_list: this process's tensors.
        group: the process group; all processes if None.
        async_op: return a completed `Work`.
    """
    inputs = as_list("all_gather_coalesced", "input_tensor_list", input_tensor_list)
    if not isinstance(output_tensor_lists, (list, tuple)) or len(output_tensor_lists) != 1:
        raise ArgumentError("all_gather_coalesced: expected output_tensor_lists to have 1 list, one for each process")
    outputs = as_list("all_gather_coalesced", "output_tensor_lists[0]", output_tensor_lists[0])
    if len(outputs) != len(inputs):
        raise ArgumentError(f"all_gather_coalesced: expected {len(inputs)} outputs, as inputs; got {len(outputs)}")
    if group_of("all_gather_coalesced", group) is None:
        return None
    for output, input in zip(outputs, inputs, strict=True):
        put("all_gather_coalesced", output, input)
    return done(async_op, *outputs)


@boundary
def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Copy the tensors of all processes to one tensor, concatenated or stacked.

    Arguments:
        output_tensor: the tensor to write.
        input_tensor: this process's tensor.
        group: the process group; all processes if None.
        async_op: return a completed `Work`.
    """
    name = "all_gather_into_tensor"
    as_tensor(name, "output_tensor", output_tensor)
    as_tensor(name, "input_tensor", input_tensor)
    if group_of(name, group) is None:
        return None
    put(name, output_tensor, input_tensor, (1, *input_tensor.shape))
    return done(async_op, output_tensor)


@boundary
def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: Any = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Reduce a tensor over all processes, and scatter the parts. With one process, the part is the whole.

    Arguments:
        output: the tensor to write.
        input: this process's tensor, parts for all processes one after the other or stacked.
        op: the reduction, such as `ReduceOp.SUM`.
        group: the process group; all processes if None.
        async_op: return a completed `Work`.
    """
    name = "reduce_scatter_tensor"
    as_tensor(name, "output", output)
    check_op(name, op, as_tensor(name, "input", input))
    if group_of(name, group) is None:
        return None
    put(name, output, input, *[input.shape[1:]] if input.ndim and input.shape[0] == 1 else [])
    return done(async_op, output)


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
        async_op: return a completed `Work`.
    """
    as_tensor("reduce_scatter", "output", output)
    input = one_for_each("reduce_scatter", "input_list", input_list)
    check_op("reduce_scatter", op, input)
    if group_of("reduce_scatter", group) is None:
        return None
    put("reduce_scatter", output, input)
    return done(async_op, output)

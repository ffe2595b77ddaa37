"""Collective operations that copy tensors between processes, and barriers."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, InvalidValueError, OperationError
from facula_errors.extend import boundary

from .._groups.backends import Backend
from .._groups.groups import group_of
from .._groups.work import completed
from .._stores.store import as_seconds
from .checks import all_like, as_list, as_tensor, joined, one_for_each, root_of, row_elements, same_dtype, split_of
from .transfers import NO_MEMORY, memory_of, parts_of, perform

if TYPE_CHECKING:
    from facula_tensor import Tensor

    from .._groups.groups import ProcessGroup
    from .._groups.work import Work


@boundary
def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Copy a tensor of one process to all.

    Arguments:
        tensor: the tensor, of the same shape and dtype in all processes.
        src: the process that it comes from.
        group: the process group; all processes if None.
        async_op: return a `Work`, and copy in the background.
        group_src: the rank within the group, instead of `src`.
    """
    as_tensor("broadcast", "tensor", tensor)
    found = group_of("broadcast", group, src)
    if found is None:
        return None
    root = root_of("broadcast", "src", found, src, group_src)
    if root == found.rank():
        return perform(
            found, "broadcast", like=tensor, send=[memory_of("broadcast", tensor)], root=root, async_op=async_op,
            results=[tensor],
        )  # fmt: skip
    receive = [NO_MEMORY] * found.size()
    receive[root] = memory_of("broadcast", tensor, is_written=True)
    return perform(found, "broadcast", like=tensor, receive=receive, root=root, async_op=async_op, results=[tensor])


@boundary
def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Copy the tensors of all processes to a list of tensors.

    Arguments:
        tensor_list: the output, a tensor for each process.
        tensor: this process's tensor, of the same shape and dtype in all processes.
        group: the process group; all processes if None.
        async_op: return a `Work`, and copy in the background.
    """
    found = group_of("all_gather", group)
    return None if found is None else _all_gather("all_gather", found, tensor_list, tensor, async_op)


def _all_gather(operation: str, group: ProcessGroup, outputs: object, tensor: object, async_op: bool) -> Work | None:
    own = as_tensor(operation, "tensor", tensor)
    tensors = one_for_each(operation, "tensor_list", outputs, group)
    all_like(operation, "tensors of tensor_list", tensors, own)
    receive = [memory_of(operation, output, is_written=True) for output in tensors]
    return perform(
        group, operation, like=own, send=[memory_of(operation, own)], receive=receive, async_op=async_op,
        results=tensors,
    )  # fmt: skip


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
        async_op: return a `Work`, and copy in the background.
    """
    name = "all_gather_coalesced"
    found = group_of(name, group)
    if found is None:
        return None
    inputs = as_list(name, "input_tensor_list", input_tensor_list)
    if not isinstance(output_tensor_lists, (list, tuple)) or len(output_tensor_lists) != found.size():
        raise ArgumentError(f"{name}: expected output_tensor_lists to have {found.size()} lists, one for each process")
    for place, outputs in enumerate(output_tensor_lists):
        if len(as_list(name, f"output_tensor_lists[{place}]", outputs)) != len(inputs):
            raise ArgumentError(f"{name}: expected {len(inputs)} outputs, as inputs; got {len(outputs)}")
    work = [
        _all_gather(name, found, list(outputs), tensor, async_op)
        for *outputs, tensor in zip(*output_tensor_lists, inputs, strict=True)
    ]
    return (work[-1] if work else completed()) if async_op else None  # the last ends after the others


@boundary
def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Copy the tensors of all processes to one tensor, concatenated or stacked.

    Arguments:
        output_tensor: the tensor to write.
        input_tensor: this process's tensor, of the same shape and dtype in all processes.
        group: the process group; all processes if None.
        async_op: return a `Work`, and copy in the background.
    """
    name = "all_gather_into_tensor"
    as_tensor(name, "output_tensor", output_tensor)
    as_tensor(name, "input_tensor", input_tensor)
    found = group_of(name, group)
    if found is None:
        return None
    joined(name, "output_tensor", output_tensor, input_tensor, found)
    receive = parts_of(name, output_tensor, [input_tensor.numel()] * found.size(), is_written=True)
    return perform(
        found, name, like=input_tensor, send=[memory_of(name, input_tensor)], receive=receive, async_op=async_op,
        results=[output_tensor],
    )  # fmt: skip


@boundary
def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Copy the tensors of all processes to a list on one process.

    Arguments:
        tensor: this process's tensor, of the same shape and dtype in all processes.
        gather_list: the output, a tensor for each process; None in other processes.
        dst: the process with the list: 0 if neither it nor `group_dst` is given.
        group: the process group; all processes if None.
        async_op: return a `Work`, and copy in the background.
        group_dst: the rank within the group, instead of `dst`.
    """
    as_tensor("gather", "tensor", tensor)
    found = group_of("gather", group, dst)
    if found is None:
        return None
    root = root_of("gather", "dst", found, dst, group_dst, default=0)
    outputs: list[Tensor] = []
    if root == found.rank():
        if gather_list is None:
            raise InvalidValueError("gather: expected gather_list in the process that the tensors go to; got None")
        outputs = one_for_each("gather", "gather_list", gather_list, found)
        all_like("gather", "tensors of gather_list", outputs, tensor)
    elif gather_list:
        raise InvalidValueError(f"gather: expected gather_list=None except in rank {root}, the destination; got a list")
    return perform(
        found, "gather", like=tensor, send=[memory_of("gather", tensor)], root=root, async_op=async_op, results=outputs,
        receive=[memory_of("gather", output, is_written=True) for output in outputs],
    )  # fmt: skip


@boundary
def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Copy one tensor of a list on one process to each process.

    Arguments:
        tensor: the tensor to write, of the same shape and dtype in all processes.
        scatter_list: a tensor for each process; None in other processes.
        src: the process with the list: 0 if neither it nor `group_src` is given.
        group: the process group; all processes if None.
        async_op: return a `Work`, and copy in the background.
        group_src: the rank within the group, instead of `src`.
    """
    as_tensor("scatter", "tensor", tensor)
    found = group_of("scatter", group, src)
    if found is None:
        return None
    root = root_of("scatter", "src", found, src, group_src, default=0)
    send = [NO_MEMORY] * found.size()
    if root == found.rank():
        if scatter_list is None:
            raise InvalidValueError("scatter: expected scatter_list in the process of the source; got None")
        inputs = one_for_each("scatter", "scatter_list", scatter_list, found)
        all_like("scatter", "tensors of scatter_list", inputs, tensor)
        send = [memory_of("scatter", input) for input in inputs]
    elif scatter_list:
        raise InvalidValueError(f"scatter: expected scatter_list=None except in rank {root}, the source; got a list")
    receive = [NO_MEMORY] * found.size()
    receive[root] = memory_of("scatter", tensor, is_written=True)
    return perform(
        found, "scatter", like=tensor, send=send, receive=receive, root=root, async_op=async_op, results=[tensor]
    )


@boundary
def all_to_all(
    output_tensor_list: list[Tensor],
    input_tensor_list: list[Tensor],
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Send one tensor of a list to each process, and receive one from each.

    Arguments:
        output_tensor_list: the output, a tensor for each process.
        input_tensor_list: a tensor for each process; sizes may differ.
        group: the process group; all processes if None.
        async_op: return a `Work`, and copy in the background.
    """
    name = "all_to_all"
    found = group_of(name, group)
    if found is None:
        return None
    outputs = one_for_each(name, "output_tensor_list", output_tensor_list, found)
    inputs = one_for_each(name, "input_tensor_list", input_tensor_list, found)
    own = found.rank()
    all_like(name, "this process's own tensor of output_tensor_list", [outputs[own]], inputs[own])
    for tensor in (*outputs, *inputs):
        same_dtype(name, "all tensors", tensor, inputs[own])
    return perform(
        found, name, like=inputs[own].new_empty(()), inputs=inputs, send=[memory_of(name, input) for input in inputs],
        receive=[memory_of(name, output, is_written=True) for output in outputs], is_uneven=True, async_op=async_op,
        results=outputs,
    )  # fmt: skip


@boundary
def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Send a part of a tensor to each process, and receive one from each.

    Arguments:
        output: the tensor to write.
        input: parts for all processes, one after the other.
        output_split_sizes: the lengths of the received parts; equal ones if None.
        input_split_sizes: the lengths of the sent parts; equal ones if None.
        group: the process group; all processes if None.
        async_op: return a `Work`, and copy in the background.
    """
    name = "all_to_all_single"
    as_tensor(name, "output", output)
    as_tensor(name, "input", input)
    found = group_of(name, group)
    if found is None:
        return None
    same_dtype(name, "output", output, input)
    if output.shape[1:] != input.shape[1:]:
        raise ArgumentError(
            f"{name}: expected output to have the shape of input except in dimension 0, {tuple(input.shape)}; got "
            f"{tuple(output.shape)}"
        )
    lengths = [
        [length * row_elements(tensor) for length in split_of(name, title, tensor, sizes, found)]
        for title, tensor, sizes in (("output", output, output_split_sizes), ("input", input, input_split_sizes))
    ]
    own = found.rank()
    if lengths[0][own] != lengths[1][own]:
        raise ArgumentError(f"{name}: expected this process's own parts of output and input to have the same length")
    return perform(
        found, name, like=input.new_empty((0, *input.shape[1:])), inputs=[input],
        send=parts_of(name, input, lengths[1]), receive=parts_of(name, output, lengths[0], is_written=True),
        is_uneven=True, async_op=async_op, results=[output],
    )  # fmt: skip


@boundary
def barrier(
    group: ProcessGroup | None = None, async_op: bool = False, device_ids: list[int] | None = None
) -> Work | None:
    """Wait for all processes.

    Arguments:
        group: the process group; all processes if None.
        async_op: return a `Work`, and wait in the background.
        device_ids: None: there are no devices to choose from.
    """
    found = group_of("barrier", group)
    if found is None:
        return None
    if device_ids is not None:
        raise OperationError(f"barrier: expected device_ids=None with backend {found.name()!r}; got {device_ids}")
    return perform(found, "barrier", async_op=async_op)


@boundary
def monitored_barrier(
    group: ProcessGroup | None = None, timeout: timedelta | None = None, wait_all_ranks: bool = False
) -> None:
    """Wait for all processes, and name late ones. ValueError unless the backend is "gloo" or "mpi".

    Arguments:
        group: the process group; all processes if None.
        timeout: the maximum time to wait; that of the group if None.
        wait_all_ranks: ignored: the error names one late process.
    """
    found = group_of("monitored_barrier", group)
    if found is None:
        return
    if found._backend not in (Backend.GLOO, Backend.MPI):
        raise InvalidValueError(
            f"monitored_barrier: expected a group of the backend 'gloo' or 'mpi'; got {found._backend!r}"
        )
    seconds = None if timeout is None else as_seconds("monitored_barrier", timeout)
    perform(found, "monitored_barrier", timeout=seconds)

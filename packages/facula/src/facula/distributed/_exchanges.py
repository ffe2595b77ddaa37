"""Collective operations that move tensors between processes, and barriers, in a group of one process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, InvalidValueError, OperationError
from facula_errors.extend import boundary

from ._checks import as_tensor, check_root, done, one_for_each, put
from ._groups import Backend, group_of
from ._store import as_seconds

if TYPE_CHECKING:
    from datetime import timedelta

    from .. import Tensor
    from ._groups import ProcessGroup
    from ._work import Work


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
        tensor: this process's tensor.
        gather_list: the output, a tensor for each process.
        dst: the process with the list: 0 if neither it nor `group_dst` is given.
        group: the process group; all processes if None.
        async_op: return a completed `Work`.
        group_dst: the rank within the group, instead of `dst`.
    """
    as_tensor("gather", "tensor", tensor)
    found = group_of("gather", group)
    if found is None:
        return None
    check_root("gather", "dst", found, dst, group_dst, default=0)
    if gather_list is None:
        raise InvalidValueError("gather: expected gather_list in the process that the tensors go to; got None")
    output = one_for_each("gather", "gather_list", gather_list)
    put("gather", output, tensor)
    return done(async_op, output)


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
        tensor: the tensor to write.
        scatter_list: a tensor for each process.
        src: the process with the list: 0 if neither it nor `group_src` is given.
        group: the process group; all processes if None.
        async_op: return a completed `Work`.
        group_src: the rank within the group, instead of `src`.
    """
    as_tensor("scatter", "tensor", tensor)
    found = group_of("scatter", group)
    if found is None:
        return None
    check_root("scatter", "src", found, src, group_src, default=0)
    if scatter_list is None:
        raise InvalidValueError("scatter: expected scatter_list in the process that the tensors come from; got None")
    put("scatter", tensor, one_for_each("scatter", "scatter_list", scatter_list))
    return done(async_op, tensor)


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
        input_tensor_list: a tensor for each process.
        group: the process group; all processes if None.
        async_op: return a completed `Work`.
    """
    output = one_for_each("all_to_all", "output_tensor_list", output_tensor_list)
    input = one_for_each("all_to_all", "input_tensor_list", input_tensor_list)
    if group_of("all_to_all", group) is None:
        return None
    put("all_to_all", output, input)
    return done(async_op, output)


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
        async_op: return a completed `Work`.
    """
    name = "all_to_all_single"
    for title, tensor, split in (("output", output, output_split_sizes), ("input", input, input_split_sizes)):
        as_tensor(name, title, tensor)
        if split and list(split) != [tensor.shape[0] if tensor.ndim else None]:
            raise ArgumentError(
                f"{name}: expected {title}_split_sizes to be the length of {title}'s dimension 0, for 1 process; "
                f"got {split} for shape {tuple(tensor.shape)}"
            )
    if group_of(name, group) is None:
        return None
    put(name, output, input)
    return done(async_op, output)


@boundary
def barrier(
    group: ProcessGroup | None = None, async_op: bool = False, device_ids: list[int] | None = None
) -> Work | None:
    """Wait for all processes. With one process it returns immediately.

    Arguments:
        group: the process group; all processes if None.
        async_op: return a completed `Work`.
        device_ids: None: there are no devices to choose from.
    """
    found = group_of("barrier", group)
    if found is None:
        return None
    if device_ids is not None:
        raise OperationError(f"barrier: expected device_ids=None with backend {found.name()!r}; got {device_ids}")
    return done(async_op)


@boundary
def monitored_barrier(
    group: ProcessGroup | None = None, timeout: timedelta | None = None, wait_all_ranks: bool = False
) -> None:
    """Wait for all processes, and name late ones. ValueError unless the backend is "gloo".

    Arguments:
        group: the process group; all processes if None.
        timeout: the maximum time to wait.
        wait_all_ranks: name all late processes, not only the first.
    """
    found = group_of("monitored_barrier", group)
    if found is not None and found._backend != Backend.GLOO:
        raise InvalidValueError(f"monitored_barrier: expected a group of the backend 'gloo'; got {found._backend!r}")
    if timeout is not None:
        as_seconds("monitored_barrier", timeout)

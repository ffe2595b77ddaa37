"""Point-to-point messages. With one process there is no recipient, so each function raises an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from ._checks import as_tensor
from ._groups import group_of
from ._store import ONE_PROCESS

if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Tensor
    from ._groups import ProcessGroup


def _refuse(operation: str, group: ProcessGroup | None, rank: int | None) -> NoReturn:
    group_of(operation, group)
    other = "another process" if rank is None else "itself" if rank == 0 else f"process {rank}"
    raise InvalidValueError(f"{operation}: expected another process than this one; got {other}; {ONE_PROCESS}")


@boundary
def send(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> None:
    """Send a tensor to another process. ValueError: there is none.

    Arguments:
        tensor: the tensor.
        dst: the process.
        group: the process group; all processes if None.
        tag: a number that matches that of `recv`.
        group_dst: the rank within the group, instead of `dst`.
    """
    as_tensor("send", "tensor", tensor)
    _refuse("send", group, dst if group_dst is None else group_dst)


@boundary
def isend(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> NoReturn:
    """Send a tensor without waiting, like `send`.

    Arguments: those of `send`.
    """
    as_tensor("isend", "tensor", tensor)
    _refuse("isend", group, dst if group_dst is None else group_dst)


@boundary
def recv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> int:
    """Receive a tensor from another process. ValueError: there is none.

    Arguments:
        tensor: the tensor to write.
        src: the process; any if None.
        group: the process group; all processes if None.
        tag: the number of the matching `send`.
        group_src: the rank within the group, instead of `src`.
    """
    as_tensor("recv", "tensor", tensor)
    _refuse("recv", group, src if group_src is None else group_src)


@boundary
def irecv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> NoReturn:
    """Receive a tensor without waiting, like `recv`.

    Arguments: those of `recv`.
    """
    as_tensor("irecv", "tensor", tensor)
    _refuse("irecv", group, src if group_src is None else group_src)


@boundary
def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: ProcessGroup | None = None,
    device: object = None,
    group_dst: int | None = None,
) -> NoReturn:
    """Send objects to another process. ValueError: there is none.

    Arguments:
        object_list: the objects.
        dst: the process.
        group: the process group; all processes if None.
        device: ignored.
        group_dst: the rank within the group, instead of `dst`.
    """
    _refuse("send_object_list", group, dst if group_dst is None else group_dst)


@boundary
def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device: object = None,
    group_src: int | None = None,
) -> NoReturn:
    """Receive objects from another process. ValueError: there is none.

    Arguments:
        object_list: the list to fill.
        src: the process; any if None.
        group: the process group; all processes if None.
        device: ignored.
        group_src: the rank within the group, instead of `src`.
    """
    _refuse("recv_object_list", group, src if group_src is None else group_src)


class P2POp:
    """A message for `batch_isend_irecv`.

    Arguments:
        op: `isend` or `irecv`.
        tensor: what is sent, or changed.
        peer: the rank of the other process.
        group: the process group; all processes if None.
        tag: a number that matches that of the other process.
        group_peer: the rank within the group, instead of `peer`.
    """

    def __init__(
        self,
        op: Callable[..., Any],
        tensor: Tensor,
        peer: int | None = None,
        group: ProcessGroup | None = None,
        tag: int = 0,
        group_peer: int | None = None,
    ) -> None:
        if op not in (isend, irecv):
            raise InvalidValueError(f"P2POp: expected op to be isend or irecv; got {op!r}")
        self.op, self.tensor, self.group, self.tag = op, as_tensor("P2POp", "tensor", tensor), group, tag
        self.peer = peer if group_peer is None else group_peer


@boundary
def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Any]:
    """Send and receive several messages. ValueError: there is no other process; TypeError for other lists."""
    if not isinstance(p2p_op_list, list) or not all(isinstance(operation, P2POp) for operation in p2p_op_list):
        raise InvalidTypeError("batch_isend_irecv: expected a list of P2POp")
    if not p2p_op_list:
        raise InvalidValueError("batch_isend_irecv: expected 1 message or more; got an empty list")
    _refuse("batch_isend_irecv", p2p_op_list[0].group, p2p_op_list[0].peer)

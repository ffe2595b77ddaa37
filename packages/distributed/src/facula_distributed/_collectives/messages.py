"""Messages between two processes."""

from __future__ import annotations

import pickle
from time import monotonic
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .._board.board import signature_text
from .._board.lines import program_line
from .._captures import break_capture
from .._errors import MismatchError
from .._groups.groups import group_of
from .._groups.work import Work, completed
from .._shm import ffi
from .checks import as_tensor, root_of
from .transfers import (
    NO_MEMORY,
    Memory,
    after_writing,
    memory_of,
    memory_of_bytes,
    pass_message,
    sign,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_tensor import Tensor

    from .._groups.groups import ProcessGroup


def _other(operation: str, name: str, group: ProcessGroup, rank: int | None, group_rank: int | None) -> int:
    """Return the rank in the group of the other process."""
    found = root_of(operation, name, group, rank, group_rank)
    if found == group.rank():
        raise InvalidValueError(f"{operation}: expected another process than this one; got {name}={rank}, itself")
    return found


def _sources(operation: str, group: ProcessGroup, rank: int | None, group_rank: int | None) -> list[int]:
    """Return the ranks in the group of the processes that may have sent a message: all others by default."""
    if rank is not None or group_rank is not None:
        return [_other(operation, "src", group, rank, group_rank)]
    others = [other for other in range(group.size()) if other != group.rank()]
    if not others:
        raise InvalidValueError(f"{operation}: expected another process than this one; the group has only this one")
    return others


def _envelope(operation: str, like: Tensor | None) -> Any:
    made = ffi.new("Envelope *")
    sign(made.signature, operation, like, None, -1)
    made.where = program_line(3)
    return made


def _post(operation: str, group: ProcessGroup, target: int, tag: int, like: Tensor | None, memory: Memory) -> None:
    break_capture(operation)
    envelope = _envelope(operation, like)

    def post() -> float:
        return group._letters.post(operation, target, tag, envelope, memory.address, memory.nbytes)

    pass_message(group, operation, [] if like is None else [like], memory.nbytes, target, post)


@boundary
def send(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> None:
    """Send a tensor to another process. It is copied, so this returns before it is received.

    Arguments:
        tensor: the tensor.
        dst: the process.
        group: the process group; all processes if None.
        tag: a number that matches that of `recv`.
        group_dst: the rank within the group, instead of `dst`.

    Raises:
        RuntimeError: the process has ended (RankError), or does not receive earlier messages (DistTimeoutError).
    """
    as_tensor("send", "tensor", tensor)
    found = group_of("send", group, dst)
    if found is not None:
        _post("send", found, _other("send", "dst", found, dst, group_dst), tag, tensor, memory_of("send", tensor))


@boundary
def isend(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> Work | None:
    """Send a tensor, like `send`, and return a completed Work.

    Arguments: those of `send`.
    """
    if group_of("isend", group, dst) is None:
        return None
    send(tensor, dst, group, tag, group_dst)
    return completed([tensor])


class _Receipt(Work):
    """A message to receive: a tensor, or pickled objects."""

    def __init__(
        self, operation: str, group: ProcessGroup, sources: list[int], tag: int, tensor: Tensor | None
    ) -> None:
        super().__init__([] if tensor is None else [tensor])
        self.operation, self.tag, self.line = operation, tag, program_line(2)
        self.sources: Sequence[int] = sources
        self.source, self.data = -1, bytearray()
        self._group, self._tensor = group, tensor
        self._is_added = self._is_reported = False

    def add(self, in_background: bool) -> None:
        """Receive the message if it has arrived, or when the program waits, or in the background."""
        self._is_added = True
        self._group._receipts.add(self, in_background)

    def _await(self, seconds: float | None) -> bool:
        def run() -> float:
            begun = monotonic()
            if not self._is_added:
                self.add(in_background=False)
            self._group._receipts.wait(self, seconds)
            return monotonic() - begun

        if self._is_reported:
            run()
        else:
            self._is_reported = True
            nbytes = 0 if self._tensor is None else self._tensor.nbytes
            source = self.sources[0] if len(self.sources) == 1 else -1
            pass_message(self._group, self.operation, self._results, nbytes, source, run)
        return self.is_ended()

    def is_ended(self) -> bool:
        return super().is_completed()

    def is_completed(self) -> bool:
        return self.is_ended() or self._group._receipts.look(self)

    def take(self, source: int, letter: Any) -> None:
        self.source, error = source, None
        try:
            self._copy(source, letter)
        except Exception as caught:
            error = caught
        self._end(error)

    def _copy(self, source: int, letter: Any) -> None:
        letters, tensor = self._group._letters, self._tensor
        error = None
        if tensor is None:
            self.data = bytearray(letter.bytes)
            memory = memory_of_bytes(self.data)
        elif (error := self._mismatch(tensor, source, letter)) is None:
            memory = memory_of("recv", tensor, is_written=True)
        else:
            memory = NO_MEMORY
        letters.take(source, letter, memory.address, memory.nbytes)
        if error is not None:
            raise error
        after_writing([memory])

    def _mismatch(self, tensor: Tensor, source: int, letter: Any) -> MismatchError | None:
        own, theirs = ffi.new("Envelope *"), self._group._letters.envelope(source, letter)
        sign(own.signature, "send", tensor, None, -1)
        if ffi.buffer(own)[: ffi.sizeof("Signature")] == ffi.buffer(theirs)[: ffi.sizeof("Signature")]:
            return None
        return MismatchError(
            f"{self.operation}: expected {signature_text(own.signature)}, at {self.line.decode()}; rank "
            f"{self._group._member.ranks[source]} calls {signature_text(theirs.signature)} at "
            f"{ffi.string(theirs.where).decode()}; both must have the same shape and dtype"
        )

    def fail(self, error: BaseException) -> None:
        self._end(error)


@boundary
def irecv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> Work | None:
    """Receive a tensor from another process in the background, and return a Work.

    Arguments: those of `recv`.

    Raises:
        RuntimeError: from `Work.wait`, the errors of `recv`. Waiting may take as long as the group's timeout.
    """
    as_tensor("irecv", "tensor", tensor)
    found = group_of("irecv", group, src)
    return None if found is None else _receive("irecv", found, tensor, src, tag, group_src, in_background=True)


def _receive(
    operation: str,
    group: ProcessGroup,
    tensor: Tensor | None,
    src: int | None,
    tag: int,
    group_src: int | None,
    in_background: bool = False,
) -> _Receipt:
    break_capture(operation)
    if tensor is not None:
        memory_of(operation, tensor, is_written=True)  # errors before anything is received
    receipt = _Receipt(operation, group, _sources(operation, group, src, group_src), tag, tensor)
    if in_background:
        receipt.add(in_background)
    return receipt


def _received(operation: str, group: ProcessGroup, *arguments: Any) -> _Receipt:
    receipt = _receive(operation, group, *arguments)
    try:
        receipt.wait()
    finally:  # it may have been interrupted
        group._receipts.discard(receipt)
    return receipt


@boundary
def recv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> int:
    """Receive a tensor from another process, and return the process's rank, or -1 in a non-member.

    Arguments:
        tensor: the tensor to write, of the shape and dtype of the one that is sent.
        src: the process; any if None.
        group: the process group; all processes if None.
        tag: the number of the matching `send`.
        group_src: the rank within the group, instead of `src`.

    Raises:
        RuntimeError: the tensors differ (MismatchError), the process has ended (RankError), or sends no message
            in time (DistTimeoutError).
    """
    as_tensor("recv", "tensor", tensor)
    found = group_of("recv", group, src)
    if found is None:
        return -1
    receipt = _received("recv", found, tensor, src, tag, group_src)
    return found._member.ranks[receipt.source]


_OBJECTS_TAG = -1  # of messages that contain objects


@boundary
def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: ProcessGroup | None = None,
    device: object = None,
    group_dst: int | None = None,
) -> None:
    """Send objects to another process, by pickling them.

    Arguments:
        object_list: the objects.
        dst: the process.
        group: the process group; all processes if None.
        device: ignored.
        group_dst: the rank within the group, instead of `dst`.
    """
    name = "send_object_list"
    found = group_of(name, group, dst)
    if found is not None:
        target = _other(name, "dst", found, dst, group_dst)
        _post(name, found, target, _OBJECTS_TAG, None, memory_of_bytes(pickle.dumps(object_list)))


@boundary
def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device: object = None,
    group_src: int | None = None,
) -> int:
    """Receive objects from another process, and return the process's rank, or -1 in a non-member.

    Arguments:
        object_list: the list to fill, of the length of the one that is sent.
        src: the process; any if None.
        group: the process group; all processes if None.
        device: ignored.
        group_src: the rank within the group, instead of `src`.
    """
    name = "recv_object_list"
    found = group_of(name, group, src)
    if found is None:
        return -1
    receipt = _received(name, found, None, src, _OBJECTS_TAG, group_src)
    objects = pickle.loads(receipt.data)
    if len(objects) != len(object_list):
        raise ArgumentError(f"{name}: expected object_list to have {len(objects)} places; got {len(object_list)}")
    object_list[:] = objects
    return found._member.ranks[receipt.source]


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
        self.peer, self.group_peer = peer, group_peer


@boundary
def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Send and receive several messages, and return a Work for each. TypeError for other lists."""
    if not isinstance(p2p_op_list, list) or not all(isinstance(operation, P2POp) for operation in p2p_op_list):
        raise InvalidTypeError("batch_isend_irecv: expected a list of P2POp")
    if not p2p_op_list:
        raise InvalidValueError("batch_isend_irecv: expected 1 message or more; got an empty list")
    return [one.op(one.tensor, one.peer, one.group, one.tag, one.group_peer) for one in p2p_op_list]

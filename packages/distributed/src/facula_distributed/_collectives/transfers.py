"""From tensors to calls of the engine: memory, signatures, and changes after a call."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import BufferAccessError, DTypeError, OperationError
from facula_tensor import Tensor, no_grad
from facula_tensor.extend import addressable, call_in_replays, check_overlap, user_site

from .._board.board import DTYPES, NOT_MINE, NUMBERS
from .._board.lines import program_line
from .._board.member import NOWHERE
from .._observer import Exchange, ExchangeObserver, current_observer, observed
from .._shm import ffi, lib
from .launches import Launch, is_captured

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._board.totals import Costs
    from .._errors import MismatchError
    from .._groups.groups import ProcessGroup
    from .._groups.work import RedOpType, Work

_CODES = {name: code for code, name in enumerate(DTYPES)}
NOTHING = 0xFFFFFFFF  # the reduction of operations that only copy


class Memory(NamedTuple):
    """Contiguous bytes of a tensor or an object.

    Fields:
        address: their address.
        nbytes: their number.
        owner: the object that keeps them.
        target: the tensor to copy them to after the call, unless they are its own.
    """

    address: int
    nbytes: int
    owner: Any
    target: Tensor | None = None


NO_MEMORY = Memory(0, 0, None)


class Pieces(NamedTuple):
    """Parts of blocks of all ranks, and the memory that they are written to. Note [Pieces] in csrc/shm.h.

    Fields:
        array: a C array of Piece.
        targets: the addresses that the pieces refer to.
        block: a tensor in shared memory, this rank's block.
    """

    array: Any
    targets: Sequence[int]
    block: Tensor


def dtype_code(operation: str, tensor: Tensor) -> int:
    """Return the number of a tensor's dtype; TypeError if the engine does not have it."""
    name = str(tensor.dtype).rpartition(".")[2]
    if name not in _CODES:
        raise DTypeError(f"{operation}: expected a tensor of numbers or bool; got {tensor.dtype}; convert it")
    return _CODES[name]


def memory_of(operation: str, tensor: Tensor, *, is_written: bool = False) -> Memory:
    """Return contiguous memory with the elements of a tensor, or for those that a call writes."""
    now = addressable(operation, tensor)
    if now.device.type != "cpu":
        raise OperationError(f"{operation}: expected tensors on the CPU; got one on {tensor.device}; use tensor.cpu()")
    dtype_code(operation, tensor)
    if is_written and now._storage.version is None:
        raise BufferAccessError(f"{operation}: expected writable memory; got a read-only tensor; use clone()")
    if is_written:
        check_overlap(operation, now, ())
    if now.is_contiguous():
        return Memory(now.data_ptr(), now.nbytes, now, tensor if is_written else None)
    copy = now.contiguous()
    return Memory(copy.data_ptr(), copy.nbytes, copy, tensor if is_written else None)


def parts_of(operation: str, tensor: Tensor, counts: Sequence[int], *, is_written: bool = False) -> list[Memory]:
    """Return successive parts of a tensor's memory, as `memory_of`, of so many elements each."""
    whole = memory_of(operation, tensor, is_written=is_written)
    item, address, found = tensor.element_size(), whole.address, []
    for count in counts:
        found.append(Memory(address, count * item, whole.owner))
        address += count * item
    found[-1] = found[-1]._replace(target=whole.target)  # once
    return found


def memory_of_bytes(data: bytes | bytearray) -> Memory:
    """Return the memory of an object's bytes."""
    view = ffi.from_buffer(data)
    return Memory(int(ffi.cast("uintptr_t", view)), len(data), (data, view))


def run_launch(
    operation: str,
    function: Callable[..., None],
    read: Sequence[Memory],
    written: Sequence[Memory],
    parameters: tuple[object, ...] = (),
) -> None:
    """Call a function of addresses, which replays call again.

    Arguments:
        operation: the function's name.
        function: called with a number, and the addresses of `read` and `written`.
        read, written: memory of tensors.
        parameters: what else determines the result.
    """
    call_in_replays(operation, function, _parts(read), _parts(written), parameters)
    after_writing(written, are_counted=True)


def _parts(memories: Sequence[Memory]) -> list[tuple[Tensor, int, int]]:
    return [(memory.owner, memory.address - memory.owner.data_ptr(), memory.nbytes) for memory in memories]


def after_writing(memories: Sequence[Memory], are_counted: bool = False) -> None:
    """Copy to tensors that are not contiguous, and count a change of the others, unless `are_counted`."""
    for memory in memories:
        if memory.target is None:
            continue
        if memory.target.is_contiguous():
            memory.target._storage.version += not are_counted  # type: ignore[operator]
        else:
            with no_grad():
                memory.target.detach().copy_(memory.owner)


def sign(
    signature: Any, operation: str, like: Tensor | None, reduction: RedOpType | None, root: int, detail: int = 0
) -> None:
    """Fill in the part of a call that must be the same on all ranks."""
    signature.operation, signature.root = NUMBERS[operation], root
    signature.reduction = NOTHING if reduction is None else reduction.value
    signature.dtype = NOT_MINE if like is None else dtype_code(operation, like)
    if like is None:
        return
    sizes = list(like.shape)
    if len(sizes) > lib.DIMENSIONS:
        rest = 1
        for size in sizes[lib.DIMENSIONS - 1 :]:
            rest *= size
        sizes = [*sizes[: lib.DIMENSIONS - 1], rest]
    signature.ndim = len(sizes)
    for axis, size in enumerate(sizes):
        signature.shape[axis] = size
    if detail:  # beyond the shape, which has few dimensions
        signature.shape[lib.DIMENSIONS - 1] = detail


def exchange_of(
    group: ProcessGroup,
    operation: str,
    tensors: Sequence[Tensor],
    nbytes: int,
    reduction: RedOpType | None = None,
    root: int = -1,
) -> Exchange:
    """Describe a call for the observer; `root` is a rank of the group, -1 for all."""
    member = group._member
    return Exchange(
        operation, group.name(), member.group, len(member.ranks), tuple([tuple(tensor.shape) for tensor in tensors]),
        str(tensors[0].dtype).rpartition(".")[2] if tensors else "", nbytes,
        "" if reduction is None else reduction.name, -1 if root < 0 else member.ranks[root], user_site(),
    )  # fmt: skip


def pass_message(
    group: ProcessGroup, operation: str, tensors: Sequence[Tensor], nbytes: int, other: int, run: Callable[[], float]
) -> None:
    """Send or receive a message, and report it to the observer.

    Arguments:
        group: the process group.
        operation: the function's name.
        tensors: the tensor, if there is one.
        nbytes: the length of the message.
        other: the other rank of the group; -1 for any.
        run: passes the message, and returns the seconds for which it waited.
    """
    observer = current_observer[0]
    if observer is not None:
        run = observed(observer, exchange_of(group, operation, tensors, nbytes, root=other), run)
    run()


class Prepared(NamedTuple):
    """A collective for a group's worker.

    Fields:
        run: runs it.
        costs: receives what it costs.
        exchange: its description for the observer, or None.
        launch: the function that replays call, if it is captured or repeated.
    """

    run: Callable[[], object]
    costs: Costs | None = None
    exchange: Exchange | None = None
    launch: Launch | None = None


def perform(
    group: ProcessGroup,
    operation: str,
    *,
    like: Tensor | None = None,
    inputs: Sequence[Tensor] = (),
    send: Sequence[Memory] = (NO_MEMORY,),
    receive: Sequence[Memory] = (),
    reduction: RedOpType | None = None,
    root: int = -1,
    is_all_reduce: bool = False,
    is_uneven: bool = False,
    async_op: bool = False,
    results: Sequence[Any] = (),
    timeout: float | None = None,
) -> Work | None:
    """Run a collective.

    Arguments: those of `prepare`, and
        async_op: return a Work, and run in another thread.
        results: the tensors of that Work.
    """
    prepared = prepare(
        group, operation, like=like, inputs=inputs, send=send, receive=receive, reduction=reduction, root=root,
        is_all_reduce=is_all_reduce, is_uneven=is_uneven, timeout=timeout, async_op=async_op,
        line=program_line(3),
    )  # fmt: skip
    return group._worker.submit(prepared.run, async_op, results, prepared.costs, prepared.exchange)


def prepare(
    group: ProcessGroup,
    operation: str,
    *,
    like: Tensor | None = None,
    inputs: Sequence[Tensor] = (),
    send: Sequence[Memory] = (NO_MEMORY,),
    receive: Sequence[Memory] = (),
    reduction: RedOpType | None = None,
    root: int = -1,
    is_all_reduce: bool = False,
    is_uneven: bool = False,
    timeout: float | None = None,
    async_op: bool = False,
    detail: int = 0,
    is_repeated: bool = False,
    differs: Callable[[MismatchError], object] | None = None,
    pieces: Pieces | None = None,
    line: bytes | None = None,
) -> Prepared:
    """Return a collective for the group's worker.

    Arguments:
        group: the process group.
        operation: the function's name.
        like: a tensor; all ranks must have the same shape and dtype. None: the operation has no tensor.
        inputs: the tensors to report to the observer instead, if shapes differ between ranks.
        send: the memory for each rank, or one for all.
        receive: the memory for the values of each rank, or of a reduction one.
        reduction: the reduction, or None to copy.
        root: the rank in the group that is the source or the destination; -1 if all are.
        is_all_reduce: whether the memory to send is reduced in place.
        is_uneven: whether lengths differ between ranks, so that they are compared first.
        timeout: seconds to wait for other ranks; the group's if None.
        async_op: whether the worker is to run it in another thread.
        detail: a number that must be the same on all ranks, for tensors of at most 5 dimensions.
        is_repeated: whether only `launch` of the result is used.
        differs: as in `Launch`.
        pieces: what to copy or reduce, instead of `send` and `receive`.
        line: that of the program, if it is known.
    """
    member, size, line = group._member, group.size(), line or program_line(2)
    call = ffi.new("Call *")
    sign(call.signature, operation, like, reduction, root, detail)
    call.where = line
    received = [*receive, *[NO_MEMORY] * (size - len(receive))]
    addresses = [ffi.new("uintptr_t[]", [memory.address for memory in ones]) for ones in (send, received)]
    lengths = [ffi.new("uint64_t[]", [memory.nbytes for memory in ones]) for ones in (send, received)]
    call.send, call.receive = (ffi.cast("char **", ones) for ones in addresses)
    call.send_bytes, call.receive_bytes = lengths
    call.kind = lib.COPY if reduction is None else lib.ALL_REDUCE if is_all_reduce else lib.REDUCE
    call.is_spread, call.is_uneven = len(send) > 1, is_uneven
    call.tensor = NOWHERE
    if is_all_reduce:
        offset = member.world.arena.offset_of(send[0].address)
        call.tensor = NOWHERE if offset is None else offset
    if pieces is not None:
        call.tensor = member.world.arena.offset_of(pieces.block.data_ptr())
        targets = ffi.new("uintptr_t[]", list(pieces.targets))
        addresses.append(targets)
        call.pieces, call.count, call.targets = pieces.array, len(pieces.array), ffi.cast("char **", targets)
    is_launch = is_captured(group, operation, [*[memory.owner for memory in (*send, *receive)], pieces])
    observer: ExchangeObserver | None = current_observer[0]
    exchange: Any = None
    if observer is not None or is_launch or is_repeated:
        tensors = inputs or ([] if like is None else [like])
        nbytes = max(sum([memory.nbytes for memory in ones]) for ones in (send, receive or [NO_MEMORY]))
        exchange = exchange_of(group, operation, tensors, nbytes, reduction, root)
    written = send if is_all_reduce else receive
    if is_launch or is_repeated:
        found = [(place, memory) for place, memory in enumerate(send) if memory.owner is not None]
        changed = [(place, memory) for place, memory in enumerate(written) if memory.owner is not None]
        slots = [(addresses[0], place) for place, _ in found]
        slots += [(addresses[not is_all_reduce], place) for place, _ in changed]
        launch = Launch(group, operation, call, slots, lengths, exchange, line, timeout, differs)
        read, written = [memory for _, memory in found], [memory for _, memory in changed]
        parameters = [] if reduction is None else [reduction.name]
        parameters += [f"rank {member.ranks[root]}"] * (root >= 0) + [f"group {member.group}"] * (member.group > 0)
        return Prepared(partial(run_launch, operation, launch, read, written, tuple(parameters)), launch=launch)
    costs = member.ledger.find((operation, line, async_op)) or member.ledger.costs_of(operation, line, async_op)
    call.totals = costs.totals
    memories: list[Any] = [*send, *receive, pieces]  # which the program may drop while this runs in the background

    def run() -> float:
        member.run(call, operation, timeout, (addresses[:], lengths[:], memories[:]))
        del addresses[:], lengths[:], memories[:]  # which the call refers to until here
        after_writing(written)
        return float(call.waited)

    return Prepared(run if observer is None else observed(observer, exchange, run), costs, exchange)

"""Collectives of captured functions, which replays run again.

Note [Collectives in captures]
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
A capture records a collective as a launch of Python code with the addresses of its tensors. The recorded run and each
replay call the same function, a `Launch`, whose call of the engine is prepared: a replay only sets addresses. It writes
a record to the board, with the line of the program, and compares it with those of other ranks before it changes a
tensor. So ranks replay, record and run eagerly independently of each other, as long as they call the same collectives
in the same order: the order of the launches is that of the program, and passes do not change it. If a guard fails on
one rank, it fails before the first launch, and this rank runs the function, which calls the same collectives.

Operations in the background are complete at the call. A guard compares the process groups.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import ref

from facula_tensor import Tensor
from facula_tensor.extend import current_recorder

from .._board.member import NOWHERE
from .._captures import break_capture, follow_state
from .._engines.shm import SharedMember
from .._errors import MismatchError
from .._groups.groups import present_groups
from .._observer import current_observer, observed
from .._shm import lib
from .._turns import turns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._groups.groups import ProcessGroup
    from .._observer import Exchange


def is_captured(group: ProcessGroup, operation: str, owners: Sequence[Any]) -> bool:
    """Return whether this thread's capture takes a collective as a launch; otherwise break the capture, if any.

    Arguments:
        group: the process group.
        operation: the function's name.
        owners: the objects whose memory it uses.
    """
    recorder = current_recorder()
    if recorder is None:
        return False
    if turns() is not None:
        break_capture(operation, "waits for ranks that are threads of this process", "start a process for each rank")
        return False
    if not isinstance(group._member, SharedMember):
        break_capture(operation, "communicates through MPI")
        return False
    if not all([owner is None or isinstance(owner, Tensor) for owner in owners]):
        break_capture(operation)
        return False
    follow_state(present_groups, "the process groups")
    return True


class Launch:
    """A collective that is run again and again, with tensors at any address.

    Arguments:
        group: the process group.
        operation: the function's name.
        call: its description, a `Call` of csrc/shm.h.
        slots: for each address that it is called with, an array of `call` and the place there.
        kept: what `call` refers to, besides these arrays.
        exchange: its description for the observer.
        line: the file and the line of the program, for `dist.report()`.
        timeout: seconds to wait for other ranks; the group's if None.
        differs: called in replays with the error of ranks that call different operations; None to raise it.
    """

    def __init__(
        self,
        group: ProcessGroup,
        operation: str,
        call: Any,
        slots: Sequence[tuple[Any, int]],
        kept: object,
        exchange: Exchange,
        line: bytes,
        timeout: float | None,
        differs: Callable[[MismatchError], object] | None,
    ) -> None:
        self._group, self._operation = ref(group), operation  # a destroyed group is freed; guards detect it
        self._call, self._slots, self._kept = call, slots, kept
        self._exchange, self._key, self._timeout, self._differs = exchange, (operation, line, False), timeout, differs
        self._addresses: tuple[int, ...] = ()
        self._costs: Any = None

    def __call__(self, n: int, *addresses: int) -> None:
        """Run it, after the operations of the group that run in the background."""
        group: Any = self._group()
        if addresses != self._addresses:
            self._place(group, addresses)
        ledger, observer = group._member.ledger, current_observer[0]
        costs = ledger.find(self._key) or ledger.costs_of(*self._key)
        if costs is not self._costs:  # dist.report() has begun again
            self._costs, self._call.totals = costs, costs.totals
        run: Callable[[], float] = partial(self._run, group)
        if observer is not None:
            run = observed(observer, self._exchange, run)
        try:
            group._worker.submit(run, False, (), costs)
        except MismatchError as error:
            if self._differs is None or current_recorder() is not None:
                raise
            self._differs(error)

    def _place(self, group: ProcessGroup, addresses: tuple[int, ...]) -> None:
        for (array, place), address in zip(self._slots, addresses, strict=True):
            array[place] = address
        if self._call.kind == lib.ALL_REDUCE:
            offset = group._member.world.arena.offset_of(addresses[0])
            self._call.tensor = NOWHERE if offset is None else offset
        self._addresses = addresses

    def _run(self, group: ProcessGroup) -> float:
        call = self._call
        call.step = call.round = 0
        call.waited = 0.0
        group._member.run(call, self._operation, self._timeout)
        return float(call.waited)

"""Collectives and messages between processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._trace.records import Kind, Signature
from .loaded import loaded

if TYPE_CHECKING:
    from .._recording.sources import Recorder

MAX_SIGNATURES = 4096  # of a profile; exchanges of further shapes have names only
#: PyTorch's events of functions that use another function's; facula's names of the others are PyTorch's.
EVENTS = {
    "all_gather_coalesced": "all_gather", "all_gather_into_tensor": "all_gather", "all_gather_object": "all_gather",
    "all_reduce_coalesced": "all_reduce", "all_to_all_single": "all_to_all", "broadcast_object_list": "broadcast",
    "gather_object": "gather", "recv_object_list": "recv", "reduce_scatter_tensor": "reduce_scatter",
    "scatter_object_list": "scatter", "send_object_list": "send",
}  # fmt: skip


class CollectiveSource:
    """Observes facula_distributed, whose clock is that of records."""

    def start(self, recorder: Recorder) -> None:
        """Begin to observe."""
        self._recorder, self._extend = recorder, loaded("facula_distributed.extend")
        self._lanes: dict[int, int] = {}
        self._signatures: dict[Signature, int] = {}
        if self._extend is not None:
            self._former = self._extend.observe_exchanges(self)

    def stop(self) -> None:
        """Stop observing."""
        if self._extend is not None:
            self._extend.observe_exchanges(self._former)

    def exchanged(self, exchange: Any, begin: int, end: int, waited: int, in_background: bool) -> None:
        """Record a collective or a message: in the lane of the thread, or in one for the background of its group."""
        recorder, lane, stack = self._recorder, -1, -1
        if in_background:  # several groups may run at the same time
            if exchange.group not in self._lanes:
                self._lanes[exchange.group] = recorder.lane("collective", f"group {exchange.group} in the background")
            lane, stack = self._lanes[exchange.group], recorder.stack(*exchange.site)
        recorder.event(
            Kind.COLLECTIVE, _name(exchange), begin, end, lane=lane, value=waited, signature=self._signature(exchange),
            stack=stack,
        )  # fmt: skip

    def awaited(self, exchange: Any, begin: int, end: int) -> None:
        """Record that the program waited for an exchange in the background; -1 is the mark of a wait."""
        self._recorder.event(Kind.COLLECTIVE, f"{_name(exchange)} wait", begin, end, value=-1)

    def _signature(self, exchange: Any) -> int:
        shapes, ranks = exchange.shapes, f"{exchange.size} rank{'s' * (exchange.size != 1)}"
        parameters = (exchange.operation, *[exchange.reduction] * bool(exchange.reduction), ranks)
        dtypes = (exchange.dtype,) * len(shapes)
        described = Signature(_name(exchange), shapes, dtypes, parameters, 0, exchange.nbytes)
        number = self._signatures.get(described, -1)
        if number < 0 and len(self._signatures) < MAX_SIGNATURES:
            number = self._signatures[described] = self._recorder.signature(described)
        return number


def _name(exchange: Any) -> str:
    event = EVENTS.get(exchange.operation, exchange.operation)
    if event == "recv" and exchange.peer < 0:
        event = "recvAnySource"
    return f"{exchange.backend}:{event}"

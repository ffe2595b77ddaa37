"""Backward passes and the rules of their nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._recording.signatures import node_name
from .._trace.records import Kind
from .loaded import loaded

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._recording.sources import Recorder

PASS = "autograd::backward"  # a range of the program may be called "backward"


class BackwardSource:
    """Observes facula_autograd."""

    def start(self, recorder: Recorder) -> None:
        """Begin to observe."""
        self._recorder, self._graphs = recorder, loaded("facula_autograd.extend.graphs")
        if self._graphs is not None:
            self._former = self._graphs.observe_backward(self)

    def stop(self) -> None:
        """Stop observing."""
        if self._graphs is not None:
            self._graphs.observe_backward(self._former)

    def run_pass(self, run: Callable[..., None], *arguments: object) -> None:
        """Run a backward pass."""
        token = self._recorder.begin(Kind.RANGE, PASS)
        try:
            run(*arguments, self.run_rule)
        finally:
            self._recorder.end(token)

    def run_rule(self, backward: Callable[..., Any], F: object, node: Any, g: object) -> Any:
        """Run the rule of a node."""
        recorder = self._recorder
        start, seq, name = recorder.now(), node.seq, node_name(node.name())
        try:
            return backward(F, node, g)
        finally:
            # the numbers of leaf nodes are fractions, between those of other nodes
            number = seq if isinstance(seq, int) else -1
            recorder.event(Kind.BACKWARD, name, start, recorder.now(), seq=number)

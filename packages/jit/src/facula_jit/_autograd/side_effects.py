"""State that a backward pass outside of a captured function must leave as it is.

To record such a pass, `record_backward` runs it once, before the program does. The program must not notice: a pass that
launches a write to a tensor of the program breaks the capture before the write, as does one that reads what no guard
can compare. What it changes in Python or of a generator is put back here, and breaks the capture, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend import FunctionContext, edge_to, walk

from .._recording.snapshots import Snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_tensor import Tensor


class SideEffects:
    """The state before a backward pass.

    Arguments:
        recorder: of the pass; its `reads` are those of the pass.
        roots: where it begins.
    """

    def __init__(self, recorder: Any, roots: Sequence[Tensor]):
        self._recorder = recorder
        self._states = {key: (one.generator._key, one.generator._offset) for key, one in recorder.generators.items()}
        nodes = walk(map(edge_to, roots)).values()
        contexts = [one for node in nodes if type(one := getattr(node, "s0", None)) is FunctionContext]
        self._contexts = Snapshot([vars(one) for one in contexts])

    def restore(self) -> str:
        """Undo what the pass has changed; returns what that is, or "" where there is nothing."""
        words = ""
        for key, one in self._recorder.generators.items():
            generator, state = one.generator, self._states.get(key, (one.key, one.start))
            if state != (generator._key, generator._offset):
                generator._key, generator._offset = state
                words = "a random generator"
        if (context := self._contexts.changed()) is not None:
            self._contexts.restore()
            words = words or f"{context} of a Function's context"
        if (why := self._recorder.reads.difference()) is not None:
            self._recorder.reads.guards.restore()
            words = words or why
        return words

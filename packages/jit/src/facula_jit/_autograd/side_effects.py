"""State that a recorded backward pass must not change.

`record_backward` runs a backward pass before the program does, in order to record it. The program must not be affected.
A launch that would write to a tensor of the program breaks the capture before the write, and so does a read that no
guard can compare. Changes of Python state or of generators are undone here, and break the capture, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.functions import FunctionContext
from facula_autograd.extend.graphs import walk
from facula_autograd.extend.nodes import edge_to

from .._recording.snapshots import Snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_tensor import Tensor


class SideEffects:
    """The state before a backward pass.

    Arguments:
        recorder: the recorder of the pass; its `reads` are those of the pass.
        roots: the tensors from which it starts.
    """

    def __init__(self, recorder: Any, roots: Sequence[Tensor]):
        self._recorder = recorder
        self._states = {
            key: (generator.generator._key, generator.generator._offset)
            for key, generator in recorder.generators.items()
        }
        nodes = walk(map(edge_to, roots)).values()
        contexts = [context for node in nodes if type(context := getattr(node, "s0", None)) is FunctionContext]
        self._contexts = Snapshot([vars(context) for context in contexts])

    def restore(self) -> str:
        """Undo the changes of the pass, and return a description of them, or ""."""
        words = ""
        for key, stream in self._recorder.generators.items():
            generator, state = stream.generator, self._states.get(key, (stream.key, stream.start))
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

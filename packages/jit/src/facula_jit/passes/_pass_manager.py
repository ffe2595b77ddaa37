"""The pass manager: runs passes in sequence and verifies the graph after each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._graph.graph import Graph
from .._graph.verifier import Verifier

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._recording.recording import Recording


def run_passes(recording: Recording, passes: Sequence[Callable[[Graph], object]], name: str, words: str) -> Recording:
    """Return the recording after passes over its graph.

    Arguments:
        recording: the original recording.
        passes: functions of a graph.
        name: the name of the function.
        words: the signature as text.
    """
    if not passes:
        return recording
    verifier = Verifier(recording)
    graph = Graph(recording, name, words)
    for edit in passes:
        before, title = graph.recording, str(getattr(edit, "__qualname__", type(edit).__name__))
        try:
            edit(graph)
        except Exception as error:
            error.add_note(f"in the pass {title} over the graph of {name}{words}")
            raise
        if graph.recording is not before:
            verifier.verify(graph.recording, title)
    return graph.recording

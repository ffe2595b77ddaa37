"""Dead code elimination: results that are never read are not computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from .._graph.calls import addresses_of
from ._dataflow import Facts

if TYPE_CHECKING:
    from .._graph.graph import Graph
    from .._recording.records import Launched


@boundary
def drop_dead(graph: Graph) -> None:
    """Remove launches whose results are never read, except those that may raise an error for some elements.

    Conditions without launches are removed, and so are the launches that compute them.
    """
    conditions = None
    while graph.recording.recorder.skips != conditions:
        conditions = graph.recording.recorder.skips
        _drop(graph)


def _drop(graph: Graph) -> None:
    recording = graph.recording
    facts = Facts.of(graph)
    read = facts.conditions | facts.carried
    edits: dict[int, tuple[Launched, ...]] = {}
    for number in range(len(recording.launches) - 1, -1, -1):
        launch = recording.launches[number]
        used = addresses_of(launch)
        dead = [facts.is_temporary(address.block) and address.block not in read for address in used if address.written]
        if dead and all(dead) and facts.is_harmless(launch):
            edits[number] = ()
        else:
            read.update([address.block for address in used])  # outputs, too: a launch may write only a part of them
    graph.rewritten(edits)

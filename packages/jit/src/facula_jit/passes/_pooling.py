"""Pooling before relu, which then has fewer elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import UnsupportedError
from facula_errors.extend import boundary

from .._graph.calls import Use
from ._dataflow import Facts

if TYPE_CHECKING:
    from .._graph.calls import Call
    from .._graph.graph import Graph

POOLING = ("max_pool2d", "max_pool2d_values")


@boundary
def pool_before_relu(graph: Graph) -> None:
    """Exchange relu and the max pooling that follows it, unless the indices of the maxima are read.

    The results are the same: relu keeps the order of numbers, maps -0 to 0, and keeps NaN.
    """
    facts, calls = Facts.of(graph), graph.calls
    for number, relu in enumerate(calls):
        if relu.operator == "relu" and facts.is_movable(relu.launch):
            reader = facts.only_reader(number, relu.outputs[0].value.number)
            if reader is not None and _is_exchangeable(relu, calls[reader], facts, number):
                _exchange(graph, relu, calls[reader])


def _is_exchangeable(relu: Call, pooling: Call, facts: Facts, number: int) -> bool:
    """Return True for max pooling of relu's results without indices, which may read relu's operand instead."""
    if pooling.operator not in POOLING or not facts.is_movable(pooling.launch):
        return False
    (before,), (after,) = relu.inputs, relu.outputs
    read = pooling.inputs[0]
    if not isinstance(before, Use) or not isinstance(read, Use) or before.layout is not after.layout:
        return False
    if before.layout is None or read.layout is None or after.layout is None or read.offset != after.offset:
        return False
    if not (before.layout.is_contiguous and read.layout.is_contiguous and read.layout.numel == before.layout.numel):
        return False
    if before != after and facts.last_change(before.value.number) >= number:
        return False
    return has_unused_indices(pooling, facts)


def has_unused_indices(pooling: Call, facts: Facts) -> bool:
    """Return True if pooling has no indices, or no launch and no result uses them."""
    _, *indices = pooling.outputs
    return all([facts.is_temporary(use.value.number) and not facts.readers.get(use.value.number) for use in indices])


def _exchange(graph: Graph, relu: Call, pooling: Call) -> None:
    """Replace both by the pooling of relu's operand, and the relu of its result."""
    (before,), (read,), (maxima, *indices) = relu.inputs, pooling.inputs, pooling.outputs
    request = pooling.launch.plan.request
    assert isinstance(before, Use) and isinstance(read, Use) and maxima.layout is not None and request is not None
    made = graph.temporary(maxima.layout)
    try:
        graph.replace(
            pooling,
            graph.call(
                pooling.operator,
                [before._replace(layout=read.layout)],
                [made, *indices],
                parameters=request[2],
                like=pooling,
            ),
            graph.call("relu", [made], [maxima], like=relu),
        )
    except UnsupportedError:  # the device has no kernel for this layout
        return
    graph.remove(relu)

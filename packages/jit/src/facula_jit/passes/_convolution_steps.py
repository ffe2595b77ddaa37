"""Steps of convolutions: batch norm, max pooling and relu that follow a convolution become parts of its launch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import UnsupportedError
from facula_errors.extend import boundary
from facula_storage import contiguous, cpu

from .._graph.calls import Use, addresses_of
from ._dataflow import Facts
from ._pooling import POOLING, has_unused_indices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._graph.calls import Call
    from .._graph.graph import Graph

ORDER = ("batch_norm", "max_pool2d", "relu")
HALVES = ((2, 2), (2, 2), (0, 0), (1, 1))  # the geometry of pooling 2 x 2 elements


@boundary
def extend_convolutions(graph: Graph) -> None:
    """Let convolutions of images compute batch norm with running statistics, maxima of 2 x 2 results, and relu.

    They compute those steps that follow them in this order.

    The results have the same bits, and the intermediate ones are not stored. It skips convolutions whose kernels do not
    support this, and those whose results have another reader, such as a backward pass.

    >>> from facula_jit import capture
    >>> from facula_tensor import ones
    >>> from facula_tensor.functional import conv2d, max_pool2d
    >>> weight = ones(8, 1, 3, 3)
    >>> layer = capture(lambda x: max_pool2d(conv2d(x, weight), 2).relu(), passes=(extend_convolutions,))
    >>> _ = layer(ones(2, 1, 28, 28)), layer(ones(2, 1, 28, 28))
    >>> [call.operator for call in layer.graph().calls]
    ['conv2d_then']
    """
    facts, calls = Facts.of(graph), graph.calls
    for number, layer in enumerate(calls):
        if layer.operator == "conv2d" and _is_of_images(layer) and facts.is_movable(layer.launch):
            chain: list[int] = [number]
            places: list[int] = []  # of steps, in ORDER
            while (reader := _next_reader(chain[-1], calls, facts)) is not None:
                place = _step(calls[chain[-1]], calls[reader], facts)
                read = [calls[at] for at in (*chain, reader)]
                if place <= max(places, default=-1) or not _may_wait(read, reader, facts, number):
                    break
                chain.append(reader)
                places.append(place)
            if places:
                _extend(graph, [calls[at] for at in chain], [ORDER[place] for place in places])


def _is_of_images(layer: Call) -> bool:
    layout = layer.outputs[0].layout
    return layout is not None and layout.ndim == 4 and layout.device is cpu


def _next_reader(number: int, calls: Sequence[Call], facts: Facts) -> int | None:
    """Return the first launch that reads what a launch writes, if no other launch reads this; it may overwrite it."""
    block = calls[number].outputs[0].value.number
    later = [read for read in facts.readers.get(block, ()) if read > number]
    if not later or block in facts.conditions or block in facts.carried:
        return None
    first = later[0]
    written = [
        place for place in range(number + 1, first + 1) for use in calls[place].outputs if use.value.number == block
    ]
    is_last = not written and len(later) == 1 and facts.is_temporary(block)
    is_overwritten = written == [first] and facts.blocks[block].is_new and later.count(first) == 1
    return first if (is_last or is_overwritten) and facts.span_of[first] == facts.span_of[number] else None


def _step(before: Call, call: Call, facts: Facts) -> int:
    """Return the place in ORDER of the step that a call computes of all results of the call before; -1 for others."""
    made, read = before.outputs[0], call.inputs[0]
    if not isinstance(read, Use) or made.layout is None or read.layout is None or not facts.is_movable(call.launch):
        return -1
    if made.value is not read.value or made.offset != read.offset or read.layout.numel != made.layout.numel:
        return -1
    if not all([use.layout is not None and use.layout.is_contiguous for use in (made, read, *call.outputs)]):
        return -1
    if call.operator == "relu":
        return ORDER.index("relu")
    if call.operator == "batch_norm_eval" and read.layout.shape[:2] == made.layout.shape[:2]:
        return ORDER.index("batch_norm")
    planes, written = made.layout.shape[-2:], call.outputs[0].layout
    is_halved = call.operator in POOLING and call.parameters[0] == HALVES and read.layout.shape[-2:] == planes
    is_halved = is_halved and written is not None and written.shape[-2:] == tuple([size // 2 for size in planes])
    return ORDER.index("max_pool2d") if is_halved and has_unused_indices(call, facts) else -1


def _may_wait(chain: Sequence[Call], reader: int, facts: Facts, number: int) -> bool:
    """Return True if a later launch may read the operands of a layer, and of batch norm after it, instead of them.

    They do not change before it, and its results have other memory.
    """
    written = {
        facts.memory_of(address.block) for address in addresses_of(facts.recording.launches[reader]) if address.written
    }
    norms = [call for call in chain if call.operator == "batch_norm_eval"]
    operands = [*chain[0].inputs, *[operand for norm in norms for operand in norm.inputs[1:]]]
    blocks = [operand.value.number for operand in operands if isinstance(operand, Use)]
    return all([facts.last_change(block) < number and facts.memory_of(block) not in written for block in blocks])


def _given(call: Call) -> list[Any]:
    """Return the operands of a call without its numbers; None for those that were left out."""
    request = call.launch.plan.request
    assert request is not None
    return [None if layout is None else use for use, layout in zip(call.inputs, request[1], strict=False)]


def _extend(graph: Graph, chain: Sequence[Call], names: Sequence[str]) -> None:
    """Replace a convolution and these steps of it by one call."""
    layer, last, request = chain[0], chain[-1], chain[0].launch.plan.request
    made, results = last.outputs[0], layer.outputs[0].layout
    assert request is not None and results is not None
    images, filters, *size = results.shape
    if "max_pool2d" in names:
        size = [length // 2 for length in size]
    operands, steps = _given(layer), tuple[Any, ...](names)
    if names[0] == "batch_norm":
        operands += _given(chain[1])[1:5]
        steps = (("batch_norm", chain[1].inputs[-1]), *steps[1:])
    parameters = (*request[2][:5], steps, *request[2][5:])
    layout = contiguous((images, filters, *size), results.dtype, results.device)
    try:
        call = graph.call("conv2d_then", operands, [made._replace(layout=layout)], parameters=parameters, like=layer)
    except UnsupportedError:  # the kernels for this geometry do not compute such steps
        return
    graph.replace(last, call)
    for part in chain[:-1]:
        graph.remove(part)

"""Steps of convolutions: max pooling and relu that follow a convolution become parts of its launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

HALVES = ((2, 2), (2, 2), (0, 0), (1, 1))  # the geometry of pooling 2 x 2 elements


@boundary
def extend_convolutions(graph: Graph) -> None:
    """Let convolutions of images compute the relu of their results, and before it the maxima of 2 x 2 results.

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
            steps: list[str] = []
            while (reader := _next_reader(chain[-1], calls, facts)) is not None:
                step = _step(calls[chain[-1]], calls[reader], facts)
                if (
                    not step
                    or steps not in ([], ["max_pool2d"])
                    or step in steps
                    or not _may_wait(layer, reader, facts, number)
                ):
                    break
                chain.append(reader)
                steps.append(step)
            if steps:
                _extend(graph, [calls[place] for place in chain], tuple(steps))


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


def _step(before: Call, call: Call, facts: Facts) -> str:
    """Return the name of the step that a call computes of all results of the call before; "" for others."""
    made, read = before.outputs[0], call.inputs[0]
    if not isinstance(read, Use) or made.layout is None or read.layout is None or not facts.is_movable(call.launch):
        return ""
    if made.value is not read.value or made.offset != read.offset or read.layout.numel != made.layout.numel:
        return ""
    if not all([use.layout is not None and use.layout.is_contiguous for use in (made, read, *call.outputs)]):
        return ""
    if call.operator == "relu":
        return "relu"
    planes = read.layout.shape[-2:] == made.layout.shape[-2:]
    is_halved = call.operator in POOLING and planes and call.parameters[0] == HALVES
    return "max_pool2d" if is_halved and has_unused_indices(call, facts) else ""


def _may_wait(layer: Call, reader: int, facts: Facts, number: int) -> bool:
    """Return True if the operands of a layer do not change before a later launch, whose results have other memory."""
    written = {
        facts.memory_of(address.block) for address in addresses_of(facts.recording.launches[reader]) if address.written
    }
    blocks = [operand.value.number for operand in layer.inputs if isinstance(operand, Use)]
    return all([facts.last_change(block) < number and facts.memory_of(block) not in written for block in blocks])


def _extend(graph: Graph, chain: Sequence[Call], steps: tuple[str, ...]) -> None:
    """Replace a convolution and these steps of it by one call."""
    layer, last, request = chain[0], chain[-1], chain[0].launch.plan.request
    made, results = last.outputs[0], layer.outputs[0].layout
    assert request is not None and results is not None
    images, filters, *size = results.shape
    if "max_pool2d" in steps:
        size = [length // 2 for length in size]
    operands = [None if layout is None else given for given, layout in zip(layer.inputs, request[1], strict=True)]
    parameters = (*request[2][:5], steps, *request[2][5:])
    layout = contiguous((images, filters, *size), results.dtype, results.device)
    try:
        call = graph.call("conv2d_then", operands, [made._replace(layout=layout)], parameters=parameters, like=layer)
    except UnsupportedError:  # the kernels for this geometry do not compute such steps
        return
    graph.replace(last, call)
    for part in chain[:-1]:
        graph.remove(part)

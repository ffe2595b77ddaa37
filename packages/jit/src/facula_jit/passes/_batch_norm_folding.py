"""Batch norm folding: layers take over the batch norm that follows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import UnsupportedError
from facula_errors.extend import boundary
from facula_storage import contiguous
from facula_storage.extend.plans import Instruction, Program

from .._graph.calls import Use
from ._dataflow import Facts

if TYPE_CHECKING:
    from .._graph.calls import Call
    from .._graph.graph import Graph

LAYERS = ("conv2d", "conv3d", "linear")  # sequences are images of height 1


@boundary
def fold_batch_norm(graph: Graph) -> None:
    """Fold batch norm with running statistics into the convolution or linear layer before it.

    Replays multiply the layer's weights by `weight / sqrt(running_var + eps)` instead of normalizing its results. They
    do this in each call, so parameters and running statistics may change in between. Results differ by rounding;
    therefore the pass is not in `DEFAULT`. It skips layers with more weights than results, and those whose results have
    another reader, such as a backward pass.

    >>> from facula_jit import capture
    >>> from facula_tensor import ones, zeros
    >>> from facula_tensor.functional import batch_norm, linear
    >>> weight, mean, variance = ones(2, 3), zeros(2), ones(2)
    >>> layer = capture(lambda x: batch_norm(linear(x, weight), mean, variance), passes=(fold_batch_norm,))
    >>> _ = layer(ones(8, 3)), layer(ones(8, 3))
    >>> [call.operator for call in layer.graph().calls]
    ['batch_norm_factors', 'mul', 'linear']
    """
    facts, calls = Facts.of(graph), graph.calls
    for number, layer in enumerate(calls):
        if layer.operator in LAYERS and facts.is_movable(layer.launch):
            reader = facts.only_reader(number, layer.outputs[0].value.number)
            if reader is not None and _is_foldable(layer, calls[reader], facts, number):
                _fold(graph, layer, calls[reader])


def _is_foldable(layer: Call, norm: Call, facts: Facts, number: int) -> bool:
    """Return True if the norm reads the results of the layer by channel, and the layer may run in its place."""
    if norm.operator != "batch_norm_eval" or not facts.is_movable(norm.launch):
        return False
    weights, read, (results,) = layer.inputs[1], norm.inputs[0], layer.outputs
    if not isinstance(weights, Use) or not isinstance(read, Use):
        return False
    of_weights, of_results, of_read = weights.layout, results.layout, read.layout
    if of_weights is None or of_results is None or of_read is None or read.offset != results.offset:
        return False
    if not (of_results.is_contiguous and of_read.is_contiguous and of_results.dtype is of_weights.dtype):
        return False
    if of_results.numel != of_read.numel or of_results.shape[:2] != of_read.shape[:2]:
        return False
    if of_weights.numel > of_results.numel or (layer.operator == "linear" and len(of_results.shape) != 2):
        return False
    written = facts.memory_of(norm.outputs[0].value.number)
    read_blocks = [operand.value.number for operand in layer.inputs if isinstance(operand, Use)]
    return all([facts.last_change(block) < number and facts.memory_of(block) != written for block in read_blocks])


def _fold(graph: Graph, layer: Call, norm: Call) -> None:
    """Replace both by the layer with other weights, in the place of the norm."""
    x, weights, bias = layer.inputs
    _, scale, shift, mean, variance, epsilon = norm.inputs
    (results,), (made,) = layer.outputs, norm.outputs
    assert isinstance(weights, Use) and weights.layout is not None and not isinstance(epsilon, Use)
    filters, *others = weights.layout.shape
    dtype, device = weights.layout.dtype, weights.layout.device
    factors, biases = (graph.temporary(contiguous((filters,), dtype, device)) for _ in range(2))
    scaled = graph.temporary(contiguous(weights.layout.shape, dtype, device))
    by_filter = Use(factors, contiguous((filters, *[1 for _ in others]), dtype, device), 0)
    optional = [operand for operand in (scale, bias, shift) if isinstance(operand, Use)]
    program = _program(epsilon, *[isinstance(operand, Use) for operand in (scale, bias, shift)])
    request = layer.launch.plan.request
    assert request is not None
    try:
        graph.replace(
            norm,
            graph.call(program, [variance, mean, *optional], [factors, biases], like=norm),
            graph.call("mul", [weights, by_filter], [scaled], like=norm),
            graph.call(
                layer.operator,
                [x, scaled, biases],
                [made._replace(layout=results.layout)],
                parameters=request[2],
                like=layer,
            ),
        )
    except UnsupportedError:  # the device has no kernel for one of them
        return
    graph.remove(layer)


def _program(epsilon: float, has_scale: bool, has_bias: bool, has_shift: bool) -> Program:
    """Return the program that computes the factor and the bias of each filter.

    >>> print(_program(1e-05, True, True, False))
    batch_norm_factors(a, b, c, d): f = add(a, 1e-05); g = rsqrt(f); h = mul(g, c); i = sub(d, b); j = mul(i, h); h, j
    """
    count = 2 + has_scale + has_bias + has_shift
    steps: list[Instruction] = []

    def added(operation: str, *values: int) -> int:
        steps.append(Instruction(operation, values))
        return count + len(steps)  # values are numbered after the operands and one constant

    factor = added("rsqrt", added("add", 0, count))
    if has_scale:
        factor = added("mul", factor, 2)
    bias = added("mul", added("sub", 2 + has_scale, 1) if has_bias else added("neg", 1), factor)
    if has_shift:
        bias = added("add", bias, count - 1)
    return Program("batch_norm_factors", count, (epsilon,), tuple(steps), (factor, bias))

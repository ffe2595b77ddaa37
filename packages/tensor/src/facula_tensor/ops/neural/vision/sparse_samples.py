"""Weighted sums of elements at given positions: the operators of grid sampling.

Three operators close under differentiation; see Note [Given taps] in facula_cpu's given_taps.inc.
"""

from __future__ import annotations

from facula_storage import contiguous

from ...._dispatch.declaration import operator


@operator
class _gather_taps:
    """Sum the taps of each output: input (images, channels, length), weights and places (images, taps, count)."""

    inputs = ("input", "weights", "places")
    holomorphic = False
    batching = "rows"
    row_major = True

    def outputs(input, weights, places):
        return contiguous((*input.shape[:2], places.shape[2]), input.dtype, input.device)

    def vjp_input(F, g, weights, places, input_layout):
        return F.scatter_taps(g, weights, places, (input_layout.shape[2],))

    def vjp_weights(F, g, input, places):
        return F.weigh_taps(g, input, places, ())


@operator
class _scatter_taps:
    """Add weighted outputs to zeros at their taps: the gradient of the inputs."""

    inputs = ("grad", "weights", "places")
    parameters = ("length",)
    holomorphic = False
    batching = "rows"
    row_major = True

    def outputs(grad, weights, places, length):
        return contiguous((*grad.shape[:2], length), grad.dtype, grad.device)

    def vjp_grad(F, g, weights, places):
        return F.gather_taps(g, weights, places, ())

    def vjp_weights(F, g, grad, places):
        return F.weigh_taps(grad, g, places, ())


@operator
class _weigh_taps:
    """Multiply outputs and their taps, and sum over channels: the gradient of the weights."""

    inputs = ("grad", "input", "places")
    holomorphic = False
    batching = "rows"
    row_major = True

    def outputs(grad, input, places):
        return contiguous(places.shape, grad.dtype, grad.device)

    def vjp_grad(F, g, input, places):
        return F.gather_taps(input, g, places, ())

    def vjp_input(F, g, grad, places, input_layout):
        return F.scatter_taps(grad, g, places, (input_layout.shape[2],))

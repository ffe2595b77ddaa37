"""Contracts of normalisations, pooling, dropout and recurrent layers."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_storage import int64

from .shapes import are_sizes, is_flag, is_size, left_out

if TYPE_CHECKING:
    from collections.abc import Callable


def batch_norm(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """x, weight, bias and running statistics to results and the batch's statistics."""
    (x, *four), (o, *made) = inputs, outputs
    channels = (x.shape[1],)
    return (
        x.shape == o.shape
        and len(four) == 4
        and all([left_out(one, channels) for one in four])
        and len(made) == 2
        and all([one.shape == channels for one in made])
    )


def batch_norm_counted(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """The same with a count."""
    *usual, count = inputs
    return (
        count.dtype is int64 and count.shape == () and None not in usual[3:] and batch_norm(usual, outputs, parameters)
    )


def batch_norm_eval(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """By the running statistics."""
    (x, *four), (o,) = inputs, outputs
    channels = (x.shape[1],)
    return (
        x.shape == o.shape
        and len(four) == 4
        and all([left_out(one, channels) for one in four[:2]])
        and all([one.shape == channels for one in four[2:]])
    )


def batch_norm_grad(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """The gradients of x, weight and bias."""
    (g, x, mean, deviation, weight), (o, *made) = inputs, outputs
    channels = (x.shape[1],)
    return (
        g.shape == x.shape == o.shape
        and mean.shape == deviation.shape == channels
        and left_out(weight, channels)
        and len(made) == 2
        and all([one.shape == channels for one in made])
    )


def _rows(shape: tuple[int, ...], count: Any, of_groups: bool) -> tuple[int, int] | None:
    """How many rows are normalised, and how many weights there are; None where that cannot be."""
    if of_groups:
        if len(shape) < 2 or not is_size(count, 1) or shape[1] % count:
            return None
        return shape[0] * count, shape[1]
    if not is_size(count, 1) or count > len(shape):
        return None
    return prod(shape[: len(shape) - count]), prod(shape[len(shape) - count :])


def _norm(of_groups: bool, centred: bool) -> Callable[[Any, Any, Any], bool]:
    """The contract of layer_norm, group_norm or rms_norm."""

    def norm(inputs: Any, outputs: Any, parameters: Any) -> bool:
        (x, *given), (o, *kept), (count,) = inputs, outputs, parameters
        found = _rows(x.shape, count, of_groups)
        return (
            found is not None
            and x.shape == o.shape
            and len(given) == len(kept) == (2 if centred else 1)
            and all([one is None or one.numel == found[1] for one in given])
            and all([one.numel == found[0] for one in kept])
        )

    return norm


def _norm_grad(of_groups: bool, centred: bool) -> Callable[[Any, Any, Any], bool]:
    """The contract of their gradients."""

    def norm_grad(inputs: Any, outputs: Any, parameters: Any) -> bool:
        (g, x, *kept, weight), (o, *made), (count,) = inputs, outputs, parameters
        found = _rows(x.shape, count, of_groups)
        return (
            found is not None
            and g.shape == x.shape == o.shape
            and len(kept) == len(made) == (2 if centred else 1)
            and all([one.numel == found[0] for one in kept])
            and (weight is None or weight.numel == found[1])
            and all([weight is None or one.numel == found[1] for one in made])
        )

    return norm_grad


def dropout(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """One shape."""
    (x,), (o,) = inputs, outputs
    return bool(x.shape == o.shape)


def draw(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """One result."""
    return not inputs and len(outputs) == 1


def sample(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Draws by one tensor of parameters, of the result's shape: the planner looks at dtypes."""
    (a,), (o,) = inputs, outputs
    return bool(a.shape == o.shape)


def sample_of_two(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Draws by two."""
    (a, b), (o,) = inputs, outputs
    return bool(a.shape == b.shape == o.shape)


# ------------------------------------------------------------------------------------------------------------ pooling
def _are_windows(geometry: Any, size: tuple[int, ...], out: tuple[int, ...]) -> bool:
    """Whether all windows begin and end inside of planes: (kernel, stride, padding, dilation), or None."""
    if geometry is None:
        return all([count == 0 or length > 0 for length, count in zip(size, out, strict=True)])
    kernel, stride, padding, dilation = geometry
    if not (all([are_sizes(one, 2, 1) for one in (kernel, stride, dilation)]) and are_sizes(padding, 2)):
        return False
    for length, count, taps, step, before, by in zip(size, out, kernel, stride, padding, dilation, strict=True):
        for start in (place * step - before for place in range(count)):
            skipped = -(start // by) if start < 0 else 0
            first = start + skipped * by
            met = min(taps - skipped, -((first - length) // by))
            if met < 1 or first + (met - 1) * by >= length:
                return False
    return True


def max_pool(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Planes to greatest elements, and where they are."""
    (a,), (o, places), (geometry, _) = inputs, outputs, parameters
    return (
        _are_planes(a, o)
        and o.shape == places.shape
        and _are_windows(geometry, a.shape[-2:], o.shape[-2:])
        and bool(a.numel or not o.numel)
    )


def _are_planes(one: Any, other: Any) -> bool:
    return bool(one.ndim == other.ndim >= 2 and one.shape[:-2] == other.shape[:-2])


def max_pool_grad(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Gradients and places to planes."""
    (g, places), (o,), (geometry, _) = inputs, outputs, parameters
    return geometry is None and g.shape == places.shape and _are_planes(g, o)


def max_pool_pick(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Planes and places to the elements there."""
    (a, places), (o,), (geometry, _) = inputs, outputs, parameters
    return geometry is None and o.shape == places.shape and _are_planes(a, o)


def _mean_pool(planes: Any, means: Any, geometry: Any) -> bool:
    if not _are_planes(planes, means) or bool(means.numel and not planes.numel):
        return False
    if geometry is None:
        return _are_windows(None, planes.shape[-2:], means.shape[-2:])
    kernel, stride, padding, padded, divisor = geometry
    if not is_flag(padded) or not (divisor is None or (type(divisor) is int and 0 < abs(divisor) < 1 << 31)):
        return False
    return _are_windows((kernel, stride, padding, (1, 1)), planes.shape[-2:], means.shape[-2:])


def avg_pool(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Planes to means."""
    (a,), (o,), (geometry, _) = inputs, outputs, parameters
    return _mean_pool(a, o, geometry)


def avg_pool_grad(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Gradients to planes."""
    (g,), (o,), (geometry, _) = inputs, outputs, parameters
    return _mean_pool(o, g, geometry)


# ---------------------------------------------------------------------------------------------------------- recurrent
GATES = {"lstm": (4, 4), "gru": (4, 3), "rnn_tanh": (1, 1), "rnn_relu": (1, 1)}  # saved, and rows of weights, a unit


def _are_recurrent(kind: Any, operands: Any, sizes: Any, made: Any) -> bool:
    """Whether (input, h0, c0, weights, biases) and (out, h_n, c_n, saved, cells) belong together.

    Of sequences of several lengths the rows of a step are together, and the kernel looks at how many each has.
    """
    x, h0, c0, w_ih, w_hh, *biases = operands
    saved_each, rows_each = GATES[kind]
    hidden = w_hh.shape[1]
    *rows, features = x.shape
    batch = rows[1] if sizes is None else h0.shape[0]
    state, of_lstm = (batch, hidden), kind == "lstm"
    shapes = (
        (*rows, hidden),
        state,
        state if of_lstm else (0,),
        (*rows, saved_each * hidden),
        (prod(rows), hidden) if of_lstm else (0,),
    )
    return (
        hidden > 0
        and len(rows) == (2 if sizes is None else 1)
        and (sizes is None or (sizes.dtype is int64 and sizes.ndim == 1 and sizes.shape[0] > 0))
        and left_out(h0, state)
        and left_out(c0, state)
        and w_ih.shape == (rows_each * hidden, features)
        and w_hh.shape == (rows_each * hidden, hidden)
        and all([left_out(one, (rows_each * hidden,)) for one in biases])
        and all([left_out(one, shape) for one, shape in zip(made, shapes, strict=True)])
    )


def recurrent(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """A layer over whole sequences."""
    (*operands, sizes), (kind, reverse) = inputs, parameters
    return is_flag(reverse) and len(operands) == 7 and _are_recurrent(kind, operands, sizes, outputs)


def recurrent_grad(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Its gradients."""
    x, h0, c0, w_ih, w_hh, out, saved, cells, sizes, *gradients = inputs
    kind, _, wants_input, wants_state, wants_weights, wants_bias = parameters
    g_out, g_h, g_c = gradients
    state = (x.shape[1] if sizes is None else h0.shape[0], w_hh.shape[1])
    rows = w_hh.shape[:1]
    shapes = [
        (w_ih.shape, wants_weights), (w_hh.shape, wants_weights), (rows, wants_bias), (rows, wants_bias),
        (x.shape, wants_input), (state, wants_state), (state, wants_state and kind == "lstm"),
    ]  # fmt: skip
    return (
        all([is_flag(one) for one in parameters[1:]])
        and None not in (out, saved)
        and (kind != "lstm" or cells is not None)
        and _are_recurrent(kind, (x, h0, c0, w_ih, w_hh), sizes, (out, None, None, saved, cells))
        and left_out(g_out, out.shape)
        and left_out(g_h, state)
        and left_out(g_c, state)
        and all([not wanted or one.shape == shape for one, (shape, wanted) in zip(outputs, shapes, strict=True)])
    )


CONTRACTS: dict[str, Callable[[Any, Any, Any], bool]] = {
    "batch_norm": batch_norm,
    "batch_norm_counted": batch_norm_counted,
    "batch_norm_eval": batch_norm_eval,
    "batch_norm_grad": batch_norm_grad,
    "layer_norm": _norm(False, True),
    "layer_norm_grad": _norm_grad(False, True),
    "group_norm": _norm(True, True),
    "group_norm_grad": _norm_grad(True, True),
    "rms_norm": _norm(False, False),
    "rms_norm_grad": _norm_grad(False, False),
    "dropout": dropout,
    **dict.fromkeys(("uniform", "normal", "randint", "bernoulli", "philox"), draw),
    **dict.fromkeys(("standard_gamma", "log_standard_gamma", "poisson"), sample),
    "binomial": sample_of_two,
    "max_pool2d": max_pool,
    "max_pool2d_grad": max_pool_grad,
    "max_pool2d_pick": max_pool_pick,
    "avg_pool2d": avg_pool,
    "avg_pool2d_grad": avg_pool_grad,
    "recurrent": recurrent,
    "recurrent_grad": recurrent_grad,
}

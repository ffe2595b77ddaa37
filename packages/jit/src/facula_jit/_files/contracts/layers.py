"""Contracts of normalization, pooling, dropout and recurrent layers."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError
from facula_storage import int64

from .shapes import are_sizes, is_flag, is_size, left_out

if TYPE_CHECKING:
    from .declared import Contract, Promise

    Shape = tuple[int, ...]


def batch_norm(inputs: Any, parameters: Any) -> bool:
    """Check for x, weight, bias and running statistics."""
    x, *four = inputs
    return all([left_out(layout, (x.shape[1],)) for layout in four])


def batch_norm_counted(inputs: Any, parameters: Any) -> bool:
    """Check for the operands of `batch_norm` and a count."""
    *usual, count = inputs
    return count.dtype is int64 and count.shape == () and None not in usual[3:] and batch_norm(usual, parameters)


def batch_norm_grad(inputs: Any, parameters: Any) -> bool:
    """Check for the gradients of x, weight and bias."""
    g, x, *three = inputs
    return g.shape == x.shape and batch_norm((x, *three), parameters)


def _rows(shape: tuple[int, ...], count: Any, of_groups: bool) -> tuple[int, int] | None:
    """Return the numbers of normalized rows and of weights; None for an invalid shape."""
    if of_groups:
        if len(shape) < 2 or not is_size(count, 1) or shape[1] % count:
            return None
        return shape[0] * count, shape[1]
    if not is_size(count, 1) or count > len(shape):
        return None
    return prod(shape[: len(shape) - count]), prod(shape[len(shape) - count :])


def _norm(of_groups: bool) -> Promise:
    """Return the promise of layer_norm and rms_norm, or of group_norm."""

    def norm(inputs: Any, parameters: Any) -> bool:
        (x, *given), (count,) = inputs, parameters
        found = _rows(x.shape, count, of_groups)
        return found is not None and all([layout is None or layout.numel == found[1] for layout in given])

    return norm


def _norm_grad(of_groups: bool) -> Promise:
    """Return the promise of their gradients."""

    def norm_grad(inputs: Any, parameters: Any) -> bool:
        (g, x, *kept, weight), (count,) = inputs, parameters
        found = _rows(x.shape, count, of_groups)
        return (
            found is not None
            and g.shape == x.shape
            and all([layout.numel == found[0] for layout in kept])
            and (weight is None or weight.numel == found[1])
        )

    return norm_grad


def unit_rows_grad(inputs: Any, parameters: Any) -> bool:
    """Check for the gradient of rows divided by their lengths."""
    (g, out, inverse), (count,) = inputs, parameters
    found = _rows(out.shape, count, False)
    return found is not None and g.shape == out.shape and inverse.numel == found[0]


def cosine_rows(inputs: Any, parameters: Any) -> bool:
    """Check for cosines of rows."""
    (x, y), (count,) = inputs, parameters
    return _rows(x.shape, count, False) is not None and x.shape == y.shape


def cosine_rows_grad(inputs: Any, parameters: Any) -> bool:
    """Check for the gradient of cosines of rows."""
    (g, x, y, *kept), (count,) = inputs, parameters
    found = _rows(x.shape, count, False)
    return found is not None and x.shape == y.shape and all([layout.numel == found[0] for layout in (g, *kept)])


def response(inputs: Any, parameters: Any) -> bool:
    """Check for local response normalization, and its gradient."""
    x, size = inputs[-1], parameters[0]
    return x.ndim >= 2 and inputs[0].shape == x.shape and is_size(size, 1)


def anything(inputs: Any, parameters: Any) -> bool:
    """Accept one operand of any shape: the planner checks dtypes."""
    return True


def of_one_shape(inputs: Any, parameters: Any) -> bool:
    """Check for two operands of the same shape."""
    a, b = inputs
    return bool(a.shape == b.shape)


def draw(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for one result without operands."""
    return not inputs and len(outputs) == 1


# --------------------------------------------------------------------------------------------------------- pooling
def _are_windows(geometry: Any, size: tuple[int, ...], out: tuple[int, ...]) -> bool:
    """Return True if all windows start and end inside the planes. The geometry is (kernel, stride, padding, dilation),
    or None.
    """
    if geometry is None:
        return all([count == 0 or length > 0 for length, count in zip(size, out, strict=True)])
    kernel, stride, padding, dilation = geometry
    if not (all([are_sizes(extent, 2, 1) for extent in (kernel, stride, dilation)]) and are_sizes(padding, 2)):
        return False
    for length, count, taps, step, before, by in zip(size, out, kernel, stride, padding, dilation, strict=True):
        for start in (place * step - before for place in range(count)):
            skipped = -(start // by) if start < 0 else 0
            first = start + skipped * by
            met = min(taps - skipped, -((first - length) // by))
            if met < 1 or first + (met - 1) * by >= length:
                return False
    return True


def _planes(x: Any, size: Any) -> Shape:
    """Return the shape of planes with another size; raise TypeError or ValueError for an operand or size that is
    invalid.
    """
    if x.ndim < 2 or not are_sizes(size, 2):
        raise InvalidTypeError("no planes")
    return (*x.shape[:-2], *size)


def max_pool(inputs: Any, parameters: Any) -> bool:
    """Check for planes, pooled to maxima, and to their indices."""
    (a,), (geometry, size) = inputs, parameters
    return bool(a.numel or 0 in _planes(a, size)) and _are_windows(geometry, a.shape[-2:], size)


def max_pool_grad(inputs: Any, parameters: Any) -> bool:
    """Check for gradients and indices, whose gradient is that of the planes."""
    (g, places), (geometry, size) = inputs, parameters
    planes = _planes(g, size)
    return g.shape == places.shape and bool(planes) and (geometry is None or _are_windows(geometry, size, g.shape[-2:]))


def max_pool_values_grad(inputs: Any, parameters: Any) -> bool:
    """Check for gradients and the planes whose maxima have them."""
    (g, a), (geometry, size) = inputs, parameters
    return bool(a.shape == _planes(g, size) and max_pool((a,), (geometry, g.shape[-2:])))


def max_pool_pick(inputs: Any, parameters: Any) -> bool:
    """Check for planes and indices of the selected elements."""
    (a, places), (geometry, size) = inputs, parameters
    return geometry is None and places.shape == _planes(a, size)


def _mean_pool(planes: Shape, means: Shape, geometry: Any) -> bool:
    if 0 in planes and 0 not in means:
        return False
    if geometry is None:
        return _are_windows(None, planes[-2:], means[-2:])
    kernel, stride, padding, padded, divisor = geometry
    if not is_flag(padded) or not (divisor is None or (type(divisor) is int and 0 < abs(divisor) < 1 << 31)):
        return False
    return _are_windows((kernel, stride, padding, (1, 1)), planes[-2:], means[-2:])


def avg_pool(inputs: Any, parameters: Any) -> bool:
    """Check for planes, pooled to means."""
    (a,), (geometry, size) = inputs, parameters
    return _mean_pool(a.shape, _planes(a, size), geometry)


def avg_pool_grad(inputs: Any, parameters: Any) -> bool:
    """Check for gradients of means, converted to those of planes."""
    (g,), (geometry, size) = inputs, parameters
    return _mean_pool(_planes(g, size), g.shape, geometry)


# ------------------------------------------------------------------------------------------------------- recurrent
def recurrent(inputs: Any, parameters: Any) -> bool:
    """Check for a layer over complete sequences; for sequences of different lengths, the kernel checks the rows of each
    step.
    """
    sizes = inputs[7]
    return is_flag(parameters[1]) and (sizes is None or sizes.shape[0] > 0)


def recurrent_grad(inputs: Any, parameters: Any) -> bool:
    """Check for the gradients of a recurrent layer."""
    sizes = inputs[8]
    return all([is_flag(parameter) for parameter in parameters[1:]]) and (sizes is None or sizes.shape[0] > 0)


PROMISES: dict[str, Promise] = {
    **dict.fromkeys(("batch_norm", "batch_norm_eval"), batch_norm),
    "batch_norm_counted": batch_norm_counted,
    "batch_norm_grad": batch_norm_grad,
    **dict.fromkeys(("layer_norm", "rms_norm", "unit_rows"), _norm(False)),
    "unit_rows_grad": unit_rows_grad,
    "cosine_rows": cosine_rows,
    "cosine_rows_grad": cosine_rows_grad,
    **dict.fromkeys(("layer_norm_grad", "rms_norm_grad"), _norm_grad(False)),
    "group_norm": _norm(True),
    "group_norm_grad": _norm_grad(True),
    **dict.fromkeys(("local_response_norm", "local_response_norm_grad"), response),
    **dict.fromkeys(("dropout", "standard_gamma", "log_standard_gamma", "poisson"), anything),
    "binomial": of_one_shape,
    "max_pool2d": max_pool,
    "max_pool2d_grad": max_pool_grad,
    "max_pool2d_pick": max_pool_pick,
    "max_pool2d_values": max_pool,
    "max_pool2d_values_grad": max_pool_values_grad,
    "avg_pool2d": avg_pool,
    "avg_pool2d_grad": avg_pool_grad,
    "recurrent": recurrent,
    "recurrent_grad": recurrent_grad,
}
CONTRACTS: dict[str, Contract] = dict.fromkeys(("uniform", "normal", "randint", "bernoulli", "philox"), draw)

"""Gradient clipping, by the total norm or by value, without reading values from the device."""

from __future__ import annotations

import math
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary
from facula_tensor import Tensor, bfloat16, cat, float16, linalg, no_grad, promote_types, stack, tensor
from facula_tensor.extend.arguments import as_real
from facula_tensor.extend.declaring import elementwise, no_record_ops
from facula_tensor.extend.overriding import disable_overrides
from facula_tensor.extend.parts import has_parts, reduced_parts, replicated, whole_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


MAX_GROUP = 128  # norms that are alive at the same time: fewer objects than start a garbage collection


@elementwise
class _clip_factor:
    """Compute bound / (norm + 1e-6), at most 1: the factor that reduces the norm of gradients to at most `bound`."""

    inputs = ("norm", "bound")
    no_gradient = ("norm", "bound")

    def value(F, norm, bound):
        return F.clamp_max(bound / (norm + 1e-6), 1)


@no_grad()
@boundary
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float | str = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients in place by one factor, so that their total norm is at most `max_norm`.

    Returns the original norm, without dimensions; it is computed in at least float32. The factor is a tensor, at most
    1, by which all gradients are multiplied: no value is read unless `error_if_nonfinite`. `norm_type` may be infinite
    (also "inf"), 0 or negative; the norm is the `linalg.vector_norm` of the norms of the gradients. Gradients may be on
    several devices; the norm is on the first one's.
    ValueError for a negative `max_norm`; RuntimeError for a norm that is not finite, if `error_if_nonfinite`.
    `foreach` is ignored.

    Arguments:
        parameters: a tensor or several; those without a gradient are skipped.
        max_norm: the maximum norm, at least 0.
        norm_type: the norm's order, or "inf".
        error_if_nonfinite: raise an error if the norm is not finite.
        foreach: accepted for compatibility; ignored.

    Returns:
        The original norm, without dimensions.

    Raises:
        ValueError: `max_norm` is negative or NaN.
        RuntimeError: the norm is not finite, and `error_if_nonfinite` is set.

    >>> from facula_tensor import Parameter, tensor
    >>> weight = Parameter(tensor([0.0, 0.0]))
    >>> weight.grad = tensor([3.0, 4.0])
    >>> clip_grad_norm_(weight, 1.0), weight.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    max_norm = _nonnegative("clip_grad_norm_", "max_norm", max_norm)
    grads = _gradients(parameters)
    rounded, total = _total_norm("clip_grad_norm_", grads, norm_type, error_if_nonfinite)
    _scale(grads, max_norm, total)
    return rounded


@no_grad()
@boundary
def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Return the norm of all elements of all tensors, without dimensions, for example of gradients before clipping.

    The arguments are those of `clip_grad_norm_`.

    Arguments:
        tensors: a tensor or several.
        norm_type: the order of the norm.
        error_if_nonfinite: raise an error if the norm is not finite.
        foreach: accepted for compatibility; ignored.

    Returns:
        The norm, without dimensions.

    Raises:
        RuntimeError: the norm is not finite, and `error_if_nonfinite` is set.

    >>> from facula_tensor import tensor
    >>> get_total_norm([tensor([3.0]), tensor([4.0])])
    tensor(5.)
    """
    given = [tensors] if isinstance(tensors, Tensor) else listed_tensors(tensors)
    return _total_norm("get_total_norm", given, norm_type, error_if_nonfinite)[0]


@no_grad()
@boundary
def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale all gradients in place by max_norm / total_norm if this is less than 1; see `get_total_norm`.

    ValueError for a negative `max_norm`. `foreach` is ignored.

    Arguments:
        parameters: a tensor or several.
        max_norm: the maximum norm, at least 0.
        total_norm: the present norm of the gradients.
        foreach: accepted for compatibility; ignored.

    Raises:
        ValueError: a negative `max_norm`.
    """
    bound = _nonnegative("clip_grads_with_norm_", "max_norm", max_norm)
    _scale(_gradients(parameters), bound, total_norm)


@no_grad()
@boundary
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Clamp all elements of the gradients in place between -clip_value and clip_value. `foreach` is ignored.

    ValueError for a negative `clip_value`.

    Arguments:
        parameters: a tensor or several.
        clip_value: the bound, at least 0.
        foreach: accepted for compatibility; ignored.

    Raises:
        ValueError: a negative `clip_value`.
    """
    bound = _nonnegative("clip_grad_value_", "clip_value", clip_value)
    for grad in _gradients(parameters):
        grad.clamp_(-bound, bound)


def _nonnegative(operation: str, option: str, value: float) -> float:
    """Return the value of an option that is a bound. ValueError if it is negative or NaN."""
    bound = float(value)
    if not bound >= 0:
        raise InvalidValueError(f"{operation}: expected {option} of at least 0; got {value}")
    return bound


def _total_norm(
    operation: str, tensors: list[Tensor], norm_type: float | str, error_if_nonfinite: bool
) -> tuple[Tensor, Tensor]:
    """Return the norm of all tensors together, in their dtype, and the same norm before it is rounded to this dtype.

    Arguments:
        operation: the operation's name, with which errors begin.
        tensors: the tensors.
        norm_type: the order of the norm.
        error_if_nonfinite: raise an error if the norm is NaN or infinite, which reads it from the device.
    """
    order = math.inf if norm_type == "inf" else float(as_real(norm_type, operation, "norm_type"))
    if not tensors:
        return tensor(0.0), tensor(0.0)
    parts = [gradient for gradient in tensors if has_parts(gradient)]
    whole = iter(reduced_parts(parts, partial(_part_norm, order), partial(_combined, order)) if parts else ())
    norms = (next(whole) if has_parts(gradient) else _norm(_widened(gradient), order) for gradient in tensors)
    total = next(norms) if len(tensors) == 1 and order > 0 else _norm(_joined(norms), order)
    if error_if_nonfinite and not math.isfinite(total):
        raise OperationError(
            f"{operation}: the gradients' norm of order {order} is {float(total)}; nothing was scaled; "
            "look for the layer whose gradient is not finite with detect_anomaly()"
        )
    dtype = reduce(promote_types, {gradient.dtype for gradient in tensors}).to_real()
    rounded = total if total.dtype is dtype else total.to(dtype)
    return (replicated(parts[0], rounded) if parts else rounded), total


def _joined(norms: Iterator[Tensor]) -> Tensor:
    """Return a vector of norms in their common dtype, on the first one's device.

    They are joined in groups, so that only a few are tracked by the garbage collector at a time.
    """
    vectors: list[Tensor] = []
    group: list[Tensor] = []
    for norm in norms:
        if group and (
            len(group) == MAX_GROUP or norm.dtype is not group[0].dtype or norm.device is not group[0].device
        ):
            vectors.append(stack(group))
            group = []
        group.append(norm)
    vectors.append(stack(group))
    if len(vectors) == 1:
        return vectors[0]
    dtype = reduce(promote_types, {vector.dtype for vector in vectors})
    return cat([vector.to(vectors[0].device, dtype) for vector in vectors])


def _part_norm(order: float, part: Tensor) -> Tensor:
    """Return the norm of a part of a tensor, which may be empty."""
    if part.numel():
        return _norm(_widened(part), order)
    return _widened(part).new_full((), 0.0 if order >= 0 else math.inf)


def _combined(order: float, norms: Tensor) -> Tensor:
    """Return the norms of whole tensors, given those of their parts, along the first dimension."""
    return norms.sum(0) if order == 0 else linalg.vector_norm(norms, order, 0)


def _norm(value: Tensor, order: float) -> Tensor:
    """Return the norm of all elements, without recording a gradient."""
    if not value.ndim or order not in (2.0, math.inf):
        return linalg.vector_norm(value, order)
    every = (tuple(range(value.ndim)), False)
    return no_record_ops.norm2(value, every) if order == 2 else no_record_ops.amax(no_record_ops.abs(value), every)


def _scale(grads: list[Tensor], most: float, total: Tensor) -> None:
    """Multiply all gradients by most / total, but by at most 1, without reading `total` from the device."""
    if has_parts(total):
        total = whole_of(total)
    factor = no_record_ops.clip_factor(_widened(total), most)
    copies = {factor.device: factor}
    for grad in grads:
        device = grad.device
        if device not in copies:
            copies[device] = factor.to(device)
        if has_parts(grad):
            with disable_overrides():
                grad.mul_(copies[device])
        else:
            grad.mul_(copies[device])


def _widened(value: Tensor) -> Tensor:
    """Convert half precision to float32, since squares of its numbers may overflow."""
    return value.float() if value.dtype in (float16, bfloat16) else value


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    listed = [parameters] if isinstance(parameters, Tensor) else listed_tensors(parameters)
    return [parameter.grad for parameter in listed if parameter.grad is not None]


def listed_tensors(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """Return the parameters as a list. TypeError if they are not tensors."""
    listed: list[Any] = list(parameters) if hasattr(parameters, "__iter__") else [parameters]
    for value in listed:
        if not isinstance(value, Tensor):
            remedy = "; pass model.parameters() for a module" if hasattr(value, "parameters") else ""
            raise InvalidTypeError(
                f"utils: expected parameters to be tensors; got {type(value).__name__} {value!r:.60}{remedy}"
            )
    return listed

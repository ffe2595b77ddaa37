"""Operations on many parameters: clipping of gradients, parameters as one vector.

`rnn` has sequences of unequal lengths, `fusion` batch norms folded into layers, `stateless` calls with other tensors,
`parametrize` parameters that are computed from others, `prune` parameters with entries set to 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable as _Callable
from functools import reduce
from inspect import signature
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING, Any, cast

from facula_errors import InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary
from facula_tensor import Tensor, bfloat16, cat, float16, linalg, maximum, no_grad, promote_types, stack, tensor
from facula_tensor.extend import as_real, listed

from .._arguments import checked
from .._module import Module
from . import fusion, parametrizations, parametrize, prune, rnn, stateless
from .fusion import fuse_conv_bn_eval, fuse_conv_bn_weights, fuse_linear_bn_eval, fuse_linear_bn_weights
from .weight_hooks import remove_spectral_norm, remove_weight_norm, spectral_norm, weight_norm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
    "fusion",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "prune",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "skip_init",
    "spectral_norm",
    "stateless",
    "vector_to_parameters",
    "weight_norm",
]

__dir__: _Callable[[], list[str]] = listed(__name__)


@no_grad()
@boundary
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float | str = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients, in place, by one factor, such that the norm of all together is at most `max_norm`.

    Returns the norm that they had, without dimensions; it is computed in float32 at least. `norm_type` may be infinite
    ("inf", too), and 0 or negative, where the norm is `linalg.vector_norm` of those of each gradient. ValueError for a
    negative `max_norm`; RuntimeError for a norm that is not finite, where `error_if_nonfinite`.
    `foreach` changes nothing.

    Arguments:
        parameters: tensors, or one; those without a gradient are left out.
        max_norm: the greatest norm, of 0 or more.
        norm_type: the norm's order, or "inf".
        error_if_nonfinite: refuse a norm that is not finite.
        foreach: changes nothing; there is one way.

    Returns:
        The norm before, without dimensions.

    Raises:
        ValueError: a negative `max_norm`, or an order that is not positive.
        RuntimeError: a norm that is not finite, where `error_if_nonfinite`.

    >>> from facula_tensor import Parameter, tensor
    >>> weight = Parameter(tensor([0.0, 0.0]))
    >>> weight.grad = tensor([3.0, 4.0])
    >>> clip_grad_norm_(weight, 1.0), weight.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    max_norm = float(max_norm)
    if not max_norm >= 0:
        raise InvalidValueError(f"clip_grad_norm_: expected max_norm of at least 0; got {max_norm}")
    grads = _gradients(parameters)
    total, value = _total("clip_grad_norm_", grads, norm_type, error_if_nonfinite)
    _scale(grads, max_norm / (value + 1e-6))
    return total


@no_grad()
@boundary
def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all tensors' elements together, without dimensions: gradients, say, that nothing should change yet.

    Arguments as `clip_grad_norm_`'s.

    Arguments:
        tensors: tensors, or one.
        norm_type: the norm's order.
        error_if_nonfinite: refuse a norm that is not finite.
        foreach: changes nothing; there is one way.

    Returns:
        The norm, without dimensions.

    Raises:
        RuntimeError: a norm that is not finite, where `error_if_nonfinite`.

    >>> from facula_tensor import tensor
    >>> get_total_norm([tensor([3.0]), tensor([4.0])])
    tensor(5.)
    """
    given = [tensors] if isinstance(tensors, Tensor) else _listed(tensors)
    return _total("get_total_norm", given, norm_type, error_if_nonfinite)[0]


@no_grad()
@boundary
def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale all gradients, in place, by max_norm / total_norm where that is less than 1; see `get_total_norm`.

    ValueError for a negative `max_norm`. `foreach` changes nothing.

    Arguments:
        parameters: tensors, or one.
        max_norm: the greatest norm, of 0 or more.
        total_norm: the norm that they have.
        foreach: changes nothing; there is one way.

    Raises:
        ValueError: a negative `max_norm`.
    """
    bound = float(max_norm)
    if not bound >= 0:
        raise InvalidValueError(f"clip_grads_with_norm_: expected max_norm of at least 0; got {max_norm}")
    _scale(_gradients(parameters), bound / (float(total_norm) + 1e-6))


@no_grad()
@boundary
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Put all gradients' elements, in place, between -clip_value and clip_value. `foreach` changes nothing.

    ValueError for a negative `clip_value`.

    Arguments:
        parameters: tensors, or one.
        clip_value: the bound, of 0 or more.
        foreach: changes nothing; there is one way.

    Raises:
        ValueError: a negative `clip_value`.
    """
    bound = float(clip_value)
    if not bound >= 0:
        raise InvalidValueError(f"clip_grad_value_: expected clip_value of at least 0; got {clip_value}")
    for grad in _gradients(parameters):
        grad.clamp_(-bound, bound)


@boundary
def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of all parameters, one after another. ValueError where there are none.

    >>> from facula_nn import Linear
    >>> parameters_to_vector(Linear(3, 2).parameters()).shape
    facula.Size([8])
    """
    parts = [parameter.reshape(-1) for parameter in _listed(parameters)]
    if not parts:
        raise InvalidValueError("parameters_to_vector: expected at least one parameter; got none")
    return cat(parts)


@boundary
def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give each parameter its part of `vec`, as memory of its own: the inverse of `parameters_to_vector`.

    TypeError where `vec` is no tensor, ValueError where its length is not that of all parameters together.
    """
    targets = _listed(parameters)
    if not isinstance(vec, Tensor):
        raise InvalidTypeError(f"vector_to_parameters: expected vec to be a Tensor; got {type(vec).__name__}")
    counts = [target.numel() for target in targets]
    if tuple(vec.shape) != (sum(counts),):
        raise InvalidValueError(
            f"vector_to_parameters: expected a vector of {sum(counts)} elements, as the parameters have; "
            f"got shape {tuple(vec.shape)}"
        )
    start = 0
    for target, count in zip(targets, counts, strict=True):
        target.data = vec[start : start + count].detach().reshape(tuple(target.shape)).clone()
        start += count


@boundary
def skip_init(module_cls: Callable[..., Module], *args: Any, **kwargs: Any) -> Module:
    """`module_cls(*args, **kwargs)` without initial values: elements are whatever is there.

    TypeError for a class whose constructor takes no `device`.

    Arguments:
        module_cls: a class of modules.
        *args: what it is made with.
        **kwargs: what it is made with, by name; `device` is where it comes to lie.

    Returns:
        The module.

    Raises:
        TypeError: no class of modules, or one that takes no `device`.

    >>> from facula_nn import Linear
    >>> skip_init(Linear, 3, 2).weight.shape
    facula.Size([2, 3])
    """
    if not isinstance(module_cls, type) or not issubclass(module_cls, Module):
        raise InvalidTypeError(f"skip_init: expected a class of modules; got {module_cls!r:.60}")
    if "device" not in signature(module_cls).parameters:
        raise InvalidTypeError(f"skip_init: expected a class that takes device=; {module_cls.__name__} does not")
    device, make = kwargs.pop("device", "cpu"), cast("Callable[..., Module]", module_cls)
    return make(*args, **kwargs, device="meta").to_empty(device=device)


def _total(
    operation: str, tensors: list[Tensor], norm_type: float | str, error_if_nonfinite: bool
) -> tuple[Tensor, float]:
    """The norm of tensors together, and its value before it was rounded to their dtype.

    Arguments:
        operation: how errors begin.
        tensors: the tensors.
        norm_type: the order of the norm.
        error_if_nonfinite: refuse a norm that is NaN or infinite.
    """
    order = math.inf if norm_type == "inf" else float(as_real(norm_type, operation, "norm_type"))
    if not tensors:
        return tensor(0.0), 0.0
    total = _norm(tensors, order)
    value = float(total)  # before it is rounded to what the gradients are
    if error_if_nonfinite and not math.isfinite(value):
        raise OperationError(
            f"{operation}: the gradients' norm of order {order} is {value}; nothing was scaled; "
            "look for the layer whose gradient is not finite with detect_anomaly()"
        )
    return total.to(reduce(promote_types, [one.dtype for one in tensors])), value


def _scale(grads: list[Tensor], factor: float) -> None:
    if not factor >= 1:
        for grad in grads:
            grad.mul_(factor)


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    listed = [parameters] if isinstance(parameters, Tensor) else _listed(parameters)
    return [parameter.grad for parameter in listed if parameter.grad is not None]


def _norm(grads: list[Tensor], order: float) -> Tensor:
    """The norm of all gradients' elements together. Squares of half precision's numbers are too large for it."""
    grads = [grad.float() if grad.dtype in (float16, bfloat16) else grad for grad in grads]
    if order == math.inf:
        total = grads[0].abs().amax()
        for grad in grads[1:]:
            total = maximum(total, grad.abs().amax())
        return total
    if order <= 0 or order != order:  # as PyTorch has it, the norm of the gradients' norms, which are no norms here
        one_by_one = [linalg.vector_norm(grad, order) for grad in grads]
        return linalg.vector_norm(stack([one.to(one_by_one[0].dtype) for one in one_by_one]), order)
    parts = [(grad * grad).sum() if order == 2 else grad.abs().pow(order).sum() for grad in grads]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total.sqrt() if order == 2 else total.pow(1 / order)


def _listed(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """The parameters as a list; TypeError where these are no tensors."""
    listed: list[Any] = list(parameters) if hasattr(parameters, "__iter__") else [parameters]
    for one in listed:
        if not isinstance(one, Tensor):
            raise InvalidTypeError(f"utils: expected parameters to be tensors; got {type(one).__name__} {one!r:.60}")
    return listed


for _name in __all__:  # wrong arguments are named; see Note [Checked constructors]
    if not isinstance(globals()[_name], _ModuleType):
        globals()[_name] = checked(globals()[_name], _name)

"""Operations on many parameters: clipping of gradients, parameters as one vector.

`rnn` has sequences of unequal lengths, `fusion` batch norms folded into layers, `stateless` calls with other tensors,
`parametrize` parameters that are computed from others, `prune` parameters with entries set to 0.
"""

from __future__ import annotations

from inspect import signature
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING, Any, cast

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary, published
from facula_tensor import Tensor, cat

from .._arguments import checked
from .._modules.module import Module
from . import fusion, parametrizations, parametrize, prune, rnn, stateless
from ._clipping import clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm, listed_tensors
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


@boundary
def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of all parameters, one after another. ValueError where there are none.

    >>> from facula_nn import Linear
    >>> parameters_to_vector(Linear(3, 2).parameters()).shape
    facula.Size([8])
    """
    parts = [parameter.reshape(-1) for parameter in listed_tensors(parameters)]
    if not parts:
        raise InvalidValueError("parameters_to_vector: expected at least one parameter; got none")
    return cat(parts)


@boundary
def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give each parameter its part of `vec`, as memory of its own: the inverse of `parameters_to_vector`.

    TypeError where `vec` is no tensor, ValueError where its length is not that of all parameters together.
    """
    targets = listed_tensors(parameters)
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


for _name in __all__:  # wrong arguments are named; see Note [Checked constructors]
    if not isinstance(globals()[_name], _ModuleType):
        globals()[_name] = checked(globals()[_name], _name)

__dir__ = published(__name__)

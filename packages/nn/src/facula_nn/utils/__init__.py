"""Operations on several parameters: gradient clipping, conversion to and from one vector.

`rnn` packs sequences of unequal lengths, `fusion` folds batch norms into layers, `stateless` calls modules with other
tensors, `parametrize` computes parameters from others, and `prune` sets entries of parameters to 0.
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
    """Concatenate all elements of all parameters into a vector. ValueError if there are no parameters.

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
    """Copy the parts of `vec` into new memory of the parameters: the inverse of `parameters_to_vector`.

    TypeError if `vec` is not a tensor, ValueError if its length is not the parameters' number of elements.
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
    """Return `module_cls(*args, **kwargs)` without initializing its parameters; their elements are arbitrary.

    TypeError for a class whose constructor has no `device` parameter.

    Arguments:
        module_cls: a class of modules.
        *args: positional arguments of the constructor.
        **kwargs: keyword arguments of the constructor; `device` is the module's device.

    Returns:
        The module.

    Raises:
        TypeError: `module_cls` is not a class of modules, or its constructor has no `device` parameter.

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


for _name in __all__:  # check arguments; see Note [Checked constructors]
    if not isinstance(globals()[_name], _ModuleType):
        globals()[_name] = checked(globals()[_name], _name)

__dir__ = published(__name__)

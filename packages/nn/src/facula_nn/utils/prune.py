"""Pruning: setting entries of parameters to 0, permanently or during training. See Note [Pruned modules]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary, published
from facula_tensor import Tensor, cat

from .._modules.module import Module
from ._pruning import (
    BasePruningMethod,
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    PruningContainer,
    RandomStructured,
    RandomUnstructured,
    hook_of,
)

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]

__dir__ = published(__name__)


@boundary
def identity(module: Module, name: str) -> Module:
    """Give a parameter a mask of ones, without changing its values; return the module.

    >>> from facula_nn import Linear
    >>> list(identity(Linear(2, 1), "weight").state_dict())
    ['bias', 'weight_orig', 'weight_mask']
    """
    Identity.apply(module, name)
    return module


@boundary
def random_unstructured(module: Module, name: str, amount: float) -> Module:
    """Prune randomly selected entries.

    Arguments:
        module: the module to modify.
        name: the parameter's name.
        amount: the number to prune, or, as a float, the fraction of those not pruned yet.

    Returns:
        The module.

    Raises:
        ValueError: `amount` exceeds the number of entries or is a fraction outside 0 to 1, or no such parameter.

    >>> from facula_nn import Linear
    >>> int((random_unstructured(Linear(4, 2), "weight", amount=3).weight == 0).sum())
    3
    """
    RandomUnstructured.apply(module, name, amount)
    return module


@boundary
def l1_unstructured(module: Module, name: str, amount: float, importance_scores: Tensor | None = None) -> Module:
    """Prune the entries closest to 0.

    Arguments:
        module: the module to modify.
        name: the parameter's name.
        amount: the number to prune, or, as a float, the fraction of those not pruned yet.
        importance_scores: scores of the parameter's shape for the selection; its values if None.

    Returns:
        The module.

    Raises:
        ValueError: `amount` exceeds the number of entries or is a fraction outside 0 to 1, or no such parameter.

    >>> from facula_nn import Linear, Parameter
    >>> from facula_tensor import tensor
    >>> layer = Linear(3, 1)
    >>> layer.weight = Parameter(tensor([[3.0, -1.0, 2.0]]))
    >>> l1_unstructured(layer, "weight", amount=1).weight_mask
    tensor([[1., 0., 1.]])
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


@boundary
def random_structured(module: Module, name: str, amount: float, dim: int) -> Module:
    """Prune randomly selected slices along a dimension.

    Arguments:
        module: the module to modify.
        name: the parameter's name.
        amount: the number to prune, or, as a float, the fraction of those not pruned yet.
        dim: the dimension.

    Returns:
        The module.

    Raises:
        ValueError: `amount` exceeds the number of slices or is a fraction outside 0 to 1, or no such matrix.
        IndexError: no such dimension.
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


@boundary
def ln_structured(
    module: Module,
    name: str,
    amount: float,
    n: float | str,
    dim: int,
    importance_scores: Tensor | None = None,
) -> Module:
    """Prune the slices with the smallest norms along a dimension.

    Arguments:
        module: the module to modify.
        name: the parameter's name.
        amount: the number to prune, or, as a float, the fraction of those not pruned yet.
        n: the order of the norm.
        dim: the dimension.
        importance_scores: scores of the parameter's shape for the selection; its values if None.

    Returns:
        The module.

    Raises:
        ValueError: `amount` exceeds the number of slices or is a fraction outside 0 to 1, or no such matrix.
        IndexError: no such dimension.

    >>> from facula_nn import Linear, Parameter
    >>> from facula_tensor import tensor
    >>> layer = Linear(2, 2)
    >>> layer.weight = Parameter(tensor([[3.0, -1.0], [0.5, 2.0]]))
    >>> ln_structured(layer, "weight", amount=1, n=2, dim=0).weight_mask
    tensor([[1., 1.],
            [0., 0.]])
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


@boundary
def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prune where `mask`, of the parameter's shape, is 0; return the module.

    Arguments:
        module: the module to modify.
        name: the parameter's name.
        mask: ones and zeros.
    """
    CustomFromMask.apply(module, name, mask)
    return module


@boundary
def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: Mapping[tuple[Module, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prune entries of several parameters, comparing the entries of all parameters with each other.

    Arguments:
        parameters: pairs of a module and its parameter's name.
        pruning_method: a class whose `PRUNING_TYPE` is "unstructured".
        importance_scores: scores for the selection, of the parameter's shape, by pair; its values for missing pairs.
        **kwargs: arguments of the method's constructor, such as `amount`.

    Raises:
        TypeError: `parameters` are not pairs, or the method does not select single entries.
        ValueError: there are no pairs.
    """
    pairs = list(parameters)
    if not pairs:
        raise InvalidValueError("global_unstructured: expected at least one pair (module, name); got none")
    if not all(isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], Module) for pair in pairs):
        raise InvalidTypeError(f"global_unstructured: expected pairs (module, name); got {pairs!r:.100}")
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise InvalidTypeError(
            f"global_unstructured: expected a method that chooses single entries; got {pruning_method.__name__}, "
            f"whose PRUNING_TYPE is {method.PRUNING_TYPE!r}"
        )
    scores, masks = [], []
    for module, name in pairs:
        found = hook_of(module, name)
        original: Tensor = getattr(module, name if found is None else f"{name}_orig")
        given = None if importance_scores is None else importance_scores.get((module, name))
        scores.append((original if given is None else given).detach().reshape(-1))
        mask: Tensor = original.detach().new_ones(original.shape) if found is None else getattr(module, f"{name}_mask")
        masks.append(mask)
    together = method.compute_mask(cat(scores), cat([mask.reshape(-1) for mask in masks]))
    start = 0
    for (module, name), mask in zip(pairs, masks, strict=True):
        custom_from_mask(module, name, together[start : start + mask.numel()].reshape(mask.shape))
        start += mask.numel()


@boundary
def remove(module: Module, name: str) -> Module:
    """Store the pruned values in an ordinary parameter again, and return the module.

    ValueError if it is not pruned.
    """
    found = hook_of(module, name)
    if found is None:
        raise InvalidValueError(f"remove: expected a pruned parameter of {type(module).__name__}; got {name!r}")
    del module._forward_pre_hooks[found[0]]
    found[1].remove(module)
    return module


@boundary
def is_pruned(module: Module) -> bool:
    """Return whether a parameter of the module or of a descendant is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for _, child in module.named_modules()
        for hook in child._forward_pre_hooks.values()
    )

"""Pruning: parameters with some entries set to 0, for good or while they are trained. See Note [Pruned modules]."""

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
    """Give a parameter a mask of ones, which changes nothing; returns the module.

    >>> from facula_nn import Linear
    >>> list(identity(Linear(2, 1), "weight").state_dict())
    ['bias', 'weight_orig', 'weight_mask']
    """
    Identity.apply(module, name)
    return module


@boundary
def random_unstructured(module: Module, name: str, amount: float) -> Module:
    """Prune entries chosen at random.

    Arguments:
        module: the module, which is changed.
        name: its parameter's name.
        amount: how many, or, as a float, the share of those that are not pruned yet.

    Returns:
        The module.

    Raises:
        ValueError: more entries than there are, a share beyond 0 to 1, or no such parameter.

    >>> from facula_nn import Linear
    >>> int((random_unstructured(Linear(4, 2), "weight", amount=3).weight == 0).sum())
    3
    """
    RandomUnstructured.apply(module, name, amount)
    return module


@boundary
def l1_unstructured(module: Module, name: str, amount: float, importance_scores: Tensor | None = None) -> Module:
    """Prune the entries nearest to 0.

    Arguments:
        module: the module, which is changed.
        name: its parameter's name.
        amount: how many, or, as a float, the share of those that are not pruned yet.
        importance_scores: numbers of the parameter's shape to choose by; its own if None.

    Returns:
        The module.

    Raises:
        ValueError: more entries than there are, a share beyond 0 to 1, or no such parameter.

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
    """Prune slices along a dimension, chosen at random.

    Arguments:
        module: the module, which is changed.
        name: its parameter's name.
        amount: how many, or, as a float, the share of those that are not pruned yet.
        dim: the dimension.

    Returns:
        The module.

    Raises:
        ValueError: more slices than there are, a share beyond 0 to 1, a vector, or no such parameter.
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
    """Prune the slices of the smallest norm along a dimension.

    Arguments:
        module: the module, which is changed.
        name: its parameter's name.
        amount: how many, or, as a float, the share of those that are not pruned yet.
        n: the norm's order.
        dim: the dimension.
        importance_scores: numbers of the parameter's shape to choose by; its own if None.

    Returns:
        The module.

    Raises:
        ValueError: more slices than there are, a share beyond 0 to 1, a vector, or no such parameter.
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
    """Prune where `mask`, of the parameter's shape, has zeros; returns the module.

    Arguments:
        module: the module, which is changed.
        name: its parameter's name.
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
    """Prune entries of several parameters together, those of all compared with each other.

    Arguments:
        parameters: pairs of a module and its parameter's name.
        pruning_method: a class whose `PRUNING_TYPE` is "unstructured".
        importance_scores: numbers to choose by, of a parameter's shape, by pair; the parameter's own if there are none.
        **kwargs: what the class is made with, `amount` say.

    Raises:
        TypeError: pairs that are none, or a method that does not choose single entries.
        ValueError: no pairs.
    """
    pairs = list(parameters)
    if not pairs:
        raise InvalidValueError("global_unstructured: expected at least one pair (module, name); got none")
    if not all(isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], Module) for one in pairs):
        raise InvalidTypeError("global_unstructured: expected pairs (module, name)")
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
    """Make the pruned values the parameter's own, an ordinary parameter again; returns the module.

    ValueError where it is not pruned.
    """
    found = hook_of(module, name)
    if found is None:
        raise InvalidValueError(f"remove: {type(module).__name__}.{name} is not pruned")
    del module._forward_pre_hooks[found[0]]
    found[1].remove(module)
    return module


@boundary
def is_pruned(module: Module) -> bool:
    """Whether a parameter of the module, or of one below it, is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for _, one in module.named_modules()
        for hook in one._forward_pre_hooks.values()
    )

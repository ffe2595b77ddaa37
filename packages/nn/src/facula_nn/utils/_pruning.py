"""Pruning methods, which select the entries of a parameter to set to 0, and the hook that applies the mask.

Note [Pruned modules]
~~~~~~~~~~~~~~~~~~~~~
The module stores a pruned parameter `weight` as `weight_orig`, which is trained, and a buffer `weight_mask` of ones
and zeros. `weight` itself is an ordinary attribute: their product, computed by a hook before each forward. A
parameter that is pruned repeatedly has one hook, a `PruningContainer`, with one mask for all its methods.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from facula_errors import InvalidIndexError, InvalidTypeError, InvalidValueError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, no_grad, rand, randperm
from facula_tensor.linalg import vector_norm

from .._modules.module import Module


@boundary
class BasePruningMethod:
    """Base class of pruning methods. A subclass defines `compute_mask(t, default_mask)` and its pruning type.

    `PRUNING_TYPE` is "unstructured" (single entries), "structured" (slices of a dimension) or "global" (all entries).
    """

    PRUNING_TYPE = "global"
    _tensor_name: str

    def __call__(self, module: Module, inputs: object) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask of `t`, of the same shape; `default_mask` is its present mask. Subclasses must define it."""
        raise UnsupportedError(
            f"{type(self).__name__}: the class chooses no entries; define compute_mask(t, default_mask) in it"
        )

    def apply_mask(self, module: Module) -> Tensor:
        """Return the product of the module's original parameter and its mask."""
        original: Tensor = getattr(module, f"{self._tensor_name}_orig")
        mask: Tensor = getattr(module, f"{self._tensor_name}_mask")
        return mask.to(original.dtype) * original

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> BasePruningMethod:
        """Prune a module's parameter, which may be pruned already.

        Arguments:
            module: the module to modify.
            name: the parameter's name.
            *args: positional arguments of the method's constructor.
            importance_scores: scores of the parameter's shape for the selection; its values if None.
            **kwargs: keyword arguments of the method's constructor.

        Returns:
            The method, or a container of this and the previous methods.
        """
        former = hook_of(module, name)
        method: BasePruningMethod = cls(*args, **kwargs)
        method._tensor_name = name
        value = getattr(module, name, None)
        if not isinstance(value, Tensor) or (former is None and name not in module._parameters):
            raise InvalidValueError(f"{cls.__name__}: expected a parameter of {type(module).__name__}; got {name!r}")
        original: Parameter = getattr(module, name if former is None else f"{name}_orig")
        scores = original if importance_scores is None else importance_scores
        if scores.shape != original.shape:
            raise InvalidValueError(
                f"{cls.__name__}: expected importance_scores of shape {tuple(original.shape)}; "
                f"got {tuple(scores.shape)}"
            )
        with no_grad():
            before = original.new_ones(original.shape) if former is None else getattr(module, f"{name}_mask")
            mask = method.compute_mask(scores.detach(), before)
        if mask.shape != original.shape:
            raise InvalidValueError(
                f"{cls.__name__}: expected a mask of shape {tuple(original.shape)}; got {tuple(mask.shape)}"
            )
        mask = mask.to(original.dtype)
        hook = method
        if former is None:
            delattr(module, name)
            module.register_parameter(f"{name}_orig", original)
            module.register_buffer(f"{name}_mask", mask)
        else:
            setattr(module, f"{name}_mask", mask)
            hook = former[1] if isinstance(former[1], PruningContainer) else PruningContainer(former[1])
            hook.add_pruning_method(method)
            del module._forward_pre_hooks[former[0]]
        hook(module, None)
        module.register_forward_pre_hook(hook)
        return hook

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """Return `t` with zeros where the method's mask is 0.

        Arguments:
            t: the tensor.
            default_mask: its present mask; ones if None.
            importance_scores: scores of its shape for the selection; its values if None.
        """
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise InvalidValueError(
                f"prune: expected importance_scores of shape {tuple(t.shape)}; got {tuple(scores.shape)}"
            )
        return t * self.compute_mask(scores, t.new_ones(t.shape) if default_mask is None else default_mask)

    def remove(self, module: Module) -> None:
        """Store the pruned values in the parameter itself; the removed values are lost."""
        name = self._tensor_name
        with no_grad():
            value = self.apply_mask(module).detach()
        original = getattr(module, f"{name}_orig")
        delattr(module, name)
        original.data = value
        for entry in (f"{name}_orig", f"{name}_mask"):
            delattr(module, entry)
        module.register_parameter(name, original)


@boundary
class PruningContainer(BasePruningMethod):
    """Several pruning methods of one parameter, each of which selects among the entries that the previous ones kept."""

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        for method in args:
            if not isinstance(method, BasePruningMethod):
                raise InvalidTypeError(f"PruningContainer: expected pruning methods; got {type(method).__name__}")
            if not self._pruning_methods:
                self._tensor_name = getattr(method, "_tensor_name", "")
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """Append a method. TypeError if it is not a pruning method, ValueError if it prunes another parameter."""
        if not isinstance(method, BasePruningMethod):
            raise InvalidTypeError(f"add_pruning_method: expected a pruning method; got {type(method).__name__}")
        name = getattr(method, "_tensor_name", "")
        if name != self._tensor_name:
            raise InvalidValueError(
                f"add_pruning_method: expected a method of parameter {self._tensor_name!r}; got one of {name!r}"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, index: int) -> BasePruningMethod:
        return self._pruning_methods[index]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask of the last method, which selects among the entries that `default_mask` keeps."""
        return self._pruning_methods[-1].compute_mask(t, default_mask)


@boundary
class Identity(BasePruningMethod):
    """No pruning: a mask of ones, for parameters with manually edited masks."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return `default_mask`."""
        return default_mask


@boundary
class CustomFromMask(BasePruningMethod):
    """Pruning by a given mask."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the product of both masks."""
        if self.mask.shape != default_mask.shape:
            raise InvalidValueError(
                f"CustomFromMask: expected a mask of shape {tuple(default_mask.shape)}; got {tuple(self.mask.shape)}"
            )
        return default_mask * self.mask.to(default_mask.dtype)


class _PruningAmount(BasePruningMethod):
    """Base class of methods that prune a number of entries or slices, or a fraction of the remaining ones."""

    def __init__(self, amount: float) -> None:
        name = type(self).__name__
        if isinstance(amount, bool) or not isinstance(amount, (int, float)):
            raise InvalidTypeError(f"{name}: expected amount to be a number; got {type(amount).__name__} {amount!r}")
        if amount < 0 or (isinstance(amount, float) and not amount <= 1):
            raise InvalidValueError(
                f"{name}: expected amount from 0.0 to 1.0, or an integer of 0 or more; got {amount}"
            )
        self.amount = amount

    def count(self, size: int) -> int:
        """Return the number to prune of `size` entries. ValueError if it exceeds `size`."""
        if isinstance(self.amount, int) and self.amount > size:
            raise InvalidValueError(
                f"{type(self).__name__}: expected amount of at most {size}, as many as there are; got {self.amount}"
            )
        return self.amount if isinstance(self.amount, int) else round(self.amount * size)


class _Entries(_PruningAmount):
    """Base class of methods that select single entries."""

    PRUNING_TYPE = "unstructured"

    def lowest(self, scores: Tensor, count: int) -> Tensor:
        raise UnsupportedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return `default_mask` with additional zeros for the entries that the method selects."""
        mask = default_mask.clone().reshape(-1)
        left = mask.nonzero().squeeze(1)
        count = self.count(left.numel())
        if count:
            mask[left[self.lowest(t.reshape(-1)[left], count)]] = 0
        return mask.reshape(default_mask.shape)


@boundary
class RandomUnstructured(_Entries):
    """Random pruning of entries: `amount` of the remaining ones, a number or a fraction."""

    def lowest(self, scores: Tensor, count: int) -> Tensor:
        return randperm(scores.numel(), device=scores.device)[:count]


@boundary
class L1Unstructured(_Entries):
    """Pruning of the entries closest to 0: `amount` of the remaining ones, a number or a fraction."""

    def lowest(self, scores: Tensor, count: int) -> Tensor:
        return scores.abs().topk(count, largest=False).indices


class _SlicePruning(_PruningAmount):
    """Base class of methods that select slices along a dimension."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def scores(self, t: Tensor, dim: int) -> Tensor:
        """Return a score for each slice; the slices with the lowest scores are pruned."""
        raise UnsupportedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return `default_mask` with additional zeros for the slices that the method selects."""
        name = type(self).__name__
        if t.ndim < 2:
            raise InvalidValueError(f"{name}: expected two dimensions or more; got shape {tuple(t.shape)}")
        if not -t.ndim <= self.dim < t.ndim:
            raise InvalidIndexError(f"{name}: expected dim from {-t.ndim} to {t.ndim - 1}; got {self.dim}")
        dim = self.dim % t.ndim
        others = [at for at in range(t.ndim) if at != dim]
        left = (default_mask != 0).any(others).nonzero().squeeze(1)
        count = self.count(left.numel())
        mask = default_mask.clone()
        if count:
            scores = self.scores(t.index_select(dim, left), dim)
            mask.index_fill_(dim, left[scores.topk(count, largest=False).indices], 0.0)
        return mask


@boundary
class RandomStructured(_SlicePruning):
    """Random pruning of slices along `dim`: `amount` of the remaining ones, a number or a fraction."""

    def scores(self, t: Tensor, dim: int) -> Tensor:
        return rand(t.shape[dim], device=t.device)


@boundary
class LnStructured(_SlicePruning):
    """Pruning of the slices along `dim` with the smallest `n`-norm: `amount` of the remaining ones, or a fraction.

    Arguments:
        amount: the number or the fraction of slices.
        n: the order of the norm.
        dim: the dimension along which slices are taken.
    """

    def __init__(self, amount: float, n: float | str, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def scores(self, t: Tensor, dim: int) -> Tensor:
        order = 2.0 if self.n == "fro" else float(self.n)
        return vector_norm(t.movedim(dim, 0).flatten(1), order, dim=1)


def hook_of(module: Module, name: str) -> tuple[int, BasePruningMethod] | None:
    """Return the pruning method of a module's parameter, and its key among the hooks."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            return key, hook
    return None

"""Weights computed by hooks before each forward: the older alternative to `parametrizations`.

The module stores the weight as an ordinary attribute, and the parameters from which it is computed under other names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from facula_errors import InvalidTypeError, InvalidValueError, OperationError, UnsupportedError
from facula_errors.extend import boundary, published
from facula_tensor import Parameter, Tensor, no_grad

from .. import functional as F
from .._modules.module import Module
from .parametrizations import dim_of, length_of

if TYPE_CHECKING:
    from typing import Self

__all__ = ["remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm"]

__dir__ = published(__name__)

Layer = TypeVar("Layer", bound=Module)


class _Hook:
    """Base class of hooks that compute one weight of a module."""

    called = ""

    def __init__(self, name: str) -> None:
        self.name = name

    def compute(self, module: Module) -> Tensor:
        raise UnsupportedError(f"{self.called}: expected the class to define compute")

    def __call__(self, module: Module, inputs: object) -> None:
        setattr(module, self.name, self.compute(module))

    @classmethod
    def of(cls, module: Module, name: str) -> tuple[int, Self] | None:
        """Return a module's hook of this class for this weight, and its key in the hook table."""
        if not isinstance(module, Module):
            raise InvalidTypeError(f"{cls.called}: expected a Module; got {type(module).__name__}")
        for key, hook in module._forward_pre_hooks.items():
            if isinstance(hook, cls) and hook.name == name:
                return key, hook
        return None

    @classmethod
    def add(cls, module: Module, name: str) -> Parameter:
        """Return the parameter to replace. An error if it does not exist or is computed already."""
        if cls.of(module, name) is not None:
            raise OperationError(
                f"{cls.called}: {type(module).__name__}.{name} has one already; remove it with remove_{cls.called}"
            )
        weight = module._parameters.get(name)
        if weight is None:
            raise InvalidValueError(f"{cls.called}: expected a parameter of {type(module).__name__}; got {name!r}")
        return weight

    @classmethod
    def take(cls, module: Module, name: str) -> Self:
        """Remove the hook from the module and return it."""
        found = cls.of(module, name)
        if found is None:
            raise InvalidValueError(
                f"remove_{cls.called}: expected a parameter of {type(module).__name__} with {cls.called}; got {name!r}"
            )
        del module._forward_pre_hooks[found[0]]
        return found[1]


class _WeightNorm(_Hook):
    dim: int
    called = "weight_norm"

    def __init__(self, name: str, dim: int | None) -> None:
        super().__init__(name)
        self.dim = -1 if dim is None else dim

    def compute(self, module: Module) -> Tensor:
        g: Tensor = getattr(module, f"{self.name}_g")
        v: Tensor = getattr(module, f"{self.name}_v")
        return v * (g / length_of(v, self.dim))


@boundary
def weight_norm(module: Layer, name: str = "weight", dim: int | None = 0) -> Layer:
    """Compute a weight as g v / |v| from the parameters `weight_g` and `weight_v`. Modifies and returns the module.

    `parametrizations.weight_norm` is its newer form. RuntimeError if the weight has this hook already, ValueError if
    there is no such parameter.

    Arguments:
        module: the module to modify.
        name: the parameter's name.
        dim: the dimension whose slices have separate lengths; None for a single length.

    Returns:
        The module.

    >>> from facula_nn import Linear
    >>> sorted(weight_norm(Linear(3, 2)).state_dict())
    ['bias', 'weight_g', 'weight_v']
    """
    hook, weight = _WeightNorm(name, dim), _WeightNorm.add(module, name)
    delattr(module, name)
    with no_grad():
        length = length_of(weight, dim)
    module.register_parameter(f"{name}_g", Parameter(length.detach(), weight.requires_grad))
    module.register_parameter(f"{name}_v", Parameter(weight.detach(), weight.requires_grad))
    hook(module, None)
    module.register_forward_pre_hook(hook)
    return module


@boundary
def remove_weight_norm(module: Layer, name: str = "weight") -> Layer:
    """Remove the `weight_norm` of a module, keeping the weight's value; ValueError if it has none."""
    hook = _WeightNorm.take(module, name)
    with no_grad():
        value = hook.compute(module)
    wants = getattr(module, f"{name}_v").requires_grad
    for entry in (name, f"{name}_g", f"{name}_v"):
        delattr(module, entry)
    module.register_parameter(name, Parameter(value.detach(), wants))
    return module


class _SpectralNorm(_Hook):
    called = "spectral_norm"

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__(name)
        self.n_power_iterations, self.dim, self.eps = n_power_iterations, dim, eps

    def matrix(self, weight: Tensor) -> Tensor:
        return weight.movedim(self.dim, 0).flatten(1)

    def compute(self, module: Module) -> Tensor:
        weight: Tensor
        u: Tensor
        v: Tensor
        weight, u, v = (getattr(module, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        matrix = self.matrix(weight)
        if module.training:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(matrix.mT.mv(u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(matrix.mv(v), dim=0, eps=self.eps))
        u, v = u.clone(), v.clone()  # keeps saved tensors valid over several forwards before a backward
        return weight / u.dot(matrix.mv(v))


@boundary
def spectral_norm(
    module: Layer, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Layer:
    """Compute a weight as `weight_orig` over its largest singular value, which every forward in training estimates.

    `parametrizations.spectral_norm` is its newer form. Modifies and returns the module. RuntimeError if the weight has
    this hook already, ValueError if there is no such parameter, or for less than one step.

    Arguments:
        module: the module to modify.
        name: the parameter's name.
        n_power_iterations: the steps of the power method per forward in training, at least 1.
        eps: the minimum norm for divisions.
        dim: the dimension of the outputs; if None, 1 for transposed convolutions and 0 for other layers.

    Returns:
        The module.

    >>> from facula_nn import Linear
    >>> sorted(spectral_norm(Linear(3, 2)).state_dict())
    ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    if n_power_iterations < 1:
        raise InvalidValueError(f"spectral_norm: expected n_power_iterations of at least 1; got {n_power_iterations}")
    weight = _SpectralNorm.add(module, name)
    hook = _SpectralNorm(name, n_power_iterations, dim_of(module) if dim is None else dim, eps)
    matrix = hook.matrix(weight.detach())
    delattr(module, name)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.detach())
    for part, length in (("u", matrix.shape[0]), ("v", matrix.shape[1])):
        drawn = F.normalize(matrix.new_empty(length).normal_(), dim=0, eps=eps)
        module.register_buffer(f"{name}_{part}", drawn)
    module.register_forward_pre_hook(hook)
    return module


@boundary
def remove_spectral_norm(module: Layer, name: str = "weight") -> Layer:
    """Remove the `spectral_norm` of a module, keeping the weight's value; ValueError if it has none."""
    hook = _SpectralNorm.take(module, name)
    training, module.training = module.training, False
    try:
        with no_grad():
            value = hook.compute(module)
    finally:
        module.training = training
    weight = getattr(module, f"{name}_orig")
    for entry in (name, f"{name}_orig", f"{name}_u", f"{name}_v"):
        delattr(module, entry)
    module.register_parameter(name, Parameter(value.detach(), weight.requires_grad))
    return module

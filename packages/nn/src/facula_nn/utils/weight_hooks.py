"""Weights computed by hooks before each forward: the older form of `parametrizations`.

The module keeps the weight as an ordinary attribute, and the parameters that it is computed from under other names.
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
    """Base of hooks that compute one weight of a module."""

    called = ""

    def __init__(self, name: str) -> None:
        self.name = name

    def compute(self, module: Module) -> Tensor:
        raise UnsupportedError(f"{self.called}: expected the class to define compute")

    def __call__(self, module: Module, inputs: object) -> None:
        setattr(module, self.name, self.compute(module))

    @classmethod
    def of(cls, module: Module, name: str) -> tuple[int, Self] | None:
        """A module's hook of this kind for this weight, and its key in the table."""
        if not isinstance(module, Module):
            raise InvalidTypeError(f"{cls.called}: expected a Module; got {type(module).__name__}")
        for key, hook in module._forward_pre_hooks.items():
            if isinstance(hook, cls) and hook.name == name:
                return key, hook
        return None

    @classmethod
    def add(cls, module: Module, name: str) -> Parameter:
        """The parameter to be computed; an error if it is missing, or is computed already."""
        if cls.of(module, name) is not None:
            raise OperationError(f"{cls.called}: {type(module).__name__}.{name} has one already")
        weight = module._parameters.get(name)
        if weight is None:
            raise InvalidValueError(f"{cls.called}: {type(module).__name__} has no parameter {name!r}")
        return weight

    @classmethod
    def take(cls, module: Module, name: str) -> Self:
        """The hook, which the module no longer has."""
        found = cls.of(module, name)
        if found is None:
            raise InvalidValueError(f"remove_{cls.called}: {type(module).__name__} has no {cls.called} of {name!r}")
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
    """Let a weight be g v / |v|, with the parameters `weight_g` and `weight_v`; changes and returns the module.

    As `parametrizations.weight_norm`, which is newer. RuntimeError where it has been done, ValueError where there is no
    such parameter.

    Arguments:
        module: the module, which is changed.
        name: its parameter's name.
        dim: the dimension whose slices have lengths of their own; None for one length in all.

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
    """Undo `weight_norm`, keeping the weight's value; ValueError without a `weight_norm`."""
    hook = _WeightNorm.take(module, name)
    with no_grad():
        value = hook.compute(module)
    wants = getattr(module, f"{name}_v").requires_grad
    for one in (name, f"{name}_g", f"{name}_v"):
        delattr(module, one)
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
        u, v = u.clone(), v.clone()  # for several passes forward before one backward
        return weight / u.dot(matrix.mv(v))


@boundary
def spectral_norm(
    module: Layer, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Layer:
    """Let a weight be `weight_orig` over its largest singular value, estimated at each forward in training.

    As `parametrizations.spectral_norm`, which is newer; changes and returns the module. RuntimeError where it has been
    done, ValueError where there is no such parameter, or no step.

    Arguments:
        module: the module, which is changed.
        name: its parameter's name.
        n_power_iterations: steps of the power method at each forward in training, 1 or more.
        eps: the least norm that vectors are divided by.
        dim: the dimension of the outputs; 1 for transposed convolutions and else 0 if None.

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
    """Undo `spectral_norm`, keeping the weight's value; ValueError without a `spectral_norm`."""
    hook = _SpectralNorm.take(module, name)
    training, module.training = module.training, False
    try:
        with no_grad():
            value = hook.compute(module)
    finally:
        module.training = training
    weight = getattr(module, f"{name}_orig")
    for one in (name, f"{name}_orig", f"{name}_u", f"{name}_v"):
        delattr(module, one)
    module.register_parameter(name, Parameter(value.detach(), weight.requires_grad))
    return module

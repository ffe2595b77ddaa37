"""Parametrizations of weights: weight norm, spectral norm and orthogonal weights."""

from __future__ import annotations

from facula_errors import InvalidValueError
from facula_errors.extend import boundary, published
from facula_tensor import Tensor, no_grad

from .. import functional as F
from .._modules.module import Module
from ._orthogonal import orthogonal
from .parametrize import register_parametrization

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

__dir__ = published(__name__)


def length_of(v: Tensor, dim: int | None) -> Tensor:
    """Return the Euclidean norms of the slices along `dim`, or the norm of the whole tensor if dim is None or -1."""
    if dim is None or dim == -1:
        return v.square().sum().sqrt()
    at = dim % v.ndim
    others = [index for index in range(v.ndim) if index != at]
    return (v.square().sum(others, keepdim=True) if others else v.square()).sqrt()


class _WeightNorm(Module):
    dim: int

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return weight_v * (weight_g / length_of(weight_v, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return length_of(weight, self.dim), weight


@boundary
def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Parametrize a weight as g v / |v|, with lengths g along `dim` (a single one if None) and directions v.

    They are stored as `parametrizations.weight.original0` and `original1`. State dicts with `weight_g` and `weight_v`
    can also be loaded. T. Salimans, D. Kingma: Weight normalization, 2016.

    Arguments:
        module: the module to modify.
        name: the parameter's name.
        dim: the dimension whose slices have separate lengths; None for a single length.

    Returns:
        The module.

    >>> from facula_nn import Linear
    >>> layer = weight_norm(Linear(3, 2))
    >>> layer.parametrizations.weight.original0.shape
    facula.Size([2, 1])
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def older(_module: Module, state: dict[str, Tensor], prefix: str, *rest: object) -> None:
        g, v = f"{prefix}{name}_g", f"{prefix}{name}_v"
        if g in state and v in state:
            state[f"{prefix}parametrizations.{name}.original0"] = state.pop(g)
            state[f"{prefix}parametrizations.{name}.original1"] = state.pop(v)

    module.register_load_state_dict_pre_hook(older)
    return module


class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor
    dim: int

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        self.dim = dim if dim >= 0 else dim + weight.ndim
        self.n_power_iterations, self.eps = n_power_iterations, eps
        if weight.ndim > 1:
            rows, columns = self.matrix(weight).shape
            self.register_buffer("_u", F.normalize(weight.new_empty(rows).normal_(), dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(weight.new_empty(columns).normal_(), dim=0, eps=eps))
            self.iterate(self.matrix(weight), 15)

    def matrix(self, weight: Tensor) -> Tensor:
        return weight.movedim(self.dim, 0).flatten(1)

    @no_grad()
    def iterate(self, matrix: Tensor, count: int) -> None:
        """Improve the estimates of the singular vectors of the largest singular value."""
        for _ in range(count):
            self._u.copy_(F.normalize(matrix.mv(self._v), dim=0, eps=self.eps))
            self._v.copy_(F.normalize(matrix.mT.mv(self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self.matrix(weight)
        if self.training:
            self.iterate(matrix.detach(), self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()  # keeps saved tensors valid over several forwards before a backward
        return weight / u.dot(matrix.mv(v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


@boundary
def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divide a weight by its largest singular value, which every forward in training mode estimates.

    Each estimate takes `n_power_iterations` steps of the power method; `dim` is the dimension of the outputs: 1 for
    transposed convolutions, else 0. ValueError if there is no such tensor, or for less than one step.
    T. Miyato and others: Spectral normalization, 2018.

    Arguments:
        module: the module to modify.
        name: the parameter's name.
        n_power_iterations: the steps of the power method per forward in training, at least 1.
        eps: the minimum norm for divisions.
        dim: the dimension of the outputs; if None, 1 for transposed convolutions and 0 for other layers.

    Returns:
        The module.

    >>> from facula_nn import Linear
    >>> layer = spectral_norm(Linear(2, 3))
    >>> list(layer.state_dict())[1:]
    ['parametrizations.weight.original', 'parametrizations.weight.0._u', 'parametrizations.weight.0._v']
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise InvalidValueError(
            f"spectral_norm: expected a parameter or buffer of {type(module).__name__}; got {name!r}"
        )
    if n_power_iterations < 1:
        raise InvalidValueError(f"spectral_norm: expected n_power_iterations of at least 1; got {n_power_iterations}")
    at = dim_of(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight.detach(), n_power_iterations, at, eps))


def dim_of(module: Module) -> int:
    """Return the dimension of the outputs in a layer's weight."""
    return int(any(base.__name__.startswith("ConvTranspose") for base in type(module).__mro__))

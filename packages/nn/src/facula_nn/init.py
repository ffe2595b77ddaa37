"""Initial values for parameters: each function fills a tensor in place without recording a gradient, and returns it.

Names, arguments and distributions are those of `torch.nn.init`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from facula_errors import InvalidValueError
from facula_errors.extend import boundary, published
from facula_tensor import Tensor, eye, float64, from_numpy, no_grad, randn, randperm

from ._arguments import checked

if TYPE_CHECKING:
    from facula_tensor import Generator

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

__dir__ = published(__name__)

_GAINS = {"sigmoid": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
_LINEAR = {"linear", *(f"conv{transpose}{n}d" for transpose in ("", "_transpose") for n in (1, 2, 3))}


@boundary
def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the recommended gain of weights before this nonlinearity; `param` is the slope of leaky_relu.

    ValueError for a nonlinearity that has no recommended value.

    >>> calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity in _LINEAR:
        return 1.0
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise InvalidValueError(f"calculate_gain: expected leaky_relu's slope as a number; got {slope!r}")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        known = ", ".join(sorted({*_GAINS, *_LINEAR, "leaky_relu"}))
        raise InvalidValueError(f"calculate_gain: expected nonlinearity among {known}; got {nonlinearity!r}")
    return _GAINS[nonlinearity]


@no_grad()
@boundary
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill a tensor with numbers drawn uniformly from [a, b).

    Arguments:
        tensor: the tensor to fill in place.
        a: the lower bound.
        b: the upper bound.
        generator: the random number generator; the default generator if None.

    Returns:
        The tensor.

    >>> from facula_tensor import empty
    >>> bool((uniform_(empty(9), 1.0, 2.0) >= 1).all())
    True
    """
    return tensor.uniform_(a, b, generator=generator)


@no_grad()
@boundary
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill a tensor with draws from the normal distribution.

    Arguments:
        tensor: the tensor to fill in place.
        mean: the mean.
        std: the standard deviation.
        generator: the random number generator; the default generator if None.

    Returns:
        The tensor.
    """
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
@boundary
def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill a tensor with draws from the normal distribution, redrawing those outside [a, b]. ValueError unless a < b.

    Bounds that leave almost no probability (both beyond 4 `std` on one side of `mean`) are rejected.

    Arguments:
        tensor: the tensor to fill in place.
        mean: the mean before truncation.
        std: the standard deviation before truncation.
        a: the lower bound.
        b: the upper bound.
        generator: the random number generator; the default generator if None.

    Returns:
        The tensor.
    """
    if not a < b:
        raise InvalidValueError(f"trunc_normal_: expected a < b; got {a} and {b}")
    if std <= 0 or (a - mean) / std > 4 or (b - mean) / std < -4:
        raise InvalidValueError(
            f"trunc_normal_: expected bounds that are not far in one tail of normal({mean}, {std}); got {a} and {b}"
        )
    tensor.normal_(mean, std, generator=generator)
    while not tensor.is_meta:
        outside = ((tensor < a) + (tensor > b)).bool()
        if not outside.any():
            return tensor
        tensor.copy_(tensor.clone().normal_(mean, std, generator=generator).where(outside, tensor))
    return tensor


@no_grad()
@boundary
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill a tensor with `val`.

    >>> from facula_tensor import empty
    >>> constant_(empty(2), 3.0)
    tensor([3., 3.])
    """
    return tensor.fill_(val)


@boundary
def ones_(tensor: Tensor) -> Tensor:
    """Fill a tensor with ones.

    >>> from facula_tensor import empty
    >>> ones_(empty(2))
    tensor([1., 1.])
    """
    return constant_(tensor, 1.0)


@boundary
def zeros_(tensor: Tensor) -> Tensor:
    """Fill a tensor with zeros.

    >>> from facula_tensor import empty
    >>> zeros_(empty(2))
    tensor([0., 0.])
    """
    return constant_(tensor, 0.0)


@no_grad()
@boundary
def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with ones on the diagonal and zeros elsewhere. ValueError unless there are 2 dimensions.

    >>> from facula_tensor import empty
    >>> eye_(empty(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if tensor.ndim != 2:
        raise InvalidValueError(f"eye_: expected a tensor of 2 dimensions; got shape {tuple(tensor.shape)}")
    return tensor.copy_(eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


@no_grad()
@boundary
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill convolution weights (out, in / groups, ...) so that each group passes its input through.

    ValueError unless there are 3 to 5 dimensions and `groups` divides the first.

    >>> from facula_tensor import empty
    >>> dirac_(empty(1, 1, 3))
    tensor([[[0., 1., 0.]]])
    """
    shape = tuple(tensor.shape)
    if not 3 <= len(shape) <= 5:
        raise InvalidValueError(f"dirac_: expected a tensor of 3, 4 or 5 dimensions; got shape {shape}")
    if groups < 1 or shape[0] % groups:
        raise InvalidValueError(f"dirac_: expected groups to divide the {shape[0]} output channels; got {groups}")
    outputs = shape[0] // groups
    middle = tuple(size // 2 for size in shape[2:])
    tensor.zero_()
    for group in range(groups):
        for channel in range(min(outputs, shape[1])):
            tensor[(group * outputs + channel, channel, *middle)] = 1
    return tensor


@no_grad()
@boundary
def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill a tensor with uniform draws of variance gain² · 2 / (fan_in + fan_out).

    X. Glorot and Y. Bengio, Understanding the difficulty of training deep feedforward neural networks, AISTATS 2010.

    Arguments:
        tensor: the tensor to fill in place.
        gain: the factor of the bound; see `calculate_gain`.
        generator: the random number generator; the default generator if None.

    Returns:
        The tensor.
    """
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / sum(fans("xavier_uniform_", tensor)))
    return tensor.uniform_(-bound, bound, generator=generator)


@no_grad()
@boundary
def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill a tensor with normal draws of mean 0 and variance gain² · 2 / (fan_in + fan_out); see `xavier_uniform_`.

    Arguments:
        tensor: the tensor to fill in place.
        gain: the factor of the standard deviation; see `calculate_gain`.
        generator: the random number generator; the default generator if None.

    Returns:
        The tensor.
    """
    std = gain * math.sqrt(2.0 / sum(fans("xavier_normal_", tensor)))
    return tensor.normal_(0.0, std, generator=generator)


@no_grad()
@boundary
def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill a tensor with uniform draws of variance gain² / fan; `a` is leaky_relu's slope, `mode` fan_in or fan_out.

    K. He et al., Delving Deep into Rectifiers, ICCV 2015.

    Arguments:
        tensor: the tensor to fill in place.
        a: the slope of `nonlinearity` below 0, for "leaky_relu".
        mode: "fan_in" preserves the variance in the forward pass, "fan_out" in the backward pass.
        nonlinearity: the nonlinearity after the layer, as in `calculate_gain`.
        generator: the random number generator; the default generator if None.

    Returns:
        The tensor.
    """
    if 0 in tensor.shape:
        return tensor
    bound = math.sqrt(3.0) * _kaiming("kaiming_uniform_", tensor, a, mode, nonlinearity)
    return tensor.uniform_(-bound, bound, generator=generator)


@no_grad()
@boundary
def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill a tensor with normal draws of mean 0 and variance gain² / fan; see `kaiming_uniform_`.

    Arguments:
        tensor: the tensor to fill in place.
        a: the slope of `nonlinearity` below 0, for "leaky_relu".
        mode: "fan_in" preserves the variance in the forward pass, "fan_out" in the backward pass.
        nonlinearity: the nonlinearity after the layer, as in `calculate_gain`.
        generator: the random number generator; the default generator if None.

    Returns:
        The tensor.
    """
    if 0 in tensor.shape:
        return tensor
    return tensor.normal_(0.0, _kaiming("kaiming_normal_", tensor, a, mode, nonlinearity), generator=generator)


@no_grad()
@boundary
def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fill a tensor with orthogonal rows (or columns, if there are fewer) of length `gain`. Dimensions after the first
    are flattened. ValueError for fewer than 2 dimensions.

    A. Saxe et al., Exact solutions to the nonlinear dynamics of learning in deep linear neural networks, ICLR 2014.

    Arguments:
        tensor: the tensor to fill in place.
        gain: the factor of all elements.
        generator: the random number generator; the default generator if None.

    Returns:
        The tensor.

    >>> from facula_tensor import empty, eye
    >>> weight = orthogonal_(empty(2, 2))
    >>> (weight @ weight.T).allclose(eye(2), atol=1e-6)
    True
    """
    if tensor.ndim < 2:
        raise InvalidValueError(f"orthogonal_: expected at least 2 dimensions; got shape {tuple(tensor.shape)}")
    if tensor.numel() == 0 or tensor.is_meta:
        return tensor
    rows = tensor.shape[0]
    drawn = randn(rows, tensor.numel() // rows, dtype=float64, generator=generator, device=tensor.device).cpu().numpy()
    q, r = np.linalg.qr(drawn.T if drawn.shape[0] < drawn.shape[1] else drawn)
    q = q * np.sign(np.diag(r))  # for a uniform distribution: F. Mezzadri, Notices of the AMS 54, 2007
    if drawn.shape[0] < drawn.shape[1]:
        q = q.T
    return tensor.copy_(from_numpy(np.ascontiguousarray(q * gain)).reshape(tuple(tensor.shape)))


@no_grad()
@boundary
def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Fill a matrix with normal draws of deviation `std`, and set a fraction `sparsity` of each column to 0.

    ValueError unless there are 2 dimensions and the fraction is from 0 to 1. J. Martens, Deep learning via Hessian-free
    optimization, ICML 2010.

    Arguments:
        tensor: the tensor to fill in place.
        sparsity: the fraction of zeros in each column.
        std: the standard deviation of the other elements.
        generator: the random number generator; the default generator if None.

    Returns:
        The tensor.

    >>> from facula_tensor import empty
    >>> int((sparse_(empty(10, 4), 0.3) == 0).sum())
    12
    """
    if tensor.ndim != 2:
        raise InvalidValueError(f"sparse_: expected a tensor of 2 dimensions; got shape {tuple(tensor.shape)}")
    if not 0 <= sparsity <= 1:
        raise InvalidValueError(f"sparse_: expected sparsity from 0 to 1; got {sparsity}")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    tensor.normal_(0.0, std, generator=generator)
    for column in range(columns):
        tensor[randperm(rows, generator=generator, device=tensor.device)[:zeros], column] = 0
    return tensor


def fans(operation: str, tensor: Tensor) -> tuple[int, int]:
    """Return the fan-in and fan-out of weights (out, in, *kernel)."""
    shape = tuple(tensor.shape)
    if len(shape) < 2:
        raise InvalidValueError(
            f"{operation}: expected at least 2 dimensions to count fan in and fan out; got shape {shape}"
        )
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def _kaiming(operation: str, tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """Return the standard deviation."""
    if mode.lower() not in ("fan_in", "fan_out"):
        raise InvalidValueError(f"{operation}: expected mode fan_in or fan_out; got {mode!r}")
    fan = fans(operation, tensor)[mode.lower() == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


for _name in __all__:  # check arguments; see Note [Checked constructors]
    globals()[_name] = checked(globals()[_name], _name)

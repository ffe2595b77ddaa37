"""Shrinkage functions, which move x towards 0."""

from __future__ import annotations

from facula_errors.extend import boundary

from ..._modules.layer import layer
from .base import Activation


@layer
class Hardshrink(Activation, function="hardshrink"):
    """x, or 0 if |x| is at most `lambd`.

    >>> from facula_tensor import tensor
    >>> Hardshrink()(tensor([-1.0, 0.25]))
    tensor([-1.,  0.])
    """

    _repr_items = "lambd"
    lambd: float = 0.5


@layer
class Softshrink(Activation, function="softshrink"):
    """x, moved towards 0 by `lambd`; 0 if |x| is at most `lambd`.

    >>> from facula_tensor import tensor
    >>> Softshrink()(tensor([-1.0, 0.25]))
    tensor([-0.5000,  0.0000])
    """

    _repr_items = "lambd"
    lambd: float = 0.5


@boundary
class Tanhshrink(Activation, function="tanhshrink"):
    """x - tanh(x).

    >>> from facula_tensor import tensor
    >>> Tanhshrink()(tensor([-1.0, 2.0]))
    tensor([-0.2384,  1.0360])
    """

"""One call of every operator that is declared, for tests of rules that hold for all of them.

Each takes two floating tensors of shape (3, 4) with elements between 0.5 and 2, on any device, and
returns a tensor.
"""

from __future__ import annotations

from typing import Any

import pytest

import facula_tensor as ft
import facula_tensor.fft  # these declare operators when they are imported
import facula_tensor.functional
import facula_tensor.linalg
import facula_tensor.special
from facula_tensor.extend import operators, recurrent_layer
from facula_tensor.extend import recorded_ops as F

from .elementwise import ELEMENTWISE
from .layers import LAYERS
from .matrices import MATRICES
from .movement import MOVEMENT
from .reductions import REDUCTIONS

assert recurrent_layer  # looked up, it loads the operators of recurrent layers
CALLS = {**ELEMENTWISE, **LAYERS, **MATRICES, **MOVEMENT, **REDUCTIONS}

# In place: the first is changed.
CHANGES = {
    "add_": lambda x, y: x.add_(y),
    "add_alpha": lambda x, y: x.add_(y, alpha=2),
    "add_number": lambda x, y: x.add_(2.5),
    "sub_": lambda x, y: x.sub_(y),
    "sub_alpha_row": lambda x, y: x.sub_(y[1], alpha=0.5),
    "square_": lambda x, y: x.square_(),
    "clamp_": lambda x, y: x.clamp_(0.7, 1.2),
    "mul_": lambda x, y: x.mul_(y),
    "mul_itself": lambda x, y: x.mul_(x),
    "div_": lambda x, y: x.div_(y),
    "pow_": lambda x, y: x.pow_(2),
    "exp_": lambda x, y: x.exp_(),
    "tanh_": lambda x, y: x.tanh_(),
    "relu_": lambda x, y: x.relu_(),
    "neg_": lambda x, y: x.neg_(),
    "copy_": lambda x, y: x.copy_(y),
    "copy_row": lambda x, y: x.copy_(y[0]),
    "fill_": lambda x, y: x.fill_(1.5),
    "zero_": lambda x, y: x.zero_(),
    "add_row": lambda x, y: x.add_(y[1]),
}


def declared() -> list[str]:
    """The operators that the package declares (tests and examples may declare more)."""
    return sorted(name for name, op in operators.items() if op.module.startswith("facula_tensor."))


every_operator = pytest.mark.parametrize("name", sorted(CALLS))
every_change = pytest.mark.parametrize("name", sorted(CHANGES))


def pair(
    device: str = "cpu", dtype: Any = ft.float64, shape: tuple = (3, 4), requires_grad: bool = True
) -> tuple[Any, Any]:
    """Two leaves of different elements between 0.5 and 2."""
    n = 1
    for size in shape:
        n *= size
    first = [0.5 + 1.5 * ((7 * i + 3) % (n + 1)) / (n + 1) for i in range(n)]
    second = [0.5 + 1.5 * ((5 * i + 1) % (n + 2)) / (n + 2) for i in range(n)]
    return tuple(
        ft.tensor(values, dtype=dtype, device=device).reshape(shape).requires_grad_(requires_grad)
        for values in (first, second)
    )


def differentiable(result: Any) -> bool:
    """Whether something can be differentiated from here."""
    return result.requires_grad and (result.dtype.is_floating_point or result.dtype.is_complex)


def total(result: Any) -> Any:
    """A real number to differentiate."""
    result = result.sum()
    return (result * F.conj(result)).abs() if result.dtype.is_complex else result

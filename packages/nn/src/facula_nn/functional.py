"""What networks are made of, as functions: names and arguments of `torch.nn.functional`.

Operators are `facula_tensor.functional`'s; what is here is written in them.
"""

from __future__ import annotations

import facula_tensor.functional as _operators
from facula_tensor import Tensor
from facula_tensor.extend import recording
from facula_tensor.functional import *  # noqa: F403

__all__ = ["linear", "relu"]
__all__ += _operators.__all__


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    product = recording.matmul(input, weight.t())
    return product if bias is None else recording.add(product, bias)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0) of each element; with `inplace` the input itself is changed."""
    return input.relu_() if inplace else recording.relu(input)

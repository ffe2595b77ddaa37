"""Bilinear layers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, empty

from .. import functional as F
from .. import init
from .._arguments import check_lengths
from .._modules.module import Module

if TYPE_CHECKING:
    from facula_tensor.extend.arguments import DeviceLike, DTypeLike


@boundary
class Bilinear(Module):
    """input1 @ weight[k] @ input2 + bias[k]: (*, in1_features) and (*, in2_features) to (*, out_features).

    `weight` (out_features, in1_features, in2_features) and `bias` (out_features) are initialized uniformly from
    ±1 / sqrt(in1_features).

    Arguments:
        in1_features: the length of the first input.
        in2_features: the length of the second input.
        out_features: the length of the results.
        bias: whether to add a trainable bias.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.

    >>> from facula_tensor import ones
    >>> Bilinear(3, 4, 2)(ones(5, 3), ones(5, 4)).shape
    facula.Size([5, 2])
    """

    _repr_items = "in1_features=, in2_features=, out_features=, bias="
    bias: Parameter | None
    weight: Parameter

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        check_lengths("Bilinear", 1, in1_features=in1_features)
        check_lengths("Bilinear", in2_features=in2_features, out_features=out_features)
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        shape = (out_features, in1_features, in2_features)
        self.weight = Parameter(empty(shape, device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize weight and bias again."""
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Combine `input1` (*, in1_features) and `input2` (*, in2_features) to (*, out_features)."""
        return F.bilinear(input1, input2, self.weight, self.bias)

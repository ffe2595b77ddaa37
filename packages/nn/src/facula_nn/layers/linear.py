"""Linear layers, and the identity."""

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
class Identity(Module):
    """The identity. Takes any arguments and ignores them.

    >>> Identity(54, unused=True)
    Identity()
    """

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` itself."""
        return input


@boundary
class Linear(Module):
    """input @ weight.T + bias, over the last dimension: (*, in_features) to (*, out_features).

    `weight` (out_features, in_features) and `bias` (out_features) are initialized uniformly from
    ±1 / sqrt(in_features).

    Arguments:
        in_features: the length of the inputs.
        out_features: the length of the results.
        bias: whether to add a trainable bias.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.

    >>> from facula_tensor import ones
    >>> Linear(3, 2)(ones(5, 3)).shape
    facula.Size([5, 2])
    """

    _repr_items = "in_features=, out_features=, bias="
    bias: Parameter | None
    weight: Parameter

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        check_lengths("Linear", in_features=in_features, out_features=out_features)
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty(out_features, in_features, device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize weight and bias again."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))  # the bounds are then ±1 / sqrt(in_features)
        if self.bias is not None and self.in_features:
            bound = 1 / math.sqrt(self.in_features)
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Map `input` (*, in_features) to (*, out_features)."""
        return F.linear(input, self.weight, self.bias)


class NonDynamicallyQuantizableLinear(Linear):
    """`Linear`, under the name that PyTorch uses for the output projection of `MultiheadAttention`."""

"""Other names for the same operators, as PyTorch has them: the function, the method, and the in-place method."""

from __future__ import annotations

from .._core.tensor import Tensor
from .arithmetic import abs, mul, neg, sub
from .clamping import clamp
from .comparison import ge, gt, le, lt, ne
from .dims import movedim, transpose
from .division import div
from .join import cat

__all__ = [
    "absolute", "clip", "concat", "concatenate", "divide", "greater", "greater_equal", "less", "less_equal", "moveaxis",
    "multiply", "negative", "not_equal", "subtract", "swapdims", "true_divide",
]  # fmt: skip

absolute = abs
clip = clamp
concat = concatenate = cat
divide = true_divide = div
greater, greater_equal, less, less_equal, not_equal = gt, ge, lt, le, ne
moveaxis = movedim
multiply = mul
negative = neg
subtract = sub
swapdims = transpose

for _alias in __all__:
    _name = globals()[_alias].__name__
    for _underscore in ("", "_"):
        if hasattr(Tensor, _name + _underscore):
            setattr(Tensor, _alias + _underscore, getattr(Tensor, _name + _underscore))

"""PyTorch's aliases of operators: for each, the function, the method and the in-place method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._core.tensor import Tensor
from .._dispatch.namespaces import operators
from .elementwise import arithmetic, clamp, comparison, division  # noqa: F401  imported because they declare operators
from .shape.joining import cat
from .shape.transpose import movedim

if TYPE_CHECKING:
    from collections.abc import Callable

absolute: Callable[..., Tensor] = operators["abs"].public
clip: Callable[..., Tensor] = operators["clamp"].public
concat: Callable[..., Tensor] = cat
concatenate: Callable[..., Tensor] = cat
divide: Callable[..., Tensor] = operators["div"].public
true_divide: Callable[..., Tensor] = operators["div"].public
greater: Callable[..., Tensor] = operators["gt"].public
greater_equal: Callable[..., Tensor] = operators["ge"].public
less: Callable[..., Tensor] = operators["lt"].public
less_equal: Callable[..., Tensor] = operators["le"].public
not_equal: Callable[..., Tensor] = operators["ne"].public
moveaxis: Callable[..., Tensor] = movedim
multiply: Callable[..., Tensor] = operators["mul"].public
negative: Callable[..., Tensor] = operators["neg"].public
subtract: Callable[..., Tensor] = operators["sub"].public
swapdims: Callable[..., Tensor] = operators["transpose"].public

for _alias in (
    "absolute clip concat concatenate divide greater greater_equal less less_equal moveaxis multiply negative "
    "not_equal subtract swapdims true_divide"
).split():
    _name = globals()[_alias].__name__
    for _underscore in ("", "_"):
        if hasattr(Tensor, _name + _underscore):
            setattr(Tensor, _alias + _underscore, getattr(Tensor, _name + _underscore))

"""Base of distributions with a location and a scale."""

from __future__ import annotations

from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import constraints
from .._distribution import Distribution

Value = float | Tensor


@boundary
class LocationScale(Distribution):
    """A distribution of single numbers, which `loc` moves and `scale` widens.

    Arguments:
        loc: the location.
        scale: the scale, above 0; both are numbers or tensors, which broadcast.
        validate_args: whether parameters and samples are checked; the class's default if None.

    Raises:
        ValueError: shapes that do not broadcast; while checked, a scale of 0 or less or a NaN.
    """

    arg_constraints = {
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Value, scale: Value, validate_args: bool | None = None):
        super().__init__(self._keep(loc=loc, scale=scale), (), validate_args)

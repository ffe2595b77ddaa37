"""The base class of distributions with a location and a scale."""

from __future__ import annotations

from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import constraints
from .._distribution import Distribution

Value = float | Tensor


class Located:
    """Base class of distributions whose mean and mode are `loc`; it precedes `Distribution` among the bases."""

    loc: Tensor

    @property
    def mean(self) -> Tensor:
        """`loc`."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """`loc`."""
        return self.loc


@boundary
class LocationScale(Distribution):
    """Base class of univariate distributions that `loc` shifts and `scale` scales.

    Arguments:
        loc: the location, a number or a tensor.
        scale: the scale, above 0; it broadcasts with `loc`.
        validate_args: whether to validate parameters and samples; the class's default if None.

    Raises:
        ValueError: the shapes do not broadcast; with validation, a scale of at most 0 or a NaN.
    """

    arg_constraints = {
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Value, scale: Value, validate_args: bool | None = None):
        super().__init__(self._store_parameters(loc=loc, scale=scale), (), validate_args)

"""The logistic-normal distribution on the simplex."""

from __future__ import annotations

from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import constraints
from .._continuous.normal import Normal
from .._transforms.vectors import StickBreakingTransform
from .transformed import TransformedDistribution


@boundary
class LogisticNormal(TransformedDistribution):
    """The distribution of `StickBreakingTransform` applied to n normal variables: n + 1 components with a sum of 1.

    Arguments:
        loc: the means of the normal variables, along the last dimension.
        scale: their standard deviations.
        validate_args: whether to validate parameters and values; the class's default if None.

    >>> from facula_tensor import ones, zeros
    >>> LogisticNormal(zeros(3), ones(3)).sample().shape
    facula.Size([4])
    """

    arg_constraints = {
        "loc": constraints.real,
        "scale": constraints.positive,
    }

    def __init__(self, loc: float | Tensor, scale: float | Tensor, validate_args: bool | None = None):
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand((1,))
        super().__init__(base, StickBreakingTransform(), validate_args)

    @property
    def loc(self) -> Tensor:
        """The means of the normal variables."""
        return self.base_dist.base_dist.loc  # type: ignore[attr-defined]

    @property
    def scale(self) -> Tensor:
        """The standard deviations of the normal variables."""
        return self.base_dist.base_dist.scale  # type: ignore[attr-defined]

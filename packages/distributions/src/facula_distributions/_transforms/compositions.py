"""Transforms composed of others, and reshaping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Size, Tensor

from .. import constraints
from ..utils import sum_last
from .transform import Transform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..constraints import Constraint


@boundary
class ComposeTransform(Transform):
    """A composition of transforms in order; without any, the identity.

    >>> from facula_tensor import tensor
    >>> from facula_distributions import AffineTransform, ExpTransform
    >>> ComposeTransform([AffineTransform(0.0, 2.0), ExpTransform()])(tensor(0.5))
    tensor(2.7183)
    """

    _made_of = _compared = ("parts",)
    parts: list[Transform]

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0):
        for part in parts:
            if not isinstance(part, Transform):
                raise InvalidTypeError(f"ComposeTransform: expected transforms; got {part!r}")
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else list(parts)
        super().__init__(cache_size)

    @constraints.dependent_property
    def domain(self) -> Constraint:
        """The domain of the first transform, with enough event dimensions for all transforms."""
        if not self.parts:
            return constraints.real
        dims = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            dims = max(dims + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        return _widened(self.parts[0].domain, dims)

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        """The codomain of the last transform, with enough event dimensions for all transforms."""
        if not self.parts:
            return constraints.real
        dims = self.parts[0].domain.event_dim
        for part in self.parts:
            dims = max(dims + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        return _widened(self.parts[-1].codomain, dims)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether all transforms are bijective."""
        return all(part.bijective for part in self.parts)

    @property
    def sign(self) -> int | Tensor:
        """The product of the signs."""
        product: int | Tensor = 1
        for part in self.parts:
            product = product * part.sign
        return product

    def __call__(self, x: Tensor) -> Tensor:
        """Apply all transforms in order."""
        for part in self.parts:
            x = part(x)
        return x

    def _inverted(self, y: Tensor) -> Tensor:
        for part in reversed(self.parts):
            y = part.inv(y)
        return y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum of the transforms' log determinants."""
        if not self.parts:
            return x * 0
        steps = [x]
        for part in self.parts[:-1]:
            steps.append(part(steps[-1]))
        steps.append(y)
        dims, total = self.domain.event_dim, None
        for part, before, after in zip(self.parts, steps, steps[1:], strict=False):
            term = sum_last(part.log_abs_det_jacobian(before, after), dims - part.domain.event_dim)
            total = term if total is None else total + term
            dims += part.codomain.event_dim - part.domain.event_dim
        return total  # type: ignore[return-value]

    def forward_shape(self, shape: Sequence[int]) -> Size:
        """Return the shape of the results for this shape of `x`."""
        for part in self.parts:
            shape = part.forward_shape(shape)
        return Size(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        """Return the shape of `x` for this shape of the results."""
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return Size(shape)

    def __repr__(self) -> str:
        parts = ",\n    ".join(map(repr, self.parts))
        return f"ComposeTransform(\n    {parts}\n)"


def _widened(constraint: Constraint, dims: int) -> Constraint:
    more = dims - constraint.event_dim
    return constraints.independent(constraint, more) if more else constraint


identity_transform: ComposeTransform = ComposeTransform([])


@boundary
class IndependentTransform(Transform):
    """A transform with `reinterpreted_batch_ndims` more event dimensions, over which log determinants are summed.

    Arguments:
        base_transform: the transform.
        reinterpreted_batch_ndims: the number of additional event dimensions.
        cache_size: 1 to cache the last pair of x and y, 0 for no cache.
    """

    _made_of = _compared = ("base_transform", "reinterpreted_batch_ndims")
    base_transform: Transform

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0):
        super().__init__(cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @constraints.dependent_property
    def domain(self) -> Constraint:
        """The transform's domain, with additional dimensions."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        """The transform's codomain, with additional dimensions."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether the transform is bijective."""
        return self.base_transform.bijective

    @property
    def sign(self) -> int | Tensor:
        """The transform's sign."""
        return self.base_transform.sign

    def _check(self, value: Tensor, least: int) -> None:
        if value.dim() < least:
            raise InvalidValueError(
                f"IndependentTransform: expected at least {least} dimensions; got shape {tuple(value.shape)}"
            )

    def _call(self, x: Tensor) -> Tensor:
        self._check(x, self.domain.event_dim)
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        self._check(y, self.codomain.event_dim)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log |det dy/dx| of each event."""
        return sum_last(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        """Return the shape of the results for this shape of `x`."""
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        """Return the shape of `x` for this shape of the results."""
        return self.base_transform.inverse_shape(shape)

    def __repr__(self) -> str:
        return f"IndependentTransform({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


@boundary
class ReshapeTransform(Transform):
    """Reshape the last dimensions `in_shape` to `out_shape`, which has the same number of elements.

    Arguments:
        in_shape: the last dimensions of x.
        out_shape: the last dimensions of y.
        cache_size: 1 to cache the last pair of x and y, 0 for no cache.

    Raises:
        ValueError: shapes of different numbers of elements.

    >>> from facula_tensor import zeros
    >>> ReshapeTransform((2, 3), (6,))(zeros(5, 2, 3)).shape
    facula.Size([5, 6])
    """

    _made_of = _compared = ("in_shape", "out_shape")
    in_shape: Size
    out_shape: Size

    bijective = True

    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0):
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise InvalidValueError(
                "ReshapeTransform: expected in_shape and out_shape with equal numbers of elements; got "
                f"{tuple(self.in_shape)} and {tuple(self.out_shape)}"
            )
        super().__init__(cache_size)

    @constraints.dependent_property
    def domain(self) -> Constraint:
        """All values of shape `in_shape`."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        """All values of shape `out_shape`."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(self.forward_shape(x.shape))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(self.inverse_shape(y.shape))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 0."""
        return x.new_zeros(tuple(x.shape[: x.dim() - len(self.in_shape)]))

    def forward_shape(self, shape: Sequence[int]) -> Size:
        """Return the shape of the results for this shape of `x`."""
        return self._swapped(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        """Return the shape of `x` for this shape of the results."""
        return self._swapped(shape, self.out_shape, self.in_shape)

    def _swapped(self, shape: Sequence[int], given: Size, wanted: Size) -> Size:
        """Replace the last dimensions of a shape.

        Arguments:
            shape: the whole shape.
            given: its expected last dimensions.
            wanted: the replacements.
        """
        cut = len(shape) - len(given)
        if cut < 0 or tuple(shape[cut:]) != tuple(given):
            raise InvalidValueError(
                f"ReshapeTransform: expected last dimensions {tuple(given)}; got shape {tuple(shape)}"
            )
        return Size((*shape[:cut], *wanted))

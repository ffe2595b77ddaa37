"""`Transform`: a function, its inverse, and the logarithm of its Jacobian determinant."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Size, Tensor

from .. import constraints
from ..constraints import Constraint
from ..utils import broadcast_shapes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


@boundary
class Transform:
    """Base class of functions y = f(x) with log |det dy/dx|, and an inverse if they are bijective.

    A subclass sets `domain` and `codomain` (constraints), `bijective` and, if it is elementwise, `sign` (1 or -1), and
    defines `_call`, `_inverse` and `log_abs_det_jacobian(x, y)`. With `cache_size=1`, the last pair is cached: the
    inverse of the y computed last is the original x itself.
    """

    # Attributes that are copied, in the constructor's order, and compared for equality; None: compare identity.
    _made_of: tuple[str, ...] = ()
    _compared: tuple[str, ...] | None = None

    bijective: bool = False
    domain: Constraint = constraints.real
    codomain: Constraint = constraints.real

    def __init__(self, cache_size: int = 0):
        if cache_size not in (0, 1):
            raise InvalidValueError(f"{type(self).__name__}: expected cache_size 0 or 1; got {cache_size!r}")
        super().__init__()  # for another base, such as Module
        self._cache_size = cache_size
        self._cached_x_y: tuple[Any, Any] = (None, None)  # x and its y
        self._inv: weakref.ref[Transform] | None = None  # a weak reference: the inverse refers to the transform

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_inv": None, "_cached_x_y": (None, None)}

    @property
    def event_dim(self) -> int:
        """The number of event dimensions, if domain and codomain have the same number."""
        if self.domain.event_dim != self.codomain.event_dim:
            raise InvalidValueError(
                f"{type(self).__name__}.event_dim: expected equal event dimensions of the domain and the "
                f"codomain; got {self.domain.event_dim} and {self.codomain.event_dim}; "
                "use domain.event_dim or codomain.event_dim"
            )
        return self.domain.event_dim

    @property
    def inv(self) -> Transform:
        """The inverse transform; its inverse is this transform."""
        found = self._inv() if self._inv is not None else None
        if found is None:
            found = _Inverse(self)
            self._inv = weakref.ref(found)
        return found

    @property
    def sign(self) -> int | Tensor:
        """1 if the function is increasing, -1 if it is decreasing."""
        raise self._undefined("sign")

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the same transform with another cache size."""
        if self._cache_size == cache_size:
            return self
        kind = self._declaring("_made_of")
        if kind is Transform:
            kind = type(self)
            if kind.__init__ is not Transform.__init__:
                raise self._undefined("with_cache")
        return kind(*[getattr(self, name) for name in self._made_of], cache_size=cache_size)

    def _declaring(self, name: str) -> type[Any]:
        """Return the nearest class that sets an attribute."""
        return next(kind for kind in type(self).__mro__ if name in vars(kind))

    def __eq__(self, other: object) -> bool:
        if not self._compared:
            return self is other or (self._compared is not None and type(self) is type(other))
        return isinstance(other, self._declaring("_compared")) and all(
            _same(getattr(self, name), getattr(other, name)) for name in self._compared
        )

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __call__(self, x: Tensor) -> Tensor:
        """Map values of the domain to values of the codomain."""
        if not self._cache_size:
            return self._call(x)
        known, y = self._cached_x_y
        if x is not known:
            y = self._call(x)
            self._cached_x_y = x, y
        return y

    def _inverted(self, y: Tensor) -> Tensor:
        if not self._cache_size:
            return self._inverse(y)
        x, known = self._cached_x_y
        if y is not known:
            x = self._inverse(y)
            self._cached_x_y = x, y
        return x

    def _call(self, x: Tensor) -> Tensor:
        raise self._undefined("__call__")

    def _inverse(self, y: Tensor) -> Tensor:
        raise self._undefined("inv")

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log |det dy/dx| of each event."""
        raise self._undefined("log_abs_det_jacobian")

    def forward_shape(self, shape: Sequence[int]) -> Size:
        """Return the shape of the results for this shape of `x`."""
        return Size(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        """Return the shape of `x` for this shape of the results."""
        return Size(shape)

    def _undefined(self, what: str) -> Exception:
        return UnsupportedError(
            f"{type(self).__name__}.{what}: not defined for this transform; define it in a subclass"
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class _Inverse(Transform):
    """The inverse of a transform."""

    _compared = ("_of",)

    def __init__(self, forward: Transform):
        super().__init__(forward._cache_size)
        self._of = forward

    @property
    def domain(self) -> Constraint:  # type: ignore[override]
        return self._of.codomain

    @property
    def codomain(self) -> Constraint:  # type: ignore[override]
        return self._of.domain

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return self._of.bijective

    @property
    def sign(self) -> int | Tensor:
        return self._of.sign

    @property
    def inv(self) -> Transform:
        return self._of

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self._of.with_cache(cache_size).inv

    def __call__(self, x: Tensor) -> Tensor:
        return self._of._inverted(x)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._of.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return self._of.inverse_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        return self._of.forward_shape(shape)

    def __repr__(self) -> str:
        return f"{self._of!r}.inv"


def _same(value: Any, other: Any) -> bool:
    if isinstance(value, Tensor) and isinstance(other, Tensor):
        return value.shape == other.shape and bool((value == other).all())
    return not isinstance(value, Tensor) and not isinstance(other, Tensor) and bool(value == other)


def broadcast_with(shape: Sequence[int], *values: object) -> Size:
    """Return the shape broadcast with the shapes of parameters, which are tensors or numbers."""
    return Size(broadcast_shapes(shape, *(value.shape for value in values if isinstance(value, Tensor))))

"""Transforms from unconstrained values to a constraint: `biject_to` (bijective) and `transform_to` (easy to optimize).

Both are called with a constraint; `register` adds a function that maps constraints of a class to transforms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from facula_errors import InvalidTypeError, UnsupportedError
from facula_errors.extend import boundary, published

from . import constraints
from ._transforms.compositions import ComposeTransform, IndependentTransform, identity_transform
from ._transforms.elementwise import AffineTransform, ExpTransform, SigmoidTransform
from ._transforms.transform import Transform
from ._transforms.vectors import (
    CatTransform,
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StackTransform,
    StickBreakingTransform,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias, TypeVar

    Region: TypeAlias = constraints.Constraint | type[constraints.Constraint]
    Joined: TypeAlias = constraints.cat | constraints.stack
    Factory: TypeAlias = Callable[[Any], Transform]  # takes a constraint of the class for which it is registered
    F = TypeVar("F", bound=Factory)

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]

__dir__ = published(__name__)


@boundary
class ConstraintRegistry:
    """A registry of transforms by class of constraint.

    >>> from facula_tensor import tensor
    >>> from facula_distributions import constraints
    >>> transform_to(constraints.interval(0.0, 10.0))(tensor(0.0))
    tensor(5.)
    """

    def __init__(self, name: str = "ConstraintRegistry"):
        self._name = name
        self._factories: dict[type, Factory] = {}

    @overload
    def register(self, constraint: Region, factory: None = None) -> Callable[[F], F]: ...
    @overload
    def register(self, constraint: Region, factory: F) -> F: ...
    def register(self, constraint: Region, factory: F | None = None) -> F | Callable[[F], F]:
        """Register `factory`, a function of the constraint, for its class and subclasses; a decorator without it."""
        if factory is None:
            return lambda given: self.register(constraint, given)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise InvalidTypeError(
                f"{self._name}.register: expected a constraint or a class of constraints; got {constraint!r}"
            )
        self._factories[kind] = factory
        return factory

    def __call__(self, constraint: constraints.Constraint) -> Transform:
        """Return the transform to a constraint; NotImplementedError if none is registered."""
        factory = self._factories.get(type(constraint))
        if factory is None:
            raise UnsupportedError(
                f"{self._name}: there is no transform to {constraint}; add one with {self._name}.register"
            )
        return factory(constraint)


biject_to: ConstraintRegistry = ConstraintRegistry("biject_to")
transform_to: ConstraintRegistry = ConstraintRegistry("transform_to")


def _register_for_both(*kinds: Region) -> Callable[[F], F]:
    def decorated(factory: F) -> F:
        for kind in kinds:
            biject_to.register(kind, factory)
            transform_to.register(kind, factory)
        return factory

    return decorated


@_register_for_both(constraints.real)
def _all(constraint: constraints.Constraint) -> Transform:
    return identity_transform


@biject_to.register(constraints.independent)
def _events_one_to_one(constraint: constraints.independent) -> Transform:
    return _events(biject_to, constraint)


@transform_to.register(constraints.independent)
def _events_of(constraint: constraints.independent) -> Transform:
    return _events(transform_to, constraint)


def _events(registry: ConstraintRegistry, constraint: constraints.independent) -> Transform:
    return IndependentTransform(registry(constraint.base_constraint), constraint.reinterpreted_batch_ndims)


@_register_for_both(constraints.greater_than, constraints.greater_than_eq)
def _above(constraint: constraints.greater_than | constraints.greater_than_eq) -> Transform:
    low = constraint.lower_bound
    if type(low) is float and low == 0:
        return ExpTransform()
    return ComposeTransform([ExpTransform(), AffineTransform(low, 1)])


@_register_for_both(constraints.less_than)
def _below(constraint: constraints.less_than) -> Transform:
    return ComposeTransform([ExpTransform(), AffineTransform(constraint.upper_bound, -1)])


@_register_for_both(constraints.interval, constraints.half_open_interval)
def _between(constraint: constraints.interval | constraints.half_open_interval) -> Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    if type(low) is float and type(high) is float and (low, high) == (0, 1):
        return SigmoidTransform()
    return ComposeTransform([SigmoidTransform(), AffineTransform(low, high - low)])


@biject_to.register(constraints.simplex)
def _shares_one_to_one(constraint: constraints.Constraint) -> Transform:
    return StickBreakingTransform()


@transform_to.register(constraints.simplex)
def _shares(constraint: constraints.Constraint) -> Transform:
    return SoftmaxTransform()


@transform_to.register(constraints.lower_cholesky)
def _triangles(constraint: constraints.Constraint) -> Transform:
    return LowerCholeskyTransform()


@transform_to.register(constraints.positive_definite)
@transform_to.register(constraints.positive_semidefinite)
def _definite(constraint: constraints.Constraint) -> Transform:
    return PositiveDefiniteTransform()


@_register_for_both(constraints.corr_cholesky)
def _correlations(constraint: constraints.Constraint) -> Transform:
    return CorrCholeskyTransform()


def _parts(kind: type[Joined], transform: Callable[..., Transform], *names: str) -> None:
    """Register a transform that combines the transforms for a constraint's parts.

    Arguments:
        kind: the class of constraint, with its parts in `cseq`.
        transform: a function that combines a list of transforms.
        names: attributes of the constraint that `transform` takes after the list.
    """
    for registry in (biject_to, transform_to):

        def factory(
            constraint: constraints.cat | constraints.stack, registry: ConstraintRegistry = registry
        ) -> Transform:
            further = [getattr(constraint, name) for name in names]
            return transform([registry(part) for part in constraint.cseq], *further)

        registry.register(kind, factory)


_parts(constraints.cat, CatTransform, "dim", "lengths")
_parts(constraints.stack, StackTransform, "dim")

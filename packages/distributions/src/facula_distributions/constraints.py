"""Constraints: which values a parameter or a sample may have. `check(value)` says it for each event, as bools.

Ready ones stand at the end (`positive`, `simplex`, ...); classes with bounds are made: `interval(0.0, 1.0)`. One
that depends on the distribution's parameters is a `dependent_property` of its class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import UnsupportedError
from facula_tensor.extend import listed

if TYPE_CHECKING:
    from facula_tensor import Tensor

    Bound = float | Tensor

__all__ = [
    "Constraint",
    "boolean",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_integer",
    "real",
    "real_vector",
    "simplex",
    "unit_interval",
]

__dir__ = listed(__name__)


class Constraint:
    """A region of values; `event_dim` last dimensions of a tensor are one value of it.

    >>> from facula_tensor import tensor
    >>> positive.check(tensor([1.0, 0.0]))
    tensor([ True, False])
    """

    is_discrete: bool = False
    event_dim: int = 0

    def check(self, value: Tensor) -> Tensor:
        """Bools, one for each event: whether it is in the region."""
        raise UnsupportedError(f"{type(self).__name__}.check: a subclass of Constraint defines its region")

    def __repr__(self) -> str:
        bounds = ", ".join(f"{name}={value}" for name, value in vars(self).items() if name not in vars(Constraint))
        name = type(self).__name__.removeprefix("_")
        return f"{name}({bounds})"


class _Dependent(Constraint):
    """Its region depends on parameters; only an instance of the distribution has it."""

    def __init__(self, *, is_discrete: bool = False, event_dim: int = 0):
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def __call__(self, *, is_discrete: bool = False, event_dim: int = 0) -> _Dependent:
        return _Dependent(is_discrete=is_discrete, event_dim=event_dim)

    def check(self, value: Tensor) -> Tensor:
        """Refused: the region is known of an instance alone."""
        raise UnsupportedError("constraints.dependent: the region depends on parameters; ask an instance for it")


class dependent_property(property, _Dependent):
    """A property that gives a constraint: of the class it says `is_discrete` and `event_dim`, of an instance all."""

    def __init__(self, fn: Any = None, *, is_discrete: bool = False, event_dim: int = 0):
        property.__init__(self, fn)
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def __call__(self, fn: Any) -> dependent_property:  # type: ignore[override]  # it is a decorator
        return dependent_property(fn, is_discrete=self.is_discrete, event_dim=self.event_dim)


def is_dependent(constraint: Any) -> bool:
    """Whether the region is known of instances alone."""
    return isinstance(constraint, _Dependent)


class independent(Constraint):
    """A constraint whose last batch dimensions are one event: all of it must be in the region."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int):
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        """Bools, one for each event."""
        inside = self.base_constraint.check(value)
        for _ in range(self.reinterpreted_batch_ndims):
            inside = inside.all(-1)
        return inside


class _Real(Constraint):
    def check(self, value: Tensor) -> Tensor:
        return value == value  # all but NaN


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _Simplex(Constraint):
    """Vectors of 0 or more with a sum of 1."""

    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Above(Constraint):
    def __init__(self, lower_bound: Bound):
        self.lower_bound = lower_bound


class _Between(Constraint):
    def __init__(self, lower_bound: Bound, upper_bound: Bound):
        self.lower_bound, self.upper_bound = lower_bound, upper_bound


class greater_than(_Above):
    """Above a bound."""

    def check(self, value: Tensor) -> Tensor:
        """Bools, one for each element."""
        return value > self.lower_bound


class greater_than_eq(_Above):
    """At a bound or above."""

    def check(self, value: Tensor) -> Tensor:
        """Bools, one for each element."""
        return value >= self.lower_bound


class less_than(Constraint):
    """Below a bound."""

    def __init__(self, upper_bound: Bound):
        self.upper_bound = upper_bound

    def check(self, value: Tensor) -> Tensor:
        """Bools, one for each element."""
        return value < self.upper_bound


class interval(_Between):
    """From one bound to the other, both included."""

    def check(self, value: Tensor) -> Tensor:
        """Bools, one for each element."""
        return (value >= self.lower_bound) & (value <= self.upper_bound)


class half_open_interval(_Between):
    """From one bound to the other, the upper excluded."""

    def check(self, value: Tensor) -> Tensor:
        """Bools, one for each element."""
        return (value >= self.lower_bound) & (value < self.upper_bound)


class integer_interval(_Between):
    """Whole numbers between two bounds, both included."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        """Bools, one for each element."""
        return (value % 1 == 0) & (value >= self.lower_bound) & (value <= self.upper_bound)


class _IntegerAbove(_Above):
    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value >= self.lower_bound)


dependent = _Dependent()
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerAbove(0)
positive_integer = _IntegerAbove(1)
real = _Real()
real_vector = independent(real, 1)
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
unit_interval = interval(0.0, 1.0)
simplex = _Simplex()

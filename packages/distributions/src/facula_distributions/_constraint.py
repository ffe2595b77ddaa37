"""The base class of constraints, and constraints that depend on a distribution's parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_tensor import Tensor


class Constraint:
    """A region of values; one value consists of the last `event_dim` dimensions of a tensor.

    >>> from facula_distributions.constraints import positive
    >>> from facula_tensor import tensor
    >>> positive.check(tensor([1.0, 0.0]))
    tensor([ True, False])
    """

    is_discrete: bool = False
    event_dim: int = 0

    def check(self, value: Tensor) -> Tensor:
        """Return a bool for each event: whether it is in the region."""
        raise UnsupportedError(f"{type(self).__name__}.check: the class has no rule; define check in it")

    def __repr__(self) -> str:
        bounds = ", ".join(f"{name}={value}" for name, value in vars(self).items() if name not in vars(Constraint))
        name = type(self).__name__.removeprefix("_")
        if name[0].islower():  # a constraint that programs call; PyTorch shows the class name
            name = "".join(word.capitalize() for word in name.split("_"))
        return f"{name}({bounds})"


class _Dependent(Constraint):
    """A region that depends on parameters and is available only from an instance of the distribution."""

    def __init__(self, *, is_discrete: bool = False, event_dim: int = 0):
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def __call__(self, *, is_discrete: bool = False, event_dim: int = 0) -> _Dependent:
        return _Dependent(is_discrete=is_discrete, event_dim=event_dim)

    def check(self, value: Tensor) -> Tensor:
        """Raise ValueError: the region is available only from an instance."""
        raise InvalidValueError("constraints.dependent: the region depends on parameters; use an instance's constraint")


class dependent_property(property, _Dependent):
    """A property that returns a constraint; on the class, it provides only `is_discrete` and `event_dim`.

    Arguments:
        fn: the getter, which returns the constraint of an instance. None if the decorator takes arguments, as in
            `@dependent_property(event_dim=1)`.
        is_discrete: whether the region contains only integers.
        event_dim: the number of trailing dimensions of an event.
    """

    if TYPE_CHECKING:

        def __get__(self, instance: object, owner: type | None = None, /) -> Constraint: ...  # type: ignore[override]

    def __init__(self, fn: Callable[[Any], Constraint] | None = None, *, is_discrete: bool = False, event_dim: int = 0):
        property.__init__(self, fn)
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def __call__(self, fn: Callable[[Any], Constraint]) -> dependent_property:  # type: ignore[override]  # it is a decorator
        return dependent_property(fn, is_discrete=self.is_discrete, event_dim=self.event_dim)


def is_dependent(constraint: object) -> bool:
    """Return whether the region is available only from instances."""
    return isinstance(constraint, _Dependent)

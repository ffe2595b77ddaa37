"""Versions of values: whether a saved value has changed since an operator saved it."""

from __future__ import annotations

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from .._adapters import adapter_of
from .._errors import MutationError
from .._value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn, TypeVar

    from .._graph.node import Node

    V = TypeVar("V")


def check_saved(node: Node, value: V, version: int, which: str = "a value") -> V:
    """A saved value, if it is unchanged.

    Rules in a hurry compare the versions themselves, and call `raise_mutated` when they differ.

    Arguments:
        node: the node that saved it.
        value: the value.
        version: the version it had then.
        which: what the error calls it.

    Raises:
        MutationError: its version is another one now.
    """
    if adapter_of(value).version(value) != version:
        raise_mutated(node, value, which)
    return value


def raise_mutated(node: Node, value: object, which: str = "a value") -> NoReturn:
    """Raise the error that says who saved `value`, and who changed it since.

    Arguments:
        node: the node that saved it.
        value: the value.
        which: what the error calls it.

    Raises:
        MutationError: always.
    """
    adapter = adapter_of(value)
    mutation = adapter.describe_mutation(value)
    name, forward = node.name(), node.where
    by = f" by {mutation}" if mutation else ""
    raise MutationError(
        f"backward of {name}: expected {which} ({adapter.describe(value)}) as {name} saved it at {forward}; it was "
        f"changed in place since{', last' if by else ''}{by}. Change a clone() instead, or use the operator's "
        "out-of-place form",
        operator=name,
        forward=forward,
        saved=which,
        mutation=mutation,
    )


@boundary
def increment_version(tensor: Value | Iterable[Value]) -> None:
    """Count a change of a value's memory, or of several, that something else than an operator has made.

    So a backward pass that needs the former elements says so, rather than computing with the new ones.

    Raises:
        TypeError: something else than values was given.
    """
    try:
        values = [tensor] if isinstance(tensor, Value) else list(tensor)
    except TypeError:
        raise InvalidTypeError(f"increment_version: expected values; got {type(tensor).__name__}") from None
    for value in values:
        if not isinstance(value, Value):
            raise InvalidTypeError(f"increment_version: expected values; got {type(value).__name__} among them")
    for value in values:
        adapter_of(value).increment_version(value)

"""Version checks: whether a saved value has changed since an operator saved it."""

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
    """Return a saved value if it is unchanged; otherwise raise MutationError.

    Performance-critical rules compare the versions themselves, and call `raise_mutated` if they differ.

    Arguments:
        node: the node that saved it.
        value: the value.
        version: its version when it was saved.
        which: its name in the error message.

    Raises:
        MutationError: its version has changed.
    """
    if adapter_of(value).version(value) != version:
        raise_mutated(node, value, which)
    return value


def raise_mutated(node: Node, value: object, which: str = "a value") -> NoReturn:
    """Raise an error that names the operator that saved `value`, and the last operator that changed it.

    Arguments:
        node: the node that saved it.
        value: the value.
        which: its name in the error message.

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
    """Count a change of the memory of one or several values that was not made by an operator.

    A backward pass that needs the former elements then raises an error instead of computing with the new ones.

    Raises:
        TypeError: an argument is not a value.
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

"""Saved values: whether they still are what they were when an operator saved them."""

from __future__ import annotations

from .._adapters import adapter_of
from .._errors import MutationError

TYPE_CHECKING = False
if TYPE_CHECKING:
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

"""Values in tuples, lists and dicts, and those again in others."""

from __future__ import annotations

from copy import copy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ._types import AnyValue


def flatten(tree: AnyValue) -> tuple[list[AnyValue], Callable[[Iterable[AnyValue]], AnyValue]]:
    """All that is in a tree and is no tuple, list or dict itself, and the function that builds such a tree of others.

    >>> leaves, rebuild = flatten({"a": [1, 2], "b": (3,)})
    >>> leaves, rebuild([4, 5, 6])
    ([1, 2, 3], {'a': [4, 5], 'b': (6,)})
    """
    leaves: list[AnyValue] = []
    _append_leaves(tree, leaves)
    return leaves, lambda others: _rebuild(tree, iter(others))


def _append_leaves(tree: AnyValue, leaves: list[AnyValue]) -> None:
    if isinstance(tree, dict):
        for part in tree.values():
            _append_leaves(part, leaves)
    elif isinstance(tree, (tuple, list)):
        for part in tree:
            _append_leaves(part, leaves)
    else:
        leaves.append(tree)


def _rebuild(tree: AnyValue, others: Iterator[AnyValue]) -> AnyValue:
    if isinstance(tree, dict):
        made = copy(tree)  # a defaultdict, say, cannot be made of its items alone
        made.update({key: _rebuild(part, others) for key, part in tree.items()})
        return made
    if isinstance(tree, (tuple, list)):
        parts = [_rebuild(part, others) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return next(others)


def leaves_like(tree: AnyValue, like: AnyValue) -> list[AnyValue] | None:
    """The leaves of a tree in the order of those of `like`; None where it is not built as `like` is."""
    if isinstance(like, dict):
        alike = isinstance(tree, dict) and tree.keys() == like.keys()
        parts = [(tree[key], like[key]) for key in like] if alike else None
    elif isinstance(like, (tuple, list)):
        alike = isinstance(tree, type(like)) and len(tree) == len(like)
        parts = list(zip(tree, like, strict=True)) if alike else None
    else:
        return None if isinstance(tree, (dict, tuple, list)) else [tree]
    leaves: list[AnyValue] = []
    for part, model in parts or ():
        found = leaves_like(part, model)
        if found is None:
            return None
        leaves += found
    return None if parts is None else leaves

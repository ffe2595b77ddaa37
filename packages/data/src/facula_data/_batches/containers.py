"""Nested containers: what kind of container a value is, and how one like it is made of other contents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy

from .._arrays import is_array
from .._types import Index, Sample


def is_sequence(value: object) -> bool:
    """Whether `value` is a sequence of contents; text is not, nor is an array that calls itself a sequence."""
    if isinstance(value, (list, tuple)):
        return True
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and not is_array(value)


def record_fields(value: object) -> tuple[str, ...] | None:
    """The names by which a namedtuple or a dataclass is built, or None for other values."""
    if isinstance(value, tuple):
        return getattr(value, "_fields", None)
    fields = getattr(type(value), "__dataclass_fields__", None)
    if fields is None:
        return None
    return tuple(name for name, field in fields.items() if field.init)


def like_record(example: object, contents: dict[str, Sample]) -> Sample:
    return type(example)(**contents)


def like_mapping(example: Mapping[Index, Sample], contents: dict[Index, Sample]) -> Mapping[Index, Sample]:
    """`contents` in a mapping of the example's type, if that can be made of a dict; a copy of a dict of a subclass.

    So a `defaultdict` keeps its factory, and subclasses their attributes.
    """
    cls = type(example)
    if cls is dict:
        return contents
    try:
        if isinstance(example, dict):
            made = copy(example)
            made.update(contents)
            return made
        return cls(contents)  # type: ignore[call-arg]
    except TypeError:
        return contents


def like_sequence(example: Sequence[object], contents: list[Sample]) -> Sequence[Sample]:
    """`contents` in a sequence of the example's type, if that can be made of a list; for a tuple a list, as PyTorch."""
    cls = type(example)
    if cls is list or isinstance(example, tuple):
        return contents
    try:
        return cls(contents)  # type: ignore[call-arg]
    except TypeError:
        return contents


def map_leaves(value: Sample, leaf: Callable[[Sample], Sample]) -> Sample:
    """The same nested containers with `leaf(content)` for each content that is no container."""
    if type(value) is list:
        return [map_leaves(item, leaf) for item in value]
    if is_array(value):
        return leaf(value)
    if isinstance(value, Mapping):
        return like_mapping(value, {key: map_leaves(item, leaf) for key, item in value.items()})
    fields = record_fields(value)
    if fields is not None:
        return like_record(value, {name: map_leaves(getattr(value, name), leaf) for name in fields})
    if is_sequence(value):
        return like_sequence(value, [map_leaves(item, leaf) for item in value])
    return leaf(value)

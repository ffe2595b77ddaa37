"""Nested containers: classify a value as a container, and rebuild a container with new contents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy

from .._arrays import is_array
from .._types import Index, Sample


def is_sequence(value: object) -> bool:
    """Return whether `value` is a sequence of contents: not text, nor an array that is registered as a sequence."""
    if isinstance(value, (list, tuple)):
        return True
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and not is_array(value)


def record_fields(value: object) -> tuple[str, ...] | None:
    """Return the constructor's field names of a namedtuple or dataclass, or None for other values."""
    if isinstance(value, tuple):
        return getattr(value, "_fields", None)
    fields = getattr(type(value), "__dataclass_fields__", None)
    if fields is None:
        return None
    return tuple(name for name, field in fields.items() if field.init)


def like_record(example: object, contents: dict[str, Sample]) -> Sample:
    return type(example)(**contents)


def like_mapping(example: Mapping[Index, Sample], contents: dict[Index, Sample]) -> Mapping[Index, Sample]:
    """Return `contents` in a mapping of the example's type if it accepts a dict, and a copy for subclasses of dict.

    The copy preserves the factory of a `defaultdict` and the attributes of subclasses.
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
    """Return `contents` in a sequence of the example's type if possible; a tuple becomes a list, as in PyTorch."""
    cls = type(example)
    if cls is list or isinstance(example, tuple):
        return contents
    try:
        return cls(contents)  # type: ignore[call-arg]
    except TypeError:
        return contents


def map_leaves(value: Sample, leaf: Callable[[Sample], Sample]) -> Sample:
    """Apply `leaf` to each content that is not itself a container, and keep the containers' structure."""
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

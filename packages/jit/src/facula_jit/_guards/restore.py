"""Restoring Python state to the values that guards expect."""

from __future__ import annotations

from gc import get_referrers
from typing import TYPE_CHECKING, Any

from facula_errors.extend import guarded
from facula_storage.extend.replay import ABSENT, ANY, CheckKind

from .._recording.tensor_guards import EXACT, first_failing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .._recording.tensor_guards import Check


def put_item(holder: dict[str, Any], name: str, value: Any) -> None:
    """Set an item of a dict of variables or attributes, or delete it if the value is ABSENT."""
    if "__module__" in holder:
        put_attribute(next(referrer for referrer in get_referrers(holder) if isinstance(referrer, type)), name, value)
    elif value is ABSENT:
        holder.pop(name, None)
    else:
        holder[name] = value


def put_attribute(owner: type, name: str, value: Any) -> None:
    """Set an attribute of a class, or delete it if the value is ABSENT."""
    setattr(owner, name, value) if value is not ABSENT else delattr(owner, name)


def _put_slot(holder: Any, descriptor: Any, value: Any) -> None:
    descriptor.__delete__(holder) if value is ABSENT else descriptor.__set__(holder, value)


def _put_entries(holder: Any, _: object, flat: tuple[Any, ...]) -> None:
    if not isinstance(holder, dict):
        holder.clear()
        (holder.update if isinstance(holder, set) else holder.extend)(flat)
        return
    pairs = list(zip(flat[::2], flat[1::2], strict=True))
    if "__module__" in holder:  # of a class
        for name, value in pairs:
            if value is not ANY and holder.get(name) is not value:
                put_item(holder, name, value)
        return
    entries = {name: holder[name] if value is ANY else value for name, value in pairs}
    holder.clear()
    holder.update(entries)


def _put_class(holder: Any, _: object, kind: type) -> None:
    holder.__class__ = kind


RESTORERS: dict[CheckKind, Callable[[Any, Any, Any], None]] = {
    CheckKind.SLOT: _put_slot,
    CheckKind.ITEM: put_item,
    CheckKind.ENTRIES: _put_entries,
    CheckKind.TYPE: _put_class,
}
RESTORERS |= {exact: RESTORERS[kind] for kind, exact in EXACT.items()}
"""Functions that restore the state that a check compares; checks of other kinds cannot be restored."""


def _slot_of(holder: Any, descriptor: Any) -> Any:
    try:
        return descriptor.__get__(holder)
    except (AttributeError, ValueError):
        return ABSENT


def _entries_of(holder: Any, _: object) -> tuple[Any, ...]:
    return tuple([part for pair in holder.items() for part in pair] if isinstance(holder, dict) else holder)


PRESENT: dict[CheckKind, Callable[[Any, Any], Any]] = {
    CheckKind.SLOT: _slot_of,
    CheckKind.ITEM: lambda holder, name: holder.get(name, ABSENT),
    CheckKind.ENTRIES: _entries_of,
    CheckKind.TYPE: lambda holder, _: type(holder),
}
PRESENT |= {exact: PRESENT[kind] for kind, exact in EXACT.items()}


@guarded
def as_read(checks: Sequence[Check]) -> Iterator[bool]:
    """Return a context manager that restores the state that these checks compare. It yields False if that is
    impossible.
    """
    failing = [check for check in checks if first_failing([check]) is not None]
    present: list[tuple[Check, Any]] = []
    try:
        try:
            for check in failing if all([check[0] in RESTORERS for check in failing]) else ():
                kind, holder, key, expected = check
                present.append((check, PRESENT[kind](holder, key)))
                RESTORERS[kind](holder, key, expected)
        except (AttributeError, TypeError, KeyError, StopIteration):  # read-only state
            pass
        yield first_failing(checks) is None
    finally:
        for (kind, holder, key, _), value in reversed(present):
            RESTORERS[kind](holder, key, value)

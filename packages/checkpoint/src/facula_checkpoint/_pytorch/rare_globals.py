"""Rows for rarely used classes of Python's library: dates, paths, namespaces, partial functions, numbers."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING, Any

from .plain_globals import container, expect, set_attributes
from .tables import Global, Marker, Value, refuse, shown

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_DIGITS = 1000  # of numbers written as text


def _decimal() -> Global:
    from decimal import Decimal

    return Global(Decimal, call=lambda text: Decimal(_checked_decimal(text)))


def _checked_decimal(text: Value) -> str:
    if type(text) is not str or len(text) > MAX_DIGITS or not re.fullmatch(r"[-+]?[\w.]+(?:[-+]\d+)?", text):
        refuse(f"its pickle has {shown(text)} for a decimal number")
    return text


def _fraction() -> Global:
    from fractions import Fraction

    return Global(Fraction, call=lambda *parts: Fraction(*_checked_fraction(*parts)))


def _checked_fraction(*parts: Value) -> tuple[Value, ...]:
    if len(parts) == 1 and type(parts[0]) is str and re.fullmatch(r"-?\d{1,1000}(?:/\d{1,1000})?", parts[0]):
        return parts
    if any(expect(part, int, "a part of a fraction").bit_length() > 4 * MAX_DIGITS for part in parts):
        refuse("its pickle has a fraction of large numbers")
    return parts


# Dates: their bytes are decoded here, because Python's constructor does not validate them
# ----------------------------------


def _raw(value: Value, count: int, what: str) -> bytes:
    if type(value) is str:
        value = value.encode("latin1")
    if type(value) is not bytes or len(value) != count:
        refuse(f"its pickle has {shown(value)} for a {what}")
    return value


def _zone(arguments: tuple[Value, ...]) -> tzinfo | None:
    (zone,) = arguments or (None,)
    return expect(zone, (timezone, type(None)), "a time zone")


def _date(raw: Value) -> date:
    raw = _raw(raw, 4, "date")
    return date(raw[0] * 256 + raw[1], raw[2], raw[3])


def _time(raw: Value, *zone: Value) -> time:
    raw = _raw(raw, 6, "time")
    micro = int.from_bytes(raw[3:], "big")
    return time(raw[0] & 127, raw[1], raw[2], micro, _zone(zone), fold=raw[0] >> 7)


def _datetime(raw: Value, *zone: Value) -> datetime:
    raw = _raw(raw, 10, "datetime")
    micro, month = int.from_bytes(raw[7:], "big"), raw[2] & 127
    year = raw[0] * 256 + raw[1]
    return datetime(year, month, raw[3], raw[4], raw[5], raw[6], micro, _zone(zone), fold=raw[2] >> 7)


def _timedelta(*parts: Value) -> timedelta:
    return timedelta(*[expect(part, int, "a part of a timedelta") for part in parts])


def _timezone(offset: Value, *name: Value) -> timezone:
    expect(offset, timedelta, "the offset of a time zone")
    return timezone(offset, *[expect(text, str, "a time zone's name") for text in name])


# Objects -------------------------------------------------------------------------------------------------------------


def _partial() -> Global:
    from functools import partial

    def call(function: Value) -> Value:
        return partial(_checked(function))

    def build(instance: Any, state: Value) -> None:
        function, arguments, keywords, names = expect(state, tuple, "a partial function")
        expect(arguments, tuple, "arguments")
        if names or not all(type(name) is str for name in expect(keywords, dict, "keywords")):
            refuse("its pickle has a partial function with attributes")
        instance.__setstate__((_checked(function), arguments, keywords, None))

    def _checked(function: Value) -> Value:
        if isinstance(function, (Marker, partial)) or not callable(function):  # C frees partials recursively
            refuse(f"its pickle has a partial function of {shown(function)}")
        return function

    return Global(partial, call=call, build=build)


def _namespace() -> Global:
    from argparse import Namespace

    return Global(Namespace, call=Namespace, new=Namespace, build=set_attributes)


def _simple_namespace() -> Global:
    from types import SimpleNamespace

    return Global(SimpleNamespace, call=container(SimpleNamespace), new=SimpleNamespace, build=set_attributes)


def _context(name: str) -> Global:
    import multiprocessing
    from multiprocessing import context

    method = name.removesuffix("Context").lower()
    return Global(getattr(context, name), new=lambda: multiprocessing.get_context(method))


def _paths(name: str) -> Global:
    import pathlib

    kind = {"PosixPath": pathlib.PosixPath, "WindowsPath": pathlib.PureWindowsPath}.get(name)
    kind = kind or getattr(pathlib, name)
    return Global(kind, call=lambda *parts: kind(*[expect(part, str, "a part of a path") for part in parts]))


# Created on demand, because most files do not need the modules of these classes.
RARE: dict[str, Callable[[], Global]] = {
    "datetime date": lambda: Global(date, call=_date),
    "datetime time": lambda: Global(time, call=_time),
    "datetime datetime": lambda: Global(datetime, call=_datetime),
    "datetime timedelta": lambda: Global(timedelta, call=_timedelta),
    "datetime timezone": lambda: Global(timezone, call=_timezone),
    "argparse Namespace": _namespace,
    "types SimpleNamespace": _simple_namespace,
    "functools partial": _partial,
    **{
        f"pathlib {name}": lambda name=name: _paths(name)  # type: ignore[misc]
        for name in ("PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath")
    },
    **{
        f"multiprocessing.context {name}": lambda name=name: _context(name)  # type: ignore[misc]
        for name in ("ForkContext", "ForkServerContext", "SpawnContext")
    },
    "decimal Decimal": _decimal,
    "fractions Fraction": _fraction,
}

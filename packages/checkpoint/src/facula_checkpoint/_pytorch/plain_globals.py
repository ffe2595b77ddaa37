"""Rows for classes of Python's library: containers, texts, numbers, dates, paths, namespaces and partial functions."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, defaultdict, deque
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING, Any

from .tables import Global, Marker, Value, refuse, shown

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_DIGITS = 1000  # of numbers that are written as text
_LATIN = ("latin1", "latin-1")


def expect(value: Value, kind: type | tuple[type, ...], what: str) -> Value:
    """`value` if it is of exactly one of these types."""
    if type(value) not in (kind if isinstance(kind, tuple) else (kind,)):
        refuse(f"its pickle has {shown(value)} for {what}")
    return value


def is_settable(kind: type, name: Value) -> bool:
    """Whether a file may set an attribute of instances of a class.

    It may not hide a method or property, nor set what Python and NumPy look up between double underscores: an
    `__array_interface__` has an address, which `numpy.asarray` reads.
    """
    if type(name) is not str or (name.startswith("__") and name.endswith("__")):
        return False
    given = getattr(kind, name, None)
    return not callable(given) and not hasattr(type(given), "__set__")


def attributes(kind: type, state: Value) -> dict[str, Value]:
    """A state that is a dict of attributes which files may set."""
    if state is None:
        return {}
    for name in expect(state, (dict, OrderedDict), f"the attributes of a {kind.__name__}"):
        if not is_settable(kind, name):
            refuse(f"its pickle sets the attribute {shown(name)} of a {kind.__name__}, which files may not set")
    return state  # type: ignore[no-any-return]


def set_attributes(instance: Any, state: Value) -> None:
    """Set attributes that files may set."""
    vars(instance).update(attributes(type(instance), state))


def _container(kind: Callable[..., Value], *taken: type) -> Callable[..., Value]:
    """A call of `kind` with nothing, or with one value of the types `taken`."""

    def made(*arguments: Value) -> Value:
        if len(arguments) > 1:
            refuse(f"its pickle calls {kind} with {len(arguments)} arguments")
        return kind(*[expect(one, taken, f"an argument of {kind}") for one in arguments])

    return made


def _members(*arguments: Value) -> list[Value]:
    return [one for values in arguments for one in expect(values, (list, tuple, set, frozenset), "members")]


def _pairs(*arguments: Value) -> list[Value]:
    """The pairs of an OrderedDict, as Python 2 writes it, or of a Counter, which is made of a dict."""
    (given,) = arguments or ([],)
    return list(given.items() if type(given) in (dict, OrderedDict) else expect(given, (list, tuple), "pairs"))


def _keys(*arguments: Value) -> list[Value]:
    return [key for key, _ in _pairs(*arguments)]


def _defaultdict(*arguments: Value) -> Value:
    factory = arguments[0] if arguments else None
    if len(arguments) > 1 or isinstance(factory, Marker) or not (factory is None or callable(factory)):
        refuse(f"its pickle has a defaultdict that calls {shown(factory)}")
    return defaultdict(factory)


def _deque(*arguments: Value) -> Value:
    values, *limit = arguments or ((),)
    return deque(expect(values, (tuple, list), "values of a deque"), *[expect(one, int, "a length") for one in limit])


def _encoded(text: Value, encoding: Value = "utf-8") -> bytes:
    if type(text) is not str or encoding not in _LATIN:
        refuse("its pickle encodes something other than bytes")
    return text.encode("latin1")


def _bytearray(*arguments: Value) -> bytearray:
    if len(arguments) == 2:
        return bytearray(_encoded(*arguments))
    return _container(bytearray, bytes, bytearray)(*arguments)


def _complex(real: Value, imaginary: Value) -> complex:
    return complex(expect(real, float, "a real part"), expect(imaginary, float, "an imaginary part"))


def _of_integers(kind: Callable[..., Value]) -> Callable[..., Value]:
    return lambda *ends: kind(*[expect(one, (int, type(None)), f"an end of a {kind}") for one in ends])


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
    if any(expect(one, int, "a part of a fraction").bit_length() > 4 * MAX_DIGITS for one in parts):
        refuse("its pickle has a fraction of large numbers")
    return parts


# Dates: their bytes are taken apart here, since Python's constructor believes them ------------------------------------


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
    return timedelta(*[expect(one, int, "a part of a timedelta") for one in parts])


def _timezone(offset: Value, *name: Value) -> timezone:
    expect(offset, timedelta, "the offset of a time zone")
    return timezone(offset, *[expect(one, str, "a time zone's name") for one in name])


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

    return Global(SimpleNamespace, call=_container(SimpleNamespace), new=SimpleNamespace, build=set_attributes)


def _context(name: str) -> Global:
    import multiprocessing
    from multiprocessing import context

    method = name.removesuffix("Context").lower()
    return Global(getattr(context, name), new=lambda: multiprocessing.get_context(method))


def _paths(name: str) -> Global:
    import pathlib

    kind = {"PosixPath": pathlib.PosixPath, "WindowsPath": pathlib.PureWindowsPath}.get(name)
    kind = kind or getattr(pathlib, name)
    return Global(kind, call=lambda *parts: kind(*[expect(one, str, "a part of a path") for one in parts]))


def _values(*values: type) -> dict[str, Global]:
    return {f"builtins {value.__name__}": Global(value) for value in values}


_ordered = Global(
    OrderedDict,
    call=lambda *pairs: OrderedDict(_pairs(*pairs)),
    new=_container(OrderedDict),
    build=set_attributes,
    hashed=_keys,
)

PLAIN: dict[str, Global] = {
    **_values(int, float, str, bool, list, dict, tuple, object, type),
    "builtins bytes": Global(bytes, call=_container(bytes, bytes)),
    "builtins set": Global(set, call=set, hashed=_members),
    "builtins frozenset": Global(frozenset, call=frozenset, hashed=_members),
    "builtins bytearray": Global(bytearray, call=_bytearray),
    "builtins complex": Global(complex, call=_complex),
    "builtins slice": Global(slice, call=_of_integers(slice)),
    "builtins range": Global(range, call=_of_integers(range)),
    "builtins Ellipsis": Global(...),
    "builtins NotImplemented": Global(NotImplemented),
    "builtins NoneType": Global(type(None)),
    "_codecs encode": Global(Marker("_codecs.encode"), call=_encoded),
    "collections OrderedDict": _ordered,
    "collections defaultdict": Global(defaultdict, call=_defaultdict),
    "collections Counter": Global(
        Counter, call=lambda *counts: Counter(dict(_pairs(*counts))), new=_container(Counter), hashed=_keys
    ),
    "collections deque": Global(deque, call=_deque),
    "datetime date": Global(date, call=_date),
    "datetime time": Global(time, call=_time),
    "datetime datetime": Global(datetime, call=_datetime),
    "datetime timedelta": Global(timedelta, call=_timedelta),
    "datetime timezone": Global(timezone, call=_timezone),
}

# Made when a file asks for them, as their modules are not loaded for all others.
RARE: dict[str, Callable[[], Global]] = {
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

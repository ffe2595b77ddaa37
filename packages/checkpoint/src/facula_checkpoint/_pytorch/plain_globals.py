"""Rows for Python's own classes that most files use: containers, strings, numbers."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from typing import TYPE_CHECKING, Any

from .tables import Global, Marker, Value, refuse, shown

if TYPE_CHECKING:
    from collections.abc import Callable

_LATIN = ("latin1", "latin-1")


def expect(value: Value, kind: type | tuple[type, ...], what: str) -> Value:
    """Return `value` if its type is exactly one of these."""
    if type(value) not in (kind if isinstance(kind, tuple) else (kind,)):
        refuse(f"its pickle has {shown(value)} for {what}")
    return value


def is_settable(kind: type, name: Value) -> bool:
    """Return whether a file may set an attribute on instances of a class.

    It may not hide a method or property, nor set special names that Python and NumPy look up: an `__array_interface__`
    contains an address, which `numpy.asarray` reads.
    """
    if type(name) is not str or (name.startswith("__") and name.endswith("__")):
        return False
    given = getattr(kind, name, None)
    return not callable(given) and not hasattr(type(given), "__set__")


def attributes(kind: type, state: Value) -> dict[str, Value]:
    """Return a state that is a dict of attributes which files may set."""
    if state is None:
        return {}
    for name in expect(state, (dict, OrderedDict), f"the attributes of a {kind.__name__}"):
        if not is_settable(kind, name):
            refuse(f"its pickle sets the attribute {shown(name)} of a {kind.__name__}, which files may not set")
    return state  # type: ignore[no-any-return]


def set_attributes(instance: Any, state: Value) -> None:
    """Set attributes that files may set."""
    vars(instance).update(attributes(type(instance), state))


def container(kind: Callable[..., Value], *taken: type) -> Callable[..., Value]:
    """Return a function that calls `kind` with no argument, or with one argument of the types `taken`."""

    def made(*arguments: Value) -> Value:
        if len(arguments) > 1:
            refuse(f"its pickle calls {kind} with {len(arguments)} arguments")
        return kind(*[expect(argument, taken, f"an argument of {kind}") for argument in arguments])

    return made


def _members(*arguments: Value) -> list[Value]:
    return [member for values in arguments for member in expect(values, (list, tuple, set, frozenset), "members")]


def _pairs(*arguments: Value) -> list[Value]:
    """Return the pairs of an OrderedDict, as pickled by Python 2, or of a Counter, which is created from a dict."""
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
    return deque(
        expect(values, (tuple, list), "values of a deque"), *[expect(length, int, "a length") for length in limit]
    )


def _encoded(text: Value, encoding: Value = "utf-8") -> bytes:
    if type(text) is not str or encoding not in _LATIN:
        refuse("its pickle encodes something other than bytes")
    return text.encode("latin1")


def _bytearray(*arguments: Value) -> bytearray:
    if len(arguments) == 2:
        return bytearray(_encoded(*arguments))
    return container(bytearray, bytes, bytearray)(*arguments)


def _complex(real: Value, imaginary: Value) -> complex:
    return complex(expect(real, float, "a real part"), expect(imaginary, float, "an imaginary part"))


def _of_integers(kind: Callable[..., Value]) -> Callable[..., Value]:
    return lambda *ends: kind(*[expect(end, (int, type(None)), f"an end of a {kind}") for end in ends])


def _values(*values: type) -> dict[str, Global]:
    return {f"builtins {value.__name__}": Global(value) for value in values}


_ordered = Global(
    OrderedDict,
    call=lambda *pairs: OrderedDict(_pairs(*pairs)),
    new=container(OrderedDict),
    build=set_attributes,
    hashed=_keys,
)

PLAIN: dict[str, Global] = {
    **_values(int, float, str, bool, list, dict, tuple, object, type),
    "builtins bytes": Global(bytes, call=container(bytes, bytes)),
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
        Counter, call=lambda *counts: Counter(dict(_pairs(*counts))), new=container(Counter), hashed=_keys
    ),
    "collections deque": Global(deque, call=_deque),
}

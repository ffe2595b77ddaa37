"""Nested containers as JSON: tensors are represented by name, everything else by value.

Note [Structure]
~~~~~~~~~~~~~~~~
``{"version": 1, "root": VALUE}``. JSON's null, booleans, strings, numbers and arrays represent None, bool, str, int,
float and list. An object has one member, whose name is the type: ``{"tensor": name}``, ``{"array": name}`` (of NumPy),
``{"array": [name, "uint16"]}`` (elements stored as another type of their size), ``{"tuple": [...]}``, ``{"dict": [[key,
VALUE], ...]}``, ``{"ordered": [...]}`` (OrderedDict), ``{"float": "nan" | "inf" | "-inf"}``, ``{"int": "0x..."}``
(beyond 64 bits), ``{"complex": [VALUE, VALUE]}``. Containers contain no references. There are at most `MAX_CONTAINERS`
containers and `MAX_VALUES` values, counted before the text is parsed, so that a small text cannot become a large
object.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError

from ._arrays import STORED_AS, array_parts, is_array, plain_scalar, to_array
from ._errors import CheckpointError
from ._header import METADATA, parse_json
from ._parts import Parts, Place, check_parts, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# A saved or loaded value, or the JSON that describes it.
Value: TypeAlias = Any

VERSION = 1
MAX_DEPTH = 100  # nested containers
# arrays and objects of the JSON: an empty list takes two characters, and 64 bytes in memory
MAX_CONTAINERS = 1_000_000
MAX_VALUES = 10_000_000
_KEYS = "str, int, float, complex, bool, None or tuples of these"


class Malformed(FaculaError):
    """A structure that `encode_structure` cannot have written; its `str` is the reason."""


def encode_structure(
    value: object, to_parts: Callable[[Value], Parts | None], default: Callable[[Value], object] | None
) -> tuple[str, dict[str, Parts]]:
    """Encode the structure of `value` as JSON, and return it with its tensors by name.

    `to_parts` returns a tensor's parts, and None for other objects. `default` converts a value that is neither a tensor
    nor listed in Note [Structure]; if its result is not supported either, TypeError is raised. ValueError is raised for
    containers that are nested too deeply or contain themselves. Both errors name the path.
    """
    encoder = _Encoder(to_parts, default)
    root = encoder.value(value, ())
    text = json.dumps({"version": VERSION, "root": root}, separators=(",", ":"), allow_nan=False)
    excess = _excess(text)
    if excess:
        raise InvalidValueError(f"save: expected an object of {excess}; keep many numbers in tensors")
    return text, encoder.tensors


def _excess(text: str) -> str | None:
    """Return the limit that a JSON text exceeds, or None."""
    for most, marks, what in ((MAX_CONTAINERS, "[{", "containers"), (MAX_VALUES, ",", "values")):
        if sum(map(text.count, marks)) > most:  # possibly in strings
            bare = re.sub(r'"[^"\\]*(?:\\.[^"\\]*)*"', "", text)
            if sum(map(bare.count, marks)) > most:
                return f"at most {most:,} {what}"
    return None


def _where(path: tuple[object, ...]) -> str:
    return "the object" + "".join([f"[{_shown(step)}]" for step in path])


def _shown(key: object) -> str:
    try:
        return repr(key)[:200]
    except ValueError:  # Python rejects the conversion of integers of thousands of digits
        return "a large integer"


class _Encoder:
    def __init__(self, to_parts: Callable[[Value], Parts | None], default: Callable[[Value], object] | None) -> None:
        self.to_parts, self.default = to_parts, default
        self.tensors: dict[str, Parts] = {}
        self.names: dict[Place, str] = {}

    def value(self, value: Value, path: tuple[object, ...]) -> Value:
        described = self.leaf(value, path)
        if described is _NO_LEAF and type(value) not in _CONTAINERS and self.default is not None:
            value = self.default(value)
            described = self.leaf(value, path)
        if described is not _NO_LEAF:
            return described
        kind = type(value)
        if kind not in _CONTAINERS:
            remedy = "save its state_dict()" if hasattr(value, "state_dict") else "convert it to one of these"
            raise InvalidTypeError(
                f"save: {_where(path)} is a {kind.__module__}.{kind.__qualname__}; expected a tensor, dict, "
                f"OrderedDict, list, tuple, str, int, float, complex, bool, None or NumPy array; {remedy}"
            )
        if len(path) >= MAX_DEPTH:
            raise InvalidValueError(
                f"save: {_where(path[:3])}... is nested more than {MAX_DEPTH} containers deep; expected one that does "
                "not contain itself; flatten it"
            )
        if kind is list or kind is tuple:
            members = [self.value(member, (*path, place)) for place, member in enumerate(value)]
            return members if kind is list else {"tuple": members}
        pairs = [[_key(key, path), self.value(member, (*path, key))] for key, member in value.items()]
        return {"dict" if kind is dict else "ordered": pairs}

    def leaf(self, value: Value, path: tuple[object, ...]) -> Value:
        """Return the JSON for a tensor, an array or a plain value; `_NO_LEAF` for other values."""
        if value is not None and type(value) not in _SCALARS:
            value = plain_scalar(value)
        if value is None or type(value) in _SCALARS:
            return _scalar(value)
        parts = self.to_parts(value)
        if parts is not None:
            return {"tensor": self.tensor(check_parts(parts, "save", _where(path)), path)}
        if not is_array(value):
            return _NO_LEAF
        return {"array": self.tensor(array_parts(value, "save", _where(path)), path)}

    def tensor(self, parts: Parts, path: tuple[object, ...]) -> str:
        """Return the name under which a tensor is stored: its path, made unique."""
        place = place_of(parts)
        if parts[1].numel and place in self.names:
            return self.names[place]
        plain = (
            ".".join([step if type(step) is str else _shown(step) for step in path]).encode(errors="replace").decode()
            or "tensor"
        )
        name, number = plain, 1
        while name in self.tensors or name == METADATA:
            number += 1
            name = f"{plain}#{number}"
        self.tensors[name] = parts
        self.names[place] = name
        return name


_NO_LEAF = object()
_SCALARS = frozenset({bool, str, int, float, complex})
_CONTAINERS = frozenset({dict, OrderedDict, list, tuple})


def _scalar(value: Value) -> Value:
    kind = type(value)
    if kind is int and not -(1 << 63) <= value < 1 << 63:
        return {"int": hex(value)}
    if kind is float and not isfinite(value):
        return {"float": repr(value)}
    if kind is complex:
        return {"complex": [_scalar(value.real), _scalar(value.imag)]}
    return value


def _key(key: object, path: tuple[object, ...], depth: int = 0) -> Value:
    key = plain_scalar(key)
    if key is None or type(key) in _SCALARS:
        return _scalar(key)
    if type(key) is tuple and depth < MAX_DEPTH:
        return {"tuple": [_key(member, path, depth + 1) for member in key]}
    raise InvalidTypeError(f"save: {_where(path)} has the key {_shown(key)}; expected keys of {_KEYS}")


# Decoding ------------------------------------------------------------------------------------------------------------


class _Names:
    """The tensors and arrays that a structure refers to, collected during validation."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        self.arrays: set[tuple[str, str]] = set()

    def tensor(self, name: str) -> None:
        self.used.add(name)

    def array(self, name: str, dtype: str) -> None:
        self.used.add(name)
        self.arrays.add((name, dtype))


class _Made:
    """The factory for the tensors and arrays of a validated structure."""

    def __init__(self, tensors: Mapping[str, Parts], make: Callable[[Parts], object]) -> None:
        self.tensors, self.make = tensors, make

    def tensor(self, name: str) -> object:
        return self.make(self.tensors[name])

    def array(self, name: str, dtype: str) -> object:
        return to_array(self.tensors[name], dtype)


def decode_structure(path: str, text: str, tensors: Mapping[str, Parts], make: Callable[[Parts], object]) -> object:
    """Build the object that `text` describes, with `make(parts)` for tensors and NumPy arrays for arrays.

    Raises CheckpointError, which names `path`, before the first call of `make`, unless the text is valid and its
    tensors are exactly those of `tensors`.
    """
    try:
        return _decoded(path, text, tensors, make)
    except Malformed as error:
        reason = f"its structure does not fit: {error}; read its tensors by name with facula_checkpoint.load_file"
        raise CheckpointError(path, reason) from None


def _decoded(path: str, text: str, tensors: Mapping[str, Parts], make: Callable[[Parts], object]) -> object:
    excess = _excess(text)
    if excess:
        raise Malformed(f"it is large; expected {excess}")
    described = parse_json(path, "its structure", text)
    if type(described) is not dict or "version" not in described:
        raise Malformed("it has no version")
    if type(described["version"]) is not int or described["version"] != VERSION:
        raise Malformed(f"it is of version {described['version']!r:.50}, this package reads {VERSION}; update it")
    if described.keys() != {"version", "root"}:
        raise Malformed("it is not a version and a root")
    names = _Names()
    _value(described["root"], names, 0)
    missing, unused = names.used.difference(tensors), set(tensors) - names.used
    if missing or unused:
        raise Malformed(
            f"it names {len(missing)} tensor(s) that the file lacks ({_some(missing)}), and {len(unused)} of the file "
            f"are not in it ({_some(unused)}): another program changed the file"
        )
    for name, dtype in names.arrays:
        stored = tensors[name][1].dtype
        if stored.numpy is None or (dtype and stored.name != STORED_AS[dtype]):
            raise Malformed(
                f"tensor {name!r:.100} is {stored.name}, of which no array of {dtype or 'NumPy'} can be made"
            )
    return _value(described["root"], _Made(tensors, make), 0)


def _some(names: set[str]) -> str:
    return f"{', '.join(sorted(names)[:3]):.200}" or "none"


def _value(value: object, leaves: _Names | _Made, depth: int) -> Value:
    if depth > MAX_DEPTH:
        raise Malformed(f"it is nested more than {MAX_DEPTH} containers deep")
    if type(value) is list:
        return [_value(member, leaves, depth + 1) for member in value]
    if type(value) is not dict:
        return value
    if len(value) != 1:
        raise Malformed(f"an object has {len(value)} members; expected one")
    ((tag, content),) = value.items()
    if tag in ("dict", "ordered"):
        return _mapping(OrderedDict() if tag == "ordered" else {}, content, leaves, depth)
    if tag == "tuple" and type(content) is list:
        return tuple([_value(member, leaves, depth + 1) for member in content])
    if tag == "tensor" and type(content) is str:
        return leaves.tensor(content)
    if tag == "array":
        name, dtype = content if type(content) is list and len(content) == 2 else (content, "")
        if type(name) is str and type(dtype) is str and (dtype in STORED_AS or content is name):
            return leaves.array(name, dtype)
    if tag == "float" and content in ("nan", "inf", "-inf"):
        return float(content)
    if tag == "int" and type(content) is str:
        try:
            return int(content, 16)
        except ValueError:
            pass
    if tag == "complex" and type(content) is list and len(content) == 2:
        real, imaginary = (_value(part, leaves, depth + 1) for part in content)
        if type(real) is float and type(imaginary) is float:
            return complex(real, imaginary)
    raise Malformed(f"{tag!r:.100} with {content!r:.100} is unknown")


def _mapping(made: dict[Value, Value], pairs: object, leaves: _Names | _Made, depth: int) -> dict[Value, Value]:
    if type(pairs) is not list or not all(type(pair) is list and len(pair) == 2 for pair in pairs):
        raise Malformed("a dict is not a list of pairs")
    for key_text, member in pairs:
        key = _value(key_text, _NoKey(), depth + 1)
        try:
            if key in made:
                raise Malformed(f"a dict has the key {_shown(key)} twice")
        except TypeError:
            raise Malformed(f"a dict has the key {_shown(key)}; expected {_KEYS}") from None
        made[key] = _value(member, leaves, depth + 1)
    return made


class _NoKey(_Names):
    """Rejects tensors as keys."""

    def tensor(self, name: str) -> None:
        raise Malformed(f"a dict has the tensor {name!r:.100} as a key; expected {_KEYS}")

    def array(self, name: str, dtype: str) -> None:
        self.tensor(name)

"""Signatures as data: the required arguments of a loaded graph."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import Any

from facula_tensor import Tensor

from .._recording.signature import bracketed
from . import json_values
from .batch_sizes import SIZE
from .errors import SaveError

CONTAINERS = {tuple: "tuple", list: "list", dict: "dict", OrderedDict: "dict", defaultdict: "dict"}
PLAIN = {type(None): "none", bool: "bool", int: "int", float: "float", str: "str"}


def as_data(key: Any) -> list[Any]:
    """Return the arguments that a signature's key represents; raise SaveError for those that files cannot contain."""
    return [[part[0], _part(part[1])] if type(part) is tuple and type(part[0]) is str else [None, _part(part)]
            for part in key[0]]  # fmt: skip


def _part(part: Any) -> Any:
    if type(part) is not tuple:
        raise SaveError(
            "save: an argument is an object that is neither a tensor nor plain data; let the function close over it"
        )
    kind, *rest = part
    if not isinstance(kind, type):
        raise SaveError("save: two arguments contain the same list, dict or dataclass; pass separate ones")
    if kind is Tensor:
        dtype, shape, strides, wants, *_ = rest
        return {"tensor": json_values.layout(json_values.layout_of(shape, strides, dtype)), "gradient": wants}
    if kind in CONTAINERS:
        name = CONTAINERS[kind]
        if kind is defaultdict:
            rest.pop()  # the factory of missing values
        return {name: [[_part(pair[0]), _part(pair[1])] for pair in rest] if name == "dict" else list(map(_part, rest))}
    if kind in PLAIN:
        return {"value": [PLAIN[kind], rest[0]]}
    raise SaveError(f"save: an argument has a {kind.__name__}; files hold tensors, plain data, tuples, lists and dicts")


def size_of(stored: Any, given: Any) -> int | None:
    """Return the batch size for which a call matches, 0 if it matches for all sizes, None if it does not match.

    The strides of a tensor that must be contiguous are ignored, since it can be copied.
    """
    found: set[int] = set()
    return max(found, default=0) if _fits(stored, given, found) and len(found) < 2 else None


def _fits(stored: Any, given: Any, found: set[int]) -> bool:
    if type(stored) is dict and stored.keys() == {SIZE}:
        factor, more = stored[SIZE]
        if type(given) is not int or given < more or (given - more) % factor:
            return False
        found.add((given - more) // factor)
        return True
    if type(stored) is dict and "tensor" in stored:
        if type(given) is not dict or "tensor" not in given:
            return False
        (dtype, shape, strides), (other, lengths, steps) = stored["tensor"], given["tensor"]
        return dtype == other and _fits(shape, lengths, found) and (strides is None or _fits(strides, steps, found))
    if type(stored) is not type(given):
        return False
    if type(stored) is list:
        return len(stored) == len(given) and all([_fits(a, b, found) for a, b in zip(stored, given, strict=True)])
    if type(stored) is dict:
        return stored.keys() == given.keys() and all([_fits(stored[key], given[key], found) for key in stored])
    return bool(stored == given)


def tensors_of(stored: Any) -> list[Any]:
    """Return the tensors among stored arguments, in order."""
    if type(stored) is list:
        return [tensor for part in stored for tensor in tensors_of(part)]
    if type(stored) is not dict:
        return []
    return [stored] if "tensor" in stored else [tensor for part in stored.values() for tensor in tensors_of(part)]


def words(stored: Any) -> str:
    """Return stored arguments in the notation of a call: (float32 (n, 16), int64 (n,))."""
    return f"({', '.join([_word(part) if name is None else f'{name}={_word(part)}' for name, part in stored])})"


def _word(part: Any) -> str:
    if "tensor" in part:
        dtype, shape, _ = part["tensor"]
        sizes = [_size_word(extent) for extent in shape]
        return f"{dtype} ({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"
    if "value" in part:
        kind, value = part["value"]
        return (value if kind == "float" else repr(value))[:40]
    ((kind, inner),) = part.items()
    if kind == "dict":
        return bracketed(dict, [f"{_word(key)}: {_word(entry)}" for key, entry in inner])
    return bracketed(list if kind == "list" else tuple, list(map(_word, inner)))


def _size_word(size: Any) -> str:
    if type(size) is not dict:
        return str(size)
    factor, more = size[SIZE]
    return ("n" if factor == 1 else f"{factor}n") + (f" + {more}" if more > 0 else f" - {-more}" if more else "")

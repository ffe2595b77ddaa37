"""A restricted unpickler for plain containers and NumPy arrays that executes no code from the pickle.

A pickle is a program. This reader provides only the few functions with which arrays and old bytes are pickled, each
replaced by a substitute that allocates no more than the file contains. Any other name is rejected. The replacements
are objects without attributes, so a pickle can neither call a class nor modify one.
"""

from __future__ import annotations

import pickle
from io import BytesIO
from typing import Any, NoReturn

import numpy as np

from facula_errors import CorruptFileError, FaculaError

from ._local_file import count_of

Value = Any  # the types in a pickle are known only after reading it
REMEDY = "read only files that you trust to be this dataset's"
KINDS = "biufc"


class Refused(FaculaError, ValueError):  # never leaves this module
    """A pickle that refers to more than arrays and containers."""


class _Pending:
    """An object available to a pickle's program: only calls and a state are supported."""

    __slots__ = ()

    def __call__(self, *arguments: Value) -> Value:
        raise Refused(f"calls {type(self).__name__.lstrip('_')}")

    def __setstate__(self, state: Value) -> None:
        raise Refused(f"changes {type(self).__name__.lstrip('_')}")


class _NdarrayClass(_Pending):
    __slots__ = ()


class _Encode(_Pending):
    """A replacement of `_codecs.encode`: bytes, as written by protocol 2."""

    __slots__ = ()

    def __call__(self, *arguments: Value) -> Value:
        text, encoding = arguments
        if type(text) is not str or encoding not in ("latin1", "latin-1"):
            raise Refused("encodes something other than bytes")
        return text.encode("latin1")


class _DTypeOf(_Pending):
    """A replacement of `numpy.dtype`; the state that follows contains the byte order."""

    __slots__ = ()

    def __call__(self, *arguments: Value) -> Value:
        code = arguments[0]
        if isinstance(code, bytes):
            code = code.decode("latin1")
        if type(code) is not str or len(code) > 4 or code[:1] not in KINDS or not code[1:].isdigit():
            raise Refused(f"has the dtype {code!r:.40}")
        return _DType(np.dtype(code))


class _DType(_Pending):
    __slots__ = ("dtype",)

    def __init__(self, dtype: np.dtype) -> None:
        self.dtype = dtype

    def __setstate__(self, state: Value) -> None:
        order: Value = state[1].decode("latin1") if isinstance(state[1], bytes) else state[1]
        if order not in ("<", ">", "|", "=") or any(part is not None for part in state[2:5]):
            raise Refused("has a dtype with fields")
        self.dtype = self.dtype.newbyteorder(order)


class _Reconstruct(_Pending):
    """A replacement of `numpy._core.multiarray._reconstruct`: an empty array; its contents follow as the state."""

    __slots__ = ()

    def __call__(self, *arguments: Value) -> Value:
        if not isinstance(arguments[0], _NdarrayClass):
            raise Refused("makes an array of another class")
        return _Array()


class _Array(_Pending):
    __slots__ = ("array",)

    def __init__(self) -> None:
        self.array: np.ndarray | None = None

    def __setstate__(self, state: Value) -> None:
        _, shape, dtype, fortran, data = state
        self.array = _checked(shape, dtype, bool(fortran), data)


class _Frombuffer(_Pending):
    """A replacement of `numpy._core.numeric._frombuffer`: an array, as written by protocol 5."""

    __slots__ = ()

    def __call__(self, *arguments: Value) -> Value:
        data, dtype, shape, order = arguments
        return _checked(shape, dtype, order == "F", data)


def _checked(shape: Value, dtype: Value, fortran: bool, data: Value) -> np.ndarray:
    """Return the array of exactly these bytes."""
    if isinstance(data, (str, bytearray)):  # Python 2 pickled bytes as text
        data = data.encode("latin1") if isinstance(data, str) else bytes(data)
    if not isinstance(dtype, _DType) or type(data) is not bytes or type(shape) is not tuple:
        raise Refused("has an array of elements other than numbers")
    if any(type(size) is not int or size < 0 for size in shape):
        raise Refused(f"has an array of the shape {shape!r:.60}")
    if count_of(shape) * dtype.dtype.itemsize != len(data):
        raise Refused(f"has {len(data)} bytes for an array {dtype.dtype} {shape}")
    return np.frombuffer(data, dtype.dtype).reshape(shape, order="F" if fortran else "C")


class _Scalar(_Pending):
    """A replacement of `numpy._core.multiarray.scalar`."""

    __slots__ = ()

    def __call__(self, *arguments: Value) -> Value:
        dtype, data = arguments
        data = data.encode("latin1") if isinstance(data, str) else data
        if not isinstance(dtype, _DType) or type(data) is not bytes or len(data) != dtype.dtype.itemsize:
            raise Refused("has a number that is none")
        return np.frombuffer(data, dtype.dtype)[0]


_ALLOWED: dict[tuple[str, str], type[_Pending]] = {
    ("_codecs", "encode"): _Encode,
    ("numpy", "ndarray"): _NdarrayClass,
    ("numpy", "dtype"): _DTypeOf,
}
for _home in ("numpy.core", "numpy._core"):
    _ALLOWED[f"{_home}.multiarray", "_reconstruct"] = _Reconstruct
    _ALLOWED[f"{_home}.multiarray", "scalar"] = _Scalar
    _ALLOWED[f"{_home}.numeric", "_frombuffer"] = _Frombuffer


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Value:
        found = _ALLOWED.get((module, name))
        if found is None:
            raise Refused(f"asks for {module}.{name}")
        return found()

    def persistent_load(self, identifier: object) -> NoReturn:
        raise Refused("refers to an object outside of the file")


def _finished(value: Value, depth: int = 0) -> Value:
    """Replace the placeholders in `value` by their arrays."""
    if depth > 8:
        raise Refused("has containers more than 8 deep")
    if isinstance(value, _Array) and value.array is not None:
        return value.array
    if isinstance(value, _Pending):
        raise Refused("has an unfinished array")
    if type(value) is dict:
        return {_finished(key, depth + 1): _finished(item, depth + 1) for key, item in value.items()}
    if type(value) in (list, tuple):
        if len(value) > 64 and all(type(item) in (int, str, bytes) for item in value):
            return value
        return type(value)(_finished(item, depth + 1) for item in value)
    return value


def unpickle(operation: str, path: str, data: bytes) -> Value:
    """Unpickle containers, text, numbers and NumPy arrays, also from Python 2.

    Raises:
        CorruptFileError: the data is not a pickle, is truncated, or refers to anything else.
    """
    stream = BytesIO(data)
    try:
        return _finished(_Unpickler(stream, encoding="latin1").load())
    except Refused as error:
        problem = f"expected a pickle of containers and NumPy arrays only; this one {error}"
    except Exception as error:  # pickle is documented to raise any exception
        problem = f"expected a complete pickle; {type(error).__name__}: {error!s:.200}"
    raise CorruptFileError(operation, path, f"byte {stream.tell()}", problem, REMEDY)

"""Rows for NumPy's scalars, strings, arrays and dtypes, which are rebuilt after validating all parts."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .plain_globals import expect
from .tables import Global, Marker, Value, refuse, shown

KINDS = "biufcSU"
_TEXTS = "SU"
MAX_DIMENSIONS = 32


def _dtype(code: Value, *flags: Value) -> np.dtype:
    """Return a new dtype of numbers or strings; its byte order is set later."""
    if type(code) is bytes:
        code = code.decode("latin1")
    if type(code) is not str or len(code) > 7 or code[:1] not in KINDS or not code[1:].isdecimal():
        refuse(f"its pickle has the NumPy dtype {shown(code)}; only numbers, bools and texts are loaded")
    return np.dtype(code, False, True)  # type: ignore[no-any-return, call-overload]


def _build_dtype(dtype: np.dtype, state: Value) -> None:
    state = expect(state, tuple, "the state of a NumPy dtype")
    order = state[1].decode("latin1") if type(state[1]) is bytes else state[1]
    if order not in ("<", ">", "|", "=") or any(part is not None for part in state[2:5]) or len(state) > 9:
        refuse("its pickle has a NumPy dtype with fields")
    if order == ">" and dtype.kind in _TEXTS:
        refuse("its pickle has a NumPy array of texts from a big-endian machine")
    if order == ">" and dtype.isnative:
        dtype.__setstate__((3, ">", None, None, None, -1, -1, 0))  # type: ignore[attr-defined]


def _numpy_scalar(dtype: Value, data: Value = b"") -> Any:
    return _elements((), dtype, data)[()]


def _elements(shape: Value, dtype: Value, data: Value) -> np.ndarray:
    """Return an array of exactly these bytes, in new memory."""
    if not isinstance(dtype, np.dtype) or dtype.kind not in KINDS or not dtype.itemsize:
        refuse("its pickle has a NumPy array of objects; only numbers, bools and texts are loaded")
    if type(data) is str:  # bytes from Python 2
        data = data.encode("latin1")
    expect(data, (bytes, bytearray), "the elements of a NumPy array")
    shape = (shape,) if type(shape) is int else expect(shape, tuple, "the shape of a NumPy array")
    if len(shape) > MAX_DIMENSIONS or any(type(size) is not int or size < 0 for size in shape):
        refuse(f"its pickle has a NumPy array of shape {shown(shape)}")
    if prod(shape) * dtype.itemsize != len(data) or prod(filter(None, shape)) >= 1 << 60:
        refuse(f"its pickle has {len(data)} bytes for a NumPy array of {dtype} and shape {shown(shape)}")
    return np.frombuffer(bytearray(data), dtype).reshape(shape)


def _reconstruct(kind: Value, *rest: Value) -> np.ndarray:
    if kind is not np.ndarray:
        refuse(f"its pickle has an array of {shown(kind)}; only numpy.ndarray is loaded")
    return np.empty(0, "b")


def _build_array(array: np.ndarray, state: Value) -> None:
    _, shape, dtype, fortran, data = expect(state, tuple, "the state of a NumPy array")
    if array.size:  # filled before: replacing its memory could invalidate views
        refuse("its pickle sets the state of a NumPy array twice")
    made = _elements(shape, dtype, data)
    array.__setstate__((1, made.shape, made.dtype, bool(fortran), made.tobytes()))  # type: ignore[arg-type]


def _from_buffer(data: Value, dtype: Value, shape: Value, order: Value, *axes: Value) -> np.ndarray:
    made = _elements(expect(shape, tuple, "the shape of a NumPy array"), dtype, data)
    return made.reshape(-1).reshape(made.shape, order="F" if order == "F" else "C")


NUMPY: dict[str, Global] = {
    "numpy ndarray": Global(np.ndarray),
    "numpy dtype": Global(np.dtype, call=_dtype, build=_build_dtype),
    "numpy._core.multiarray scalar": Global(Marker("numpy.scalar"), call=_numpy_scalar),
    "numpy._core.multiarray _reconstruct": Global(
        Marker("numpy._reconstruct"), call=_reconstruct, build=_build_array, instance=np.ndarray
    ),
    "numpy._core.numeric _frombuffer": Global(Marker("numpy._frombuffer"), call=_from_buffer),
    **{
        f"numpy {name}": Global(getattr(np, name))
        for name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                     "uint64", "bool", "bool_", "complex64", "complex128")
    },
}  # fmt: skip

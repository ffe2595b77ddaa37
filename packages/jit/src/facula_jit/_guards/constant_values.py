"""Tables of values that a captured function may read: immutable values, and C functions without state.

A value that is in none of these tables, and that guards cannot compare, breaks the capture.
"""

from __future__ import annotations

import operator
import sys
from _thread import RLock, allocate_lock
from threading import get_ident
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    EllipsisType,
    GenericAlias,
    GetSetDescriptorType,
    MethodDescriptorType,
    MethodWrapperType,
    NoneType,
    NotImplementedType,
    UnionType,
    WrapperDescriptorType,
)
from typing import Any

from facula_errors.extend import is_library_module
from facula_storage import Device, DType, Layout, Storage

HEAP, IMMUTABLE = 1 << 9, 1 << 8  # type flags
CONSTANTS = {
    object, NoneType, bool, int, float, complex, str, bytes, range, slice, EllipsisType, NotImplementedType, CodeType,
    GenericAlias, UnionType, DType, Device, Layout, Storage,
}  # fmt: skip
"""Types whose values are immutable, or whose changes affect replays as they affect eager calls."""

CONTAINERS = {object, list, tuple, dict, set, frozenset, bytearray, type, super, property, staticmethod, classmethod}
PURE: dict[str, str] = {
    "builtins": (
        "__build_class__ abs all any ascii bin bool builtin_function_or_method bytearray bytes callable chr "
        "classmethod code complex delattr dict dir divmod ellipsis enumerate filter float format frozenset function "
        "getattr hasattr hex int isinstance issubclass iter len list map max method min next NoneType object oct ord "
        "pow property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip"
    ),
    "sys": "intern getsizeof", "posix": "fspath _path_splitroot _path_splitroot_ex _path_normpath",
    "re": "Pattern", "array": "array _array_reconstructor",
    "operator": "*", "functools": "reduce partial cmp_to_key", "_functools": "reduce partial cmp_to_key",
    **dict.fromkeys(
        "math cmath _operator _abc _bisect _heapq _struct itertools _collections collections types _typing typing _sre "
        "_string _json unicodedata _stat".split(), "*",
    ),
}  # fmt: skip
"""C functions and types without state, by module; "*" for all functions of the module."""

NUMPY_STATE = frozenset(
    "empty empty_like fromfile load save savez savez_compressed savetxt loadtxt genfromtxt memmap frompyfunc vectorize "
    "seterr geterr seterrcall geterrcall errstate setbufsize getbufsize set_printoptions get_printoptions printoptions "
    "set_string_function test info show_config show_runtime nditer nested_iters flatiter put place putmask copyto "
    "fill_diagonal put_along_axis shares_memory may_share_memory datetime64".split()
)
"""NumPy functions that read or modify state other than their arguments."""

ALL_ATTRIBUTES = frozenset(("getattr", "setattr", "delattr", "hasattr", "vars", "dir", "attrgetter", "methodcaller"))
"""Functions by which a program reads attributes that no instruction names."""
ALL_BY_NAME = frozenset(
    "__dict__ __getattribute__ __getattr__ __getstate__ __reduce__ __reduce_ex__ __dir__ format format_map".split()
)
"""Attributes with the same effect."""

OPTIONS = frozenset(("param_groups", "get_last_lr", "get_lr", "get_rates_at"))
"""Attributes that expose the options of optimizers, so that other computations than steps may depend on them."""

COMPARING = frozenset("__eq__ __ne__ __contains__ index count remove".split())
"""Attributes that compare objects in C by all their contents, such as namespaces."""
WRITING = frozenset("__format__ __mod__ __repr__ __str__ format format_map".split())
"""Attributes that convert objects to text, which contains names of classes and functions."""
SHOWN = ("__name__", "__qualname__", "__module__")
WRITERS = ("repr", "str", "format", "ascii", "array2string", "array_repr", "array_str")

allowed: dict[int, Any] = {}  # arguments of `allow`, and the code of functions among them, by id


LOCKS = (type(allocate_lock()), RLock)  # used by modules of the standard library
OF_CALLERS = tuple([getattr(sys, name) for name in ("_getframemodulename",) if hasattr(sys, name)])
EXCEPTIONS = tuple([getattr(sys, name) for name in ("exc_info", "exception") if hasattr(sys, name)])
"""Functions that return the exception being handled, which may be the caller's."""

EFFECTS = (print, open, input)
"""Functions that are called for an effect outside of the process."""

COMPARING_IDENTITY = (operator.is_, operator.is_not)

SUPPORT_ONLY = (
    id,
    get_ident,
    *OF_CALLERS,
)  # modules of the standard library use them as keys; otherwise they differ from run to run


def is_numpy(module: Any) -> bool:
    """Return True for the name of a NumPy module, except its random generators."""
    return type(module) is str and module.partition(".")[0] == "numpy" and not module.startswith("numpy.random")


def is_pure(function: Any) -> bool:
    """Return True for a C function or type without state."""
    kind = type(function)
    if kind in (ClassMethodDescriptorType, MethodDescriptorType, WrapperDescriptorType, GetSetDescriptorType):
        owner = function.__objclass__
        return is_known_type(owner) or is_pure(owner)
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", None)
    if kind in (BuiltinFunctionType, MethodWrapperType):
        owner = getattr(function, "__self__", None)
        if isinstance(owner, type):  # a class method, as dict.fromkeys
            return is_known_type(owner)
    if module is None or is_library_module(module) or name == "":
        return module is not None and is_library_module(module)
    if is_numpy(module):
        return name not in NUMPY_STATE
    names = PURE.get(module)
    return names is not None and (names == "*" or name in names.split())


def is_known_type(kind: type) -> bool:
    """Return True if instances of a C type can be compared or are immutable."""
    if kind in CONSTANTS or issubclass(kind, BaseException):
        return True
    if kind.__module__ == "builtins":
        return kind in CONTAINERS
    return kind.__module__ in ("collections", "_collections", "typing", "types") or is_library_module(kind.__module__)


def is_struct_sequence(kind: type) -> bool:
    """Return True for a tuple type with field names defined in C, such as that of `sys.version_info`."""
    return issubclass(kind, tuple) and not is_python_class(kind) and hasattr(kind, "n_sequence_fields")


def is_constant(value: Any, kind: type) -> bool:
    """Return True for immutable values: numbers, strings, NumPy types, compiled patterns, forms of `typing`."""
    if kind in CONSTANTS or kind is GetSetDescriptorType or is_struct_sequence(kind):
        return True
    module = kind.__module__
    if kind.__name__ in ("_abc_data", "_tuplegetter") and module in ("_abc", "_collections", "collections"):
        return True
    if module in ("typing", "re", "operator") or is_numpy(module):
        numpy: Any = sys.modules.get("numpy")
        if is_numpy(module) and numpy is not None:
            if issubclass(kind, numpy.void):  # may share the memory of an array
                return False
            return issubclass(kind, (numpy.generic, numpy.dtype, numpy.ufunc, BuiltinFunctionType)) or (
                kind.__name__ in ("_ArrayFunctionDispatcher", "_NoValueType", "finfo", "iinfo")
                and getattr(value, "__name__", "") not in NUMPY_STATE
            )
        return True
    return False


def is_python_class(kind: type) -> bool:
    """Return True for a class written in Python: C types are static, immutable or have a `__new__` in C."""
    flags = kind.__flags__
    return bool(flags & HEAP) and not flags & IMMUTABLE and type(vars(kind).get("__new__")) is not BuiltinFunctionType


def has_known_bases(kind: type) -> bool:
    """Return True if instances of a class have no state in C except the contents of built-in containers."""
    return all([is_python_class(base) or is_known_type(base) for base in kind.__mro__])

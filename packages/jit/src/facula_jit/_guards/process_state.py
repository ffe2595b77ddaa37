"""State of the whole process that functions read without being given it: of NumPy, and of encodings."""

from __future__ import annotations

import warnings
from codecs import lookup_error
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

CALLS = frozenset(("call", "log"))
"""What NumPy may do about an error that runs code of the program's."""

ENCODING, ENCODERS = frozenset(("encode", "decode")), (str, bytes, bytearray)
"""Attributes and types by which a program encodes and decodes texts."""

_kept: tuple[Any, Any, tuple[Any, ...]] = (None, None, ())  # what NumPy's contexts contain, and the answer for that


def state_of_numpy() -> tuple[Any, ...]:
    """What NumPy does about errors, how it prints, and the filters of the warnings that it may give.

    >>> before = state_of_numpy()
    >>> with np.errstate(divide="raise"):
    ...     state_of_numpy() == before
    False
    >>> state_of_numpy() == before
    True
    """
    global _kept
    errors, options = _errors(), _options()
    if errors is not _kept[0] or options is not _kept[1]:
        answer = tuple(np.geterr().items()), np.geterrcall(), repr(np.get_printoptions())
        _kept = errors, options, answer
    return _kept[2], *warnings.filters


def calls_the_program() -> bool:
    """Whether NumPy calls a function of the program's about an error."""
    return np.geterrcall() is not None and not CALLS.isdisjoint(np.geterr().values())


def _contexts() -> tuple[Any, Any]:
    """Functions that give an object which is another one after each change."""
    try:
        from numpy._core._ufunc_config import _extobj_contextvar  # type: ignore[attr-defined]
        from numpy._core.printoptions import format_options
    except ImportError:  # of another version: never the same
        return object, object
    return _extobj_contextvar.get, format_options.get


_errors, _options = _contexts()


def error_handlers(names: Iterable[str]) -> dict[str, Callable[..., Any]]:
    """The functions that handle errors of encodings, by name; other names are left out."""
    found = {}
    for name in names:
        try:
            found[name] = lookup_error(name)
        except (LookupError, ValueError):  # ValueError: it contains what no name does
            continue
    return found

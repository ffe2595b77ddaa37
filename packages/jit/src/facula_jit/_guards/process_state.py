"""Process-wide state that functions read implicitly: settings of NumPy, and error handlers of encodings."""

from __future__ import annotations

import warnings
from codecs import lookup_error
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

CALLS = frozenset(("call", "log"))
"""Reactions of NumPy to errors that run code of the program."""

ENCODING, ENCODERS = frozenset(("encode", "decode")), (str, bytes, bytearray)
"""Attributes and types by which a program encodes and decodes texts."""

# the contents of NumPy's context variables, and the state computed from them
_kept: tuple[Any, Any, tuple[Any, ...]] = (None, None, ())


def state_of_numpy() -> tuple[Any, ...]:
    """Return NumPy's error handling and print options, and the filters of the warnings that it may issue.

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


def may_call_program() -> bool:
    """Return True if NumPy calls a function of the program on an error."""
    return np.geterrcall() is not None and not CALLS.isdisjoint(np.geterr().values())


def _contexts() -> tuple[Any, Any]:
    """Return functions that return a different object after each change of the settings."""
    try:
        from numpy._core._ufunc_config import _extobj_contextvar  # type: ignore[attr-defined]
        from numpy._core.printoptions import format_options
    except ImportError:  # a different version of NumPy: treat each state as changed
        return object, object
    return _extobj_contextvar.get, format_options.get


_errors, _options = _contexts()


def error_handlers(names: Iterable[str]) -> dict[str, Callable[..., Any]]:
    """Return the functions that handle errors of encodings, by name; unknown names are omitted."""
    found = {}
    for name in names:
        try:
            found[name] = lookup_error(name)
        except (LookupError, ValueError):  # ValueError: not a valid name
            continue
    return found

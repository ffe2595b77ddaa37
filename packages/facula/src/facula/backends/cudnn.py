"""Switches of cuDNN, which facula does not use. They keep their values but have no effect: results never vary."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from .._lookup.names import publish

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "allow_tf32", "benchmark", "benchmark_limit", "deterministic", "enabled", "flags", "is_acceptable", "is_available",
    "set_flags", "version",
]  # fmt: skip

enabled = True  # a switch without effect
benchmark = False  # a switch without effect
benchmark_limit: int | None = None  # a setting without effect
deterministic = False  # a switch without effect: results never vary
allow_tf32 = True  # a switch without effect

_SWITCHES = ("enabled", "benchmark", "benchmark_limit", "deterministic", "allow_tf32")


def is_available() -> bool:
    """Return whether cuDNN is available: False.

    >>> is_available()
    False
    """
    return False


def version() -> int | None:
    """Return cuDNN's version: None."""
    return None


def is_acceptable(tensor: object) -> bool:
    """Return whether cuDNN would compute with a tensor: False."""
    return False


def set_flags(
    _enabled: bool | None = None,
    _benchmark: bool | None = None,
    _benchmark_limit: int | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
    _fp32_precision: str = "none",
) -> tuple[bool, ...]:
    """Set the switches that are not None; return their previous values."""
    before = tuple(globals()[name] for name in _SWITCHES)
    given = (_enabled, _benchmark, _benchmark_limit, _deterministic, _allow_tf32)
    globals().update({name: value for name, value in zip(_SWITCHES, given, strict=True) if value is not None})
    return before


@contextmanager
def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int | None = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> Iterator[None]:
    """Context manager that sets the switches.

    Arguments:
        enabled, benchmark, benchmark_limit, deterministic, allow_tf32: the values of the switches inside the block;
            None leaves one unchanged.
        fp32_precision: ignored.

    >>> from facula.backends import cudnn
    >>> with cudnn.flags(deterministic=True):
    ...     cudnn.deterministic
    True
    >>> cudnn.deterministic
    False
    """
    before = set_flags(enabled, benchmark, benchmark_limit, deterministic, allow_tf32)
    try:
        yield
    finally:
        globals().update(zip(_SWITCHES, before, strict=True))


publish(__name__)

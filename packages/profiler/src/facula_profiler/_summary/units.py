"""Figures as text."""

from __future__ import annotations

TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns"))
PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def seconds(nanoseconds: float) -> str:
    """Return a time with three digits.

    >>> seconds(1234567), seconds(0), seconds(-42)
    ('1.23 ms', '0 ns', '-42 ns')
    """
    for unit, name in TIMES:
        if abs(nanoseconds) >= unit:
            return f"{_digits(nanoseconds / unit)} {name}"
    return "0 ns"


def amount(value: float, unit: str) -> str:
    """Return a number with a decimal prefix.

    >>> amount(118e9, "FLOP/s"), amount(12.0, "B"), amount(0, "B")
    ('118 GFLOP/s', '12 B', '0 B')
    """
    for factor, prefix in PREFIXES:
        if abs(value) >= factor:
            return f"{_digits(value / factor)} {prefix}{unit}"
    return f"{_digits(value)} {unit}"


def percent(share: float) -> str:
    """Return a share as a percentage.

    >>> percent(0.714), percent(0.004)
    ('71%', '0.4%')
    """
    return f"{100 * share:.0f}%" if share >= 0.01 or not share else f"{100 * share:.1f}%"


def _digits(value: float) -> str:
    text = f"{value:.3g}"
    return f"{value:.0f}" if "e" in text else text

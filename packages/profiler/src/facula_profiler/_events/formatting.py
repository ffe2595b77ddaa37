"""Numbers with units, as PyTorch's tables show them."""

from __future__ import annotations

UNITS = {"us": 1.0, "ms": 1e3, "s": 1e6}


def microseconds(value: float, unit: str | None = None) -> str:
    """Return a time with its unit, chosen by size if None.

    >>> microseconds(12.3456), microseconds(123456.0), microseconds(1e7)
    ('12.346us', '123.456ms', '10.000s')
    """
    unit = unit or ("s" if abs(value) >= 1e6 else "ms" if abs(value) >= 1e3 else "us")
    return f"{value / UNITS[unit]:.3f}{unit}"


def size(nbytes: int) -> str:
    """Return a number of bytes with its unit.

    >>> size(12), size(-3 << 10), size(5 << 30)
    ('12 B', '-3.00 KB', '5.00 GB')
    """
    for exponent, unit in ((40, "TB"), (30, "GB"), (20, "MB"), (10, "KB")):
        if abs(nbytes) >= 1 << exponent:
            return f"{nbytes / (1 << exponent):.2f} {unit}"
    return f"{nbytes} B"


def one_line(text: str) -> str:
    """Return a text whose line breaks and other invisible characters are escaped, for a row of a table.

    >>> one_line("a\\nb")
    'a\\\\nb'
    """
    return text if text.isprintable() else "".join([one if one.isprintable() else repr(one)[1:-1] for one in text])


def share(part: float, whole: float) -> str:
    """Return a part in percent."""
    return f"{100 * part / whole:.2f}%" if whole else "0.00%"

"""Settings from the environment and the machine. Read when an allocator is created, never at import."""

from __future__ import annotations

import os

from facula_errors import InvalidTypeError, InvalidValueError

_UNITS = {"": 1, "B": 1, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}
_CONTROL_GROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def setting_bytes(name: str) -> int | None:
    """Return the environment variable `name` in bytes (`4096`, `512MiB`, `4 GiB`), or None when unset or empty.

    Raises ValueError with the name of the variable and its value if the value is not a size.
    """
    text = os.environ.get(name, "").strip()
    return parsed_bytes(name, text) if text else None


def parsed_bytes(name: str, text: str) -> int:
    """Parse a text such as `512MiB` into bytes. Raises ValueError if the text is not a valid value for `name`."""
    number = text.rstrip("BbGgIiKkMmTt ")
    unit = _UNITS.get(text[len(number) :].strip().upper())
    if unit is None or not (number.isascii() and number.isdigit()):
        raise InvalidValueError(f"{name}: expected bytes, or a number with KiB, MiB, GiB or TiB; got {text!r}")
    return int(number) * unit


def checked_fraction(operation: str, fraction: object) -> float | None:
    """Check that `fraction` is a fraction of memory or None, and return it."""
    if fraction is None:
        return None
    if isinstance(fraction, bool) or not isinstance(fraction, int | float):
        raise InvalidTypeError(f"{operation}: expected fraction, a float or None; got {fraction!r:.60}")
    if not 0 < fraction <= 1:
        raise InvalidValueError(f"{operation}: expected 0 < fraction <= 1; got {fraction}")
    return fraction


def usable_memory() -> int:
    """Return the bytes that this process may use: the machine's memory, or its control group's limit if lower."""
    found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in _CONTROL_GROUP_LIMITS:
        try:
            # Read when the first tensor is allocated. Text mode would load a codec.
            with open(path, "rb") as file:
                found = min(found, int(file.read()))
        except (OSError, ValueError):  # the file is missing, or contains "max"
            continue
    return found


def available_memory() -> int:
    """Return the bytes that this process can still allocate, within its machine's and control group's memory."""
    found = usable_memory()
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    found = min(found, int(line.split()[1]) << 10)
        with open("/sys/fs/cgroup/memory.current", encoding="ascii") as file:
            found = min(found, usable_memory() - int(file.read()))
    except (OSError, ValueError):  # the file is missing
        pass
    return max(0, found)


def default_cache_limit() -> int:
    """Return a quarter of the usable memory: enough to cache a training step's blocks, and leaves room for others."""
    return usable_memory() // 4

"""Settings from the environment and from the machine; read when an allocator is made, never at import."""

from __future__ import annotations

import os

from facula_errors import InvalidTypeError, InvalidValueError

_UNITS = {"": 1, "B": 1, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}
_CONTROL_GROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def setting_bytes(name: str) -> int | None:
    """The environment variable `name` in bytes (`4096`, `512MiB`, `4 GiB`); None when unset or empty.

    ValueError names the variable and what it holds.
    """
    text = os.environ.get(name, "").strip()
    return parsed_bytes(name, text) if text else None


def parsed_bytes(name: str, text: str) -> int:
    """A text such as `512MiB` in bytes; ValueError says that this is no value for `name`."""
    number = text.rstrip("BbGgIiKkMmTt ")
    unit = _UNITS.get(text[len(number) :].strip().upper())
    if unit is None or not (number.isascii() and number.isdigit()):
        raise InvalidValueError(f"{name}: expected bytes, or a number with KiB, MiB, GiB or TiB; got {text!r}")
    return int(number) * unit


def checked_fraction(operation: str, fraction: object) -> float | None:
    """A part of memory, or None, as it was given; an error says that it is neither."""
    if fraction is None:
        return None
    if isinstance(fraction, bool) or not isinstance(fraction, int | float):
        raise InvalidTypeError(f"{operation}: expected fraction, a float or None; got {fraction!r:.60}")
    if not 0 < fraction <= 1:
        raise InvalidValueError(f"{operation}: expected 0 < fraction <= 1; got {fraction}")
    return fraction


def usable_memory() -> int:
    """Bytes of memory this process may use: the machine's, or less where its control group says so."""
    found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in _CONTROL_GROUP_LIMITS:
        try:
            with open(path, "rb") as file:  # read when the first tensor is made: as text, a codec would be loaded
                found = min(found, int(file.read()))
        except (OSError, ValueError):  # not there, or "max"
            continue
    return found


def available_memory() -> int:
    """Bytes of memory that this process could still take: of the machine's, and of its control group's."""
    found = usable_memory()
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    found = min(found, int(line.split()[1]) << 10)
        with open("/sys/fs/cgroup/memory.current", encoding="ascii") as file:
            found = min(found, usable_memory() - int(file.read()))
    except (OSError, ValueError):  # not there
        pass
    return max(0, found)


def default_cache_limit() -> int:
    """A quarter of the usable memory: enough to keep a step's blocks, with room for everybody else."""
    return usable_memory() // 4

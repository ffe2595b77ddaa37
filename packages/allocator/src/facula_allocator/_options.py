"""The options of a caching allocator, and their checks."""

from __future__ import annotations

import os
from typing import NamedTuple

from facula_errors import InvalidTypeError, InvalidValueError

from ._settings import parsed_bytes

MIB = 1 << 20
VARIABLE = "FACULA_ALLOCATOR_OPTIONS"
Option = int | float | bool | None
SWITCHES = ("expandable_segments", "lend")
UNBOUNDED = (1 << 63) - 1
LARGEST_OPTION = 1 << 62  # bytes; the sum of two such sizes still fits into 64 bits


class Options(NamedTuple):
    """How a `CachingAllocator` divides memory into segments and blocks. Sizes are in bytes.

    Arguments:
        small_size: requests up to this size are small and are served from separate segments. The default is half as
            large where segments are expandable: peaks of training are then 1 to 7 % lower, and no segment grows because
            of it.
        small_segment: size of a segment for small requests.
        large_segment: size of a segment for larger requests, below `huge_size`.
        huge_size: a request of at least this size gets a segment of its own, rounded up to `huge_step`.
        huge_step: see `huge_size`.
        max_split_size: blocks larger than this are never split; None for no bound.
        roundup_power2_divisions: round large requests up to this many sizes per power of two; 0 disables rounding.
        garbage_collection_threshold: the fraction, between 0 and 1, of a limit or memory fraction up to which idle
            memory is kept. Above it, idle segments are released before more memory is taken. None releases at the limit
            only.
        expandable_segments: map memory page by page into long address ranges, so that segments grow and no idle page is
            lost between blocks. None: where the driver supports virtual memory. Such memory cannot be shared with other
            processes through handles of CUDA's older interface.
        lend: let idle blocks of one stream serve another, which then waits for the first.
    """

    small_size: int = MIB
    small_segment: int = 2 * MIB
    large_segment: int = 20 * MIB
    huge_size: int = 10 * MIB
    huge_step: int = 2 * MIB
    max_split_size: int | None = None
    roundup_power2_divisions: int = 0
    garbage_collection_threshold: float | None = None
    expandable_segments: bool | None = None
    lend: bool = True


def environment_options() -> dict[str, Option]:
    """Parse the options in FACULA_ALLOCATOR_OPTIONS, such as `max_split_size=64MiB,lend=no`."""
    return parsed_options(VARIABLE, os.environ.get(VARIABLE, ""))


def parsed_options(source: str, text: str) -> dict[str, Option]:
    """Parse options written as `max_split_size=64MiB,lend=no`. Error messages begin with `source`.

    >>> parsed_options("settings", "lend=no, large_segment=4MiB, max_split_size=none")
    {'lend': False, 'large_segment': 4194304, 'max_split_size': None}
    """
    found: dict[str, Option] = {}
    for entry in filter(None, text.replace(" ", "").split(",")):
        name, _, value = entry.partition("=")
        if name not in Options._fields:
            known = ", ".join(Options._fields)
            raise InvalidValueError(f"{source}: expected NAME=VALUE with a name among {known}; got {entry!r}")
        if name in found:
            raise InvalidValueError(f"{source}: expected {name} once; got {entry!r} after another value")
        if value == "none" and Options._field_defaults[name] is None:
            found[name] = None
        elif name in SWITCHES:
            if value not in ("yes", "no"):
                raise InvalidValueError(f"{source}: expected {name}=yes or {name}=no; got {entry!r}")
            found[name] = value == "yes"
        elif name == "garbage_collection_threshold":
            try:
                found[name] = float(value)
            except ValueError:
                raise InvalidValueError(f"{source}: expected {name}=NUMBER; got {entry!r}") from None
        elif name == "roundup_power2_divisions":
            if not (value.isascii() and value.isdigit() and len(value) < 20):
                raise InvalidValueError(f"{source}: expected {name}=NUMBER, 0 or a power of two; got {entry!r:.60}")
            found[name] = int(value)
        else:
            found[name] = parsed_bytes(f"{source}: {name}", value)
    return found


def checked_options(given: dict[str, Option], granularity: int, virtual_memory: bool = False) -> Options:
    """Return all options, with defaults for those not given. Raises an error that names an invalid option.

    Arguments:
        given: options by name; None as `small_size` selects its default.
        granularity: the driver's granularity.
        virtual_memory: whether the driver supports virtual memory.
    """
    if given.get("small_size") is None:
        pages = virtual_memory and given.get("expandable_segments") is not False
        given = {**given, "small_size": MIB // 2 if pages else MIB}
    for name, value in given.items():
        if name not in Options._fields:
            known = ", ".join(Options._fields)
            raise InvalidTypeError(f"CachingAllocator: expected options among {known}; got {name!r}")
        if name in SWITCHES:
            if not isinstance(value, bool) and (name == "lend" or value is not None):
                raise InvalidTypeError(f"CachingAllocator: expected {name}, True or False; got {value!r}")
        elif name == "garbage_collection_threshold":
            if value is not None and not (isinstance(value, float) and 0 < value < 1):
                raise InvalidValueError(f"CachingAllocator: expected 0 < {name} < 1, or None; got {value!r}")
        elif type(value) is not int and not (name == "max_split_size" and value is None):
            raise InvalidTypeError(f"CachingAllocator: expected {name}, an int; got {value!r}")
        elif value is not None and value > LARGEST_OPTION:
            raise InvalidValueError(f"CachingAllocator: expected {name} <= 2**62; got {value}")
    if given.get("expandable_segments") and not virtual_memory:
        expected = "expandable_segments=True with a driver that has pages"
        raise InvalidValueError(
            f"CachingAllocator: expected {expected}, as CudaDriver or SimulatedDriver(capacity, page_size=2 << 20); "
            "got one without. None enables them if the driver supports them"
        )
    options = Options()._replace(**given)  # type: ignore[arg-type]  # checked above
    for name in ("small_size", "small_segment", "large_segment", "huge_size", "huge_step"):
        value = getattr(options, name)
        if value <= 0 or value % granularity:
            expected = f"a positive multiple of the driver's granularity, {granularity}"
            raise InvalidValueError(f"CachingAllocator: expected {name}, {expected}; got {value}")
    bounds = [
        ("small_segment", options.small_segment, "small_size", options.small_size),
        ("large_segment", options.large_segment, "huge_size", options.huge_size),
        ("huge_size", options.huge_size, "small_size", options.small_size),
    ]
    if options.max_split_size is not None:
        bounds.append(("max_split_size", options.max_split_size, "large_segment", options.large_segment))
    for name, value, other, least in bounds:
        if value < least:
            raise InvalidValueError(f"CachingAllocator: expected {name} >= {other} = {least}; got {value}")
    divisions = options.roundup_power2_divisions
    if divisions < 0 or divisions & (divisions - 1):
        expected = "0 or a power of two"
        raise InvalidValueError(f"CachingAllocator: expected roundup_power2_divisions, {expected}; got {divisions}")
    return options

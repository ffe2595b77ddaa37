"""Global print options: `set_printoptions`, and functions to read and restore them."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

from facula_errors import ArgumentError, InvalidTypeError
from facula_errors.extend import boundary


class Options(NamedTuple):
    """The options that `set_printoptions` sets."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


MAX_DIGITS = 1000
PROFILES = {
    "default": Options(),
    "short": Options(precision=2, edgeitems=2),
    "full": Options(threshold=inf),
}
_chosen: list[Options] = [Options()]  # replaced as a whole, so that other threads see consistent options


def chosen() -> Options:
    """The options in use."""
    return _chosen[0]


@boundary
def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set the print options; omitted ones do not change, except `sci_mode`, which becomes automatic. TypeError
    and ValueError for invalid values.

    Arguments:
        precision: digits after the point.
        threshold: the number of elements above which only the corners are shown.
        edgeitems: how many elements of a corner are shown along a dimension.
        linewidth: characters in a line.
        profile: "default", "short" (2 digits, 2 edgeitems) or "full" (no threshold); the other arguments override
            its values.
        sci_mode: whether numbers have exponents; None lets their sizes decide.

    >>> from facula_tensor import tensor
    >>> set_printoptions(precision=2)
    >>> tensor([1.12345])
    tensor([1.12])
    >>> set_printoptions(profile="default")
    """
    base = chosen()
    if profile is not None:
        if not isinstance(profile, str) or profile not in PROFILES:
            raise ArgumentError(
                f"set_printoptions: expected profile to be one of {', '.join(PROFILES)}; got {profile!r}"
            )
        base = PROFILES[profile]
    given: dict[str, Any] = {"sci_mode": sci_mode}
    if sci_mode is not None and not isinstance(sci_mode, bool):
        raise InvalidTypeError(f"set_printoptions: expected sci_mode to be True, False or None; got {sci_mode!r}")
    for name, value, least in (("precision", precision, 0), ("edgeitems", edgeitems, 1), ("linewidth", linewidth, 1)):
        if value is not None:
            given[name] = _option_as_integer(name, value, least)
    if given.get("precision", 0) > MAX_DIGITS:
        raise ArgumentError(f"set_printoptions: expected precision of at most {MAX_DIGITS}; got {precision}")
    if threshold is not None:
        given["threshold"] = inf if threshold == inf else _option_as_integer("threshold", threshold, 0)
    _chosen[0] = base._replace(**given)


@boundary
def get_printoptions() -> dict[str, int | float | bool | None]:
    """Return the options in use, as arguments for `set_printoptions`.

    >>> get_printoptions()["precision"]
    4
    """
    return chosen()._asdict()


@boundary
class printoptions:
    """Context manager that sets options, as `set_printoptions` does, and restores the previous ones at its end.

    >>> from facula_tensor import tensor
    >>> with printoptions(precision=1):
    ...     print(tensor([0.25]))
    tensor([0.2])
    """

    def __init__(self, **options: Any):
        self.options = options
        self.before: list[Options] = []

    def __enter__(self) -> None:
        self.before.append(chosen())
        set_printoptions(**self.options)

    def __exit__(self, *exc: object) -> None:
        _chosen[0] = self.before.pop()


def _option_as_integer(name: str, value: float, least: int) -> int:
    """Return `value` as an integer of at least `least`; errors name the option `name`."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InvalidTypeError(
            f"set_printoptions: expected {name} to be an integer; got {type(value).__name__} {value!r:.60}"
        )
    if value < least:
        raise ArgumentError(f"set_printoptions: expected {name} of at least {least}; got {value}")
    return value.__index__()

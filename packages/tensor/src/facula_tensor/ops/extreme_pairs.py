"""What `max` and `min` along a dimension give."""

from __future__ import annotations

__all__: list[str] = []


class Extremes(tuple):
    """What `max` and `min` along a dimension give: `values` and `indices`."""

    __slots__ = ()
    name = "extremes"
    values = property(lambda self: self[0], doc="The extreme elements.")
    indices = property(lambda self: self[1], doc="Where along the dimension they are (int64).")

    def __repr__(self) -> str:
        return f"facula.return_types.{type(self).name}(\nvalues={self[0]!r},\nindices={self[1]!r})"


class MaxExtremes(Extremes):
    """Of `max`."""

    __slots__ = ()
    name = "max"


class MinExtremes(Extremes):
    """Of `min`."""

    __slots__ = ()
    name = "min"

"""What operators along a dimension give that say where the elements are: `max`, `sort`, `topk` and others."""

from __future__ import annotations

__all__: list[str] = []


class Extremes(tuple):
    """The elements an operator chose along a dimension and where they are: `values` and `indices`."""

    __slots__ = ()
    name = "extremes"
    values = property(lambda self: self[0], doc="The chosen elements.")
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


def pair_named(operation: str) -> type[Extremes]:
    """The class of the pairs that an operation gives."""
    return type(operation, (Extremes,), {"__slots__": (), "name": operation, "__doc__": f"Of `{operation}`."})


Sorted = pair_named("sort")
TopK = pair_named("topk")
KthValue = pair_named("kthvalue")
Median = pair_named("median")
NanMedian = pair_named("nanmedian")
Mode = pair_named("mode")
CumMax = pair_named("cummax")
CumMin = pair_named("cummin")

"""Pairs of elements and their places, the results of `max`, `sort`, `topk` and others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..._core.tensor import Tensor

    _Pair = tuple[Tensor, Tensor]
else:
    _Pair = tuple


class Extremes(_Pair):
    """The elements an operator chose along a dimension and where they are: `values` and `indices`."""

    __slots__ = ()
    name = "extremes"
    fields = ("values", "indices")

    @property
    def values(self) -> Tensor:
        """The chosen elements."""
        return self[0]

    @property
    def indices(self) -> Tensor:
        """Where along the dimension they are (int64)."""
        return self[1]

    def __repr__(self) -> str:
        return f"facula.return_types.{type(self).name}(\nvalues={self[0]!r},\nindices={self[1]!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (type(self).name, tuple(self))


def _rebuilt(name: str, pair: tuple[Tensor, Tensor]) -> Extremes:
    """A pair from a pickle. Classes are looked up by their operation, as most are made, not written."""
    return next(kind for kind in Extremes.__subclasses__() if kind.name == name)(pair)


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


Sorted: type[Extremes] = pair_named("sort")
TopK: type[Extremes] = pair_named("topk")
KthValue: type[Extremes] = pair_named("kthvalue")
Median: type[Extremes] = pair_named("median")
NanMedian: type[Extremes] = pair_named("nanmedian")
Mode: type[Extremes] = pair_named("mode")
CumMax: type[Extremes] = pair_named("cummax")
CumMin: type[Extremes] = pair_named("cummin")

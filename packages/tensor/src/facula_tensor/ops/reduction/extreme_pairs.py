"""Pairs of elements and their indices, the results of `max`, `sort`, `topk` and other operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..._core.tensor import Tensor

    _Pair = tuple[Tensor, Tensor]
else:
    _Pair = tuple


class Extremes(_Pair):
    """The elements that an operator selected along a dimension, `values`, and their positions, `indices`."""

    __slots__ = ()
    name = "extremes"
    fields = ("values", "indices")

    @property
    def values(self) -> Tensor:
        """The selected elements."""
        return self[0]

    @property
    def indices(self) -> Tensor:
        """Their positions along the dimension (int64)."""
        return self[1]

    def __repr__(self) -> str:
        return f"facula.return_types.{type(self).name}(\nvalues={self[0]!r},\nindices={self[1]!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (type(self).name, tuple(self))


def _rebuilt(name: str, pair: tuple[Tensor, Tensor]) -> Extremes:
    """Unpickle a pair. Most classes are created by `pair_named`, so they are found by operation name."""
    return next(kind for kind in Extremes.__subclasses__() if kind.name == name)(pair)


class MaxExtremes(Extremes):
    """The results of `max`."""

    __slots__ = ()
    name = "max"


class MinExtremes(Extremes):
    """The results of `min`."""

    __slots__ = ()
    name = "min"


def pair_named(operation: str) -> type[Extremes]:
    """Create the class for the result pairs of an operation."""
    return type(operation, (Extremes,), {"__slots__": (), "name": operation, "__doc__": f"Results of `{operation}`."})


Sorted: type[Extremes] = pair_named("sort")
TopK: type[Extremes] = pair_named("topk")
KthValue: type[Extremes] = pair_named("kthvalue")
Median: type[Extremes] = pair_named("median")
NanMedian: type[Extremes] = pair_named("nanmedian")
Mode: type[Extremes] = pair_named("mode")
CumMax: type[Extremes] = pair_named("cummax")
CumMin: type[Extremes] = pair_named("cummin")

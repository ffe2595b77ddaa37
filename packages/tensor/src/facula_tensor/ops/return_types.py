"""The classes of named results, under PyTorch's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .elementwise.floating_point import Frexp
from .named_results import NamedResults, result_classes
from .reduction import extreme_pairs
from .reduction.extreme_pairs import Extremes, MaxExtremes, MinExtremes

if TYPE_CHECKING:
    from .._core.tensor import Tensor


def return_types() -> dict[str, type[tuple[Tensor, ...]]]:
    """Return the result classes of `max(x, dim)`, `linalg.eigh(x)`, `frexp(x)` and similar operations by name."""
    pairs = [
        member for member in vars(extreme_pairs).values() if isinstance(member, type) and issubclass(member, Extremes)
    ]
    kinds: list[type[Extremes] | type[NamedResults]] = [MaxExtremes, MinExtremes, *pairs, *result_classes()]
    found: dict[str, type[tuple[Tensor, ...]]] = {kind.name: kind for kind in kinds if kind is not Extremes}
    return {**found, "frexp": Frexp}

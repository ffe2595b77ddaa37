"""Checks that read elements."""

from __future__ import annotations

from facula_errors import ArgumentError

from .._core.tensor import Tensor, elements
from .namespaces import no_record_ops


def check_within(operation: str, what: str, input: Tensor, low: float = 0, high: float = 1) -> None:
    """ArgumentError where an element is not from `low` to `high`, with the first such element and its place."""
    input = elements(input).detach()
    inside = no_record_ops.bitwise_and(no_record_ops.ge(input, low), no_record_ops.le(input, high))  # NaN is not
    if not no_record_ops.all(inside, (tuple(range(inside.ndim)), False)).item():
        place = no_record_ops.bitwise_not(inside).nonzero()[0].tolist()
        value = input[tuple(place)].item()
        where = f" at {place}" if place else ""
        raise ArgumentError(
            f"{operation}: expected every element of {what} to be from {low} to {high}; got {value:.6g}{where}"
        )

"""Values as real numbers, for `gradcheck`: their elements, directions, and comparisons of Jacobians."""

from __future__ import annotations

from .._adapters import adapter_of
from .._value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeGuard

    from .._types import Leaf

    Jacobians = list[list[list[float]]]  # a matrix for each input: a row for each direction of the output


def as_list(values: object) -> list[object]:
    return list(values) if isinstance(values, (tuple, list)) else [values]


def needs_grad(value: object) -> TypeGuard[Leaf]:
    return isinstance(value, Value) and value.node is not None


def outputs_of(func: Callable[..., object], inputs: Sequence[object]) -> list[Leaf]:
    return [out for out in as_list(func(*inputs)) if needs_grad(out)]


def directions_of(size: int, fast: bool) -> list[list[float]]:
    """Return the directions to differentiate along: the unit vectors, or a single other vector of length 1."""
    if not fast:
        return [[1.0 if i == k else 0.0 for i in range(size)] for k in range(size)]
    parts = [0.5 + (k * 0.6180339887) % 1.0 for k in range(1, size + 1)]
    length = sum(x * x for x in parts) ** 0.5
    return [[x / length for x in parts]]


def components_along(parts: list[float], directions: list[list[float]], fast: bool) -> list[float]:
    """Return the components of `parts` along `directions`."""
    if not fast:
        return parts
    return [sum(x * y for x, y in zip(parts, direction, strict=True)) for direction in directions]


def parts_of(value: object) -> list[float]:
    """Return the elements as real numbers; a complex element yields two."""
    parts: list[float] = []
    for x in adapter_of(value).elements(value):
        parts.extend((x.real, x.imag) if isinstance(x, complex) else (x,))
    return parts


def with_parts(like: object, parts: list[float], requires_grad: bool) -> Leaf:
    adapter = adapter_of(like)
    elements: Sequence[complex] = parts
    if parts_per_element(like) == 2:
        elements = [complex(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    value = adapter.from_elements(like, elements)
    return value.requires_grad_() if requires_grad else value


def parts_per_element(value: object) -> int:
    elements = adapter_of(value).elements(value)
    return 2 if elements and isinstance(elements[0], complex) else 1


def first_mismatch(
    ours: list[list[float]], theirs: list[list[float]], atol: float, rtol: float
) -> tuple[int, int, float, float] | None:
    """Return the first entry where two Jacobians differ too much, or where one is NaN."""
    for row, (xs, ys) in enumerate(zip(ours, theirs, strict=True)):
        for column, (x, y) in enumerate(zip(xs, ys, strict=True)):
            if not abs(x - y) <= atol + rtol * abs(y):
                return row, column, x, y
    return None

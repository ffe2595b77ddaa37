"""Formulas for dynamic sizes, found by comparing recordings of a model for several sizes.

The nodes of all recordings must be equal. Numbers that differ between their constants (shapes, indices, counts) are
sums of products of the sizes, which a few nodes compute from the arguments.
"""

from __future__ import annotations

from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ._nodes import NUMPY_TYPES, OnnxExporterError, all_nodes, bodies_of, renamed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._conversion import Converted
    from ._nodes import Builder, Node, Shape

    Factors = dict[tuple[int, ...], np.ndarray]  # sizes to be multiplied -> their factor


class Dimension(NamedTuple):
    """A dynamic size: its name, and its input and axis."""

    name: str
    input: str
    axis: int


def subsets(count: int) -> list[tuple[int, ...]]:
    """Return all subsets of this many elements, the smallest first."""
    return [chosen for size in range(count + 1) for chosen in combinations(range(count), size)]


def generalise(
    dimensions: Sequence[Dimension], sizes: Sequence[tuple[int, ...]], found: Sequence[Converted]
) -> list[Shape]:
    """Make a model valid for all sizes, by modifying the first of `found`.

    Arguments:
        dimensions: the dynamic dimensions.
        sizes: the sizes of each run: one for each subset of the dimensions, and one for a check.
        found: the converted model of each run.

    Returns:
        The shapes of the results; a name for a size that equals a dimension, None for one that is computed.
    """
    first, others = found[0].b, [conversion.b for conversion in found[1:]]
    _check_nodes(first, others)
    known = [first.constants.copy(), *[other.constants for other in others]]
    nodes, first.nodes = first.nodes, []
    places = _places_of(first, dimensions)
    replaced: dict[str, str] = {}
    for name, constant in known[0].items():
        values = [builder[name].value for builder in known]
        if all([np.array_equal(values[0], value, equal_nan=values[0].dtype.kind == "f") for value in values[1:]]):
            continue
        used = [node for node in all_nodes(nodes) if name in node.inputs]
        inferred = _inferred(values, name, used)
        if inferred is not None:
            first.constants[name] = constant._replace(value=inferred)
            continue
        made = _counted(first, values, sizes, places) if values[0].ndim == 1 else ""
        if not made and all([value.shape == values[0].shape for value in values]):
            factors = factors_of(values, sizes)
            made = "" if factors is None else _computed(first, factors, places, values[0])
        if not made:
            raise OnnxExporterError(
                f"onnx.export: {constant.purpose}: an operand depends on the sizes of dynamic_axes in a way "
                "that is not a product; leave the axis out"
            )
        replaced[name] = made
        del first.constants[name]
    first.nodes += [renamed(node, replaced) for node in nodes]
    for name, (dtype, _) in first.values.items():
        shapes = [np.array(conversion.b.values[name][1]) for conversion in found]
        first.values[name] = dtype, _shape_of(shapes, dimensions, sizes)
    return [
        _shape_of([np.array(conversion.outputs[place][1].shape) for conversion in found], dimensions, sizes)
        for place in range(len(found[0].outputs))
    ]


def _check_nodes(first: Builder, others: Sequence[Builder]) -> None:
    for other in others:
        for node, again in zip(all_nodes(first.nodes), all_nodes(other.nodes), strict=False):
            if _alone(node) != _alone(again):
                raise OnnxExporterError(
                    f"onnx.export: {node.name} is another node for other sizes of dynamic_axes; leave the axis out"
                )
        if first.nodes != other.nodes or first.constants.keys() != other.constants.keys():
            raise OnnxExporterError(
                "onnx.export: the model runs different operators for other sizes of dynamic_axes; leave the axis out"
            )


def _alone(node: Node) -> Node:
    """Return the node without its bodies."""
    return node._replace(attributes={}) if bodies_of(node) else node


def factors_of(values: Sequence[np.ndarray], sizes: Sequence[tuple[int, ...]]) -> Factors | None:
    """Return the factors of products of sizes whose sums are these values for these sizes; None if there are none. The
    last value is a check.

    >>> factors_of([np.array([6]), np.array([8]), np.array([12])], [(3,), (4,), (6,)])
    {(): array([0.]), (0,): array([2.])}
    """
    products = subsets(len(sizes[0]))
    table = np.array([[prod([size[dim] for dim in product]) for product in products] for size in sizes], float)
    given = np.array([value.reshape(-1) for value in values], float)
    solved = np.linalg.solve(table[:-1], given[:-1])
    if values[0].dtype.kind in "iu":
        solved = np.round(solved)
    solved[np.abs(solved) < 1e-9] = 0
    if not np.allclose(table @ solved, given, rtol=1e-6, atol=0):
        return None
    return {product: row.reshape(values[0].shape) for product, row in zip(products, solved, strict=True)}


def _inferred(values: Sequence[np.ndarray], name: str, used: Sequence[Node]) -> np.ndarray | None:
    """Return a shape with -1 for its only varying number, if all users are Reshape nodes; otherwise None."""
    are_shapes = all([node.op_type == "Reshape" and node.inputs[1] == name for node in used])
    if not are_shapes or any([value.shape != values[0].shape or 0 in value for value in values]):
        return None
    numbers = np.array(values)  # one row for each run
    varying = np.flatnonzero((numbers != numbers[0]).any(0))
    if len(varying) != 1 or (numbers == -1).any():
        return None
    shape = values[0].copy()
    shape[varying[0]] = -1
    return shape


def _counted(b: Builder, values: Sequence[np.ndarray], sizes: Sequence[tuple[int, ...]], places: Sequence[str]) -> str:
    """Append nodes that generate a range, like `arange`, up to a varying number; return "" for other values."""
    longest = max(values, key=len)
    if len(longest) < 2 or longest.dtype.name not in ("int64", "float32", "float64"):
        return ""
    start, step = longest[0], longest[1] - longest[0]
    if not all([np.array_equal(value, start + step * np.arange(len(value), dtype=value.dtype)) for value in values]):
        return ""
    factors = factors_of([np.array(len(value)) for value in values], sizes)
    if factors is None:
        return ""
    count = _computed(b, factors, places, np.array(0))
    if longest.dtype.kind == "f":
        count = b.add("Cast", count, to=NUMPY_TYPES[longest.dtype.name])
    first, delta = b.constant(start), b.constant(step)
    return b.add("Range", first, b.add("Add", first, b.add("Mul", count, delta)), delta)


def _places_of(b: Builder, dimensions: Sequence[Dimension]) -> list[str]:
    """Append nodes that compute each size, and return the names of their one-element values."""
    shapes = {name: b.add("Shape", name) for name in dict.fromkeys([dimension.input for dimension in dimensions])}
    return [b.add("Gather", shapes[dimension.input], b.integers(dimension.axis), axis=0) for dimension in dimensions]


def _computed(b: Builder, factors: Factors, places: Sequence[str], like: np.ndarray) -> str:
    """Append nodes that compute the value of a former constant."""
    kind = np.int64 if like.dtype.kind in "iu" else np.float64
    total = ""
    for product, factor in factors.items():
        if not factor.any():
            continue
        part = ""
        for dim in product:
            size = places[dim] if kind is np.int64 else b.add("Cast", places[dim], to=11)
            part = b.add("Mul", part, size) if part else size
        if not part or factor.size != 1 or factor.item() != 1:
            known = b.constant(factor.reshape(-1).astype(kind))
            part = b.add("Mul", part, known) if part else known
        total = b.add("Add", total, part) if total else part
    if like.ndim != 1:
        total = b.add("Reshape", total, b.integers(*like.shape))
    return total if like.dtype == kind else b.add("Cast", total, to=NUMPY_TYPES[like.dtype.name])


def _shape_of(
    shapes: Sequence[np.ndarray], dimensions: Sequence[Dimension], sizes: Sequence[tuple[int, ...]]
) -> list[int | str | None]:
    """Return a result's shape, with names for sizes that equal a dimension."""
    found: list[int | str | None] = []
    for axis in range(len(shapes[0])):
        lengths = [int(shape[axis]) for shape in shapes]
        same = [
            dimension.name for place, dimension in enumerate(dimensions) if lengths == [size[place] for size in sizes]
        ]
        found.append(lengths[0] if len(set(lengths)) == 1 else same[0] if same else None)
    return found

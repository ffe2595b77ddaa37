"""Sizes that are known only when a model runs: found by comparing what it does for several.

A model is taken down for a few sizes. Its nodes have to be the same; numbers among its constants that differ (shapes,
places, counts) are sums of products of the sizes, which a few nodes compute from the arguments.
"""

from __future__ import annotations

from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ._nodes import OnnxExporterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._convert import Converted
    from ._nodes import Builder

    Factors = dict[tuple[int, ...], np.ndarray]  # sizes that are multiplied -> by what


class Dimension(NamedTuple):
    """A size that may be another one when the model runs: its name, and where it is found."""

    name: str
    input: str
    axis: int


def subsets(count: int) -> list[tuple[int, ...]]:
    """All subsets of so many things, the smallest first."""
    return [one for size in range(count + 1) for one in combinations(range(count), size)]


def generalise(
    dimensions: Sequence[Dimension], sizes: Sequence[tuple[int, ...]], found: Sequence[Converted]
) -> list[list[int | str | None]]:
    """Let a model be right for any sizes: the first of `found` is changed.

    Arguments:
        dimensions: what varies.
        sizes: the sizes of each run: as many as there are subsets of the dimensions, and one to check.
        found: the model, as each run made it.

    Returns:
        The shapes of the results; a name for a size that is one of the dimensions, None for one that is computed.
    """
    first, others = found[0].b, [one.b for one in found[1:]]
    _check_nodes(first, others)
    known = [first.constants.copy(), *[one.constants for one in others]]
    nodes, first.nodes = first.nodes, []
    places = _places_of(first, dimensions)
    replaced: dict[str, str] = {}
    for name, constant in known[0].items():
        values = [one[name].value for one in known]
        if all([np.array_equal(values[0], one, equal_nan=values[0].dtype.kind == "f") for one in values[1:]]):
            continue
        problem = f"onnx.export: {constant.purpose}: a {{}} depends on the sizes of dynamic_axes"
        if any([one.shape != values[0].shape for one in values]):
            raise OnnxExporterError(f"{problem.format('constant')}; leave the axis out of dynamic_axes")
        factors = factors_of(values, sizes)
        if factors is None:
            raise OnnxExporterError(f"{problem.format('number')} in a way that is no product; leave the axis out")
        used = [node for node in nodes if name in node.inputs]
        varying = [k for k in range(values[0].size) if len({one.reshape(-1)[k].item() for one in values}) > 1]
        shapes = all([node.op_type == "Reshape" and node.inputs[1] == name for node in used])
        if shapes and len(varying) == 1 and (values[0] != -1).all():
            value = values[0].copy()
            value[varying[0]] = -1
            first.constants[name] = constant._replace(value=value)
        else:
            replaced[name] = _computed(first, factors, places, values[0])
            del first.constants[name]
    first.nodes += [
        node._replace(inputs=tuple([replaced.get(one, one) for one in node.inputs])) for node in nodes
    ]
    return [
        _shape_of([np.array(one.outputs[place][1].shape) for one in found], dimensions, sizes)
        for place in range(len(found[0].outputs))
    ]


def _check_nodes(first: Builder, others: Sequence[Builder]) -> None:
    for other in others:
        for node, again in zip(first.nodes, other.nodes, strict=False):
            if node != again:
                raise OnnxExporterError(
                    f"onnx.export: {node.name} is another node for other sizes of dynamic_axes; leave the axis out"
                )
        if len(first.nodes) != len(other.nodes) or first.constants.keys() != other.constants.keys():
            raise OnnxExporterError(
                "onnx.export: the model does other work for other sizes of dynamic_axes; leave the axis out"
            )


def factors_of(values: Sequence[np.ndarray], sizes: Sequence[tuple[int, ...]]) -> Factors | None:
    """By what products of sizes are multiplied, to give these values for these sizes; None where they are no sum of
    such products. The last value checks the others.

    >>> factors_of([np.array([6]), np.array([8]), np.array([12])], [(3,), (4,), (6,)])
    {(): array([0.]), (0,): array([2.])}
    """
    products = subsets(len(sizes[0]))
    table = np.array([[prod([one[dim] for dim in product]) for product in products] for one in sizes], float)
    given = np.array([one.reshape(-1) for one in values], float)
    solved = np.linalg.solve(table[:-1], given[:-1])
    if values[0].dtype.kind in "iu":
        solved = np.round(solved)
    solved[np.abs(solved) < 1e-9] = 0
    if not np.allclose(table @ solved, given, rtol=1e-6, atol=0):
        return None
    return {product: row.reshape(values[0].shape) for product, row in zip(products, solved, strict=True)}


def _places_of(b: Builder, dimensions: Sequence[Dimension]) -> list[str]:
    """Nodes that find each size: names of values of one element."""
    shapes = {name: b.add("Shape", name) for name in dict.fromkeys([one.input for one in dimensions])}
    return [b.add("Gather", shapes[one.input], b.integers(one.axis), axis=0) for one in dimensions]


def _computed(b: Builder, factors: Factors, places: Sequence[str], like: np.ndarray) -> str:
    """Nodes that compute what was a constant."""
    kind = np.int64 if like.dtype.kind in "iu" else np.float64
    total = ""
    for product, factor in factors.items():
        if not factor.any() and (product or total):
            continue
        part = b.constant(factor.reshape(-1).astype(kind))
        for dim in product:
            size = places[dim] if kind is np.int64 else b.add("Cast", places[dim], to=11)
            part = b.add("Mul", part, size)
        total = b.add("Add", total, part) if total else part
    if like.ndim != 1:
        total = b.add("Reshape", total, b.integers(*like.shape))
    return total if like.dtype == kind else b.add("Cast", total, to=NUMPY_TYPES[like.dtype.name])


NUMPY_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "float16": 10}


def _shape_of(
    shapes: Sequence[np.ndarray], dimensions: Sequence[Dimension], sizes: Sequence[tuple[int, ...]]
) -> list[int | str | None]:
    """A result's shape, with the names of sizes that are those of dimensions."""
    found: list[int | str | None] = []
    for axis in range(len(shapes[0])):
        lengths = [int(one[axis]) for one in shapes]
        same = [one.name for place, one in enumerate(dimensions) if lengths == [size[place] for size in sizes]]
        found.append(lengths[0] if len(set(lengths)) == 1 else same[0] if same else None)
    return found


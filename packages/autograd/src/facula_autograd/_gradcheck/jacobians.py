"""Jacobians for `gradcheck`: analytical ones by backward passes, and numerical ones by central differences."""

from __future__ import annotations

from .._adapters import adapter_of
from .._engine.backward import grad
from .._errors import GradcheckError
from .real_parts import components_along, outputs_of, parts_of, parts_per_element, with_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._types import Leaf
    from .real_parts import Jacobians


def analytical_jacobians(out: Leaf, inputs: Sequence[Leaf], j: int, seeds: list[list[float]]) -> Jacobians:
    """Return, for each input, the gradients of `out` along `seeds`, by backward passes."""
    jacobians: Jacobians = [[] for _ in inputs]
    for parts in seeds:
        seed = with_parts(out, parts, False)
        for jacobian, value, g in zip(
            jacobians, inputs, grad(out, inputs, seed, retain_graph=True, allow_unused=True), strict=True
        ):
            jacobian.append([0.0] * len(parts_of(value)) if g is None else _gradient_parts(g, value, j))
    return jacobians


def _gradient_parts(g: object, value: object, j: int) -> list[float]:
    wanted, got = adapter_of(value).metadata(value), adapter_of(g).metadata(g)
    if wanted != got:
        raise GradcheckError(
            f"gradcheck: expected a gradient of output {j} like its input "
            f"({adapter_of(value).describe(value)}); got {adapter_of(g).describe(g)}"
        )
    parts = parts_of(g)
    if parts_per_element(value) == 2 and parts_per_element(g) == 1:
        parts = [x for part in parts for x in (part, 0.0)]
    return parts


def numerical_jacobian(
    func: Callable[..., object],
    inputs: list[object],
    k: int,
    j: int,
    eps: float,
    steps: list[list[float]],
    seeds: list[list[float]],
    fast: bool,
) -> list[list[float]]:
    """Return the Jacobian of output `j` along `seeds` by input `k` along `steps`, by central differences."""
    point = parts_of(inputs[k])
    columns = []
    for step in steps:
        ends = []
        for length in (eps, -eps):
            moved = with_parts(inputs[k], [x + length * d for x, d in zip(point, step, strict=True)], True)
            results = outputs_of(func, [moved if value is inputs[k] else value for value in inputs])
            ends.append(parts_of(results[j]))
        columns.append(
            components_along([(high - low) / (2 * eps) for high, low in zip(*ends, strict=True)], seeds, fast)
        )
    return [[column[row] for column in columns] for row in range(len(seeds))]

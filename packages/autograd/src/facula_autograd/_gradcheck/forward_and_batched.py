"""Checks of forward mode and of batched gradients, for `gradcheck`."""

from __future__ import annotations

from facula_errors import UnsupportedError

from .._adapters import Adapter, adapter_of
from .._engine.backward import grad
from .._errors import GradcheckError
from .real_parts import as_list, first_mismatch, needs_grad, parts_of, with_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._types import AnyValue, Leaf
    from .real_parts import Jacobians


class CheckedModes:
    """The modes to check.

    Arguments:
        backward, forward: gradients by backward passes, and by forward mode.
        batched, batched_forward: whether batched gradients equal those of a loop, for each of the two.
    """

    __slots__ = ("backward", "batched", "batched_forward", "forward")

    def __init__(self, backward: bool, batched: bool, forward: bool, batched_forward: bool) -> None:
        self.backward, self.batched, self.forward, self.batched_forward = backward, batched, forward, batched_forward


def check_has_forward_mode(what: str, values: list[object]) -> None:
    """Raise NotImplementedError if a value's type has no forward mode."""
    for value in values:
        if needs_grad(value) and type(adapter_of(value)).push_forward is Adapter.push_forward:
            raise UnsupportedError(f"{what}=True: {type(value).__name__} has no forward mode; leave it out")


def tangents_of(
    func: Callable[..., object], inputs: list[object], k: int, steps: list[list[float]], ways: CheckedModes
) -> list[list[list[float]]]:
    """Return the tangents of all outputs, as real numbers, for each step of input `k`, by forward mode.

    Arguments:
        func: the function.
        inputs: its arguments.
        k: the index of the input to change.
        steps: the directions.
        ways: whether to compare a batch of directions with a loop over them.
    """
    point: AnyValue = inputs[k]
    places = [place for place, out in enumerate(as_list(func(*inputs))) if needs_grad(out)]
    adapter = adapter_of(point)

    def push(tangent: object) -> list[AnyValue]:
        def outputs(changed: object) -> list[AnyValue]:
            found = as_list(func(*[changed if value is point else value for value in inputs]))
            return [found[place] for place in places]

        return adapter.push_forward(outputs, point, tangent)

    tangents: list[object] = [with_parts(point, step, False) for step in steps]
    found = [[parts_of(gradients) for gradients in push(tangent)] for tangent in tangents]
    if ways.batched_forward and tangents:
        batches = adapter.map_rows(lambda row, keep: push(row[0]), [adapter.stack(tangents)], None)
        for j, batch in enumerate(batches):
            rows = [parts_of(slope) for slope in adapter_of(batch).unstack(batch)]
            _check_same(rows, [each[j] for each in found], f"the tangents of output {j} by input {k}")
    return found


def check_batched_gradients(
    out: Leaf, inputs: Sequence[Leaf], j: int, seeds: list[list[float]], looped: Jacobians
) -> None:
    """Raise an error if batched gradients differ from those of a loop.

    Arguments:
        out: the output.
        inputs: the values to differentiate with respect to.
        j: the index of the output.
        seeds: directions of the output.
        looped: the gradients of each, from a loop.
    """
    if not seeds:
        return
    directions: list[object] = [with_parts(out, parts, False) for parts in seeds]
    batch: AnyValue = adapter_of(out).stack(directions)
    found = grad(out, inputs, batch, retain_graph=True, allow_unused=True, is_grads_batched=True)
    for k, (g, wanted) in enumerate(zip(found, looped, strict=True)):
        if g is not None:
            rows = [parts_of(row) for row in adapter_of(g).unstack(g)]
            _check_same(rows, wanted, f"the gradients of output {j} with respect to input {k}")


def _check_same(batched: list[list[float]], looped: list[list[float]], what: str) -> None:
    """Raise an error if batched rows differ from those of a loop."""
    worst = first_mismatch(batched, looped, 1e-8, 1e-6)
    if worst is not None:
        row, column, x, y = worst
        raise GradcheckError(
            f"gradcheck: expected {what} to be the same in a batch; component {column} along direction {row} is "
            f"{x:.9g} in a batch, {y:.9g} alone"
        )

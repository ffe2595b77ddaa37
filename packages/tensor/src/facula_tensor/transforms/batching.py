"""Batching rules: the families of operators that a declaration's `batching` selects.

Note [Batching]
~~~~~~~~~~~~~~~
Every batching rule receives a `BatchedCall`. Most declarations do not set `batching`; their operators belong to
one of three families:
* elementwise operators broadcast: batched operands get dimensions of length 1 behind the batch;
* operators with a parameter `dim` or `dims` ("along") have them moved by one, and other parameters that are known by
  their names likewise;
* operators that draw ("drawn") number elements through the whole batch, or run for each element with the same draws.
Other declarations set `batching`:
* "leading": operands may have further dimensions in front, as matrices and planes may;
* "first": the result looks like the first operand, to which the others broadcast;
* "rows": the first dimension of each operand counts independent rows or images; the batch becomes part of it;
* a function of a namespace and the call that returns the results as batched tensors, computed by other
operators or by the operator on the operands' contents; None if it cannot.
All others run once for each element, with a warning that names the operator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors.extend import warn
from facula_storage import contiguous

from .._core.tensor import layout_of_tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core.types import Result
    from .._dispatch.operator import Operator
    from .batched_call import BatchedCall

DIMS = frozenset(("dim", "dims"))
JOINS = ("cat", "stack")  # these have dimensions even for zero-dimensional elements


def run_batched(call: BatchedCall) -> Result:
    """Return the results of a call as batched tensors."""
    op = call.op
    rule: Callable[[BatchedCall], Any] | None
    if callable(op.batching):
        found = op.batching(call.F, call)
    else:
        rule = FAMILIES.get(family_of(op))
        found = None if rule is None else rule(call)
    if found is None:
        warn(f"{op.name}: vmap runs it once for each of {call.size} elements of the batch; no rule does all at once")
        return call.each()
    return found


def family_of(op: Operator) -> str:
    """Return the family of an operator whose `batching` is not a function; "" if it has none."""
    if isinstance(op.batching, str):
        return op.batching
    named = set(op.parameters)
    return "elementwise" if op.elementwise else "drawn" if "seed" in named else "along" if named & DIMS else ""


def elementwise(call: BatchedCall) -> Result:
    """Call an elementwise operator on operands that broadcast, with the batch in front of all dimensions."""
    return call.wrap(call.run(call.aligned()))


def along(call: BatchedCall) -> Result:
    """Call an operator whose parameters name dimensions and shapes, shifted by the batch dimension."""
    op, F, ndim = call.op, call.F, max([layout_of_tensor(a).ndim for a in call.operands])
    wholes, flat = (
        call.wholes(),
        not (ndim or "whole" in op.parameters or op.name in JOINS or not DIMS & set(op.parameters)),
    )
    if flat:  # zero-dimensional elements, which accept dimension 0 too
        wholes = tuple([F.unsqueeze(whole, 1) for whole in wholes])
    given = dict(zip(op.parameters, call.parameters, strict=True))
    if given.get("dim", 0) is None:  # all elements
        found: Any = call.run((F.reshape(wholes[0], (call.size, -1)),), (1, False))
        return call.wrap(F.reshape(found, (call.size, *(1,) * (ndim if given["keepdim"] else 0))))
    parameters = [
        (1,) if flat and name == "dims" and not value else shifted(name, value, call.size)
        for name, value in given.items()
    ]
    found = call.run(wholes, tuple(parameters))
    if flat:
        parts = [F.reshape(part, (call.size,)) for part in (found if type(found) is tuple else (found,))]
        found = parts[0] if len(parts) == 1 else parts
    return call.wrap(found)


def shifted(name: str, value: Any, size: int) -> Any:
    """Return the parameter of this name for operands with the batch in front."""
    if name == "dim":
        return value + 1 if value >= 0 else value
    if name == "dims":
        return tuple([dim + 1 if dim >= 0 else dim for dim in value])
    if name == "shape":
        return (size, *value)
    if name == "whole":
        return contiguous((size, *value.shape), value.dtype, value.device)
    if name == "parts":
        return (slice(None), *value)
    return (1, *value) if name in ("outer", "inner") else value


def first(call: BatchedCall) -> Result:
    """Call an operator whose result has the shape of its first operand, to which the others broadcast."""
    return call.wrap(call.run((call.whole(call.operands[0]), *call.aligned()[1:])))


def leading(call: BatchedCall) -> Result:
    """Call the operator on operands with one more leading dimension."""
    return call.wrap(call.run(call.wholes()))


def rows(call: BatchedCall) -> Result:
    """Call an operator whose operands' first dimension counts rows, with the rows of the whole batch."""
    return call.split(
        call.run(tuple([operand if operand is None else call.rows(operand) for operand in call.operands]))
    )


def drawn(call: BatchedCall) -> Result:
    """Call a random operator: number elements through the whole batch, or use the same draw for each."""
    return leading(call) if call.level.randomness == "different" else call.each()


FAMILIES: dict[str, Callable[[BatchedCall], Any]] = {
    "elementwise": elementwise,
    "along": along,
    "first": first,
    "leading": leading,
    "rows": rows,
    "drawn": drawn,
}

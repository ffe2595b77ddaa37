"""How operators compute a whole batch at once: the families of them that a declaration's `batching` names.

Note [Batching]
~~~~~~~~~~~~~~~
What every operator gets is a `BatchedCall`. Most say nothing and belong to one of two families:
* elementwise operators broadcast: batched operands get dimensions of length 1 after the batch;
* operators with a parameter `dim` or `dims` have them moved by one, all operands batched.
Others say `batching`:
* "leading": operands may have further dimensions in front, as matrices and planes may; all are batched;
* "rows": the first dimension of each operand counts independent rows or images; the batch becomes part of it;
* a function of a namespace and the call, which gives the results, batched tensors, by other operators or by itself on
  what the operands wrap (`call.whole`, `call.run`, `call.wrap`); None where it cannot.
The rest runs once for each element, with a warning that names the operator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import UnsupportedError
from facula_errors.extend import warn

from .._core.tensor import Tensor, layout_of_tensor
from .._dispatch.namespaces import no_record_ops, recorded_ops
from .levels import call_contents, is_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core.types import Operands, Parameters, Result
    from .._dispatch.namespaces import Namespace
    from .._dispatch.operator import Operator
    from .batch import BatchLevel


class BatchedCall:
    """One call of an operator on batched tensors.

    Arguments:
        level: that of the `vmap`.
        op: the operator.
        operands: as it was called with; `contents` are what the batched ones wrap, and the others themselves.
        parameters: its parameters.
        record: whether what is computed is recorded.
    """

    __slots__ = ("batched", "contents", "level", "op", "operands", "parameters", "record", "size")

    def __init__(self, level: BatchLevel, op: Operator, operands: Operands, parameters: Parameters, record: bool):
        self.level, self.op, self.operands, self.parameters, self.record = level, op, operands, parameters, record
        self.size = level.size
        self.contents = tuple([level.value(a) for a in operands])
        self.batched = tuple([is_at(level, a) for a in operands])

    @property
    def F(self) -> Namespace:
        """The operators that record, or those that do not."""
        return recorded_ops if self.record else no_record_ops

    def whole(self, operand: Any) -> Any:
        """An operand with the batch in front, which is an expanded dimension where it is not batched."""
        if is_at(self.level, operand) or not isinstance(operand, Tensor):
            return self.level.value(operand)
        return self.F.expand(self.F.unsqueeze(operand, 0), (self.size, *operand.shape))

    def wholes(self) -> tuple[Any, ...]:
        """All operands with the batch in front."""
        return tuple([self.whole(a) for a in self.operands])

    def run(self, contents: Operands, parameters: Parameters | None = None) -> Result:
        """The operator on contents, with other parameters if any are given."""
        return call_contents(self.op, contents, self.parameters if parameters is None else parameters, self.record)

    def wrap(self, answer: Any) -> Any:
        """Results with the batch in front, as batched tensors; those that are as they are."""
        if isinstance(answer, (tuple, list)):
            return tuple([self.wrap(one) for one in answer])
        return answer if answer is None else self.level.make(answer)


def run(call: BatchedCall) -> Result:
    """The results of a call, as batched tensors."""
    op = call.op
    rule: Callable[[BatchedCall], Any] | None
    if op.batching is None:
        rule = elementwise if op.elementwise else along if {"dim", "dims"} & set(op.parameters) else None
    elif isinstance(op.batching, str):
        rule = FAMILIES[op.batching]
    else:
        found = op.batching(call.F, call)
        if found is not None:
            return found
        rule = None
    found = None if rule is None else rule(call)
    if found is None:
        warn(
            f"{op.name}: vmap runs it once for each of {call.size} elements of the batch; it has no rule for all at once"
        )
        return looped(call)
    return call.wrap(found)


def elementwise(call: BatchedCall) -> Result:
    """Operands that broadcast, with the batch in front of all dimensions."""
    ndim = max([layout_of_tensor(a).ndim for a in call.operands if isinstance(a, Tensor)])
    contents = []
    for one, batched in zip(call.contents, call.batched, strict=True):
        if batched:
            shape = layout_of_tensor(one).shape
            if len(shape) <= ndim:
                one = call.F.reshape(one, (shape[0], *(1,) * (ndim + 1 - len(shape)), *shape[1:]))
        contents.append(one)
    found: Any = call.run(tuple(contents))
    if call.op.widens:  # an operand without dimensions may be wider than the others, and has got one
        dtypes = [layout_of_tensor(a).dtype for a in call.operands if isinstance(a, Tensor)]
        narrow = min(dtypes, key=lambda dtype: dtype.itemsize)
        if layout_of_tensor(found).dtype is not call.op.result_dtype(narrow):
            found = call.F.to(found, (narrow,))
    return found


def along(call: BatchedCall) -> Result | None:
    """The parameters `dim` and `dims` moved by one; `shape` begins with the batch."""
    op, ndim = call.op, max([layout_of_tensor(a).ndim for a in call.operands])
    wholes, flat = call.wholes(), not ndim
    if flat:  # numbers, which have a dimension 0 too
        wholes = tuple([call.F.unsqueeze(one, 1) for one in wholes])
    parameters: list[Any] = []
    for name, given in zip(op.parameters, call.parameters, strict=True):
        if name == "dim" and given is None:
            return None
        if name == "dim":
            given = given + 1 if given >= 0 else given
        elif name == "dims":
            given = tuple([dim + 1 if dim >= 0 else dim for dim in given])
            if flat and not given:
                given = (1,)
        elif name == "shape":
            given = (call.size, *given)
        parameters.append(given)
    found = call.run(wholes, tuple(parameters))
    if flat:
        found = [call.F.reshape(one, (call.size,)) for one in (found if type(found) is tuple else (found,))]
        return found[0] if len(found) == 1 else tuple(found)
    return found


def leading(call: BatchedCall) -> Result:
    """The operator itself, of operands with one more dimension in front."""
    return call.run(call.wholes())


def rows(call: BatchedCall) -> Result:
    """The operator of operands whose first dimension counts rows: as many times more of them."""
    wholes = [one if one is None else merged(call.F, one) for one in call.wholes()]
    return split(call.F, call.run(tuple(wholes)), call.size)


def merged(F: Namespace, whole: Tensor) -> Tensor:
    """The batch and the dimension behind it as one."""
    shape = layout_of_tensor(whole).shape
    return F.reshape(whole, (shape[0] * shape[1], *shape[2:]))


def split(F: Namespace, found: Any, size: int) -> Any:
    """The opposite of `merged`, of a result or a tuple of them."""
    if type(found) is tuple:
        return tuple([split(F, one, size) for one in found])
    shape = layout_of_tensor(found).shape
    return F.reshape(found, (size, shape[0] // max(1, size), *shape[1:]))


def looped(call: BatchedCall) -> Result:
    """The operator for each element of the batch."""
    if not call.size:
        raise UnsupportedError(f"{call.op.name}: expected a batch of at least one element; got none")
    F, found = call.F, []
    for i in range(call.size):
        operands = [
            F.select(one, 0, i) if batched else one for one, batched in zip(call.contents, call.batched, strict=True)
        ]
        answer = call.run(tuple(operands))
        found.append(answer if type(answer) is tuple else (answer,))
    results = call.wrap([F.stack(tuple(parts), (0,)) for parts in zip(*found, strict=True)])
    return results[0] if len(results) == 1 else results


FAMILIES: dict[str, Callable[[BatchedCall], Any]] = {
    "elementwise": elementwise,
    "leading": leading,
    "rows": rows,
    "along": along,
}

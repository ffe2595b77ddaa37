"""One call of an operator on batched tensors, and its operands with the batch in front."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_errors import UnsupportedError

from .._core.tensor import Tensor, layout_of_tensor
from .._dispatch.namespaces import no_record_ops, recorded_ops
from .levels import call_contents, is_at

if TYPE_CHECKING:
    from .._core.types import Operands, Parameters, Result
    from .._dispatch.namespaces import Namespace
    from .._dispatch.operator import Operator


class BatchedCall:
    """One call of an operator on batched tensors.

    Arguments:
        level: the level of the `vmap`.
        op: the operator.
        operands: the operands; `contents` are the contents of batched operands, and the other operands unchanged.
        parameters: its parameters.
        record: whether to record the computation.
    """

    __slots__ = ("batched", "contents", "level", "op", "operands", "parameters", "record", "size")

    def __init__(self, level: Any, op: Operator, operands: Operands, parameters: Parameters, record: bool):
        self.level, self.op, self.operands, self.parameters, self.record = level, op, operands, parameters, record
        self.size = level.size
        self.contents = tuple([level.value(a) for a in operands])
        self.batched = tuple([is_at(level, a) for a in operands])

    @property
    def F(self) -> Namespace:
        """The namespace of operators that record, or of those that do not."""
        return recorded_ops if self.record else no_record_ops

    def run(self, contents: Operands, parameters: Parameters | None = None) -> Result:
        """Call the operator on contents, with other parameters if any are given."""
        return call_contents(self.op, contents, self.parameters if parameters is None else parameters, self.record)

    def each(self) -> Any:
        """Call the operator for each element of the batch; return batched results."""
        F, op, found = self.F, self.op, []
        if not self.size:
            raise UnsupportedError(f"{op.name}: expected a batch of at least one element; got none")
        plain = op.decompose is None and op.execute is None  # the kernel may require contiguous operands
        for i in range(self.size):
            operands = [
                F.select(content, 0, i) if batched else content
                for content, batched in zip(self.contents, self.batched, strict=True)
            ]
            if plain:
                operands = [F.contiguous(operand) if isinstance(operand, Tensor) else operand for operand in operands]
            answer = self.run(tuple(operands))
            found.append(answer if type(answer) is tuple else (answer,))
        results = self.wrap(
            [None if parts[0] is None else F.stack(tuple(parts), (0,)) for parts in zip(*found, strict=True)]
        )
        return results[0] if len(results) == 1 else results

    # ------------------------------------------------------------------------------------------ operands
    def whole(self, operand: Any) -> Any:
        """Return an operand with the batch in front, as an expanded dimension if the operand is not batched."""
        if is_at(self.level, operand) or not isinstance(operand, Tensor):
            return self.level.value(operand)
        return self.F.expand(self.F.unsqueeze(operand, 0), (self.size, *operand.shape))

    def wholes(self) -> tuple[Any, ...]:
        """Return all operands with the batch in front."""
        return tuple([self.whole(a) for a in self.operands])

    def aligned(self) -> tuple[Any, ...]:
        """Return the contents; batched ones have dimensions of length 1 after the batch, so that they broadcast."""
        ndim = 1 + max([layout_of_tensor(a).ndim for a in self.operands if isinstance(a, Tensor)])
        return tuple(
            [
                self.F.reshape(content, (content.shape[0], *(1,) * (ndim - content.ndim), *content.shape[1:]))
                if batched
                else content
                for content, batched in zip(self.contents, self.batched, strict=True)
            ]
        )

    def rows(self, operand: Any) -> Tensor:
        """Return an operand with the batch merged into its first dimension."""
        whole = self.whole(operand)
        shape = layout_of_tensor(whole).shape
        return self.F.reshape(whole, (shape[0] * prod(shape[1:2]), *shape[2:]))

    def channels(self, operand: Any) -> Tensor:
        """Return an operand with the batch merged into its second dimension."""
        whole = self.F.movedim(self.whole(operand), 0, 1)
        shape = layout_of_tensor(whole).shape
        return self.F.reshape(whole, (shape[0], shape[1] * shape[2], *shape[3:]))

    def grouped(self) -> Parameters:
        """Return the parameters of a convolution with the number of groups multiplied by the batch size."""
        place = self.op.parameters.index("groups")
        return (*self.parameters[:place], self.parameters[place] * self.size, *self.parameters[place + 1 :])

    # ------------------------------------------------------------------------------------------- results
    def wrap(self, answer: Any) -> Any:
        """Wrap results with the batch in front as batched tensors."""
        if isinstance(answer, (tuple, list)):
            return tuple([self.wrap(value) for value in answer])
        return None if answer is None else self.level.make(answer)

    def split(self, answer: Any) -> Any:
        """Wrap results with the batch merged into their first dimension as batched tensors."""
        if isinstance(answer, (tuple, list)):
            return tuple([self.split(value) for value in answer])
        if answer is None:
            return None
        shape = layout_of_tensor(answer).shape
        return self.level.make(self.F.reshape(answer, (self.size, shape[0] // max(1, self.size), *shape[1:])))

    def split_channels(self, answer: Any) -> Any:
        """Wrap a result with the batch merged into its second dimension as a batched tensor."""
        if answer is None:
            return None
        shape = layout_of_tensor(answer).shape
        parts = self.F.reshape(answer, (shape[0], self.size, shape[1] // max(1, self.size), *shape[2:]))
        return self.level.make(self.F.movedim(parts, 1, 0))

"""Steps of redistribution: collective operations with derivatives.

Note [Derivatives of parts]
~~~~~~~~~~~~~~~~~~~~~~~~~~~
Each process records the operators on its local tensors. The gradient of a local tensor is the derivative of the one
loss with respect to it, which determines how gradients are distributed:

    a tensor with     has a gradient with
    Shard(d)          Shard(d)
    Replicate         Replicate: each process has the sum over all processes
    Partial(sum)      Replicate: all terms have the gradient of the sum

If a process computes with a part of one operand and the whole of another one, it knows only its own term of the whole
one's gradient. So such an operand passes an `Enter` step, the identity, whose derivative adds the terms. Each step's
derivative is another step (`transposed`), so second derivatives work too:

    Gather (parts to a whole)        Slice (a whole to the own part)
    Reduce (terms to a sum)          Enter (a whole to a value that processes use differently)
    ReduceScatter (terms to parts)   Enter after Gather
    Exchange (parts along one dimension to parts along another)   Exchange in the other direction
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import UnsupportedError
from facula_tensor import Function, Tensor, cat, empty, no_grad
from facula_tensor.extend.overriding import disable_overrides

from .._collectives.exchanges import all_gather_into_tensor, all_to_all
from .._collectives.reductions import all_reduce, reduce_scatter_tensor
from .._groups.work import ReduceOp
from .layout import chunk_of

if TYPE_CHECKING:
    from .._groups.groups import ProcessGroup


class Step:
    """A change of local tensors by all processes of a group.

    Arguments:
        group: the group, of several processes.
    """

    def __init__(self, group: ProcessGroup) -> None:
        self.group, self.size, self.index = group, group.size(), group.rank()

    if TYPE_CHECKING:

        def run(self, local: Tensor) -> Tensor:
            """Return the new local tensor."""

        def transposed(self) -> tuple[Step, ...]:
            """Return the steps that convert the gradient of the result to that of the local tensor."""


class _Run(Function):
    @staticmethod
    def forward(ctx: Any, local: Tensor, step: Step) -> Tensor:  # type: ignore[override]
        ctx.step = step
        return step.run(local)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:  # type: ignore[override]
        for step in ctx.step.transposed():
            grad = apply(step, grad)
        return grad, None


class _RunExtreme(Function):
    @staticmethod
    def forward(ctx: Any, local: Tensor, step: Reduce) -> Tensor:  # type: ignore[override]
        result = step.run(local)
        ctx.step = step
        ctx.save_for_backward(local, result)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:  # type: ignore[override]
        local, result = ctx.saved_tensors
        group = ctx.step.group
        if ctx.step.op == "product":
            raise UnsupportedError(
                "redistribute: the derivative of Partial('product') is not supported; compute the product of the "
                "logarithms' sum, or detach the tensor"
            )
        with disable_overrides():
            chosen = (local.detach() == result.detach()).to(grad.dtype)
            return apply(Enter(group), grad) * (chosen / Reduce(group).run(chosen)), None


def apply(step: Step, local: Tensor) -> Tensor:
    """Run a step, recorded if the local tensor requires a gradient."""
    if not local.requires_grad:
        with no_grad():
            return step.run(local)
    function = _RunExtreme if isinstance(step, Reduce) and step.op != "sum" else _Run
    result: Tensor = function.apply(local, step)
    return result


class Enter(Step):
    """The identity of a whole tensor that the processes use differently; its derivative adds their terms."""

    def run(self, local: Tensor) -> Tensor:
        return local.view_as(local)

    def transposed(self) -> tuple[Step, ...]:
        return (Reduce(self.group),)


class Reduce(Step):
    """Terms to the whole.

    Arguments:
        group: the group.
        op: "sum", "min", "max" or "product".
    """

    def __init__(self, group: ProcessGroup, op: str = "sum") -> None:
        super().__init__(group)
        self.op = op

    def run(self, local: Tensor) -> Tensor:
        result = local.detach().clone().contiguous()
        all_reduce(result, getattr(ReduceOp, self.op.upper()), self.group)
        return result

    def transposed(self) -> tuple[Step, ...]:
        return (Enter(self.group),)


class _Along(Step):
    """A step along a dimension.

    Arguments:
        group: the group.
        dim: the dimension.
        length: its whole length.
    """

    def __init__(self, group: ProcessGroup, dim: int, length: int) -> None:
        super().__init__(group)
        self.dim, self.length = dim, length
        self.step = -(-length // self.size)  # the length of the first part

    def padded(self, local: Tensor, length: int) -> Tensor:
        """Return a contiguous tensor whose first dimension is this one, with a length of at least `length`."""
        moved = local.detach().movedim(self.dim, 0)
        if moved.shape[0] < length:
            moved = cat([moved, moved.new_zeros((length - moved.shape[0], *moved.shape[1:]))])
        return moved.contiguous()

    def unpadded(self, moved: Tensor, length: int) -> Tensor:
        """Return the first elements of a tensor from `padded`, with this dimension in its place."""
        return moved[:length].movedim(0, self.dim).contiguous()


class Gather(_Along):
    """Parts to the whole. Arguments: those of `_Along`."""

    def run(self, local: Tensor) -> Tensor:
        part = self.padded(local, self.step)
        whole = empty((self.size * self.step, *part.shape[1:]), dtype=part.dtype)
        all_gather_into_tensor(whole, part, self.group)
        return self.unpadded(whole, self.length)

    def transposed(self) -> tuple[Step, ...]:
        return (Slice(self.group, self.dim, self.length),)


class Slice(_Along):
    """The whole to the own part. Arguments: those of `_Along`."""

    def run(self, local: Tensor) -> Tensor:
        begin, end = chunk_of(self.length, self.size, self.index)
        return local.detach().narrow(self.dim, begin, end - begin).clone()

    def transposed(self) -> tuple[Step, ...]:
        return (Gather(self.group, self.dim, self.length),)


class ReduceScatter(_Along):
    """Terms to the own part of their sum. Arguments: those of `_Along`."""

    def run(self, local: Tensor) -> Tensor:
        terms = self.padded(local, self.size * self.step)
        part = empty((self.step, *terms.shape[1:]), dtype=terms.dtype)
        reduce_scatter_tensor(part, terms, group=self.group)
        begin, end = chunk_of(self.length, self.size, self.index)
        return self.unpadded(part, end - begin)

    def transposed(self) -> tuple[Step, ...]:
        return Gather(self.group, self.dim, self.length), Enter(self.group)


class Exchange(Step):
    """Parts along one dimension to parts along another one.

    Arguments:
        group: the group.
        joined: the dimension that becomes whole.
        joined_length: its whole length.
        cut: the dimension that is divided.
        cut_length: its whole length.
    """

    def __init__(self, group: ProcessGroup, joined: int, joined_length: int, cut: int, cut_length: int) -> None:
        super().__init__(group)
        self.joined, self.joined_length, self.cut, self.cut_length = joined, joined_length, cut, cut_length

    def run(self, local: Tensor) -> Tensor:
        sent, received = [], []
        own_begin, own_end = chunk_of(self.cut_length, self.size, self.index)
        for other in range(self.size):
            begin, end = chunk_of(self.cut_length, self.size, other)
            sent.append(local.detach().narrow(self.cut, begin, end - begin).contiguous())
            shape = list(local.shape)
            first, last = chunk_of(self.joined_length, self.size, other)
            shape[self.joined], shape[self.cut] = last - first, own_end - own_begin
            received.append(empty(shape, dtype=local.dtype))
        all_to_all(received, sent, self.group)
        return cat(received, self.joined)

    def transposed(self) -> tuple[Step, ...]:
        return (Exchange(self.group, self.cut, self.cut_length, self.joined, self.joined_length),)

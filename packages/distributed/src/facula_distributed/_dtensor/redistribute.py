"""Redistribution: local tensors of one list of placements to those of another.

A tensor's dimension may be sharded along several dimensions of the mesh, the first ones coarsest. So parts are joined
from the last dimension of the mesh to the first, and divided from the first to the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError
from facula_tensor import Function

from .layout import Layout, Placements, box_at, gradient_placements
from .placements import Partial, Placement, Replicate, Shard
from .steps import Enter, Exchange, Gather, Reduce, ReduceScatter, Slice, Step, apply

if TYPE_CHECKING:
    from collections.abc import Iterable

    from facula_tensor import Tensor


def enter(local: Tensor, layout: Layout, dims: Iterable[int]) -> Tensor:
    """Return the same values, whose gradient is added over the processes along these dimensions of the mesh."""
    for dim in dims:
        if layout.mesh.shape[dim] > 1 and local.requires_grad:
            local = apply(Enter(layout.mesh._groups[dim]), local)
    return local


def redistributed(local: Tensor, layout: Layout, targets: Placements) -> Tensor:
    """Return this process's part for other placements; all processes of the mesh call this.

    Arguments:
        local: this process's part.
        layout: the present layout.
        targets: the new placements.
    """
    if layout.placements == targets:
        return local
    return _Redistribution(layout, targets).run(local)


class _WithGradient(Function):
    @staticmethod
    def forward(ctx: Any, local: Tensor, layout: Layout, grads: Placements) -> Tensor:  # type: ignore[override]
        ctx.layout, ctx.grads = layout, grads
        return local.view_as(local)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:  # type: ignore[override]
        layout = ctx.layout.with_placements(ctx.grads)
        return redistributed(grad, layout, gradient_placements(ctx.layout.placements)), None, None


def with_gradient(local: Tensor, layout: Layout, grads: Placements) -> Tensor:
    """Return a local tensor whose gradient has given placements.

    Arguments:
        local: this process's part.
        layout: its layout.
        grads: the placements of the gradient of the result.
    """
    result: Tensor = _WithGradient.apply(local, layout, grads)
    return result


class _Redistribution:
    def __init__(self, layout: Layout, targets: Placements) -> None:
        self.mesh, self.shape, self.targets = layout.mesh, layout.shape, targets
        self.now: list[Placement] = list(layout.placements)

    def length(self, dim: int, before: int) -> int:
        """Return the length of a tensor's dimension, divided along the dimensions of the mesh before one."""
        placements = (*self.now[:before], *[Replicate()] * (len(self.now) - before))
        begin, end = box_at(self.shape, self.mesh.shape, placements, self.mesh._own("redistribute"))[dim]
        return end - begin

    def is_divided(self, dim: int, after: int) -> bool:
        """Return whether a dimension of the mesh after one divides this one of the tensor."""
        return Shard(dim) in self.now[after + 1 :]

    def run(self, local: Tensor) -> Tensor:
        for at in reversed(range(len(self.now))):
            if isinstance(self.now[at], Shard) and (self.now[at] != self.targets[at] or self.is_outer_changed(at)):
                local = self.join(local, at)
        for at in range(len(self.now)):
            if self.now[at] != self.targets[at]:
                local = self.divide(local, at)
                self.now[at] = self.targets[at]
        return local

    def is_outer_changed(self, at: int) -> bool:
        """Return whether the same dimension of the tensor gets other parts along an earlier dimension of the mesh."""
        return any(
            now != target and self.now[at] in (now, target)
            for now, target in zip(self.now[:at], self.targets[:at], strict=True)
        )

    def step(self, local: Tensor, at: int, kind: type[Step], *arguments: int | str) -> Tensor:
        if self.mesh.shape[at] == 1:
            return local
        return apply(kind(self.mesh._groups[at], *arguments), local)

    def join(self, local: Tensor, at: int) -> Tensor:
        """Make the parts along a dimension of the mesh whole, or directly parts along the wanted dimension."""
        now, target = self.now[at], self.targets[at]
        assert isinstance(now, Shard)
        length = self.length(now.dim, at)
        others = {*self.now[:at], *self.now[at + 1 :], *self.targets[:at], *self.targets[at + 1 :]}
        if isinstance(target, Shard) and target != now and not others & {now, target}:
            local = self.step(local, at, Exchange, now.dim, length, target.dim, self.shape[target.dim])  # type: ignore[arg-type]
            self.now[at] = target
        else:
            local = self.step(local, at, Gather, now.dim, length)  # type: ignore[arg-type]
            self.now[at] = Replicate()
        return local

    def divide(self, local: Tensor, at: int) -> Tensor:
        """Change the placement along a dimension of the mesh from Replicate or Partial to the wanted one."""
        now, target = self.now[at], self.targets[at]
        if isinstance(now, Partial):
            if isinstance(target, Shard) and now.reduce_op in ("sum", "avg"):
                local = self.step(local, at, ReduceScatter, target.dim, self.length(target.dim, at))  # type: ignore[arg-type]
                return local / self.mesh.shape[at] if now.reduce_op == "avg" else local
            local = self.step(local, at, Reduce, "sum" if now.reduce_op == "avg" else now.reduce_op)  # type: ignore[arg-type]
            if now.reduce_op == "avg":
                local = local / self.mesh.shape[at]
        if isinstance(target, Shard):
            return self.step(local, at, Slice, target.dim, self.length(target.dim, at))  # type: ignore[arg-type]
        if isinstance(target, Partial):
            return self.as_terms(local, at, target)
        return local

    def as_terms(self, local: Tensor, at: int, target: Partial) -> Tensor:
        """Return terms whose reduction is a whole tensor."""
        local = self.step(local, at, Enter)
        if target.reduce_op != "sum":
            if target.reduce_op == "product":
                raise InvalidValueError(
                    "redistribute: expected other placements than Partial('product'); use Replicate()"
                )
            return local
        return local if self.mesh._own("redistribute")[at] == 0 else local * 0

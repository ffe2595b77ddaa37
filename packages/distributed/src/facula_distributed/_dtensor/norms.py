"""Numbers of distributed tensors, such as norms, computed from those of the parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_tensor import stack
from facula_tensor.extend.overriding import disable_overrides

from .layout import gradient_placements
from .placements import Shard
from .steps import Gather, apply

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_tensor import Tensor

    from .mesh import DeviceMesh


def combined(numbers: Tensor, mesh: DeviceMesh, dims: Sequence[int], combine: Callable[[Tensor], Tensor]) -> Tensor:
    """Return the numbers of whole tensors; all processes compute the same ones. Differentiable.

    Arguments:
        numbers: those of this process's parts, a vector.
        mesh: the mesh.
        dims: its dimensions along which the parts differ.
        combine: reduces the first dimension, of the processes.
    """
    for dim in dims:
        if mesh.shape[dim] > 1:
            numbers = combine(apply(Gather(mesh._groups[dim], 0, mesh.shape[dim]), numbers[None]))
    return numbers


def reduced_parts(
    tensors: Sequence[Any], reduce: Callable[[Tensor], Tensor], combine: Callable[[Tensor], Tensor]
) -> list[Tensor]:
    """Return a number of each tensor, with one exchange for all tensors that are distributed in the same way.

    Arguments:
        tensors: DTensors.
        reduce: returns the number of a local tensor.
        combine: as in `combined`.
    """
    found: list[Any] = []
    alike: dict[Any, list[int]] = {}
    for at, tensor in enumerate(tensors):
        whole = tensor.redistribute(placements=gradient_placements(tensor.placements))
        mesh, dims = whole.device_mesh, tuple(k for k, one in enumerate(whole.placements) if isinstance(one, Shard))
        found.append(reduce(whole.to_local()))
        alike.setdefault((mesh, dims, found[-1].dtype), []).append(at)
    for (mesh, dims, _), places in alike.items():
        with disable_overrides():
            numbers = combined(stack([found[at] for at in places]), mesh, dims, combine)
        for at, number in zip(places, numbers.unbind(), strict=True):
            found[at] = number
    return found

"""Layouts: the mesh, the placements and the whole shape of a distributed tensor, and each process's part of it."""

from __future__ import annotations

import zlib
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from facula_errors import InvalidTypeError, InvalidValueError

from .mesh import DeviceMesh
from .placements import Partial, Placement, Replicate, Shard

if TYPE_CHECKING:
    from collections.abc import Sequence

Placements: TypeAlias = tuple[Placement, ...]


class Layout:
    """How a tensor is distributed: a mesh, a placement for each of its dimensions, the whole shape and strides."""

    __slots__ = ("_hash", "mesh", "placements", "shape", "stride")

    def __init__(
        self, mesh: DeviceMesh, placements: Placements, shape: tuple[int, ...], stride: tuple[int, ...]
    ) -> None:
        self.mesh, self.placements, self.shape, self.stride = mesh, placements, shape, stride
        self._hash = hash((mesh, placements, shape, stride))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Layout)
            and self._hash == other._hash
            and (self.placements, self.shape, self.stride) == (other.placements, other.shape, other.stride)
            and self.mesh == other.mesh
        )

    def with_placements(self, placements: Placements) -> Layout:
        """Return the layout with other placements."""
        return Layout(self.mesh, placements, self.shape, self.stride)

    def box(self) -> list[tuple[int, int]]:
        """Return the first and the last index, exclusive, of this process's part along each dimension."""
        return box_at(self.shape, self.mesh.shape, self.placements, self.mesh._own("DTensor"))

    def local_shape(self) -> tuple[int, ...]:
        """Return the shape of this process's part."""
        return tuple([end - begin for begin, end in self.box()])


def contiguous_stride(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of a contiguous tensor."""
    return tuple([prod([max(one, 1) for one in shape[dim + 1 :]]) for dim in range(len(shape))])


def chunk_of(length: int, parts: int, index: int) -> tuple[int, int]:
    """Return where a part of a length begins and ends."""
    step = -(-length // parts)
    return min(step * index, length), min(step * (index + 1), length)


def box_at(
    shape: Sequence[int], mesh_shape: Sequence[int], placements: Placements, coordinate: Sequence[int]
) -> list[tuple[int, int]]:
    """Return the box of the process at a coordinate of the mesh. A dimension may be sharded several times, in order."""
    box = [(0, length) for length in shape]
    for size, placement, index in zip(mesh_shape, placements, coordinate, strict=True):
        if isinstance(placement, Shard):
            first, last = box[placement.dim]
            begin, end = chunk_of(last - first, size, index)
            box[placement.dim] = (first + begin, first + end)
    return box


def checked_mesh(operation: str, mesh: object) -> DeviceMesh:
    """Return a mesh that this process is in; TypeError or RuntimeError for others."""
    if not isinstance(mesh, DeviceMesh):
        raise InvalidTypeError(
            f"{operation}: expected device_mesh to be a DeviceMesh; got {type(mesh).__name__}; make one by "
            "init_device_mesh"
        )
    mesh._own(operation)
    return mesh


def checked_placements(operation: str, placements: object, mesh: DeviceMesh, ndim: int) -> Placements:
    """Return placements with dimensions from 0 on: one for each dimension of the mesh. None: all replicated.

    Raises:
        TypeError: not placements.
        ValueError: another number of them, or a dimension that the tensor does not have.
    """
    if placements is None:
        return (Replicate(),) * mesh.ndim
    found = [placements] if isinstance(placements, Placement) else placements
    if not isinstance(found, (list, tuple)) or not all(isinstance(one, Placement) for one in found):
        raise InvalidTypeError(
            f"{operation}: expected placements to be a list of Shard, Replicate or Partial; got {placements!r:.100}"
        )
    if len(found) != mesh.ndim:
        raise InvalidValueError(
            f"{operation}: expected {mesh.ndim} placements, one for each dimension of the mesh; got {list(found)}"
        )
    checked: list[Placement] = []
    for one in found:
        if isinstance(one, Shard):
            if not -ndim <= one.dim < ndim:
                raise InvalidValueError(
                    f"{operation}: expected Shard of one of {ndim} dimensions of the tensor; got {one!r}"
                )
            one = Shard(one.dim % ndim)
        checked.append(one)
    return tuple(checked)


def is_linear(placement: Placement) -> bool:
    """Return whether each process has a term of a sum or of a mean."""
    return isinstance(placement, Partial) and placement.reduce_op in ("sum", "avg")


def gradient_placements(placements: Placements) -> Placements:
    """Return the placements of the gradient of a tensor; see Note [Derivatives of parts] in steps.py."""
    return tuple([Replicate() if isinstance(one, Partial) else one for one in placements])


def writers(name: str, layout: Layout) -> tuple[tuple[int, tuple[tuple[int, int], ...]], ...]:
    """Return the rank among all and the box of one of the processes that have each part that is not empty.

    Arguments:
        name: a name, which spreads the work among processes that have the same part.
        layout: the layout, without terms.
    """
    mesh, chosen = layout.mesh, zlib.crc32(name.encode())
    found: list[tuple[int, tuple[tuple[int, int], ...]]] = []
    for number, rank in enumerate(mesh._ranks):
        at = [number // prod(mesh.shape[dim + 1 :]) % mesh.shape[dim] for dim in range(mesh.ndim)]
        copies = zip(at, mesh.shape, layout.placements, strict=True)
        if all(index == chosen % size or isinstance(one, Shard) for index, size, one in copies):
            box = tuple(box_at(layout.shape, mesh.shape, layout.placements, at))
            if all(begin < end for begin, end in box) or (not prod(layout.shape) and not found):
                found.append((rank, box))
    return tuple(found)

"""Meshes: processes arranged in several dimensions, each with its own process groups."""

from __future__ import annotations

import itertools
from math import prod
from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError, OperationError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Tensor, int32
from facula_tensor import tensor as make_tensor

from .._groups.groups import ProcessGroup, all_groups, default_group, init_process_group, is_initialized, new_group

if TYPE_CHECKING:
    from collections.abc import Sequence


class MeshKeyError(FaculaError, KeyError):
    """A name that a mesh's dimensions do not have."""

    def __str__(self) -> str:
        return str(self.args[0])


def _group_with(ranks: tuple[int, ...]) -> ProcessGroup:
    """Return the group of these processes, which is made once; they all call this."""
    default = default_group()
    if ranks == tuple(range(default.size())):
        return default
    lines: dict[tuple[int, ...], ProcessGroup] = vars(default).setdefault("_lines", {})
    if lines.get(ranks) not in all_groups():
        made: ProcessGroup = new_group(list(ranks), use_local_synchronization=True, group_desc="mesh")
        lines[ranks] = made
    return lines[ranks]


def _flat(mesh: Any) -> tuple[list[int], tuple[int, ...]]:
    """Return the ranks in a nested list or a tensor, in row-major order, and its shape."""
    mesh = mesh.tolist() if hasattr(mesh, "tolist") else mesh
    if isinstance(mesh, int) and not isinstance(mesh, bool):
        return [mesh], ()
    if isinstance(mesh, (list, tuple)) and mesh:
        parts = [_flat(one) for one in mesh]
        if all(part[1] == parts[0][1] for part in parts):
            return [rank for ranks, _ in parts for rank in ranks], (len(parts), *parts[0][1])
    raise InvalidValueError(
        f"DeviceMesh: expected mesh to be ranks in nested lists of equal lengths; got {mesh!r:.100}"
    )


def _check_device(operation: str, device_type: object) -> None:
    if not isinstance(device_type, str):
        raise InvalidTypeError(f"{operation}: expected device_type to be a str; got {type(device_type).__name__}")
    if device_type != "cpu":
        raise UnsupportedError(
            f"{operation}: expected device_type='cpu', as process groups are of the CPU; got {device_type!r}"
        )


@boundary
class DeviceMesh:
    """Processes arranged in several dimensions, such as data parallel and tensor parallel ones.

    Each dimension has a process group for each line of processes along it. All processes of the mesh must make it.

    Arguments:
        device_type: "cpu".
        mesh: the ranks, in nested lists or an integer tensor.
        mesh_dim_names: the names of the dimensions, or None.
        backend_override: ignored.

    Raises:
        ValueError: ranks that do not exist or occur twice, or another number of names than of dimensions.
        NotImplementedError: another device.

    >>> from facula_distributed import HashStore, destroy_process_group, init_process_group
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> mesh = DeviceMesh("cpu", [[0]], mesh_dim_names=("dp", "tp"))
    >>> mesh, mesh["tp"].size(), mesh.get_coordinate()
    (DeviceMesh((dp=1, tp=1), 'cpu'), 1, [0, 0])
    >>> destroy_process_group()
    """

    _groups: list[ProcessGroup]  # this process's, along each dimension
    _root: DeviceMesh | None  # the mesh that this one is a part of
    _known: dict[tuple[str, ...], DeviceMesh]  # flattened meshes, by their names
    _hash: int  # 0 until it is needed

    def __init__(
        self,
        device_type: str,
        mesh: Any,
        *,
        mesh_dim_names: Sequence[str] | None = None,
        backend_override: object = None,
        _init_backend: bool = True,
    ) -> None:
        _check_device("DeviceMesh", device_type)
        if not is_initialized():
            init_process_group()
        ranks, shape = _flat(mesh)
        size = default_group().size()
        if len(set(ranks)) < len(ranks) or not shape or not all(0 <= rank < size for rank in ranks):
            raise InvalidValueError(
                f"DeviceMesh: expected mesh to be different ranks below {size}, the number of processes, with at least "
                f"one dimension; got {mesh!r:.100}"
            )
        self._set(tuple(ranks), shape, mesh_dim_names)
        if self._coordinate is not None:
            self._groups = [_group_with(self._line((dim,))) for dim in range(self.ndim)]

    def _set(self, ranks: tuple[int, ...], shape: tuple[int, ...], names: Sequence[str] | None) -> None:
        self.device_type = "cpu"
        self._ranks, self._shape = ranks, shape
        self.mesh_dim_names = None if names is None else tuple(names)
        if self.mesh_dim_names is not None and (
            len(self.mesh_dim_names) != len(shape) or len(set(self.mesh_dim_names)) != len(shape)
        ):
            raise InvalidValueError(
                f"DeviceMesh: expected {len(shape)} different mesh_dim_names, one for each dimension; got {names!r}"
            )
        self._groups, self._root, self._known, self._hash = [], None, {}, 0
        rank = default_group().rank()
        place = ranks.index(rank) if rank in ranks else None
        self._coordinate: list[int] | None = None
        if place is not None:
            self._coordinate = [place // prod(shape[dim + 1 :]) % shape[dim] for dim in range(len(shape))]

    def _line(self, dims: tuple[int, ...]) -> tuple[int, ...]:
        """Return the ranks with this process's coordinates in all dimensions but these, in row-major order."""
        own = self._own("mesh")
        ranges = [range(self._shape[dim]) for dim in dims]
        found = []
        for indices in itertools.product(*ranges):
            at = list(own)
            for dim, index in zip(dims, indices, strict=True):
                at[dim] = index
            found.append(self._ranks[sum(index * prod(self._shape[dim + 1 :]) for dim, index in enumerate(at))])
        return tuple(found)

    def _own(self, operation: str) -> list[int]:
        if self._coordinate is None:
            raise OperationError(f"{operation}: expected a mesh with this process in it; got {self!r}")
        return self._coordinate

    @property
    def mesh(self) -> Tensor:
        """The ranks, as an int32 tensor."""
        return make_tensor(self._ranks, dtype=int32).reshape(self._shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of processes along each dimension."""
        return self._shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._shape)

    def size(self, mesh_dim: int | str | None = None) -> int:
        """Return the number of processes, or that along a dimension."""
        return prod(self._shape) if mesh_dim is None else self._shape[self._dim("size", mesh_dim)]

    def _dim(self, operation: str, mesh_dim: object) -> int:
        """Return the number of a dimension; of the only one if it is None."""
        if mesh_dim is None and self.ndim == 1:
            return 0
        if isinstance(mesh_dim, str) and self.mesh_dim_names and mesh_dim in self.mesh_dim_names:
            return self.mesh_dim_names.index(mesh_dim)
        if isinstance(mesh_dim, int) and -self.ndim <= mesh_dim < self.ndim:
            return mesh_dim % self.ndim
        raise OperationError(f"{operation}: expected mesh_dim to be a dimension of {self!r}; got {mesh_dim!r}")

    def get_group(self, mesh_dim: int | str | None = None) -> ProcessGroup:
        """Return this process's group along a dimension, which may be left out of a mesh with one.

        Arguments:
            mesh_dim: the number or the name of the dimension.
        """
        if isinstance(mesh_dim, str) and (mesh_dim,) in self._base._known:
            return self._base._known[mesh_dim,].get_group()
        self._own("get_group")
        return self._groups[self._dim("get_group", mesh_dim)]

    def get_all_groups(self) -> list[ProcessGroup]:
        """Return this process's groups along all dimensions."""
        return list(self._groups)

    def get_rank(self) -> int:
        """Return the rank of this process among all."""
        return default_group().rank()

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """Return the index of this process along a dimension, which may be left out of a mesh with one."""
        return self._own("get_local_rank")[self._dim("get_local_rank", mesh_dim)]

    def get_coordinate(self) -> list[int] | None:
        """Return the indices of this process along all dimensions; None if it is not in the mesh."""
        return None if self._coordinate is None else list(self._coordinate)

    @property
    def _base(self) -> DeviceMesh:
        return self if self._root is None else self._root

    def _get_root_mesh(self) -> DeviceMesh:
        """Return the mesh that this is a part of, or the mesh itself."""
        return self._base

    def _part(self, dims: tuple[int, ...]) -> DeviceMesh:
        made = object.__new__(DeviceMesh)
        assert self.mesh_dim_names is not None
        made._set(self._line(dims), tuple(self._shape[dim] for dim in dims), [self.mesh_dim_names[dim] for dim in dims])
        made._groups, made._root = [self._groups[dim] for dim in dims], self._base
        return made

    def __getitem__(self, names: str | tuple[str, ...]) -> DeviceMesh:
        """Return the mesh of some dimensions, with this process's indices in the others.

        Arguments:
            names: the name of a dimension, several in the order of the dimensions, or one of `_flatten`.

        Raises:
            KeyError: there is no such name.
        """
        chosen = (names,) if isinstance(names, str) else tuple(names)
        if chosen == self.mesh_dim_names:
            return self
        known = self._base._known.get(chosen)
        if known is not None and set(known._ranks) <= set(self._ranks):
            return known
        own = self.mesh_dim_names or ()
        dims = tuple(own.index(name) for name in chosen if name in own)
        if not chosen or len(dims) != len(chosen) or list(dims) != sorted(set(dims)):
            flat = [one[0] for one in self._base._known if len(one) == 1 and one[0] not in own]
            raise MeshKeyError(
                f"DeviceMesh: expected names among {(*own, *flat)}, each once and in this order; got {names!r}"
            )
        self._own("DeviceMesh")
        return self._part(dims)

    def _flatten(self, mesh_dim_name: str | None = None, backend_override: object = None) -> DeviceMesh:
        """Return a mesh of one dimension with the same processes, also found by its name in the mesh it comes from.

        Arguments:
            mesh_dim_name: its name; the names of the dimensions, joined by "_", if None.
            backend_override: ignored.
        """
        name = "_".join(self.mesh_dim_names or ()) if mesh_dim_name is None else mesh_dim_name
        if self.ndim == 1 and mesh_dim_name in (None, *(self.mesh_dim_names or ())):
            return self
        names = self._base.mesh_dim_names or ()
        known = self._base._known.get((name,))
        if name in names or (known is not None and known._ranks != self._ranks):
            raise InvalidValueError(f"_flatten: expected a name that {self._base!r} does not have; got {name!r}")
        if known is None:
            known = DeviceMesh(self.device_type, list(self._ranks), mesh_dim_names=(name,))
            known._root = self._base
            self._base._known[name,] = known
        return known

    @staticmethod
    def from_group(
        group: ProcessGroup | list[ProcessGroup],
        device_type: str,
        mesh: Any = None,
        *,
        mesh_dim_names: Sequence[str] | None = None,
        backend_override: object = None,
    ) -> DeviceMesh:
        """Return a mesh of a process group, or of one for each dimension.

        Arguments:
            group: the group, or a list of them.
            device_type: "cpu".
            mesh: the ranks, which a list of several groups needs.
            mesh_dim_names: the names of the dimensions, or None.
            backend_override: ignored.

        Raises:
            ValueError: the ranks are not those of the groups.
        """
        _check_device("from_group", device_type)
        groups = [group] if isinstance(group, ProcessGroup) else list(group)
        if not groups or any(one not in all_groups() for one in groups) or (len(groups) > 1 and mesh is None):
            raise InvalidValueError(
                f"from_group: expected process groups with this process, and mesh for several groups; got {groups!r}"
            )
        ranks, shape = _flat(groups[0]._member.ranks if mesh is None else mesh)
        made = object.__new__(DeviceMesh)
        made._set(tuple(ranks), shape, mesh_dim_names)
        made._groups = groups
        if len(shape) != len(groups) or made._coordinate is None:
            raise InvalidValueError(
                f"from_group: expected a mesh of {len(groups)} dimensions with this process; got {mesh}"
            )
        for dim, one in enumerate(groups):
            if made._line((dim,)) != tuple(one._member.ranks):
                raise InvalidValueError(
                    f"from_group: expected the group of dimension {dim} to be {made._line((dim,))}, as in mesh; got "
                    f"{tuple(one._member.ranks)}"
                )
        return made

    def _key(self) -> tuple[object, ...]:
        return self._ranks, self._shape, self.mesh_dim_names, *self._groups  # those of a former default group differ

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, DeviceMesh) and self._key() == other._key())

    def __hash__(self) -> int:
        self._hash = self._hash or hash(self._key())
        return self._hash

    def __repr__(self) -> str:
        if self.mesh_dim_names is None:
            return f"DeviceMesh({self._shape}, {self.device_type!r}, {self.mesh.tolist()})"
        sizes = ", ".join(f"{name}={size}" for name, size in zip(self.mesh_dim_names, self._shape, strict=True))
        return f"DeviceMesh(({sizes}), {self.device_type!r})"

    def __reduce__(self) -> Any:
        raise OperationError(
            "DeviceMesh: expected an object that other processes can have; a mesh contains this process's groups; make "
            "the mesh in each process"
        )

    def __deepcopy__(self, memo: object) -> DeviceMesh:
        return self


@boundary
def init_device_mesh(
    device_type: str,
    mesh_shape: Sequence[int],
    *,
    mesh_dim_names: Sequence[str] | None = None,
    backend_override: object = None,
) -> DeviceMesh:
    """Return a mesh of all processes in rank order, the last dimension fastest. All processes must call this function.

    Without a process group, `init_process_group()` is called first.

    Arguments:
        device_type: "cpu".
        mesh_shape: the number of processes along each dimension.
        mesh_dim_names: the names of the dimensions, or None.
        backend_override: ignored.

    Raises:
        RuntimeError: the mesh has not as many processes as there are.
        NotImplementedError: another device.

    >>> from facula_distributed import HashStore, destroy_process_group, init_process_group
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> init_device_mesh("cpu", (1,), mesh_dim_names=("dp",))
    DeviceMesh((dp=1), 'cpu')
    >>> destroy_process_group()
    """
    _check_device("init_device_mesh", device_type)
    if not is_initialized():
        init_process_group()
    shape = (mesh_shape,) if isinstance(mesh_shape, int) else tuple(mesh_shape)
    size = default_group().size()
    if not shape or any(not isinstance(one, int) or one < 1 for one in shape) or prod(shape) > size:
        raise OperationError(
            f"init_device_mesh: expected mesh_shape to be positive numbers with a product of at most {size}, the "
            f"number of processes; got {mesh_shape!r}"
        )
    mesh = make_tensor(list(range(prod(shape))), dtype=int32).reshape(shape)
    return DeviceMesh(device_type, mesh, mesh_dim_names=mesh_dim_names)

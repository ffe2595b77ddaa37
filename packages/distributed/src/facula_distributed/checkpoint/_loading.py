"""Loading a checkpoint on all ranks."""

from __future__ import annotations

import json
import os
from copy import copy
from typing import TYPE_CHECKING, Any

from facula_checkpoint import CheckpointError, load_file, load_metadata
from facula_checkpoint.extend import decode_structure
from facula_errors import FaculaError, InvalidTypeError
from facula_errors.extend import boundary
from facula_tensor import Tensor, empty, no_grad
from facula_tensor.extend import make

from .._dtensor.dtensor import DTensor
from .._dtensor.placements import Partial
from ._index import INDEX, Index, Stored, read_index
from ._ranks import Ranks
from ._rows import Rows
from ._saving import is_stateful, state_of, wait_for_pending
from ._storage import FileSystemReader, chosen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._groups.groups import ProcessGroup

_MAX_NAMES = 4  # in each list of a message


class StateMismatchError(FaculaError, ValueError):
    """A checkpoint that does not fit the state: missing or unexpected names, or other shapes. The state is kept."""


@boundary
def load(
    state_dict: Mapping[str, Any],
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_reader: FileSystemReader | None = None,
    planner: None = None,
    process_group: ProcessGroup | None = None,
    no_dist: bool = False,
) -> None:
    """Load a checkpoint into a state, in place. The number of ranks need not be that of the save.

    Tensors of the state are filled, and converted to their dtypes; other values are replaced. The state may have fewer
    entries than the checkpoint at its top, but not within its containers. A dict that is empty is filled, for example
    with the state of an optimizer that has made no step yet.

    Arguments:
        state_dict: containers as in `save`. An object with `state_dict` and `load_state_dict` loads its state.
        checkpoint_id: the path of the directory.
        storage_reader: a `FileSystemReader`, instead of the path.
        planner: None.
        process_group: the ranks that load; all if None. Without a group, this process alone.
        no_dist: whether this process loads alone.

    Raises:
        StateMismatchError: names are missing or unexpected, or shapes differ. No tensor was changed.
        CheckpointError: a file is damaged. No tensor was changed.
        FileNotFoundError: there is no complete checkpoint.
        RankError: another rank has one of these errors. No tensor was changed.
    """
    folder = chosen("load", checkpoint_id, storage_reader, FileSystemReader, planner)
    wait_for_pending()
    ranks = Ranks.of("load", process_group, is_alone=no_dist)
    error = loading = None
    try:
        loading = _Loading(folder, state_dict)
    except Exception as raised:
        error = raised
    ranks.agree("load", error)
    assert loading is not None
    loading.finish()


class _Saved:
    """A tensor of a checkpoint: its parts in mapped files."""

    def __init__(self, folder: str, name: str, stored: Stored, files: dict[str, dict[str, Any]]) -> None:
        self.name, self.shape, self.parts = name, stored.shape, []
        for piece in stored.pieces:
            parts = files[piece.file].get(name)
            size = tuple(end - begin for begin, end in piece.box)
            if parts is None or tuple(parts[1].shape) != size or parts[1].dtype.name != stored.dtype:
                got = "there is none" if parts is None else f"got {parts[1].dtype.name} {tuple(parts[1].shape)}"
                raise CheckpointError(
                    os.path.join(folder, piece.file),
                    f"expected a tensor {name!r} as {stored.dtype} {size}, which {INDEX} describes; {got}",
                )
            self.parts.append((piece.box, parts))

    def fill(self, target: Tensor, first: int = 0) -> None:
        """Copy the elements to a tensor of the same shape, to its part on this process, or to the rows from `first`."""
        own = [(0, length) for length in self.shape]
        if isinstance(target, DTensor):
            own, target = target._spec.box(), target._local_tensor
        elif own:
            own[0] = first, first + len(target)
        with no_grad():
            for box, (storage, layout, offset) in self.parts:
                common = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(own, box, strict=True)]
                if all(begin < end for begin, end in common):
                    part = _cut(make(Tensor, layout, storage, offset), common, box)
                    _cut(target, common, own).copy_(part)

    def __getitem__(self, index: Any) -> Tensor:
        """Return some rows as a new tensor; of a tensor without dimensions, all elements."""
        if not self.shape:
            return self.tensor()
        begin, end, _ = index.indices(self.shape[0])
        _, (storage, layout, offset) = self.parts[0]
        new = empty((max(0, end - begin), *self.shape[1:]), dtype=make(Tensor, layout, storage, offset).dtype)
        self.fill(new, begin)
        return new

    def tensor(self) -> Tensor:
        """Return the elements as a new tensor."""
        _, (storage, layout, offset) = self.parts[0]
        new = empty(self.shape, dtype=make(Tensor, layout, storage, offset).dtype)
        self.fill(new)
        return new


def _cut(tensor: Tensor, box: Sequence[tuple[int, int]], within: Sequence[tuple[int, int]]) -> Tensor:
    """Return a box of a tensor whose elements are those of the box `within`."""
    slices = tuple([slice(a - first, b - first) for (a, b), (first, _) in zip(box, within, strict=True)])
    return tensor[slices] if slices else tensor


class _Loading:
    """Compares a state with a checkpoint, and collects what is to be changed.

    Arguments:
        folder: the directory.
        state: the state.

    Raises: the errors of `load`.
    """

    def __init__(self, folder: str, state: Mapping[str, Any]) -> None:
        if not isinstance(state, dict):
            raise InvalidTypeError(f"load: expected state_dict to be a dict; got {type(state).__name__}")
        self._copies: list[tuple[Tensor | Rows, _Saved]] = []
        self._values: list[tuple[Any, Any, Any, bool]] = []  # container, key, value, and whether its tensors are read
        self._missing: list[str] = []
        self._unexpected: list[str] = []
        self._different: list[str] = []
        self._owners = {name: value for name, value in state.items() if is_stateful(value)}
        self._given = {name: state_of(value) if name in self._owners else value for name, value in state.items()}
        self._state, self._reads = state, True
        content = _content(folder, read_index(folder))
        if not isinstance(content, dict):
            raise CheckpointError(os.path.join(folder, INDEX), "its state is not a dict")
        for key, value in self._given.items():
            if key in content:
                self._reads = not hasattr(self._owners.get(key), "sharded_state_dict")  # which reads a part
                self._compare(self._given, key, value, content[key], str(key))
            else:
                self._missing.append(str(key))
        self._check(folder)

    def _compare(self, container: Any, key: Any, given: Any, found: Any, path: str) -> None:
        if isinstance(given, (Tensor, Rows)):
            if not isinstance(found, _Saved):
                self._different.append(f"{path} is a tensor here and a {_kind(found)} in the checkpoint")
            elif tuple(given.shape) != found.shape:
                self._different.append(
                    f"{path} has shape {tuple(given.shape)} here and {found.shape} in the checkpoint"
                )
            elif isinstance(given, DTensor) and any(isinstance(one, Partial) for one in given.placements):
                self._different.append(f"{path} has Partial placements, which cannot be filled")
            else:
                self._copies.append((given, found))
        elif isinstance(given, dict) and given:
            if not isinstance(found, dict):
                self._different.append(f"{path} is a dict here and a {_kind(found)} in the checkpoint")
                return
            for name, value in given.items():
                if name in found:
                    self._compare(given, name, value, found[name], f"{path}.{name}")
                else:
                    self._missing.append(f"{path}.{name}")
            self._unexpected += [f"{path}.{name}" for name in found if name not in given]
        elif isinstance(given, list) and isinstance(found, list) and len(given) == len(found):
            for place, value in enumerate(given):
                self._compare(given, place, value, found[place], f"{path}.{place}")
        elif isinstance(given, list) and given:
            number = f"a list of {len(found)}" if isinstance(found, list) else f"a {_kind(found)}"
            self._different.append(f"{path} is a list of {len(given)} here and {number} in the checkpoint")
        else:
            self._values.append((container, key, found, self._reads))

    def _check(self, folder: str) -> None:
        said = [
            _shown(what, names)
            for what, names in (("missing ", self._missing), ("unexpected ", self._unexpected), ("", self._different))
            if names
        ]
        if said:
            raise StateMismatchError(
                f"load: expected the checkpoint of this state in {folder!r}; {'; '.join(said)}; nothing was changed"
            )

    def finish(self) -> None:
        """Change the state."""
        for target, found in self._copies:
            if isinstance(target, Rows):
                found.fill(target.tensor, target.begin)
            else:
                found.fill(target)
        for container, key, value, reads in self._values:
            container[key] = _made(value) if reads else value
        for name, value in self._given.items():
            if name in self._owners:
                self._owners[name].load_state_dict(value)
            else:
                self._state[name] = value  # type: ignore[index]


def _kind(found: Any) -> str:
    return "tensor" if isinstance(found, _Saved) else type(found).__name__


def _shown(what: str, names: list[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return f"{what}{', '.join(names[:_MAX_NAMES])}{more}"


def _content(folder: str, index: Index) -> Any:
    """Return the state of a checkpoint, with a `_Saved` for each tensor; map the files."""
    files = {}
    for name in sorted(index.files):
        path = os.path.join(folder, name)
        if load_metadata(path).get("save") != index.token:
            raise CheckpointError(path, f"it is not of the save that {INDEX} describes; load another checkpoint")
        files[name] = load_file(path)
    found = {name: _Saved(folder, name, stored, files) for name, stored in index.tensors.items()}
    first = {name: one.parts[0][1] for name, one in found.items()}
    names = {id(parts): name for name, parts in first.items()}
    return decode_structure(
        os.path.join(folder, INDEX), json.dumps(index.state), first, lambda parts: found[names[id(parts)]]
    )


def _made(value: Any) -> Any:
    """Return a value with new tensors."""
    if isinstance(value, _Saved):
        return value.tensor()
    if isinstance(value, dict):
        return type(value)((key, _made(member)) for key, member in value.items())
    if isinstance(value, (list, tuple)):
        return type(value)(_made(member) for member in value)
    return copy(value)  # arrays are mapped

"""Saving a checkpoint from all ranks."""

from __future__ import annotations

import json
import os
import secrets
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_checkpoint import save_file
from facula_checkpoint.extend import encode_structure
from facula_errors import InvalidTypeError, OperationError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Size, Tensor
from facula_tensor.extend import addressable

from .._dtensor.dtensor import DTensor
from .._dtensor.layout import gradient_placements, writers
from .._groups.groups import GroupMember as group
from .._groups.groups import new_group, rank_in
from .._turns import turns
from ._index import (
    Box,
    Described,
    Index,
    Piece,
    Stored,
    by_rows,
    divided,
    file_name,
    is_file_name,
    unused_number,
    write_index,
)
from ._ranks import Ranks
from ._rows import Rows
from ._storage import FileSystemWriter, chosen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .._groups.groups import ProcessGroup

_METHODS = ("state_dict", "load_state_dict")


@boundary
def save(
    state_dict: Mapping[str, Any],
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: FileSystemWriter | None = None,
    planner: None = None,
    process_group: ProcessGroup | None = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> None:
    """Save a state to a directory, together with the other ranks. All ranks must call this with the same state.

    Each rank writes a part of the tensors, to a safetensors file. Values that are not tensors are those of rank 0. A
    checkpoint in the directory is replaced when the new one is complete; if the save fails, it is unchanged.

    Arguments:
        state_dict: containers of tensors, NumPy arrays, numbers and strings. An object with `state_dict` and
            `load_state_dict` is replaced by its state.
        checkpoint_id: the path of the directory.
        storage_writer: a `FileSystemWriter`, instead of the path.
        planner: None.
        process_group: the ranks that save; all if None. Without a group, this process alone.
        no_dist: whether this process saves alone.
        use_collectives: ignored.

    Raises:
        TypeError: a value cannot be saved; the message names it.
        RuntimeError: ranks have tensors of other names, dtypes or shapes, or another rank failed (RankError).
        OSError: a file cannot be written.

    >>> import tempfile
    >>> from facula_distributed.checkpoint import load
    >>> from facula_tensor import ones, zeros
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save({"weight": ones(2), "step": 7}, checkpoint_id=folder)
    ...     state = {"weight": zeros(2), "step": 0}
    ...     load(state, checkpoint_id=folder)
    >>> state
    {'weight': tensor([1., 1.]), 'step': 7}
    """
    folder = chosen("save", checkpoint_id, storage_writer, FileSystemWriter, planner)
    wait_for_pending()
    ranks = Ranks.of("save", process_group, is_alone=no_dist)
    _write(ranks, _prepare(ranks, folder, state_dict))


_pending: list[Future[None]] = []
_background: list[ProcessGroup] = []  # the default group, and a copy of it for work in the background


@boundary
def async_save(
    state_dict: Mapping[str, Any],
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: FileSystemWriter | None = None,
    planner: None = None,
    process_group: ProcessGroup | None = None,
    **options: Any,
) -> Future[None]:
    """Copy a state, and save it in the background. All ranks must call this with the same state.

    Each rank copies the part that it writes. A former save that is not finished is awaited first.

    Arguments: those of `save`; `options` are ignored, and `process_group` is None or that of all ranks.

    Returns:
        A future of the save; its `result()` raises the errors of `save` that occur while files are written.

    >>> import tempfile
    >>> from facula_tensor import ones
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     async_save({"weight": ones(2)}, checkpoint_id=folder).result()
    """
    folder = chosen("async_save", checkpoint_id, storage_writer, FileSystemWriter, planner)
    if process_group is not None and process_group is not group.WORLD:
        raise UnsupportedError("async_save: expected process_group=None, for all ranks; use save for other groups")
    wait_for_pending()
    ranks = Ranks.of("async_save", process_group, is_alone=False)
    prepared = _prepare(ranks, folder, state_dict, copies=True)
    future: Future[None] = Future()
    future.set_running_or_notify_cancel()

    def write() -> None:
        try:
            _write(ranks, prepared)
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(None)

    if turns() is not None:  # threads are ranks
        write()
        return future
    if ranks.group is not None and ranks.size > 1:
        if _background[:1] != [ranks.group]:
            _background[:] = [ranks.group, new_group()]
        ranks = Ranks(_background[1])
    _pending[:] = [future]
    Thread(target=write, name="facula: save a checkpoint").start()
    return future


def wait_for_pending() -> None:
    """Wait for a save in the background."""
    for future in _pending:
        future.exception()
    _pending.clear()


class _Prepared(NamedTuple):
    """The work of a rank: named tensors, as Parts or arrays, for its file, and the index that rank 0 writes."""

    folder: str
    file: str
    tensors: dict[str, Any]
    contents: Index


class _Contents:
    """The structure of a state as JSON, and its tensors by name, as Tensors or Parts of arrays."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        if not isinstance(state, dict):
            raise InvalidTypeError(f"save: expected state_dict to be a dict; got {type(state).__name__}")
        values = {name: state_of(value) if is_stateful(value) else value for name, value in state.items()}
        self._tensors: dict[int, tuple[Any, Tensor | Rows]] = {}  # by the identity of their Parts, which are kept alive
        text, parts = encode_structure(values, self._parts, _plain)
        self.structure = json.loads(text)
        self.tensors: dict[str, Any] = {}
        self.rows: dict[str, tuple[int, int]] = {}  # of tensors that are divided among the ranks
        self.described: dict[str, Described] = {}
        for name, one in parts.items():
            value = self._tensors.get(id(one), (None, one))[1]
            layout, shape, is_divided = one[1], tuple(one[1].shape), isinstance(value, Rows)
            if isinstance(value, Rows):
                self.rows[name], shape, value = (value.begin, value.end), value.shape, value.tensor
            boxes = None
            if isinstance(value, DTensor):
                shape, is_divided, boxes = tuple(value.shape), True, writers(name, value._spec)
            self.tensors[name] = value
            can_split = isinstance(value, Tensor) and not is_divided
            nbytes = 0 if is_divided else layout.nbytes
            self.described[name] = Described(layout.dtype.name, shape, nbytes, can_split, boxes)

    def _parts(self, value: Any) -> Any:
        if not isinstance(value, (Tensor, Rows)):
            return None
        if isinstance(value, DTensor):  # terms become whole
            value = value.redistribute(placements=gradient_placements(value.placements))
        parts = parts_of(value.tensor if isinstance(value, Rows) else value)
        self._tensors[id(parts)] = parts, value
        return parts


def parts_of(tensor: Tensor) -> Any:
    """Return a tensor as storage, layout and offset."""
    now = addressable("save", tensor)
    return now._storage, now._layout, now._offset


def is_stateful(value: Any) -> bool:
    """Return whether a value has `state_dict` and `load_state_dict`."""
    return all(callable(getattr(value, name, None)) for name in _METHODS)


def state_of(value: Any) -> Any:
    """Return the state of an object, with the rows of this rank if it is divided among the ranks."""
    divided_state = getattr(value, "sharded_state_dict", None)
    return value.state_dict() if divided_state is None else divided_state()


def _plain(value: Any) -> Any:
    return tuple(value) if type(value) is Size else value


def _prepare(ranks: Ranks, folder: str, state: Mapping[str, Any], *, copies: bool = False) -> _Prepared:
    """Divide the tensors among the ranks, which must have the same ones."""
    error = contents = number = None
    try:
        contents = _Contents(state)
        if ranks.rank == 0:
            os.makedirs(folder, exist_ok=True)
            number = unused_number(folder)
    except Exception as raised:
        error = raised
    ranks.agree("save", error)
    assert contents is not None
    found = ranks.gather((contents.described, number, secrets.token_hex(8), contents.rows))
    _check_equal([described for described, _, _, _ in found])
    _, number, token, _ = found[0]
    rows = [one[3] for one in found]
    own: dict[str, Any] = {}
    tensors = {}
    for name, described in contents.described.items():
        is_divided = name in contents.rows
        if described.boxes is not None:
            shares = _in_group(ranks, described.boxes)
        elif is_divided:
            shares = by_rows(described.shape, [one[name] for one in rows])
        else:
            shares = divided(name, described, ranks.size)
        for rank, box in shares:
            if rank == ranks.rank:
                own[name] = _share(contents.tensors[name], box, len(shares) > 1 and not is_divided, copies)
        pieces = tuple(Piece(file_name(rank, number), box) for rank, box in shares)
        tensors[name] = Stored(described.dtype, described.shape, pieces)
    index = Index(token, contents.structure, tensors)
    return _Prepared(folder, os.path.join(folder, file_name(ranks.rank, number)), own, index)


def _in_group(ranks: Ranks, boxes: Iterable[tuple[int, Box]]) -> list[tuple[int, Box]]:
    """Return boxes with the ranks of the group that saves."""
    if ranks.group is None:
        return [(0, box) for _, box in boxes]
    return [(rank_in("save", "a rank of a DTensor's mesh", ranks.group, rank), box) for rank, box in boxes]


def _share(tensor: Any, box: Any, is_split: bool, copies: bool) -> Any:
    """Return the part of a tensor that this rank writes, as Parts."""
    if not isinstance(tensor, Tensor):  # an array's
        return tensor
    part = tensor.detach()
    if isinstance(part, DTensor):
        part = part.to_local()
    elif is_split:
        part = part[box[0][0] : box[0][1]]
    return parts_of(part.clone() if copies else part)


def _check_equal(found: list[dict[str, Described]]) -> None:
    """Raise if ranks have other tensors than rank 0."""
    first = found[0]
    for rank, other in enumerate(found):
        for name in [*first, *other]:
            here, there = first.get(name), other.get(name)
            if here != there:
                shown = [
                    "no such tensor"
                    if one is None
                    else f"{one.dtype} {one.shape}" + ("" if one.boxes is None else f" with the boxes {one.boxes}")
                    for one in (here, there)
                ]
                raise OperationError(
                    f"save: expected the same tensors on all ranks; {name!r} is {shown[0]} on rank 0, and {shown[1]} "
                    f"on rank {rank}; use other names for tensors of single ranks, and gather them"
                )


def _write(ranks: Ranks, prepared: _Prepared) -> None:
    """Write this rank's file, then the index; remove files of a former checkpoint."""
    error: Exception | None = None
    try:
        save_file(prepared.tensors, prepared.file, {"save": prepared.contents.token})
    except Exception as raised:
        error = raised
    ranks.agree("save", error, lambda: _remove(prepared.file))
    try:
        if ranks.rank == 0:
            write_index(prepared.folder, prepared.contents)
    except Exception as raised:
        error = raised
    ranks.agree("save", error)
    if ranks.rank == 0:
        files = prepared.contents.files
        for name in os.listdir(prepared.folder):
            if is_file_name(name) and name not in files:
                _remove(os.path.join(prepared.folder, name))


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)

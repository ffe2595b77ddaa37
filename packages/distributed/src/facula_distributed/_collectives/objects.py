"""Collective operations on Python objects, which are pickled."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, InvalidIndexError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .._groups.groups import group_of
from .checks import root_of
from .transfers import NO_MEMORY, memory_of_bytes, perform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._groups.groups import ProcessGroup


def _exchange(
    operation: str, group: ProcessGroup, own: bytes, readers: Sequence[int], root: int = -1
) -> list[bytearray]:
    """Copy the bytes of all ranks to those of `readers`; return an empty list in others.

    Two collectives: the first is for the lengths.
    """
    lengths = [bytearray(8) for _ in range(group.size())]
    sent = len(own).to_bytes(8, "little")
    perform(group, operation, send=[memory_of_bytes(sent)], receive=list(map(memory_of_bytes, lengths)), root=root)
    contents = [bytearray(int.from_bytes(length, "little")) for length in lengths]
    is_reader = group.rank() in readers
    receive = [memory_of_bytes(data) if is_reader else NO_MEMORY for data in contents]
    perform(group, operation, send=[memory_of_bytes(own)], receive=receive, root=root)
    return contents if is_reader else []


def _places(operation: str, name: str, values: object, count: int) -> list[Any]:
    """Return the list, after checking that it has room for results."""
    if not isinstance(values, list):
        raise InvalidTypeError(f"{operation}: expected {name} to be a list; got {type(values).__name__}")
    if len(values) < count:
        raise InvalidIndexError(f"{operation}: expected {name} to have {count} places; got {len(values)}")
    return values


@boundary
def all_gather_object(object_list: list[Any], obj: Any, group: ProcessGroup | None = None) -> None:
    """Copy the objects of all processes to a list, by pickling them.

    Arguments:
        object_list: the output, a list with an entry for each process.
        obj: this process's object.
        group: the process group; all processes if None.
    """
    name = "all_gather_object"
    found = group_of(name, group)
    if found is None:
        return
    places = _places(name, "object_list", object_list, found.size())
    for place, data in enumerate(_exchange(name, found, pickle.dumps(obj), range(found.size()))):
        places[place] = pickle.loads(data)


@boundary
def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    group_dst: int | None = None,
) -> None:
    """Copy the objects of all processes to a list on one of them, by pickling them.

    Arguments:
        obj: this process's object.
        object_gather_list: the output, a list with an entry for each process; None in other processes.
        dst: the process with the list: 0 if neither it nor `group_dst` is given.
        group: the process group; all processes if None.
        group_dst: the rank within the group, instead of `dst`.
    """
    name = "gather_object"
    found = group_of(name, group, dst)
    if found is None:
        return
    root = root_of(name, "dst", found, dst, group_dst, default=0)
    places: list[Any] = []
    if root == found.rank():
        if object_gather_list is None:
            raise InvalidValueError(f"{name}: expected object_gather_list where the objects go to; got None")
        places = _places(name, "object_gather_list", object_gather_list, found.size())
    for place, data in enumerate(_exchange(name, found, pickle.dumps(obj), [root], root)):
        places[place] = pickle.loads(data)


@boundary
def broadcast_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device: object = None,
    group_src: int | None = None,
) -> None:
    """Copy one process's objects to the lists of all, by pickling them.

    Arguments:
        object_list: the list, of the same length in all processes.
        src: the process that the objects come from: 0 if neither it nor `group_src` is given.
        group: the process group; all processes if None.
        device: ignored.
        group_src: the rank within the group, instead of `src`.
    """
    name = "broadcast_object_list"
    found = group_of(name, group, src)
    if found is None:
        return
    if not isinstance(object_list, list):
        raise InvalidTypeError(f"{name}: expected object_list to be a list; got {type(object_list).__name__}")
    root = root_of(name, "src", found, src, group_src, default=0)
    is_root = root == found.rank()
    data = _exchange(name, found, pickle.dumps(object_list) if is_root else b"", range(found.size()), root)[root]
    if not is_root:
        objects = pickle.loads(data)
        if len(objects) != len(object_list):
            raise ArgumentError(
                f"{name}: expected object_list to have {len(objects)} places, as in rank {root}; got {len(object_list)}"
            )
        object_list[:] = objects


@boundary
def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    group_src: int | None = None,
) -> None:
    """Copy one object of a list on one process to each process, by pickling it.

    Arguments:
        scatter_object_output_list: the output, a list whose first entry is set.
        scatter_object_input_list: an object for each process; None in other processes.
        src: the process with the objects: 0 if neither it nor `group_src` is given.
        group: the process group; all processes if None.
        group_src: the rank within the group, instead of `src`.
    """
    name = "scatter_object_list"
    found = group_of(name, group, src)
    if found is None:
        return
    root = root_of(name, "src", found, src, group_src, default=0)
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise InvalidValueError(f"{name}: expected scatter_object_output_list to be a list with a place")
    own = b""
    if root == found.rank():
        objects = scatter_object_input_list
        if not isinstance(objects, list):
            raise InvalidValueError(f"{name}: expected scatter_object_input_list where the objects come from; got None")
        if len(objects) != found.size():
            raise ArgumentError(
                f"{name}: expected scatter_object_input_list to have {found.size()} objects, one for each process; "
                f"got {len(objects)}"
            )
        own = pickle.dumps([pickle.dumps(one) for one in objects])
    data = _exchange(name, found, own, range(found.size()), root)[root]
    scatter_object_output_list[0] = pickle.loads(pickle.loads(data)[found.rank()])

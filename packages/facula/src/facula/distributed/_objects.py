"""Collective operations on Python objects, which are pickled, in a group of one process."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, InvalidIndexError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from ._checks import check_root
from ._groups import group_of

if TYPE_CHECKING:
    from ._groups import ProcessGroup


def _copy(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def _room(operation: str, name: str, values: object) -> list[Any]:
    """Return the list, after checking that it has room for a result."""
    if not isinstance(values, list):
        raise InvalidTypeError(f"{operation}: expected {name} to be a list; got {type(values).__name__}")
    if not values:
        raise InvalidIndexError(f"{operation}: expected {name} to have a place for each process; it is empty")
    return values


@boundary
def all_gather_object(object_list: list[Any], obj: Any, group: ProcessGroup | None = None) -> None:
    """Copy the objects of all processes to a list, by pickling them.

    Arguments:
        object_list: the output, a list with an entry for each process.
        obj: this process's object.
        group: the process group; all processes if None.
    """
    places = _room("all_gather_object", "object_list", object_list)
    if group_of("all_gather_object", group) is not None:
        places[0] = _copy(obj)


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
        object_gather_list: the output, a list with an entry for each process.
        dst: the process with the list: 0 if neither it nor `group_dst` is given.
        group: the process group; all processes if None.
        group_dst: the rank within the group, instead of `dst`.
    """
    found = group_of("gather_object", group)
    if found is None:
        return
    check_root("gather_object", "dst", found, dst, group_dst, default=0)
    if object_gather_list is None:
        raise InvalidValueError("gather_object: expected object_gather_list where the objects go to; got None")
    _room("gather_object", "object_gather_list", object_gather_list)[0] = _copy(obj)


@boundary
def broadcast_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device: object = None,
    group_src: int | None = None,
) -> None:
    """Copy one process's objects to the lists of all, by pickling them. With one process they are unchanged.

    Arguments:
        object_list: the list.
        src: the process that the objects come from: 0 if neither it nor `group_src` is given.
        group: the process group; all processes if None.
        device: ignored.
        group_src: the rank within the group, instead of `src`.
    """
    found = group_of("broadcast_object_list", group)
    if found is None:
        return
    if not isinstance(object_list, list):
        raise InvalidTypeError(
            f"broadcast_object_list: expected object_list to be a list; got {type(object_list).__name__}"
        )
    check_root("broadcast_object_list", "src", found, src, group_src, default=0)
    pickle.dumps(object_list)  # an object that cannot be sent is an error with one process, too


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
        scatter_object_input_list: an object for each process.
        src: the process with the objects: 0 if neither it nor `group_src` is given.
        group: the process group; all processes if None.
        group_src: the rank within the group, instead of `src`.
    """
    found = group_of("scatter_object_list", group)
    if found is None:
        return
    name = "scatter_object_list"
    check_root(name, "src", found, src, group_src, default=0)
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise InvalidValueError(f"{name}: expected scatter_object_output_list to be a list with a place")
    if not isinstance(scatter_object_input_list, list):
        raise InvalidValueError(f"{name}: expected scatter_object_input_list where the objects come from; got None")
    if len(scatter_object_input_list) != 1:
        raise ArgumentError(
            f"{name}: expected scatter_object_input_list to have 1 object, one for each process; "
            f"got {len(scatter_object_input_list)}"
        )
    scatter_object_output_list[0] = _copy(scatter_object_input_list[0])

"""Detection of attributes of a dataset that will grow in forked workers, see Note [Copy on read]."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from types import BuiltinFunctionType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

import numpy as np

from facula_errors.extend import boundary, warn

from .. import _checks
from .shared_list import readable

PAGE = 4096  # a worker copies a page when it writes one byte
SAMPLED = 256  # elements sampled from a large container
MAX_EXAMINED = 5_000  # objects examined in them
CONTAINER_COST = 50  # the part of the budget that a large container uses
SMALL_CONTAINER = 32  # containers of at most this size are examined element by element: datasets, splits, tables
DEPTH = 6
BUDGET = 20_000  # attributes and elements visited in total
WARNING_BYTES = 16 << 20  # bytes in each worker
MAX_NAMED = 4  # attributes named in a warning

CONTAINERS = (list, tuple, dict, set, frozenset, deque)
PLAIN_SLICES = (list.__getitem__, tuple.__getitem__)
CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
UNCOUNTED = (bool, type(None), type(...), type(NotImplemented), *CODE)  # objects with a single instance each
ARRAY = 128  # bytes of an array object without its numbers, which have no reference counts

Object = Any  # attributes of a dataset may have any type
Growing = tuple[str, str, int]


@boundary
def growing_attributes(dataset: object, least: int = 1 << 20) -> list[Growing]:
    """Find attributes of a dataset whose objects each forked worker copies by reading them, the largest first.

    The search covers the attributes of the dataset and of its class, the datasets and other objects reachable from
    them, and lists, tuples, dicts, sets, deques and NumPy arrays of Python objects. It samples 256 elements of a large
    container, so it takes milliseconds, and the numbers of bytes are estimates. `SharedList`, `SharedDict` and arrays
    of numbers do not grow.

    Arguments:
        dataset: any object.
        least: the minimum number of bytes of a reported attribute.

    Returns:
        A tuple for each attribute: its path ("dataset.samples"), its kind ("list of str"), and the bytes that a worker
            will copy.

    >>> class Names:
    ...     def __init__(self):
    ...         self.names = [f"name {i}" for i in range(50_000)]
    >>> [(path, kind) for path, kind, _ in growing_attributes(Names())]
    [('dataset.names', 'list of str')]
    """
    least = _checks.whole_number("growing_attributes", "least", least, 0)
    walk = _Walk()
    walk.visit("dataset", dataset, DEPTH)
    return sorted([entry for entry in walk.found if entry[2] >= least], key=lambda entry: -entry[2])


@boundary
def warn_of_growth(dataset: object, least: int = WARNING_BYTES) -> list[Growing]:
    """Issue one warning about a dataset's attributes that will grow in forked workers, and return them.

    If the attributes of a dataset raise errors, there is no warning.

    Arguments:
        dataset: any object.
        least: the minimum number of bytes of an attribute for a warning.
    """
    least = _checks.whole_number("warn_of_growth", "least", least, 0)
    try:
        found = growing_attributes(dataset, least)
    except Exception:  # raised by the dataset's own code; a failed diagnosis must not stop the loader
        return []
    if found:
        named = ", ".join([f"{path} ({kind}, about {readable(nbytes)})" for path, kind, nbytes in found[:MAX_NAMED]])
        more = f" and {len(found) - MAX_NAMED} more" if len(found) > MAX_NAMED else ""
        warn(
            f"DataLoader: each worker process copies the parts it reads of {named}{more}, as reading a Python object "
            "writes its reference count; keep them in facula_data.SharedList or SharedDict, or in arrays"
        )
    return found


@dataclass
class _Walk:
    """The state of one traversal of a dataset."""

    found: list[Growing] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    budget: int = BUDGET
    looked: int = 0
    counted: set[int] = field(default_factory=set)  # objects included in the current estimate
    class_attributes: dict[type, tuple[tuple[str, Object], ...]] = field(default_factory=dict)

    def visit(self, path: str, value: Object, depth: int) -> None:
        """Record a container that grows, and visit the objects reachable from an object."""
        if id(value) in self.seen or depth < 0 or self.budget <= 0:
            return
        self.seen.add(id(value))
        self.budget -= 1
        if isinstance(value, np.ndarray):
            if value.dtype.hasobject and value.size:
                step = max(1, value.size // SAMPLED)
                self._record(path, f"{value.dtype} array", value.size, iter(value.flat[::step]))
        elif isinstance(value, CONTAINERS):
            if len(value) <= SMALL_CONTAINER:
                for name, element in _named_elements(value):
                    self.visit(f"{path}{name}", element, depth - 1)
            else:
                sample = _elements(value)
                if isinstance(value, (list, tuple)) and type(value).__getitem__ in PLAIN_SLICES:
                    sample = iter(value[:: max(1, len(value) // SAMPLED)])
                self._record(path, type(value).__name__, len(value), sample)
        else:
            for name, attribute in self._attributes(value):
                self.visit(f"{path}.{name}", attribute, depth - 1)
            if not isinstance(value, CODE):
                for name, attribute in self._of_class(type(value)):
                    if isinstance(attribute, CONTAINERS):
                        self.visit(f"{path}.{name}", attribute, depth - 1)

    def _record(self, path: str, kind: str, count: int, elements: Iterator[Object]) -> None:
        """Estimate the copied bytes of a large container from its first or from evenly spaced elements."""
        self.budget -= CONTAINER_COST
        self.looked = 0
        self.counted.clear()
        distinct: dict[int, Object] = {}
        names: dict[str, None] = {}
        sampled = parts = nbytes = 0
        for element in islice(elements, SAMPLED):
            if self.looked > MAX_EXAMINED:
                break
            sampled += 1
            names[" to ".join([type(part).__name__ for part in _parts(element)])] = None
            for part in _parts(element):
                parts += 1
                if id(part) not in distinct:
                    distinct[id(part)] = part
                    nbytes += self._copied(part, 2)
        if len(distinct) * 2 > parts:  # elements have distinct objects; otherwise most share a few
            nbytes = nbytes * count // sampled
        if nbytes:
            self.found.append((path, f"{kind} of {' or '.join(islice(names, 3))}", nbytes))

    def _copied(self, value: Object, depth: int) -> int:
        """Return the bytes that are copied when this object and its contents are read."""
        self.looked += 1
        if id(value) in self.counted:
            return 0
        self.counted.add(id(value))
        if isinstance(value, UNCOUNTED) or (type(value) is int and -5 <= value <= 256):
            return 0
        size = ARRAY if isinstance(value, np.ndarray) else min(PAGE, sys.getsizeof(value, 0))
        if depth:
            inner: Iterable[Object] = ()
            if isinstance(value, CONTAINERS):
                inner = islice(_elements(value), SMALL_CONTAINER)
            elif type(value).__module__ != "builtins":
                inner = [attribute for _, attribute in islice(self._attributes(value), SMALL_CONTAINER)]
            size += sum(self._copied(part, depth - 1) for element in inner for part in _parts(element))
        return size

    def _attributes(self, value: Object) -> Iterator[tuple[str, Object]]:
        """Iterate over the attributes in an object's dict or slots, without evaluating properties."""
        if isinstance(value, CODE):
            return
        own = getattr(value, "__dict__", None)
        if isinstance(own, dict):
            yield from list(own.items())
        for name, attribute in self._of_class(type(value)):
            if not isinstance(attribute, CONTAINERS):  # a slot
                try:
                    yield name, attribute.__get__(value)
                except AttributeError:
                    pass  # the slot was never set

    def _of_class(self, cls: type) -> tuple[tuple[str, Object], ...]:
        """Return the slots and the containers of a class and its bases."""
        if cls not in self.class_attributes:
            self.class_attributes[cls] = tuple(
                [(name, attribute) for base in cls.__mro__ for name, attribute in list(vars(base).items())
                 if type(attribute) is MemberDescriptorType
                 or (isinstance(attribute, CONTAINERS) and not name.startswith("__"))]
            )  # fmt: skip
        return self.class_attributes[cls]


class _Pair(tuple[Object, Object]):
    """A key of a dict and its value."""


def _elements(container: Any) -> Iterator[Object]:
    """Iterate over the elements of a container; a dict yields `_Pair`s."""
    return map(_Pair, container.items()) if isinstance(container, dict) else iter(container)


def _parts(element: Object) -> tuple[Object, ...]:
    """Return the objects of an element: a key and a value, or the element itself."""
    return element if type(element) is _Pair else (element,)


def _named_elements(container: Any) -> Iterator[tuple[str, Object]]:
    if isinstance(container, dict):
        return ((f"[{key!r:.40}]", value) for key, value in container.items())
    if isinstance(container, (set, frozenset)):
        return (("{...}", value) for value in container)
    return ((f"[{index}]", value) for index, value in enumerate(container))

"""Which attributes of a dataset will grow in forked workers, see Note [Copy on read]."""

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

PAGE = 4096  # what a worker copies where one byte is written
SAMPLED = 256  # elements of a container that stand for all
LOOKED = 5_000  # objects looked at in them
NOTED = 50  # what a large container takes of the budget
FEW = 32  # elements up to which a container is looked into one by one: datasets, splits, tables
DEPTH = 6
BUDGET = 20_000  # attributes and elements visited, all told
WORTH_A_WARNING = 16 << 20  # bytes in each worker
NAMED = 4  # attributes in a warning

CONTAINERS = (list, tuple, dict, set, frozenset, deque)
PLAIN_SLICES = (list.__getitem__, tuple.__getitem__)
CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
UNCOUNTED = (bool, type(None), type(...), type(NotImplemented), *CODE)  # of which there is one each
ARRAY = 128  # bytes of an array without its numbers, which have no counts

Object = Any  # an attribute of a dataset: of any type by design
Growing = tuple[str, str, int]


@boundary
def growing_attributes(dataset: object, least: int = 1 << 20) -> list[Growing]:
    """Attributes of a dataset whose objects each forked worker will copy by reading them, the largest first.

    Looked at are the attributes of the dataset and of its class, of the datasets and other objects that they lead to,
    and lists, tuples, dicts, sets, deques and NumPy arrays of Python objects. Of a large container 256 elements stand
    for all, so this takes milliseconds, and bytes are an estimate. `SharedList`, `SharedDict` and arrays of numbers do
    not grow.

    Arguments:
        dataset: any object.
        least: attributes of fewer bytes are left out.

    Returns:
        For each the path to it ("dataset.samples"), what it is ("list of str"), and the bytes that a worker will copy.

    >>> class Names:
    ...     def __init__(self):
    ...         self.names = [f"name {i}" for i in range(50_000)]
    >>> [(path, kind) for path, kind, _ in growing_attributes(Names())]
    [('dataset.names', 'list of str')]
    """
    least = _checks.whole_number("growing_attributes", "least", least, 0)
    walk = _Walk()
    walk.visit("dataset", dataset, DEPTH)
    return sorted([one for one in walk.found if one[2] >= least], key=lambda one: -one[2])


@boundary
def warn_of_growth(dataset: object, least: int = WORTH_A_WARNING) -> list[Growing]:
    """Warn, once for all of them, of a dataset's attributes that will grow in forked workers; give them.

    A dataset that cannot be looked at, as its attributes raise errors, gets no warning.

    Arguments:
        dataset: any object.
        least: attributes of fewer bytes are not worth a warning.
    """
    least = _checks.whole_number("warn_of_growth", "least", least, 0)
    try:
        found = growing_attributes(dataset, least)
    except Exception:  # of the dataset's own code: advice is no reason to stop a loader
        return []
    if found:
        named = ", ".join([f"{path} ({kind}, about {readable(nbytes)})" for path, kind, nbytes in found[:NAMED]])
        more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
        warn(
            f"DataLoader: each worker process will copy what it reads of {named}{more}, as reading a Python object "
            "writes its reference count; keep them in facula_data.SharedList or SharedDict, or in arrays"
        )
    return found


@dataclass
class _Walk:
    """What one walk through a dataset has seen."""

    found: list[Growing] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    budget: int = BUDGET
    looked: int = 0
    counted: set[int] = field(default_factory=set)  # what is part of the estimate under way
    class_attributes: dict[type, tuple[tuple[str, Object], ...]] = field(default_factory=dict)

    def visit(self, path: str, value: Object, depth: int) -> None:
        """Note a container that grows, and go on to what an object leads to."""
        if id(value) in self.seen or depth < 0 or self.budget <= 0:
            return
        self.seen.add(id(value))
        self.budget -= 1
        if isinstance(value, np.ndarray):
            if value.dtype.hasobject and value.size:
                step = max(1, value.size // SAMPLED)
                self._note(path, f"{value.dtype} array", value.size, iter(value.flat[::step]))
        elif isinstance(value, CONTAINERS):
            if len(value) <= FEW:
                for name, element in _named_elements(value):
                    self.visit(f"{path}{name}", element, depth - 1)
            else:
                sample = _elements(value)
                if isinstance(value, (list, tuple)) and type(value).__getitem__ in PLAIN_SLICES:
                    sample = iter(value[:: max(1, len(value) // SAMPLED)])
                self._note(path, type(value).__name__, len(value), sample)
        else:
            for name, attribute in self._attributes(value):
                self.visit(f"{path}.{name}", attribute, depth - 1)
            if not isinstance(value, CODE):
                for name, attribute in self._of_class(type(value)):
                    if isinstance(attribute, CONTAINERS):
                        self.visit(f"{path}.{name}", attribute, depth - 1)

    def _note(self, path: str, kind: str, count: int, elements: Iterator[Object]) -> None:
        """Estimate what is copied of a large container, from its first or from evenly spaced elements."""
        self.budget -= NOTED
        self.looked = 0
        self.counted.clear()
        distinct: dict[int, Object] = {}
        names: dict[str, None] = {}
        sampled = parts = nbytes = 0
        for element in islice(elements, SAMPLED):
            if self.looked > LOOKED:
                break
            sampled += 1
            names[" to ".join([type(part).__name__ for part in _parts(element)])] = None
            for part in _parts(element):
                parts += 1
                if id(part) not in distinct:
                    distinct[id(part)] = part
                    nbytes += self._copied(part, 2)
        if len(distinct) * 2 > parts:  # each element has objects of its own; else most share a few
            nbytes = nbytes * count // sampled
        if nbytes:
            self.found.append((path, f"{kind} of {' or '.join(islice(names, 3))}", nbytes))

    def _copied(self, value: Object, depth: int) -> int:
        """Bytes that are copied where this object and what is in it are read."""
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
                inner = islice(_elements(value), FEW)
            elif type(value).__module__ != "builtins":
                inner = [attribute for _, attribute in islice(self._attributes(value), FEW)]
            size += sum(self._copied(part, depth - 1) for element in inner for part in _parts(element))
        return size

    def _attributes(self, value: Object) -> Iterator[tuple[str, Object]]:
        """Attributes that an object holds, in its dict or in slots. No property is asked."""
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
                    pass  # never set

    def _of_class(self, cls: type) -> tuple[tuple[str, Object], ...]:
        """The slots and the containers of a class and its bases."""
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
    """The elements of a container; of a dict `_Pair`s."""
    return map(_Pair, container.items()) if isinstance(container, dict) else iter(container)


def _parts(element: Object) -> tuple[Object, ...]:
    """The objects that an element is: a key and a value, or itself."""
    return element if type(element) is _Pair else (element,)


def _named_elements(container: Any) -> Iterator[tuple[str, Object]]:
    if isinstance(container, dict):
        return ((f"[{key!r:.40}]", value) for key, value in container.items())
    if isinstance(container, (set, frozenset)):
        return (("{...}", value) for value in container)
    return ((f"[{index}]", value) for index, value in enumerate(container))

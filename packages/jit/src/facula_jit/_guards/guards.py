"""Guards: checks that compare the state read by a captured function with its value, before the launches of each
replay.
"""

from __future__ import annotations

from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import FaculaError
from facula_storage.extend.replay import ABSENT, ANY, CheckKind

from .._recording.tensor_guards import first_failing
from .._source.closures import UNSET
from .restore import RESTORERS, put_attribute, put_item

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .._recording.tensor_guards import Check
    from .identity import Identity

CONTENTS = vars(CellType)["cell_contents"]
MRO = vars(type)["__mro__"]
CODE, DEFAULTS, KEYWORDS = [vars(FunctionType)[name] for name in ("__code__", "__defaults__", "__kwdefaults__")]


class Guard(NamedTuple):
    """A check and its description; `name` is that of the variable or attribute, `words` the description."""

    kind: CheckKind
    holder: Any
    key: Any
    expected: Any
    name: str
    words: str

    def described(self) -> str:
        """Return the description, with the expected value if it is short."""
        shown = f" ({self.expected!r:.40})" if type(self.expected) in (bool, int, float, str) else ""
        return self.words + shown

    @property
    def check(self) -> Check:
        """The check in the form that a sequence accepts."""
        return self[:4]


class Text:
    """A function that returns the `repr` of another function's result, or of its error."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function

    def __call__(self, *arguments: Any) -> str:
        try:
            return repr(self.function(*arguments))
        except FaculaError as error:  # the function needs a device that is not there
            return repr(error)


class Attributes:
    """The attributes of an object or class, with their values when it was reached.

    Arguments:
        own: the attribute dict.
        words: a description of the object.
        names: names of attributes that instructions load, shared by all objects.
        sparse: True if other attributes may be added and removed, as for classes and objects of the library.
        hidden: the classes whose attributes these hide: the class of an object, or the further bases of a class.
    """

    __slots__ = ("before", "hidden", "is_class", "is_whole", "names", "own", "owner", "read", "sparse", "words")

    def __init__(
        self, own: dict[str, Any], words: str, names: set[str], sparse: bool = False, hidden: tuple[type, ...] = ()
    ):
        self.own, self.words, self.names, self.sparse, self.hidden = own, words, names, sparse, hidden
        self.is_class = "__module__" in own  # every class dict contains it, and no object's dict
        self.owner: type | None = None  # the class whose attributes they are
        self.before = dict(own)
        self.read: set[str] = set()  # names of attributes that are read without being named
        self.is_whole = False  # True if all of them may be read

    def _names_read(self, present: Iterable[str]) -> set[str]:
        """Return those of these names that are read if they are present."""
        if self.is_whole:
            return set(present)
        found = self.names.intersection(present)
        return found | self.read.intersection(present) if self.read else found

    def _would_hide(self, name: str) -> bool:
        """Return True if a new attribute of this name would hide one of a class."""
        return any([name in vars(base) for base in self.hidden])

    def guards(self) -> Iterable[Guard]:
        """Generate the checks of the attributes that are read, and of the absence of attributes that would hide
        them.
        """
        before, own = self.before, self.own
        if self.sparse:
            for name in self._names_read(before):
                words = f"the attribute {name!r} of {self.words}"
                yield Guard(CheckKind.ITEM, own, name, before[name], name, words)
            absent = [name for name in self.names if name not in before and self._would_hide(name)]
            if self.is_whole or (absent and self.is_class):  # library classes rarely gain attributes
                yield Guard(CheckKind.SIZE, own, None, len(before), "", f"an attribute of {self.words}")
            for name in absent if not self.is_class else ():
                words = f"the attribute {name!r} of {self.words}"
                yield Guard(CheckKind.ITEM, own, name, ABSENT, name, words)
            return
        read = self._names_read(own)
        flat = [part for name in own for part in (name, before.get(name, UNSET) if name in read else ANY)]
        yield Guard(CheckKind.ENTRIES, own, None, tuple(flat), "", f"an attribute of {self.words}")

    def difference(self) -> str:
        """Return the name of an attribute that was read and has changed, or ""."""
        own, before = self.own, self.before
        for name in self._names_read(own if own.keys() == before.keys() else {**own, **before}):
            if own.get(name, UNSET) is not before.get(name, UNSET):
                return name
        return ""

    def restore(self) -> None:
        """Restore the attributes that were read."""
        while name := self.difference():
            value = self.before.get(name, ABSENT)
            put_item(self.own, name, value) if self.owner is None else put_attribute(self.owner, name, value)


class Guards:
    """All guards of a run, one for each place.

    Arguments:
        identity: the values that are compared by identity.
    """

    def __init__(self, identity: Identity):
        self.identity = identity
        self._guards: dict[tuple[int, int, Any], Guard] = {}
        self.attributes: dict[int, Attributes] = {}  # by the id of their dict
        self._all: list[Guard] | None = None

    def add(self, kind: CheckKind, holder: Any, key: Any, expected: Any, name: str, words: str) -> None:
        """Add a guard, unless its place has one already."""
        place = kind, id(holder), key if type(key) is str else id(key)
        if place not in self._guards:
            self._guards[place] = Guard(kind, holder, key, expected, name, words)

    def item(self, holder: dict[str, Any], name: str, words: str) -> Any:
        """Guard an item of a dict, and return its value, or UNSET."""
        value = holder.get(name, UNSET)
        self.add(CheckKind.ITEM, holder, name, ABSENT if value is UNSET else value, name, words)
        return value

    def slot(self, holder: Any, descriptor: Any, name: str, words: str) -> Any:
        """Guard the content of a slot, and return it, or UNSET."""
        try:
            value = descriptor.__get__(holder)
        except (AttributeError, ValueError):
            value = UNSET
        self.add(CheckKind.SLOT, holder, descriptor, ABSENT if value is UNSET else value, name, words)
        return value

    def entries(self, holder: Any, flat: tuple[Any, ...], words: str) -> None:
        """Guard all entries of a container, in their order."""
        self.add(CheckKind.ENTRIES, holder, None, flat, "", words)

    def kind_of(self, value: Any) -> None:
        """Guard the class of an object."""
        self.add(CheckKind.TYPE, value, None, type(value), "__class__", f"the class of a {type(value).__name__}")

    def memory(self, value: Any, snapshot: bytes) -> None:
        """Guard the elements of an array."""
        self.add(CheckKind.BYTES, value, None, snapshot, "", f"the elements of a {type(value).__name__}")

    def answer(self, function: Callable[..., Any], argument: Any, words: str) -> None:
        """Guard the result of a library function: a plain value, or the `repr` of another one or of an error."""
        arguments = () if argument is None else (argument,)
        try:
            found = function(*arguments)
        except FaculaError:
            found = None
        if type(found) not in (bool, int, float, str, tuple):
            function = Text(function)
            found = function(*arguments)
        self.add(CheckKind.CALL, argument, function, found, "", words)

    def without(self, others: Guards) -> list[Guard]:
        """Return the guards that the others lack."""
        found = [guard for place, guard in self._guards.items() if place not in others._guards]
        found += self._of_attributes()
        return [*found, *self.identity.guards(found)]

    def restore(self) -> None:
        """Restore the state that the guards compare."""
        for guard in self._guards.values():
            if guard.kind in RESTORERS and first_failing([guard.check]) is not None:
                RESTORERS[guard.kind](guard.holder, guard.key, guard.expected)
        for attributes in self.attributes.values():
            attributes.restore()

    def all(self) -> list[Guard]:
        """Return all guards, after the last read."""
        if self._all is not None:
            return self._all
        found = [*self._guards.values(), *self._of_attributes()]
        self._all = [*found, *self.identity.guards(found)]
        return self._all

    def texts(self) -> set[str]:
        """Return all strings that are compared."""
        values = [guard.expected for guard in (*self._guards.values(), *self._of_attributes())]
        parts = [part for value in values if type(value) is tuple for part in value]
        return {value for value in (*values, *parts) if type(value) is str}

    def _of_attributes(self) -> list[Guard]:
        return [guard for attribute in self.attributes.values() for guard in attribute.guards()]

"""Guards: what a captured function read, and its value, as checks that each replay makes before its launches."""

from __future__ import annotations

from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_storage.extend import ABSENT, ANY, CheckKind

from .._recording.tensor_guards import first_failing
from .._source.closures import UNSET
from .restore import PUTTERS, put_attribute, put_item

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .._recording.tensor_guards import Check
    from .identity import Identity

CONTENTS = vars(CellType)["cell_contents"]
MRO = vars(type)["__mro__"]
CODE, DEFAULTS, KEYWORDS = [vars(FunctionType)[name] for name in ("__code__", "__defaults__", "__kwdefaults__")]


class Guard(NamedTuple):
    """A check and what it is about: `name` is that of the variable or attribute, `words` describe it."""

    kind: CheckKind
    holder: Any
    key: Any
    expected: Any
    name: str
    words: str

    def described(self) -> str:
        """The guard in words, with the value that it expects where that is short."""
        shown = f" ({self.expected!r:.40})" if type(self.expected) in (bool, int, float, str) else ""
        return self.words + shown

    @property
    def check(self) -> Check:
        """What a sequence takes."""
        return self[:4]


class Text:
    """A function that returns what another one does as Python shows it."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function

    def __call__(self, *arguments: Any) -> str:
        return repr(self.function(*arguments))


class Attributes:
    """The attributes of an object or a class, as they were when it was reached.

    Arguments:
        own: the dict of its attributes.
        words: what the object is.
        names: of the attributes that instructions load, shared by all objects.
        sparse: whether further attributes may come and go: of classes and objects of the library.
        hidden: the classes whose attributes these hide: an object's own, or the further bases of a class.
    """

    __slots__ = ("before", "hidden", "is_class", "is_whole", "names", "own", "owner", "read", "sparse", "words")

    def __init__(
        self, own: dict[str, Any], words: str, names: set[str], sparse: bool = False, hidden: tuple[type, ...] = ()
    ):
        self.own, self.words, self.names, self.sparse, self.hidden = own, words, names, sparse, hidden
        self.is_class = "__module__" in own  # as every class has, and no object
        self.owner: type | None = None  # the class that has them
        self.before = dict(own)
        self.read: set[str] = set()  # names of attributes that are read otherwise
        self.is_whole = False  # whether all of them may be read

    def _names_read(self, present: Iterable[str]) -> set[str]:
        """Those among some names that are read if they are there."""
        if self.is_whole:
            return set(present)
        found = self.names.intersection(present)
        return found | self.read.intersection(present) if self.read else found

    def _would_hide(self, name: str) -> bool:
        """Whether an attribute of this name, if it came, would hide one of a class."""
        return any([name in vars(base) for base in self.hidden])

    def guards(self) -> Iterable[Guard]:
        """The checks of what is read, and that nothing is there that hides it."""
        before, own = self.before, self.own
        if self.sparse:
            for name in self._names_read(before):
                words = f"the attribute {name!r} of {self.words}"
                yield Guard(CheckKind.ITEM, own, name, before[name], name, words)
            absent = [one for one in self.names if one not in before and self._would_hide(one)]
            if self.is_whole or (absent and self.is_class):  # classes of the library rarely get further attributes
                yield Guard(CheckKind.SIZE, own, None, len(before), "", f"an attribute of {self.words}")
            for name in absent if not self.is_class else ():
                words = f"the attribute {name!r} of {self.words}"
                yield Guard(CheckKind.ITEM, own, name, ABSENT, name, words)
            return
        read = self._names_read(own)
        flat = [part for name in own for part in (name, before.get(name, UNSET) if name in read else ANY)]
        yield Guard(CheckKind.ENTRIES, own, None, tuple(flat), "", f"an attribute of {self.words}")

    def difference(self) -> str:
        """The name of an attribute that is read and not as it was; "" where there is none."""
        own, before = self.own, self.before
        for name in self._names_read(own if own.keys() == before.keys() else {**own, **before}):
            if own.get(name, UNSET) is not before.get(name, UNSET):
                return name
        return ""

    def restore(self) -> None:
        """Let those that are read be what they were."""
        while name := self.difference():
            value = self.before.get(name, ABSENT)
            put_item(self.own, name, value) if self.owner is None else put_attribute(self.owner, name, value)


class Guards:
    """All that was read, each place once.

    Arguments:
        identity: the values among it that are compared by identity.
    """

    def __init__(self, identity: Identity):
        self.identity = identity
        self._guards: dict[tuple[int, int, Any], Guard] = {}
        self.attributes: dict[int, Attributes] = {}  # by the id of their dict
        self._all: list[Guard] | None = None

    def add(self, kind: CheckKind, holder: Any, key: Any, expected: Any, name: str, words: str) -> None:
        """Note a value, unless its place was noted before."""
        place = kind, id(holder), key if type(key) is str else id(key)
        if place not in self._guards:
            self._guards[place] = Guard(kind, holder, key, expected, name, words)

    def item(self, holder: dict[str, Any], name: str, words: str) -> Any:
        """Note an item of a dict that has others; UNSET where there is none."""
        value = holder.get(name, UNSET)
        self.add(CheckKind.ITEM, holder, name, ABSENT if value is UNSET else value, name, words)
        return value

    def slot(self, holder: Any, descriptor: Any, name: str, words: str) -> Any:
        """Note what a slot contains; UNSET where it is not set."""
        try:
            value = descriptor.__get__(holder)
        except (AttributeError, ValueError):
            value = UNSET
        self.add(CheckKind.SLOT, holder, descriptor, ABSENT if value is UNSET else value, name, words)
        return value

    def entries(self, holder: Any, flat: tuple[Any, ...], words: str) -> None:
        """Note all entries of a container, in their order."""
        self.add(CheckKind.ENTRIES, holder, None, flat, "", words)

    def kind_of(self, value: Any) -> None:
        """Note the class of an object."""
        self.add(CheckKind.TYPE, value, None, type(value), "__class__", f"the class of a {type(value).__name__}")

    def memory(self, value: Any, snapshot: bytes) -> None:
        """Note the elements of an array."""
        self.add(CheckKind.BYTES, value, None, snapshot, "", f"the elements of a {type(value).__name__}")

    def answer(self, function: Callable[..., Any], argument: Any, words: str) -> None:
        """Note what a function of ours returns: a plain value, or the text of another one."""
        found = function() if argument is None else function(argument)
        if type(found) not in (bool, int, float, str, tuple):
            found, function = repr(found), Text(function)
        self.add(CheckKind.CALL, argument, function, found, "", words)

    def without(self, others: Guards) -> list[Guard]:
        """Every guard that the others do not have."""
        found = [one for place, one in self._guards.items() if place not in others._guards]
        found += self._of_attributes()
        return [*found, *self.identity.guards(found)]

    def restore(self) -> None:
        """Let everything that was read be what it was."""
        for one in self._guards.values():
            if one.kind in PUTTERS and first_failing([one.check]) is not None:
                PUTTERS[one.kind](one.holder, one.key, one.expected)
        for attributes in self.attributes.values():
            attributes.restore()

    def all(self) -> list[Guard]:
        """Every guard, once nothing more is read."""
        if self._all is not None:
            return self._all
        found = [*self._guards.values(), *self._of_attributes()]
        self._all = [*found, *self.identity.guards(found)]
        return self._all

    def texts(self) -> set[str]:
        """The strings that are compared."""
        values = [one.expected for one in (*self._guards.values(), *self._of_attributes())]
        parts = [part for one in values if type(one) is tuple for part in one]
        return {one for one in (*values, *parts) if type(one) is str}

    def _of_attributes(self) -> list[Guard]:
        return [guard for one in self.attributes.values() for guard in one.guards()]

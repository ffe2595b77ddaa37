"""Attributes: those that instructions name are compared, of every object that was reached."""

from __future__ import annotations

import sys
from abc import abstractmethod
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from facula_errors.extend import is_library_module
from facula_tensor import Tensor

from . import constant_values, library_functions
from .guards import Attributes, Guards
from .identity import Identity

if TYPE_CHECKING:
    from types import CodeType

    from .._recording.recorder import Recorder

FUNCTION_SLOTS = {
    name: vars(FunctionType)[name]
    for name in (
        "__name__ __qualname__ __module__ __doc__ __globals__ __closure__ __annotations__ __code__ __defaults__ "
        "__kwdefaults__".split()
    )
}
CLASS_SLOTS = {name: vars(type)[name] for name in ("__name__", "__qualname__", "__bases__")}
OWN = vars(Tensor)["_own_attributes"]
OF_EXCEPTIONS = ("__cause__", "__context__", "__traceback__")
UNREAD = frozenset((*FUNCTION_SLOTS, *CLASS_SLOTS, "__traceback__"))  # unless they are named


class AttributeReads:
    """The part of `Reach` that knows which attributes are read."""

    recorder: Recorder

    def __init__(self) -> None:
        self.site: tuple[CodeType, int] | None = None  # of the instruction under way
        self.names: set[str] = set()  # of attributes, that instructions load
        self.identity = Identity(self.names)
        self.guards = Guards(self.identity)
        self.compares_identity = False  # whether it asks whether two objects are one
        self.reads_all = False  # whether a function like `getattr` may read any attribute
        self.compares_whole = False  # whether objects may be compared by all their attributes
        self.shows_texts = False  # whether objects may be shown as texts
        self._has_arrays = False  # whether arrays or numbers of NumPy were reached
        self._namespaces: list[Attributes] = []
        self._slots: list[tuple[Any, dict[str, Any]]] = []  # objects, and the descriptors of their slots
        self._bare: dict[int, tuple[Tensor, str]] = {}  # by id: tensors that had no attributes when they were reached
        self._asks_arguments = False  # whether a tensor among the arguments lacked an attribute that it was asked for
        self._named: list[Attributes] = []  # of which an attribute is read where an instruction names it

    @abstractmethod
    def reach(self, value: Any, words: str) -> None:
        """A value that the function may read."""

    @abstractmethod
    def refuse(self, what: str, remedy: str = "") -> None:
        """Break the capture: a value that no guard can compare was read."""

    def add_name(self, name: str) -> None:
        """An instruction names this attribute."""
        if name in self.names:
            return
        if name in constant_values.ALL_BY_NAME:
            self.read_all()
        if name in library_functions.METHODS_THAT_BREAK:
            self.refuse(library_functions.METHODS_THAT_BREAK[name], "compute it outside of the function")
        self.names.add(name)
        if name in constant_values.COMPARING:
            self.read_namespaces()
        if name in constant_values.WRITING:
            self.read_texts()
        if name in constant_values.OPTIONS:
            self.recorder.options_are_read(self.site)
        for one in list(self._named):
            if name in one.before:
                self._reach_attribute(one, name)
        for owner, slots in list(self._slots):
            if name in slots:
                self._read_slot(owner, slots[name], name)

    def read_all(self) -> None:
        """Any attribute of what is reached may be read."""
        if not self.reads_all:
            self.reads_all = True
            for one in list(self._named):
                self._read_whole(one)
            for owner, slots in list(self._slots):
                for name, descriptor in slots.items():
                    if name not in UNREAD:
                        self._read_slot(owner, descriptor, name)
            for tensor, words in self._bare.values():
                self._read_none(tensor, words)

    def read_namespaces(self) -> None:
        """Objects may be compared by all their attributes."""
        self.compares_whole = True
        for one in list(self._namespaces):
            self._read_whole(one)

    def read_texts(self) -> None:
        """Objects may be shown as texts."""
        if not self.shows_texts:
            self.shows_texts = True
            self.read_namespaces()
            self.guards.answer(sys.get_int_max_str_digits, None, "sys.get_int_max_str_digits()")
            for name in constant_values.SHOWN:
                self.add_name(name)
            if self._has_arrays:
                self._compare_print_options()

    def _compare_print_options(self) -> None:
        """Arrays are shown, as NumPy's options say."""
        self.guards.answer(sys.modules["numpy"].get_printoptions, None, "NumPy's print options")

    def _tensor_attributes(self, tensor: Tensor, words: str) -> None:
        """Attributes that the program gave to a tensor, or that it may ask for and that are not there."""
        if tensor._own_attributes is not None:
            self._attributes(tensor, words)
        elif self.reads_all or hasattr(type(tensor), "__getattr__"):  # which the program's class answers with
            self._read_none(tensor, words)
        else:
            self._bare[id(tensor)] = tensor, words

    def raised(self, error: BaseException) -> None:
        """An exception was raised in the program: of interest where a tensor has no attribute of some name.

        Most names that instructions load are asked of other objects. So a name alone is no reason to compare whether
        each tensor has attributes before a replay.
        """
        if isinstance(error, AttributeError) and isinstance(error.obj, Tensor):
            if found := self._bare.pop(id(error.obj), None):
                self._read_none(*found)
            self._asks_arguments = self._asks_arguments or id(error.obj) in self.recorder.known_inputs

    def reads_any_of(self, names: set[str]) -> bool:
        """Whether attributes of arguments may be read: of these names, or of any."""
        return self.reads_all or self._asks_arguments or not names.isdisjoint(self.names)

    def _read_none(self, tensor: Tensor, words: str) -> None:
        self.guards.slot(tensor, OWN, "__dict__", f"the attributes of {words}")

    def _read(self, attributes: Attributes, name: str) -> None:
        """An attribute is read that no instruction names."""
        attributes.read.add(name)
        self._reach_attribute(attributes, name)

    def _read_whole(self, attributes: Attributes) -> None:
        attributes.is_whole = True
        for name in attributes.before:
            self._reach_attribute(attributes, name)

    def _reach_attribute(self, attributes: Attributes, name: str) -> None:
        self.reach(attributes.before[name], f"the attribute {name!r} of {attributes.words}")

    def _read_slot(self, owner: Any, descriptor: Any, name: str) -> None:
        words = f"the attribute {name!r} of a {type(owner).__name__}"
        if type(descriptor) is FunctionType:  # a method whose result is compared
            self.guards.answer(descriptor, owner, words)
            return
        self.reach(self.guards.slot(owner, descriptor, name, words), words)

    def _note(
        self, own: dict[str, Any], words: str, sparse: bool = False, hidden: tuple[type, ...] = ()
    ) -> Attributes | None:
        """The attributes of an object or class, of which those are read that are named; None if they were noted."""
        if id(own) in self.guards.attributes:
            return None
        made = self.guards.attributes[id(own)] = Attributes(own, words, self.names, sparse, hidden)
        self._named.append(made)
        if self.reads_all:
            self._read_whole(made)
        else:
            for name in [one for one in made.before if one in self.names]:
                self._reach_attribute(made, name)
        return made

    def _attributes(self, value: Any, words: str, everything: bool = False) -> None:
        """The attributes of an object in its dict and slots."""
        kind = type(value)
        own = own_dict(value)
        if own is not None:
            self._own_dict(value, own, words)
            made = self._note(
                own, words, is_library_module(kind.__module__) and not issubclass(kind, Tensor), kind.__mro__
            )
            if made is not None and issubclass(kind, SimpleNamespace):
                self._namespaces.append(made)
                everything = everything or self.compares_whole
            if made is not None and everything:
                self._read_whole(made)
            for name, one in made.before.items() if made is not None else ():
                if issubclass(type(one), dict) and is_library_module(type(one).__module__):  # a table of hooks
                    self._read(made, name)  # type: ignore[arg-type]
        slots = {
            name.removeprefix("_" + base.__name__.lstrip("_")) if name.startswith("__") else name: one
            for base in reversed(kind.__mro__)
            if constant_values.is_python_class(base) or issubclass(base, BaseException)
            for name, one in vars(base).items()
            if type(one) is MemberDescriptorType or (type(one) is GetSetDescriptorType and name in OF_EXCEPTIONS)
        }
        self._note_slots(value, slots, everything)

    def _own_dict(self, value: Any, own: dict[str, Any], words: str) -> None:
        """The dict of attributes itself, which a program may replace."""
        for base in type(value).__mro__:
            if (descriptor := vars(base).get("__dict__")) is not None:
                if type(descriptor) in (GetSetDescriptorType, MemberDescriptorType):
                    self.guards.slot(value, descriptor, "__dict__", f"the attributes of {words}")
                return

    def _note_slots(self, value: Any, slots: dict[str, Any], everything: bool = False) -> None:
        """Attributes that descriptors read; of all of them those that are named."""
        if slots:
            self._slots.append((value, slots))
            read_all = everything or self.reads_all
            for name in slots.keys() - UNREAD if read_all else self.names & slots.keys():
                self._read_slot(value, slots[name], name)


def own_dict(value: Any) -> dict[str, Any] | None:
    """The dict of an object's attributes; None where it has none."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return own if type(own) is dict else None

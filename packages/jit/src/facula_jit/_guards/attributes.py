"""Guards on attributes: those named by instructions are compared, for every object that was reached."""

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
UNREAD = frozenset((*FUNCTION_SLOTS, *CLASS_SLOTS, "__traceback__"))  # unless instructions name them


class AttributeReads:
    """The part of `Reach` that determines which attributes are read."""

    recorder: Recorder

    def __init__(self) -> None:
        self.site: tuple[CodeType, int] | None = None  # of the current instruction
        self.names: set[str] = set()  # names of attributes that instructions load
        self.identity = Identity(self.names)
        self.guards = Guards(self.identity)
        self.compares_identity = False  # True if the program compares identities
        self.reads_all = False  # True if a function such as `getattr` may read any attribute
        self.compares_whole = False  # True if objects may be compared by all their attributes
        self.shows_texts = False  # True if objects may be converted to text
        self._has_arrays = False  # True if NumPy arrays or numbers were reached
        self._namespaces: list[Attributes] = []
        self._slots: list[tuple[Any, dict[str, Any]]] = []  # objects, and the descriptors of their slots
        # by id: tensors without attributes when they were reached
        self._without_attributes: dict[int, tuple[Tensor, str]] = {}
        self._asks_arguments = False  # True if the program read a missing attribute of a tensor argument
        self._named: list[Attributes] = []  # attributes are read if an instruction names them

    @abstractmethod
    def reach(self, value: Any, words: str) -> None:
        """Guard a value that the function may read."""

    @abstractmethod
    def refuse(self, what: str, remedy: str = "") -> None:
        """Break the capture because a value that no guard can compare was read."""

    def add_name(self, name: str) -> None:
        """Record that an instruction names this attribute."""
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
        for named in list(self._named):
            if name in named.before:
                self._reach_attribute(named, name)
        for owner, slots in list(self._slots):
            if name in slots:
                self._read_slot(owner, slots[name], name)

    def read_all(self) -> None:
        """Record that any attribute of the reached objects may be read."""
        if not self.reads_all:
            self.reads_all = True
            for named in list(self._named):
                self._read_whole(named)
            for owner, slots in list(self._slots):
                for name, descriptor in slots.items():
                    if name not in UNREAD:
                        self._read_slot(owner, descriptor, name)
            for tensor, words in self._without_attributes.values():
                self._read_none(tensor, words)

    def read_namespaces(self) -> None:
        """Record that objects may be compared by all their attributes."""
        self.compares_whole = True
        for namespace in list(self._namespaces):
            self._read_whole(namespace)

    def read_texts(self) -> None:
        """Record that objects may be converted to text."""
        if not self.shows_texts:
            self.shows_texts = True
            self.read_namespaces()
            self.guards.answer(sys.get_int_max_str_digits, None, "sys.get_int_max_str_digits()")
            for name in constant_values.SHOWN:
                self.add_name(name)
            if self._has_arrays:
                self._compare_print_options()

    def _compare_print_options(self) -> None:
        """Guard NumPy's print options, since arrays are converted to text."""
        self.guards.answer(sys.modules["numpy"].get_printoptions, None, "NumPy's print options")

    def _tensor_attributes(self, tensor: Tensor, words: str) -> None:
        """Guard the attributes set on a tensor, or their absence if the program may read them."""
        if tensor._own_attributes is not None:
            self._attributes(tensor, words)
        elif self.reads_all or hasattr(type(tensor), "__getattr__"):  # `__getattr__` of the program may answer any name
            self._read_none(tensor, words)
        else:
            self._without_attributes[id(tensor)] = tensor, words

    def raised(self, error: BaseException) -> None:
        """Record an exception in the program; an AttributeError shows which tensor lacks an attribute.

        Most names that instructions load belong to other objects. A name alone is therefore no reason to check the
        attributes of all tensors before each replay.
        """
        if isinstance(error, AttributeError) and isinstance(error.obj, Tensor):
            if found := self._without_attributes.pop(id(error.obj), None):
                self._read_none(*found)
            self._asks_arguments = self._asks_arguments or id(error.obj) in self.recorder.known_inputs

    def reads_any_of(self, names: set[str]) -> bool:
        """Return True if attributes of arguments with these names may be read."""
        return self.reads_all or self._asks_arguments or not names.isdisjoint(self.names)

    def _read_none(self, tensor: Tensor, words: str) -> None:
        self.guards.slot(tensor, OWN, "__dict__", f"the attributes of {words}")

    def _read(self, attributes: Attributes, name: str) -> None:
        """Record the read of an attribute that no instruction names."""
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
        """Guard those attributes of an object or class that are named; return None if they have been added before."""
        if id(own) in self.guards.attributes:
            return None
        made = self.guards.attributes[id(own)] = Attributes(own, words, self.names, sparse, hidden)
        self._named.append(made)
        if self.reads_all:
            self._read_whole(made)
        else:
            for name in [known for known in made.before if known in self.names]:
                self._reach_attribute(made, name)
        return made

    def _attributes(self, value: Any, words: str, everything: bool = False) -> None:
        """Guard the attributes of an object in its dict and slots."""
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
            for name, before in made.before.items() if made is not None else ():
                if issubclass(type(before), dict) and is_library_module(type(before).__module__):  # a table of hooks
                    self._read(made, name)  # type: ignore[arg-type]
        slots = {
            name.removeprefix("_" + base.__name__.lstrip("_")) if name.startswith("__") else name: attribute
            for base in reversed(kind.__mro__)
            if constant_values.is_python_class(base) or issubclass(base, BaseException)
            for name, attribute in vars(base).items()
            if type(attribute) is MemberDescriptorType
            or (type(attribute) is GetSetDescriptorType and name in OF_EXCEPTIONS)
        }
        self._note_slots(value, slots, everything)

    def _own_dict(self, value: Any, own: dict[str, Any], words: str) -> None:
        """Guard the attribute dict itself, which a program may replace."""
        for base in type(value).__mro__:
            if (descriptor := vars(base).get("__dict__")) is not None:
                if type(descriptor) in (GetSetDescriptorType, MemberDescriptorType):
                    self.guards.slot(value, descriptor, "__dict__", f"the attributes of {words}")
                return

    def _note_slots(self, value: Any, slots: dict[str, Any], everything: bool = False) -> None:
        """Guard attributes that descriptors read, as far as they are named."""
        if slots:
            self._slots.append((value, slots))
            read_all = everything or self.reads_all
            for name in slots.keys() - UNREAD if read_all else self.names & slots.keys():
                self._read_slot(value, slots[name], name)


def own_dict(value: Any) -> dict[str, Any] | None:
    """Return the attribute dict of an object, or None."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return own if type(own) is dict else None

"""What Python's decisions may lie in: variables, attributes, entries of lists and dicts, as they were at first.

Note [Contents]
~~~~~~~~~~~~~~~
A replay does what the function did, so what made it do so has to be as it was. That is looked for from the function
on: what it closes over and names, its arguments, and of each of these what it holds: entries, attributes, slots; of a
function again what it closes over and names, of a module that was imported and of a class the attributes that the
program's lines name. Attributes of the program's own objects count where a line names them that may run: what a
program counts and logs beside is no business of its step. What is met before the run is compared after it, too: a
counter that the function changes by itself would stand still in replays (_variables.py). Tensors, modules of networks
and what belongs to the library are looked at elsewhere (_checks.py).
"""

from __future__ import annotations

import sys
from functools import partial
from gc import get_referents
from sysconfig import get_paths
from types import CellType, CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakMethod

from facula_errors.extend import is_library_module
from facula_storage.extend import CheckKind
from facula_tensor import Tensor

from ._closures import UNSET, cells_of, content, defaults_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    Check = tuple[CheckKind, Any, Any, Any]  # kind, holder, key and what is expected: Note [Checks] in facula_storage

CONTENTS = vars(CellType)["cell_contents"]
INSTALLED = tuple({get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")})
KINDS = "_kinds"  # what facula_nn notes of attributes' names: the attributes say it
REMEMBERED = (type(None), bool, int, float, complex, str, bytes)  # what is told to have changed: by value
HEAP = 1 << 9  # the flag of classes whose attributes can be set
MOST_ENTRIES = 64  # of lists and dicts that are looked into
TABLES = (list, dict, tuple)  # of classes, what is looked into beside their methods
NEAR = 2  # levels at which all is looked at
DEEPEST = 8  # levels, of a configuration in a configuration
COMPUTED = frozenset((
    "getattr", "vars", "__dict__", "locals", "globals", "eval", "exec", "attrgetter", "asdict", "astuple", "fields",
    "copy", "deepcopy", "replace",
))  # fmt: skip
"""Where these are named, attributes are read that nobody names."""
MAKERS = ("__init__", "__new__", "__post_init__")  # which run where their class is named
MOST_FURTHER = 1024  # entries beyond the near ones


class Held(NamedTuple):
    """What something held at first. Of what is `whole` its length counts, and entries that it has got since."""

    holder: Any  # None of what cannot change
    entries: dict[Any, Any]
    what: str = ""  # "variable", "attribute of a Model", "entry of a dict"
    whole: bool = False

    def present(self) -> dict[Any, Any]:
        """The entries as they are now."""
        if self.whole:
            return dict(_entries(self.holder))
        return {key: present(self.holder, key) for key in self.entries}

    def named(self, key: Any) -> str:
        """One of the entries in words."""
        if key is CONTENTS:
            return self.what
        kind, _, owner = self.what.partition(" ")
        return " ".join([kind, repr(getattr(key, "__name__", key)), owner]).strip()


class Contents:
    """What is met from some values on, each object once, and what it held then.

    Arguments:
        watch: what is told of modules of networks.
    """

    def __init__(self, watch: Callable[[Any], None]):
        self._watch, self._room = WeakMethod(watch), MOST_FURTHER
        self._roots: list[Any] = []
        self._parts: dict[int, list[Held]] = {}  # by the id of what is in parts
        self.held: dict[int, Held] = {}  # by the holder's id
        self.owners: dict[int, Any] = {}  # id of an object's dict of attributes -> the object
        self.classes: dict[int, type] = {}  # of the program: their dict's id -> the class
        self.names: set[str] = set()  # that the lines of the program have, as far as they are known
        self.met: dict[int, tuple[Any, int]] = {}  # id of an object -> it, and at which level

    def add(self, values: Iterable[Any], level: int = 0) -> None:
        """Look at values, and at what they hold."""
        todo = [(one, level) for one in values]
        known = {id(one) for one in self._roots}
        self._roots += [one for one, _ in todo if id(one) not in known]
        for one, depth in todo:  # which gets longer meanwhile
            if isinstance(one, REMEMBERED) or id(one) in self.met or depth > DEEPEST:
                continue
            self.met[id(one)] = one, depth
            if hasattr(type(one), "named_modules") and not isinstance(one, type):
                if (watch := self._watch()) is not None:
                    watch(one)
            self.add_class(one if isinstance(one, type) else type(one))
            for held in self._parts_of(one):
                self._room -= len(held.entries) if depth > NEAR else 0
                if self._room > 0:
                    self._hold(held)
                    self._parts.setdefault(id(one), []).append(held)
                    todo += [(part, depth + 1) for part in held.entries.values()]

    def add_code(self, code: CodeType, known: dict[str, Any]) -> None:
        """Look at the global variables that lines of the program name."""
        names = _names_in(code)
        self.names |= names
        for held in _named(names, known):
            self._hold(held)
            self.add(held.entries.values(), 1)

    def add_class(self, kind: type) -> None:
        """Look at the attributes of a class and its bases, if they are the program's."""
        for one in classes_of([kind]):
            own = get_referents(vars(one))[0]
            if id(own) not in self.classes:
                self.classes[id(own)] = one
                entries = {name: value for name, value in own.items() if not name.startswith("__")}
                self._hold(Held(own, entries, f"attribute of {one.__name__}"))

    def _hold(self, held: Held) -> None:
        before = self.held.setdefault(id(held.holder), held) if held.holder is not None else held
        if before is not held:  # a module, of which another function names more
            for key, one in held.entries.items():
                before.entries.setdefault(key, one)

    def _parts_of(self, value: Any) -> list[Held]:
        """What a value holds."""
        kind = type(value)
        if isinstance(value, FunctionType):
            return self._parts_of_function(value)
        if isinstance(value, MethodType):
            return [Held(None, {0: value.__func__, 1: value.__self__})]
        if isinstance(value, partial):
            return [Held(None, {0: value.func, 1: value.args, 2: value.keywords})]
        if isinstance(value, (Tensor, ModuleType, type)):
            return []
        found = []
        if isinstance(value, (tuple, frozenset)):
            found.append(Held(None, dict(enumerate(value))))
        elif (isinstance(value, dict) or kind is list) and len(value) <= MOST_ENTRIES:
            found.append(Held(value, dict(_entries(value)), f"entry of a {kind.__name__}", True))
        if is_library_module(kind.__module__):  # a function that was captured or marked is gone through
            return [*found, Held(None, {0: vars(value).get("function")})] if hasattr(value, "__wrapped__") else found
        own = getattr(value, "__dict__", None)
        if type(own) is dict and KINDS not in own and len(own) <= MOST_ENTRIES:
            self.owners[id(own)] = value
            found.append(Held(own, dict(own), f"attribute of a {kind.__name__}", True))
        slots = [one for base in kind.__mro__ if base.__flags__ & HEAP for one in vars(base).values()]
        entries = {one: _slot(one, value) for one in slots if type(one) is MemberDescriptorType}
        return [*found, Held(value, entries, f"attribute of a {kind.__name__}")] if entries else found

    def _parts_of_function(self, function: FunctionType) -> list[Held]:
        """What a function closes over and names, unless it is of a package that is installed."""
        if is_library_module(function.__module__) or function.__code__.co_filename.startswith(INSTALLED):
            return []
        names = _names_in(function.__code__)
        found = [Held(None, dict(enumerate(defaults_of(function))))]
        for name, cell in cells_of(function).items():
            if (value := content(cell)) is not UNSET:
                found.append(Held(cell, {CONTENTS: value}, f"variable {name!r}"))
        return found + _named(names, function.__globals__)

    def forget(self) -> None:
        """Let what was met live as long as the program wants."""
        self.met, self.held, self._parts, self._roots = {}, {}, {}, []

    def _may_run(self, kind: type, name: str) -> bool:
        """Whether the program's lines may come to this attribute of a class: by its name, by a sign or by a call."""
        if name in MAKERS:
            return kind.__name__ in self.names
        return name in self.names or name == "forward" or (name.startswith("__") and name.endswith("__"))

    def reached(self) -> dict[int, Any]:
        """What the program's lines may come to, by id: they have names for attributes, and run the functions there."""
        found: dict[int, Any] = {}
        known = -1
        while known != (known := len(self.names) + len(found)):
            found, todo = {}, list(self._roots)
            for one in todo:  # which gets longer meanwhile
                if id(one) in found:
                    continue
                found[id(one)] = one
                for held in (parts := self._parts.get(id(one), ())):
                    todo += [part for name, part in held.entries.items() if not self._is_unread(held, name)]
                if parts and isinstance(one, FunctionType):
                    self.names |= _names_in(one.__code__)
            kinds = classes_of(found.values())
            methods = [one for kind in kinds for name, one in vars(kind).items() if self._may_run(kind, name)]
            self.add([one for one in map(_function_in, methods) if type(one) in (FunctionType, *TABLES)], NEAR)
        return found

    def _is_unread(self, held: Held, key: Any) -> bool:
        """Whether this is an attribute of an object of the program's that no line names."""
        name = getattr(key, "__name__", key)
        owner = self.owners.get(id(held.holder), held.holder if name is not key else None)
        if owner is None or type(owner) is CellType or name in self.names or not COMPUTED.isdisjoint(self.names):
            return False
        return all([_is_of_program(sys.modules.get(kind.__module__)) for kind in type(owner).__mro__[:-1]])

    def checks(self, left_out: Collection[str]) -> list[Check]:
        """What has to be as it was: what did not change in the run.

        Arguments:
            left_out: names of attributes that nothing reads.
        """
        met = self.reached()
        checks: list[Check] = []
        unseen = {id(held.holder) for key, parts in self._parts.items() if key not in met for held in parts}
        seen = {id(held.holder) for key, parts in self._parts.items() if key in met for held in parts}
        for key, held in self.held.items():
            if key in unseen and key not in seen:
                continue
            now = held.present()
            if held.whole:
                checks.append((CheckKind.SIZE, held.holder, None, len(held.holder)))
            for name, one in held.entries.items():
                is_attribute = (key in self.owners and name in left_out) or self._is_unread(held, name)
                is_unnamed = key in self.classes and name not in self.names
                if now.get(name, UNSET) is one and one is not UNSET and name is not None:
                    if not is_attribute and not is_unnamed:
                        checks.append(check_of(held.holder, name, one))
        return checks


def present(holder: Any, key: Any) -> Any:
    """What a dict or list has there now, or an object in this slot; None is no key."""
    if isinstance(holder, dict):
        return holder.get(key, UNSET)
    if type(holder) is list:
        return holder[key] if key is not None and key < len(holder) else UNSET
    return _slot(key, holder)


def check_of(holder: Any, key: Any, expected: Any) -> Check:
    """The check of an entry of a dict or list, or of an object's slot."""
    is_list = CheckKind.PLACE if type(holder) is list else CheckKind.SLOT
    return (CheckKind.ITEM if isinstance(holder, dict) else is_list), holder, key, expected


def classes_of(objects: Iterable[object]) -> list[type]:
    """The classes of objects, and those among them, that are the program's own."""
    found = dict.fromkeys([one if isinstance(one, type) else type(one) for one in objects])
    bases = dict.fromkeys([base for one in found for base in one.__mro__])
    return [one for one in bases if one.__flags__ & HEAP and not is_library_module(one.__module__)]


def _named(names: Collection[str], known: dict[str, Any]) -> list[Held]:
    """The global variables of these names, and the attributes of these names of the modules among them."""
    found = {name: known[name] for name in names if name in known}
    modules = [one for one in found.values() if type(one) is ModuleType and _is_of_program(one)]
    attributes = [(vars(one), {name: vars(one)[name] for name in names if name in vars(one)}) for one in modules]
    return [Held(known, found, "variable"), *[Held(own, some, "variable") for own, some in attributes]]


def _is_of_program(module: ModuleType | None) -> bool:
    """Whether a module is neither the library's nor of a package that is installed."""
    path = getattr(module, "__file__", None)
    return (
        path is not None and not path.startswith(INSTALLED) and not is_library_module(getattr(module, "__name__", ""))
    )


def _entries(value: Any) -> Iterable[tuple[Any, Any]]:
    return value.items() if isinstance(value, dict) else enumerate(value)


def _slot(descriptor: Any, holder: Any) -> Any:
    try:
        return descriptor.__get__(holder)
    except (AttributeError, ValueError):
        return UNSET


def _function_in(attribute: Any) -> Any:
    """The function of a method, of whichever kind."""
    return getattr(attribute, "fget", None) or getattr(attribute, "__func__", attribute)


def _names_in(code: CodeType) -> set[str]:
    """The names that a code object and those in it have for variables and attributes; strings may be names, too."""
    strings = {one for one in code.co_consts if isinstance(one, str)}
    return strings.union(code.co_names, *[_names_in(one) for one in code.co_consts if isinstance(one, CodeType)])

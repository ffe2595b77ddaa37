"""Values that a captured function may read: the guards of each type, and the values reachable from it."""

from __future__ import annotations

import sys
from abc import ABCMeta, get_cache_token
from collections import deque
from functools import lru_cache, partial
from gc import get_referents
from types import (
    BuiltinFunctionType,
    CellType,
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    SimpleNamespace,
    WrapperDescriptorType,
)
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.nodes import describe_call_site
from facula_errors.extend import is_library_module
from facula_storage.extend.replay import CheckKind
from facula_tensor import Tensor

from .._recording.pytrees import is_module
from .._source.closures import UNSET, cells_of
from . import constant_values, process_state
from .attributes import CLASS_SLOTS, FUNCTION_SLOTS
from .containers import CONTAINERS, add_entries, buffer_snapshot
from .frames import NAMED_TUPLE, is_installed, is_of_library, is_support
from .guards import CODE, CONTENTS, DEFAULTS, KEYWORDS, MRO, Attributes
from .library_objects import LibraryReads, function_in

if TYPE_CHECKING:
    from collections.abc import Collection

    from .._recording.recorder import Recorder

    Site = tuple[CodeType, int]

C_FUNCTIONS = (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    MethodDescriptorType,
    MethodWrapperType,
    WrapperDescriptorType,
)
LRU_CACHE = type(lru_cache(len))
UNNOTED = frozenset(
    "__module__ __doc__ __dict__ __weakref__ __qualname__ __annotations__ __slots__ __firstlineno__ __name__ "
    "__static_attributes__ __signature__ __abstractmethods__ __parameters__ __orig_bases__ __dataclass_fields__ "
    "__match_args__".split()
)
"""Attributes of classes that Python does not read by itself."""
STANDARD = ("typing", "abc", "collections.abc")  # modules whose classes have no state to compare


class Reach(LibraryReads):
    """The values reached so far, and the guards on their state.

    Arguments:
        recorder: broken by values that cannot be compared, and notified of the tensors and modules that are reached.
        allowed: ids of functions, types and objects that are treated as constant.
    """

    def __init__(self, recorder: Recorder, allowed: Collection[int]):
        super().__init__()
        self.recorder, self.allowed = recorder, allowed
        self.functions: dict[int, list[FunctionType]] = {}  # by the id of their code
        self._ran: set[int] = set()  # ids of code objects that ran
        self._methods: dict[int, list[tuple[Attributes, str]]] = {}  # id of a code object -> classes with such a method
        self._reached: dict[int, Any] = {}
        self._todo: deque[tuple[Any, str]] = deque()
        self._draining = False
        self._outer = sys.exc_info()[1]  # the exception that the caller is handling
        self._registers = False  # True if an abstract class was reached
        self._asks_for_instances = False  # True if `isinstance` or `issubclass` was reached

    # ------------------------------------------------------------------------------------------------------- values
    def reach(self, value: Any, words: str) -> None:
        """Guard a value that the function may read, and the values reachable from it.

        Arguments:
            value: the value.
            words: its description.
        """
        kind = type(value)
        if kind in constant_values.CONSTANTS or value is UNSET or id(value) in self._reached:
            return
        self._reached[id(value)] = value
        self._todo.append((value, words))
        if self._draining:
            return
        self._draining = True
        try:
            while self._todo and self.recorder.breaks is None:
                self._visit(*self._todo.popleft())
        finally:
            self._draining = False

    def has_reached(self, value: Any) -> bool:
        """Return True if this object was reached."""
        return self._reached.get(id(value)) is value

    def _visit(self, value: Any, words: str) -> None:
        kind = type(value)
        for part in (value, kind, getattr(value, "__objclass__", None) if kind in C_FUNCTIONS else None):
            if id(part) in self.allowed or id(part) in constant_values.allowed:
                self.recorder.uses_allowed = True
                return
        module = value.__module__ if kind is FunctionType or kind in C_FUNCTIONS[:1] else kind.__module__
        if constant_values.is_numpy(module) or (kind is type and constant_values.is_numpy(value.__module__)):
            self._numpy()
        if kind is FunctionType:
            self._function(value)
        elif issubclass(kind, Tensor):
            self._tensor(value, words)
        elif kind in C_FUNCTIONS:
            self._c_function(value, words)
        elif issubclass(kind, type):
            self._class(value, words)
        elif kind is MethodType:
            self.reach(value.__func__, words)
            self.reach(value.__self__, words)
        elif kind is property:
            for function in (value.fget, value.fset, value.fdel):
                self.reach(function, words)
        elif kind in (staticmethod, classmethod):
            self.reach(value.__func__, words)
        elif kind is MemberDescriptorType or constant_values.is_constant(value, kind):
            self._note_arrays(kind)
            if getattr(value, "__name__", "") in constant_values.WRITERS:  # a function of NumPy
                self._has_arrays = True
                self.read_texts()
            if kind.__name__ in constant_values.ALL_ATTRIBUTES:  # an existing attrgetter
                self.read_all()
            if kind.__module__ == "operator":
                for referent in get_referents(value):
                    self.reach(referent, f"what {words} was made with")
        elif kind is MappingProxyType:
            self.reach(get_referents(value)[0], words)
        elif kind is LRU_CACHE and is_support(value.__module__ or ""):
            self.reach(value.__wrapped__, words)
        elif kind in constant_values.LOCKS and self._is_in_support():
            del self._reached[id(value)]
        elif kind is CellType:
            self.reach(self.guards.slot(value, CONTENTS, "", words), words)
        elif issubclass(kind, ModuleType) and is_library_module(value.__name__):
            self._library_module(value)
        elif issubclass(kind, ModuleType) and is_support(value.__name__) and self._is_in_support():
            self._note(vars(value), value.__name__, True)
        elif issubclass(kind, ModuleType):
            self.refuse(
                f"the module {value.__name__} as a value",
                f"write {value.__name__.rpartition(chr(46))[2]}.NAME where NAME is used",
            )
        elif is_module(kind):
            self._module(value)
        elif is_library_module(kind.__module__):
            self._library_object(value, words)
        elif issubclass(kind, partial):
            self.guards.kind_of(value)
            for name in ("func", "args", "keywords"):
                self.reach(self.guards.slot(value, vars(partial)[name], name, f"the {name} of {words}"), words)
            self._attributes(value, words)
        elif issubclass(kind, CONTAINERS) and constant_values.has_known_bases(kind):
            add_entries(self, value, words)
            self._instance(value, words)
        elif (snapshot := buffer_snapshot(value)) is not None:
            if isinstance(snapshot, str):
                self.refuse(f"{words}, {snapshot}", "keep it in a tensor")
            else:
                self.guards.memory(value, snapshot)
                self._instance(value, words)
                self._note_arrays(kind)
                if (base := vars(kind).get("base")) is not None:
                    self._note_slots(value, {"base": base})
        elif issubclass(kind, BaseException) and constant_values.has_known_bases(kind):
            self.reach(self.guards.slot(value, vars(BaseException)["args"], "args", words), words)
            self._instance(value, words)
        elif kind is SimpleNamespace or (
            constant_values.is_python_class(kind) and constant_values.has_known_bases(kind)
        ):
            self._instance(value, words)
        else:
            self.refuse(f"{words}, a {kind.__module__}.{kind.__qualname__}".replace("a builtins.", "a "))

    def _note_arrays(self, kind: type) -> None:
        """Record that a value of a NumPy type was reached, which may be converted to text."""
        if constant_values.is_numpy(kind.__module__) and not self._has_arrays:
            self._has_arrays = True
            if self.shows_texts:
                self._compare_print_options()

    def refuse(self, what: str, remedy: str = "") -> None:
        """Break the capture because a value that no guard can compare was read."""
        self.recorder.broken(
            f"it reads {what}, whose state cannot be compared before a replay",
            remedy or "make it an argument, or list it in capture(..., allow=[...]) if its value at capture is enough",
            self.site,
        )

    # ------------------------------------------------------------------------------------------------------- classes
    def _instance(self, value: Any, words: str) -> None:
        """Guard an object of a class written in Python, or an exception, which has attributes."""
        kind = type(value)
        if (
            not constant_values.is_python_class(kind)
            and kind is not SimpleNamespace
            and not issubclass(kind, BaseException)
        ):
            return
        self.guards.kind_of(value)
        self.reach(kind, words)
        # NumPy's code is not observed, and may read any attribute of its objects.
        self._attributes(value, f"a {kind.__name__}", constant_values.is_numpy(kind.__module__))

    def _class(self, kind: type, words: str) -> None:
        """Guard a class: the attributes that are named, its bases, and its special methods."""
        if not constant_values.is_python_class(kind):
            if not (
                is_library_module(kind.__module__)
                or constant_values.is_pure(kind)
                or constant_values.is_known_type(kind)
            ):
                self.refuse(f"{words}, the type {kind.__module__}.{kind.__qualname__}")
            if is_library_module(kind.__module__):
                self._library_class(kind)
            if kind.__name__ in constant_values.ALL_ATTRIBUTES:
                self.read_all()
            elif kind is str:
                self.read_texts()
            if kind in (int, str):
                self.compare_digits()
            return
        self.guards.slot(kind, MRO, "__mro__", f"the bases of {kind.__name__}")
        self._note_slots(kind, CLASS_SLOTS)
        for base in kind.__mro__[:-1]:
            own = get_referents(vars(base))[0]
            if is_library_module(base.__module__):
                self._library_class(base)
            elif base.__module__ not in STANDARD and constant_values.is_python_class(base):
                self._program_class(base, own)
        if issubclass(type(kind), ABCMeta):
            self._registers = True
            self._compare_registrations()
        if type(kind) is not type and constant_values.is_python_class(type(kind)):
            self.guards.kind_of(kind)
            self.reach(type(kind), words)

    def asks_for_abstract_classes(self) -> None:
        """Record a test whether a value is a sequence or mapping, which depends on registrations, too."""
        self._registers = self._asks_for_instances = True
        self._compare_registrations()

    def _compare_registrations(self) -> None:
        """Guard the registrations of abstract classes if the function may test for instances of one."""
        if self._registers and self._asks_for_instances:
            self.guards.answer(get_cache_token, None, "the registration of abstract classes")

    def _program_class(self, kind: type, own: dict[str, Any]) -> None:
        """Guard a class of the program: its special methods, and the methods that run."""
        made = self._note(own, f"the class {kind.__name__}")
        if made is None:
            return
        made.owner = kind
        for name, value in made.before.items():
            if type(function := function_in(value)) is FunctionType:
                self._methods.setdefault(id(function.__code__), []).append((made, name))
            is_special = name.startswith("__") and name.endswith("__") and name not in UNNOTED
            if is_special or id(getattr(function, "__code__", None)) in self._ran:
                self._read(made, name)

    # ----------------------------------------------------------------------------------------------------- functions
    def _function(self, function: FunctionType) -> None:
        module = function.__module__
        if is_of_library(module, function.__code__):
            self._library_function(function)
            return
        if constant_values.is_numpy(module):
            if function.__name__ in constant_values.NUMPY_STATE:
                self.refuse(f"numpy.{function.__name__}")
            return
        if function.__name__ in constant_values.ALL_ATTRIBUTES and module in ("operator", "_operator"):
            self.read_all()
        self._attributes(function, f"the function {function.__name__}")
        self._note_slots(function, FUNCTION_SLOTS)
        self.functions.setdefault(id(function.__code__), []).append(function)
        if str(function.__globals__.get("__name__")).startswith(NAMED_TUPLE):  # it runs unobserved
            self._run_of(function)
        if id(function.__code__) in self._ran:
            self._run_of(function)
            for name, cell in cells_of(function).items():
                self.reach(self.guards.slot(cell, CONTENTS, name, f"the variable {name!r}"), f"the variable {name!r}")

    def runs(self, code: CodeType) -> None:
        """Record that a code object runs for the first time."""
        self._ran.add(id(code))
        for attributes, name in self._methods.get(id(code), ()):
            self._read(attributes, name)
        for function in self.functions.get(id(code), ()):
            self._run_of(function)

    def methods_with(self, code: CodeType) -> list[tuple[Attributes, str]]:
        """Return the reached classes that have a method with this code, and the method's names."""
        return self._methods.get(id(code), [])

    def _run_of(self, function: FunctionType) -> None:
        """Guard the code and the defaults of a function that runs."""
        words = f"the function {function.__name__}"
        self.guards.slot(function, CODE, "__code__", f"the code of {words}")
        defaults = self.guards.slot(function, DEFAULTS, "__defaults__", f"the defaults of {words}")
        keywords = self.guards.slot(function, KEYWORDS, "__kwdefaults__", f"the defaults of {words}")
        self.reach(defaults, f"a default of {words}")
        self.reach(keywords, f"a default of {words}")

    def _is_in_support(self) -> bool:
        """Return True while code of the standard library runs."""
        return self.site is not None and is_installed(self.site[0])

    def _numpy(self) -> None:
        """Guard NumPy's error handling, which is process-wide state."""
        if process_state.may_call_program():
            self.refuse("np.geterrcall(), which NumPy calls about errors", "use np.errstate within the function")
        self.guards.answer(process_state.state_of_numpy, None, "NumPy's handling of errors, or its printing")

    def compare_digits(self) -> None:
        """Guard Python's limit on the digits of integers, since a number may be formatted or parsed."""
        if limit := getattr(sys, "get_int_max_str_digits", None):
            self.guards.answer(limit, None, "how many digits of numbers Python reads and writes")

    def _c_function(self, function: Any, words: str) -> None:
        is_hashing = function is hash and self.site is not None and self.site[0].co_name == "__hash__"
        if is_hashing or (function in constant_values.SUPPORT_ONLY and self._is_in_support()):
            del self._reached[id(function)]  # the program may read it as well
            return
        if function in constant_values.EXCEPTIONS:
            if self._outer is not None:
                self.refuse("the exception that its caller handles")
            words = "the exception that the caller handles"
            self.guards.add(CheckKind.CALL, None, _handles_no_exception, True, "", words)
            return
        owner = getattr(function, "__self__", None)
        if owner is not None and not issubclass(type(owner), (ModuleType, type)):
            self.reach(owner, words)  # a bound method
        elif function in constant_values.EFFECTS:
            reason = f"it uses {function.__name__}, whose effect a replay would not repeat"
            self.recorder.broken(reason, "call it outside of the function, on its result", self.site)
        elif not constant_values.is_pure(function):
            self.refuse(f"{words}, the C function {getattr(function, '__module__', None)}.{function.__qualname__}")
        elif function.__name__ in constant_values.ALL_ATTRIBUTES:
            self.read_all()
        elif function.__name__ in constant_values.WRITERS:
            self.read_texts()
            self.compare_digits()
        elif function in constant_values.COMPARING_IDENTITY:
            self.compares_identity = self.identity.everything = True
            self.identity.where = self.identity.where or (describe_call_site(*self.site) if self.site else "")
        elif function in (isinstance, issubclass):
            self._asks_for_instances = True
            self._compare_registrations()


def _handles_no_exception() -> bool:
    return sys.exc_info()[1] is None

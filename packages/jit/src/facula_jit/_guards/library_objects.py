"""Guards on objects of the library: tensors, modules, optimizers, functions that return settings."""

from __future__ import annotations

import sys
from functools import partial
from gc import get_referents
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from facula_cpu import get_convolution_algorithm
from facula_errors.extend import is_library_module
from facula_tensor import Generator, Tensor

from .._recording.pytrees import is_module
from .._recording.tensor_guards import HOOKS, contents_of
from .._source.closures import content
from . import constant_values, library_functions
from .attributes import AttributeReads
from .containers import CONTAINERS, add_entries

KINDS = "_kinds"  # an index of attribute names in facula_nn, which follows from the attributes
FOLLOWED = ("facula_optim",)  # packages whose objects change between calls, and whose current state replays use
INTERNAL = frozenset(
    "facula_errors facula_storage facula_autograd facula_cpu facula_tensor facula_jit facula_distributed".split()
)
"""Packages whose objects contain no state of the program, except in containers such as tables of hooks."""
CONVOLUTIONS = frozenset(("conv2d", "conv2d_input", "conv2d_weight"))


class LibraryReads(AttributeReads):
    """The part of `Reach` for objects of the library."""

    def _tensor(self, tensor: Tensor, words: str) -> None:
        if id(tensor) in self.recorder.known_inputs:
            self.recorder.found_argument = True
            return
        self.recorder.watch_tensor(tensor)
        hooks = contents_of(tensor, HOOKS)
        for table in (hooks.value_hooks, hooks.after) if hooks is not None else ():
            self.reach(table, f"the hooks of {words}")
        if constant_values.is_python_class(type(tensor)):
            self.reach(type(tensor), words)
        self._tensor_attributes(tensor, words)

    def _module(self, module: Any) -> None:
        """Guard a module of a network: the attributes that the library reads, and those that are named."""
        kind, own = type(module), vars(module)
        before = self.recorder.modules.get(id(module))
        if before is None:
            own.setdefault("training", module.training)  # inherited from the class until it is first set
            self.recorder.modules[id(module)] = module, dict(own)
        self.guards.kind_of(module)
        self.reach(kind, f"the class {kind.__name__}")
        if is_library_module(kind.__module__):
            self._class_of_library(kind)
        made = self._note(own, f"a {kind.__name__}")
        if made is not None:
            of_library = names_of_library(kind)
            for name, value in made.before.items():
                is_read = name == "training" or name in of_library or (name.startswith("_") and name != KINDS)
                if is_read or issubclass(type(value), Tensor) or is_module(type(value)):
                    self._read(made, name)

    def _class_of_library(self, kind: type) -> None:
        for base in kind.__mro__[:-1]:
            if is_library_module(base.__module__):
                self._library_class(base)

    def _library_object(self, value: Any, words: str) -> None:
        """Guard all attributes of another library object, unless replays use its current state."""
        kind = type(value)
        if hasattr(value, "__wrapped__") and "function" in vars(value):  # a captured function
            self.reach(value.function, words)
            return
        if issubclass(kind, Generator):
            self._note_slots(value, {"initial_seed": Generator.initial_seed})
        package = kind.__module__.partition(".")[0]
        if issubclass(kind, CONTAINERS):
            add_entries(self, value, words)
        if package not in INTERNAL:
            self.guards.kind_of(value)
            self.reach(kind, words)
            self._attributes(value, words, package not in FOLLOWED)

    def _library_class(self, kind: type) -> None:
        own = get_referents(vars(kind))[0]
        made = self._note(own, f"the class {kind.__name__}", True, kind.__mro__[1:]) if type(own) is dict else None
        for name in library_functions.DEFAULTS if made is not None else ():
            if name in own:
                self._read(made, name)  # type: ignore[arg-type]
        self._compare_settings(kind)

    def _compare_settings(self, value: Any) -> None:
        """Guard the settings on which a function or class of the library depends."""
        for name in library_functions.COMPARED_WITH.get(value.__name__, ()):
            home = getattr(value, "__globals__", None) or vars(sys.modules[value.__module__])  # for a class
            if name in home:
                self.guards.answer(home[name], None, f"{name}()")

    def compare_settings(self) -> None:
        """Guard the current device, and the algorithm of convolutions, if the function has used them."""
        for function, words in self.recorder.settings.items():
            self.guards.answer(function, None, words)
        if any([launch.plan.operator in CONVOLUTIONS for launch in self.recorder.launches]):
            self.guards.answer(get_convolution_algorithm, None, "the algorithm of convolutions")

    def _settings_of(self, module: ModuleType, *names: str) -> None:
        """Guard attributes of a module that its class computes."""
        for name in names:
            setting = vars(type(module)).get(name)
            if type(setting) is property:
                self.guards.answer(setting.fget, module, f"{module.__name__}.{name}")  # type: ignore[arg-type]  # set

    def _library_function(self, function: FunctionType) -> None:
        name = function.__name__
        self._compare_settings(function)
        if name in library_functions.TABLES:
            table = function.__globals__[library_functions.TABLES[name]]
            self.guards.entries(table, tuple([part for pair in table.items() for part in pair]), f"a rule of {name}")
        if name in library_functions.COMPARED:
            self.guards.answer(function, None, f"{name}()")
        elif not library_functions.BREAKS.isdisjoint((name, f"{function.__module__.rpartition('.')[2]}.{name}")):
            self.refuse(
                f"{name}(), which reads or changes a file, a setting or a count", "call it outside of the function"
            )
        self._process_groups(function.__module__)
        for cell in function.__closure__ or ():  # functions wrapped by a decorator of the library
            value = content(cell)
            if type(value) in (FunctionType, MethodType, partial) or constant_values.is_python_class(type(value)):
                self.reach(value, f"what {name} wraps")

    def _library_module(self, module: ModuleType) -> None:
        """Guard a module of the library used as a value, as in `getattr(F, name)`: any attribute may be read."""
        own = vars(module)
        self.guards.entries(own, tuple([part for pair in own.items() for part in pair]), module.__name__)
        for name in library_functions.COMPARED & own.keys():
            self.guards.answer(own[name], None, f"{name}()")
        self._settings_of(module, *vars(type(module)))
        self._process_groups(module.__name__)

    def _process_groups(self, module: str) -> None:
        """Guard the process groups if a function of this module may be called."""
        groups = sys.modules.get(library_functions.GROUPS)
        if groups is not None and module.startswith(library_functions.GROUPS.rpartition(".")[0]):
            self.guards.answer(groups.present_groups, None, "the process groups")


_library_names: dict[type, frozenset[str]] = {}


def names_of_library(kind: type) -> frozenset[str]:
    """Return the names that the library classes among the bases of a module read, without those of all modules."""
    if kind not in _library_names:
        found: set[str] = set()
        for base in kind.__mro__[:-1]:
            if is_library_module(base.__module__) and "named_modules" not in dir(base.__base__ or object):
                continue
            if is_library_module(base.__module__):
                codes = [
                    function.__code__
                    for function in map(function_in, vars(base).values())
                    if type(function) is FunctionType
                ]
                for code in codes:  # the loop appends to it
                    found.update(code.co_names)
                    codes += [constant for constant in code.co_consts if type(constant) is CodeType]
        _library_names[kind] = frozenset(found)
    return _library_names[kind]


def function_in(attribute: Any) -> Any:
    """Return the function of a class attribute, for every kind of method."""
    if type(attribute) is property:
        return attribute.fget
    return getattr(attribute, "__func__", attribute) if type(attribute) in (staticmethod, classmethod) else attribute

"""Publication of private definitions: functions and errors take the name of the public module that exports them.

Note [Public places]
~~~~~~~~~~~~~~~~~~~~
Pickles identify a function, and tracebacks an error, by `__module__`. If that is a private module, pickles break when a
file moves. Therefore each public module calls `publish` at its end (or `published`, which also makes `dir` list
`__all__`): functions and errors from private modules receive its name. Objects that another public module has published
or defines keep theirs.

Other classes keep the module that defines them. Python finds a function's source and the names in its annotations by
its code and its globals, but those of a class by `sys.modules[cls.__module__]`. Under another module
`inspect.getsource` fails, and `typing.get_type_hints` raises NameError for the class and for the classes that programs
derive from it (every second layer and most distributions). If such a class moves, the table of moved paths redirects
pickles to it: Note [Moved paths] in `_moved.py`. An error has a docstring and no annotations.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import FunctionType

from ._classes import MissingAttributeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_public: set[str] = set()


def publish(module_name: str) -> None:
    """Set `__module__` of the functions and errors in a public module's `__all__` to its name.

    Objects that are loaded later require `settle`.
    """
    module = vars(sys.modules[module_name])
    _public.add(module_name)
    for name in module["__all__"]:
        if name in module:
            settle(module_name, name, module[name])


def settle(module_name: str, name: str, value: object) -> None:
    """Publish one object, which a module may load later.

    Arguments:
        module_name: the public module.
        name: the object's name there.
        value: the object.
    """
    if type(value) is not FunctionType and not (isinstance(value, type) and issubclass(value, BaseException)):
        return
    home, own = value.__module__, value.__qualname__
    if home == module_name or not home.startswith("facula"):
        return
    if own == f"_{name}":  # the private module defines it with an underscore
        value.__name__ = value.__qualname__ = name
    elif own != name or (home in _public and vars(sys.modules[home]).get(own) is value):
        return
    value.__module__ = module_name


def publish_methods(module_name: str, kind: type) -> None:
    """Let pickles find the methods that other modules add to a public class: `facula_tensor` adds `Tensor.add_`.

    A method that is also a public function keeps that function's name.

    Arguments:
        module_name: the public module.
        kind: the class.
    """
    methods = vars(kind)
    for name, value in methods.items():
        if type(value) is not FunctionType or not value.__module__.startswith("facula") or "." in value.__qualname__:
            continue
        own = value.__name__
        if value.__module__ not in _public or vars(sys.modules[value.__module__]).get(own) is not value:
            value.__module__ = module_name
            value.__qualname__ = f"{kind.__qualname__}.{own if methods.get(own) is value else name}"


def published(module_name: str, *also: str) -> Callable[[], list[str]]:
    """Publish a module and return its `__dir__`, which lists the names in `__all__`, Python's own, and `also`."""
    publish(module_name)
    module = vars(sys.modules[module_name])

    def __dir__() -> list[str]:
        return sorted({*module["__all__"], *also, *(name for name in module if name.startswith("__"))})

    return __dir__


def imported_later(module_name: str, homes: Mapping[str, tuple[str, ...] | None]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module that imports some of its names on their first use.

    If the module is published, these names are published with it.

    Arguments:
        module_name: the module.
        homes: the names, by the modules that define them: absolute, or relative to the module's package. None stands
            for all names in the `__all__` of a module, which is imported to look them up.
    """
    module = sys.modules[module_name]

    def __getattr__(name: str) -> Any:
        if homes.get(f".{name}", ()) is None:  # such a module itself, which no other needs
            return import_module(f".{name}", module.__package__)
        for home, names in homes.items():
            if names is None:
                names = () if name.startswith("__") else import_module(home, module.__package__).__all__
            if name in names:
                value = getattr(import_module(home, module.__package__), name)
                setattr(module, name, value)
                if module_name in _public:
                    settle(module_name, name, value)
                return value
        raise MissingAttributeError(f"module {module_name!r} has no attribute {name!r}")

    return __getattr__

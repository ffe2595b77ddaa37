"""What a public module does with what others declare: its functions and errors say that they are there.

Note [Public places]
~~~~~~~~~~~~~~~~~~~~
Pickles name a function by its `__module__`, and so do tracebacks an error. Where that is a private module, pickles end
with the next move of a file. So each public module calls `publish` at its end (`published`, where its `dir` lists
`__all__`): functions and errors that private modules declare get its name. What another public module has published, or
declares, stays there.

Other classes keep the module that declares them. Python finds a function's source and the names in its annotations by
its code and its globals, but those of a class by `sys.modules[cls.__module__]`: under another module
`inspect.getsource` finds nothing, and `typing.get_type_hints` raises NameError for the class and for all that programs
derive from it (of every second layer and of most distributions). Where such a class moves, the table of moved paths
leads pickles to it: Note [Moved paths] in `_moved.py`. An error has a docstring and no annotations.
"""

from __future__ import annotations

import sys
from types import FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_public: set[str] = set()


def publish(module_name: str) -> None:
    """Let the functions and errors in a public module's `__all__` have its name as `__module__`.

    What is loaded later is for `settle`.
    """
    module = vars(sys.modules[module_name])
    _public.add(module_name)
    for name in module["__all__"]:
        if name in module:
            settle(module_name, name, module[name])


def settle(module_name: str, name: str, value: object) -> None:
    """`publish` of one object, which a module may load later.

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
    if own == f"_{name}":  # which a private module calls so
        value.__name__ = value.__qualname__ = name
    elif own != name or (home in _public and vars(sys.modules[home]).get(own) is value):
        return
    value.__module__ = module_name


def publish_methods(module_name: str, kind: type) -> None:
    """Let pickles find the methods that other modules give to a public class: `facula_tensor` has `Tensor.add_`.

    A method that is a public function, too, keeps the name of that.

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
    """`publish` a module; its `__dir__`, which lists the names of its `__all__`, Python's own, and `also`."""
    publish(module_name)
    module = vars(sys.modules[module_name])

    def __dir__() -> list[str]:
        return sorted({*module["__all__"], *also, *(name for name in module if name.startswith("__"))})

    return __dir__

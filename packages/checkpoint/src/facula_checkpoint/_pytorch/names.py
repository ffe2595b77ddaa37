"""Objects that are pickled under names of other modules: `names.named("torch._utils _rebuild_tensor_v2")`.

Python's pickler writes a global as the module and the name under which it finds the object. So each of these objects
can be found here under a name that holds both, and the pickle's names are replaced afterwards.
"""

from __future__ import annotations

from facula_errors import MissingAttributeError

_SEPARATOR = ":"
_objects: dict[str, Named] = {}


class Named:
    """Stands for a class or function of another module."""

    __slots__ = ("__name__", "__qualname__", "name")

    def __init__(self, name: str) -> None:
        self.name = name  # "module name"
        self.__name__ = self.__qualname__ = name.replace(" ", _SEPARATOR).replace(".", "/")

    def __call__(self) -> None:
        """Callable, as the first part of what `__reduce__` gives must be."""

    def __reduce__(self) -> str:
        return self.__qualname__


def named(name: str) -> Named:
    """The object for "module name"."""
    made = Named(name)
    return _objects.setdefault(made.__qualname__, made)


def __getattr__(name: str) -> Named:
    try:
        return _objects[name]
    except KeyError:
        raise MissingAttributeError(f"module {__name__!r} has no attribute {name!r}") from None

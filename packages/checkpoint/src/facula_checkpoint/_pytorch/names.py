"""Objects that are pickled under names of other modules: `names.named("torch._utils _rebuild_tensor_v2")`.

Python's pickler writes a global as the module and name by which it finds the object. Each of these objects is therefore
an attribute of this module under a name that encodes both parts, and the names in the pickle are replaced afterwards.
"""

from __future__ import annotations

from facula_errors import MissingAttributeError

_SEPARATOR = ":"
_objects: dict[str, Named] = {}


class Named:
    """A placeholder for a class or function of another module."""

    __slots__ = ("__name__", "__qualname__", "name")

    def __init__(self, name: str) -> None:
        self.name = name  # "module name"
        self.__name__ = self.__qualname__ = name.replace(" ", _SEPARATOR).replace(".", "/")

    def __call__(self) -> None:
        """Do nothing: the first item of a `__reduce__` result must be callable."""

    def __reduce__(self) -> str:
        return self.__qualname__


def named(name: str) -> Named:
    """Return the object for "module name"."""
    made = Named(name)
    return _objects.setdefault(made.__qualname__, made)


def __getattr__(name: str) -> Named:
    try:
        return _objects[name]
    except KeyError:
        raise MissingAttributeError(f"module {__name__!r} has no attribute {name!r}") from None

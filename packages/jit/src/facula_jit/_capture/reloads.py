"""Captured functions follow `%autoreload` of IPython, as the functions in them do.

Note [Reloads]: IPython runs a changed module again, or only its changed functions. It then copies the code of new
functions into the old ones, which other modules and cells may have imported. Guards detect that. Captured functions in
the module need more: after a whole module has run, a rule replaces their functions; for single functions, IPython
assigns `__code__` and other attributes, which `Reloadable` forwards to the function.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from facula_errors import MissingAttributeError


class _Base:
    """The class whose instances have the dict."""


_dict_of = vars(_Base)["__dict__"].__get__


def _forwarded(name: str) -> Any:
    """Return a property for an attribute of the function."""
    return property(lambda self: getattr(self.function, name), lambda self, value: setattr(self.function, name, value))


class Reloadable(_Base):
    """An object around `function` whose code can be replaced by assignments; see Note [Reloads]."""

    function: Any
    __call__: Any
    __code__ = _forwarded("__code__")
    __defaults__ = _forwarded("__defaults__")
    __kwdefaults__ = _forwarded("__kwdefaults__")

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        return _dict_of(self)  # type: ignore[no-any-return]

    @__dict__.setter
    def __dict__(self, value: dict[str, Any]) -> None:
        if "function" in value:  # of a new captured function; else of a plain function, without a meaning here
            self._follow(value)

    def __getattr__(self, name: str) -> Any:
        if name == "function":  # not set yet: the object is being copied
            raise MissingAttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(self.function, name)

    def __get__(self, owner: object, kind: type | None = None) -> Any:
        """Bind to `owner`, like a method, so that it becomes the first argument."""
        return self if owner is None else partial(self.__call__, owner)

    def _follow(self, other: dict[str, Any]) -> None:
        """Discard all captures, and use the function and options of another captured function from now on."""
        options = [other[name] for name in ("function", "on_break", "passes", "allow", "check")]
        self.__init__(*options)  # type: ignore[misc]


_RULE = (
    lambda old, new: isinstance(old, Reloadable) and type(old) is type(new),
    lambda old, new: old._follow(vars(new)),
)


def watch_reloads() -> None:
    """Teach IPython's extension, if it is loaded, to update captured functions."""
    extension = sys.modules.get("IPython.extensions.autoreload")
    rules = getattr(extension, "UPDATE_RULES", None)
    if rules is not None and _RULE not in rules:
        rules.append(_RULE)

"""Packages that learn of facula when both are imported, in either order; neither imports the other.

Note [Companions]: einops asks the subclasses of its `AbstractBackend` whose the tensor is, so all that it needs is that
ours is defined once its module is there. Where einops comes first, that is now. Where facula comes first, a finder
waits for that one module; all other imports pass it by, and it is gone when that is there. torchvision's Python code
calls operators that its compiled library would define, and raises an error before that where the library was not
loaded. Facula has some of the operators and names the others, so that check is replaced.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    Action = Callable[[ModuleType], object]


class Finder:
    """Finds one module where everybody does, and has something done after it is complete."""

    def __init__(self, name: str, action: Action) -> None:
        self.name, self.action = name, action

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name == self.name else None
        if spec and spec.loader:
            spec.loader = Then(spec.loader, self)  # type: ignore[assignment]
        return spec


class Then:
    """A module's loader, which does what its finder says when the module is complete."""

    def __init__(self, loader: Loader, finder: Finder) -> None:
        self.loader, self.finder = loader, finder

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def __getattr__(self, name: str) -> object:
        return getattr(self.loader, name)  # such as `get_source`, for those who found the module and do not import it

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self.loader  # the module is as it would have been without us
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        sys.meta_path.remove(self.finder)
        self.finder.action(module)


def connect(name: str, action: Action) -> None:
    """Call `action(module)` now, or as soon as the module of this name is imported."""
    if name in sys.modules:
        action(sys.modules[name])
    else:
        sys.meta_path.insert(0, Finder(name, action))


def connect_einops() -> None:
    """Define the backend of einops when that is imported."""
    connect("einops._backends", lambda _: import_module("facula._interop.einops_backend"))


def connect_torchvision() -> None:
    """Let the functions of torchvision, when that is imported, call facula's operators: Note [Companions]."""

    def replace_check(extension: ModuleType) -> None:
        extension._assert_has_ops = lambda: None  # type: ignore[attr-defined]

    connect("torchvision.extension", replace_check)

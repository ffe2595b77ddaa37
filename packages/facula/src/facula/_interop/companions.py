"""Hooks into packages that need to know about facula when both are imported, in either order.

Note [Companions]: einops searches the subclasses of its `AbstractBackend` for the tensor's backend, so defining ours
after its module is loaded is sufficient. If einops is imported first, facula defines the backend immediately.
Otherwise, a finder waits for that one module; it ignores all other imports, and removes itself once the module is
loaded. torchvision's Python code calls operators of its compiled library, after a check that raises an error if the
library was not loaded. Facula implements some of the operators and reports the others by name, so it replaces that
check.
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
    """A finder of one module, which finds it like Python does and runs an action after it is loaded."""

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
    """A module's loader that runs the finder's action after the module is loaded."""

    def __init__(self, loader: Loader, finder: Finder) -> None:
        self.loader, self.finder = loader, finder

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def __getattr__(self, name: str) -> object:
        # such as `get_source`, for callers that inspect the module without importing it
        return getattr(self.loader, name)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self.loader  # restore the module's original loader
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
    """Define the einops backend once einops is imported."""
    connect("einops._backends", lambda _: import_module("facula._interop.einops_backend"))


def connect_torchvision() -> None:
    """Let torchvision's functions call facula's operators once torchvision is imported: Note [Companions]."""

    def replace_check(extension: ModuleType) -> None:
        extension._assert_has_ops = lambda: None  # type: ignore[attr-defined]

    connect("torchvision.extension", replace_check)

"""einops learns of facula's tensors when both are imported, in either order; neither imports the other.

Note [einops]: einops asks the subclasses of its `AbstractBackend` whose the tensor is, so all that it needs is that
ours is defined once its module is there. Where einops comes first, that is now. Where facula comes first, a finder
waits for that one module; all other imports pass it by, and it is gone when that is there.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType

BACKENDS = "einops._backends"


class Finder:
    """Finds einops' module of backends where everybody does, and has ours defined after it."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name == BACKENDS else None
        if spec and spec.loader:
            spec.loader = ThenOurs(spec.loader)  # type: ignore[assignment]
        return spec


class ThenOurs:
    """A module's loader, which loads our backend when the module is complete."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def __getattr__(self, name: str) -> object:
        return getattr(self.loader, name)  # such as `get_source`, for those who found the module and do not import it

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self.loader  # the module is as it would have been without us
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        sys.meta_path.remove(Finder)  # type: ignore[arg-type]
        import_module("facula._einops_backend")


def connect() -> None:
    """Define the backend now, or as soon as einops is imported."""
    if BACKENDS in sys.modules:
        import_module("facula._einops_backend")
    elif Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)  # type: ignore[arg-type]

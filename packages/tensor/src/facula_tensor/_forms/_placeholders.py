"""Substitutes for the generated modules while they are being generated."""

from __future__ import annotations

from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import TYPE_CHECKING

from facula_errors import MissingAttributeError

if TYPE_CHECKING:
    from types import ModuleType


class Placeholders(MetaPathFinder, Loader):
    """Import hook for modules of this package, which provide every name as a function that is also a method."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        inside, module = name.startswith(f"{__package__}."), name.removeprefix(f"{__package__}.")
        is_own = f"{module}.py" in {path.name for path in Path(__file__).parent.glob("*.py")}
        return ModuleSpec(name, self, is_package=True) if inside and not is_own else None

    def exec_module(self, module: ModuleType) -> None:
        from .._core.tensor import Tensor

        def missing(name: str) -> object:
            if name.startswith("__"):
                raise MissingAttributeError(name)

            def placeholder(*arguments: object, **options: object) -> object:
                return missing(name)  # declarations call this once, but never call the result

            placeholder.__name__ = placeholder.__qualname__ = name
            for method in (name, f"{name}_"):
                if not hasattr(Tensor, method):
                    setattr(Tensor, method, placeholder)
            return placeholder

        module.__getattr__ = missing  # type: ignore[method-assign]

"""`torch` and its submodules as other names of facula and its, for programs that are run unchanged."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING

from facula_errors import MissingModuleError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


class Alias:
    """Finds `torch.X`, and loads `facula.X` as it."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        return ModuleSpec(name, Alias()) if name.startswith("torch.") else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        name = "facula" + spec.name.removeprefix("torch")
        try:
            module = import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            raise MissingModuleError(
                f"{spec.name}: facula has no {name}; see docs/coming-from-pytorch.md for what there is", name=spec.name
            ) from None
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the module stays what it is; importing set the alias's


def install() -> None:
    """Let `torch` mean facula in this process, from now on."""
    sys.meta_path.insert(0, Alias)
    sys.modules["torch"] = import_module("facula")

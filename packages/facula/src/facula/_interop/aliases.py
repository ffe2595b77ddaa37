"""Aliases of facula and its submodules as `torch`, for programs that run unchanged.

Note [The alias]: a folder in `sys.path`, directly after the script's, contains a package "torch" that loads facula, and
the metadata of its version. Python finds it before an installed PyTorch, also in multiprocessing's children, which
inherit `sys.path`. `python -m facula run` adds the folder to PYTHONPATH, for all other programs that a program starts.
`Alias` finds submodules. `torch.__version__` and the metadata name the version of PyTorch whose names and semantics
facula follows; `torch.version.facula` is facula's own version.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from typing import TYPE_CHECKING

from facula_errors import MissingModuleError, MissingPackageError
from facula_errors.extend import boundary, register

from .. import version
from .._lookup.names import LISTING, explanation_of
from ..torch_version import TorchVersion
from .companions import connect_torchvision

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_stand_in")
LISTED_DEPTH = 3  # of the names in the list of PyTorch's modules, "torch.nn.utils"


class Alias:
    """Finder and loader that loads `facula.X` as `torch.X`."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith("torch."):
            return None
        ours = "facula" + name.removeprefix("torch")
        if ours in sys.modules or find_spec(ours) is not None:
            return ModuleSpec(name, Alias())  # type: ignore[arg-type]
        if (
            sys._getframe(1).f_code.co_name != "_find_spec"
            or sys._getframe(2).f_code.co_name != "_find_and_load_unlocked"
        ):
            return None  # a caller asks for the module's spec without importing it
        raise MissingModuleError(f"No module named {name!r}: {why_missing(name)}", name=name)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        name = "facula" + spec.name.removeprefix("torch")
        module = import_module(name)
        self.spec = module.__spec__
        mirror(name)
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the module keeps its own attributes; the import has set those of the alias


def why_missing(name: str) -> str:
    """Explain why there is no module of this name of PyTorch's."""
    place, _, last = name.rpartition(".")
    why = explanation_of("facula" + place.removeprefix("torch"), last)
    if why:
        return why
    parts = name.split(".")
    if len(parts) > LISTED_DEPTH or any(part.startswith("_") for part in parts):
        return LISTING.unlisted(name)
    return f"neither PyTorch nor facula has {'.'.join(['facula', *parts[1:]])}"


def mirror(package: str) -> None:
    """Register the loaded modules below `package` under their names below `torch`, too.

    Otherwise, importing one by that name would replace a function of the same name, such as `multiprocessing.spawn`.
    """
    for name in list(sys.modules):
        if name.startswith(f"{package}.") and "._" not in name:
            sys.modules.setdefault("torch" + name.removeprefix("facula"), sys.modules[name])


def install() -> None:
    """Alias `torch` to facula in this process, and report PyTorch's version."""
    if is_installed():
        return
    sys.meta_path.insert(0, Alias)
    facula = sys.modules["torch"] = import_module("facula")
    facula.__name__ = "torch"  # which programs compare
    register("torch")
    facula.__version__ = version.__version__ = TorchVersion(version.pytorch)  # type: ignore[attr-defined]
    mirror("facula")
    connect_torchvision()


def is_installed() -> bool:
    """Return whether `torch` is facula in this process."""
    return Alias in sys.meta_path


@boundary
def begin(asked: str) -> None:
    """Alias `torch` to facula here and in multiprocessing's children; errors name the caller, `asked`.

    ImportError if PyTorch, or anything else of that name, is already loaded.
    """
    if not is_installed() and any(name == "torch" or name.startswith("torch.") for name in sys.modules):
        raise MissingPackageError(
            f"{asked}: torch is loaded already in this process, so its name cannot mean facula; "
            "do this before anything imports torch",
            name="torch",
        )
    if FOLDER not in sys.path:
        sys.path.insert(1, FOLDER)  # after the script's folder, which programs expect first, and before all packages
    install()

"""`torch` and its submodules as other names of facula and its, for programs that are run unchanged.

Such programs see the version of PyTorch whose names and meaning facula follows, in `torch.__version__` and in the
metadata of the package "torch" too; facula's own is `torch.version.facula`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from typing import TYPE_CHECKING

from facula_errors import MissingModuleError

from . import version
from ._companions import connect_torchvision
from ._names import said_of
from .torch_version import TorchVersion

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import ModuleType


class StandIn(Distribution):
    """The metadata of the package "torch" that is not installed: its name and version."""

    def read_text(self, filename: str) -> str | None:
        """The text of METADATA alone."""
        return f"Metadata-Version: 2.1\nName: torch\nVersion: {version.pytorch}\n" if filename == "METADATA" else None

    def locate_file(self, path: object) -> Path:  # type: ignore[override]
        """Nowhere: there are no files."""
        raise MissingModuleError(f"torch: facula is in its place; got a request for its file {path!r}", name="torch")


class Alias:
    """Finds `torch.X`, and loads `facula.X` as it."""

    @staticmethod
    def find_distributions(context: DistributionFinder.Context = DistributionFinder.Context()) -> Iterator[StandIn]:  # noqa: B008
        """The metadata of "torch"."""
        if context.name in (None, "torch"):
            yield StandIn()

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        return ModuleSpec(name, Alias()) if name.startswith("torch.") else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        place, _, last = spec.name.rpartition(".")
        name = "facula" + spec.name.removeprefix("torch")
        try:
            module = import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            why = said_of("facula" + place.removeprefix("torch"), last) or f"neither PyTorch nor facula has {name}"
            raise MissingModuleError(f"No module named {spec.name!r}: {why}", name=spec.name) from None
        self.spec = module.__spec__
        mirror(name)
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the module stays what it is; importing set the alias's


def mirror(package: str) -> None:
    """Give the modules of ours below `package` that are loaded their name under `torch`, too.

    Importing one by that name would otherwise put it in the place of a function, as `multiprocessing.spawn` is.
    """
    for name in list(sys.modules):
        if name.startswith(f"{package}.") and "._" not in name:
            sys.modules.setdefault("torch" + name.removeprefix("facula"), sys.modules[name])


def install() -> None:
    """Let `torch` mean facula in this process, from now on, and say PyTorch's version."""
    sys.meta_path.insert(0, Alias)
    facula = sys.modules["torch"] = import_module("facula")
    facula.__version__ = version.__version__ = TorchVersion(version.pytorch)  # type: ignore[attr-defined]
    mirror("facula")
    connect_torchvision()

"""The public functions of operators, written by `python -m facula_tensor._forms` from their declarations in `ops/`.

See Note [Written functions] in `_dispatch/written.py`. Do not edit these files: change the declaration, and run the
command again. It works without them, too.
"""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from facula_errors import MissingAttributeError


class _Placeholders(MetaPathFinder, Loader):
    """Stands in for the written files while they are written: declarations find a function of each name."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        mine = name.startswith(f"{__name__}.") and not name.rpartition(".")[2].startswith("_")
        return ModuleSpec(name, self) if mine else None

    def exec_module(self, module: ModuleType) -> None:
        def missing(name: str) -> object:
            if name.startswith("__"):
                raise MissingAttributeError(name)

            def placeholder(*arguments: object) -> None:
                """Called by nobody."""

            placeholder.__name__ = placeholder.__qualname__ = name
            return placeholder

        module.__getattr__ = missing  # type: ignore[method-assign]


if __name__ in sys.orig_argv:  # `python -m`, which imports this package before the program in it
    sys.meta_path.insert(0, _Placeholders())

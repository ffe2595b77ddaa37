"""Redirection of old paths: pickles of earlier releases name modules that have moved since.

Note [Moved paths]
~~~~~~~~~~~~~~~~~~
A pickle names classes and functions by module and name, including those of private modules: `facula_nn.layers.linear
Linear`. Each package has a table of moved names, `_moved.txt` next to its `__init__.py`, with one row per line:

    OLD_MODULE -> NEW_MODULE
    OLD_MODULE -> NEW_MODULE: NAME OLD_NAME=NEW_NAME

The first form redirects every name of a removed module to another module, the second only the listed names. A module
may have several rows; the first row that contains the name applies. A table is read when the import of a module of the
package fails: our finder, one of the last of `sys.meta_path`, creates a module from the rows. A module that still
exists but lacks a name consults the table if it calls `moved(__name__)`.

A test looks up all names in pickles of earlier commits: `integration_tests/together/test_pickled_names.py`.
"""

from __future__ import annotations

import sys
from functools import cache, partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from os.path import dirname, join

from ._classes import MissingAttributeError
from ._frames import library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


@cache
def rows(package: str) -> dict[str, list[tuple[str, dict[str, str]]]]:
    """Read a package's table: for each old module the new modules and the moved names; no names means all."""
    found: dict[str, list[tuple[str, dict[str, str]]]] = {}
    place = join(dirname(sys.modules[package].__file__ or ""), "_moved.txt")
    try:
        with open(place, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return found
    for line in lines:
        if line and not line.startswith("#"):
            old, _, rest = line.partition(" -> ")
            new, _, names = rest.partition(":")
            renamed = {row.partition("=")[0]: row.rpartition("=")[2] for row in names.split()}
            found.setdefault(old, []).append((new, renamed))
    return found


def look_up(module_name: str, name: str) -> object:
    """Look up a name of a module in the table; raise AttributeError if no row contains it."""
    if not name.startswith("__"):
        for new, renamed in rows(module_name.partition(".")[0]).get(module_name, ()):
            home = import_module(new) if not renamed or name in renamed else None
            if hasattr(home, renamed.get(name, name)):
                return getattr(home, renamed.get(name, name))
    what = f"module {module_name!r} has no attribute {name!r}"
    raise MissingAttributeError(what, name=name, obj=sys.modules.get(module_name))


def moved(module_name: str) -> None:
    """Let a module look up missing names in the table: Note [Moved paths]."""
    sys.modules[module_name].__getattr__ = partial(look_up, module_name)  # type: ignore[method-assign]


class MovedModules:
    """A finder and loader of removed modules, and of packages that contained them."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        package = name.partition(".")[0]
        if package == name or package not in library or package not in sys.modules:
            return None
        if any(row == name or row.startswith(f"{name}.") for row in rows(package)):
            return ModuleSpec(name, MovedModules, is_package=True)  # type: ignore[arg-type]
        return None

    @staticmethod
    def create_module(spec: object) -> None:
        """Use Python's default module."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Let an empty module look up its names in the table."""
        module.__doc__ = f"{module.__name__}: a path of earlier releases, which pickles name."
        moved(module.__name__)


if MovedModules not in sys.meta_path:
    sys.meta_path.append(MovedModules)  # type: ignore[arg-type]

"""Paths that pickles of earlier releases name, and what is there no more: where it is today.

Note [Moved paths]
~~~~~~~~~~~~~~~~~~
A pickle names classes and functions by module and name, those of private modules too: `facula_nn.layers.linear Linear`.
Each package has a table of what has moved, `_moved.txt` beside its `__init__.py`, a row a line:

    OLD_MODULE -> NEW_MODULE
    OLD_MODULE -> NEW_MODULE: NAME OLD_NAME=NEW_NAME

The first leads each name of a module that is gone to another module, the second those names alone. A module may have
several rows, of which the first with the name counts. A table is read when an import of one of the package's modules
finds nothing: our finder, one of the last of `sys.meta_path`, makes a module of the rows. A module that is still
there, but lacks a name, asks the table where it says `moved(__name__)`.

A test looks up all that pickles of earlier commits name: `integration_tests/together/test_pickled_names.py`.
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
    """A package's table: of each old module the new ones, and the names that they have of it; none for all."""
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
            renamed = {one.partition("=")[0]: one.rpartition("=")[2] for one in names.split()}
            found.setdefault(old, []).append((new, renamed))
    return found


def look_up(module_name: str, name: str) -> object:
    """What a module had under a name, by the table; AttributeError where it has no such row."""
    if not name.startswith("__"):
        for new, renamed in rows(module_name.partition(".")[0]).get(module_name, ()):
            home = import_module(new) if not renamed or name in renamed else None
            if hasattr(home, renamed.get(name, name)):
                return getattr(home, renamed.get(name, name))
    what = f"module {module_name!r} has no attribute {name!r}"
    raise MissingAttributeError(what, name=name, obj=sys.modules.get(module_name))


def moved(module_name: str) -> None:
    """Let a module look up names that it lacks in the table: Note [Moved paths]."""
    sys.modules[module_name].__getattr__ = partial(look_up, module_name)  # type: ignore[method-assign]


class MovedModules:
    """A finder and loader of modules that are gone, and of packages in which they were."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        package = name.partition(".")[0]
        if package == name or package not in library or package not in sys.modules:
            return None
        if any(one == name or one.startswith(f"{name}.") for one in rows(package)):
            return ModuleSpec(name, MovedModules, is_package=True)  # type: ignore[arg-type]
        return None

    @staticmethod
    def create_module(spec: object) -> None:
        """Python's own."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Let a module that has no names look them up."""
        module.__doc__ = f"{module.__name__}: a path of earlier releases, which pickles name."
        moved(module.__name__)


if MovedModules not in sys.meta_path:
    sys.meta_path.append(MovedModules)  # type: ignore[arg-type]

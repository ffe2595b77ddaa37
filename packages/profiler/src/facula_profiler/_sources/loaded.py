"""Packages that the program has loaded."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def loaded(name: str) -> ModuleType | None:
    """Return a module of a package that the program has imported, or None if it has not.

    A package that is still being imported, perhaps by another thread, does not count as loaded: importing its modules
    could fail, or make the other import fail.

    >>> loaded("no_such_package.extend")
    """
    package = sys.modules.get(name.partition(".")[0])
    if package is None or getattr(package.__spec__, "_initializing", False):
        return None
    return import_module(name)

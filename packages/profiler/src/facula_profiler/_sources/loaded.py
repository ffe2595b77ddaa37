"""Packages that the program has loaded."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def loaded(name: str) -> ModuleType | None:
    """Return a module of a package that the program has imported, or None if it has not.

    >>> loaded("no_such_package.extend")
    """
    return import_module(name) if name.partition(".")[0] in sys.modules else None

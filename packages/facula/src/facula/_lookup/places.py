"""The table of names, `_places.txt`: its rows define names of PyTorch's modules that need no code of their own.

The file has a section `[MODULE]` for each of PyTorch's modules, with rows `KIND NAME ...: REST`. Indented lines
continue a row; a section of one row may be a single line. There are four kinds:

- `works`: the names are objects of the module that REST names. `NAME=PATH` is an object of another name, or an
  attribute of one; `NAME=.` is that module itself. `prefix_*` matches all names with that prefix. `*` matches all
  that the module lists, and copies its list when the section's module is created.
- `parts`: the names are submodules, which `dir` lists. REST is empty.
- `type`: classes for annotations and isinstance, without instances. Calls raise NotImplementedError.
- `refused`: functions and settings that can be imported; calls and attributes raise NotImplementedError. REST says
  which alternative to use. This is for names that programs import at their top. `hasattr` finds them, so names that
  programs probe for stay missing.

Missing names have rows of a fifth kind, `missing`, in `_instead.txt`; REST is the alternative that errors mention. The
row of a module applies to all names below it that have no row.

A section whose module has no file creates that module (Note [Modules of rows]). The most common modules have a file
that calls `make_of_rows`, as editors warn of modules without one. The table is read when a name or a module is missing,
so other programs do not pay for it.
"""

from __future__ import annotations

import os
from functools import cache, reduce
from importlib import import_module
from typing import NamedTuple

from facula_tensor.extend.names import table_rows, table_sections

from .siblings import needs

KINDS = ("works", "parts", "type", "refused")
FILE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "_places.txt")


class Row(NamedTuple):
    """One name of the table: its module, such as "facula.jit", its kind, the text of REST, and its path there."""

    place: str
    name: str
    kind: str
    rest: str
    path: str

    def value(self) -> object:
        """Return the object of this name. AttributeError if the module of a `*` row lacks it."""
        if self.kind == "parts":
            return import_module(f"{self.place}.{self.name}")
        if self.kind == "works":
            parts = [] if self.path == "." else self.path.split(".")
            with needs(self.place):
                return reduce(getattr, parts, import_module(self.rest))
        from .refusals import Refusals

        refusals = Refusals(self.place.partition(".")[2], self.rest)
        return refusals.kind(self.name) if self.kind == "type" else refusals.function(self.name)


@cache
def sections() -> dict[str, str]:
    """Return the text of each module's section, by the module's name."""
    return {title.replace("torch", "facula", 1): text for title, text in table_sections(FILE).items()}


@cache
def rows_of(place: str) -> dict[str, Row]:
    """Return the rows of a module by their names."""
    rows: dict[str, Row] = {}
    for kind, names, rest in table_rows(sections().get(place, "")):
        for name, _, path in (row.partition("=") for row in names):
            rows[name] = Row(place, name, kind, rest, path or name)
    return rows


def row_of(place: str, name: str) -> Row | None:
    """Return the row of a name of a module, or None."""
    rows = rows_of(place)
    if name in rows:
        return rows[name]
    for stem, row in rows.items():
        if stem.endswith("_*") and name.startswith(stem[:-1]) and hasattr(import_module(row.rest), name):
            return row._replace(name=name, path=name)
    return None


def taken_over(place: str) -> dict[str, object]:
    """Return the values, by name, that a module re-exports from another one, along with its list."""
    rows = rows_of(place)
    row = rows.get("*")
    if row is None:
        return {}
    with needs(place):
        source = import_module(row.rest)
    return {name: getattr(source, name) for name in source.__all__ if name not in rows}


def public_names(place: str) -> set[str]:
    """Return the names of a module's working rows that are public in PyTorch, for `dir`."""
    found = {name for name, row in rows_of(place).items() if row.kind in ("works", "parts")}
    return {key for key in found if key[0] != "_" and "*" not in key}


def is_place(name: str) -> bool:
    """Return whether the table has rows of a module, or of a module below it."""
    return name in sections() or any(section.startswith(f"{name}.") for section in sections())

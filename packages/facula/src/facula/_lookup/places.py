"""The table of names: places of PyTorch that have names without code of their own here, as rows of `_places.txt`.

The file has sections, one a module of PyTorch's, `[MODULE]`, and in them rows `KIND NAME ...: REST`, which may be
continued on indented lines; a section of one row may stand on one line. There are four kinds:

- `works`: the names are objects of the module that REST names. `NAME=PATH` is an object of another name, or an
  attribute of one; `NAME=.` is that module itself; `prefix_*` stands for whatever begins so there, and `*` for all
  that the module lists, taken over with its list when the section's module is made.
- `parts`: the names are modules below this one, which `dir` shows. REST is empty.
- `type`: classes for annotations and isinstance, which nothing is an instance of. Calls raise NotImplementedError.
- `refused`: functions and settings. They can be imported; a call or an attribute of one raises NotImplementedError,
  and REST says what to do instead. For names that programs import at their top: `hasattr` finds them, so names whose
  absence programs ask for stay missing.

Names that are not there have rows of a fifth kind, `missing`, in `_instead.txt`: errors say what to use instead, REST.
That of a module is said of all below it that nothing else is said of.

A section whose module has no file makes that module (Note [Modules of rows]); the modules that most programs import
have a file that calls `make_of_rows`, as editors warn of modules without one. The file is read when a name or a module
is missing, so programs that ask for none of these do not pay.
"""

from __future__ import annotations

import os
from functools import cache, reduce
from importlib import import_module
from typing import NamedTuple

from facula_tensor.extend import table_rows, table_sections

from .siblings import needs

KINDS = ("works", "parts", "type", "refused")
FILE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "_places.txt")


class Row(NamedTuple):
    """One name of the table: its module, as "facula.jit", its kind, what REST says, and the path in that module."""

    place: str
    name: str
    kind: str
    rest: str
    path: str

    def value(self) -> object:
        """The object of this name. AttributeError where a row with `*` has none of it."""
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
    """The text of each module's section, by the module's name."""
    return {title.replace("torch", "facula", 1): text for title, text in table_sections(FILE).items()}


@cache
def rows_of(place: str) -> dict[str, Row]:
    """The rows of a module by their names."""
    rows: dict[str, Row] = {}
    for kind, names, rest in table_rows(sections().get(place, "")):
        for name, _, path in (one.partition("=") for one in names):
            rows[name] = Row(place, name, kind, rest, path or name)
    return rows


def row_of(place: str, name: str) -> Row | None:
    """The row of a name of a module, or None."""
    rows = rows_of(place)
    if name in rows:
        return rows[name]
    for stem, row in rows.items():
        if stem.endswith("_*") and name.startswith(stem[:-1]) and hasattr(import_module(row.rest), name):
            return row._replace(name=name, path=name)
    return None


def taken_over(place: str) -> dict[str, object]:
    """The values by their names that a module takes over from another with its list."""
    rows = rows_of(place)
    row = rows.get("*")
    if row is None:
        return {}
    with needs(place):
        source = import_module(row.rest)
    return {name: getattr(source, name) for name in source.__all__ if name not in rows}


def public_names(place: str) -> set[str]:
    """The names of a module's rows that work and are PyTorch's public ones, for `dir`."""
    found = {one for one, row in rows_of(place).items() if row.kind in ("works", "parts")}
    return {one for one in found if one[0] != "_" and "*" not in one}


def is_place(name: str) -> bool:
    """Whether the table has rows of a module, or of a module below it."""
    return name in sections() or any(one.startswith(f"{name}.") for one in sections())

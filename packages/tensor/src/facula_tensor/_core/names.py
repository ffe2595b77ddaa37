"""Errors for names that PyTorch has and this library lacks, with alternatives. Note [Missing names]: a
`__getattr__` on Tensor would make every look-up of every attribute slower, on Python 3.11 three
times, and a failing one (operators read slots that may be unset) twice. So each missing name of PyTorch's is an
attribute that raises on access. Its class is the last before `object` in the method resolution order, so other
look-ups are as before and `hasattr` is False. It is not a base of Tensor, so `dir`, which follows `__bases__`, omits
these names for classes and tensors. A metaclass gives that order once and is not kept, since it would cost each
`isinstance(value, Tensor)` 30 ns and keep abstract base classes from being mixed in. A class that is mixed into a
subclass after Tensor still gives its own attributes.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from facula_errors import MissingAttributeError
from facula_storage.extend.objects import reorder_bases

if TYPE_CHECKING:
    from collections.abc import Iterator

# The page that errors about missing names mention.
PAGE = (
    "https://github.com/facula/facula/blob/main/docs/tutorials/coming-from-pytorch.md"  # as the wheel's metadata says
)


class PyTorchNames:
    """PyTorch's public names and alternatives to missing ones, read from two files in a module's folder.

    `_pytorch.txt` lists names in sections such as `[torch.nn]`. A table (`table_rows`) has alternatives, in rows
    `missing NAME ...: ADVICE`; advice on a module applies to everything below it without a row. Both files are read
    on first use.

    Arguments:
        module_file: the module's file.
        table: the file name of the table.
    """

    def __init__(self, module_file: str, table: str = "_instead.txt") -> None:
        self.folder: str = os.path.dirname(module_file)
        self.table: str = os.path.join(self.folder, table)

    def names(self, place: str) -> frozenset[str]:
        """The public names of one of PyTorch's modules or classes, `"torch.nn"`."""
        return _names(os.path.join(self.folder, "_pytorch.txt")).get(place, frozenset())

    def missing(self, place: str, name: str) -> str:
        """The message for a missing name; empty if PyTorch does not have it either.

        Submodules have the place "modules" and whole names: `missing("modules", "torch.nn.parallel")`.
        """
        if name not in self.names(place):
            return ""
        whole = name if place == "modules" else f"{place}.{name}"
        use = self.advice(whole)
        return f"PyTorch has {whole}, facula not yet; {use + '; ' if use else ''}{PAGE} says what is missing"

    def unlisted(self, whole: str) -> str:
        """The message for a missing name in a module for which `_pytorch.txt` has no section.

        Arguments:
            whole: the qualified name, such as "torch.ao.quantization.observer".
        """
        use = self.advice(whole)
        return f"facula has none; {use + '; ' if use else ''}{PAGE} says what is missing"

    def advice(self, whole: str) -> str:
        """The alternative to a module or name, from its own row or that of the nearest module above; "" without one."""
        while "." in whole:
            place, _, name = whole.rpartition(".")
            said = _advice(self.table, place).get(name)
            if said:
                return said
            whole = place
        return ""


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:  # pathlib would make `import facula` slower
        return file.read()


@cache
def _names(path: str) -> dict[str, frozenset[str]]:
    return {title: frozenset(names.split()) for title, names in table_sections(path).items()}


@cache
def table_sections(path: str) -> dict[str, str]:
    """The text of each section, by title. A section begins with `[torch.nn]` or `[torch.nn] ROW`."""
    parts = [part.partition("]") for part in _text(path).split("\n[")[1:]] if os.path.exists(path) else []
    return {title: body for title, _, body in parts}


def table_rows(text: str) -> Iterator[tuple[str, list[str], str]]:
    """The kind, names and rest of each row of a section: `KIND NAME ...: REST`, continued on indented lines.

    >>> [*table_rows("missing eig\\n    lstsq: use linalg")]
    [('missing', ['eig', 'lstsq'], 'use linalg')]
    """
    for line in text.replace("\n ", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            head, _, rest = line.partition(":")
            kind, *names = head.split()
            yield kind, names, " ".join(rest.split())


@cache
def _advice(path: str, place: str) -> dict[str, str]:
    rows = table_rows(table_sections(path).get(place, ""))
    return {name: rest for kind, names, rest in rows if kind == "missing" for name in names}


class MissingName:
    """A class attribute for a missing name of PyTorch's; it raises on access."""

    __slots__ = ("listing", "name", "place")

    def __init__(self, name: str, place: str, listing: PyTorchNames) -> None:
        self.name, self.place, self.listing = name, place, listing

    def __get__(self, instance: object, cls: type) -> object:
        for found in [vars(base)[self.name] for base in cls.__mro__ if self.name in vars(base)]:
            if type(found) is not MissingName:  # of a class that was mixed in
                return found.__get__(instance, cls) if hasattr(type(found), "__get__") else found
        subject = f"type object {cls.__name__!r}" if instance is None else f"{cls.__name__!r} object"
        raise MissingAttributeError(
            f"{subject} has no attribute {self.name!r}: {self.listing.missing(self.place, self.name)}",
            name=self.name,
            obj=cls if instance is None else instance,
        )


def mark_missing(cls: type, place: str, listing: PyTorchNames) -> None:
    """Let names that `place` has in PyTorch and `cls` lacks explain themselves. Call this once `cls` is complete."""
    missing = {name: MissingName(name, place, listing) for name in listing.names(place) if not hasattr(cls, name)}
    said = {"__module__": __name__, "__doc__": f"Names of PyTorch's {place} that are not there.", "__slots__": ()}
    holder = type("MissingNames", (), {**missing, **said})

    class Order(type):
        def mro(cls) -> list[type]:
            *before, last = super().mro()
            return [*before, holder, last]

    reorder_bases(cls, Order)


GIVEN: set[str] = set()  # private names that the library itself puts into the classes of programs


def present(cls: type, instance: object = None, hidden: frozenset[str] = frozenset()) -> list[str]:
    """The names of the attributes of a class, or of its instance: without those that are missing, private or `hidden`.

    Private are names of the library's classes that begin with one underscore; those of a program's classes are shown.

    Arguments:
        cls: the class.
        instance: an instance whose own attributes count, too, or None.
        hidden: names that are left out.
    """
    found: dict[str, object] = {}
    own: set[str] = set()  # names that a program's classes and it itself gave
    library: set[str] = set()  # names that the library redefines in classes of programs
    for base in reversed(cls.__mro__):
        found.update({name: attribute for name, attribute in vars(base).items() if type(attribute) is not MissingName})
        if base.__module__.partition(".")[0].partition("_")[0] not in (
            "facula",
            "builtins",
            "typing",
            "collections",
            "",
        ):
            own.update(name for name in vars(base) if name not in library)
        else:
            library.update(vars(base))
    given = getattr(instance, "__dict__", {})
    found.update(given)
    own -= GIVEN
    if own:
        own.update(given)
    return sorted(
        name
        for name, value in found.items()
        if name not in hidden and (name[0] != "_" or name.startswith("__") or name in own)
    )

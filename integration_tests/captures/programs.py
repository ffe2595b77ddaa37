"""Kinds of state whose programs are given as source text, in text files of the folder `programs`.

A kind begins with a line `=== NAME: BEHAVIOUR`, followed by the lines that create the state. Further parts begin with
`--- PART`: `change`, the lines that change it; `reads`, one expression a line (empty if the program defines `f`);
`file NAME`, a module next to the program; and the other attributes of `Kind`: `observe`, `args`, `undo`, `ways`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scenarios import Kind

FOLDER = Path(__file__).parent / "programs"


def kinds() -> list[Kind]:
    """Return the kinds of all files, sorted by name."""
    return [kind for path in sorted(FOLDER.glob("*.txt")) for kind in kinds_of(path.read_text())]


def kinds_of(text: str) -> list[Kind]:
    """Return the kinds that one text describes."""
    return [_kind(part) for part in f"\n{text}".split("\n=== ")[1:]]


def _kind(text: str) -> Kind:
    head, *parts = text.split("\n--- ")
    title, _, setup = head.partition("\n")
    name, _, behaviour = title.rpartition(": ")
    found: dict[str, Any] = {"reads": (), "files": {}}
    for part in parts:
        key, _, lines = part.partition("\n")
        lines = lines.rstrip("\n")
        if key.startswith("file "):
            found["files"][key.removeprefix("file ")] = f"{lines}\n"
        elif key == "reads":
            found[key] = tuple(lines.splitlines())
        elif key == "ways":
            found[key] = tuple(lines.split()) if " " in lines else lines
        else:
            found[key] = lines
    return Kind(name=name, setup=setup.strip("\n"), behaviour=behaviour, varies=not found["change"], **found)

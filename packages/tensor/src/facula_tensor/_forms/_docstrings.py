"""Docstrings of written functions: the declaration's, with the arguments that it leaves out."""

from __future__ import annotations

import inspect
from textwrap import wrap
from typing import TYPE_CHECKING

from facula_tensor._dispatch.kinds import MAKERS, STANDARD

if TYPE_CHECKING:
    from ._arguments import Argument

WIDTH = 116  # of a line in a function's body


def docstring(declared: str, arguments: list[Argument], maker: str = "") -> str:
    """The docstring of a public function."""
    before, given, rest = _sections(inspect.cleandoc(declared))
    meant = MAKERS.get(maker, {})
    said = {one.name: given.get(one.name) or meant.get(one.name) or _standard(one) for one in arguments
            if one.name != "self"}  # fmt: skip
    if missing := [name for name, text in said.items() if not text]:
        raise SystemExit(f"the docstring {before!r} says nothing of {', '.join(missing)}")
    return "\n\n".join([part for part in (before, _listed(said) if len(said) > 1 or given else "", rest) if part])


def changing_docstring(name: str, declared: str, arguments: list[Argument]) -> str:
    """The docstring of the function that changes its input."""
    if len(arguments) == 1:
        return f"`{name}` in place."
    _, given, _ = _sections(inspect.cleandoc(declared))
    first, *others = arguments
    said = {one.name: given.get(one.name) or _standard(one) for one in others}
    listed = _listed({first.name: "the tensor that changes."} | said)
    return f"`{name}` in place.\n\n{listed}\n\nReturns:\n    `{first.name}`."


def _standard(one: Argument) -> str:
    """What is said of an argument where the declaration says nothing."""
    return one.kind.says or STANDARD.get(one.name, "")


def _listed(said: dict[str, str]) -> str:
    lines = [wrap(f"{name}: {text}", WIDTH - 4, subsequent_indent="    ") for name, text in said.items()]
    return "\n".join(["Arguments:", *[f"    {line}" for part in lines for line in part]])


def _sections(text: str) -> tuple[str, dict[str, str], str]:
    """What stands before the arguments, the arguments' texts by name, and what comes after them."""
    parts = text.split("\n\n")
    at = [place for place, part in enumerate(parts) if part.startswith(("Arguments:", "Returns:", "Raises:", ">>>"))]
    first = at[0] if at else len(parts)
    if first == len(parts) or not parts[first].startswith("Arguments:"):
        return "\n\n".join(parts[:first]), {}, "\n\n".join(parts[first:])
    given: dict[str, str] = {}
    name = ""
    for line in parts[first].splitlines()[1:]:
        if line.startswith("        "):
            given[name] += " " + line.strip()
        else:
            name, _, given_text = line.strip().partition(": ")
            given[name] = given_text
    return "\n\n".join(parts[:first]), given, "\n\n".join(parts[first + 1 :])

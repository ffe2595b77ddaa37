"""Docstrings of generated functions: the descriptions of arguments that the declaration omits."""

from __future__ import annotations

import inspect
from textwrap import wrap
from typing import TYPE_CHECKING

from facula_tensor._dispatch.kinds import CREATION, STANDARD, TOGETHER

if TYPE_CHECKING:
    from ._arguments import Argument

WIDTH = 116  # the maximum width of a line in a function's body
PLAIN = {"input": "the tensor."}
MOST = 2  # functions with more arguments than this describe each of them


def docstring(declared: str, arguments: list[Argument], maker: str = "") -> str:
    """Return the descriptions of the arguments that the declaration does not describe, except `out` and a single
    tensor. `declare` inserts them into the declared docstring.
    """
    before, given = _sections(inspect.cleandoc(declared))
    meant = CREATION.get(maker, {})
    said = {
        argument.name: given.get(argument.name) or meant.get(argument.name) or _standard(argument)
        for argument in arguments
        if argument.name != "self" or argument.by_name
    }
    if missing := [name for name, text in said.items() if not text]:
        raise SystemExit(f"the docstring {before!r} says nothing of {', '.join(missing)}")
    said = {name: text for name, text in said.items() if name != "out" or name in given}
    added = {name: text for name, text in _together(said, given).items() if name not in given}
    if added == PLAIN:  # `declare` inserts it
        return ""
    return _listed(added) if len(said) > MOST or given else ""


def changing_docstring(name: str, arguments: list[Argument]) -> str:
    """Return the docstring of the in-place variant of a function."""
    if len(arguments) == 1:
        return f"`{name}` in place."
    return f"`{name}` in place: changes `{arguments[0].name}` and returns it. Arguments: those of `{name}`."


def _together(said: dict[str, str], given: dict[str, str]) -> dict[str, str]:
    """Merge the descriptions of arguments that are described together."""
    for names, text in TOGETHER.items():
        found = [name for name in names if name in said and name not in given]
        if len(found) == len(names):
            said = {", ".join(names) if name == names[0] else name: text if name == names[0] else description
                    for name, description in said.items() if name == names[0] or name not in names}  # fmt: skip
    return said


def _standard(argument: Argument) -> str:
    """Return the default description of an argument, for declarations without one."""
    return argument.kind.doc or STANDARD.get(argument.name, "")


def _listed(said: dict[str, str]) -> str:
    lines = [wrap(f"{name}: {text}", WIDTH - 4, subsequent_indent="    ") for name, text in said.items()]
    return "\n".join([line for part in lines for line in part])


def _sections(text: str) -> tuple[str, dict[str, str]]:
    """Return a docstring's text before the arguments, and their descriptions by name."""
    before, found, rest = f"\n\n{text}".partition("\n\nArguments:\n")
    given: dict[str, str] = {}
    name = ""
    for line in rest.partition("\n\n")[0].splitlines() if found else ():
        if line.startswith("        "):
            given[name] += " " + line.strip()
        else:
            name, _, given_text = line.strip().partition(": ")
            given[name] = given_text
    return before.strip(), given

"""Writes the public functions of operators from their declarations.

    python -m facula_tensor._forms           # writes what has changed
    python -m facula_tensor._forms --check   # compares only; the exit status is 1 where files differ

See Note [Written functions] in `_dispatch/written.py`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from textwrap import indent
from typing import TYPE_CHECKING

from facula_tensor._dispatch.kinds import KINDS, Kind
from facula_tensor._dispatch.written import declared, file_of
from facula_tensor._forms._arguments import Argument, arguments_of, listed, quoted
from facula_tensor._forms._docstrings import changing_docstring, docstring

if TYPE_CHECKING:
    from facula_tensor._dispatch.written import Declared

FOLDER = Path(__file__).parent
WIDTH = 120
HEAD = '''"""The public functions of `{source}.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

{imports}

if TYPE_CHECKING:
{types}'''
ALWAYS = (("facula_errors", "FaculaError"), ("facula_errors.extend", "trim_traceback"))
TYPES = {"DTypeLike", "DeviceLike", "Dims", "Lengths", "Number", "Operand", "Scalar"}  # of `_core/types.pyi`


class Text:
    """The functions of a declaration.

    - `needs`: the names that they import: (module, name); `types`: those for annotations alone.
    """

    def __init__(self, what: Declared) -> None:
        self.what, self.operation = what, what.label or what.name
        self.operands = arguments_of(what)
        takes_inplace = what.inplace or "inplace" in what.signature.__code__.co_varnames
        self.inplace = [Argument("inplace", KINDS["Flag"], False)] * takes_inplace
        self.out = [Argument("out", Kind("Tensor | None"), None, by_name=True)] * what.out
        self.needs = set(ALWAYS)
        words = {word for one in self.operands for word in re.findall(r"\w+", one.kind.annotation)}
        self.types = words & TYPES

    def functions(self) -> list[str]:
        """The public function, and the one that changes its input if there is one."""
        what, arguments = self.what, [*self.operands, *self.inplace, *self.out]
        steps = self.checks(self.operation)
        if self.inplace:
            steps += ["if inplace:", *[f"    {step}" for step in self.change(self.operation)]]
        steps += self.results()
        decorators = self.decorators(what.overridable, what.method)
        made = [decorators + function(what.name, arguments, docstring(what.doc, arguments), steps)]
        if what.changes:
            name = f"{what.name}_"
            steps = [*self.checks(name), *self.change(name)]
            doc = changing_docstring(what.name, what.doc, self.operands)
            made.append(self.decorators(overridable=True) + function(name, self.operands, doc, steps))
        return made

    def checks(self, operation: str) -> list[str]:
        """The steps that check and convert arguments."""
        steps = []
        for one in self.operands:
            if one.kind.convert:
                self.needs.update(one.kind.needs)
                step = f"{one.name} = {one.kind.convert.format(name=one.name, operation=operation)}"
                condition = one.kind.unless.format(name=one.name)
                steps += [f"if {condition}:", f"    {step}"] if condition else [step]
        for condition, expectation in self.what.refuses.items():
            self.needs.add(("facula_errors", "ArgumentError"))
            text = f'{"f" * ("{" in expectation)}"{operation}: expected {expectation}"'
            steps += [f"if {condition}:", f"    raise ArgumentError({text})"]
        return steps

    def results(self) -> list[str]:
        """The last steps."""
        if not self.out:
            return [f"return {self.call()}"]
        self.needs.add((".._dispatch.writing", "write_out"))
        return [
            f"result = {self.call()}",
            f'return result if out is None else write_out("{self.operation}", result, out)',
        ]

    def change(self, operation: str) -> list[str]:
        """The steps that put the result into the input."""
        self.needs.add((".._dispatch.arguments", "source"))
        first = self.operands[0].name
        return [f'before = source("{operation}", {first})', f"return {first}.copy_({self.call('before')})"]

    def call(self, first: str = "") -> str:
        """The call of the operator, or of the declared body, perhaps with another first operand."""
        given = [first or self.operands[0].name, *[one.passed for one in self.operands[1:]]]
        if not self.what.is_body:
            self.needs.add((".._dispatch.namespaces", "recorded_ops as ops"))
            return f"ops.{self.what.name}({', '.join(given)})"
        self.needs.add((".._dispatch.written", "bodies_of"))
        if self.what.signature.__code__.co_varnames[0] == "F":
            self.needs.add((".._dispatch.namespaces", "recorded_ops as ops"))
            given.insert(0, "ops")
        return f"bodies.{self.what.name}({', '.join(given)})"

    def decorators(self, overridable: bool, method: bool = False) -> str:
        """What stands above the function."""
        self.needs |= {(".._dispatch.overrides", "overridable")} if overridable else set()
        self.needs |= {(".._core.tensor", "method")} if method else set()
        return "@overridable\n" * overridable + "@method()\n" * method


def function(name: str, arguments: list[Argument], doc: str, steps: list[str]) -> str:
    """A function's text."""
    parts = listed(arguments)
    given = ", ".join(parts)
    head = f"def {name}({given}) -> Tensor:"
    if len(head) > WIDTH:
        lines = [given] if len(given) + 4 <= WIDTH else [f"{one}," for one in parts]
        head = "\n".join([f"def {name}(", *[f"    {line}" for line in lines], ") -> Tensor:"])
    lines = [f'"""{doc}"""' if "\n" not in doc else f'"""{doc}\n"""', "try:", *[f"    {step}" for step in steps]]
    body = "\n".join([*lines, "except FaculaError as error:", "    trim_traceback(error)", "    raise"])
    return f"{head}\n{indent(body, '    ')}"


def files() -> dict[str, str]:
    """The texts of all files, by name."""
    texts: dict[str, list[Text]] = defaultdict(list)
    for what in declared:
        texts[file_of(what.module)].append(Text(what))
    return {f"{file}.py": "\n\n\n".join(parts_of(file, those)) + "\n" for file, those in texts.items()}


def parts_of(file: str, texts: list[Text]) -> list[str]:
    """What a file consists of: its head, then the functions."""
    functions = [one for text in texts for one in text.functions()]
    source = texts[0].what.module.partition(".")[2].replace(".", "/")
    needs, types = set().union(*[text.needs for text in texts]), set().union(*[text.types for text in texts])
    lines = ["    from .._core.tensor import Tensor"]
    lines += [f"    from .._core.types import {', '.join(sorted(types))}"] * bool(types)
    head = HEAD.format(source=source, imports=imports(needs), types="\n".join(lines))
    named = [text for text in texts if not text.what.label]
    head += f"\n\n{public(named)}" if named else ""
    head += f'\n\nbodies = bodies_of("{file}")' if (".._dispatch.written", "bodies_of") in needs else ""
    return [head, *functions]


def public(texts: list[Text]) -> str:
    """The list of names that errors know functions by."""
    names = [text.what.name for text in texts] + [f"{text.what.name}_" for text in texts if text.what.changes]
    line = f"__all__ = [{', '.join(map(quoted, sorted(names)))}]"
    return line if len(line) <= WIDTH else "\n".join(["__all__ = [", *[f'    "{one}",' for one in sorted(names)], "]"])


def imports(needs: set[tuple[str, str]]) -> str:
    """Import statements, sorted as ruff sorts them."""
    by_module: dict[str, list[str]] = defaultdict(list)
    for module, name in sorted(needs):
        by_module[module].append(name)
    groups: list[list[str]] = [[], []]
    for module, names in by_module.items():
        groups[module.startswith(".")].append(f"from {module} import {', '.join(names)}")
    return "\n\n".join(["\n".join(sorted(group)) for group in groups])


def main() -> int:
    """Write the files, or compare them; 1 where they differ."""
    parser = argparse.ArgumentParser(
        prog="python -m facula_tensor._forms", description="Write the public functions of operators."
    )
    parser.add_argument("--check", action="store_true", help="compare the files with what would be written")
    options = parser.parse_args()
    for module in iter_modules([str(FOLDER.parent)]):  # which declare what they have
        if not module.name.startswith("_"):
            import_module(f"facula_tensor.{module.name}")
    made = files()
    there = {path.name: path.read_text() for path in FOLDER.glob("*.py") if not path.name.startswith("_")}
    different = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
    if options.check:
        print(f"different: {', '.join(different)}" if different else "all as declared")
        return int(bool(different))
    for name in different:
        if name in made:
            (FOLDER / name).write_text(made[name])
        else:
            (FOLDER / name).unlink()
        print(f"written: {name}" if name in made else f"removed: {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

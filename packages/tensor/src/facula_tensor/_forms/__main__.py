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
from textwrap import indent
from typing import TYPE_CHECKING

from facula_tensor._dispatch.written import declared
from facula_tensor._forms._arguments import Argument, arguments_of, quoted
from facula_tensor._forms._docstrings import changing_docstring, docstring

if TYPE_CHECKING:
    from facula_tensor._dispatch.written import Declared

FOLDER = Path(__file__).parent
WIDTH = 120
HEAD = '''"""The public functions of `ops/{module}.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

{imports}

if TYPE_CHECKING:
    from .._core.tensor import Tensor'''
ALWAYS = (
    ("facula_errors", "FaculaError"),
    ("facula_errors.extend", "trim_traceback"),
    (".._dispatch.namespaces", "recorded_ops as ops"),
)


class Text:
    """The functions of a declaration.

    - `needs`: the names that they import: (module, name).
    """

    def __init__(self, name: str, what: Declared) -> None:
        self.name, self.what, self.arguments = name, what, arguments_of(what)
        self.needs = set(ALWAYS)

    def functions(self) -> list[str]:
        """The public function, and the one that changes its input if there is one."""
        takes_inplace = any([one.name == "inplace" for one in self.arguments])
        steps = self.checks(self.name)
        if takes_inplace:
            steps += ["if inplace:", *[f"    {step}" for step in self.change(self.name)]]
        steps.append(f"return {self.call()}")
        doc = docstring(self.what.doc, self.arguments)
        made = [self.decorators(self.what.method, self.what.method) + function(self.name, self.arguments, doc, steps)]
        if self.what.changes:
            name = f"{self.name}_"
            own = [one for one in self.arguments if one.name != "inplace"]
            steps = [*self.checks(name), *self.change(name)]
            made.append(
                self.decorators(overridable=True) + function(name, own, changing_docstring(self.name, doc, own), steps)
            )
        return made

    def checks(self, operation: str) -> list[str]:
        """The steps that check and convert arguments."""
        steps = []
        for one in self.arguments:
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

    def change(self, operation: str) -> list[str]:
        """The steps that put the result into the input."""
        self.needs.add((".._dispatch.arguments", "source"))
        first = self.arguments[0].name
        return [f'before = source("{operation}", {first})', f"return {first}.copy_({self.call('before')})"]

    def call(self, first: str = "") -> str:
        """The call of the operator, or of the declared body, perhaps with another first operand."""
        operands = [one.name for one in self.arguments if one.name != "inplace"]
        given = ", ".join([first or operands[0], *operands[1:]])
        if not self.what.first:
            return f"ops.{self.name}({given})"
        self.needs.add((".._dispatch.written", "bodies"))
        return f"bodies.{self.name}(ops, {given})"

    def decorators(self, overridable: bool, method: bool = False) -> str:
        """What stands above the function."""
        self.needs |= {(".._dispatch.overrides", "overridable")} if overridable else set()
        self.needs |= {(".._core.tensor", "method")} if method else set()
        return "@overridable\n" * overridable + "@method()\n" * method


def function(name: str, arguments: list[Argument], doc: str, steps: list[str]) -> str:
    """A function's text."""
    given = ", ".join(map(str, arguments))
    head = f"def {name}({given}) -> Tensor:"
    if len(head) > WIDTH:
        lines = [given] if len(given) + 4 <= WIDTH else [f"{one}," for one in arguments]
        head = "\n".join([f"def {name}(", *[f"    {line}" for line in lines], ") -> Tensor:"])
    lines = [f'"""{doc}"""' if "\n" not in doc else f'"""{doc}\n"""', "try:", *[f"    {step}" for step in steps]]
    body = "\n".join([*lines, "except FaculaError as error:", "    trim_traceback(error)", "    raise"])
    return f"{head}\n{indent(body, '    ')}"


def files() -> dict[str, str]:
    """The texts of all files, by name."""
    parts: dict[str, list[str]] = defaultdict(list)
    needs: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for name, what in declared.items():
        module = what.module.rpartition(".")[2]
        text = Text(name, what)
        parts[module] += text.functions()
        needs[module] |= text.needs
    heads = {
        module: f"{HEAD.format(module=module, imports=imports(names))}\n\n{public(parts[module])}"
        for module, names in needs.items()
    }
    return {f"{module}.py": "\n\n\n".join([heads[module], *texts]) + "\n" for module, texts in parts.items()}


def public(functions: list[str]) -> str:
    """The list of public names, which errors look into."""
    names = sorted(re.search(r"^def (\w+)", text, re.M)[1] for text in functions)  # type: ignore[index]
    line = f"__all__ = [{', '.join(map(quoted, names))}]"
    return line if len(line) <= WIDTH else "\n".join(["__all__ = [", *[f'    "{name}",' for name in names], "]"])


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
    import_module("facula_tensor.functional")  # declares all operators, with the rest of the package
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

"""Generator of the public functions of operators from declarations, and of the fast path from templates.

    python -m facula_tensor._forms           # writes files that have changed
    python -m facula_tensor._forms --check   # only compares; the exit status is 1 if files differ

See Note [Written functions] in `_dispatch/written.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path, PurePath
from pkgutil import iter_modules
from textwrap import indent

from facula_tensor._dispatch.written import declared, file_of
from facula_tensor._forms._fast import fast_paths
from facula_tensor._forms._functions import WIDTH, Text

FOLDER = Path(__file__).parent
HEAD = '''"""The {subject} of `{source}`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

{imports}'''
ROOM = '"""The {subject} of `{room}/`, written by `python -m facula_tensor._forms`."""\n'
FOR_ANNOTATIONS = """

if TYPE_CHECKING:
{types}"""


def files() -> dict[str, str]:
    """Return the text of every generated file, by path."""
    texts: dict[str, list[Text]] = defaultdict(list)
    for what in declared:
        texts[file_of(what.module)].append(Text(what))
    parts = {file: parts_of(file, those) for file, those in texts.items()}
    for file, (functions, needs, types) in fast_paths().items():
        parts[file] = [head(file, needs, types), *functions]
    made = {path_of(file): "\n\n\n".join(those) + "\n" for file, those in parts.items()}
    rooms = {str(room) for path in made for room in PurePath(path).parents} - {"."}
    return made | {f"{room}/__init__.py": ROOM.format(subject=subject(room), room=room) for room in rooms}


def subject(path: str) -> str:
    """Return the description of a path's generated code, for its head."""
    return "fast path" if path.startswith("_dispatch") else "public functions"


def path_of(file: str) -> str:
    """Return the path of a generated module."""
    return f"{file.replace('.', '/')}.py"


def parts_of(file: str, texts: list[Text]) -> list[str]:
    """Return the parts of a file: its head, then the functions."""
    functions = [function for text in texts for function in text.functions()]
    needs, types = set().union(*[text.needs for text in texts]), set().union(*[text.types for text in texts])
    bodies = f'\n\nbodies = bodies_of("{file}")' if (".._dispatch.written", "bodies_of") in needs else ""
    return [head(file, needs, types - needs) + bodies, *functions]


def head(file: str, needs: set[tuple[str, str]], types: set[tuple[str, str]]) -> str:
    """Return the head of a file that imports the names `needs` (module, name), and `types` for annotations only."""
    path, above = path_of(file), "." * file.count(".")  # from the file to `_forms/`
    needed = imports(needs | ({("typing", "TYPE_CHECKING")} if types else set()), above)
    begin = HEAD.format(subject=subject(path), source=path, imports=needed)
    return begin + (FOR_ANNOTATIONS.format(types=indent(imports(types, above), "    ")) if types else "")


def imports(needs: set[tuple[str, str]], above: str) -> str:
    """Return import statements in the order of ruff. `above`: dots to prepend to modules relative to `_forms/`."""
    by_module: dict[tuple[str, str], list[str]] = defaultdict(list)
    for module, name in sorted(needs):
        by_module[module, name if " as " in name else ""].append(name)
    groups: list[list[str]] = [[], [], []]
    for (module, _), names in by_module.items():
        names.sort(key=lambda name: (not name.isupper(), not name[0].isupper(), name.lower()))
        place = 0 if module.partition(".")[0] in sys.stdlib_module_names else 2 if module.startswith(".") else 1
        module = above * (place == 2) + module
        line = f"from {module} import {', '.join(names)}"
        long = "".join([f"    {name},\n" for name in names])
        groups[place].append(line if len(line) <= WIDTH else f"from {module} import (\n{long})")
    return "\n\n".join(["\n".join(sorted(group)) for group in groups if group])


def main() -> int:
    """Write the files, or compare them and return 1 if they differ."""
    parser = argparse.ArgumentParser(
        prog="python -m facula_tensor._forms", description="Write the public functions of operators."
    )
    parser.add_argument("--check", action="store_true", help="compare the files with what would be written")
    options = parser.parse_args()
    for module in iter_modules([str(FOLDER.parent)]):  # importing them registers their declarations
        if not module.name.startswith("_"):
            import_module(f"facula_tensor.{module.name}")
    made = files()
    there = {path.relative_to(FOLDER).as_posix(): path.read_text() for path in FOLDER.glob("*/**/*.py")}
    different = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
    if options.check:
        print(f"different: {', '.join(different)}" if different else "all as declared")
        return int(bool(different))
    for name in different:
        if name in made:
            (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
            (FOLDER / name).write_text(made[name])
        else:
            (FOLDER / name).unlink()
        print(f"written: {name}" if name in made else f"removed: {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

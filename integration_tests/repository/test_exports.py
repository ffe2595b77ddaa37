"""Public names are written out: type checkers and editors read lists, and compute none.

A module that takes over the names of others (`from .layers.linear import *`) lists them all the same, and this file
holds the list to what the others declare. After a name was added: python integration_tests/repository/test_exports.py
"""

import ast
import re
import sys
import textwrap
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(ROOT.glob("packages/*/src"))
WRITTEN = re.compile(r"^__all__ = \[.*?^\][^\n]*\n|^__all__ = \[[^\n]*\n", re.MULTILINE | re.DOTALL)


def file_of(module: str) -> Path:
    """Where a module of ours is declared: a stub beside it, which has its names written out, comes first."""
    place = Path(*module.split("."))
    for source in SOURCES:
        for name in (place / "__init__.pyi", place / "__init__.py", place.with_suffix(".py")):
            if (source / name).is_file():
                return source / name
    raise FileNotFoundError(module)


def module_of(path: Path) -> str:
    """The name of the module that a file under packages/*/src is."""
    parts = path.with_suffix("").parts
    inner = parts[parts.index("src", parts.index("packages")) + 1 :]
    return ".".join(inner[:-1] if inner[-1] == "__init__" else inner)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def assignments(tree: ast.Module) -> list[ast.Assign | ast.AugAssign]:
    """Where a module says what `__all__` is."""
    return [
        node
        for node in ast.walk(tree)
        if (isinstance(node, ast.Assign) and "__all__" in [getattr(one, "id", None) for one in node.targets])
        or (isinstance(node, ast.AugAssign) and getattr(node.target, "id", None) == "__all__")
    ]


@cache
def listed(path: Path) -> tuple[str, ...] | None:
    """The names in a module's `__all__`: None where it has none, ValueError where they are computed."""
    found = assignments(parsed(path))
    if not found:
        return None
    if len(found) > 1 or isinstance(found[0], ast.AugAssign):
        raise ValueError(f"{path.relative_to(ROOT)}:{found[-1].lineno}: expected one list of names; got a computed one")
    return tuple(ast.literal_eval(found[0].value))


def taken_over(path: Path) -> set[str]:
    """The names that come by `from x import *`."""
    names: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            home = module_of(path).split(".")
            home = home if path.stem == "__init__" else home[:-1]
            base = home[: len(home) - node.level + 1] if node.level else []
            names |= set(listed(file_of(".".join([*base, *filter(None, [node.module])]))) or ())
    return names


def bound(path: Path) -> set[str]:
    """The names that a module itself imports or defines at its top, also within `with` and `if`."""
    names: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {one.asname or one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def modules() -> list[Path]:
    """All modules but the one whose list is computed from its families, and written out in the stub beside it."""
    return [
        path
        for source in SOURCES
        for path in sorted(source.rglob("*.py"))
        if not (path.name == "__init__.py" and path.with_suffix(".pyi").exists())
    ]


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", [path for path in modules() if assignments(parsed(path))], ids=shown)
def test_the_public_names_are_written_out(path):
    names, others = set(listed(path)), taken_over(path)
    remedy = "; run python integration_tests/repository/test_exports.py"
    assert not others - names, f"{shown(path)} leaves out {sorted(others - names)}{remedy}"
    stale = names - others - bound(path)
    assert not stale, f"{shown(path)} lists what is not there: {sorted(stale)}{remedy}"


@pytest.mark.parametrize("path", modules(), ids=shown)
def test_what_is_taken_over_is_listed(path):
    """`from x import *` without a list would hide all of it from type checkers."""
    assert listed(path) is not None or not taken_over(path)


@pytest.mark.parametrize(
    "text", ["__all__ = list(other)\n", "__all__ = ['a']\n__all__ += other.__all__\n", "__all__ = [n for n in m]\n"]
)
def test_a_computed_list_is_refused(tmp_path, monkeypatch, text):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    path = tmp_path / "module.py"
    path.write_text(text)
    with pytest.raises(ValueError):
        listed(path)


def order(name: str) -> tuple:
    """Constants, classes, the rest; numbers in names by their value."""
    numbers = tuple((int(part) if part.isdigit() else -1, part) for part in re.split(r"(\d+)", name))
    return not (name.isupper() and len(name) > 1), not name[0].isupper(), numbers


def write(path: Path) -> None:
    """Bring the list of a module that takes over others' names up to date."""
    text = path.read_text()
    others = taken_over(path)
    if not others:
        return
    names = sorted(others | (set(listed(path) or ()) & bound(path)), key=order)
    quoted = ", ".join(f'"{name}"' for name in names)
    lines = textwrap.wrap(quoted, 115, break_long_words=False, break_on_hyphens=False)
    body = "".join(f"    {line}\n" for line in lines)
    new = f"__all__ = [\n{body.rstrip()},\n]  # fmt: skip\n" if len(quoted) > 105 else f"__all__ = [{quoted}]\n"
    path.write_text(WRITTEN.sub(lambda _: new, text, count=1))


if __name__ == "__main__":
    changed = True
    while changed:  # a list may be made of others
        changed = False
        for one in modules():
            before = one.read_text()
            write(one)
            if one.read_text() != before:
                sys.stdout.write(f"{shown(one)} brought up to date\n")
                changed = True
                parsed.cache_clear(), listed.cache_clear()

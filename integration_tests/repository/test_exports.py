"""A public name is in one list: `__all__` of the module where users find it. Private modules have no lists.

Lists are literal, as type checkers and editors compute none. Modules with computed lists have a stub, or hide the
list from type checkers, which then use the imports. `integration_tests/together/test_lists.py` counts the lists that
contain a name.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("facula/_C.py", "facula/_dynamo/__init__.py", "facula/utils/_pytree.py")  # names of PyTorch for programs
ROOMS = ("facula_tensor/ops/", "facula_tensor/transforms/", "facula_nn/layers/")  # private despite their names


def modules() -> list[tuple[Path, ast.Module]]:
    return [(path, ast.parse(path.read_text())) for path in sorted(ROOT.glob("packages/*/src/**/*.py"))]


MODULES = modules()


def inner(path: Path) -> str:
    return path.as_posix().partition("/src/")[2]


def is_private(path: Path) -> bool:
    parts = inner(path).removesuffix(".py").split("/")
    return inner(path).startswith(ROOMS) or any(part.startswith("_") and part[:2] != "__" for part in parts)


def lists(tree: ast.Module) -> list[ast.expr]:
    """Return the values of a module's `__all__` that type checkers see."""
    return [
        node.value
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and target.id == "__all__"
    ]


def is_written_out(values: list[ast.expr]) -> bool:
    """Return whether a module's lists are a single list of constants."""
    return len(values) < 2 and all(
        isinstance(value, (ast.List, ast.Tuple)) and all(isinstance(one, ast.Constant) for one in value.elts)
        for value in values
    )


def test_private_modules_have_no_lists():
    """Check this because the module that makes a name public lists it, and other lists would repeat it."""
    assert [
        inner(path) for path, tree in MODULES if is_private(path) and lists(tree) and inner(path) not in PLACES
    ] == []


def test_lists_are_written_out():
    computed = [inner(path) for path, tree in MODULES if not is_written_out(lists(tree))]
    assert [one for one in computed if not (ROOT / f"packages/{one.split('/')[0].removeprefix('facula_')}/src" / one)
            .with_suffix(".pyi").exists()] == []  # fmt: skip


def test_whole_lists_are_taken_over_without_another():
    """Check that no visible list accompanies `from x import *`, since it would hide other names from type checkers."""
    starred = [
        inner(path)
        for path, tree in MODULES
        if any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree))
        and lists(tree)
    ]
    assert starred == []


def test_computed_lists_are_found():
    for text in ("__all__ = list(other)", "__all__ = ['a']\n__all__ += other.__all__", "__all__ = [n for n in m]"):
        assert not is_written_out(lists(ast.parse(text)))
    assert is_written_out(lists(ast.parse("__all__ = ['a', 'b']")))

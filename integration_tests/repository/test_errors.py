"""Exceptions that the packages raise deliberately derive from FaculaError, so tracebacks end at the program's line."""

import ast
import builtins

import pytest
from conftest import ROOT

BUILTIN = {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, Exception) and not issubclass(value, Warning)
}
# Part of Python's protocols: they end an iteration and are no errors.
PROTOCOL = {"StopIteration", "StopAsyncIteration"}
ALLOWED = {
    "facula/_lookup/siblings.py": "says that a package is missing, facula_errors among them",
    "facula/examples/": "a program, as a user's is",
    "facula/_stand_in/": "a program's first import of torch",
    "facula_tensor/_dispatch/signatures.py": "shapes of calls for inspect.signature, which nobody calls",
    "facula_tensor/_stubs.py": "a program for developers",
}


def is_allowed(package, path):
    place = f"{package.module}/{path.relative_to(package.root)}"
    return any(place.startswith(allowed) for allowed in ALLOWED)


def bare(tree):
    """Return lines that raise or construct a builtin exception, except in a module's `__getattr__`."""
    methods = {one for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for one in node.body}
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name == "__getattr__" and node not in methods
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        made = node.func if isinstance(node, ast.Call) else node.exc if isinstance(node, ast.Raise) else None
        if isinstance(made, ast.Name) and made.id in BUILTIN - PROTOCOL and id(node) not in skipped:
            yield node.lineno, made.id


def test_packages_raise_errors_of_the_library(package):
    found = [
        f"{path.relative_to(package.folder)}:{line} {name}"
        for path, tree in package.parsed()
        if not is_allowed(package, path) and package.name != "errors"
        for line, name in bare(tree)
    ]
    assert not found, f"use the classes of facula_errors: {found}"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("raise ValueError('x')", 1),
        ("raise NotImplementedError", 1),
        ("def f(): return KeyError('x')", 1),
        ("raise InvalidValueError('x')", 0),
        ("raise StopIteration", 0),
        ("try: f()\nexcept ValueError: raise", 0),
        ("def __getattr__(name): raise AttributeError(name)", 0),
        ("class A:\n def __getattr__(self, name): raise AttributeError(name)", 1),
    ],
)
def test_the_rule_sees(text, number):
    assert len(set(bare(ast.parse(text)))) == number


def test_every_exception_class_has_the_base(package):
    """Check that a class that derives from a builtin exception derives first from FaculaError or a subclass of it."""
    found = [
        f"{path.relative_to(package.folder)}:{node.lineno} {node.name}"
        for path, tree in package.parsed()
        if not is_allowed(package, path)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and node.name != "FaculaError"
        and any(getattr(base, "id", "") in BUILTIN for base in node.bases)
        and getattr(node.bases[0], "id", "") in BUILTIN
    ]
    assert not found, found


def matched(tree):
    """Return lines that match a regular expression with the message of an error class imported from the library."""
    imported = {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
        if f"{getattr(node, 'module', None) or alias.name}".startswith("facula")
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.raises":
            classes = ast.unparse(node.args[0]).strip("()").split(", ") if node.args else []
            own = {one for one in classes if one.partition(".")[0] in imported} - {"RuntimeFailure"}  # CUDA's messages
            if own and any(keyword.arg == "match" for keyword in node.keywords):
                yield node.lineno


def test_messages_are_checked_by_their_parts(package):
    """Tests use facula_errors.testing.raises, which also requires the operation, and the value or the remedy."""
    folders = [package.folder / "tests", *([ROOT / "integration_tests"] if package.name == "facula" else [])]
    paths = [path for folder in folders for path in folder.rglob("*.py")]
    found = [f"{path}:{line}" for path in paths for line in matched(ast.parse(path.read_text()))]
    assert not found, "use facula_errors.testing.raises: " + ", ".join(found)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("from facula_errors import FileError\npytest.raises(FileError, match='a')", [2]),
        ("import facula.jit\npytest.raises((ValueError, facula.jit.SaveError), match='a')", [2]),
        ("import facula_multiprocessing as mp\npytest.raises(mp.ProcessExitedException, match='a')", [2]),
        ("from facula_errors import FileError\npytest.raises(FileError)", []),
        ("from facula_errors.testing import raises\nraises(FileError, 'a')", []),
        ("from zipfile import BadZipFile\npytest.raises((BadZipFile, ValueError), match='a')", []),
    ],
)
def test_the_rule_for_messages_sees(text, lines):
    assert list(matched(ast.parse(text))) == lines

"""Imports within a package: no cycle, and no import inside a function without a stated reason."""

import ast

import pytest

PACKAGES = ("allocator", "autograd", "errors", "storage")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# Imports of a package's own modules inside functions, each with its reason.
IN_FUNCTIONS: dict[str, str] = {
    "facula_allocator._caching.caching_allocator -> facula_allocator._caching.oom_message": (
        "what is only needed when memory has run out"
    ),
    "facula_allocator._caching.caching_allocator -> facula_allocator._caching.recording": (
        "traces are read and drawn by many modules; few record"
    ),
    "facula_allocator._host.host_statistics -> facula_allocator._reports.snapshot_types": (
        "most processes take no snapshot, but all wait"
    ),
}


def own_imports(name, is_package, source, modules):
    """Return the modules of `modules` that this one imports: (module, whether inside a function)."""
    found = set()

    def visit(node, inside):
        if isinstance(node, ast.ImportFrom):
            above = name.split(".")[: len(name.split(".")) - node.level + is_package] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for one in node.names:
                target = f"{base}.{one.name}" if f"{base}.{one.name}" in modules else base
                if target in modules:
                    found.add((target, inside))
        elif isinstance(node, ast.Import):
            found.update((one.name, inside) for one in node.names if one.name in modules)
        for child in ast.iter_child_nodes(node):
            visit(child, inside or isinstance(node, FUNCTIONS))

    visit(ast.parse(source), False)
    return found - {(name, False), (name, True)}


def circle_in(edges):
    """Return modules that import each other in a cycle, or None, by repeatedly removing modules without imports."""
    left = {name: set(targets) & set(edges) for name, targets in edges.items()}
    while done := [name for name, targets in left.items() if not targets]:
        left = {name: targets - set(done) for name, targets in left.items() if name not in done}
    return sorted(left) or None


def imports_of(root, package):
    source = root / "packages" / package / "src"
    files = {}
    for path in sorted((source / f"facula_{package}").rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        files[".".join(parts[:-1] if is_package else parts)] = (is_package, path.read_text())
    return {name: own_imports(name, *file, files) for name, file in files.items()}


@pytest.mark.parametrize("home", PACKAGES)
def test_no_circle(root, home):
    edges = {name: {target for target, _ in found} for name, found in imports_of(root, home).items()}
    assert circle_in(edges) is None


@pytest.mark.parametrize("home", PACKAGES)
def test_none_in_functions_but_those_with_a_reason(root, home):
    found = {
        f"{name} -> {target}" for name, all_ in imports_of(root, home).items() for target, inside in all_ if inside
    }
    assert found == {name for name in IN_FUNCTIONS if name.startswith(f"facula_{home}.")}


@pytest.mark.parametrize(
    "line", ["from .b import f", "def g():\n    from . import b", "if TYPE_CHECKING:\n    import p.b"]
)
def test_a_circle_would_be_seen(line):
    modules = {"p": "", "p.a": line, "p.b": "from p.a import g"}
    found = {name: own_imports(name, name == "p", text, modules) for name, text in modules.items()}
    assert circle_in({name: {target for target, _ in targets} for name, targets in found.items()}) == ["p.a", "p.b"]
    assert ("p.b", "def" in line) in found["p.a"]

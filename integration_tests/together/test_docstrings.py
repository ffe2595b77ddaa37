"""Public functions with more than two parameters have an `Arguments:` block that names all of them.

Public names are those in the lists `__all__` of the packages and of their public modules: functions, and the public
methods and constructors of classes. "Arguments: those of `name`." may replace a block, and inherited methods need
none: their base documents them. A class documents a constructor that it inherits from a private base. The rules of an
operator's declaration (`vjp_input`) take its operands and the gradient, and need no block.
"""

import ast
import inspect
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: The packages whose docstrings are complete. The others come here when theirs are.
COMPLETE = {"allocator", "autograd", "checkpoint", "cpu", "cuda", "data", "distributed", "distributions", "errors",
            "facula", "jit", "multiprocessing", "nn", "optim", "profiler", "storage", "tensor"}  # fmt: skip

CALLED = ("__init__", "__new__", "__call__")
MOST = 2  # number of parameters that the summary line alone may explain
BLOCK = re.compile(r"^( *)Arguments:\n(?P<lines>(?:\1 +\S.*\n|\n)+)", re.MULTILINE)
ENTRY = re.compile(r"^( *)(?P<names>\*{0,2}\w+(?:, \*{0,2}\w+)*): ", re.MULTILINE)
REFERENCE = re.compile(r"[Aa]rguments(?::| are) those of `([\w.]+)`")
FOLDERS = {path.name: path for path in sorted(ROOT.glob("packages/*/src/*")) if (path / "__init__.py").is_file()}


def package_of(module: str) -> str:
    return module.partition(".")[0].removeprefix("facula_")


@cache
def source_of(module: str) -> ast.Module | None:
    """Return the syntax tree of a facula module, or None."""
    top, *parts = module.split(".")
    if top not in FOLDERS:
        return None
    place = FOLDERS[top].joinpath(*parts)
    for path in (place / "__init__.py", place.with_suffix(".py")):
        if path.is_file():
            return ast.parse(path.read_text())
    return None


def is_module_folder(module: str) -> bool:
    top, *parts = module.split(".")
    return FOLDERS[top].joinpath(*parts, "__init__.py").is_file()


def statements(body):
    """Yield the statements that run, without TYPE_CHECKING blocks and with both branches of other conditions."""
    for one in body:
        if isinstance(one, ast.If):
            test = ast.unparse(one.test)
            taken = [] if test == "TYPE_CHECKING" else one.body
            yield from statements(taken + one.orelse)
        elif isinstance(one, ast.Try):
            yield from statements(one.body)
        else:
            yield one


def is_overload(node) -> bool:
    return any(ast.unparse(decorator).endswith("overload") for decorator in node.decorator_list)


def is_declared_with_signature(node) -> bool:
    """Return whether the public function is generated from this declaration, which supplies parts of its docstring."""
    if isinstance(node, ast.ClassDef):
        return any(isinstance(one, ast.FunctionDef) and one.name == "signature" for one in node.body)
    return any(
        ast.unparse(decorator).startswith(("function(", "maker(", "copied")) for decorator in node.decorator_list
    )


def table(module: str) -> dict:
    """Return the names that a module re-exports by a table, `_NAMES`, with the (module, name) of each."""
    found = {}
    for one in source_of(module).body:
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "_NAMES":
            for place, names in ast.literal_eval(one.value).items():
                for shown, _, path in (name.partition("=") for name in names.split()):
                    found[shown] = (f"{module}.{place}", path or shown)
    return found


@cache
def names_in(module: str) -> dict:
    """Return a module's definitions and imports by name, as AST nodes or (module, name), and its star imports."""
    found, starred = table(module), []
    for one in statements(source_of(module).body):
        if isinstance(one, (ast.FunctionDef, ast.ClassDef)) and not is_overload(one):
            found[one.name] = one
        elif isinstance(one, ast.ImportFrom):
            base = module if is_module_folder(module) else module.rpartition(".")[0]
            for _ in range(one.level - 1):
                base = base.rpartition(".")[0]
            origin = ".".join(filter(None, [base if one.level else "", one.module or ""]))
            for alias in one.names:
                if alias.name == "*":
                    starred.append(origin)
                else:
                    found[alias.asname or alias.name] = (origin, alias.name)
    return {**found, "*": starred}


def find(module: str, name: str):
    """Return the (module, node) that defines a name of a module, or None if no facula file defines it."""
    if source_of(module) is None:
        return None
    names = names_in(module)
    found = names.get(name)
    if isinstance(found, tuple):  # imported, or a module of the same name
        return find(*found) if found != (module, name) else None
    if found is not None:
        top, _, inner = module.partition(".")
        return find(f"{top}._forms.{inner}", name) if is_declared_with_signature(found) else (module, found)
    return next(filter(None, (find(other, name) for other in names["*"])), None)


def listed(module: str) -> list[str]:
    if table(module):
        return [*table(module)]
    for one in source_of(module).body:
        targets = one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AnnAssign) else ()
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            return [text.value for text in ast.walk(one.value) if isinstance(text, ast.Constant)]
    return []


def public_modules(top: str) -> list[str]:
    found = []
    for path in sorted(FOLDERS[top].rglob("*.py")):
        parts = path.relative_to(FOLDERS[top]).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if not any(part.startswith("_") for part in parts):
            found.append(".".join((top, *parts)))
    return found


def members(node: ast.ClassDef) -> dict:
    found = {}
    if any(ast.unparse(decorator) == "layer" for decorator in node.decorator_list):  # annotated fields are parameters
        fields = [one.target.id for one in node.body if isinstance(one, ast.AnnAssign)
                  and not ast.unparse(one.annotation).startswith("ClassVar")]  # fmt: skip
        found["__init__"] = ast.parse(f"def __init__({', '.join(['self', *fields])}): ...").body[0]
    for one in statements(node.body):
        if isinstance(one, ast.FunctionDef) and not is_overload(one):
            found[one.name] = one
    return found


def bases(module: str, node: ast.ClassDef):
    """Return the facula base classes of a class, nearest first: (module, node)."""
    for base in node.bases:
        named = base.value if isinstance(base, ast.Subscript) else base
        found = find(module, named.id) if isinstance(named, ast.Name) else None
        if found is not None and isinstance(found[1], ast.ClassDef):
            yield found
            yield from bases(*found)


def parameters(function: ast.FunctionDef, *, method: bool) -> list[str]:
    """Return the parameters to explain: all except `self`, `out`, `*args` and `**kwargs`."""
    static = any(ast.unparse(decorator) == "staticmethod" for decorator in function.decorator_list)
    given = [each.arg for each in function.args.posonlyargs + function.args.args]
    given = given[1:] if method and not static else given
    given += [each.arg for each in function.args.kwonlyargs]
    return [name for name in given if name != "out" and not name.startswith("_")]


def explained(docstring: str) -> set[str]:
    """Return the names in the `Arguments:` block of a docstring."""
    block = BLOCK.search(docstring + "\n")
    if block is None:
        return set()
    entries = list(ENTRY.finditer(block["lines"]))
    inner = min((len(entry[1]) for entry in entries), default=0)
    return {name.lstrip("*") for entry in entries if len(entry[1]) == inner for name in entry["names"].split(", ")}


def docstring_of(module: str, node: ast.AST) -> str:
    """Return the docstring of a definition. Those of generated functions are completed on import."""
    if "._forms." in module:
        import_module(module.replace("._forms.", "."))  # the declaration
        return inspect.getdoc(getattr(import_module(module), node.name)) or ""
    return ast.get_docstring(node) or ""


def told(module: str, docstring: str, owner: ast.ClassDef | None, seen: frozenset = frozenset()) -> set[str]:
    """Return the parameters that a docstring explains, directly or by reference to another function."""
    found = explained(docstring)
    reference = REFERENCE.search(docstring)
    if reference is None or reference[1] in seen:
        return found
    seen |= {reference[1]}
    *path, name = reference[1].split(".")
    if owner is not None and not path:
        for place, node in [(module, owner), *bases(module, owner)]:
            if name in members(node):
                return found | told(place, docstring_of(place, members(node)[name]), node, seen)
    for place in [".".join(path)] if path else [module]:
        target = find(place, name)
        if target is not None:
            return found | told(target[0], docstring_of(target[0], target[1]), None, seen)
    if path and (target := find(module, path[0]) or find(".".join(path[:-1]), path[-1])) is not None:
        if isinstance(target[1], ast.ClassDef) and name in members(target[1]):
            return found | told(target[0], ast.get_docstring(members(target[1])[name]) or "", target[1], seen)
    return found


def inherited_constructors(module: str, node: ast.ClassDef) -> dict:
    """Return the constructors that a public class inherits from private classes, by name."""
    found = {}
    for _, base in bases(module, node):
        for name in ("__init__", "__new__"):
            if base.name.startswith("_") and name in members(base):
                found.setdefault(name, members(base)[name])
    return found


def missing_in_function(module: str, function: ast.FunctionDef) -> list[str]:
    if any(ast.unparse(decorator).startswith("unary(") for decorator in function.decorator_list):
        return []  # the rule by which an operator is declared, whose docstring the decorator completes
    wanted = parameters(function, method=False)
    if len(wanted) <= MOST:
        return []
    return sorted(set(wanted) - told(module, docstring_of(module, function), None))


def missing_in_class(module: str, node: ast.ClassDef) -> dict[str, list[str]]:
    """Return the unexplained parameters of a class's public methods and constructor, by method."""
    found = {}
    for name, function in {**inherited_constructors(module, node), **members(node)}.items():
        wanted = parameters(function, method=True)
        constructs = name in ("__init__", "__new__")
        if len(wanted) <= MOST or name.startswith("vjp_") or (name.startswith("_") and name not in CALLED):
            continue
        if constructs and node.name.startswith("_"):
            continue  # checked in each derived class
        known = told(module, ast.get_docstring(function) or "", node)
        if constructs:
            known |= told(module, ast.get_docstring(node) or "", node)
        for place, base in bases(module, node):
            if name in members(base):
                known |= told(place, ast.get_docstring(members(base)[name]) or "", base)
            if constructs:
                known |= told(place, ast.get_docstring(base) or "", base)
        if set(wanted) - known:
            found[f"{node.name}.{name}"] = sorted(set(wanted) - known)
    return found


def reached() -> dict:
    """Return the definitions of all public names, once each: (module, name) and the AST node."""
    found = {}
    for top in FOLDERS:
        for module in public_modules(top):
            for name in listed(module):
                place = find(module, name)
                if place is None:
                    continue
                for where, node in [place, *(bases(*place) if isinstance(place[1], ast.ClassDef) else ())]:
                    found[where, node.name] = node
    return found


def unexplained(package: str) -> dict[str, list[str]]:
    found = {}
    for (module, name), node in sorted(reached().items(), key=lambda item: item[0]):
        if package_of(module) != package:
            continue
        gaps = missing_in_class(module, node) if isinstance(node, ast.ClassDef) else {
            name: missing_in_function(module, node)}  # fmt: skip
        found.update({f"{module}.{function}": names for function, names in gaps.items() if names})
    return found


@pytest.mark.parametrize("name", sorted(COMPLETE))
def test_public_functions_explain_their_parameters(name):
    assert unexplained(name) == {}


SAMPLE = '''
def base(a, b, c, *, out=None):
    """The sum.

    Arguments:
        a, b: the first two.
        c: the third: and
            d: no entry, as it is further in.

    Returns:
        e: no entry.
    """

def gap(a, b, d): """Arguments: those of `base`."""
def full(a, b, c): """Arguments: those of `base`."""
def short(a, b): """Two."""
'''


def test_what_is_not_explained_would_be_seen(monkeypatch):
    sample = ast.parse(SAMPLE)
    monkeypatch.setitem(FOLDERS, "sample", ROOT)
    monkeypatch.setitem(globals(), "source_of", lambda module: sample if module == "sample" else None)
    gaps = {one.name: missing_in_function("sample", one) for one in sample.body}
    assert gaps == {"base": [], "gap": ["d"], "full": [], "short": []}
    assert explained(ast.get_docstring(sample.body[0])) == {"a", "b", "c"}


def test_the_public_names_are_found():
    found = reached()
    assert {("facula_autograd._engine.backward", "grad"), ("facula_nn.init", "uniform_"), ("facula.hub", "load")} & set(
        found
    )
    assert len(found) > 700

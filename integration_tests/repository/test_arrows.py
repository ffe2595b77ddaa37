"""Allowed imports between packages: sources, pyproject.toml and the README's diagram agree."""

import ast
import re
import sys
from functools import cache

# Some distributions have another import name.
IMPORTED_AS = {"facula": "facula", "pillow": "PIL", "protobuf": "google", "scikit-learn": "sklearn"}


def requirement_name(requirement):
    return re.match(r"[\w.-]+", requirement)[0].lower()


def module_of(requirement):
    name = requirement_name(requirement)
    return IMPORTED_AS.get(name, name.replace("-", "_"))


def imports(tree):
    """Return imported modules with their names and lines; relative imports are omitted."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, (), node.lineno
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module, tuple(alias.name for alias in node.names), node.lineno


def for_type_checkers(tree):
    """Return the lines under `if TYPE_CHECKING:`, which no program runs."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return {line for node in found for one in node.body for line in range(one.lineno, one.end_lineno + 1)}


def siblings_of(package):
    """Return the siblings that a package's pyproject.toml declares."""
    required = map(requirement_name, package.project.get("dependencies", []))
    return {name.removeprefix("facula-") for name in required if name.startswith("facula-")}


def test_every_import_is_declared(package):
    required = package.project.get("dependencies", [])
    extras = package.project.get("optional-dependencies", {})
    required = [*required, *(one for name, extra in extras.items() if name != "test" for one in extra)]
    if package.name == "facula":  # its examples and command line may use the test extra
        required = [*required, *extras["test"]]
    allowed = {package.module, "__future__", *sys.stdlib_module_names, *map(module_of, required)}
    undeclared = [
        f"{path.relative_to(package.folder)}:{line} imports {module}"
        for path, tree in package.parsed()
        for module, _, line in imports(tree)
        if module.partition(".")[0] not in allowed
        and not (module == "typing_extensions" and line in for_type_checkers(tree))  # type checkers contain it
    ]
    assert not undeclared, undeclared


def test_every_declared_sibling_is_imported(package):
    """Check that no dependency is unused; the facula package requires and pins all siblings."""
    if package.name == "facula":
        return
    used = {module.partition(".")[0] for _, tree in package.parsed() for module, _, _ in imports(tree)}
    unused = {name for name in siblings_of(package) if f"facula_{name}" not in used}
    assert not unused, f"{package.name} declares {unused} and never imports them"


def private(name):
    """Return whether siblings may not import a name; modules in `ops` have public names only in other modules."""
    return name == "ops" or (name.startswith("_") and not name.endswith("__"))


def private_uses(tree, others):
    """Return the private modules and names of other packages that a module imports or names, with lines.

    Arguments:
        tree: the module.
        others: the import names of those packages.
    """
    aliases = {}
    for module, names, line in imports(tree):
        home, *inner = module.split(".")
        if home in others:
            if any(map(private, [*inner, *names])):
                yield module, line
            aliases |= {name: f"{module}.{name}" for name in names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            aliases |= {(a.asname or a.name.partition(".")[0]): a.name for a in node.names}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and private(node.attr):
            module = aliases.get(node.value.id, "")
            if module.partition(".")[0] in others:
                yield f"{module}.{node.attr}", node.lineno
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("import_module", "setattr", "patch"):
            module = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
            if isinstance(module, str) and module.partition(".")[0] in others and any(map(private, module.split("."))):
                yield module, node.lineno


def test_no_private_name_of_a_sibling_is_used(package, packages):
    """Check that siblings, and their tests, use only public names and `extend`."""
    others = {other.module for other in packages} - {package.module}
    tests = [(path, ast.parse(path.read_text())) for path in sorted((package.folder / "tests").rglob("*.py"))]
    found = [
        f"{path.relative_to(package.folder)}:{line} uses {module}"
        for path, tree in [*package.parsed(), *tests]
        for module, line in private_uses(tree, others)
    ]
    assert not found, found


# Private modules and names that tests of all packages together may use, with the reason.
FOR_TESTS = {
    ("captures/test_events.py", "facula_jit._guards.events.MAX_WAIT"): "shortens a wait of several seconds",
    ("conformance/test_names.py", "facula._lookup"): "reads the rows of the table of PyTorch's names",
    ("together/cuda_plugin.py", "facula_cuda._backend"): "lets planners decline, to collect the kernels of all tests",
    ("together/cuda_plugin.py", "facula_cuda._planners"): "collects the kernels of all tests",
    ("together/cuda_plugin.py", "facula_cuda._planners.launches"): "compiles the kernels of all tests together",
    ("together/cuda_plugin.py", "facula_cuda.testing.build._compiled"): "counts the kernels that are compiled alone",
    ("together/cuda_training.py", "facula_cuda._planners"): "trains without kernels, on copies for the CPU",
    ("together/model_files.py", "facula_jit._replay.portable_program"): "writes the members that the C library runs",
    ("together/test_adding.py", "facula_tensor._dispatch.operator"): "compares a page with the keys of declarations",
    ("together/test_face.py", "facula._lookup.places"): "lists the public modules that are rows of a table",
    ("together/test_graph_file_samples.py", "facula_tensor.testing._operands"): "runs the samples of all operators",
    ("together/test_library_functions.py", "facula_jit._guards"): "compares its tables with all public functions",
    ("together/test_onnx_samples.py", "facula_tensor.testing._operands"): "runs the samples of all operators",
    ("together/test_pickled_names.py", "facula._lookup.places"): "lists the public modules that are rows of a table",
    ("together/test_pickled_names.py", "facula_nn._modules.older_hooks"): "makes the objects of an older pickle",
    ("together/test_pickled_names.py", "facula_tensor.ops.convolution_1d"): "a module name in older pickles",
    ("together/test_pickled_names.py", "facula_tensor.ops.never_there"): "a module that never existed",
    ("together/test_without_python.py", "facula_jit._replay.portable_program"): "compares its errors",
}


def test_private_names_in_tests_of_all_packages_are_declared(root, packages):
    """Check integration tests, benchmarks and examples; each declared use must exist."""
    modules = {package.module for package in packages}
    found = {
        (path.relative_to(folder).as_posix(), module)
        for folder in (root / "integration_tests", root / "benchmarks", root / "examples")
        for path in sorted(folder.rglob("*.py"))
        for module, _ in private_uses(ast.parse(path.read_text()), modules)
    }
    assert found == FOR_TESTS.keys()


def test_private_uses_are_found():
    """Check each form, and that public names and those of other packages pass."""
    text = """
import facula_a, facula_b as b, numpy
from facula_a._inner import x
from facula_a.outer import _y, z
from facula_a.ops.sums import v
b._w, z._v, facula_a.extend, numpy._core
importlib.import_module("facula_a._inner")
monkeypatch.setattr("facula_a.outer._y", 1)
monkeypatch.setattr("facula_a.outer.y", 1)
"""
    found = list(private_uses(ast.parse(text), {"facula_a", "facula_b"}))
    assert sorted(line for _, line in found) == [3, 4, 5, 6, 6, 7, 8]


# Methods and fields of Python's named tuples and syntax trees, which many classes have.
PYTHONS = {"_asdict", "_field_defaults", "_fields", "_make", "_replace"}


# Functions whose arguments may be an attribute's name.
ACCESSES = {"getattr", "setattr", "hasattr", "delattr", "__setattr__", "attrgetter", "methodcaller"}


def defined_in(statements):
    """Return the names that statements of a class or module define, those in `if` statements included."""
    for node in statements:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.If):
            yield from defined_in([*node.body, *node.orelse])
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and target.id == "__slots__":
                    yield from (one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant))
                yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name))


class Attributes(ast.NodeVisitor):
    """The private attributes in a package: of its classes, with other names of its modules, and uses of any.

    Arguments:
        parsed: pairs of a path and a syntax tree.
    """

    def __init__(self, parsed):
        self.of_classes, self.of_modules, self.used = set(), set(), []
        for self.path, tree in parsed:
            self.of_modules |= set(defined_in(tree.body))
            self.visit(tree)

    def visit_ClassDef(self, node):
        self.of_classes |= set(defined_in(node.body))
        self.generic_visit(node)

    def visit_Attribute(self, node):
        if private(node.attr):
            if (
                isinstance(node.ctx, ast.Store)
                and isinstance(node.value, ast.Name)
                and node.value.id in ("self", "cls")
            ):
                self.of_classes.add(node.attr)
            self.use(node.attr, node)
        self.generic_visit(node)

    def visit_Call(self, node):
        if getattr(node.func, "attr", getattr(node.func, "id", "")) in ACCESSES:
            for one in node.args:
                if isinstance(one, ast.Constant) and isinstance(one.value, str) and private(one.value):
                    self.use(one.value, node)
        self.generic_visit(node)

    def use(self, name, node):
        if name not in PYTHONS:
            self.used.append((name, self.path, node.lineno))


@cache
def attributes(package):
    return Attributes(package.parsed())


@cache
def declared_attributes(package):
    """Return the `SIBLING_ATTRIBUTES` of a package's `extend`: a sentence on each."""
    found = {}
    for path in [*package.root.glob("extend.py"), *package.root.glob("extend/*.py")]:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SIBLING_ATTRIBUTES":
                found |= ast.literal_eval(node.value)
    return found


def siblings_below(package, packages):
    """Return the packages that a package's objects may come from: its dependencies, and theirs."""
    by_name = {one.name: one for one in packages}
    found, todo = set(), [package.name]
    for name in todo:
        todo += [one for one in siblings_of(by_name[name]) - found if one in by_name]
        found |= siblings_of(by_name[name])
    return [by_name[name] for name in sorted(found)]


def foreign(own, siblings):
    """Return the private attributes in a package that only classes of siblings define: name, path, line, siblings.

    An attribute with a name that the package defines, too, passes.
    """
    for name, path, line in own.used:
        owners = [sibling for sibling in siblings if name in attributes(sibling).of_classes]
        if owners and name not in own.of_classes | own.of_modules:
            yield name, path, line, owners


def test_private_attributes_of_siblings_are_declared(package, packages):
    """Check that attributes of a sibling's objects are public, or in `SIBLING_ATTRIBUTES` of its `extend`."""
    found = [
        f"{path.relative_to(package.folder)}:{line} {name} of {owners}"
        for name, path, line, owners in foreign(attributes(package), siblings_below(package, packages))
        if not any(name in declared_attributes(owner) for owner in owners)
    ]
    assert not found, found


def test_each_declared_attribute_is_used(package, packages):
    """Check that a package declares attributes of its own that a sibling uses, each with a sentence on its meaning."""
    above = [one for one in packages if package in siblings_below(one, packages)]
    used = {name for one in above for name, _, _ in attributes(one).used}
    declared = declared_attributes(package)
    assert declared.keys() <= used & attributes(package).of_classes, f"{package.name}: not used, or not defined"
    assert all(len(text.split()) > 4 for text in declared.values())


def test_foreign_attributes_are_found(packages):
    """Check both forms of access, attributes that the package defines, and attributes that no sibling has."""
    siblings = [one for one in packages if one.name == "tensor"]
    text = "class A:\n    _own = 1\nx._own\nx._storage\ngetattr(x, '_layout')\nx._nothing\nx._replace(a=1)"
    found = foreign(Attributes([("", ast.parse(text))]), siblings)
    assert [(name, line) for name, _, line, _ in found] == [("_storage", 4), ("_layout", 5)]


def test_the_readme_diagram_shows_the_declared_arrows(root, packages):
    """Check that each `a --> b` of the README's diagram is a dependency, and that each dependency is drawn."""
    diagram = re.search(r"^```mermaid\n(.*?)^```", (root / "README.md").read_text(), re.MULTILINE | re.DOTALL)[1]
    drawn = {tuple(edge) for edge in re.findall(r"^\s*(\w+) --> (\w+)$", diagram, re.MULTILINE)}
    declared = {(package.name, sibling) for package in packages for sibling in siblings_of(package)}
    begun = {package.name for package in packages}
    assert {edge for edge in drawn if begun.issuperset(edge)} == declared


def test_the_diagram_has_no_cycle(packages):
    arrows = {package.name: siblings_of(package) for package in packages}
    placed: set[str] = set()
    while len(placed) < len(arrows):
        free = {name for name, below in arrows.items() if name not in placed and below & arrows.keys() <= placed}
        assert free, f"a cycle among {arrows.keys() - placed}"
        placed |= free


def test_the_face_pins_its_siblings_exactly(packages):
    for package in packages:
        for requirement in package.project.get("dependencies", []):
            if not requirement.startswith("facula-"):
                continue
            sibling = next(p for p in packages if p.project["name"] == requirement_name(requirement))
            version = sibling.project["version"]
            if package.name == "facula":
                assert requirement.replace(" ", "") == f"{sibling.project['name']}=={version}"
            else:
                assert "==" not in requirement, f"{package.name} pins {requirement}; only the face may"

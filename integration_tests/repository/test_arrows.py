"""Allowed imports between packages: sources, pyproject.toml and the README's diagram agree."""

import ast
import re
import sys

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
    return name.startswith("_") and not name.endswith("__")


def test_no_private_name_of_a_sibling_is_used(package, packages):
    """Check that siblings use only public names and extend.py."""
    others = {other.module for other in packages} - {package.module}
    found = []
    for path, tree in package.parsed():
        aliases = {}
        for module, names, line in imports(tree):
            home, *inner = module.split(".")
            if home in others and (any(map(private, inner)) or any(map(private, names))):
                found.append(f"{path.relative_to(package.folder)}:{line} imports from {module}: {', '.join(names)}")
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                aliases |= {(a.asname or a.name.partition(".")[0]): a.name for a in node.names}
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and private(node.attr):
                if aliases.get(node.value.id, "").partition(".")[0] in others:
                    found.append(f"{path.relative_to(package.folder)}:{node.lineno} {node.value.id}.{node.attr}")
    assert not found, found


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

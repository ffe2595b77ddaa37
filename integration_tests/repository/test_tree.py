"""The file tree: required and forbidden files, and how files begin."""

import ast
import re

import pytest

TOP_LEVEL = {
    ".ci",
    ".github",
    ".gitignore",
    ".pre-commit-config.yaml",
    "CITATION.cff",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "benchmarks",
    "docs",
    "examples",
    "integration_tests",
    "noxfile.py",
    "packages",
    "pyproject.toml",
}
# Home and scratch folders of a developer's machine, and addresses of package servers.
MACHINE_PATH = re.compile(r"(?<![\w.~])/(?:home|root|work|Users|mnt|opt|scratch)/[\w.]")
REGISTRY = re.compile(r"https?://[\w.:/-]*(?:pypi|pythonhosted|artifact|nexus|mirror|proxy)[\w.:/-]*", re.IGNORECASE)
LONGEST = 800


def texts(root, files):
    for path in files:
        try:
            yield path, (root / path).read_text()
        except UnicodeDecodeError:
            assert path.suffix in {".png", ".npz", ".facula", ".pt", ".ckpt"}, f"{path} is neither text nor a picture"


def test_the_top_level_holds_only_what_tools_need(files):
    assert {path.parts[0] for path in files} <= TOP_LEVEL


@pytest.mark.parametrize("pattern", [MACHINE_PATH, REGISTRY], ids=["machine paths", "registries"])
def test_nothing_names_one_machine_or_network(root, files, pattern):
    found = [
        f"{path}:{number}: {line.strip()[:100]}"
        for path, text in texts(root, files)
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, found


@pytest.mark.parametrize("planted", ["see /{}/someone/notes", "open('/{}/.cache/x')"])
def test_a_machine_path_would_be_seen(planted):
    assert MACHINE_PATH.search(planted.format("home"))


def test_no_file_is_too_long(files, root):
    """Check the limit of 800 lines; lists of answers in JSON and generated stubs are exempt."""
    long = [
        f"{path} ({text.count(chr(10))} lines)"
        for path, text in texts(root, files)
        if path.suffix not in (".json", ".pyi") and text.count("\n") > LONGEST
    ]
    assert not long, long


def test_nothing_runs_text(packages):
    """Check that no `exec`, `eval` or `compile` of text is used: every line that runs is in a source file.

    The code that splits a captured function compiles syntax trees of the program's lines; `facula.compile` captures.
    """
    found = [
        f"{path.relative_to(package.folder)}:{node.lineno}"
        for package in packages
        for path, tree in package.parsed()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"exec", "eval", "compile"}
        and not (path.name in ("function_ast.py", "compiler.py") and node.func.id == "compile")
    ]
    assert not found, found


@pytest.mark.parametrize("name", ["pyproject.toml", "README.md", "CHANGELOG.md", "tests/conftest.py"])
def test_each_package_has(package, name):
    assert (package.folder / name).is_file()


def test_each_package_is_typed_and_named_after_its_folder(package):
    expected = "facula" if package.name == "facula" else f"facula_{package.name}"
    assert package.module == expected
    assert (package.root / "py.typed").is_file()


def test_each_package_says_first_what_it_is(package):
    """Check that `__init__` opens with at most ten lines: purpose, allowed imports, and the next module to read."""
    tree = ast.parse((package.root / "__init__.py").read_text())
    opening = tree.body[0]
    assert isinstance(opening, ast.Expr), f"{package.module}/__init__.py does not open with a docstring"
    assert opening.end_lineno <= 10
    assert "import" in ast.get_docstring(tree), "say what it may import"


def test_a_version_said_twice_is_said_alike(package):
    tree = ast.parse((package.root / "__init__.py").read_text())
    versions = [
        node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "__version__"
    ]
    assert set(versions) <= {package.project["version"]}


HOME = "https://github.com/facula/facula/"


def test_each_packages_urls_lead_into_the_tree(package, root):
    """Check that URLs in the wheel's metadata point to pages and folders of the tree."""
    urls = package.project["urls"]
    assert urls.keys() == {"Documentation", "Changelog", "Source"}
    for kind, url in urls.items():
        found = re.fullmatch(re.escape(HOME) + r"(blob|tree)/main/(.+)", url)
        assert found, f"{kind}: {url}"
        target = root / found[2]
        assert target.is_dir() if found[1] == "tree" else target.is_file(), f"{kind}: {url}"
        assert found[2] == f"docs/packages/{package.name}.md" or package.folder in (target, target.parent), (
            f"{kind}: {url}"
        )


def listed(path):
    """Return the names in `__all__` of a file or of its stub; none without a file or a list."""
    path = path.with_suffix(".pyi") if path.with_suffix(".pyi").is_file() else path
    if not path.is_file():
        return set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def test_a_name_is_public_or_for_siblings_never_both(package):
    files = [package.root / "extend.py", *package.root.glob("extend/*.py")]
    both = listed(package.root / "__init__.py") & set().union(*map(listed, files))
    assert not both, f"{package.module}: in __all__ and in extend.__all__: {sorted(both)}"


def test_news_are_sentences_for_the_changelog(package):
    """A release adds these sentences to CHANGELOG.md as list items; see docs/how-to/releasing.md."""
    for path in sorted((package.folder / "changes").glob("*")):
        text = path.read_text()
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]*\.md", path.name), f"{path}: name it after its subject"
        assert re.fullmatch(r"[^\s#*-].*\.\n", text, re.DOTALL), f"{path}: expected sentences, and no list or heading"
        assert max(map(len, text.splitlines())) <= 118, f"{path}: lines of at most 118 characters"

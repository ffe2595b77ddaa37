"""Code in documentation runs: doctests of every module, and the Python blocks of the README."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from importlib import metadata

import pytest

FENCED = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules_of(module_name):
    """Return the package's modules, public ones first, without programs, which run on import."""
    root = importlib.import_module(module_name)
    yield root
    names = [found.name for found in pkgutil.walk_packages(root.__path__, prefix=f"{module_name}.")]
    for name in sorted(names, key=lambda name: "._" in name):
        if not name.endswith(("__main__", ".as_torch")):
            yield importlib.import_module(name)


def test_doctests(module_name):
    """Check examples under each object's `__module__`: the public module, which may load a function lazily."""
    attempted = 0
    failures = []
    modules = list(modules_of(module_name))
    for module in modules:
        for name in getattr(module, "__all__", ()):
            getattr(module, name)
    for module in modules:
        results = doctest.testmod(module, optionflags=FLAGS)
        attempted += results.attempted
        if results.failed:
            failures.append(f"{module.__name__}: {results.failed} of {results.attempted}")
    assert not failures, failures
    assert attempted, f"{module_name} shows no example in any docstring"


def test_the_readme_says_what_it_is_for_and_shows_it(place, project):
    text = (place / "README.md").read_text()
    assert text.startswith(f"# {project['name']}\n")
    assert FENCED.search(text), "README.md has no ```python example"


def test_the_readme_runs(place, tmp_path):
    """Run all blocks of one README, in order, as one program."""
    blocks = FENCED.findall((place / "README.md").read_text())
    if any(block.startswith(">>>") for block in blocks):
        plain = "\n".join(block for block in blocks if block.startswith(">>>"))
        parsed = doctest.DocTestParser().get_doctest(plain, {}, "README.md", "README.md", 0)
        results = doctest.DocTestRunner(optionflags=FLAGS).run(parsed)
        assert not results.failed
    program = "\n".join(block for block in blocks if not block.startswith(">>>"))
    if program.strip():
        (tmp_path / "readme.py").write_text(program)
        done = subprocess.run([sys.executable, "readme.py"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_no_readme_installs_from_an_index(place):
    """Check this because the names are not registered: `pip install facula-…` would install a stranger's package."""
    bare = re.search(r"pip install (?:-\S+ )*facula", (place / "README.md").read_text())
    assert bare is None, bare[0]


def test_the_changelog_knows_the_version(place, project):
    assert re.search(rf"^## \[?{re.escape(project['version'])}\b", (place / "CHANGELOG.md").read_text(), re.MULTILINE)


@pytest.mark.parametrize("field", ["description", "license", "readme", "requires-python", "version"])
def test_the_project_table_is_complete(project, field):
    assert project[field]


def test_the_wheel_says_where_its_pages_are(project):
    """Check the URLs that an index or a package manager shows for the package."""
    written = metadata.metadata(project["name"]).get_all("Project-URL") or []
    urls = dict(line.split(", ", 1) for line in written)
    assert urls == project["urls"]
    assert {"Documentation", "Changelog", "Source"} <= urls.keys()


def test_every_requirement_has_a_floor_and_a_cap(project):
    """Check that ranges have tested ends; only the facula package pins its siblings exactly."""
    listed = project.get("dependencies", []) + project.get("optional-dependencies", {}).get("test", [])
    for requirement in listed:
        exact = project["name"] == "facula" and requirement.startswith("facula-")
        expected = r"==\d" if exact else r">=[\d.]+,<\d"
        assert re.search(expected, requirement.replace(" ", "")), requirement

"""The environment contains exactly the package's declared dependencies, installed from dist/."""

import importlib.util
import json
import sys
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlsplit


def test_no_undeclared_sibling_is_installed(installed_siblings, declared_siblings):
    assert installed_siblings == declared_siblings


def wheel_of(name: str) -> Path:
    """Return the file or URL from which pip installed a distribution."""
    written = metadata.distribution(name).read_text("direct_url.json")
    assert written, f"{name} came from an index; expected a wheel of dist/"
    return Path(unquote(urlsplit(json.loads(written)["url"]).path))


def test_no_undeclared_sibling_can_be_imported(project, declared_siblings):
    """Check importing, since a list of distributions does not show sources in the tests' folder."""
    constraints = wheel_of(project["name"]).with_name("constraints.txt").read_text().splitlines()
    siblings = [line.partition(" @ ")[0] for line in constraints]
    assert project["name"] in siblings
    importable = {name for name in siblings if importlib.util.find_spec(name.replace("-", "_"))}
    assert importable == declared_siblings


def test_siblings_are_wheels_built_here(installed_siblings):
    for name in sorted(installed_siblings):
        wheel = wheel_of(name)
        assert wheel.parent.name == "dist", wheel
        assert f"{name} @ {wheel.as_uri()}" in wheel.with_name("constraints.txt").read_text().splitlines()


def test_modules_come_from_the_environment(module_name):
    spec = importlib.util.find_spec(module_name)
    assert spec.origin.startswith(sys.prefix)
    assert Path(spec.origin).with_name("py.typed").is_file()

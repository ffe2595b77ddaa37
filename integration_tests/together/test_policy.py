"""`.ci/policy.py`: public names change only with news. The lists are those of the last release."""

import subprocess
import sys

import pytest

BEFORE = {"some": {"kept": "(x)", "changed": "(x)", "removed": "", "Class.method": "(self)"}}
NOW = {"some": {"kept": "(x)", "changed": "(x, y)", "new": "()"}}


@pytest.fixture(scope="module")
def policy(root, load_script):
    return load_script(root / ".ci" / "policy.py")


def test_changed_names_are_in_the_news(root):
    """Write the fragment that the message asks for. At a release: python .ci/policy.py write NAME."""
    done = subprocess.run([sys.executable, root / ".ci" / "policy.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_each_package_has_a_list(policy, root):
    assert {path.stem for path in policy.LISTS.glob("*")} == {path.name for path in (root / "packages").glob("*")}


def test_what_was_changed_or_removed_needs_a_fragment(policy):
    found = policy.unexplained(BEFORE, NOW, ["`kept` is faster, and `remove` is new."])
    assert found == ["some.changed(x): now (x, y)", "some.removed: removed", "some.Class.method(self): removed"]
    assert not policy.unexplained(BEFORE, NOW, ["`changed(x, y)`", "`removed`: use `kept`, and no `Class.method`."])
    assert policy.unexplained({"gone": {"f": "()"}}, {}, []) == ["gone.f(): removed"]


def test_names_of_a_package(policy):
    names = policy.public_names("facula_errors")["facula_errors"]
    assert names["full_traceback"] == "(enabled=True)"
    assert "FaculaError" in names and not any(name.startswith("_") for name in names)

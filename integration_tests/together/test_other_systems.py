"""Pure-Python packages that need no compiled one import on other systems: docs/explanation/platforms.md."""

import re
import subprocess
import sys
import tomllib

import pytest

# What Windows lacks: modules of the standard library, and functions of `os`.
WITHOUT = """
import os, sys
for name in ("fcntl", "grp", "pwd", "resource", "termios", "_posixsubprocess", "_posixshmem"):
    sys.modules[name] = None
for name in ("fork", "register_at_fork", "sched_getaffinity", "memfd_create", "pread", "killpg", "getuid"):
    delattr(os, name)
"""
SYSTEMS = {
    "macOS": "import os, sys; sys.platform = 'darwin'; del os.sched_getaffinity, os.memfd_create",
    "Windows": WITHOUT,
}


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("package", ["errors", "autograd", "data"])
def test_a_package_imports(package, system):
    script = (
        f"import numpy\n{SYSTEMS[system]}\nimport facula_{package} as one; [getattr(one, name) for name in one.__all__]"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_page_lists_packages_with_c_code_and_without(root):
    needed, compiled = {}, set()
    for path in root.glob("packages/*/pyproject.toml"):
        lines = tomllib.loads(path.read_text())["project"]["dependencies"]
        needed[path.parent.name] = set(re.findall(r"facula-(\w+)", " ".join(lines)))
        if (path.parent / "setup.py").exists():
            compiled.add(path.parent.name)
    pure = set(needed) - compiled
    while reduced := {name for name in pure if needed[name] - pure}:
        pure -= reduced
    page = (root / "docs/explanation/platforms.md").read_text()
    four, others = page.partition("Four of them")[2].split("\n\n")[:2]
    assert set(re.findall(r"facula-(\w+)", four)) == pure
    assert set(re.findall(r"facula-(\w+)", others)) == compiled

"""The commands of README.md and CONTRIBUTING.md run on a copy of the tree.

The command that runs the tests is that of `.ci/run`: only its installation runs here, since it would run itself.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".hypothesis", ".nox", ".venv", "results", "build", "__pycache__", "*.so", "*.egg-info", ".*_cache"
)


def command_blocks(root):
    """Return the README's blocks without a language, which contain shell commands."""
    return typed_blocks(root / "README.md")


def typed_blocks(page):
    return [body for language, body in FENCE.findall(page.read_text()) if not language]


@pytest.fixture(scope="module")
def copy(root, tmp_path_factory):
    """Return a copy of the tree, with the wheels so that they are not built a second time."""
    target = tmp_path_factory.mktemp("reader") / "facula"
    shutil.copytree(root, target, ignore=LEFT_OUT)
    if "FACULA_OBJECTS" in os.environ:  # the contributor's commands reuse the compiled kernels of this tree from here
        (target / ".nox").mkdir()
        (target / ".nox" / "objects").symlink_to(os.environ["FACULA_OBJECTS"])
    return target


def type_in(folder, block):
    """Run a block in a shell without the environment of these tests."""
    hidden = ("VIRTUAL_ENV", "PYTHON", "NOX", "PYTEST", "HYPOTHESIS", "FACULA")
    env = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    if "FACULA_OBJECTS" in os.environ:
        env["FACULA_OBJECTS"] = os.environ["FACULA_OBJECTS"]  # reuses the compiled kernels of the wheels
    if "VIRTUAL_ENV" in os.environ:
        inside = os.path.join(os.environ["VIRTUAL_ENV"], "bin")
        env["PATH"] = os.pathsep.join(part for part in env["PATH"].split(os.pathsep) if part != inside)
    command = ["bash", "-euo", "pipefail", "-c", block]
    return subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def test_the_first_command_trains(root, copy):
    """Run it from the sources, without wheels; it saves the network and plots it."""
    done = type_in(copy, command_blocks(root)[0])
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "digits/s" in done.stderr, "the progress bar shows the throughput"
    accuracy = float(re.findall(r"accuracy (\d+\.\d+) ?%", done.stdout)[-1])
    assert 98.0 <= accuracy <= 100.0
    assert (copy / "digits.png").read_bytes().startswith(b"\x89PNG")
    assert type_in(copy, done.stdout.splitlines()[-1]).stdout.count("read as") == 1, "the command that it prints"


def test_the_other_commands_run(root, copy):
    """Run them in the folder with the first command's .venv; that of the tests only installs nox."""
    _, *blocks = command_blocks(root)
    (tests,) = (block for block in blocks if block.strip().endswith("nox -s tests"))
    others = [block for block in blocks if block != tests]
    assert others
    for block in (tests.rpartition(" && ")[0], *others):
        done = type_in(copy, block)
        assert done.returncode == 0, block + done.stdout[-3000:] + done.stderr[-3000:]
        assert "dist/: built nothing" in done.stdout + done.stderr or "nox -s build" not in block


def test_the_contributors_lines_run(root, copy):
    """Run them in a fresh environment, as one script: editable installs, a package's tests, kernels built in place."""
    install, kernels = typed_blocks(root / "CONTRIBUTING.md")
    shutil.rmtree(copy / ".venv", ignore_errors=True)
    done = type_in(copy, install + kernels)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert re.search(r"\b\d+ passed", done.stdout)
    script = "import facula, facula_cpu; print(facula.__file__, facula_cpu.level(), facula.ones(2).sum().item())"
    done = type_in(copy, f".venv/bin/python -c '{script}'")
    assert done.stdout.startswith(f"{copy}/packages/facula/src/") and done.stdout.endswith(" 2.0\n"), done.stderr


def test_the_readmes_program_runs(root, tmp_path):
    """Run all its Python blocks, in order, as one program, outside the tree."""
    blocks = [body for language, body in FENCE.findall((root / "README.md").read_text()) if language == "python"]
    assert blocks
    (tmp_path / "readme.py").write_text("\n".join(blocks))
    done = subprocess.run([sys.executable, "readme.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

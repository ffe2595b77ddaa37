"""Plant each defect of `defects/` into the installed packages, and run the test that has to find it.

`nox -s planted` runs this on the built wheels; `-- -k tensor` selects the defects whose package, file, test or kind
contains that text. A defect in Python is written into site-packages, one in C or setup.py into a copy of the package,
which is built and installed in place of the wheel. The installed package is restored afterwards, also after an
interrupt. Defects of files outside the packages are written into these files, which are restored, too.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SITE_PACKAGES = Path(sysconfig.get_paths()["purelib"])
MAX_SECONDS = 300  # for one test with one defect: a test that hangs has not found the defect
BUILT = shutil.ignore_patterns("build", "tests", "*.egg-info", "__pycache__", "*.so", "*.o")
TREE = "tree"
PASSED, FAILED = 0, 1  # exit codes of pytest


class Defect(NamedTuple):
    """One row of a table: `old` becomes `new` in a file of a package, and `test` must fail.

    `file` is relative to the package's folder, as is `test`, unless it is one of integration_tests/. The package
    "tree" is the repository: its files are changed in place, and restored.
    """

    package: str
    file: str
    old: str
    new: str
    test: str
    kind: str

    @property
    def source(self) -> Path:
        """The file in the repository."""
        return (ROOT if self.package == TREE else ROOT / "packages" / self.package) / self.file

    @property
    def test_folder(self) -> Path:
        """The folder to which the test's path is relative."""
        return ROOT if self.test.startswith("integration_tests/") else ROOT / "packages" / self.package


def load() -> list[Defect]:
    """Return all rows of the tables in `defects/`, named after their packages."""
    rows = []
    for path in sorted(Path(__file__).parent.glob("defects/*.py")):
        spec = importlib.util.spec_from_file_location(f"defects_{path.stem}", path)
        assert spec is not None and spec.loader is not None
        table = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(table)
        rows += [Defect(path.stem, *row) for row in table.DEFECTS]
    return rows


def replaced(defect: Defect, path: Path) -> str:
    """Return a file's text with the defect."""
    text = path.read_text()
    if text.count(defect.old) != 1:
        raise SystemExit(f"{path}: expected the old text once; got it {text.count(defect.old)} times:\n{defect.old}")
    return text.replace(defect.old, defect.new)


@contextmanager
def in_file(defect: Defect, folder: Path = SITE_PACKAGES) -> Iterator[None]:
    """Put the defect into a file, by default an installed one. Its time is restored, too: bytecode stays valid."""
    path = folder / defect.file.removeprefix("src/")
    text, before, status = replaced(defect, path), path.read_bytes(), path.stat()
    try:
        path.write_text(text)
        yield
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@contextmanager
def in_build(defect: Defect) -> Iterator[None]:
    """Build the package with the defect. With FACULA_OBJECTS only the changed files are compiled."""
    (wheel,) = ROOT.glob(f"dist/facula_{defect.package}-[0-9]*.whl")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, defect.package)
        shutil.copytree(ROOT / "packages" / defect.package, copy, ignore=BUILT)
        (copy / defect.file).write_text(replaced(defect, copy / defect.file))
        try:
            pip_install("--no-build-isolation", str(copy))
            yield
        finally:
            pip_install(str(wheel))


def pip_install(*arguments: str) -> None:
    """Install over the installed package, without dependencies."""
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", *arguments]
    subprocess.run(command, check=True)


def run_tests(folder: Path, tests: list[str], **env: str) -> tuple[int | None, str]:
    """Return pytest's exit code, or None after a timeout, and its output.

    PYTHONPATH is removed: sources on it would be tested instead of the installed packages.
    """
    settings = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={ROOT}"]
    command = [sys.executable, "-m", "pytest", *settings, "-x", "-q", *tests]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    env = {**{name: value for name, value in os.environ.items() if name != "PYTHONPATH"}, **env}
    process = subprocess.Popen(command, cwd=folder, env=env, start_new_session=True, **pipes)
    try:
        output, _ = process.communicate(timeout=MAX_SECONDS * (len(tests) or 1))
        return process.returncode, output
    except subprocess.TimeoutExpired:
        return None, ""
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)  # including its workers
            process.communicate()


def check_environment(packages: list[str]) -> None:
    """Refuse an environment with other packages than the wheels in dist/: development installs are not changed."""
    for package in packages:
        name = package if package == "facula" else f"facula-{package}"
        try:
            source = json.loads(metadata.distribution(name).read_text("direct_url.json") or "{}").get("url", "")
        except metadata.PackageNotFoundError:
            source = "nothing"
        if not source.startswith((ROOT / "dist").as_uri() + "/"):
            raise SystemExit(f"{sys.prefix}: expected {name} from a wheel in dist/; got {source}; run nox -s planted")


def check_unpatched(defects: list[Defect]) -> None:
    """Check that all named tests pass without a defect; one run for each folder, as test files may share a name."""
    by_folder: dict[Path, list[str]] = {}
    for defect in defects:
        by_folder.setdefault(defect.test_folder, []).append(defect.test)
    for folder, tests in by_folder.items():
        code, output = run_tests(folder, list(dict.fromkeys(tests)))
        if code != PASSED:
            raise SystemExit(f"{output}\n{folder.name}: expected the tests to pass without a defect; exit code {code}")
        print(f"{folder.name}: {output.splitlines()[-1]}", flush=True)


def outcome_of(defect: Defect) -> str:
    """Return "found", or a description of the failure."""
    is_python = defect.file.startswith("src/") and defect.file.endswith(".py")
    with in_file(defect, ROOT) if defect.package == TREE else in_file(defect) if is_python else in_build(defect):
        # Bytecode with the defect must not remain.
        code, output = run_tests(defect.test_folder, [defect.test], PYTHONDONTWRITEBYTECODE="1")
    if code == FAILED:
        return "found"
    print(output, flush=True)
    return "SURVIVED" if code == PASSED else "TOO LONG" if code is None else f"EXIT CODE {code}"


def main(arguments: list[str] | None = None) -> int:
    """Plant the defects one after the other; return 1 if one was not found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", metavar="TEXT", default="", help="only defects whose package, file, test or kind has it")
    text = parser.parse_args(arguments).k.lower()
    defects = [one for one in load() if any(text in part.lower() for part in (*one[:2], *one[4:]))]
    if not defects:
        parser.error(f"-k {text}: no defect has this text")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # so that the installed file is restored
    check_environment(sorted({one.package for one in load()} - {TREE}))
    check_unpatched(defects)
    rows = []
    for defect in defects:
        start = time.monotonic()
        outcome = outcome_of(defect)
        row = f"{outcome:12}  {defect.package:15}  {time.monotonic() - start:5.0f} s  {defect.kind}"
        print(row, flush=True)
        rows.append((outcome, f"{row}\n{'':14}{defect.file}: {defect.test}"))
    print("\n" + "\n".join(row for _, row in rows))
    found = sum(outcome == "found" for outcome, _ in rows)
    print(f"\n{len(rows)} defects planted, {found} found")
    return found != len(rows)


if __name__ == "__main__":
    sys.exit(main())

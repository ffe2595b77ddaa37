"""What the sessions of nox share: the packages' metadata, their wheels, and how tests run on them."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
CONSTRAINTS = DIST / "constraints.txt"
RESULTS = ROOT / ".nox" / "results"
# Compiled kernels, for the builds of all sessions and for development installs; see packages/cpu/setup.py.
OBJECTS = os.environ.get("FACULA_OBJECTS", str(ROOT / ".nox" / "objects"))
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")  # derandomised, 25 examples: each package's tests/conftest.py
PACKAGES = sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))
INTERPRETERS = ("3.11", "3.12", "3.13")  # each needs other code to observe reads of a program
EINOPS = "einops>=0.8,<1"  # accepts tensors of the face
TEST_TOOLS = ("pytest>=8,<10", "hypothesis>=6.100,<7")
SCHEMAS = "check-jsonschema>=0.39,<1"  # contains schemas of the files that services read
LIBRARIES = ROOT / "integration_tests" / "libraries"
# Where other packages are installed, too, cuda lacks only NVRTC (90 MB), which only its own tests need.
WITHOUT_DEPENDENCIES = ("cuda",)
CHARTS = ("matplotlib>=3.9,<4", "pillow>=10.3,<14")
NOT_SOURCES = shutil.ignore_patterns(
    "build", "changes", "tests", "*.egg-info", "__pycache__", "*.so", "*.o", ".hypothesis", ".*_cache"
)
# Python compiles the modules that a session imports, not all that it installs; virtualenv stores pip in this checkout.
os.environ.setdefault("PIP_COMPILE", "0")
os.environ.setdefault("VIRTUALENV_OVERRIDE_APP_DATA", str(ROOT / ".nox" / "virtualenv"))
os.environ.setdefault("VIRTUALENV_NO_PERIODIC_UPDATE", "1")
os.environ.setdefault("FACULA_CUDA_CACHE", str(ROOT / ".nox" / "cuda"))  # compiled kernels, not in the user's folder


# Metadata of packages -------------------------------------------------------------------------------------------------


def project(package: str) -> dict:
    """Return the contents of packages/PACKAGE/pyproject.toml."""
    return tomllib.loads((ROOT / "packages" / package / "pyproject.toml").read_text())


def distribution(package: str) -> str:
    """Return the distribution of a package: `facula-storage` for `storage`, `facula` for the face."""
    return project(package)["project"]["name"]


def requirements(package: str, extra: str = "") -> list[str]:
    """Return the dependencies that PACKAGE declares, with those of one extra."""
    declared = project(package)["project"]
    return declared.get("dependencies", []) + declared.get("optional-dependencies", {}).get(extra, [])


def is_sibling(name: str) -> bool:
    """Return whether a distribution is one of this repository."""
    return name == "facula" or name.startswith("facula-")


def name_of(requirement: str) -> str:
    """Return the name in a requirement: `numpy` for `numpy>=2.1,<3`."""
    return re.match(r"[\w.-]+", requirement)[0]


def family(package: str) -> list[str]:
    """Return PACKAGE and the siblings that it and its tests depend on, directly or indirectly."""
    found = [package]
    for member in found:  # the list grows during the loop
        for requirement in requirements(member, "test" if member == package else ""):
            name = name_of(requirement)
            if is_sibling(name) and name.removeprefix("facula-") not in found:
                found.append(name.removeprefix("facula-"))
    return found


def built_wheel(package: str, folder: Path = DIST) -> Path:
    """Return the only wheel of PACKAGE in a folder."""
    (wheel,) = folder.glob(wheel_pattern(package))
    return wheel


def wheel_pattern(package: str) -> str:
    """Return the glob pattern of PACKAGE's wheels of all versions and tags."""
    return f"{distribution(package).replace('-', '_')}-[0-9]*.whl"


# Wheels --------------------------------------------------------------------------------------------------------------


def fingerprint(package: str, flags: dict[str, str]) -> str:
    """Return a digest of all inputs of a wheel: sources, interpreter, compiler flags."""
    folder = ROOT / "packages" / package
    made_with = (sys.version, platform.machine(), os.environ.get("CFLAGS", ""), sorted(flags.items()))
    digest = hashlib.sha256(repr(made_with).encode())
    for parent, folders, files in os.walk(folder, followlinks=True):  # in a copy of the tree a link may be a folder
        skipped = NOT_SOURCES(parent, [*folders, *files])
        folders[:] = sorted(name for name in folders if name not in skipped)
        for name in sorted(name for name in files if name not in skipped):
            path = Path(parent, name)
            digest.update(f"\0{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def make_wheel(session: nox.Session, package: str, output: Path, flags: dict[str, str]) -> None:
    """Build one wheel from a copy of the sources, without files of earlier builds."""
    for old in output.glob(wheel_pattern(package)):
        old.unlink()
    copy = Path(session.create_tmp()).resolve() / package
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT / "packages" / package, copy, ignore=NOT_SOURCES)
    arguments = ["--wheel", "--no-isolation", "--outdir", str(output), str(copy)]
    session.run("python", "-m", "build", *arguments, silent=True, env={"FACULA_OBJECTS": OBJECTS, **flags})


def bring_up_to_date(session: nox.Session, folder: Path, **flags: str) -> None:
    """Make each package's wheel in `folder`, with compiler flags; keep wheels whose inputs have not changed."""
    folder.mkdir(parents=True, exist_ok=True)
    stamps = folder / "stamps.json"
    made = json.loads(stamps.read_text()) if stamps.exists() else {}
    wanted = {package: fingerprint(package, flags) for package in PACKAGES}
    stale = [
        package
        for package in PACKAGES
        if made.get(package) != wanted[package] or len(list(folder.glob(wheel_pattern(package)))) != 1
    ]
    if stale:
        session.install(*build_tools())
    for package in stale:
        make_wheel(session, package, folder, flags)
        made[package] = wanted[package]
        stamps.write_text(json.dumps(made, indent=1))
    session.log(f"{folder.name}/: built {', '.join(stale) or 'nothing'}; {len(PACKAGES) - len(stale)} kept")


def build_tools() -> list[str]:
    """Return the requirements of all builds; these run without isolation, so each is downloaded once."""
    required = {requirement for package in PACKAGES for requirement in project(package)["build-system"]["requires"]}
    return ["build", "wheel", *sorted(required)]


def install(session: nox.Session, *packages: str, extra: str = "", also: tuple[str, ...] = ()) -> None:
    """Install wheels from dist/ and their dependencies; siblings can only come from dist/.

    Among several packages, those of WITHOUT_DEPENDENCIES are installed without.
    """
    # pip does not replace an installed package by a wheel of the same version.
    session.run("python", "-m", "pip", "uninstall", "-qq", "--yes", *map(distribution, PACKAGES), silent=True)
    wanted, apart = [], []
    for package in packages:
        has_extra = extra in project(package)["project"].get("optional-dependencies", {})
        suffix = f"[{extra}]" if has_extra else ""
        several = package in WITHOUT_DEPENDENCIES and len(packages) > 1
        (apart if several else wanted).append(f"{distribution(package)}{suffix} @ {built_wheel(package).as_uri()}")
    session.install("-c", str(CONSTRAINTS), *wanted, *also)
    if apart:
        session.install("--no-deps", *apart)


# Tests ---------------------------------------------------------------------------------------------------------------


def run_pytest(session: nox.Session, report: str, *arguments: str, cwd: Path, **env: str) -> None:
    """Run pytest in `cwd` with the root's settings, and leave a report that `tests` counts."""
    result = RESULTS / f"{report}.xml"
    result.parent.mkdir(parents=True, exist_ok=True)
    result.unlink(missing_ok=True)
    settings = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={cwd}", f"--junitxml={result}"]
    # nox sets TMPDIR to the session's folder, which other users cannot read; some tests change their user.
    env = {"HYPOTHESIS_PROFILE": PROFILE, "TMPDIR": tempfile.gettempdir(), **env}
    with session.chdir(cwd):
        session.run("python", "-m", "pytest", *settings, *arguments, env=env)


def outside_the_tree(session: nox.Session, package: str) -> Path:
    """Copy PACKAGE's tests, without sources, and the checks that all packages share; return the folder."""
    place = Path(session.create_tmp()).resolve() / "outside"
    shutil.rmtree(place, ignore_errors=True)
    left_out = shutil.ignore_patterns("__pycache__", ".hypothesis")
    shutil.copytree(ROOT / "packages" / package / "tests", place / "tests", ignore=left_out)
    shutil.copytree(ROOT / "integration_tests" / "each_package", place / "each_package", ignore=left_out)
    for name in ("README.md", "CHANGELOG.md", "pyproject.toml"):
        shutil.copy(ROOT / "packages" / package / name, place / name)
    return place


def interpreter_of(version: str) -> str | None:
    """Return the executable of a Python version, or None. If the name is a shim of pyenv, that selects the version."""
    program = "import sys; print(sys.executable, '%d.%d' % sys.version_info[:2])"
    name = shutil.which(f"python{version}")
    if name is None:
        return None
    asked = {**os.environ, "PYENV_VERSION": version}
    done = subprocess.run([name, "-c", program], capture_output=True, text=True, env=asked, check=False)
    executable, _, found = done.stdout.strip().rpartition(" ")
    return executable if done.returncode == 0 and found == version else None
